import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Sort } from '../components/column.ts';
import type { NamedCommand } from '../keys/key-stack.ts';
import { useCatchUp, useKeys } from '../keys/use-keys.ts';
import {
  createListState,
  type ListAction,
  type ListIds,
  type ListState,
  reduceList,
  type Reveal,
  useIsCovered,
  useListMemory,
  useVisitId,
  visitKey,
} from './list-state.ts';

export interface ListControl {
  readonly state: ListState;
  readonly dispatch: (action: ListAction) => void;
  readonly cell: ListCell;
}

/** Keeps a value that is created again when its key changes. */
export const useKeyed = <T>(key: string | undefined, create: () => T): T => {
  const [held, setHeld] = useState(() => ({ key, value: create() }));
  if (held.key === key) {
    return held.value;
  }
  const next = { key, value: create() };
  setHeld(next);
  return next.value;
};

/**
 * Keeps sort, filter and cursor of a list; restored by `listKey`, and the sort by `table`, where there is a
 * `ListMemoryProvider`. `useListSync` adds the rows.
 */
export const useListState = (initialSort: Sort, listKey?: string, columnSet?: string, table?: string): ListControl => {
  const memory = useListMemory();
  const visitId = useVisitId();
  const memoryKey = listKey === undefined ? undefined : visitKey(listKey, visitId);
  const cell = useKeyed(columnSet, () => {
    const recalled = memoryKey === undefined ? undefined : memory?.get(memoryKey);
    let { sort } = recalled ?? { sort: (table === undefined ? undefined : memory?.sortOf(table)) ?? initialSort };
    // Saved at once: an action may unmount the list before it is drawn again.
    return new ListCell(recalled === undefined ? createListState(sort) : { ...recalled, ids: [] }, (state) => {
      if (memoryKey !== undefined) memory?.set(memoryKey, state);
      if (state.sort !== sort && table !== undefined) memory?.setSort(table, state.sort);
      ({ sort } = state);
    });
  });
  useEffect(
    () => () => {
      if (memoryKey !== undefined && memory?.get(memoryKey) === cell.state) {
        // The ids of a long list are megabytes.
        memory.set(memoryKey, { ...cell.state, ids: [] });
      }
    },
    [memory, memoryKey, cell],
  );
  useCatchUp(cell.catchUp);
  useSyncExternalStore(cell.subscribe, cell.version, cell.version);
  return { state: cell.state, dispatch: cell.dispatch, cell };
};

/** Gives the list its rows and height; returns the state that fits them. Same rows need the same `ids` object. */
export const useListSync = ({ state, cell }: ListControl, ids: ListIds, height: number): ListState => {
  // Before the rows change: the row of the dialog is the one under the cursor so far.
  const held = useIsCovered() && !state.isAnchored ? { ...state, isAnchored: true } : state;
  const synced = reduceList(held, { type: 'sync', ids, height });
  useLayoutEffect(() => {
    cell.adopt(state, synced);
  });
  return synced;
};

export interface NamedSort extends Sort {
  /** The name of the sort in the palette. */
  readonly command: SafeText;
}

export interface ListKeysOptions {
  /** Sorts that `<` and `>` step through and the palette offers, each in its initial direction. */
  readonly sorts?: readonly NamedSort[] | undefined;
  readonly reveal?: Reveal | undefined;
  /** Means what it means in `layoutColumns`. */
  readonly maxColumnOffset?: number | undefined;
  readonly onChooseColumns?: (() => void) | undefined;
  readonly onToggleWide?: (() => void) | undefined;
  /** Called for moves while the list is empty. */
  readonly onMove?: (() => void) | undefined;
  readonly onOpen?: (() => void) | undefined;
  readonly onFilter?: (() => void) | undefined;
  readonly onClearFilter?: (() => void) | undefined;
  readonly onCopyId?: (() => void) | undefined;
  readonly onExport?: (() => void) | undefined;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of the scope `list` to a list. */
export const useListKeys = ({ dispatch, cell }: ListControl, options: ListKeysOptions = {}): void => {
  const {
    sorts = [],
    maxColumnOffset = 0,
    reveal,
    onChooseColumns,
    onToggleWide,
    onMove,
    onOpen,
    onFilter,
    onClearFilter,
    onCopyId,
    onExport,
    isActive,
  } = options;
  const canSort = sorts.length > 0;
  const step = (by: number): (() => void) | undefined =>
    canSort
      ? () => {
          dispatch({ type: 'sortStep', by, sorts, reveal });
        }
      : undefined;
  const move = (action: ListAction): (() => void) =>
    onMove ??
    (() => {
      cell.move(action);
    });
  const handlers = {
    moveUp: move({ type: 'move', by: -1 }),
    moveDown: move({ type: 'move', by: 1 }),
    pageUp: move({ type: 'page', by: -1 }),
    pageDown: move({ type: 'page', by: 1 }),
    moveFirst: move({ type: 'first' }),
    moveLast: move({ type: 'last' }),
    scrollLeft: () => {
      dispatch({ type: 'scrollColumns', by: -1, maxOffset: maxColumnOffset });
    },
    scrollRight: () => {
      dispatch({ type: 'scrollColumns', by: 1, maxOffset: maxColumnOffset });
    },
    sortNext: step(1),
    sortPrevious: step(-1),
    sortReverse: canSort
      ? () => {
          dispatch({ type: 'sortReverse' });
        }
      : undefined,
    chooseColumns: onChooseColumns,
    toggleWide: onToggleWide,
    open:
      onOpen === undefined
        ? undefined
        : () => {
            dispatch({ type: 'anchor' });
            onOpen();
          },
    filter: onFilter,
    clearFilter: onClearFilter,
    copyId: onCopyId,
    exportList: onExport,
  };
  const named = sorts.map(({ command, ...sort }): NamedCommand => ({
    name: command,
    group: 'List',
    run: () => {
      dispatch({ type: 'sortBy', sort, reveal });
    },
  }));
  useKeys('list', handlers, { isActive, named });
};

/** Shows a state without rendering; `false` when it cannot. */
type ShowList = (state: ListState) => boolean;

/** Rows do not change places for so long after a key: the next one may act on the row under the cursor. */
const keyRecentMs = 500;

/** Moves wait so long until React renders them. */
const notifyDelayMs = 100;

/**
 * Keeps the state of one list outside React: moves are drawn at once, and React renders when no further key follows.
 */
export class ListCell {
  readonly #onChange: (state: ListState) => void;
  readonly #listeners = new Set<() => void>();
  #state: ListState;
  #show: ShowList | undefined;
  #timer: NodeJS.Timeout | undefined;
  #version = 0;
  #lastKeyMs = -Infinity;

  /** @param onChange called at once for every change */
  constructor(state: ListState, onChange: (state: ListState) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  get state(): ListState {
    return this.#state;
  }

  /** Whether the operator has just moved or acted in the list. */
  readonly isKeyRecent = (): boolean => performance.now() - this.#lastKeyMs < keyRecentMs;

  /** Changes when React must render the list. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Makes `show` draw moves until the returned function is called. */
  readonly showMovesBy = (show: ShowList): (() => void) => {
    this.#show = show;
    return () => {
      this.#show = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  readonly dispatch = (action: ListAction): void => {
    this.#lastKeyMs = performance.now();
    if (this.#change(reduceList(this.#state, action))) {
      this.#notify();
    }
  };

  /** Dispatches an action that only moves. */
  readonly move = (action: ListAction): void => {
    this.#lastKeyMs = performance.now();
    if (!this.#change(reduceList(this.#state, action))) {
      return;
    }
    if (this.#show?.(this.#state) === true) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.catchUp, notifyDelayMs);
    } else {
      this.#notify();
    }
  };

  /** Renders pending moves. */
  readonly catchUp = (): void => {
    if (this.#timer !== undefined) {
      this.#notify();
    }
  };

  /** Stores the state `to` that was drawn for `from`, unless it has changed since. */
  readonly adopt = (from: ListState, to: ListState): void => {
    if (this.#state === from) {
      this.#change(to);
    }
  };

  #change(state: ListState): boolean {
    const isOther = state !== this.#state;
    this.#state = state;
    if (isOther) {
      this.#onChange(state);
    }
    return isOther;
  }

  #notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#version += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
