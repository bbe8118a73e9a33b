import type { ManagementApi, Page, PageRequest } from '../../src/api/management-api.ts';
import type { Client, Session } from '../../src/domain/client.ts';
import { metricNames } from '../../src/domain/metrics.ts';
import { createSampleApi } from '../api/dialects/emq-v2/server/sample-api.ts';
import { client, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';

const nodes = ['one@127.0.0.1', 'two@127.0.0.1', 'three@127.0.0.1'] as const;

/** Short, long and wide ids, joined characters, and control characters that must not reach the terminal. */
const oddIds = [
  'größe-日本',
  '字'.repeat(40),
  'e\u0301tage',
  'ก\u0E34โล',
  '👩‍👩‍👧‍👦 family',
  '\u001B[2J\u001B[H',
  'a\nb\tc',
  '\u202Egnp.exe',
  'x'.repeat(300),
  '…',
  ' ',
];
const clientCount = 90;
const ids = Array.from({ length: clientCount }, (_, index) =>
  index % 8 === 5
    ? `${oddIds[(index >> 3) % oddIds.length] ?? ''}${index}`
    : `sensor-${String(index).padStart(4, '0')}`,
);

/** Returns a number from 0 to 1 that depends only on the arguments. */
export function chance(...of: readonly (string | number)[]): number {
  let hash = 2_166_136_261;
  for (const character of of.join('\u0000')) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_917);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const below = (max: number, ...of: readonly (string | number)[]): number => Math.floor(max * chance(...of));

function page<T>(items: readonly T[], { page: number, pageSize }: PageRequest): Page<T> {
  return {
    page: number,
    pageSize,
    items: items.slice((number - 1) * pageSize, number * pageSize),
    totalItems: items.length,
    totalPages: Math.ceil(items.length / pageSize),
  };
}

/** A cluster whose values depend only on the seed and the moment, so that several programs see the same. */
export function createWorld(seed: number, moment: () => number): ManagementApi {
  // Half of the values stay the same from one moment to the next.
  const at = (...of: readonly (string | number)[]): number => (chance(seed, ...of) < 0.5 ? 0 : moment());
  const present = (): readonly string[] => ids.filter((id) => chance(seed, id, at(id, 'is')) < 0.7);
  const on = (id: string): string => nodes[below(nodes.length, seed, id)] ?? nodes[0];
  const clientOf = (id: string): Client => ({
    ...client(id, on(id), 1_700_000_000 - below(90_000, seed, id)),
    port: 1_024 + below(60_000, seed, id, at(id, 'port')),
  });
  const sessionOf = (id: string): Session => ({
    clientId: id,
    cleanSession: chance(id) < 0.5,
    createdAt: undefined,
    node: on(id),
    maxInflight: 32,
    inflight: below(32, id, moment()),
    queueLength: below(2_000, id, at(id, 'queue')),
    dropped: below(9, id),
    awaitingRel: undefined,
    awaitingAck: undefined,
    awaitingComp: 0,
    subscriptions: 2,
    delivered: below(99_999, id, moment()),
    enqueued: 5,
    unparsed: {},
  });
  return {
    ...createSampleApi().api,
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
    },
    listNodes: async () => nodes.map((name) => nodeInfo(name, { uptimeSeconds: 10 * moment() })),
    listNodeStats: async () =>
      nodes.map((name) =>
        nodeStats(name, chance(name, at(name)) < 0.1 ? 'stopped' : 'running', {
          memoryTotalBytes: 2e9,
          memoryUsedBytes: below(2e9, name, moment()),
          clients: below(500, name, moment()),
          load1: chance(name, moment()) * 4,
        }),
      ),
    listMetrics: async () => ({
      kind: 'total',
      total: Object.fromEntries(metricNames.map((name) => [name, moment() * 1_000 + below(900, name, at(name))])),
    }),
    listStats: async () =>
      new Map(
        nodes.map((name) => [name, stats({ clients: below(500, name, moment()), sessions: 40, subscriptions: 12 })]),
      ),
    listClients: async (node, request) =>
      page(
        present()
          .filter((id) => on(id) === node)
          .map(clientOf),
        request,
      ),
    listSessions: async (node, request) =>
      page(
        present()
          .filter((id) => on(id) === node)
          .map(sessionOf),
        request,
      ),
    listSubscriptions: async (node, request) =>
      page(
        present()
          .filter((id) => on(id) === node)
          .map((clientId) => ({ clientId, topic: `plant/${clientId}/#`, qos: 1, node })),
        request,
      ),
    listRoutes: async (request) =>
      page(
        present().map((id) => ({ topic: `plant/${id}/#`, node: on(id) })),
        request,
      ),
    getClient: async (id) => (present().includes(id) ? [clientOf(id)] : []),
    getSession: async (id) => (present().includes(id) ? [sessionOf(id)] : []),
  };
}
