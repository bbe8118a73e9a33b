import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that one connection may have unanswered. */
const maxPipelined = 16;
/** Time for the caller to close after us. A close with unread input is a reset, which can lose the last answer. */
const lingerMs = 1000;

/** The bytes of a request are no HTTP, are too many, or did not come in time. */
export class BrokenRequestError extends Error {
  readonly status: number;

  constructor(status: number, options?: ErrorOptions) {
    super(STATUS_CODES[status], options);
    this.name = 'BrokenRequestError';
    this.status = status;
  }
}

/** Statuses other than 400 by the parser's error codes. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * The requests of one connection, carried out one after the other. A request that could not be
 * answered any more is not carried out, and the connection is not closed before the others are answered.
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

  /** Aborted with a `BrokenRequestError` when the rest of the newest request will not come. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Carries out a request when those before it have been answered. A caller that sends too many gets those answered, then the close. */
  add(request: IncomingMessage, response: ServerResponse, carryOut: () => Promise<void>): void {
    if (this.#isClosing) return;
    if (this.#unanswered === maxPipelined) return this.close();
    this.#newest = request;
    this.#unanswered += 1;
    const answered = new Promise<void>((resolve) => { response.once('close', resolve); });
    this.#lastAnswer = this.#lastAnswer.then(async () => {
      // An answer before may have closed the connection.
      if (this.#socket.writable) {
        await carryOut();
        await answered;
      }
      this.#unanswered -= 1;
    });
  }

  /** What came is no request, or no whole one. */
  break(cause: Error): void {
    const code = 'code' in cause ? String(cause.code) : '';
    const status = statuses[code] ?? 400;
    // The request that it belongs to gets the status as its answer.
    const isNew = this.#newest?.complete !== false;
    this.#broken.abort(new BrokenRequestError(status, { cause }));
    this.close(isNew ? `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n` : '');
  }

  /** Reads no further, and closes when everything before is answered. */
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
