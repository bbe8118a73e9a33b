import type { TimelineEvent } from '../domain/event.ts';

/** Two programs see the same thing within so long. */
const twinMs = 60_000;

/** Merges events of several runs of the program, oldest first: what two runs saw is one event. */
export function mergeEvents(...lists: readonly (readonly TimelineEvent[])[]): readonly TimelineEvent[] {
  const byId = new Map<string, TimelineEvent>();
  for (const event of lists.flat()) byId.set(event.id, event);
  const last = new Map<string, TimelineEvent>();
  return [...byId.values()]
    .toSorted((a, b) => a.atMs - b.atMs)
    .filter((event) => {
      // Each is done by one program.
      if (event.kind === 'action' || event.kind === 'bulk') return true;
      const { kind, problem, text, node, clientId, run, atMs } = event;
      const key = JSON.stringify([kind, problem ?? text, node, clientId]);
      const before = last.get(key);
      if (before !== undefined && before.run !== run && atMs - before.atMs <= twinMs) return false;
      last.set(key, event);
      return true;
    });
}
