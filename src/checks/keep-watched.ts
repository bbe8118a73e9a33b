import { steadyNowMs } from '../monitor/clock.ts';
import type { Monitor } from '../monitor/state.ts';
import { maxBackgroundRows, type Need } from '../triage/needs.ts';
import { neededReads, triageOf } from './triage.ts';
import { watchKey } from '../monitor/query/part.ts';

/** The needs of the checks are decided so often. */
const everyMs = 1_000;

/** Watches a changing list. What stays in it is not watched again. */
export function createHeldWatches(monitor: Pick<Monitor, 'watch'>): {
  readonly hold: (wanted: readonly Need[]) => void;
  readonly release: () => void;
} {
  let held = new Map<string, () => void>();
  const hold = (wanted: readonly Need[]): void => {
    const next = new Map<string, () => void>();
    for (const { watched, everySeconds } of wanted) {
      const key = `${watchKey(watched)} ${everySeconds ?? ''}`;
      next.set(key, held.get(key) ?? monitor.watch(watched, everySeconds));
    }
    for (const [key, release] of held) if (!next.has(key)) release();
    held = next;
  };
  return {
    hold,
    release: () => {
      hold([]);
    },
  };
}

/**
 * Keeps everything read that the checks of a cluster need, without a screen, except for lists that are long. Returns a
 * function that ends it.
 */
export function keepWatched(monitor: Monitor): () => void {
  const triage = triageOf(monitor);
  const { hold, release } = createHeldWatches(monitor);
  const look = (): void => {
    const state = monitor.store.getState();
    const report = triage.update(state, steadyNowMs());
    hold(neededReads(state, report, triage.sessionReadings(), undefined, maxBackgroundRows));
  };
  look();
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    release();
  };
}
