import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { maxFilterCost, maxSubscriptions } from '../../../src/broker/engine/incoming.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import type { BrokerSettings } from '../../../src/broker/engine/settings.ts';
import { connectPacket, disconnection, nodeAt, RawClient, startTestCluster } from '../support.ts';

const portOf = (cluster: BrokerCluster): number => nodeAt(cluster, 0).ports.tcp;
const ends = (cluster: BrokerCluster) => nodeAt(cluster, 0).describeListeners()[0]?.shutdownCount;

/** A socket whose answers are not looked at. */
async function openDeaf(cluster: BrokerCluster): Promise<RawClient> {
  const raw = await RawClient.open(portOf(cluster));
  raw.socket.removeAllListeners('data').resume();
  return raw;
}

const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};
const length = (value: number): Buffer => {
  const bytes = [];
  for (let left = value; bytes.length === 0 || left > 0; left = Math.floor(left / 128))
    bytes.push((left % 128) | (left >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
};
const packet = (type: number, body: Buffer, declared = body.length): Buffer =>
  Buffer.concat([Buffer.from([type]), length(declared), body]);
const connect = (id: string | Buffer, { name = 'MQTT', flags = 2, rest = text('').subarray(2) } = {}): Buffer =>
  packet(0x10, Buffer.concat([text(name), Buffer.from([4, flags, 0, 0]), text(id), rest]));

describe('a CONNECT', () => {
  it.each<[string, Buffer, string]>([
    ['an id with U+0000', connect('a\0b'), 'malformed'],
    ['an id that is not UTF-8', connect(Buffer.from([0xff, 0xfe])), 'malformed'],
    ['an id of half a character', connect(Buffer.from([0xed, 0xa0, 0x80])), 'malformed'],
    [
      'an id that is longer than the packet',
      packet(0x10, Buffer.concat([text('MQTT'), Buffer.from([4, 2, 0, 0, 0, 99]), Buffer.from('x')])),
      'malformed',
    ],
    ['an id as long as one can be', connect('x'.repeat(65_535)), 'packet-too-large'],
    ['an id beyond the bound', connect('x'.repeat(4000)), 'refused'],
    [
      'a user name that is not UTF-8',
      connect('u', { flags: 0x82, rest: text(Buffer.from([0xc0, 0x80])) }),
      'malformed',
    ],
    ['a user name that is not there', connect('u', { flags: 0x82 }), 'malformed'],
    ['a will that is not there', connect('u', { flags: 0x06 }), 'malformed'],
    ['a will to a wildcard', connect('u', { flags: 0x06, rest: Buffer.concat([text('#'), text('x')]) }), 'malformed'],
    ['the reserved flag', connect('u', { flags: 3 }), 'malformed'],
    ['no body', packet(0x10, Buffer.alloc(0)), 'malformed'],
    ['a protocol of nobody', connect('u', { name: 'HTTP' }), 'malformed'],
    ['60 MB to come', packet(0x10, Buffer.alloc(0), 60_000_000), 'packet-too-large'],
  ])('with %s is refused, whatever size packets may have', async (_, bytes, reason) => {
    const cluster = await startTestCluster({ settings: { maxPacketSize: 64 * 1024 * 1024 } });
    const raw = await openDeaf(cluster);
    raw.socket.write(bytes);
    await raw.closed;
    expect(ends(cluster)).toEqual({ [reason]: 1 });
    expect(nodeAt(cluster, 0).sessions.size).toBe(0);
  });

  it('that is no CONNECT is refused by its first two bytes', async () => {
    const cluster = await startTestCluster({ settings: { maxPacketSize: 64 * 1024 * 1024 } });
    for (let type = 2; type < 16; type += 1) {
      const raw = await openDeaf(cluster);
      raw.socket.write(packet(type << 4, Buffer.alloc(0), 60_000_000));
      await raw.closed;
    }
    expect(ends(cluster)).toEqual({ 'protocol-violation': 14 });
  });

  it('with an emoji, a space or the maximum length is accepted', async () => {
    const cluster = await startTestCluster();
    for (const clientId of ['😀', ' ', '\ufeff', '__proto__', 'x'.repeat(1024)]) {
      await RawClient.connect(portOf(cluster), { clientId });
      expect(cluster.session(clientId)?.connection).toBeDefined();
    }
  });
});

describe('a client', () => {
  const open = async (settings: Partial<BrokerSettings> = {}): Promise<[BrokerCluster, RawClient]> => {
    const cluster = await startTestCluster({ settings });
    return [cluster, await RawClient.connect(portOf(cluster), { clientId: 'hostile' })];
  };

  const types = Array.from({ length: 16 }, (_, type) => type).filter((type) => type !== 12 && type !== 14);
  it.each(types)('that sends packet %i without the body that it needs is closed', async (type) => {
    const [cluster, raw] = await open();
    const flags = type === 6 || type === 8 || type === 10 ? 2 : 0;
    raw.socket.write(packet((type << 4) | flags, Buffer.alloc(0)));
    await raw.closed;
    expect(Object.values(ends(cluster) ?? {})).toEqual([1]);
  });

  it('that announces 60 MB is closed after the header', async () => {
    const [cluster, raw] = await open();
    raw.socket.write(packet(0x30, text('t'), 60_000_000));
    await raw.closed;
    expect(ends(cluster)).toEqual({ 'packet-too-large': 1 });
  });

  it('that subscribes to 10,000 filters in few packets gets them all without blocking others', async () => {
    const [cluster, raw] = await open();
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    const filters = Array.from({ length: 10_000 }, (_, index) => `${index}`);
    let pings = 0;
    let isDone = false;
    const pinging = (async () => {
      while (!isDone) {
        await other.ping();
        pings += 1;
      }
    })();
    for (const half of [filters.slice(0, 5000), filters.slice(5000)]) {
      raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: half.map((topic) => ({ topic, qos: 1 })) });
      expect((await raw.take('suback')).granted).toEqual(half.map(() => 1));
    }
    isDone = true;
    await pinging;
    expect(pings).toBeGreaterThan(10);
    expect(cluster.session('hostile')?.subscriptions.size).toBe(10_000);
    raw.send({ cmd: 'publish', topic: '9999', payload: 'x', qos: 0, retain: false, dup: false });
    expect((await raw.take('publish')).topic).toBe('9999');
  });

  it('that subscribes endlessly is refused at the limit', async () => {
    const [cluster, raw] = await open({ maxPacketSize: 1024 * 1024 });
    const subscribe = async (count: number, prefix: string): Promise<unknown> => {
      raw.send({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: Array.from({ length: count }, (_, index) => ({ topic: prefix + index, qos: 0 })),
      });
      return (await raw.take('suback')).granted;
    };
    await subscribe(maxSubscriptions - 1, 'a');
    expect(await subscribe(3, 'b')).toEqual([0, 0x80, 0x80]);
    // One that it has may still be changed.
    expect(await subscribe(1, 'a')).toEqual([0]);
    expect(cluster.session('hostile')?.subscriptions.size).toBe(maxSubscriptions);
  });

  it('that unsubscribes from thousands of filters, or disconnects, does not block others', async () => {
    const [cluster, raw] = await open({ maxPacketSize: 1024 * 1024 });
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    const filters = Array.from({ length: 10_000 }, (_, index) => `${index}/+`);
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos: 0 })) });
    await raw.take('suback');
    const seen: number[] = [];
    /** Pings until that many filters are left. */
    const pingUntil = async (left: number): Promise<void> => {
      while (cluster.sharedStat('topics') > left) {
        await other.ping();
        seen.push(cluster.sharedStat('topics'));
      }
    };
    raw.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: filters.slice(0, 5000) });
    await pingUntil(5000);
    await raw.take('unsuback');
    expect(seen.filter((count) => count > 5000 && count < 10_000).length).toBeGreaterThan(2);
    raw.socket.resetAndDestroy();
    await pingUntil(0);
    expect(seen.filter((count) => count > 0 && count < 5000).length).toBeGreaterThan(2);
  });

  it('that subscribes to too expensive wildcard filters is refused, with a log line', async () => {
    const [cluster, raw] = await open({ maxPacketSize: 1024 * 1024 });
    const refused: string[] = [];
    cluster.events.on('subscriptionRefused', (clientId, filter) => refused.push(`${clientId} ${filter}`));
    const subscribe = async (...filters: string[]): Promise<unknown> => {
      raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos: 0 })) });
      return (await raw.take('suback')).granted;
    };
    // 16 levels each; all of them match the topic `a/a/…`.
    const several = Array.from(
      { length: maxFilterCost / 8 / 16 },
      (_, index) =>
        `+/+/${index.toString(2).padStart(14, '0').replaceAll('0', 'a').replaceAll('1', '+').split('').join('/')}`,
    );
    const last = several.at(-1) ?? '';
    expect(await subscribe(...several)).toEqual(several.map(() => 0));
    expect(refused).toEqual([]);
    expect(await subscribe('+/#', 'one/+', 'none', last)).toEqual([0x80, 0x80, 0, 0]);
    expect(refused).toEqual(['hostile +/#']);
    raw.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: [last] });
    await raw.take('unsuback');
    expect(await subscribe('+/#', 'one/+')).toEqual([0, 0]);
    expect(refused).toEqual(['hostile +/#']);
  });

  it('that subscribes without matching retained messages delays no other', async () => {
    const [cluster, raw] = await open();
    for (let index = 0; index < 5000; index += 1) {
      await cluster.publish(
        new Message({ topic: `a/${index}`, payload: Buffer.from('x'), qos: 0, retain: true, publisher: 'p' }),
      );
    }
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    const filters = [...Array.from({ length: 100 }, (_, index) => `+/+/${index}`), 'a/4999'];
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos: 0 })) });
    await raw.take('suback');
    let isDone = false;
    const last = raw.take('publish').finally(() => {
      isDone = true;
    });
    let pings = 0;
    for (; !isDone; pings += 1) await other.ping();
    expect((await last).topic).toBe('a/4999');
    // All in one turn would be answered after one of them.
    expect(pings).toBeGreaterThan(10);
  });

  it('that disconnects during SUBSCRIBE leaves nothing', async () => {
    const [cluster, raw] = await open();
    const gone = disconnection(cluster, 'hostile');
    raw.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: Array.from({ length: 6000 }, (_, index) => ({ topic: `${index}`, qos: 0 })),
    });
    const begun = new Promise<void>((resolve) => {
      cluster.events.once('subscribed', () => resolve());
    });
    await begun;
    raw.socket.resetAndDestroy();
    await gone;
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    // Several turns, in which slices would go on.
    for (let count = 0; count < 30; count += 1) await other.ping();
    expect(cluster.sharedStat('topics')).toBe(0);
    expect([...cluster.walkRoutes(0, 10)]).toEqual([]);
  });
});

describe('any packet, changed anywhere', () => {
  const payload = Buffer.from('payload');
  const samples: readonly Packet[] = [
    { cmd: 'publish', topic: 'a/b', payload, qos: 0, retain: true, dup: false },
    { cmd: 'publish', topic: '$SYS/a', payload, qos: 2, messageId: 7, retain: false, dup: true },
    { cmd: 'puback', messageId: 1 },
    { cmd: 'pubrec', messageId: 1 },
    { cmd: 'pubrel', messageId: 7 },
    { cmd: 'pubcomp', messageId: 1 },
    {
      cmd: 'subscribe',
      messageId: 3,
      subscriptions: [
        { topic: 'a/+', qos: 2 },
        { topic: '#', qos: 1 },
      ],
    },
    { cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['a/+', '#'] },
    { cmd: 'pingreq' },
    { cmd: 'disconnect' },
    { cmd: 'connack', returnCode: 0, sessionPresent: false },
    connectPacket({
      clientId: 'again',
      username: 'u',
      password: Buffer.from('p'),
      will: { topic: 'w', payload, qos: 1, retain: true },
    }),
  ];
  const change = fc.record({
    at: fc.nat(60),
    kind: fc.constantFrom('set', 'insert', 'delete', 'cut'),
    byte: fc.nat(255),
  });
  const changed = fc
    .record({ sample: fc.constantFrom(...samples), changes: fc.array(change, { maxLength: 3 }) })
    .map(({ sample, changes }) => {
      const bytes = [...generate(sample)];
      for (const { at, kind, byte } of changes) {
        const index = at % (bytes.length + 1);
        if (kind === 'set') bytes[index] = byte;
        else if (kind === 'insert') bytes.splice(index, 0, byte);
        else if (kind === 'delete') bytes.splice(index, 1);
        else bytes.length = index;
      }
      return Buffer.from(bytes);
    });

  it('ends at most its own connection, before and after CONNECT', async () => {
    const cluster = await startTestCluster();
    const survivor = await RawClient.connect(portOf(cluster), { clientId: 'survivor' });
    const begin = generate(connectPacket({ clientId: 'fuzz' }));
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(changed, { minLength: 1, maxLength: 8 }),
        async (isConnected, packets) => {
          const raw = await openDeaf(cluster);
          raw.socket.end(Buffer.concat([...(isConnected ? [begin] : []), ...packets]));
          await raw.closed;
          await survivor.ping();
        },
      ),
      { numRuns: 400 },
    );
    expect(cluster.session('survivor')?.connection).toBeDefined();
    expect(nodeAt(cluster, 0).clients.size).toBe(1);
  });
});
