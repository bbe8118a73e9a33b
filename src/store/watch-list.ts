import { pluginSettingsKey } from './state.ts';
import type { Watched } from './state.ts';

/** What is looked at, and by how many. */
export interface WatchList {
  all(): readonly Watched[];
  /** `true` for the first watcher. */
  add(watched: Watched): boolean;
  /** `true` when that was the last watcher. */
  remove(watched: Watched): boolean;
  clear(): void;
}

export function createWatchList(): WatchList {
  const entries = new Map<string, { count: number; readonly watched: Watched }>();
  return {
    all: () => [...entries.values()].map((entry) => entry.watched),
    add(watched) {
      const key = keyOf(watched);
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { count: 1, watched });
      else entry.count += 1;
      return entry === undefined;
    },
    remove(watched) {
      const key = keyOf(watched);
      const entry = entries.get(key);
      if (entry === undefined) return false;
      entry.count -= 1;
      return entry.count === 0 && entries.delete(key);
    },
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
