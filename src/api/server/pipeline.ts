import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

const maxPipelined = 16;
/**
 * How long to wait for the client to close first: closing with unread input sends a reset, which can lose the last
 * answer.
 */
const lingerMs = 1000;

export class BrokenRequestError extends Error {
  readonly status: number;

  constructor(status: number, options?: ErrorOptions) {
    super(STATUS_CODES[status], options);
    this.name = 'BrokenRequestError';
    this.status = status;
  }
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers one request of a connection at a time. One that cannot be answered is not carried out; the connection stays
 * open until the others are.
 */
export class Pipeline {
  readonly #socket: Duplex;
  readonly #broken = new AbortController();
  #newest: IncomingMessage | undefined;
  #unanswered = 0;
  #lastAnswer: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Aborted with a `BrokenRequestError` when the rest of the newest request will not arrive. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Queues a request. After too many, those before are answered and the connection closes. */
  add(request: IncomingMessage, response: ServerResponse, handle: () => Promise<void>): void {
    if (this.#isClosing) return;
    if (this.#unanswered === maxPipelined) return this.close();
    this.#newest = request;
    this.#unanswered += 1;
    const answered = new Promise<void>((resolve) => {
      response.once('close', resolve);
    });
    this.#lastAnswer = this.#lastAnswer.then(async () => {
      if (this.#socket.writable) {
        await handle();
        await answered;
      }
      this.#unanswered -= 1;
    });
  }

  fail(cause: Error): void {
    const code = 'code' in cause ? String(cause.code) : '';
    const status = statuses[code] ?? 400;
    // An incomplete request gets the status as its answer.
    const isNew = this.#newest?.complete !== false;
    this.#broken.abort(new BrokenRequestError(status, { cause }));
    this.close(isNew ? `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n` : '');
  }

  close(lastMessage = ''): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const socket = this.#socket;
    socket.on('error', () => undefined);
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    void this.#lastAnswer.then(() => {
      if (!socket.writable) return void socket.destroy();
      socket.end(lastMessage);
      socket.resume();
      const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
      socket.once('close', () => clearTimeout(timer));
    });
  }
}
