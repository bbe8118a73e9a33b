import { describe, expect, it } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { connectClient, connectPacket, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const will = (payload = 'gone', retain = false) => ({
  topic: 'will',
  payload: Buffer.from(payload),
  qos: 1 as const,
  retain,
});

describe('retained messages', () => {
  it('reach new subscribers with the flag, current ones without, on every node', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const early = await connectClient(urlOf(cluster, 1));
    await early.mqtt.subscribeAsync('r/#', { qos: 1 });
    await early.mqtt.publishAsync('r/1', 'one', { qos: 1, retain: true });
    expect(await early.messages(1)).toMatchObject([{ payload: 'one', retain: false, qos: 1 }]);
    const late = await connectClient(urlOf(cluster, 0));
    await late.mqtt.subscribeAsync('r/+', { qos: 2 });
    expect(await late.messages(1)).toMatchObject([{ topic: 'r/1', payload: 'one', retain: true, qos: 1 }]);
  });

  it('are replaced by the next and cleared by an empty payload', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.publishAsync('r', 'old', { qos: 1, retain: true });
    await client.mqtt.publishAsync('r', 'new', { qos: 1, retain: true });
    await client.mqtt.publishAsync('cleared', 'x', { qos: 1, retain: true });
    await client.mqtt.publishAsync('cleared', '', { qos: 1, retain: true });
    expect(cluster.sharedStat('retained')).toBe(1);
    await client.mqtt.subscribeAsync('#', { qos: 0 });
    await client.mqtt.publishAsync('end', 'end', { qos: 1 });
    await client.messages(2);
    expect(client.payloads()).toEqual(['new', 'end']);
  });

  it('are sent again for a repeated subscription', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.publishAsync('r', 'again', { qos: 1, retain: true });
    await client.mqtt.subscribeAsync('r', { qos: 1 });
    await client.mqtt.subscribeAsync('r', { qos: 1 });
    expect((await client.messages(2)).map(({ payload }) => payload)).toEqual(['again', 'again']);
  });

  it('are neither stored nor sent when retain is off, by setting or hook', async () => {
    const cluster = await startTestCluster({
      hooks: {
        retain: ({ topic }) => {
          if (topic === 'broken') throw new Error('no');
          return topic !== 'hook';
        },
      },
    });
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.publishAsync('hook', 'x', { qos: 1, retain: true });
    await client.mqtt.publishAsync('broken', 'x', { qos: 1, retain: true });
    await client.mqtt.publishAsync('kept', 'x', { qos: 1, retain: true });
    expect(cluster.sharedStat('retained')).toBe(1);
    nodeAt(cluster, 0).settings.retainAvailable = false;
    await client.mqtt.publishAsync('off', 'x', { qos: 1, retain: true });
    expect(cluster.sharedStat('retained')).toBe(1);
    await client.mqtt.subscribeAsync('#', { qos: 1 });
    await client.mqtt.publishAsync('end', 'end', { qos: 1 });
    await client.messages(1);
    expect(client.payloads()).toEqual(['end']);
  });
});

describe('wills', () => {
  it('are published when the socket closes without DISCONNECT, and retained with the flag', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const watcher = await connectClient(urlOf(cluster, 1));
    await watcher.mqtt.subscribeAsync('will', { qos: 1 });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'mortal', will: will('gone', true) });
    raw.socket.destroy();
    expect(await watcher.messages(1)).toMatchObject([{ payload: 'gone', qos: 1, retain: false }]);
    expect(cluster.sharedStat('retained')).toBe(1);
  });

  it('are not published after DISCONNECT', async () => {
    const cluster = await startTestCluster();
    const watcher = await connectClient(urlOf(cluster));
    await watcher.mqtt.subscribeAsync('#', { qos: 1 });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'polite', will: will() });
    raw.send({ cmd: 'disconnect' });
    await raw.closed;
    await watcher.mqtt.publishAsync('end', 'end', { qos: 1 });
    await watcher.messages(1);
    expect(watcher.payloads()).toEqual(['end']);
  });

  it('are published after a malformed packet', async () => {
    const cluster = await startTestCluster();
    const watcher = await connectClient(urlOf(cluster));
    await watcher.mqtt.subscribeAsync('will', { qos: 1 });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'broken', will: will() });
    raw.socket.write(Buffer.from([0xf0, 0x00]));
    expect((await watcher.messages(1))[0]?.payload).toBe('gone');
  });

  it('are published after the keepalive has run out', async () => {
    const cluster = await startTestCluster({ settings: { keepaliveBackoff: 0.05 } });
    const watcher = await connectClient(urlOf(cluster), { keepalive: 0 });
    await watcher.mqtt.subscribeAsync('will', { qos: 1 });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, {
      clientId: 'silent',
      keepalive: 1,
      will: will(),
    });
    expect((await watcher.messages(1))[0]?.payload).toBe('gone');
    await raw.closed;
    expect(nodeAt(cluster, 0).describeListeners()[0]?.shutdownCount).toEqual({ 'keepalive-timeout': 1 });
  });

  it('are published when another connection takes over, and when an operator disconnects the client', async () => {
    const cluster = await startTestCluster();
    const watcher = await connectClient(urlOf(cluster));
    await watcher.mqtt.subscribeAsync('will', { qos: 1 });
    const { tcp } = nodeAt(cluster, 0).ports;
    await RawClient.connect(tcp, { clientId: 'twice', will: will('first') });
    await RawClient.connect(tcp, { clientId: 'twice', will: will('second') });
    cluster.session('twice')?.connection?.close('kicked');
    expect((await watcher.messages(2)).map(({ payload }) => payload)).toEqual(['first', 'second']);
  });

  it('refuses a will with an invalid topic', async () => {
    const cluster = await startTestCluster();
    const raw = await RawClient.open(nodeAt(cluster, 0).ports.tcp);
    raw.send(connectPacket({ clientId: 'x', will: { ...will(), topic: 'a/#' } }));
    await raw.closed;
    expect(raw.packets).toEqual([]);
  });
});

describe('more retained messages than a queue holds', () => {
  const count = 2500;
  const fill = async (cluster: BrokerCluster): Promise<void> => {
    const api = createBrokerApi(cluster);
    for (let index = 0; index < count; index += 1)
      await api.publish({ topic: `many/${index}`, payload: String(index), qos: 1, retain: true });
  };
  const all = Array.from({ length: count }, (_, index) => String(index));

  it.each([0, 1, 2] as const)('reach a new subscription of QoS %i completely and in order', async (qos) => {
    const cluster = await startTestCluster();
    await fill(cluster);
    const client = await connectClient(urlOf(cluster), { clientId: 'x' });
    await client.mqtt.subscribeAsync('many/#', { qos });
    await client.messages(count);
    expect(client.payloads()).toEqual(all);
    expect(cluster.session('x')?.outbox.dropped).toBe(0);
  });

  it('continue after a reconnect, without replaced and removed messages', async () => {
    const cluster = await startTestCluster();
    await fill(cluster);
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x', clean: false });
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'many/#', qos: 1 }] });
    await raw.take('suback');
    const gone = disconnection(cluster, 'x');
    raw.socket.destroy();
    await gone;
    const api = createBrokerApi(cluster);
    await api.publish({ topic: 'many/2400', payload: 'new', qos: 1, retain: true });
    await api.publish({ topic: 'many/2401', payload: '', qos: 1, retain: true });
    const back = await connectClient(urlOf(cluster), { clientId: 'x', clean: false });
    await back.messages(count);
    const payloads = back.payloads();
    expect(new Set(payloads)).toEqual(
      new Set([...all.filter((text) => text !== '2400' && text !== '2401'), 'new', '']),
    );
  });

  it('come once, before newer messages of their topic', async () => {
    const cluster = await startTestCluster();
    await fill(cluster);
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'many/#', qos: 1 }] });
    await raw.take('suback');
    const api = createBrokerApi(cluster);
    const live = ['many/0', 'many/2400', 'many/2400', 'many/none'];
    for (const topic of live) await api.publish({ topic, payload: 'live', qos: 1 });
    const seen: string[] = [];
    for (let index = 0; index < count + live.length; index += 1) {
      const { topic, payload, messageId = 0 } = await raw.take('publish');
      seen.push(`${topic} ${payload.toString()}`);
      raw.send({ cmd: 'puback', messageId });
    }
    await raw.ping();
    expect(seen.filter((text) => /^many\/(?:0|2400|none) /u.test(text))).toEqual([
      'many/0 0',
      'many/0 live',
      'many/2400 2400',
      'many/2400 live',
      'many/2400 live',
      'many/none live',
    ]);
    expect(seen.filter((text) => !text.endsWith('live'))).toHaveLength(count);
  });

  it('end with the subscription', async () => {
    const cluster = await startTestCluster();
    await fill(cluster);
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'many/#', qos: 1 }] });
    await raw.take('suback');
    const waiting = cluster.session('x')?.outbox.queueLength ?? 0;
    raw.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['many/#'] });
    for (let index = 0; index < 32; index += 1) {
      raw.send({ cmd: 'puback', messageId: (await raw.take('publish')).messageId ?? 0 });
    }
    await raw.take('unsuback');
    for (let index = 0; index < 32; index += 1) await raw.take('publish');
    await raw.ping();
    expect(cluster.session('x')?.outbox).toMatchObject({ inflightLength: 32, queueLength: waiting - 32 });
  });
});
