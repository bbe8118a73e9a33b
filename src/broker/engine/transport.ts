import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';

export interface TransportEvents {
  data(chunk: Buffer): void;
  /** Everything written so far was sent. */
  drain(): void;
  /** Called once, whichever side closed it. */
  close(reason: 'closed' | 'socket-error'): void;
}

/** One client's byte stream: TCP, or the messages of a WebSocket. */
export interface Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** Bytes written that the system has not taken yet. */
  readonly unsentBytes: number;
  listen(events: TransportEvents): void;
  /** Raises the message size limit once the client is accepted. */
  allowLargePackets(): void;
  write(bytes: Buffer): void;
  pause(): void;
  resume(): void;
  /** Closes once everything is sent, after at most a second. */
  end(): void;
  destroy(): void;
}

const lingerMs = 1000;
/** Idle time before TCP keep-alive probes. */
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
    // Read now: a closed socket no longer has its remote address.
    this.ipAddress = peer.remoteAddress;
    this.port = peer.remotePort;
    peer.setNoDelay(true);
    // Clients without an MQTT keepalive would otherwise stay forever when their machine is gone.
    peer.setKeepAlive(true, tcpKeepAliveMs);
  }

  abstract get unsentBytes(): number;
  abstract allowLargePackets(): void;
  abstract destroy(): void;
  protected abstract read(data: (chunk: Buffer) => void): void;
  protected abstract send(bytes: Buffer, sent: () => void): void;
  /** Closes the sending side. */
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

  // Not the socket's `drain` event: it is not emitted below the high-water mark.
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
    // Unread input would turn the close into a reset, which can lose the last packet.
    this.socket.resume();
    this.finish();
    this.linger();
  }

  /** Destroys the socket when the other side does not close it in time. */
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
    // TCP has no message size limit.
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

  /** Messages are limited by the server's `maxPayload`, and after `allowLargePackets` by `maxMessageBytes`. */
  constructor(socket: WebSocket, peer: Socket, maxMessageBytes: () => number) {
    super(socket, peer);
    this.#maxMessageBytes = maxMessageBytes;
  }

  get unsentBytes(): number {
    return this.socket.bufferedAmount;
  }

  allowLargePackets(): void {
    // ws reads its limit once, at the upgrade, and has no public way to raise it.
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
      // MQTT requires binary messages (6.0).
      socket.close(1003);
      this.linger();
    });
    // Pongs must not pile up for a client that does not read.
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
