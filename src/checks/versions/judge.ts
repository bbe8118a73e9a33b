import type { NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { areAllNodesRead, type UnreadReason, unreadReasons } from '../../triage/reasons.ts';
import { nodes as nodesResource } from '../../resources/nodes/resource.ts';

export interface VersionCount {
  readonly version: string;
  readonly nodes: number;
}

interface Versions {
  readonly versions: readonly VersionCount[];
}

interface UnknownVersion {
  readonly code: 'version-unknown';
  readonly node: NodeName;
}

/** Finds nodes with different versions. */
export function judgeVersions({
  state,
  unjudged,
}: CheckInput): Judgement<Problem<'mixed-versions', Versions>, Versions, UnreadReason | UnknownVersion> {
  const nodes = selectNodes(state).filter(({ status }) => status === 'running');
  const unread = unreadReasons({ unjudged }, ['nodes']);
  const unknown = nodes.filter(({ info }) => info?.version === undefined);
  const counts = new Map<string, number>();
  for (const { info } of nodes)
    if (info?.version !== undefined) counts.set(info.version, (counts.get(info.version) ?? 0) + 1);
  const versions = [...counts].map(([version, count]) => ({ version, nodes: count }));
  return {
    passed: { versions },
    findings:
      versions.length < 2
        ? []
        : [{ key: 'versions', severity: 'warning', code: 'mixed-versions', evidence: { versions } }],
    unchecked: unread.length > 0 ? unread : unknown.map(({ name }) => ({ code: 'version-unknown', node: name })),
    refutes: () => unread.length === 0 && unknown.length === 0 && areAllNodesRead(state, reading(state, nodesResource)),
  };
}
