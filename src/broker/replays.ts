import type { Qos } from '../domain/subscription.ts';
import { lowerQos, type Message } from './message.ts';
import type { Delivery } from './waiting-messages.ts';

interface Replay {
  readonly messages: Iterator<Message>;
  readonly qos: Qos;
}

/** Retained messages that new subscriptions of one client still have to get, one filter after the other. */
export class Replays {
  readonly #byFilter = new Map<string, Replay>();

  /** A repeated subscription begins anew. */
  set(filter: string, messages: Iterable<Message>, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { messages: messages[Symbol.iterator](), qos });
  }

  delete(filter: string): void {
    this.#byFilter.delete(filter);
  }

  next(): Delivery | undefined {
    for (const [filter, { messages, qos }] of this.#byFilter) {
      const { done, value: message } = messages.next();
      if (done !== true) return { message, qos: lowerQos(message.qos, qos), retain: true };
      this.#byFilter.delete(filter);
    }
    return undefined;
  }
}
