import { expect, it, onTestFinished } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { type Alarms, createAlarms } from '../../../src/broker/management/alarms.ts';
import { portOf, publish, subscribe } from '../operator-support.ts';
import { RawClient, startTestCluster } from '../support.ts';

const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'] as const;
const firstPage = { page: 1, pageSize: 10 };

function watch(cluster: BrokerCluster, options: Parameters<typeof createAlarms>[1] = {}): Alarms {
  const alarms = createAlarms(cluster, { readMemory: () => 0, ...options });
  onTestFinished(() => alarms.close());
  return alarms;
}

/** A session whose queue of four messages overflows while its client is offline. */
async function overflow(cluster: BrokerCluster, clientId: string): Promise<void> {
  const client = await RawClient.connect(portOf(cluster), { clientId, clean: false });
  await subscribe(client, 'full/#');
  client.socket.destroy();
  await expect.poll(() => cluster.session(clientId)?.connection).toBeUndefined();
  const publisher = await RawClient.connect(portOf(cluster), { clientId: `to-${clientId}` });
  for (let count = 0; count < 6; count += 1) await publish(publisher, 'full/x');
}

it('a full queue raises an alarm for its client, which ends when there is room again', async () => {
  const cluster = await startTestCluster({ settings: { maxQueueLength: 4 } });
  const alarms = watch(cluster);
  await overflow(cluster, 'slow');
  alarms.check();
  expect(await alarms.api.listAlarms(one)).toEqual([
    expect.objectContaining({
      id: 'session_queue_full/slow',
      node: one,
      queueOf: 'slow',
      occurredAt: expect.any(Number) as number,
    }),
  ]);
  expect((await alarms.api.listEndedAlarms(firstPage)).items).toEqual([]);

  const client = await RawClient.connect(portOf(cluster), { clientId: 'slow', clean: false });
  for (let count = 0; count < 4; count += 1) {
    const { messageId = 0 } = await client.take('publish');
    client.send({ cmd: 'puback', messageId });
  }
  alarms.check();
  expect(await alarms.api.listAlarms(one)).toEqual([]);
  const { items, totalItems } = await alarms.api.listEndedAlarms(firstPage);
  expect([totalItems, items]).toEqual([
    1,
    [expect.objectContaining({ id: 'session_queue_full/slow', endedAt: expect.any(Number) as number })],
  ]);
});

it('ends with its session', async () => {
  const cluster = await startTestCluster({ settings: { maxQueueLength: 4 } });
  const alarms = watch(cluster);
  await overflow(cluster, 'slow');
  const session = cluster.session('slow');
  if (session !== undefined) cluster.endSession(session);
  alarms.check();
  expect(await alarms.api.listAlarms(one)).toEqual([]);
});

it('memory raises one on every running node, with a gap before it ends', async () => {
  const cluster = await startTestCluster({ nodes: 2 });
  let share = 0.5;
  const alarms = watch(cluster, { readMemory: () => share });
  const active = async () =>
    (await Promise.all([one, two].map((node) => alarms.api.listAlarms(node)))).flat().map(({ id, node }) => [id, node]);
  const steps: unknown[] = [];
  for (share of [0.79, 0.81, 0.75, 0.69]) {
    alarms.check();
    steps.push((await active()).length);
  }
  expect(steps).toEqual([0, 2, 2, 0]);
  share = 0.9;
  alarms.check();
  expect(await active()).toEqual([
    ['high_process_memory_usage', one],
    ['high_process_memory_usage', two],
  ]);
  await cluster.stopNode(two);
  alarms.check();
  expect((await alarms.api.listAlarms(one)).length).toBe(1);
  await expect(alarms.api.listAlarms(two)).rejects.toMatchObject({ kind: 'not-found' });
});

it('keeps the newest thousand ended ones, newest first, until they are cleared', async () => {
  const cluster = await startTestCluster();
  let [share, nowMs] = [0, 0];
  const alarms = watch(cluster, { readMemory: () => share, now: () => nowMs });
  for (let count = 0; count < 1010; count += 1) {
    nowMs += 1000;
    for (share of [1, 0]) alarms.check();
  }
  const { items, totalItems } = await alarms.api.listEndedAlarms({ page: 1, pageSize: 2 });
  expect(totalItems).toBe(1000);
  expect((items[0]?.endedAt ?? 0) - (items[1]?.endedAt ?? 0)).toBe(1);
  await alarms.api.clearEndedAlarms();
  expect((await alarms.api.listEndedAlarms(firstPage)).items).toEqual([]);
});

it('nodes that have lost touch raise an alarm for each other, until they are in touch again', async () => {
  const cluster = await startTestCluster({ nodes: 2 });
  const alarms = watch(cluster);
  cluster.cutOff = new Set([two]);
  alarms.check();
  expect(await alarms.api.listAlarms(two)).toEqual([
    expect.objectContaining({ id: 'partition', node: two, partedFrom: one }),
  ]);
  cluster.cutOff = new Set();
  alarms.check();
  expect(await alarms.api.listAlarms(two)).toEqual([]);
});
