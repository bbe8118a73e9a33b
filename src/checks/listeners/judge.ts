import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { type ListenerRow, selectListeners } from '../../resources/listeners/select.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
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
import { severityOf, thresholds } from '../../triage/thresholds.ts';

interface ListenerDown {
  readonly listener: string;
  /** Nodes where the listener is down, of the `nodes` that have it. */
  readonly on: readonly NodeName[];
  readonly nodes: number;
}

type ListenerProblem =
  | Problem<'listener-down', ListenerDown>
  | Problem<'listener-near-limit', { readonly node: NodeName; readonly listener: string; readonly share: number }>;

interface Passed {
  readonly listeners: number;
  readonly nodesDown: number;
}

const listenerName = ({ listener: { id, protocol, listen } }: ListenerRow): string => id ?? `${protocol} ${listen}`;

/**
 * Finds listeners that do not run although they are enabled, or although they run on another node. One that is disabled
 * on all nodes is so on purpose.
 */
function downListeners(listeners: readonly ListenerRow[]): readonly Found<ListenerProblem>[] {
  const known = listeners.filter(({ listener: { running } }) => running !== undefined);
  return [...Map.groupBy(known, listenerName)].flatMap(([listener, rows]): readonly Found<ListenerProblem>[] => {
    const down = rows.filter(({ listener: { running } }) => running !== 'yes');
    const isDownEverywhere = down.length === rows.length;
    if (
      down.length === 0 ||
      (isDownEverywhere && rows.every(({ listener: { isEnabled, running } }) => isEnabled !== true && running === 'no'))
    )
      return [];
    return [
      {
        key: `listener down ${listener}`,
        severity: isDownEverywhere ? 'critical' : 'warning',
        code: 'listener-down',
        evidence: { listener, on: down.map(({ node }) => node), nodes: rows.length },
      },
    ];
  });
}

function fullListener(
  { key, node, listener: { protocol, listen }, clients: { share } }: ListenerRow,
  found: CheckInput['found'],
): readonly Found<ListenerProblem>[] {
  const severity = severityOf(share, thresholds.listenerClients, found.has(`listener ${key}`));
  return severity === undefined || share === undefined
    ? []
    : [
        {
          key: `listener ${key}`,
          severity,
          code: 'listener-near-limit',
          evidence: { node, listener: `${protocol} ${listen}`, share },
        },
      ];
}

const findProblems = memoise(
  (listeners: readonly ListenerRow[], found: CheckInput['found']): readonly Found<ListenerProblem>[] =>
    criticalFirst([...downListeners(listeners), ...listeners.flatMap((listener) => fullListener(listener, found))]),
);

const noListeners: readonly ListenerRow[] = [];

/** Finds listeners that do not run, and listeners near their connection limit. */
export function judgeListeners(input: CheckInput): Judgement<ListenerProblem, Passed, UnreadReason | UnknownLimit> {
  const { state, found } = input;
  const listeners = selectListeners(state) ?? noListeners;
  // Nodes that are down have no figures: they are problems of their own.
  const down = new Set(
    selectNodes(state)
      .filter(({ status }) => status === 'stopped' || status === 'unknown')
      .map(({ name }) => name),
  );
  const isUpAgain = ({ listener, on }: ListenerDown): boolean =>
    on.every((node) =>
      listeners.some((row) => row.node === node && listenerName(row) === listener && row.listener.running === 'yes'),
    );
  return {
    findings: findProblems(listeners, found),
    unchecked: [...unreadReasons(input, ['listeners']), ...unknownLimits(input, (figure) => figure === 'connections')],
    passed: { listeners: listeners.filter(({ node }) => !down.has(node)).length, nodesDown: down.size },
    refutes: (finding) => {
      if (state.isUnauthorized || unreadReasons(input, ['listeners']).length > 0) return false;
      const unread = unreadNodesOf(state, 'listeners');
      if (finding.code === 'listener-down') return unread.length === 0 || isUpAgain(finding.evidence);
      const { node } = finding.evidence;
      return !unread.includes(node) && isLimitKnown(input, node, 'connections');
    },
  };
}
