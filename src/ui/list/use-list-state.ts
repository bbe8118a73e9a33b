import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Sort } from '../components/column.ts';
import type { NamedCommand } from '../keys/key-stack.ts';
import { useCatchUp, useKeys } from '../keys/use-keys.ts';
import { visitKey } from '../navigation.ts';
import { createListState, type ListAction, type ListIds, type ListState, reduceList, type Reveal, useListMemory, useVisitId } from './list-state.ts';

export interface ListControl {
  readonly state: ListState;
  readonly dispatch: (action: ListAction) => void;
  readonly cell: ListCell;
}

/** A value that is made once, and again for another key. */
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
 * Sort, filter and place in a list. The rows depend on sort and filter, so they are given back in by
 * `useListSync` once they are known. With an `ownKey` the list is found again as it was left on this visit,
 * as long as there is a `ListMemoryProvider` above.
 */
export const useListState = (initialSort: Sort, ownKey?: string, columnSet?: string): ListControl => {
  const memory = useListMemory();
  const visitId = useVisitId();
  const memoryKey = ownKey === undefined ? undefined : visitKey(ownKey, visitId);
  const cell = useKeyed(columnSet, () => {
    const recalled = memoryKey === undefined ? undefined : memory?.get(memoryKey);
    // At once: what is done to a list may take it off the screen before it is drawn again.
    return new ListCell(recalled === undefined ? createListState(initialSort) : { ...recalled, ids: [] }, (state) => { if (memoryKey !== undefined) memory?.set(memoryKey, state); });
  });
  useEffect(() => () => {
    if (memoryKey !== undefined && memory?.get(memoryKey) === cell.state) {
      // A long list is megabytes, and will be read anew.
      memory.set(memoryKey, { ...cell.state, ids: [] });
    }
  }, [memory, memoryKey, cell]);
  useCatchUp(cell.catchUp);
  useSyncExternalStore(cell.subscribe, cell.version, cell.version);
  return { state: cell.state, dispatch: cell.dispatch, cell };
};

/**
 * Tells the list which identities it shows, and how many rows fit; answers the state that fits them.
 * `ids` should be the same object as long as the rows are the same.
 */
export const useListSync = ({ state, cell }: ListControl, ids: ListIds, height: number): ListState => {
  const synced = reduceList(state, { type: 'sync', ids, height });
  useLayoutEffect(() => { cell.adopt(state, synced); });
  return synced;
};

/** A sort by what its column is called. */
export interface NamedSort extends Sort {
  readonly name: SafeText;
}

export interface ListKeysOptions {
  /** What `<` and `>` step through, and the palette offers by name: each the way round that it begins with. */
  readonly sorts?: readonly NamedSort[] | undefined;
  readonly reveal?: Reveal | undefined;
  /** As `layoutColumns` says. */
  readonly maxColumnOffset?: number | undefined;
  readonly onChooseColumns?: (() => void) | undefined;
  readonly onToggleWide?: (() => void) | undefined;
  /** Given only while nothing is listed that one could move to: hears of it in the list's place. */
  readonly onMove?: (() => void) | undefined;
  readonly onOpen?: (() => void) | undefined;
  readonly onFilter?: (() => void) | undefined;
  /** Given only while there is a filter: without it the key goes back. */
  readonly onClearFilter?: (() => void) | undefined;
  readonly onCopyId?: (() => void) | undefined;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of the scope `list` to a list. */
export const useListKeys = ({ dispatch, cell }: ListControl, options: ListKeysOptions = {}): void => {
  const { sorts = [], maxColumnOffset = 0, reveal, onChooseColumns, onToggleWide, onMove, onOpen, onFilter, onClearFilter, onCopyId, isActive } = options;
  const canSort = sorts.length > 0;
  const step = (by: number): (() => void) | undefined =>
    canSort ? () => { dispatch({ type: 'sortStep', by, sorts, reveal }); } : undefined;
  const move = (action: ListAction): (() => void) => onMove ?? (() => { cell.move(action); });
  const handlers = {
    moveUp: move({ type: 'move', by: -1 }),
    moveDown: move({ type: 'move', by: 1 }),
    pageUp: move({ type: 'page', by: -1 }),
    pageDown: move({ type: 'page', by: 1 }),
    moveFirst: move({ type: 'first' }),
    moveLast: move({ type: 'last' }),
    scrollLeft: () => { dispatch({ type: 'scrollColumns', by: -1, maxOffset: maxColumnOffset }); },
    scrollRight: () => { dispatch({ type: 'scrollColumns', by: 1, maxOffset: maxColumnOffset }); },
    sortNext: step(1),
    sortPrevious: step(-1),
    sortReverse: canSort ? () => { dispatch({ type: 'sortReverse' }); } : undefined,
    chooseColumns: onChooseColumns,
    toggleWide: onToggleWide,
    open: onOpen === undefined ? undefined : () => { dispatch({ type: 'anchor' }); onOpen(); },
    filter: onFilter,
    clearFilter: onClearFilter,
    copyId: onCopyId,
  };
  const named = sorts.map(({ name, ...sort }): NamedCommand => ({ name: safe`Sort by ${name}`, run: () => { dispatch({ type: 'sortBy', sort, reveal }); } }));
  useKeys('list', handlers, { isActive, named });
};

/** Shows the list at another place without drawing anything else; `false` when it cannot. */
type ShowList = (state: ListState) => boolean;

/** How long the rest of the screen waits for keys that follow each other. */
const heardAfterMs = 100;

/**
 * Where one list stands, kept outside React: a key that only moves can be shown at once, and React hears of it when no
 * other follows. So whatever else is drawn meanwhile reads the place from here.
 */
export class ListCell {
  readonly #onChange: (state: ListState) => void;
  readonly #listeners = new Set<() => void>();
  #state: ListState;
  #show: ShowList | undefined;
  #timer: NodeJS.Timeout | undefined;
  #version = 0;

  /** `onChange` hears of every change at once. */
  constructor(state: ListState, onChange: (state: ListState) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  get state(): ListState {
    return this.#state;
  }

  /** Another number once React is to draw the list anew. */
  readonly version = (): number => this.#version;

  /** Calls `listener` when React is to draw the list anew; the answer ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  };

  /** Until the answer is called, moves are shown by `show`. */
  readonly showMovesBy = (show: ShowList): (() => void) => {
    this.#show = show;
    return () => {
      this.#show = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  readonly dispatch = (action: ListAction): void => {
    if (this.#change(reduceList(this.#state, action))) {
      this.#tell();
    }
  };

  /** As `dispatch`, for what changes nothing but the place of cursor and window. */
  readonly move = (action: ListAction): void => {
    if (!this.#change(reduceList(this.#state, action))) {
      return;
    }
    if (this.#show?.(this.#state) === true) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.catchUp, heardAfterMs);
    } else {
      this.#tell();
    }
  };

  /** Has React hear at once of moves that it has not heard of. */
  readonly catchUp = (): void => {
    if (this.#timer !== undefined) {
      this.#tell();
    }
  };

  /** The list has just been drawn as `to`, which was `from` before it had the rows of now. */
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

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#version += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
