import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { kindOfFailure } from '../../../src/actions/verification.ts';
import { http as format } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { ApiError, TlsError } from '../../../src/api/errors.ts';
import { errorTexts, type TlsProblem, tlsTexts } from '../../../src/api/texts.ts';
import { tlsErrorOf } from '../../../src/api/transport/failures.ts';
import { createHttp, type Http } from '../../../src/api/transport/http.ts';
import { errorCodeOf } from '../../../src/domain/error-code.ts';
import { checkServerIdentity } from '../../../src/api/transport/server-identity.ts';
import type { TlsOptions } from '../../../src/api/transport/pool.ts';
import { answer, type RawHandler, type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';
import {
  certificate,
  privateKey,
  startTlsFront,
  type TlsFront,
  type TlsFrontOptions,
} from '../../support/tls-front.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Place {
  readonly server: RawServer;
  readonly front: TlsFront;
  readonly http: Http;
}

/** `host` replaces the address in the URL. */
async function start(tls: TlsOptions, front: TlsFrontOptions = {}, host = '127.0.0.1'): Promise<Place> {
  const server = await startRawServer(() => success(['here']));
  const shown = await startTlsFront(server.port, front);
  const http = createHttp({
    format,
    url: shown.url.replace('127.0.0.1', host),
    user: 'admin',
    password: 'canary',
    tls,
  });
  closing.push(
    () => server.close(),
    () => shown.close(),
    () => http.close(),
  );
  return { server, front: shown, http };
}

const ask = (http: Http): Promise<unknown> => http.send({ method: 'GET', path: '/management/nodes' });

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error('no ApiError', { cause: error });
  return error;
}

const ca = certificate('ca');
const own = (name: 'client' | 'stranger'): TlsOptions => ({ ca, cert: certificate(name), key: privateKey(name) });

const rejections: readonly (readonly [string, TlsOptions, TlsFrontOptions, string, TlsProblem])[] = [
  ['an authority that Node does not know', {}, {}, '127.0.0.1', tlsTexts.unknownAuthority],
  ['another authority than --ca', { ca: certificate('other-ca') }, {}, '127.0.0.1', tlsTexts.unknownAuthority],
  ['a host that is not in the certificate', { ca }, {}, 'localhost', tlsTexts.otherName],
  [
    'a --servername that is not in the certificate',
    { ca, servername: 'other.test' },
    {},
    '127.0.0.1',
    tlsTexts.otherName,
  ],
  ['an expired certificate', { ca }, { certificate: 'expired' }, '127.0.0.1', tlsTexts.expired],
  ['a certificate that is not valid yet', { ca }, { certificate: 'not-yet' }, '127.0.0.1', tlsTexts.notYetValid],
  ['a self-signed certificate', { ca }, { certificate: 'self-signed' }, '127.0.0.1', tlsTexts.selfSigned],
  ['no client certificate, TLS 1.3', { ca }, { asksClients: true }, '127.0.0.1', tlsTexts.clientCertificateRequired],
  [
    'no client certificate, TLS 1.2',
    { ca },
    { asksClients: true, maxVersion: 'TLSv1.2' },
    '127.0.0.1',
    tlsTexts.handshakeFailure,
  ],
  ['TLS 1.1', { ca }, { maxVersion: 'TLSv1.1' }, '127.0.0.1', tlsTexts.tooOld],
];

describe('untrusted TLS is rejected before anything is sent', () => {
  test.each(rejections)('%s', async (_, tls, options, host, problem) => {
    const { server, front, http } = await start(tls, options, host);
    const error = await failure(ask(http));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.kind).toBe('unreachable');
    expect(error.message).toBe(errorTexts.tls(problem, error instanceof TlsError ? error.reason : ''));
    // An action that met this was not done.
    expect(kindOfFailure(error)).toBe('not-sent');
    expect(front.received.bytes).toBe(0);
    expect(server.connections.accepted).toBe(0);
  });

  // This server closes without a word; others send an alert.
  test.each(['TLSv1.3', 'TLSv1.2'] as const)('a client certificate of another authority, %s', async (maxVersion) => {
    const { server, front, http } = await start(own('stranger'), { asksClients: true, maxVersion });
    expect((await failure(ask(http))).kind).toBe('unreachable');
    expect(front.received.bytes).toBe(0);
    expect(server.connections.accepted).toBe(0);
  });

  // Every connection of a pool is checked, not only the first.
  test.each(['TLSv1.3', 'TLSv1.2'] as const)(
    'another certificate on a later connection, although the server accepts its session tickets, %s',
    async (maxVersion) => {
      for (const [next, code] of [
        ['other-authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
        ['other-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
        ['expired', 'CERT_HAS_EXPIRED'],
      ] as const) {
        const { server, front, http } = await start({ ca }, { maxVersion });
        expect(await ask(http)).toEqual(['here']);
        const before = front.received.bytes;
        front.show(next);
        await expect.poll(() => server.connections.open).toBe(0);
        for (const method of ['GET', 'DELETE'] as const) {
          const error = await failure(http.send({ method, path: '/clients/a' }));
          expect(error).toBeInstanceOf(TlsError);
          expect(error).toMatchObject({ reason: code });
        }
        expect(front.received.bytes).toBe(before);
        expect(server.requests).toHaveLength(1);
      }
    },
  );

  test('a server without TLS', async () => {
    const server = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const http = createHttp({ format, url: `https://127.0.0.1:${port}`, user: 'admin', password: 'canary' });
    closing.push(
      async () => void server.close(),
      () => http.close(),
    );
    const error = await failure(ask(http));
    expect(error).toMatchObject({
      kind: 'unreachable',
      reason: 'ERR_SSL_WRONG_VERSION_NUMBER',
      message:
        'The server does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER). Check the port, or use http:// in the URL.',
    });
    // Bytes that are changed on the way look the same, after a request too.
    expect(kindOfFailure(error)).toBe('unknown');
  });

  test('a server that closes at the first byte of TLS', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = createHttp({
      format,
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      user: 'admin',
      password: 'canary',
    });
    closing.push(
      async () => void server.close(),
      () => http.close(),
    );
    expect((await failure(ask(http))).message).toBe(
      'Cannot connect to the management API (connection reset). Check the URL and that the broker is running. If the port does not use TLS, use http:// in the URL.',
    );
  });

  const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 70]);

  // Servers differ in how they show that they were asked without TLS.
  test.each<[string, RawHandler]>([
    ['nothing', (_, socket) => void socket.end()],
    ['a reset', (_, socket) => void socket.resetAndDestroy()],
    ['an alert', (_, socket) => void socket.end(alert)],
    ['400', () => answer(400, 'Client sent an HTTP request to an HTTPS server.')],
  ])('http:// to a port that speaks TLS and answers with %s', async (_, handler) => {
    const server = await startRawServer(handler);
    const http = createHttp({ format, url: server.url, user: 'admin', password: 'canary' });
    closing.push(
      () => server.close(),
      () => http.close(),
    );
    for (const _again of [1, 2])
      expect((await failure(ask(http))).hint).toBe('If the port expects TLS, use https:// in the URL.');
  });

  test('http:// to a TLS server', async () => {
    const { front } = await start({ ca });
    const http = createHttp({ format, url: front.url.replace('https', 'http'), user: 'admin', password: 'canary' });
    closing.push(() => http.close());
    expect((await failure(ask(http))).message).toContain('If the port expects TLS, use https:// in the URL.');
  });

  test('TLS is not suggested once http:// was answered', async () => {
    const answers = [success(['here']), undefined];
    const server = await startRawServer((_, socket) => answers.shift() ?? void socket.end());
    const http = createHttp({ format, url: server.url, user: 'admin', password: 'canary' });
    closing.push(
      () => server.close(),
      () => http.close(),
    );
    await ask(http);
    expect(await failure(ask(http))).toMatchObject({ kind: 'unreachable', hint: undefined });
  });

  test('the environment cannot disable the check', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { front, http } = await start({});
      expect(await failure(ask(http))).toBeInstanceOf(TlsError);
      expect(front.received.bytes).toBe(0);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});

const noContext = { request: { method: 'GET', path: '/' }, cause: undefined };

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', tlsTexts.clientCertificateRefused],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', tlsTexts.clientCertificateRefused],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', tlsTexts.handshakeFailure],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', tlsTexts.tooOld],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', tlsTexts.unknownAuthority],
  ['INVALID_PURPOSE', tlsTexts.otherFault],
])('the sentence for %s', (code, problem) => {
  expect(tlsErrorOf(code, noContext)?.message).toBe(errorTexts.tls(problem, code));
});

test.each(['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'ECONNRESET', undefined])(
  '%s is not an error of trust',
  (code) => {
    expect(tlsErrorOf(code, noContext)).toBeUndefined();
  },
);

describe('trusted TLS', () => {
  test.each<[string, TlsOptions, TlsFrontOptions, string]>([
    ['the right authority and address', { ca }, {}, '127.0.0.1'],
    ['the right authority and --servername', { ca, servername: 'broker.test' }, {}, 'localhost'],
    ['TLS 1.2', { ca }, { maxVersion: 'TLSv1.2' }, '127.0.0.1'],
    ['a client certificate, TLS 1.3', own('client'), { asksClients: true }, '127.0.0.1'],
    ['a client certificate, TLS 1.2', own('client'), { asksClients: true, maxVersion: 'TLSv1.2' }, '127.0.0.1'],
    [
      'a self-signed certificate that is the authority itself',
      { ca: certificate('self-signed') },
      { certificate: 'self-signed' },
      '127.0.0.1',
    ],
    ['any certificate with --insecure-tls', { isInsecure: true }, { certificate: 'expired' }, 'localhost'],
  ])('%s', async (_, tls, options, host) => {
    const { server, front, http } = await start(tls, options, host);
    expect(await ask(http)).toEqual(['here']);
    expect(await ask(http)).toEqual(['here']);
    expect(server.requests.map(({ headers }) => headers.get('host'))).toEqual(
      Array.from({ length: 2 }, () => `${host}:${front.port}`),
    );
    expect(front.sessions).toEqual([
      { version: options.maxVersion ?? 'TLSv1.3', servername: tls.servername ?? (host === 'localhost' ? host : false) },
    ]);
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe.runIf(hasIpv6)('an IPv6 address', () => {
  async function open(name: 'server' | 'other-name'): Promise<Http> {
    const server = createTlsServer({ cert: certificate(name), key: privateKey(name) }, (_request, response) => {
      response.end('{"code":0,"result":["here"]}');
    });
    server.listen(0, '::1');
    await once(server, 'listening');
    const http = createHttp({
      format,
      url: `https://[::1]:${(server.address() as AddressInfo).port}`,
      user: 'admin',
      password: 'canary',
      tls: { ca },
    });
    closing.push(
      async () => {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
      () => http.close(),
    );
    return http;
  }

  test('that the certificate has is accepted', async () => {
    expect(await ask(await open('server'))).toEqual(['here']);
  });

  test('that it has not is refused', async () => {
    expect(await failure(ask(await open('other-name')))).toMatchObject({
      name: 'TlsError',
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });
});

test.each([
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::2', false],
  ['127.0.0.1', true],
  ['::ffff:127.0.0.1', false],
  ['broker.test', true],
  ['other.test', false],
])('the certificate is one for %s: %s', (host, isAccepted) => {
  const shown = new X509Certificate(certificate('server')).toLegacyObject();
  expect(errorCodeOf(checkServerIdentity(host, shown as PeerCertificate))).toBe(
    isAccepted ? undefined : 'ERR_TLS_CERT_ALTNAME_INVALID',
  );
});
