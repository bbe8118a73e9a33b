import type { TableColumn } from '../../table/column.ts';
import type { Span } from '../../terminal/line.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import { type Align, fit, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';

export interface CellContext<Data> {
  readonly theme: Theme;
  readonly width: number;
  readonly data: Data;
  /** Escapes broker text, reading no more of it than fits. */
  readonly text: (raw: string) => SafeText;
  /** Escapes broker text and cuts it in the middle. @param taken columns used by something else */
  readonly ends: (raw: string, taken?: number) => SafeText;
}

export interface Column<Row, Data = undefined> extends TableColumn<Row, Data> {
  readonly header: SafeText;
  readonly name?: SafeText | undefined;
  readonly format: (row: Row, context: CellContext<Data>) => SafeText;
  /** Draws the same text in parts with roles, as wide as the cell; `undefined` where it has none. */
  readonly spans?: ((row: Row, context: CellContext<Data>) => readonly Span[] | undefined) | undefined;
  /** The role of cells without parts, such as `dim` for what is seldom read; not in the row under the cursor. */
  readonly role?: Role | undefined;
  readonly align?: Align | undefined;
  /** A fixed width, or limits and a share of spare room (`grow`; 0 stays at `min`). */
  readonly width:
    | number
    | { readonly min: number; readonly max?: number | undefined; readonly grow?: number | undefined };
  readonly fills?: boolean | undefined;
  /** The column is never wider than its contents. */
  readonly isSnug?: boolean | undefined;
  /**
   * The column is as wide as other such columns whose contents need the same width, so that their cells have the same
   * form.
   */
  readonly isEven?: boolean | undefined;
  /** Values are current also in a row that could not be read again. */
  readonly isCurrentInOldRows?: boolean | undefined;
  /** The column is readable before others of lower priority come in, up to a quarter of the line. */
  readonly isReadFirst?: boolean | undefined;
  /** Columns with higher numbers are left out first. */
  readonly priority?: number | undefined;
  readonly sortsFrom?: 'largest' | 'smallest' | undefined;
  readonly largest?: SafeText | undefined;
  /** `false` for values that always change, such as clocks and rates. */
  readonly highlightsChanges?: boolean | undefined;
  readonly isSticky?: boolean | undefined;
  /** The role of the name of a row that has a problem. */
  readonly nameRole?: ((row: Row) => Role | undefined) | undefined;
}

/** Draws each cell of a column in the role of its row, or normally if it has none. */
export const withRole = <Row, Data>(
  column: Column<Row, Data>,
  roleOf: (row: Row, context: CellContext<Data>) => Role | undefined,
): Column<Row, Data> => ({
  ...column,
  spans: (row, context) => {
    const role = roleOf(row, context);
    return role === undefined
      ? undefined
      : [{ text: fit(column.format(row, context), context.width, column.align), role }];
  },
});

export const nameOf = ({ id, name, header }: Pick<Column<never>, 'id' | 'name' | 'header'>): SafeText =>
  name ?? (header === '' ? trusted(id) : header);

export const sortOf = ({
  id,
  align,
  sortsFrom = align === 'right' ? 'largest' : 'smallest',
}: Pick<Column<never>, 'id' | 'align' | 'sortsFrom'>): Sort => ({ columnId: id, isReversed: sortsFrom === 'largest' });

export const cellContext = <Data>(theme: Theme, width: number, data: Data): CellContext<Data> => ({
  theme,
  width,
  data,
  text: (raw) => theme.escape(raw, width),
  ends: (raw, taken = 0) => theme.escapeEnds(raw, Math.max(1, width - taken)),
});

export type NaturalWidths = ReadonlyMap<string, number>;

const signWidth = 2;

/**
 * Measures columns. Widths are never less than `known`, so that columns do not jump; the same map where nothing is
 * wider.
 */
const measureColumns = <Row, Data>(
  theme: Theme,
  columns: readonly Column<Row, Data>[],
  rows: readonly Row[],
  data: Data,
  screenWidth: number,
  known: NaturalWidths,
  isWide: boolean,
): NaturalWidths => {
  const wider = columns.flatMap((column): readonly (readonly [string, number])[] => {
    const bounds = typeof column.width === 'number' ? { min: column.width, max: column.width } : column.width;
    const { min } = bounds;
    // A column that fills its room has no natural width.
    const max = isWide && column.fills !== true ? screenWidth : (bounds.max ?? screenWidth);
    const maxWidth = Math.max(min, Math.min(max, screenWidth));
    const context = cellContext(theme, maxWidth, data);
    const widest =
      min === maxWidth
        ? min
        : rows.reduce(
            (width, row) => Math.max(width, widthOf(column.format(row, context))),
            widthOf(column.header) + signWidth,
          );
    const width = Math.max(min, Math.min(maxWidth, widest));
    return width > (known.get(column.id) ?? 0) ? [[column.id, width]] : [];
  });
  return wider.length === 0 ? known : new Map([...known, ...wider]);
};

interface Measured<Row, Data> {
  readonly theme: Theme;
  readonly columns: readonly Column<Row, Data>[];
  readonly rows: readonly Row[];
  readonly data: Data;
  readonly screenWidth: number;
  readonly isWide?: boolean | undefined;
}

/** Creates a meter whose columns never shrink. Rows of the previous call are not measured again. */
export const createMeter = <Row, Data>(): ((measured: Measured<Row, Data>) => NaturalWidths) => {
  let known: NaturalWidths = new Map();
  let last: Measured<Row, Data> | undefined;
  return (next) => {
    const { theme, columns, rows, data, screenWidth, isWide = false } = next;
    const isAlike =
      last !== undefined &&
      last.theme === theme &&
      last.columns === columns &&
      Object.is(last.data, data) &&
      last.screenWidth === screenWidth &&
      (last.isWide ?? false) === isWide;
    const before = isAlike ? last?.rows : undefined;
    if (before !== rows) {
      const done = new Set(before);
      // Limits depend on the screen and the view, so known widths are dropped.
      const isResized = last !== undefined && (last.screenWidth !== screenWidth || (last.isWide ?? false) !== isWide);
      known = measureColumns(
        theme,
        columns,
        rows.filter((row) => !done.has(row)),
        data,
        screenWidth,
        isResized ? new Map() : known,
        isWide,
      );
      last = next;
    }
    return known;
  };
};

export interface ColumnChoice {
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
  /** Columns that get room first. */
  readonly wanted: ReadonlySet<string>;
  readonly widths: ReadonlyMap<string, number>;
}

export const noChoice: ColumnChoice = { order: [], hidden: new Set(), wanted: new Set(), widths: new Map() };

export const widthBounds = { min: 4, max: 200 } as const;

export type ChoiceAction =
  | { readonly type: 'show' | 'hide'; readonly id: string }
  /** Moves a column. `ids`: all columns that can be moved, in their order. */
  | { readonly type: 'move'; readonly id: string; readonly by: 1 | -1; readonly ids: readonly string[] }
  | { readonly type: 'width'; readonly id: string; readonly width: number }
  | { readonly type: 'reset' };

const withId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set([...ids, id]);
const withoutId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  new Set([...ids].filter((each) => each !== id));

/** Returns the same object where nothing changes. */
export const reduceChoice = (choice: ColumnChoice, action: ChoiceAction): ColumnChoice => {
  switch (action.type) {
    case 'show':
      return { ...choice, hidden: withoutId(choice.hidden, action.id), wanted: withId(choice.wanted, action.id) };
    case 'hide':
      return { ...choice, hidden: withId(choice.hidden, action.id), wanted: withoutId(choice.wanted, action.id) };
    case 'move': {
      const { id, by, ids } = action;
      const from = ids.indexOf(id);
      const to = from + by;
      if (from === -1 || to < 0 || to >= ids.length) {
        return choice;
      }
      return { ...choice, order: ids.filter((each) => each !== id).toSpliced(to, 0, id) };
    }
    case 'width': {
      const width = Math.max(widthBounds.min, Math.min(widthBounds.max, action.width));
      return choice.widths.get(action.id) === width
        ? choice
        : { ...choice, widths: new Map([...choice.widths, [action.id, width]]) };
    }
    case 'reset':
      return noChoice;
  }
};

/** Sorts columns by the order chosen. A column that it does not name follows the one before it. */
export const orderColumns = <C extends { readonly id: string; readonly isSticky?: boolean | undefined }>(
  columns: readonly C[],
  order: readonly string[],
): readonly C[] => {
  const sticky = columns.filter(({ isSticky }) => isSticky === true);
  const moving = columns.filter(({ isSticky }) => isSticky !== true);
  if (order.length === 0) {
    return [...sticky, ...moving];
  }
  const placed = order.flatMap((id) => moving.filter((column) => column.id === id));
  for (const [index, column] of moving.entries()) {
    if (!placed.includes(column)) {
      const before = moving[index - 1];
      placed.splice(before === undefined ? 0 : placed.indexOf(before) + 1, 0, column);
    }
  }
  return [...sticky, ...placed];
};

export interface Sort {
  readonly columnId: string;
  readonly isReversed: boolean;
}

/** Sorts by how bad a row is, by rules of its list; worst first. It is not a column. */
export const troubleSort: Sort = { columnId: 'trouble', isReversed: true };

export const isByTrouble = (sort: Sort | undefined): sort is Sort => sort?.columnId === troubleSort.columnId;
