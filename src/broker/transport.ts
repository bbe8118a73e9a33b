import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';

/** What a connection wants to hear from its transport. */
export interface TransportEvents {
  data(chunk: Buffer): void;
  /** Everything written so far is out. */
  drain(): void;
  /** Once, whoever closed it. */
  close(reason: 'closed' | 'socket-error'): void;
}

/** One client's byte stream: TCP, or the messages of a WebSocket. */
export interface Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** Bytes handed over and not yet taken by the system. */
  readonly unsentBytes: number;
  listen(events: TransportEvents): void;
  /** The client was let in: from now on it may send large packets. */
  admit(): void;
  write(bytes: Buffer): void;
  pause(): void;
  resume(): void;
  /** Closes when what was written is out, at the latest after a second. */
  end(): void;
  destroy(): void;
}

const lingerMs = 1000;
const maxUnsentPongBytes = 16 * 1024;

export class TcpTransport implements Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  readonly #socket: Socket;
  #events: TransportEvents | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Read now: a closed socket has forgotten its peer.
    this.ipAddress = socket.remoteAddress;
    this.port = socket.remotePort;
    socket.setNoDelay(true);
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  listen(events: TransportEvents): void {
    this.#events = events;
    const socket = this.#socket;
    let reason: 'closed' | 'socket-error' = 'closed';
    socket.on('data', (chunk: Buffer) => events.data(chunk));
    socket.on('error', () => { reason = 'socket-error'; });
    socket.on('close', () => events.close(reason));
  }

  admit(): void {
    // Bytes are handed on as they come; nothing is held back here.
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes, this.#written);
  }

  // Not the socket's own `drain`: that one keeps silent below its high-water mark.
  readonly #written = (): void => {
    if (this.#socket.writableLength === 0) this.#events?.drain();
  };

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    const socket = this.#socket;
    // Unread input would turn the close into a reset, which can eat the last answer.
    socket.resume();
    socket.end();
    lingerUntil(() => socket.destroy(), (closed) => socket.once('close', closed));
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export class WebSocketTransport implements Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  readonly #socket: WebSocket;
  #events: TransportEvents | undefined;

  readonly #maxMessageBytes: () => number;

  /** The server holds back messages until they are whole, at most as large as its `maxPayload`, and after `admit` this many bytes. */
  constructor(socket: WebSocket, peer: Socket, maxMessageBytes: () => number) {
    this.#socket = socket;
    this.#maxMessageBytes = maxMessageBytes;
    this.ipAddress = peer.remoteAddress;
    this.port = peer.remotePort;
    peer.setNoDelay(true);
  }

  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  listen(events: TransportEvents): void {
    this.#events = events;
    const socket = this.#socket;
    let reason: 'closed' | 'socket-error' = 'closed';
    socket.on('message', (data: RawData, isBinary: boolean) => {
      // MQTT travels in binary messages alone (6.0).
      if (isBinary) events.data(toBuffer(data));
      else socket.close(1003);
    });
    // Answers to who sends pings and does not read must not pile up.
    socket.on('ping', (data: Buffer) => {
      if (socket.bufferedAmount < maxUnsentPongBytes) socket.pong(data);
    });
    socket.on('error', () => { reason = 'socket-error'; });
    socket.on('close', () => events.close(reason));
  }

  admit(): void {
    // The library takes its bound once, at the upgrade, and has no public way to raise it later.
    const receiver: unknown = Reflect.get(this.#socket, '_receiver');
    if (typeof receiver === 'object' && receiver !== null) Reflect.set(receiver, '_maxPayload', this.#maxMessageBytes());
  }

  write(bytes: Buffer): void {
    this.#socket.send(bytes, this.#sent);
  }

  readonly #sent = (): void => {
    if (this.#socket.bufferedAmount === 0) this.#events?.drain();
  };

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    const socket = this.#socket;
    socket.resume();
    socket.close(1000);
    lingerUntil(() => socket.terminate(), (closed) => socket.once('close', closed));
  }

  destroy(): void {
    this.#socket.terminate();
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function lingerUntil(destroy: () => void, onClosed: (closed: () => void) => void): void {
  const timer = setTimeout(destroy, lingerMs);
  timer.unref();
  onClosed(() => clearTimeout(timer));
}
