import type { ByNode } from '../../domain/cluster.ts';
import { clusterWideStats, type StatName, type Stats } from '../../domain/stat.ts';
import { memoise } from '../../domain/memoise.ts';
import type { MonitorState } from '../state.ts';

/** The highest count since the nodes started. */
export interface Maximum {
  /** `undefined` when a node that answers does not tell. */
  readonly value: number | undefined;
  /** It was this or less: the nodes need not have been at their highest at the same moment. */
  readonly isUpperBound: boolean;
}

const collect = memoise((stats: ByNode<Stats> | undefined): ((name: StatName) => Maximum) => {
  const nodes = [...(stats?.values() ?? [])];
  return (name) => {
    const maxima = nodes.map((node) => node[name].max).filter((max) => max !== undefined);
    if (maxima.length === 0 || maxima.length < nodes.length) return { value: undefined, isUpperBound: false };
    if (clusterWideStats.has(name)) return { value: Math.max(...maxima), isUpperBound: false };
    return { value: maxima.reduce((sum, max) => sum + max, 0), isUpperBound: maxima.length > 1 };
  };
});

/**
 * The cluster's highest count since the nodes started (§2.11): what each node that answers had at most,
 * added up, except what every node counts for the whole cluster.
 */
export function selectMaximum(state: MonitorState, name: StatName): Maximum {
  return collect(state.resources.stats.data)(name);
}
