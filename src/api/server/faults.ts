import type { ServedClock, ServedFaults } from '../dialect.ts';

/** Returns a function that says whether this request is one of those that a busy broker refuses. */
export function createBusyCheck(faults: ServedFaults | undefined): () => boolean {
  let requests = 0;
  return () => {
    requests += 1;
    return faults !== undefined && faults.busyEvery > 0 && requests % faults.busyEvery === 0;
  };
}

/** Waits until the client is gone. @throws the reason of the signal */
export async function neverAnswer(clock: ServedClock | undefined, signal: AbortSignal): Promise<never> {
  for (;;) {
    if (clock === undefined) throw new TypeError('no clock');
    await clock.sleep(3_600_000, signal);
  }
}
