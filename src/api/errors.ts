import { errorCodeOf } from '../domain/error-code.ts';

/** The request that failed, without body, headers and password; for an implementation without HTTP both are `undefined`. */
export interface RequestLine {
  readonly method: string | undefined;
  readonly path: string | undefined;
}

const noRequest: RequestLine = { method: undefined, path: undefined };

export interface ApiErrorOptions {
  readonly request?: RequestLine | undefined;
  readonly cause?: unknown;
  /** A sentence about another possible cause. It is appended to the message. */
  readonly hint?: string | undefined;
}

/** Why a broker that understood a request refused it, and what that means in words. */
export const refusals = {
  'node-unreachable': 'the node did not answer the cluster (badrpc)',
  failed: 'unknown error',
  'wrong-credentials': 'wrong user name or password',
  'empty-credentials': 'empty user name or password',
  'unknown-user': 'user does not exist',
  'protected-user': 'admin cannot be deleted',
  invalid: 'a request parameter has the wrong type',
  'already-started': 'plugin is already loaded',
  'not-started': 'plugin is already unloaded',
  'not-connected': 'client is offline',
  exists: 'user exists already',
  'wrong-old-password': 'wrong old password',
} as const;

export type RefusalKind = keyof typeof refusals;

export const isRefusal = (kind: ApiErrorKind): kind is RefusalKind => Object.hasOwn(refusals, kind);

/** Kind of failure. Callers tell failures apart by it, never by the code of a broker. */
export type ApiErrorKind =
  | RefusalKind
  | 'aborted' | 'bad-answer' | 'http-status' | 'no-answer' | 'not-available' | 'not-found'
  | 'rate-limited' | 'read-only' | 'refused' | 'timeout' | 'too-large' | 'unauthorized' | 'unreachable'
  | 'unsupported' | 'unusable-id';

/** A call to a management API that failed. `message` is one sentence for the operator: what happened and what to do. */
export abstract class ApiError extends Error {
  abstract readonly kind: ApiErrorKind;
  /** What happened in a few words, where the sentence has no room. */
  abstract readonly brief: string;
  readonly request: RequestLine;
  readonly hint: string | undefined;

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(options.hint === undefined ? message : `${message} ${options.hint}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.request = options.request ?? noRequest;
    this.hint = options.hint;
  }

  /** Prepends the address to the message, where it is not the one on screen. */
  nameAddress(url: string): void {
    this.message = `${url}: ${this.message}`;
  }
}

export interface BrokerErrorOptions extends ApiErrorOptions {
  /** The broker's own code, for display only. */
  readonly code?: number | string | undefined;
  /** What the code means, where the words of `refusals` do not fit; `null` for a code that nobody knows. */
  readonly meaning?: string | null | undefined;
}

/** The broker understood the request and refused it. */
export class BrokerError extends ApiError {
  readonly kind: RefusalKind;
  readonly code: number | string | undefined;
  /** `undefined` for a code that nobody knows. */
  readonly meaning: string | undefined;
  /** The broker's own words: hostile text until it has passed safe-text. */
  readonly brokerMessage: string | undefined;

  constructor(kind: RefusalKind, brokerMessage?: string, { code, meaning = refusals[kind], ...options }: BrokerErrorOptions = {}) {
    super(`The broker refused: ${meaning ?? 'a code that the specification does not list'}${code === undefined ? '' : ` (code ${code})`}.`, options);
    this.kind = kind;
    this.code = code;
    this.meaning = meaning ?? undefined;
    this.brokerMessage = brokerMessage;
  }

  /** The same error without the broker's words. */
  withoutWords(): BrokerError {
    const { kind, code, meaning = null, request } = this;
    return new BrokerError(kind, undefined, { code, meaning, request });
  }

  get brief(): string {
    return this.code === undefined ? 'refused' : `refused (code ${this.code})`;
  }
}

/** 401. Polling stops at once: repeating a wrong password helps nobody. */
export class UnauthorizedError extends ApiError {
  readonly kind = 'unauthorized';
  readonly brief = 'wrong password (401)';
  constructor(options: ApiErrorOptions = {}) {
    super('The broker rejected the user name or password (401).', options);
  }
}

/** 404: no such path, or its handler crashed (field notes, "Transport"). After an action the outcome is unknown. */
export class NotFoundError extends ApiError {
  readonly kind = 'not-found';
  readonly brief = 'nothing there (404)';
  constructor(options: ApiErrorOptions = {}) {
    super('The broker has nothing at that path or failed inside (404); the node may be down or the broker may lack this part.', options);
  }
}

/** 429. */
export class RateLimitedError extends ApiError {
  readonly kind = 'rate-limited';
  readonly brief = 'asked to slow down (429)';
  /** From `Retry-After`; `undefined` without it. */
  readonly retryAfterSeconds: number | undefined;
  constructor(retryAfterSeconds: number | undefined, options: ApiErrorOptions = {}) {
    super('The broker asks for fewer requests (429); polling slows down.', options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Statuses of a proxy that cannot reach the broker; broken or overloaded brokers send them, too. */
export const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Any other unexpected status. Redirects are among them: they are never followed. */
export class HttpStatusError extends ApiError {
  readonly kind = 'http-status';
  readonly status: number;
  /** From `Retry-After` of a 503. */
  readonly retryAfterSeconds: number | undefined;
  constructor(status: number, options: ApiErrorOptions = {}, retryAfterSeconds?: number) {
    const redirect = status >= 300 && status < 400;
    super(
      redirect
        ? `The broker redirects (HTTP ${status}), which is never followed; give the final address with --url.`
        : status === 413
          ? 'The request is larger than the broker takes (HTTP 413).'
          : gatewayStatuses.has(status)
            ? `The broker, or a proxy before it, is overloaded or cannot serve now (HTTP ${status}).`
            : `The broker answered with HTTP ${status}; is this the management interface?`,
      options,
    );
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get brief(): string {
    return `HTTP ${this.status}`;
  }
}

/** Something that is not an answer of this API: HTML, truncated JSON, `null`, wrong shape. */
export class BadAnswerError extends ApiError {
  readonly kind = 'bad-answer';
  readonly brief = 'not this API';
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(`The answer is not one of this API (${what}); is this the management interface?`, options);
  }
}

/** A body over the size or nesting limit. Reading stopped there. */
export class TooLargeError extends ApiError {
  readonly kind = 'too-large';
  readonly brief = 'answer too large';
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(`The answer was refused because it is too large (${what}).`, options);
  }
}

/** The caller aborted the call. */
export class AbortedError extends ApiError {
  readonly kind = 'aborted';
  readonly brief = 'ended before the answer';
  constructor(options: ApiErrorOptions = {}) {
    super('The request was ended before its answer came.', options);
  }
}

/** The API of this broker has no such operation. Nothing was sent. */
export class UnsupportedError extends ApiError {
  readonly kind = 'unsupported';
  readonly brief = 'not in this variant';
  constructor(operation: string, options: ApiErrorOptions = {}) {
    super(`This broker's variant of the interface cannot ${operation}.`, options);
  }
}

/** An endpoint cannot address this id (field notes, "Paths"). Nothing was sent. */
export class UnusableIdError extends ApiError {
  readonly kind = 'unusable-id';
  readonly brief = 'id not usable';
  constructor(why: string, options: ApiErrorOptions = {}) {
    super(`The id cannot be used here: ${why}.`, options);
  }
}

/** The client refused to send a request that must not reach any broker. Nothing was sent. */
export class RefusedError extends ApiError {
  readonly kind = 'refused';
  readonly brief = 'not sent';
  constructor(why: string, options: ApiErrorOptions = {}) {
    super(`Nothing was sent: ${why}.`, options);
  }
}

/** 404 for something that the API should have: a release without it, or with a bug (field notes, "Actions"). */
export class NotAvailableError extends ApiError {
  readonly kind = 'not-available';
  readonly brief = 'not offered (404)';
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(`This broker does not offer ${what} (404).`, options);
  }
}

/** The program was started with `--read-only`. Nothing was sent. */
export class ReadOnlyError extends ApiError {
  readonly kind = 'read-only';
  readonly brief = 'read-only';
  constructor(operation: string, options: ApiErrorOptions = {}) {
    super(`Read-only: this program was told not to ${operation}.`, options);
  }
}

/** The connection closed before the first byte: unknown or stopped node, or the listener is full. */
export class NoAnswerError extends ApiError {
  readonly kind = 'no-answer';
  readonly brief = 'closed, no answer';
  constructor(options: ApiErrorOptions = {}) {
    super('The broker closed the connection without an answer; the node may be down or its management listener full.', options);
  }
}

/** No connection: refused, no such host, reset. `reason` is the code or text of the system. */
export class UnreachableError extends ApiError {
  readonly kind = 'unreachable';
  readonly reason: string;
  constructor(
    reason: string,
    options: ApiErrorOptions = {},
    message = `The management interface cannot be reached (${reason}); check the URL and that the broker runs.`,
  ) {
    super(message, options);
    this.reason = reason;
  }

  get brief(): string {
    return `not reached (${this.reason})`;
  }
}

/** The TLS handshake failed, so no password was sent. `reason` is the code of Node or OpenSSL. */
export class TlsError extends UnreachableError {
  readonly #brief: string;

  /** @param brief what is wrong, e.g. `certificate expired` */
  constructor(reason: string, brief: string, advice: string, options: ApiErrorOptions = {}) {
    super(reason, options, `${brief.slice(0, 1).toUpperCase()}${brief.slice(1)}: ${advice} (${reason}).`);
    this.#brief = brief;
  }

  override get brief(): string {
    return this.#brief;
  }
}

/** The host of an `http:` URL is another machine. Nothing was sent. */
export class OtherMachineRefusal extends UnreachableError {
  /** @param address what the host leads to, or the host itself */
  constructor(host: string, address: string, options: ApiErrorOptions = {}) {
    const what = host === address ? `${host} is another machine` : `${host} is ${address}, another machine`;
    super('another machine', options, `${what}: http:// would send the password unencrypted. Use https:// or an SSH tunnel, or add --insecure-http.`);
  }

  override get brief(): string {
    return 'not this machine';
  }
}

/** The proxy cannot be reached or does not forward. Nothing reached the broker. */
export class ProxyError extends UnreachableError {
  constructor(message: string, reason: string, options: ApiErrorOptions = {}) {
    super(reason, options, message);
  }

  override get brief(): string {
    return `stopped at the proxy (${this.reason})`;
  }
}

/** 407: the proxy rejected its login, which cannot change while the program runs. Polling stops as after a 401. */
export class ProxyLoginError extends ApiError {
  readonly kind = 'unauthorized';
  readonly brief: string;

  /** @param variable the environment variable that names the proxy */
  constructor({ url, variable, hasLogin }: { readonly url: string; readonly variable: string; readonly hasLogin: boolean }, options: ApiErrorOptions = {}) {
    super(hasLogin
      ? `The proxy ${url} rejected the login (HTTP 407). Put the right user and password into ${variable} and start again.`
      : `The proxy ${url} requires a login (HTTP 407). Put user and password into ${variable} and start again.`, options);
    this.brief = `proxy login rejected (407): correct ${variable} and start again`;
  }
}

/** The whole answer did not arrive in time. */
export class TimeoutError extends ApiError {
  readonly kind = 'timeout';
  readonly deadlineMs: number;
  constructor(deadlineMs: number, options: ApiErrorOptions = {}) {
    super(`The broker did not answer within ${deadlineMs / 1000} s; it may be overloaded or a node may hang.`, options);
    this.deadlineMs = deadlineMs;
  }

  get brief(): string {
    return `no answer within ${this.deadlineMs / 1000} s`;
  }
}

/** System codes of a connection that was never established. */
const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM',
]);

/** Whether nothing was sent because there was no connection. */
export function isNeverConnected(error: ApiError): boolean {
  if (error instanceof TlsError || error instanceof ProxyError || error instanceof ProxyLoginError || error instanceof OtherMachineRefusal) return true;
  if (error instanceof UnreachableError) return neverConnected.has(error.reason);
  return error instanceof TimeoutError && errorCodeOf(error.cause) === 'UND_ERR_CONNECT_TIMEOUT';
}
