import type { Clock } from '../../src/monitor/clock.ts';

/** A clock that stands still until it is moved. Starts at 1,000,000,000,000 ms (wall) and 1,000 ms (monotonic). */
export interface FakeClock extends Clock {
  /** Moves both clocks, fires each timer at its time, and lets promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Moves both clocks as for a stopped process: timers that were due meanwhile fire late. */
  stall(ms: number): Promise<void>;
  /** Lets promises settle; no time passes. */
  settle(): Promise<void>;
  /** Moves the wall clock only: a suspended machine, or a changed system time. */
  jumpWall(ms: number): void;
  /** Timers that have not fired. */
  pendingTimers(): number;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** All work between two timers is in promises, so one turn of the event loop completes it. */
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export function createFakeClock(): FakeClock {
  let wallMs = 1_000_000_000_000;
  let monotonicMs = 1_000;
  const timers = new Set<Timer>();

  function moveTo(targetMs: number): void {
    wallMs += targetMs - monotonicMs;
    monotonicMs = targetMs;
  }

  function nextTimer(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers)
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    return next;
  }

  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer(delayMs, fire) {
      const timer: Timer = { dueMs: monotonicMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      const untilMs = monotonicMs + ms;
      await settle();
      for (let timer = nextTimer(untilMs); timer !== undefined; timer = nextTimer(untilMs)) {
        timers.delete(timer);
        moveTo(Math.max(timer.dueMs, monotonicMs));
        timer.fire();
        await settle();
      }
      moveTo(untilMs);
    },
    async stall(ms) {
      moveTo(monotonicMs + ms);
      await this.advance(0);
    },
    settle,
    jumpWall(ms) {
      wallMs += ms;
    },
    pendingTimers: () => timers.size,
  };
}
