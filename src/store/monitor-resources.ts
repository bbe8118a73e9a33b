import type { ManagementApi } from '../api/management-api.ts';
import type { Metrics } from '../domain/metric.ts';
import type { NodeName } from '../domain/node.ts';
import type { Route } from '../domain/route.ts';
import type { Call } from './client-detail.ts';
import { readClientDetail } from './client-detail.ts';
import type { Clock } from './clock.ts';
import { createJumpDetector } from './clock.ts';
import { createFamily } from './family.ts';
import type { Family } from './family.ts';
import { createHistory } from './history.ts';
import type { Journal } from './journal.ts';
import { createPoller } from './poller.ts';
import type { Poller, PollOutcome } from './poller.ts';
import { updateSeenNodes } from './seen-nodes.ts';
import type { ClientDetail, ResourceName, Resources, ResourceState } from './state.ts';
import type { StateWriter } from './store.ts';

export interface MonitorResourcesOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly call: Call;
  readonly random: () => number;
  readonly intervalMs: () => number;
  /** For what changes rarely. */
  readonly slowIntervalMs: () => number;
  readonly onOutcome: (source: string, outcome: PollOutcome<unknown>) => void;
}

/** Pollers of what is looked at all the time: the cluster's figures, one node's counters, one client. */
export interface MonitorResources {
  readonly resources: { readonly [Name in ResourceName]: Poller<Resources[Name]> };
  readonly nodeMetrics: Family<Metrics>;
  readonly clientDetails: Family<ClientDetail>;
  readonly topicRoutes: Family<readonly Route[]>;
}

export function createMonitorResources(options: MonitorResourcesOptions): MonitorResources {
  const { api, clock, writer, journal, call, random, intervalMs, slowIntervalMs } = options;
  const noteOutcome = options.onOutcome;
  const history = createHistory();
  const clockJumpMs = createJumpDetector(clock);
  let slowStartedMs = Number.NEGATIVE_INFINITY;

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

  const topicRoutes = createFamily<readonly Route[]>({
    mostKept: 16,
    create: (topic: string, onState) => createPoller({
      clock, random, intervalMs, onState,
      read: (signal) => call(() => api.getRoutes(topic, { signal }), signal),
      onOutcome: (outcome) => noteOutcome(`routes of ${topic}`, outcome),
    }),
    onStates: (states) => writer.write({ topicRoutes: states }),
  });

  return { resources, nodeMetrics, clientDetails, topicRoutes };
}
