import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { type Part, type QueryKey, reading, type Watchable, watchKey, watchOf } from '../../monitor/query/part.ts';
import type { Resource } from '../../monitor/query/query.ts';
import type { Monitor, MonitorState, ReadableStore, ResourceState } from '../../monitor/state.ts';

/** Renders when the selected part changes, so the selector must not build new objects. */
export const useStore = <State, Selected>(
  store: ReadableStore<State>,
  selector: (state: State) => Selected,
): Selected => {
  const select = useCallback(() => selector(store.getState()), [store, selector]);
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener), [store]);
  return useSyncExternalStore(subscribe, select, select);
};

export const wholeState = <State>(state: State): State => state;

/** Returns a text to compare by: an object built on every render is not a new watch. */
const keyOf = (watched: Watchable | undefined): string => (watched === undefined ? '' : watchKey(watched));

export const useWatch = (monitor: Pick<Monitor, 'watch'>, watched: Watchable | undefined): void => {
  const key = keyOf(watched);
  useEffect(
    () => (watched === undefined ? undefined : monitor.watch(watched)),
    // oxlint-disable-next-line react/exhaustive-deps -- `key` stands for `watched`
    [monitor, key],
  );
};

/** A part of the state, without watching it. */
export const useReading = <State, Key extends QueryKey>(
  { store }: Pick<Monitor, 'store'>,
  part: Part<State, Key>,
  ...key: Key
): State => {
  const text = part.textOf(...key);
  const select = useCallback(
    (state: MonitorState) => reading(state, part, ...key),
    // oxlint-disable-next-line react/exhaustive-deps -- `text` stands for `key`
    [part, text],
  );
  return useStore(store, select);
};

/** Returns what is known of a resource, and reads it while the component is shown. */
export const useResource = <Data, Key extends QueryKey>(
  monitor: Monitor,
  resource: Resource<Data, Key>,
  ...key: Key
): ResourceState<Data> => {
  useWatch(monitor, watchOf(resource, ...key));
  return useReading(monitor, resource, ...key);
};

/** Watches a list of resources. A changed list is watched again as a whole. */
export const useWatches = (
  monitor: Pick<Monitor, 'watch'>,
  watched: readonly Watchable[],
  everySeconds?: number,
): void => {
  const key = JSON.stringify(watched.map(watchKey));
  useEffect(
    () => {
      const ends = watched.map((each) => monitor.watch(each, everySeconds));
      return () => {
        for (const end of ends) end();
      };
    },
    // oxlint-disable-next-line react/exhaustive-deps -- `key` stands for `watched`
    [monitor, key, everySeconds],
  );
};

export const useFetchContext = (monitor: Monitor, nowMs: number): FetchContext => {
  const isFrozen = useStore(monitor.store, (state) => state.isFrozen);
  const isUnauthorized = useStore(monitor.store, (state) => state.isUnauthorized);
  const isPast = useStore(monitor.store, (state) => state.past !== undefined);
  return { nowMs, isFrozen, isUnauthorized, isPast };
};

/** Whether anything is polled now. */
export interface FetchContext {
  readonly nowMs: number;
  readonly isFrozen: boolean;
  readonly isUnauthorized: boolean;
  /** A moment of a recording is shown: what it does not have is not being read. */
  readonly isPast?: boolean | undefined;
}
