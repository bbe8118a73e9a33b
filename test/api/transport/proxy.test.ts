import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { kindOfFailure } from '../../../src/actions/verification.ts';
import { createHttpApi, type HttpApi } from '../../../src/api/dialects/index.ts';
import { ApiError, ProxyLoginError, TlsError } from '../../../src/api/errors.ts';
import { errorTexts } from '../../../src/api/texts.ts';
import type { ProxyOptions } from '../../../src/api/transport/tunnel.ts';
import { holdLongTimeouts } from '../../support/long-timeouts.ts';
import { type ForwardProxy, startForwardProxy } from '../../support/forward-proxy.ts';
import { answer, type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';
import { certificate, type ServerCertificate, startTlsFront, type TlsFront } from '../../support/tls-front.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const password = 'canary-of-the-broker';
const proxyPassword = 'canary: of the proxy%';

interface Place {
  readonly broker: RawServer;
  readonly front: TlsFront;
  readonly proxy: ForwardProxy;
  readonly api: HttpApi;
}

function clientFor(url: string, proxy: Omit<ProxyOptions, 'variable'>, deadlineMs = 5000): HttpApi {
  const api = createHttpApi({
    url,
    user: 'admin',
    password,
    variant: 'b',
    deadlineMs,
    tls: { ca: certificate('ca') },
    proxyFor: () => ({ variable: 'HTTPS_PROXY', ...proxy }),
  });
  closing.push(() => api.close());
  return api;
}

/** A broker called `broker.test` that only the proxy knows the way to. */
async function start(
  scheme: 'http' | 'https',
  given: Partial<ProxyOptions> = { user: 'me', password: proxyPassword },
  certificateName: ServerCertificate = 'server',
): Promise<Place> {
  const broker = await startRawServer(() => success({ objects: [] }));
  const front = await startTlsFront(broker.port, { certificate: certificateName });
  const proxy = await startForwardProxy({
    targetPort: scheme === 'http' ? broker.port : front.port,
    login: `me:${proxyPassword}`,
  });
  closing.push(
    () => broker.close(),
    () => front.close(),
    () => proxy.close(),
  );
  return { broker, front, proxy, api: clientFor(`${scheme}://broker.test:8080`, { url: proxy.url, ...given }) };
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('no ApiError', { cause: error });
  const everything = inspect(error, { depth: 20, showHidden: true });
  for (const secret of [password, proxyPassword]) expect(everything).not.toContain(secret);
  expect(everything).not.toContain(Buffer.from(`me:${proxyPassword}`).toString('base64'));
  return error;
}

const ids = ['a/b', '..', '.', 'a/../b', 'a%2Fb', '日本', '?a=b#c', 'a\\b', ' ', '\r\nX: y', "~!*'()-_"];

describe.each(['http', 'https'] as const)('through a proxy over %s', (scheme) => {
  test('paths arrive byte for byte', async () => {
    const { broker, proxy, api } = await start(scheme);
    for (const id of ids) await api.getClient(id);
    for (const id of ids) await api.disconnectClient(id);
    const expected = ids.map(
      (id) => `/api/v2/clients/${encodeURIComponent(id).replace(/^\.{1,2}$/u, (dots) => dots.replaceAll('.', '%2e'))}`,
    );
    expect(broker.requests.map(({ path }) => path)).toEqual([...expected, ...expected]);
    expect(broker.requests.every(({ headers }) => headers.get('host') === 'broker.test:8080')).toBe(true);
    const asked =
      scheme === 'http'
        ? [...expected, ...expected].map((path) => `http://broker.test:8080${path}`)
        : ['broker.test:8080'];
    expect(proxy.requests.map(({ target }) => target)).toEqual(asked);
  });

  test('the login of the proxy is not sent to the broker, nor with TLS that of the broker to the proxy', async () => {
    const { broker, proxy, api } = await start(scheme);
    await api.getClient('a');
    expect(broker.requests[0]?.headers.get('authorization')).toBe(
      `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    );
    expect(broker.requests[0]?.headers.has('proxy-authorization')).toBe(false);
    expect(proxy.requests[0]?.headers.authorization).toBe(
      scheme === 'http' ? broker.requests[0]?.headers.get('authorization') : undefined,
    );
  });

  test('one connection for many requests', async () => {
    // On a busy machine a request would wait too long for the only connection, and get another one.
    holdLongTimeouts(100);
    const { broker, proxy, api } = await start(scheme);
    // The connection is not opened while others wait.
    await api.getClient('c');
    await Promise.all(Array.from({ length: 8 }, (_, index) => api.getClient(`c${index}`)));
    expect(broker.requests).toHaveLength(9);
    expect(proxy.connections.most).toBe(1);
    await api.close();
    await expect.poll(() => proxy.connections.open).toBe(0);
  });

  test.each([
    ['wrong', { user: 'me', password: 'no' }, true],
    ['no', {}, false],
  ])('%s login is reported, tried once, and nothing is sent to the broker', async (_, login, hasLogin) => {
    const { broker, proxy, api } = await start(scheme, login);
    const error = await failure(api.disconnectClient('a'));
    expect(error).toBeInstanceOf(ProxyLoginError);
    expect(error.kind).toBe('unauthorized');
    expect(error.message).toBe(errorTexts.proxyLogin(proxy.url, 'HTTPS_PROXY', hasLogin));
    expect(kindOfFailure(error)).toBe('not-sent');
    expect(proxy.requests).toHaveLength(1);
    expect(broker.requests).toEqual([]);
  });

  test('a rejected login is not tried for other addresses', async () => {
    const { proxy } = await start(scheme);
    const api = createHttpApi({
      url: `${scheme}://a.test`,
      otherUrls: [`${scheme}://b.test`],
      user: 'admin',
      password,
      variant: 'b',
      proxyFor: () => ({ variable: 'HTTPS_PROXY', url: proxy.url }),
    });
    closing.push(() => api.close());
    const changes: unknown[] = [];
    api.onServingChange((change) => changes.push(change));
    expect(await failure(api.listUsers())).toBeInstanceOf(ProxyLoginError);
    expect(proxy.requests).toHaveLength(1);
    expect(changes).toEqual([]);
  });

  test('no proxy at the address', async () => {
    const { proxy, api } = await start(scheme);
    await proxy.close();
    closing.splice(2, 1);
    const error = await failure(api.disconnectClient('a'));
    expect(error.message).toBe(
      `Cannot connect to the proxy ${proxy.url} (connection refused). Check HTTPS_PROXY, or exclude the broker's host with NO_PROXY.`,
    );
    expect(kindOfFailure(error)).toBe('not-sent');
  });

  test('a silent proxy times out and is named', async () => {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket
        .resume()
        .on('error', () => undefined)
        .once('close', () => open.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failure(clientFor(`${scheme}://broker.test:8080`, { url }, 500).getClient('a'));
    // What a proxy was asked to pass on may have reached the broker.
    expect([error.kind, kindOfFailure(error)]).toEqual(
      scheme === 'http' ? ['timeout', 'unknown'] : ['unreachable', 'not-sent'],
    );
    expect(error.message).toBe(
      scheme === 'http'
        ? `The broker did not respond within 0.5 s. It may be overloaded, or a node may be hung. Or the proxy ${url} does not respond.`
        : `Cannot connect to the proxy ${url} (no response within 0.4 s). Check HTTPS_PROXY, or exclude the broker's host with NO_PROXY.`,
    );
    await expect.poll(() => open.size).toBe(0);
  });
});

test('a gateway status may come from the proxy', async () => {
  const proxy = await startRawServer(() => answer(504, ''));
  closing.push(() => proxy.close());
  const error = await failure(clientFor('http://broker.test:8080', { url: proxy.url }).disconnectClient('a'));
  expect(error.message).toBe(
    `The broker or a proxy in front of it is overloaded or unavailable (HTTP 504). Or the proxy ${proxy.url} cannot reach the broker.`,
  );
  expect(kindOfFailure(error)).toBe('unknown');
});

const noProxyAnswer = (url: string): string =>
  `Cannot connect to the proxy ${url} (not a proxy). Check HTTPS_PROXY, or exclude the broker's host with NO_PROXY.`;

describe('a tunnel', () => {
  test('does not bypass the certificate check', async () => {
    const { broker, api } = await start('https', undefined, 'expired');
    const error = await failure(api.getClient('a'));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.brief).toBe('certificate expired');
    expect(broker.connections.accepted).toBe(0);
  });

  test('does not bypass it on later connections, although the server accepts its session tickets', async () => {
    const { broker, front, api } = await start('https');
    await api.getClient('a');
    front.show('other-authority');
    await expect.poll(() => broker.connections.open).toBe(0);
    expect(await failure(api.getClient('a'))).toBeInstanceOf(TlsError);
    expect(await failure(api.disconnectClient('a'))).toBeInstanceOf(TlsError);
    expect(broker.requests).toHaveLength(1);
  });

  test.each([
    [
      'HTTP/1.1 403 Forbidden\r\n\r\n',
      (url: string) =>
        `The proxy ${url} does not forward to the broker (HTTP 403). Check the URL, or exclude the broker's host with NO_PROXY.`,
    ],
    ['SSH-2.0-OpenSSH\r\n\r\n', noProxyAnswer],
    ['HTTP/1.1 200 OK\r\n', noProxyAnswer],
    [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`, noProxyAnswer],
  ])('is given up after %j', async (said, sentence) => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(said)),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await failure(clientFor('https://broker.test', { url }).getClient('a'));
    expect(error.message).toBe(sentence(url));
    expect(kindOfFailure(error)).toBe('not-sent');
  });
});

test.each(['http', 'https'] as const)(
  'the certificate of a proxy is checked against the authorities of Node, not --ca; the broker has %s',
  async (scheme) => {
    const { proxy, broker } = await start(scheme);
    const front = await startTlsFront(proxy.port);
    closing.push(() => front.close());
    const through = { url: front.url, user: 'me', password: proxyPassword };
    const error = await failure(clientFor(`${scheme}://broker.test:8080`, through).getClient('a'));
    expect(error.message).toBe(
      `Cannot connect to the proxy ${front.url} (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Check HTTPS_PROXY, or exclude the broker's host with NO_PROXY.`,
    );
    expect(front.received.bytes).toBe(0);
    const before = getCACertificates('default');
    setDefaultCACertificates([certificate('ca')]);
    closing.push(async () => setDefaultCACertificates(before));
    await clientFor(`${scheme}://broker.test:8080`, through).getClient('a');
    expect(broker.requests).toHaveLength(1);
  },
);
