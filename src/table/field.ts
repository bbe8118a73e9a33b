import type { CellValue, TableColumn, FigureUnit, ValueType } from './column.ts';

/**
 * What a value is, from which its cell, its order, its filter, its export and its schema follow:
 * - `text`; `name`: a text whose end tells as much as its beginning, such as an ID or a topic; `address`: of a network
 * - `number`: one that counts nothing, such as a version; `count`; `seconds`; `bytes`; `rate`: per second; `bytesRate`; `share`: 0 to 1
 * - `time`: seconds on the broker's clock; `moment`: milliseconds since 1970, by the clock of this machine
 * - `flag`: yes or no
 */
export type FieldType =
  | 'text'
  | 'name'
  | 'address'
  | 'number'
  | 'count'
  | 'seconds'
  | 'bytes'
  | 'rate'
  | 'bytesRate'
  | 'share'
  | 'time'
  | 'moment'
  | 'flag';

/** One property that lists show of a row. `Data` is what an age depends on, such as a clock. */
export interface Field<Row, Data = never> {
  /** Heads the column, in upper case. */
  readonly label: string;
  readonly type: FieldType;
  /** Reads the value; `undefined` is unknown. Depends on the row alone. */
  readonly get: (row: Row) => CellValue;
  /** The broker's text of a value that could not be decoded. */
  readonly unparsed?: ((row: Row) => string | undefined) | undefined;
  /** The value that rows are sorted by, where it is another one. */
  readonly order?: ((row: Row) => CellValue) | undefined;
  /** Orders rows whose values are equal or unknown. */
  readonly tieBreak?: TableColumn<Row>['tieBreak'];
  /** The text that a plain filter searches, where it is not the value. */
  readonly text?: TableColumn<Row>['text'];
  /** Seconds since the time, or that it has lasted so far, for fields that are shown and compared as an age. */
  readonly age?: ((row: Row, data: Data) => number | undefined) | undefined;
  /** Other names in a filter, in lower case. */
  readonly aliases?: readonly string[] | undefined;
}

/** The fields of a list by their names, which filters, exports, the configuration and scripts use. */
export type Fields<Row, Data = never> = Readonly<Record<string, Field<Row, Data>>>;

/** Keeps the names of the fields in their type, so that a column of no field does not compile. */
export const defineFields =
  <Row, Data = never>() =>
  <const F extends Fields<Row, Data>>(fields: F): F =>
    fields;

const valueTypes: Readonly<Record<FieldType, ValueType>> = {
  text: 'text',
  name: 'text',
  address: 'text',
  number: 'number',
  count: 'number',
  seconds: 'number',
  bytes: 'number',
  rate: 'number',
  bytesRate: 'number',
  share: 'number',
  time: 'time',
  moment: 'moment',
  flag: 'boolean',
};

const units: Readonly<Partial<Record<FieldType, FigureUnit>>> = {
  count: 'count',
  seconds: 'seconds',
  bytes: 'bytes',
  rate: 'perSecond',
  bytesRate: 'bytes',
};

/** The properties that a column takes from its field. */
export type FieldColumn<Row, Data> = Omit<TableColumn<Row, Data>, 'name'>;

/** Makes a field a column to filter, sort and export by. */
export const fieldColumn = <Row, Data>(
  id: string,
  { type, get, order, tieBreak, text, age, aliases }: Field<Row, Data>,
): FieldColumn<Row, Data> => ({
  id,
  value: order ?? get,
  type: valueTypes[type],
  unit: age === undefined ? units[type] : 'seconds',
  // Absent where unset: the name of the row breaks other ties.
  ...(order !== undefined && { raw: get }),
  ...(tieBreak !== undefined && { tieBreak }),
  ...(text !== undefined && { text }),
  ...(age !== undefined && { age }),
  ...(aliases !== undefined && { aliases }),
});

/** The properties of a row that hold numbers. */
export type NumberField<Row> = {
  readonly [Name in keyof Row]-?: Row[Name] extends number | undefined ? Name : never;
}[keyof Row];
