import { replacePluginSettings } from '../../src/resources/plugin-settings/actions.ts';
import { changeSetting } from '../../src/resources/settings/actions.ts';
import { startPlugin, stopPlugin } from '../../src/resources/plugins/actions.ts';
import { publishMessage } from '../../src/resources/messages/actions.ts';
import { subscribeClient, unsubscribeClient } from '../../src/resources/subscriptions/actions.ts';
import { clearAclCache, disconnectClient } from '../../src/resources/clients/actions.ts';
import {
  addUser,
  changePassword,
  changeUserTags,
  checkCredentials,
  deleteUser,
} from '../../src/resources/users/actions.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunner } from '../../src/actions/runner.ts';
import { Secret } from '../../src/actions/secret.ts';
import type { Client } from '../../src/domain/client.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import {
  type Chain,
  nextMessages,
  nodeNames,
  password,
  speakers,
  startChain,
  traitsOf,
  untilClosed,
} from './support.ts';

describe.each(speakers)('actions over HTTP, %s', (variant) => {
  let chain: Chain;
  beforeEach(async () => {
    chain = await startChain(variant);
  });
  afterEach(() => chain.close());

  const runner = () => createRunner({ api: chain.api, clock: systemClock });

  /** Returns the client as listed. */
  async function listed(clientId: string): Promise<Client> {
    const { items } = await chain.api.listClients(nodeNames[1], { page: 1, pageSize: 100 });
    const client = items.find((each) => each.clientId === clientId);
    if (client === undefined) throw new Error(`${clientId} is not listed`);
    return client;
  }

  test('disconnecting ends the connection that was listed, and no later one of the same id', async () => {
    const first = await chain.connect('a/b +1', 1);
    const shown = await listed('a/b +1');
    const closed = untilClosed(first);
    expect(await runner().run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'done',
      reason: 'reading',
      why: undefined,
    });
    await closed;
    const second = await chain.connect('a/b +1', 1);
    expect(await runner().run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'not-done',
      reason: 'changed',
      wasSent: false,
    });
    expect(second.connected).toBe(true);
  });

  test('subscribing delivers, publishing arrives, unsubscribing is not in variant A', async () => {
    const client = await chain.connect('c1', 1);
    const shown = { kind: 'client', client: await listed('c1') } as const;
    expect(await runner().run(subscribeClient.create(shown, 'news/today', 1))).toMatchObject({ outcome: 'done' });
    const arriving = nextMessages(client, 1);
    expect(await runner().run(publishMessage.create({ topic: 'news/today', payload: 'hello', qos: 1 }))).toMatchObject({
      outcome: 'accepted',
    });
    expect(await arriving).toMatchObject([{ topic: 'news/today', payload: 'hello' }]);
    const [subscription] = await chain.api.getSubscriptions('c1');
    expect(subscription).toBeDefined();
    const result = subscription && (await runner().run(unsubscribeClient.create(subscription)));
    expect(result).toMatchObject(variant === 'a' ? { reason: 'unsupported', wasSent: false } : { outcome: 'done' });
    expect(await chain.api.getSubscriptions('c1')).toHaveLength(variant === 'a' ? 1 : 0);
    const cleared = await runner().run(
      chain.api.capabilities?.clearsWholeAclCache === true
        ? clearAclCache.create(shown.client)
        : clearAclCache.create(shown.client, 't'),
    );
    expect(cleared).toMatchObject({ outcome: traitsOf(variant).clearsAclCache });
  });

  test.skipIf(variant === 'small')('plugins start and stop on every node', async () => {
    const { capabilities } = chain.api;
    if (capabilities === undefined) throw new Error('the variant is not known');
    const shownNow = () =>
      Promise.all(
        nodeNames.map(async (node) => ({
          node,
          active: (await chain.api.listPlugins(node)).find(({ name }) => name.includes('plugin_template'))?.active,
        })),
      );
    const plugin =
      (await chain.api.listPlugins(nodeNames[0])).find(({ name }) => name.includes('plugin_template'))?.name ?? '';
    for (const active of [true, false]) {
      const result = await runner().run(
        (active ? startPlugin : stopPlugin).create({ plugin, nodes: await shownNow(), capabilities }),
      );
      expect(result).toMatchObject({ outcome: 'done', reason: 'reading' });
      expect(result.parts).toHaveLength(3);
      expect((await shownNow()).map((each) => each.active)).toEqual([active, active, active]);
    }
  });

  test.skipIf(variant === 'small')('users are added, changed, checked and deleted', async () => {
    const run = runner();
    expect(
      await run.run(addUser.create({ username: 'ann', tags: 'user', password: new Secret('the first one') })),
    ).toMatchObject({ outcome: 'done' });
    expect(await run.run(changeUserTags.create({ username: 'ann', tags: 'user' }, 'viewer'))).toMatchObject({
      outcome: 'done',
    });
    expect(
      await run.run(
        changePassword.create({
          username: 'ann',
          oldPassword: new Secret('the first one'),
          newPassword: new Secret('the second one'),
          isSignedInUser: false,
        }),
      ),
    ).toMatchObject({ outcome: 'done' });
    expect(await run.run(checkCredentials.create('ann', new Secret('the first one')))).toMatchObject({
      outcome: 'done',
      isAccepted: false,
      error: { code: traitsOf(variant).wrongPasswordCode },
    });
    expect(await run.run(checkCredentials.create('ann', new Secret('the second one')))).toMatchObject({
      outcome: 'done',
      isAccepted: true,
    });
    expect(
      await run.run(deleteUser.create({ username: 'ann', tags: 'viewer' }, { isSignedInUser: false })),
    ).toMatchObject({ outcome: 'done' });
    const own = await run.run(
      changePassword.create({
        username: 'admin',
        oldPassword: new Secret(password),
        newPassword: new Secret('the next one'),
        isSignedInUser: true,
      }),
    );
    expect(own).toMatchObject({ outcome: 'done', why: 'brokertop now uses the new password.' });
    expect((await run.run(checkCredentials.create('admin', new Secret('the next one')))).isAccepted).toBe(true);
  });

  test.runIf(variant === 'b')(
    'settings change on one node and on all, and plugins keep what is not edited',
    async () => {
      const all = await chain.api.listSettings();
      const [node] = nodeNames;
      const setting = all
        .get(node)
        ?.find(({ dataType, value }) => dataType === 'integer' && value !== undefined && /^\d+$/u.test(value));
      if (setting === undefined) throw new Error('no setting of a whole number');
      const { app, key } = setting;
      const shown = nodeNames.map((name) => ({
        node: name,
        value: all.get(name)?.find((each) => each.key === key)?.value,
      }));
      const value = String(Number(setting.value) + 1);
      expect(
        await runner().run(changeSetting.create({ app, key, value, nodes: shown.slice(0, 1), isForAll: false })),
      ).toMatchObject({ outcome: 'done' });
      expect(await runner().run(changeSetting.create({ app, key, value, nodes: shown, isForAll: true }))).toMatchObject(
        { reason: 'changed' },
      );
      const now = shown.map((each, index) => (index === 0 ? { ...each, value } : each));
      const result = await runner().run(changeSetting.create({ app, key, value, nodes: now, isForAll: true }));
      expect(result).toMatchObject({ outcome: 'done' });
      expect(result.parts.map((part) => part.outcome)).toEqual(['done', 'done', 'done']);

      const plugin = (await chain.api.listPlugins(node)).find(({ name }) => name.endsWith('auth_http'))?.name ?? '';
      const settings = await chain.api.getPluginSettings(node, plugin);
      const edited = settings.find(({ key: name }) => name === 'auth.http.auth_req');
      expect(edited).toBeDefined();
      expect(
        await runner().run(
          replacePluginSettings.create({
            node,
            plugin,
            shown: settings,
            edits: { 'auth.http.auth_req': 'http://127.0.0.1:9/x' },
          }),
        ),
      ).toMatchObject({ outcome: 'done' });
      expect(await chain.api.getPluginSettings(node, plugin)).toEqual(
        settings.map((each) => (each === edited ? { ...each, value: 'http://127.0.0.1:9/x' } : each)),
      );
    },
  );

  test('a stopped node: its clients are unknown to the others, so nothing is sent', async () => {
    await chain.connect('c1', 1);
    const shown = await listed('c1');
    await chain.broker.cluster.nodes[1]?.stop();
    expect(await runner().run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'not-done',
      wasSent: false,
    });
  });
});
