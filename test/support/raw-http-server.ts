import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/** A request as received, nothing normalised. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The whole request. */
  readonly bytes: Buffer;
  /** Number of its connection, from 1. */
  readonly connection: number;
}

/** Returns the answer, or `undefined` if the handler writes to the socket itself. */
export type RawHandler = (request: RawRequest, socket: Socket) => string | Buffer | undefined;

/**
 * Answers by request line (`GET /api/v2/x`, or `*` for all others). Answers of a list are used in order; the last one
 * repeats.
 */
export type RawScript = Readonly<Record<string, RawAnswer | readonly RawAnswer[]>>;
export type RawAnswer = string | Buffer | RawHandler;

export interface RawServerOptions {
  /** `false` closes each connection after its first answer. */
  readonly keepAlive?: boolean | undefined;
}

export interface RawServer {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Connections: open now, maximum at the same time, and total. */
  readonly connections: { readonly open: number; readonly most: number; readonly accepted: number };
  close(): Promise<void>;
}

function parseHead(head: string): Pick<RawRequest, 'method' | 'path' | 'headers'> {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = new Map<string, string>();
  for (const line of lines)
    headers.set(line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim());
  return { method, path, headers };
}

function serve(socket: Socket, connection: number, onRequest: (request: RawRequest) => void): void {
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
      const bytes = Buffer.from(pending.subarray(0, end + 4 + size));
      pending = pending.subarray(end + 4 + size);
      onRequest({ ...head, body, bytes, connection });
    }
  });
}

/** Returns a handler that plays a script. Other requests are answered 404. */
function play(script: RawScript): RawHandler {
  const rest = new Map(
    Object.entries(script).map(([line, answers]) => [line, Array.isArray(answers) ? [...answers] : [answers]]),
  );
  return (request, socket) => {
    const answers = rest.get(`${request.method} ${request.path}`) ?? rest.get('*');
    const next = answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0];
    if (next === undefined) return answer(404, '');
    return typeof next === 'function' ? next(request, socket) : next;
  };
}

/** A server on a free port of the loopback that keeps the bytes of every request and answers exactly as scripted. */
export async function startRawServer(
  behaviour: RawHandler | RawScript,
  { keepAlive = true }: RawServerOptions = {},
): Promise<RawServer> {
  const handler = typeof behaviour === 'function' ? behaviour : play(behaviour);
  const requests: RawRequest[] = [];
  const server = createServer();
  const { port, connections, close } = await listenOnLoopback(server);
  server.on('connection', (socket) => {
    serve(socket, connections.accepted, (request) => {
      requests.push(request);
      const bytes = handler(request, socket);
      if (bytes === undefined) return;
      if (keepAlive) socket.write(bytes);
      else socket.end(bytes);
    });
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    connections,
    close,
  };
}

/** The bytes of an HTTP answer. */
export function answer(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ 'content-length': String(bytes.length), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`), bytes]);
}

/** The bytes of a success. */
export function success(result: unknown = []): Buffer {
  return answer(200, JSON.stringify({ code: 0, result }), { 'content-type': 'application/json' });
}
