import { pluginSettingsKey, type Watched } from '../state.ts';

/** What is watched, and how often each watcher needs it. */
export interface WatchList {
  all(): readonly Watched[];
  /** `true` for the first watcher. `everySeconds`: longest interval that suffices for this watcher. */
  add(watched: Watched, everySeconds?: number): boolean;
  /** `true` for the last watcher; `everySeconds` as passed to `add`. */
  remove(watched: Watched, everySeconds?: number): boolean;
  /** The shortest interval of its watchers; 0 without any. */
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

/** A key that is equal for equal descriptions only. */
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
