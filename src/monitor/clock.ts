import { uptime } from 'node:os';

export interface Clock {
  /**
   * Steady time for durations and ages: the wall clock as of the start, counted on by the monotonic clock and through
   * suspends. Changes of the system time do not move it; `wallMs` makes a time of day of it.
   */
  nowMs(): number;
  /** Monotonic time in whole milliseconds, which may stand still while the machine is suspended. */
  monotonicMs(): number;
  setTimer(delayMs: number, fire: () => void): () => void;
}

export interface TimeSources {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  /** Time since the machine started, with suspends. */
  readonly uptimeMs: () => number;
}

export interface SteadyClock {
  readonly nowMs: () => number;
  /** Returns the time of day of a steady time, by the wall clock as it is set now. */
  readonly wallMs: (steadyMs: number) => number;
}

/** The clocks are read one after the other, so a smaller difference is no change. */
const toleranceMs = 1_000;

/**
 * Creates a clock that never goes back. When the wall clock moves on its own, only what the uptime confirms was a
 * suspend.
 */
export function createSteadyClock({ wallMs, monotonicMs, uptimeMs }: TimeSources): SteadyClock {
  let startMs = wallMs() - monotonicMs();
  let setByMs = 0;
  let sleptMs = uptimeMs() - monotonicMs();

  function noteChange(): void {
    const changeMs = wallMs() - setByMs - startMs - monotonicMs();
    if (Math.abs(changeMs) < toleranceMs) return;
    const nextSleptMs = uptimeMs() - monotonicMs();
    const passedMs = nextSleptMs - sleptMs < toleranceMs ? 0 : nextSleptMs - sleptMs;
    sleptMs = nextSleptMs;
    startMs += passedMs;
    setByMs += changeMs - passedMs;
  }

  return {
    nowMs() {
      noteChange();
      return Math.floor(startMs + monotonicMs());
    },
    wallMs(steadyMs) {
      noteChange();
      return steadyMs + Math.round(setByMs);
    },
  };
}

const steadyClock = createSteadyClock({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
});

export const { nowMs: steadyNowMs, wallMs } = steadyClock;

export const systemClock: Clock = {
  nowMs: steadyNowMs,
  monotonicMs: () => Math.floor(performance.now()),
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
