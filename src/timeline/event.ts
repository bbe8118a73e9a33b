import type { EventFacts, EventSeverity } from '../domain/event.ts';

export { eventKinds, eventSeverities } from '../domain/event.ts';

/** Something that happened to the cluster, or was done to it. Texts are raw, and may contain text of the broker. */
export interface TimelineEvent extends EventFacts {
  /** Unique over all runs of the program. */
  readonly id: string;
  /** The time of day, in milliseconds since 1970. */
  readonly atMs: number;
  readonly severity: EventSeverity;
  readonly text: string;
  /** When the problem began: milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** The run of the program that saw it. */
  readonly run: string;
}
