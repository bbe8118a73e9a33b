import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Column, cellContext } from './column.ts';

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
