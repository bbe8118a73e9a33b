import type { ServerResponse } from 'node:http';
import type { Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { AccessRules } from '../../../src/broker/engine/access.ts';
import { createClusterPlugins } from '../../../src/broker/plugins/cluster-plugins.ts';
import { createWebHook } from '../../../src/broker/plugins/web-hook.ts';
import {
  type Asked,
  one,
  portOf,
  publish,
  type Service,
  startOperated,
  startService,
  subscribe,
  two,
} from '../operator-support.ts';
import { RawClient, startTestCluster } from '../support.ts';

const plugin = 'broker_web_hook';
const settingsOf = (
  { url }: Pick<Service, 'url'>,
  events = 'client_connected,client_disconnected,client_subscribe,client_unsubscribe,message_publish',
  encoding = 'plain',
) => ({
  'web.hook.api.url': `${url}/hook`,
  'web.hook.events': events,
  'web.hook.encode_payload': encoding,
});
const eventOf = ({ body }: Asked): unknown => JSON.parse(body);

describe('events', () => {
  it('are posted in their order, as JSON', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin } = await startOperated({ nodes: 2 });
    await startPlugin(plugin, settingsOf(service), two);
    await RawClient.connect(portOf(cluster, 0), { clientId: 'elsewhere' });
    const raw = await RawClient.connect(portOf(cluster, 1), {
      clientId: 'a"b',
      username: 'ann',
      password: Buffer.from('hush-hush'),
    });
    await subscribe(raw, 't/#', 2);
    raw.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['t/#'] });
    await raw.take('unsuback');
    await publish(raw, 't/ü', 'päyload');
    raw.send({ cmd: 'disconnect' });
    const asked = await service.requests(5);
    expect(asked.map(({ method, url, type }) => [method, url, type])).toEqual(
      Array.from({ length: 5 }, () => ['POST', '/hook', 'application/json']),
    );
    const about = { node: two, client_id: 'a"b', username: 'ann' };
    expect(asked.map(eventOf)).toEqual([
      { action: 'client_connected', ...about, ipaddress: '127.0.0.1', port: expect.any(Number), conn_ack: 0 },
      { action: 'client_subscribe', ...about, topic: 't/#', opts: { qos: 2 } },
      { action: 'client_unsubscribe', ...about, topic: 't/#' },
      {
        action: 'message_publish',
        node: two,
        from_client_id: 'a"b',
        from_username: 'ann',
        topic: 't/ü',
        qos: 1,
        retain: false,
        payload: 'päyload',
        ts: expect.any(Number),
      },
      { action: 'client_disconnected', ...about, reason: 'client-disconnect' },
    ]);
    expect(JSON.stringify(asked)).not.toContain('hush');
  });

  it('are those in the settings, with payloads in base64 if set', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'message_publish , client_disconnected', 'base64'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    await publish(raw, 't', 'hello');
    raw.send({ cmd: 'disconnect' });
    expect((await service.requests(2)).map(eventOf)).toMatchObject([
      { action: 'message_publish', payload: 'aGVsbG8=', from_username: null },
      { action: 'client_disconnected', username: null },
    ]);
  });

  it('end with the plugin', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin, api } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'message_publish'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    await publish(raw, 'first');
    await service.requests(1);
    await api.stopPlugin(one, plugin);
    await publish(raw, 'unheard');
    await api.startPlugin(one, plugin);
    await publish(raw, 'last');
    expect((await service.requests(2)).map(eventOf)).toMatchObject([{ topic: 'first' }, { topic: 'last' }]);
  });
});

describe('a service whose answer has a body that', () => {
  const publishAll = async (
    service: Service,
    topics: readonly string[],
  ): Promise<{ topics: unknown; lines: readonly string[] }> => {
    const { cluster, startPlugin, lines } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'message_publish'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    // All at once, so that the next event always waits already.
    raw.send(
      ...topics.map((topic): Packet => ({ cmd: 'publish', topic, payload: 'x', qos: 0, retain: false, dup: false })),
    );
    const asked = await service.requests(topics.length);
    return { topics: asked.map(({ body }) => JSON.parse(body).topic), lines };
  };
  const twenty = Array.from({ length: 20 }, (_, index) => `${index}`);

  it('comes after its head gets every event', async () => {
    const service = await startService((_, response) => {
      response.writeHead(200).flushHeaders();
      // Turns of the loop in which the head arrives and the next event is sent.
      const endLater = (turns: number): void => {
        setImmediate(() => (turns > 0 ? endLater(turns - 1) : response.end('late')));
      };
      endLater(10);
      return undefined;
    });
    expect(await publishAll(service, twenty)).toEqual({ topics: twenty, lines: [] });
  });

  it.each([
    ['never ends', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
    [
      'is endless',
      (response: ServerResponse) => {
        response.on('drain', () => response.write(Buffer.alloc(100_000)));
        response
          .on('error', () => undefined)
          .writeHead(200)
          .write(Buffer.alloc(100_000));
      },
    ],
  ] as const)('%s gets every event', async (_, begin) => {
    const service = await startService((__, response) => {
      begin(response);
      return undefined;
    });
    expect(await publishAll(service, ['1', '2', '3'])).toEqual({ topics: ['1', '2', '3'], lines: [] });
  });
});

describe('a service that does not answer', () => {
  const bounds = { events: 3, bytes: 10_000, timeoutMs: 20_000 };

  /** The plugin alone, with bounds that a test can reach. */
  async function startBounded(service: Service, some: Partial<typeof bounds> = {}) {
    const cluster = await startTestCluster();
    const lines: string[] = [];
    const plugins = createClusterPlugins({
      cluster,
      definitions: [createWebHook({ ...bounds, ...some })],
      rules: new AccessRules(),
      logOf: () => (level, text) => lines.push(`${level} ${text}`),
    });
    plugins.get(one)?.replaceSettings(plugin, settingsOf(service, 'message_publish'));
    plugins.get(one)?.start(plugin);
    return { lines, raw: await RawClient.connect(portOf(cluster), { clientId: 'x' }) };
  }

  it('delays no client, and drops and counts the oldest of too many events', async () => {
    const release: (() => void)[] = [];
    let isBlocked = true;
    const service = await startService((_, response) => {
      if (!isBlocked) return 200;
      release.push(() => response.writeHead(200).end());
      return undefined;
    });
    const { raw, lines } = await startBounded(service);
    await publish(raw, 'under-way');
    await service.requests(1);
    for (const topic of ['1', '2', '3', '4', '5']) await publish(raw, topic);
    isBlocked = false;
    for (const go of release) go();
    expect((await service.requests(4)).map(eventOf)).toMatchObject([
      { topic: 'under-way' },
      { topic: '3' },
      { topic: '4' },
      { topic: '5' },
    ]);
    expect(lines).toEqual([
      'error the web_hook queue fails: full, the oldest events are dropped',
      'warning the web_hook queue recovered after 2 failures',
    ]);
  });

  it('is bounded by the size of the events too', async () => {
    const service = await startService((_, response) => {
      if (service.asked.length > 0) return 200;
      release.push(() => response.writeHead(200).end());
      return undefined;
    });
    const release: (() => void)[] = [];
    const { raw } = await startBounded(service, { events: 100 });
    await publish(raw, 'under-way');
    await service.requests(1);
    await publish(raw, 'old', 'x'.repeat(6000));
    await publish(raw, 'new', 'x'.repeat(6000));
    for (const go of release) go();
    expect((await service.requests(2)).map(eventOf)).toMatchObject([{ topic: 'under-way' }, { topic: 'new' }]);
  });

  it('is given up in time, and the next event is posted', async () => {
    const service = await startService(() => (service.asked.length === 0 ? undefined : 200));
    const { raw, lines } = await startBounded(service, { timeoutMs: 50 });
    await publish(raw, 'lost');
    await publish(raw, 'next');
    expect((await service.requests(2)).map(eventOf)).toMatchObject([{ topic: 'lost' }, { topic: 'next' }]);
    expect(lines[0]).toBe('error web.hook.api.url fails: no response within 0.05 s');
  });
});

it.each([
  ['no URL', { 'web.hook.api.url': '' }, /web\.hook\.api\.url is not set/u],
  ['a URL that is none', { 'web.hook.api.url': 'ftp://127.0.0.1/' }, /not an http or https URL/u],
  ['an unknown event', { 'web.hook.events': 'client_connected,nothing' }, /web\.hook\.events may only contain/u],
  ['an unknown encoding', { 'web.hook.encode_payload': 'rot13' }, /must be plain or base64/u],
])('does not start with %s', async (_, settings, message) => {
  const { startPlugin } = await startOperated();
  await expect(
    startPlugin(plugin, { ...settingsOf({ url: 'http://127.0.0.1:1' }), ...settings }),
  ).rejects.toMatchObject({ kind: 'failed', brokerMessage: expect.stringMatching(message) });
});
