import type { Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import type { AuthenticateResult, BrokerHooks, ConnectRequest } from '../../../src/broker/engine/hooks.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { connectClient, connectPacket, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const subscribe = (messageId: number, topic: string): Packet => ({
  cmd: 'subscribe',
  messageId,
  subscriptions: [{ topic, qos: 1 }],
});

describe('authenticate', () => {
  const answers: readonly (readonly [AuthenticateResult | 'throw', number])[] = [
    ['accept', 0],
    ['bad-credentials', 4],
    ['not-authorized', 5],
    ['ignore', 0],
    ['throw', 5],
  ];
  it.each(
    answers.flatMap(
      ([answer, code]) =>
        [
          [answer, code, 'now'],
          [answer, code, 'later'],
        ] as const,
    ),
  )('%s answers CONNACK %i (%s)', async (answer, code, when) => {
    const authenticate = (): AuthenticateResult | Promise<AuthenticateResult> => {
      if (answer !== 'throw') return when === 'now' ? answer : Promise.resolve(answer);
      if (when === 'now') throw new Error('no');
      return Promise.reject(new Error('no'));
    };
    const cluster = await startTestCluster({ hooks: { authenticate } });
    const raw = await RawClient.open(nodeAt(cluster, 0).ports.tcp);
    // What follows at once must wait for the answer.
    raw.send(connectPacket({ clientId: 'x' }), { cmd: 'pingreq' });
    expect((await raw.take('connack')).returnCode).toBe(code);
    if (code === 0) await raw.take('pingresp');
    else await raw.closed;
    expect(cluster.session('x') !== undefined).toBe(code === 0);
  });

  it('gets the values of the CONNECT', async () => {
    const seen: ConnectRequest[] = [];
    const cluster = await startTestCluster({
      hooks: {
        authenticate: (request) => {
          seen.push(request);
          return 'accept';
        },
      },
    });
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, {
      clientId: 'x',
      username: 'user',
      password: Buffer.from('secret'),
    });
    expect(seen).toMatchObject([
      {
        clientId: 'x',
        username: 'user',
        password: Buffer.from('secret'),
        ipAddress: '127.0.0.1',
        protocolVersion: 4,
        cleanSession: true,
        node: 'broker1@127.0.0.1',
      },
    ]);
  });

  it('has the same time limit as the CONNECT', async () => {
    const cluster = await startTestCluster({
      settings: { connectTimeoutMs: 30 },
      hooks: { authenticate: () => new Promise<never>(() => undefined) },
    });
    const raw = await RawClient.open(nodeAt(cluster, 0).ports.tcp);
    raw.send(connectPacket({ clientId: 'x', keepalive: 1 }));
    await raw.closed;
    expect(nodeAt(cluster, 0).describeListeners()[0]).toMatchObject({
      currentClients: 0,
      shutdownCount: { 'connect-timeout': 1 },
    });
  });

  it('is optional: without it the setting decides', async () => {
    const cluster = await startTestCluster({ settings: { allowAnonymous: false } });
    for (const [username, code] of [
      [undefined, 5],
      ['user', 4],
    ] as const) {
      const raw = await RawClient.open(nodeAt(cluster, 0).ports.tcp);
      raw.send(connectPacket({ clientId: 'x', ...(username === undefined ? {} : { username }) }));
      expect((await raw.take('connack')).returnCode).toBe(code);
    }
  });
});

describe('authorize', () => {
  it.each(['now', 'later'])(
    'decides on publish, subscribe and will, in the order of the packets (%s)',
    async (when) => {
      const answer = (allowed: boolean) => (when === 'now' ? allowed : Promise.resolve(allowed));
      const hooks: BrokerHooks = {
        authorize: (client, action, topic) =>
          answer(client.clientId !== 'guest' || topic === (action === 'publish' ? 'may/say' : 'may/hear')),
      };
      const cluster = await startTestCluster({ hooks });
      const watcher = await connectClient(urlOf(cluster));
      await watcher.mqtt.subscribeAsync('#', { qos: 1 });
      const guest = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, {
        clientId: 'guest',
        will: { topic: 'forbidden/will', payload: Buffer.from('w'), qos: 1 },
      });
      guest.send(
        subscribe(1, 'may/hear'),
        subscribe(2, 'secret'),
        { cmd: 'publish', topic: 'secret', payload: 'no', qos: 1, messageId: 3, retain: false, dup: false },
        { cmd: 'publish', topic: 'may/say', payload: 'yes', qos: 1, messageId: 4, retain: false, dup: false },
        { cmd: 'publish', topic: 'secret', payload: 'no', qos: 2, messageId: 5, retain: true, dup: false },
      );
      expect((await guest.take('suback')).granted).toEqual([1]);
      expect((await guest.take('suback')).granted).toEqual([0x80]);
      expect((await guest.take('puback')).messageId).toBe(3);
      expect((await guest.take('puback')).messageId).toBe(4);
      expect((await guest.take('pubrec')).messageId).toBe(5);
      guest.socket.destroy();
      await watcher.mqtt.publishAsync('end', 'end', { qos: 1 });
      await watcher.messages(2);
      expect(watcher.payloads()).toEqual(['yes', 'end']);
      expect(cluster.sharedStat('retained')).toBe(0);
    },
  );

  it('is called once per topic, and again when the cache was cleared or is off', async () => {
    const asked: string[] = [];
    const cluster = await startTestCluster({
      hooks: {
        authorize: (_, action, topic) => {
          asked.push(`${action} ${topic}`);
          return true;
        },
      },
    });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    const publish = async (topic: string): Promise<void> => {
      raw.send({ cmd: 'publish', topic, payload: '', qos: 0, retain: false, dup: false });
      await raw.ping();
    };
    await publish('a');
    await publish('a');
    await publish('b');
    expect(asked.splice(0)).toEqual(['publish a', 'publish b']);
    await createBrokerApi(cluster).clearAclCache('x', 'a');
    await publish('a');
    await publish('b');
    expect(asked.splice(0)).toEqual(['publish a']);
    nodeAt(cluster, 0).settings.aclCacheSize = 1;
    await publish('c');
    await publish('a');
    expect(asked.splice(0)).toEqual(['publish c', 'publish a']);
  });

  it('leaves undecided topics to the setting, and refuses when it fails', async () => {
    const cluster = await startTestCluster({
      settings: { aclNoMatch: 'deny' },
      hooks: {
        authorize: (_, __, topic) => {
          if (topic === 'broken') throw new Error('no');
          return undefined;
        },
      },
    });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    raw.send(subscribe(1, 'a'), subscribe(2, 'broken'));
    expect((await raw.take('suback')).granted).toEqual([0x80]);
    expect((await raw.take('suback')).granted).toEqual([0x80]);
    nodeAt(cluster, 0).settings.aclNoMatch = 'allow';
    raw.send(subscribe(3, 'other'), subscribe(4, 'broken'));
    expect((await raw.take('suback')).granted).toEqual([1]);
    expect((await raw.take('suback')).granted).toEqual([0x80]);
  });

  it('refuses when it does not answer in time', async () => {
    const cluster = await startTestCluster({
      settings: { authorizeTimeoutMs: 50 },
      hooks: { authorize: () => new Promise<never>(() => undefined) },
    });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    raw.send(subscribe(1, 'a'));
    expect((await raw.take('suback')).granted).toEqual([0x80]);
  });

  it('that answers too late subscribes no client', async () => {
    let answer: (allowed: boolean) => void = () => undefined;
    const hooks: BrokerHooks = {
      authorize: () =>
        new Promise<boolean>((resolve) => {
          answer = resolve;
        }),
    };
    const cluster = await startTestCluster({ hooks });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    const asked = new Promise<void>((resolve) => {
      cluster.hooks.authorize = () => {
        resolve();
        return new Promise<boolean>((later) => {
          answer = later;
        });
      };
    });
    raw.send(subscribe(1, 'a'));
    await asked;
    cluster.session('x')?.connection?.close('kicked');
    answer(true);
    await raw.closed;
    expect([...cluster.walkRoutes(0, 9)]).toEqual([]);
    expect(nodeAt(cluster, 0).stats.read().subscriptions.count).toBe(0);
  });
});

describe('events', () => {
  it('report each change', async () => {
    const cluster = await startTestCluster();
    const log: string[] = [];
    cluster.events.on('connected', ({ clientId }) => log.push(`connected ${clientId}`));
    cluster.events.on('disconnected', ({ clientId }, reason) => log.push(`disconnected ${clientId} ${reason}`));
    cluster.events.on('subscribed', (clientId, filter, qos) => log.push(`subscribed ${clientId} ${filter} ${qos}`));
    cluster.events.on('unsubscribed', (clientId, filter) => log.push(`unsubscribed ${clientId} ${filter}`));
    cluster.events.on('published', ({ topic, publisher }) => log.push(`published ${topic} by ${publisher}`));
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    raw.send(subscribe(1, 'a/#'), { cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['a/#', 'never'] });
    raw.send({ cmd: 'publish', topic: 't', payload: '', qos: 0, retain: false, dup: false }, { cmd: 'disconnect' });
    await raw.closed;
    expect(log).toEqual([
      'connected x',
      'subscribed x a/# 1',
      'unsubscribed x a/#',
      'published t by x',
      'disconnected x client-disconnect',
    ]);
  });
});
