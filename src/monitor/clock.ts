/** Time, injected so that tests move it by hand. */
export interface Clock {
  /** Wall clock, `Date.now()`; may jump. */
  nowMs(): number;
  /** A clock that only moves forward; may stand still while the machine is suspended. */
  monotonicMs(): number;
  /** Calls `fire` once, after `delayMs`; the answer cancels it. */
  setTimer(delayMs: number, fire: () => void): () => void;
}

/** The real clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when `signal` ends; never rejects, so the caller looks at the signal. */
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

/** More than this between the wall clock and the other one is a jump, not drift. */
const jumpToleranceMs = 5_000;

/**
 * Tells by how many milliseconds the wall clock left the monotonic one since the last question: a
 * suspended machine or a clock that was set. 0 when it did not.
 */
export function createJumpDetector(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const nextMs = clock.nowMs() - clock.monotonicMs();
    const jumpMs = nextMs - offsetMs;
    offsetMs = nextMs;
    return Math.abs(jumpMs) > jumpToleranceMs ? jumpMs : 0;
  };
}
