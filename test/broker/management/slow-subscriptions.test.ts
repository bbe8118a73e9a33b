import { expect, it } from 'vitest';
import { createSlowSubscriptions } from '../../../src/broker/management/slow-subscriptions.ts';
import { slowDeliveryMs } from '../../../src/broker/sessions/outbox.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import { portOf, subscribe } from '../operator-support.ts';
import { RawClient, startTestCluster } from '../support.ts';

const node = 'broker1@127.0.0.1';

it('measures from the publish to the acknowledgement', async () => {
  const cluster = await startTestCluster();
  const { listSlowSubscriptions } = createSlowSubscriptions(cluster);
  const client = await RawClient.connect(portOf(cluster), { clientId: 'slow' });
  await subscribe(client, 'a/#');
  const send = async (topic: string, ageMs: number): Promise<void> => {
    // Published earlier, but not before the client connected: as if the delivery had taken that long.
    await cluster.publish(
      new Message({
        topic,
        payload: Buffer.from('x'),
        qos: 1,
        retain: false,
        publisher: 'p',
        publishedAtMs: Date.now() - ageMs,
      }),
    );
    const { messageId = 0 } = await client.take('publish');
    client.send({ cmd: 'puback', messageId });
    await client.ping();
  };
  await send('a/quick', 0);
  await send('a/before', 60_000);
  expect((await listSlowSubscriptions()).items).toEqual([]);
  await expect
    .poll(
      async () => {
        await send('a/slow', slowDeliveryMs);
        return (await listSlowSubscriptions()).items;
      },
      { interval: 100, timeout: 10_000 },
    )
    .toEqual([expect.objectContaining({ clientId: 'slow', topic: 'a/slow', node })]);
  const [slow] = (await listSlowSubscriptions()).items;
  expect(slow?.latencyMs).toBeGreaterThanOrEqual(slowDeliveryMs);
});

it('keeps the slowest ten, each with its last time, for five minutes', async () => {
  const cluster = await startTestCluster();
  let nowMs = 1_000_000;
  const { listSlowSubscriptions } = createSlowSubscriptions(cluster, () => nowMs);
  const listed = async () =>
    (await listSlowSubscriptions()).items.map(({ topic, latencyMs }) => `${topic} ${latencyMs}`);
  for (let at = 1; at <= 12; at += 1) cluster.events.emit('slowDelivery', 'c', `t${at}`, 500 + at, node);
  expect(await listed()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((at) => `t${at} ${500 + at}`));
  cluster.events.emit('slowDelivery', 'c', 't12', 505, node);
  expect(await listed()).toEqual([
    't11 511',
    't10 510',
    't9 509',
    't8 508',
    't7 507',
    't6 506',
    't5 505',
    't12 505',
    't4 504',
    't3 503',
  ]);
  nowMs += 300_001;
  expect(await listed()).toEqual([]);
  cluster.events.emit('slowDelivery', 'c', 'new', 501, node);
  expect(await listSlowSubscriptions()).toMatchObject({
    isEnabled: true,
    thresholdMs: slowDeliveryMs,
    items: [{ topic: 'new' }],
  });
});
