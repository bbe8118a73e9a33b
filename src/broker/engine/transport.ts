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
  allowLargePackets(): void;
  write(bytes: Buffer): void;
  pause(): void;
  resume(): void;
  /** Closes when what was written is out, at the latest after a second. */
  end(): void;
  destroy(): void;
}

const lingerMs = 1000;
/** Silence after which the system asks whether the other side is still there. */
const tcpKeepAliveMs = 60_000;
const maxUnsentPongBytes = 16 * 1024;

/** What a TCP socket and a WebSocket have in common. */
interface PausableSocket {
  pause(): unknown;
  resume(): unknown;
  on(event: 'error' | 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

abstract class SocketTransport<S extends PausableSocket> implements Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  protected readonly socket: S;
  #events: TransportEvents | undefined;

  constructor(socket: S, peer: Socket) {
    this.socket = socket;
    // Read now: a closed socket has forgotten its peer.
    this.ipAddress = peer.remoteAddress;
    this.port = peer.remotePort;
    peer.setNoDelay(true);
    // A client may ask for no keepalive of MQTT's own; one whose machine has vanished would stay for ever.
    peer.setKeepAlive(true, tcpKeepAliveMs);
  }

  abstract get unsentBytes(): number;
  abstract allowLargePackets(): void;
  abstract destroy(): void;
  protected abstract read(data: (chunk: Buffer) => void): void;
  protected abstract send(bytes: Buffer, sent: () => void): void;
  /** Says that nothing more comes. */
  protected abstract finish(): void;

  listen(events: TransportEvents): void {
    this.#events = events;
    let reason: 'closed' | 'socket-error' = 'closed';
    this.read((chunk) => events.data(chunk));
    this.socket.on('error', () => { reason = 'socket-error'; });
    this.socket.on('close', () => events.close(reason));
  }

  write(bytes: Buffer): void {
    this.send(bytes, this.#sent);
  }

  // Not the socket's own `drain`: that one keeps silent below its high-water mark.
  readonly #sent = (): void => {
    if (this.unsentBytes === 0) this.#events?.drain();
  };

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  end(): void {
    // Unread input would turn the close into a reset, which can eat the last answer.
    this.socket.resume();
    this.finish();
    this.linger();
  }

  /** Waits a little for the other side to close. */
  protected linger(): void {
    const timer = setTimeout(() => this.destroy(), lingerMs);
    timer.unref();
    this.socket.once('close', () => clearTimeout(timer));
  }
}

export class TcpTransport extends SocketTransport<Socket> {
  constructor(socket: Socket) {
    super(socket, socket);
  }

  get unsentBytes(): number {
    return this.socket.writableLength;
  }

  allowLargePackets(): void {
    // Bytes are handed on as they come; nothing is held back here.
  }

  destroy(): void {
    this.socket.destroy();
  }

  protected read(data: (chunk: Buffer) => void): void {
    this.socket.on('data', data);
  }

  protected send(bytes: Buffer, sent: () => void): void {
    this.socket.write(bytes, sent);
  }

  protected finish(): void {
    this.socket.end();
  }
}

export class WebSocketTransport extends SocketTransport<WebSocket> {
  readonly #maxMessageBytes: () => number;

  /** The server holds back messages until they are whole, at most as large as its `maxPayload`, and after `admit` this many bytes. */
  constructor(socket: WebSocket, peer: Socket, maxMessageBytes: () => number) {
    super(socket, peer);
    this.#maxMessageBytes = maxMessageBytes;
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount;
  }

  allowLargePackets(): void {
    // The library takes its bound once, at the upgrade, and has no public way to raise it later.
    const receiver: unknown = Reflect.get(this.socket, '_receiver');
    if (typeof receiver === 'object' && receiver !== null) Reflect.set(receiver, '_maxPayload', this.#maxMessageBytes());
  }

  destroy(): void {
    this.socket.terminate();
  }

  protected read(data: (chunk: Buffer) => void): void {
    const { socket } = this;
    socket.on('message', (message: RawData, isBinary: boolean) => {
      if (socket.readyState !== socket.OPEN) return;
      if (isBinary) return data(toBuffer(message));
      // MQTT travels in binary messages alone (6.0).
      socket.close(1003);
      this.linger();
    });
    // Answers to who sends pings and does not read must not pile up.
    socket.on('ping', (content: Buffer) => {
      if (socket.bufferedAmount < maxUnsentPongBytes) socket.pong(content);
    });
  }

  protected send(bytes: Buffer, sent: () => void): void {
    this.socket.send(bytes, sent);
  }

  protected finish(): void {
    this.socket.close(1000);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
