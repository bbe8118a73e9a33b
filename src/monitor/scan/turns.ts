/** Gives turns, one at a time, in the order asked for. */
export interface Turns {
  /** Waits for the turn; the answer gives it back. When `signal` ends first it resolves without a turn. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    async take(signal) {
      const { promise, resolve: giveBack } = Promise.withResolvers<void>();
      const before = last;
      last = before.then(() => promise);
      await Promise.race([before, ended(signal)]);
      return giveBack;
    },
  };
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => { resolve(); }, { once: true });
  });
}
