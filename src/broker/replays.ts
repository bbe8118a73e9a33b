import type { Qos } from '../domain/subscription.ts';
import { lowerQos, type Message } from './message.ts';
import type { RetainedWalk } from './retained.ts';
import type { Delivery } from './waiting-messages.ts';

interface Replay {
  readonly walk: RetainedWalk;
  readonly qos: Qos;
}

const nothing: readonly never[] = [];

/** Retained messages that new subscriptions of one client still have to get, one filter after the other. */
export class Replays {
  readonly #byFilter = new Map<string, Replay>();

  /** A repeated subscription begins anew. */
  set(filter: string, walk: RetainedWalk, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { walk, qos });
  }

  delete(filter: string): void {
    this.#byFilter.delete(filter);
  }

  next(): Delivery | undefined {
    for (const [filter, { walk, qos }] of this.#byFilter) {
      const message = walk.next();
      if (message !== undefined) return deliveryOf(message, qos);
      this.#byFilter.delete(filter);
    }
    return undefined;
  }

  /** What is still to be sent of one topic, because a newer message of it comes now. */
  take(topic: string): readonly Delivery[] {
    if (this.#byFilter.size === 0) return nothing;
    const deliveries: Delivery[] = [];
    for (const { walk, qos } of this.#byFilter.values()) {
      const message = walk.take(topic);
      if (message !== undefined) deliveries.push(deliveryOf(message, qos));
    }
    return deliveries;
  }
}

function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
