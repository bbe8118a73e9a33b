import { subscribeClient, unsubscribeClient } from '../../src/resources/subscriptions/actions.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { deleteUser } from '../../src/resources/users/actions.ts';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRunner } from '../../src/actions/runner.ts';
import type { Client } from '../../src/domain/client.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { client as clientOf } from '../monitor/fake-api.ts';
import { awkwardIds, type Chain, nodeNames, password, speakers, startChain, traitsOf, untilClosed } from './support.ts';

/** Ids that code confuses with each other, or with a path of the API, if it decodes twice or normalises dots and slashes. */
const alike = [
  '../users',
  'users',
  'a',
  'b',
  'a%2Fb',
  'a%252Fb',
  'a b',
  'a%20b',
  'a+b',
  'a%2Bb',
  'x',
  '../x',
  './x',
  'a/../x',
  'x/',
  'x//',
  '%2e%2e',
  '%2E',
  '%00',
  'nodes',
  'clients/x',
  'clients%2Fx',
  'configs',
  'alarms',
  'toString',
  'hasOwnProperty',
  'null',
  '#',
  'a#b',
  'a?b',
  'é',
  'e\u0301',
  '\u00E9\u200B',
  'A',
  '\u0430',
  '-',
  '–',
  '…',
  '""',
];
const ids = [...new Set([...awkwardIds, ...alike])];

describe.each(speakers)('targets that look alike, %s', (variant) => {
  let chain: Chain;
  const connected = new Map<string, MqttClient>();
  beforeAll(async () => {
    chain = await startChain(variant);
    for (const [at, id] of ids.entries()) connected.set(id, await chain.connect(id, at % 2 === 0 ? 0 : 1));
  });
  afterAll(() => chain.close());

  const runner = () => createRunner({ api: chain.api, clock: systemClock });
  const listed = async (): Promise<readonly Client[]> => {
    const pages = await Promise.all(nodeNames.map((node) => chain.api.listClients(node, { page: 1, pageSize: 1_000 })));
    return pages.flatMap(({ items }) => items);
  };
  const stillThere = (): readonly string[] =>
    [...connected]
      .filter(([, client]) => client.connected)
      .map(([id]) => id)
      .toSorted();

  it('all are listed unchanged', async () => {
    expect((await listed()).map(({ clientId }) => clientId).toSorted()).toEqual(ids.toSorted());
  });

  it('subscribing and unsubscribing affect the selected client only', async () => {
    const shown = await listed();
    for (const topic of [
      'a/b',
      'a%2Fb',
      '/',
      '//',
      'a//b',
      '/a',
      'a/',
      '..',
      '../users',
      '+/%2F/#',
      'a%2Bb',
      'clients',
      '__proto__',
    ]) {
      const id = traitsOf(variant).sendsDotIds ? (topic === '..' ? '.' : '..') : topic === '..' ? 'x' : '../x';
      const client = shown.find(({ clientId }) => clientId === id) ?? clientOf(id, 'not listed');
      expect((await runner().run(subscribeClient.create({ kind: 'client', client }, topic, 1))).outcome).toBe('done');
      expect(await chain.api.getRoutes(topic)).toEqual([{ topic, node: client.node }]);
      const subscriptions = (
        await Promise.all(nodeNames.map((node) => chain.api.listSubscriptions(node, { page: 1, pageSize: 1_000 })))
      ).flatMap(({ items }) => items);
      expect(subscriptions.map((each) => [each.clientId, each.topic])).toEqual([[id, topic]]);
      if (variant === 'a') await connected.get(id)?.unsubscribeAsync(topic);
      else for (const subscription of subscriptions) await runner().run(unsubscribeClient.create(subscription));
      expect(await chain.api.getRoutes(topic)).toEqual([]);
    }
  });

  it.skipIf(variant === 'small')('deleting a user affects no other user', async () => {
    const names = [
      ...(traitsOf(variant).sendsDotIds ? ['..', '.'] : []),
      '../users',
      'users',
      'a/b',
      'a%2Fb',
      'a+b',
      'a b',
      '__proto__',
      'constructor',
      'é',
      'e\u0301',
    ];
    for (const username of names) await chain.api.addUser({ username, password: 'long enough', tags: username });
    for (const [at, username] of names.entries()) {
      expect(
        await runner().run(deleteUser.create({ username, tags: username }, { isSignedInUser: false })),
      ).toMatchObject({ outcome: 'done' });
      expect((await chain.api.listUsers()).map((user) => user.username).toSorted()).toEqual(
        ['admin', ...names.slice(at + 1)].toSorted(),
      );
    }
    await expect(chain.api.checkCredentials('admin', password)).resolves.toBeUndefined();
  });

  it.each(['', '\uD83D', 'a\uDC00'])('%j cannot be sent: nothing is done, and the error says why', async (id) => {
    const before = stillThere();
    for (const action of [
      disconnectClient.create({ kind: 'client', client: clientOf(id, nodeNames[0], 1) }),
      subscribeClient.create({ kind: 'id', clientId: id }, 'a', 0),
    ]) {
      expect(await runner().run(action)).toMatchObject({ outcome: 'not-done', wasSent: false });
    }
    expect(stillThere()).toEqual(before);
  });

  it('disconnecting affects the selected client only', async () => {
    const shown = await listed();
    // Older releases cannot disconnect all of these: the program knows the nodes before it acts.
    await chain.api.listNodes();
    const left = new Set(ids);
    for (const client of shown) {
      const closed = untilClosed(connected.get(client.clientId) ?? (await chain.connect('never')));
      const [session] = variant === 'small' ? [] : await chain.api.getNodeSession(client.node ?? '', client.clientId);
      const action =
        left.size % 2 === 0 && session !== undefined
          ? disconnectClient.create({ kind: 'session', session })
          : disconnectClient.create({ kind: 'client', client });
      expect(await runner().run(action)).toMatchObject({ outcome: 'done', wasSent: true });
      await closed;
      left.delete(client.clientId);
      expect(stillThere()).toEqual([...left].toSorted());
    }
    expect(await listed()).toEqual([]);
  });
});
