import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { lowerQos, Message } from '../engine/message.ts';
import { hasWildcard, topicMatcher } from '../engine/topics.ts';
import type { Delivery } from './message-queue.ts';

/** A retained message and the node that it came in through. */
export interface RetainedState {
  readonly message: Message;
  readonly node: NodeName;
}

interface Stored extends RetainedState {
  /** Rises with every message that is stored. */
  readonly order: number;
  /** Rises with every topic that comes anew: the place in which a walk meets it. */
  readonly place: number;
}

/** The retained messages of a filter, one by one as they are asked for. */
export interface RetainedCursor {
  /** Looks at one more topic: `passed` when it gives nothing, `undefined` at the end. */
  next(): Message | 'passed' | undefined;
  /** The message of a topic out of its turn; `undefined` when there is none, or it was given out before. */
  take(topic: string): Message | undefined;
}

/** The retained messages of the cluster, one a topic. */
export class RetainedStore {
  readonly #byTopic = new Map<string, Stored>();
  readonly #byNode = new Map<NodeName, number>();
  #lastOrder = 0;
  #lastPlace = 0;

  get size(): number {
    return this.#byTopic.size;
  }

  /**
   * How many of the messages now stored came in through this node; over all nodes they add up to
   * `size`. It is the node's counter `messages.retained`.
   */
  countFrom(node: NodeName): number {
    return this.#byNode.get(node) ?? 0;
  }

  /** What is retained for a topic, to be kept and stored again after a restart. */
  export(topic: string): RetainedState | undefined {
    return this.#byTopic.get(topic);
  }

  /** Keeps the message as the last of its topic; one with an empty payload clears the topic. */
  store(message: Message, node: NodeName): void {
    const before = this.#byTopic.get(message.topic);
    if (before !== undefined) this.#count(before.node, -1);
    if (message.payload.length === 0) {
      this.#byTopic.delete(message.topic);
      return;
    }
    // A small payload is a slice of a shared buffer, which a message that stays for days must not hold.
    const payload = Buffer.allocUnsafeSlow(message.payload.length);
    message.payload.copy(payload);
    const { topic, qos, publisher } = message;
    this.#lastOrder += 1;
    if (before === undefined) this.#lastPlace += 1;
    const place = before?.place ?? this.#lastPlace;
    this.#byTopic.set(topic, { order: this.#lastOrder, place, message: new Message({ topic, payload, qos, retain: true, publisher }), node });
    this.#count(node, 1);
  }

  /** The retained messages that a new subscription to this filter gets. */
  match(filter: string): Message[] {
    return [...this.#walk(filter, this.#lastOrder)].flatMap((stored) => (stored === 'passed' ? [] : [stored.message]));
  }

  /**
   * The same, one by one as they are asked for. A message that is stored meanwhile is left out: the
   * subscription got it when it was published.
   */
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
export const nothing: readonly never[] = [];
/** Steps in one turn of the event loop: a topic that does not match is one, a message to be sent counts more. */
export const maxStepsPerTick = 2048;
export const stepsPerMessage = 8;
/** Retained messages that new subscriptions of one client still have to get, one filter after the other. */
export class RetainedReplays {
  readonly #byFilter = new Map<string, Replay>();
  /** Called when there may be more after `next` had to stop. */
  readonly #resume: () => void;
  #budget = maxStepsPerTick;

  constructor(goOn: () => void) {
    this.#resume = goOn;
  }

  /** A repeated subscription begins anew. */
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

  /** `undefined` at the end, and when enough was done in this turn. */
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

export function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
