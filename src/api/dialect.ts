import type { RequestLine } from './errors.ts';
import type { ApiOperations, Capabilities, ManagementApi } from './management-api.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly prefix: string;
  /** Sends once, without retrying, and resolves with what `openAnswer` returns. @throws ApiError */
  send(request: HttpRequest): Promise<unknown>;
}

export interface HttpResponse {
  readonly status: number;
  readonly json: unknown;
  readonly request: RequestLine;
  /** Removes the login from a text of the broker. */
  readonly hide: (text: string) => string;
}

export interface HttpFormat {
  /** Prefix of every path, e.g. `/api/v2`. A URL may end with it. */
  readonly basePath: string;
  authorization(user: string, password: string): string;
  /** The transport rejects an `unexpected` one. */
  bodyOf(status: number): 'json' | 'none' | 'unexpected';
  /** @throws ApiError for a refusal and for an answer of another API */
  openAnswer(response: HttpResponse): unknown;
}

export interface DialectInfo {
  /** For scripts, e.g. `b`; `undefined` until known. */
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
  readonly id: string;
  readonly title: string;
  readonly http: HttpFormat;
  /** @param version as in `DialectInfo.version`; `auto` detects it from answers */
  createSession(version: string): DialectSession;
}

export type ReadingOperation =
  | 'listNodes' | 'getNode' | 'listNodeStats' | 'getNodeStats' | 'listListeners' | 'getListeners'
  | 'listMetrics' | 'getMetrics' | 'listStats' | 'getStats'
  | 'listClients' | 'getNodeClient' | 'getClient'
  | 'listSessions' | 'getNodeSession' | 'getSession'
  | 'listSubscriptions' | 'getNodeSubscriptions' | 'getSubscriptions'
  | 'listRoutes' | 'getRoutes';

/** An implementation to serve. A missing operation is answered like an unknown path. */
export type ServedApi =
  & Pick<ManagementApi, ReadingOperation>
  & Partial<Omit<ManagementApi, ReadingOperation | 'capabilities'>>;

export interface ServerOptions {
  readonly api: ServedApi;
  readonly version: string;
  /** Whether the pair is an administrator's. An `ApiError` that it rejects with is the answer. */
  readonly authenticate: (username: string, password: string) => Promise<boolean>;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Called with unexpected errors of operations, and when accepting fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ManagementServer {
  readonly url: string;
  readonly port: number;
  readonly connectionLimit: number;
  connectionCount(): number;
  close(): Promise<void>;
}

/** How the embedded broker serves this API. Both functions throw a `TypeError` for an unknown version. */
export interface DialectServer {
  extraPlugins(version: string): readonly string[];
  /** Serves an implementation over HTTP. @throws the system error (`EADDRINUSE`, …) when it cannot listen */
  start(options: ServerOptions): Promise<ManagementServer>;
}
