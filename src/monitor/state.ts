import type { ApiError, ProxyLoginError } from '../api/errors.ts';
import type { CallOptions, Capabilities, ReadingApi, UnusableRows } from '../api/management-api.ts';
import type { EventSeverity } from '../domain/event.ts';
import type { NodeName } from '../domain/node.ts';
import type { Query, Readings, Watchable } from './query/part.ts';
import type { Moment } from './shown-time.ts';

/**
 * One polled resource. A failed refresh does not clear the data. Times are steady ones (`Clock.nowMs`), here and below,
 * unless they say monotonic.
 */
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

/** Nothing was read yet. */
export const emptyResource = <T>(): ResourceState<T> => ({
  data: undefined,
  updatedAtMs: undefined,
  durationMs: undefined,
  error: undefined,
  failingSinceMs: undefined,
  nextAttemptAtMs: undefined,
  isFetching: false,
});

/** A limit (`rows`, `text`, `time`), a list that grew by more than half, or pages without new rows. */
export type ScanCut = 'rows' | 'text' | 'time' | 'growth' | 'repeats';

export interface ScanCoverage {
  readonly read: number;
  /** Length reported by the broker; `undefined` before the first page. */
  readonly expected: number | undefined;
  readonly isComplete: boolean;
  readonly error: ApiError | undefined;
  /** The time when the end was reached, monotonic. */
  readonly readAtMs?: number | undefined;
  /**
   * When reading began; `undefined` until the end is reached. Rows missing in the list were absent then, or are newer.
   */
  readonly beganAtMs?: number | undefined;
  /** The list was last read more than two planned intervals ago: no diagnosis from what was counted in between. */
  readonly isAfterGap?: true | undefined;
  readonly cut?: ScanCut | undefined;
  readonly unusable?: UnusableRows | undefined;
}

export interface ScanState<T> {
  /** One row per identity, in order of arrival. A node's old rows stay until it is read again. */
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

/** Nothing was read yet. */
export const emptyScan = <T>(): ScanState<T> => ({
  rows: [],
  added: new Set(),
  gone: [],
  phase: 'idle',
  coverage: new Map(),
  leftOut: new Map(),
  requests: 0,
  startedAtMs: undefined,
  finishedAtMs: undefined,
  nextScanAtMs: undefined,
  error: undefined,
});

/** The coverage of a list that belongs to the cluster has this one key. */
export const wholeCluster: NodeName = 'cluster';

export interface FailoverEvent {
  readonly url: string;
  readonly insteadOf: string;
  readonly because: string;
  readonly atMs: number;
}

export interface AddressSkip {
  readonly url: string;
  readonly brief: string;
  readonly message: string;
  readonly atMs: number;
}

export interface CausedLoad {
  readonly requests: number;
  /** `undefined` if bytes are not counted. */
  readonly answerBytes: number | undefined;
  /** Connections that are open now; `undefined` without HTTP. */
  readonly connections: number | undefined;
}

/** What `reading` and `readings` read, and what the monitor knows of itself. */
export interface MonitorState extends Readings {
  /** `undefined` until the API variant is known. */
  readonly capabilities: Capabilities | undefined;
  /** Why the answers contradict the configured variant, as a sentence. */
  readonly apiDoubt?: string | undefined;
  readonly intervalSeconds: number;
  readonly isFrozen: boolean;
  readonly isReadOnly: boolean;
  readonly urls?: readonly string[] | undefined;
  readonly failover?: FailoverEvent | undefined;
  readonly skippedAddress?: AddressSkip | undefined;
  /** Set by a 401: polling stops until `signIn`. */
  readonly isUnauthorized: boolean;
  /** The 407 that set `isUnauthorized`. Final: a proxy's login is read only at startup. */
  readonly proxyLoginError?: ProxyLoginError | undefined;
  readonly causedLoad: CausedLoad;
  readonly watched?: readonly Watchable[] | undefined;
  /** Set while a moment of a recording is shown instead of now. Nothing is read or done then. */
  readonly past?: Past | undefined;
}

/** A moment of a recording, with what lies around it. */
export interface Past {
  readonly at: Moment;
  /** Times of the first and last samples, by the wall clock. */
  readonly range: { readonly fromMs: number; readonly toMs: number };
  /** When nothing was recorded in between. */
  readonly gaps: readonly Past['range'][];
  /** What happened in the hour around the moment. */
  readonly events: readonly PastEvent[];
  /** The version of the program that recorded it. */
  readonly program: string;
  /** How many times as fast as it did time passes; `undefined` while it stands still. */
  readonly speed?: number | undefined;
  /** There is a present to return to. */
  readonly hasNow: boolean;
  /** Another number after each move but that to the next sample: what is known of other moments does not count. */
  readonly visit: number;
}

export interface PastEvent {
  readonly atMs: number;
  readonly severity: 'critical' | 'warning' | 'info';
}

/** The beginning of a list that may be longer. */
export interface PartOfList<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The consequences of an action: which queries are to be read again, and which rows are gone. */
export interface Effects {
  readonly refresh: readonly Watchable[];
  readonly gone?: readonly { readonly scan: Query<unknown, []>; readonly identity: string }[] | undefined;
}

export interface ReadableStore<S> {
  getState(): S;
  subscribe(listener: (state: S, previous: S) => void): () => void;
}

export interface Monitor {
  readonly store: ReadableStore<MonitorState>;
  /**
   * Reads a resource until the returned function is called. `everySeconds` slows down scans, metrics of nodes, plugins
   * and settings, unless another watcher needs them sooner.
   */
  watch(watched: Watchable, everySeconds?: number): () => void;
  /** Polls everything watched now, or one thing only; not while frozen, and not before a 429's Retry-After. */
  refresh(only?: Watchable): void;
  /** Ends scans, whose rows stay. Returns `true` if one was running. */
  abortScan(scan?: Query<unknown, []>): boolean;
  setFrozen(isFrozen: boolean): void;
  /** Clamps the interval to 0.5 to 60. */
  setIntervalSeconds(seconds: number): void;
  /** Ends all timers and requests for good. `because`: a sentence for actions that are cut short. */
  stop(because?: string): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly url?: string | undefined;
}

export interface MonitorOperations {
  /**
   * Sends one request, to the address in use or to one that the operator chose. Also works while frozen. @throws
   * ApiError; AbortedError for an address that is not known
   */
  request<R>(request: (api: ReadingApi, options: CallOptions) => Promise<R>, options?: RequestOptions): Promise<R>;
  /** Adds an event to the timeline. @param atMs when it happened, by default now */
  note(severity: EventSeverity, text: string, atMs?: number): void;
  noteFailover(failover: Omit<FailoverEvent, 'atMs'>): void;
  noteSkippedAddress(skipped: Omit<AddressSkip, 'atMs'>): void;
  /** Signs in after a 401. Polling resumes unless the password is rejected; returns why it did not. */
  signIn(takePassword: () => void): Promise<ApiError | undefined>;
}
