import { isAbsent } from '../api/errors.ts';
import { isLacking } from '../api/capabilities.ts';
import { createHeldWatches } from '../checks/keep-watched.ts';
import type { Clock } from '../monitor/clock.ts';
import { asWatch, reading, type Watchable, watchKey } from '../monitor/query/part.ts';
import type { Monitor, MonitorState, ResourceState } from '../monitor/state.ts';
import { allNouns } from '../resources/nouns.ts';

/** One list is read in this time, and then the next one. */
const everyMs = 60_000;
/** Later than the next list: one that has been read is not read again while it is held. */
const againSeconds = 90;

const resourceOf = (state: MonitorState, watchable: Watchable): ResourceState<unknown> => {
  const { query, key } = asWatch(watchable);
  return reading(state, query, ...(key as never)) as ResourceState<unknown>;
};

/** Returns the lists that people change, without those that the broker lacks or the login may not read. */
const administeredLists = (state: MonitorState): readonly Watchable[] =>
  allNouns
    .filter(
      ([, { capability, compared }]) =>
        compared !== 'no' &&
        compared.administered !== undefined &&
        (capability === undefined || !isLacking(capability, state.capabilities)),
    )
    .flatMap(([, { watches }]) => watches(state))
    .filter((watchable) => {
      const { error } = resourceOf(state, watchable);
      return error === undefined || !isAbsent(error);
    });

/**
 * Reads the lists that people change one after the other, one a minute, whichever screen is open; without those that are
 * read anyway. Returns a function that ends it.
 */
export function readAdministered(monitor: Pick<Monitor, 'store' | 'watch'>, clock: Clock): () => void {
  const { hold, release } = createHeldWatches(monitor);
  let lastKey: string | undefined;
  let cancel = clock.setTimer(everyMs, next);
  function next(): void {
    cancel = clock.setTimer(everyMs, next);
    release();
    const state = monitor.store.getState();
    const watched = new Set((state.watched ?? []).map(watchKey));
    const lists = administeredLists(state);
    const place = lists.findIndex((list) => watchKey(list) === lastKey) + 1;
    const list = [...lists.slice(place), ...lists.slice(0, place)].find((each) => !watched.has(watchKey(each)));
    if (list === undefined) return;
    lastKey = watchKey(list);
    hold([{ watched: list, everySeconds: againSeconds }]);
  }
  return () => {
    cancel();
    release();
  };
}
