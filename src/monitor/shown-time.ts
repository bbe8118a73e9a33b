import { steadyNowMs, systemClock, wallMs } from './clock.ts';

/** One moment by all clocks of the process that saw it. */
export interface Moment {
  readonly steadyMs: number;
  readonly monotonicMs: number;
  readonly wallMs: number;
}

let past: Moment | undefined;
const listeners = new Set<() => void>();

/** Sets the moment that screens show. `undefined`: now, which goes on. */
export function showMoment(moment: Moment | undefined): void {
  if (past === moment) return;
  past = moment;
  for (const listener of listeners) listener();
}

/** The moment of the past that screens show; `undefined` if it is now. */
export const shownMoment = (): Moment | undefined => past;

/** Calls `listener` when another moment is shown. Returns a function that ends it. */
export function onMoment(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Returns the steady time that screens show as now, of the process that saw the moment. */
export const shownNowMs = (): number => past?.steadyMs ?? steadyNowMs();

/** Returns the time of day of a steady time, for screens: of the clock of the process that saw the moment. */
export const shownWallMs = (steadyMs: number): number =>
  past === undefined ? wallMs(steadyMs) : steadyMs - past.steadyMs + past.wallMs;

/** By how much the time of day is ahead of the monotonic time of the process that saw the moment. */
export const shownClockOffsetMs = (): number =>
  past === undefined ? wallMs(steadyNowMs()) - systemClock.monotonicMs() : past.wallMs - past.monotonicMs;
