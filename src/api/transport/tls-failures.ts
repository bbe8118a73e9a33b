import { TlsError, UnreachableError } from '../connection-errors.ts';
import type { RequestLine } from '../errors.ts';

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
