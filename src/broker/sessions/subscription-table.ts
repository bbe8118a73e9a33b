import type { Qos, Route } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { hasWildcard } from '../../domain/topics.ts';

interface Subscriber {
  readonly nodeName: NodeName;
}

interface Entry<S> {
  readonly filter: string;
  readonly subscribers: Map<S, Qos>;
  readonly nodes: Map<NodeName, number>;
}

/** Subscriptions by filter. Filters with wildcards are in a trie, the others are looked up by name. */
export class SubscriptionTable<S extends Subscriber> {
  readonly #entries = new Map<string, Entry<S>>();
  readonly #wild = new FilterTrie<Entry<S>>();
  #routeCount = 0;

  get topicCount(): number {
    return this.#entries.size;
  }

  get routeCount(): number {
    return this.#routeCount;
  }

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

  move(filters: Iterable<string>, from: NodeName, to: NodeName): void {
    for (const filter of filters) {
      const entry = this.#entries.get(filter);
      if (entry === undefined) continue;
      this.#count(entry, to, 1);
      this.#count(entry, from, -1);
    }
  }

  match(topic: string): SubscriberMatch<S> {
    return new SubscriberMatch(this.#entries.get(topic), this.#wild.walk(topic));
  }

  /** Yields routes, in an order that is stable between changes of subscriptions. */
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

  /** Subscribers with the highest QoS of their matching filters; `undefined` when there is none. */
  get receivers(): ReadonlyMap<S, Qos> | undefined {
    return this.#receivers;
  }

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

interface TrieNode<V> {
  /** Created on demand: most nodes are leaves. */
  children: Map<string, TrieNode<V>> | undefined;
  value: V | undefined;
}

function makeNode<V>(): TrieNode<V> {
  return { children: undefined, value: undefined };
}

class FilterTrie<V> {
  readonly #root = makeNode<V>();

  set(filter: string, value: V): void {
    let node = this.#root;
    for (const level of filter.split('/')) {
      node.children ??= new Map();
      let child = node.children.get(level);
      if (child === undefined) {
        child = makeNode();
        node.children.set(level, child);
      }
      node = child;
    }
    node.value = value;
  }

  delete(filter: string): void {
    const levels = filter.split('/');
    const path = [this.#root];
    for (const level of levels) {
      const child = path.at(-1)?.children?.get(level);
      if (child === undefined) return;
      path.push(child);
    }
    let node = path.pop();
    if (node !== undefined) node.value = undefined;
    while (node !== undefined && node.value === undefined && (node.children?.size ?? 0) === 0) {
      node = path.pop();
      node?.children?.delete(levels[path.length] ?? '');
    }
  }

  walk(topic: string): TrieWalk<V> {
    return new TrieWalk(this.#root, topic);
  }
}

class TrieWalk<V> {
  readonly found: V[] = [];
  readonly #levels: readonly string[];
  readonly #isSystem: boolean;
  readonly #nodes: TrieNode<V>[];
  readonly #depths: number[] = [0];

  constructor(root: TrieNode<V>, topic: string) {
    this.#nodes = [root];
    this.#levels = topic.split('/');
    this.#isSystem = topic.startsWith('$');
  }

  /** Visits nodes and returns how many; the walk is done when there are fewer than `maxSteps`. */
  advance(maxSteps: number): number {
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const node = this.#nodes.pop();
      const depth = this.#depths.pop();
      if (node === undefined || depth === undefined) return steps;
      this.#visit(node, depth);
    }
    return maxSteps;
  }

  #visit({ children, value }: TrieNode<V>, depth: number): void {
    // A wildcard in the first level does not match topics that start with `$`.
    const allowsWildcards = depth > 0 || !this.#isSystem;
    const multiLevel = allowsWildcards ? children?.get('#')?.value : undefined;
    if (multiLevel !== undefined) this.found.push(multiLevel);
    const level = this.#levels[depth];
    if (level === undefined) {
      if (value !== undefined) this.found.push(value);
      return;
    }
    this.#push(children?.get(level), depth + 1);
    if (allowsWildcards) this.#push(children?.get('+'), depth + 1);
  }

  #push(node: TrieNode<V> | undefined, depth: number): void {
    if (node === undefined) return;
    this.#nodes.push(node);
    this.#depths.push(depth);
  }
}

interface Match {
  /** Returns whether the match is done. */
  advance(maxSteps: number): boolean;
}

interface Waiting {
  readonly topic: string;
  readonly match: Match;
  readonly deliver: () => void;
}

/** Limits the steps of an event loop iteration to some milliseconds. */
export const maxStepsPerTick = 8192;
/** Limits waiting will messages and presence messages; connections wait for their own. */
const maxWaiting = 1000;

/** Finishes matches that take several event loop iterations, one at a time and in the order of their messages. */
export class LongMatches {
  readonly #waiting: Waiting[] = [];

  /** Whether a message for the topic waits, which later ones must not overtake. */
  has(topic: string): boolean {
    return this.#waiting.some((waiting) => waiting.topic === topic);
  }

  finish<T>(topic: string, match: Match, deliver: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting.push({ topic, match, deliver: () => resolve(deliver()) });
      if (this.#waiting.length === 1) setImmediate(() => this.#tick());
      else if (this.#waiting.length > maxWaiting) this.#advance(Infinity);
    });
  }

  #tick(): void {
    this.#advance(maxStepsPerTick);
    if (this.#waiting.length > 0) setImmediate(() => this.#tick());
  }

  #advance(maxSteps: number): void {
    const [first] = this.#waiting;
    if (first?.match.advance(maxSteps) !== true) return;
    first.deliver();
    this.#waiting.shift();
  }
}
