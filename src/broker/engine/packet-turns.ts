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
const maxPacketsPerTurn = 32;
/** Longest time for the packets of one connection in one turn; the one that exceeds it is the last. */
const maxTurnMs = 10;

/** The connection that the packets are read for. */
interface PacketOwner {
  /** Judges a fixed header; throws `ProtocolError`. */
  readonly checkHeader: HeaderCheck;
  /** Handles a packet; a promise holds back the next one. Throws `ProtocolError`. */
  handle(frame: Buffer): void | Promise<void>;
  /** The connection is closed: nothing more is handled. */
  isOver(): boolean;
  /** The client leaves so much of our answers lying that it is not to be read on. */
  isChoked(): boolean;
  /** For how long slow subscribers may hold up the client in all. */
  patienceMs(): number;
  /** `handle` or `checkHeader` threw, or its promise was rejected. */
  fail(error: unknown): void;
  /** The socket ended before, and now all that came from it has been handled. */
  ended(reason: CloseReason): void;
}

/** Reads the packets of a connection in turns: one after the other, few at a time, and no faster than receivers and answers allow. */
export class PacketTurns {
  readonly #transport: Transport;
  readonly #owner: PacketOwner;
  readonly #reader: FrameReader;
  /** A hook is being waited for; packets behind it are held back. */
  #isWaiting = false;
  /** What is being waited for is a message that takes long, or the disk, and not a hook. */
  #isPublishing = false;
  /** Enough was handled in this turn, or a subscriber has to catch up first. */
  #isTurnOver = false;
  readonly #backpressure: Backpressure;
  /** The subscribers that the last message was almost too much for. */
  #strained: readonly Outbox[] = [];
  /** Why the socket ended while packets of it were held back. */
  #endReason: CloseReason | undefined;
  /** The client does not take our answers; it is not read until it does. */
  #isChoked = false;

  constructor(transport: Transport, owner: PacketOwner) {
    this.#transport = transport;
    this.#owner = owner;
    this.#reader = new FrameReader(owner.checkHeader);
    this.#backpressure = new Backpressure(() => owner.patienceMs());
  }

  /** Bytes that came and were not handled yet. */
  get waitingBytes(): number {
    return this.#reader.waitingBytes;
  }

  /** It is we who do not read at the moment, whatever the client has sent. */
  get isHeldBack(): boolean {
    return this.#isWaiting || this.#isTurnOver;
  }

  /** What there is of the next packet. */
  peek(): Buffer {
    return this.#reader.peek();
  }

  /** Bytes came. Handles what is whole of them, up to a packet that has to wait for a hook or for the next turn. */
  receive(chunk: Buffer): void {
    this.#reader.append(chunk);
    this.#readOn();
  }

  /** Before the next packet these receivers have to catch up, unless they have held up the client for too long already. */
  strain(outboxes: readonly Outbox[]): void {
    this.#strained = outboxes.length > 0 && this.#backpressure.hasPatience ? outboxes : [];
  }

  /** The message that is being handled takes long, or waits for the disk: what came behind it is handled even when the socket ends meanwhile. */
  publishing(): void {
    this.#isPublishing = true;
  }

  /** The client has taken all that was written. */
  drained(): void {
    this.#isChoked = false;
    this.#resume();
  }

  /** The socket is closed. Packets that came before are handled all the same. */
  socketEnded(reason: CloseReason): void {
    if (this.#isTurnOver || this.#isPublishing) this.#endReason = reason;
    else this.#owner.ended(reason);
  }

  #readOn(): void {
    const owner = this.#owner;
    try {
      const endMs = performance.now() + maxTurnMs;
      for (let left = maxPacketsPerTurn; !owner.isOver() && !this.#isWaiting && !this.#isTurnOver; left -= 1) {
        if (left === 0 || this.#strained.length > 0 || performance.now() > endMs) {
          this.#endTurn();
          break;
        }
        const frame = this.#reader.next();
        if (frame === undefined) break;
        const pending = owner.handle(frame);
        if (pending !== undefined) this.#waitFor(pending);
      }
    } catch (error) {
      owner.fail(error);
    }
    if (!owner.isOver() && !this.#isChoked && owner.isChoked()) {
      this.#isChoked = true;
      this.#transport.pause();
    }
  }

  #endTurn(): void {
    const strained = this.#strained;
    this.#strained = [];
    this.#isTurnOver = true;
    this.#transport.pause();
    this.#backpressure.hold(strained, () => void setImmediate(() => {
      this.#isTurnOver = false;
      this.#goOn();
    }));
  }

  #waitFor(pending: Promise<void>): void {
    this.#isWaiting = true;
    this.#transport.pause();
    void pending
      .catch((error: unknown) => this.#owner.fail(error))
      .then(() => {
        this.#isWaiting = false;
        this.#isPublishing = false;
        this.#goOn();
      });
  }

  /** What held packets back is over. */
  #goOn(): void {
    if (this.#owner.isOver()) return;
    this.#readOn();
    if (this.#endReason !== undefined && !this.#isWaiting && !this.#isTurnOver) this.#owner.ended(this.#endReason);
    this.#resume();
  }

  #resume(): void {
    if (!this.#owner.isOver() && !this.#isWaiting && !this.#isTurnOver && !this.#isChoked) this.#transport.resume();
  }
}
