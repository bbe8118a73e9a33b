import { type open, readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import { reasonText } from '../../../src/domain/error-code.ts';
import { connectPacket, RawClient } from '../support.ts';
import { copyFolder, nodeName, openApi, publish } from './journal-support.ts';
import { makeFolder, password, portAt, startBroker } from './support.ts';

/** The disk under the journal. */
const disk = vi.hoisted(() => ({
  isFull: false,
  /** Syncs wait for it. */
  gate: Promise.resolve(),
  syncs: 0,
}));

vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    open: async (...args: Parameters<typeof open>) => {
      const handle = await original.open(...args);
      if (!/journal\.\d+\.jsonl$/u.test(String(args[0]))) return handle;
      const datasync = handle.datasync.bind(handle);
      vi.spyOn(handle, 'datasync').mockImplementation(async () => {
        disk.syncs += 1;
        await disk.gate;
        // As some file systems do: the write was taken, and there is no room for it after all.
        if (disk.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        await datasync();
      });
      return handle;
    },
  };
});

beforeEach(() => {
  Object.assign(disk, { isFull: false, gate: Promise.resolve() });
});

/** Stops all syncs; the answer lets them go on. */
function holdSyncs(): () => void {
  let release: () => void = () => undefined;
  disk.gate = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}

/** Whether an answer comes before the disk has synced. */
async function comesEarly(answer: Promise<unknown>, release: () => void): Promise<boolean> {
  let isThere = false;
  const seen = answer.then(() => {
    isThere = true;
  });
  const before = disk.syncs;
  await vi.waitFor(
    () => {
      if (disk.syncs === before && !isThere) throw new Error('nothing is being written');
    },
    { timeout: 30_000, interval: 1 },
  );
  // Whatever was on its way without the disk has come when this has.
  for (let turn = 0; turn < 20; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  const wasThere = isThere;
  release();
  await seen;
  return wasThere;
}

const refusal = {
  kind: 'failed',
  brokerMessage: `Nothing was changed: the data folder cannot be written (${reasonText('ENOSPC')}).`,
};

describe('acknowledgements wait for the disk', () => {
  it('to clients', async () => {
    const broker = await startBroker(await makeFolder());
    const away = await RawClient.connect(portAt(broker, 0), { clientId: 'away', clean: false });
    away.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'kept', qos: 2 }] });
    await away.take('suback');
    away.socket.destroy();
    await away.closed;

    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender', clean: false });
    const early: Record<string, boolean> = {};
    const ask = async (what: string, send: () => void, answer: () => Promise<unknown>): Promise<void> => {
      const release = holdSyncs();
      send();
      early[what] = await comesEarly(answer(), release);
    };
    await ask(
      'PUBACK',
      () => sender.send(publish('kept', 'one', 1, 1)),
      () => sender.take('puback'),
    );
    await ask(
      'PUBACK of a retained message',
      () => sender.send(publish('nobody', 'x', 1, 2, true)),
      () => sender.take('puback'),
    );
    await ask(
      'PUBREC',
      () => sender.send(publish('kept', 'two', 2, 3)),
      () => sender.take('pubrec'),
    );
    await ask(
      'PUBCOMP',
      () => sender.send({ cmd: 'pubrel', messageId: 3 }),
      () => sender.take('pubcomp'),
    );
    await ask(
      'SUBACK',
      () => sender.send({ cmd: 'subscribe', messageId: 4, subscriptions: [{ topic: 'a', qos: 1 }] }),
      () => sender.take('suback'),
    );
    await ask(
      'UNSUBACK',
      () => sender.send({ cmd: 'unsubscribe', messageId: 5, unsubscriptions: ['a'] }),
      () => sender.take('unsuback'),
    );
    const other = await RawClient.open(portAt(broker, 0));
    await ask(
      'CONNACK',
      () =>
        other.send({
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 4,
          clean: false,
          keepalive: 0,
          clientId: 'new',
        }),
      () => other.take('connack'),
    );
    const receiver = await RawClient.connect(portAt(broker, 0), { clientId: 'receiver', clean: false });
    receiver.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'direct', qos: 2 }] });
    await receiver.take('suback');
    // Its packet id must not be given to another message after a kill.
    await ask(
      'a QoS 2 message',
      () => sender.send(publish('direct', 'x', 2, 6)),
      () => receiver.take('publish'),
    );
    expect(early).toEqual(Object.fromEntries(Object.keys(early).map((what) => [what, false])));
  });

  it('in the order of the packets, even if only the first is stored', async () => {
    const broker = await startBroker(await makeFolder());
    await RawClient.connect(portAt(broker, 0), { clientId: 'stays', clean: false }).then(async (client) => {
      client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'kept', qos: 1 }] });
      await client.take('suback');
    });
    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender' });
    sender.send(publish('kept', 'x', 1, 1), publish('unheard', 'x', 1, 2), publish('kept', 'x', 1, 3));
    expect(
      [await sender.take('puback'), await sender.take('puback'), await sender.take('puback')].map(
        ({ messageId }) => messageId,
      ),
    ).toEqual([1, 2, 3]);
  });

  it('and a QoS 2 message is known again only if it was passed on', async () => {
    const folder = await makeFolder();
    const broker = await startBroker(folder);
    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender', clean: false });
    let decide: (isAllowed: boolean) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      broker.cluster.hooks.authorize = () =>
        new Promise((answer) => {
          decide = answer;
          resolve();
        });
    });
    sender.send(publish('t', 'x', 2, 1));
    await asked;
    // A later change of its session is on disk, so an earlier one would be.
    await openApi(broker).subscribe({ clientId: 'sender', topic: 'other', qos: 1 });
    const early = await startBroker(await copyFolder(folder));
    expect(early.cluster.exportSession('sender')).toMatchObject({
      awaitingRel: [],
      subscriptions: [{ filter: 'other' }],
    });
    decide(true);
    await sender.take('pubrec');
    expect((await startBroker(await copyFolder(folder))).cluster.exportSession('sender')?.awaitingRel).toEqual([1]);
  });

  it('but not without a stored change', async () => {
    const broker = await startBroker(await makeFolder());
    const receiver = await RawClient.connect(portAt(broker, 0), { clientId: 'clean' });
    receiver.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'live', qos: 1 }] });
    await receiver.take('suback');
    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender' });
    const release = holdSyncs();
    sender.send(publish('live', 'x', 1, 1));
    await sender.take('puback');
    expect(await receiver.take('publish')).toMatchObject({ qos: 1 });
    release();
  });

  it('to operators', async () => {
    const broker = await startBroker(await makeFolder());
    const api = openApi(broker);
    const early: boolean[] = [];
    for (const ask of [
      () => api.addUser({ username: 'op', password: 'x', tags: 'user' }),
      () => api.changeUserTags('op', 'administrator'),
      () => api.changePassword('op', 'x', 'y'),
      () => api.deleteUser('op'),
      () => api.changeSetting(undefined, { app: 'broker', key: 'mqtt.max_clientid_len', value: '30' }),
      () => api.startPlugin(nodeName, 'broker_plugin_template'),
      () =>
        api.replacePluginSettings(nodeName, 'broker_auth_username', {
          'auth.user.1.username': 'ann',
          'auth.user.1.password': 'x',
        }),
      () => api.stopPlugin(nodeName, 'broker_plugin_template'),
      () => api.publish({ topic: 'retained', payload: 'x', retain: true }),
    ]) {
      const release = holdSyncs();
      early.push(await comesEarly(ask(), release));
    }
    expect(early).toEqual(Array.from({ length: 9 }, () => false));
  });
});

/** A topic whose receivers take several turns of the event loop to find, among them the persistent session `away`. */
const costly = Array<string>(15).fill('a').join('/');

async function startBurdened(folder: string): Promise<EmbeddedBroker> {
  const broker = await startBroker(folder);
  await RawClient.connect(portAt(broker, 0), { clientId: 'greedy' });
  const greedy = broker.cluster.session('greedy');
  if (greedy === undefined) throw new Error('no session');
  for (let index = 0; index < 2 ** 15; index += 1) {
    const digits = index.toString(2).padStart(15, '0');
    broker.cluster.subscribe(greedy, digits.replaceAll('0', 'a').replaceAll('1', '+').split('').join('/'), 0);
  }
  const away = await RawClient.connect(portAt(broker, 0), { clientId: 'away', clean: false });
  away.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: costly, qos: 2 }] });
  await away.take('suback');
  away.socket.destroy();
  await away.closed;
  return broker;
}

describe('a long match', () => {
  const queueOf = ({ cluster }: EmbeddedBroker) =>
    cluster.exportSession('away')?.outbox.queue.map(({ message }) => String(message.payload));

  it('is acknowledged only when all of it is on disk', async () => {
    const folder = await makeFolder();
    const broker = await startBurdened(folder);
    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender', clean: false });
    const passer = await RawClient.connect(portAt(broker, 0), { clientId: 'passer' });
    const filters = Array.from({ length: 600 }, (_, index) => `f/${index}`);
    sender.send({ cmd: 'subscribe', messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos: 1 })) });
    await sender.take('suback');
    const early: boolean[] = [];
    for (const [send, answer] of [
      [() => passer.send(publish(costly, 'one', 1, 1)), () => passer.take('puback')],
      [() => sender.send(publish(costly, 'two', 2, 2)), () => sender.take('pubrec')],
      [
        () => sender.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: filters }),
        () => sender.take('unsuback'),
      ],
    ] as const) {
      const release = holdSyncs();
      send();
      early.push(await comesEarly(answer(), release));
    }
    const release = holdSyncs();
    early.push(await comesEarly(openApi(broker).publish({ topic: costly, payload: 'three', qos: 1 }), release));
    expect(early).toEqual([false, false, false, false]);
    const after = await startBroker(await copyFolder(folder));
    expect(queueOf(after)).toEqual(['one', 'two', 'three']);
    expect(after.cluster.exportSession('sender')).toMatchObject({ awaitingRel: [2], subscriptions: [] });
  });

  it('is received once, together with its delivery, even if the client sends it again on another connection', async () => {
    const broker = await startBurdened(await makeFolder());
    const counters = broker.cluster.nodes[0]?.counters;
    // They are delivered before it, one after the other.
    for (let count = 0; count < 50; count += 1)
      void broker.cluster.publish(
        new Message({ topic: costly, payload: Buffer.from('x'), qos: 0, retain: false, publisher: 'p' }),
      );
    const first = await RawClient.connect(portAt(broker, 0), { clientId: 'sender', clean: false });
    first.send(publish(costly, 'once', 2, 1));
    while (counters?.read(0)['messages.qos2.received'] !== 1) await nextTurn();
    const second = await RawClient.open(portAt(broker, 0));
    second.send(connectPacket({ clientId: 'sender', clean: false }), { ...publish(costly, 'once', 2, 1), dup: true });
    await second.take('connack');
    expect([queueOf(broker), broker.cluster.exportSession('sender')?.awaitingRel]).toEqual([[], []]);
    while (queueOf(broker)?.length === 0) {
      expect(broker.cluster.exportSession('sender')?.awaitingRel).toEqual([]);
      await nextTurn();
    }
    expect(broker.cluster.exportSession('sender')?.awaitingRel).toEqual([1]);
    await second.take('pubrec');
    expect(queueOf(broker)).toEqual(['once']);
    expect(first.packets).toEqual([]);
  });

  it('counts as a message to store while the disk is full', async () => {
    const broker = await startBurdened(await makeFolder());
    disk.isFull = true;
    await expect(openApi(broker).addUser({ username: 'op', password: 'x', tags: 'user' })).rejects.toMatchObject(
      refusal,
    );
    await expect(openApi(broker).publish({ topic: costly, qos: 1 })).rejects.toMatchObject(refusal);
    const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender' });
    sender.send(publish(costly, 'x', 1, 1));
    await sender.closed;
    expect([sender.packets, queueOf(broker)]).toEqual([[], []]);
    disk.isFull = false;
  });
});

it('all packets of a client that waits for the disk are handled', async () => {
  const broker = await startBroker(await makeFolder());
  const away = await RawClient.connect(portAt(broker, 0), { clientId: 'away', clean: false });
  away.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 't', qos: 1 }] });
  await away.take('suback');
  away.socket.destroy();
  await away.closed;
  const sender = await RawClient.connect(portAt(broker, 0), { clientId: 'sender' });
  const release = holdSyncs();
  await broker.cluster.publish(
    new Message({ topic: 't', payload: Buffer.alloc(5 * 1024 * 1024), qos: 1, retain: false, publisher: 'p' }),
  );
  expect(broker.cluster.recorder?.isFull).toBe(true);
  sender.socket.end(
    Buffer.concat([1, 2, 3].map((messageId) => generate(publish('t', String(messageId), 1, messageId)))),
  );
  const waiting = () => broker.cluster.exportSession('away')?.outbox.queue.length;
  while (waiting() !== 2) await nextTurn();
  // By now the broker has heard of the end.
  await (await RawClient.connect(portAt(broker, 0), { clientId: 'other' })).ping();
  release();
  await vi.waitFor(
    () => {
      expect(waiting()).toBe(4);
    },
    { timeout: 30_000 },
  );
});

describe('a full disk', () => {
  it('refuses changes of operators and undoes them', async () => {
    const folder = await makeFolder();
    const broker = await startBroker(folder);
    const api = openApi(broker);
    await api.addUser({ username: 'op', password: 'old', tags: 'administrator' });
    const look = async () => [
      await api.listUsers(),
      await api.listSettings(),
      await api.listPlugins(nodeName),
      await api.getPluginSettings(nodeName, 'broker_auth_username'),
    ];
    const before = await look();
    const changes = [
      () => api.changePassword('op', 'old', 'new'),
      () => api.addUser({ username: 'other', password: 'x', tags: 'user' }),
      () => api.deleteUser('op'),
      () => api.changeSetting(undefined, { app: 'broker', key: 'mqtt.mqueue.max_length', value: '1' }),
      () => api.stopPlugin(nodeName, 'broker_modules'),
      () => api.startPlugin(nodeName, 'broker_plugin_template'),
      () =>
        api.replacePluginSettings(nodeName, 'broker_auth_username', {
          'auth.user.1.username': 'ann',
          'auth.user.1.password': 'x',
        }),
      () => api.publish({ topic: 'retained', payload: 'x', qos: 1, retain: true }),
    ];
    for (const change of changes) {
      // The first of a full disk finds it out; it is refused all the same, and so is one that comes then.
      disk.isFull = true;
      await expect(change()).rejects.toMatchObject(refusal);
      await expect(change()).rejects.toMatchObject(refusal);
      expect(await look()).toEqual(before);
      disk.isFull = false;
      await vi.waitFor(
        async () => {
          await api.changeUserTags('op', 'administrator');
        },
        { timeout: 30_000 },
      );
    }
    await openApi(broker, { user: 'op', password: 'old' }).listNodes();
    await broker.close();
    const again = await startBroker(folder);
    expect(await openApi(again).listUsers()).toEqual(before[0]);
    await openApi(again, { user: 'op', password: 'old' }).listNodes();
  });

  it('acknowledges nothing that would have to be stored, says so, and takes it again when there is room', async () => {
    const folder = await makeFolder();
    const log: string[] = [];
    const told: (string | undefined)[] = [];
    const broker = await startBroker(folder, {
      log: (line) => log.push(line),
      onDataFailure: (error) => told.push(error?.message),
    });
    const port = portAt(broker, 0);
    const online = await RawClient.connect(port, { clientId: 'online', clean: false });
    online.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'kept/#', qos: 1 }] });
    await online.take('suback');
    online.socket.destroy();
    await online.closed;
    const live = await RawClient.connect(port, { clientId: 'live' });
    live.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'live', qos: 1 }] });
    await live.take('suback');
    const persistent = await RawClient.connect(port, { clientId: 'persistent', clean: false });

    disk.isFull = true;
    // The first finds out that the disk is full, the others come when that is known.
    for (const message of [
      publish('kept/1', 'x', 1, 1),
      publish('kept/2', 'x', 2, 1),
      publish('elsewhere', 'x', 1, 1, true),
    ]) {
      const sender = await RawClient.connect(port, { clientId: 'sender' });
      sender.send(message);
      await sender.closed;
      expect(sender.packets).toEqual([]);
    }
    expect(log.filter((line) => line.includes('"sender" disconnected: its message cannot be stored'))).toHaveLength(3);
    expect(told).toEqual([expect.stringContaining(`cannot be written (${reasonText('ENOSPC')})`)]);

    // What is not stored goes on.
    const sender = await RawClient.connect(port, { clientId: 'sender' });
    sender.send(publish('live', 'x', 1, 1), publish('kept/0', 'x', 0, 0));
    await sender.take('puback');
    await live.take('publish');
    // A persistent session cannot be promised, and neither can a subscription of one.
    const refused = await RawClient.open(port);
    refused.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: false,
      keepalive: 0,
      clientId: 'new',
    });
    expect(await refused.take('connack')).toMatchObject({ returnCode: 3 });
    persistent.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'more', qos: 1 }] });
    expect(await persistent.take('suback')).toMatchObject({ granted: [0x80] });

    disk.isFull = false;
    await vi.waitFor(
      () => {
        if (told.length < 2) throw new Error('still full');
      },
      { timeout: 30_000 },
    );
    expect(told[1]).toBeUndefined();
    sender.send(publish('kept/3', 'x', 1, 2));
    expect(await sender.take('puback')).toMatchObject({ messageId: 2 });
    const after = await startBroker(await copyFolder(folder));
    const back = await RawClient.connect(portAt(after, 0), { clientId: 'online', clean: false });
    // The first was taken before the disk was found full: it is delivered, as a message without an acknowledgement may be.
    expect([String((await back.take('publish')).topic), String((await back.take('publish')).topic)]).toEqual([
      'kept/1',
      'kept/3',
    ]);
  });

  it('is said at the end where the last changes are lost', async () => {
    const folder = await makeFolder();
    const broker = await startBroker(folder);
    disk.isFull = true;
    await expect(openApi(broker).addUser({ username: 'op', password: 'x', tags: 'user' })).rejects.toMatchObject(
      refusal,
    );
    await expect(broker.close()).rejects.toThrow(`cannot be written (${reasonText('ENOSPC')})`);
    expect(await readdir(folder)).not.toContain('lock');
    disk.isFull = false;
    expect(await openApi(await startBroker(folder), { user: 'admin', password }).listUsers()).toHaveLength(1);
  });
});
