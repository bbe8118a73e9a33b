import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SearchColumn } from '../../src/table/column.ts';
import { filterErrorTexts, parseFilter } from '../../src/table/filter.ts';
import { createTableView } from '../../src/table/table-view.ts';

interface Row {
  readonly id: string;
  readonly node: string;
  readonly port: number | undefined;
  readonly clean: boolean;
}

const columns: readonly SearchColumn<Row>[] = [
  { id: 'client', value: (row) => row.id },
  { id: 'node', value: (row) => row.node },
  { id: 'port', value: (row) => row.port },
  { id: 'clean', value: (row) => row.clean, text: (row) => (row.clean ? 'yes' : 'no') },
];
const row = (id: string, node = 'n1', port: number | undefined = 1_883, clean = true): Row => ({
  id,
  node,
  port,
  clean,
});

const rows = [
  row('sensor-10'),
  row('sensor-9', 'n2', 4_000, false),
  row('Worker/a b'),
  row('mqtt:tcp', 'n2', undefined),
];

function shown(filter: string, all: readonly Row[] = rows): readonly string[] {
  return createTableView(columns)
    .query({ rows: all, filter: parseFilter(filter, columns), sortColumnId: undefined, isDescending: false })
    .rows.map((each) => each.id);
}

describe('a filter', () => {
  test.each([
    ['', ['sensor-10', 'sensor-9', 'Worker/a b', 'mqtt:tcp']],
    ['SENSOR', ['sensor-10', 'sensor-9']],
    ['sensor n2', ['sensor-9']],
    ['!sensor', ['Worker/a b', 'mqtt:tcp']],
    ['"a b"', ['Worker/a b']],
    ['/^SENSOR-\\d$/', ['sensor-9']],
    ['client:/^SENSOR-\\d$/', ['sensor-9']],
    ['!/sensor|worker/', ['mqtt:tcp']],
    ['!client:/sensor/ n1', ['Worker/a b']],
    ['client:!sensor', ['Worker/a b', 'mqtt:tcp']],
    ['~snr', ['sensor-10', 'sensor-9']],
    ['~SR10', ['sensor-10']],
    ['~rs', []],
    ['~sensor-10n', []],
    ['~WAB', ['Worker/a b']],
    ['client:~w', ['Worker/a b']],
    ['node:~s1', []],
    ['!~snr', ['Worker/a b', 'mqtt:tcp']],
    ['node:n2', ['sensor-9', 'mqtt:tcp']],
    ['NODE:N2', ['sensor-9', 'mqtt:tcp']],
    ['port:4000', ['sensor-9']],
    ['clean:no', ['sensor-9']],
    ['mqtt:tcp', ['mqtt:tcp']],
    ['1883', []],
    ['/', ['sensor-10', 'sensor-9', 'Worker/a b', 'mqtt:tcp']],
    ['node:', ['sensor-10', 'sensor-9', 'Worker/a b', 'mqtt:tcp']],
    ['/r/a', ['Worker/a b']],
  ])('%s', (filter, expected) => {
    expect(shown(filter)).toEqual(expected);
  });

  test.each([
    ['composed', 'caf\u00E9'],
    ['decomposed', 'cafe\u0301'],
  ])('finds both spellings of a letter with a mark, typed %s', (_name, typed) => {
    const both = [row('Caf\u00E9-1'), row('Cafe\u0301-2'), row('cafe-3')];
    const found = ['Caf\u00E9-1', 'Cafe\u0301-2'];
    for (const filter of [typed, typed.toUpperCase(), `client:${typed}`, `~${typed}`, `/^${typed}-/`, `"${typed}-"`])
      expect(shown(filter, both)).toEqual(found);
    expect(shown(`!${typed}`, both)).toEqual(['cafe-3']);
  });

  test('knows the other names of a column', () => {
    const known = columns.map((column) => (column.id === 'node' ? { ...column, aliases: ['host'] } : column));
    const query = (filter: string) =>
      createTableView(known)
        .query({ rows, filter: parseFilter(filter, known), sortColumnId: undefined, isDescending: false })
        .rows.map((each) => each.id);
    expect(query('host:n2')).toEqual(['sensor-9', 'mqtt:tcp']);
    expect(query('HO:n2')).toEqual(['sensor-9', 'mqtt:tcp']);
  });

  test('does not match across two columns', () => {
    expect(shown('sensor-10n1')).toEqual([]);
    expect(shown('/0[^]*n1/')).toEqual(['sensor-10']);
  });

  test('reports an invalid regular expression and shows no row', () => {
    const filter = parseFilter('/(/ n2', columns);
    expect(filter.error).toBe(filterErrorTexts.notRegex('(', 'Unterminated group'));
    const result = createTableView(columns).query({ rows, filter, sortColumnId: undefined, isDescending: false });
    expect(result).toMatchObject({ error: filter.error, rows: [], total: rows.length });
  });

  test('aborts a regular expression that backtracks for ever', () => {
    const evil = [row('a'.repeat(200))];
    const view = createTableView(columns);
    const filter = parseFilter('/(a+)+$b/', columns);
    const result = view.query({ rows: evil, filter, sortColumnId: undefined, isDescending: false });
    expect(result.error).toBe(filterErrorTexts.tooSlow('(a+)+$b'));
    expect(result.rows).toEqual([]);
    // The same filter is not tried again on other rows.
    const next = view.query({ rows, filter, sortColumnId: undefined, isDescending: false });
    expect(next).toMatchObject({ error: result.error, rows: [] });
  });

  test('finds what the table prints, and the raw value where it may be typed', () => {
    interface Drop {
      readonly id: string;
      readonly drops: number | undefined;
      readonly since: number;
      readonly ok: boolean;
    }
    let now = 100;
    const drop = (id: string, drops: number | undefined, since = 40): Drop => ({ id, drops, since, ok: drops === 0 });
    const all = [drop('esc\u001B[31m', 1_000), drop('plain', 12_345, 93), drop(' lead', undefined), drop('zero', 0)];
    const view = createTableView<Drop>(
      [
        { id: 'client', name: 'CLIENT ID', value: ({ id }) => id },
        {
          id: 'drops',
          value: ({ drops }) => drops,
          print: ({ drops }) => (drops === undefined ? '–' : drops.toLocaleString('en')),
        },
        {
          id: 'since',
          value: ({ since }) => since,
          print: ({ since }, onDataRead) => {
            onDataRead();
            return `${now - since} s ago`;
          },
        },
        {
          id: 'ok',
          value: ({ ok }) => ok,
          text: ({ ok }) => (ok ? 'same' : 'differs'),
          print: ({ ok }) => (ok ? 'yes' : '! no'),
        },
      ],
      (raw) => raw.replace('\u001B', '\\x1b').replace(/^ /, '\\x20'),
    );
    const known = [{ id: 'client', name: 'CLIENT ID' }, { id: 'drops' }, { id: 'since' }, { id: 'ok' }];
    const found = (filter: string): readonly string[] =>
      view
        .query({
          rows: all,
          filter: parseFilter(filter, known),
          sortColumnId: undefined,
          isDescending: false,
          data: now,
        })
        .rows.map(({ id }) => id);
    expect(found('\\x1b[31')).toEqual(['esc\u001B[31m']);
    expect(found('client-id:\\x20lead')).toEqual([' lead']);
    expect(found('client:/^\\\\x20/')).toEqual([' lead']);
    expect(found('drops:1,000')).toEqual(['esc\u001B[31m']);
    expect(found('drops:1000')).toEqual(['esc\u001B[31m']);
    expect(found('drops:–')).toEqual([' lead']);
    expect(found('ok:!yes')).toEqual(['esc\u001B[31m', 'plain', ' lead']);
    expect(found('ok:same')).toEqual(['zero']);
    expect(found('since:"7 s"')).toEqual(['plain']);
    expect(found('since:93')).toEqual([]);
    now = 101;
    expect(found('since:"7 s"')).toEqual([]);
    expect(found('since:"8 s"')).toEqual(['plain']);
  });

  test('fuzzy search works with other alphabets and punctuation', () => {
    const all = [row('датчик-1'), row('Ünïcode'), row('a+b'), row('a😀b')];
    expect(shown('ДАТЧИК', all)).toEqual(['датчик-1']);
    expect(shown('~дачик', all)).toEqual(['датчик-1']);
    expect(shown('~+', all)).toEqual(['a+b']);
    expect(shown('~a😀', all)).toEqual(['a😀b']);
    expect(shown('~кд', all)).toEqual([]);
  });

  test('parses any input without throwing, and a term and its inverse together match all rows', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 8 }), (text, ids) => {
        parseFilter(text, columns);
        const term = text.replaceAll(/[\s"!~/:]/g, '');
        if (term === '') return;
        const all = ids.map((id) => row(id));
        expect(shown(term, all).length + shown(`!${term}`, all).length).toBe(all.length);
      }),
    );
  });
});

describe('comparisons in a filter', () => {
  interface Queue {
    readonly id: string;
    readonly queue: number | undefined;
    readonly drops: number | undefined;
    readonly upSeconds: number;
  }
  const queue = (id: string, length: number | undefined, drops?: number, upSeconds = 10): Queue => ({
    id,
    queue: length,
    drops,
    upSeconds,
  });
  const known: readonly SearchColumn<Queue>[] = [
    { id: 'id', name: 'CLIENT ID', value: ({ id }) => id },
    {
      id: 'queue',
      name: 'QUEUE',
      unit: 'count',
      value: (each) => each.queue,
      print: (each) => (each.queue === undefined ? '–' : `! ${each.queue.toLocaleString('en')}`),
    },
    {
      id: 'drop',
      name: 'DROP/S',
      unit: 'perSecond',
      value: ({ drops }) => drops,
      print: ({ drops }) => (drops === undefined ? '–' : `+${drops.toFixed(1)}/s`),
    },
    {
      id: 'up',
      name: 'UPTIME',
      unit: 'seconds',
      value: ({ upSeconds }) => upSeconds,
      print: ({ upSeconds }) => `${Math.floor(upSeconds / 3_600)}h 14m`,
    },
    {
      id: 'size',
      name: 'SIZE',
      unit: 'bytes',
      value: (each) => (each.queue === undefined ? undefined : each.queue * 1_024),
    },
  ];
  const all = [
    queue('empty', 0, 0),
    queue('ten', 10, 2.04),
    queue('full', 1_000, 29.96, 7_200),
    queue('unknown', undefined),
  ];
  const ask = (filter: string, from = all) =>
    createTableView(known).query({
      rows: from,
      filter: parseFilter(filter, known),
      sortColumnId: undefined,
      isDescending: false,
    });
  const ids = (filter: string): readonly string[] => {
    const { rows: found, error } = ask(filter);
    expect(error).toBeUndefined();
    return found.map(({ id }) => id);
  };

  test.each([
    ['queue:>0', ['ten', 'full']],
    ['queue:>=10', ['ten', 'full']],
    ['queue:<10', ['empty']],
    ['queue:<=10', ['empty', 'ten']],
    ['queue:=10', ['ten']],
    ['queue:0', ['empty']],
    ['queue:1', []],
    ['!queue:0', ['ten', 'full', 'unknown']],
    ['queue:!0', ['ten', 'full', 'unknown']],
    ['!queue:>0', ['empty', 'unknown']],
    ['queue:1,000', ['full']],
    ['queue:1k', ['full']],
    ['queue:>=1.0k', ['full']],
    ['queue:–', ['unknown']],
    ['queue:/^! 0$/', ['empty']],
    ['queue:"0"', ['empty', 'ten', 'full']],
    ['drop/s:>1', ['ten', 'full']],
    ['drop/s:2', ['ten']],
    ['drop/s:+2.0', ['ten']],
    ['drop/s:2.04/s', ['ten']],
    ['drop:30', ['full']],
    ['DROP/S:29.96', ['full']],
    ['drop/s:3', []],
    ['up:>1h', ['full']],
    ['uptime:>=2h', ['full']],
    ['uptime:2', []],
    ['uptime:7200', ['full']],
    ['up:2h', ['full']],
    ['client-id:ten queue:>0', ['ten']],
    ['queue:>', ['empty', 'ten', 'full', 'unknown']],
    ['queue:>0 drop/s:<10', ['ten']],
    ['upt:>1h', ['full']],
    ['client:ten', ['ten']],
    ['queu:>0', ['ten', 'full']],
    ['size:>=10kB', ['ten', 'full']],
    ['size:<1M', ['empty', 'ten']],
    ['drop/s:>=29/s', ['full']],
    ['up:>0.1k', ['full']],
  ])('%s', (filter, expected) => {
    expect(ids(filter)).toEqual(expected);
  });

  test.each([
    ['queue:>much', filterErrorTexts.notFigure('queue', 'much')],
    ['up:>=5MB', filterErrorTexts.otherUnit('uptime', '5MB', 'seconds')],
    ['queue:>2h', filterErrorTexts.otherUnit('queue', '2h', 'count')],
    ['!queue:<5MB', filterErrorTexts.otherUnit('queue', '5MB', 'count')],
    ['queue:5/s', filterErrorTexts.otherUnit('queue', '5/s', 'count')],
    ['drop/s:>5m', filterErrorTexts.otherUnit('drop/s', '5m', 'perSecond')],
    ['size:>5s', filterErrorTexts.otherUnit('size', '5s', 'bytes')],
    ['client-id:>5', filterErrorTexts.noFigures('client-id', '>5')],
    ['drops:7', filterErrorTexts.unknownColumn('drops', 'drops:7', ['client-id', 'queue', 'drop/s', 'uptime', 'size'])],
    [
      '!nowhere:>0',
      filterErrorTexts.unknownColumn('nowhere', 'nowhere:>0', ['client-id', 'queue', 'drop/s', 'uptime', 'size']),
    ],
  ])('%s is reported and shows no row', (filter, error) => {
    const result = ask(filter);
    expect(result.error).toBe(error);
    expect(result).toMatchObject({ rows: [], total: all.length });
  });

  test('a beginning of a name that two columns have is no column', () => {
    const two: readonly SearchColumn<Queue>[] = [
      ...known,
      { id: 'growth', name: 'QUEUE/S', unit: 'perSecond', value: () => 0 },
    ];
    const view = createTableView(two);
    const query = (filter: string) =>
      view.query({ rows: all, filter: parseFilter(filter, two), sortColumnId: undefined, isDescending: false });
    expect(query('que:>0')).toMatchObject({
      error: filterErrorTexts.unknownColumn('que', 'que:>0', [
        'client-id',
        'queue',
        'drop/s',
        'uptime',
        'size',
        'queue/s',
      ]),
      rows: [],
    });
    expect(query('queue:>0').rows.map(({ id }) => id)).toEqual(['ten', 'full']);
  });

  test('the error names only columns that have a header', () => {
    const sortable: readonly SearchColumn<Queue>[] = [...known, { id: 'trouble', value: () => 0 }];
    const { error } = createTableView(sortable).query({
      rows: all,
      filter: parseFilter('drops:7', sortable),
      sortColumnId: undefined,
      isDescending: false,
    });
    expect(error).toBe(
      filterErrorTexts.unknownColumn('drops', 'drops:7', ['client-id', 'queue', 'drop/s', 'uptime', 'size']),
    );
  });

  test('a word with a colon is text if a row contains it, or if no column could have that name', () => {
    const ports = [queue('mqtt:tcp', 0), queue('10.0.0.1:1883', 0), queue('::1', 0)];
    for (const [text, id] of [
      ['mqtt:t', 'mqtt:tcp'],
      ['0.1:18', '10.0.0.1:1883'],
      ['::1', '::1'],
    ] as const) {
      const result = ask(text, ports);
      expect([result.error, ...result.rows.map((each) => each.id)]).toEqual([undefined, id]);
    }
    expect(ask('10.9.9.9:1', ports)).toMatchObject({ error: undefined, rows: [] });
    expect(ask('"urn:1"', ports)).toMatchObject({ error: undefined, rows: [] });
    // Without rows there is nothing to compare with.
    expect(ask('urn:1', [])).toMatchObject({ error: undefined, rows: [] });
  });
});
