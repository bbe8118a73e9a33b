import type { BulkProgress } from '../actions/bulk.ts';
import type { MetricName } from '../domain/metrics.ts';
import type { NodeName } from '../domain/node.ts';
import type { NotChecked } from '../monitor/select/freshness.ts';
import type { MonitorState, ResourceName, ScanCut, ScanName } from '../monitor/state.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import type { ClientPattern } from './common-trait.ts';
import type { TriageHistory } from './memory.ts';
import type { SuddenSubject } from './sudden-memory.ts';
import type { Severity } from './thresholds.ts';

export const checkIds = [
  'readings',
  'nodes',
  'listeners',
  'limits',
  'sudden',
  'reconnects',
  'slow',
  'alarms',
  'drops',
  'refusals',
  'slowSubscriptions',
  'unrouted',
  'fanOut',
  'balance',
  'versions',
  'plugins',
  'settings',
] as const;

export type CheckId = (typeof checkIds)[number];

export type ListName = ResourceName | ScanName | 'nodePlugins' | 'settings' | 'nodeSettings' | 'users';

/** Rates are per second. */
export interface SessionEvidence {
  readonly clientId: string;
  readonly node: NodeName | undefined;
  readonly isConnected: boolean | undefined;
  /** The counters are those of its client's disconnect. */
  readonly isAsOfDisconnect: boolean;
  readonly queueLength: number | undefined;
  /** Maximum queue length; `undefined` if unknown or unlimited. */
  readonly queueLimit: number | undefined;
  readonly isQueueFull: boolean;
  readonly queuePerSecond: number;
  /** From now on, 0 if it should be full by now; `undefined` if it is full or does not fill. */
  readonly fullInSeconds: number | undefined;
  /** It lost messages recently, and its queue has not emptied since. */
  readonly isLosing: boolean;
  /** `undefined` if it does not lose messages, or at a rate that is not known yet. */
  readonly droppedPerSecond: number | undefined;
  readonly dropped: number;
  readonly isLossOld: boolean;
  /** It is known to lose nothing now. */
  readonly isLossOver?: boolean | undefined;
  /** Its inflight window was full in every recent reading. */
  readonly isStuck: boolean;
  readonly inflight: number;
  readonly maxInflight: number;
  /** `undefined` if the broker does not count deliveries. */
  readonly acknowledgedPerSecond: number | undefined;
  /** How long the counters of an offline session have stood still: they may do so while it loses messages. Set once that is long. */
  readonly countersSeconds?: number | undefined;
  /** How long it has acknowledged nothing, as of the last reading; `undefined` unless its inflight window is full, too. */
  readonly idleSeconds?: number | undefined;
}

/** Why a message was not delivered, as the broker counts it. */
export type DropReason = 'queue_full' | 'expired' | 'too_large' | 'qos0_msg';

export interface NodeChange {
  readonly node: NodeName;
  readonly before: number;
  readonly after: number;
}

export interface SubjectChange {
  readonly subject: SuddenSubject;
  readonly before: number;
  readonly after: number;
}

/** Shares are 0 to 1. */
export interface Evidence {
  'login-rejected': { /** A proxy's refusal. */ readonly proxyMessage: string | undefined };
  'read-failed': {
    readonly resources: readonly ResourceName[];
    readonly isAll: boolean;
    readonly reason: string;
    /** No request reaches the API: why, and which addresses were tried. */
    readonly unreachable?: { readonly brief: string; readonly urls: readonly string[] } | undefined;
  };
  'api-version': { /** The dialect's sentence. */ readonly message: string };
  'list-cut': {
    readonly list: ListName;
    readonly nodes: readonly NodeName[];
    readonly read: number;
    readonly expected: number | undefined;
    readonly cut: ScanCut;
  };
  'rows-unusable': {
    readonly list: ListName;
    readonly nodes: readonly NodeName[];
    readonly count: number;
    /** Rows that were understood, if known. */ readonly read: number | undefined;
  };
  'node-down': {
    readonly node: NodeName;
    readonly status: 'stopped' | 'unknown';
    /** When it was last running. */
    readonly clients: number | undefined;
    /** Of the cluster, before the node went and now; `undefined` if the monitor did not see it run. */
    readonly clusterClients?: { readonly before: number; readonly now: number } | undefined;
  };
  /** It hangs, or cannot be reached by the other nodes. */
  'node-silent': { readonly node: NodeName; /** When it last answered. */ readonly clients: number | undefined };
  'node-status': { readonly node: NodeName; /** Empty if the broker gives none. */ readonly status: string };
  'node-near-limit': {
    readonly node: NodeName;
    readonly figure: 'memory' | 'processes' | 'descriptors';
    readonly share: number;
  };
  'listener-near-limit': { readonly node: NodeName; readonly listener: string; readonly share: number };
  'sudden-change': {
    readonly direction: 'fall' | 'rise';
    readonly atMs: number;
    readonly changes: readonly [SubjectChange, ...SubjectChange[]];
    readonly nodes: readonly NodeChange[];
    readonly now: number | undefined;
    /** Who publishes most of it. */
    readonly talker?: { readonly clientId: string; readonly perSecond: number } | undefined;
  };
  'clients-moved': {
    readonly atMs: number;
    /** Shares of all clients. */ readonly nodes: readonly NodeChange[];
    readonly clients: number | undefined;
  };
  /** `known`: all clients, with those that are away. `isAttempts`: refused logins may be counted, and no client is seen to reconnect. */
  'reconnect-storm': {
    readonly connectsPerSecond: number;
    readonly seconds: number;
    readonly change: number;
    readonly clients: number;
    readonly known: number;
    readonly clientIds: readonly string[];
    readonly lostNode?: NodeName | undefined;
    readonly pattern?: ClientPattern | undefined;
    readonly isAttempts?: true | undefined;
  };
  /** Only a few clients reconnect, again and again. `perSecond`: all of them. */
  'clients-reconnecting': {
    readonly clientIds: readonly [string, ...string[]];
    readonly perSecond: number;
    readonly seconds: number;
  };
  'slow-consumer': SessionEvidence;
  'queue-full': SessionEvidence;
  'offline-queue': SessionEvidence;
  'messages-lost': SessionEvidence;
  /** Critical ones besides those that are findings of their own. */
  'more-sessions': { readonly clientIds: readonly string[] };
  /** Slow clients, none of whose queues is full soon. */
  /** `isMore`: besides those that are findings of their own. */
  'slow-sessions': {
    readonly clientIds: readonly string[];
    readonly isMore: boolean;
    /** The queue of none is full soon. */ readonly areFar: boolean;
  };
  alarm: { readonly id: string; readonly text: string | undefined };
  'queue-alarm': { readonly clientId: string; readonly text: string | undefined };
  'more-alarms': { readonly count: number };
  /** `countersSeconds`: how often the broker refreshes the counters of sessions, which then show whose queue it is. */
  'messages-dropped': {
    readonly reason: DropReason;
    readonly perSecond: number;
    readonly seconds: number;
    readonly countersSeconds?: number | undefined;
  };
  /** `loginPerSecond`: of them, those with a wrong or missing login. `bans`: if the bans were read. */
  'connections-refused': {
    readonly perSecond: number;
    readonly loginPerSecond: number | undefined;
    readonly seconds: number;
  };
  'access-denied': { readonly perSecond: number; readonly seconds: number };
  /** The slowest one, and how many there are. */
  'slow-subscriptions': {
    readonly count: number;
    readonly clientId: string;
    readonly topic: string;
    readonly latencyMs: number;
    readonly thresholdMs: number | undefined;
  };
  /** `on`: where it is down, of the `nodes` that have it. */
  'listener-down': { readonly listener: string; readonly on: readonly NodeName[]; readonly nodes: number };
  'unrouted-messages': {
    readonly perSecond: number;
    readonly seconds: number;
    /** Of the messages received. */ readonly share: number | undefined;
  };
  'fan-out': {
    readonly ratio: number;
    readonly sentPerSecond: number;
    readonly receivedPerSecond: number;
    readonly suspect:
      | { readonly topic: string; readonly subscribers: number; readonly isMin: boolean }
      | 'not-read'
      | 'list-cut';
    /** The API has the traffic of each client. */
    readonly hasTalkers: boolean;
  };
  'uneven-clients': {
    readonly node: NodeName;
    readonly clients: number;
    readonly total: number;
    readonly ratio: number;
  };
  'uneven-load': { readonly node: NodeName; readonly load: number; readonly ratio: number; readonly nodes: number };
  'mixed-versions': { readonly versions: readonly VersionCount[] };
  'plugin-differs':
    | {
        readonly plugin: string;
        readonly difference: 'missing' | 'inactive';
        readonly count: number;
        readonly nodes: number;
        /** Where it is missing or inactive. */ readonly on: readonly NodeName[];
      }
    | { readonly plugin: string; readonly difference: 'versions'; readonly count: number };
  /** `on`: the nodes that differ from most others; empty if there is no majority. */
  'setting-differs': {
    readonly key: string;
    readonly values: number;
    readonly nodes: number;
    readonly on: readonly NodeName[];
  };
  'more-differences': { readonly what: 'plugins' | 'settings'; readonly count: number };
}

export interface VersionCount {
  readonly version: string;
  readonly nodes: number;
}

export type ProblemCode = keyof Evidence;

export type Problem<Code extends ProblemCode = ProblemCode> = {
  readonly [C in Code]: {
    readonly code: C;
    readonly evidence: Evidence[C];
    /** What it causes. */
    readonly parts?: readonly Finding[] | undefined;
  };
}[Code];

export type Target =
  | { readonly kind: 'log' | 'nodes' }
  | { readonly kind: 'node'; readonly node: NodeName }
  | { readonly kind: 'listeners'; readonly node?: NodeName | undefined }
  | {
      readonly kind: 'clients';
      readonly node?: NodeName | undefined;
      readonly clientIds?: readonly string[] | undefined;
    }
  | { readonly kind: 'session'; readonly clientId: string }
  | { readonly kind: 'sessions'; readonly clientIds?: readonly string[] | undefined }
  | { readonly kind: 'subscriptions'; readonly topic?: string | undefined }
  | { readonly kind: 'metrics'; readonly name?: MetricName | undefined }
  | { readonly kind: 'slowSubscriptions' }
  | { readonly kind: 'plugins' | 'settings' | 'alarms'; readonly row?: string | undefined };

interface FindingFacts {
  readonly key: string;
  readonly check: CheckId;
  readonly severity: Severity;
  readonly target: Target;
  /** When it began, if known. All times are steady (`Clock.nowMs`). */
  readonly sinceMs?: number | undefined;
  /** When it happened: it is an event, which has no end. */
  readonly atMs?: number | undefined;
  /** When it was first found, if its beginning is not known. */
  readonly foundMs?: number | undefined;
  /** When it was last seen; set when its data is no longer current. */
  readonly seenMs?: number | undefined;
  readonly acknowledged?: Acknowledgement | undefined;
  /** The next reading tells whether it is a problem by itself or the beginning of a wider one: it opens no problem yet. */
  readonly isUndecided?: true | undefined;
  /** The key of the finding that causes this one. While that is found, the two are one problem. */
  readonly partOf?: string | undefined;
  /** The keys of the findings that a row stands for, if it stands for several. */
  readonly members?: readonly string[] | undefined;
}

export type Finding<Code extends ProblemCode = ProblemCode> = FindingFacts & Problem<Code>;

/** The one time that a problem begins at, wherever it is shown; at the latest, unless `sinceMs` or `atMs` is known. */
export const beginMs = ({
  atMs,
  sinceMs,
  foundMs,
}: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs'>): number | undefined => atMs ?? sinceMs ?? foundMs;

export type UncheckedReason =
  | { readonly code: 'reading-missing'; readonly resource: ResourceName }
  | { readonly code: 'reading-old'; readonly resource: ResourceName; readonly ageSeconds: number }
  | {
      readonly code: 'limit-unknown';
      readonly figure: 'memory' | 'processes' | 'descriptors' | 'connections';
      readonly nodes: readonly NodeName[];
    }
  | { readonly code: 'history-short'; readonly of: 'totals' | 'metrics' | 'client counts'; readonly minSeconds: number }
  | { readonly code: 'counters-restarted'; readonly agoSeconds: number }
  | { readonly code: 'clients-arriving'; readonly change: number; readonly seconds: number }
  | {
      readonly code:
        | 'sessions-incomplete'
        | 'sessions-aborted'
        | 'alarms-unread'
        | 'alarms-unavailable'
        | 'reasons-uncounted'
        | 'refusals-uncounted'
        | 'slow-unread'
        | 'slow-unavailable'
        | 'slow-disabled'
        | 'settings-by-node'
        | 'no-running-node';
    }
  | { readonly code: 'sessions-uncompared'; readonly readings: number }
  /** The broker refreshes the counters every `stepSeconds`, and they were watched for `seconds`. */
  | { readonly code: 'counters-unrefreshed'; readonly stepSeconds: number; readonly seconds: number }
  | { readonly code: 'sessions-outdated'; readonly nodes: readonly NodeName[] }
  /** Nodes that do not run or do not respond, or were not read since. */
  | { readonly code: 'sessions-unread'; readonly nodes: readonly NodeName[] }
  | { readonly code: 'queues-unknown'; readonly count: number; readonly total: number }
  /** Nodes report the counters of their own sessions only, and none of the addresses is that of `nodes`. */
  | {
      readonly code: 'sessions-elsewhere';
      readonly count: number;
      readonly total: number;
      readonly nodes: readonly NodeName[];
    }
  /** The same of alarms. */
  | { readonly code: 'alarms-elsewhere'; readonly nodes: readonly NodeName[] }
  /** Their sessions have ended, and the broker does not clear such alarms. */
  | { readonly code: 'alarms-stale'; readonly clientIds: readonly string[] }
  | { readonly code: 'counters-frozen'; readonly clientIds: readonly string[] }
  | { readonly code: 'clients-unread'; readonly sessions: number }
  | { readonly code: 'figure-unknown'; readonly figure: 'clients' | 'load' }
  | { readonly code: 'version-unknown'; readonly node: NodeName }
  | { readonly code: 'node-unread'; readonly what: 'plugins' | 'settings'; readonly node: NodeName }
  | { readonly code: 'rows-unusable'; readonly what: 'plugins' | 'settings' }
  | { readonly code: 'settings-unavailable'; readonly apiName: string | undefined };

export type Passed =
  | { readonly check: 'readings' }
  /** `leftOut`: alarms about clients that are findings of another check. */
  | { readonly check: 'alarms'; readonly leftOut: number }
  | { readonly check: 'nodes'; readonly nodes: number }
  | { readonly check: 'listeners'; readonly listeners: number; readonly nodesDown: number }
  | { readonly check: 'limits'; readonly nodesDown: number }
  | { readonly check: 'sudden'; readonly seconds: number }
  | {
      readonly check: 'reconnects';
      readonly connectsPerSecond: number;
      readonly seconds: number;
      readonly change: number;
      readonly clients: number;
    }
  | { readonly check: 'slow'; readonly sessions: number }
  | { readonly check: 'drops' | 'refusals'; readonly seconds: number }
  /** `leftOut`: of clients that have just reconnected. */
  | { readonly check: 'slowSubscriptions'; readonly thresholdMs: number | undefined; readonly leftOut: number }
  | { readonly check: 'unrouted'; readonly perSecond: number; readonly seconds: number }
  | { readonly check: 'fanOut'; readonly sentPerSecond: number; readonly receivedPerSecond: number }
  | { readonly check: 'balance'; readonly nodes: number; readonly highest: { readonly share: number } | undefined }
  | { readonly check: 'versions'; readonly versions: readonly VersionCount[] }
  | { readonly check: 'plugins' | 'settings'; readonly rows: number; readonly nodes: number };

/** Read only while watched. */
export interface CheckReading {
  readonly noun: 'sessions' | 'alarms' | 'slow subscriptions' | 'plugins' | 'settings';
  readonly atMs: number | undefined;
  readonly isWatched: boolean;
  /** The last reading, if it is newer and has only `nodes` of all `total` nodes. */
  readonly partial?: { readonly atMs: number; readonly nodes: number; readonly total: number } | undefined;
}

export interface CheckResult {
  readonly check: CheckId;
  /** All of them; how many rows they take is decided later. */
  readonly findings: readonly Finding[];
  /** Why the check is incomplete: then an absence of findings proves nothing. */
  readonly unchecked: readonly UncheckedReason[];
  readonly passed?: Passed | undefined;
  readonly target: Target;
  readonly reading?: CheckReading | undefined;
  /** When a finding was last read, where that is not the same for all. */
  readonly readMsOf?: ((finding: Finding) => number | undefined) | undefined;
  /** Whether the reading would show an earlier finding if it went on. Without it: if nothing is unchecked. */
  readonly refutes?: ((finding: Finding) => boolean) | undefined;
  readonly isNotOffered?: true | undefined;
}

export type Verdict = 'found' | 'ok' | 'unchecked';

/** `ok` only if everything could be checked. */
export const verdictOf = ({ findings, unchecked }: CheckResult): Verdict =>
  findings.length > 0 ? 'found' : unchecked.length > 0 ? 'unchecked' : 'ok';

const oldAfterMs = 90_000;

export function pastReadingMs({ reading }: CheckResult, nowMs: number): number | undefined {
  const { atMs, isWatched } = reading ?? {};
  return atMs !== undefined && (isWatched !== true || nowMs - atMs > oldAfterMs) ? atMs : undefined;
}

export const noneFound: ReadonlySet<string> = new Set();

/** With the last bulk action of this session. */
export type TriageState = MonitorState & {
  readonly bulk?: Pick<BulkProgress, 'disconnectedIds' | 'finishedAtMs'> | undefined;
};

export interface CheckInput {
  readonly state: TriageState;
  readonly history: TriageHistory;
  readonly nowMs: number;
  readonly unjudged: readonly NotChecked[];
  /** Keys of the last report's findings. */
  readonly found: ReadonlySet<string>;
}
