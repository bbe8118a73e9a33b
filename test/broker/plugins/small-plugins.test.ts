import { describe, expect, it } from 'vitest';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { one, portOf, publish, startOperated, subscribe, two } from '../operator-support.ts';
import { nodeAt, RawClient } from '../support.ts';

describe('broker_retainer', () => {
  const plugin = 'broker_retainer';

  it('stores and sends retained messages; without it the node does neither', async () => {
    const { cluster, api } = await startOperated({ nodes: 2 });
    const [first, second] = [
      await RawClient.connect(portOf(cluster, 0), { clientId: '1' }),
      await RawClient.connect(portOf(cluster, 1), { clientId: '2' }),
    ];
    await publish(first, 'kept', 'before', true);
    await api.stopPlugin(one, plugin);
    await publish(first, 'other', 'x', true);
    await publish(first, 'kept', '', true);
    expect(cluster.sharedStat('retained')).toBe(1);
    expect(await subscribe(first, 'kept', 0)).toBe(0);
    await first.ping();
    await publish(second, 'third', 'x', true);
    expect(cluster.sharedStat('retained')).toBe(2);
    expect(await subscribe(second, 'kept', 0)).toBe(0);
    expect(await second.take('publish')).toMatchObject({ topic: 'kept', retain: true });
    await api.startPlugin(one, plugin);
    expect(await subscribe(first, 'kept', 0)).toBe(0);
    expect((await first.take('publish')).payload.toString()).toBe('before');
  });

  it('applies its limits, and delivers anyway', async () => {
    const { cluster, api } = await startOperated();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    const topics = () => cluster.retained('#').map(({ topic, payload }) => `${topic} ${payload.toString()}`);
    await api.replacePluginSettings(one, plugin, {
      'retainer.max_message_num': '2',
      'retainer.max_payload_size': '1KB',
    });
    await publish(raw, 'a', 'x', true);
    await publish(raw, 'large', 'x'.repeat(1025), true);
    await publish(raw, 'b', 'x'.repeat(1024), true);
    await publish(raw, 'c', 'x', true);
    await publish(raw, 'a', 'new', true);
    expect(topics().map((line) => line.slice(0, 5))).toEqual(['a new', 'b xxx']);
    await publish(raw, 'b', '', true);
    await publish(raw, 'c', 'x', true);
    expect(topics()).toEqual(['a new', 'c x']);
    await api.replacePluginSettings(one, plugin, { 'retainer.max_message_num': '0', 'retainer.max_payload_size': '0' });
    await publish(raw, 'large', 'x'.repeat(2000), true);
    expect(topics()).toHaveLength(3);
  });

  it('obeys the management interface too', async () => {
    const { cluster, api } = await startOperated();
    await api.stopPlugin(one, plugin);
    await createBrokerApi(cluster).publish({ topic: 'a', payload: 'x', retain: true });
    expect(cluster.sharedStat('retained')).toBe(0);
  });

  it.each(['-1', 'many', '1KB', '1.5', ''])('does not start with %j messages', async (value) => {
    const { api } = await startOperated();
    await expect(
      api.replacePluginSettings(one, plugin, { 'retainer.max_message_num': value, 'retainer.max_payload_size': '1MB' }),
    ).rejects.toMatchObject({ kind: 'failed' });
  });
});

describe('broker_modules', () => {
  const plugin = 'broker_modules';

  it('publishes connects and disconnects with their node until it is stopped', async () => {
    const { cluster, api } = await startOperated({ nodes: 2 });
    const listener = await RawClient.connect(portOf(cluster, 0), { clientId: 'listener' });
    expect(await subscribe(listener, '$SYS/brokers/+/clients/+/+', 0)).toBe(0);
    const client = await RawClient.connect(portOf(cluster, 1), { clientId: 'a/b+c#d%e', username: 'ann' });
    const come = await listener.take('publish');
    expect([come.topic, come.retain]).toEqual([`$SYS/brokers/${two}/clients/a%2Fb%2Bc%23d%25e/connected`, false]);
    expect(JSON.parse(come.payload.toString())).toEqual({
      clientid: 'a/b+c#d%e',
      username: 'ann',
      ipaddress: '127.0.0.1',
      clean_sess: true,
      protocol: 4,
      connack: 0,
      ts: expect.any(Number),
    });
    client.socket.destroy();
    const gone = await listener.take('publish');
    expect(gone.topic).toBe(`$SYS/brokers/${two}/clients/a%2Fb%2Bc%23d%25e/disconnected`);
    expect(JSON.parse(gone.payload.toString())).toMatchObject({
      clientid: 'a/b+c#d%e',
      username: 'ann',
      reason: expect.stringMatching(/^(closed|socket-error)$/u),
    });
    await api.stopPlugin(two, plugin);
    await RawClient.connect(portOf(cluster, 1), { clientId: 'unheard' });
    await RawClient.connect(portOf(cluster, 0), { clientId: 'heard' });
    expect((await listener.take('publish')).topic).toBe(`$SYS/brokers/${one}/clients/heard/connected`);
  });

  it('puts nothing into a topic that a receiver may refuse: control characters and noncharacters of an id are encoded', async () => {
    const { cluster } = await startOperated();
    const listener = await RawClient.connect(portOf(cluster), { clientId: 'listener' });
    await subscribe(listener, '$SYS/brokers/+/clients/+/+', 0);
    const id = 'a\u0001\t\n\u001B[2J\u007F\u009Bb\uFDD0\uFFFE\u{10FFFF}é日😀';
    const client = await RawClient.connect(portOf(cluster), { clientId: id });
    const encoded = 'a%01%09%0A%1B[2J%7F%C2%9Bb%EF%B7%90%EF%BF%BE%F4%8F%BF%BFé日😀';
    const come = await listener.take('publish');
    expect([come.topic, JSON.parse(come.payload.toString()).clientid]).toEqual([
      `$SYS/brokers/${one}/clients/${encoded}/connected`,
      id,
    ]);
    client.socket.destroy();
    expect((await listener.take('publish')).topic).toBe(`$SYS/brokers/${one}/clients/${encoded}/disconnected`);
  });

  it('does so with the QoS of its settings', async () => {
    const { cluster, api } = await startOperated();
    const listener = await RawClient.connect(portOf(cluster), { clientId: 'listener' });
    await subscribe(listener, '$SYS/#', 2);
    for (const qos of ['2', '0', '1']) {
      await api.replacePluginSettings(one, plugin, { 'module.presence.qos': qos });
      await RawClient.connect(portOf(cluster), { clientId: `client-${qos}` });
      expect(String((await listener.take('publish')).qos)).toBe(qos);
    }
    await expect(api.replacePluginSettings(one, plugin, { 'module.presence.qos': '3' })).rejects.toMatchObject({
      kind: 'failed',
    });
  });

  it('does not count messages without subscribers as dropped, and skips ids that do not fit into a topic', async () => {
    const { cluster, set } = await startOperated();
    await set('mqtt.max_clientid_len', '65535');
    await set('mqtt.max_packet_size', '100000');
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x'.repeat(65_530) });
    await publish(raw, 'nobody/listens');
    expect(nodeAt(cluster, 0).readMetrics()['messages.dropped']).toBe(1);
  });
});

it('broker_plugin_template logs the calls of its hooks', async () => {
  const { cluster, set, startPlugin, api, lines } = await startOperated();
  await set('log.console.level', 'info');
  await startPlugin('broker_plugin_template');
  const raw = await RawClient.connect(portOf(cluster), { clientId: 'a\nb' });
  await subscribe(raw, 't', 2);
  raw.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['t'] });
  await raw.take('unsuback');
  await publish(raw, 't', 'hello');
  await api.stopPlugin(one, 'broker_plugin_template');
  await publish(raw, 't', 'unheard');
  const said = lines
    .filter((line) => line.includes('plugin_template: '))
    .map((line) => line.split('plugin_template: ')[1]);
  expect(said.filter((line) => line?.includes('$SYS') !== true)).toEqual([
    'started',
    String.raw`"a\nb" connected`,
    String.raw`"a\nb" subscribed to "t" with QoS 2`,
    String.raw`"a\nb" unsubscribed from "t"`,
    String.raw`"a\nb" published 5 bytes to "t"`,
    'stopped',
  ]);
});
