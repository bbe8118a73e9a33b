import { errorOfCode } from '../../../../../src/api/dialects/emq-v2/envelope.ts';
import { NoAnswerError, NotFoundError } from '../../../../../src/api/errors.ts';
import type { ManagementApi, Page, PageRequest } from '../../../../../src/api/management-api.ts';
import type { Client, Session } from '../../../../../src/domain/client.ts';
import { metricNames, type Metrics, type Stats } from '../../../../../src/domain/metrics.ts';
import type { NodeInfo, NodeStats } from '../../../../../src/domain/node.ts';

/**
 * The port held in memory, so that the service can be looked at alone: two nodes that run, one that
 * is stopped, and a record of what was asked of it. Any client id exists.
 */
export interface SampleApi {
  readonly api: Omit<ManagementApi, 'capabilities'>;
  /** Calls of operations that act, with what they got. */
  readonly calls: (readonly [operation: string, ...got: readonly unknown[]])[];
}

const unparsed = {};
export const nodeNames = ['one@127.0.0.1', 'two@127.0.0.1'] as const;
/** 2026-02-03 04:05:06 */
const moment = Date.UTC(2026, 1, 3, 4, 5, 6) / 1000;

const info = (name: string): NodeInfo => ({
  name,
  version: '1.2.3',
  description: 'a broker',
  uptimeSeconds: 93_784,
  clock: moment,
  otpRelease: 'node 22',
  status: 'running',
  statusText: 'Running',
  unparsed,
});
const stats = (name: string): NodeStats => ({
  name,
  otpRelease: 'node 22',
  memoryTotalBytes: 51_139_052,
  memoryUsedBytes: 30_720,
  processLimit: 262_144,
  processesUsed: 12,
  maxFileDescriptors: 1024,
  clients: 7,
  load1: 1.5,
  load5: 0.125,
  load15: 2,
  status: 'running',
  statusText: 'Running',
  unparsed,
});
const stopped: NodeStats = {
  ...stats('three@127.0.0.1'),
  status: 'stopped',
  statusText: 'Stopped',
};
const client = (clientId: string, node: string): Client => ({
  clientId,
  username: undefined,
  ipAddress: '127.0.0.1',
  port: 50_000,
  cleanSession: true,
  protocolVersion: 4,
  keepaliveSeconds: 60,
  connectedAt: moment,
  node,
  unparsed,
});
const session = (clientId: string, node: string): Session => ({
  clientId,
  cleanSession: false,
  createdAt: moment,
  node,
  maxInflight: 32,
  inflight: 1,
  queueLength: 2,
  dropped: 3,
  awaitingRel: 4,
  awaitingAck: undefined,
  awaitingComp: 6,
  subscriptions: 7,
  delivered: 8,
  enqueued: 9,
  unparsed,
});
const metrics = (factor: number): Metrics =>
  Object.fromEntries(metricNames.map((name, index) => [name, (index + 1) * factor]));
const counts: Stats = {
  clients: { count: 1, max: 2 },
  sessions: { count: 3, max: 4 },
  subscribers: { count: 5, max: 6 },
  subscriptions: { count: 7, max: 8 },
  topics: { count: 9, max: 10 },
  routes: { count: 11, max: 12 },
  retained: { count: 13, max: 14 },
};
const listener = {
  protocol: 'mqtt:tcp',
  listen: '127.0.0.1:1883',
  address: '127.0.0.1',
  port: 1883,
  acceptors: 4,
  maxClients: 1024,
  currentClients: 7,
  shutdownCount: {},
  shutdownCountRaw: undefined,
};

function page<T>(items: readonly T[], { page: number, pageSize }: PageRequest): Page<T> {
  return {
    page: number,
    pageSize,
    items: items.slice((number - 1) * pageSize, number * pageSize),
    totalItems: items.length,
    totalPages: Math.ceil(items.length / pageSize),
  };
}

export const ids = Array.from({ length: 45 }, (_, index) => `id-${String(index).padStart(2, '0')}`);

export function createSampleApi(): SampleApi {
  const calls: SampleApi['calls'] = [];
  const act =
    (operation: string) =>
    async (...got: readonly unknown[]): Promise<void> => {
      // The last argument is the call's options, which are the service's own.
      calls.push([operation, ...got.slice(0, -1)]);
    };
  const known = (node: string): string => {
    if (!nodeNames.some((name) => name === node)) throw new NotFoundError();
    return node;
  };
  const byNode = <T>(make: (node: string, index: number) => T): Map<string, T> =>
    new Map(nodeNames.map((node, index) => [node, make(node, index)]));
  return {
    calls,
    api: {
      listNodes: async () => nodeNames.map(info),
      getNode: async (node) => info(known(node)),
      listNodeStats: async () => [...nodeNames.map(stats), stopped],
      getNodeStats: async (node) => {
        if (node === 'silent') throw new NoAnswerError();
        return stats(known(node));
      },
      listListeners: async () => byNode(() => [listener]),
      getListeners: async (node) => [{ ...listener, listen: known(node), shutdownCount: { closed: 2 } }],
      listMetrics: async () => ({ kind: 'by-node', nodes: byNode((_, index) => metrics(10 ** index)) }),
      getMetrics: async (node) => metrics(known(node).length),
      listStats: async () => byNode(() => counts),
      getStats: async (node) => (known(node) === node ? counts : { ...counts }),
      listClients: async (node, request) =>
        page(
          ids.map((id) => client(id, known(node))),
          request,
        ),
      getNodeClient: async (node, id) => [client(id, known(node))],
      getClient: async (id) => (id === 'nobody' ? [] : [client(id, nodeNames[0])]),
      disconnectClient: async (id) => {
        if (id === 'offline') throw errorOfCode(112);
        if (id === 'broken') throw new TypeError('a mistake');
        await act('disconnectClient')(id, undefined);
      },
      clearAclCache: act('clearAclCache'),
      listSessions: async (node, request) =>
        page(known(node) === nodeNames[0] ? ids.map((id) => session(id, node)) : [], request),
      getNodeSession: async (node, id) => [session(id, known(node))],
      getSession: async (id) => [session(id, nodeNames[0])],
      listSubscriptions: async (node, request) => page([{ clientId: 'c', topic: 'a/#', qos: 1, node }], request),
      getNodeSubscriptions: async (node, clientId) => [{ clientId, topic: 'a/#', qos: 1, node }],
      getSubscriptions: async (clientId) => [{ clientId, topic: 'é/#', qos: 2, node: undefined }],
      subscribe: act('subscribe'),
      unsubscribe: act('unsubscribe'),
      publish: act('publish'),
      listRoutes: async (request) => page([{ topic: 'a/#', node: nodeNames[0] }], request),
      getRoutes: async (topic) => [{ topic, node: nodeNames[1] }],
      listPlugins: async (node) => [{ name: 'broker_recon', version: '1', description: known(node), active: false }],
      startPlugin: act('startPlugin'),
      stopPlugin: act('stopPlugin'),
      listSettings: async () => byNode(() => [{ key: 'mqtt.x', value: undefined, dataType: 'integer', app: 'mqtt' }]),
      getSettings: async (node) => [{ key: 'mqtt.x', value: known(node), dataType: 'string', app: 'mqtt' }],
      changeSetting: act('changeSetting'),
      getPluginSettings: async (_node, plugin) => [{ key: 'k', value: plugin, description: '', required: true }],
      replacePluginSettings: act('replacePluginSettings'),
      listUsers: async () => [{ username: 'admin', tags: 'administrator' }],
      addUser: act('addUser'),
      changeUserTags: act('changeUserTags'),
      deleteUser: act('deleteUser'),
      checkCredentials: act('checkCredentials'),
      changePassword: act('changePassword'),
    },
  };
}
