/** The state of a list as a pure reducer. The cursor is on a row's identity, not on its index. */
import { createContext, createElement, type ReactNode, use, useState } from 'react';
import type { NodeName } from '../../domain/node.ts';
import type { Place } from '../registered.ts';
import { type ColumnChoice, noChoice, type Sort } from '../components/column.ts';

/** Identities of rows in their order. Computed on demand: most are never needed. */
export interface ListIds {
  readonly length: number;
  /** `undefined` where there is no row. */
  at(place: number): string | undefined;
  /** -1 where no row has it. */
  indexOf(id: string): number;
}

export const idsOf = <Row>(rows: readonly Row[], getId: (row: Row) => string): ListIds => ({
  length: rows.length,
  at: (place) => {
    const row = rows[place];
    return row === undefined ? undefined : getId(row);
  },
  indexOf: (id) => rows.findIndex((row) => getId(row) === id),
});

export interface ListState {
  /** Identities of the rows shown, filtered and sorted. */
  readonly ids: ListIds;
  /** Stays set while no row is shown: read it with `selectCursorId`. */
  readonly cursorId: string | undefined;
  /** The row that vanished under the cursor: it goes back there if the row returns before the operator moves. */
  readonly lostId?: string | undefined;
  readonly cursorIndex: number;
  readonly top: number;
  readonly height: number;
  /** After the operator has moved or opened a dialog, the cursor follows its row; before, and after a sort, it stays on the first one. */
  readonly isAnchored: boolean;
  readonly sort: Sort;
  readonly filter: string;
  readonly columnOffset: number;
}

/** The offset nearest to the current one that shows a column. */
export type Reveal = (columnId: string, offset: number) => number;

export type ListAction =
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'page'; readonly by: number }
  | { readonly type: 'first' }
  | { readonly type: 'last' }
  | { readonly type: 'goTo'; readonly id: string }
  /** Makes the cursor follow its row, because the operator acted on it. */
  | { readonly type: 'anchor' }
  /** Goes back to the first row, and stays there. */
  | { readonly type: 'release' }
  /** Restores an earlier state, as when typing a filter is cancelled. */
  | { readonly type: 'restore'; readonly state: ListState }
  | { readonly type: 'sync'; readonly ids: ListIds; readonly height: number }
  | { readonly type: 'filter'; readonly filter: string }
  /** `reveal` gives the offset that shows a column. */
  | { readonly type: 'sortBy'; readonly sort: Sort; readonly reveal?: Reveal | undefined }
  /** Sorts by the next (1) or previous (-1) column in its initial direction. */
  | {
      readonly type: 'sortStep';
      readonly by: number;
      readonly sorts: readonly Sort[];
      readonly reveal?: Reveal | undefined;
    }
  | { readonly type: 'sortReverse' }
  | { readonly type: 'scrollColumns'; readonly by: number; readonly maxOffset: number }
  /** Scrolls no more than needed to show a column. */
  | { readonly type: 'showColumn'; readonly columnId: string; readonly scrollTo: Reveal }
  /** Scrolls back to the first columns. */
  | { readonly type: 'firstColumns' };

/** `cursorId`: the row to go to once it is listed; else the first. */
export const createListState = (sort: Sort, cursorId?: string): ListState => ({
  ids: [],
  cursorId,
  cursorIndex: 0,
  top: 0,
  height: 0,
  isAnchored: cursorId !== undefined,
  sort,
  filter: '',
  columnOffset: 0,
});

/** The identity under the cursor; `undefined` when no row is shown. */
export const selectCursorId = (state: ListState): string | undefined => state.ids.at(state.cursorIndex);

/** Neighbours on either side that are searched first. */
const initialNeighbourCount = 32;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** Moves the cursor and scrolls no more than needed. */
const placeCursor = (state: ListState, index: number, top = state.top): ListState => {
  const cursorIndex = clamp(index, 0, Math.max(0, state.ids.length - 1));
  const lowestTop = Math.max(0, state.ids.length - state.height);
  const inView = clamp(top, cursorIndex - state.height + 1, cursorIndex);
  return { ...state, cursorIndex, cursorId: state.ids.at(cursorIndex), top: clamp(inView, 0, lowestTop) };
};

/** Moves the cursor for the operator, as `placeCursor` does. */
const moveCursor = (state: ListState, index: number, top?: number): ListState => {
  const next = placeCursor(state, index, top);
  return state.isAnchored &&
    state.lostId === undefined &&
    next.cursorIndex === state.cursorIndex &&
    next.top === state.top &&
    next.cursorId === state.cursorId
    ? state
    : { ...next, isAnchored: true, lostId: undefined };
};

/**
 * Returns the index for a cursor whose row is gone: the nearest old neighbour that is still listed, the one below
 * first.
 */
const findNeighbour = ({ ids: old, cursorIndex }: ListState, ids: ListIds): number => {
  for (let from = 1, to = initialNeighbourCount; from < old.length; from = to + 1, to *= 8) {
    const ranks = new Map<string, number>();
    for (let distance = from; distance <= to; distance += 1) {
      const [below, above] = [cursorIndex + distance, cursorIndex - distance];
      if (below >= old.length && above < 0) {
        break;
      }
      for (const place of [below, above]) {
        const id = place < 0 || place >= old.length ? undefined : old.at(place);
        if (id !== undefined) {
          ranks.set(id, ranks.size);
        }
      }
    }
    let [found, best] = [-1, ranks.size];
    for (let index = 0; index < ids.length && best > 0; index += 1) {
      const rank = ranks.get(ids.at(index) ?? '');
      if (rank !== undefined && rank < best) {
        [found, best] = [index, rank];
      }
    }
    if (found !== -1) {
      return found;
    }
  }
  return cursorIndex;
};

const sync = (state: ListState, ids: ListIds, height: number): ListState => {
  if (ids === state.ids && height === state.height) {
    return state;
  }
  const next = { ...state, ids, height };
  if (!state.isAnchored || state.cursorId === undefined) {
    return placeCursor(next, 0, 0);
  }
  if (ids.length === 0) {
    // A filter without matches must not lose the cursor.
    return { ...next, top: 0, cursorIndex: 0 };
  }
  const onScreen = state.cursorIndex - state.top;
  const returned = state.lostId === undefined ? -1 : ids.indexOf(state.lostId);
  if (returned !== -1) return { ...placeCursor(next, returned, returned - onScreen), lostId: undefined };
  const same = ids.at(state.cursorIndex) === state.cursorId ? state.cursorIndex : ids.indexOf(state.cursorId);
  const index = same === -1 ? findNeighbour(state, ids) : same;
  // Keeps the row at its place on the screen.
  return {
    ...placeCursor(next, index, index - onScreen),
    lostId: state.lostId ?? (same === -1 ? state.cursorId : undefined),
  };
};

/** Sorts, and goes to the first row of the new order. */
const sortBy = (state: ListState, sort: Sort, reveal?: Reveal): ListState => ({
  ...placeCursor(state, 0, 0),
  isAnchored: false,
  lostId: undefined,
  sort,
  columnOffset: reveal?.(sort.columnId, state.columnOffset) ?? state.columnOffset,
});

/** The next state; the same object when nothing changes. */
export const reduceList = (state: ListState, action: ListAction): ListState => {
  switch (action.type) {
    case 'move':
      return moveCursor(state, state.cursorIndex + action.by);
    case 'page': {
      const step = Math.max(1, state.height - 1) * action.by;
      return moveCursor(state, state.cursorIndex + step, state.top + step);
    }
    case 'first':
      return moveCursor(state, 0);
    case 'last':
      return moveCursor(state, state.ids.length - 1);
    case 'goTo': {
      const index = state.ids.indexOf(action.id);
      return index === -1 ? state : moveCursor(state, index);
    }
    case 'anchor':
      return state.isAnchored && state.lostId === undefined ? state : { ...state, isAnchored: true, lostId: undefined };
    case 'release':
      return { ...placeCursor(state, 0, 0), isAnchored: false, lostId: undefined };
    case 'restore':
      return action.state;
    case 'sync':
      return sync(state, action.ids, action.height);
    case 'filter':
      if (action.filter === state.filter) return state;
      // The row that a filter found stays under the cursor.
      return {
        ...state,
        filter: action.filter,
        ...(action.filter === '' && state.ids.length > 0 && { isAnchored: true, lostId: undefined }),
      };
    case 'sortBy':
      return sortBy(state, action.sort, action.reveal);
    case 'sortStep': {
      const { sorts, by, reveal } = action;
      const at = sorts.findIndex(({ columnId }) => columnId === state.sort.columnId);
      const next = sorts[(Math.max(0, at) + by + sorts.length) % Math.max(1, sorts.length)];
      return sortBy(state, next ?? state.sort, reveal);
    }
    case 'sortReverse':
      return sortBy(state, { ...state.sort, isReversed: !state.sort.isReversed });
    case 'scrollColumns': {
      // On a wider terminal the offset may be too large.
      const columnOffset = clamp(Math.min(state.columnOffset, action.maxOffset) + action.by, 0, action.maxOffset);
      return columnOffset === state.columnOffset ? state : { ...state, columnOffset };
    }
    case 'showColumn': {
      const columnOffset = action.scrollTo(action.columnId, state.columnOffset);
      return columnOffset === state.columnOffset ? state : { ...state, columnOffset };
    }
    case 'firstColumns':
      return state.columnOffset === 0 ? state : { ...state, columnOffset: 0 };
  }
};

export interface TableColumns {
  readonly choice: ColumnChoice;
  readonly isWide: boolean;
}

/** Values by place key. */
interface Remembered<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
}

/** `undefined` stands for all nodes. */
export interface ChosenNode {
  readonly node: NodeName | undefined;
}

/** Settings of a table that are kept from one run to the next. */
export interface TablePreferences {
  readonly columns?: TableColumns | undefined;
  readonly sort?: Sort | undefined;
}

/** Settings by table. `onChange` is called with what the operator changed. */
export interface Preferences {
  readonly tables: Readonly<Record<string, TablePreferences>>;
  /** The index of the time window of graphs. */
  readonly graphWindow?: number | undefined;
  readonly onChange: (change: Partial<Omit<Preferences, 'onChange'>>) => void;
}

/** States and chosen nodes of lists by place, and column settings and sorts by table. */
export interface ListMemory extends Remembered<ListState> {
  readonly nodes: Remembered<ChosenNode>;
  /** The last grouping, by what was grouped. */
  readonly groupings: Remembered<string>;
  /** Indexes of the windows of graphs. */
  readonly graphWindows: Remembered<number>;
  /** The places of the cursors of graphs, by the time of day. */
  readonly graphCursors: Remembered<number | undefined>;
  readonly columnsOf: (table: string) => TableColumns;
  readonly setColumns: (table: string, columns: TableColumns) => void;
  /** Returns the sort that the operator last chose for a table. */
  readonly sortOf: (table: string) => Sort | undefined;
  readonly setSort: (table: string, sort: Sort) => void;
}

export const untouchedColumns: TableColumns = { choice: noChoice, isWide: false };

/** More than history has places; the least recently used is dropped first. */
const maxRemembered = 64;

const ListMemoryContext = createContext<ListMemory | undefined>(undefined);

const createRemembered = <T>(): Remembered<T> => {
  const values = new Map<string, T>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > maxRemembered && oldest !== undefined) {
        values.delete(oldest);
      }
    },
  };
};

export const createListMemory = (preferences?: Preferences): ListMemory => {
  const tables = new Map(Object.entries(preferences?.tables ?? {}));
  const change = (table: string, next: TablePreferences): void => {
    const kept = { ...tables.get(table), ...next };
    tables.set(table, kept);
    preferences?.onChange({ tables: { [table]: kept } });
  };
  const graphWindows = createRemembered<number>();
  return {
    ...createRemembered<ListState>(),
    nodes: createRemembered<ChosenNode>(),
    groupings: createRemembered<string>(),
    graphWindows: {
      get: (key) => graphWindows.get(key) ?? preferences?.graphWindow,
      set(key, graphWindow) {
        graphWindows.set(key, graphWindow);
        preferences?.onChange({ graphWindow });
      },
    },
    graphCursors: createRemembered<number | undefined>(),
    columnsOf: (table) => tables.get(table)?.columns ?? untouchedColumns,
    setColumns: (table, columns) => {
      change(table, { columns });
    },
    sortOf: (table) => tables.get(table)?.sort,
    setSort: (table, sort) => {
      change(table, { sort });
    },
  };
};

export interface ListMemoryProviderProps {
  readonly preferences?: Preferences | undefined;
  readonly children?: ReactNode;
}

/** Stores the state of lists while other screens are shown. Used once, at the root. */
export const ListMemoryProvider = ({ preferences, children }: ListMemoryProviderProps): ReactNode => {
  const [memory] = useState(() => createListMemory(preferences));
  return createElement(ListMemoryContext, { value: memory }, children);
};

/** `undefined` without a provider; then nothing is remembered. */
export const useListMemory = (): ListMemory | undefined => use(ListMemoryContext);

/** The `visitId` of the current place. */
export const VisitIdContext = createContext<number | undefined>(undefined);

export const useVisitId = (): number | undefined => use(VisitIdContext);

/** Whether a dialog is open over the list. Its cursor then follows its row, which the dialog is about. */
export const CoveredContext = createContext(false);

export const useIsCovered = (): boolean => use(CoveredContext);

/** Returns the key of a place on a visit with its own state. */
export const visitKey = (key: string, visitId: number | undefined): string =>
  visitId === undefined ? key : `${key} visit ${visitId}`;

/** Returns a key that identifies a place, for the state of its lists. */
export const placeKey = (place: Place): string => {
  const { screen, visitId, ...rest }: { readonly screen: string; readonly visitId?: number | undefined } = place;
  const where = JSON.stringify(rest);
  return visitKey(where === '{}' ? screen : `${screen} ${where}`, visitId);
};
