import { useEffect } from 'react';
import type { Monitor, Watched } from '../../monitor/state.ts';

/** Keeps several things fetched while mounted, at least every `everySeconds`. A list that changes is given up and asked for anew as a whole. */
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
