import type { LookupFunction } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { errorCodeOf } from '../../domain/error-code.ts';
import { loopbackOnly, otherAddress } from './local-lookup.ts';
import { openTunnel, type ProxyOptions, proxyTimeout, proxyUnreachable } from './tunnel.ts';

/** The body of an answer as it comes. */
export type AnswerBody = Dispatcher.ResponseData['body'];

/** An answer whose head has come. */
export type HttpAnswer = Dispatcher.ResponseData;

/** Whom to trust over `https://`, and who this program is; all texts are PEM. TLS 1.2 is the oldest that is spoken. */
export interface TlsOptions {
  /** Trusted authorities, in place of those that Node brings. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must have, and that the server is asked for; else the URL's. */
  readonly servername?: string | undefined;
  /** Any certificate will do: whoever is on the way can read the password. */
  readonly isInsecure?: boolean | undefined;
}

/** How the connections of a pool come about. */
export interface PoolOptions {
  readonly origin: string;
  readonly deadlineMs: number;
  readonly maxConnections: number;
  readonly tls: TlsOptions;
  readonly proxy: ProxyOptions | undefined;
  /** Resolves names; the system's resolver when absent. */
  readonly lookup?: LookupFunction | undefined;
  /** `http:` may go to another machine, where everybody on the way can read the password. */
  readonly isPlainRemoteAllowed?: boolean | undefined;
  /** Ends what is on its way. */
  readonly signal: AbortSignal;
}

/** How long connections beyond the first stay open when they have nothing to do. */
const spareIdleMs = 1000;

/** Part of a deadline for reaching the proxy: a request that fails by that must still be able to say so. */
const proxyShare = 0.8;

/** Said in full: Node would take what is left out from its environment and its flags. */
function connectionOptions({ ca, cert, key, servername, isInsecure }: TlsOptions): Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'minVersion' | 'rejectUnauthorized'> {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: isInsecure !== true,
  };
}

/** Whether requests go to the proxy itself, with the whole URL in them, as is usual without TLS. */
export function isForwarded({ origin, proxy }: Pick<PoolOptions, 'origin' | 'proxy'>): boolean {
  return proxy !== undefined && origin.startsWith('http:');
}

/** Opens one connection, through the proxy if there is one. */
function createConnector(build: typeof buildConnector, way: PoolOptions, lookup: LookupFunction | undefined): buildConnector.connector {
  const { origin, deadlineMs, proxy, signal } = way;
  const forwards = isForwarded(way);
  const proxyDeadlineMs = deadlineMs * proxyShare;
  // What is trusted of the broker says nothing of the proxy. Node checks no certificate when a session is resumed, so none is kept.
  const connect = build({
    ...connectionOptions(forwards ? {} : way.tls), ...(lookup !== undefined && { lookup }),
    allowH2: false, timeout: forwards ? proxyDeadlineMs : deadlineMs, maxCachedSessions: 0,
  });
  const refusal = isLocalOnly(way) ? otherAddress(new URL(origin).hostname) : undefined;
  if (refusal !== undefined) return (_, callback) => callback(refusal, null);
  if (proxy === undefined) return connect;
  if (forwards) {
    // The name of the broker is no name of the proxy.
    return (target, callback) => connect({ ...target, servername: '' }, (error, socket) => {
      if (error === null) callback(null, socket);
      else callback(errorCodeOf(error) === 'UND_ERR_CONNECT_TIMEOUT' ? proxyTimeout(proxy, proxyDeadlineMs) : proxyUnreachable(proxy, errorCodeOf(error)), null);
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

/** Whether everything but this machine is refused: what is asked there without TLS can be read on the way. */
function isLocalOnly({ origin, proxy, isPlainRemoteAllowed }: PoolOptions): boolean {
  return isPlainRemoteAllowed !== true && proxy === undefined && origin.startsWith('http:');
}

/**
 * A pool whose first connection is kept, while the others leave soon: listeners of real brokers hold 64.
 * Loading what it is made of takes 30 ms: whatever is being drawn comes first.
 */
export async function openPool(way: PoolOptions): Promise<Pool> {
  await setImmediate();
  const undici = await import('undici');
  const lookup = isLocalOnly(way) ? loopbackOnly(way.lookup ?? (await import('node:dns')).lookup) : way.lookup;
  const connect = createConnector(undici.buildConnector, way, lookup);
  let kept: Client | undefined;
  return new undici.Pool(isForwarded(way) && way.proxy !== undefined ? way.proxy.url : way.origin, {
    connections: way.maxConnections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => connect(target, (...result) => {
      // In TLS 1.3 a server refuses a client after that believes to be connected. Without this the end of the
      // connection, which comes next, would hide the reason.
      const [, socket] = result;
      socket?.once('error', (error) => socket.destroy(error));
      callback(...result);
    }),
    factory: (url, options) => {
      const isSpare = kept !== undefined && !kept.closed && !kept.destroyed;
      const client = new undici.Client(url, isSpare ? { ...options, keepAliveTimeout: spareIdleMs, keepAliveMaxTimeout: spareIdleMs } : options);
      if (!isSpare) kept = client;
      return client;
    },
  });
}
