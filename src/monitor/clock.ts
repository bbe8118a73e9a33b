export interface Clock {
  /** Wall clock; may jump. */
  nowMs(): number;
  /** Monotonic; may stand still while the machine is suspended. */
  monotonicMs(): number;
  setTimer(delayMs: number, fire: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts; never rejects. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.setTimer(delayMs, end);
    signal.addEventListener('abort', end);
  });
}
