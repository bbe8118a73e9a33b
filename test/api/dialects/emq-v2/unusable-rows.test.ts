import { afterEach, expect, test } from 'vitest';
import { createHttpApi } from '../../../../src/api/dialects/index.ts';
import type { CallOptions, ManagementApi, UnusableRows } from '../../../../src/api/management-api.ts';
import { startRawServer, success } from '../../../support/raw-http-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(result: unknown): Promise<ManagementApi> {
  const server = await startRawServer(() => success(result));
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'secret', variant: 'b' });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  return api;
}

const firstPage = { page: 1, pageSize: 5_000 };
const pageOf = (objects: readonly unknown[]): unknown => ({
  current_page: 1,
  page_size: 5_000,
  total_num: objects.length,
  total_page: 1,
  objects,
});

interface Case {
  readonly good: object;
  readonly bad: object;
  readonly wrap?: (rows: readonly unknown[]) => unknown;
  readonly read: (api: ManagementApi, options: CallOptions) => Promise<unknown>;
}

const byNode = (rows: readonly unknown[]): unknown => ({ n1: rows });
const objects = (rows: readonly unknown[]): unknown => ({ objects: rows });
const client = { client_id: 'c', username: 'u' };
const badClient = { client_id: 17, secret: 'hunter2', more: { deep: 1 } };
const subscription = { client_id: 'c', topic: 't', qos: 0 };

const cases: Readonly<Record<string, Case>> = {
  clients: {
    good: client,
    bad: badClient,
    wrap: pageOf,
    read: (api, options) => api.listClients('n', firstPage, options),
  },
  sessions: {
    good: client,
    bad: badClient,
    wrap: pageOf,
    read: (api, options) => api.listSessions('n', firstPage, options),
  },
  subscriptions: {
    good: subscription,
    bad: badClient,
    wrap: pageOf,
    read: (api, options) => api.listSubscriptions('n', firstPage, options),
  },
  routes: {
    good: { topic: 't', node: 'n' },
    bad: badClient,
    wrap: pageOf,
    read: (api, options) => api.listRoutes(firstPage, options),
  },
  nodes: { good: { name: 'n1' }, bad: badClient, read: (api, options) => api.listNodes(options) },
  'node statistics': { good: { name: 'n1' }, bad: badClient, read: (api, options) => api.listNodeStats(options) },
  listeners: {
    good: { protocol: 'mqtt:tcp', listen: '1883' },
    bad: badClient,
    wrap: byNode,
    read: (api, options) => api.listListeners(options),
  },
  plugins: { good: { name: 'p' }, bad: badClient, read: (api, options) => api.listPlugins('n', options) },
  users: { good: { username: 'admin' }, bad: badClient, read: (api, options) => api.listUsers(options) },
  settings: {
    good: { key: 'k', value: 'v', app: 'a' },
    bad: badClient,
    wrap: byNode,
    read: (api, options) => api.listSettings(options),
  },
  'settings of a node': {
    good: { key: 'k', value: 'v', app: 'a' },
    bad: badClient,
    read: (api, options) => api.getSettings('n', options),
  },
  'settings of a plugin': {
    good: { key: 'k', value: 'v' },
    bad: badClient,
    read: (api, options) => api.getPluginSettings('n', 'p', options),
  },
  'one client': { good: client, bad: badClient, wrap: objects, read: (api, options) => api.getClient('c', options) },
  'sessions of a client': {
    good: client,
    bad: badClient,
    wrap: objects,
    read: (api, options) => api.getSession('c', options),
  },
  'subscriptions of a client': {
    good: subscription,
    bad: badClient,
    wrap: objects,
    read: (api, options) => api.getSubscriptions('c', options),
  },
  'routes of a topic': {
    good: { topic: 't', node: 'n' },
    bad: badClient,
    wrap: objects,
    read: (api, options) => api.getRoutes('t', options),
  },
};

test.each(Object.entries(cases))(
  '%s: rows that cannot be understood are counted, with the fields of one and no values',
  async (_, { good, bad, wrap = (rows) => rows, read }) => {
    const api = await serve(wrap([good, bad, ['x'], bad]));
    const told: UnusableRows[] = [];
    await read(api, {
      onUnusable: (rows) => {
        told.push(rows);
      },
    });
    expect(told).toEqual([{ count: 3, example: 'client_id: number, secret: string, more: object' }]);
  },
);

test('an answer without unusable rows reports none', async () => {
  const api = await serve(pageOf([client, client]));
  const told: UnusableRows[] = [];
  await api.listClients('n', firstPage, {
    onUnusable: (rows) => {
      told.push(rows);
    },
  });
  expect(told).toEqual([]);
});

test('the example limits the number of fields and the length of names', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`field-${index}-${'x'.repeat(1_000)}`, index]),
  );
  const api = await serve([{ username: 'admin' }, many]);
  let example = '';
  await api.listUsers({
    onUnusable: (rows) => {
      example = rows.example;
    },
  });
  expect(example).toContain('field-0-x');
  expect(example.length).toBeLessThan(1_100);
});
