import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { lowerQos, Message } from '../engine/message.ts';
import { hasWildcard, topicMatcher } from '../engine/topics.ts';
import type { Delivery } from './message-queue.ts';

/** A retained message and the node that received it. */
export interface RetainedState {
  readonly message: Message;
  readonly node: NodeName;
}

interface Stored extends RetainedState {
  /** Increases with every stored message. */
  readonly order: number;
  /** Increases with every new topic: its position in iteration order. */
  readonly place: number;
}

/** Iterates over the retained messages of a filter. */
export interface RetainedCursor {
  /** Checks one more topic: `passed` when it does not match, `undefined` at the end. */
  next(): Message | 'passed' | undefined;
  /** Returns the message of a topic ahead of order; `undefined` when there is none left. */
  take(topic: string): Message | undefined;
}

/** The retained messages of the cluster, one per topic. */
export class RetainedStore {
  readonly #byTopic = new Map<string, Stored>();
  readonly #byNode = new Map<NodeName, number>();
  #lastOrder = 0;
  #lastPlace = 0;

  get size(): number {
    return this.#byTopic.size;
  }

  /** Number of stored messages that this node received: its counter `messages.retained`. */
  countFrom(node: NodeName): number {
    return this.#byNode.get(node) ?? 0;
  }

  /** The state to store for a topic, if any. */
  export(topic: string): RetainedState | undefined {
    return this.#byTopic.get(topic);
  }

  /** Stores the message of a topic; an empty payload removes it. */
  store(message: Message, node: NodeName): void {
    const before = this.#byTopic.get(message.topic);
    if (before !== undefined) this.#count(before.node, -1);
    if (message.payload.length === 0) {
      this.#byTopic.delete(message.topic);
      return;
    }
    // Copied: a slice would keep a shared buffer in memory.
    const payload = Buffer.allocUnsafeSlow(message.payload.length);
    message.payload.copy(payload);
    const { topic, qos, publisher } = message;
    this.#lastOrder += 1;
    if (before === undefined) this.#lastPlace += 1;
    const place = before?.place ?? this.#lastPlace;
    this.#byTopic.set(topic, { order: this.#lastOrder, place, message: new Message({ topic, payload, qos, retain: true, publisher }), node });
    this.#count(node, 1);
  }

  /** All retained messages that match the filter. */
  match(filter: string): Message[] {
    return [...this.#walk(filter, this.#lastOrder)].flatMap((stored) => (stored === 'passed' ? [] : [stored.message]));
  }

  /** Like `match`, one by one. Messages stored meanwhile are left out: the subscription receives them when they are published. */
  walk(filter: string): RetainedCursor {
    const lastOrder = this.#lastOrder;
    const stored = this.#walk(filter, lastOrder);
    const matches = topicMatcher(filter);
    const taken = new Set<string>();
    let reached = 0;
    return {
      next: () => {
        const step = stored.next();
        if (step.done === true) {
          reached = Infinity;
          return undefined;
        }
        if (step.value === 'passed') return 'passed';
        reached = step.value.place;
        return taken.delete(step.value.message.topic) ? 'passed' : step.value.message;
      },
      take: (topic) => {
        const found = this.#byTopic.get(topic);
        if (found === undefined || found.order > lastOrder || found.place <= reached || taken.has(topic) || !matches(topic)) return undefined;
        taken.add(topic);
        return found.message;
      },
    };
  }

  *#walk(filter: string, lastOrder: number): Generator<Stored | 'passed', void> {
    if (!hasWildcard(filter)) {
      const stored = this.#byTopic.get(filter);
      if (stored !== undefined && stored.order <= lastOrder) yield stored;
      return;
    }
    const matches = topicMatcher(filter);
    for (const [topic, stored] of this.#byTopic) {
      yield stored.order <= lastOrder && matches(topic) ? stored : 'passed';
    }
  }

  #count(node: NodeName, change: 1 | -1): void {
    this.#byNode.set(node, this.countFrom(node) + change);
  }
}

export interface Replay {
  readonly walk: RetainedCursor;
  readonly qos: Qos;
}
export const noDeliveries: readonly never[] = [];
/** Steps in one event loop iteration: 1 for a topic that does not match, more for a message to send. */
export const maxStepsPerTick = 2048;
export const stepsPerMessage = 8;
/** Retained messages still to be sent to new subscriptions of one client, one filter after the other. */
export class RetainedReplays {
  readonly #byFilter = new Map<string, Replay>();
  /** Called when `next` can continue after its budget was used up. */
  readonly #resume: () => void;
  #budget = maxStepsPerTick;

  constructor(goOn: () => void) {
    this.#resume = goOn;
  }

  /** Adds a filter; a repeated subscription starts over. */
  set(filter: string, walk: RetainedCursor, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { walk, qos });
  }

  get isEmpty(): boolean {
    return this.#byFilter.size === 0;
  }

  delete(filter: string): void {
    this.#byFilter.delete(filter);
  }

  clear(): void {
    this.#byFilter.clear();
  }

  /** The next message; `undefined` at the end, and when the budget of this event loop iteration is used up. */
  next(): Delivery | undefined {
    for (const [filter, { walk, qos }] of this.#byFilter) {
      while (this.#budget > 0) {
        const message = walk.next();
        this.#spend(message === undefined || message === 'passed' ? 1 : stepsPerMessage);
        if (message === undefined) break;
        if (message !== 'passed') return deliveryOf(message, qos);
      }
      if (this.#budget <= 0) return undefined;
      this.#byFilter.delete(filter);
    }
    return undefined;
  }

  #spend(steps: number): void {
    if (this.#budget === maxStepsPerTick) setImmediate(() => this.#resetBudget());
    this.#budget -= steps;
  }

  #resetBudget(): void {
    const hadToStop = this.#budget <= 0;
    this.#budget = maxStepsPerTick;
    if (hadToStop) this.#resume();
  }

  /** Takes the unsent retained messages of one topic, because a newer message is about to be sent. */
  take(topic: string): readonly Delivery[] {
    if (this.#byFilter.size === 0) return noDeliveries;
    const deliveries: Delivery[] = [];
    for (const { walk, qos } of this.#byFilter.values()) {
      const message = walk.take(topic);
      if (message !== undefined) deliveries.push(deliveryOf(message, qos));
    }
    return deliveries;
  }
}

export function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
