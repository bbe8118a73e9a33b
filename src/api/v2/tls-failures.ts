import { TlsError, UnreachableError } from '../errors.ts';
import type { RequestLine } from '../errors.ts';

const foreignAuthority = "the server's certificate comes from an authority that is not trusted here; if it is the right server, give that authority's certificate with --ca FILE";
const ownRefused = 'the server does not accept the client certificate; give one that it knows with --cert FILE and --key FILE';
const tooOld = 'the server speaks no TLS 1.2 or newer, and nothing older is used';

/** What went wrong and what to do, by code of Node and OpenSSL. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', "the server's certificate is signed by itself; if it is the right one, give it with --ca FILE"],
  ['SELF_SIGNED_CERT_IN_CHAIN', foreignAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', foreignAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', foreignAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', foreignAuthority],
  ['CERT_SIGNATURE_FAILURE', foreignAuthority],
  ['CERT_HAS_EXPIRED', "the server's certificate has expired; have it renewed, and check the clock of this machine"],
  ['CERT_NOT_YET_VALID', "the server's certificate is not valid yet; check the clock of this machine and of whoever made it"],
  ['CERT_REVOKED', "the server's certificate was revoked; have it renewed"],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "the server's certificate is for another name; use a URL with a name in it, or give the name with --servername NAME"],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', tooOld],
]);

/** The same for what the server says, by the name of its alert. */
const alerts: ReadonlyMap<string, string> = new Map([
  ['CERTIFICATE_REQUIRED', 'the server asks for a client certificate; give one with --cert FILE and --key FILE'],
  ['HANDSHAKE_FAILURE', 'the server broke off; it may ask for a client certificate (--cert FILE and --key FILE)'],
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
  const known = sentences.get(code) ?? alerts.get(alertCode.exec(code)?.groups?.['name'] ?? '');
  if (known !== undefined) return new TlsError(code, known, options);
  if (verdict.test(code)) return new TlsError(code, "the server's certificate is refused", options);
  if (!notTls.has(code)) return undefined;
  return new UnreachableError(code, options, `No secure connection: what answers there speaks no TLS; check the port, or whether the URL has to begin with http:// (${code}).`);
}
