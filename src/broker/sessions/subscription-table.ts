import type { Qos, Route } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { hasWildcard } from '../engine/topics.ts';
import { FilterTrie, type TrieWalk } from './filter-trie.ts';

interface Subscriber {
  /** The present node of the session. */
  readonly nodeName: NodeName;
}

interface Entry<S> {
  readonly filter: string;
  readonly subscribers: Map<S, Qos>;
  /** Number of subscribers by node; each node is one route. */
  readonly nodes: Map<NodeName, number>;
}

/**
 * All subscriptions of the cluster, and the routes (§2.7). Filters without wildcards are looked up by name,
 * the others in a trie that holds each filter once.
 */
export class SubscriptionTable<S extends Subscriber> {
  readonly #entries = new Map<string, Entry<S>>();
  readonly #wild = new FilterTrie<Entry<S>>();
  #routeCount = 0;

  /** Distinct filters. */
  get topicCount(): number {
    return this.#entries.size;
  }

  /** Pairs of filter and node. */
  get routeCount(): number {
    return this.#routeCount;
  }

  /** Adds a subscription or changes its QoS. */
  set(subscriber: S, filter: string, qos: Qos): void {
    let entry = this.#entries.get(filter);
    if (entry === undefined) {
      entry = { filter, subscribers: new Map(), nodes: new Map() };
      this.#entries.set(filter, entry);
      if (hasWildcard(filter)) this.#wild.set(filter, entry);
    }
    if (!entry.subscribers.has(subscriber)) this.#count(entry, subscriber.nodeName, 1);
    entry.subscribers.set(subscriber, qos);
  }

  delete(subscriber: S, filter: string): void {
    const entry = this.#entries.get(filter);
    if (entry === undefined || !entry.subscribers.delete(subscriber)) return;
    this.#count(entry, subscriber.nodeName, -1);
    if (entry.subscribers.size > 0) return;
    this.#entries.delete(filter);
    if (hasWildcard(filter)) this.#wild.delete(filter);
  }

  /** Moves the routes of a session from one node to another. */
  move(filters: Iterable<string>, from: NodeName, to: NodeName): void {
    for (const filter of filters) {
      const entry = this.#entries.get(filter);
      if (entry === undefined) continue;
      this.#count(entry, to, 1);
      this.#count(entry, from, -1);
    }
  }

  /** Starts a search for the subscribers of a topic. */
  match(topic: string): SubscriberMatch<S> {
    return new SubscriberMatch(this.#entries.get(topic), this.#wild.walk(topic));
  }

  /** At most `count` routes from `start`, in an order that is stable between changes of subscriptions. */
  *walkRoutes(start: number, count: number): Generator<Route, void> {
    let skip = start;
    let left = count;
    for (const entry of this.#entries.values()) {
      if (left <= 0) return;
      if (skip >= entry.nodes.size) {
        skip -= entry.nodes.size;
        continue;
      }
      for (const route of routesOf(entry).slice(skip, skip + left)) {
        left -= 1;
        yield route;
      }
      skip = 0;
    }
  }

  /** The routes of exactly this filter. */
  routesOf(filter: string): Route[] {
    const entry = this.#entries.get(filter);
    return entry === undefined ? [] : routesOf(entry);
  }

  #count(entry: Entry<S>, node: NodeName, change: 1 | -1): void {
    const before = entry.nodes.get(node) ?? 0;
    const after = before + change;
    if (after === 0) entry.nodes.delete(node);
    else entry.nodes.set(node, after);
    if (before === 0) this.#routeCount += 1;
    if (after === 0) this.#routeCount -= 1;
  }
}

/** An interruptible search for the subscribers of a topic, which may match any number of filters. */
class SubscriberMatch<S> {
  readonly #exact: Entry<S> | undefined;
  readonly #walk: TrieWalk<Entry<S>>;
  #isWalked = false;
  #receivers: Map<S, Qos> | undefined;
  #merging: Iterator<readonly [S, Qos]> | undefined;

  constructor(exact: Entry<S> | undefined, walk: TrieWalk<Entry<S>>) {
    this.#exact = exact;
    this.#walk = walk;
  }

  /** Continues for at most `maxSteps`. True when all receivers are found. */
  advance(maxSteps: number): boolean {
    let left = maxSteps;
    if (!this.#isWalked) {
      left -= this.#walk.advance(left);
      if (left === 0) return false;
      this.#isWalked = true;
      if (this.#exact !== undefined) this.#walk.found.push(this.#exact);
      if (this.#walk.found.length < 2) this.#receivers = this.#walk.found.pop()?.subscribers;
    }
    for (; left > 0; left -= 1) if (!this.#mergeNext()) return true;
    return false;
  }

  /** Each receiver once, with the highest QoS of its matching filters; `undefined` when there is none. */
  get receivers(): ReadonlyMap<S, Qos> | undefined {
    return this.#receivers;
  }

  /** False when there is nothing left to merge. */
  #mergeNext(): boolean {
    const next = this.#merging?.next();
    if (next === undefined || next.done === true) {
      this.#merging = this.#walk.found.pop()?.subscribers.entries();
      return this.#merging !== undefined;
    }
    const [subscriber, qos] = next.value;
    this.#receivers ??= new Map();
    const already = this.#receivers.get(subscriber);
    if (already === undefined || qos > already) this.#receivers.set(subscriber, qos);
    return true;
  }
}

function routesOf(entry: Entry<unknown>): Route[] {
  return [...entry.nodes.keys()].map((node) => ({ topic: entry.filter, node }));
}
