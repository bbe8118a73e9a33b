import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { type Gauge, type NodeRow, selectNodes } from '../../resources/nodes/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import { criticalFirst } from '../../triage/grouping.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import {
  isLimitKnown,
  type UnknownLimit,
  unknownLimits,
  unreadNodesOf,
  type UnreadReason,
  unreadReasons,
} from '../../triage/reasons.ts';
import { severityOf, type Threshold, thresholds } from '../../triage/thresholds.ts';

interface NodeNearLimit {
  readonly node: NodeName;
  readonly figure: 'memory' | 'processes' | 'descriptors';
  readonly share: number;
}

type LimitProblem = Problem<'node-near-limit', NodeNearLimit>;

function findingsOf(
  { name: node, memory, processes, fileDescriptors }: NodeRow,
  found: CheckInput['found'],
): readonly Found<LimitProblem>[] {
  const near = (
    figure: NodeNearLimit['figure'],
    { share }: Gauge,
    threshold: Threshold,
  ): readonly Found<LimitProblem>[] => {
    const key = `${figure} ${node}`;
    const severity = severityOf(share, threshold, found.has(key));
    return severity === undefined || share === undefined
      ? []
      : [{ key, severity, code: 'node-near-limit', evidence: { node, figure, share } }];
  };
  return [
    ...near('memory', memory, thresholds.memory),
    ...near('processes', processes, thresholds.processes),
    ...near('descriptors', fileDescriptors, thresholds.fileDescriptors),
  ];
}

const findProblems = memoise((nodes: readonly NodeRow[], found: CheckInput['found']): readonly Found<LimitProblem>[] =>
  criticalFirst(nodes.flatMap((node) => findingsOf(node, found))),
);

/** Finds nodes whose memory, processes or file descriptors are near their limit. */
export function judgeLimits(
  input: CheckInput,
): Judgement<LimitProblem, { readonly nodesDown: number }, UnreadReason | UnknownLimit> {
  const { state, found } = input;
  const nodes = selectNodes(state);
  return {
    findings: findProblems(nodes, found),
    unchecked: [...unreadReasons(input, ['nodeStats']), ...unknownLimits(input, (figure) => figure !== 'connections')],
    // Nodes that are down have no figures: they are problems of their own.
    passed: { nodesDown: nodes.filter(({ status }) => status === 'stopped' || status === 'unknown').length },
    refutes: ({ evidence: { node, figure } }) =>
      !state.isUnauthorized &&
      unreadReasons(input, ['nodeStats']).length === 0 &&
      !unreadNodesOf(state, 'nodeStats').includes(node) &&
      isLimitKnown(input, node, figure),
  };
}
