import { pluginSettingsKey, type ResourceState, type Watched } from '../state.ts';
import { emptyResource, type Poller } from './poller.ts';

/** What is looked at, and by how many. */
export interface WatchList {
  all(): readonly Watched[];
  /** `true` for the first watcher, who is content with a reading every `everySeconds`. */
  add(watched: Watched, everySeconds?: number): boolean;
  /** `true` when that was the last watcher; `everySeconds` as it was added. */
  remove(watched: Watched, everySeconds?: number): boolean;
  /** How long the least patient of its watchers is content to wait; 0 without any. */
  everySeconds(watched: Watched): number;
  clear(): void;
}

export function createWatchList(): WatchList {
  const entries = new Map<string, { readonly watched: Watched; readonly waits: number[] }>();
  return {
    all: () => [...entries.values()].map((entry) => entry.watched),
    add(watched, everySeconds = 0) {
      const key = keyOf(watched);
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { watched, waits: [everySeconds] });
      else entry.waits.push(everySeconds);
      return entry === undefined;
    },
    remove(watched, everySeconds = 0) {
      const key = keyOf(watched);
      const entry = entries.get(key);
      if (entry === undefined) return false;
      const at = entry.waits.indexOf(everySeconds);
      if (at >= 0) entry.waits.splice(at, 1);
      return entry.waits.length === 0 && entries.delete(key);
    },
    everySeconds: (watched) => Math.min(...(entries.get(keyOf(watched))?.waits ?? [0])),
    clear() { entries.clear(); },
  };
}

/** Text that two equal descriptions share, and no others. */
export function keyOf(watched: Watched): string {
  switch (watched.kind) {
    case 'resource': return `resource ${watched.name}`;
    case 'nodeMetrics':
    case 'nodePlugins':
    case 'nodeSettings': return `${watched.kind} ${watched.node}`;
    case 'pluginSettings': return `pluginSettings ${pluginSettingsKey(watched.node, watched.plugin)}`;
    case 'topicRoutes': return `topicRoutes ${watched.topic}`;
    case 'clientDetail': return `clientDetail ${watched.clientId}`;
    default: return watched.kind;
  }
}

export interface FamilyOptions<T> {
  /** How many that nobody watches are remembered, the latest. */
  readonly mostKept: number;
  readonly create: (key: string, onState: (state: ResourceState<T>) => void) => Poller<T>;
  readonly onStates: (states: ReadonlyMap<string, ResourceState<T>>) => void;
}

/** Pollers of one kind, one for each key, made when first asked for. */
export interface Family<T> {
  get(key: string): Poller<T>;
  keep(key: string): void;
  /** Nobody watches it any more: its last data stays until newer ones push it out. */
  release(key: string): void;
}

export function createFamily<T>(options: FamilyOptions<T>): Family<T> {
  const pollers = new Map<string, Poller<T>>();
  /** Keys that nobody watches, the longest unwatched first. */
  const idle = new Set<string>();
  let states: ReadonlyMap<string, ResourceState<T>> = new Map();

  function publish(key: string, state: ResourceState<T>): void {
    states = new Map(states).set(key, state);
    options.onStates(states);
  }

  function forget(key: string): void {
    idle.delete(key);
    pollers.delete(key);
    const next = new Map(states);
    next.delete(key);
    states = next;
    options.onStates(states);
  }

  function get(key: string): Poller<T> {
    let poller = pollers.get(key);
    if (poller === undefined) {
      poller = options.create(key, (state) => { if (pollers.has(key)) publish(key, state); });
      pollers.set(key, poller);
      publish(key, emptyResource());
    }
    return poller;
  }

  return {
    get,
    keep(key) {
      idle.delete(key);
      get(key);
    },
    release(key) {
      idle.add(key);
      for (const oldest of [...idle].slice(0, Math.max(0, idle.size - options.mostKept))) forget(oldest);
    },
  };
}
