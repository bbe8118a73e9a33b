import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';
import { type ApiError, BadAnswerError, HttpStatusError, NoAnswerError, TimeoutError } from '../../src/api/errors.ts';
import type { ManagementApi, Page, PageRequest } from '../../src/api/management-api.ts';
import type { Session } from '../../src/domain/client.ts';
import { metricNames } from '../../src/domain/metrics.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';

const rows = 4;
/** A few counters only: all of them would double the run time. */
const counterNames = metricNames.slice(0, 6);
/** Every nth call fails. */
const failEvery = 40;
/** Refreshes until a node is replaced by one of another name. */
const nodeLifetime = 210;
/** Sessions lose messages in the first of these refreshes, then no more until the next node is replaced. */
const losingRefreshes = 20;

/** A cluster that never repeats itself: every refresh brings new ids in each list, and nodes come and go. */
export interface ChangingCluster {
  readonly api: ManagementApi;
  /** Changes everything a little, for the next refresh. */
  next(): void;
  /** Calls so far, including those that failed. */
  calls(): number;
}

export function createChangingCluster(): ChangingCluster {
  let refresh = 0;
  let calls = 0;

  const nodes = (): string[] =>
    [0, 1, 2].map((place) => `node-${Math.floor(refresh / nodeLifetime + place / 3)}-${place}`);
  const ids = (kind: string, node: string): string[] =>
    Array.from({ length: rows }, (_, index) => `${kind}-${refresh + index}@${node}`);

  /** The text of a failure never repeats. */
  function failure(): ApiError {
    const failures: readonly (() => ApiError)[] = [
      () => new TimeoutError(5_000),
      () => new NoAnswerError(),
      () => new HttpStatusError(500 + (calls % 90)),
      () => errorOfCode(100 + (calls % 12), `no ${calls}`),
      () => new BadAnswerError(`answer ${calls}`),
    ];
    return (failures[calls % failures.length] ?? (() => new NoAnswerError()))();
  }

  async function answer<T>(make: () => T): Promise<T> {
    calls += 1;
    if (calls % failEvery === 0) throw failure();
    return make();
  }

  const page = <T>(request: PageRequest, items: readonly T[]): Page<T> => ({
    ...request,
    items,
    totalItems: items.length,
    totalPages: 1,
  });
  const calmRefreshes = nodeLifetime / 3 - losingRefreshes;
  /** Messages that sessions have lost so far. Those of every third node lose all the time: it leaves while they are a problem. */
  const lost = (node: string): number =>
    node.endsWith('-0')
      ? refresh
      : refresh -
        Math.max(0, (refresh % (nodeLifetime / 3)) - losingRefreshes) -
        Math.floor(refresh / (nodeLifetime / 3)) * calmRefreshes;
  const counts = () => stats({ clients: 3 * rows, sessions: 3 * rows, subscriptions: 3 * rows, routes: rows });
  const counters = () => Object.fromEntries(counterNames.map((name, index) => [name, refresh * (index + 1)]));
  const session = (clientId: string, node: string): Session => ({
    clientId,
    node,
    createdAt: refresh,
    cleanSession: false,
    maxInflight: 32,
    inflight: refresh % 32,
    queueLength: refresh % 100,
    dropped: lost(node),
    awaitingRel: 0,
    awaitingAck: 0,
    awaitingComp: 0,
    subscriptions: 1,
    delivered: refresh * 3,
    enqueued: refresh,
    unparsed: {},
  });
  const nodeOf = (id: string): string => id.slice(id.indexOf('@') + 1);
  const plugins = () => ['auth', `plugin-${Math.floor(refresh / nodeLifetime)}`];

  const api = createFakeApi({
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: true,
    },
    listNodes: () => answer(() => nodes().map((name) => nodeInfo(name, { uptimeSeconds: refresh }))),
    listNodeStats: () =>
      answer(() =>
        nodes().map((name) =>
          nodeStats(name, 'running', {
            clients: rows,
            load1: refresh % 7,
            memoryUsedBytes: refresh % 1_000,
            memoryTotalBytes: 1_000,
          }),
        ),
      ),
    listListeners: () => answer(() => new Map(nodes().map((name) => [name, []]))),
    listMetrics: () => answer(() => byNode(Object.fromEntries(nodes().map((name) => [name, counters()])))),
    getMetrics: () => answer(counters),
    listStats: () => answer(() => new Map(nodes().map((name) => [name, counts()]))),
    listClients: (node, request) =>
      answer(() =>
        page(
          request,
          ids('client', node).map((id) => client(id, node, 1)),
        ),
      ),
    getNodeClient: (node, id) => answer(() => [client(id, node, 1)]),
    getClient: (id) => answer(() => [client(id, nodeOf(id), 1)]),
    listSessions: (node, request) =>
      answer(() =>
        page(
          request,
          ids('client', node).map((id) => session(id, node)),
        ),
      ),
    getNodeSession: (node, id) => answer(() => [session(id, node)]),
    getSession: (id) => answer(() => [session(id, nodeOf(id))]),
    listSubscriptions: (node, request) =>
      answer(() =>
        page(
          request,
          ids('client', node).map((clientId) => ({ clientId, node, topic: `topic/${refresh}/${clientId}`, qos: 1 })),
        ),
      ),
    getNodeSubscriptions: (node, clientId) => answer(() => [{ clientId, node, topic: `topic/${refresh}`, qos: 1 }]),
    getSubscriptions: (clientId) =>
      answer(() => [{ clientId, node: nodeOf(clientId), topic: `topic/${refresh}`, qos: 1 }]),
    listRoutes: (request) =>
      answer(() =>
        page(
          request,
          nodes().flatMap((node) => ids('topic', node).map((topic) => ({ topic, node }))),
        ),
      ),
    getRoutes: (topic) => answer(() => nodes().map((node) => ({ topic, node }))),
    listPlugins: () =>
      answer(() =>
        plugins().map((name) => ({
          name,
          version: String(refresh),
          description: undefined,
          active: refresh % 2 === 0,
        })),
      ),
    listSettings: () =>
      answer(
        () =>
          new Map(
            nodes().map((name) => [name, [{ key: 'a', value: String(refresh), dataType: undefined, app: 'mqtt' }]]),
          ),
      ),
    getSettings: () => answer(() => [{ key: 'a', value: String(refresh), dataType: undefined, app: 'mqtt' }]),
    getPluginSettings: () => answer(() => [{ key: 'a', value: String(refresh), description: '', required: false }]),
    listUsers: () => answer(() => [{ username: `user-${refresh}`, tags: '' }]),
    disconnectClient: () => answer(() => undefined),
    publish: () => answer(() => undefined),
    clearAclCache: () => answer(() => undefined),
  });
  return {
    api,
    next: () => {
      refresh += 1;
    },
    calls: () => calls,
  };
}
