import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Sort } from '../sort-order.ts';
import type { Align } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';

/** What a cell can be sorted by. `undefined` is not known, and sorts last either way round. */
export type CellValue = number | string | boolean | undefined;

/** What a column may use to print a cell. */
export interface CellContext<Data> {
  readonly theme: Theme;
  /** Columns that the cell has. */
  readonly width: number;
  /** Whatever the table was given beside its rows: clocks, samples, units. */
  readonly data: Data;
  /** Broker text made safe, reading no more of it than this cell can show. */
  readonly text: (raw: string) => SafeText;
  /** The same of what identifies the row, cut in its middle where it does not fit; `taken`: columns of the cell that are not for it. */
  readonly ends: (raw: string, taken?: number) => SafeText;
}

export interface Column<Row, Data = undefined> {
  readonly id: string;
  readonly header: SafeText;
  /** What it is called, where that is not what its header says at the moment: a sign there is no part of its name. */
  readonly name?: SafeText | undefined;
  /** Raw figure or text: for sorting, and to tell whether a cell changed. */
  readonly value: (row: Row, data: Data) => CellValue;
  readonly format: (row: Row, context: CellContext<Data>) => SafeText;
  readonly align?: Align | undefined;
  /** Columns wide, or how it shares the room: never under `min`, up to `max`, in proportion to `grow` (0 stays at `min`). */
  readonly width: number | { readonly min: number; readonly max?: number | undefined; readonly grow?: number | undefined };
  /** It is drawn as wide as its place, so that what it holds asks for no room. */
  readonly fills?: boolean | undefined;
  /** It has the room to be read before columns of less priority come in, up to a quarter of the line. */
  readonly isReadFirst?: boolean | undefined;
  /** 1 goes last when room is short; columns with a higher number go first. */
  readonly priority?: number | undefined;
  /** Which way round sorting begins: figures, which stand at the right, with the largest, all else with the smallest. */
  readonly sortsFrom?: 'largest' | 'smallest' | undefined;
  /** What is first when the sort is turned to the largest, where that word is wrong: the latest of times. */
  readonly largest?: SafeText | undefined;
  /** `false` for figures that run by themselves, such as clocks: that they changed is no news. */
  readonly marksChanges?: boolean | undefined;
  /** Stays at the left when the others are scrolled, and is read first. Usually the identity. */
  readonly isSticky?: boolean | undefined;
}

/** What a column is called: what its header says, or its id where that says nothing. */
export const nameOf = ({ id, name, header }: Pick<Column<never>, 'id' | 'name' | 'header'>): SafeText => name ?? (header === '' ? trusted(id) : header);

/** Sorted by this column, before anybody turned it round. */
export const sortOf = ({ id, align, sortsFrom = align === 'right' ? 'largest' : 'smallest' }: Pick<Column<never>, 'id' | 'align' | 'sortsFrom'>): Sort =>
  ({ columnId: id, isReversed: sortsFrom === 'largest' });

/** What a cell of this width is printed with. */
export const cellContext = <Data>(theme: Theme, width: number, data: Data): CellContext<Data> =>
  ({ theme, width, data, text: (raw) => theme.escape(raw, width), ends: (raw, taken = 0) => theme.escapeEnds(raw, Math.max(1, width - taken)) });
