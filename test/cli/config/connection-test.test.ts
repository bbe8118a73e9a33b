import { afterEach, expect, test } from 'vitest';
import { emqxV5Server } from '../../../src/api/dialects/emqx-v5/server/server.ts';
import type { TlsOptions } from '../../../src/api/transport/pool.ts';
import type { MonitorSession } from '../../../src/cli/commands/monitor-session.ts';
import { testConnection } from '../../../src/cli/config/connection-test.ts';
import { startEmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { certificate, startTlsFront, type TlsFrontOptions } from '../../support/tls-front.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function startBroker(
  forbidden: readonly string[] = [],
): Promise<{ readonly url: string; readonly port: number }> {
  const broker = await startEmbeddedBroker({
    nodes: 1,
    user: 'admin',
    password: 'right',
    version: '1.2.3',
    dialect: emqxV5Server,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
  });
  closing.push(() => broker.close());
  broker.faults.forbidden.push(...forbidden);
  return { url: broker.server.url, port: Number(new URL(broker.server.url).port) };
}

async function startSecure(options?: TlsFrontOptions): Promise<string> {
  const front = await startTlsFront((await startBroker()).port, options);
  closing.push(() => front.close());
  return front.url;
}

const session = (url: string, patch: Partial<MonitorSession> = {}): MonitorSession => ({
  url,
  user: 'admin',
  password: 'right',
  variant: 'auto',
  intervalSeconds: 2,
  isReadOnly: true,
  hasAudit: false,
  isInsecure: false,
  ...patch,
});

async function stepsOf(tested: MonitorSession): Promise<readonly string[]> {
  const steps: string[] = [];
  const isFine = await testConnection(tested, ({ name, isDone, text, milliseconds }) => {
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    steps.push(`${isDone ? 'ok' : 'failed'} ${name} ${text}`);
  });
  expect(isFine).toBe(!steps.some((step) => step.startsWith('failed')));
  return steps;
}

const trusted: TlsOptions = { ca: certificate('ca') };

test('each step of a connection that works', async () => {
  const { url, port } = await startBroker();
  expect(await stepsOf(session(url))).toEqual([
    `ok TCP 127.0.0.1 port ${port}`,
    'ok API API v5, 1 node, signed in as admin',
    'ok reads everything that this API offers',
  ]);
  const secure = await startSecure();
  expect(await stepsOf(session(secure, { tls: trusted }))).toEqual([
    expect.stringMatching(/^ok TCP /u),
    expect.stringMatching(/^ok TLS TLSv1\.3, certificate valid until \d{4}-\d\d-\d\d$/u),
    'ok API API v5, 1 node, signed in as admin',
    'ok reads everything that this API offers',
  ]);
  const local = await stepsOf(session(url.replace('127.0.0.1', 'localhost')));
  expect(local[0]).toMatch(/^ok DNS (?:127\.0\.0\.1|::1)$/u);
});

test('what the login may not read is listed, and is no failure', async () => {
  const { url } = await startBroker(['/listeners', '/banned', '/slow_subscriptions']);
  expect((await stepsOf(session(url))).at(-1)).toMatch(
    /^ok reads nodes, clients, sessions, subscriptions, routes, [^;]+, metrics, node metrics; not listeners, bans, slow subscriptions: the broker refuses them to this login$/u,
  );
});

test('the step that fails is the last', async () => {
  const { url } = await startBroker();
  expect(await stepsOf(session('http://127.0.0.1:1'))).toEqual(['failed TCP connection refused']);
  expect(await stepsOf(session('http://no-such-host.invalid'))).toEqual([expect.stringMatching(/^failed DNS /u)]);
  expect(await stepsOf(session(url, { password: 'wrong' }))).toEqual([
    expect.stringMatching(/^ok TCP /u),
    expect.stringContaining(`failed login The broker rejected the userna`),
  ]);
  expect((await stepsOf(session(url.replace('http:', 'https:')))).at(-1)).toMatch(/^failed TLS /u);
});

test.each<[string, TlsOptions, TlsFrontOptions, string]>([
  ['unknown authority', {}, {}, 'If you trust it, pass its CA certificate with --ca FILE.'],
  ['expired', trusted, { certificate: 'expired' }, "Renew it, or correct this machine's clock."],
  [
    'another name',
    { ...trusted, servername: 'other.test' },
    {},
    'Use a host name from the certificate in the URL, or pass one with --servername NAME.',
  ],
])('a certificate that is not trusted: %s', async (_name, tls, options, advice) => {
  const steps = await stepsOf(session(await startSecure(options), { tls }));
  expect(steps).toHaveLength(2);
  expect(steps[1]).toMatch(/^failed TLS /u);
  expect(steps[1]).toContain(advice);
});

test('a certificate that is not checked is no problem', async () => {
  expect(
    (await stepsOf(session(await startSecure({ certificate: 'expired' }), { tls: { isInsecure: true } }))).at(-1),
  ).toMatch(/^ok reads /u);
});

test('through a proxy only the API is asked', async () => {
  const { port } = await startBroker();
  const proxy = await startForwardProxy({ targetPort: port });
  closing.push(() => proxy.close());
  const proxied = session('http://broker.test', {
    isInsecure: true,
    proxyFor: () => ({ url: proxy.url, user: undefined, password: undefined, variable: 'http_proxy' }),
  });
  expect(await stepsOf(proxied)).toEqual([
    'ok API API v5, 1 node, signed in as admin',
    'ok reads everything that this API offers',
  ]);
});
