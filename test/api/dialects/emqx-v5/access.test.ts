import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpApi, openHttpApi } from '../../../../src/api/dialects/index.ts';
import { NotSupportedError } from '../../../../src/api/errors.ts';
import { type ReplayServer, startV5Replay, v5Key, v5Recording } from '../../../support/v5-replay.ts';

/** Answers of EMQX 5.8.9 with two nodes, whose HTTP service for authentication is away. */
const recorded = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/recorded/emqx-5.8.9/access-${name}.json`, import.meta.url), 'utf8');

const [node1, node2] = ['emqx1@127.0.0.1', 'emqx2@127.0.0.1'];
const metrics = 'GET /prometheus/auth?mode=all_nodes_unaggregated';

let server: ReplayServer;
let api: HttpApi;
let forced: Map<string, { readonly status: number; readonly body: string }>;

beforeEach(async () => {
  forced = new Map([
    [metrics, { status: 200, body: recorded('auth-2') }],
    ['GET /alarms?page=1&limit=1000', { status: 200, body: recorded('alarms') }],
  ]);
  server = await startV5Replay((line) => forced.get(line));
  api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
});
afterEach(async () => {
  await api.close();
  await server.close();
});

test('backends of access control are read with one request, node by node', async () => {
  const all = (await api.listAccessBackends?.()) ?? [];
  expect(server.requests).toEqual([metrics]);
  expect(all.map(({ purpose, id }) => `${purpose} ${id}`)).toEqual([
    'authentication password_based:http',
    'authorization file',
  ]);
  // Clients are refused, and counted as no match: `failed` stays 0.
  expect(all[0]?.nodes.get(node1)).toEqual({
    isEnabled: true,
    isConnected: false,
    counters: { asked: 47, accepted: 0, refused: 0, undecided: 47 },
  });
  expect(all[1]?.nodes.get(node2)).toMatchObject({ isConnected: true, counters: { asked: 2, accepted: 2 } });
});

test('alarms about a backend have one cause, though each node has another name for it', async () => {
  const alarms = (await api.listAlarms?.(node1)) ?? [];
  const own = alarms.filter(({ id }) => id.startsWith('emqx_authn'));
  expect(new Set(own.map(({ id }) => id)).size).toBe(2);
  const [backend] = (await api.listAccessBackends?.()) ?? [];
  expect(own.map(({ causeId }) => causeId)).toEqual([backend?.alarmCause, backend?.alarmCause]);
});

test('there are none before 5.5: nothing is sent', async () => {
  forced.set('GET /nodes', { status: 200, body: v5Recording('022').body.replaceAll('5.8.9', '5.0.26') });
  await api.listNodes();
  await expect(api.listAccessBackends?.()).rejects.toBeInstanceOf(NotSupportedError);
  expect(server.requests).toEqual(['GET /nodes']);
});
