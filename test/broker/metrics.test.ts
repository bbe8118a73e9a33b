import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { type MetricName, metricNames, type Metrics } from '../../src/domain/metrics.ts';
import { connectPacket, disconnection, nodeAt, RawClient, startTestCluster } from './support.ts';

function figures(known: Partial<Record<MetricName, number>>): Metrics {
  return Object.fromEntries(metricNames.map((name) => [name, known[name] ?? 0]));
}

/** Those that all brokers have. */
const commonOf = (metrics: Metrics): Metrics => Object.fromEntries(metricNames.map((name) => [name, metrics[name]]));

const bytesOf = (...packets: Packet[]): number => packets.reduce((sum, packet) => sum + generate(packet).length, 0);

describe('counters', () => {
  it('count exactly the packets and bytes of each node', async () => {
    const cluster = await startTestCluster({ nodes: 3, settings: { maxAwaitingRel: 2 } });
    const [first, second, idle] = [nodeAt(cluster, 0), nodeAt(cluster, 1), nodeAt(cluster, 2)];
    const publisher = await RawClient.open(first.ports.tcp);
    const subscriber = await RawClient.open(second.ports.tcp);
    const sent = { publisher: [] as Packet[], subscriber: [] as Packet[] };
    const publisherSends = (...packets: Packet[]): void => {
      sent.publisher.push(...packets);
      publisher.send(...packets);
    };
    const subscriberSends = (...packets: Packet[]): void => {
      sent.subscriber.push(...packets);
      subscriber.send(...packets);
    };
    const got = { publisher: [] as Packet[], subscriber: [] as Packet[] };
    const publisherTakes = async <C extends Packet['cmd']>(cmd: C) => {
      const packet = await publisher.take(cmd);
      got.publisher.push(packet);
      return packet;
    };
    const subscriberTakes = async <C extends Packet['cmd']>(cmd: C) => {
      const packet = await subscriber.take(cmd);
      got.subscriber.push(packet);
      return packet;
    };
    const publish = (topic: string, qos: 0 | 1 | 2, messageId: number, retain = false): Packet => ({
      cmd: 'publish',
      topic,
      payload: Buffer.from('payload'),
      qos,
      messageId,
      retain,
      dup: false,
    });

    subscriberSends(connectPacket({ clientId: 's', clean: false }));
    await subscriberTakes('connack');
    subscriberSends({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [
        { topic: 't/#', qos: 2 },
        { topic: 'other', qos: 0 },
      ],
    });
    await subscriberTakes('suback');
    subscriberSends({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['other'] });
    await subscriberTakes('unsuback');

    publisherSends(connectPacket({ clientId: 'p' }));
    await publisherTakes('connack');
    publisherSends(
      publish('t/0', 0, 0),
      publish('t/1', 1, 1),
      publish('t/2', 2, 2),
      publish('nobody', 1, 3),
      publish('kept', 0, 0, true),
    );
    await publisherTakes('puback');
    await publisherTakes('pubrec');
    await publisherTakes('puback');
    publisherSends(publish('t/2', 2, 4));
    await publisherTakes('pubrec');
    publisherSends({ cmd: 'pubrel', messageId: 77 });
    await publisherTakes('pubcomp');
    publisherSends({ cmd: 'pubrel', messageId: 2 });
    await publisherTakes('pubcomp');
    publisherSends({ cmd: 'pingreq' });
    await publisherTakes('pingresp');
    // One is open, and a second is over the bound.
    first.settings.maxAwaitingRel = 1;
    publisherSends(publish('t/2', 2, 5));
    await publisher.closed;

    await subscriberTakes('publish');
    const qos1 = await subscriberTakes('publish');
    const qos2 = await subscriberTakes('publish');
    const open = await subscriberTakes('publish');
    subscriberSends({ cmd: 'puback', messageId: qos1.messageId ?? 0 }, { cmd: 'puback', messageId: 999 });
    subscriberSends({ cmd: 'pubrec', messageId: qos2.messageId ?? 0 });
    await subscriberTakes('pubrel');
    subscriberSends({ cmd: 'pubrec', messageId: 998 });
    await subscriberTakes('pubrel');
    subscriberSends(
      { cmd: 'pubcomp', messageId: qos2.messageId ?? 0 },
      { cmd: 'pubcomp', messageId: 997 },
      { cmd: 'pingreq' },
    );
    await subscriberTakes('pingresp');
    const gone = disconnection(cluster, 's');
    subscriberSends({ cmd: 'disconnect' });
    await gone;
    expect(open).toMatchObject({ qos: 2, dup: false });

    expect(commonOf(first.readMetrics())).toEqual(
      figures({
        'bytes.received': bytesOf(...sent.publisher),
        'bytes.sent': bytesOf(...got.publisher),
        'packets.received': 11,
        'packets.sent': 8,
        'packets.connect': 1,
        'packets.connack': 1,
        'packets.publish.received': 7,
        'packets.puback.sent': 2,
        'packets.pubrec.sent': 2,
        'packets.pubrel.received': 2,
        'packets.pubrel.missed': 1,
        'packets.pubcomp.sent': 2,
        'packets.pingreq': 1,
        'packets.pingresp': 1,
        'messages.received': 7,
        'messages.qos0.received': 2,
        'messages.qos1.received': 2,
        'messages.qos2.received': 3,
        'messages.dropped': 2,
        'messages.qos2.dropped': 1,
        'messages.retained': 1,
      }),
    );
    expect(commonOf(second.readMetrics())).toEqual(
      figures({
        'bytes.received': bytesOf(...sent.subscriber),
        'bytes.sent': bytesOf(...got.subscriber),
        'packets.received': 11,
        'packets.sent': 10,
        'packets.connect': 1,
        'packets.connack': 1,
        'packets.disconnect': 1,
        'packets.subscribe': 1,
        'packets.suback': 1,
        'packets.unsubscribe': 1,
        'packets.unsuback': 1,
        'packets.publish.sent': 4,
        'packets.puback.received': 2,
        'packets.puback.missed': 1,
        'packets.pubrec.received': 2,
        'packets.pubrec.missed': 1,
        'packets.pubrel.sent': 2,
        'packets.pubcomp.received': 2,
        'packets.pubcomp.missed': 1,
        'packets.pingreq': 1,
        'packets.pingresp': 1,
        'messages.sent': 4,
        'messages.qos0.sent': 1,
        'messages.qos1.sent': 1,
        'messages.qos2.sent': 2,
      }),
    );
    expect(commonOf(idle.readMetrics())).toEqual(figures({}));
  });

  it('count a redelivery as one more message sent', async () => {
    const cluster = await startTestCluster();
    const { tcp } = nodeAt(cluster, 0).ports;
    const first = await RawClient.connect(tcp, { clientId: 's', clean: false });
    first.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
    await first.take('suback');
    first.send({ cmd: 'publish', topic: 't', payload: 'x', qos: 0, retain: false, dup: false });
    first.send({ cmd: 'publish', topic: 't', payload: 'x', qos: 1, retain: false, dup: false, messageId: 1 });
    await first.take('publish');
    await first.take('publish');
    const second = await RawClient.connect(tcp, { clientId: 's', clean: false });
    await second.take('publish');
    expect(nodeAt(cluster, 0).readMetrics()).toMatchObject({
      'messages.sent': 3,
      'messages.qos0.sent': 1,
      'messages.qos1.sent': 2,
      'packets.publish.sent': 3,
    });
    expect(cluster.session('s')?.describe().delivered).toBe(2);
  });

  it('count malformed packets only as bytes', async () => {
    const cluster = await startTestCluster();
    const raw = await RawClient.open(nodeAt(cluster, 0).ports.tcp);
    raw.socket.write(Buffer.from([0x10, 0x02, 0x00, 0x00]));
    await raw.closed;
    expect(commonOf(nodeAt(cluster, 0).readMetrics())).toEqual(figures({ 'bytes.received': 4 }));
  });

  it('follow a retained message that is replaced on another node', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const retain = async (index: number, payload: string): Promise<void> => {
      const raw = await RawClient.connect(nodeAt(cluster, index).ports.tcp, { clientId: `c${index}` });
      raw.send({ cmd: 'publish', topic: 'r', payload, qos: 0, retain: true, dup: false });
      await raw.ping();
    };
    const retained = () => cluster.nodes.map((node) => node.readMetrics()['messages.retained']);
    await retain(0, 'x');
    expect(retained()).toEqual([1, 0]);
    await retain(1, 'y');
    expect(retained()).toEqual([0, 1]);
    await retain(0, '');
    expect(retained()).toEqual([0, 0]);
  });
});

it('counts logins, connections, decisions and drops', async () => {
  const cluster = await startTestCluster({
    settings: { maxQueueLength: 2 },
    hooks: {
      authenticate: ({ username }) => (username === 'bad' ? 'bad-credentials' : 'accept'),
      authorize: (_, __, topic) => topic !== 'secret',
      isBanned: ({ clientId }) => clientId === 'banned',
    },
  });
  const { tcp } = nodeAt(cluster, 0).ports;
  for (const options of [{ clientId: 'x', username: 'bad' }, { clientId: 'banned' }]) {
    const refused = await RawClient.open(tcp);
    refused.send(connectPacket(options));
    await refused.closed;
  }
  const lasting = await RawClient.connect(tcp, { clientId: 'lasting', clean: false });
  lasting.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [
      { topic: 'a/b', qos: 1 },
      { topic: 'secret', qos: 1 },
      { topic: 'in/#/valid', qos: 1 },
    ],
  });
  await lasting.take('suback');
  const again = await RawClient.connect(tcp, { clientId: 'lasting', clean: false });
  await lasting.closed;
  again.socket.destroy();
  await disconnection(cluster, 'lasting');
  const publisher = await RawClient.connect(tcp, { clientId: 'publisher' });
  for (let count = 0; count < 5; count += 1) {
    publisher.send({ cmd: 'publish', topic: 'a/b', payload: 'x', qos: 1, messageId: 1, dup: false, retain: false });
    await publisher.take('puback');
  }
  expect(nodeAt(cluster, 0).readMetrics()).toMatchObject({
    'authentication.failure': 1,
    'packets.connack.auth_error': 2,
    'authentication.success': 3,
    'client.connected': 3,
    'client.disconnected': 2,
    'session.takenover': 1,
    'authorization.allow': 6,
    'authorization.deny': 1,
    'delivery.dropped': 3,
    'delivery.dropped.queue_full': 3,
  });
});
