import { errorCodeOf } from '../../domain/error-code.ts';
import {
  AbortedError,
  ApiError,
  BadAnswerError,
  gatewayStatuses,
  HttpStatusError,
  InsecureHttpError,
  NoAnswerError,
  NotFoundError,
  ProxyError,
  ProxyLoginError,
  RateLimitedError,
  type RequestLine,
  TimeoutError,
  TlsError,
  TooLargeError,
  UnauthorizedError,
  UnreachableError,
} from '../errors.ts';
import {
  badAnswerTexts,
  errorTexts,
  hintTexts,
  type TlsProblem,
  tlsTexts,
  tooLargeTexts,
  unreachableTexts,
} from '../texts.ts';
import { OtherMachineError } from './pool.ts';
import { TunnelError, TunnelLoginError } from './tunnel.ts';

export interface FailureContext {
  readonly request: RequestLine;
  readonly deadlineMs: number;
  readonly endedBy: 'deadline' | 'caller' | undefined;
  readonly hasHead: boolean;
  /** The forwarding proxy, if there is one: it may be what does not answer. */
  readonly proxyUrl: string | undefined;
  /** Whether this is an `http:` address that has not answered yet. */
  readonly mayBeTls: boolean;
}

/** Keeps name, code and text only: the rest may hold the request or an answer, and with them the password. */
function slimCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = new Error(error.message);
  cause.name = error.name;
  return Object.assign(cause, { code: errorCodeOf(error) });
}

/** Reads the message, because Node has no code for it. */
const isDuringHandshake = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('before secure TLS connection was established');

export function toApiError(error: unknown, context: FailureContext): ApiError {
  const { request, deadlineMs, endedBy, hasHead, proxyUrl, mayBeTls } = context;
  if (error instanceof ApiError) return error;
  const options = { request, cause: slimCause(error) };
  const proxyHint = proxyUrl === undefined || hasHead ? undefined : hintTexts.silentProxy(proxyUrl);
  const plain = { ...options, hint: mayBeTls ? hintTexts.mayBeTls : undefined };
  if (endedBy === 'deadline') return new TimeoutError(deadlineMs, { ...options, hint: proxyHint });
  if (endedBy === 'caller') return new AbortedError(options);
  if (error instanceof TunnelError) return new ProxyError(error.message, error.reason, { request });
  if (error instanceof TunnelLoginError) return new ProxyLoginError(error.proxy, { request });
  if (error instanceof OtherMachineError) return new InsecureHttpError(error.host, error.address, { request });
  const code = errorCodeOf(error);
  switch (code) {
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return new AbortedError(options);
    case 'UND_ERR_CONNECT_TIMEOUT':
      return new TimeoutError(deadlineMs, options);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new TooLargeError(tooLargeTexts.headers, options);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return new BadAnswerError(badAnswerTexts.cut, options);
    case 'UND_ERR_SOCKET':
      return hasHead
        ? new BadAnswerError(badAnswerTexts.cut, options)
        : new NoAnswerError({ ...plain, hint: proxyHint ?? plain.hint });
    case 'ECONNRESET':
      return new UnreachableError(code, isDuringHandshake(error) ? { ...options, hint: hintTexts.mayBePlain } : plain);
    default:
      if (error instanceof Error && error.name === 'HTTPParserError')
        return isHttp2(error)
          ? new BadAnswerError(badAnswerTexts.http2, { ...options, hint: hintTexts.http2 })
          : new BadAnswerError(badAnswerTexts.notHttp, plain);
      return tlsErrorOf(code, options) ?? new UnreachableError(code ?? unreachableTexts.unknown, options);
  }
}

/** Whether the answer is the first frame of an HTTP/2 server, which has its settings. */
function isHttp2(error: Error): boolean {
  return 'data' in error && typeof error.data === 'string' && /^\0\0[^]\u0004/u.test(error.data);
}

/**
 * Returns the target as `--url` takes it, if it is the same request elsewhere; without a query, which may hold secrets.
 * @param path below the base path
 */
export function redirectTarget(location: unknown, from: string, path: string): string | undefined {
  const url = typeof location === 'string' ? URL.parse(location, from) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const [samePath = ''] = path.split('?');
  const target = url.origin + url.pathname;
  return (target.endsWith(samePath) ? target.slice(0, target.length - samePath.length) : target).slice(
    0,
    maxTargetLength,
  );
}

const maxTargetLength = 200;

const secondsPattern = /^\d+$/u;

/** Returns seconds from now; `undefined` if the header is neither seconds nor a date. */
export function parseRetryAfter(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const trimmed = header.trim();
  if (secondsPattern.test(trimmed)) return Number(trimmed);
  // Date.parse accepts nearly anything; an HTTP date begins with the name of a day.
  const atMs = /^[A-Z][a-z]{2}/u.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - nowMs) / 1000);
}

export function statusError(
  status: number,
  retryAfter: unknown,
  {
    request,
    proxyUrl,
    mayBeTls,
    target,
  }: Pick<FailureContext, 'request' | 'proxyUrl' | 'mayBeTls'> & { readonly target: string | undefined },
): ApiError {
  if (status === 401) return new UnauthorizedError({ request });
  if (status === 404) return new NotFoundError({ request });
  const retryAfterSeconds = parseRetryAfter(retryAfter, Date.now());
  if (status === 429) return new RateLimitedError(retryAfterSeconds, { request });
  const ofProxy = proxyUrl !== undefined && gatewayStatuses.has(status) ? hintTexts.failingProxy(proxyUrl) : undefined;
  const hint = mayBeTls && status === 400 ? hintTexts.mayBeTls : ofProxy;
  return new HttpStatusError(status, { request, hint }, status === 503 ? retryAfterSeconds : undefined, target);
}

const problems: ReadonlyMap<string, TlsProblem> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', tlsTexts.selfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', tlsTexts.unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', tlsTexts.unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', tlsTexts.unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', tlsTexts.unknownAuthority],
  ['CERT_SIGNATURE_FAILURE', tlsTexts.unknownAuthority],
  ['CERT_HAS_EXPIRED', tlsTexts.expired],
  ['CERT_NOT_YET_VALID', tlsTexts.notYetValid],
  ['CERT_REVOKED', tlsTexts.revoked],
  ['ERR_TLS_CERT_ALTNAME_INVALID', tlsTexts.otherName],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', tlsTexts.tooOld],
]);

const alerts: ReadonlyMap<string, TlsProblem> = new Map([
  ['CERTIFICATE_REQUIRED', tlsTexts.clientCertificateRequired],
  ['HANDSHAKE_FAILURE', tlsTexts.handshakeFailure],
  ['UNKNOWN_CA', tlsTexts.clientCertificateRefused],
  ['ACCESS_DENIED', tlsTexts.clientCertificateRefused],
  ['BAD_CERTIFICATE', tlsTexts.clientCertificateRefused],
  ['UNSUPPORTED_CERTIFICATE', tlsTexts.clientCertificateRefused],
  ['CERTIFICATE_REVOKED', tlsTexts.clientCertificateRefused],
  ['CERTIFICATE_EXPIRED', tlsTexts.clientCertificateRefused],
  ['CERTIFICATE_UNKNOWN', tlsTexts.clientCertificateRefused],
  ['PROTOCOL_VERSION', tlsTexts.tooOld],
  ['NO_APPLICATION_PROTOCOL', tlsTexts.http2Only],
]);

const alertCode = /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13|SSL\/TLS)_ALERT_(?<name>[A-Z_]+)$/u;

/** Matches verification errors of OpenSSL. Others have no common prefix: `INVALID_PURPOSE`, `CA_MD_TOO_WEAK`, … */
const verdict = /^(CERT|CRL|CA|EE|INVALID|PATH|HOSTNAME|UNABLE)_[A-Z_]+$/u;

/** Codes for a server that answered something other than TLS, and for bytes that were changed in transit. */
const notTls: ReadonlySet<string> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

export function tlsErrorOf(
  code: string | undefined,
  options: { readonly request: RequestLine; readonly cause: Error | undefined },
): UnreachableError | undefined {
  if (code === undefined) return undefined;
  const alert = alertCode.exec(code)?.groups?.['name'] ?? '';
  const problem = problems.get(code) ?? alerts.get(alert) ?? (verdict.test(code) ? tlsTexts.otherFault : undefined);
  if (problem !== undefined) return new TlsError(code, problem, options);
  if (!notTls.has(code)) return undefined;
  return new UnreachableError(code, options, errorTexts.noTls(code));
}
