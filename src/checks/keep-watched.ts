import { steadyNowMs } from '../monitor/clock.ts';
import { type Monitor, watchedKey } from '../monitor/state.ts';
import { maxBackgroundRows } from '../triage/needs.ts';
import { neededReads, triageOf } from './triage.ts';

/** Between two looks at what is to be read. */
const everyMs = 1_000;

/** Keeps everything read that the checks of a cluster need, without a screen, except for lists that are long. The result ends it. */
export function keepWatched(monitor: Monitor): () => void {
  const triage = triageOf(monitor);
  let held = new Map<string, () => void>();
  const look = (): void => {
    const state = monitor.store.getState();
    const wanted = neededReads(
      state,
      triage.update(state, steadyNowMs()),
      triage.sessionReadings(),
      undefined,
      maxBackgroundRows,
    );
    const next = new Map<string, () => void>();
    for (const { watched, everySeconds } of wanted) {
      const key = `${watchedKey(watched)} ${everySeconds ?? ''}`;
      next.set(key, held.get(key) ?? monitor.watch(watched, everySeconds));
    }
    for (const [key, release] of held) if (!next.has(key)) release();
    held = next;
  };
  look();
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    for (const release of held.values()) release();
  };
}
