import type { CellValue, TableColumn } from '../../table/column.ts';
import { type Field, fieldColumn, type Fields, type FieldType } from '../../table/field.ts';
import {
  formatAge,
  formatBrokerTime,
  formatBytes,
  formatBytesRate,
  formatCountIn,
  formatDuration,
  formatMoment,
  formatPercent,
  formatRate,
  formatYesNo,
  unknownText,
} from '../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role } from '../../terminal/theme.ts';
import { type CellContext, type Column, withRole } from './column.ts';

/** The properties that a screen adds to a field: its width, its place, and its own drawing where it has one. */
export interface Look<Row, Data> extends Partial<Omit<Column<Row, Data>, keyof TableColumn<Row, Data>>> {
  /** Draws each cell in this role, or as the row if it has none. */
  readonly roleOf?: ((row: Row, context: CellContext<Data>) => Role | undefined) | undefined;
}

/** Writes a value, or the broker's text if it could not be parsed. */
export const orRaw = (figure: SafeText, raw: string | undefined, text: (raw: string) => SafeText): SafeText =>
  figure === unknownText && raw !== undefined ? text(raw) : figure;

type Format = (value: CellValue, context: Pick<CellContext<never>, 'width' | 'text' | 'ends'>) => SafeText;

const ofNumber =
  (format: (value: number | undefined, width: number) => SafeText): Format =>
  (value, { width }) =>
    format(typeof value === 'number' ? value : undefined, width);

const ofText: Format = (value, { text }) => (value === undefined ? unknownText : text(String(value)));

const formats: Readonly<Record<FieldType, Format>> = {
  text: ofText,
  address: ofText,
  number: ofText,
  name: (value, { ends }) => (value === undefined ? unknownText : ends(String(value))),
  count: ofNumber(formatCountIn),
  seconds: ofNumber(formatDuration),
  bytes: ofNumber(formatBytes),
  rate: ofNumber(formatRate),
  bytesRate: ofNumber(formatBytesRate),
  share: ofNumber(formatPercent),
  time: ofNumber(formatBrokerTime),
  moment: ofNumber(formatMoment),
  flag: (value) => formatYesNo(typeof value === 'boolean' ? value : undefined),
};

const figures: ReadonlySet<FieldType> = new Set<FieldType>(['count', 'seconds', 'bytes', 'rate', 'bytesRate', 'share']);

const usualWidths: Readonly<Record<FieldType, { readonly min: number; readonly max: number }>> = {
  text: { min: 8, max: 40 },
  name: { min: 14, max: 60 },
  address: { min: 15, max: 47 },
  number: { min: 6, max: 12 },
  count: { min: 9, max: 9 },
  seconds: { min: 9, max: 9 },
  bytes: { min: 10, max: 10 },
  rate: { min: 9, max: 9 },
  bytesRate: { min: 11, max: 11 },
  share: { min: 8, max: 8 },
  time: { min: 19, max: 19 },
  moment: { min: 19, max: 19 },
  flag: { min: 7, max: 7 },
};

/** Holds `1h 12m ago`. */
const ageWidth = 12;

/** Gives other columns room first, where the screen says nothing. */
const lastPriority = 9;

const signWidth = 2;

const widthFor = ({ label, type, age }: Pick<Field<never>, 'label' | 'type'> & { readonly age?: unknown }) => {
  const { min, max } = age === undefined ? usualWidths[type] : { min: ageWidth, max: ageWidth };
  const least = Math.max(min, label.length + signWidth);
  return { min: least, max: Math.max(least, max) };
};

const largestWords: Readonly<Partial<Record<FieldType, SafeText>>> = {
  time: safe`latest`,
  moment: safe`newest`,
  seconds: safe`longest`,
  share: safe`fullest`,
};

/** Makes the column of a field from what its type says and what the screen says differently. */
export function columnOf<Row, Data>(
  id: string,
  field: Field<Row, Data>,
  { roleOf, ...look }: Look<Row, Data> = {},
): Column<Row, Data> {
  const { label, type, get, unparsed, age } = field;
  const printed =
    age === undefined
      ? (row: Row, context: CellContext<Data>) => formats[type](get(row), context)
      : (row: Row, { data }: CellContext<Data>) => (type === 'time' ? formatAge : formatDuration)(age(row, data));
  const isFigure = figures.has(type) || age !== undefined;
  const column: Column<Row, Data> = {
    ...fieldColumn(id, field),
    header: trusted(label),
    format:
      unparsed === undefined ? printed : (row, context) => orRaw(printed(row, context), unparsed(row), context.text),
    align: isFigure ? 'right' : 'left',
    width: widthFor(field),
    priority: lastPriority,
    sortsFrom: isFigure || type === 'time' || type === 'moment' ? 'largest' : 'smallest',
    largest: largestWords[type],
    highlightsChanges: type !== 'rate' && type !== 'bytesRate' && type !== 'share',
    ...look,
  };
  return roleOf === undefined ? column : withRole(column, roleOf);
}

/** The properties that a screen adds to fields, by their names. */
export type Looks<F, Row, Data> = { readonly [Name in keyof F]?: Look<Row, Data> };

/** Makes the columns of fields, in their order. */
export const columnsOf = <Row, Data, F extends Fields<Row, Data>>(
  fields: F & Fields<Row, Data>,
  looks: Looks<F, Row, Data>,
): readonly Column<Row, Data>[] =>
  Object.entries<Field<Row, Data>>(fields).map(([name, field]) => columnOf(name, field, looks[name]));
