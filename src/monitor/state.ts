import type { ApiError, ProxyLoginError } from '../api/errors.ts';
import type { Capabilities, UnusableRows } from '../api/management-api.ts';
import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../domain/client.ts';
import type { Metrics, Stats } from '../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats, NodeStatus } from '../domain/node.ts';
import type { OfflineCounters } from './history/offline-counters.ts';

/**
 * What is known of one polled resource. Data and error stand beside each other: a failed refresh
 * keeps the last good data, with its age. All times are this machine's `Date.now()`.
 */
export interface ResourceState<T> {
  /** The last good answer; `undefined` means that none has ever come, never that there is nothing. */
  readonly data: T | undefined;
  /** When `data` arrived. */
  readonly updatedAtMs: number | undefined;
  /** How long the request behind `data` took. */
  readonly durationMs: number | undefined;
  /** Why the last attempt failed; `undefined` once one succeeds. */
  readonly error: ApiError | undefined;
  /** When the run of failures began. */
  readonly failingSinceMs: number | undefined;
  /** When it will be tried again; `undefined` while fetching, unwatched, frozen or stopped for good (401). */
  readonly nextAttemptAtMs: number | undefined;
  readonly isFetching: boolean;
  /** Rows of the answer behind `data` that could not be understood: they are missing there. */
  readonly unusable?: UnusableRows | undefined;
}

/**
 * Why the rest of a node's list was not read although the node answers. `rows`, `text` and `time`: a limit of the scan.
 * `growth`: the list became more than half as long again. `repeats`: further pages brought nothing new.
 */
export type ScanCut = 'rows' | 'text' | 'time' | 'growth' | 'repeats';

/** How far a scan has read one node's list. */
export interface ScanCoverage {
  readonly read: number;
  /** What the broker says the list holds; `undefined` before its first page. */
  readonly expected: number | undefined;
  readonly isComplete: boolean;
  readonly error: ApiError | undefined;
  /** When the end of the list was reached, on a clock that never jumps; `undefined` before. */
  readonly readAtMs?: number | undefined;
  /** When the list was first asked for, by `Date.now()`; `undefined` before its end was reached: what is not in it was not there, or came later. */
  readonly beganAtMs?: number | undefined;
  /** Why reading ended before the end of the list. */
  readonly cut?: ScanCut | undefined;
  /** Rows that could not be understood, so far. */
  readonly unusable?: UnusableRows | undefined;
}

/** A list over all nodes, read page by page in the background. */
export interface ScanState<T> {
  /** Rows in order of arrival, one per identity. During a rescan, old rows stay until their node has been read again. */
  readonly rows: readonly T[];
  /** Identities that the last finished scan had not seen before (never set by the first scan). */
  readonly added: ReadonlySet<string>;
  /** Rows that were there before and are gone since the last finished scan; shown as GONE for one interval. */
  readonly gone: readonly T[];
  readonly phase: 'idle' | 'running' | 'complete' | 'partial' | 'aborted';
  readonly coverage: ReadonlyMap<NodeName, ScanCoverage>;
  /** Nodes of which rows are missing here, with their last finished reading: also while they are read again. */
  readonly leftOut: ReadonlyMap<NodeName, ScanCoverage>;
  /** Requests of the running or last scan. */
  readonly requests: number;
  readonly startedAtMs: number | undefined;
  /** When the last scan ended, complete or not. */
  readonly finishedAtMs: number | undefined;
  /** When the next scan begins; `undefined` while running, unwatched or frozen. */
  readonly nextScanAtMs: number | undefined;
  /** Why the scan could not even begin (the node list is missing). Node failures are in `coverage`. */
  readonly error: ApiError | undefined;
}

/** One client opened: its connection, session and subscriptions, each alive or failed on its own. */
export interface ClientDetail {
  readonly clients: readonly Client[] | ApiError;
  readonly sessions: readonly Session[] | ApiError;
  readonly subscriptions: readonly Subscription[] | ApiError;
  /** Of a session whose client is offline; `undefined` where there is none, or where that was not looked at. */
  readonly offline?: Pick<OfflineCounters, 'sinceMs' | 'isLive'> | undefined;
}

/** Polled resources of which there is one. */
export interface Resources {
  readonly nodes: readonly NodeInfo[];
  readonly nodeStats: readonly NodeStats[];
  readonly listeners: ByNode<readonly Listener[]>;
  readonly metrics: ClusterFigures<Metrics>;
  readonly stats: ByNode<Stats>;
}

export type ResourceName = keyof Resources;

/** Lists over all nodes that are scanned, by where their state is, with what a row of each is. */
export interface ScannedRows {
  readonly clientScan: Client;
  readonly sessionScan: Session;
  readonly subscriptionScan: Subscription;
  /** Routes are the cluster's, not a node's: coverage knows the one part `wholeCluster`. */
  readonly routeScan: Route;
}

export type ScanName = keyof ScannedRows;

/** Stands for a node's name where a list belongs to the cluster as a whole. */
export const wholeCluster: NodeName = 'cluster';

/** Something that a screen can look at; what nobody looks at is not fetched. */
export type Watched =
  | { readonly kind: 'resource'; readonly name: ResourceName }
  /** Counters of one node, where the cluster's come as one total. */
  | { readonly kind: 'nodeMetrics'; readonly node: NodeName }
  | { readonly kind: 'clientDetail'; readonly clientId: string }
  /** Where one topic filter is routed to, asked for by its name (§4.5). */
  | { readonly kind: 'topicRoutes'; readonly topic: string }
  /** Plugins of one node; cluster-wide they cannot be asked for (§4.6). */
  | { readonly kind: 'nodePlugins'; readonly node: NodeName }
  /** Hot settings of all nodes at once. Where the broker lacks that, the error is a `NotAvailableError` and `nodeSettings` may still work. */
  | { readonly kind: 'settings' }
  | { readonly kind: 'nodeSettings'; readonly node: NodeName }
  | { readonly kind: 'pluginSettings'; readonly node: NodeName; readonly plugin: string }
  | { readonly kind: 'users' }
  | { readonly kind: 'alarms' }
  | { readonly kind: ScanName };

/** Metric counters at one moment, for rates and sparklines. */
export interface MetricSample {
  /** When the answer arrived, on a clock that never jumps, in milliseconds. */
  readonly atMs: number;
  readonly metrics: Metrics;
  /** `cluster`: part of an answer about all nodes at once, which alone can be summed; `node`: read for that node alone. */
  readonly from?: 'cluster' | 'node' | undefined;
  /** The counters may have begun anew since the sample before (restart, absence, suspend): no rate across the two. */
  readonly isAfterReset?: boolean | undefined;
}

/** A node that the monitor has seen at least once. */
export interface SeenNode {
  /** As last heard; `unknown` when the broker no longer mentions it. */
  readonly status: NodeStatus | 'unknown';
  /** When the status became this one; `undefined` when it was so from the beginning. */
  readonly sinceMs: number | undefined;
}

/** A node's figures as they were before it went. */
export interface LastKnown {
  /** When the last of its figures came, wall clock. */
  readonly atMs: number;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
  readonly counts: Stats | undefined;
  readonly listeners: readonly Listener[] | undefined;
}

/** Samples by where they were counted: a node's name, or `clusterTotal` for a cluster-wide total. Oldest first. */
export type MetricHistory = ReadonlyMap<NodeName | typeof clusterTotal, readonly MetricSample[]>;

/** Key of the samples that some brokers give for the whole cluster at once. Not a possible node name. */
export const clusterTotal: unique symbol = Symbol('cluster total');

/** Another address of the interface answers than before. */
export interface Takeover {
  readonly url: string;
  readonly insteadOf: string;
  /** Why the one before was given up, in a sentence. */
  readonly because: string;
  readonly atMs: number;
}

/** An address of the interface that was passed over because it is not trusted. */
export interface SkippedAddress {
  readonly url: string;
  /** Why, in a few words and as a sentence. */
  readonly brief: string;
  readonly message: string;
  readonly atMs: number;
}

export interface LogEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warning' | 'error';
  /** Raw text; may hold broker text and has not passed safe-text. */
  readonly text: string;
}

/** What the requests of the last minute, ours alone, cost the broker. */
export interface CausedLoad {
  readonly requests: number;
  /** Of the answers without their heads; `undefined` where they are not counted. */
  readonly answerBytes: number | undefined;
  /** From sending to the end of the answer, of all together. */
  readonly seconds: number;
}

/** Everything that the monitor knows. Replaced, never changed in place. */
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
  /** What the broker warns of itself. The error is `not-available` where it has no list of alarms. */
  readonly alarms: ResourceState<readonly Alarm[]>;
  readonly clientScan: ScanState<Client>;
  readonly sessionScan: ScanState<Session>;
  readonly subscriptionScan: ScanState<Subscription>;
  readonly routeScan: ScanState<Route>;
  readonly metricHistory: MetricHistory;
  /** `undefined` until the variant of the interface has been found out. */
  readonly capabilities: Capabilities | undefined;
  /** Why the variant that was given is not the one that answers show, in a sentence. */
  readonly variantDoubt?: string | undefined;
  readonly intervalSeconds: number;
  /** Frozen: nothing is fetched, what is shown stays. */
  readonly isFrozen: boolean;
  /** No action is possible. */
  readonly isReadOnly: boolean;
  /** Addresses of the interface, the first one asked first. */
  readonly urls?: readonly string[] | undefined;
  /** The last change of the address that answers; `undefined` while it is the first one. */
  readonly takeover?: Takeover | undefined;
  /** The last address that was skipped. */
  readonly skippedAddress?: SkippedAddress | undefined;
  /** Set by a 401: nothing is fetched until `signIn`. */
  readonly isUnauthorized: boolean;
  /** The 407 that set it instead: nothing is fetched any more, since the login of a proxy is read at start. */
  readonly proxyRefusal?: ProxyLoginError | undefined;
  readonly causedLoad: CausedLoad;
  readonly log: readonly LogEntry[];
  /** Every node ever seen, in order of first sight; a node that vanished stays. */
  readonly seenNodes?: ReadonlyMap<NodeName, SeenNode> | undefined;
  /** What nodes that do not run any more said last, if they were ever seen to run. */
  readonly lastKnown?: ReadonlyMap<NodeName, LastKnown> | undefined;
  /** The statistics before the present ones, for `+3`. */
  readonly previousStats?: ByNode<Stats> | undefined;
  /** What somebody looks at now. */
  readonly watched?: readonly Watched[] | undefined;
}

/** Key of a plugin's settings in `MonitorState.pluginSettings`. */
export const pluginSettingsKey = (node: NodeName, plugin: string): string => `${node.length} ${node} ${plugin}`;

/** What of the monitor's knowledge an action makes old. */
export interface Effects {
  readonly refresh: readonly Watched[];
  /** Rows that are gone for certain. */
  readonly gone?: readonly { readonly scan: ScanName; readonly identity: string }[] | undefined;
}

/** A store to read and to listen to. */
export interface ReadableStore<S> {
  getState(): S;
  /** Calls `listener` after each change; the returned function ends that. */
  subscribe(listener: (state: S, previous: S) => void): () => void;
}

/** The running monitor: state to read, and what can be asked of it. */
export interface Monitor {
  readonly store: ReadableStore<MonitorState>;
  /**
   * Starts polling what is named, with the first of its watchers; the answer ends it, with the last.
   * A list that is scanned, plugins and settings are read no more often than every `everySeconds`, when
   * that is longer than they rest anyway and no other watcher wants them sooner.
   */
  watch(watched: Watched, everySeconds?: number): () => void;
  /**
   * Fetches everything that is watched now, whatever the interval and the back-off say. Not while
   * frozen, and not before the moment that a 429 asked to wait for.
   */
  refresh(): void;
  /** Ends the running scan of that list, or all running scans; rows stay. `true` when there was one. */
  abortScan(scan?: ScanName): boolean;
  setFrozen(isFrozen: boolean): void;
  /** Clamped to 0.5 to 60. */
  setIntervalSeconds(seconds: number): void;
  /**
   * Ends every timer and request. The monitor cannot be started again.
   * @param because who ends it, as a sentence, for what is cut short
   */
  stop(because?: string): void;
}

/** What only dialogs and the composition root ask of the monitor. */
export interface MonitorOperations {
  /**
   * Reads one client once, also while the screen is frozen: what is asked about next has to be so now.
   * @throws ApiError
   */
  readClient(clientId: string, signal: AbortSignal): Promise<ClientDetail>;
  /** Reads the users at one of several addresses once. @throws ApiError */
  readUsers(url: string): Promise<readonly AdminUser[]>;
  /** Another address answers from now on. */
  noteTakeover(takeover: Omit<Takeover, 'atMs'>): void;
  /** An address is passed over because it is not trusted. */
  noteSkippedAddress(skipped: Omit<SkippedAddress, 'atMs'>): void;
  /**
   * After a 401: calls `takePassword`, then asks the broker once; when it does not reject that, fetching goes
   * on. Nothing when there was no 401.
   * @returns why not
   */
  signIn(takePassword: () => void): Promise<ApiError | undefined>;
}
