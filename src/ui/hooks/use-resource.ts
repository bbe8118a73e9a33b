import { useCallback, useEffect } from 'react';
import type { Monitor, ResourceName, Resources, ResourceState, Watched } from '../../monitor/state.ts';
import { useStore } from './use-store.ts';

/** One text for one thing to watch, so that an object built anew on every render is not a new wish. */
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
