import { type FilterTerm, type ParsedFilter, columnNames } from './filter.ts';
import { isFigureAsAsked } from './filter-figure.ts';
import { type OrderRows, presentOrder } from './held-order.ts';
import { applyTerm } from './match-rows.ts';
import { memoise } from './memoise.ts';
import { createTextIndex } from './search-texts.ts';
import type { TextIndex } from './search-texts.ts';
import type { Printed, SortableColumn } from './sortable-column.ts';

/** What a table is asked to show. */
export interface TableQuery<Row> {
  readonly rows: readonly Row[];
  readonly filter: ParsedFilter;
  /** Id of a column; `undefined`, or an id that there is not, leaves the order of arrival. */
  readonly sortColumnId: string | undefined;
  readonly isDescending: boolean;
  /** What cells are printed with beside their row; another one has them searched anew, where that makes a difference. */
  readonly other?: unknown;
}

/** The rows to show. The same object as before when nothing changed. */
export interface TableResult<Row> {
  readonly rows: readonly Row[];
  /** Rows before the filter. */
  readonly total: number;
  /** What is wrong with the filter. Terms that are wrong are not applied. */
  readonly error: string | undefined;
}

/** Filters and sorts one table. Keeps what it worked out, so one view serves one table. */
export interface TableView<Row> {
  query(query: TableQuery<Row>): TableResult<Row>;
  /** Makes ready what a search in these rows needs, so that the first letter of a filter does not wait for it. */
  prepare(rows: readonly Row[]): void;
  /** Drops what `prepare` or a search made: for a large list it is as large as the list. */
  forget(): void;
}

const asItIs: Printed = (raw) => raw;

/** `columns` must not change; make a new view for others. `printed`: how the table prints the broker's texts. `orderRows`: how it sorts. */
export function createTableView<Row>(columns: readonly SortableColumn<Row>[], printed: Printed = asItIs, orderRows: OrderRows<Row> = memoise(presentOrder)): TableView<Row> {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const indexes = new Map<string | undefined, TextIndex<Row>>();

  function indexFor(columnId: string | undefined): TextIndex<Row> {
    let index = indexes.get(columnId);
    if (index === undefined) {
      index = createTextIndex(columns, columnId === undefined ? undefined : byId.get(columnId), printed);
      indexes.set(columnId, index);
    }
    return index;
  }

  /** What the cells are printed with now. */
  let present: unknown;

  /** Terms that had to be ended: not tried again each time the rows change. */
  const tooSlow = new WeakSet<FilterTerm>();

  const order = (rows: readonly Row[], sortColumnId: string | undefined, isDescending: boolean): Uint32Array | undefined => {
    const column = sortColumnId === undefined ? undefined : byId.get(sortColumnId);
    return column === undefined ? undefined : orderRows(rows, column, isDescending);
  };

  const match = memoise((rows: readonly Row[], terms: readonly FilterTerm[], _other: unknown): Match => {
    if (terms.length === 0) return { mask: undefined, error: undefined };
    let mask = new Uint8Array(rows.length).fill(1);
    let error: string | undefined;
    for (const term of terms) {
      if (tooSlow.has(term)) {
        error = slowText(term);
        continue;
      }
      if (term.figure !== undefined && term.figure.operator !== '=') {
        keepFigures(rows, term, undefined, mask);
        continue;
      }
      const texts = indexFor(term.column).update(rows, present);
      if (term.figure !== undefined) {
        keepFigures(rows, term, texts.original, mask);
        continue;
      }
      if (term.notColumn !== undefined && rows.length > 0 && !texts.lower.some((text) => text.includes(term.text))) {
        error ??= `There is no column "${term.notColumn}" here, and no row holds ${term.text}. Columns: ${columnNames(columns).join(', ')}.`;
        continue;
      }
      const before = mask.slice();
      if (applyTerm(term, texts, mask)) continue;
      mask = before;
      tooSlow.add(term);
      error = slowText(term);
    }
    return { mask, error };
  });

  /** `texts`: the cells as they are printed, where it may be that what was typed is what one sees. */
  const keepFigures = (rows: readonly Row[], { figure, column, isInverse }: FilterTerm, texts: readonly string[] | undefined, mask: Uint8Array): void => {
    const value = column === undefined ? undefined : byId.get(column)?.value;
    if (figure === undefined || value === undefined) return;
    for (const [at, row] of rows.entries()) {
      if (mask[at] === 1 && isFigureAsAsked(value(row), texts?.[at] ?? '', figure.operator, figure.than) === isInverse) mask[at] = 0;
    }
  };

  const show = memoise((rows: readonly Row[], mask: Uint8Array | undefined, sorted: Uint32Array | undefined, error: string | undefined): TableResult<Row> =>
    ({ rows: select(rows, mask, sorted), total: rows.length, error }));

  return {
    query({ rows, filter, sortColumnId, isDescending, other }) {
      present = other;
      const readsOther = filter.terms.some(({ column }) => indexFor(column).readsOther());
      const { mask, error } = match(rows, filter.terms, readsOther ? other : undefined);
      return show(rows, mask, order(rows, sortColumnId, isDescending), filter.error ?? error);
    },
    prepare(rows) { indexFor(undefined).update(rows); },
    forget() { indexes.clear(); },
  };
}

const slowText = (term: FilterTerm): string => `/${term.text}/ takes too long on this list and is not applied.`;

interface Match {
  /** 1 for each row that is shown; `undefined` when all are. */
  readonly mask: Uint8Array | undefined;
  readonly error: string | undefined;
}

function select<Row>(rows: readonly Row[], mask: Uint8Array | undefined, sorted: Uint32Array | undefined): readonly Row[] {
  if (mask === undefined && sorted === undefined) return rows;
  // At once as long as it can become: an array that grows leaves twice as much behind.
  const selected = rows.slice();
  let count = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const at = sorted?.[place] ?? place;
    const row = rows[at];
    if (row !== undefined && mask?.[at] !== 0) selected[count++] = row;
  }
  selected.length = count;
  return selected;
}
