import {
  type ApiError,
  type ApiErrorKind,
  asApiError,
  isNotOffered,
  ProxyLoginError,
  TimeoutError,
} from '../../api/errors.ts';
import type { CallOptions, ManagementApi, UnusableRows } from '../../api/management-api.ts';
import type { Listener } from '../../domain/administration.ts';
import { allMetricNames, type Metrics, type Stats } from '../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import { type Clock, sleep, systemClock, wallMs } from '../../monitor/clock.ts';
import { createHistory } from '../../resources/metrics/history.ts';
import { readTwice } from '../../monitor/polling/repeat.ts';
import { createRequestScheduler, type ScheduleOptions } from '../../monitor/polling/request-scheduler.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import { selectRate } from '../../resources/metrics/rates.ts';
import { selectClientsByNode, selectTotals } from '../../resources/statistics/select.ts';
import { emptyResource, type MonitorState, type ResourceState } from '../../monitor/state.ts';
import { initialState } from '../../monitor/store.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { createTriage } from '../../checks/triage.ts';
import { problemText, uncheckedText } from '../../checks/words.ts';
import { summarizeTriage, type TriageReport, type TriageSummary } from '../../triage/triage.ts';
import { triageTexts } from '../../ui/triage-texts.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { plainText } from '../../domain/sentence.ts';
import { maxOnceRows, type OnceList, readLists } from './lists.ts';
import { readAlarms } from '../../resources/alarms/resource.ts';
import { readSlowSubscriptions } from '../../resources/slow-subscriptions/resource.ts';
import { alarmWatches } from '../../resources/alarms/select.ts';
import type { ResourceName } from '../../resources/vital.ts';
import { alarms } from '../../resources/alarms/resource.ts';
import { listeners } from '../../resources/listeners/resource.ts';
import { metricHistory, metrics } from '../../resources/metrics/resource.ts';
import { nodes, nodeStats } from '../../resources/nodes/resource.ts';
import { plugins } from '../../resources/plugins/resource.ts';
import { readSettings, settings } from '../../resources/settings/resource.ts';
import { slowSubscriptions } from '../../resources/slow-subscriptions/resource.ts';
import { stats } from '../../resources/statistics/resource.ts';
import { selectVital, vitalResources } from '../../resources/vital.ts';
import type { Resource } from '../../monitor/query/query.ts';
import { reading, watching, watchOf, withReading } from '../../monitor/query/part.ts';

export type RecordByNode<T> = Readonly<Record<NodeName, T>>;

/** Names what is read: the parts of a snapshot, and the lists that only checks need. */
export type SnapshotPart = ResourceName | OnceList | 'alarms' | 'slow subscriptions' | 'plugins' | 'settings';

/** A node. Either half is `undefined` when its list failed or lacks the node. */
export interface SnapshotNode {
  readonly name: NodeName;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
}

/** A problem. `text` is not escaped; it may quote the broker. */
export interface SnapshotProblem {
  readonly check: string;
  readonly code: string;
  readonly severity: Severity;
  readonly text: string;
}

/** What `--once` reads. A part that failed is `undefined` and listed in `errors`. */
export interface Snapshot {
  /** ISO 8601, UTC, by this machine's clock. */
  readonly takenAt: string;
  readonly variant: string | undefined;
  readonly problems: readonly SnapshotProblem[];
  readonly ok: readonly string[];
  /** Why other checks are incomplete: lists that were not read, or missing data. */
  readonly notChecked: readonly string[];
  /** Sorted by name; `undefined` only when both lists of nodes failed. */
  readonly nodes: readonly SnapshotNode[] | undefined;
  readonly listeners: RecordByNode<readonly Listener[]> | undefined;
  readonly metrics:
    | { readonly kind: 'by-node'; readonly nodes: RecordByNode<Metrics> }
    | { readonly kind: 'total'; readonly total: Metrics }
    | undefined;
  /** The increase of counters per second between two readings; `undefined` after a single one. */
  readonly ratesPerSecond: Metrics | undefined;
  readonly stats: RecordByNode<Stats> | undefined;
  readonly clients: { readonly total: number | undefined; readonly byNode: RecordByNode<number> };
  readonly errors: readonly SnapshotError[];
}

export interface SnapshotError {
  readonly part: SnapshotPart;
  readonly kind: ApiErrorKind;
  readonly message: string;
}

export interface SnapshotOptions {
  readonly clock?: Clock | undefined;
  readonly variant?: (() => string | undefined) | undefined;
  /** Delay before the second reading of the metrics and of the sessions; without it they are read once. */
  readonly rateSeconds?: number | undefined;
  readonly deadlineMs?: number | undefined;
  /** Returns what is known of the cause when the deadline ends requests. */
  readonly whyLost?: (() => string | undefined) | undefined;
  /** Skips sessions, clients, alarms, plugins and settings. */
  readonly isQuick?: boolean | undefined;
  /** Limits the rows of the sessions and of the clients; default 20,000. A longer list is not read. */
  readonly maxRows?: number | undefined;
}

export interface Reading {
  readonly takenAtMs: number;
  readonly variant: string | undefined;
  readonly rateSeconds: number | undefined;
  readonly isQuick: boolean;
  /** Lists with more than `maxRows` rows. */
  readonly tooLong: ReadonlySet<OnceList>;
  readonly maxRows: number;
  /** The same state that the monitor keeps. */
  readonly state: MonitorState;
  readonly report: TriageReport;
  /** Messages per second that full queues lost between the two readings; `undefined` if unknown. */
  readonly queueDropsPerSecond: number | undefined;
  readonly errors: readonly SnapshotError[];
}

/** The monitor's interval, by which data that was read at the start is still current at the end. */
const checkIntervalSeconds = 2;

/**
 * Reads everything that Triage reads, each part once, and the metrics and sessions twice. Never rejects: each part
 * fails on its own.
 */
export async function readCluster(api: ManagementApi, options: SnapshotOptions = {}): Promise<Reading> {
  const { clock = systemClock, rateSeconds, deadlineMs, whyLost, isQuick = false, maxRows = maxOnceRows } = options;
  const deadline = new AbortController();
  const { signal } = deadline;
  const cancelDeadline = deadlineMs === undefined ? undefined : clock.setTimer(deadlineMs, () => deadline.abort());
  const errors: SnapshotError[] = [];
  const tooLong = new Set<OnceList>();
  const { schedule } = createRequestScheduler();
  const history = createHistory();
  const triage = createTriage();
  let state: MonitorState = {
    ...initialState(checkIntervalSeconds),
    ...watching({}, ...Object.values(vitalResources)),
  };

  function write(patch: Partial<MonitorState>): void {
    state = { ...state, ...patch };
    triage.follow(state);
  }

  function fail(part: SnapshotPart, { kind, message }: ApiError): void {
    if (!errors.some((known) => known.part === part && known.message === message)) errors.push({ part, kind, message });
  }

  async function read<T>(
    name: SnapshotPart,
    request: (options: CallOptions) => Promise<T>,
    place: Pick<ScheduleOptions, 'kind' | 'node'> = { kind: 'cluster' },
  ): Promise<ResourceState<T>> {
    let unusable: UnusableRows | undefined;
    try {
      const data = await readTwice(
        () =>
          schedule(
            () =>
              request({
                signal,
                onUnusable: (rows) => {
                  unusable = rows;
                },
              }),
            { signal, ...place },
          ),
        { clock, signal },
      );
      return { ...emptyResource<T>(), data, unusable, updatedAtMs: clock.nowMs() };
    } catch (thrown) {
      const ended = asApiError(thrown);
      const error =
        ended.kind === 'aborted' && deadlineMs !== undefined
          ? new TimeoutError(deadlineMs, { request: ended.request, cause: ended, hint: whyLost?.() })
          : ended;
      if (place.kind === 'cluster' || !isNotOffered(error)) fail(name, error);
      return { ...emptyResource<T>(), error };
    }
  }

  async function readVital<Data>(
    name: ResourceName,
    resource: Resource<Data>,
    request: (options: CallOptions) => Promise<Data>,
  ): Promise<ResourceState<Data>> {
    const answer = await read(name, request);
    write(withReading(state, resource, answer));
    return answer;
  }

  const readMetrics = (): Promise<ResourceState<ClusterFigures<Metrics>>> =>
    readVital('metrics', metrics, async (request) => {
      const figures = await api.listMetrics(request);
      write(withReading(state, metricHistory, history.recordCluster(figures, clock.monotonicMs())));
      return figures;
    });

  async function readMetricsTwice(): Promise<void> {
    const first = await readMetrics();
    if (rateSeconds === undefined || first.error !== undefined) return;
    await sleep(clock, rateSeconds * 1_000, signal);
    const { error } = await readMetrics();
    if (error !== undefined) write(withReading(state, metrics, { ...first, error }));
  }

  const detail = { kind: 'detail' } as const;

  async function readAllAlarms(): Promise<void> {
    const watches = alarmWatches(state);
    if (watches.length === 0) return;
    write(watching(state, ...watches));
    const answer = await read('alarms', (request) => readAlarms(api, state, request), detail);
    write(withReading(state, alarms, answer));
  }

  async function readSlow(): Promise<void> {
    if (state.capabilities?.slowSubscriptions !== true) return;
    write(watching(state, slowSubscriptions));
    const answer = await read('slow subscriptions', (request) => readSlowSubscriptions(api, request), detail);
    write(withReading(state, slowSubscriptions, answer));
  }

  async function readAllSettings(): Promise<void> {
    if (state.capabilities?.settings !== true) return;
    write(watching(state, settings));
    const answer = await read('settings', (request) => readSettings(api, request), detail);
    write(withReading(state, settings, answer));
  }

  async function readPlugins(node: NodeName): Promise<void> {
    write(watching(state, watchOf(plugins, node)));
    const answer = await read('plugins', (request) => api.listPlugins(node, request), { kind: 'detail', node });
    write(withReading(state, plugins, answer, node));
  }

  /** Reads what only Triage needs. The list of nodes must be known. */
  async function readTriage(): Promise<void> {
    write({ capabilities: api.capabilities });
    if (isQuick || signal.aborted || reading(state, nodeStats).data === undefined) return;
    const running = selectNodes(state).filter(({ status }) => status === 'running');
    const lists = readLists({
      api,
      clock,
      schedule,
      signal,
      deadlineMs,
      rateSeconds,
      maxRows,
      write,
      state: () => state,
      onError: fail,
      onTooLong: (list) => {
        tooLong.add(list);
      },
    });
    // Of several addresses, the sessions show which node answers at each.
    const hasOthers = (api.urls?.length ?? 0) > 1;
    await Promise.all([
      hasOthers ? lists.then(readAllAlarms) : lists,
      ...(hasOthers ? [] : [readAllAlarms()]),
      readSlow(),
      readAllSettings(),
      ...running.map(({ name }) => readPlugins(name)),
    ]);
  }

  await Promise.all([
    Promise.all([
      readVital('nodes', nodes, (request) => api.listNodes(request)),
      readVital('nodeStats', nodeStats, (request) => api.listNodeStats(request)),
      readVital('stats', stats, (request) => api.listStats(request)),
    ]).then(readTriage),
    readMetricsTwice(),
    readVital('listeners', listeners, (request) => api.listListeners(request)),
  ]);
  cancelDeadline?.();
  write({
    capabilities: api.capabilities,
    apiDoubt: api.apiDoubt,
    isUnauthorized: errors.some(({ kind }) => kind === 'unauthorized'),
    proxyLoginError: Object.values(selectVital(state))
      .map(({ error }) => error)
      .find((error) => error instanceof ProxyLoginError),
  });
  const takenAtMs = clock.nowMs();
  const report = triage.update(state, takenAtMs);
  const queueDropsPerSecond =
    triage.sessionReadings() < 2 ? undefined : triage.queueDrops(state, takenAtMs).current?.cluster.perSecond;
  return {
    takenAtMs,
    variant: options.variant?.(),
    rateSeconds,
    isQuick,
    tooLong,
    maxRows,
    state,
    report,
    queueDropsPerSecond,
    errors,
  };
}

/** Whether any request succeeded. */
export const hasAnything = ({ state }: Pick<Reading, 'state'>): boolean =>
  Object.values(selectVital(state)).some(({ data }) => data !== undefined);

/** Lists what was not read, and why. */
export function unreadLists(
  { isQuick, tooLong, maxRows }: Pick<Reading, 'isQuick' | 'tooLong' | 'maxRows'>,
  unread: TriageSummary['unread'],
): readonly { readonly nouns: readonly string[]; readonly why: SafeText }[] {
  const others = unread.filter((noun) => noun !== 'sessions' || !tooLong.has(noun));
  return [
    ...(tooLong.size === 0 ? [] : [{ nouns: [...tooLong], why: triageTexts.overOnceLimit(maxRows) }]),
    ...(others.length === 0 ? [] : [{ nouns: others, why: isQuick ? triageTexts.unreadQuick : triageTexts.notRead }]),
  ];
}

export function snapshotOf(reading: Reading): Snapshot {
  const { takenAtMs, variant, state, report, errors } = reading;
  const vital = selectVital(state);
  const { ok, unread, unchecked } = summarizeTriage(report, takenAtMs);
  return {
    takenAt: new Date(wallMs(takenAtMs)).toISOString(),
    variant,
    problems: report.problems.map((finding) => ({
      check: finding.check,
      code: finding.code,
      severity: finding.severity,
      text: plainText(problemText(finding)),
    })),
    ok,
    notChecked: [
      ...unreadLists(reading, unread).flatMap(({ nouns, why }) => nouns.map((noun) => `${noun} ${why}`)),
      ...unchecked.map((reason) => plainText(uncheckedText(reason))),
    ],
    nodes:
      vital.nodes.data === undefined && vital.nodeStats.data === undefined
        ? undefined
        : selectNodes(state).map(({ name, info, stats: load }) => ({ name, info, stats: load })),
    listeners: vital.listeners.data && toRecord(vital.listeners.data),
    metrics: encodeFigures(vital.metrics.data),
    ratesPerSecond: ratesOf(state),
    stats: vital.stats.data && toRecord(vital.stats.data),
    clients: countClients(state),
    errors,
  };
}

function ratesOf(state: MonitorState): Metrics | undefined {
  const known = allMetricNames.flatMap((name) => {
    const perSecond = selectRate(state, name);
    return perSecond === undefined ? [] : [[name, perSecond] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function toRecord<T>(byNode: ByNode<T>): RecordByNode<T> {
  const record: Record<NodeName, T> = Object.create(null);
  for (const [node, value] of byNode) record[node] = value;
  return record;
}

function encodeFigures(figures: ClusterFigures<Metrics> | undefined): Snapshot['metrics'] {
  if (figures?.kind !== 'by-node') return figures;
  return { kind: 'by-node', nodes: toRecord(figures.nodes) };
}

function countClients(state: MonitorState): Snapshot['clients'] {
  const { value, missingNodes } = selectTotals(state).clients;
  return { total: missingNodes.length === 0 ? value : undefined, byNode: toRecord(selectClientsByNode(state)) };
}
