import type { Column as TableColumn } from '../../table/column.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import { type Align, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';

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

/** A column of a table and how it is drawn. */
export interface Column<Row, Data = undefined> extends TableColumn<Row, Data> {
  readonly header: SafeText;
  /** What it is called, where that is not what its header says at the moment: a sign there is no part of its name. */
  readonly name?: SafeText | undefined;
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
  readonly highlightsChanges?: boolean | undefined;
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

/** Widths of what columns hold, by id. */
export type NaturalWidths = ReadonlyMap<string, number>;

/** Room for the sign of the sort beside a header. */
const signWidth = 2;

/**
 * How wide the widest of these cells is in each column, between the bounds of the column (in the wide view: as it is
 * printed with room) and no wider than the screen. Never less than `known`, so that columns do not jump while one moves through a list; the same map as
 * `known` when nothing is wider.
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
    // What fills its place holds as much as it is given.
    const max = isWide && column.fills !== true ? screenWidth : (bounds.max ?? screenWidth);
    const most = Math.max(min, Math.min(max, screenWidth));
    const context = cellContext(theme, most, data);
    const widest = min === most ? min : rows.reduce((width, row) => Math.max(width, widthOf(column.format(row, context))), widthOf(column.header) + signWidth);
    const width = Math.max(min, Math.min(most, widest));
    return width > (known.get(column.id) ?? 0) ? [[column.id, width]] : [];
  });
  return wider.length === 0 ? known : new Map([...known, ...wider]);
};

/** What columns are measured with; all of it but `rows` seldom changes. */
interface Measured<Row, Data> {
  readonly theme: Theme;
  readonly columns: readonly Column<Row, Data>[];
  readonly rows: readonly Row[];
  readonly data: Data;
  readonly screenWidth: number;
  readonly isWide?: boolean | undefined;
}

/**
 * How wide the widest of all cells is that it was ever given at this width of the screen, as above: a column grows
 * and never shrinks while its list is open. Rows that it was given the time before, with the same, are not measured again.
 */
export const createMeter = <Row, Data>(): ((measured: Measured<Row, Data>) => NaturalWidths) => {
  let known: NaturalWidths = new Map();
  let last: Measured<Row, Data> | undefined;
  return (next) => {
    const { theme, columns, rows, data, screenWidth, isWide = false } = next;
    const isAlike = last !== undefined && last.theme === theme && last.columns === columns && Object.is(last.data, data) && last.screenWidth === screenWidth && (last.isWide ?? false) === isWide;
    const before = isAlike ? last?.rows : undefined;
    if (before !== rows) {
      const done = new Set(before);
      // What a column may take depends on the screen and the view: a wide one leaves nothing behind on a narrow one.
      const isResized = last !== undefined && (last.screenWidth !== screenWidth || (last.isWide ?? false) !== isWide);
      known = measureColumns(theme, columns, rows.filter((row) => !done.has(row)), data, screenWidth, isResized ? new Map() : known, isWide);
      last = next;
    }
    return known;
  };
};

/** What the operator did to the columns of a table. Pure, and by id: it outlives columns that come and go, such as those of nodes. */
export interface ColumnChoice {
  /** Ids in the order that was chosen; empty as long as nothing was moved. */
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
  /** Get their room before the ones that nobody asked for. */
  readonly wanted: ReadonlySet<string>;
  /** In columns of text. */
  readonly widths: ReadonlyMap<string, number>;
}

/** Every column in its own place, by its own priority, as wide as there is room. */
export const noChoice: ColumnChoice = { order: [], hidden: new Set(), wanted: new Set(), widths: new Map() };

/** Between these a column can be made narrower and wider by hand. */
export const widthBounds = { least: 4, most: 200 } as const;

export type ChoiceAction =
  | { readonly type: 'show' | 'hide'; readonly id: string }
  /** To the place of its neighbour; `ids` are all that can be moved, as they stand now. */
  | { readonly type: 'move'; readonly id: string; readonly by: 1 | -1; readonly ids: readonly string[] }
  | { readonly type: 'width'; readonly id: string; readonly width: number }
  | { readonly type: 'reset' };

const withId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set([...ids, id]);
const withoutId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set([...ids].filter((each) => each !== id));

/** The next choice; the same object where nothing changes. */
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
      const width = Math.max(widthBounds.least, Math.min(widthBounds.most, action.width));
      return choice.widths.get(action.id) === width ? choice : { ...choice, widths: new Map([...choice.widths, [action.id, width]]) };
    }
    case 'reset':
      return noChoice;
  }
};

/** Columns in the order that was chosen, those that stay at the left first; one that the order does not name stands behind the one before it. */
export const orderColumns = <C extends { readonly id: string; readonly isSticky?: boolean | undefined }>(columns: readonly C[], order: readonly string[]): readonly C[] => {
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

/** By which column a list is sorted. */
export interface Sort {
  readonly columnId: string;
  /** Largest first. */
  readonly isReversed: boolean;
}
