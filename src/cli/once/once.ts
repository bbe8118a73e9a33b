import { type ApiErrorKind, ProxyLoginError, TimeoutError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi, UnusableRows } from '../../api/management-api.ts';
import type { Listener } from '../../domain/administration.ts';
import { metricNames, type Metrics, type Stats } from '../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import type { TextPart } from '../../domain/text.ts';
import { type Clock, sleep, systemClock } from '../../monitor/clock.ts';
import { createHistory } from '../../monitor/history/history.ts';
import { toApiError } from '../../monitor/polling/backoff.ts';
import { emptyResource } from '../../monitor/polling/poller.ts';
import { createRequestScheduler } from '../../monitor/polling/request-scheduler.ts';
import { selectNodes } from '../../monitor/select/nodes.ts';
import { selectRate } from '../../monitor/select/rates.ts';
import { selectClientsByNode, selectTotals } from '../../monitor/select/totals.ts';
import type { MetricHistory, MonitorState, ResourceState } from '../../monitor/state.ts';
import { initialState } from '../../monitor/store.ts';
import type { CheckId } from '../../triage/check.ts';
import { emptyHistory } from '../../triage/memory.ts';
import { summarizeTriage } from '../../triage/standing.ts';
import { runChecks, type TriageReport } from '../../triage/triage.ts';

/** A value per node. Has no prototype, so any node name is a safe key. */
export type RecordByNode<T> = Readonly<Record<NodeName, T>>;

/** The parts of a snapshot, each read by one request. */
export type SnapshotPart = 'nodes' | 'nodeStats' | 'listeners' | 'metrics' | 'stats';

/** A node in both lists. Either half is `undefined` when its list failed or lacks the node. */
export interface SnapshotNode {
  readonly name: NodeName;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
}

/** A problem as the monitor words it. `text` is not escaped and may quote the broker. */
export interface SnapshotProblem {
  readonly check: CheckId;
  readonly severity: 'error' | 'warning';
  readonly text: string;
}

/** The cluster at one moment, as plain JSON values. A part that failed is `undefined` and listed in `errors`. */
export interface Snapshot {
  /** ISO 8601, UTC, by this machine's clock. */
  readonly takenAt: string;
  readonly variant: string | undefined;
  /** Errors first. */
  readonly problems: readonly SnapshotProblem[];
  /** Checks that ran completely and found no problem. */
  readonly fine: readonly CheckId[];
  /** Why the other checks did not run: lists that `--once` does not read, or missing data. */
  readonly notJudged: readonly string[];
  /** Sorted by name; `undefined` only when both lists of nodes failed. */
  readonly nodes: readonly SnapshotNode[] | undefined;
  readonly listeners: RecordByNode<readonly Listener[]> | undefined;
  readonly metrics: { readonly kind: 'by-node'; readonly nodes: RecordByNode<Metrics> } | { readonly kind: 'total'; readonly total: Metrics } | undefined;
  /** Counter increase per second between two readings; `undefined` after a single one. */
  readonly ratesPerSecond: Metrics | undefined;
  readonly stats: RecordByNode<Stats> | undefined;
  /** Connected clients. `total` is `undefined` when the count of a running node is missing. */
  readonly clients: { readonly total: number | undefined; readonly byNode: RecordByNode<number> };
  readonly errors: readonly SnapshotError[];
}

/** A part that could not be read. */
export interface SnapshotError {
  readonly part: SnapshotPart;
  readonly kind: ApiErrorKind;
  readonly message: string;
}

export interface SnapshotOptions {
  readonly clock?: Clock | undefined;
  /** Returns the variant; called after all answers. */
  readonly variant?: (() => string | undefined) | undefined;
  /** Delay before the counters are read again for their rates; without it they are read once. */
  readonly rateSeconds?: number | undefined;
  /** For all requests together; parts not read by then time out. */
  readonly deadlineMs?: number | undefined;
}

/** The result of `readCluster`. */
export interface Reading {
  readonly takenAtMs: number;
  readonly variant: string | undefined;
  /** The same state that the monitor keeps. */
  readonly state: MonitorState;
  readonly report: TriageReport;
  readonly errors: readonly SnapshotError[];
}

/** Reads all parts with five requests, and a sixth for rates. Never rejects: each part fails on its own. */
export async function readCluster(api: ManagementApi, options: SnapshotOptions = {}): Promise<Reading> {
  const { clock = systemClock, rateSeconds, deadlineMs } = options;
  const deadline = new AbortController();
  const { signal } = deadline;
  const cancelDeadline = deadlineMs === undefined ? undefined : clock.setTimer(deadlineMs, () => deadline.abort());
  const errors: SnapshotError[] = [];
  const { schedule } = createRequestScheduler();
  const history = createHistory();
  let metricHistory: MetricHistory = new Map();

  async function part<T>(name: SnapshotPart, request: (options: CallOptions) => Promise<T>): Promise<ResourceState<T>> {
    let unusable: UnusableRows | undefined;
    try {
      const data = await schedule(() => request({ signal, onUnusable: (rows) => { unusable = rows; } }), { signal, kind: 'cluster' });
      return { ...emptyResource<T>(), data, unusable, updatedAtMs: clock.nowMs() };
    } catch (thrown) {
      const ended = toApiError(thrown);
      const error = ended.kind === 'aborted' && deadlineMs !== undefined ? new TimeoutError(deadlineMs, { request: ended.request, cause: ended }) : ended;
      errors.push({ part: name, kind: error.kind, message: error.message });
      return { ...emptyResource<T>(), error };
    }
  }

  const readMetrics = (): Promise<ResourceState<ClusterFigures<Metrics>>> => part('metrics', async (options) => {
    const figures = await api.listMetrics(options);
    metricHistory = history.recordCluster(figures, clock.monotonicMs());
    return figures;
  });

  async function readMetricsTwice(): Promise<ResourceState<ClusterFigures<Metrics>>> {
    const first = await readMetrics();
    if (rateSeconds === undefined || first.error !== undefined) return first;
    await sleep(clock, rateSeconds * 1_000, signal);
    const second = await readMetrics();
    return second.error === undefined ? second : { ...first, error: second.error };
  }

  const [nodes, nodeStats, listeners, metrics, stats] = await Promise.all([
    part('nodes', (options) => api.listNodes(options)),
    part('nodeStats', (options) => api.listNodeStats(options)),
    part('listeners', (options) => api.listListeners(options)),
    readMetricsTwice(),
    part('stats', (options) => api.listStats(options)),
  ]);
  cancelDeadline?.();
  const takenAtMs = clock.nowMs();
  const state: MonitorState = {
    ...initialState(rateSeconds ?? 1), metricHistory,
    resources: { nodes, nodeStats, listeners, metrics, stats },
    capabilities: api.capabilities,
    variantDoubt: api.variantDoubt,
    isUnauthorized: errors.some(({ kind }) => kind === 'unauthorized'),
    proxyRefusal: [nodes, nodeStats, listeners, metrics, stats].map(({ error }) => error).find((error) => error instanceof ProxyLoginError),
    watched: (['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'] as const).map((name) => ({ kind: 'resource', name })),
  };
  return { takenAtMs, variant: options.variant?.(), state, report: runChecks({ state, history: emptyHistory, nowMs: takenAtMs }), errors };
}

const textOf = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join('');

/** Converts a reading into plain values. */
export function snapshotOf({ takenAtMs, variant, state, report, errors }: Reading): Snapshot {
  const { nodes, nodeStats, listeners, metrics, stats } = state.resources;
  const { fine, unread, doubts } = summarizeTriage(report, takenAtMs);
  return {
    takenAt: new Date(takenAtMs).toISOString(),
    variant,
    problems: report.findings.map(({ check, severity, parts }) => ({ check, severity, text: textOf(parts) })),
    fine,
    notJudged: [...unread.map((noun) => `${noun} not read`), ...doubts.map(textOf)],
    nodes: nodes.data === undefined && nodeStats.data === undefined ? undefined : selectNodes(state).map(({ name, info, stats: load }) => ({ name, info, stats: load })),
    listeners: listeners.data && toRecord(listeners.data),
    metrics: encodeFigures(metrics.data),
    ratesPerSecond: ratesOf(state),
    stats: stats.data && toRecord(stats.data),
    clients: countClients(state),
    errors,
  };
}

function ratesOf(state: MonitorState): Metrics | undefined {
  const known = metricNames.flatMap((name) => {
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
