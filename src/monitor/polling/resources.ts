import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import type { Route } from '../../domain/client.ts';
import type { Metrics } from '../../domain/metrics.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import { createHistory, createSampleTimes } from '../history/history.ts';
import { createLastKnown, updateSeenNodes } from '../history/nodes.ts';
import type { Journal } from '../journal.ts';
import type { ClientDetail, ResourceName, Resources, ResourceState } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { createOfflineDetail, readClientDetail } from './client-detail.ts';
import { slowResources } from './intervals.ts';
import { createPoller, createPollerMap, type Poller, type PollerMap, type PollOutcome } from './poller.ts';
import type { RequestScheduler } from './request-scheduler.ts';

export interface MonitorResourcesOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly schedule: RequestScheduler['schedule'];
  readonly random: () => number;
  readonly intervalMs: () => number;
  /** For what changes rarely. */
  readonly slowIntervalMs: () => number;
  readonly onOutcome: (source: string, outcome: PollOutcome<unknown>) => void;
}

/** Pollers of what is looked at all the time: the cluster's figures, one node's counters, one client. */
export interface MonitorResources {
  readonly resources: { readonly [Name in ResourceName]: Poller<Resources[Name]> };
  readonly nodeMetrics: PollerMap<Metrics>;
  readonly clientDetails: PollerMap<ClientDetail>;
  readonly topicRoutes: PollerMap<readonly Route[]>;
  /** What counted until now is no longer what counts: no rate across this moment. */
  breakRates(): void;
}

export function createMonitorResources(options: MonitorResourcesOptions): MonitorResources {
  const { api, clock, writer, journal, schedule, random, intervalMs, slowIntervalMs } = options;
  const noteOutcome = options.onOutcome;
  const history = createHistory();
  const lastKnown = createLastKnown();
  const times = createSampleTimes({
    clock,
    breakRates: () => { history.breakAll(); },
    onJump: (jumpMs) => { journal.note('info', `The clock jumped by ${Math.round(jumpMs / 1_000)} s (suspended?); rates begin anew.`); },
  });
  let slowStartedMs = Number.NEGATIVE_INFINITY;

  /** Two slow resources never come in the same tick. */
  function postponeSlowMs(): number {
    const nowMs = clock.monotonicMs();
    return Math.max(0, slowStartedMs + Math.min(intervalMs(), slowIntervalMs() / 2) - nowMs);
  }

  function resource<Name extends ResourceName>(
    name: Name,
    read: (options: CallOptions & { readonly signal: AbortSignal }) => Promise<Resources[Name]>,
    after?: (data: Resources[Name], isChanged: boolean) => void,
  ): Poller<Resources[Name]> {
    const isSlow = slowResources.has(name);
    return createPoller<Resources[Name]>({
      clock,
      random,
      intervalMs: isSlow ? slowIntervalMs : intervalMs,
      postponeMs: isSlow ? postponeSlowMs : undefined,
      read: (signal, onUnusable) => {
        if (isSlow) slowStartedMs = clock.monotonicMs();
        return schedule(() => read({ signal, onUnusable }), { signal, kind: 'cluster' });
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
    const down = [...seen].filter(([, { status }]) => status === 'stopped' || status === 'unknown').map(([node]) => node);
    writer.write({ seenNodes: seen, lastKnown: lastKnown.of(down) });
    if (before.size === 0) return;
    writer.write({ metricHistory: history.breakTotal() });
    for (const { node, from, to } of changes) {
      const what = to === 'unknown' ? 'is no longer mentioned by the broker' : `is ${to}`;
      journal.note(to === 'running' ? 'info' : 'warning', `node ${node} ${what}${from === undefined ? ' (new)' : ` (was ${from})`}.`);
    }
  }

  let metricsRead: ReturnType<typeof times.begin> | undefined;

  const resources = {
    nodes: resource('nodes', (request) => api.listNodes(request), (nodes) => {
      seeNodes(nodes, false);
      lastKnown.noteNodes(nodes);
    }),
    nodeStats: resource('nodeStats', (request) => api.listNodeStats(request), (nodes) => {
      seeNodes(nodes, true);
      lastKnown.noteNodeStats(nodes, clock.nowMs());
    }),
    listeners: resource('listeners', (request) => api.listListeners(request), (listeners) => { lastKnown.noteListeners(listeners); }),
    metrics: resource('metrics', ({ signal }) => {
      metricsRead = times.begin();
      return api.listMetrics({ signal });
    }, (figures) => {
      metricsRead?.((atMs) => { writer.write({ metricHistory: history.recordCluster(figures, atMs) }); });
    }),
    stats: resource('stats', async ({ signal }) => {
      const before = writer.state().resources.stats.data;
      const stats = await api.listStats({ signal });
      if (!signal.aborted) writer.write({ previousStats: before });
      return stats;
    }, (stats) => { lastKnown.noteStats(stats); }),
  };

  const nodeMetrics = createPollerMap<Metrics>({
    maxUnwatched: 64,
    create: (node: NodeName, onState) => {
      let read: ReturnType<typeof times.begin> | undefined;
      return createPoller({
        clock, random, intervalMs, onState,
        read: (signal) => schedule(() => {
          read = times.begin();
          return api.getMetrics(node, { signal });
        }, { signal, node, kind: 'aside' }),
        onOutcome: (outcome) => {
          if (outcome.kind !== 'failed') read?.((atMs) => { writer.write({ metricHistory: history.recordNode(node, outcome.data, atMs) }); });
          noteOutcome(`metrics of ${node}`, outcome);
        },
      });
    },
    onStates: (states) => writer.write({ nodeMetrics: states }),
  });

  const clientDetails = createPollerMap<ClientDetail>({
    maxUnwatched: 16,
    create: (clientId: string, onState) => {
      const withOffline = createOfflineDetail();
      return createPoller({
        clock, random, intervalMs, onState,
        read: async (signal, onUnusable) => {
          const beganMs = clock.nowMs();
          return withOffline(await readClientDetail(api, clientId, (request) => schedule(request, { signal, kind: 'aside' }), signal, onUnusable), beganMs, clock.nowMs());
        },
        onOutcome: (outcome) => noteOutcome(`client ${clientId}`, outcome),
      });
    },
    onStates: (states) => writer.write({ clientDetails: states }),
  });

  const topicRoutes = createPollerMap<readonly Route[]>({
    maxUnwatched: 16,
    create: (topic: string, onState) => createPoller({
      clock, random, intervalMs, onState,
      read: (signal, onUnusable) => schedule(() => api.getRoutes(topic, { signal, onUnusable }), { signal, kind: 'aside' }),
      onOutcome: (outcome) => noteOutcome(`routes of ${topic}`, outcome),
    }),
    onStates: (states) => writer.write({ topicRoutes: states }),
  });

  return { resources, nodeMetrics, clientDetails, topicRoutes, breakRates: () => { history.breakAll(); } };
}
