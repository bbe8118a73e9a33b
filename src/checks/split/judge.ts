import type { Alarm } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { isNotOffered } from '../../api/errors.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { alarms } from '../../resources/alarms/resource.ts';
import { hasNoAlarms } from '../../resources/alarms/select.ts';
import { clusterViews } from '../../resources/cluster-views/resource.ts';
import {
  isParted,
  selectShownView,
  selectSplit,
  selectViewsDiffer,
  type Split,
} from '../../resources/cluster-views/select.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { runningNodeNames } from '../../triage/needs.ts';
import { type UnreadReason, unreadReasons } from '../../triage/reasons.ts';

/** The nodes that one node has lost touch with, by its alarm. */
export interface LostTouch {
  readonly node: NodeName | undefined;
  readonly from: readonly NodeName[];
}

interface Parted {
  readonly lost: readonly LostTouch[];
  readonly shown: string | undefined;
  /** Nodes that run, as far as is known, although others do not see them. */
  readonly apart: readonly NodeName[];
}

export type SplitProblem = Problem<'split-brain', Split> | Problem<'partition', Parted>;

type SplitReason =
  | UnreadReason
  | { readonly code: 'views-unread' | 'views-differ' | 'one-view' | 'partition-alarms-unread' }
  | { readonly code: 'view-missing'; readonly urls: readonly string[] }
  | { readonly code: 'nodes-not-asked'; readonly nodes: readonly NodeName[] };

interface Together {
  readonly by: 'views' | 'alarms' | 'one-node';
  /** Views that were compared. */
  readonly views: number;
  readonly nodes: number;
}

/** The key of the problem, of which nodes that count as stopped only because of it are parts. */
export const splitKey = 'split';

export const hasSeveralAddresses = ({ urls = [] }: Pick<MonitorState, 'urls'>): boolean => urls.length > 1;

const lostOf = memoise((current: readonly Alarm[]): readonly LostTouch[] =>
  [...Map.groupBy(current.filter(isParted), ({ node }) => node)].map(([node, same]) => ({
    node,
    from: [...new Set(same.flatMap(({ partedFrom }) => partedFrom ?? []))].toSorted(),
  })),
);

/** Finds nodes that run and do not see each other. */
export function judgeSplit(input: CheckInput): Judgement<SplitProblem, Together, SplitReason> {
  const { state } = input;
  const { data, error, updatedAtMs } = reading(state, clusterViews);
  const compares = hasSeveralAddresses(state) && (error === undefined || !isNotOffered(error));
  const hasAlarms = state.capabilities?.partitionAlarms === true && !hasNoAlarms(state);
  const { data: current } = reading(state, alarms);
  const answers = data?.addresses.flatMap(({ view }) => view ?? []) ?? [];
  const asked = new Set(answers.map(({ self }) => self));
  const running = runningNodeNames(state);
  const notAsked = running.filter((node) => !asked.has(node));
  const silent = data?.addresses.filter(({ view }) => view === undefined).map(({ url }) => url) ?? [];
  const isOneViewOnly = !hasAlarms && !compares && running.length > 1;
  const unchecked: readonly SplitReason[] = [
    ...unreadReasons(input, ['nodeStats']),
    ...(compares && data === undefined ? [{ code: 'views-unread' } as const] : []),
    ...(compares && selectViewsDiffer(state) && selectSplit(state) === undefined
      ? [{ code: 'views-differ' } as const]
      : []),
    ...(compares && silent.length > 0 ? [{ code: 'view-missing', urls: silent } as const] : []),
    ...(hasAlarms && current === undefined ? [{ code: 'partition-alarms-unread' } as const] : []),
    ...(isOneViewOnly ? [{ code: 'one-view' } as const] : []),
    ...(compares && !hasAlarms && data !== undefined && !asked.has(undefined) && notAsked.length > 0
      ? [{ code: 'nodes-not-asked', nodes: notAsked } as const]
      : []),
  ];
  return {
    findings: [splitFinding(state, asked)].filter((finding) => finding !== undefined),
    unchecked,
    ...(isOneViewOnly && { isNotOffered: true as const }),
    passed: {
      by: compares ? 'views' : selectNodes(state).length < 2 ? 'one-node' : 'alarms',
      views: answers.length,
      nodes: running.length,
    },
    reading: compares
      ? { noun: 'views of the cluster', atMs: updatedAtMs, isWatched: isWatched(state, clusterViews) }
      : undefined,
  };
}

function splitFinding(state: MonitorState, asked: ReadonlySet<NodeName | undefined>): Found<SplitProblem> | undefined {
  const facts = { key: splitKey, severity: 'critical' } as const;
  const split = selectSplit(state);
  if (split !== undefined) return { ...facts, code: 'split-brain', evidence: split };
  // Nodes that say themselves that they see the same ones are in touch again, and their alarm is only late.
  const lost = lostOf(reading(state, alarms).data ?? [])
    .map(({ node, from }) => ({ node, from: from.filter((other) => !asked.has(node) || !asked.has(other)) }))
    .filter(({ from }) => from.length > 0);
  if (lost.length === 0) return undefined;
  const apart = [...new Set(lost.flatMap(({ from }) => from))].toSorted();
  return { ...facts, code: 'partition', evidence: { lost, shown: selectShownView(state), apart } };
}
