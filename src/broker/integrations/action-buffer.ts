import { setTimeout as wait } from 'node:timers/promises';
import type { IntegrationCounters } from '../../domain/integrations.ts';
import type { HttpSender } from '../plugins/http-sender.ts';
import { Fifo } from '../sessions/message-queue.ts';

export const defaultTtlMs = 45_000;
export const defaultBufferBytes = 1024 * 1024;

const inflightWindow = 8;
const retryMs = 250;

interface Waiting {
  readonly text: string;
  readonly expiresMs: number;
}

export interface ActionBufferOptions {
  readonly url: URL;
  readonly requestTtlMs: number;
  readonly maxBufferBytes: number;
  readonly sender: HttpSender;
  /** Whether sending makes sense now. */
  readonly isConnected: () => boolean;
}

/**
 * Sends the messages of an action on one node, in their order, with a limited number of them unanswered. What the
 * service refuses has failed; what it does not take in time has expired.
 */
export class ActionBuffer {
  readonly #options: ActionBufferOptions;
  readonly #waiting = new Fifo<Waiting>();
  readonly #lost = { failed: 0, expired: 0, 'queue-full': 0, stopped: 0, 'not-found': 0, other: 0 };
  #waitingBytes = 0;
  #inflight = 0;
  #matched = 0;
  #succeeded = 0;
  #retried = 0;
  #isClosed = false;

  constructor(options: ActionBufferOptions) {
    this.#options = options;
  }

  push(text: string): void {
    this.#matched += 1;
    this.#waiting.push({ text, expiresMs: performance.now() + this.#options.requestTtlMs });
    this.#waitingBytes += text.length;
    while (this.#waitingBytes > this.#options.maxBufferBytes) {
      this.#shift();
      this.#lost['queue-full'] += 1;
    }
    this.pump();
  }

  /** Drops what has waited for too long, and sends what it can. */
  pump(): void {
    const nowMs = performance.now();
    for (let next = this.#waiting.peek(); next !== undefined && next.expiresMs <= nowMs; next = this.#waiting.peek()) {
      this.#shift();
      this.#lost.expired += 1;
    }
    while (!this.#isClosed && this.#inflight < inflightWindow && this.#options.isConnected()) {
      const next = this.#shift();
      if (next === undefined) return;
      void this.#send(next);
    }
  }

  counters(): IntegrationCounters {
    return {
      matched: this.#matched,
      succeeded: this.#succeeded,
      retried: this.#retried,
      queued: this.#waiting.length,
      inflight: this.#inflight,
      lost: { ...this.#lost },
    };
  }

  close(): void {
    this.#isClosed = true;
  }

  #shift(): Waiting | undefined {
    const item = this.#waiting.shift();
    this.#waitingBytes -= item?.text.length ?? 0;
    return item;
  }

  async #send({ text, expiresMs }: Waiting): Promise<void> {
    const { sender, url } = this.#options;
    this.#inflight += 1;
    for (let attempt = 0; !this.#isClosed; attempt += 1) {
      if (performance.now() >= expiresMs) {
        this.#lost.expired += 1;
        break;
      }
      if (attempt > 0) this.#retried += 1;
      const status = await sender
        .send({ url, method: 'POST', body: { type: 'application/json', text } })
        .catch(() => undefined);
      if (status !== undefined && status >= 200 && status < 300) {
        this.#succeeded += 1;
        break;
      }
      // Sent again, the same request would be refused again.
      if (status !== undefined && status < 500 && status !== 429) {
        this.#lost.failed += 1;
        break;
      }
      await wait(retryMs, undefined, { ref: false });
    }
    this.#inflight -= 1;
    this.pump();
  }
}
