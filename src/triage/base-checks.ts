import { type ApiError, gatewayStatuses, HttpStatusError, NoAnswerError, TimeoutError } from '../api/errors.ts';
import { memoise } from '../domain/memoise.ts';
import type { NodeName } from '../domain/node.ts';
import { mayPass } from '../monitor/polling/repeat.ts';
import type { NotChecked } from '../monitor/select/freshness.ts';
import {
  type Gauge,
  type ListenerRow,
  type NodeRow,
  requestedMsOf,
  selectListeners,
  selectNodes,
  selectUnreadNodes,
} from '../monitor/select/nodes.ts';
import { selectTotals } from '../monitor/select/totals.ts';
import {
  type LastKnown,
  type MonitorState,
  type ResourceName,
  type ResourceState,
  type ScanCoverage,
  type ScanName,
  type ScanState,
  type Watched,
  watchedKey,
  wholeCluster,
} from '../monitor/state.ts';
import {
  type CheckInput,
  type CheckResult,
  type Evidence,
  type Finding,
  type ListName,
  noneFound,
  type Passed,
  type Problem,
  type Target,
  type UncheckedReason,
} from './check.ts';
import { type Severity, severityOf, type Threshold, thresholds } from './thresholds.ts';

type BaseCheck = 'readings' | 'nodes' | 'listeners' | 'limits';

/** Critical ones first. Failures of scans are left out: they may be old. */
export function selectProblems(state: MonitorState, found = noneFound): readonly Finding[] {
  return findProblems(
    state.isUnauthorized,
    state.proxyLoginError,
    state.apiDoubt,
    state.resources,
    selectNodes(state),
    selectListeners(state),
    state.lastKnown,
    state.urls,
    found,
  );
}

const findProblems = memoise(
  (
    isUnauthorized: boolean,
    proxyRefusal: MonitorState['proxyLoginError'],
    variantDoubt: string | undefined,
    resources: MonitorState['resources'],
    nodes: readonly NodeRow[],
    listeners: readonly ListenerRow[] | undefined,
    lastKnown: MonitorState['lastKnown'],
    urls: MonitorState['urls'],
    found: CheckInput['found'],
  ): readonly Finding[] => {
    const problems = [
      ...(isUnauthorized
        ? [loginRejected(proxyRefusal, resources)]
        : failedReadings(resources, nodes, urls ?? [], found.has(outageKey))),
      ...(variantDoubt === undefined
        ? []
        : [readingFinding('variant', 'warning', { code: 'api-version', evidence: { message: variantDoubt } })]),
      ...nodes.flatMap((node) => nodeStatus(node, lastClients(lastKnown?.get(node.name)))),
      ...nodes.flatMap((node) => nodeLimits(node, found)),
      ...listenersDown(listeners ?? []),
      ...(listeners ?? []).flatMap((listener) => listenerLimit(listener, found)),
    ];
    return [
      ...problems.filter(({ severity }) => severity === 'critical'),
      ...problems.filter(({ severity }) => severity === 'warning'),
    ];
  },
);

const readingFinding = (key: string, severity: Severity, problem: Problem, sinceMs?: number): Finding => ({
  key,
  check: 'readings',
  severity,
  target: { kind: 'log' },
  sinceMs,
  ...problem,
});

const resourceOrder: readonly ResourceName[] = ['nodeStats', 'stats', 'metrics', 'nodes', 'listeners'];

function loginRejected(proxyRefusal: MonitorState['proxyLoginError'], resources: MonitorState['resources']): Finding {
  const refused = resourceOrder.find((name) => resources[name].error?.kind === 'unauthorized');
  return readingFinding(
    'unauthorized',
    'critical',
    { code: 'login-rejected', evidence: { proxyMessage: proxyRefusal?.message } },
    refused && resources[refused].failingSinceMs,
  );
}

const nodeKey = (node: NodeName): string => `node ${node}`;

/** In so long the others have given up a node that does not respond, and answer for themselves. */
const giveUpMs = 30_000;

/** Of the problem that nothing can be read. */
const outageKey = 'readings';

/**
 * What waits for a silent node fails because of it: the node is the finding, which the next reading of the nodes shows.
 * @param wasOutage what has not been read again since is a part of the outage, and no other problem
 */
function failedReadings(
  resources: MonitorState['resources'],
  nodes: readonly NodeRow[],
  urls: readonly string[],
  wasOutage: boolean,
): readonly Finding[] {
  const { updatedAtMs: nodesReadMs = 0, error: nodesError } = resources.nodeStats;
  const hasSilentNode = nodes.some(({ isSilent }) => isSilent === true);
  // Once the node answers again, it is read again.
  const mayWait = ({ error, failingSinceMs = 0, isFetching }: ResourceState<unknown>): boolean =>
    error?.kind === 'node-unreachable'
      ? hasSilentNode || isFetching
      : error?.kind === 'timeout' && nodesError === undefined && (hasSilentNode || nodesReadMs < failingSinceMs);
  const isFailing = (resource: ResourceState<unknown>): boolean => resource.error !== undefined && !mayWait(resource);
  const failing = resourceOrder.filter((name) => isFailing(resources[name]));
  const errorOf = (name: ResourceName): ApiError | undefined => resources[name].error;
  const sentMs = (name: ResourceName): number => {
    const error = errorOf(name);
    return (
      (resources[name].failingSinceMs ?? Number.NEGATIVE_INFINITY) -
      (error instanceof TimeoutError ? error.deadlineMs : 0)
    );
  };
  const lastSentMs = Math.max(...failing.map(sentMs));
  const isReadSince = (name: ResourceName): boolean => (resources[name].updatedAtMs ?? -Infinity) >= lastSentMs;
  const isPolled = (name: ResourceName): boolean =>
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
  const sinceOf = (names: readonly ResourceName[]): number | undefined => {
    const since = names
      .map((name) => Math.max(sentMs(name), resources[name].updatedAtMs ?? Number.NEGATIVE_INFINITY))
      .filter(Number.isFinite);
    return since.length === names.length ? Math.min(...since) : undefined;
  };
  const finding = (
    key: string,
    names: readonly ResourceName[],
    error: ApiError | undefined,
    partOf?: string,
  ): Finding => ({
    ...readingFinding(
      key,
      'critical',
      {
        code: 'read-failed',
        evidence: {
          resources: names,
          isAll: names.length === resourceOrder.length,
          reason: error?.message ?? '',
          unreachable:
            names.length === resourceOrder.length && failing.every((name) => isConnectionError(errorOf(name)))
              ? { brief: error?.brief ?? '', urls }
              : undefined,
        },
      },
      sinceOf(names.filter((name) => failing.includes(name))),
    ),
    partOf,
    ...(isUndecided && { isUndecided }),
  });
  /** The node because of which it fails: the others refuse some reads while they give a node up. */
  const nodeOf = (name: ResourceName): string | undefined => {
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

/** What all requests fail with while the broker, or the way to it, is down. */
const mayBeOutage = (error: ApiError | undefined): boolean =>
  isConnectionError(error) || (error instanceof HttpStatusError && gatewayStatuses.has(error.status));

/** What reads that need a node which does not respond fail with, until the others have given it up. */
const mayBeOfNode = (error: ApiError | undefined): boolean =>
  error instanceof NoAnswerError ||
  error?.kind === 'not-found' ||
  error?.kind === 'node-unreachable' ||
  error?.kind === 'timeout';

const isPassing = (error: ApiError | undefined): boolean => error !== undefined && mayPass(error);

export const lastClients = (last: LastKnown | undefined): number | undefined =>
  last?.stats?.clients ?? last?.counts?.clients.count;

function nodeStatus(
  { name: node, status, statusText, isSilent, sinceMs }: NodeRow,
  clients: number | undefined,
): readonly Finding[] {
  const facts = { key: nodeKey(node), check: 'nodes', target: { kind: 'node', node }, sinceMs } as const;
  if (status === 'running') return [];
  if (isSilent === true) return [{ ...facts, severity: 'critical', code: 'node-silent', evidence: { node, clients } }];
  return status === 'other'
    ? [{ ...facts, severity: 'warning', code: 'node-status', evidence: { node, status: statusText } }]
    : [{ ...facts, severity: 'critical', code: 'node-down', evidence: { node, status, clients } }];
}

function nodeLimits(
  { name: node, memory, processes, fileDescriptors }: NodeRow,
  found: CheckInput['found'],
): readonly Finding[] {
  const limit = (
    figure: Evidence['node-near-limit']['figure'],
    gauge: Gauge,
    threshold: Threshold,
  ): readonly Finding[] =>
    overLimit(gauge, threshold, found.has(`${figure} ${node}`)).map(({ severity, share }) => ({
      key: `${figure} ${node}`,
      check: 'limits',
      severity,
      target: { kind: 'node', node },
      code: 'node-near-limit',
      evidence: { node, figure, share },
    }));
  return [
    ...limit('memory', memory, thresholds.memory),
    ...limit('processes', processes, thresholds.processes),
    ...limit('descriptors', fileDescriptors, thresholds.fileDescriptors),
  ];
}

const listenerName = ({ listener: { id, protocol, listen } }: ListenerRow): string => id ?? `${protocol} ${listen}`;

/** A listener that does not run although it is enabled, or although it runs on another node. Disabled on all nodes it is so on purpose. */
function listenersDown(listeners: readonly ListenerRow[]): readonly Finding[] {
  const known = listeners.filter(({ listener: { running } }) => running !== undefined);
  return [...Map.groupBy(known, listenerName)].flatMap(([listener, rows]): readonly Finding[] => {
    const down = rows.filter(({ listener: { running } }) => running !== 'yes');
    const isDownEverywhere = down.length === rows.length;
    const [first] = down;
    if (
      first === undefined ||
      (isDownEverywhere && rows.every(({ listener: { isEnabled, running } }) => isEnabled !== true && running === 'no'))
    )
      return [];
    return [
      {
        key: `listener down ${listener}`,
        check: 'listeners',
        severity: isDownEverywhere ? 'critical' : 'warning',
        target: { kind: 'listeners', node: down.length === 1 ? first.node : undefined },
        code: 'listener-down',
        evidence: { listener, on: down.map(({ node }) => node), nodes: rows.length },
      },
    ];
  });
}

const listenerLimit = (
  { key, node, listener: { protocol, listen }, clients }: ListenerRow,
  found: CheckInput['found'],
): readonly Finding[] =>
  overLimit(clients, thresholds.listenerClients, found.has(`listener ${key}`)).map(({ severity, share }) => ({
    key: `listener ${key}`,
    check: 'listeners',
    severity,
    target: { kind: 'listeners', node },
    code: 'listener-near-limit',
    evidence: { node, listener: `${protocol} ${listen}`, share },
  }));

function overLimit(
  { share }: Gauge,
  threshold: Threshold,
  wasFound: boolean,
): readonly { readonly severity: Severity; readonly share: number }[] {
  const severity = severityOf(share, threshold, wasFound);
  return severity === undefined || share === undefined ? [] : [{ severity, share }];
}

interface MissingRows {
  readonly finding: Finding;
  readonly watched: Watched;
  readonly readAtMs: number | undefined;
}

const scanTargets: Readonly<Record<ScanName, Target>> = {
  clientScan: { kind: 'clients' },
  sessionScan: { kind: 'sessions' },
  subscriptionScan: { kind: 'subscriptions' },
  routeScan: { kind: 'log' },
};

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
  const watched = { kind: list } as const;
  return [
    ...(why === undefined
      ? []
      : [
          {
            watched,
            readAtMs,
            finding: {
              ...readingFinding(`cut ${list}`, 'warning', {
                code: 'list-cut',
                evidence: { list, nodes: namesOf(cut), cut: why, ...sumOf(cut.map(([, reading]) => reading)) },
              }),
              target: scanTargets[list],
            },
          },
        ]),
    ...(unusable.length === 0
      ? []
      : [
          {
            watched,
            readAtMs,
            finding: readingFinding(`unusable ${list}`, 'warning', {
              code: 'rows-unusable',
              evidence: {
                list,
                nodes: namesOf(unusable),
                count: unusable.reduce((sum, [, reading]) => sum + (reading.unusable?.count ?? 0), 0),
                read: sumOf(unusable.map(([, reading]) => reading)).read,
              },
            }),
          },
        ]),
  ];
}

const missingIn = (
  list: ListName,
  watched: Watched,
  { unusable, updatedAtMs }: ResourceState<unknown>,
  nodes: readonly NodeName[] = [],
): readonly MissingRows[] =>
  unusable === undefined
    ? []
    : [
        {
          watched,
          readAtMs: updatedAtMs,
          finding: readingFinding(`unusable ${JSON.stringify(watched)}`, 'warning', {
            code: 'rows-unusable',
            evidence: { list, nodes, count: unusable.count, read: undefined },
          }),
        },
      ];

const findMissing = memoise(
  (
    resources: MonitorState['resources'],
    clientScan: MonitorState['clientScan'],
    sessionScan: MonitorState['sessionScan'],
    subscriptionScan: MonitorState['subscriptionScan'],
    routeScan: MonitorState['routeScan'],
    nodePlugins: MonitorState['nodePlugins'],
    settings: MonitorState['settings'],
    nodeSettings: MonitorState['nodeSettings'],
    users: MonitorState['users'],
  ): readonly MissingRows[] => [
    ...(['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'] as const).flatMap((name) =>
      missingIn(name, { kind: 'resource', name }, resources[name]),
    ),
    ...missingInScan('clientScan', clientScan),
    ...missingInScan('sessionScan', sessionScan),
    ...missingInScan('subscriptionScan', subscriptionScan),
    ...missingInScan('routeScan', routeScan),
    ...[...nodePlugins].flatMap(([node, state]) =>
      missingIn('nodePlugins', { kind: 'nodePlugins', node }, state, [node]),
    ),
    ...missingIn('settings', { kind: 'settings' }, settings),
    ...[...nodeSettings].flatMap(([node, state]) =>
      missingIn('nodeSettings', { kind: 'nodeSettings', node }, state, [node]),
    ),
    ...missingIn('users', { kind: 'users' }, users),
  ],
);

/** A list that is not watched was last seen when it was read. */
function missingRows({
  watched: all,
  resources,
  clientScan,
  sessionScan,
  subscriptionScan,
  routeScan,
  nodePlugins,
  settings,
  nodeSettings,
  users,
}: MonitorState): readonly Finding[] {
  const watchedKeys = new Set((all ?? []).map(watchedKey));
  return findMissing(
    resources,
    clientScan,
    sessionScan,
    subscriptionScan,
    routeScan,
    nodePlugins,
    settings,
    nodeSettings,
    users,
  ).map(({ finding, watched, readAtMs }) =>
    watchedKeys.has(watchedKey(watched)) ? finding : { ...finding, seenMs: readAtMs },
  );
}

type UnreadResource = Extract<NotChecked, { readonly kind: 'resource' }>;

const reasonOf = ({ resource, ageSeconds }: UnreadResource): UncheckedReason =>
  ageSeconds === undefined
    ? { code: 'reading-missing', resource }
    : { code: 'reading-old', resource, ageSeconds: Math.floor(ageSeconds) };

export const unreadReasons = (
  { unjudged }: CheckInput,
  resources: readonly ResourceName[],
): readonly UncheckedReason[] =>
  unjudged.flatMap((item) => (item.kind === 'resource' && resources.includes(item.resource) ? [reasonOf(item)] : []));

function unknownLimits({ unjudged }: CheckInput, check: 'listeners' | 'limits'): readonly UncheckedReason[] {
  const items = unjudged
    .filter((item) => item.kind === 'limit')
    .filter(({ figure }) => (figure === 'connections') === (check === 'listeners'));
  return [...Map.groupBy(items, ({ figure }) => figure)].map(([figure, of]) => ({
    code: 'limit-unknown',
    figure,
    nodes: of.map(({ node }) => node),
  }));
}

const resourcesOf: Readonly<Record<BaseCheck, readonly ResourceName[]>> = {
  readings: ['metrics', 'stats'],
  nodes: ['nodes', 'nodeStats'],
  listeners: ['listeners'],
  limits: ['nodeStats'],
};

function passedOf(check: BaseCheck, state: MonitorState): Passed {
  const nodes = selectNodes(state);
  // Nodes that are down have no figures: they are findings of their own.
  const down = new Set(
    nodes.filter(({ status }) => status === 'stopped' || status === 'unknown').map(({ name }) => name),
  );
  switch (check) {
    case 'readings':
      return { check };
    case 'nodes':
      return { check, nodes: nodes.length };
    case 'listeners':
      return {
        check,
        listeners: (selectListeners(state) ?? []).filter(({ node }) => !down.has(node)).length,
        nodesDown: down.size,
      };
    case 'limits':
      return { check, nodesDown: down.size };
  }
}

const targets = {
  readings: { kind: 'log' },
  nodes: { kind: 'nodes' },
  listeners: { kind: 'listeners' },
  limits: { kind: 'nodes' },
} as const satisfies Record<BaseCheck, Target>;

/** What became of the clients of a node that went down: they may have moved to the others. */
function withClusterClients(finding: Finding, { state, history: { clientsOfAllNodes: before } }: CheckInput): Finding {
  const { value: now, missingNodes } = selectTotals(state).clients;
  if (finding.code !== 'node-down' || before === undefined || now === undefined || missingNodes.length > 0)
    return finding;
  return { ...finding, evidence: { ...finding.evidence, clusterClients: { before, now } } };
}

/** The list of nodes only adds to their statistics. */
const sourcesOf = (check: BaseCheck, { resources }: MonitorState): readonly ResourceName[] =>
  check === 'nodes' && resources.nodes.data === undefined ? ['nodeStats'] : resourcesOf[check];

const unreadNodesOf = (state: MonitorState, resource: ResourceName): readonly NodeName[] =>
  selectUnreadNodes(state, requestedMsOf(state.resources[resource]) ?? -Infinity);

/** What the nodes report together is complete. */
export const areAllNodesRead = (
  state: MonitorState,
  reading: Pick<ResourceState<unknown>, 'updatedAtMs' | 'durationMs'> | undefined,
): boolean =>
  selectUnreadNodes(state, (reading === undefined ? undefined : requestedMsOf(reading)) ?? -Infinity).length === 0;

const isUpAgain = ({ listener, on }: Evidence['listener-down'], state: MonitorState): boolean =>
  on.every((node) =>
    (selectListeners(state) ?? []).some(
      (row) => row.node === node && listenerName(row) === listener && row.listener.running === 'yes',
    ),
  );

/** Of a node that does not run, the figures are unknown; of one that is gone, nothing is left. */
function isRefuted(check: BaseCheck, finding: Finding, input: CheckInput): boolean {
  const { state, unjudged } = input;
  if (finding.code === 'login-rejected') return !state.isUnauthorized;
  if (state.isUnauthorized) return false;
  if (finding.code === 'read-failed')
    return finding.evidence.resources.every(
      (name) => state.resources[name].error === undefined && state.resources[name].data !== undefined,
    );
  if (unreadReasons(input, sourcesOf(check, state)).length > 0) return false;
  const unread = new Set(unreadNodesOf(state, check === 'listeners' ? 'listeners' : 'nodeStats'));
  if (finding.code === 'list-cut' || finding.code === 'rows-unusable')
    return finding.evidence.nodes.every((node) => !unread.has(node));
  if (finding.code === 'listener-down') return unread.size === 0 || isUpAgain(finding.evidence, state);
  if (finding.code !== 'node-near-limit' && finding.code !== 'listener-near-limit') return true;
  const { node } = finding.evidence;
  const figure = finding.code === 'node-near-limit' ? finding.evidence.figure : 'connections';
  return (
    !unread.has(node) && !unjudged.some((item) => item.kind === 'limit' && item.node === node && item.figure === figure)
  );
}

export function baseChecks(input: CheckInput): readonly CheckResult[] {
  const { state } = input;
  const findings = [
    ...selectProblems(state, input.found).map((finding) => withClusterClients(finding, input)),
    ...missingRows(state),
  ];
  return (['readings', 'nodes', 'listeners', 'limits'] as const).map((check): CheckResult => ({
    check,
    findings: findings.filter((finding) => finding.check === check),
    unchecked: [
      ...unreadReasons(input, resourcesOf[check]),
      ...(check === 'listeners' || check === 'limits' ? unknownLimits(input, check) : []),
    ],
    passed: passedOf(check, state),
    target: targets[check],
    refutes: (finding) => isRefuted(check, finding, input),
  }));
}
