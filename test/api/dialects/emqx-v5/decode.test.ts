import { describe, expect, test } from 'vitest';
import * as lists from '../../../../src/api/dialects/emqx-v5/decode-lists.ts';
import {
  decodeListeners,
  decodeLoadHistory,
  decodeMetrics,
  decodeNodes,
  decodeStats,
} from '../../../../src/api/dialects/emqx-v5/decode-nodes.ts';
import { decodeRows, Fields, parseDurationMs, parseTime, timeText } from '../../../../src/api/dialects/fields.ts';
import { isValidFilter } from '../../../../src/api/dialects/emqx-v5/topic-filter.ts';
import { UnusableTally } from '../../../../src/api/dialects/records.ts';
import { metricNames } from '../../../../src/domain/metrics.ts';
import { v5Recording } from '../../../support/v5-replay.ts';

const json = (start: string): unknown => JSON.parse(v5Recording(start).body);
const page = { page: 1, pageSize: 100 };

describe('times', () => {
  test.each<[unknown, number | undefined]>([
    ['2026-11-22T10:35:33.288+00:00', 1795343733.288],
    ['2026-11-22T18:35:33+08:00', 1795343733],
    ['2026-11-22T10:35:33Z', 1795343733],
    [1795343733288, 1795343733.288],
    ['infinity', undefined],
    ['yesterday', undefined],
    ['2026-02-30', undefined],
    [null, undefined],
    [{}, undefined],
  ])('%j', (time, seconds) => {
    expect(parseTime(time)).toBe(seconds);
  });

  test('are sent as RFC 3339', () => {
    expect(parseTime(timeText(1795343733))).toBe(1795343733);
  });

  test.each<[unknown, number | undefined]>([
    ['500ms', 500],
    ['300s', 300_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    [250, 250],
    ['soon', undefined],
    [undefined, undefined],
  ])('duration %j', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });
});

describe('nodes', () => {
  test('have the memory of the machine, and an uptime in seconds', () => {
    const [first] = decodeNodes(json('022'), 1795343858);
    expect(first?.info).toMatchObject({
      name: 'emqx1@127.0.0.1',
      version: '5.8.9',
      uptimeSeconds: 303.412,
      clock: 1795343858,
      status: 'running',
      unparsed: {},
    });
    expect(first?.stats).toMatchObject({
      memoryTotalBytes: Math.round(23.54 * 2 ** 30),
      memoryUsedBytes: 1.75 * 2 ** 30,
      clients: 70,
      load15: 2.83,
    });
  });

  test('a stopped one has three fields', () => {
    const rows = decodeNodes(json('602'), 1795343858);
    expect(rows.map(({ info }) => info.status)).toEqual(['running', 'stopped']);
    expect(rows[1]?.stats).toMatchObject({
      clients: undefined,
      memoryTotalBytes: undefined,
      load1: undefined,
      unparsed: {},
    });
  });

  test('of 5.0.26 have no number of clients: their connections are sessions', () => {
    const [node] = decodeNodes(
      [
        {
          node: 'emqx@127.0.0.1',
          node_status: 'running',
          version: '5.0.26',
          edition: 'Opensource',
          role: 'core',
          uptime: 12_000,
          connections: 3,
          load1: 0.5,
          load5: 0.4,
          load15: 0.3,
          memory_total: '512.00M',
          memory_used: '900',
          max_fds: 1024,
          process_used: 400,
          process_available: 2_097_152,
          otp_release: '24.3.4.2/12.3.2.2\n',
        },
      ],
      undefined,
    );
    expect(node?.stats).toMatchObject({
      clients: undefined,
      memoryTotalBytes: 512 * 2 ** 20,
      memoryUsedBytes: 900,
      otpRelease: '24.3.4.2/12.3.2.2',
    });
  });

  test('fields of another type are kept as text, by their domain name', () => {
    expect(
      decodeNodes(
        [{ node: 'a', node_status: 'running', uptime: -3_600, live_connections: -2, process_used: -1 }],
        undefined,
      ),
    ).toMatchObject([
      {
        info: { uptimeSeconds: undefined, unparsed: {} },
        stats: { clients: undefined, processesUsed: undefined, unparsed: {} },
      },
    ]);
    const [node] = decodeNodes(
      [{ node: 'a', node_status: 'Running', uptime: '5 days', memory_used: 'much' }],
      undefined,
    );
    expect(node?.info).toMatchObject({
      status: 'running',
      unparsed: { uptimeSeconds: '5 days', memoryUsedBytes: 'much' },
    });
  });

  test('a row without a name is counted', () => {
    const tally = new UnusableTally();
    expect(decodeNodes([{ node: 'a' }, { node_status: 'running' }], undefined, tally)).toHaveLength(1);
    expect(tally.rows?.count).toBe(1);
  });
});

describe('counters', () => {
  test('are those of the domain, by their meaning', () => {
    const metrics = decodeMetrics(json('029'));
    const missing = metricNames.filter((name) => metrics[name] === undefined);
    expect(missing).toEqual(['messages.retained', 'messages.qos2.dropped']);
    expect(metrics).toMatchObject({
      'packets.connect': 91,
      'packets.subscribe': 54,
      'packets.pingresp': 113,
      'messages.dropped': 30,
      'delivery.dropped': 300,
      'delivery.dropped.queue_full': 300,
      'authorization.allow': 2537,
      'overload_protection.gc': 0,
    });
  });

  test('of 5.0.26 name the overload protection otherwise', () => {
    expect(decodeMetrics({ 'bytes.received': 1, 'olp.gc': 2 })).toEqual({
      'bytes.received': 1,
      'overload_protection.gc': 2,
    });
  });

  test('statistics count connected clients, or none: connections are sessions', () => {
    expect(decodeStats(json('028'))).toMatchObject({
      clients: { count: 70, max: 71 },
      sessions: { count: 73 },
      retained: { count: 34 },
    });
    expect(decodeStats({ 'connections.count': 3, 'connections.max': 4, 'sessions.count': 3 })).toMatchObject({
      clients: { count: undefined, max: undefined },
      retained: { count: undefined },
    });
  });
});

describe('listeners', () => {
  test('are told by node, with limits that may be infinite', () => {
    const listeners = decodeListeners(json('047'));
    expect([...listeners.keys()].toSorted()).toEqual(['emqx1@127.0.0.1', 'emqx2@127.0.0.1']);
    const [ssl, tcp] = listeners.get('emqx1@127.0.0.1') ?? [];
    expect(ssl).toMatchObject({
      id: 'ssl:default',
      running: 'no',
      isUnlimited: true,
      maxClients: undefined,
      address: undefined,
      port: 8883,
    });
    expect(tcp).toMatchObject({
      id: 'tcp:default',
      running: 'yes',
      maxClients: 1_024_000,
      currentClients: 71,
      address: '127.0.0.1',
      port: 2883,
    });
    expect(tcp?.isUnlimited).toBeUndefined();
  });

  test('may differ between nodes', () => {
    const listeners = decodeListeners([
      {
        id: 'ws:default',
        type: 'ws',
        bind: ':8083',
        node_status: [{ node: 'a', status: { running: 'inconsistent' } }],
      },
    ]);
    expect(listeners.get('a')?.[0]?.running).toBe('partly');
  });
});

describe('rows of clients', () => {
  test('are clients and sessions', () => {
    const [offline] = decodeRows([json('099')], 'client', lists.toSession);
    expect(offline).toMatchObject({
      clientId: 'batch-1',
      isConnected: false,
      queueLength: 50,
      maxQueueLength: 1000,
      cleanSession: false,
      node: 'emqx1@127.0.0.1',
    });
    const [client] = decodeRows([json('096')], 'client', lists.toClient);
    expect(client).toMatchObject({
      clientId: 'sensor-001',
      username: 'sensors',
      traffic: { receivedBytes: expect.any(Number) },
    });
    const [without] = decodeRows([json('099')], 'client', lists.toClient);
    expect(without?.traffic?.receivedBytes).toBeUndefined();
  });

  test('share the empty object of rows without faults', () => {
    const rows = decodeRows(lists.openPage(json('053'), page).rows, 'clients', lists.toClient);
    expect(new Set(rows.map(({ unparsed }) => unparsed)).size).toBe(1);
    expect(rows.map(({ clientId }) => clientId)).toEqual(
      expect.arrayContaining(['a/b', '..', '.', 'nl\nin', '\u001B[31mred\u001B[0m', '😀']),
    );
  });

  test('a name that is not set is unknown, however the broker writes it', () => {
    expect(lists.toClient(new Fields({ clientid: 'a', username: null }))?.username).toBeUndefined();
    expect(lists.toRetained(new Fields({ topic: 'a', from_username: 'undefined' }))?.fromUsername).toBeUndefined();
  });
});

describe('pages', () => {
  test('say whether another follows, with or without a count', () => {
    expect(lists.openPage(json('054'), { page: 1, pageSize: 10 }).head).toMatchObject({
      totalItems: 90,
      hasNext: true,
    });
    expect(lists.openPage(json('063'), { page: 1, pageSize: 5 }).head).toMatchObject({
      totalItems: undefined,
      hasNext: true,
    });
    expect(lists.openPage(json('056'), { page: 99, pageSize: 10 })).toMatchObject({
      rows: [],
      head: { hasNext: false },
    });
    expect(lists.openPage(json('196'), page).head).toMatchObject({ totalItems: 6, hasNext: false });
    expect(
      lists.openPage({ data: [{}], meta: { page: 1, limit: 1, count: 2 } }, { page: 1, pageSize: 1 }).head.hasNext,
    ).toBe(true);
  });

  test('messages of a session end with an empty one', () => {
    const first = lists.decodeSessionMessages(json('113'));
    expect(first.next).toBe('1795343733427237558_0');
    expect(Buffer.from(first.items[0]?.payload ?? []).toString()).toBe('message 0');
    expect(first.items[0]?.publishedAt).toBe(1795343733.425);
    expect(lists.decodeSessionMessages(json('117'))).toEqual({ items: [], count: 0, next: undefined });
  });
});

test('plugins are named by name and version, and run by node', () => {
  expect(decodeRows(json('362'), 'plugins', lists.toPlugin('emqx2@127.0.0.1'))).toEqual([
    { name: 'my_demo_plugin-1.0.0', version: '1.0.0', description: 'Does nothing; made for recording', active: false },
  ]);
  expect(decodeRows(json('365'), 'plugins', lists.toPlugin('emqx2@127.0.0.1'))[0]?.active).toBe(true);
});

test('bans end, or do not', () => {
  const bans = decodeRows(lists.openPage(json('196'), page).rows, 'bans', lists.toBan);
  expect(bans.map(({ kind }) => kind)).toEqual([
    'client-id-pattern',
    'network',
    'username',
    'client-id',
    'client-id',
    'address',
  ]);
  expect(bans.map(({ until }) => until)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    parseTime('2036-01-01T00:00:00Z'),
    undefined,
  ]);
});

test('alarms name their node, and ended ones their end', () => {
  const [active] = decodeRows(lists.openPage(json('302'), page).rows, 'alarms', lists.toAlarm);
  expect(active).toMatchObject({ id: 'high_system_memory_usage', summary: '6.91% mem usage', node: 'emqx1@127.0.0.1' });
  expect(active?.endedAt).toBeUndefined();
  const [ended] = decodeRows(lists.openPage(json('307'), page).rows, 'alarms', lists.toAlarm);
  expect(ended?.endedAt).toBeGreaterThan(ended?.occurredAt ?? Number.POSITIVE_INFINITY);
});

test.each([
  ['emqx_dashboard', 'management'],
  ['emqx_auth_http', 'access'],
  ['emqx_retainer', 'retaining'],
  ['emqx_plugin_template', undefined],
])('the plugin %s stops %s', (name, duty) => {
  const [plugin] = decodeRows([{ name, rel_vsn: '5.0.0', running_status: [] }], 'plugins', lists.toPlugin('a@b'));
  expect(plugin?.duty).toBe(duty);
});

test.each([
  ['session_queue_full/sensor-1', 'sensor-1'],
  ['session_queue_full/a/b@c d', 'a/b@c d'],
  ['conn_congestion/sensor-1/operator', 'sensor-1'],
  ['conn_congestion/a/b/unknown_user', 'a/b'],
  ['conn_congestion/sensor-1/', 'sensor-1'],
  ['conn_congestion/operator', undefined],
  ['high_cpu_usage', undefined],
])('the alarm %s is about the client %s', (name, clientId) => {
  expect(decodeRows([{ name }], 'alarms', lists.toAlarm)[0]?.clientId).toBe(clientId);
});

test('retained payloads are bytes', () => {
  expect(Buffer.from(lists.decodeRetained(json('207')).payload).toString()).toBe('{"site":"north","lang":"ü"}');
});

test.each<[string, boolean]>([
  ['a/b', true],
  ['#', true],
  ['a/#', true],
  ['+/b', true],
  ['$share/g/a/#', true],
  ['$queue/a', true],
  ['/', true],
  ['a/#/b', false],
  ['a#', false],
  ['a+/b', false],
  ['', false],
  ['$share/g', false],
  ['$share//a', false],
  ['$share/+/a', false],
  ['a\0', false],
  ['x'.repeat(65_536), false],
])('filter %j: %s', (filter, isValid) => {
  expect(isValidFilter(filter)).toBe(isValid);
});

describe('the history of the broker', () => {
  const at = (seconds: number): { readonly time_stamp: number } => ({
    time_stamp: 1_795_838_000_000 + seconds * 1_000,
  });

  test('has rates over its intervals, and none before its start and after a gap', () => {
    const body = [
      at(0),
      at(10),
      { ...at(20), received: 71, sent: 208, dropped: 0 },
      { ...at(80), received: 70, sent: 210, dropped: 3 },
      { ...at(90), received: 70, sent: 210, dropped: 3 },
    ];
    expect(decodeLoadHistory(body, 1_795_838_094)).toEqual([
      { secondsAgo: 94, rates: {} },
      { secondsAgo: 84, rates: {} },
      { secondsAgo: 74, rates: { 'messages.received': 7.1, 'messages.sent': 20.8, 'messages.dropped': 0 } },
      { secondsAgo: 14, rates: {} },
      { secondsAgo: 4, rates: { 'messages.received': 7, 'messages.sent': 21, 'messages.dropped': 0.3 } },
    ]);
  });

  test('ends now where the clock of the broker is not known', () => {
    expect(decodeLoadHistory([at(0), at(10)], undefined).map(({ secondsAgo }) => secondsAgo)).toEqual([10, 0]);
  });
});

test('traces have what they follow, their end by the broker, and the size of each log', () => {
  const [byClient, byRule] = decodeRows(
    [
      {
        clientid: 'dev-002',
        end_at: '2026-11-28T04:09:17+00:00',
        formatter: 'text',
        log_size: { 'emqx1@127.0.0.1': 1714890, 'emqx2@127.0.0.1': 0 },
        name: 't_min',
        payload_encode: 'text',
        start_at: '2026-11-28T03:59:17+00:00',
        status: 'running',
        type: 'clientid',
      },
      { ruleid: 'r_sink', name: 't_rule', status: 'stopped', type: 'ruleid', log_size: {} },
    ],
    'traces',
    lists.toTrace,
  );
  expect(byClient).toEqual({
    name: 't_min',
    kind: 'client-id',
    value: 'dev-002',
    status: 'running',
    startAt: 1_795_838_357,
    endAt: 1_795_838_957,
    logBytes: new Map([
      ['emqx1@127.0.0.1', 1_714_890],
      ['emqx2@127.0.0.1', 0],
    ]),
    unparsed: {},
  });
  expect(byRule).toMatchObject({ kind: 'rule', value: 'r_sink', status: 'stopped' });
  expect(lists.decodeTraceText({ items: 'ab', meta: { bytes: 2, position: 12 } }, 10)).toEqual({
    text: 'ab',
    next: 12,
  });
  expect(lists.decodeTraceText({ items: '', meta: { bytes: 0, position: 4_000 } }, 10)).toEqual({ text: '', next: 10 });
});
