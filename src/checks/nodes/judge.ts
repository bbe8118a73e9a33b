import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import { selectSeenNodes } from '../../resources/cluster-views/select.ts';
import { type LastKnown, lastKnownNodes, nodes } from '../../resources/nodes/resource.ts';
import { lastClients, type NodeRow, selectNodes } from '../../resources/nodes/select.ts';
import { selectTotals } from '../../resources/statistics/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import { isProblem } from '../../triage/check.ts';
import { split } from '../split/check.ts';
import { splitKey } from '../split/judge.ts';
import { criticalFirst } from '../../triage/grouping.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { type UnreadReason, unreadReasons } from '../../triage/reasons.ts';

export interface NodeDown {
  readonly node: NodeName;
  readonly status: 'stopped' | 'unknown';
  /** Clients when the node was last running. */
  readonly clients: number | undefined;
  /** Clients of the cluster, before the node went and now; `undefined` if the monitor did not see it run. */
  readonly clusterClients?: { readonly before: number; readonly now: number } | undefined;
}

type NodeProblem =
  | Problem<'node-down', NodeDown>
  /** The node hangs, or cannot be reached by the other nodes. */
  | Problem<
      'node-silent',
      {
        readonly node: NodeName;
        /** Clients when the node last answered. */
        readonly clients: number | undefined;
      }
    >
  | Problem<
      'node-status',
      {
        readonly node: NodeName;
        /** Empty if the broker gives none. */
        readonly status: string;
      }
    >;

/** The key of the problem that a node does not run. */
export const nodeKey = (node: NodeName): string => `node ${node}`;

function findingsOf(
  { name: node, status, statusText, isSilent, sinceMs }: NodeRow,
  clients: number | undefined,
): readonly Found<NodeProblem>[] {
  const facts = { key: nodeKey(node), sinceMs };
  if (status === 'running') return [];
  if (isSilent === true) return [{ ...facts, severity: 'critical', code: 'node-silent', evidence: { node, clients } }];
  return status === 'other'
    ? [{ ...facts, severity: 'warning', code: 'node-status', evidence: { node, status: statusText } }]
    : [{ ...facts, severity: 'critical', code: 'node-down', evidence: { node, status, clients } }];
}

const findDown = memoise(
  (nodes: readonly NodeRow[], lastKnown: ReadonlyMap<NodeName, LastKnown>): readonly Found<NodeProblem>[] =>
    criticalFirst(nodes.flatMap((node) => findingsOf(node, lastClients(lastKnown.get(node.name))))),
);

/**
 * A node that runs apart from the others is no problem of its own: the split is. While another address sees it run, the
 * next reading tells which of them it is.
 */
function ofSplit(finding: Found<NodeProblem>, { earlier, state }: CheckInput): Found<NodeProblem> {
  const apart = earlier.flatMap((each) =>
    isProblem(each, split, 'split-brain') || isProblem(each, split, 'partition') ? each.evidence.apart : [],
  );
  const { node } = finding.evidence;
  if (apart.includes(node)) return { ...finding, partOf: splitKey };
  return selectSeenNodes(state).has(node) && finding.code === 'node-down' ? { ...finding, isUndecided: true } : finding;
}

/** Adds what became of the clients of a node that went down: they may have moved to the others. */
function withClusterClients(
  finding: Found<NodeProblem>,
  { state, history: { clientsOfAllNodes: before } }: CheckInput,
): Found<NodeProblem> {
  const { value: now, missingNodes } = selectTotals(state).clients;
  if (finding.code !== 'node-down' || before === undefined || now === undefined || missingNodes.length > 0)
    return finding;
  return { ...finding, evidence: { ...finding.evidence, clusterClients: { before, now } } };
}

/** Finds nodes that do not run or do not respond. */
export function judgeNodes(input: CheckInput): Judgement<NodeProblem, { readonly nodes: number }, UnreadReason> {
  const { state } = input;
  const rows = selectNodes(state);
  return {
    findings: findDown(rows, reading(state, lastKnownNodes)).map((finding) =>
      ofSplit(withClusterClients(finding, input), input),
    ),
    unchecked: unreadReasons(input, ['nodes', 'nodeStats']),
    passed: { nodes: rows.length },
    // The list of nodes only adds to their statistics.
    refutes: () =>
      !state.isUnauthorized &&
      unreadReasons(input, reading(state, nodes).data === undefined ? ['nodeStats'] : ['nodes', 'nodeStats']).length ===
        0,
  };
}
