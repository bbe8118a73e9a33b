import { finish, type Steps } from '../domain/steps.ts';
import { columnNames, type FilterTerm, isFigureAsAsked, type ParsedFilter } from './filter.ts';
import type { OrderRows } from './held-order.ts';
import { applyTerm, createTextIndex, type TextIndex } from './match-rows.ts';
import { type Printed, type SortableColumn, sortOrder } from './sorting.ts';

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
  /** The same in steps. What `query` would have to work out for the rows before stays known until the last of them. */
  steps(query: TableQuery<Row>): Steps<TableResult<Row>>;
  /** Makes ready what a search in these rows needs, so that the first letter of a filter does not wait for it. */
  prepare(rows: readonly Row[]): Steps<unknown>;
  /** Drops what `prepare` or a search made: for a large list it is as large as the list. */
  forget(): void;
}

const asItIs: Printed = (raw) => raw;

/** `columns` must not change; make a new view for others. `printed`: how the table prints the broker's texts. `orderRows`: how it sorts. */
export function createTableView<Row>(columns: readonly SortableColumn<Row>[], printed: Printed = asItIs, orderRows: OrderRows<Row> = createPresentOrder()): TableView<Row> {
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

  /** Terms that had to be ended: not tried again each time the rows change. */
  const tooSlow = new WeakSet<FilterTerm>();

  function* match(rows: readonly Row[], terms: readonly FilterTerm[], other: unknown): Steps<Match> {
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
      const texts = yield* indexFor(term.column).update(rows, other);
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
  }

  /** `texts`: the cells as they are printed, where it may be that what was typed is what one sees. */
  const keepFigures = (rows: readonly Row[], { figure, column, isInverse }: FilterTerm, texts: readonly string[] | undefined, mask: Uint8Array): void => {
    const known = column === undefined ? undefined : byId.get(column);
    if (figure === undefined || known === undefined) return;
    const figureOf = known.age ?? known.value;
    for (const [at, row] of rows.entries()) {
      if (mask[at] === 1 && isFigureAsAsked(figureOf(row), texts?.[at] ?? '', figure.operator, figure.than) === isInverse) mask[at] = 0;
    }
  };

  const comparesAges = ({ figure, column }: FilterTerm): boolean => figure !== undefined && column !== undefined && byId.get(column)?.age !== undefined;

  let matched: { readonly rows: readonly Row[]; readonly terms: readonly FilterTerm[]; readonly other: unknown; readonly match: Match } | undefined;
  let shown: { readonly rows: readonly Row[]; readonly match: Match; readonly order: Uint32Array | undefined; readonly error: string | undefined; readonly result: TableResult<Row> } | undefined;

  function* steps({ rows, filter, sortColumnId, isDescending, other }: TableQuery<Row>): Steps<TableResult<Row>> {
    const { terms } = filter;
    const read = terms.some((term) => comparesAges(term) || indexFor(term.column).readsOther()) ? other : undefined;
    const isMatched = matched !== undefined && matched.rows === rows && matched.terms === terms && matched.other === read;
    const nextMatched = isMatched && matched !== undefined ? matched : { rows, terms, other: read, match: yield* match(rows, terms, other) };
    const column = sortColumnId === undefined ? undefined : byId.get(sortColumnId);
    const order = column === undefined ? undefined : yield* orderRows(rows, column, isDescending);
    matched = nextMatched;
    const error = filter.error ?? matched.match.error;
    if (shown === undefined || shown.rows !== rows || shown.match !== matched.match || shown.order !== order || shown.error !== error) {
      const result = { rows: select(rows, matched.match.mask, order), total: rows.length, error };
      shown = { rows, match: matched.match, order, error, result };
    }
    return shown.result;
  }

  return {
    query: (query) => finish(steps(query)),
    steps,
    prepare: (rows) => indexFor(undefined).update(rows),
    forget() { indexes.clear(); },
  };
}

/** The order as the values are now. */
function createPresentOrder<Row>(): OrderRows<Row> {
  let last: { readonly rows: readonly Row[]; readonly column: SortableColumn<Row>; readonly isDescending: boolean; readonly order: Uint32Array } | undefined;
  return function* order(rows, column, isDescending) {
    if (last === undefined || last.rows !== rows || last.column !== column || last.isDescending !== isDescending) {
      last = { rows, column, isDescending, order: yield* sortOrder(rows.map((row) => column.value(row)), isDescending) };
    }
    return last.order;
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
