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

/**
 * Chooses which columns stand on a line of `width` and how wide they are. When not all fit, those of
 * least priority go; scrolling by `offset` takes columns away at the left (sticky ones stay), so
 * that every column can be reached.
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

  let maxOffset = 0;
  while (maxOffset < moving.length - 1 && !fits([...sticky, ...moving.slice(maxOffset)])) {
    maxOffset += 1;
  }

  const candidates = [...sticky, ...moving.slice(Math.min(Math.max(0, offset), maxOffset))];
  const byImportance = candidates.toSorted((a, b) => (a.isSticky === true ? 0 : (a.priority ?? 1)) - (b.isSticky === true ? 0 : (b.priority ?? 1)));
  const chosen = new Set<Column<Row, Data>>();
  for (const column of byImportance) {
    if (!fits([...chosen, column])) {
      // A less important column must not slip in where a more important one had no room.
      break;
    }
    chosen.add(column);
  }
  const shown = candidates.filter((column) => chosen.has(column));
  const first = candidates[0];
  if (shown.length === 0 && first !== undefined) {
    return { placed: [{ column: first, width }], hiddenCount: columns.length - 1, maxOffset, gap };
  }
  const widths = growColumns(shown, width, gap);
  return {
    placed: shown.map((column, index) => ({ column, width: widths[index] ?? 0 })),
    hiddenCount: columns.length - shown.length,
    maxOffset,
    gap,
  };
};
