import { useEffect, useState, useSyncExternalStore } from 'react';
import { doInSlices } from '../../domain/steps.ts';
import type { TableQuery, TableView } from '../../table/table-view.ts';

/** Rows of this many are put in order before they are shown; fewer take no longer than a drawing. */
const longRows = 10_000;

/** Makes rows ready beside everything else; tells those who draw them. */
class ReadyRows<Row, Mark> {
  readonly #view: TableView<Row>;
  readonly #listeners = new Set<() => void>();
  #rows: readonly Row[];
  #mark: Mark;
  #work: { readonly query: TableQuery<Row>; readonly giveUp: () => void } | undefined;

  constructor(view: TableView<Row>, rows: readonly Row[], mark: Mark) {
    this.#view = view;
    this.#rows = rows;
    this.#mark = mark;
  }

  readonly rows = (): readonly Row[] => this.#rows;

  /** What marked those rows when they were the last. */
  mark(): Mark {
    return this.#mark;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  };

  /** Which rows to show where `wanted` are asked for. */
  toShow(wanted: readonly Row[]): readonly Row[] {
    return wanted.length < longRows || this.#rows.length === 0 ? wanted : this.#rows;
  }

  /** Begins to make these ready. Work for rows that have been followed by others goes on: it would never end where they come fast. */
  want(query: TableQuery<Row>, mark: Mark): void {
    const { rows } = query;
    if (this.toShow(rows) === rows) {
      this.stop();
      this.#rows = rows;
      this.#mark = mark;
      return;
    }
    const now = this.#work?.query;
    if (now !== undefined && now.filter === query.filter && now.sortColumnId === query.sortColumnId && now.isDescending === query.isDescending) {
      return;
    }
    this.stop();
    const giveUp = doInSlices(this.#view.steps(query), () => {
      this.#work = undefined;
      this.#rows = rows;
      this.#mark = mark;
      for (const listener of this.#listeners) {
        listener();
      }
    });
    this.#work = { query, giveUp };
  }

  stop(): void {
    this.#work?.giveUp();
    this.#work = undefined;
  }
}

/** Rows, and what marks them. */
interface Shown<Row, Mark> {
  readonly rows: readonly Row[];
  readonly getMark: Mark;
}

/**
 * The rows of a query to be shown now: its own, or, where they are many and have just come, still those before, until
 * the view has worked out what it shows of them; keys are heard meanwhile. They keep their marks: what is GONE stays so.
 */
export const useReadyRows = <Row, Mark>(view: TableView<Row>, query: TableQuery<Row>, getMark: Mark): Shown<Row, Mark> => {
  const [ready] = useState(() => new ReadyRows(view, query.rows, getMark));
  useSyncExternalStore(ready.subscribe, ready.rows, ready.rows);
  const rows = ready.toShow(query.rows);
  useEffect(() => { ready.want(query, getMark); });
  useEffect(() => () => { ready.stop(); }, [ready]);
  return { rows, getMark: rows === query.rows ? getMark : ready.mark() };
};
