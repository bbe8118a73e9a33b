import { createServer, request as forward } from 'node:http';
import { createSecureServer, createServer as createPlainHttp2 } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { openHttpApi } from '../../../src/api/dialects/index.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { certificate, privateKey } from '../../support/tls-front.ts';
import { startV5Replay, v5Key, v5Login } from '../../support/v5-replay.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A proxy that compresses whatever it is asked. */
async function startCompressing(port: number): Promise<string> {
  const server = createServer((incoming, response) => {
    const { url, method, headers } = incoming;
    incoming.pipe(
      forward({ host: '127.0.0.1', port, path: url, method, headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          response.writeHead(answer.statusCode ?? 502, {
            'content-type': 'application/json',
            'content-encoding': 'gzip',
          });
          response.end(gzipSync(Buffer.concat(chunks)));
        });
      }),
    );
  });
  const { port: own, close } = await listenOnLoopback(server);
  closing.push(close);
  return `http://127.0.0.1:${own}`;
}

test.each([
  ['an API key', 'v5', v5Key],
  ['a login', 'v5', v5Login],
  ['an API key', 'auto', v5Key],
  ['a login', 'auto', v5Login],
] as const)('a proxy that compresses is named, with %s and --api %s', async (_login, api, login) => {
  const replay = await startV5Replay();
  closing.push(() => replay.close());
  const opened = openHttpApi({ url: await startCompressing(replay.port), api, ...login });
  closing.push(() => opened.close());
  await expect(opened.listNodes()).rejects.toMatchObject({
    kind: 'bad-answer',
    message:
      'Unexpected response (compressed, which was not requested). Check that the URL is the management API. Turn off compression in the proxy in front of the broker.',
  });
});

describe('a server that only speaks HTTP/2 is named', () => {
  const hint = 'Enable HTTP/1.1 on the server or on the proxy in front of it.';

  test('with TLS', async () => {
    const { port, close } = await listenOnLoopback(
      createSecureServer({ cert: certificate('server'), key: privateKey('server') }),
    );
    const api = openHttpApi({ url: `https://127.0.0.1:${port}`, tls: { ca: certificate('ca') }, ...v5Key });
    closing.push(close, () => api.close());
    await expect(api.listNodes()).rejects.toHaveProperty(
      'message',
      `HTTP/1.1 not supported by the server (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL). ${hint}`,
    );
  });

  test('without TLS', async () => {
    const { port, close } = await listenOnLoopback(createPlainHttp2());
    const api = openHttpApi({ url: `http://127.0.0.1:${port}`, ...v5Key });
    closing.push(close, () => api.close());
    await expect(api.listNodes()).rejects.toHaveProperty(
      'message',
      `Unexpected response (HTTP/2, not HTTP/1.1). Check that the URL is the management API. ${hint}`,
    );
  });
});
