import type { NodeName } from '../domain/node.ts';
import type { ApiError, RequestLine } from './errors.ts';
import type { ApiOperations, Capabilities, ReadApi } from './management-api.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Shortens the deadline of the transport; longer values have no effect. */
  readonly deadlineMs?: number | undefined;
  /** The answer waits for other nodes: a timeout says nothing about the address. */
  readonly waitsForNodes?: boolean | undefined;
}

export interface Transport {
  readonly prefix: string;
  /** Requests are sent with the token of a login (`TokenFormat`), not with the password. */
  readonly hasToken?: boolean | undefined;
  /** Sends once, without retrying, and resolves with what `openAnswer` returns. @throws ApiError */
  send(request: HttpRequest): Promise<unknown>;
}

export interface HttpResponse {
  readonly status: number;
  /** The parsed body, or its text, as `bodyOf` says; `undefined` without one. */
  readonly json: unknown;
  /** The `Date` header, in seconds. */
  readonly sentAt?: number | undefined;
  /** The `Retry-After` header. */
  readonly retryAfterSeconds?: number | undefined;
  readonly request: RequestLine;
  /** Removes the login from a text of the broker. */
  readonly hide: (text: string) => string;
}

export interface HttpFormat {
  /** Prefix of every path, e.g. `/api/v2`. A URL may end with it. */
  readonly basePath: string;
  authorization(user: string, password: string): string;
  readonly token?: TokenFormat | undefined;
  /**
   * Says how to read a body; the transport rejects an `unexpected` one. `text`: at most 16 kB, the rest is cut; for
   * errors that may not be JSON.
   */
  bodyOf(status: number): 'json' | 'json-or-empty' | 'text' | 'none' | 'unexpected';
  /** @throws ApiError for a refusal and for an answer of another API */
  openAnswer(response: HttpResponse): unknown;
}

/**
 * Exchanges user and password for a token, at each address for itself. A wrong password is tried once; the login is
 * repeated when the token has expired, and some time after other failures.
 */
export interface TokenFormat {
  /** @param hadToken whether the refused request had a token */
  asksForLogin(refusal: ApiError, hadToken: boolean): boolean;
  login(user: string, password: string): HttpRequest;
  /** @throws ApiError */
  tokenOf(answer: unknown): string;
  authorization(token: string): string;
  /** Whether the login failed because of its name or password, and for no other reason. */
  isWrongPassword(failure: ApiError): boolean;
  /** The error when neither the password nor the login is accepted. */
  refused(refusal: ApiError): ApiError;
  /** The error when a new token is refused, although the password was accepted. */
  tokenRefused(refusal: ApiError): ApiError;
}

export interface DialectInfo {
  /** A name for scripts, e.g. `b`; `undefined` until known. */
  readonly version: string | undefined;
  readonly label: string;
}

export interface DialectSession {
  readonly info: DialectInfo;
  readonly capabilities: Capabilities | undefined;
  readonly apiDoubt: string | undefined;
  operations(transport: Transport): ApiOperations;
}

export interface Dialect {
  readonly http: HttpFormat;
  /** @param version as in `DialectInfo.version`; `auto` detects it from answers */
  createSession(version: string): DialectSession;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request without a login, by whose answer an API is recognized. */
export interface Probe {
  /** The path below the base path, with its query. */
  readonly path: string;
  isAnswer(answer: ProbeAnswer): boolean;
}

/** A release of a real broker that the embedded one imitates. */
export interface ServedProfile {
  /** The name for `--profile`. */
  readonly name: string;
  readonly release: string;
  /** The variant of its API; absent where the API has none. */
  readonly variant?: string | undefined;
}

/** The part of a dialect that flags, help, detection and the embedded broker need. */
export interface RegisteredDialect {
  readonly id: string;
  readonly basePath: string;
  /** The name for `--api`. */
  readonly api: string;
  /** The brokers that have the API, in words. */
  readonly brokers: string;
  /** The broker that the server half imitates, in words. */
  readonly servedBroker: string;
  readonly defaultPort: number;
  /** Names for `--variant`; no other dialect has one of them. */
  readonly variants: readonly string[];
  /** The variant that is served unless another is given. */
  readonly servedVariant: string | undefined;
  /** Oldest release first. */
  readonly profiles: readonly ServedProfile[];
  /** The API has rules and the services that they send messages to. */
  readonly hasRules?: true | undefined;
  readonly probe: Probe;
  loadServer(): Promise<DialectServer>;
}

type RequiredNames<Calls> = { [Name in keyof Calls]-?: undefined extends Calls[Name] ? never : Name }[keyof Calls];
type AdministrationRead = 'listPlugins' | 'listSettings' | 'getSettings' | 'getPluginSettings' | 'listUsers';

/** Calls that every implementation has. */
export type ServedReads = Omit<Pick<ReadApi, RequiredNames<ReadApi>>, AdministrationRead>;

/** An implementation to serve. A missing call is answered like an unknown path. */
export type ServedApi = ServedReads & Partial<Omit<ApiOperations, keyof ServedReads>>;

export interface ServerOptions {
  readonly api: ServedApi;
  /** The variant of the API; absent where it has none. */
  readonly variant?: string | undefined;
  /** Whether the pair is an administrator's. An `ApiError` that it rejects with is the answer. */
  readonly authenticate: (username: string, password: string) => Promise<boolean>;
  /** Whether the pair is an API key that may be used now; absent without API keys. */
  readonly authenticateKey?: ((key: string, secret: string) => boolean) | undefined;
  /** The release that is imitated; absent: the API as specified. */
  readonly profile?: string | undefined;
  /** The node that answers; absent: the whole cluster. */
  readonly self?: ServedNode | undefined;
  readonly faults?: ServedFaults | undefined;
  readonly clock?: ServedClock | undefined;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Called with unexpected errors of operations, and when accepting fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ServedNode {
  readonly name: NodeName;
  readonly isRunning: boolean;
}

export interface ManagementServer {
  readonly url: string;
  readonly port: number;
  readonly connectionLimit: number;
  connectionCount(): number;
  close(): Promise<void>;
}

/** The meaning of an API's calls, where APIs differ. */
export interface ServedMeaning {
  /** Disconnecting a client also removes its session and messages, and works on offline ones. */
  readonly disconnectEndsSession?: boolean | undefined;
  /** Means what it means in `Capabilities`. */
  readonly clearsWholeAclCache?: boolean | undefined;
  /** A ban by client ID disconnects the client and removes its session. */
  readonly banEndsSession?: boolean | undefined;
  /** When the figures of clients and sessions are updated; absent: they are always current. */
  readonly figures?: FigureUpdates | undefined;
  /** The alarms about queues; absent: `full`. */
  readonly queueAlarms?: 'full' | 'high-watermark' | 'none' | undefined;
  /** Every node serves the API; absent: the cluster serves it once. */
  readonly isServedByEachNode?: boolean | undefined;
}

/** Times at which the figures of a client and its session are updated, besides when it connects and disconnects. */
export interface FigureUpdates {
  readonly everySeconds: number;
  /** Updates an offline session only in a second without a message for it; absent: like a connected one. */
  readonly offlineWhenIdle?: boolean | undefined;
}

/** The time of a profile, which tests can move. */
export interface ServedClock {
  /** Resolves after `ms`; rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** Calls `run` every second. Returns a function that ends that. */
  everySecond(run: () => void): () => void;
}

/** Faults of a served cluster. They may be changed at any time. */
export interface ServedFaults {
  /** A node whose process is stopped: its connections are open and nothing is answered. */
  frozen: NodeName | undefined;
  /** Refuses one request in so many with 503; 0 refuses none. */
  busyEvery: number;
  /** Settings that a change lost, which the API does not list: `NODE PLUGIN KEY`. */
  readonly lostSettings: string[];
  /** Paths, by their beginnings below the base path, that the login may not use. */
  readonly forbidden: string[];
}

/**
 * The server half of an API for the embedded broker. Its functions throw a `TypeError` for an unknown variant or
 * profile.
 */
export interface DialectServer {
  /** A list to try with curl, below the base path. */
  readonly firstPath: string;
  /** Requests may be signed with an API key. */
  readonly hasApiKeys: boolean;
  extraPlugins(variant: string | undefined): readonly string[];
  meaning(profile: string | undefined): ServedMeaning;
  /** Serves an implementation over HTTP. @throws the system error (`EADDRINUSE`, …) when it cannot listen */
  start(options: ServerOptions): Promise<ManagementServer>;
}
