import type { Clock } from '../../src/monitor/clock.ts';

/** A clock that stands still until it is moved. Starts at wall 1,000,000,000,000 and monotonic 1,000. */
export interface FakeClock extends Clock {
  /** Moves both clocks, firing each timer at its moment and letting promises settle after it. */
  advance(ms: number): Promise<void>;
  /** Both clocks go on and nothing runs, as for a stopped process; what was due meanwhile fires afterwards, late. */
  stall(ms: number): Promise<void>;
  /** Lets promises settle; no time passes. */
  settle(): Promise<void>;
  /** Moves the wall clock alone: a suspended machine, or a clock that was set. */
  jumpWall(ms: number): void;
  /** Timers that have not fired. */
  pendingTimers(): number;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** All work between two timers is in promises: one turn of the event loop runs them to the end. */
const settle = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

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
    for (const timer of timers) if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    return next;
  }

  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer(delayMs, fire) {
      const timer: Timer = { dueMs: monotonicMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return () => { timers.delete(timer); };
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
    jumpWall(ms) { wallMs += ms; },
    pendingTimers: () => timers.size,
  };
}
