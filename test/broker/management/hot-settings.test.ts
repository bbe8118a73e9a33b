import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { type BrokerCode, errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { readHotSettings } from '../../../src/broker/management/hot-settings.ts';
import { connack, one, type Operated, portOf, publish, startOperated, subscribe, two } from '../operator-support.ts';
import { connectClient, disconnection, nodeAt, RawClient, urlOf } from '../support.ts';

const valueOf = ({ cluster }: Operated, key: string, node = 0): string | undefined =>
  readHotSettings(nodeAt(cluster, node)).find((setting) => setting.key === key)?.value;

const refusal = (code: BrokerCode) => expect.objectContaining({ kind: errorOfCode(code).kind });

describe('the list', () => {
  it('has each key once, with one of the types of the specification', async () => {
    const operated = await startOperated();
    const settings = await operated.api.getSettings(one);
    expect(settings).toEqual([
      { key: 'log.console.level', value: 'error', dataType: 'enum', app: 'broker' },
      { key: 'mqtt.acl_nomatch', value: 'allow', dataType: 'enum', app: 'broker' },
      { key: 'mqtt.allow_anonymous', value: 'true', dataType: 'enum', app: 'broker' },
      { key: 'mqtt.cache_acl', value: 'true', dataType: 'enum', app: 'broker' },
      { key: 'mqtt.keepalive_backoff', value: '0.75', dataType: 'string', app: 'broker' },
      { key: 'mqtt.max_clientid_len', value: '1024', dataType: 'integer', app: 'broker' },
      { key: 'mqtt.max_packet_size', value: '65536', dataType: 'integer', app: 'broker' },
      { key: 'mqtt.mqueue.max_length', value: '1000', dataType: 'integer', app: 'broker' },
      { key: 'mqtt.mqueue.store_qos0', value: 'true', dataType: 'enum', app: 'broker' },
      { key: 'mqtt.session.max_awaiting_rel', value: '0', dataType: 'integer', app: 'broker' },
      { key: 'mqtt.session.max_inflight', value: '32', dataType: 'integer', app: 'broker' },
    ]);
    // What is read can be written.
    for (const { key, value } of settings) await operated.set(key, value ?? '');
    expect(await operated.api.getSettings(one)).toEqual(settings);
  });
});

describe('a change', () => {
  it.each([
    ['mqtt.allow_anonymous', 'yes'],
    ['mqtt.allow_anonymous', ''],
    ['mqtt.allow_anonymous', 'TRUE'],
    ['mqtt.cache_acl', '1'],
    ['mqtt.acl_nomatch', 'ignore'],
    ['mqtt.mqueue.store_qos0', 'on'],
    ['log.console.level', 'loud'],
    ['mqtt.max_clientid_len', 'abc'],
    ['mqtt.max_clientid_len', '0'],
    ['mqtt.max_clientid_len', '65536'],
    ['mqtt.max_clientid_len', '12.5'],
    ['mqtt.max_clientid_len', ' 12'],
    ['mqtt.max_clientid_len', '0x10'],
    ['mqtt.max_clientid_len', '1e3'],
    ['mqtt.max_clientid_len', ''],
    ['mqtt.max_packet_size', '127'],
    ['mqtt.max_packet_size', '268435461'],
    ['mqtt.session.max_inflight', '-1'],
    ['mqtt.session.max_inflight', '65536'],
    ['mqtt.session.max_awaiting_rel', '99999999999999999999'],
    ['mqtt.mqueue.max_length', '1000001'],
    ['mqtt.keepalive_backoff', '0.4'],
    ['mqtt.keepalive_backoff', 'Infinity'],
    ['mqtt.keepalive_backoff', '11'],
    ['mqtt.keepalive_backoff', '.9'],
  ])('of %s to %j is refused with 108 and changes nothing', async (key, value) => {
    const operated = await startOperated();
    const before = await operated.api.getSettings(one);
    let changes = 0;
    operated.state.onChange(() => {
      changes += 1;
    });
    await expect(operated.set(key, value)).rejects.toEqual(refusal(108));
    await expect(operated.set(key, value, one)).rejects.toEqual(refusal(108));
    expect(await operated.api.getSettings(one)).toEqual(before);
    expect(changes).toBe(0);
  });

  it('of an unknown node, key or application fails with 102', async () => {
    const { api } = await startOperated();
    for (const [app, key] of [
      ['broker', 'no.such.key'],
      ['other', 'mqtt.cache_acl'],
      ['broker', '__proto__'],
      ['broker', 'toString'],
    ] as const) {
      await expect(api.changeSetting(undefined, { app, key, value: 'true' })).rejects.toEqual(refusal(102));
    }
    await expect(
      api.changeSetting('nobody@nowhere', { app: 'broker', key: 'mqtt.cache_acl', value: 'true' }),
    ).rejects.toEqual(refusal(102));
  });

  it('acts on one node or on all that run', async () => {
    const operated = await startOperated({ nodes: 2 });
    await operated.set('mqtt.max_clientid_len', '20', two);
    expect([valueOf(operated, 'mqtt.max_clientid_len', 0), valueOf(operated, 'mqtt.max_clientid_len', 1)]).toEqual([
      '1024',
      '20',
    ]);
    expect(await connack(portOf(operated.cluster, 0), { clientId: 'x'.repeat(21) })).toBe(0);
    expect(await connack(portOf(operated.cluster, 1), { clientId: 'x'.repeat(21) })).toBe(2);
    await operated.set('mqtt.max_clientid_len', '30');
    expect([...(await operated.api.listSettings())].map(([node, settings]) => [node, settings[5]?.value])).toEqual([
      [one, '30'],
      [two, '30'],
    ]);
    await operated.cluster.stopNode(two);
    await operated.set('mqtt.max_clientid_len', '40');
    await expect(operated.set('mqtt.max_clientid_len', '40', two)).rejects.toEqual(refusal(101));
    await expect(operated.api.getSettings(two)).rejects.toMatchObject({ kind: 'not-found' });
    expect([...(await operated.api.listSettings())].map(([node]) => node)).toEqual([one]);
    await operated.cluster.startNode(two);
    expect([valueOf(operated, 'mqtt.max_clientid_len', 0), valueOf(operated, 'mqtt.max_clientid_len', 1)]).toEqual([
      '40',
      '30',
    ]);
  });
});

describe('the effect of', () => {
  it('mqtt.allow_anonymous: who may connect', async () => {
    const { cluster, set } = await startOperated();
    expect(await connack(portOf(cluster))).toBe(0);
    await set('mqtt.allow_anonymous', 'false');
    expect(await connack(portOf(cluster))).toBe(5);
    expect(await connack(portOf(cluster), { username: 'u', password: 'p' })).toBe(4);
    await set('mqtt.allow_anonymous', 'true');
    expect(await connack(portOf(cluster))).toBe(0);
  });

  it('mqtt.max_clientid_len: which ids may connect', async () => {
    const { cluster, set } = await startOperated();
    await set('mqtt.max_clientid_len', '5');
    expect(await connack(portOf(cluster), { clientId: '123456' })).toBe(2);
    expect(await connack(portOf(cluster), { clientId: '12345' })).toBe(0);
  });

  it('mqtt.max_packet_size: packets of clients that are connected already', async () => {
    const { cluster, set } = await startOperated();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    const publishOf = (bytes: number): Buffer => {
      const empty = generate({ cmd: 'publish', topic: 't', payload: '', qos: 0, retain: false, dup: false });
      // One byte more for the remaining length, which passes 127.
      return generate({
        cmd: 'publish',
        topic: 't',
        payload: 'x'.repeat(bytes - empty.length - 1),
        qos: 0,
        retain: false,
        dup: false,
      });
    };
    await set('mqtt.max_packet_size', '200');
    expect(publishOf(200)).toHaveLength(200);
    raw.socket.write(publishOf(200));
    await raw.ping();
    const ended = disconnection(cluster, 'x');
    raw.socket.write(publishOf(201));
    expect(await ended).toBe('packet-too-large');
  });

  it('mqtt.keepalive_backoff: a client that is silent already', async () => {
    const { cluster, set } = await startOperated();
    await set('mqtt.keepalive_backoff', '10');
    await RawClient.connect(portOf(cluster), { clientId: 'silent', keepalive: 2 });
    const ended = disconnection(cluster, 'silent');
    // It would have 40 s, longer than a test may take.
    await set('mqtt.keepalive_backoff', '0.5');
    expect(await ended).toBe('keepalive-timeout');
  });

  it('mqtt.session.max_inflight: messages under way to a client, and those that wait', async () => {
    const { cluster, set } = await startOperated();
    await set('mqtt.session.max_inflight', '2');
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'slow' });
    await subscribe(raw, 't');
    const publisher = await connectClient(urlOf(cluster));
    for (const payload of ['1', '2', '3', '4', '5']) await publisher.mqtt.publishAsync('t', payload, { qos: 1 });
    expect(cluster.session('slow')?.outbox).toMatchObject({ inflightLength: 2, queueLength: 3 });
    // Nothing was acknowledged: the wider window alone lets them go.
    await set('mqtt.session.max_inflight', '4');
    expect(cluster.session('slow')?.outbox).toMatchObject({ inflightLength: 4, queueLength: 1 });
    const payloads: string[] = [];
    for (let count = 0; count < 4; count += 1) payloads.push((await raw.take('publish')).payload.toString());
    expect(payloads).toEqual(['1', '2', '3', '4']);
    // What is under way cannot be taken back; the narrower window holds for all that follows, and is told at once.
    await set('mqtt.session.max_inflight', '1');
    expect(cluster.session('slow')?.describe()).toMatchObject({ maxInflight: 1, inflight: 4, queueLength: 1 });
    for (const messageId of [1, 2, 3]) raw.send({ cmd: 'puback', messageId });
    await expect.poll(() => cluster.session('slow')?.outbox.inflightLength).toBe(1);
    expect(cluster.session('slow')?.outbox.queueLength).toBe(1);
    raw.send({ cmd: 'puback', messageId: 4 });
    expect((await raw.take('publish')).payload.toString()).toBe('5');
  });

  it('mqtt.session.max_awaiting_rel: QoS 2 messages that a client has not released', async () => {
    const { cluster, set } = await startOperated();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    const send = (messageId: number): void =>
      raw.send({ cmd: 'publish', topic: 't', payload: 'x', qos: 2, messageId, retain: false, dup: false });
    await set('mqtt.session.max_awaiting_rel', '1');
    send(1);
    expect((await raw.take('pubrec')).messageId).toBe(1);
    await set('mqtt.session.max_awaiting_rel', '2');
    send(2);
    expect((await raw.take('pubrec')).messageId).toBe(2);
    const gone = disconnection(cluster, 'x');
    send(3);
    expect(await gone).toBe('protocol-violation');
    expect(nodeAt(cluster, 0).readMetrics()).toMatchObject({ 'messages.qos2.dropped': 1 });
  });

  it('mqtt.mqueue.max_length: the queues of offline clients', async () => {
    const { cluster, set } = await startOperated();
    const away = await connectClient(urlOf(cluster), { clientId: 'away', clean: false });
    await away.mqtt.subscribeAsync('t', { qos: 1 });
    await away.mqtt.endAsync();
    const publisher = await connectClient(urlOf(cluster));
    for (const payload of ['1', '2', '3', '4']) await publisher.mqtt.publishAsync('t', payload, { qos: 1 });
    await set('mqtt.mqueue.max_length', '3');
    expect(cluster.session('away')?.outbox).toMatchObject({ queueLength: 3, dropped: 1 });
    await publisher.mqtt.publishAsync('t', '5', { qos: 1 });
    const back = await RawClient.connect(portOf(cluster), { clientId: 'away', clean: false });
    const payloads: string[] = [];
    for (let count = 0; count < 3; count += 1) payloads.push((await back.take('publish')).payload.toString());
    expect(payloads).toEqual(['3', '4', '5']);
  });

  it('mqtt.mqueue.store_qos0: QoS 0 in the queues of offline clients', async () => {
    const { cluster, set } = await startOperated();
    const away = await connectClient(urlOf(cluster), { clientId: 'away', clean: false });
    await away.mqtt.subscribeAsync('t', { qos: 1 });
    await away.mqtt.endAsync();
    const publisher = await RawClient.connect(portOf(cluster), { clientId: 'publisher' });
    const send = async (payload: string): Promise<void> => {
      publisher.send({ cmd: 'publish', topic: 't', payload, qos: 0, retain: false, dup: false });
      await publisher.ping();
    };
    await send('stored');
    await set('mqtt.mqueue.store_qos0', 'false');
    await send('lost');
    await publish(publisher, 't', 'end');
    const back = await RawClient.connect(portOf(cluster), { clientId: 'away', clean: false });
    // Each QoS keeps an order of its own.
    const payloads = [(await back.take('publish')).payload.toString(), (await back.take('publish')).payload.toString()];
    await back.ping();
    expect(payloads.toSorted()).toEqual(['end', 'stored']);
  });

  it('mqtt.acl_nomatch: topics without a rule, also when cached', async () => {
    const { cluster, set } = await startOperated();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    expect(await subscribe(raw, 'a')).toBe(1);
    await set('mqtt.acl_nomatch', 'deny');
    expect(await subscribe(raw, 'a')).toBe(128);
    // Rules go before it.
    expect(await subscribe(raw, '$SYS/a')).toBe(1);
    const publisher = await RawClient.connect(portOf(cluster), { clientId: 'publisher' });
    await publish(publisher, 'a');
    await set('mqtt.acl_nomatch', 'allow');
    await publish(publisher, 'a', 'heard');
    expect((await raw.take('publish')).payload.toString()).toBe('heard');
  });

  it('mqtt.cache_acl: whether changed rules act at once', async () => {
    const { cluster, set, accessRules } = await startOperated({ accessRules: [] });
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    const denyAll = [{ permission: 'deny', who: 'all', action: 'pubsub', topics: ['#'] }] as const;
    expect(await subscribe(raw, 'a')).toBe(1);
    accessRules.replace(denyAll);
    expect(await subscribe(raw, 'a')).toBe(1);
    await set('mqtt.cache_acl', 'false');
    expect(await subscribe(raw, 'a')).toBe(128);
    accessRules.replace([]);
    expect(await subscribe(raw, 'a')).toBe(1);
    await set('mqtt.cache_acl', 'true');
    accessRules.replace(denyAll);
    expect(await subscribe(raw, 'a')).toBe(128);
    accessRules.replace([]);
    expect(await subscribe(raw, 'a')).toBe(128);
  });

  it('log.console.level: the lines that are logged', async () => {
    const { cluster, set, lines, line } = await startOperated();
    const come = async (clientId: string): Promise<void> => {
      const raw = await RawClient.connect(portOf(cluster), { clientId, username: 'ann' });
      const ended = disconnection(cluster, clientId);
      raw.socket.write(Buffer.from([0xf0, 0]));
      await ended;
    };
    await come('unseen');
    expect(lines).toEqual([]);
    await set('log.console.level', 'warning');
    await come('bad');
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\dT[\d:.]+Z warning broker1@127\.0\.0\.1 client "bad" disconnected: malformed$/u,
      ),
    ]);
    await set('log.console.level', 'info');
    await come('good');
    expect(await line(/ info .*client "good" connected as "ann" from 127\.0\.0\.1 port \d+$/u)).toBeDefined();
    const count = lines.length;
    await set('log.console.level', 'none');
    await come('silent');
    expect(lines).toHaveLength(count);
  });
});

describe('the log', () => {
  it('is one printable line each, for any client id', async () => {
    const { cluster, set, lines } = await startOperated();
    await set('log.console.level', 'debug');
    const clientId = `\u001b[31m\n\r"\u202e💩${'x'.repeat(900)}`;
    await connack(portOf(cluster), { clientId, username: 'a\nb' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[ -~]+$/u);
    expect(lines[0]).toContain(String.raw`"\u001b[31m\n\r\"\u202e\ud83d\udca9xxx`);
    expect(lines[0]?.length).toBeLessThan(500);
  });

  it('names a client with too many subscriptions once', async () => {
    const { cluster, set, line, lines } = await startOperated();
    await set('log.console.level', 'warning');
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'greedy' });
    const filter = Array(100).fill('+').join('/');
    for (let count = 0; count < 400; count += 1)
      expect(await subscribe(raw, `${count}/${filter}`)).toBe(count < 324 ? 1 : 128);
    await line(/ warning .*client "greedy" has too many subscriptions: "324\/\+.* was refused, and possibly others$/u);
    expect(lines).toHaveLength(1);
  });

  it('names rejected clients and the reason, without passwords', async () => {
    const { cluster, set, line, lines } = await startOperated();
    await set('log.console.level', 'debug');
    await set('mqtt.allow_anonymous', 'false');
    expect(await connack(portOf(cluster), { clientId: 'stranger', username: 'u', password: 'hush-hush' })).toBe(4);
    await line(/ warning .*client "stranger" from 127\.0\.0\.1 port \d+ was rejected: CONNACK 4$/u);
    const probe = await RawClient.open(portOf(cluster));
    probe.socket.end();
    await line(/ debug .*a connection from 127\.0\.0\.1 port \d+ was rejected: closed$/u);
    expect(lines.join('\n')).not.toContain('hush');
  });
});
