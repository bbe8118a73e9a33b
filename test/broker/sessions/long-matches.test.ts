import { setImmediate } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { expect, it } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import { LongMatches } from '../../../src/broker/sessions/subscription-table.ts';
import { connectClient, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const levels = 15;
/** Matches all of them. */
const costly = Array<string>(levels).fill('a').join('/');
const patterns = Array.from({ length: 2 ** levels }, (_, index) =>
  index.toString(2).padStart(levels, '0').replaceAll('0', 'a').replaceAll('1', '+').split('').join('/'),
);

const message = (topic: string, payload: string): Message =>
  new Message({ topic, payload: Buffer.from(payload), qos: 1, retain: false, publisher: 'p' });

/** Subscribes clients to more patterns than one of them may have. */
async function startBurdened(): Promise<BrokerCluster> {
  const cluster = await startTestCluster();
  await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'greedy' });
  const session = cluster.session('greedy');
  if (session === undefined) throw new Error('no session');
  for (const pattern of patterns) cluster.subscribe(session, pattern, 0);
  return cluster;
}

it('a message that matches tens of thousands of filters does not block others', async () => {
  const cluster = await startBurdened();
  let isDelivered = false;
  const delivered = Promise.resolve(cluster.publish(message(costly, 'x'))).then(() => {
    isDelivered = true;
  });
  let turns = 0;
  while (!isDelivered) {
    await setImmediate();
    turns += 1;
  }
  await delivered;
  expect(turns).toBeGreaterThan(3);
  expect(cluster.session('greedy')?.outbox.delivered).toBe(1);
});

it('messages of such a topic stay in order, even if a later match is fast', async () => {
  const cluster = await startBurdened();
  const subscriber = await connectClient(urlOf(cluster));
  await subscriber.mqtt.subscribeAsync(costly, { qos: 1 });
  const first = cluster.publish(message(costly, 'first'));
  const session = cluster.session('greedy');
  if (session === undefined) throw new Error('no session');
  for (const pattern of patterns) cluster.unsubscribe(session, pattern);
  const second = cluster.publish(message(costly, 'second'));
  const other = cluster.publish(message(`${costly}/b`, 'other'));
  expect([first instanceof Promise, second instanceof Promise, other instanceof Promise]).toEqual([true, true, false]);
  await subscriber.messages(2);
  expect(subscriber.payloads()).toEqual(['first', 'second']);
});

it('a publisher of such messages gets its acknowledgements after delivery, in order, and all its packets are handled', async () => {
  const cluster = await startBurdened();
  const subscriber = await connectClient(urlOf(cluster));
  await subscriber.mqtt.subscribeAsync('#', { qos: 1 });
  const publish = (topic: string, payload: string, messageId: number): Buffer =>
    generate({ cmd: 'publish', topic, payload, qos: 1, messageId, retain: false, dup: false });
  const packets = [publish(costly, '1', 1), publish('t', '2', 2), publish(costly, '3', 3), publish('t', '4', 4)];
  const publisher = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'publisher' });
  publisher.socket.write(Buffer.concat(packets));
  for (const messageId of [1, 2, 3, 4]) {
    expect((await publisher.take('puback')).messageId).toBe(messageId);
    expect(cluster.session('greedy')?.outbox.delivered).toBe(Math.ceil(messageId / 2));
  }
  const gone = disconnection(cluster, 'publisher');
  publisher.socket.end(Buffer.concat(packets));
  expect(await gone).toBe('closed');
  await subscriber.messages(8);
  expect(subscriber.payloads()).toEqual(['1', '2', '3', '4', '1', '2', '3', '4']);
});

it('at most a thousand messages wait; one more completes the first immediately', async () => {
  const matches = new LongMatches();
  const order: number[] = [];
  const all = Array.from({ length: 1003 }, (_, index) => {
    let left = 2;
    const advance = (maxSteps: number): boolean => {
      left -= maxSteps === Infinity ? left : 1;
      return left === 0;
    };
    return matches.finish('t', { advance }, () => order.push(index));
  });
  expect(order).toEqual([0, 1, 2]);
  await Promise.all(all);
  expect(order).toEqual(all.map((_, index) => index));
  expect(matches.has('t')).toBe(false);
});
