import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came over the wire, nothing normalised. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Bytes to answer with; `undefined` when the handler answers through the socket itself. */
export type RawHandler = (request: RawRequest, socket: Socket) => string | Buffer | undefined;

export interface RawServer {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Connections open now, and the most that ever were at once. */
  readonly connections: { readonly open: number; readonly most: number; readonly accepted: number };
  close(): Promise<void>;
}

function parseHead(head: string): Omit<RawRequest, 'body'> {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = new Map<string, string>();
  for (const line of lines) headers.set(line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim());
  return { method, path, headers };
}

function serve(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = parseHead(pending.toString('latin1', 0, end));
      const size = Number(head.headers.get('content-length') ?? 0);
      if (pending.length < end + 4 + size) return;
      const body = pending.toString('utf8', end + 4, end + 4 + size);
      pending = pending.subarray(end + 4 + size);
      onRequest({ ...head, body });
    }
  });
}

/** A server on a free port of the loopback that keeps the bytes of every request. */
export async function startRawServer(handler: RawHandler): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const connections = { open: 0, most: 0, accepted: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.open += 1;
    connections.accepted += 1;
    connections.most = Math.max(connections.most, connections.open);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
    serve(socket, (request) => {
      requests.push(request);
      const answer = handler(request, socket);
      if (answer !== undefined) socket.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The bytes of an HTTP answer. */
export function answer(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ 'content-length': String(bytes.length), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`), bytes]);
}

/** The bytes of a success. */
export function success(result: unknown = []): Buffer {
  return answer(200, JSON.stringify({ code: 0, result }), { 'content-type': 'application/json' });
}
