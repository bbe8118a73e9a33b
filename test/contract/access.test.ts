import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AccessBackend } from '../../src/domain/access.ts';
import { type Loopback, listenOnLoopback } from '../support/loopback.ts';
import { type Chain, nodeNames, startChain } from './support.ts';

const waitMs = { timeout: 20_000, interval: 50 };
const [node1, node2] = nodeNames;

let chain: Chain;
let service: Loopback;

/** A real service for authentication, which only knows `ann`. */
beforeEach(async () => {
  service = await listenOnLoopback(
    createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => response.writeHead(text.includes('username=ann') ? 200 : 403).end());
    }),
  );
  chain = await startChain('v5');
  const { api } = chain.broker.operator;
  for (const node of nodeNames)
    await api.replacePluginSettings(node, 'broker_auth_http', {
      'auth.http.auth_req': `http://127.0.0.1:${service.port}/auth`,
      'auth.http.auth_req.method': 'post',
      'auth.http.auth_req.params': 'clientid=%c,username=%u,password=%P',
    });
  await api.startPlugin(undefined, 'broker_auth_http');
});
afterEach(async () => {
  await chain.close();
  await service.close();
});

const find = async (id: string): Promise<AccessBackend> => {
  const found = ((await chain.api.listAccessBackends?.()) ?? []).find((backend) => backend.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

it('what decides about access is counted by node, and a service that is away is down', async () => {
  const ann = await chain.connect('a', 0, { username: 'ann', password: 'p' });
  await expect(chain.connect('b', 1, { username: 'bob', password: 'p' })).rejects.toThrow('Bad username or password');
  const { nodes, purpose } = await find('password_based:http');
  expect([purpose, [...nodes.keys()].toSorted()]).toEqual(['authentication', nodeNames]);
  expect(nodes.get(node1)).toEqual({
    isEnabled: true,
    isConnected: true,
    counters: { asked: 1, accepted: 1, refused: 0, undecided: 0 },
  });
  expect(nodes.get(node2)?.counters).toEqual({ asked: 1, accepted: 0, refused: 1, undecided: 0 });

  await ann.publishAsync('a', '1', { qos: 1 });
  expect((await find('file')).nodes.get(node1)?.counters.asked).toBeGreaterThan(0);

  await service.close();
  await expect(chain.connect('c', 1, { username: 'ann', password: 'p' })).rejects.toThrow('Not authorized');
  await vi.waitFor(async () => {
    expect((await find('password_based:http')).nodes.get(node2)).toEqual({
      isEnabled: true,
      isConnected: false,
      counters: { asked: 2, accepted: 0, refused: 1, undecided: 1 },
    });
  }, waitMs);
  await chain.broker.cluster.stopNode(node2);
  await chain.broker.cluster.startNode(node2);
  expect((await find('password_based:http')).nodes.get(node2)?.counters.asked).toBe(0);
});
