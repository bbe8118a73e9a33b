import type { MetricName } from '../domain/metrics.ts';
import type { Sentence } from '../domain/sentence.ts';
import type { Severity } from './thresholds.ts';
import type { Jump } from '../domain/jump.ts';

export type { Jump };

/** One kind of problem, and the facts behind it. Rates are per second, shares 0 to 1. */
export interface Problem<Code extends string = string, Evidence extends object = object> {
  readonly code: Code;
  readonly evidence: Evidence;
}

/** A problem as a check finds it. All times are steady (`Clock.nowMs`). */
export type Found<P extends Problem = Problem> = P & {
  readonly key: string;
  readonly severity: Severity;
  /** The problem began at this time, if known. */
  readonly sinceMs?: number | undefined;
  /** The event happened at this time; it has no end. */
  readonly atMs?: number | undefined;
  /** When the problem was first found, if its beginning is not known. */
  readonly foundMs?: number | undefined;
  /**
   * When what it is about last happened, where its figures are averages of the time before: the problem has ended then,
   * once it is no longer found.
   */
  readonly happenedMs?: number | undefined;
  /** When the problem was last seen; set when its data is no longer current. */
  readonly seenMs?: number | undefined;
  /**
   * The next reading shows whether it is a problem by itself or the beginning of a wider one: it opens no problem yet.
   */
  readonly isUndecided?: true | undefined;
  /** The key of the finding that causes this one. While that is open, the two are one problem. */
  readonly partOf?: string | undefined;
};

/** A problem with the check that found it, and what is known of it besides. */
export type Finding<P extends Problem = Problem> = Found<P> & {
  readonly check: string;
  readonly jump: Jump;
  readonly acknowledged?: Acknowledgement | undefined;
  /** The keys of the findings that a row stands for, if it stands for several. */
  readonly members?: readonly string[] | undefined;
  /** Problems that this one causes. */
  readonly parts?: readonly Finding[] | undefined;
};

/**
 * Returns the one time that a problem begins at, wherever it is shown; at the latest, unless `sinceMs` or `atMs` is
 * known.
 */
export const beginMs = ({
  atMs,
  sinceMs,
  foundMs,
}: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs'>): number | undefined => atMs ?? sinceMs ?? foundMs;

/** The subject of a problem, from where Enter leads and from its evidence. */
export function subjectOf({
  jump,
  evidence,
}: Pick<Finding, 'jump' | 'evidence'>): Pick<Jump, 'node' | 'clientId' | 'topic'> {
  const named = (field: string): string | undefined => {
    const value = (evidence as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    node: jump.node ?? named('node'),
    clientId: jump.clientId ?? named('clientId'),
    topic: jump.topic ?? named('topic'),
  };
}

/** An operator knows of a problem. The acknowledgement stays until the problem ends or becomes critical. */
export interface Acknowledgement {
  /** Says why, or who works on it; may be empty. */
  readonly note: string;
  readonly atMs: number;
  readonly check: string;
  /** The severity when it was acknowledged. */
  readonly severity: Severity;
}

export const ascending = (columnId: string): Jump['sort'] => ({ columnId, isReversed: false });
export const descending = (columnId: string): Jump['sort'] => ({ columnId, isReversed: true });

/** The actions that the operator can do on this broker, outside read-only mode. */
export interface Abilities {
  readonly canAct: boolean;
  readonly canUnsubscribe: boolean;
  /** Disconnecting a client ends its session. */
  readonly endsSession?: boolean | undefined;
}

/** An action from here that was about a problem. */
export interface Attempt {
  readonly way: 'disconnect' | 'unsubscribe';
  readonly seconds: number;
  /** The number of clients that a bulk has disconnected. */
  readonly clients?: number | undefined;
  /** No current figures show what the attempt led to. */
  readonly isPending?: true | undefined;
}

/** The words for one kind of problem, and where Enter leads. */
export interface ProblemWords<Evidence extends object> {
  /** Says what happened, and to what. */
  title(evidence: Evidence): Sentence;
  /**
   * Numbers behind the problem, the first and the last being the most important ones. `maxNames`: how many clients it
   * names.
   */
  evidence?(evidence: Evidence, maxNames?: number): readonly Sentence[];
  /** Numbers that only Triage and `--once` have room for. */
  details?(evidence: Evidence): readonly Sentence[];
  /** How bad the problem is, which tells its worst moment among those of one severity. Without it they are equal. */
  magnitude?(evidence: Evidence): number | undefined;
  /** Shown where there is no room for the title. */
  brief?(evidence: Evidence): Sentence;
  /** Says what to do about the problem, the first step first. Keys stand in backticks; those of actions are named only if the user can act. */
  next(evidence: Evidence, can: Abilities, attempt: Attempt | undefined): string;
  jump(evidence: Evidence): Jump;
  /** The action of the menu that the next step advises, if it does. */
  advisedAction?(evidence: Evidence, can: Pick<Abilities, 'endsSession'>): Attempt['way'] | undefined;
  /** How the problem follows from what was done from here, if it does. */
  ownCause?(evidence: Evidence, attempt: Attempt): string | undefined;
  /** The counter whose rate shows it, if it jumps elsewhere. */
  readonly counter?: MetricName;
}
