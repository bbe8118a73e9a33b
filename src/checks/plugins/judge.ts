import type { NodeName } from '../../domain/node.ts';
import { isWatched, readings } from '../../monitor/query/part.ts';
import { plugins } from '../../resources/plugins/resource.ts';
import { type PluginRow, selectPlugins } from '../../resources/plugins/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { areAllNodesRead } from '../../triage/reasons.ts';
import { type DifferenceReason, type MoreDifferences, uncomparedNodes } from '../differences.ts';

type PluginDifference =
  | {
      readonly plugin: string;
      readonly difference: 'missing' | 'inactive';
      readonly count: number;
      readonly nodes: number;
      /** Nodes where the plugin is missing or inactive. */
      readonly on: readonly NodeName[];
    }
  | { readonly plugin: string; readonly difference: 'versions'; readonly count: number };

interface Passed {
  readonly rows: number;
  readonly nodes: number;
}

function differenceOf(
  { name: plugin, byNode, versions, activeCount, knownCount }: PluginRow,
  read: readonly NodeName[],
): PluginDifference | undefined {
  if (byNode.size < read.length)
    return {
      plugin,
      difference: 'missing',
      count: byNode.size,
      nodes: read.length,
      on: read.filter((node) => !byNode.has(node)),
    };
  if (versions.length > 1) return { plugin, difference: 'versions', count: versions.length };
  if (activeCount === 0 || activeCount === knownCount) return undefined;
  return {
    plugin,
    difference: 'inactive',
    count: activeCount,
    nodes: knownCount,
    on: [...byNode].flatMap(([node, { active }]) => (active === false ? [node] : [])),
  };
}

/** Returns the earliest time; `undefined` if there is none or one is unknown. */
const oldest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.min(...known);
};

/** Finds plugins that are not on all nodes, of another version or not active there. */
export function judgePlugins({
  state,
}: CheckInput): Judgement<Problem<'plugin-differs', PluginDifference> | MoreDifferences, Passed, DifferenceReason> {
  const { rows, running, read } = selectPlugins(state);
  const invalid = new Set([...read].filter((node) => readings(state, plugins).get(node)?.unusable !== undefined));
  // A plugin that a node seems to lack may be an invalid row.
  const different = rows
    .map((row) =>
      differenceOf(
        row,
        [...read].filter((node) => row.byNode.has(node) || !invalid.has(node)),
      ),
    )
    .filter((evidence) => evidence !== undefined);
  const unchecked = uncomparedNodes('plugins', running, read, invalid.size > 0);
  return {
    passed: { rows: rows.length, nodes: read.size },
    reading: {
      noun: 'plugins',
      isWatched: isWatched(state, plugins),
      atMs: oldest([...read].map((node) => readings(state, plugins).get(node)?.updatedAtMs)),
    },
    findings: different.map((evidence) => ({
      key: `plugins ${evidence.plugin}`,
      severity: 'warning',
      code: 'plugin-differs',
      evidence,
    })),
    unchecked,
    refutes: () =>
      unchecked.length === 0 && [...read].every((node) => areAllNodesRead(state, readings(state, plugins).get(node))),
  };
}
