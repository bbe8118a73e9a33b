import type { SafeText } from '../safe-text.ts';
import type { Align } from '../text-width.ts';
import type { Theme } from '../theme.ts';

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
}

export interface Column<Row, Data = undefined> {
  readonly id: string;
  readonly header: SafeText;
  /** Raw figure or text: for sorting, and to tell whether a cell changed. */
  readonly value: (row: Row, data: Data) => CellValue;
  readonly format: (row: Row, context: CellContext<Data>) => SafeText;
  readonly align?: Align | undefined;
  /** Columns wide, or how it shares the room: never under `min`, up to `max`, in proportion to `grow` (0 stays at `min`). */
  readonly width: number | { readonly min: number; readonly max?: number | undefined; readonly grow?: number | undefined };
  /** 1 goes last when room is short; columns with a higher number go first. */
  readonly priority?: number | undefined;
  /** `false` for figures that run by themselves, such as clocks: that they changed is no news. */
  readonly marksChanges?: boolean | undefined;
  /** Stays at the left when the others are scrolled. Usually the identity. */
  readonly isSticky?: boolean | undefined;
}

/** A column with its place on the line. */
export interface PlacedColumn<Row, Data> {
  readonly column: Column<Row, Data>;
  readonly width: number;
}

export interface ColumnLayout<Row, Data> {
  readonly placed: readonly PlacedColumn<Row, Data>[];
  /** Columns that are not on the screen at this offset. */
  readonly hiddenCount: number;
  /** The largest offset of use: there everything that is left fits. */
  readonly maxOffset: number;
  readonly gap: number;
}

const minWidth = <Row, Data>(column: Column<Row, Data>): number =>
  typeof column.width === 'number' ? column.width : column.width.min;

const maxWidth = <Row, Data>(column: Column<Row, Data>): number =>
  typeof column.width === 'number' ? column.width : (column.width.max ?? Number.POSITIVE_INFINITY);

const growth = <Row, Data>(column: Column<Row, Data>): number =>
  typeof column.width === 'number' ? 0 : (column.width.grow ?? 1);

const total = (widths: readonly number[], gap: number): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);

/** Shares the spare room among columns that can grow, whole columns of text at a time. */
const growColumns = <Row, Data>(columns: readonly Column<Row, Data>[], width: number, gap: number): number[] => {
  const widths = columns.map(minWidth);
  let spare = width - total(widths, gap);
  while (spare > 0) {
    const open = columns.map((column, index) => ((widths[index] ?? 0) < maxWidth(column) ? growth(column) : 0));
    const weight = open.reduce((sum, share) => sum + share, 0);
    if (weight === 0) {
      break;
    }
    const before = spare;
    for (const [index, column] of columns.entries()) {
      const share = open[index] ?? 0;
      const more = Math.min(Math.max(share > 0 ? 1 : 0, Math.floor((before * share) / weight)), maxWidth(column) - (widths[index] ?? 0), spare);
      widths[index] = (widths[index] ?? 0) + more;
      spare -= more;
    }
  }
  return widths;
};

/** The most important columns that fit, in their own order. */
const chooseImportant = <Row, Data>(columns: readonly Column<Row, Data>[], fits: (chosen: readonly Column<Row, Data>[]) => boolean): readonly Column<Row, Data>[] => {
  const rank = (column: Column<Row, Data>): number => (column.isSticky === true ? 0 : (column.priority ?? 1));
  const chosen: Column<Row, Data>[] = [];
  for (const column of columns.toSorted((a, b) => rank(a) - rank(b))) {
    if (!fits([...chosen, column])) {
      // A less important column must not slip in where a more important one had no room.
      break;
    }
    chosen.push(column);
  }
  return columns.filter((column) => chosen.includes(column));
};

/**
 * Chooses which columns stand on a line of `width` and how wide they are. When not all fit, at offset 0 those of
 * least priority go. Any other offset shows the columns as they follow each other, from the `offset`-th on
 * (sticky ones stay), so that scrolling reaches every column.
 */
export const layoutColumns = <Row, Data>(
  columns: readonly Column<Row, Data>[],
  width: number,
  offset = 0,
  gap = 2,
): ColumnLayout<Row, Data> => {
  const sticky = columns.filter((column) => column.isSticky === true);
  const moving = columns.filter((column) => column.isSticky !== true);
  const fits = (chosen: readonly Column<Row, Data>[]): boolean => total(chosen.map(minWidth), gap) <= width;
  const fromOffset = (start: number): readonly Column<Row, Data>[] => [...sticky, ...moving.slice(start - 1)];

  let maxOffset = 0;
  while (maxOffset < moving.length && !fits(maxOffset === 0 ? columns : fromOffset(maxOffset))) {
    maxOffset += 1;
  }

  const start = Math.min(Math.max(0, offset), maxOffset);
  const candidates = start === 0 ? columns : fromOffset(start);
  const count = candidates.findIndex((_, index) => !fits(candidates.slice(0, index + 1)));
  const following = count === -1 ? candidates : candidates.slice(0, count);
  const shown = start === 0 ? chooseImportant(columns, fits) : following;
  // Where not even one fits, or only what never moves, something is cut instead of missing.
  const moved = candidates[sticky.length];
  if (shown.length === 0 || (start > 0 && shown.length <= sticky.length && moved !== undefined)) {
    const only = start > 0 && moved !== undefined ? moved : candidates[0];
    return { placed: only === undefined ? [] : [{ column: only, width }], hiddenCount: columns.length - (only === undefined ? 0 : 1), maxOffset, gap };
  }
  const widths = growColumns(shown, width, gap);
  return {
    placed: shown.map((column, index) => ({ column, width: widths[index] ?? 0 })),
    hiddenCount: columns.length - shown.length,
    maxOffset,
    gap,
  };
};
