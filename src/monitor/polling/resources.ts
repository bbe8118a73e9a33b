import { ApiError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import type { Route } from '../../domain/client.ts';
import type { Metrics } from '../../domain/metrics.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import { createClientTrend, type ListedReading } from '../history/clients.ts';
import { createHistory, createSampleTimes } from '../history/metrics.ts';
import { createLastKnown, updateSeenNodes } from '../history/nodes.ts';
import { followOffline, type OfflineCounters } from '../history/sessions.ts';
import { refreshOf } from '../history/steps.ts';
import { appendTotals, knownTotals } from '../history/totals.ts';
import type { Journal } from '../journal.ts';
import { selectLowestUptime } from '../select/nodes.ts';
import { selectTotals } from '../select/totals.ts';
import type { ClientDetail, MonitorState, ResourceName, Resources, ResourceState } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { journalTexts, sourceTexts } from '../texts.ts';
import { slowResources, startingSeconds, warmUpSeconds } from './intervals.ts';
import { createLocator, type ListedClient } from './locate.ts';
import { getOwnSession } from './own-answers.ts';
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
  readonly nodeIntervalMs: (node: NodeName) => number;
  readonly slowIntervalMs: () => number;
  readonly onOutcome: (source: string, outcome: PollOutcome<unknown>) => void;
  /** A node runs that did not, or did not answer. */
  /** The API, or a node, answers again. */
  readonly onBack: () => void;
}

export interface MonitorResources {
  readonly resources: { readonly [Name in ResourceName]: Poller<Resources[Name]> };
  readonly nodeMetrics: PollerMap<Metrics>;
  readonly clientDetails: PollerMap<ClientDetail>;
  readonly topicRoutes: PollerMap<readonly Route[]>;
  /** For readings that are neither of each tick nor of slow resources: how long one that is due waits for a tick of its own. */
  postponeRareMs(): number;
  /** The source of the counters changed: no rate across this moment. */
  breakRates(): void;
}

export function createMonitorResources(options: MonitorResourcesOptions): MonitorResources {
  const { api, clock, writer, journal, schedule, random, intervalMs, nodeIntervalMs, slowIntervalMs } = options;
  const noteOutcome = options.onOutcome;
  const history = createHistory();
  const lastKnown = createLastKnown();
  const times = createSampleTimes({
    clock,
    breakRates: () => {
      history.breakAll();
    },
    onJump: (jumpMs) => {
      journal.note('info', journalTexts.clockJumped(Math.round(jumpMs / 1_000)));
    },
  });
  let slowStartedMs = Number.NEGATIVE_INFINITY;
  let rareStartedMs = Number.NEGATIVE_INFINITY;

  /** Two slow resources are never read in the same tick. */
  function postponeSlowMs(): number {
    const nowMs = clock.monotonicMs();
    return Math.max(0, slowStartedMs + Math.min(intervalMs(), slowIntervalMs() / 2) - nowMs);
  }

  /** One in each tick in which no slow resource is read. Where slow resources are read in every tick, there is no other. */
  function postponeRareMs(): number {
    const [nowMs, tickMs] = [clock.monotonicMs(), intervalMs()];
    if (slowIntervalMs() > 2 * tickMs) {
      const waitMs = Math.max(slowStartedMs, rareStartedMs) + tickMs - nowMs;
      if (waitMs > 0) return waitMs;
      const untilSlowMs = Math.min(
        ...[...slowResources]
          .map((name) => (resources[name].state().nextAttemptAtMs ?? Infinity) - clock.nowMs())
          .filter((ms) => ms >= 0),
      );
      if (untilSlowMs < tickMs) return untilSlowMs + tickMs;
    }
    rareStartedMs = nowMs;
    return 0;
  }

  function resource<Name extends ResourceName>(
    name: Name,
    read: (options: CallOptions & { readonly signal: AbortSignal }) => Promise<Resources[Name]>,
    after?: (data: Resources[Name], isChanged: boolean) => void,
  ): Poller<Resources[Name]> {
    const isSlow = slowResources.has(name);
    let wasAway = false;
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
        noteOutcome(sourceTexts.resource(name), outcome);
        const isBack = wasAway && outcome.kind !== 'failed';
        wasAway =
          outcome.kind === 'failed' &&
          (wasAway || outcome.error.kind === 'timeout' || outcome.error.kind === 'unreachable');
        if (isBack) options.onBack();
      },
    });
  }

  let silentNodes: ReadonlySet<NodeName> = new Set();

  function noteNodeStatus(answer: Resources['nodes'] | Resources['nodeStats'], isWhole: boolean): void {
    const before = writer.state().seenNodes ?? new Map();
    const { seen, changes } = updateSeenNodes(before, answer, isWhole, clock.nowMs());
    if (seen === before) return;
    const wasSilent = silentNodes;
    const silent = new Set<NodeName>(answer.filter(({ isSilent }) => isSilent === true).map(({ name }) => name));
    const down = [...seen]
      .filter(([node, { status }]) => status === 'stopped' || status === 'unknown' || silent.has(node))
      .map(([node]) => node);
    silentNodes = silent;
    writer.write({ seenNodes: seen, lastKnown: lastKnown.of(down) });
    if (before.size === 0) return;
    writer.write({ metricHistory: history.breakTotal() });
    if (changes.some(({ to }) => to === 'running')) options.onBack();
    const statusTextOf = new Map(answer.map(({ name, statusText }) => [name, statusText]));
    for (const { node, from, to } of changes) {
      // A node that does not respond is a problem, whose beginning and end are logged.
      if (silent.has(node) || (to === 'running' && wasSilent.has(node))) continue;
      journal.note(
        to === 'running' ? 'info' : 'warning',
        journalTexts.nodeStatus(node, { to, from, statusText: statusTextOf.get(node), wasSilent: wasSilent.has(node) }),
      );
    }
  }

  let metricsRead: ReturnType<typeof times.begin> | undefined;

  const resources = {
    nodes: resource(
      'nodes',
      (request) => api.listNodes(request),
      (nodes) => {
        noteNodeStatus(nodes, false);
        lastKnown.noteNodes(nodes);
        // Its next reading may have been planned before the uptimes were known.
        if ((selectLowestUptime(writer.state(), clock.nowMs()) ?? startingSeconds) < startingSeconds)
          resources.listeners.reschedule();
      },
    ),
    nodeStats: resource(
      'nodeStats',
      (request) => api.listNodeStats(request),
      (nodes) => {
        noteNodeStatus(nodes, true);
        lastKnown.noteNodeStats(nodes, clock.nowMs());
      },
    ),
    listeners: resource(
      'listeners',
      (request) => api.listListeners(request),
      (listeners) => {
        lastKnown.noteListeners(listeners);
      },
    ),
    metrics: resource(
      'metrics',
      ({ signal }) => {
        metricsRead = times.begin();
        return api.listMetrics({ signal });
      },
      (figures) => {
        metricsRead?.((atMs) => {
          writer.write({ metricHistory: history.recordCluster(figures, atMs), metricPast: history.past() });
        });
      },
    ),
    stats: resource(
      'stats',
      (request) => api.listStats(request),
      (stats) => {
        lastKnown.noteStats(stats);
        const { totalsHistory = [] } = writer.state();
        const isFirst = totalsHistory.every((sample) => sample.isWarmingUp === true);
        writer.write({
          totalsHistory: appendTotals(totalsHistory, {
            atMs: clock.monotonicMs(),
            values: knownTotals(selectTotals(writer.state())),
            ...(isFirst && isWarmingUp(writer.state(), clock.nowMs()) && { isWarmingUp: true }),
          }),
        });
      },
    ),
  };

  const nodeMetrics = createPollerMap<Metrics>({
    maxUnwatched: 64,
    create: (node: NodeName, onState) => {
      let read: ReturnType<typeof times.begin> | undefined;
      return createPoller({
        clock,
        random,
        onState,
        intervalMs: () => nodeIntervalMs(node),
        read: (signal) =>
          schedule(
            () => {
              read = times.begin();
              return api.getMetrics(node, { signal });
            },
            { signal, node, kind: 'detail' },
          ),
        onOutcome: (outcome) => {
          if (outcome.kind !== 'failed')
            read?.((atMs) => {
              writer.write({ metricHistory: history.recordNode(node, outcome.data, atMs), metricPast: history.past() });
            });
          noteOutcome(sourceTexts.nodeMetrics(node), outcome);
        },
      });
    },
    onStates: (states) => writer.write({ nodeMetrics: states }),
  });

  const clientDetails = createPollerMap<ClientDetail>({
    maxUnwatched: 16,
    create: (clientId: string, onState) => {
      const withOffline = createOfflineDetail();
      const locate = createLocator();
      const withTrend = createClientTrend(
        () => listedReading(writer.state(), clientId, clock),
        () => writer.state().queueTrends?.get(clientId)?.points ?? [],
        () => refreshOf(writer.state().capabilities),
      );
      return createPoller({
        clock,
        random,
        intervalMs,
        onState,
        read: async (signal, onUnusable) => {
          const beganMs = clock.nowMs();
          const call: Call = (request) => schedule(request, { signal, kind: 'detail', leavesSlot: true });
          const detail = await readClientDetail(api, clientId, call, signal, onUnusable);
          const located = await locate(detail, listedClient(writer.state(), clientId), (request) =>
            call(() => request(api, { signal }), signal),
          );
          return withTrend(withOffline(located, beganMs, clock.nowMs()), clock.monotonicMs());
        },
        onOutcome: (outcome) => noteOutcome(sourceTexts.client(clientId), outcome),
      });
    },
    onStates: (states) => writer.write({ clientDetails: states }),
  });

  const topicRoutes = createPollerMap<readonly Route[]>({
    maxUnwatched: 16,
    create: (topic: string, onState) =>
      createPoller({
        clock,
        random,
        intervalMs,
        onState,
        read: (signal, onUnusable) =>
          schedule(() => api.getRoutes(topic, { signal, onUnusable }), { signal, kind: 'detail' }),
        onOutcome: (outcome) => noteOutcome(sourceTexts.topicRoutes(topic), outcome),
      }),
    onStates: (states) => writer.write({ topicRoutes: states }),
  });

  return {
    resources,
    nodeMetrics,
    clientDetails,
    topicRoutes,
    postponeRareMs,
    breakRates: () => {
      history.breakAll();
    },
  };
}

/** Unknown uptimes may be known soon, unless the nodes cannot be read. */
const isWarmingUp = (state: MonitorState, nowMs: number): boolean => {
  const { data, error } = state.resources.nodes;
  const uptime = selectLowestUptime(state, nowMs);
  return uptime === undefined ? data === undefined && error === undefined : uptime < warmUpSeconds;
};

export type Call = <R>(request: () => Promise<R>, signal: AbortSignal) => Promise<R>;

/** Connection, session and subscriptions (§4.2-4.4). A failed part holds its error. Rejects if all fail, and on 401 and 429. */
export async function readClientDetail(
  api: ManagementApi,
  clientId: string,
  call: Call,
  signal: AbortSignal,
  onUnusable?: CallOptions['onUnusable'],
): Promise<ClientDetail> {
  const options = { signal, onUnusable };
  const [clients, sessions, subscriptions] = await Promise.all([
    attempt(call(() => api.getClient(clientId, options), signal)),
    attempt(call(() => getOwnSession(api, clientId, options), signal)),
    attempt(call(() => api.getSubscriptions(clientId, options), signal)),
  ]);
  const errors = [clients, sessions, subscriptions].filter((part) => part instanceof ApiError);
  const general = errors.find((error) => error.kind === 'unauthorized' || error.kind === 'busy');
  if (general !== undefined) throw general;
  if (errors.length === 3 && errors[0] !== undefined) throw errors[0];
  return { clients, sessions, subscriptions };
}

export const listedClient = (
  { clientScan, sessionScan }: Pick<MonitorState, 'clientScan' | 'sessionScan'>,
  clientId: string,
): ListedClient => ({
  client: clientScan.rows.find((client) => client.clientId === clientId),
  session: sessionScan.rows.find((session) => session.clientId === clientId),
});

/** Reading a node may not take longer than this: when a row of it was read is not known. */
const maxReadingMs = 1_000;

/** What the lists say of a client, and when they were read. */
export function listedReading(
  state: Pick<MonitorState, 'clientScan' | 'sessionScan'>,
  clientId: string,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
): ListedReading | undefined {
  const { client, session } = listedClient(state, clientId);
  const coverage = session?.node === undefined ? undefined : state.sessionScan.coverage.get(session.node);
  if (session === undefined || coverage?.readAtMs === undefined || coverage.beganAtMs === undefined) return undefined;
  const readingMs = clock.nowMs() - coverage.beganAtMs - (clock.monotonicMs() - coverage.readAtMs);
  return readingMs > maxReadingMs ? undefined : { client, session, atMs: coverage.readAtMs };
}

export function createOfflineDetail(): (detail: ClientDetail, beganMs: number, nowMs: number) => ClientDetail {
  let counters: OfflineCounters | undefined;
  const withCounters = (detail: ClientDetail): ClientDetail =>
    counters === undefined ? detail : { ...detail, offline: { sinceMs: counters.sinceMs, isLive: counters.isLive } };
  return (detail, beganMs, nowMs) => {
    const { clients, sessions } = detail;
    if (clients instanceof ApiError || sessions instanceof ApiError) return withCounters(detail);
    const [session] = sessions;
    counters =
      clients.length > 0 || session === undefined
        ? undefined
        : followOffline(counters ?? { sinceMs: nowMs, isLive: false, last: undefined }, session, beganMs);
    return withCounters(detail);
  };
}

async function attempt<R>(request: Promise<R>): Promise<R | ApiError> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
}
