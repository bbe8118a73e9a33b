import { performance } from 'node:perf_hooks';
import { Backpressure } from '../sessions/backpressure.ts';
import type { Outbox } from '../sessions/outbox.ts';
import { FrameReader, type HeaderCheck } from './codec.ts';
import type { CloseReason } from './hooks.ts';
import type { Transport } from './transport.ts';

/** Packets of one connection in one event loop iteration. More would fill subscribers' queues before their acknowledgements are read. */
const maxPacketsPerBatch = 32;
/** Time for the packets of one connection in one event loop iteration; the packet that exceeds it is the last. */
const maxBatchMs = 10;

/** What the reader needs from its connection. */
interface PacketHandler {
  /** Checks a fixed header. @throws ProtocolError */
  readonly checkHeader: HeaderCheck;
  /** Handles a packet; a promise holds back the next one. @throws ProtocolError */
  handle(frame: Buffer): void | Promise<void>;
  isClosed(): boolean;
  /** The client does not read the broker's packets; nothing more is read from it. */
  isOutputFull(): boolean;
  /** Total time for which slow subscribers may hold up this client. */
  maxBackpressureMs(): number;
  /** `handle` or `checkHeader` threw or rejected. */
  onError(error: unknown): void;
  /** The socket has closed and all its packets have been handled. */
  onEnd(reason: CloseReason): void;
}

/** Reads the packets of a connection in order and in small batches, with backpressure from receivers and from the client itself. */
export class PacketReader {
  readonly #transport: Transport;
  readonly #handler: PacketHandler;
  readonly #reader: FrameReader;
  /** A packet is being handled asynchronously; later ones are held back. */
  #isWaiting = false;
  /** It waits for a publish or the disk, not for a hook: later packets are handled even if the socket closes. */
  #mustFinish = false;
  /** The batch is full, or a subscriber has to catch up. */
  #isPaused = false;
  readonly #backpressure: Backpressure;
  /** Subscribers of the last message whose queues are filling up. */
  #slowReceivers: readonly Outbox[] = [];
  /** Why the socket closed while packets were held back. */
  #endReason: CloseReason | undefined;
  /** The client does not read; nothing is read from it until it does. */
  #isOutputFull = false;

  constructor(transport: Transport, owner: PacketHandler) {
    this.#transport = transport;
    this.#handler = owner;
    this.#reader = new FrameReader(owner.checkHeader);
    this.#backpressure = new Backpressure(() => owner.maxBackpressureMs());
  }

  /** Bytes received and not handled yet. */
  get waitingBytes(): number {
    return this.#reader.waitingBytes;
  }

  /** Whether the broker has stopped reading from this client. */
  get isBlocked(): boolean {
    return this.#isWaiting || this.#isPaused;
  }

  /** The beginning of the next packet, as far as it was received. */
  peek(): Buffer {
    return this.#reader.peek();
  }

  /** Handles the complete packets, up to one that has to wait. */
  receive(chunk: Buffer): void {
    this.#reader.append(chunk);
    this.#readBatch();
  }

  /** Holds back the next packet until these receivers have caught up or the time for that is used up. */
  applyBackpressure(outboxes: readonly Outbox[]): void {
    this.#slowReceivers = outboxes.length > 0 && this.#backpressure.hasTimeLeft ? outboxes : [];
  }

  /** Later packets are handled even if the socket closes while the present one waits. */
  finishBeforeClose(): void {
    this.#mustFinish = true;
  }

  /** Everything written was sent. */
  outputDrained(): void {
    this.#isOutputFull = false;
    this.#resumeSocket();
  }

  /** The socket closed; packets received before may still be handled. */
  socketEnded(reason: CloseReason): void {
    if (this.#isPaused || this.#mustFinish) this.#endReason = reason;
    else this.#handler.onEnd(reason);
  }

  #readBatch(): void {
    const owner = this.#handler;
    try {
      const endMs = performance.now() + maxBatchMs;
      for (let left = maxPacketsPerBatch; !owner.isClosed() && !this.#isWaiting && !this.#isPaused; left -= 1) {
        if (left === 0 || this.#slowReceivers.length > 0 || performance.now() > endMs) {
          this.#endBatch();
          break;
        }
        const frame = this.#reader.next();
        if (frame === undefined) break;
        const pending = owner.handle(frame);
        if (pending !== undefined) this.#waitFor(pending);
      }
    } catch (error) {
      owner.onError(error);
    }
    if (!owner.isClosed() && !this.#isOutputFull && owner.isOutputFull()) {
      this.#isOutputFull = true;
      this.#transport.pause();
    }
  }

  #endBatch(): void {
    const receivers = this.#slowReceivers;
    this.#slowReceivers = [];
    this.#isPaused = true;
    this.#transport.pause();
    this.#backpressure.waitFor(receivers, () => void setImmediate(() => {
      this.#isPaused = false;
      this.#continue();
    }));
  }

  #waitFor(pending: Promise<void>): void {
    this.#isWaiting = true;
    this.#transport.pause();
    void pending
      .catch((error: unknown) => this.#handler.onError(error))
      .then(() => {
        this.#isWaiting = false;
        this.#mustFinish = false;
        this.#continue();
      });
  }

  /** Continues after a pause. */
  #continue(): void {
    if (this.#handler.isClosed()) return;
    this.#readBatch();
    if (this.#endReason !== undefined && !this.#isWaiting && !this.#isPaused) this.#handler.onEnd(this.#endReason);
    this.#resumeSocket();
  }

  #resumeSocket(): void {
    if (!this.#handler.isClosed() && !this.#isWaiting && !this.#isPaused && !this.#isOutputFull) this.#transport.resume();
  }
}
