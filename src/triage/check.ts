import type { NodeName } from '../domain/node.ts';
import { literal, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import type { Unjudged } from '../monitor/select/freshness.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { TriageHistory } from './memory.ts';
import type { Problem } from './problems.ts';

/** The checks in the order in which they are shown: what makes the rest doubtful comes first. */
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

/** Where the rows behind a finding are. */
export interface Jump {
  readonly screen: 'nodes' | 'node' | 'listeners' | 'clients' | 'sessions' | 'subscriptions' | 'metrics' | 'plugins' | 'settings' | 'log';
  /** What the list is narrowed to; of `node` the node that is opened. */
  readonly node?: NodeName | undefined;
  readonly clientId?: string | undefined;
  readonly topic?: string | undefined;
  /** Exactly these clients, as they were found; `name` says what they have in common, in the program's words. */
  readonly found?: { readonly name: string; readonly clientIds: readonly string[] } | undefined;
  /** Column to sort by, so that the rows in question are on top. */
  readonly sort?: { readonly columnId: string; readonly isReversed: boolean } | undefined;
  /** The row that the cursor goes to. */
  readonly row?: string | undefined;
}

/** Something that a check found. */
export interface Finding extends Problem {
  readonly check: CheckId;
  readonly jump: Jump;
  /** How many it stands for, where it is the rest of several; 1 unless given. */
  readonly count?: number | undefined;
  /** The same in fewer words, for where the sentence has no room: what it is about first. */
  readonly brief?: readonly TextPart[] | undefined;
  /** When it happened, wall clock, of what happened at a moment and is not going on. */
  readonly atMs?: number | undefined;
  /** When it was first found, wall clock: how long at least, where `sinceMs` is not known. */
  readonly foundMs?: number | undefined;
  /** When it was last seen, wall clock: set when what it rests on is not read any more, fails to be, or has not been for long. */
  readonly seenMs?: number | undefined;
}

/** Lists that a check rests on and that are read only while somebody looks. */
export interface CheckReading {
  /** What is read: `sessions`. */
  readonly noun: 'sessions' | 'alarms' | 'plugins' | 'settings';
  /** When all of it was last read, wall clock; `undefined` before. */
  readonly atMs: number | undefined;
  /** Whether it is being read again and again. */
  readonly isWatched: boolean;
}

/** What came of a check. */
export interface CheckResult {
  readonly check: CheckId;
  readonly findings: readonly Finding[];
  /** Why it could not, or not wholly, be judged; then nothing found does not mean that all is well. */
  readonly doubts: readonly (readonly TextPart[])[];
  /** What was looked at and found well, in numbers. */
  readonly evidence: readonly TextPart[];
  readonly jump: Jump;
  /** `undefined`: it rests on what is polled always, or on nothing that this broker has. */
  readonly reading?: CheckReading | undefined;
  /** The doubts are about others than what was or could be found: what is not found any more is over. */
  readonly isPartlyJudged?: boolean | undefined;
  /** This broker has nothing to check here, however often one looks. */
  readonly isNotOffered?: true | undefined;
}

export type Verdict = 'found' | 'fine' | 'unjudged';

/** Found, even when not all could be judged; fine only when all could be. */
export const verdictOf = ({ findings, doubts }: CheckResult): Verdict =>
  findings.length > 0 ? 'found' : doubts.length > 0 ? 'unjudged' : 'fine';

/** Older than this, a reading speaks of the past: longer than Triage rests between two of them. */
const oldAfterMs = 90_000;

/** When what a check rests on was read, if that is past and not present; `undefined` for what is read all the time or was never read. */
export function pastReadingMs({ reading }: CheckResult, nowMs: number): number | undefined {
  const { atMs, isWatched } = reading ?? {};
  return atMs !== undefined && (isWatched !== true || nowMs - atMs > oldAfterMs) ? atMs : undefined;
}

/** What a check may look at. `nowMs` is the wall clock. */
export interface CheckInput {
  readonly state: MonitorState;
  readonly history: TriageHistory;
  readonly nowMs: number;
  /** What of the state cannot be relied on at `nowMs`. */
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
