import { performance } from 'node:perf_hooks';
import { Backpressure } from '../sessions/backpressure.ts';
import type { Outbox } from '../sessions/outbox.ts';
import { FrameReader, type HeaderCheck } from './codec.ts';
import type { CloseReason } from './hooks.ts';
import type { Transport } from './transport.ts';

/** More packets per event loop iteration would fill subscribers' queues before their acknowledgements are read. */
const maxPacketsPerBatch = 32;
/** A batch may take so long. The packet that exceeds it is the last one. */
const maxBatchMs = 10;

interface PacketHandler {
  readonly checkHeader: HeaderCheck;
  /** Handles a packet; a promise holds back the next one. @throws ProtocolError */
  handle(frame: Buffer): void | Promise<void>;
  isClosed(): boolean;
  isOutputFull(): boolean;
  maxBackpressureMs(): number;
  onError(error: unknown): void;
  onEnd(reason: CloseReason): void;
}

export class PacketReader {
  readonly #transport: Transport;
  readonly #handler: PacketHandler;
  readonly #reader: FrameReader;
  #isWaiting = false;
  /** A publish or the disk is pending, not a hook: later packets are handled even if the socket closes. */
  #mustFinish = false;
  #isPaused = false;
  readonly #backpressure: Backpressure;
  #slowReceivers: readonly Outbox[] = [];
  #endReason: CloseReason | undefined;
  #isOutputFull = false;

  constructor(transport: Transport, handler: PacketHandler) {
    this.#transport = transport;
    this.#handler = handler;
    this.#reader = new FrameReader(handler.checkHeader);
    this.#backpressure = new Backpressure(() => handler.maxBackpressureMs());
  }

  get waitingBytes(): number {
    return this.#reader.waitingBytes;
  }

  get isBlocked(): boolean {
    return this.#isWaiting || this.#isPaused;
  }

  peek(): Buffer {
    return this.#reader.peek();
  }

  receive(chunk: Buffer): void {
    this.#reader.append(chunk);
    this.#readBatch();
  }

  applyBackpressure(outboxes: readonly Outbox[]): void {
    this.#slowReceivers = outboxes.length > 0 && this.#backpressure.hasTimeLeft ? outboxes : [];
  }

  finishBeforeClose(): void {
    this.#mustFinish = true;
  }

  outputDrained(): void {
    this.#isOutputFull = false;
    this.#resumeSocket();
  }

  socketEnded(reason: CloseReason): void {
    if (this.#isPaused || this.#mustFinish) this.#endReason = reason;
    else this.#handler.onEnd(reason);
  }

  #readBatch(): void {
    const handler = this.#handler;
    try {
      const endMs = performance.now() + maxBatchMs;
      for (let left = maxPacketsPerBatch; !handler.isClosed() && !this.#isWaiting && !this.#isPaused; left -= 1) {
        if (left === 0 || this.#slowReceivers.length > 0 || performance.now() > endMs) {
          this.#endBatch();
          break;
        }
        const frame = this.#reader.next();
        if (frame === undefined) break;
        const pending = handler.handle(frame);
        if (pending !== undefined) this.#waitFor(pending);
      }
    } catch (error) {
      handler.onError(error);
    }
    if (!handler.isClosed() && !this.#isOutputFull && handler.isOutputFull()) {
      this.#isOutputFull = true;
      this.#transport.pause();
    }
  }

  #endBatch(): void {
    const receivers = this.#slowReceivers;
    this.#slowReceivers = [];
    this.#isPaused = true;
    this.#transport.pause();
    this.#backpressure.waitFor(
      receivers,
      () =>
        void setImmediate(() => {
          this.#isPaused = false;
          this.#continue();
        }),
    );
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

  #continue(): void {
    if (this.#handler.isClosed()) return;
    this.#readBatch();
    if (this.#endReason !== undefined && !this.#isWaiting && !this.#isPaused) this.#handler.onEnd(this.#endReason);
    this.#resumeSocket();
  }

  #resumeSocket(): void {
    if (!this.#handler.isClosed() && !this.#isWaiting && !this.#isPaused && !this.#isOutputFull)
      this.#transport.resume();
  }
}
