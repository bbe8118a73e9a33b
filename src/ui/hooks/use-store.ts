import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { Monitor, ReadableStore, ResourceName, Resources, ResourceState, Watched } from '../../monitor/state.ts';

/** A part of a store's state. Renders when that part changes, so the selector must not build new objects. */
export const useStore = <State, Selected>(store: ReadableStore<State>, selector: (state: State) => Selected): Selected => {
  const select = useCallback(() => selector(store.getState()), [store, selector]);
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener), [store]);
  return useSyncExternalStore(subscribe, select, select);
};

/** Selects the whole state. */
export const wholeState = <State>(state: State): State => state;

/** A text to compare by: an object built on every render is not a new watch. */
const keyOf = (watched: Watched | undefined): string => (watched === undefined ? '' : JSON.stringify(watched));

/** Keeps something fetched while mounted; `undefined` watches nothing. */
export const useWatch = (monitor: Pick<Monitor, 'watch'>, watched: Watched | undefined): void => {
  const key = keyOf(watched);
  useEffect(
    () => (watched === undefined ? undefined : monitor.watch(watched)),
    // oxlint-disable-next-line react/exhaustive-deps -- `key` stands for `watched`
    [monitor, key],
  );
};

/** Watches one of the polled resources and gives its state: data beside its error. */
export const useResource = <Name extends ResourceName>(monitor: Monitor, name: Name): ResourceState<Resources[Name]> => {
  useWatch(monitor, { kind: 'resource', name });
  const select = useCallback((state: ReturnType<Monitor['store']['getState']>) => state.resources[name], [name]);
  return useStore(monitor.store, select);
};

/** Keeps several things fetched while mounted, at least every `everySeconds`. A changed list is watched again as a whole. */
export const useWatches = (monitor: Pick<Monitor, 'watch'>, watched: readonly Watched[], everySeconds?: number): void => {
  const key = JSON.stringify(watched);
  useEffect(
    () => {
      const ends = watched.map((each) => monitor.watch(each, everySeconds));
      return () => { for (const end of ends) end(); };
    },
    // oxlint-disable-next-line react/exhaustive-deps -- `key` stands for `watched`
    [monitor, key, everySeconds],
  );
};
