import pLimit from 'p-limit';
import { AbortedError, UnauthorizedError } from '../api/errors.ts';
import type { ApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { Metrics } from '../domain/metric.ts';
import type { NodeName } from '../domain/node.ts';
import { createAdministration } from './administration.ts';
import { readClientDetail } from './client-detail.ts';
import type { Clock } from './clock.ts';
import { createJumpDetector, systemClock } from './clock.ts';
import { createFamily } from './family.ts';
import { createHistory } from './history.ts';
import { createJournal } from './journal.ts';
import { createScans, scanNames, scanTitles } from './monitor-scans.ts';
import { createPoller } from './poller.ts';
import type { Poller, PollOutcome } from './poller.ts';
import { createRequestMeter } from './request-meter.ts';
import type { Scan } from './scan.ts';
import { updateSeenNodes } from './seen-nodes.ts';
import type { ClientDetail, Monitor, ResourceName, Resources, ResourceState, Watched } from './state.ts';
import { createStateWriter, initialState } from './store.ts';
import { createWatchList } from './watch-list.ts';

export interface MonitorOptions {
  readonly api: ManagementApi;
  readonly clock?: Clock | undefined;
  /** Clamped to 0.5 to 60. */
  readonly intervalSeconds: number;
  /** 0 to 1; spreads back-off. */
  readonly random?: (() => number) | undefined;
}

const mostRequestsInFlight = 6;
/** What changes rarely is read at every fifth tick, but at least once a minute or at the interval. */
const slowFactor = 5;
const slowestMs = 60_000;
/** How often the count of requests is brought up to date while it only falls. */
const meterEveryMs = 5_000;

const clampInterval = (seconds: number): number => Math.min(60, Math.max(0.5, Number.isFinite(seconds) ? seconds : 2));

/** What polls or scans something that is watched. */
type Task = Pick<Scan, 'start' | 'stop' | 'reschedule'> & { refresh(): unknown };

/** Starts nothing by itself: what is watched is polled. See `Monitor`. */
export function createMonitor(options: MonitorOptions): Monitor {
  const { api } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const writer = createStateWriter(initialState(clampInterval(options.intervalSeconds)));
  const limit = pLimit(mostRequestsInFlight);
  const meter = createRequestMeter(clock);
  const history = createHistory();
  const clockJumpMs = createJumpDetector(clock);
  const journal = createJournal(writer, clock);
  const watchers = createWatchList();
  let isStopped = false;
  let cancelMeter: (() => void) | undefined;
  let slowStartedMs = Number.NEGATIVE_INFINITY;

  const intervalMs = (): number => writer.state().intervalSeconds * 1_000;
  const slowIntervalMs = (): number => Math.max(intervalMs(), Math.min(slowFactor * intervalMs(), slowestMs));

  function showMeter(): void {
    cancelMeter?.();
    cancelMeter = undefined;
    const requestsPerMinute = meter.perMinute();
    if (requestsPerMinute !== writer.state().requestsPerMinute) writer.write({ requestsPerMinute });
    if (requestsPerMinute > 0 && !isStopped) cancelMeter = clock.setTimer(meterEveryMs, showMeter);
  }

  function call<R>(request: () => Promise<R>, signal: AbortSignal): Promise<R> {
    return limit(async () => {
      // It may have waited for its turn.
      if (signal.aborted) throw new AbortedError();
      meter.note();
      showMeter();
      try {
        return await request();
      } finally {
        if (api.capabilities !== writer.state().capabilities) writer.write({ capabilities: api.capabilities });
      }
    });
  }

  function noteOutcome(source: string, outcome: PollOutcome<unknown>): void {
    if (outcome.kind !== 'failed') journal.success(source);
    else if (outcome.error instanceof UnauthorizedError) refuse(outcome.error);
    else journal.failure(source, outcome.error);
  }

  function refuse(error: ApiError): void {
    if (writer.state().isUnauthorized) return;
    writer.write({ isUnauthorized: true });
    journal.note('error', error.message);
    apply();
  }

  /** Two slow resources never come in the same tick. */
  function postponeSlowMs(): number {
    const nowMs = clock.monotonicMs();
    return Math.max(0, slowStartedMs + Math.min(intervalMs(), slowIntervalMs() / 2) - nowMs);
  }

  function resource<Name extends ResourceName>(
    name: Name,
    read: (signal: AbortSignal) => Promise<Resources[Name]>,
    after?: (data: Resources[Name], isChanged: boolean) => void,
  ): Poller<Resources[Name]> {
    const isSlow = name === 'nodes' || name === 'listeners';
    return createPoller<Resources[Name]>({
      clock,
      random,
      intervalMs: isSlow ? slowIntervalMs : intervalMs,
      postponeMs: isSlow ? postponeSlowMs : undefined,
      read: (signal) => {
        if (isSlow) slowStartedMs = clock.monotonicMs();
        return call(() => read(signal), signal);
      },
      onState: (state: ResourceState<Resources[Name]>) => {
        writer.write({ resources: { ...writer.state().resources, [name]: state } });
      },
      onOutcome: (outcome) => {
        if (outcome.kind !== 'failed') after?.(outcome.data, outcome.kind === 'changed');
        noteOutcome(name, outcome);
      },
    });
  }

  function seeNodes(answer: Resources['nodes'] | Resources['nodeStats'], isWhole: boolean): void {
    const before = writer.state().seenNodes ?? new Map();
    const { seen, changes } = updateSeenNodes(before, answer, isWhole, clock.nowMs());
    if (seen === before) return;
    writer.write({ seenNodes: seen });
    if (before.size === 0) return;
    writer.write({ metricHistory: history.breakTotal() });
    for (const { node, from, to } of changes) {
      const what = to === 'unknown' ? 'is no longer mentioned by the broker' : `is ${to}`;
      journal.note(to === 'running' ? 'info' : 'warning', `node ${node} ${what}${from === undefined ? ' (new)' : ` (was ${from})`}.`);
    }
  }

  /** A moment on the monotonic clock for a sample; breaks the series when the clocks parted. */
  function sampleMs(): number {
    const jumpMs = clockJumpMs();
    if (jumpMs !== 0) {
      history.breakAll();
      journal.note('info', `The clock jumped by ${Math.round(jumpMs / 1_000)} s (suspended?); rates begin anew.`);
    }
    return clock.monotonicMs();
  }

  const resources = {
    nodes: resource('nodes', (signal) => api.listNodes({ signal }), (nodes) => seeNodes(nodes, false)),
    nodeStats: resource('nodeStats', (signal) => api.listNodeStats({ signal }), (nodes) => seeNodes(nodes, true)),
    listeners: resource('listeners', (signal) => api.listListeners({ signal })),
    metrics: resource('metrics', (signal) => api.listMetrics({ signal }), (figures) => {
      writer.write({ metricHistory: history.recordCluster(figures, sampleMs()) });
    }),
    stats: resource('stats', async (signal) => {
      const before = writer.state().resources.stats.data;
      const stats = await api.listStats({ signal });
      if (!signal.aborted) writer.write({ previousStats: before });
      return stats;
    }),
  };

  const nodeMetrics = createFamily<Metrics>({
    mostKept: 64,
    create: (node: NodeName, onState) => createPoller({
      clock, random, intervalMs, onState,
      read: (signal) => call(() => api.getMetrics(node, { signal }), signal),
      onOutcome: (outcome) => {
        if (outcome.kind !== 'failed') writer.write({ metricHistory: history.recordNode(node, outcome.data, sampleMs()) });
        noteOutcome(`metrics of ${node}`, outcome);
      },
    }),
    onStates: (states) => writer.write({ nodeMetrics: states }),
  });

  const clientDetails = createFamily<ClientDetail>({
    mostKept: 16,
    create: (clientId: string, onState) => createPoller({
      clock, random, intervalMs, onState,
      read: (signal) => readClientDetail(api, clientId, call, signal),
      onOutcome: (outcome) => noteOutcome(`client ${clientId}`, outcome),
    }),
    onStates: (states) => writer.write({ clientDetails: states }),
  });

  const administration = createAdministration({ api, clock, writer, call, random, intervalMs: slowIntervalMs, onOutcome: noteOutcome });

  const scans = createScans({
    api, clock, writer, journal, call, random, intervalMs,
    nodeStats: resources.nodeStats,
    freshMs: () => 2 * intervalMs() + slowFactor * 1_000,
    onUnauthorized: refuse,
  });

  function taskOf(watched: Watched): Task {
    switch (watched.kind) {
      case 'resource': return resources[watched.name];
      case 'nodeMetrics': return nodeMetrics.get(watched.node);
      case 'clientDetail': return clientDetails.get(watched.clientId);
      case 'nodePlugins': return administration.nodePlugins.get(watched.node);
      case 'nodeSettings': return administration.nodeSettings.get(watched.node);
      case 'pluginSettings': return administration.pluginSettings.get(watched.node, watched.plugin);
      case 'settings':
      case 'users': return administration[watched.kind];
      default: return scans[watched.kind];
    }
  }

  /** Members of a family are remembered for a while after the last watcher has left. */
  function setKept(watched: Watched, isKept: boolean): void {
    const act = isKept ? 'keep' : 'release';
    switch (watched.kind) {
      case 'nodeMetrics': nodeMetrics[act](watched.node); break;
      case 'clientDetail': clientDetails[act](watched.clientId); break;
      case 'nodePlugins':
      case 'nodeSettings': administration[watched.kind][act](watched.node); break;
      case 'pluginSettings': administration.pluginSettings[act](watched.node, watched.plugin); break;
      default:
    }
  }

  const mayFetch = (): boolean => !isStopped && !writer.state().isFrozen && !writer.state().isUnauthorized;

  /** Starts or ends everything that is watched, as the state now says. */
  function apply(): void {
    const isOn = mayFetch();
    for (const watched of watchers.all()) {
      if (isOn) taskOf(watched).start();
      else taskOf(watched).stop();
    }
  }

  function acquire(watched: Watched): void {
    if (!watchers.add(watched)) return;
    setKept(watched, true);
    if (needsNodes(watched)) acquire(nodeStatsWatched);
    if (mayFetch()) taskOf(watched).start();
  }

  function release(watched: Watched): void {
    if (!watchers.remove(watched)) return;
    taskOf(watched).stop();
    setKept(watched, false);
    if (needsNodes(watched)) release(nodeStatsWatched);
  }

  function showWatched(): void {
    writer.write({ watched: watchers.all() });
  }

  return {
    store: writer.store,
    watch(watched) {
      if (isStopped) return () => {};
      acquire(watched);
      showWatched();
      let isHeld = true;
      return () => {
        if (!isHeld || isStopped) return;
        isHeld = false;
        release(watched);
        showWatched();
      };
    },
    refresh() {
      if (!mayFetch()) return;
      for (const watched of watchers.all()) void taskOf(watched).refresh();
    },
    abortScan(only) {
      const ended = scanNames.filter((name) => (only === undefined || only === name) && scans[name].abort());
      for (const name of ended) journal.note('info', `The scan of the ${scanTitles[name]} was ended by hand.`);
      writer.flush();
      return ended.length > 0;
    },
    setFrozen(isFrozen) {
      if (isStopped || isFrozen === writer.state().isFrozen) return;
      writer.write({ isFrozen });
      apply();
      writer.flush();
    },
    setIntervalSeconds(seconds) {
      const intervalSeconds = clampInterval(seconds);
      if (isStopped || intervalSeconds === writer.state().intervalSeconds) return;
      writer.write({ intervalSeconds });
      if (mayFetch()) for (const watched of watchers.all()) taskOf(watched).reschedule();
      writer.flush();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      limit.clearQueue();
      apply();
      cancelMeter?.();
      watchers.clear();
      writer.flush();
    },
  };
}

const nodeStatsWatched: Watched = { kind: 'resource', name: 'nodeStats' };

/** A scan by node learns from the statistics which nodes there are. */
const needsNodes = ({ kind }: Watched): boolean => kind === 'clientScan' || kind === 'sessionScan' || kind === 'subscriptionScan';
