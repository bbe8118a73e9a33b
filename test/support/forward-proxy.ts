import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

export interface ForwardProxyOptions {
  /** Port of 127.0.0.1 that gets everything, whatever host is requested. */
  readonly targetPort: number;
  /** Required `user:password`. */
  readonly login?: string | undefined;
}

/** A request to the proxy itself. */
export interface ProxiedRequest {
  readonly method: string;
  /** The exact request target: a whole URL, or `host:port` of a CONNECT. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP forward proxy: forwards requests and opens tunnels. */
export interface ForwardProxy {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ProxiedRequest[];
  /** Client connections: open now, and maximum at the same time. */
  readonly connections: { readonly open: number; readonly most: number };
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startForwardProxy({ targetPort, login }: ForwardProxyOptions): Promise<ForwardProxy> {
  const requests: ProxiedRequest[] = [];
  const isLetIn = (headers: IncomingHttpHeaders): boolean =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, target: url, headers });
    if (!isLetIn(headers)) {
      outgoing.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const { 'proxy-authorization': _, ...passed } = headers;
    const onward = request(
      { host: '127.0.0.1', port: targetPort, method, path: url.replace(/^http:\/\/[^/]*/u, ''), headers: passed },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const { port, connections, track, close } = await listenOnLoopback(server);
  server.on(
    'connect',
    (
      { method = '', url = '', headers }: { method?: string; url?: string; headers: IncomingHttpHeaders },
      client: Socket,
    ) => {
      requests.push({ method, target: url, headers });
      if (!isLetIn(headers)) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const target = connect(targetPort, '127.0.0.1', () => {
        // In two chunks, as a real proxy may send it.
        client.write('HTTP/1.1 200 Conn');
        setImmediate(() => client.write('ection established\r\nvia: x\r\n\r\n'));
        client.pipe(target).pipe(client);
      });
      track(target);
      for (const [socket, other] of [
        [client, target],
        [target, client],
      ] as const)
        socket.once('close', () => other.destroy());
    },
  );
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    connections,
    close,
  };
}
