import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

/** An HTTP server that accepts connections and never answers, until the test is over. */
export async function startSilent(): Promise<string> {
  const { port, close } = await listenOnLoopback(createServer(() => {}));
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}

/** A URL where nothing listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}
