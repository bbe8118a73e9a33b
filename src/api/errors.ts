import { errorCodeOf } from '../domain/error-code.ts';
import {
  briefTexts,
  errorTexts,
  hintTexts,
  refusalTexts,
  silentNodeTexts,
  type TlsProblem,
  unreachableTexts,
} from './texts.ts';

/** The request that failed, without body and headers. Method and path are `undefined` without HTTP. */
export interface RequestLine {
  readonly method: string | undefined;
  readonly path: string | undefined;
}

const noRequest: RequestLine = { method: undefined, path: undefined };

export interface ApiErrorOptions {
  readonly request?: RequestLine | undefined;
  readonly cause?: unknown;
  readonly hint?: string | undefined;
}

export type RefusalKind = keyof typeof refusalTexts;

export const isRefusal = (kind: ApiErrorKind): kind is RefusalKind => Object.hasOwn(refusalTexts, kind);

/** Callers distinguish failures by their kind, never by the code of a broker. */
export type ApiErrorKind =
  | RefusalKind
  | 'aborted'
  | 'bad-answer'
  | 'busy'
  | 'http-status'
  | 'not-available'
  | 'not-found'
  | 'not-supported'
  | 'read-only'
  | 'refused'
  | 'timeout'
  | 'too-large'
  | 'unauthorized'
  | 'unreachable'
  | 'unusable-id';

/** A failure of a call. `message` is for the operator: what happened and what to do. */
export abstract class ApiError extends Error {
  abstract readonly kind: ApiErrorKind;
  abstract readonly brief: string;
  readonly request: RequestLine;
  readonly hint: string | undefined;

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(
      options.hint === undefined ? message : `${message} ${options.hint}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = new.target.name;
    this.request = options.request ?? noRequest;
    this.hint = options.hint;
  }

  #hasAddress = false;

  /** Puts the address before the message, once: the failure of a login is kept for further requests. */
  nameAddress(url: string): void {
    if (this.#hasAddress) return;
    this.#hasAddress = true;
    this.message = `${url}: ${this.message}`;
  }

  /** Whether the login before the request failed, and not the request. */
  isOfLogin = false;

  nameLogin(): void {
    this.isOfLogin = true;
    this.message = errorTexts.loginFailed(this.message);
  }
}

export interface BrokerErrorOptions extends ApiErrorOptions {
  readonly code?: number | string | undefined;
  /** Says what the code means, if `refusalTexts` does not fit; `null` for an unknown code. */
  readonly meaning?: string | null | undefined;
}

export class BrokerError extends ApiError {
  readonly kind: RefusalKind;
  readonly code: number | string | undefined;
  readonly meaning: string | undefined;
  /** The broker's own text, which is untrusted. */
  readonly brokerMessage: string | undefined;

  constructor(
    kind: RefusalKind,
    brokerMessage?: string,
    { code, meaning = refusalTexts[kind], ...options }: BrokerErrorOptions = {},
  ) {
    // The broker's own reason follows, so a generic one says nothing.
    super(
      kind === 'failed' && brokerMessage !== undefined
        ? errorTexts.refusedWithReason(code)
        : errorTexts.refused(meaning ?? undefined, code),
      options,
    );
    this.kind = kind;
    this.code = code;
    this.meaning = meaning ?? undefined;
    this.brokerMessage = brokerMessage;
  }

  withoutWords(): BrokerError {
    const { kind, code, meaning = null, request } = this;
    return new BrokerError(kind, undefined, { code, meaning, request });
  }

  get brief(): string {
    return this.kind === 'node-unreachable' ? briefTexts.silentNode : briefTexts.refused(this.code);
  }
}

/** The broker was not asked: a node that does not respond would keep it waiting. */
export class SilentNodeError extends BrokerError {
  readonly nodes: readonly string[];

  constructor(nodes: readonly string[]) {
    super('node-unreachable');
    this.nodes = nodes;
    this.message = silentNodeTexts.notRead(nodes);
  }

  override get brief(): string {
    return silentNodeTexts.brief(this.nodes);
  }
}

/** Explains a `%2F` in the path: proxies may decode the slash in a name, which makes another path, or refuse it. */
function withSlashHint(options: ApiErrorOptions): ApiErrorOptions {
  return options.hint === undefined && options.request?.path?.includes('%2F') === true
    ? { ...options, hint: hintTexts.decodedSlash }
    : options;
}

/** Means 401. Polling stops at once. */
export class UnauthorizedError extends ApiError {
  readonly kind = 'unauthorized';
  readonly brief = briefTexts.unauthorized;
  constructor(options: ApiErrorOptions = {}) {
    super(errorTexts.unauthorized, options);
  }
}

/**
 * Means 401 for a login that is not accepted for a while, whether the password is right or wrong. Polling stops until
 * then.
 */
export class LoginLockedError extends ApiError {
  readonly kind = 'unauthorized';
  readonly brief = briefTexts.loginLocked;
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, options: ApiErrorOptions = {}) {
    super(errorTexts.loginLocked, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Means 404: no such path, or a crashed handler. After an action the outcome is unknown. */
export class NotFoundError extends ApiError {
  readonly kind = 'not-found';
  readonly brief = briefTexts.notFound;
  constructor(options: ApiErrorOptions = {}) {
    super(errorTexts.notFound, withSlashHint(options));
  }
}

export class RateLimitedError extends ApiError {
  readonly kind = 'busy';
  readonly brief = briefTexts.busy;
  readonly retryAfterSeconds: number | undefined;
  constructor(retryAfterSeconds: number | undefined, options: ApiErrorOptions = {}) {
    super(errorTexts.busy, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Statuses of proxies that cannot reach the broker, and of overloaded brokers. */
export const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

function httpStatusText(status: number, target: string | undefined): string {
  if (status >= 300 && status < 400) return errorTexts.redirect(status, target);
  if (status === 426 || status === 505) return errorTexts.otherProtocol(status);
  if (status === 413) return errorTexts.requestTooLarge;
  return gatewayStatuses.has(status) ? errorTexts.overloaded(status) : errorTexts.httpStatus(status);
}

/** Any other unexpected status, including redirects, which are never followed. */
export class HttpStatusError extends ApiError {
  readonly kind = 'http-status';
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** @param target of a redirect */
  constructor(status: number, options: ApiErrorOptions = {}, retryAfterSeconds?: number, target?: string) {
    super(httpStatusText(status, target), status === 400 ? withSlashHint(options) : options);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get brief(): string {
    return briefTexts.httpStatus(this.status);
  }
}

/** The answer is not one of this API: HTML, truncated JSON, wrong shape. */
export class BadAnswerError extends ApiError {
  readonly kind = 'bad-answer';
  readonly brief = briefTexts.badAnswer;
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(errorTexts.badAnswer(what), options);
  }
}

export class TooLargeError extends ApiError {
  readonly kind = 'too-large';
  readonly brief = briefTexts.tooLarge;
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(errorTexts.tooLarge(what), options);
  }
}

export class AbortedError extends ApiError {
  readonly kind = 'aborted';
  readonly brief = briefTexts.aborted;
  constructor(options: ApiErrorOptions = {}) {
    super(errorTexts.aborted, options);
  }
}

/** The API of this broker has no such operation. Nothing was sent. */
export class NotSupportedError extends ApiError {
  readonly kind = 'not-supported';
  readonly brief = briefTexts.notSupported;
  constructor(task: string, options: ApiErrorOptions = {}, message = errorTexts.notSupported(task)) {
    super(message, options);
  }
}

/** The endpoint cannot address this id. Nothing was sent. */
export class UnusableIdError extends ApiError {
  readonly kind = 'unusable-id';
  readonly brief = briefTexts.unusableId;
  constructor(why: string, options: ApiErrorOptions = {}) {
    super(errorTexts.unusableId(why), options);
  }
}

export class RefusedError extends ApiError {
  readonly kind = 'refused';
  readonly brief = briefTexts.notSent;
  /** The reason without saying that nothing was sent; not a sentence. */
  readonly why: string;
  constructor(why: string, options: ApiErrorOptions = {}) {
    super(errorTexts.notSent(why), options);
    this.why = why;
  }
}

/** Means 404 for something that the API should have. */
export class NotAvailableError extends ApiError {
  readonly kind = 'not-available';
  readonly brief = briefTexts.notAvailable;
  constructor(what: string, options: ApiErrorOptions = {}) {
    super(errorTexts.notAvailable(what), options);
  }
}

/** Whether the broker lacks a feature, which is no failure. */
export const isNotOffered = ({ kind }: ApiError): boolean => kind === 'not-available' || kind === 'not-supported';

/** Whether the login may not do what was asked. What it may not read is absent, which is no failure. */
export const isForbidden = ({ kind }: ApiError): boolean => kind === 'not-allowed';

/** A recording does not have what was asked for, and its broker cannot be asked. */
export class NotRecordedError extends ApiError {
  readonly kind = 'not-available';
  readonly brief = briefTexts.notRecorded;
  constructor(options: ApiErrorOptions = {}) {
    super(errorTexts.notRecorded, options);
  }
}

/** Whether a reading is absent, which is no failure: the broker lacks it, or the login may not make it. */
export const isAbsent = (error: ApiError): boolean =>
  !(error instanceof NotRecordedError) && (isNotOffered(error) || isForbidden(error));

export class ReadOnlyError extends ApiError {
  readonly kind = 'read-only';
  readonly brief = briefTexts.readOnly;
  constructor(task: string, options: ApiErrorOptions = {}) {
    super(errorTexts.readOnly(task), options);
  }
}

/** The connection closed before the first byte: unknown or stopped node, or listener at its limit. */
export class NoAnswerError extends ApiError {
  readonly kind = 'unreachable';
  readonly brief = briefTexts.noAnswer;
  constructor(options: ApiErrorOptions = {}) {
    super(errorTexts.noAnswer, options);
  }
}

/** There is no connection: refused, no such host, reset. `reason` is the system's code or text. */
export class UnreachableError extends ApiError {
  readonly kind = 'unreachable';
  readonly reason: string;
  constructor(reason: string, options: ApiErrorOptions = {}, message = errorTexts.unreachable(reason)) {
    super(message, options);
    this.reason = reason;
  }

  get brief(): string {
    return briefTexts.unreachable(this.reason);
  }
}

/** The TLS handshake failed; nothing was sent. `reason` is the code of Node or OpenSSL. */
export class TlsError extends UnreachableError {
  readonly #problem: TlsProblem;

  constructor(reason: string, problem: TlsProblem, options: ApiErrorOptions = {}) {
    super(reason, options, errorTexts.tls(problem, reason));
    this.#problem = problem;
  }

  override get brief(): string {
    return this.#problem.brief;
  }
}

/** The host of an `http:` URL is another machine. Nothing was sent. */
export class InsecureHttpError extends UnreachableError {
  constructor(host: string, address: string, options: ApiErrorOptions = {}) {
    super(unreachableTexts.otherMachine, options, errorTexts.insecureHttp(host, address));
  }

  override get brief(): string {
    return briefTexts.insecureHttp;
  }
}

/** The proxy cannot be reached or does not forward. Nothing reached the broker. */
export class ProxyError extends UnreachableError {
  constructor(message: string, reason: string, options: ApiErrorOptions = {}) {
    super(reason, options, message);
  }

  override get brief(): string {
    return briefTexts.proxy(this.reason);
  }
}

/** Means 407: the proxy rejected its login. Polling stops, as after a 401. */
export class ProxyLoginError extends ApiError {
  readonly kind = 'unauthorized';
  readonly brief: string;

  constructor(
    { url, variable, hasLogin }: { readonly url: string; readonly variable: string; readonly hasLogin: boolean },
    options: ApiErrorOptions = {},
  ) {
    super(errorTexts.proxyLogin(url, variable, hasLogin), options);
    this.brief = briefTexts.proxyLogin(variable);
  }
}

export class TimeoutError extends ApiError {
  readonly kind = 'timeout';
  readonly deadlineMs: number;
  constructor(deadlineMs: number, options: ApiErrorOptions = {}) {
    super(errorTexts.timeout(deadlineMs), options);
    this.deadlineMs = deadlineMs;
  }

  get brief(): string {
    return briefTexts.timeout(this.deadlineMs);
  }
}

const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
]);

export function isNeverConnected(error: ApiError): boolean {
  if (
    error instanceof TlsError ||
    error instanceof ProxyError ||
    error instanceof ProxyLoginError ||
    error instanceof InsecureHttpError
  )
    return true;
  if (error instanceof UnreachableError) return neverConnected.has(error.reason);
  return error instanceof TimeoutError && errorCodeOf(error.cause) === 'UND_ERR_CONNECT_TIMEOUT';
}

/** Wraps anything that is not an `ApiError`: it is a bug in handling the answer. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BadAnswerError(`internal error: ${message}`, { cause: thrown });
}
