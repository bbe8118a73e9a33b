import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A host of an `http:` URL is another machine. Nothing was sent to it. */
export class OtherMachineError extends Error {
  readonly host: string;
  /** What the name leads to; the same as `host` where the URL has an address. */
  readonly address: string;
  constructor(host: string, address: string) {
    super(`${host} is another machine (${address})`);
    this.name = 'OtherMachineError';
    this.host = host;
    this.address = address;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Also `::ffff:127.0.0.1`. */
function isLoopbackAddress(address: string): boolean {
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** `lookup` with the loopback addresses of a name only; fails with `OtherMachineError` where it has none. */
export function loopbackOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
    if (error !== null) return callback(error, []);
    const addresses = typeof found === 'string' ? [{ address: found, family }] : found;
    const [local, ...others] = addresses.filter(({ address }) => isLoopbackAddress(address));
    if (local === undefined) return callback(new OtherMachineError(hostname, addresses[0]?.address ?? 'nowhere'), []);
    if (options.all === true) callback(null, [local, ...others]);
    else callback(null, local.address, local.family);
  });
}

/** Why the host of a URL may not be connected to, where it is an address, which is never looked up; IPv6 in brackets. */
export function otherAddress(hostname: string): OtherMachineError | undefined {
  const host = hostname.replace(/^\[(.+)\]$/u, '$1');
  return isIP(host) !== 0 && !isLoopbackAddress(host) ? new OtherMachineError(host, host) : undefined;
}
