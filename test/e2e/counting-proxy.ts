import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';

/** Stands between the monitor and the management interface and notes each request. */
export interface CountingProxy {
  readonly url: string;
  /** Paths asked for so far, in order. */
  readonly paths: readonly string[];
  /** Resolves when so many requests have come in all; bounded by 10 s. */
  waitForRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const paths: string[] = [];
  const events = new EventEmitter();
  const server = createServer((incoming, outgoing) => {
    paths.push(incoming.url ?? '');
    events.emit('request');
    const { method, url: path, headers } = incoming;
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    paths,
    waitForRequests: async (count) => {
      const deadline = AbortSignal.timeout(10_000);
      while (paths.length < count) await once(events, 'request', { signal: deadline });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
