import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Everything that comes until the other side closes. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reset after the answer is a way to close, too.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

export interface RawRequest {
  readonly method?: string;
  /** Written as it is, after the method. */
  readonly target: string;
  readonly body?: string | Buffer;
  /** `user:password`; `null` sends no Authorization. */
  readonly credentials?: string | null;
  readonly headers?: readonly string[];
}

export function requestText({
  method = 'GET',
  target,
  body,
  credentials = 'admin:secret',
  headers = [],
}: RawRequest): Buffer {
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...(credentials === null ? [] : [`Authorization: Basic ${Buffer.from(credentials).toString('base64')}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(body ?? '')]);
}

/** One request on a connection of its own. `undefined` when it was closed without a byte. */
export async function send(port: number, request: RawRequest): Promise<RawAnswer | undefined> {
  const socket = await openSocket(port);
  const all = readToEnd(socket);
  socket.write(requestText(request));
  const text = await all;
  return text === '' ? undefined : parseAnswer(text);
}
