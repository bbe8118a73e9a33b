import type { ApiError, ProxyLoginError } from '../api/errors.ts';
import type { Capabilities, UnusableRows } from '../api/management-api.ts';
import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../domain/client.ts';
import type { Metrics, Stats } from '../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats, NodeStatus } from '../domain/node.ts';
import type { OfflineCounters } from './history/offline-counters.ts';

/** One polled resource. A failed refresh keeps the last good data. All times are `Date.now()`. */
export interface ResourceState<T> {
  /** The last good answer; `undefined` before the first one. */
  readonly data: T | undefined;
  readonly updatedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  /** Why the last attempt failed; `undefined` once one succeeds. */
  readonly error: ApiError | undefined;
  readonly failingSinceMs: number | undefined;
  /** `undefined` while fetching, unwatched, frozen or stopped by a 401. */
  readonly nextAttemptAtMs: number | undefined;
  readonly isFetching: boolean;
  /** Rows of the answer that could not be decoded; `data` lacks them. */
  readonly unusable?: UnusableRows | undefined;
}
/**
 * Why the rest of a node's list was not read although the node answers. `rows`, `text` and `time`: a limit of the scan.
 * `growth`: the list grew by more than half meanwhile. `repeats`: further pages brought no new row.
 */
export type ScanCut = 'rows' | 'text' | 'time' | 'growth' | 'repeats';

/** How far a scan has read one node's list. */
export interface ScanCoverage {
  readonly read: number;
  /** The length that the broker reports; `undefined` before the first page. */
  readonly expected: number | undefined;
  readonly isComplete: boolean;
  readonly error: ApiError | undefined;
  /** When the end of the list was reached, on the monotonic clock. */
  readonly readAtMs?: number | undefined;
  /** When reading began, wall clock; `undefined` until the end is reached. What the list lacks was absent then or came later. */
  readonly beganAtMs?: number | undefined;
  /** Why reading stopped before the end of the list. */
  readonly cut?: ScanCut | undefined;
  readonly unusable?: UnusableRows | undefined;
}

/** A list over all nodes, read page by page in the background. */
export interface ScanState<T> {
  /** In order of arrival, one per identity. During a rescan, a node's old rows stay until it is read again. */
  readonly rows: readonly T[];
  /** Identities that the last finished scan found new; empty after the first scan. */
  readonly added: ReadonlySet<string>;
  /** Rows that the last scan no longer found; kept for one interval. */
  readonly gone: readonly T[];
  readonly phase: 'idle' | 'running' | 'complete' | 'partial' | 'aborted';
  readonly coverage: ReadonlyMap<NodeName, ScanCoverage>;
  /** Nodes with missing rows, with the coverage of their last finished reading. */
  readonly leftOut: ReadonlyMap<NodeName, ScanCoverage>;
  /** Number of requests of the running or last scan. */
  readonly requests: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  /** `undefined` while running, unwatched or frozen. */
  readonly nextScanAtMs: number | undefined;
  /** Why the scan could not start. Failures of nodes are in `coverage`. */
  readonly error: ApiError | undefined;
}

/** One client's connection, session and subscriptions; each part is data or an error. */
export interface ClientDetail {
  readonly clients: readonly Client[] | ApiError;
  readonly sessions: readonly Session[] | ApiError;
  readonly subscriptions: readonly Subscription[] | ApiError;
  /** Set for a session whose client is offline. */
  readonly offline?: Pick<OfflineCounters, 'sinceMs' | 'isLive'> | undefined;
}

/** Polled resources of the cluster. */
export interface Resources {
  readonly nodes: readonly NodeInfo[];
  readonly nodeStats: readonly NodeStats[];
  readonly listeners: ByNode<readonly Listener[]>;
  readonly metrics: ClusterFigures<Metrics>;
  readonly stats: ByNode<Stats>;
}

export type ResourceName = keyof Resources;

/** Row types of the scanned lists, by their key in the state. */
export interface ScannedRows {
  readonly clientScan: Client;
  readonly sessionScan: Session;
  readonly subscriptionScan: Subscription;
  /** Routes belong to the cluster: the coverage has the one key `wholeCluster`. */
  readonly routeScan: Route;
}

export type ScanName = keyof ScannedRows;

/** Stands for a node's name in lists that belong to the cluster. */
export const wholeCluster: NodeName = 'cluster';

/** Something that a screen can watch; only what is watched is fetched. */
export type Watched =
  | { readonly kind: 'resource'; readonly name: ResourceName }
  /** Counters of one node, where the broker reports only a cluster total. */
  | { readonly kind: 'nodeMetrics'; readonly node: NodeName }
  | { readonly kind: 'clientDetail'; readonly clientId: string }
  /** Routes of one topic filter (§4.5). */
  | { readonly kind: 'topicRoutes'; readonly topic: string }
  /** Plugins of one node; there is no cluster-wide list (§4.6). */
  | { readonly kind: 'nodePlugins'; readonly node: NodeName }
  /** Settings of all nodes. Where the broker lacks that, the error is a `NotAvailableError` and `nodeSettings` may still work. */
  | { readonly kind: 'settings' }
  | { readonly kind: 'nodeSettings'; readonly node: NodeName }
  | { readonly kind: 'pluginSettings'; readonly node: NodeName; readonly plugin: string }
  | { readonly kind: 'users' }
  | { readonly kind: 'alarms' }
  | { readonly kind: ScanName };

/** Metric counters at one moment, for rates and sparklines. */
export interface MetricSample {
  /** When the answer arrived, on the monotonic clock. */
  readonly atMs: number;
  readonly metrics: Metrics;
  /** `cluster`: part of an answer about all nodes; only these can be summed. `node`: read for one node. */
  readonly from?: 'cluster' | 'node' | undefined;
  /** The counters may have restarted since the previous sample (restart, absence, suspend): no rate between the two. */
  readonly isAfterReset?: boolean | undefined;
}

/** A node that the monitor has seen at least once. */
export interface SeenNode {
  /** `unknown` when the broker no longer lists the node. */
  readonly status: NodeStatus | 'unknown';
  /** When the status last changed; `undefined` if it never did. */
  readonly sinceMs: number | undefined;
}

/** The last figures of a node that no longer runs. */
export interface LastKnown {
  /** When they arrived, wall clock. */
  readonly atMs: number;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
  readonly counts: Stats | undefined;
  readonly listeners: readonly Listener[] | undefined;
}

/** Samples by node, or under `clusterTotal` for a cluster-wide total; oldest first. */
export type MetricHistory = ReadonlyMap<NodeName | typeof clusterTotal, readonly MetricSample[]>;

/** Key of cluster-wide samples; not a possible node name. */
export const clusterTotal: unique symbol = Symbol('cluster total');

/** Requests go to another URL than before. */
export interface Takeover {
  readonly url: string;
  readonly insteadOf: string;
  /** Why the previous URL was given up, as a sentence. */
  readonly because: string;
  readonly atMs: number;
}

/** A URL that was skipped because it is not trusted. */
export interface SkippedAddress {
  readonly url: string;
  /** The reason in a few words; `message` is the sentence. */
  readonly brief: string;
  readonly message: string;
  readonly atMs: number;
}

export interface LogEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warning' | 'error';
  /** Raw: may contain broker text that is not escaped. */
  readonly text: string;
}

/** What this program's requests of the last minute cost the broker. */
export interface CausedLoad {
  readonly requests: number;
  /** Body bytes of the answers; `undefined` where they are not counted. */
  readonly answerBytes: number | undefined;
  /** Sum over all requests, from sending to the end of the answer. */
  readonly seconds: number;
}

/** Everything that the monitor knows. Immutable. */
export interface MonitorState {
  readonly resources: { readonly [Name in ResourceName]: ResourceState<Resources[Name]> };
  readonly nodeMetrics: ReadonlyMap<NodeName, ResourceState<Metrics>>;
  readonly clientDetails: ReadonlyMap<string, ResourceState<ClientDetail>>;
  /** By topic filter. */
  readonly topicRoutes: ReadonlyMap<string, ResourceState<readonly Route[]>>;
  readonly nodePlugins: ReadonlyMap<NodeName, ResourceState<readonly Plugin[]>>;
  readonly settings: ResourceState<ByNode<readonly Setting[]>>;
  readonly nodeSettings: ReadonlyMap<NodeName, ResourceState<readonly Setting[]>>;
  /** By `pluginSettingsKey`. */
  readonly pluginSettings: ReadonlyMap<string, ResourceState<readonly PluginSetting[]>>;
  readonly users: ResourceState<readonly AdminUser[]>;
  /** The broker's own alarms. The error is `not-available` where it has no such list. */
  readonly alarms: ResourceState<readonly Alarm[]>;
  readonly clientScan: ScanState<Client>;
  readonly sessionScan: ScanState<Session>;
  readonly subscriptionScan: ScanState<Subscription>;
  readonly routeScan: ScanState<Route>;
  readonly metricHistory: MetricHistory;
  /** `undefined` until the API variant is known. */
  readonly capabilities: Capabilities | undefined;
  /** Why the answers contradict the configured variant, as a sentence. */
  readonly variantDoubt?: string | undefined;
  readonly intervalSeconds: number;
  /** While frozen, nothing is fetched. */
  readonly isFrozen: boolean;
  readonly isReadOnly: boolean;
  /** URLs of the API, the preferred one first. */
  readonly urls?: readonly string[] | undefined;
  /** The last change of the serving URL; `undefined` before any. */
  readonly takeover?: Takeover | undefined;
  /** The last URL that was skipped. */
  readonly skippedAddress?: SkippedAddress | undefined;
  /** Set by a 401: nothing is fetched until `signIn`. */
  readonly isUnauthorized: boolean;
  /** The 407 that set `isUnauthorized`: final, since a proxy's login is read at startup. */
  readonly proxyRefusal?: ProxyLoginError | undefined;
  readonly causedLoad: CausedLoad;
  readonly log: readonly LogEntry[];
  /** Every node ever seen, in order of first sight, including those that are gone. */
  readonly seenNodes?: ReadonlyMap<NodeName, SeenNode> | undefined;
  /** Last figures of nodes that no longer run, if they were seen running. */
  readonly lastKnown?: ReadonlyMap<NodeName, LastKnown> | undefined;
  /** The previous statistics, for changes such as `+3`. */
  readonly previousStats?: ByNode<Stats> | undefined;
  readonly watched?: readonly Watched[] | undefined;
}

/** Key of a plugin's settings in `MonitorState.pluginSettings`. */
export const pluginSettingsKey = (node: NodeName, plugin: string): string => `${node.length} ${node} ${plugin}`;

/** What an action makes outdated. */
export interface Effects {
  readonly refresh: readonly Watched[];
  /** Rows that are known to be gone. */
  readonly gone?: readonly { readonly scan: ScanName; readonly identity: string }[] | undefined;
}

export interface ReadableStore<S> {
  getState(): S;
  /** Calls `listener` after each change; the returned function unsubscribes. */
  subscribe(listener: (state: S, previous: S) => void): () => void;
}

/** The running monitor: its state, and what screens can request. */
export interface Monitor {
  readonly store: ReadableStore<MonitorState>;
  /**
   * Polls `watched` from its first watcher to its last; the returned function stops watching. `everySeconds` slows down
   * scans, plugins and settings, unless another watcher needs them sooner.
   */
  watch(watched: Watched, everySeconds?: number): () => void;
  /** Fetches everything watched now, whatever the interval and the back-off; not while frozen, and not before a 429's Retry-After. */
  refresh(): void;
  /** Aborts the running scan of that list, or all; rows stay. `true` if there was one. */
  abortScan(scan?: ScanName): boolean;
  setFrozen(isFrozen: boolean): void;
  /** Clamped to 0.5 to 60. */
  setIntervalSeconds(seconds: number): void;
  /**
   * Ends every timer and request, for good.
   * @param because who ends it, as a sentence, for actions that are cut short
   */
  stop(because?: string): void;
}

/** What only dialogs and the composition root request. */
export interface MonitorOperations {
  /** Reads one client once, also while frozen. @throws ApiError */
  readClient(clientId: string, signal: AbortSignal): Promise<ClientDetail>;
  /** Reads the users at one of several URLs once. @throws ApiError */
  readUsers(url: string): Promise<readonly AdminUser[]>;
  /** Records that another URL serves from now on. */
  noteTakeover(takeover: Omit<Takeover, 'atMs'>): void;
  /** Records that a URL is skipped because it is not trusted. */
  noteSkippedAddress(skipped: Omit<SkippedAddress, 'atMs'>): void;
  /**
   * After a 401: calls `takePassword`, then sends one request. Polling resumes unless that is rejected. Does nothing without a 401.
   * @returns why polling did not resume
   */
  signIn(takePassword: () => void): Promise<ApiError | undefined>;
}
