import { Qlobber } from 'qlobber';
import type { NodeName } from '../domain/node.ts';
import type { Route } from '../domain/route.ts';
import type { Qos } from '../domain/subscription.ts';
import { beginsWithWildcard, hasWildcard } from './topics.ts';

/** What the table needs to know of a subscriber. */
interface Subscriber {
  /** The node that holds the session now. */
  readonly nodeName: NodeName;
}

interface Entry<S> {
  readonly filter: string;
  readonly subscribers: Map<S, Qos>;
  /** Subscribers by node: each node in it is one route. */
  readonly nodes: Map<NodeName, number>;
}

/**
 * All subscriptions of the cluster: who gets a message, and the routes table (§2.7) that follows
 * from it. Filters without wildcards are looked up by name, the others go through a trie that holds
 * each filter once, however many subscribe to it.
 */
export class SubscriptionTable<S extends Subscriber> {
  readonly #entries = new Map<string, Entry<S>>();
  readonly #wild = new Qlobber<Entry<S>>({
    separator: '/', wildcard_one: '+', wildcard_some: '#', match_empty_levels: true, max_words: 65_536,
  });
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
      if (hasWildcard(filter)) this.#wild.add(filter, entry);
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
    if (hasWildcard(filter)) this.#wild.remove(filter, entry);
  }

  /** The routes of these filters follow a session that went from one node to another. */
  move(filters: Iterable<string>, from: NodeName, to: NodeName): void {
    for (const filter of filters) {
      const entry = this.#entries.get(filter);
      if (entry === undefined) continue;
      this.#count(entry, to, 1);
      this.#count(entry, from, -1);
    }
  }

  /** Who gets a message of this topic, each once, with the highest QoS of its matching filters; `undefined` when nobody. */
  match(topic: string): ReadonlyMap<S, Qos> | undefined {
    const exact = this.#entries.get(topic)?.subscribers;
    let wild = this.#wild.match(topic);
    if (topic.startsWith('$')) wild = wild.filter((entry) => !beginsWithWildcard(entry.filter));
    if (wild.length === 0) return exact;
    if (exact === undefined && wild.length === 1) return wild[0]?.subscribers;
    const merged = new Map(exact);
    for (const entry of wild) {
      for (const [subscriber, qos] of entry.subscribers) {
        const already = merged.get(subscriber);
        if (already === undefined || qos > already) merged.set(subscriber, qos);
      }
    }
    return merged;
  }

  /** At most `count` routes from `start` on, as they are asked for, in an order that holds as long as nobody subscribes. */
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

  /** The nodes that have subscribers for exactly this filter. */
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

function routesOf(entry: Entry<unknown>): Route[] {
  return [...entry.nodes.keys()].map((node) => ({ topic: entry.filter, node }));
}
