import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { Fifo } from '../sessions/message-queue.ts';
import type { Recorder } from '../sessions/recorder.ts';

export interface TransportEvents {
  data(chunk: Buffer): void;
  drain(): void;
  /** Called once, whichever side closed it. */
  close(reason: 'closed' | 'socket-error'): void;
}

export interface Transport {
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** Bytes that the system has not accepted yet. */
  readonly unsentBytes: number;
  listen(events: TransportEvents): void;
  allowLargePackets(): void;
  write(bytes: Buffer): void;
  pause(): void;
  resume(): void;
  /** Closes once everything is sent, after at most a second. */
  end(): void;
  destroy(): void;
}

const lingerMs = 1000;
const tcpKeepAliveMs = 60_000;
const maxUnsentPongBytes = 16 * 1024;

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
    // Otherwise clients without an MQTT keepalive would stay forever after their machine is gone.
    peer.setKeepAlive(true, tcpKeepAliveMs);
  }

  abstract get unsentBytes(): number;
  abstract allowLargePackets(): void;
  abstract destroy(): void;
  protected abstract read(data: (chunk: Buffer) => void): void;
  protected abstract send(bytes: Buffer, sent: () => void): void;
  protected abstract finish(): void;

  listen(events: TransportEvents): void {
    this.#events = events;
    let reason: 'closed' | 'socket-error' = 'closed';
    this.read((chunk) => events.data(chunk));
    this.socket.on('error', () => {
      reason = 'socket-error';
    });
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

  allowLargePackets(): void {}

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

  /** @param maxMessageBytes applies after `allowLargePackets`; before it, the server's `maxPayload` does */
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
    if (typeof receiver === 'object' && receiver !== null)
      Reflect.set(receiver, '_maxPayload', this.#maxMessageBytes());
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

interface HeldPacket {
  readonly packet: Buffer;
  readonly position: number;
}

interface SendBufferEvents {
  drained(): void;
  writeFailed(): void;
}

/**
 * Writes the packets of one event loop iteration together. Acknowledgements, and all later packets, wait for the disk.
 */
export class SendBuffer {
  readonly #transport: Transport;
  readonly #recorder: Recorder | undefined;
  readonly #events: SendBufferEvents;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;
  readonly #held = new Fifo<HeldPacket>();
  #heldBytes = 0;
  #holdPosition = 0;
  #isWaiting = false;

  constructor(transport: Transport, recorder: Recorder | undefined, events: SendBufferEvents) {
    this.#transport = transport;
    this.#recorder = recorder;
    this.#events = events;
  }

  holdUntilSynced(position: number): void {
    this.#holdPosition = Math.max(this.#holdPosition, position);
  }

  write(packet: Buffer): void {
    if (this.#recorder !== undefined && (this.#held.length > 0 || this.#holdPosition > this.#recorder.syncedPosition)) {
      this.#held.push({ packet, position: this.#holdPosition });
      this.#heldBytes += packet.length;
      this.#waitForDisk(this.#recorder);
      return;
    }
    this.#append(packet);
  }

  discardHeld(): void {
    while (this.#held.shift() !== undefined);
    this.#heldBytes = 0;
  }

  exceeds(maxBytes: number): boolean {
    if (this.#heldBytes + this.#pendingBytes + this.#transport.unsentBytes <= maxBytes) return false;
    this.flush();
    return this.#heldBytes + this.#transport.unsentBytes > maxBytes;
  }

  flush(): void {
    const [first] = this.#pending;
    if (first !== undefined) {
      this.#transport.write(this.#pending.length === 1 ? first : Buffer.concat(this.#pending, this.#pendingBytes));
      this.#pending = [];
      this.#pendingBytes = 0;
    }
  }

  flushScheduled(): void {
    this.#scheduled = false;
    this.flush();
  }

  #append(packet: Buffer): void {
    this.#pending.push(packet);
    this.#pendingBytes += packet.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  #waitForDisk(recorder: Recorder): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    recorder.afterSync(() => {
      this.#isWaiting = false;
      this.#release(recorder);
    });
  }

  #release(recorder: Recorder): void {
    const before = this.#held.length;
    for (
      let first = this.#held.peek();
      first !== undefined && first.position <= recorder.syncedPosition;
      first = this.#held.peek()
    ) {
      this.#held.shift();
      this.#heldBytes -= first.packet.length;
      this.#append(first.packet);
    }
    if (this.#held.length > 0 && recorder.failure !== undefined) return this.#events.writeFailed();
    if (this.#held.length > 0) this.#waitForDisk(recorder);
    if (this.#held.length < before) this.#events.drained();
  }
}

function flush(buffer: SendBuffer): void {
  buffer.flushScheduled();
}
