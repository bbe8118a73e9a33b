import {
  type ApiError,
  gatewayStatuses,
  HttpStatusError,
  isAbsent,
  NoAnswerError,
  TimeoutError,
} from '../../api/errors.ts';
import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { mayPass } from '../../monitor/polling/repeat.ts';
import { reading, readings, type Watchable, watchKey, watchOf } from '../../monitor/query/part.ts';
import type { Resource } from '../../monitor/query/query.ts';
import {
  type MonitorState,
  type ResourceState,
  type ScanCoverage,
  type ScanCut,
  type ScanState,
  wholeCluster,
} from '../../monitor/state.ts';
import { nodeKey } from '../nodes/judge.ts';
import { type NodeRow, selectNodes } from '../../resources/nodes/select.ts';
import { plugins } from '../../resources/plugins/resource.ts';
import { type ScanName, scanNames, scans } from '../../resources/scans.ts';
import { nodeSettings, settings } from '../../resources/settings/resource.ts';
import { users } from '../../resources/users/resource.ts';
import { type VitalName, vitalNames, selectVital, vitalResources, type VitalStates } from '../../resources/vital.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { ReadingName } from '../../triage/reading-names.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { unreadNodesOf, type UnreadReason, unreadReasons } from '../../triage/reasons.ts';

type LoginRejected = Problem<
  'login-rejected',
  {
    /** A proxy's refusal. */
    readonly proxyMessage: string | undefined;
  }
>;

type ReadFailed = Problem<
  'read-failed',
  {
    readonly resources: readonly VitalName[];
    readonly isAll: boolean;
    readonly reason: string;
    /** No request reaches the API: why, and which addresses were tried. */
    readonly unreachable?:
      | {
          readonly brief: string;
          readonly urls: readonly string[];
          /** Requests were sent, and none got a response. */
          readonly isSilent?: true | undefined;
        }
      | undefined;
  }
>;

type ApiVersion = Problem<
  'api-version',
  {
    /** The dialect's sentence. */
    readonly message: string;
  }
>;

type MissingProblem =
  | Problem<
      'list-cut',
      {
        readonly list: ScanName;
        readonly nodes: readonly NodeName[];
        readonly read: number;
        readonly expected: number | undefined;
        readonly cut: ScanCut;
      }
    >
  | Problem<
      'rows-unusable',
      {
        readonly list: ReadingName;
        readonly nodes: readonly NodeName[];
        readonly count: number;
        /** Rows that were understood, if known. */
        readonly read: number | undefined;
      }
    >;

type ReadingProblem = LoginRejected | ReadFailed | ApiVersion | MissingProblem;

export const resourceOrder: readonly VitalName[] = ['nodeStats', 'stats', 'metrics', 'nodes', 'listeners'];

const findFailures = memoise(
  (
    isUnauthorized: boolean,
    proxyRefusal: MonitorState['proxyLoginError'],
    variantDoubt: string | undefined,
    resources: VitalStates,
    nodes: readonly NodeRow[],
    urls: MonitorState['urls'],
    wasOutage: boolean,
  ): readonly Found<ReadingProblem>[] => [
    ...(isUnauthorized
      ? [loginRejected(proxyRefusal, resources)]
      : failedReadings(resources, nodes, urls ?? [], wasOutage)),
    ...(variantDoubt === undefined
      ? []
      : [{ key: 'variant', severity: 'warning', code: 'api-version', evidence: { message: variantDoubt } } as const]),
  ],
);

function loginRejected(proxyRefusal: MonitorState['proxyLoginError'], resources: VitalStates): Found<LoginRejected> {
  const refused = resourceOrder.find((name) => resources[name].error?.kind === 'unauthorized');
  return {
    key: 'unauthorized',
    severity: 'critical',
    sinceMs: refused && resources[refused].failingSinceMs,
    code: 'login-rejected',
    evidence: { proxyMessage: proxyRefusal?.message },
  };
}

/** The other nodes take so long to give up a node that does not respond, and to answer for themselves. */
const giveUpMs = 30_000;

/** The key of the problem that nothing can be read. */
const outageKey = 'readings';

/**
 * Returns the readings that failed. What waits for a silent node fails because of it: the node is the finding, which
 * the next reading of the nodes shows. @param wasOutage what has not been read again since is a part of the outage, and
 * no other problem
 */
function failedReadings(
  resources: VitalStates,
  nodes: readonly NodeRow[],
  urls: readonly string[],
  wasOutage: boolean,
): readonly Found<ReadFailed>[] {
  const { updatedAtMs: nodesReadMs = 0, error: nodesError } = resources.nodeStats;
  const hasSilentNode = nodes.some(({ isSilent }) => isSilent === true);
  // Once the node answers again, it is read again.
  const mayWait = ({ error, failingSinceMs = 0, isFetching }: ResourceState<unknown>): boolean =>
    error?.kind === 'node-unreachable'
      ? hasSilentNode || isFetching
      : error?.kind === 'timeout' && nodesError === undefined && (hasSilentNode || nodesReadMs < failingSinceMs);
  // Without the nodes nothing can be told.
  const isMissed = (name: VitalName): boolean => {
    const { error } = resources[name];
    return error !== undefined && !mayWait(resources[name]) && (name === 'nodeStats' || !isAbsent(error));
  };
  const failing = resourceOrder.filter(isMissed);
  const errorOf = (name: VitalName): ApiError | undefined => resources[name].error;
  const sentMs = (name: VitalName): number => {
    const error = errorOf(name);
    return (
      (resources[name].failingSinceMs ?? Number.NEGATIVE_INFINITY) -
      (error instanceof TimeoutError ? error.deadlineMs : 0)
    );
  };
  const lastSentMs = Math.max(...failing.map(sentMs));
  const isReadSince = (name: VitalName): boolean => (resources[name].updatedAtMs ?? -Infinity) >= lastSentMs;
  const isPolled = (name: VitalName): boolean =>
    resources[name].isFetching || resources[name].nextAttemptAtMs !== undefined;
  const others = resourceOrder.filter((name) => !failing.includes(name));
  const mayBeCutOff =
    failing.length > 0 && failing.every((name) => mayBeOutage(errorOf(name))) && !others.some(isReadSince);
  // The next reading of another one tells whether it fails alone.
  const isUndecided = mayBeCutOff && failing.length === 1 && others.some(isPolled);
  // Those that are read seldom may not have failed yet.
  const isCutOff = mayBeCutOff && failing.length > 1;
  const isAll = isCutOff || failing.length === resourceOrder.length;
  const ofOutage = isAll ? failing : failing.filter((name) => wasOutage && isPassing(errorOf(name)));
  // From the first request without a response on, not from the end of its deadline.
  const sinceOf = (names: readonly VitalName[]): number | undefined => {
    const since = names
      .map((name) => Math.max(sentMs(name), resources[name].updatedAtMs ?? Number.NEGATIVE_INFINITY))
      .filter(Number.isFinite);
    return since.length === names.length ? Math.min(...since) : undefined;
  };
  const finding = (
    key: string,
    names: readonly VitalName[],
    error: ApiError | undefined,
    partOf?: string,
  ): Found<ReadFailed> => ({
    key,
    severity: 'critical',
    sinceMs: sinceOf(names.filter((name) => failing.includes(name))),
    code: 'read-failed',
    evidence: {
      resources: names,
      isAll: names.length === resourceOrder.length,
      reason: error?.message ?? '',
      unreachable:
        names.length === resourceOrder.length && failing.every((name) => isConnectionError(errorOf(name)))
          ? {
              brief: error?.brief ?? '',
              urls,
              ...(failing.every((name) => errorOf(name)?.kind === 'timeout') && { isSilent: true }),
            }
          : undefined,
    },
    partOf,
    ...(isUndecided && { isUndecided }),
  });
  /** Returns the node because of which a reading fails: the others refuse some reads while they give a node up. */
  const nodeOf = (name: VitalName): string | undefined => {
    const { error, failingSinceMs = 0 } = resources[name];
    const isCause = ({ status, isSilent, sinceMs = -Infinity }: NodeRow): boolean =>
      isSilent === true || (status !== 'running' && Math.abs(failingSinceMs - sinceMs) <= giveUpMs);
    const node = mayBeOfNode(error) ? nodes.find(isCause) : undefined;
    return node === undefined ? undefined : nodeKey(node.name);
  };
  // One problem for each cause; those of single resources are parts of it, as its cause may widen.
  return [
    ...(ofOutage.length === 0
      ? []
      : [finding(outageKey, isAll ? resourceOrder : ofOutage, errorOf(ofOutage[0] ?? 'nodeStats'))]),
    ...ofOutage.map((name) => finding(`readings ${name}`, [name], errorOf(name), outageKey)),
    ...[
      ...Map.groupBy(
        failing.filter((name) => !ofOutage.includes(name)),
        (name) => errorOf(name)?.message ?? '',
      ).values(),
    ].flatMap((names) =>
      names.map((name, index) =>
        finding(
          `readings ${name}`,
          index === 0 ? names : [name],
          errorOf(name),
          nodeOf(name) ?? (index === 0 ? undefined : `readings ${names[0] ?? ''}`),
        ),
      ),
    ),
  ];
}

const isConnectionError = (error: ApiError | undefined): boolean =>
  error?.kind === 'unreachable' || error?.kind === 'timeout';

/** Whether requests fail like this while the broker, or the way to it, is down. */
const mayBeOutage = (error: ApiError | undefined): boolean =>
  isConnectionError(error) || (error instanceof HttpStatusError && gatewayStatuses.has(error.status));

/** Whether reads that need a node which does not respond fail like this, until the others have given it up. */
const mayBeOfNode = (error: ApiError | undefined): boolean =>
  error instanceof NoAnswerError ||
  error?.kind === 'not-found' ||
  error?.kind === 'node-unreachable' ||
  error?.kind === 'timeout';

const isPassing = (error: ApiError | undefined): boolean => error !== undefined && mayPass(error);

interface MissingRows {
  readonly finding: Found<MissingProblem>;
  readonly watched: Watchable;
  readonly readAtMs: number | undefined;
}

const sumOf = (
  readings: readonly ScanCoverage[],
): { readonly read: number; readonly expected: number | undefined } => ({
  read: readings.reduce((sum, { read }) => sum + read, 0),
  expected: readings.reduce<number | undefined>(
    (sum, { expected }) => (sum === undefined || expected === undefined ? undefined : sum + expected),
    0,
  ),
});

function missingInScan(
  list: ScanName,
  { leftOut, finishedAtMs: readAtMs }: ScanState<unknown>,
): readonly MissingRows[] {
  const cut = [...leftOut].filter(([, reading]) => reading.cut !== undefined);
  const unusable = [...leftOut].filter(([, reading]) => reading.unusable !== undefined);
  const why = cut[0]?.[1].cut;
  const namesOf = (readings: typeof cut): readonly NodeName[] =>
    readings.flatMap(([node]) => (node === wholeCluster ? [] : [node]));
  const watched = scans[list];
  return [
    ...(why === undefined
      ? []
      : [
          {
            watched,
            readAtMs,
            finding: {
              key: `cut ${list}`,
              severity: 'warning',
              code: 'list-cut',
              evidence: { list, nodes: namesOf(cut), cut: why, ...sumOf(cut.map(([, reading]) => reading)) },
            } as const,
          },
        ]),
    ...(unusable.length === 0
      ? []
      : [
          {
            watched,
            readAtMs,
            finding: {
              key: `unusable ${list}`,
              severity: 'warning',
              code: 'rows-unusable',
              evidence: {
                list,
                nodes: namesOf(unusable),
                count: unusable.reduce((sum, [, reading]) => sum + (reading.unusable?.count ?? 0), 0),
                read: sumOf(unusable.map(([, reading]) => reading)).read,
              },
            } as const,
          },
        ]),
  ];
}

const missingIn = (
  list: ReadingName,
  watched: Watchable,
  { unusable, updatedAtMs }: ResourceState<unknown>,
  nodes: readonly NodeName[] = [],
): readonly MissingRows[] =>
  unusable === undefined
    ? []
    : [
        {
          watched,
          readAtMs: updatedAtMs,
          finding: {
            key: `unusable ${watchKey(watched)}`,
            severity: 'warning',
            code: 'rows-unusable',
            evidence: { list, nodes, count: unusable.count, read: undefined },
          },
        },
      ];

/** Lists that are read as a whole, by the names of problems. */
const wholeLists = [
  ...vitalNames.map((name) => [name, vitalResources[name]] as const),
  ['settings', settings],
  ['users', users],
] as const satisfies readonly (readonly [ReadingName, Resource<unknown>])[];

/** Lists of one node each. */
const nodeLists = [
  ['nodePlugins', plugins],
  ['nodeSettings', nodeSettings],
] as const satisfies readonly (readonly [ReadingName, Resource<unknown, [node: NodeName]>])[];

const findMissing = (state: MonitorState): readonly MissingRows[] => [
  ...wholeLists.flatMap(([name, list]) => missingIn(name, list, reading<ResourceState<unknown>, []>(state, list))),
  ...nodeLists.flatMap(([name, list]) =>
    [...readings<ResourceState<unknown>, [NodeName]>(state, list)].flatMap(([node, each]) =>
      missingIn(name, watchOf<unknown, [NodeName]>(list, node), each, [node]),
    ),
  ),
  ...scanNames.flatMap((name) => missingInScan(name, reading<ScanState<unknown>, []>(state, scans[name]))),
];

/** Finds lists with missing rows. A list that is not watched was last seen when it was read. */
function missingRows(state: MonitorState): readonly Found<MissingProblem>[] {
  const watchedKeys = new Set((state.watched ?? []).map(watchKey));
  return findMissing(state).map(({ finding, watched, readAtMs }) =>
    watchedKeys.has(watchKey(watched)) ? finding : { ...finding, seenMs: readAtMs },
  );
}

function isRefuted(finding: Found<ReadingProblem>, { state, unjudged }: CheckInput): boolean {
  if (finding.code === 'login-rejected') return !state.isUnauthorized;
  if (state.isUnauthorized) return false;
  if (finding.code === 'read-failed')
    return finding.evidence.resources.every(
      (name) => selectVital(state)[name].error === undefined && selectVital(state)[name].data !== undefined,
    );
  if (unreadReasons({ unjudged }, ['metrics', 'stats']).length > 0) return false;
  if (finding.code === 'api-version') return true;
  const unread = new Set(unreadNodesOf(state, 'nodeStats'));
  return finding.evidence.nodes.every((node) => !unread.has(node));
}

/** Finds what cannot be read: failed requests, incomplete lists, invalid rows. Failed scans are left out: they may be old. */
export function judgeReadings(input: CheckInput): Judgement<ReadingProblem, object, UnreadReason> {
  const { state, found } = input;
  return {
    findings: [
      ...findFailures(
        state.isUnauthorized,
        state.proxyLoginError,
        state.apiDoubt,
        selectVital(state),
        selectNodes(state),
        state.urls,
        found.has(outageKey),
      ),
      ...missingRows(state),
    ],
    unchecked: unreadReasons(input, ['metrics', 'stats']),
    passed: {},
    refutes: (finding) => isRefuted(finding, input),
  };
}
