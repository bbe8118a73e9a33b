import type { NodeName } from '../domain/node.ts';
import { literal, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import type { Unjudged } from '../monitor/select/freshness.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { TriageHistory } from './memory.ts';
import type { Problem } from './problems.ts';

/** All checks in display order. */
export const checkTitles = {
  readings: 'Readings',
  nodes: 'Nodes',
  listeners: 'Listeners',
  limits: 'Limits of nodes',
  sudden: 'Sudden changes',
  reconnects: 'Reconnects',
  slow: 'Slow consumers',
  alarms: 'Alarms',
  dropped: 'No subscriber',
  fanOut: 'Fan-out',
  spread: 'Spread over nodes',
  versions: 'Versions',
  plugins: 'Plugins',
  settings: 'Settings',
} as const;

export type CheckId = keyof typeof checkTitles;

/** The screen that shows the rows behind a finding. */
export interface Jump {
  readonly screen: 'nodes' | 'node' | 'listeners' | 'clients' | 'sessions' | 'subscriptions' | 'metrics' | 'plugins' | 'settings' | 'log';
  /** The node that the list is filtered by; for screen `node` the node to open. */
  readonly node?: NodeName | undefined;
  readonly clientId?: string | undefined;
  readonly topic?: string | undefined;
  /** Exactly these clients; `name` says what they have in common. */
  readonly found?: { readonly name: string; readonly clientIds: readonly string[] } | undefined;
  readonly sort?: { readonly columnId: string; readonly isReversed: boolean } | undefined;
  /** Row for the cursor. */
  readonly row?: string | undefined;
}

export interface Finding extends Problem {
  readonly check: CheckId;
  readonly jump: Jump;
  /** Number of findings that it stands for; 1 unless given. */
  readonly count?: number | undefined;
  /** A shorter text, subject first. */
  readonly brief?: readonly TextPart[] | undefined;
  /** When it happened, wall clock; for events only. */
  readonly atMs?: number | undefined;
  /** When it was first found, wall clock. */
  readonly foundMs?: number | undefined;
  /** When it was last seen, wall clock; set when its data is no longer current. */
  readonly seenMs?: number | undefined;
}

/** A list that a check needs and that is read only while watched. */
export interface CheckReading {
  readonly noun: 'sessions' | 'alarms' | 'plugins' | 'settings';
  /** When it was last read completely, wall clock. */
  readonly atMs: number | undefined;
  readonly isWatched: boolean;
}

export interface CheckResult {
  readonly check: CheckId;
  readonly findings: readonly Finding[];
  /** Why the check is incomplete: then an absence of findings proves nothing. */
  readonly doubts: readonly (readonly TextPart[])[];
  /** What was checked and is fine, in numbers. */
  readonly evidence: readonly TextPart[];
  readonly jump: Jump;
  /** `undefined` if the check needs only what is always polled. */
  readonly reading?: CheckReading | undefined;
  /** The doubts do not concern earlier findings: one that is no longer found is over. */
  readonly isPartlyJudged?: boolean | undefined;
  /** This broker has nothing to check here. */
  readonly isNotOffered?: true | undefined;
}

export type Verdict = 'found' | 'fine' | 'unjudged';

/** `fine` only if everything could be judged. */
export const verdictOf = ({ findings, doubts }: CheckResult): Verdict =>
  findings.length > 0 ? 'found' : doubts.length > 0 ? 'unjudged' : 'fine';

/** An older reading is not current; longer than Triage waits between two readings. */
const oldAfterMs = 90_000;

/** When a check's list was last read, if that is no longer current. */
export function pastReadingMs({ reading }: CheckResult, nowMs: number): number | undefined {
  const { atMs, isWatched } = reading ?? {};
  return atMs !== undefined && (isWatched !== true || nowMs - atMs > oldAfterMs) ? atMs : undefined;
}

/** Input of all checks; `nowMs` is the wall clock. */
export interface CheckInput {
  readonly state: MonitorState;
  readonly history: TriageHistory;
  readonly nowMs: number;
  /** What cannot be judged at `nowMs`. */
  readonly unjudged: readonly Unjudged[];
}

/** A rate or share in a sentence: one decimal below ten. */
export const figure = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/u, '') : withThousands(value));

export const percent = (share: number): string => `${Math.floor(share * 100)} %`;

/** Ids in a sentence: the first three, and how many more. */
export const idParts = (ids: readonly string[]): readonly TextPart[] => [
  ...ids.slice(0, 3).flatMap((id, index) => [literal(index === 0 ? '' : ', '), untrusted(id)]),
  ...(ids.length > 3 ? [literal(` and ${withThousands(ids.length - 3)} more`)] : []),
];
