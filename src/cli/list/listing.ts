import { parseFilter } from '../../table/filter.ts';
import { type Records, recordsOf } from '../../table/records.ts';
import { createTableView } from '../../table/table-view.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { loadingText, unknownText } from '../../terminal/format.ts';
import { asciiGlyphs } from '../../terminal/glyphs.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { cellContext, type Column } from '../../tui/components/column.ts';
import { searchColumns } from '../../tui/list/use-filter.ts';
import { UsageError } from '../errors.ts';
import { flagTexts } from '../texts.ts';

export interface ListRequest {
  readonly filter: string | undefined;
  /** The id of a column; with `-` in front, the largest comes first. */
  readonly sort: string | undefined;
  /** Ids in the order wanted; `undefined` for all. */
  readonly columns: readonly string[] | undefined;
  readonly limit: number | undefined;
}

/** The rows that were asked for. */
export interface ListedRows extends Records {
  /** Yields a header and the rows, as the screen prints them. */
  tableLines(): Iterable<string>;
}

/** One list of the screens, without its screen. */
export interface Listing {
  /** @throws UsageError for a column or filter that the list does not have */
  select(request: ListRequest): ListedRows;
}

export interface ListingOptions<Row, Data> {
  readonly columns: readonly Column<Row, Data>[];
  readonly rows: readonly Row[];
  readonly data: Data;
  readonly theme: Theme;
  /** Seconds that the broker's clock is ahead of UTC. */
  readonly zoneSeconds: number;
}

const sortId = (sort: string | undefined): string | undefined => sort?.replace(/^-/u, '');

/** Finds a column by its id, else by another name that the filter takes. */
const byId = <C extends Pick<Column<never>, 'id' | 'aliases'>>(columns: readonly C[], id: string, flag: string): C => {
  const column = columns.find((each) => each.id === id) ?? columns.find(({ aliases = [] }) => aliases.includes(id));
  if (column === undefined)
    throw new UsageError(
      flagTexts.unknownColumn(
        flag,
        id,
        columns.map((each) => each.id),
      ),
    );
  return column;
};

function checkColumns(
  columns: readonly Pick<Column<never>, 'id' | 'aliases'>[],
  { sort, columns: wanted = [] }: ListRequest,
): void {
  for (const id of wanted) byId(columns, id, 'columns');
  const sorted = sortId(sort);
  if (sorted !== undefined) byId(columns, sorted, 'sort');
}

export function createListing<Row, Data>({
  columns,
  rows,
  data,
  theme,
  zoneSeconds,
}: ListingOptions<Row, Data>): Listing {
  return {
    select(request) {
      checkColumns(columns, request);
      const { filter, sort, columns: wanted, limit } = request;
      const searched = searchColumns(theme, columns, () => data);
      const result = createTableView(searched, theme.escape).query({
        rows,
        filter: parseFilter(filter ?? '', searched),
        sortColumnId: sort === undefined ? undefined : byId(columns, sortId(sort) ?? '', 'sort').id,
        isDescending: sort?.startsWith('-') === true,
        data,
      });
      if (result.error !== undefined) throw new UsageError(flagTexts.invalidFilter(result.error));
      const chosen = wanted?.map((id) => byId(columns, id, 'columns')) ?? columns;
      const shown = limit === undefined ? result.rows : result.rows.slice(0, limit);
      return {
        ...recordsOf(chosen, shown, zoneSeconds),
        tableLines: () => tableLines(chosen, shown, data, theme),
      };
    },
  };
}

const gap = safe`  `;

const maxOf = ({ width }: Pick<Column<never>, 'width'>): number | undefined =>
  typeof width === 'number' ? width : width.max;

/**
 * Yields lines whose columns are as wide as their widest cell. No cell is cut: it may be copied, or read by a script.
 * Only drawings have a size of their own.
 */
function* tableLines<Row, Data>(
  columns: readonly Column<Row, Data>[],
  rows: readonly Row[],
  data: Data,
  theme: Theme,
): Iterable<string> {
  const placed = columns.map((column) => {
    const context = cellContext(
      theme,
      (column.fills === true ? maxOf(column) : undefined) ?? Number.MAX_SAFE_INTEGER,
      data,
    );
    const textOf = (row: Row): SafeText => {
      const text = trusted(column.format(row, context).trimEnd());
      // What was not read until the end of the program is not being read.
      return text === loadingText ? unknownText : text;
    };
    return {
      column,
      textOf,
      width: rows.reduce((widest, row) => Math.max(widest, widthOf(textOf(row))), widthOf(column.header)),
    };
  });
  const lineOf = (cells: readonly SafeText[]): string => {
    const line = joinSafe(cells, gap).trimEnd();
    return theme.charset === 'ascii' ? asciiGlyphs(trusted(line)) : line;
  };
  yield lineOf(placed.map(({ column: { header, align }, width }) => fit(header, width, align)));
  for (const row of rows)
    yield lineOf(placed.map(({ column, textOf, width }) => fit(textOf(row), width, column.align)));
}
