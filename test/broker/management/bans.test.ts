import { expect, it } from 'vitest';
import { createBans } from '../../../src/broker/management/bans.ts';
import { toBrokerSeconds } from '../../../src/broker/engine/counters.ts';
import type { BanTarget } from '../../../src/domain/administration.ts';
import { connack, portOf } from '../operator-support.ts';
import { nodeAt, RawClient, startTestCluster } from '../support.ts';

const firstPage = { page: 1, pageSize: 10 };

it.each<readonly [BanTarget, { readonly clientId?: string; readonly username?: string }]>([
  [{ kind: 'client-id', value: 'bad' }, { clientId: 'bad' }],
  [{ kind: 'username', value: 'mallory' }, { username: 'mallory' }],
  [{ kind: 'address', value: '127.0.0.1' }, {}],
])('a ban of %j refuses the CONNECT on every node until it is lifted', async (target, connect) => {
  const cluster = await startTestCluster({ nodes: 2 });
  const bans = createBans(cluster).api;
  for (const node of [0, 1]) expect(await connack(portOf(cluster, node), connect)).toBe(0);
  await bans.addBan(target);
  for (const node of [0, 1]) expect(await connack(portOf(cluster, node), connect)).toBe(5);
  await bans.liftBan(target);
  for (const node of [0, 1]) expect(await connack(portOf(cluster, node), connect)).toBe(0);
});

it('affects no other client, and none that is connected', async () => {
  const cluster = await startTestCluster();
  const bans = createBans(cluster).api;
  const client = await RawClient.connect(portOf(cluster), { clientId: 'there' });
  await bans.addBan({ kind: 'client-id', value: 'there' });
  await client.ping();
  expect(await connack(portOf(cluster), { clientId: 'There' })).toBe(0);
  expect(await connack(portOf(cluster), { clientId: 'x', username: 'there' })).toBe(0);
});

it('is refused before the authentication, so that no plugin sees it', async () => {
  const seen: string[] = [];
  const cluster = await startTestCluster({
    hooks: {
      authenticate: ({ clientId }) => {
        seen.push(clientId);
        return 'accept';
      },
    },
  });
  await createBans(cluster).api.addBan({ kind: 'client-id', value: 'bad' });
  expect(await connack(portOf(cluster), { clientId: 'bad' })).toBe(5);
  expect(await connack(portOf(cluster), { clientId: 'good' })).toBe(0);
  expect(seen).toEqual(['good']);
});

it('ends at its time, and is listed with reason and times until then', async () => {
  const cluster = await startTestCluster();
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const since = toBrokerSeconds(nowMs);
  const bans = createBans(cluster, { now: () => nowMs }).api;
  await bans.addBan({ kind: 'client-id', value: 'bad', reason: 'floods', until: since + 60 });
  expect((await bans.listBans(firstPage)).items).toEqual([
    { kind: 'client-id', value: 'bad', reason: 'floods', since, until: since + 60, by: undefined },
  ]);
  nowMs += 59_000;
  expect(await connack(portOf(cluster), { clientId: 'bad' })).toBe(5);
  nowMs += 1_000;
  expect(await connack(portOf(cluster), { clientId: 'bad' })).toBe(0);
  expect((await bans.listBans(firstPage)).items).toEqual([]);
  await bans.addBan({ kind: 'client-id', value: 'bad' });
  expect((await bans.listBans(firstPage)).items).toMatchObject([{ until: undefined }]);
});

it('is listed page by page', async () => {
  const bans = createBans(await startTestCluster()).api;
  for (let at = 0; at < 5; at += 1) await bans.addBan({ kind: 'username', value: `u${at}` });
  const pages = await Promise.all([1, 2, 3].map((page) => bans.listBans({ page, pageSize: 2 })));
  expect(pages.map(({ items }) => items.map(({ value }) => value))).toEqual([['u0', 'u1'], ['u2', 'u3'], ['u4']]);
  expect(pages[0]).toMatchObject({ totalItems: 5, totalPages: 3 });
});

it('takes one form of an address', async () => {
  const bans = createBans(await startTestCluster()).api;
  await bans.addBan({ kind: 'address', value: '0:0:0:0:0:0:0:1' });
  await expect(bans.addBan({ kind: 'address', value: '::1' })).rejects.toMatchObject({ kind: 'exists' });
  await bans.addBan({ kind: 'address', value: '::ffff:10.0.0.1' });
  await bans.liftBan({ kind: 'address', value: '10.0.0.1' });
});

it('is refused if it cannot work', async () => {
  const cluster = await startTestCluster();
  const bans = createBans(cluster).api;
  await bans.addBan({ kind: 'client-id', value: 'a' });
  await expect(bans.addBan({ kind: 'client-id', value: 'a' })).rejects.toMatchObject({ kind: 'exists' });
  for (const ban of [
    { kind: 'address', value: 'localhost' },
    { kind: 'network', value: '10.0.0.0/8' },
    { kind: 'client-id-pattern', value: '.*' },
    { kind: 'username', value: '' },
    { kind: 'username', value: 'x'.repeat(1025) },
    { kind: 'username', value: 'x', until: 1 },
  ] as const)
    await expect(bans.addBan(ban)).rejects.toMatchObject({ kind: 'invalid' });
  await expect(bans.liftBan({ kind: 'client-id', value: 'b' })).rejects.toMatchObject({ kind: 'does-not-exist' });
  expect(nodeAt(cluster, 0).isRunning).toBe(true);
});
