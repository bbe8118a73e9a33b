import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNatural } from '../../src/domain/natural-order.ts';
import { finish } from '../../src/domain/steps.ts';
import { noFilter, parseFilter } from '../../src/table/filter.ts';
import { type CellValue, type SortableColumn, sortOrder } from '../../src/table/sorting.ts';
import { createTableView } from '../../src/table/table-view.ts';

interface Row { readonly id: string; readonly node: string; readonly port: number | undefined; readonly clean: boolean }

const columns: readonly SortableColumn<Row>[] = [
  { id: 'client', value: (row) => row.id },
  { id: 'node', value: (row) => row.node },
  { id: 'port', value: (row) => row.port },
  { id: 'clean', value: (row) => row.clean, text: (row) => (row.clean ? 'yes' : 'no') },
];
const row = (id: string, node = 'n1', port: number | undefined = 1_883, clean = true): Row => ({ id, node, port, clean });

const rows = [row('sensor-10'), row('sensor-9', 'n2', 4_000, false), row('Worker/a b'), row('mqtt:tcp', 'n2', undefined)];

function shown(filter: string, all: readonly Row[] = rows): readonly string[] {
  return createTableView(columns).query({ rows: all, filter: parseFilter(filter, columns), sortColumnId: undefined, isDescending: false }).rows.map((each) => each.id);
}

describe('the filter', () => {
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

  test('does not match across two columns', () => {
    expect(shown('sensor-10n1')).toEqual([]);
    expect(shown('/0[^]*n1/')).toEqual(['sensor-10']);
  });

  test('reports a regular expression that is none, and applies the rest', () => {
    const filter = parseFilter('/(/ n2', columns);
    expect(filter.error).toMatch(/^Not a regular expression: /);
    const result = createTableView(columns).query({ rows, filter, sortColumnId: undefined, isDescending: false });
    expect(result.error).toBe(filter.error);
    expect(result.rows).toHaveLength(2);
  });

  test('ends a regular expression that backtracks for ever', () => {
    const evil = [row('a'.repeat(200))];
    const view = createTableView(columns);
    const filter = parseFilter('/(a+)+$b/', columns);
    const result = view.query({ rows: evil, filter, sortColumnId: undefined, isDescending: false });
    expect(result.error).toMatch(/takes too long/);
    expect(result.rows).toEqual(evil);
    // The same filter is not tried again on other rows, even if it would be quick on them.
    const next = view.query({ rows, filter, sortColumnId: undefined, isDescending: false });
    expect(next).toMatchObject({ error: result.error, rows });
  });

  test('finds what the table prints, and what stands behind it where one would type that', () => {
    interface Drop { readonly id: string; readonly drops: number | undefined; readonly since: number; readonly ok: boolean }
    let now = 100;
    const drop = (id: string, drops: number | undefined, since = 40): Drop => ({ id, drops, since, ok: drops === 0 });
    const all = [drop('esc\u001B[31m', 1_000), drop('plain', 12_345, 93), drop(' lead', undefined), drop('zero', 0)];
    const view = createTableView<Drop>([
      { id: 'client', name: 'CLIENT ID', value: ({ id }) => id },
      { id: 'drops', value: ({ drops }) => drops, shown: ({ drops }) => (drops === undefined ? '–' : drops.toLocaleString('en')) },
      { id: 'since', value: ({ since }) => since, shown: ({ since }, readsOther) => { readsOther(); return `${now - since} s ago`; } },
      { id: 'ok', value: ({ ok }) => ok, text: ({ ok }) => (ok ? 'same' : 'differs'), shown: ({ ok }) => (ok ? 'yes' : '! no') },
    ], (raw) => raw.replace('\u001B', '\\x1b').replace(/^ /, '\\x20'));
    const known = [{ id: 'client', name: 'CLIENT ID' }, { id: 'drops' }, { id: 'since' }, { id: 'ok' }];
    const found = (filter: string): readonly string[] =>
      view.query({ rows: all, filter: parseFilter(filter, known), sortColumnId: undefined, isDescending: false, other: now }).rows.map(({ id }) => id);
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

  test('finds letters in their order in other alphabets, and punctuation', () => {
    const all = [row('датчик-1'), row('Ünïcode'), row('a+b'), row('a😀b')];
    expect(shown('ДАТЧИК', all)).toEqual(['датчик-1']);
    expect(shown('~дачик', all)).toEqual(['датчик-1']);
    expect(shown('~+', all)).toEqual(['a+b']);
    expect(shown('~a😀', all)).toEqual(['a😀b']);
    expect(shown('~кд', all)).toEqual([]);
  });

  test('understands any input without throwing, and nothing is lost between a term and its inverse', () => {
    fc.assert(fc.property(fc.string(), fc.array(fc.string(), { maxLength: 8 }), (text, ids) => {
      parseFilter(text, columns);
      const term = text.replaceAll(/[\s"!~/:]/g, '');
      if (term === '') return;
      const all = ids.map((id) => row(id));
      expect(shown(term, all).length + shown(`!${term}`, all).length).toBe(all.length);
    }));
  });
});

const cell: fc.Arbitrary<CellValue> = fc.oneof(
  fc.constant(undefined),
  fc.stringMatching(/^(sensor|Gate)?-?[0-9]{0,12}[a-c]?$/),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^[aA]{0,40}[0-9]{0,40}$/),
);
const numericCell: fc.Arbitrary<CellValue> = fc.oneof(fc.constant(undefined), fc.double(), fc.integer(), fc.boolean());

function compareCells(a: CellValue, b: CellValue, hasText: boolean): number {
  return hasText ? compareNatural(String(a), String(b)) : Number(a) - Number(b);
}

const isUnknown = (value: CellValue): boolean => value === undefined || Number.isNaN(value);

/** Whether two neighbours, given by their places in `values`, may follow each other. */
function isInOrder(values: readonly CellValue[], left: number, right: number, hasText: boolean, isDescending: boolean): boolean {
  const [a, b] = [values[left], values[right]];
  if (isUnknown(a) || isUnknown(b)) return !isUnknown(a) || (isUnknown(b) && left < right);
  // Infinity - Infinity is NaN, and equal.
  const compared = (compareCells(a, b, hasText) || 0) * (isDescending ? -1 : 1);
  return compared < 0 || (compared === 0 && left < right);
}

describe('figures in a filter', () => {
  interface Queue { readonly id: string; readonly queue: number | undefined; readonly drops: number | undefined; readonly upSeconds: number }
  const queue = (id: string, length: number | undefined, drops?: number, upSeconds = 10): Queue => ({ id, queue: length, drops, upSeconds });
  const known: readonly SortableColumn<Queue>[] = [
    { id: 'id', name: 'CLIENT ID', value: ({ id }) => id },
    { id: 'queue', name: 'QUEUE', unit: 'count', value: (each) => each.queue, shown: (each) => (each.queue === undefined ? '–' : `! ${each.queue.toLocaleString('en')}`) },
    { id: 'drop', name: 'DROP/S', unit: 'perSecond', value: ({ drops }) => drops, shown: ({ drops }) => (drops === undefined ? '–' : `+${drops.toFixed(1)}/s`) },
    { id: 'up', name: 'UPTIME', unit: 'seconds', value: ({ upSeconds }) => upSeconds, shown: ({ upSeconds }) => `${Math.floor(upSeconds / 3_600)}h 14m` },
    { id: 'size', name: 'SIZE', unit: 'bytes', value: (each) => (each.queue === undefined ? undefined : each.queue * 1_024) },
  ];
  const all = [queue('empty', 0, 0), queue('ten', 10, 2.04), queue('full', 1_000, 29.96, 7_200), queue('unknown', undefined)];
  const ask = (filter: string, from = all) => createTableView(known).query({ rows: from, filter: parseFilter(filter, known), sortColumnId: undefined, isDescending: false });
  const ids = (filter: string): readonly string[] => {
    const { rows: found, error } = ask(filter);
    expect(error).toBeUndefined();
    return found.map(({ id }) => id);
  };

  test.each([
    ['queue:>0', ['ten', 'full']], ['queue:>=10', ['ten', 'full']], ['queue:<10', ['empty']], ['queue:<=10', ['empty', 'ten']], ['queue:=10', ['ten']],
    ['queue:0', ['empty']], ['queue:1', []], ['!queue:0', ['ten', 'full', 'unknown']], ['queue:!0', ['ten', 'full', 'unknown']], ['!queue:>0', ['empty', 'unknown']],
    ['queue:1,000', ['full']], ['queue:1k', ['full']], ['queue:>=1.0k', ['full']], ['queue:–', ['unknown']], ['queue:/^! 0$/', ['empty']], ['queue:"0"', ['empty', 'ten', 'full']],
    ['drop/s:>1', ['ten', 'full']], ['drop/s:2', ['ten']], ['drop/s:+2.0', ['ten']], ['drop/s:2.04/s', ['ten']], ['drop:30', ['full']], ['DROP/S:29.96', ['full']], ['drop/s:3', []],
    ['up:>1h', ['full']], ['uptime:>=2h', ['full']], ['uptime:2', []], ['uptime:7200', ['full']], ['up:2h', ['full']],
    ['client-id:ten queue:>0', ['ten']], ['queue:>', ['empty', 'ten', 'full', 'unknown']], ['queue:>0 drop/s:<10', ['ten']],
    ['size:>=10kB', ['ten', 'full']], ['size:<1M', ['empty', 'ten']], ['drop/s:>=29/s', ['full']], ['up:>0.1k', ['full']],
  ])('%s', (filter, expected) => {
    expect(ids(filter)).toEqual(expected);
  });

  test.each([
    ['queue:>much', '"much" is no figure that "queue" could be compared with.'],
    ['up:>=5MB', '"5MB" cannot be compared with "uptime", which is in seconds (90s, 5m, 2h, 3d).'],
    ['queue:>2h', '"2h" cannot be compared with "queue", which is a count (0, 1,200, 1.2k).'],
    ['!queue:<5MB', '"5MB" cannot be compared with "queue", which is a count (0, 1,200, 1.2k).'],
    ['queue:5/s', '"5/s" cannot be compared with "queue", which is a count (0, 1,200, 1.2k).'],
    ['drop/s:>5m', '"5m" cannot be compared with "drop/s", which is a rate (5, 1.2k, 5/s).'],
    ['size:>5s', '"5s" cannot be compared with "size", which is in bytes (512B, 5MB).'],
    ['client-id:>5', '"client-id" holds no figures to compare; in quotes ">5" is text.'],
    ['drops:7', 'There is no column "drops" here, and no row holds drops:7. Columns: client-id, queue, drop/s, uptime, size.'],
    ['!nowhere:>0', 'There is no column "nowhere" here, and no row holds nowhere:>0. Columns: client-id, queue, drop/s, uptime, size.'],
  ])('%s is refused, and not applied', (filter, error) => {
    const result = ask(filter);
    expect(result.error).toBe(error);
    expect(result.rows).toHaveLength(all.length);
  });

  test('what has a colon and is held by a row is text, and so is what names no column could have', () => {
    const ports = [queue('mqtt:tcp', 0), queue('10.0.0.1:1883', 0), queue('::1', 0)];
    for (const [text, id] of [['mqtt:t', 'mqtt:tcp'], ['0.1:18', '10.0.0.1:1883'], ['::1', '::1']] as const) {
      const result = ask(text, ports);
      expect([result.error, ...result.rows.map((each) => each.id)]).toEqual([undefined, id]);
    }
    expect(ask('10.9.9.9:1', ports)).toMatchObject({ error: undefined, rows: [] });
    expect(ask('"urn:1"', ports)).toMatchObject({ error: undefined, rows: [] });
    // Before there are rows nobody knows.
    expect(ask('urn:1', [])).toMatchObject({ error: undefined, rows: [] });
  });
});

describe('the order', () => {
  test.each([['texts', cell], ['numbers', numericCell], ['both', fc.oneof(cell, numericCell)]])(
    'of %s is a permutation, sorted and stable, unknown last, in both directions', (_, arbitrary) => {
      fc.assert(fc.property(fc.array(arbitrary, { maxLength: 60 }), fc.boolean(), (values, isDescending) => {
        const order = [...finish(sortOrder(values, isDescending))];
        expect(order.toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index));
        const hasText = values.some((value) => typeof value === 'string');
        const wrong = order.slice(1).filter((right, place) => !isInOrder(values, order[place] ?? 0, right, hasText, isDescending));
        expect(wrong).toEqual([]);
      }), { numRuns: 500 });
    });

  test('of texts is natural', () => {
    const ids = ['b', 'a10', 'A9', 'a010', 'a2', 'a', 'a-1', 'Ä', 'a100000000000', 'a99999999999'];
    const sorted = [...finish(sortOrder(ids, false))].map((index) => ids[index]);
    expect(sorted).toEqual(['a', 'a-1', 'a2', 'A9', 'a010', 'a10', 'a99999999999', 'a100000000000', 'b', 'Ä']);
  });

  test('of many texts that share long beginnings is natural', () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => `${index % 2 === 0 ? 'x' : 'y'}${'-very-long-beginning'.repeat(3)}-${(index * 7_919) % 3_000}`);
    const sorted = [...finish(sortOrder(ids, false))].map((index) => ids[index] ?? '');
    expect(sorted).toEqual(ids.toSorted(compareNatural));
  });

  test('comparing is transitive and antisymmetric', () => {
    const text = fc.oneof(fc.stringMatching(/^[aAb0-2]{0,6}$/), fc.string());
    fc.assert(fc.property(text, text, text, (a, b, c) => {
      expect(Math.sign(compareNatural(a, b))).toBe(-Math.sign(compareNatural(b, a)) + 0);
      const breaks = compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0 && compareNatural(a, c) > 0;
      expect(breaks).toBe(false);
    }), { numRuns: 2_000 });
  });
});

test('two sorts that go on in turns do not disturb each other', () => {
  const texts = (letter: string) => Array.from({ length: 9_000 }, (_, index) => `${letter}${(index * 7_919) % 9_000}-x`);
  // Its room is what the next one takes.
  finish(sortOrder(texts('o'), false));
  const sorts = ['p', 'q'].map((letter) => ({ letter, values: texts(letter), steps: sortOrder(texts(letter), false) }));
  const orders = new Map<string, Uint32Array>();
  while (orders.size < sorts.length) {
    for (const { letter, steps } of sorts.filter((sort) => !orders.has(sort.letter))) {
      const step = steps.next();
      if (step.done === true) orders.set(letter, step.value);
    }
  }
  for (const { letter, values } of sorts) {
    expect([...orders.get(letter) ?? []].map((index) => values[index])).toEqual(Array.from({ length: 9_000 }, (_, index) => `${letter}${index}-x`));
  }
});

describe('a table view', () => {
  test('gives the same result while nothing changed, and the rows themselves when nothing is asked', () => {
    const view = createTableView(columns);
    const query = { rows, filter: parseFilter('sensor', columns), sortColumnId: 'client', isDescending: false };
    const result = view.query(query);
    expect(view.query({ ...query })).toBe(result);
    expect(result.rows.map((each) => each.id)).toEqual(['sensor-9', 'sensor-10']);
    expect(result.total).toBe(4);
    expect(view.query({ rows, filter: noFilter, sortColumnId: 'no such', isDescending: false }).rows).toBe(rows);
  });

  test('searches the right texts after any change of the rows', () => {
    const view = createTableView(columns);
    const pool = Array.from({ length: 40 }, (_, index) => row(`id-${index}`));
    fc.assert(fc.property(fc.uniqueArray(fc.nat({ max: 39 })), fc.nat({ max: 9 }), fc.constantFrom('prepare', 'forget', 'neither'), (picked, digit, before) => {
      const all = picked.flatMap((index) => pool[index] ?? []);
      if (before === 'prepare') finish(view.prepare(all));
      if (before === 'forget') view.forget();
      const result = view.query({ rows: all, filter: parseFilter(`client:${digit}`, columns), sortColumnId: undefined, isDescending: false });
      expect(result.rows).toEqual(all.filter((each) => each.id.includes(String(digit))));
      const plain = view.query({ rows: all, filter: parseFilter(`-${digit}`, columns), sortColumnId: undefined, isDescending: false });
      expect(plain.rows).toEqual(all.filter((each) => each.id.includes(`-${digit}`)));
    }), { numRuns: 500 });
  });

  test('answers in steps what it answers at once, and right questions about other rows in between', () => {
    const pool = Array.from({ length: 30 }, (_, index) => row(`id-${index}`));
    const lists = fc.uniqueArray(fc.nat({ max: 29 })).map((picked) => Array.from({ length: 200 }, () => picked.map((index) => pool[index] ?? row('none'))).flat());
    const ask = (rows: ReturnType<typeof row>[], [digit, isDescending]: readonly [number, boolean]) =>
      ({ rows, filter: digit === 0 ? noFilter : parseFilter(`client:${digit}`, columns), sortColumnId: 'client', isDescending });
    const asked = fc.tuple(fc.nat({ max: 2 }), fc.boolean());
    fc.assert(fc.property(lists, lists, asked, asked, fc.nat({ max: 12 }), (first, second, how, then, taken) => {
      const view = createTableView(columns);
      const right = (query: ReturnType<typeof ask>) => createTableView(columns).query(query);
      expect(view.query(ask(first, how))).toEqual(right(ask(first, how)));
      const steps = view.steps(ask(second, how));
      let isDone = false;
      for (let step = 0; step < taken && !isDone; step += 1) isDone = steps.next().done === true;
      expect(view.query(ask(first, then))).toEqual(right(ask(first, then)));
      if (!isDone) finish(steps);
      expect(view.query(ask(second, how))).toEqual(right(ask(second, how)));
    }), { numRuns: 60 });
  });

  test('has nothing left to do once it was asked in steps', () => {
    let asked = 0;
    const counted = [{ id: 'client', value: (each: { readonly id: string }) => { asked += 1; return each.id; } }];
    const view = createTableView(counted);
    const query = { rows: [{ id: 'b' }, { id: 'a' }], filter: parseFilter('a', counted), sortColumnId: 'client', isDescending: false };
    const result = finish(view.steps(query));
    const before = asked;
    expect(view.query(query)).toBe(result);
    expect(asked).toBe(before);
  });
});
