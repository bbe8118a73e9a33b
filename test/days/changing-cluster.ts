import { type ApiError, BadAnswerError, BrokerError, HttpStatusError, NoAnswerError, TimeoutError } from '../../src/api/errors.ts';
import type { ManagementApi, Page, PageRequest } from '../../src/api/management-api.ts';
import type { Session } from '../../src/domain/client.ts';
import { metricNames } from '../../src/domain/metrics.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';

const rows = 8;
/** Counters that the cluster has; all of them would be half of the work. */
const counterNames = metricNames.slice(0, 6);
/** One call of so many fails. */
const failsOnceIn = 40;
/** A node gives way to one of another name after so many refreshes. */
const nodeLifetime = 200;

/** A cluster in which nothing stays: at every refresh each list has new ids, and nodes come and go. */
export interface ChangingCluster {
  readonly api: ManagementApi;
  /** The next refresh: everything is a bit different from now on. */
  next(): void;
  /** Calls answered so far, failures too. */
  calls(): number;
}

export function createChangingCluster(): ChangingCluster {
  let turn = 0;
  let calls = 0;

  const nodes = (): string[] => [0, 1, 2].map((place) => `node-${Math.floor(turn / nodeLifetime + place / 3)}-${place}`);
  const ids = (kind: string, node: string): string[] => Array.from({ length: rows }, (_, index) => `${kind}-${turn + index}@${node}`);

  /** Its words are never the same twice. */
  function failure(): ApiError {
    const failures: readonly (() => ApiError)[] = [
      () => new TimeoutError(5_000), () => new NoAnswerError(), () => new HttpStatusError(500 + calls % 90),
      () => new BrokerError(100 + calls % 12, `no ${calls}`), () => new BadAnswerError(`answer ${calls}`),
    ];
    return (failures[calls % failures.length] ?? (() => new NoAnswerError()))();
  }

  async function answer<T>(make: () => T): Promise<T> {
    calls += 1;
    if (calls % failsOnceIn === 0) throw failure();
    return make();
  }

  const page = <T>(asked: PageRequest, items: readonly T[]): Page<T> => ({ ...asked, items, totalItems: items.length, totalPages: 1 });
  const counts = () => stats({ clients: 3 * rows, sessions: 3 * rows, subscriptions: 3 * rows, routes: rows });
  const counters = () => Object.fromEntries(counterNames.map((name, index) => [name, turn * (index + 1)]));
  const session = (clientId: string, node: string): Session => ({
    clientId, node, createdAt: turn, cleanSession: false, maxInflight: 32, inflight: turn % 32, queueLength: turn % 100, dropped: turn, awaitingRel: 0,
    awaitingAck: 0, awaitingComp: 0, subscriptions: 1, delivered: turn * 3, enqueued: turn, unparsed: {},
  });
  const nodeOf = (id: string): string => id.slice(id.indexOf('@') + 1);
  const plugins = () => ['auth', `plugin-${Math.floor(turn / nodeLifetime)}`];

  const api = createFakeApi({
    capabilities: { unsubscribe: true, settings: true, nodeSubscriptionsOfClient: true, pluginPerNode: true, sessionTotals: true, metricsByNode: true },
    listNodes: () => answer(() => nodes().map((name) => nodeInfo(name, { uptimeSeconds: turn }))),
    listNodeStats: () => answer(() => nodes().map((name) => nodeStats(name, 'running', { clients: rows, load1: turn % 7, memoryUsedBytes: turn % 1_000, memoryTotalBytes: 1_000 }))),
    listListeners: () => answer(() => new Map(nodes().map((name) => [name, []]))),
    listMetrics: () => answer(() => byNode(Object.fromEntries(nodes().map((name) => [name, counters()])))),
    getMetrics: () => answer(counters),
    listStats: () => answer(() => new Map(nodes().map((name) => [name, counts()]))),
    listClients: (node, asked) => answer(() => page(asked, ids('client', node).map((id) => client(id, node, 1)))),
    getNodeClient: (node, id) => answer(() => [client(id, node, 1)]),
    getClient: (id) => answer(() => [client(id, nodeOf(id), 1)]),
    listSessions: (node, asked) => answer(() => page(asked, ids('client', node).map((id) => session(id, node)))),
    getNodeSession: (node, id) => answer(() => [session(id, node)]),
    getSession: (id) => answer(() => [session(id, nodeOf(id))]),
    listSubscriptions: (node, asked) => answer(() => page(asked, ids('client', node).map((clientId) => ({ clientId, node, topic: `topic/${turn}/${clientId}`, qos: 1 })))),
    getNodeSubscriptions: (node, clientId) => answer(() => [{ clientId, node, topic: `topic/${turn}`, qos: 1 }]),
    getSubscriptions: (clientId) => answer(() => [{ clientId, node: nodeOf(clientId), topic: `topic/${turn}`, qos: 1 }]),
    listRoutes: (asked) => answer(() => page(asked, nodes().flatMap((node) => ids('topic', node).map((topic) => ({ topic, node }))))),
    getRoutes: (topic) => answer(() => nodes().map((node) => ({ topic, node }))),
    listPlugins: () => answer(() => plugins().map((name) => ({ name, version: String(turn), description: undefined, active: turn % 2 === 0 }))),
    listSettings: () => answer(() => new Map(nodes().map((name) => [name, [{ key: 'a', value: String(turn), dataType: undefined, app: 'mqtt' }]]))),
    getSettings: () => answer(() => [{ key: 'a', value: String(turn), dataType: undefined, app: 'mqtt' }]),
    getPluginSettings: () => answer(() => [{ key: 'a', value: String(turn), description: '', required: false }]),
    listUsers: () => answer(() => [{ username: `user-${turn}`, tags: '' }]),
    disconnectClient: () => answer(() => undefined),
    publish: () => answer(() => undefined),
    clearAclCache: () => answer(() => undefined),
  });
  return { api, next: () => { turn += 1; }, calls: () => calls };
}
