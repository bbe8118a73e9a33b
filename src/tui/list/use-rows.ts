import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { startSliced } from '../../domain/sliced-task.ts';
import type { TableQuery, TableView } from '../../table/table-view.ts';
import type { TableHandle, TableModel } from '../components/table.tsx';
import type { ListColumns } from './list-columns.tsx';
import { type ListState, selectCursorId } from './list-state.ts';
import { type ListControl, useKeyed } from './use-list-state.ts';

/** Sorting takes longer than a drawing from so many rows on. */
const longRows = 10_000;

/** Filters and sorts long lists in slices. */
class ReadyRows<Row, Mark> {
  readonly #view: TableView<Row>;
  readonly #listeners = new Set<() => void>();
  #rows: readonly Row[];
  #mark: Mark;
  #work: { readonly query: TableQuery<Row>; readonly cancel: () => void } | undefined;

  constructor(view: TableView<Row>, rows: readonly Row[], mark: Mark) {
    this.#view = view;
    this.#rows = rows;
    this.#mark = mark;
  }

  readonly rows = (): readonly Row[] => this.#rows;

  /** Returns the change marks of these rows. */
  mark(): Mark {
    return this.#mark;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Returns the rows to show while `wanted` are prepared. */
  toShow(wanted: readonly Row[]): readonly Row[] {
    return wanted.length < longRows || this.#rows.length === 0 ? wanted : this.#rows;
  }

  /**
   * Starts preparing rows. Work for outdated rows is finished: with frequent refreshes it would otherwise never end.
   */
  want(query: TableQuery<Row>, mark: Mark): void {
    const { rows } = query;
    if (this.toShow(rows) === rows) {
      this.stop();
      this.#rows = rows;
      this.#mark = mark;
      return;
    }
    const now = this.#work?.query;
    if (
      now !== undefined &&
      now.filter === query.filter &&
      now.sortColumnId === query.sortColumnId &&
      now.isDescending === query.isDescending
    ) {
      return;
    }
    this.stop();
    const cancel = startSliced(this.#view.queryTask(query), () => {
      this.#work = undefined;
      this.#rows = rows;
      this.#mark = mark;
      for (const listener of this.#listeners) {
        listener();
      }
    });
    this.#work = { query, cancel };
  }

  stop(): void {
    this.#work?.cancel();
    this.#work = undefined;
  }
}

/** Rows with their change marks. */
interface Shown<Row, Mark> {
  readonly rows: readonly Row[];
  readonly getChange: Mark;
}

/**
 * Returns the rows to show now: those of the query, or, for a long list, the previous ones until the new ones are
 * sorted.
 */
export const useReadyRows = <Row, Mark>(
  view: TableView<Row>,
  query: TableQuery<Row>,
  getChange: Mark,
): Shown<Row, Mark> => {
  const [held, setHeld] = useState(() => ({ view, ready: new ReadyRows(view, query.rows, getChange) }));
  const now = held.view === view ? held : { view, ready: new ReadyRows(view, query.rows, getChange) };
  if (now !== held) {
    setHeld(now);
  }
  const { ready } = now;
  useSyncExternalStore(ready.subscribe, ready.rows, ready.rows);
  const rows = ready.toShow(query.rows);
  useEffect(() => {
    ready.want(query, getChange);
  });
  useEffect(
    () => () => {
      ready.stop();
    },
    [ready],
  );
  return { rows, getChange: rows === query.rows ? getChange : ready.mark() };
};

/** Returns cursor and scroll position for the table. */
export const cursorOf = (state: ListState): Pick<TableModel<unknown, unknown>, 'cursorId' | 'cursorIndex' | 'top'> => ({
  cursorId: selectCursorId(state),
  cursorIndex: state.cursorIndex,
  top: state.top,
});

export interface MovesOptions<Row, Data>
  extends Pick<ListColumns<Row, Data>, 'isRoomFor'>, Pick<PreviousRows<Row>, 'see'> {
  /** The table as last drawn. */
  readonly model: TableModel<Row, Data>;
  readonly rowCount: number;
}

/** Lets the table draw moves without a rendering, which costs many times as much and follows later. */
export const useMoves = <Row, Data>(
  { cell }: ListControl,
  { model, rowCount, isRoomFor, see }: MovesOptions<Row, Data>,
): RefObject<TableHandle<Row, Data> | null> => {
  const table = useRef<TableHandle<Row, Data>>(null);
  useLayoutEffect(() =>
    cell.showMovesBy((moved) => {
      const visible = model.rows.slice(moved.top, moved.top + rowCount);
      if (!isRoomFor(visible)) {
        return false;
      }
      see(visible);
      return table.current?.show({ ...model, ...cursorOf(moved) }) ?? false;
    }),
  );
  return table;
};

class Memory<Row> {
  #generation: unknown;
  #seen = new Map<string, Row>();
  #before: ReadonlyMap<string, Row> = new Map<string, Row>();

  /** Returns rows seen before this generation. Changes nothing: React may render twice. */
  before(generation: unknown): ReadonlyMap<string, Row> {
    return generation === this.#generation ? this.#before : this.#seen;
  }

  see(generation: unknown, rows: readonly Row[], getId: (row: Row) => string): void {
    if (generation !== this.#generation) {
      this.#before = this.#seen;
      this.#seen = new Map();
      this.#generation = generation;
    }
    for (const row of rows) {
      this.#seen.set(getId(row), row);
    }
  }
}

export interface PreviousRows<Row> {
  /** Returns the row at the previous refresh; the same function until the next one. */
  readonly getPrevious: (id: string) => Row | undefined;
  /** Remembers rows that are on the screen. */
  readonly see: (visible: readonly Row[]) => void;
}

/**
 * Keeps the rows visible at the previous refresh, for highlighting changed cells. `generation` changes with every
 * refresh.
 */
export const usePreviousRows = <Row>(
  visible: readonly Row[],
  getId: (row: Row) => string,
  generation: unknown,
  columnSet?: string,
): PreviousRows<Row> => {
  const memory = useKeyed(columnSet, () => new Memory<Row>());
  const before = memory.before(generation);
  const see = useCallback(
    (rows: readonly Row[]) => {
      memory.see(generation, rows, getId);
    },
    [memory, generation, getId],
  );
  useEffect(() => {
    see(visible);
  });
  const getPrevious = useCallback((id: string) => before.get(id), [before]);
  return { getPrevious, see };
};
