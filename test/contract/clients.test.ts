import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Arrived,
  awkwardIds,
  type Chain,
  errorOfKind,
  failuresOf,
  isDotId,
  nextMessages,
  nodeNames,
  speakers,
  startChain,
  totalsOf,
  traitsOf,
  untilClosed,
} from './support.ts';

const [one, two, three] = nodeNames;

describe.each(speakers)('clients, sessions and subscriptions, %s', (variant) => {
  const traits = traitsOf(variant);
  const { hasSessions } = traits;
  const nodeOf = (node: string): string | undefined => (traits.namesNode ? node : undefined);
  /** A sender, where messages have one. */
  const sender = (clientId: string): { readonly clientId?: string } => (traits.hasSender ? { clientId } : {});
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(variant);
  });
  afterAll(() => chain.close());

  /** Expects one clean session of the id on the first node, or none. */
  async function expectSessions(id: string, count: 0 | 1): Promise<void> {
    if (!hasSessions) return;
    const expected = count === 0 ? [] : [[id, true]];
    for (const sessions of [await chain.api.getSession(id), await chain.api.getNodeSession(one, id)]) {
      expect(sessions.map(({ clientId, cleanSession }) => [clientId, cleanSession])).toEqual(expected);
    }
  }

  /** Expects that disconnecting an ID is refused, or changes nothing. */
  async function expectUnknown(id: string): Promise<void> {
    expect(await failuresOf([chain.api.disconnectClient(id)])).toEqual([
      traits.refusesUnknown ? errorOfKind('not-connected') : undefined,
    ]);
  }

  it('shows a client', async () => {
    const mqtt = await chain.connect('plain', 1, {
      username: 'somebody',
      keepalive: 77,
      protocolVersion: 3,
      protocolId: 'MQIsdp',
      clean: false,
    });
    const found = await chain.api.getClient('plain');
    expect(found).toEqual([
      {
        clientId: 'plain',
        username: 'somebody',
        ipAddress: '127.0.0.1',
        port: expect.any(Number),
        cleanSession: false,
        protocolVersion: 3,
        keepaliveSeconds: 77,
        connectedAt: expect.any(Number),
        node: nodeOf(two),
        unparsed: {},
        ...(traits.namesNode && { traffic: found[0]?.traffic }),
      },
    ]);
    expect(found[0]?.traffic?.receivedMessages).toBe(traits.namesNode ? 0 : undefined);
    const { clock } = await chain.api.getNode(two);
    expect((clock ?? 0) - (found[0]?.connectedAt ?? 0)).toBeGreaterThanOrEqual(0);
    expect(await chain.api.getNodeClient(two, 'plain')).toEqual([{ ...found[0], node: two }]);
    expect(await chain.api.getNodeClient(one, 'plain')).toEqual([]);
    await mqtt.endAsync();
  });

  describe.each(awkwardIds.filter((id) => traits.sendsDotIds || !isDotId(id)))('client id %j', (id) => {
    it('is read, subscribed for, and disconnected', async () => {
      const { api } = chain;
      const mqtt = await chain.connect(id, 0, { clean: true });
      await mqtt.subscribeAsync('mine/+', { qos: 1 });
      expect((await api.getClient(id)).map(({ clientId, username }) => [clientId, username])).toEqual([
        [id, undefined],
      ]);
      expect((await api.getNodeClient(one, id)).map(({ clientId, node }) => [clientId, node])).toEqual([[id, one]]);
      await expectSessions(id, 1);
      expect(await api.getSubscriptions(id)).toEqual([{ clientId: id, topic: 'mine/+', qos: 1, node: nodeOf(one) }]);
      expect((await api.listClients(one, { page: 1, pageSize: 100 })).items.map(({ clientId }) => clientId)).toContain(
        id,
      );

      const arrived = nextMessages(mqtt, 1);
      await api.subscribe({ clientId: id, topic: 'given', qos: 2 });
      await api.publish({ topic: 'given', payload: `to ${id}`, ...sender(id) });
      expect(await arrived).toMatchObject([{ topic: 'given', payload: `to ${id}` }]);
      expect(await api.getSubscriptions(id)).toContainEqual({
        clientId: id,
        topic: 'given',
        qos: 2,
        node: nodeOf(one),
      });

      await api.disconnectClient(id);
      await untilClosed(mqtt);
      expect(await api.getClient(id)).toEqual([]);
      await expectSessions(id, 0);
      await expectUnknown(id);
    });
  });

  it.skipIf(traits.sendsDotIds).each(['.', '..'])(
    'client id %j is read and disconnected, and not sent in a path',
    async (id) => {
      const { api } = chain;
      const mqtt = await chain.connect(id, 0);
      await mqtt.subscribeAsync('mine/+', { qos: 1 });
      expect((await api.getClient(id)).map(({ clientId }) => clientId)).toEqual([id]);
      await expectSessions(id, 1);
      expect(await api.getSubscriptions(id)).toEqual([{ clientId: id, topic: 'mine/+', qos: 1, node: one }]);
      await expect(api.subscribe({ clientId: id, topic: 'given', qos: 2 })).rejects.toEqual(errorOfKind('unusable-id'));
      await api.listNodes();
      await api.disconnectClient(id);
      await untilClosed(mqtt);
      expect(await api.getClient(id)).toEqual([]);
    },
  );

  it('does not find an unknown id', async () => {
    for (const id of ['nobody', 'constructor', 'toString']) {
      expect(await chain.api.getClient(id)).toEqual([]);
      await expectSessions(id, 0);
      expect(await chain.api.getSubscriptions(id)).toEqual([]);
      expect(await chain.api.getNodeClient(one, id)).toEqual([]);
      await expectUnknown(id);
      await expect(chain.api.subscribe({ clientId: id, topic: 'a', qos: 0 })).rejects.toEqual(
        errorOfKind(traits.subscribesNobody),
      );
    }
  });

  it.runIf(hasSessions)('shows the session of an offline client with its queue', async () => {
    const first = await chain.connect('lasting', 2, { clean: false });
    await first.subscribeAsync(['work/a', 'work/b'], { qos: 1 });
    await first.endAsync();
    await chain.api.publish({ topic: 'work/a', payload: '1', qos: 1 });
    await chain.api.publish({ topic: 'work/b', payload: '2', qos: 2 });
    await chain.api.publish({ topic: 'work/c', payload: '3', qos: 2 });

    expect(await chain.api.getClient('lasting')).toEqual([]);
    const [session, ...more] = await chain.api.getSession('lasting');
    expect(more).toEqual([]);
    expect(session).toMatchObject({
      clientId: 'lasting',
      cleanSession: false,
      queueLength: 2,
      dropped: 0,
      inflight: 0,
      maxInflight: 32,
      awaitingRel: 0,
      unparsed: {},
    });
    // Counters that only the other variant has are unknown, not zero.
    expect([session?.subscriptions, session?.delivered, session?.enqueued]).toEqual(
      variant === 'a' ? [undefined, undefined, undefined] : [2, 0, traits.hasEnqueued ? 2 : undefined],
    );
    expect([session?.awaitingAck, session?.awaitingComp]).toEqual(variant === 'a' ? [0, 0] : [undefined, undefined]);
    expect(await chain.api.getNodeSession(three, 'lasting')).toEqual([{ ...session, node: three }]);

    await chain.api.subscribe({ clientId: 'lasting', topic: 'work/c', qos: 1 });
    await chain.api.publish({ topic: 'work/c', payload: '4', qos: 1 });
    let arrived: Promise<readonly Arrived[]> | undefined;
    const again = await chain.connect('lasting', 0, { clean: false }, (client) => {
      arrived = nextMessages(client, 3);
    });
    expect((await arrived)?.map(({ topic, payload }) => `${topic} ${payload}`)).toEqual([
      'work/a 1',
      'work/b 2',
      'work/c 4',
    ]);
    await again.endAsync();
  });

  it('reads the subscriptions of a client on one node, where the API can', async () => {
    const mqtt = await chain.connect('chosen', 1);
    await mqtt.subscribeAsync('a/+/c', { qos: 2 });
    const read = Promise.allSettled([
      chain.api.getNodeSubscriptions(two, 'chosen'),
      chain.api.getNodeSubscriptions(one, 'chosen'),
    ]);
    expect(await read).toEqual(
      chain.api.capabilities?.nodeSubscriptionsOfClient === true
        ? [
            { status: 'fulfilled', value: [{ clientId: 'chosen', topic: 'a/+/c', qos: 2, node: two }] },
            { status: 'fulfilled', value: [] },
          ]
        : Array.from({ length: 2 }, () => ({ status: 'rejected', reason: errorOfKind('not-supported') })),
    );
    await mqtt.endAsync();
  });

  it('unsubscribes on behalf of a client, except in variant A', async () => {
    const mqtt = await chain.connect('left', 0);
    await mqtt.subscribeAsync('x/#', { qos: 0 });
    const [result] = await Promise.allSettled([chain.api.unsubscribe({ clientId: 'left', topic: 'x/#' })]);
    expect(result).toEqual(
      variant !== 'a'
        ? { status: 'fulfilled', value: undefined }
        : { status: 'rejected', reason: errorOfKind('not-supported') },
    );
    expect(await chain.api.getSubscriptions('left')).toHaveLength(variant === 'a' ? 1 : 0);
    await mqtt.endAsync();
  });

  it.runIf(hasSessions)('clears the ACL cache of a client that is there', async () => {
    const mqtt = await chain.connect('cached', 2);
    await chain.api.clearAclCache('cached', 'a/b');
    await expect(chain.api.clearAclCache('nobody', 'a/b')).rejects.toEqual(errorOfKind('not-connected'));
    const { idWithoutAclCache: id } = traits;
    expect(await failuresOf([chain.api.clearAclCache(id ?? 'nobody', 'a/b')])).toEqual([
      errorOfKind(id === undefined ? 'not-connected' : 'unusable-id'),
    ]);
    await mqtt.endAsync();
  });

  it('publishes retained messages, payloads of any text, in the name of a client', async () => {
    const payload = 'é\u0000\n💩"\\';
    await chain.api.publish({ topic: 'kept/here', payload, qos: 1, retain: true, ...sender('me') });
    const mqtt = await chain.connect('late', 1);
    const arrived = nextMessages(mqtt, 1);
    await mqtt.subscribeAsync('kept/#', { qos: 1 });
    expect(await arrived).toMatchObject([{ topic: 'kept/here', payload, packet: { qos: 1, retain: true } }]);
    await mqtt.endAsync();
  });

  it('reads a topic with its slashes: one route for each node that listens', async () => {
    const [first, second] = [await chain.connect('r1', 0), await chain.connect('r2', 1)];
    for (const topic of ['/lead/er', 'a b/é', '%2F/..', '+/x/#', '.', '..', '//']) {
      await first.subscribeAsync(topic);
      await second.subscribeAsync(topic);
      expect((await chain.api.getRoutes(topic)).toSorted((a, b) => a.node.localeCompare(b.node))).toEqual([
        { topic, node: one },
        { topic, node: two },
      ]);
      await second.unsubscribeAsync(topic);
      expect(await chain.api.getRoutes(topic)).toEqual([{ topic, node: one }]);
    }
    expect(await chain.api.getRoutes('nobody/here')).toEqual([]);
    await first.endAsync();
    await second.endAsync();
  });
});

describe.each(speakers)('pages, %s', (variant) => {
  const { hasSessions, totals, emptyPage } = traitsOf(variant);
  let chain: Chain;
  const ids = Array.from({ length: 25 }, (_, index) => `page-${String(index).padStart(2, '0')}`);
  const topics = ids.flatMap((id) => [`${id}/a`, `${id}/b`]);

  beforeAll(async () => {
    chain = await startChain(variant);
    await Promise.all(
      ids.map(async (id) => {
        const mqtt = await chain.connect(id, 1);
        await mqtt.subscribeAsync([`${id}/a`, `${id}/b`]);
      }),
    );
  });
  afterAll(() => chain.close());

  it.each([1, 7, 24, 25, 26, 1000])('of %i clients and sessions hold every one once, in order', async (pageSize) => {
    for (const list of hasSessions ? (['listClients', 'listSessions'] as const) : (['listClients'] as const)) {
      const got: string[] = [];
      for (let page = 1; page <= Math.ceil(25 / pageSize); page += 1) {
        const answer = await chain.api[list](two, { page, pageSize });
        const has = list === 'listClients' ? totals.clients : totals.others;
        expect(answer).toMatchObject({ page, pageSize, ...totalsOf(has, 25, Math.ceil(25 / pageSize)) });
        got.push(...answer.items.map(({ clientId }) => clientId));
      }
      expect(got).toEqual(ids);
    }
  });

  it.each([9, 1000])('of %i subscriptions and routes hold every one once', async (pageSize) => {
    const lists = [
      (page: number) => chain.api.listSubscriptions(two, { page, pageSize }),
      (page: number) => chain.api.listRoutes({ page, pageSize }),
    ];
    for (const list of lists) {
      const got: string[] = [];
      for (let page = 1; page <= Math.ceil(50 / pageSize); page += 1) {
        const answer = await list(page);
        expect(answer).toMatchObject(totalsOf(totals.others, 50, Math.ceil(50 / pageSize)));
        got.push(...answer.items.map(({ topic }) => topic));
      }
      expect(got.toSorted()).toEqual(topics);
    }
  });

  it('beyond the end are empty', async () => {
    const page = { page: 9, pageSize: 10 };
    for (const answer of [
      await chain.api.listClients(two, page),
      ...(hasSessions ? [await chain.api.listSessions(two, page)] : []),
      await chain.api.listSubscriptions(two, page),
      await chain.api.listRoutes(page),
    ]) {
      expect(answer).toMatchObject({ page: 9, pageSize: 10, items: [] });
      expect(answer.totalItems ?? 1).toBeGreaterThan(0);
    }
  });

  it('of an empty list are none', async () => {
    expect(await chain.api.listClients(three, { page: 1, pageSize: 10 })).toMatchObject({
      page: 1,
      pageSize: 10,
      items: [],
      ...totalsOf(totals.clients, 0, 0),
    });
  });

  it('of size zero or below are refused', async () => {
    const refused = errorOfKind(emptyPage);
    await expect(chain.api.listClients(two, { page: 1, pageSize: 0 })).rejects.toEqual(refused);
    await expect(chain.api.listRoutes({ page: 1, pageSize: -5 })).rejects.toEqual(refused);
  });
});
