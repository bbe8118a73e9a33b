import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { lowerQos, Message } from '../engine/message.ts';
import { hasWildcard, topicMatcher } from '../../domain/topics.ts';
import type { Delivery } from './message-queue.ts';

export interface RetainedState {
  readonly message: Message;
  readonly node: NodeName;
}

interface Stored extends RetainedState {
  readonly order: number;
  readonly position: number;
}

export interface RetainedCursor {
  /** Checks one more topic: `no-match` when it does not match, `undefined` at the end. */
  next(): Message | 'no-match' | undefined;
  /** Returns the message of a topic out of order; `undefined` when there is none left. */
  take(topic: string): Message | undefined;
}

export class RetainedStore {
  readonly #byTopic = new Map<string, Stored>();
  readonly #byNode = new Map<NodeName, number>();
  #lastOrder = 0;
  #lastPosition = 0;

  get size(): number {
    return this.#byTopic.size;
  }

  /** The node's counter `messages.retained`. */
  countFrom(node: NodeName): number {
    return this.#byNode.get(node) ?? 0;
  }

  export(topic: string): RetainedState | undefined {
    return this.#byTopic.get(topic);
  }

  /** Stores a message, or removes the stored one if the payload is empty. */
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
    const { topic, qos, publisher, publishedAtMs } = message;
    this.#lastOrder += 1;
    if (before === undefined) this.#lastPosition += 1;
    const position = before?.position ?? this.#lastPosition;
    this.#byTopic.set(topic, {
      order: this.#lastOrder,
      position,
      message: new Message({ topic, payload, qos, retain: true, publisher, publishedAtMs }),
      node,
    });
    this.#count(node, 1);
  }

  get(topic: string): Message | undefined {
    return this.#byTopic.get(topic)?.message;
  }

  /**
   * Yields messages in the order in which their topics were first retained; `undefined` for topics that do not match.
   */
  *list(filter: string | undefined): Generator<Message | undefined, void> {
    if (filter === undefined) for (const { message } of this.#byTopic.values()) yield message;
    else
      for (const stored of this.#walk(filter, this.#lastOrder))
        yield stored === 'no-match' ? undefined : stored.message;
  }

  match(filter: string): Message[] {
    return [...this.#walk(filter, this.#lastOrder)].flatMap((stored) =>
      stored === 'no-match' ? [] : [stored.message],
    );
  }

  /** Walks over messages without later ones: the subscription receives those when they are published. */
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
        if (step.value === 'no-match') return 'no-match';
        reached = step.value.position;
        return taken.delete(step.value.message.topic) ? 'no-match' : step.value.message;
      },
      take: (topic) => {
        const found = this.#byTopic.get(topic);
        if (
          found === undefined ||
          found.order > lastOrder ||
          found.position <= reached ||
          taken.has(topic) ||
          !matches(topic)
        )
          return undefined;
        taken.add(topic);
        return found.message;
      },
    };
  }

  *#walk(filter: string, lastOrder: number): Generator<Stored | 'no-match', void> {
    if (!hasWildcard(filter)) {
      const stored = this.#byTopic.get(filter);
      if (stored !== undefined && stored.order <= lastOrder) yield stored;
      return;
    }
    const matches = topicMatcher(filter);
    for (const [topic, stored] of this.#byTopic) {
      yield stored.order <= lastOrder && matches(topic) ? stored : 'no-match';
    }
  }

  #count(node: NodeName, change: 1 | -1): void {
    this.#byNode.set(node, this.countFrom(node) + change);
  }
}

interface Replay {
  readonly cursor: RetainedCursor;
  readonly qos: Qos;
}

const noDeliveries: readonly never[] = [];
/**
 * Limits the steps of an event loop iteration. A topic that does not match is one step, a message `stepsPerMessage`.
 */
const maxStepsPerTick = 2048;
const stepsPerMessage = 8;
export class RetainedReplays {
  readonly #byFilter = new Map<string, Replay>();
  readonly #resume: () => void;
  #budget = maxStepsPerTick;

  constructor(resume: () => void) {
    this.#resume = resume;
  }

  /** Begins a replay. A repeated subscription starts over. */
  set(filter: string, cursor: RetainedCursor, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { cursor, qos });
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

  /** Returns the next message; `undefined` at the end, and when the budget of this event loop iteration is used up. */
  next(): Delivery | undefined {
    for (const [filter, { cursor, qos }] of this.#byFilter) {
      while (this.#budget > 0) {
        const message = cursor.next();
        this.#spend(message === undefined || message === 'no-match' ? 1 : stepsPerMessage);
        if (message === undefined) break;
        if (message !== 'no-match') return deliveryOf(message, qos);
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
    const wasExhausted = this.#budget <= 0;
    this.#budget = maxStepsPerTick;
    if (wasExhausted) this.#resume();
  }

  take(topic: string): readonly Delivery[] {
    if (this.#byFilter.size === 0) return noDeliveries;
    const deliveries: Delivery[] = [];
    for (const { cursor, qos } of this.#byFilter.values()) {
      const message = cursor.take(topic);
      if (message !== undefined) deliveries.push(deliveryOf(message, qos));
    }
    return deliveries;
  }
}

function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
