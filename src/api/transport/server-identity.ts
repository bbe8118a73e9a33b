import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { checkServerIdentity as checkByNode, type PeerCertificate } from 'node:tls';

/**
 * Checks as Node does, which since 22.23 refuses every IPv6 address: it takes one for a name that cannot be written in
 * ASCII.
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  if (isIPv6(host) && new X509Certificate(certificate.raw).checkIP(host) !== undefined) return undefined;
  return checkByNode(host, certificate);
}
