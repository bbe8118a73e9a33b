import { createJumpDetector } from '../clock.ts';
import type { Clock } from '../clock.ts';

/** A reading that takes longer was held up here, not at the broker: nobody knows when its figures were true. */
const longestReadingMs = 10_000;

export interface SampleTimesOptions {
  readonly clock: Clock;
  /** No step across this moment says anything. */
  readonly breakRates: () => void;
  /** The wall clock left the other one by so much. */
  readonly onJump: (jumpMs: number) => void;
}

/** When figures were read, and whether a rate between two readings can be told. */
export interface SampleTimes {
  /**
   * Called as a reading begins; its answer is called with how its figures are recorded, at a moment on
   * the monotonic clock.
   */
  begin(): (record: (atMs: number) => void) => void;
}

/** A machine that sleeps or a process that is stopped makes answers old, and rates across that wrong. */
export function createSampleTimes({ clock, breakRates, onJump }: SampleTimesOptions): SampleTimes {
  const clockJumpMs = createJumpDetector(clock);
  let jumps = 0;

  function lookForJump(): void {
    const jumpMs = clockJumpMs();
    if (jumpMs === 0) return;
    jumps += 1;
    breakRates();
    onJump(jumpMs);
  }

  return {
    begin() {
      lookForJump();
      const jumpsBefore = jumps;
      const beganMs = clock.monotonicMs();
      return (record) => {
        lookForJump();
        const atMs = clock.monotonicMs();
        record(atMs);
        // The figures may be from before: the step to the next ones is as long as nobody knows.
        if (jumps !== jumpsBefore || atMs - beganMs > longestReadingMs) breakRates();
      };
    },
  };
}
