interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
  isLate: boolean;
}

/** Runs work in its turn. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * One thing after the other, in the order in which they came: what has waited for `patienceMs` runs beside the others,
 * as long as these are fewer than `most`.
 */
export function createPatientLimit(most: number, patienceMs: number): Limit {
  const waiting: Waiting[] = [];
  let running = 0;

  function startNext(): void {
    for (let first = waiting[0]; first !== undefined && (running === 0 || (first.isLate && running < most)); first = waiting[0]) {
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
