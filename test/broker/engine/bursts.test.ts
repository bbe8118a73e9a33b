import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { connectClient, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const count = 5000;
const numbers = Array.from({ length: count }, (_, index) => String(index));

describe('a burst of QoS 1 messages', () => {
  // A machine that is busy with other things may take its time.
  const settings = { maxBackpressureMs: 20_000 };

  it.each([
    [1, [0]],
    [2, [0, 1]],
  ] as const)('over %i nodes reaches every subscriber completely and in order', async (nodes, places) => {
    const cluster = await startTestCluster({ nodes, settings });
    const subscribers = await Promise.all(places.map((place) => connectClient(urlOf(cluster, place))));
    for (const subscriber of subscribers) await subscriber.mqtt.subscribeAsync('t', { qos: 1 });
    const publisher = await connectClient(urlOf(cluster));
    const acknowledged = Promise.all(numbers.map((number) => publisher.mqtt.publishAsync('t', number, { qos: 1 })));
    for (const subscriber of subscribers) {
      await subscriber.messages(count);
      expect(subscriber.payloads()).toEqual(numbers);
    }
    await acknowledged;
  });

  it('delays no publisher for long when the subscriber does not acknowledge', async () => {
    const cluster = await startTestCluster({ settings: { maxBackpressureMs: 50 } });
    const silent = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'silent' });
    silent.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 't', qos: 1 }] });
    await silent.take('suback');
    const publisher = await connectClient(urlOf(cluster));
    await Promise.all(numbers.map((number) => publisher.mqtt.publishAsync('t', number, { qos: 1 })));
    expect(cluster.session('silent')?.describe()).toMatchObject({
      inflight: 32,
      queueLength: 1000,
      dropped: count - 1032,
    });
  });

  it('continues when a slow subscriber disconnects', async () => {
    const cluster = await startTestCluster({ settings });
    const silent = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'silent' });
    silent.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 't', qos: 1 }] });
    await silent.take('suback');
    const publisher = await connectClient(urlOf(cluster));
    const strained = new Promise<void>((resolve) => {
      cluster.events.on('published', () => {
        if (cluster.session('silent')?.outbox.isFillingUp === true) resolve();
      });
    });
    const acknowledged = Promise.all(numbers.map((number) => publisher.mqtt.publishAsync('t', number, { qos: 1 })));
    await strained;
    const gone = disconnection(cluster, 'silent');
    silent.socket.destroy();
    expect(await gone).toMatch(/^(?:closed|socket-error)$/u);
    expect(await acknowledged).toHaveLength(count);
  });
});

it('all packets sent before a disconnect are handled', async () => {
  const cluster = await startTestCluster();
  const subscriber = await connectClient(urlOf(cluster));
  await subscriber.mqtt.subscribeAsync('t');
  const hasty = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'hasty' });
  const gone = disconnection(cluster, 'hasty');
  hasty.socket.end(
    Buffer.concat(
      numbers.map((payload) => generate({ cmd: 'publish', topic: 't', payload, qos: 0, retain: false, dup: false })),
    ),
  );
  expect(await gone).toBe('closed');
  await subscriber.messages(count);
  expect(subscriber.payloads()).toEqual(numbers);
});

it('a client that is kicked during a burst is disconnected immediately', async () => {
  const cluster = await startTestCluster();
  const burst = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'burst' });
  let seen = 0;
  cluster.events.on('published', () => {
    seen += 1;
    if (seen === 1) queueMicrotask(() => cluster.session('burst')?.connection?.close('kicked'));
  });
  burst.send(
    ...numbers.map((payload) => ({ cmd: 'publish', topic: 't', payload, qos: 0, retain: false, dup: false }) as const),
  );
  await burst.closed;
  // The packets of the turn that it was kicked in at the most.
  expect(seen).toBeLessThanOrEqual(32);
});
