import type { ByNode } from '../domain/cluster.ts';
import type { StatName, Stats } from '../domain/stat.ts';
import { memoise } from './memoise.ts';
import type { MonitorState } from './state.ts';

const clusterWide: ReadonlySet<StatName> = new Set(['routes', 'topics', 'retained']);

const collect = memoise((stats: ByNode<Stats> | undefined): ((name: StatName) => number | undefined) => {
  const nodes = [...(stats?.values() ?? [])];
  return (name) => {
    const maxima = nodes.map((node) => node[name].max).filter((max) => max !== undefined);
    if (maxima.length === 0 || maxima.length < nodes.length) return undefined;
    return clusterWide.has(name) ? Math.max(...maxima) : maxima.reduce((sum, max) => sum + max, 0);
  };
});

/**
 * The highest count since the nodes started (§2.11): of the nodes that answer, added up, except what
 * every node counts for the whole cluster. The nodes need not have been at their highest at the same
 * moment. `undefined` when a node that answers does not tell.
 */
export function selectMaximum(state: MonitorState, name: StatName): number | undefined {
  return collect(state.resources.stats.data)(name);
}
