import type { ActingState } from '../../src/actions/acting-monitor.ts';
import type { PastEvent } from '../../src/monitor/state.ts';
import type { ReplaySample, ReplaySource } from '../../src/replay/replay-monitor.ts';

/** A moment at a time of the wall clock, of a process whose other clocks show other times. */
export const momentAt = (wallMs: number) => ({ wallMs, steadyMs: wallMs - 7_000, monotonicMs: wallMs - 1_000_000 });

/** A recording of states in memory. */
export function sourceOf(
  states: readonly (readonly [wallMs: number, state: Partial<ActingState>])[],
  events: readonly PastEvent[] = [],
  program = '0.1.0',
): ReplaySource {
  const samples = states.map(([wallMs, state]): ReplaySample => ({ at: momentAt(wallMs), program, state }));
  const times = states.map(([wallMs]) => wallMs);
  const [fromMs, toMs] = [times[0], times.at(-1)];
  return {
    range: () => (fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }),
    samples: () => times,
    at: (wallMs) => Promise.resolve(samples.findLast(({ at }) => at.wallMs <= wallMs) ?? samples[0]),
    next: (sample) => Promise.resolve(samples[samples.indexOf(sample) + 1]),
    previous: (sample) => Promise.resolve(samples[samples.indexOf(sample) - 1]),
    events: (from, to) => Promise.resolve(events.filter(({ atMs }) => atMs >= from && atMs <= to)),
  };
}
