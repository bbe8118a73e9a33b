/**
 * What can go wrong on the way to a management API and back: no connection, no trust, no answer, not in time.
 * What is answered is in `errors.ts`.
 */
import { codeOf } from '../domain/error-code.ts';
import { ApiError, type ApiErrorOptions } from './errors.ts';

/** The connection closed before a single byte came: unknown or stopped node, or the listener is full. */
export class NoAnswerError extends ApiError {
  readonly kind = 'no-answer';
  readonly brief = 'closed, no answer';
  constructor(options: ApiErrorOptions = {}) {
    super('The broker closed the connection without an answer; the node may be down or its management listener full.', options);
  }
}

/** No connection: refused, no such host, reset. `reason` is the system's code or text. */
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

/**
 * TLS was not agreed on: one side does not trust the other, or there is no TLS. No request was taken, so
 * no password went to a server that is not trusted. `reason` is the code of Node or OpenSSL.
 */
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

/** `http:` is for this machine only, and the host of the URL is another one. Nothing was sent. */
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

/** The proxy on the way cannot be reached or does not pass on. The broker got nothing. `message` is one sentence. */
export class ProxyError extends UnreachableError {
  constructor(message: string, reason: string, options: ApiErrorOptions = {}) {
    super(reason, options, message);
  }

  override get brief(): string {
    return `stopped at the proxy (${this.reason})`;
  }
}

/** 407: the proxy rejected its login, which stays the same while the program runs. Fetching stops as after a 401. The broker got nothing. */
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

/** The system's words for a connection that never came about. */
const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM',
]);

/** Nothing was sent, because there was no connection to send it over. */
export function isNeverConnected(error: ApiError): boolean {
  if (error instanceof TlsError || error instanceof ProxyError || error instanceof ProxyLoginError || error instanceof OtherMachineRefusal) return true;
  if (error instanceof UnreachableError) return neverConnected.has(error.reason);
  return error instanceof TimeoutError && codeOf(error.cause) === 'UND_ERR_CONNECT_TIMEOUT';
}
