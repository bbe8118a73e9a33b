import type { TimelineEvent } from '../../domain/event.ts';
import { type EventsCommand, eventsSince, type EventsStreams, printEvents } from '../events/command.ts';
import { openPlace } from './place.ts';

/**
 * Prints the events of a recording, oldest first, in the formats of `events`.
 *
 * @returns 0
 * @throws UsageError if there is no recording, or no such time or column
 */
export async function runReplayEvents(
  place: string,
  { since, ...request }: EventsCommand,
  streams: Pick<EventsStreams, 'stdout' | 'env'>,
  nowMs = Date.now(),
): Promise<number> {
  const recording = await openPlace<TimelineEvent>(place);
  const endMs = Math.min(nowMs, recording.range()?.toMs ?? nowMs);
  const events = await recording.events(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  await recording.close();
  printEvents(eventsSince(events, since, endMs), request, streams);
  return 0;
}
