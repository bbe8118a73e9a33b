import type { NodeName } from '../domain/node.ts';
import { Message } from './message.ts';
import { hasWildcard, topicMatcher } from './topics.ts';

/** A retained message and the node that it came in through. */
export interface RetainedState {
  readonly message: Message;
  readonly node: NodeName;
}

interface Stored extends RetainedState {
  /** Rises with every message that is stored. */
  readonly order: number;
}

/** The retained messages of the cluster, one a topic. */
export class RetainedStore {
  readonly #byTopic = new Map<string, Stored>();
  readonly #byNode = new Map<NodeName, number>();
  #lastOrder = 0;

  get size(): number {
    return this.#byTopic.size;
  }

  /**
   * How many of the messages now stored came in through this node; over all nodes they add up to
   * `size`. It is the node's counter `messages/retained`.
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
    this.#byTopic.set(topic, { order: this.#lastOrder, message: new Message({ topic, payload, qos, retain: true, publisher }), node });
    this.#count(node, 1);
  }

  /** The retained messages that a new subscription to this filter gets. */
  match(filter: string): Message[] {
    return [...this.walk(filter)];
  }

  /**
   * The same, one by one as they are asked for. A message that is stored meanwhile is left out: the
   * subscription got it when it was published.
   */
  walk(filter: string): Iterable<Message> {
    return this.#walk(filter, this.#lastOrder);
  }

  *#walk(filter: string, lastOrder: number): Generator<Message, void> {
    if (!hasWildcard(filter)) {
      const stored = this.#byTopic.get(filter);
      if (stored !== undefined && stored.order <= lastOrder) yield stored.message;
      return;
    }
    const matches = topicMatcher(filter);
    for (const [topic, { message, order }] of this.#byTopic) {
      if (order <= lastOrder && matches(topic)) yield message;
    }
  }

  #count(node: NodeName, change: 1 | -1): void {
    this.#byNode.set(node, this.countFrom(node) + change);
  }
}
