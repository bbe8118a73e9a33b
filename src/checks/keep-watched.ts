import { nodeMetricsSeconds } from '../monitor/polling/intervals.ts';
import type { Monitor } from '../monitor/state.ts';
import { maxBackgroundRows, type Need } from '../triage/needs.ts';
import { neededReads } from './triage.ts';
import { reading, watchKey, watchOf } from '../monitor/query/part.ts';
import { triageView } from '../triage/view.ts';
import { nodeMetrics } from '../resources/metrics/resource.ts';
import { selectBackgroundNodes } from '../resources/metrics/rates.ts';

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
 * Keeps everything read that the checks of a cluster need, whichever screen is open, except for lists that are long; and
 * the counters of nodes that the cluster's answer does not tell apart, so that each has a history before it is shown.
 * Returns a function that ends it.
 */
export function keepWatched(monitor: Pick<Monitor, 'store' | 'watch'>): () => void {
  const { hold, release } = createHeldWatches(monitor);
  let isHolding = false;
  let isLate = false;
  const look = (): void => {
    isLate = isHolding;
    if (isHolding) return;
    isHolding = true;
    const state = monitor.store.getState();
    const { report, sessionReadings } = reading(state, triageView);
    hold([
      ...neededReads(state, report, sessionReadings, undefined, maxBackgroundRows),
      ...selectBackgroundNodes(state).map((node) => ({
        watched: watchOf(nodeMetrics, node),
        everySeconds: nodeMetricsSeconds,
      })),
    ]);
    isHolding = false;
    // What is watched is a part of the state, and may be published at once.
    if (isLate) look();
  };
  look();
  const unsubscribe = monitor.store.subscribe(look);
  return () => {
    unsubscribe();
    release();
  };
}
