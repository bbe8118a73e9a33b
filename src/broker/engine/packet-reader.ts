import { performance } from 'node:perf_hooks';
import { Backpressure } from '../sessions/backpressure.ts';
import type { Outbox } from '../sessions/outbox.ts';
import { FrameReader, type HeaderCheck } from './codec.ts';
import type { CloseReason } from './hooks.ts';
import type { Transport } from './transport.ts';

/**
 * Most packets of one connection in one turn of the event loop. More would fill the queues of its
 * subscribers before any of their acknowledgements were read.
 */
const maxPacketsPerBatch = 32;
/** Longest time for the packets of one connection in one turn; the one that exceeds it is the last. */
const maxBatchMs = 10;

/** The connection that the packets are read for. */
interface PacketHandler {
  /** Judges a fixed header; throws `ProtocolError`. */
  readonly checkHeader: HeaderCheck;
  /** Handles a packet; a promise holds back the next one. Throws `ProtocolError`. */
  handle(frame: Buffer): void | Promise<void>;
  /** The connection is closed: nothing more is handled. */
  isClosed(): boolean;
  /** The client leaves so much of our answers lying that it is not to be read on. */
  isOutputFull(): boolean;
  /** For how long slow subscribers may hold up the client in all. */
  maxBackpressureMs(): number;
  /** `handle` or `checkHeader` threw, or its promise was rejected. */
  onError(error: unknown): void;
  /** The socket ended before, and now all that came from it has been handled. */
  onEnd(reason: CloseReason): void;
}

/** Reads the packets of a connection in turns: one after the other, few at a time, and no faster than receivers and answers allow. */
export class PacketReader {
  readonly #transport: Transport;
  readonly #handler: PacketHandler;
  readonly #reader: FrameReader;
  /** A hook is being waited for; packets behind it are held back. */
  #isWaiting = false;
  /** What is being waited for is a message that takes long, or the disk, and not a hook. */
  #mustFinish = false;
  /** Enough was handled in this turn, or a subscriber has to catch up first. */
  #isPaused = false;
  readonly #backpressure: Backpressure;
  /** The subscribers that the last message was almost too much for. */
  #slowReceivers: readonly Outbox[] = [];
  /** Why the socket ended while packets of it were held back. */
  #endReason: CloseReason | undefined;
  /** The client does not take our answers; it is not read until it does. */
  #isOutputFull = false;

  constructor(transport: Transport, owner: PacketHandler) {
    this.#transport = transport;
    this.#handler = owner;
    this.#reader = new FrameReader(owner.checkHeader);
    this.#backpressure = new Backpressure(() => owner.maxBackpressureMs());
  }

  /** Bytes that came and were not handled yet. */
  get waitingBytes(): number {
    return this.#reader.waitingBytes;
  }

  /** It is we who do not read at the moment, whatever the client has sent. */
  get isBlocked(): boolean {
    return this.#isWaiting || this.#isPaused;
  }

  /** What there is of the next packet. */
  peek(): Buffer {
    return this.#reader.peek();
  }

  /** Bytes came. Handles what is whole of them, up to a packet that has to wait for a hook or for the next turn. */
  receive(chunk: Buffer): void {
    this.#reader.append(chunk);
    this.#readBatch();
  }

  /** Before the next packet these receivers have to catch up, unless they have held up the client for too long already. */
  applyBackpressure(outboxes: readonly Outbox[]): void {
    this.#slowReceivers = outboxes.length > 0 && this.#backpressure.hasTimeLeft ? outboxes : [];
  }

  /** The message that is being handled takes long, or waits for the disk: what came behind it is handled even when the socket ends meanwhile. */
  finishBeforeClose(): void {
    this.#mustFinish = true;
  }

  /** The client has taken all that was written. */
  outputDrained(): void {
    this.#isOutputFull = false;
    this.#resumeSocket();
  }

  /** The socket is closed. Packets that came before are handled all the same. */
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
    const strained = this.#slowReceivers;
    this.#slowReceivers = [];
    this.#isPaused = true;
    this.#transport.pause();
    this.#backpressure.waitFor(strained, () => void setImmediate(() => {
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

  /** What held packets back is over. */
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
