import { runAtOnce, type SlicedTask } from '../domain/sliced-task.ts';
import type { TableColumn, SearchColumn } from './column.ts';
import {
  applyTerm,
  columnNames,
  type FilterTerm,
  filterErrorTexts,
  matchesFigure,
  type ParsedFilter,
} from './filter.ts';
import { type OrderRows, sortOrder } from './sort-order.ts';
import { createTextIndex, type PrintText, type TextIndex } from './text-index.ts';

export interface TableQuery<Row> {
  readonly rows: readonly Row[];
  readonly filter: ParsedFilter;
  /** Rows keep their order if this is `undefined` or an unknown id. */
  readonly sortColumnId: string | undefined;
  readonly isDescending: boolean;
  /** The data that cells depend on besides their row; searched texts that depend on it are rebuilt when it changes. */
  readonly data?: unknown;
}

/**
 * The rows to show; the same object as before when nothing changed. There are none with an error: an action on all
 * shown rows must not take those that the filter leaves out.
 */
export interface TableResult<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly error: string | undefined;
}

export interface TableView<Row> {
  query(query: TableQuery<Row>): TableResult<Row>;
  /** Returns a task that filters and sorts. Until it is done, results for earlier rows stay cached. */
  queryTask(query: TableQuery<Row>): SlicedTask<TableResult<Row>>;
  /** Builds the search index, so that the first letter typed does not wait for it. */
  prepare(rows: readonly Row[]): SlicedTask<unknown>;
  forget(): void;
}

/** Creates a view, whose columns must not change. `printText` prints a text of the broker as the table does. */
export function createTableView<Row>(
  columns: readonly SearchColumn<Row>[],
  printText: PrintText = (raw) => raw,
  orderRows: OrderRows<Row> = createCurrentOrder(),
): TableView<Row> {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const indexes = new Map<string | undefined, TextIndex<Row>>();

  function indexFor(columnId: string | undefined): TextIndex<Row> {
    let index = indexes.get(columnId);
    if (index === undefined) {
      index = createTextIndex(columns, columnId === undefined ? undefined : byId.get(columnId), printText);
      indexes.set(columnId, index);
    }
    return index;
  }

  const abortedTerms = new WeakSet<FilterTerm>();

  /** @param known the rows that may match; by default all */
  function* match(
    rows: readonly Row[],
    terms: readonly FilterTerm[],
    data: unknown,
    known: Match['mask'],
  ): SlicedTask<Match> {
    if (terms.length === 0) return { mask: undefined, error: undefined };
    let mask = known?.slice() ?? new Uint8Array(rows.length).fill(1);
    let error: string | undefined;
    for (const term of terms) {
      if (abortedTerms.has(term)) {
        error = filterErrorTexts.tooSlow(term.text);
        continue;
      }
      if (term.figure !== undefined && term.figure.operator !== '=') {
        keepFigures(rows, term, undefined, mask);
        continue;
      }
      const texts = yield* indexFor(term.column).update(rows, data);
      if (term.figure !== undefined) {
        keepFigures(rows, term, texts.original, mask);
        continue;
      }
      if (
        term.unknownColumn !== undefined &&
        rows.length > 0 &&
        !texts.lower.some((text) => text.includes(term.text))
      ) {
        error ??= filterErrorTexts.unknownColumn(term.unknownColumn, term.text, columnNames(columns));
        continue;
      }
      const before = mask.slice();
      if (applyTerm(term, texts, mask)) continue;
      mask = before;
      abortedTerms.add(term);
      error = filterErrorTexts.tooSlow(term.text);
    }
    return { mask, error };
  }

  const keepFigures = (
    rows: readonly Row[],
    { figure, column, isInverse }: FilterTerm,
    texts: readonly string[] | undefined,
    mask: Uint8Array,
  ): void => {
    const known = column === undefined ? undefined : byId.get(column);
    if (figure === undefined || known === undefined) return;
    const figureOf = known.age ?? known.value;
    for (const [index, row] of rows.entries()) {
      if (mask[index] === 1 && matchesFigure(figureOf(row), texts?.[index] ?? '', figure) === isInverse)
        mask[index] = 0;
    }
  };

  const comparesAges = ({ figure, column }: FilterTerm): boolean =>
    figure !== undefined && column !== undefined && byId.get(column)?.age !== undefined;

  let matched:
    | {
        readonly rows: readonly Row[];
        readonly terms: readonly FilterTerm[];
        readonly data: unknown;
        readonly match: Match;
      }
    | undefined;
  let shown:
    | {
        readonly rows: readonly Row[];
        readonly match: Match;
        readonly order: Uint32Array | undefined;
        readonly error: string | undefined;
        readonly result: TableResult<Row>;
      }
    | undefined;

  function* queryTask({
    rows,
    filter,
    sortColumnId,
    isDescending,
    data,
  }: TableQuery<Row>): SlicedTask<TableResult<Row>> {
    const { terms } = filter;
    const dataRead = terms.some((term) => comparesAges(term) || indexFor(term.column).readsData()) ? data : undefined;
    const isMatched =
      matched !== undefined && matched.rows === rows && matched.terms === terms && matched.data === dataRead;
    const isNarrower =
      matched !== undefined &&
      matched.rows === rows &&
      matched.data === dataRead &&
      matched.match.error === undefined &&
      narrows(matched.terms, terms);
    const nextMatched =
      isMatched && matched !== undefined
        ? matched
        : {
            rows,
            terms,
            data: dataRead,
            match: yield* match(rows, terms, data, isNarrower ? matched?.match.mask : undefined),
          };
    const column = sortColumnId === undefined ? undefined : byId.get(sortColumnId);
    const order = column === undefined ? undefined : yield* orderRows(rows, column, isDescending);
    matched = nextMatched;
    const error = filter.error ?? matched.match.error;
    if (
      shown === undefined ||
      shown.rows !== rows ||
      shown.match !== matched.match ||
      shown.order !== order ||
      shown.error !== error
    ) {
      const result = {
        rows: error === undefined ? select(rows, matched.match.mask, order) : [],
        total: rows.length,
        error,
      };
      shown = { rows, match: matched.match, order, error, result };
    }
    return shown.result;
  }

  return {
    query: (query) => runAtOnce(queryTask(query)),
    queryTask,
    prepare: (rows) => indexFor(undefined).update(rows),
    forget() {
      indexes.clear();
    },
  };
}

function createCurrentOrder<Row>(): OrderRows<Row> {
  let last:
    | {
        readonly rows: readonly Row[];
        readonly column: TableColumn<Row>;
        readonly isDescending: boolean;
        readonly order: Uint32Array;
      }
    | undefined;
  return function* orderRows(rows, column, isDescending) {
    if (last === undefined || last.rows !== rows || last.column !== column || last.isDescending !== isDescending) {
      const { value, tieBreak } = column;
      const ties =
        tieBreak === undefined
          ? undefined
          : yield* sortOrder(
              rows.map((row) => tieBreak(row)),
              false,
            );
      last = {
        rows,
        column,
        isDescending,
        order: yield* sortOrder(
          rows.map((row) => value(row)),
          isDescending,
          ties,
        ),
      };
    }
    return last.order;
  };
}

interface Match {
  /** Holds 1 for each row that is shown; `undefined` when all are. */
  readonly mask: Uint8Array | undefined;
  readonly error: string | undefined;
}

/** Whether the terms can match no row that `before` does not, as after another letter. */
const narrows = (before: readonly FilterTerm[], terms: readonly FilterTerm[]): boolean =>
  before.every(({ mode, isInverse, column, text }, at) => {
    const term = terms[at];
    return (
      term !== undefined &&
      mode === 'text' &&
      term.mode === mode &&
      !isInverse &&
      !term.isInverse &&
      term.column === column &&
      term.text.includes(text)
    );
  });

function select<Row>(
  rows: readonly Row[],
  mask: Uint8Array | undefined,
  order: Uint32Array | undefined,
): readonly Row[] {
  if (mask === undefined && order === undefined) return rows;
  // Full length from the start: an array that grows leaves twice as much garbage.
  const selected = rows.slice(
    0,
    mask?.reduce((count, each) => count + each, 0),
  );
  let count = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const index = order?.[place] ?? place;
    const row = rows[index];
    if (row !== undefined && mask?.[index] !== 0) selected[count++] = row;
  }
  selected.length = count;
  return selected;
}
