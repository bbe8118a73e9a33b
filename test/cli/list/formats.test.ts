import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import { outputOf } from '../../../src/cli/list/formats.ts';
import { createListing, type ListRequest, type ListedRows } from '../../../src/cli/list/listing.ts';
import type { ListFormat } from '../../../src/cli/list/resources.ts';
import { formatBrokerTime, formatBytes, formatText, formatYesNo } from '../../../src/terminal/format.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import type { Column } from '../../../src/tui/components/column.ts';

interface Row {
  readonly name: string | undefined;
  readonly size?: number | undefined;
  readonly isOn?: boolean | undefined;
  readonly at?: number | undefined;
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    header: safe`NAME`,
    value: ({ name }) => name,
    format: ({ name }, { text }) => formatText(name, text),
    width: { min: 4 },
  },
  {
    id: 'size',
    header: safe`SIZE`,
    value: ({ size }) => size,
    format: ({ size }) => formatBytes(size),
    align: 'right',
    unit: 'bytes',
    width: 12,
  },
  {
    id: 'on',
    header: safe`ON`,
    value: ({ isOn }) => isOn,
    type: 'boolean',
    format: ({ isOn }) => formatYesNo(isOn),
    width: 5,
  },
  {
    id: 'at',
    header: safe`AT`,
    value: ({ at }) => at,
    type: 'time',
    format: ({ at }) => formatBrokerTime(at),
    width: 19,
  },
];

const everything: ListRequest = { filter: undefined, sort: undefined, columns: undefined, limit: undefined };
const theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' });
const hour = 3_600;

const select = (rows: readonly Row[], request: Partial<ListRequest> = {}): ListedRows =>
  createListing({ columns, rows, data: undefined, theme, zoneSeconds: 2 * hour }).select({ ...everything, ...request });

const print = (
  format: ListFormat,
  rows: readonly Row[],
  request: Partial<ListRequest> = {},
  isTerminal = false,
): string => [...outputOf(format, select(rows, request), isTerminal)].join('');

const rows: readonly Row[] = [
  { name: 'b', size: 2_048, isOn: true, at: 1_700_000_000 + 2 * hour },
  { name: undefined },
  { name: 'a', size: 9, isOn: false },
];

test('a table is aligned, with the cells of the screen', () => {
  expect(print('table', rows)).toBe(
    [
      'NAME    SIZE  ON   AT',
      'b     2.0 kB  yes  2023-11-15 00:13:20',
      '–          –  –    –',
      'a        9 B  no   –',
      '',
    ].join('\n'),
  );
});

test('no cell of a table is cut, whatever the width of its column on the screen', () => {
  const id = `gateway-${'0123456789'.repeat(200)}-1`;
  const narrow: readonly Column<Row>[] = [
    {
      id: 'id',
      header: safe`CLIENT ID`,
      value: ({ name }) => name,
      format: ({ name }, { ends }) => formatText(name, ends),
      width: 16,
    },
    {
      id: 'user',
      header: safe`USER`,
      value: ({ name }) => name,
      format: ({ name }, { text }) => formatText(name, text),
      width: { min: 8, max: 24 },
    },
  ];
  const listing = createListing({
    columns: narrow,
    rows: [{ name: id }],
    data: undefined,
    theme,
    zoneSeconds: 0,
  }).select(everything);
  expect([...outputOf('table', listing, false)][1]).toBe(`${id}  ${id}\n`);
});

test('CSV has raw values, with times in UTC, and nothing where a value is unknown', () => {
  expect(print('csv', rows)).toBe('name,size,on,at\r\nb,2048,true,2023-11-14T22:13:20.000Z\r\n,,,\r\na,9,false,\r\n');
});

test('JSON is one array, also without rows, and NDJSON one object a line', () => {
  const documents = [
    { name: 'b', size: 2_048, on: true, at: '2023-11-14T22:13:20.000Z' },
    { name: null, size: null, on: null, at: null },
    { name: 'a', size: 9, on: false, at: null },
  ];
  expect(JSON.parse(print('json', rows))).toEqual(documents);
  expect(
    print('ndjson', rows)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(documents);
  expect(JSON.parse(print('json', []))).toEqual([]);
  expect(print('ndjson', [])).toBe('');
});

describe('text from the broker', () => {
  const hostile = 'a"b,c\r\n\u001B]0;x\u0007\u202E=1+1';
  test('is escaped in the table', () => {
    expect(print('table', [{ name: hostile }])).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u);
  });
  test('is quoted in CSV, and escaped only on a terminal', () => {
    expect(print('csv', [{ name: hostile }], { columns: ['name'] })).toBe(
      `name\r\n"${hostile.replace('"', '""')}"\r\n`,
    );
    expect(print('csv', [{ name: hostile }], {}, true)).not.toMatch(/[\u001B\u0007\u202E]/u);
    expect(print('csv', [{ name: '' }], { columns: ['name'] })).toBe('name\r\n""\r\n');
  });
  test('is exact in JSON, in ASCII', () => {
    for (const format of ['json', 'ndjson'] as const) {
      const text = print(format, [{ name: hostile }], { columns: ['name'] });
      expect(text).toMatch(/^[ -~\n]*$/u);
      expect([JSON.parse(text)].flat()).toEqual([{ name: hostile }]);
    }
  });
});

test('rows are filtered, sorted and limited, and columns chosen, as asked', () => {
  expect(print('csv', rows, { columns: ['size', 'name'], sort: 'name' })).toBe('size,name\r\n9,a\r\n2048,b\r\n,\r\n');
  expect(print('csv', rows, { columns: ['name'], sort: '-size', limit: 1 })).toBe('name\r\nb\r\n');
  expect(print('csv', rows, { columns: ['name'], filter: 'size:>1kB' })).toBe('name\r\nb\r\n');
});

test('what the list does not have is a usage error that names what it has', () => {
  expect(() => select(rows, { columns: ['x'] })).toThrow(
    new UsageError('--columns: no column "x". Columns: name, size, on, at.'),
  );
  expect(() => select(rows, { sort: '-x' })).toThrow(
    new UsageError('--sort: no column "x". Columns: name, size, on, at.'),
  );
  expect(() => select(rows, { filter: '/(/' })).toThrow(UsageError);
  expect(() => select(rows, { filter: 'x:y' })).toThrow(/Columns: name, size, on, at/u);
});

test('nothing is loading in what a program prints at its end: it is unknown', () => {
  const rates: Column<Row> = {
    id: 'rate',
    header: safe`RATE`,
    value: () => undefined,
    format: () => safe`···`,
    width: 5,
  };
  const listing = createListing({ columns: [rates], rows: [{ name: 'a' }], data: undefined, theme, zoneSeconds: 0 });
  expect([...listing.select(everything).tableLines()]).toEqual(['RATE', '–']);
});
