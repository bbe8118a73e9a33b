import { BlockList, isIP, type LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { errorCodeOf } from '../../domain/error-code.ts';
import { openTunnel, type ProxyOptions, proxyTimeout, proxyUnreachable } from './tunnel.ts';

export class OtherMachineError extends Error {
  readonly host: string;
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

function isLoopbackAddress(address: string): boolean {
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Wraps `lookup` so that it fails with `OtherMachineError` if the name has no loopback address. */
function loopbackOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error !== null) return callback(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family }] : found;
      const [local, ...others] = addresses.filter(({ address }) => isLoopbackAddress(address));
      if (local === undefined) return callback(new OtherMachineError(hostname, addresses[0]?.address ?? 'nowhere'), []);
      if (options.all === true) callback(null, [local, ...others]);
      else callback(null, local.address, local.family);
    });
}

function otherAddress(hostname: string): OtherMachineError | undefined {
  const host = hostname.replace(/^\[(.+)\]$/u, '$1');
  return isIP(host) !== 0 && !isLoopbackAddress(host) ? new OtherMachineError(host, host) : undefined;
}

export type AnswerBody = Dispatcher.ResponseData['body'];

export type HttpAnswer = Dispatcher.ResponseData;

/** TLS settings for `https:`, in PEM. The minimum is TLS 1.2. */
export interface TlsOptions {
  /** Trusted authorities, which replace Node's. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name expected in the certificate and sent as SNI, which replaces the URL's host. */
  readonly servername?: string | undefined;
  /** Skips certificate verification, which exposes the password to interception. */
  readonly isInsecure?: boolean | undefined;
}

export interface PoolOptions {
  readonly origin: string;
  readonly deadlineMs: number;
  readonly maxConnections: number;
  readonly tls: TlsOptions;
  readonly proxy: ProxyOptions | undefined;
  readonly lookup?: LookupFunction | undefined;
  /** Allows `http:` to other machines, which exposes the password to interception. */
  readonly isPlainRemoteAllowed?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called with 1 when a connection is open, and with -1 when it has closed. */
  readonly onConnection?: ((change: 1 | -1) => void) | undefined;
}

const spareIdleMs = 1000;

/** The share of a deadline for reaching the proxy, so that its timeout is reported before the request's. */
const proxyShare = 0.8;

/** Sets all options: Node takes missing ones from its environment and flags. */
function connectionOptions({
  ca,
  cert,
  key,
  servername,
  isInsecure,
}: TlsOptions): Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'minVersion' | 'rejectUnauthorized'> {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: isInsecure !== true,
  };
}

export function isForwarded({ origin, proxy }: Pick<PoolOptions, 'origin' | 'proxy'>): boolean {
  return proxy !== undefined && origin.startsWith('http:');
}

function createConnector(
  build: typeof buildConnector,
  options: PoolOptions,
  lookup: LookupFunction | undefined,
  checkServerIdentity: ConnectionOptions['checkServerIdentity'],
): buildConnector.connector {
  const { origin, deadlineMs, proxy, signal } = options;
  const forwards = isForwarded(options);
  const proxyDeadlineMs = deadlineMs * proxyShare;
  // The broker's TLS settings don't apply to the proxy. No session cache: Node skips the certificate check for resumed sessions.
  const connect = build({
    ...connectionOptions(forwards ? {} : options.tls),
    ...(lookup !== undefined && { lookup }),
    ...(checkServerIdentity !== undefined && { checkServerIdentity }),
    allowH2: false,
    timeout: forwards ? proxyDeadlineMs : deadlineMs,
    maxCachedSessions: 0,
  });
  const refusal = isLocalOnly(options) ? otherAddress(new URL(origin).hostname) : undefined;
  if (refusal !== undefined) return (_, callback) => callback(refusal, null);
  if (proxy === undefined) return connect;
  if (forwards) {
    // Not the broker's server name.
    return (target, callback) =>
      connect({ ...target, servername: '' }, (error, socket) => {
        if (error === null) callback(null, socket);
        else
          callback(
            errorCodeOf(error) === 'UND_ERR_CONNECT_TIMEOUT'
              ? proxyTimeout(proxy, proxyDeadlineMs)
              : proxyUnreachable(proxy, errorCodeOf(error)),
            null,
          );
      });
  }
  const { host, port } = new URL(origin);
  const connectThrough: typeof connect = async (target, callback) => {
    let httpSocket;
    try {
      httpSocket = await openTunnel(proxy, port === '' ? `${host}:443` : host, { deadlineMs: proxyDeadlineMs, signal });
    } catch (error) {
      callback(error instanceof Error ? error : proxyUnreachable(proxy), null);
      return;
    }
    connect({ ...target, httpSocket }, callback);
  };
  return connectThrough;
}

/** Whether only this machine is allowed, because the connection is not encrypted. */
function isLocalOnly({ origin, proxy, isPlainRemoteAllowed }: PoolOptions): boolean {
  return isPlainRemoteAllowed !== true && proxy === undefined && origin.startsWith('http:');
}

/**
 * Opens a pool that keeps its first connection and soon closes the others: real brokers take 64. Loading undici takes
 * 30 ms, so drawing goes first.
 */
export async function openPool(options: PoolOptions): Promise<Pool> {
  await setImmediate();
  const undici = await import('undici');
  const lookup = isLocalOnly(options)
    ? loopbackOnly(options.lookup ?? (await import('node:dns')).lookup)
    : options.lookup;
  const hasTls = options.origin.startsWith('https:') || options.proxy?.url.startsWith('https:') === true;
  const checkServerIdentity = hasTls ? (await import('./server-identity.ts')).checkServerIdentity : undefined;
  const connect = createConnector(undici.buildConnector, options, lookup, checkServerIdentity);
  let primary: Client | undefined;
  return new undici.Pool(isForwarded(options) && options.proxy !== undefined ? options.proxy.url : options.origin, {
    connections: options.maxConnections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) =>
      connect(target, (...result) => {
        // A TLS 1.3 server refuses a client after it is connected; without this the closing would hide the reason.
        const [, socket] = result;
        // Absent, not null, after a refused connection.
        if (socket) {
          socket.once('error', (error) => socket.destroy(error));
          options.onConnection?.(1);
          socket.once('close', () => options.onConnection?.(-1));
        }
        callback(...result);
      }),
    factory: (url, clientOptions) => {
      const isSpare = primary !== undefined && !primary.closed && !primary.destroyed;
      const client = new undici.Client(
        url,
        isSpare ? { ...clientOptions, keepAliveTimeout: spareIdleMs, keepAliveMaxTimeout: spareIdleMs } : clientOptions,
      );
      if (!isSpare) primary = client;
      return client;
    },
  });
}
