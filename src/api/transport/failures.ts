import { errorCodeOf } from '../../domain/error-code.ts';
import { AbortedError, ApiError, BadAnswerError, gatewayStatuses, HttpStatusError, NoAnswerError, NotFoundError, OtherMachineRefusal, ProxyError, ProxyLoginError, RateLimitedError, type RequestLine, TimeoutError, TlsError, TooLargeError, UnauthorizedError, UnreachableError } from '../errors.ts';
import { OtherMachineError } from './local-lookup.ts';
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
  return Object.assign(cause, { code: errorCodeOf(error) });
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
  const code = errorCodeOf(error);
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

/** What is wrong in a few words, and what to do. */
type Explanation = readonly [brief: string, advice: string];

const foreignAuthority: Explanation = ['certificate of an unknown authority', "if it is the right server, give that authority's certificate with --ca FILE"];
const ownRefused: Explanation = ['client certificate refused', 'give one that the server knows with --cert FILE and --key FILE'];
const tooOld: Explanation = ['no TLS 1.2 or newer', 'the server has to speak it, because nothing older is used'];
const refused: Explanation = ['certificate refused', 'have it looked at by who made it'];

/** By code of Node and OpenSSL. */
const explanations: ReadonlyMap<string, Explanation> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['self-signed certificate', 'if it is the right one, give it with --ca FILE']],
  ['SELF_SIGNED_CERT_IN_CHAIN', foreignAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', foreignAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', foreignAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', foreignAuthority],
  ['CERT_SIGNATURE_FAILURE', foreignAuthority],
  ['CERT_HAS_EXPIRED', ['certificate expired', 'have it renewed, and check the clock of this machine']],
  ['CERT_NOT_YET_VALID', ['certificate not valid yet', 'check the clock of this machine and of who made it']],
  ['CERT_REVOKED', ['certificate revoked', 'have it renewed']],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['certificate for another name', 'use a URL with a name in it, or give the name with --servername NAME']],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', tooOld],
]);

/** The same for what the server says, by the name of its alert. */
const alerts: ReadonlyMap<string, Explanation> = new Map([
  ['CERTIFICATE_REQUIRED', ['client certificate asked for', 'give one with --cert FILE and --key FILE']],
  ['HANDSHAKE_FAILURE', ['TLS refused by the server', 'it may ask for a client certificate (--cert FILE and --key FILE)']],
  ['UNKNOWN_CA', ownRefused],
  ['ACCESS_DENIED', ownRefused],
  ['BAD_CERTIFICATE', ownRefused],
  ['UNSUPPORTED_CERTIFICATE', ownRefused],
  ['CERTIFICATE_REVOKED', ownRefused],
  ['CERTIFICATE_EXPIRED', ownRefused],
  ['CERTIFICATE_UNKNOWN', ownRefused],
  ['PROTOCOL_VERSION', tooOld],
]);

/** Versions of OpenSSL disagree about what stands in front of an alert's name. */
const alertCode = /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13|SSL\/TLS)_ALERT_(?<name>[A-Z_]+)$/u;

/** Other verdicts of OpenSSL on a certificate (`INVALID_PURPOSE`, `CA_MD_TOO_WEAK`, …) come without a prefix. */
const verdict = /^(CERT|CRL|CA|EE|INVALID|PATH|HOSTNAME|UNABLE)_[A-Z_]+$/u;

/** What a server that speaks something else makes of TLS; bytes changed on the way look the same, also later. */
const notTls: ReadonlySet<string> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** A failure of TLS as an error of the port; `undefined` when it is none of those listed here. */
export function tlsErrorOf(
  code: string | undefined,
  options: { readonly request: RequestLine; readonly cause: Error | undefined },
): UnreachableError | undefined {
  if (code === undefined) return undefined;
  const alert = alertCode.exec(code)?.groups?.['name'] ?? '';
  const explanation = explanations.get(code) ?? alerts.get(alert) ?? (verdict.test(code) ? refused : undefined);
  if (explanation !== undefined) return new TlsError(code, ...explanation, options);
  if (!notTls.has(code)) return undefined;
  return new UnreachableError(code, options, `No TLS is spoken there: check the port, or whether the URL has to begin with http:// (${code}).`);
}
