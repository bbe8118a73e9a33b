import { BlockList, isIP, isIPv4 } from 'node:net';

const mapped = /^::ffff:(?=\d+\.)/u;

/**
 * Writes each address in one form: an IPv4 address in an IPv6 one is the IPv4 address. Other texts stay as they are.
 */
export function canonicalAddress(address: string): string {
  const text = address.toLowerCase();
  const short = text.replace(mapped, '');
  if (isIP(short) !== 6) return isIPv4(short) ? short : address;
  const list = new BlockList();
  list.addAddress(short, 'ipv6');
  // `rules` holds the address as the system writes it, `::ffff:7f00:1` as `::ffff:127.0.0.1`.
  return (list.rules[0]?.split(' ').at(-1) ?? short).replace(mapped, '');
}
