import { describe, expect, it } from 'vitest';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { createMessageApi } from '../../../src/broker/management/message-api.ts';
import { portOf, subscribe } from '../operator-support.ts';
import { connectClient, RawClient, startTestCluster, urlOf } from '../support.ts';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('retained messages', () => {
  it('are listed by topic filter and page, read with their payload, and deleted', async () => {
    const cluster = await startTestCluster();
    const api = createMessageApi(cluster);
    const { publish } = createBrokerApi(cluster);
    const before = Date.now();
    for (const topic of ['a/1', 'a/2', 'b/1', 'a/3'])
      await publish({ topic, payload: `of ${topic}`, qos: 1, retain: true, clientId: 'me' });
    const listed = async (filter: string | undefined, page: number, pageSize: number) => {
      const { items, totalItems } = await api.listRetained(filter, { page, pageSize });
      return [items.map(({ topic }) => topic), totalItems];
    };
    expect(await listed(undefined, 1, 10)).toEqual([['a/1', 'a/2', 'b/1', 'a/3'], 4]);
    expect(await listed(undefined, 2, 3)).toEqual([['a/3'], 4]);
    expect(await listed('a/+', 1, 2)).toEqual([['a/1', 'a/2'], 3]);
    expect(await listed('a/+', 2, 2)).toEqual([['a/3'], 3]);
    expect(await listed('b/1', 1, 2)).toEqual([['b/1'], 1]);
    expect(await listed('c', 1, 2)).toEqual([[], 0]);
    await expect(api.listRetained('a/#/b', { page: 1, pageSize: 1 })).rejects.toMatchObject({ kind: 'invalid' });

    const found = await api.getRetained('a/2');
    expect([found?.topic, found?.qos, found?.fromClientId, text(found?.payload)]).toEqual(['a/2', 1, 'me', 'of a/2']);
    const wallMs = (found?.publishedAt ?? 0) * 1000 + new Date().getTimezoneOffset() * 60_000;
    expect(Math.round(wallMs)).toBeGreaterThanOrEqual(before);
    await api.deleteRetained('a/2');
    expect(await api.getRetained('a/2')).toBeUndefined();
    await expect(api.deleteRetained('a/2')).rejects.toMatchObject({ kind: 'does-not-exist' });
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.subscribeAsync('a/#');
    expect((await client.messages(2)).map(({ topic }) => topic)).toEqual(['a/1', 'a/3']);
  });
});

describe('messages of a session', () => {
  it('wait in its queue, page by page, each once also when some leave in between', async () => {
    const cluster = await startTestCluster();
    const { listSessionMessages } = createMessageApi(cluster);
    const first = await RawClient.connect(portOf(cluster), { clientId: 'c', clean: false });
    await subscribe(first, 'q/#');
    first.socket.destroy();
    await expect.poll(() => cluster.session('c')?.connection).toBeUndefined();
    const { publish } = createBrokerApi(cluster);
    for (let at = 0; at < 230; at += 1) await publish({ topic: 'q/1', payload: String(at), qos: 1 });
    for (let at = 230; at < 250; at += 1) await publish({ topic: 'q/0', payload: String(at), qos: 0 });

    const one = await listSessionMessages('c', 'queue');
    expect(one.items.map(({ payload }) => Number(text(payload)))).toEqual(Array.from({ length: 100 }, (_, at) => at));
    expect(one.items[0]).toMatchObject({ topic: 'q/1', qos: 1, fromClientId: 'http' });
    // 32 messages become inflight.
    const again = await RawClient.connect(portOf(cluster), { clientId: 'c', clean: false });
    for (let count = 0; count < 32; count += 1) await again.take('publish');
    const two = await listSessionMessages('c', 'queue', one.next);
    const three = await listSessionMessages('c', 'queue', two.next);
    expect([...two.items, ...three.items].map(({ payload }) => Number(text(payload)))).toEqual(
      Array.from({ length: 130 }, (_, at) => 100 + at),
    );
    expect(three.next).toBeUndefined();

    const inflight = await listSessionMessages('c', 'inflight');
    expect([inflight.items.map(({ payload }) => Number(text(payload))), inflight.next]).toEqual([
      Array.from({ length: 32 }, (_, at) => at),
      undefined,
    ]);
  });

  it('are those of QoS 0 at last', async () => {
    const cluster = await startTestCluster();
    const { listSessionMessages } = createMessageApi(cluster);
    const first = await RawClient.connect(portOf(cluster), { clientId: 'c', clean: false });
    await subscribe(first, 'q/#', 2);
    first.socket.destroy();
    await expect.poll(() => cluster.session('c')?.connection).toBeUndefined();
    const { publish } = createBrokerApi(cluster);
    for (let at = 0; at < 120; at += 1) await publish({ topic: 'q', payload: String(at), qos: 0 });
    for (let at = 120; at < 200; at += 1) await publish({ topic: 'q', payload: String(at), qos: 2 });
    const one = await listSessionMessages('c', 'queue');
    const two = await listSessionMessages('c', 'queue', one.next);
    expect([...one.items, ...two.items].map(({ payload }) => Number(text(payload)))).toEqual([
      ...Array.from({ length: 80 }, (_, at) => 120 + at),
      ...Array.from({ length: 120 }, (_, at) => at),
    ]);
    expect(two.next).toBeUndefined();
    await expect(listSessionMessages('c', 'queue', 'nonsense')).rejects.toMatchObject({ kind: 'invalid' });
    await expect(listSessionMessages('nobody', 'queue')).rejects.toMatchObject({ kind: 'not-connected' });
  });
});
