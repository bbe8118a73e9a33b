import { setImmediate } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { Connection } from '../../../src/broker/engine/connection.ts';
import { connectPacket, nodeAt, startTestCluster, StuckTransport } from '../support.ts';

/** A client that takes what it is sent. */
class OpenTransport extends StuckTransport {
  override write(): void {}
}

function connect<T extends StuckTransport>(cluster: BrokerCluster, clientId: string, transport: T): T {
  void new Connection(transport, nodeAt(cluster, 0));
  transport.events?.data(generate(connectPacket({ clientId })));
  return transport;
}

/** A subscriber that neither reads nor acknowledges. */
function addSlow(cluster: BrokerCluster, clientId: string): StuckTransport {
  const transport = connect(cluster, clientId, new StuckTransport());
  transport.events?.data(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 't', qos: 1 }] }));
  return transport;
}

const message = generate({ cmd: 'publish', topic: 't', payload: 'x', qos: 1, messageId: 1, retain: false, dup: false });
const perMs = 4;
const messages = Buffer.concat(Array.from({ length: perMs }, () => message));

/** A publisher that sends in each of `ms` milliseconds of the fake clock in which it is read; returns in how many it was held. */
async function publishFor(
  cluster: BrokerCluster,
  ms: number,
  eachMs: (ms: number) => void = () => undefined,
): Promise<number> {
  const publisher = connect(cluster, 'publisher', new OpenTransport());
  let held = 0;
  for (let at = 0; at < ms; at += 1) {
    eachMs(at);
    if (publisher.isPaused) held += 1;
    else publisher.events?.data(messages);
    vi.advanceTimersByTime(1);
    // A publisher that may go on does so in the next turn; each of its messages may end one.
    for (let turn = 0; turn <= perMs; turn += 1) await setImmediate();
  }
  return held;
}

describe('a publisher', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function startOnFakeClock(): Promise<BrokerCluster> {
    const cluster = await startTestCluster({ settings: { maxBackpressureMs: 2000 } });
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    return cluster;
  }

  it('waits no longer for many subscribers that do not read than for one', async () => {
    const cluster = await startOnFakeClock();
    for (let index = 0; index < 20; index += 1) addSlow(cluster, `slow${index}`);
    const ms = 5000;
    const held = await publishFor(cluster, ms);
    expect(held).toBeGreaterThan(0);
    // A turn that is long on a busy machine may look like being held, too.
    expect(held).toBeLessThan(2500);
    expect(cluster.session('slow19')?.describe()).toMatchObject({
      inflight: 32,
      queueLength: 1000,
      dropped: (ms - held) * perMs - 1032,
    });
  });

  it('waits for at most a tenth of the time for subscribers that reconnect repeatedly', async () => {
    const cluster = await startOnFakeClock();
    const slow: (StuckTransport | undefined)[] = [];
    const ms = 20_000;
    const held = await publishFor(cluster, ms, (at) => {
      for (let index = 0; index < 10; index += 1) {
        // Every 2.5 s, one after the other.
        if (at % 2500 !== index * 250) continue;
        slow[index]?.destroy();
        slow[index] = addSlow(cluster, `slow${index}`);
      }
    });
    expect(held).toBeGreaterThan(2000);
    expect(held).toBeLessThan(2500 + ms / 10);
  });
});
