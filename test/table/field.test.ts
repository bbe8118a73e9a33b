import { expect, test } from 'vitest';
import { defineFields, type Field, fieldColumn } from '../../src/table/field.ts';
import { recordsOf, recordsText } from '../../src/table/records.ts';
import { createTheme } from '../../src/terminal/theme.ts';
import { cellContext } from '../../src/tui/components/column.ts';
import { columnsOf } from '../../src/tui/components/field-columns.ts';

interface Row {
  readonly id: string;
  readonly count: number | undefined;
  readonly share: number | undefined;
  readonly at: number | undefined;
  readonly isOn: boolean | undefined;
  readonly raw?: string;
}

const fields = defineFields<Row, { readonly now: number }>()({
  id: { label: 'ID', type: 'name', get: ({ id }) => id },
  count: { label: 'COUNT', type: 'count', get: ({ count }) => count, unparsed: ({ raw }) => raw },
  bytes: { label: 'SIZE', type: 'bytes', get: ({ count }) => count },
  speed: { label: 'SPEED', type: 'rate', get: ({ count }) => count },
  full: { label: 'FULL', type: 'share', get: ({ share }) => share },
  at: { label: 'AT', type: 'time', get: ({ at }) => at },
  ago: {
    label: 'AGO',
    type: 'time',
    get: ({ at }) => at,
    age: ({ at }, { now }) => (at === undefined ? undefined : now - at),
  },
  ends: { label: 'ENDS', type: 'time', get: ({ at }) => at, order: ({ at }) => at ?? Number.MAX_SAFE_INTEGER },
  on: { label: 'ON', type: 'flag', get: ({ isOn }) => isOn },
});

const row: Row = { id: 'a', count: 4_096, share: 0.25, at: 1_772_374_000, isOn: true };
const unknown: Row = { id: 'b', count: undefined, share: undefined, at: undefined, isOn: undefined, raw: 'lots' };
const columns = columnsOf(fields, { id: { isSticky: true, width: 12 } });
const theme = createTheme({});

const cells = (of: Row): Readonly<Record<string, string>> =>
  Object.fromEntries(
    columns.map((column) => [column.id, column.format(of, cellContext(theme, 20, { now: 1_772_374_090 }))]),
  );

test('a cell is printed as its type says, where the screen says nothing', () => {
  expect(cells(row)).toEqual({
    id: 'a',
    count: '4,096',
    bytes: '4.0 kB',
    speed: '4.1k/s',
    full: '25 %',
    at: '2026-03-01 14:06:40',
    ago: '1m 30s ago',
    ends: '2026-03-01 14:06:40',
    on: 'yes',
  });
});

test('an unknown value is a dash, and one that could not be decoded is what the broker said', () => {
  expect(cells(unknown)).toEqual({
    id: 'b',
    count: 'lots',
    bytes: '–',
    speed: '–',
    full: '–',
    at: '–',
    ago: '–',
    ends: '–',
    on: '–',
  });
});

test('records have values, whatever rows are sorted by', () => {
  expect([...recordsText('ndjson', recordsOf(columns, [row, unknown], 3_600))].filter((line) => line !== '')).toEqual([
    '{"id":"a","count":4096,"bytes":4096,"speed":4096,"full":0.25,"at":"2026-03-01T13:06:40.000Z","ago":"2026-03-01T13:06:40.000Z","ends":"2026-03-01T13:06:40.000Z","on":true}\n',
    '{"id":"b","count":null,"bytes":null,"speed":null,"full":null,"at":null,"ago":null,"ends":null,"on":null}\n',
  ]);
});

test('every column has a width that holds its header and the sign of the order', () => {
  for (const { id, header, width } of columns.filter((each) => each.id !== 'id')) {
    const min = typeof width === 'number' ? width : width.min;
    expect([id, min >= header.length + 2]).toEqual([id, true]);
  }
});

test('figures and times sort from the largest, texts from the smallest', () => {
  expect(columns.filter(({ sortsFrom }) => sortsFrom === 'largest').map(({ id }) => id)).toEqual([
    'count',
    'bytes',
    'speed',
    'full',
    'at',
    'ago',
    'ends',
  ]);
});

test('a filter compares ages in seconds, and counts as counts', () => {
  const unitOf = (id: keyof typeof fields): string | undefined =>
    fieldColumn<Row, { readonly now: number }>(id, fields[id] as Field<Row, { readonly now: number }>).unit;
  expect([unitOf('ago'), unitOf('count'), unitOf('bytes'), unitOf('speed'), unitOf('at'), unitOf('on')]).toEqual([
    'seconds',
    'count',
    'bytes',
    'perSecond',
    undefined,
    undefined,
  ]);
});
