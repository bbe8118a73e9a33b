import { type Column, type ColumnChoice, noChoice, orderColumns } from './column.ts';

/** How the columns of a table are looked at. */
export interface ColumnView {
  /** Columns scrolled away at the left. */
  readonly offset?: number | undefined;
  readonly choice?: ColumnChoice | undefined;
  /** All columns, hidden ones too, each as wide as what it holds; what has no room is scrolled to. */
  readonly isWide?: boolean | undefined;
  /** How wide what a column holds is: so wide it is in the wide view, and in the usual one as far as there is room. */
  readonly naturalWidths?: ReadonlyMap<string, number> | undefined;
  /** The column that the rows are sorted by: it has room before the others. */
  readonly sortedId?: string | undefined;
}

/** A column with its place on the line. */
export interface PlacedColumn<Row, Data> {
  readonly column: Column<Row, Data>;
  readonly width: number;
}

export interface ColumnLayout<Row, Data> {
  readonly placed: readonly PlacedColumn<Row, Data>[];
  /** Columns that were scrolled away at the left. */
  readonly leftCount: number;
  /** Columns that have no room, and can be scrolled to. */
  readonly rightCount: number;
  /** Columns that the operator hid. */
  readonly hiddenCount: number;
  /** The largest offset of use: there everything that is left fits. */
  readonly maxOffset: number;
  readonly gap: number;
}

/** A column with the room that it may take. */
interface Sized<Row, Data> extends PlacedColumn<Row, Data> {
  /** The least. */
  readonly width: number;
  readonly max: number;
  /** As wide as what it holds, as far as it may be. */
  readonly natural: number;
  readonly grow: number;
  /** Lower ones have room first. */
  readonly rank: number;
}

/** What stays beside a column that does not move, so that the others can be read; from twice that on. */
const leastMoving = 16;

const rankOf = <Row, Data>({ id, isSticky, priority }: Column<Row, Data>, choice: ColumnChoice, sortedId: string | undefined): number => {
  if (isSticky === true) {
    return 0;
  }
  return id === sortedId ? 0.25 : choice.wanted.has(id) ? 0.5 : (priority ?? 1);
};

/** What a column that is read first may ask for before there is room for more columns: a quarter of the line, up to the length of most ids. */
const readShare = (width: number): number => Math.min(24, Math.floor(width / 4));

const sizeOf = <Row, Data>(column: Column<Row, Data>, lineWidth: number, { choice = noChoice, isWide, naturalWidths, sortedId }: ColumnView): Sized<Row, Data> => {
  const { min, max = Number.POSITIVE_INFINITY, grow = 1 } = typeof column.width === 'number' ? { min: column.width, max: column.width, grow: 0 } : column.width;
  const natural = Math.max(min, Math.min(isWide === true ? Number.POSITIVE_INFINITY : max, naturalWidths?.get(column.id) ?? min));
  const fixed = isWide === true ? natural : choice.widths.get(column.id);
  const rank = rankOf(column, choice, sortedId);
  const isReadFirst = column.isSticky === true || column.isReadFirst === true;
  const width = isReadFirst ? Math.max(min, Math.min(natural, readShare(lineWidth))) : min;
  return fixed === undefined ? { column, width, max, natural: column.fills === true ? min : natural, grow, rank } : { column, width: fixed, max: fixed, natural: fixed, grow: 0, rank };
};

const isSticky = <Row, Data>({ column }: PlacedColumn<Row, Data>): boolean => column.isSticky === true;

const total = (columns: readonly { readonly width: number }[], gap: number): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + gap * Math.max(0, columns.length - 1);

/** No column asks for more than lets one other be read beside the ones that do not move. */
const limit = <Row, Data>(columns: readonly Sized<Row, Data>[], width: number, gap: number): readonly Sized<Row, Data>[] => {
  const sticky = columns.filter(isSticky);
  const isShared = sticky.length > 0 && sticky.length < columns.length && width >= 2 * leastMoving + gap;
  const stickyRoom = isShared ? Math.max(Math.floor(width / 2), width - leastMoving - gap) : width;
  const most = fairShares(sticky.map((column) => column.width), stickyRoom - gap * (sticky.length - 1));
  const cut = (column: Sized<Row, Data>, most: number): Sized<Row, Data> => (column.width <= most ? column : { ...column, width: most });
  const stickyWidth = sticky.reduce((sum, column, index) => sum + cut(column, most[index] ?? 1).width + gap, 0);
  return columns.map((column) => cut(column, isSticky(column) ? (most[sticky.indexOf(column)] ?? 1) : Math.max(1, width - stickyWidth)));
};

/** How much each may have of a room: the narrow ones what they want, the others the same of what is left. */
const fairShares = (wanted: readonly number[], room: number): readonly number[] => {
  const shares: number[] = [];
  let left = room;
  for (const [rank, index] of wanted.map((_, at) => at).toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0)).entries()) {
    const own = Math.max(1, Math.floor(left / (wanted.length - rank)));
    shares[index] = own;
    left -= Math.min(own, wanted[index] ?? 0);
  }
  return shares;
};

interface Growth {
  readonly max: number;
  /** Its share of the room; 0 does not grow. */
  readonly grow: number;
}

/** Shares the spare room: first so that what columns hold can be read, then in proportion to `grow`. */
const growColumns = <Row, Data>(columns: readonly Sized<Row, Data>[], width: number, gap: number): readonly number[] => {
  const least = columns.map((column) => column.width);
  const read = share(least, columns.map(({ natural, grow }) => ({ max: natural, grow: grow > 0 ? 1 : 0 })), width - total(columns, gap));
  return share(read, columns, width - gap * Math.max(0, columns.length - 1) - read.reduce((sum, each) => sum + each, 0));
};

/** The widths with spare room added where they can grow, whole columns of text at a time. */
const share = (from: readonly number[], columns: readonly Growth[], room: number): readonly number[] => {
  const widths = [...from];
  let spare = room;
  while (spare > 0) {
    const open = columns.map(({ max, grow }, index) => ((widths[index] ?? 0) < max ? grow : 0));
    const weight = open.reduce((sum, share) => sum + share, 0);
    if (weight === 0) {
      break;
    }
    const before = spare;
    for (const [index, { max }] of columns.entries()) {
      const own = open[index] ?? 0;
      const more = Math.min(Math.max(own > 0 ? 1 : 0, Math.floor((before * own) / weight)), max - (widths[index] ?? 0), spare);
      widths[index] = (widths[index] ?? 0) + more;
      spare -= more;
    }
  }
  return widths;
};

/** The most important columns that fit, in their own order. */
const chooseImportant = <Row, Data>(columns: readonly Sized<Row, Data>[], width: number, gap: number): readonly Sized<Row, Data>[] => {
  const chosen: Sized<Row, Data>[] = [];
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    if (total([...chosen, column], gap) > width) {
      // A less important column must not slip in where a more important one had no room.
      break;
    }
    chosen.push(column);
  }
  return columns.filter((column) => chosen.includes(column));
};

/** The first columns, as many as fit. */
const takeFirst = <Row, Data>(columns: readonly Sized<Row, Data>[], width: number, gap: number): readonly Sized<Row, Data>[] => {
  const count = columns.findIndex((_, index) => total(columns.slice(0, index + 1), gap) > width);
  return count === -1 ? columns : columns.slice(0, count);
};

/**
 * Chooses which columns stand on a line of `width` and how wide they are: those that do not move always, cut where
 * they must be. When not all fit, at offset 0 those of least priority go. Any other offset, and the wide view, show
 * the columns as they follow each other, so that scrolling reaches every one.
 */
export const layoutColumns = <Row, Data>(columns: readonly Column<Row, Data>[], width: number, view: ColumnView = {}, gap = 2): ColumnLayout<Row, Data> => {
  const { offset = 0, choice = noChoice, isWide = false } = view;
  const all = orderColumns(columns, choice.order);
  const offered = isWide ? all : all.filter(({ id, isSticky: stays }) => stays === true || !choice.hidden.has(id));
  const sized = limit(offered.map((column) => sizeOf(column, width, view)), width, gap);
  const sticky = sized.filter(isSticky);
  const moving = sized.filter((column) => !isSticky(column));
  // The offset 0 of the usual view shows what is important; the first column of all is one step on.
  const leftOf = (at: number): number => (isWide ? at : Math.max(0, at - 1));
  const fromOffset = (at: number): readonly Sized<Row, Data>[] => [...sticky, ...moving.slice(leftOf(at))];
  const isWhole = (at: number): boolean => leftOf(at) >= moving.length - 1 || total(fromOffset(at), gap) <= width;

  let maxOffset = 0;
  while (total(sized, gap) > width && moving.length > 0 && !isWhole(maxOffset)) {
    maxOffset += 1;
  }
  const start = Math.min(Math.max(0, offset), maxOffset);
  const shown = isWide || start > 0 ? takeFirst(fromOffset(start), width, gap) : chooseImportant(sized, width, gap);
  const widths = isWide ? shown.map((column) => column.width) : growColumns(shown, width, gap);
  const leftCount = leftOf(start);
  return {
    placed: shown.map(({ column }, index) => ({ column, width: widths[index] ?? 0 })),
    leftCount,
    rightCount: moving.length - leftCount - shown.filter((column) => !isSticky(column)).length,
    hiddenCount: all.length - offered.length,
    maxOffset,
    gap,
  };
};

/** The offset nearest to the present one at which a column stands on the line. */
export const offsetShowing = <Row, Data>(columns: readonly Column<Row, Data>[], width: number, view: ColumnView, id: string): number => {
  const sorted = { ...view, sortedId: id };
  const { maxOffset } = layoutColumns(columns, width, sorted);
  const from = Math.min(view.offset ?? 0, maxOffset);
  const offsets = Array.from({ length: maxOffset + 1 }, (_, at) => at).toSorted((a, b) => Math.abs(a - from) - Math.abs(b - from));
  return offsets.find((offset) => layoutColumns(columns, width, { ...sorted, offset }).placed.some(({ column }) => column.id === id)) ?? from;
};
