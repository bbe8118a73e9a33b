import type { ApiError, ProxyLoginError } from '../api/errors.ts';
import type { Capabilities, ClientSearch, UnusableRows } from '../api/management-api.ts';
import type {
  AdminUser,
  Alarm,
  ApiKey,
  Ban,
  Listener,
  Plugin,
  PluginSetting,
  Setting,
} from '../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../domain/client.ts';
import type {
  RetainedContent,
  RetainedMessage,
  SessionMessage,
  SessionMessageKind,
  SlowSubscriptions,
} from '../domain/messages.ts';
import type { Metrics, Stats } from '../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats, NodeStatus } from '../domain/node.ts';
import type { QueueTrends } from './history/queues.ts';
import type { TotalsSample } from './history/totals.ts';

/** One polled resource. A failed refresh does not clear the data. Times are steady ones (`Clock.nowMs`), here and below, unless they say monotonic. */
export interface ResourceState<T> {
  /** `undefined` before the first answer. */
  readonly data: T | undefined;
  readonly updatedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly error: ApiError | undefined;
  readonly failingSinceMs: number | undefined;
  /** `undefined` while fetching, unwatched, frozen or stopped by a 401. */
  readonly nextAttemptAtMs: number | undefined;
  readonly isFetching: boolean;
  readonly unusable?: UnusableRows | undefined;
}
/** A limit (`rows`, `text`, `time`), a list that grew by more than half, or pages without new rows. */
export type ScanCut = 'rows' | 'text' | 'time' | 'growth' | 'repeats';

export interface ScanCoverage {
  readonly read: number;
  /** Length reported by the broker; `undefined` before the first page. */
  readonly expected: number | undefined;
  readonly isComplete: boolean;
  readonly error: ApiError | undefined;
  /** When the end was reached, monotonic. */
  readonly readAtMs?: number | undefined;
  /** When reading began; `undefined` until the end is reached. Rows missing in the list were absent then, or are newer. */
  readonly beganAtMs?: number | undefined;
  /** It was last read more than two planned intervals ago: no diagnosis from what was counted in between. */
  readonly isAfterGap?: true | undefined;
  readonly cut?: ScanCut | undefined;
  readonly unusable?: UnusableRows | undefined;
}

export interface ScanState<T> {
  /** One per identity, in order of arrival. A node's old rows stay until it is read again. */
  readonly rows: readonly T[];
  /** Identities new in the last finished scan; empty after the first one. */
  readonly added: ReadonlySet<string>;
  readonly gone: readonly T[];
  readonly phase: 'idle' | 'running' | 'complete' | 'partial' | 'aborted';
  readonly coverage: ReadonlyMap<NodeName, ScanCoverage>;
  readonly leftOut: ReadonlyMap<NodeName, ScanCoverage>;
  readonly requests: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  /** `undefined` while running, unwatched or frozen. */
  readonly nextScanAtMs: number | undefined;
  /** Why the scan could not start. Failures of nodes are in `coverage`. */
  readonly error: ApiError | undefined;
}

export interface OfflineSession {
  /** When the client was first found offline. */
  readonly sinceMs: number;
  /** Its counters moved while it was offline. */
  readonly isLive: boolean;
}

/** A reading of a client's session; `undefined` is unknown. */
export interface TrendPoint {
  /** Arrival of the answer, monotonic. */
  readonly atMs: number;
  readonly queueLength: number | undefined;
  readonly deliveredPerSecond: number | undefined;
  readonly droppedPerSecond: number | undefined;
  /** The client reconnected, or its session was created again. */
  readonly isGap?: boolean | undefined;
}

export interface ClientDetail {
  readonly clients: readonly Client[] | ApiError;
  readonly sessions: readonly Session[] | ApiError;
  readonly subscriptions: readonly Subscription[] | ApiError;
  readonly offline?: OfflineSession | undefined;
  /** Since it is watched, also of earlier connections; oldest first. */
  readonly trend?: readonly TrendPoint[] | undefined;
}

export interface Resources {
  readonly nodes: readonly NodeInfo[];
  readonly nodeStats: readonly NodeStats[];
  readonly listeners: ByNode<readonly Listener[]>;
  readonly metrics: ClusterFigures<Metrics>;
  readonly stats: ByNode<Stats>;
}

export type ResourceName = keyof Resources;

export interface ScannedRows {
  readonly clientScan: Client;
  readonly sessionScan: Session;
  readonly subscriptionScan: Subscription;
  /** Routes belong to the cluster: the coverage has the one key `wholeCluster`. */
  readonly routeScan: Route;
}

export type ScanName = keyof ScannedRows;

export const wholeCluster: NodeName = 'cluster';

export type Watched =
  | { readonly kind: 'resource'; readonly name: ResourceName }
  /** For brokers that report only a cluster total. */
  | { readonly kind: 'nodeMetrics'; readonly node: NodeName }
  | { readonly kind: 'clientDetail'; readonly clientId: string }
  /** Routes of one topic filter (§4.5). */
  | { readonly kind: 'topicRoutes'; readonly topic: string }
  /** Plugins of one node; there is no cluster-wide list (§4.6). */
  | { readonly kind: 'nodePlugins'; readonly node: NodeName }
  /** Settings of all nodes; a `NotAvailableError` where the API lacks it (`nodeSettings` may still work). */
  | { readonly kind: 'settings' }
  | { readonly kind: 'nodeSettings'; readonly node: NodeName }
  | { readonly kind: 'pluginSettings'; readonly node: NodeName; readonly plugin: string }
  | { readonly kind: 'users' }
  | { readonly kind: 'alarms' | 'endedAlarms' | 'bans' | 'apiKeys' | 'slowSubscriptions' | 'retained' }
  /** Payload of one retained message. */
  | { readonly kind: 'retainedContent'; readonly topic: string }
  | { readonly kind: 'sessionMessages'; readonly clientId: string; readonly which: SessionMessageKind }
  /** Connected clients that the broker finds by any of `searches`. */
  | { readonly kind: 'clientSearch'; readonly searches: readonly ClientSearch[] }
  | { readonly kind: ScanName };

export interface MetricSample {
  /** Arrival of the answer, monotonic. */
  readonly atMs: number;
  readonly metrics: Metrics;
  /** `cluster`: part of an answer about all nodes, can be summed. `node`: requested for one node. */
  readonly from?: 'cluster' | 'node' | undefined;
  /** The counters may have restarted since the previous sample: no rate between the two. */
  readonly isAfterReset?: boolean | undefined;
  /** They have: counters fell. */
  readonly isAfterRestart?: boolean | undefined;
}

export interface SeenNode {
  /** `unknown` when the broker no longer lists the node. */
  readonly status: NodeStatus | 'unknown';
  /** When the status last changed; `undefined` if it never did. */
  readonly sinceMs: number | undefined;
}

export interface LastKnown {
  /** When they arrived. */
  readonly atMs: number;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
  readonly counts: Stats | undefined;
  readonly listeners: readonly Listener[] | undefined;
}

/** Samples by node or `clusterTotal`, oldest first. */
export type MetricHistory = ReadonlyMap<NodeName | typeof clusterTotal, readonly MetricSample[]>;

/** Not a possible node name. */
export const clusterTotal: unique symbol = Symbol('cluster total');

export interface Failover {
  readonly url: string;
  readonly insteadOf: string;
  readonly because: string;
  readonly atMs: number;
}

export interface SkippedAddress {
  readonly url: string;
  readonly brief: string;
  readonly message: string;
  readonly atMs: number;
}

export interface LogEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warning' | 'error';
  /** May contain broker text that is not escaped. */
  readonly text: string;
  /** Of equal entries in a row, the last of which is this one; absent for a single one. */
  readonly repeated?: { readonly times: number; readonly sinceMs: number } | undefined;
  /** About the program itself, not about the cluster: for the log alone. */
  readonly isSetup?: boolean | undefined;
}

export interface CausedLoad {
  readonly requests: number;
  /** `undefined` if not counted. */
  readonly answerBytes: number | undefined;
  /** Open now; `undefined` without HTTP. */
  readonly connections: number | undefined;
}

export interface MonitorState {
  readonly resources: { readonly [Name in ResourceName]: ResourceState<Resources[Name]> };
  readonly nodeMetrics: ReadonlyMap<NodeName, ResourceState<Metrics>>;
  readonly clientDetails: ReadonlyMap<string, ResourceState<ClientDetail>>;
  readonly topicRoutes: ReadonlyMap<string, ResourceState<readonly Route[]>>;
  readonly nodePlugins: ReadonlyMap<NodeName, ResourceState<readonly Plugin[]>>;
  readonly settings: ResourceState<ByNode<readonly Setting[]>>;
  readonly nodeSettings: ReadonlyMap<NodeName, ResourceState<readonly Setting[]>>;
  readonly pluginSettings: ReadonlyMap<string, ResourceState<readonly PluginSetting[]>>;
  readonly users: ResourceState<readonly AdminUser[]>;
  readonly alarms: ResourceState<readonly Alarm[]>;
  /** Newest first. */
  readonly endedAlarms: ResourceState<readonly Alarm[]>;
  readonly bans: ResourceState<readonly Ban[]>;
  readonly apiKeys: ResourceState<readonly ApiKey[]>;
  readonly slowSubscriptions: ResourceState<SlowSubscriptions>;
  readonly retained: ResourceState<PartOfList<RetainedMessage>>;
  /** By topic; `'none'` if nothing is retained. */
  readonly retainedContents: ReadonlyMap<string, ResourceState<RetainedContent | 'none'>>;
  /** By `sessionMessagesKey`. */
  readonly sessionMessages: ReadonlyMap<string, ResourceState<PartOfList<SessionMessage>>>;
  /** By `clientSearchKey`. */
  readonly clientSearches: ReadonlyMap<string, ResourceState<PartOfList<Client>>>;
  readonly clientScan: ScanState<Client>;
  readonly sessionScan: ScanState<Session>;
  readonly subscriptionScan: ScanState<Subscription>;
  readonly routeScan: ScanState<Route>;
  /** The last ten minutes. */
  readonly metricHistory: MetricHistory;
  /** Before that, thinned. */
  readonly metricPast: MetricHistory;
  /** `undefined` until the API variant is known. */
  readonly capabilities: Capabilities | undefined;
  /** Why the answers contradict the configured variant, as a sentence. */
  readonly apiDoubt?: string | undefined;
  readonly intervalSeconds: number;
  readonly isFrozen: boolean;
  readonly isReadOnly: boolean;
  readonly urls?: readonly string[] | undefined;
  readonly failover?: Failover | undefined;
  readonly skippedAddress?: SkippedAddress | undefined;
  /** Set by a 401: polling stops until `signIn`. */
  readonly isUnauthorized: boolean;
  /** The 407 that set `isUnauthorized`. Final: a proxy's login is read only at startup. */
  readonly proxyLoginError?: ProxyLoginError | undefined;
  readonly causedLoad: CausedLoad;
  readonly log: readonly LogEntry[];
  readonly seenNodes?: ReadonlyMap<NodeName, SeenNode> | undefined;
  readonly lastKnown?: ReadonlyMap<NodeName, LastKnown> | undefined;
  /** Of the last five minutes, oldest first. */
  readonly totalsHistory?: readonly TotalsSample[] | undefined;
  /** Of the sessions with the longest queues, while sessions are read. */
  readonly queueTrends?: QueueTrends | undefined;
  readonly watched?: readonly Watched[] | undefined;
}

/** The beginning of a list that may be longer. */
export interface PartOfList<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

export const sessionMessagesKey = (clientId: string, which: SessionMessageKind): string => `${which} ${clientId}`;

export const clientSearchKey = (searches: readonly ClientSearch[]): string =>
  JSON.stringify(
    searches.map(({ clientId, username, wholeUsername, ipAddress, node }) => [
      clientId,
      username,
      wholeUsername,
      ipAddress,
      node,
    ]),
  );

export const pluginSettingsKey = (node: NodeName, plugin: string): string => `${node.length} ${node} ${plugin}`;

/** Equal for equal descriptions only. */
export function watchedKey(watched: Watched): string {
  switch (watched.kind) {
    case 'resource':
      return `resource ${watched.name}`;
    case 'nodeMetrics':
    case 'nodePlugins':
    case 'nodeSettings':
      return `${watched.kind} ${watched.node}`;
    case 'pluginSettings':
      return `pluginSettings ${pluginSettingsKey(watched.node, watched.plugin)}`;
    case 'topicRoutes':
      return `topicRoutes ${watched.topic}`;
    case 'clientDetail':
      return `clientDetail ${watched.clientId}`;
    case 'retainedContent':
      return `retainedContent ${watched.topic}`;
    case 'sessionMessages':
      return `sessionMessages ${sessionMessagesKey(watched.clientId, watched.which)}`;
    case 'clientSearch':
      return `clientSearch ${clientSearchKey(watched.searches)}`;
    default:
      return watched.kind;
  }
}

export interface Effects {
  readonly refresh: readonly Watched[];
  readonly gone?: readonly { readonly scan: ScanName; readonly identity: string }[] | undefined;
}

export interface ReadableStore<S> {
  getState(): S;
  subscribe(listener: (state: S, previous: S) => void): () => void;
}

export interface Monitor {
  readonly store: ReadableStore<MonitorState>;
  /** `everySeconds` slows down scans, metrics of nodes, plugins and settings, unless another watcher needs them sooner. */
  watch(watched: Watched, everySeconds?: number): () => void;
  /** Polls everything watched now; not while frozen, and not before a 429's Retry-After. */
  refresh(): void;
  /** Rows stay. Returns `true` if a scan was running. */
  abortScan(scan?: ScanName): boolean;
  setFrozen(isFrozen: boolean): void;
  /** Clamped to 0.5 to 60. */
  setIntervalSeconds(seconds: number): void;
  /** Ends all timers and requests for good. `because`: a sentence for actions that are cut short. */
  stop(because?: string): void;
}

export interface MonitorOperations {
  /** Also works while frozen. @throws ApiError */
  readClient(clientId: string, signal: AbortSignal): Promise<ClientDetail>;
  /** @throws ApiError */
  readUsers(url: string): Promise<readonly AdminUser[]>;
  /** Adds an entry to the log. @param atMs when it happened, if not now */
  note(level: LogEntry['level'], text: string, atMs?: number): void;
  noteFailover(failover: Omit<Failover, 'atMs'>): void;
  noteSkippedAddress(skipped: Omit<SkippedAddress, 'atMs'>): void;
  /** After a 401. Polling resumes unless the password is rejected; returns why it did not. */
  signIn(takePassword: () => void): Promise<ApiError | undefined>;
}
