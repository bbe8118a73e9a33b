import { type Column, type ColumnChoice, noChoice, orderColumns } from './column.ts';

export interface ColumnView {
  readonly offset?: number | undefined;
  readonly choice?: ColumnChoice | undefined;
  /** The wide view shows all columns, also hidden ones, at their natural width. */
  readonly isWide?: boolean | undefined;
  /** Widths that are used as far as there is room, and in the wide view always. */
  readonly naturalWidths?: ReadonlyMap<string, number> | undefined;
  readonly sortedId?: string | undefined;
  /** The column that actions apply to; drawn in brackets in the header and at the cursor. */
  readonly targetId?: string | undefined;
}

export interface PlacedColumn<Row, Data> {
  readonly column: Column<Row, Data>;
  readonly width: number;
}

export interface ColumnLayout<Row, Data> {
  readonly placed: readonly PlacedColumn<Row, Data>[];
  /** The number of columns that are scrolled out at the left. */
  readonly leftCount: number;
  readonly rightCount: number;
  readonly hiddenCount: number;
  readonly maxOffset: number;
  readonly gap: number;
  readonly targetId?: string | undefined;
}

interface Sized<Row, Data> extends PlacedColumn<Row, Data> {
  readonly width: number;
  readonly max: number;
  readonly natural: number;
  readonly grow: number;
  readonly rank: number;
}

/** Room that a sticky column leaves for others, in a line at least twice as wide. */
const minMovingWidth = 16;

const rankOf = <Row, Data>(
  { id, isSticky, priority }: Column<Row, Data>,
  choice: ColumnChoice,
  sortedId: string | undefined,
): number => {
  if (isSticky === true) {
    return 0;
  }
  return id === sortedId ? 0.25 : choice.wanted.has(id) ? 0.5 : (priority ?? 1);
};

/**
 * Returns the room that a column read first may claim before other columns: a quarter of the line, at most a typical
 * id.
 */
const readShare = (width: number): number => Math.min(24, Math.floor(width / 4));

const sizeOf = <Row, Data>(
  column: Column<Row, Data>,
  lineWidth: number,
  { choice = noChoice, isWide, naturalWidths, sortedId }: ColumnView,
): Sized<Row, Data> => {
  const {
    min,
    max = Number.POSITIVE_INFINITY,
    grow = 1,
  } = typeof column.width === 'number' ? { min: column.width, max: column.width, grow: 0 } : column.width;
  const natural = Math.max(
    min,
    Math.min(isWide === true ? Number.POSITIVE_INFINITY : max, naturalWidths?.get(column.id) ?? min),
  );
  const fixed = isWide === true ? natural : choice.widths.get(column.id);
  const rank = rankOf(column, choice, sortedId);
  const isReadFirst = column.isSticky === true || column.isReadFirst === true;
  const width = isReadFirst ? Math.max(min, Math.min(natural, readShare(lineWidth))) : min;
  return fixed === undefined
    ? {
        column,
        width,
        max: column.isSnug === true ? natural : max,
        natural: column.fills === true ? min : natural,
        grow,
        rank,
      }
    : { column, width: fixed, max: fixed, natural: fixed, grow: 0, rank };
};

const isSticky = <Row, Data>({ column }: PlacedColumn<Row, Data>): boolean => column.isSticky === true;

const total = (columns: readonly { readonly width: number }[], gap: number): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + gap * Math.max(0, columns.length - 1);

const limit = <Row, Data>(
  columns: readonly Sized<Row, Data>[],
  width: number,
  gap: number,
): readonly Sized<Row, Data>[] => {
  const sticky = columns.filter(isSticky);
  const isShared = sticky.length > 0 && sticky.length < columns.length && width >= 2 * minMovingWidth + gap;
  const stickyRoom = isShared ? Math.max(Math.floor(width / 2), width - minMovingWidth - gap) : width;
  const maxWidth = fairShares(
    sticky.map((column) => column.width),
    stickyRoom - gap * (sticky.length - 1),
  );
  const cut = (column: Sized<Row, Data>, maxWidth: number): Sized<Row, Data> =>
    column.width <= maxWidth ? column : { ...column, width: maxWidth };
  const stickyWidth = sticky.reduce((sum, column, index) => sum + cut(column, maxWidth[index] ?? 1).width + gap, 0);
  return columns.map((column) =>
    cut(column, isSticky(column) ? (maxWidth[sticky.indexOf(column)] ?? 1) : Math.max(1, width - stickyWidth)),
  );
};

const fairShares = (wanted: readonly number[], room: number): readonly number[] => {
  const shares: number[] = [];
  let left = room;
  for (const [rank, index] of wanted
    .map((_, at) => at)
    .toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
    .entries()) {
    const own = Math.max(1, Math.floor(left / (wanted.length - rank)));
    shares[index] = own;
    left -= Math.min(own, wanted[index] ?? 0);
  }
  return shares;
};

interface Growth {
  readonly max: number;
  readonly grow: number;
}

/**
 * Shares the spare room: first so that the contents of sticky columns fit, which get half of the line, then those of
 * all, then in proportion to `grow`.
 */
const growColumns = <Row, Data>(
  columns: readonly Sized<Row, Data>[],
  width: number,
  gap: number,
): readonly number[] => {
  const room = width - gap * Math.max(0, columns.length - 1);
  const grown = (from: readonly number[], growths: readonly Growth[]): readonly number[] =>
    share(from, growths, room - from.reduce((sum, each) => sum + each, 0));
  const half = Math.floor(width / 2);
  const sticky = grown(
    columns.map((column) => column.width),
    columns.map((column) => ({
      max: Math.min(half, column.natural),
      grow: isSticky(column) && column.grow > 0 ? 1 : 0,
    })),
  );
  return evened(
    columns,
    grown(
      grown(
        sticky,
        columns.map(({ natural, grow }) => ({ max: natural, grow: grow > 0 ? 1 : 0 })),
      ),
      columns,
    ),
  );
};

/** Makes widths equal. Spare columns that cannot be shared equally are left free. */
const evened = <Row, Data>(columns: readonly Sized<Row, Data>[], widths: readonly number[]): readonly number[] => {
  const isEven = ({ column, grow }: Sized<Row, Data>): boolean => column.isEven === true && grow > 0;
  return columns.map((column, at) =>
    !isEven(column)
      ? (widths[at] ?? 0)
      : Math.min(
          ...widths.filter(
            (_, index) =>
              columns[index] !== undefined && isEven(columns[index]) && columns[index].natural === column.natural,
          ),
        ),
  );
};

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
      const more = Math.min(
        Math.max(own > 0 ? 1 : 0, Math.floor((before * own) / weight)),
        max - (widths[index] ?? 0),
        spare,
      );
      widths[index] = (widths[index] ?? 0) + more;
      spare -= more;
    }
  }
  return widths;
};

const chooseImportant = <Row, Data>(
  columns: readonly Sized<Row, Data>[],
  width: number,
  gap: number,
): readonly Sized<Row, Data>[] => {
  const chosen: Sized<Row, Data>[] = [];
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    if (total([...chosen, column], gap) > width) {
      // A less important column must not take the place of one without room.
      break;
    }
    chosen.push(column);
  }
  return columns.filter((column) => chosen.includes(column));
};

const takeFirst = <Row, Data>(
  columns: readonly Sized<Row, Data>[],
  width: number,
  gap: number,
): readonly Sized<Row, Data>[] => {
  const count = columns.findIndex((_, index) => total(columns.slice(0, index + 1), gap) > width);
  return count === -1 ? columns : columns.slice(0, count);
};

/**
 * Places columns. At offset 0 the least important ones are left out; at other offsets columns follow each other, so
 * that all can be reached.
 */
export const layoutColumns = <Row, Data>(
  columns: readonly Column<Row, Data>[],
  width: number,
  view: ColumnView = {},
  gap = 2,
): ColumnLayout<Row, Data> => {
  const { offset = 0, choice = noChoice, isWide = false } = view;
  const all = orderColumns(columns, choice.order);
  const offered = isWide ? all : all.filter(({ id, isSticky: stays }) => stays === true || !choice.hidden.has(id));
  const sized = limit(
    offered.map((column) => sizeOf(column, width, view)),
    width,
    gap,
  );
  const sticky = sized.filter(isSticky);
  const moving = sized.filter((column) => !isSticky(column));
  // Offset 0 shows the important columns; the first column of all is at offset 1.
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
    targetId: view.targetId,
  };
};

/** Returns the offset nearest to the current one that shows a column. */
export const offsetShowing = <Row, Data>(
  columns: readonly Column<Row, Data>[],
  width: number,
  view: ColumnView,
  id: string,
): number => {
  const { maxOffset } = layoutColumns(columns, width, view);
  const from = Math.min(view.offset ?? 0, maxOffset);
  const offsets = Array.from({ length: maxOffset + 1 }, (_, at) => at).toSorted(
    (a, b) => Math.abs(a - from) - Math.abs(b - from),
  );
  return (
    offsets.find((offset) =>
      layoutColumns(columns, width, { ...view, offset }).placed.some(({ column }) => column.id === id),
    ) ?? from
  );
};
