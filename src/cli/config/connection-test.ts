import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { openHttpApi } from '../../api/dialects/index.ts';
import { ApiError } from '../../api/errors.ts';
import { tlsErrorOf } from '../../api/transport/failures.ts';
import { checkServerIdentity } from '../../api/transport/server-identity.ts';
import { errorCodeOf, reasonText } from '../../domain/error-code.ts';
import { type AllowedReads, findAllowedReads } from './allowed-reads.ts';
import type { MonitorSession } from '../commands/monitor-session.ts';

export type StepName = 'DNS' | 'TCP' | 'TLS' | 'API' | 'login' | 'reads';

export interface TestStep {
  readonly name: StepName;
  readonly isDone: boolean;
  /** Says what was found, or what is wrong. */
  readonly text: string;
  readonly milliseconds: number;
}

const stepMs = 10_000;
const readsMs = 30_000;

/** The text names reads only: what a login may change shows when it is done. */
const readsText = ({ allowed, forbidden }: AllowedReads): string =>
  forbidden.length === 0
    ? 'everything that this API offers'
    : `${allowed.join(', ')}; not ${forbidden.join(', ')}: the broker refuses them to this login`;

/** Describes an error in the words of the API's own errors. */
const reasonOf = (error: unknown): string => {
  const code = errorCodeOf(error);
  return (
    tlsErrorOf(code, { request: { method: 'GET', path: '/' }, cause: undefined })?.message ??
    reasonText(code ?? (error instanceof Error ? error.message : String(error)))
  );
};

/**
 * Calls `onStep` for each step to an address, and ends with the first that fails. A proxy makes the connection itself,
 * so the first steps are left out.
 */
export async function testConnection(session: MonitorSession, onStep: (step: TestStep) => void): Promise<boolean> {
  const attempt = async <T>(name: StepName, run: () => Promise<readonly [T, string]>): Promise<T | undefined> => {
    const startedMs = performance.now();
    try {
      const [value, text] = await run();
      onStep({ name, isDone: true, text, milliseconds: performance.now() - startedMs });
      return value;
    } catch (error) {
      onStep({
        name: error instanceof ApiError && error.kind === 'unauthorized' ? 'login' : name,
        isDone: false,
        text: error instanceof ApiError ? error.message : reasonOf(error),
        milliseconds: performance.now() - startedMs,
      });
      return undefined;
    }
  };
  const url = new URL(session.url);
  if (session.proxyFor?.(session.url) === undefined) {
    const host = url.hostname.replace(/^\[(.+)\]$/u, '$1');
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port || (isSecure ? 443 : 80));
    const address =
      isIP(host) === 0
        ? await attempt('DNS', async () => {
            const found = await lookup(host);
            return [found.address, found.address];
          })
        : host;
    if (address === undefined) return false;
    const socket = await attempt('TCP', async () => [
      await connected(connectTcp({ host: address, port, timeout: stepMs }), 'connect'),
      `${address} port ${port}`,
    ]);
    if (socket === undefined) return false;
    const secured = isSecure ? await attempt('TLS', async () => secure(socket, host, session)) : socket;
    // Not the plain socket below TLS, which belongs to it.
    secured?.destroy();
    if (secured === undefined) return false;
  }
  const api = openHttpApi({ ...session, otherUrls: [], isPlainRemoteAllowed: session.isInsecure });
  try {
    const nodes = await attempt('API', async () => {
      const found = await api.listNodeStats({ signal: AbortSignal.timeout(stepMs) });
      return [
        found,
        `${api.info.label}, ${found.length} ${found.length === 1 ? 'node' : 'nodes'}, signed in as ${session.user}`,
      ];
    });
    const node = nodes?.find(({ status }) => status === 'running')?.name;
    if (nodes === undefined || node === undefined) return nodes !== undefined;
    const reads = await attempt('reads', async () => {
      const found = await findAllowedReads(api, node, { signal: AbortSignal.timeout(readsMs) });
      const [failure] = found.failed;
      if (failure !== undefined) throw failure.error;
      return [found, readsText(found)];
    });
    return reads !== undefined;
  } finally {
    await api.close();
  }
}

function connected<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      resolve(socket);
    });
    socket.once('timeout', () => {
      socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }));
    });
    socket.on('error', reject);
  });
}

async function secure(
  socket: Socket,
  host: string,
  { tls = {} }: MonitorSession,
): Promise<readonly [TLSSocket, string]> {
  const { ca, cert, key, servername = isIP(host) === 0 ? host : '', isInsecure } = tls;
  const secured = await connected(
    connectTls({
      socket,
      ca,
      cert,
      key,
      servername,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: isInsecure !== true,
      host,
      checkServerIdentity,
    }),
    'secureConnect',
  );
  const { valid_to: validTo } = secured.getPeerCertificate();
  return [
    secured,
    `${secured.getProtocol() ?? ''}, certificate valid until ${new Date(validTo).toISOString().slice(0, 10)}`,
  ];
}
