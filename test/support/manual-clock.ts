import type { ServedClock } from '../../src/api/dialect.ts';

/** The time of a profile: seconds pass when the test says so. */
export interface ManualClock extends ServedClock {
  advanceSecond(): void;
  /** Sleeps end at once. */
  isSleepless: boolean;
  /** Milliseconds of each sleep. */
  readonly slept: number[];
}

export function createManualClock(): ManualClock {
  const everySecond = new Set<() => void>();
  const clock: ManualClock = {
    isSleepless: false,
    slept: [],
    advanceSecond: () => {
      for (const run of everySecond) run();
    },
    everySecond: (run) => {
      everySecond.add(run);
      return () => {
        everySecond.delete(run);
      };
    },
    sleep: (ms, signal) => {
      clock.slept.push(ms);
      if (clock.isSleepless) return Promise.resolve();
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
  return clock;
}
