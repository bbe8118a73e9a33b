import type { NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import { nodeStats } from '../../resources/nodes/resource.ts';
import { type NodeRow, selectNodes } from '../../resources/nodes/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { areAllNodesRead, type UnreadReason, unreadReasons } from '../../triage/reasons.ts';
import { reaches, severityOf, triageThresholds } from '../../triage/thresholds.ts';

export type BalanceProblem =
  | Problem<
      'uneven-clients',
      { readonly node: NodeName; readonly clients: number; readonly total: number; readonly ratio: number }
    >
  | Problem<
      'uneven-load',
      { readonly node: NodeName; readonly load: number; readonly ratio: number; readonly nodes: number }
    >;

interface Passed {
  readonly nodes: number;
  /** `undefined` if there is nothing to compare. */
  readonly highest: { readonly share: number } | undefined;
}

interface UnknownFigure {
  readonly code: 'figure-unknown';
  readonly figure: 'clients' | 'load';
}

/** Returns the highest value; `undefined` if that of a node is unknown. */
function highest(
  nodes: readonly NodeRow[],
  valueOf: (node: NodeRow) => number | undefined,
): { readonly node: NodeName; readonly value: number; readonly ratio: number; readonly sum: number } | undefined {
  let top: { readonly node: NodeName; readonly value: number } | undefined;
  let sum = 0;
  for (const node of nodes) {
    const value = valueOf(node);
    if (value === undefined) return undefined;
    sum += value;
    if (top === undefined || value > top.value) top = { node: node.name, value };
  }
  return top === undefined ? undefined : { ...top, sum, ratio: sum === 0 ? 1 : top.value / (sum / nodes.length) };
}

/** Finds nodes with far more clients or load than the others. */
export function judgeBalance({
  state,
  found,
  unjudged,
}: CheckInput): Judgement<BalanceProblem, Passed, UnreadReason | UnknownFigure> {
  const nodes = selectNodes(state).filter(({ status }) => status === 'running');
  const areAllRead = areAllNodesRead(state, reading(state, nodeStats));
  const unread = unreadReasons({ unjudged }, ['nodeStats']);
  if (unread.length > 0) return { findings: [], unchecked: unread, refutes: () => false };
  if (nodes.length < 2)
    return {
      findings: [],
      unchecked: [],
      refutes: () => areAllRead,
      passed: { nodes: nodes.length, highest: undefined },
    };
  const clients = highest(nodes, ({ stats, counts }) => stats?.clients ?? counts?.clients.count);
  const load = highest(nodes, ({ stats }) => stats?.load1);
  const findings: Found<BalanceProblem>[] = [];
  const unevenClients =
    clients !== undefined && clients.sum >= triageThresholds.unevenClients
      ? severityOf(clients.ratio, triageThresholds.unevenness, found.has('balance clients'))
      : undefined;
  if (clients !== undefined && unevenClients !== undefined) {
    findings.push({
      key: 'balance clients',
      severity: unevenClients,
      code: 'uneven-clients',
      evidence: { node: clients.node, clients: clients.value, total: clients.sum, ratio: clients.ratio },
    });
  }
  const unevenLoad =
    load !== undefined && reaches(load.value, triageThresholds.unevenLoad, found.has('balance load'))
      ? severityOf(load.ratio, triageThresholds.unevenness, found.has('balance load'))
      : undefined;
  if (load !== undefined && unevenLoad !== undefined) {
    findings.push({
      key: 'balance load',
      severity: unevenLoad,
      code: 'uneven-load',
      evidence: { node: load.node, load: load.value, ratio: load.ratio, nodes: nodes.length },
    });
  }
  return {
    findings,
    unchecked: [
      ...(clients === undefined ? [{ code: 'figure-unknown', figure: 'clients' } as const] : []),
      ...(load === undefined ? [{ code: 'figure-unknown', figure: 'load' } as const] : []),
    ],
    refutes: ({ code }) => areAllRead && (code === 'uneven-clients' ? clients : load) !== undefined,
    passed: clients &&
      load && {
        nodes: nodes.length,
        highest: { share: clients.sum === 0 ? 0 : clients.value / clients.sum },
      },
  };
}
