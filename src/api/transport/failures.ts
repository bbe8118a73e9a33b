import { codeOf } from '../../domain/error-code.ts';
import { NoAnswerError, OtherMachineRefusal, ProxyError, ProxyLoginError, TimeoutError, UnreachableError } from '../connection-errors.ts';
import { AbortedError, ApiError, BadAnswerError, HttpStatusError, NotFoundError, RateLimitedError, TooLargeError, UnauthorizedError, gatewayStatuses } from '../errors.ts';
import type { RequestLine } from '../errors.ts';
import { OtherMachineError } from './local-lookup.ts';
import { tlsErrorOf } from './tls-failures.ts';
import { TunnelError, TunnelLoginError } from './tunnel.ts';

/** What is known about a request that failed, beside the error itself. */
export interface FailureContext {
  readonly request: RequestLine;
  readonly deadlineMs: number;
  /** Who ended it, when somebody did. */
  readonly endedBy: 'deadline' | 'caller' | undefined;
  /** Whether the answer's head had come. */
  readonly hasHead: boolean;
  /** The proxy that was asked to pass the request on, and may itself be what does not answer. */
  readonly proxyUrl: string | undefined;
  /** An `http:` address that has not answered yet. */
  readonly mayBeTls: boolean;
}

/**
 * The cause to keep: name, code and text alone. The original may carry the request, raw bytes of the
 * answer or a certificate, and an answer may repeat the `Authorization` header.
 */
function slimCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = new Error(error.message);
  cause.name = error.name;
  return Object.assign(cause, { code: codeOf(error) });
}

/** For what a server that expects TLS makes of a request without it. */
const tlsHint = 'If this port speaks TLS, the URL must begin with https://.';

/** For what a server without TLS makes of a handshake, when it does not answer in clear text. */
const plainHint = 'If this port does not speak TLS, the URL must begin with http://.';

/** Node has only a sentence for it. */
const isDuringHandshake = (error: unknown): boolean => error instanceof Error && error.message.includes('before secure TLS connection was established');

/** Every way in which the transport fails, as an error of the port. */
export function toApiError(error: unknown, context: FailureContext): ApiError {
  const { request, deadlineMs, endedBy, hasHead, proxyUrl, mayBeTls } = context;
  if (error instanceof ApiError) return error;
  const options = { request, cause: slimCause(error) };
  const proxyHint = proxyUrl === undefined || hasHead ? undefined : `It may be the proxy ${proxyUrl} that does not answer.`;
  const plain = { ...options, hint: mayBeTls ? tlsHint : undefined };
  if (endedBy === 'deadline') return new TimeoutError(deadlineMs, { ...options, hint: proxyHint });
  if (endedBy === 'caller') return new AbortedError(options);
  if (error instanceof TunnelError) return new ProxyError(error.message, error.reason, { request });
  if (error instanceof TunnelLoginError) return new ProxyLoginError(error.proxy, { request });
  if (error instanceof OtherMachineError) return new OtherMachineRefusal(error.host, error.address, { request });
  const code = codeOf(error);
  switch (code) {
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return new AbortedError(options);
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new TimeoutError(deadlineMs, options);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new TooLargeError('its headers', options);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new BadAnswerError('cut short', options);
    case 'UND_ERR_SOCKET':
      return hasHead ? new BadAnswerError('cut short', options) : new NoAnswerError({ ...plain, hint: proxyHint ?? plain.hint });
    case 'ECONNRESET':
      return new UnreachableError(code, isDuringHandshake(error) ? { ...options, hint: plainHint } : plain);
    default:
      if (error instanceof Error && error.name === 'HTTPParserError') return new BadAnswerError('not HTTP', plain);
      return tlsErrorOf(code, options) ?? new UnreachableError(code ?? 'unknown reason', options);
  }
}

const secondsPattern = /^\d+$/u;

/** `Retry-After` in seconds from now, given as seconds or as a date; `undefined` when it is neither. */
export function parseRetryAfter(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const trimmed = header.trim();
  if (secondsPattern.test(trimmed)) return Number(trimmed);
  // Date.parse reads nearly anything as a date; an HTTP date begins with the name of a day.
  const atMs = /^[A-Z][a-z]{2}/u.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - nowMs) / 1000);
}

/**
 * The error for a status that is not 200.
 *
 * @param retryAfter the header of that name
 */
export function statusError(status: number, retryAfter: unknown, { request, proxyUrl, mayBeTls }: Pick<FailureContext, 'request' | 'proxyUrl' | 'mayBeTls'>): ApiError {
  if (status === 401) return new UnauthorizedError({ request });
  if (status === 404) return new NotFoundError({ request });
  const retryAfterSeconds = parseRetryAfter(retryAfter, Date.now());
  if (status === 429) return new RateLimitedError(retryAfterSeconds, { request });
  const ofProxy = proxyUrl !== undefined && gatewayStatuses.has(status) ? `It may be the proxy ${proxyUrl} that does not reach it.` : undefined;
  const hint = mayBeTls && status === 400 ? tlsHint : ofProxy;
  return new HttpStatusError(status, { request, hint }, status === 503 ? retryAfterSeconds : undefined);
}
