import { NotSupportedError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import type { Client } from '../../src/domain/client.ts';
import type { Metrics, Stat, StatName, Stats } from '../../src/domain/metrics.ts';
import type { NodeInfo, NodeStats, NodeStatus } from '../../src/domain/node.ts';
import { stoppedStats } from '../support/records.ts';

const none = (): Promise<never> => Promise.reject(new NotSupportedError('do that in this test'));

/** A management API of which only the given parts exist; all else is refused. */
export function createFakeApi(parts: Partial<ManagementApi>): ManagementApi {
  return {
    listNodes: none,
    getNode: none,
    listNodeStats: none,
    getNodeStats: none,
    listListeners: none,
    getListeners: none,
    listMetrics: none,
    getMetrics: none,
    listStats: none,
    getStats: none,
    listClients: none,
    getNodeClient: none,
    getClient: none,
    disconnectClient: none,
    clearAclCache: none,
    listSessions: none,
    getNodeSession: none,
    getSession: none,
    listSubscriptions: none,
    getNodeSubscriptions: none,
    getSubscriptions: none,
    subscribe: none,
    unsubscribe: none,
    publish: none,
    listRoutes: none,
    getRoutes: none,
    listPlugins: none,
    startPlugin: none,
    stopPlugin: none,
    listAlarms: none,
    listSettings: none,
    getSettings: none,
    changeSetting: none,
    getPluginSettings: none,
    replacePluginSettings: none,
    listUsers: none,
    addUser: none,
    changeUserTags: none,
    deleteUser: none,
    checkCredentials: none,
    changePassword: none,
    ...parts,
    get capabilities() {
      return parts.capabilities;
    },
    get receivedBytes() {
      return parts.receivedBytes;
    },
    get openConnections() {
      return parts.openConnections;
    },
  };
}

/** A request that a test answers by hand. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  return Promise.withResolvers<T>();
}

export function client(clientId: string, node: string, connectedAt?: number | undefined): Client {
  return {
    clientId,
    node,
    connectedAt,
    username: undefined,
    ipAddress: '10.0.0.1',
    port: 4_000,
    cleanSession: true,
    protocolVersion: 4,
    keepaliveSeconds: 60,
    unparsed: {},
  };
}

export function nodeStats(name: string, status: NodeStatus = 'running', more: Partial<NodeStats> = {}): NodeStats {
  return { ...stoppedStats(name), status, statusText: status === 'running' ? 'Running' : 'Stopped', ...more };
}

export function nodeInfo(name: string, more: Partial<NodeInfo> = {}): NodeInfo {
  return {
    name,
    status: 'running',
    statusText: 'Running',
    unparsed: {},
    version: '2.3',
    description: undefined,
    uptimeSeconds: 3_600,
    clock: undefined,
    otpRelease: undefined,
    ...more,
  };
}

const noStat: Stat = { count: undefined, max: undefined };

export function stats(counts: Partial<Record<StatName, number>>): Stats {
  const stat = (name: StatName): Stat =>
    counts[name] === undefined ? noStat : { count: counts[name], max: counts[name] };
  return {
    clients: stat('clients'),
    sessions: stat('sessions'),
    subscribers: stat('subscribers'),
    subscriptions: stat('subscriptions'),
    topics: stat('topics'),
    routes: stat('routes'),
    retained: stat('retained'),
  };
}

export const byNode = (nodes: Record<string, Metrics>): { kind: 'by-node'; nodes: ReadonlyMap<string, Metrics> } => ({
  kind: 'by-node',
  nodes: new Map(Object.entries(nodes)),
});
