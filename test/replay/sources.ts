import type { ActingState } from '../../src/actions/acting-monitor.ts';
import type { Past, PastEvent } from '../../src/monitor/state.ts';
import type { ReplaySource } from '../../src/replay/replay-monitor.ts';

/** A moment at a time of the wall clock, of a process whose other clocks show other times. */
export const momentAt = (wallMs: number) => ({ wallMs, steadyMs: wallMs - 7_000, monotonicMs: wallMs - 1_000_000 });

/** After so long without a sample, nothing was recorded. */
const gapMs = 120_000;

/** A recording of states in memory. */
export function sourceOf(
  states: readonly (readonly [wallMs: number, state: Partial<ActingState>])[],
  events: readonly PastEvent[] = [],
  program = '0.1.0',
): ReplaySource {
  const group = {};
  const samples = states.map(([wallMs, state], index) => ({
    at: momentAt(wallMs),
    program,
    state,
    place: { group, index },
  }));
  const times = states.map(([wallMs]) => wallMs);
  const [fromMs, toMs] = [times[0], times.at(-1)];
  const gaps = times.flatMap((time, index): readonly Past['range'][] => {
    const next = times[index + 1];
    return next !== undefined && next - time > gapMs ? [{ fromMs: time, toMs: next }] : [];
  });
  return {
    range: () => (fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }),
    gaps: () => gaps,
    at: (wallMs) => Promise.resolve(samples.findLast(({ at }) => at.wallMs <= wallMs) ?? samples[0]),
    next: ({ place }) => Promise.resolve(samples[place.index + 1]),
    previous: ({ place }) => Promise.resolve(samples[place.index - 1]),
    events: (from, to) =>
      Promise.resolve(
        events
          .filter(({ atMs }) => atMs >= from && atMs <= to)
          .map((event) => ({ ...event, id: `${event.atMs} ${event.severity}` })),
      ),
  };
}
