import { useCallback, useSyncExternalStore } from 'react';
import type { StoreApi } from 'zustand/vanilla';

/** A part of a store's state; renders again only when that part is another one, so the selector builds nothing new. */
export const useStore = <State, Selected>(store: StoreApi<State>, selector: (state: State) => Selected): Selected => {
  const select = useCallback(() => selector(store.getState()), [store, selector]);
  return useSyncExternalStore(store.subscribe, select, select);
};

/** Selects all there is, for what shows a little of everything. */
export const wholeState = <State>(state: State): State => state;
