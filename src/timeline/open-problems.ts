import type { TimelineEvent } from '../domain/event.ts';

/** Returns the problems that were open after these events, as they began, by key. */
export function openAfter(events: readonly TimelineEvent[]): ReadonlyMap<string, TimelineEvent> {
  const open = new Map<string, TimelineEvent>();
  for (const event of events) {
    const { kind, problem, check, sinceMs } = event;
    if (problem === undefined || check === undefined) continue;
    if (kind === 'ended' || kind === 'api-back') open.delete(problem);
    else if (sinceMs !== undefined && (kind === 'began' || kind === 'known' || kind === 'api-lost'))
      open.set(problem, event);
  }
  return open;
}
