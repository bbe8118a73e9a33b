import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { visitKey } from '../navigation.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import type { Sort } from '../sort-order.ts';
import { ListCell } from './list-cell.ts';
import { useListMemory } from './list-memory.ts';
import type { NamedCommand } from '../keys/key-stack.ts';
import { type ListAction, type ListIds, type ListState, type Reveal, createListState, reduceList } from './list-state.ts';
import { useCatchUp, useKeys } from '../keys/use-keys.ts';
import { useVisit } from '../hooks/visit.ts';

export interface ListControl {
  readonly state: ListState;
  readonly dispatch: (action: ListAction) => void;
  readonly cell: ListCell;
}

/**
 * Sort, filter and place in a list. The rows depend on sort and filter, so they are given back in by
 * `useListSync` once they are known. With an `ownKey` the list is found again as it was left on this visit,
 * as long as there is a `ListMemoryProvider` above.
 */
export const useListState = (initialSort: Sort, ownKey?: string): ListControl => {
  const memory = useListMemory();
  const visit = useVisit();
  const memoryKey = ownKey === undefined ? undefined : visitKey(ownKey, visit);
  const [cell] = useState(() => {
    const recalled = memoryKey === undefined ? undefined : memory?.get(memoryKey);
    // At once: what is done to a list may take it off the screen before it is drawn again.
    return new ListCell(recalled ?? createListState(initialSort), (state) => { if (memoryKey !== undefined) memory?.set(memoryKey, state); });
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
