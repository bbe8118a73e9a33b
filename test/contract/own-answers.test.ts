import mqtt, { type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunner } from '../../src/actions/runner.ts';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { createHttpApi, type HttpApi } from '../../src/api/dialects/index.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { checkOutcome } from '../../src/cli/check/check.ts';
import { readCluster, snapshotOf } from '../../src/cli/once/once.ts';
import { alarmName } from '../../src/domain/administration.ts';
import { hasCounters } from '../../src/domain/client.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { getOwnSession, listOwnAlarms, listOwnSessions } from '../../src/resources/own-answers.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];
const page = { page: 1, pageSize: 100 };

let broker: EmbeddedBroker;
let clock: ManualClock;
let clients: MqttClient[];
let apis: HttpApi[];

const open = (urls: readonly string[]): HttpApi => {
  const [url = '', ...otherUrls] = urls;
  const api = createHttpApi({ url, otherUrls, user: 'admin', password: 'secret', variant: 'b' });
  apis.push(api);
  return api;
};
const urlsOf = (): readonly string[] => broker.servers.map(({ url }) => url);

/** A session on each node, with an alarm. */
beforeEach(async () => {
  [clients, apis] = [[], []];
  clock = createManualClock();
  broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 2,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqV2Server,
    variant: 'b',
    user: 'admin',
    password: 'secret',
    profile: 'emq-2.3',
    clock,
  });
  for (const [at, clientId] of ['here', 'there'].entries()) {
    const client = await mqtt.connectAsync(
      `mqtt://127.0.0.1:${broker.cluster.nodes[at]?.ports.tcp}`,
      { clientId, clean: false, reconnectPeriod: 0 },
      false,
    );
    clients.push(client);
    await client.subscribeAsync(clientId, { qos: 1 });
    await client.endAsync();
    await Promise.all(
      Array.from({ length: 601 }, () => broker.api.publish?.({ topic: clientId, payload: 'x', qos: 1 })),
    );
  }
  clock.advanceSecond();
});
afterEach(async () => {
  for (const api of apis) await api.close();
  await broker.close();
});

const sessionsOf = async (api: HttpApi): Promise<readonly (readonly [string, boolean])[]> => {
  const pages = await Promise.all([one, two].map((node) => listOwnSessions(api, node, page, {})));
  return pages.flatMap(({ items }) => items.map((session) => [session.clientId, hasCounters(session)] as const));
};

describe('nodes that answer for themselves only', () => {
  test('are each asked for their own sessions, where their addresses are known', async () => {
    for (const urls of [urlsOf(), urlsOf().toReversed()])
      expect(await sessionsOf(open(urls))).toEqual([
        ['here', true],
        ['there', true],
      ]);
    expect(await sessionsOf(open(urlsOf().slice(0, 1)))).toEqual([
      ['here', true],
      ['there', false],
    ]);
  });

  test('know one of the addresses for good: it is asked at once the next time', async () => {
    const api = open(urlsOf());
    await listOwnSessions(api, two, page, {});
    const before = broker.servers.map(({ connectionCount }) => connectionCount());
    const { receivedBytes = 0 } = api;
    await listOwnSessions(api, two, page, {});
    const once = (api.receivedBytes ?? 0) - receivedBytes;
    await listOwnSessions(api, two, page, {});
    expect((api.receivedBytes ?? 0) - receivedBytes).toBe(2 * once);
    expect(broker.servers.map(({ connectionCount }) => connectionCount())).toEqual(before);
  });

  test('have the session of a client, and its alarms', async () => {
    const api = open(urlsOf());
    expect((await getOwnSession(api, 'there')).map(hasCounters)).toEqual([true]);
    expect((await getOwnSession(open(urlsOf().slice(0, 1)), 'there')).map(hasCounters)).toEqual([false]);
    await sessionsOf(api);
    expect((await listOwnAlarms(api, one, {})).map(alarmName).toSorted()).toEqual([
      'queue_high_watermark.here',
      'queue_high_watermark.there',
    ]);
  });

  test('tell what became of a session there, once its client is disconnected', async () => {
    const port = broker.cluster.nodes[1]?.ports.tcp;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: 'kept',
      clean: false,
      reconnectPeriod: 0,
    });
    clients.push(client);
    await client.subscribeAsync('kept', { qos: 1 });
    clock.advanceSecond();
    const api = open(urlsOf());
    const [shown] = await api.getNodeClient(two, 'kept');
    if (shown === undefined) throw new Error('not listed');
    const closing = new AbortController();
    const texts: string[] = [];
    let following: Promise<unknown> | undefined;
    const { outcome } = await createRunner({ api, clock: systemClock }).run(
      disconnectClient.create({ kind: 'client', client: shown }),
      {
        onFollow: (follow) => {
          following = follow((text) => {
            texts.push(text);
            closing.abort();
          }, closing.signal);
        },
      },
    );
    await following;
    expect(outcome).toBe('done');
    expect(texts[0]).toBe('It has not reconnected yet; session kept, its queue is empty.');
  });

  test('keep their last alarms while their address fails, and the other lists are read on', async () => {
    const api = open(urlsOf());
    await sessionsOf(api);
    await listOwnAlarms(api, one, {});
    await broker.servers[1]?.close();
    expect((await listOwnAlarms(api, one, {})).map(alarmName)).toContain('queue_high_watermark.there');
    expect(await sessionsOf(api)).toEqual([
      ['here', true],
      ['there', false],
    ]);
    expect((await listOwnAlarms(api, one, {})).map(alarmName)).toContain('queue_high_watermark.there');
  });
});

test('alarms of a node stay after a failover from its address', async () => {
  const api = open(urlsOf());
  await sessionsOf(api);
  await listOwnAlarms(api, one, {});
  await broker.servers[0]?.close();
  await sessionsOf(api);
  expect((await listOwnAlarms(api, one, {})).map(alarmName).toSorted()).toEqual([
    'queue_high_watermark.here',
    'queue_high_watermark.there',
  ]);
});

describe('what cannot be seen', () => {
  test('from one address is said, with how many sessions', async () => {
    const reading = await readCluster(open(urlsOf().slice(0, 1)));
    const { notChecked, problems } = snapshotOf(reading);
    const { text } = checkOutcome(reading, { warn: [], crit: [] });
    for (const line of [
      `1 of 2 sessions (on ${two}): counters not visible from here`,
      `alarms of ${two} not visible from here (add its URL)`,
    ])
      expect(text.split('\n')).toContain(line);
    expect(notChecked).toContain(`1 of 2 sessions (on ${two}): counters not visible from here`);
    expect(notChecked).toContain(`alarms of ${two} not visible from here (add its URL)`);
    expect(problems.map(({ text }) => text).join('\n')).not.toContain('there');
  });

  test('is nothing with an address of each node', async () => {
    const { notChecked, problems } = snapshotOf(await readCluster(open(urlsOf())));
    expect(notChecked.join('\n')).not.toContain('not visible');
    expect(problems.map(({ text }) => text).join('\n')).toMatch(/here[^]*there/u);
  });
});
