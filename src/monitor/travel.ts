import type { Moment } from './shown-time.ts';
import type { MonitorState } from './state.ts';

/** Whether a move led to another sample, and if not, why. */
export type Travelled = 'moved' | 'nothing-recorded' | 'first' | 'last' | 'no-event' | 'not-moved';

/** Moves through a recording. Moves that are made while earlier ones are read wait for them, up to a limit. */
export interface Travel {
  /** Shows the last sample. */
  open(): Promise<Travelled>;
  /** Shows the sample before or after the one shown; from now, the last but one. */
  step(by: -1 | 1): Promise<Travelled>;
  /** Shows the sample that is so much later, or earlier if negative. */
  skip(ms: number): Promise<Travelled>;
  /** Shows the first sample that has the next event. */
  nextEvent(): Promise<Travelled>;
  /** Shows the sample that is nearest to a time. */
  goTo(wallMs: number): Promise<Travelled>;
  /**
   * Reads the sample that is nearest to a time, with whole lists, without showing it, once earlier moves are done.
   * `undefined` while nothing is recorded.
   */
  read(wallMs: number): Promise<{ readonly at: Moment; readonly state: MonitorState } | undefined>;
  /**
   * Calls `act` on what the moves made before show: at once if all are done, and not at all if they show no moment or now
   * was returned to.
   */
  whenMoved(act: () => void): void;
  /**
   * Returns the state of a moment, with the lists that were being read at it as they were before, as far as that was
   * recorded.
   */
  whole(moment: { readonly at: Moment; readonly state: MonitorState }): Promise<MonitorState>;
  /**
   * Lets time pass so many times as fast as it did, from the moment shown, until another move or the end of what is
   * recorded, where a live monitor returns to now. Times in which nothing was recorded are skipped. Resolves with `last` at
   * the end.
   */
  play(speed: number): Promise<Travelled>;
  /** Stays at the moment that is shown. */
  stop(): void;
  /** Returns to now. */
  leave(): void;
}
