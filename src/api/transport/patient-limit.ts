interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
  isLate: boolean;
}

/** Runs a job when it is its turn. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs one job at a time, first come, first served. A job that has waited for `patienceMs` runs in parallel, as long as
 * fewer than `max` are running.
 */
export function createPatientLimit(max: number, patienceMs: number): Limit {
  const waiting: Waiting[] = [];
  let running = 0;

  function startNext(): void {
    for (let first = waiting[0]; first !== undefined && (running === 0 || (first.isLate && running < max)); first = waiting[0]) {
      waiting.shift();
      clearTimeout(first.timer);
      running += 1;
      first.start();
    }
  }

  return async (work) => {
    await new Promise<void>((start) => {
      const timer = setTimeout(() => {
        entry.isLate = true;
        startNext();
      }, patienceMs);
      const entry: Waiting = { start, timer, isLate: false };
      waiting.push(entry);
      startNext();
    });
    try {
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
