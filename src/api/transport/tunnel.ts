import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type * as Tls from 'node:tls';
import { errorCodeOf } from '../../domain/error-code.ts';
import { basicAuth } from '../login.ts';
import { errorTexts, unreachableTexts } from '../texts.ts';

export interface ProxyOptions {
  /** `http(s)://host[:port]`, without user and password. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly variable: string;
}

/** The proxy did not open a tunnel, so nothing was sent to the broker. The message has no credentials. */
export class TunnelError extends Error {
  readonly reason: string;
  constructor(message: string, reason: string) {
    super(message);
    this.name = 'TunnelError';
    this.reason = reason;
  }
}

/** Means 407: the proxy requires a login, or rejected it. */
export class TunnelLoginError extends Error {
  readonly proxy: { readonly url: string; readonly variable: string; readonly hasLogin: boolean };
  constructor({ url, variable, user, password }: ProxyOptions) {
    super('407');
    this.name = 'TunnelLoginError';
    this.proxy = { url, variable, hasLogin: user !== undefined || password !== undefined };
  }
}

const maxHeadBytes = 16_384;

export function proxyLogin({ user, password }: ProxyOptions): Readonly<Record<string, string>> {
  if (user === undefined && password === undefined) return {};
  return { 'proxy-authorization': basicAuth(user ?? '', password ?? '') };
}

export function proxyUnreachable(
  { url, variable }: ProxyOptions,
  reason: string = unreachableTexts.unknown,
): TunnelError {
  return new TunnelError(errorTexts.proxyUnreachable(url, variable, reason), reason);
}

export function proxyTimeout(proxy: ProxyOptions, deadlineMs: number): TunnelError {
  return proxyUnreachable(proxy, unreachableTexts.late(deadlineMs));
}

export function proxyRefusal(proxy: ProxyOptions, status: number): TunnelError | TunnelLoginError {
  if (status === 407) return new TunnelLoginError(proxy);
  return new TunnelError(errorTexts.proxyRefused(proxy.url, status), String(status));
}

/** Connects through a proxy. @param target `host:port` @throws TunnelError, TunnelLoginError */
export async function openTunnel(
  proxy: ProxyOptions,
  target: string,
  { deadlineMs, signal: ending }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<Socket> {
  const late = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([ending, late]);
  const url = new URL(proxy.url);
  const tls =
    url.protocol === 'https:'
      ? { ...(await import('node:tls')), ...(await import('./server-identity.ts')) }
      : undefined;
  const socket = connectToProxy(url, tls);
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw proxyUnreachable(proxy, unreachableTexts.ended);
    await once(socket, tls !== undefined ? 'secureConnect' : 'connect', { signal });
    const lines = Object.entries({ host: target, ...proxyLogin(proxy) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.write(`CONNECT ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
    const status = await readStatus(socket);
    if (status === undefined) throw proxyUnreachable(proxy, unreachableTexts.noProxyAnswer);
    if (status < 200 || status > 299) throw proxyRefusal(proxy, status);
    // The TLS socket over it reports its end.
    socket.on('error', () => undefined);
    return socket;
  } catch (error) {
    socket.destroy();
    if (late.aborted && !ending.aborted) throw proxyTimeout(proxy, deadlineMs);
    throw error instanceof TunnelError || error instanceof TunnelLoginError
      ? error
      : proxyUnreachable(proxy, errorCodeOf(error));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function connectToProxy(
  { hostname, port }: URL,
  tls: Pick<typeof Tls, 'connect' | 'checkServerIdentity'> | undefined,
): Socket {
  const host = hostname.replace(/^\[(.+)\]$/u, '$1');
  if (tls === undefined) return connect({ host, port: Number(port || 80), noDelay: true });
  return tls.connect({
    host,
    port: Number(port || 443),
    servername: hostname === host && !/^[\d.]+$/u.test(host) ? host : '',
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    checkServerIdentity: tls.checkServerIdentity,
  });
}

/** Returns the status; `undefined` if the answer is not HTTP. What follows stays in the socket. */
function readStatus(socket: Socket): Promise<number | undefined> {
  let head = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      socket.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', onError);
      act();
    };
    const onEnd = (): void => settle(() => resolve(undefined));
    const onError = (error: Error): void => settle(() => reject(error));
    const onReadable = (): void => {
      for (let chunk: unknown = socket.read(); chunk instanceof Buffer; chunk = socket.read()) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1 && head.length <= maxHeadBytes) continue;
        const status =
          end === -1
            ? undefined
            : /^HTTP\/1\.[01] (?<status>\d{3})[ \r]/u.exec(head.toString('latin1', 0, end + 1))?.groups?.['status'];
        settle(() => {
          if (end !== -1 && head.length > end + 4) socket.unshift(head.subarray(end + 4));
          resolve(status === undefined ? undefined : Number(status));
        });
        return;
      }
    };
    socket.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', onError);
  });
}
