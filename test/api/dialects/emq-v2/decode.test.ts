import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as decode from '../../../../src/api/dialects/emq-v2/decode.ts';
import {
  decodeByNode,
  decodeClusterMetrics,
  decodeMetrics,
  decodeStats,
} from '../../../../src/api/dialects/emq-v2/decode.ts';
import { ShapeError } from '../../../../src/api/dialects/records.ts';

const client = {
  client_id: 'c',
  username: 'u',
  ipaddress: '::1',
  port: 5,
  clean_sess: true,
  proto_ver: 4,
  keepalive: 60,
  connected_at: '1970-01-01 00:00:09',
};

describe('one record', () => {
  test('whole', () => {
    expect(decode.decodeClients([client], 'n')).toEqual([
      {
        clientId: 'c',
        username: 'u',
        ipAddress: '::1',
        port: 5,
        cleanSession: true,
        protocolVersion: 4,
        keepaliveSeconds: 60,
        connectedAt: 9,
        node: 'n',
        unparsed: {},
      },
    ]);
  });

  test('with an id only: everything else is unknown, nothing is zero', () => {
    const [decoded] = decode.decodeClients([{ client_id: '' }], undefined);
    expect(decoded).toEqual({
      clientId: '',
      username: undefined,
      ipAddress: undefined,
      port: undefined,
      cleanSession: undefined,
      protocolVersion: undefined,
      keepaliveSeconds: undefined,
      connectedAt: undefined,
      node: undefined,
      unparsed: {},
    });
    const [session] = decode.decodeSessions([{ client_id: 'c' }], undefined);
    expect(Object.values(session ?? {}).filter((value) => value === 0)).toEqual([]);
  });

  test('with null and "undefined"', () => {
    const raw = {
      client_id: 'undefined',
      username: 'undefined',
      port: 'undefined',
      keepalive: null,
      connected_at: 'undefined',
      ipaddress: null,
    };
    expect(decode.decodeClients([raw], undefined)[0]).toMatchObject({
      clientId: 'undefined',
      username: undefined,
      port: undefined,
      keepaliveSeconds: undefined,
      connectedAt: undefined,
      unparsed: {},
    });
  });

  test('with fields of the wrong type: they are unknown, their text is kept', () => {
    const raw = {
      ...client,
      port: '1883',
      clean_sess: 'yes',
      username: { a: [1] },
      connected_at: 'yesterday',
      surprise: 1,
    };
    expect(decode.decodeClients([raw], undefined)[0]).toEqual({
      clientId: 'c',
      username: undefined,
      ipAddress: '::1',
      port: undefined,
      cleanSession: undefined,
      protocolVersion: 4,
      keepaliveSeconds: 60,
      connectedAt: undefined,
      node: undefined,
      unparsed: { port: '1883', cleanSession: 'yes', username: '{"a":[1]}', connectedAt: 'yesterday' },
    });
  });

  test('with dangerous keys', () => {
    const raw: unknown = JSON.parse(
      '{"client_id":"c","port":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    const [decoded] = decode.decodeClients([raw], undefined);
    expect(decoded).toMatchObject({ clientId: 'c', unparsed: { port: 'x' } });
    expect(decoded).not.toHaveProperty('polluted');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('sessions', () => {
  test('of variant A', () => {
    const raw = {
      client_id: 'c',
      clean_sess: false,
      max_inflight: 32,
      inflight_queue: 1,
      message_queue: 2,
      message_dropped: 3,
      awaiting_rel: 4,
      awaiting_ack: 5,
      awaiting_comp: 6,
    };
    expect(decode.decodeSessions([raw], 'n')[0]).toMatchObject({
      maxInflight: 32,
      inflight: 1,
      queueLength: 2,
      dropped: 3,
      awaitingRel: 4,
      awaitingAck: 5,
      awaitingComp: 6,
      subscriptions: undefined,
      delivered: undefined,
      enqueued: undefined,
    });
  });

  test('of variant B', () => {
    const raw = {
      client_id: 'c',
      subscriptions: 7,
      max_inflight: 32,
      inflight_len: 1,
      mqueue_len: 0,
      mqueue_dropped: 3,
      awaiting_rel_len: 4,
      deliver_msg: 8,
      enqueue_msg: 9,
    };
    expect(decode.decodeSessions([raw], 'n')[0]).toMatchObject({
      maxInflight: 32,
      inflight: 1,
      queueLength: 0,
      dropped: 3,
      awaitingRel: 4,
      awaitingAck: undefined,
      awaitingComp: undefined,
      subscriptions: 7,
      delivered: 8,
      enqueued: 9,
    });
  });
});

describe('lists', () => {
  test('a record without an id is left out, the others stay', () => {
    expect(decode.decodeClients([{ port: 1 }, null, 'x', client], undefined).map(({ clientId }) => clientId)).toEqual([
      'c',
    ]);
  });

  test.each([[{}], [null], ['x'], [undefined], [[{}]], [[1, 2]]])('%j is not a list of clients', (list) => {
    expect(() => decode.decodeClients(list, undefined)).toThrow(ShapeError);
  });

  test('page and size default to those of the request', () => {
    const request = { page: 4, pageSize: 10 };
    const decodeItems = (list: unknown) => decode.decodeClients(list, 'n');
    expect(
      decode.decodePage(
        { current_page: 0, page_size: 5, total_num: 0, total_page: 0, objects: [] },
        request,
        decodeItems,
      ),
    ).toEqual({ page: 0, pageSize: 5, totalItems: 0, totalPages: 0, items: [] });
    expect(decode.decodePage({ total_num: 'many', objects: [client, client] }, request, decodeItems)).toMatchObject({
      page: 4,
      pageSize: 10,
      totalItems: undefined,
      totalPages: undefined,
      items: [{ clientId: 'c' }, { clientId: 'c' }],
    });
    expect(() => decode.decodePage({ objects: {} }, request, decodeItems)).toThrow(ShapeError);
    expect(() => decode.decodePage([], request, decodeItems)).toThrow(ShapeError);
    expect(() => decode.decodeObjects([])).toThrow(ShapeError);
  });
});

describe('nodes', () => {
  test('status and unreadable texts', () => {
    const raw = [
      { name: 'a@h', node_status: 'Running', uptime: 'ages', datetime: 'now' },
      { name: 'b@h', node_status: 'Stopped' },
      { name: 'c@h', node_status: 'toString' },
      { name: 'd@h' },
      {},
    ];
    expect(
      decode.decodeNodes(raw).map(({ name, status, statusText, unparsed }) => [name, status, statusText, unparsed]),
    ).toEqual([
      ['a@h', 'running', 'Running', { uptimeSeconds: 'ages', clock: 'now' }],
      ['b@h', 'stopped', 'Stopped', {}],
      ['c@h', 'other', 'toString', {}],
      ['d@h', 'other', '', {}],
    ]);
  });

  test('a read of one node takes its name from the request', () => {
    expect(decode.decodeNode({ version: '2' }, 'n@h')).toMatchObject({ name: 'n@h', version: '2' });
    expect(decode.decodeNodeStats({ load1: 'high', memory_used: 1000 }, 'n@h')).toMatchObject({
      name: 'n@h',
      load1: undefined,
      memoryUsedBytes: 1000,
      memoryTotalBytes: undefined,
      unparsed: { load1: 'high' },
    });
    expect(decode.decodeNodeStats({ name: 'n@h', node_status: 'Running', clients: -2 }, 'n@h').clients).toBeUndefined();
    expect(() => decode.decodeNode([], 'n@h')).toThrow(ShapeError);
  });
});

describe('listeners', () => {
  const read = (extra: object) => decode.decodeListeners([{ protocol: 'mqtt:tcp', listen: '[::]:1883', ...extra }])[0];

  test('shutdown counts', () => {
    expect(read({})).toMatchObject({
      address: '::',
      port: 1883,
      shutdownCount: {},
      shutdownCountRaw: undefined,
      currentClients: undefined,
    });
    expect(read({ shutdown_count: [] })).toMatchObject({ shutdownCount: {}, shutdownCountRaw: undefined });
    expect(read({ shutdown_count: { kick: 4, normal: 0 } })).toMatchObject({
      shutdownCount: { kick: 4, normal: 0 },
      shutdownCountRaw: undefined,
    });
    expect(read({ shutdown_count: [{ kick: 4 }, { normal: 0 }] })).toMatchObject({
      shutdownCount: { kick: 4, normal: 0 },
      shutdownCountRaw: undefined,
    });
    expect(read({ shutdown_count: [{ kick: 4 }, { kick: 1 }] })).toMatchObject({
      shutdownCount: {},
      shutdownCountRaw: '[{"kick":4},{"kick":1}]',
    });
    expect(read({ shutdown_count: 7 })).toMatchObject({ shutdownCount: {}, shutdownCountRaw: '7' });
    expect(read({ shutdown_count: [['kick', 4]] })).toMatchObject({
      shutdownCount: {},
      shutdownCountRaw: '[["kick",4]]',
    });
    expect(read({ shutdown_count: { kick: 4, odd: 'x' } })).toMatchObject({
      shutdownCount: {},
      shutdownCountRaw: '{"kick":4,"odd":"x"}',
    });
    const counts = read(JSON.parse('{"shutdown_count":{"__proto__":1}}'))?.shutdownCount ?? {};
    expect(Object.entries(counts)).toEqual([['__proto__', 1]]);
  });

  test('a port that is a number', () => {
    expect(read({ listen: 8083 })).toMatchObject({ listen: '8083', address: undefined, port: 8083 });
  });
});

describe('metrics and statistics', () => {
  const one = { 'bytes/received': 1, 'bytes/sent': 'x', other: 2 };

  test('by node, in every shape', () => {
    const two = { 'bytes/received': 2 };
    const expected = {
      kind: 'by-node',
      nodes: new Map([
        ['a@h', { 'bytes.received': 1 }],
        ['b@h', { 'bytes.received': 2 }],
      ]),
    };
    expect(decodeClusterMetrics({ 'a@h': one, 'b@h': two })).toEqual(expected);
    expect(decodeClusterMetrics([{ 'a@h': one }, { 'b@h': two }])).toEqual(expected);
    expect(decodeClusterMetrics([{ 'a@h': one, 'b@h': two }])).toEqual(expected);
    expect(decodeClusterMetrics({ 'a@h': one, 'b@h': two, 'dead@h': 'badrpc' })).toEqual(expected);
    expect(decodeClusterMetrics({})).toEqual({ kind: 'by-node', nodes: new Map() });
    expect(decodeClusterMetrics([])).toEqual({ kind: 'by-node', nodes: new Map() });
  });

  test('as one total', () => {
    expect(decodeClusterMetrics(one)).toEqual({ kind: 'total', total: { 'bytes.received': 1 } });
    expect(decodeClusterMetrics([one])).toEqual({ kind: 'total', total: { 'bytes.received': 1 } });
  });

  test('a node named __proto__ is an ordinary node', () => {
    const nodes = decodeByNode(JSON.parse('{"__proto__":{"clients/count":3}}'), 'statistics', decodeStats);
    expect([...nodes.keys()]).toEqual(['__proto__']);
  });

  test('an impossible counter is unknown', () => {
    expect(
      decodeMetrics({ 'bytes/sent': 1e308, 'bytes/received': -1, 'messages/sent': 0, 'messages/received': 2 ** 63 }),
    ).toEqual({ 'messages.sent': 0, 'messages.received': 2 ** 63 });
    expect(decodeStats({ 'clients/count': -21, 'clients/max': 3 }).clients).toEqual({ count: undefined, max: 3 });
  });

  test('missing statistics are unknown', () => {
    const stats = decodeStats({ 'clients/count': 0, 'clients/max': 4, 'routes/max': null });
    expect(stats.clients).toEqual({ count: 0, max: 4 });
    expect(stats.routes).toEqual({ count: undefined, max: undefined });
    expect(Object.keys(stats)).toHaveLength(7);
  });

  test.each([[null], ['x'], [[1]], [[['a', 1]]], [{ 'a@h': 'badrpc' }]])('%j are not metrics', (result) => {
    expect(() => decodeClusterMetrics(result)).toThrow(ShapeError);
  });

  test.each([[{}], [[]], [null], [{ other: 1 }]])('%j are not metrics or statistics of a node', (result) => {
    expect(() => decodeMetrics(result)).toThrow(ShapeError);
    expect(() => decodeStats(result)).toThrow(ShapeError);
  });
});

test('of a setting it is known which clients it applies to, and whether it reads back', () => {
  const traitsOf = (key: string, app = 'emqttd') =>
    decode.decodeSettings([{ key, value: '1', datatpye: 'integer', app }])[0];
  expect(traitsOf('mqtt.acl_nomatch', 'broker')).toMatchObject({ appliesTo: 'all' });
  expect(traitsOf('mqtt.session.max_inflight')).toMatchObject({ appliesTo: 'new-sessions' });
  expect(traitsOf('mqtt.max_clientid_len')).toMatchObject({ appliesTo: 'new-connections' });
  expect(traitsOf('mqtt.acl_nomatch')).not.toHaveProperty('appliesTo');
  expect(traitsOf('log.console.level')).toMatchObject({ mayReadBackUnchanged: true });
});

test('settings, users and plugin settings', () => {
  expect(
    decode.decodeSettings([
      { key: 'k', value: 'undefined', datatpye: 'flag', app: 'a' },
      { key: 'l', value: 5, app: 'a' },
      { key: 'm', value: true, app: 'a' },
    ]),
  ).toEqual([
    { key: 'k', value: undefined, dataType: 'flag', app: 'a', mayReadBackUnchanged: true },
    { key: 'l', value: '5', dataType: undefined, app: 'a' },
    { key: 'm', value: 'true', dataType: undefined, app: 'a' },
  ]);
  expect(
    decode.decodePluginSettings([{ key: 'k', value: 'undefined', desc: 'd', required: true }, { key: 'l' }]),
  ).toEqual([
    { key: 'k', value: 'undefined', description: 'd', required: true },
    { key: 'l', value: '', description: '', required: false },
  ]);
  expect(decode.decodeUsers([{ username: 'u' }, { username: 'v', tags: 't', password: 'never read' }])).toEqual([
    { username: 'u', tags: '' },
    { username: 'v', tags: 't' },
  ]);
});

function failureOf(decoder: (raw: unknown) => unknown, raw: unknown): unknown {
  try {
    decoder(raw);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('decoders fail with ShapeError only, whatever the answer', () => {
  const decoders: readonly ((raw: unknown) => unknown)[] = [
    decode.decodeNodes,
    (raw) => decode.decodeNode(raw, 'n'),
    decode.decodeNodeStatsList,
    decode.decodeListeners,
    (raw) => decode.decodeClients(raw, 'n'),
    (raw) => decode.decodeSessions(raw, 'n'),
    (raw) => decode.decodeSubscriptions(raw, 'n'),
    decode.decodeRoutes,
    decode.decodePlugins,
    decode.decodeSettings,
    decode.decodePluginSettings,
    decode.decodeUsers,
    decodeClusterMetrics,
    (raw) => decodeByNode(raw, 'statistics', decodeStats),
    decode.decodeObjects,
  ];
  const names = fc.constantFrom(
    'client_id',
    'name',
    'topic',
    'node',
    'port',
    'objects',
    'uptime',
    'key',
    'value',
    'app',
    'username',
    'bytes/received',
    'clients/count',
    '__proto__',
    'n@h',
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, -1, 1e300, '', 'undefined', 'x'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (raw) => {
      expect(
        decoders.map((decoder) => failureOf(decoder, raw)).filter((error) => error && !(error instanceof ShapeError)),
      ).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
