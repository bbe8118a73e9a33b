import type { Jump } from './jump.ts';
import type { NodeName } from './node.ts';

/**
 * What happened:
 * - of a problem: it `began`, got `worse` (critical) or `eased` (a warning), cannot be read (`unknown`) and can be again
 *   (`known`), is now known to be of somebody (`named`), `ended`, was `acknowledged` or no longer is
 * - `api-lost`, `api-back`, `failover`, `sign-in`: of the connection
 * - `action`, `bulk`: what was done from here; `change`: what others changed, such as a setting
 * - `note`: of the program itself
 */
export const eventKinds = [
  'began',
  'worse',
  'eased',
  'unknown',
  'known',
  'named',
  'ended',
  'acknowledged',
  'unacknowledged',
  'alarm-set',
  'alarm-cleared',
  'node',
  'api-lost',
  'api-back',
  'failover',
  'sign-in',
  'action',
  'bulk',
  'change',
  'note',
] as const;

export type EventKind = (typeof eventKinds)[number];

export const eventSeverities = ['critical', 'warning', 'info'] as const;

export type EventSeverity = (typeof eventSeverities)[number];

/** What an event of the kind `action` says besides its text. */
export interface EventAction {
  /** The name of the action, such as `disconnect-client`. */
  readonly name: string;
  readonly outcome: 'done' | 'accepted' | 'not-done' | 'unknown';
  /** The key of the action's record, unique over all runs: what became of the action later has it, too. */
  readonly record?: string | undefined;
  /** Who did it: the user of the machine. */
  readonly by?: string | undefined;
  /** The facts that its definition needs to take it back. Plain JSON without secrets; `undefined` if it cannot be undone. */
  readonly changed?: unknown;
}

/** What is known of an event besides its time and its text. */
export interface EventFacts {
  readonly kind: EventKind;
  /** The check that found the problem, and the code of what it found. */
  readonly check?: string | undefined;
  readonly code?: string | undefined;
  /** The key of the problem, which stays the same from its beginning to its end, however it is grouped on screen. */
  readonly problem?: string | undefined;
  readonly node?: NodeName | undefined;
  readonly clientId?: string | undefined;
  readonly topic?: string | undefined;
  /** The keys of problems that were told by themselves, and go on as this one. */
  readonly replaces?: readonly string[] | undefined;
  /** It has no end, as it was a change of one moment. */
  readonly isMoment?: true | undefined;
  /** The beginning is not known: the problem began at that time at the latest. */
  readonly isBeginUnknown?: true | undefined;
  /** How long it lasted, of what ended. */
  readonly lastedMs?: number | undefined;
  /** How many messages were lost meanwhile, if known. */
  readonly lost?: number | undefined;
  /** Where Enter leads. */
  readonly jump?: Jump | undefined;
  readonly action?: EventAction | undefined;
}

/** Something that happened to the cluster, or was done to it. Texts are raw, and may contain text of the broker. */
export interface TimelineEvent extends EventFacts {
  /** Unique over all runs of the program. */
  readonly id: string;
  /** The time of day, in milliseconds since 1970. */
  readonly atMs: number;
  readonly severity: EventSeverity;
  readonly text: string;
  /** The beginning of the problem, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** How often the event was repeated in a row, and since when; it happened last at `atMs`. Absent for a single one. */
  readonly repeated?: { readonly times: number; readonly sinceMs: number } | undefined;
  /** The run of the program that saw it. */
  readonly run: string;
}
