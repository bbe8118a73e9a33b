import { type CellValue, type TableColumn, type ValueType } from './column.ts';

export type RawValue = string | number | boolean | null;

/** Rows as they are exported. */
export interface Records {
  readonly columns: readonly { readonly id: string; readonly type: ValueType }[];
  readonly count: number;
  /** Values of a row in the order of `columns`. */
  rawOf(row: number): readonly RawValue[];
}

export const recordFormats = ['csv', 'json', 'ndjson'] as const;
export type RecordFormat = (typeof recordFormats)[number];

type RawColumn<Row> = Pick<TableColumn<Row, never>, 'id' | 'value' | 'raw' | 'type'>;

export const recordsOf = <Row>(
  columns: readonly RawColumn<Row>[],
  rows: readonly Row[],
  zoneSeconds: number,
): Records => ({
  columns: columns.map((column) => ({ id: column.id, type: column.type ?? 'text' })),
  count: rows.length,
  rawOf(at) {
    const row = rows[at];
    return row === undefined ? [] : columns.map((column) => rawValue(column, row, zoneSeconds));
  },
});

type Escape = (text: string) => string;

const asTyped: Escape = (text) => text;

/**
 * Yields the output in pieces, each ending with a line feed except inside a JSON array. @param escape of texts in CSV;
 * JSON escapes all that is not ASCII
 */
export function* recordsText(
  format: RecordFormat,
  { columns, count, rawOf }: Records,
  escape: Escape = asTyped,
): Iterable<string> {
  const writer = recordWriter(format, columns, escape);
  yield writer.start;
  for (let row = 0; row < count; row += 1) yield writer.row(rawOf(row));
  yield writer.end();
}

/** Writes records as they come. */
export interface RecordWriter {
  /** Written before the first row. */
  readonly start: string;
  /** Formats a row, whose values are in the order of the columns. */
  row(values: readonly RawValue[]): string;
  /** Returns what is written after the last row. */
  end(): string;
}

export function recordWriter(
  format: RecordFormat,
  columns: Records['columns'],
  escape: Escape = asTyped,
): RecordWriter {
  switch (format) {
    case 'csv':
      return {
        start: csvLine(
          columns.map(({ id }) => id),
          escape,
        ),
        row: (values) => csvLine(values, escape),
        end: () => '',
      };
    case 'ndjson':
      return { start: '', row: (values) => `${objectText(columns, values)}\n`, end: () => '' };
    case 'json': {
      let count = 0;
      return {
        start: '[',
        row: (values) => {
          count += 1;
          return `${count === 1 ? '\n' : ',\n'}${objectText(columns, values)}`;
        },
        end: () => (count === 0 ? ']\n' : '\n]\n'),
      };
    }
  }
}

/** Zones are multiples of a quarter of an hour. */
const zoneStep = 900;

/**
 * Returns how many seconds the broker's clock is ahead of UTC. @param brokerNow seconds on it; `undefined` if unknown,
 * taken for UTC
 */
export const zoneSecondsOf = (brokerNow: number | undefined, nowMs: number): number =>
  brokerNow === undefined ? 0 : Math.round((brokerNow - nowMs / 1_000) / zoneStep) * zoneStep;

/**
 * Converts a value for export: a time to ISO 8601, an unknown one to `null`. @param zoneSeconds seconds that the
 * broker's clock is ahead of UTC
 */
export function rawValue<Row>(column: RawColumn<Row>, row: Row, zoneSeconds: number): RawValue {
  const value: CellValue = (column.raw ?? column.value)(row);
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return null;
  if (typeof value !== 'number') return value;
  return column.type === 'time'
    ? isoTime(value - zoneSeconds)
    : column.type === 'moment'
      ? isoTime(value / 1_000)
      : value;
}

/** Returns `null` for years outside 0 to 9999, which ISO 8601 allows by agreement only. */
function isoTime(seconds: number): string | null {
  const date = new Date(Math.round(seconds * 1_000));
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? date.toISOString() : null;
}

/**
 * Writes a line as RFC 4180. Cells are not changed for spreadsheets, which take a text that starts with `=` for a
 * formula.
 */
const csvLine = (values: readonly RawValue[], escape: Escape): string =>
  `${values.map((value) => csvCell(value, escape)).join(',')}\r\n`;

function csvCell(value: RawValue, escape: Escape): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? escape(value) : String(value);
  // An empty text is not an unknown value.
  return value === '' || /[",\r\n]|^\s|\s$/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const objectText = (columns: Records['columns'], values: readonly RawValue[]): string =>
  asciiJson(
    `{${columns.map(({ id }, at) => `${JSON.stringify(id)}:${JSON.stringify(values[at] ?? null)}`).join(',')}}`,
  );

/** Escapes all that is not ASCII, so that the broker's text cannot affect a terminal it is printed on. */
export const asciiJson = (json: string): string => json.replaceAll(/[^ -~]/gu, escapeUnits);

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
