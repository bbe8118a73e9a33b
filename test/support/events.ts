import type { TimelineEvent } from '../../src/domain/event.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { reading, withReading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';

/** Returns what the timeline of a state has, oldest first. */
export const eventsIn = (state: Pick<MonitorState, 'readings'>): readonly TimelineEvent[] =>
  reading(state, timelineEvents);

export const eventTextsIn = (state: Pick<MonitorState, 'readings'>): readonly string[] =>
  eventsIn(state).map(({ text }) => text);

let count = 0;

/** An event as a test needs it: by default a note of now. */
export function eventOf(event: Partial<TimelineEvent> & Pick<TimelineEvent, 'text'>): TimelineEvent {
  count += 1;
  return { id: `event ${count}`, atMs: Date.now(), kind: 'note', severity: 'info', run: 'run', ...event };
}

/** A patch of a state, whose timeline has these events. */
export const withEvents = (
  state: Pick<MonitorState, 'readings'>,
  ...events: readonly (Partial<TimelineEvent> & Pick<TimelineEvent, 'text'>)[]
): Pick<MonitorState, 'readings'> => withReading(state, timelineEvents, events.map(eventOf));
