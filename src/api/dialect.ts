import type { RequestLine } from './errors.ts';
import type { ApiOperations, Capabilities } from './management-api.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  /** Encoded path below the base path, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends the requests of a dialect. */
export interface Transport {
  /** Path prefix of every request: that of the URL and the base path of the dialect. */
  readonly prefix: string;
  /** Sends one request, never repeats it, and resolves with what the dialect's `openAnswer` returned. @throws ApiError */
  send(request: HttpRequest): Promise<unknown>;
}

/** An answer that the transport has read. */
export interface HttpResponse {
  readonly status: number;
  /** The parsed body; `undefined` where the status carries none. */
  readonly json: unknown;
  readonly request: RequestLine;
  /** Removes the login from a text of the broker, which is shown and recorded. */
  readonly hide: (text: string) => string;
}

/** How an API uses HTTP: all that the transport has to know of it. */
export interface HttpFormat {
  /** Begins every path of the API, e.g. `/api/v2`. A URL may end with it. */
  readonly basePath: string;
  authorization(user: string, password: string): string;
  /** What the body of this status is. The transport turns an `unexpected` status into an error itself. */
  bodyOf(status: number): 'json' | 'none' | 'unexpected';
  /** Returns the result of an answer. @throws ApiError for a refusal and for an answer of another API */
  openAnswer(response: HttpResponse): unknown;
}

/** What a dialect has found out about the broker it talks to. */
export interface DialectInfo {
  /** Short name of the API version for scripts, e.g. `b`; `undefined` until known. */
  readonly version: string | undefined;
  /** The same for the header of the screens, e.g. `variant B`. */
  readonly label: string;
  /** How this is known, as a phrase. */
  readonly because: string;
}

/** One broker: its ports, over one transport or several, share what has been found out about it. */
export interface DialectSession {
  readonly info: DialectInfo;
  /** As far as they are known now. The same object until something changes. */
  readonly capabilities: Capabilities | undefined;
  /** See `ManagementApi.variantDoubt`. */
  readonly variantDoubt: string | undefined;
  /** The calls of the port, over a transport. Sends nothing by itself. */
  operations(transport: Transport): ApiOperations;
}

/** A broker's management API: everything that `api/` and the folders above it know of it. */
export interface Dialect {
  readonly id: string;
  readonly title: string;
  readonly http: HttpFormat;
  /** @param version what the operator says the broker speaks, as in `DialectInfo.version`; `auto` finds it out from answers */
  createSession(version: string): DialectSession;
}
