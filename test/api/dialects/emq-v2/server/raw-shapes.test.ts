import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { type RawAnswer, type RawRequest, send } from './raw-http.ts';
import { createSampleApi, nodeNames } from './sample-api.ts';

// What section 2 of the specification says each record is made of, written down here once more by
// hand: the service's own tables would agree with themselves.
const int = expect.toSatisfy(Number.isInteger);
const text = expect.any(String);
const flag = expect.any(Boolean);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/u);
const size = expect.stringMatching(/^\d+\.\d\d[KMG]$/u);
const decimal = expect.stringMatching(/^\d+\.\d+$/u);

const nodeInfo = {
  version: text,
  sysdescr: text,
  uptime: '26 hours, 3 minutes, 4 seconds',
  datetime: time,
  otp_release: text,
  node_status: 'Running',
};
const nodeStats = {
  name: text,
  otp_release: text,
  memory_total: '48.77M',
  memory_used: size,
  process_available: int,
  process_used: int,
  max_fds: int,
  clients: int,
  node_status: 'Running',
  load1: decimal,
  load5: decimal,
  load15: decimal,
};
const client = {
  client_id: text,
  username: 'undefined',
  ipaddress: text,
  port: int,
  clean_sess: flag,
  proto_ver: int,
  keepalive: int,
  connected_at: '2026-02-03 04:05:06',
};
const sessions = {
  a: {
    client_id: text,
    clean_sess: flag,
    max_inflight: 32,
    created_at: time,
    inflight_queue: 1,
    message_queue: 2,
    message_dropped: 3,
    awaiting_rel: 4,
    awaiting_ack: 'undefined',
    awaiting_comp: 6,
  },
  b: {
    client_id: text,
    clean_sess: flag,
    max_inflight: 32,
    created_at: time,
    subscriptions: 7,
    inflight_len: 1,
    mqueue_len: 2,
    mqueue_dropped: 3,
    awaiting_rel_len: 4,
    deliver_msg: 8,
    enqueue_msg: 9,
  },
};
const subscription = { client_id: text, topic: text, qos: int };
const route = { topic: text, node: text };
const listener = {
  protocol: text,
  listen: text,
  acceptors: int,
  max_clients: int,
  current_clients: int,
  shutdown_count: [],
};
const metricKeys = [
  'packets/disconnect',
  'messages/dropped',
  'messages/qos2/received',
  'packets/suback',
  'packets/pubcomp/received',
  'packets/unsuback',
  'packets/pingresp',
  'packets/puback/missed',
  'packets/pingreq',
  'messages/retained',
  'packets/sent',
  'messages/qos2/dropped',
  'packets/unsubscribe',
  'packets/pubrec/missed',
  'packets/connack',
  'messages/received',
  'packets/pubrec/sent',
  'packets/publish/received',
  'packets/pubcomp/sent',
  'bytes/received',
  'packets/connect',
  'packets/puback/received',
  'messages/sent',
  'packets/publish/sent',
  'bytes/sent',
  'packets/pubrel/missed',
  'packets/puback/sent',
  'messages/qos0/received',
  'packets/subscribe',
  'packets/pubrel/sent',
  'messages/qos2/sent',
  'packets/received',
  'packets/pubrel/received',
  'messages/qos1/received',
  'messages/qos1/sent',
  'packets/pubrec/received',
  'packets/pubcomp/missed',
  'messages/qos0/sent',
];
const statKeys = [
  'clients/count',
  'clients/max',
  'retained/count',
  'retained/max',
  'routes/count',
  'routes/max',
  'sessions/count',
  'sessions/max',
  'subscribers/count',
  'subscribers/max',
  'subscriptions/count',
  'subscriptions/max',
  'topics/count',
  'topics/max',
];
const ofKeys = (keys: readonly string[]): unknown => Object.fromEntries(keys.map((key) => [key, int]));
const metrics = ofKeys(metricKeys);
const stats = ofKeys(statKeys);
const paged = (record: unknown): unknown => ({
  current_page: 1,
  page_size: 20,
  total_num: int,
  total_page: int,
  objects: expect.toSatisfy((rows: unknown[]) => {
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toEqual(record);
    return true;
  }),
});
const only = (record: unknown): unknown => ({ objects: [record] });
const [one, two] = nodeNames;
const everyNode = (value: unknown): unknown => ({ [one]: value, [two]: value });
const setting = { key: text, value: text, datatpye: text, app: text };

describe.each(['a', 'b'] as const)('variant %s on the wire', (variant) => {
  let server: ManagementServer;
  const { api } = createSampleApi();

  beforeAll(async () => {
    const authenticate = async (username: string, password: string): Promise<boolean> =>
      username === 'admin' && password === 'secret';
    server = await createManagementServer({ api, variant, authenticate, host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  const ask = async (request: RawRequest): Promise<RawAnswer> => {
    const answer = await send(server.port, { ...request, target: `/api/v2/${request.target}` });
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };

  const reads: readonly (readonly [target: string, result: unknown])[] = [
    [
      'management/nodes',
      [
        { name: one, ...nodeInfo },
        { name: two, ...nodeInfo },
      ],
    ],
    [`management/nodes/${one}`, nodeInfo],
    ['monitoring/nodes', [nodeStats, nodeStats, { name: 'three@127.0.0.1', node_status: 'Stopped' }]],
    [`monitoring/nodes/${one}`, nodeStats],
    ['monitoring/listeners', everyNode([listener])],
    [`monitoring/listeners/${one}`, [{ ...listener, shutdown_count: { closed: 2 } }]],
    [`monitoring/metrics/${one}`, metrics],
    ['monitoring/metrics/', variant === 'a' ? everyNode(metrics) : metrics],
    ['monitoring/metrics', variant === 'a' ? everyNode(metrics) : metrics],
    ['monitoring/stats', variant === 'a' ? everyNode(stats) : [{ [one]: stats }, { [two]: stats }]],
    [`monitoring/stats/${one}`, stats],
    [`nodes/${one}/clients`, paged(client)],
    [`nodes/${one}/clients/x`, only(client)],
    ['clients/x', only(client)],
    [`node/${one}/sessions`, paged(sessions[variant])],
    [`nodes/${one}/sessions`, paged(sessions[variant])],
    [`nodes/${one}/sessions/x`, only(sessions[variant])],
    ['sessions/x', only(sessions[variant])],
    [`nodes/${one}/subscriptions`, paged(subscription)],
    ['subscriptions/x', only(subscription)],
    ['routes', paged(route)],
    ['routes/x', only(route)],
    ['routes//x/y', only({ topic: '/x/y', node: two })],
    [`nodes/${one}/plugins/`, [{ name: text, version: text, description: text, active: flag }]],
    [`nodes/${one}/plugins`, [{ name: text, version: text, description: text, active: flag }]],
    ['users', [{ username: 'admin', tags: 'administrator' }]],
  ];

  it.each(reads)('GET %s', async (target, result) => {
    const { status, headers, body } = await ask({ target });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(body)).toEqual({ code: 0, result });
  });

  const onlyB: readonly (readonly [target: string, result: unknown])[] = [
    [`nodes/${one}/subscriptions/x`, only(subscription)],
    ['configs', everyNode([{ ...setting, value: 'undefined' }])],
    [`nodes/${one}/configs`, [setting]],
    [`nodes/${one}/plugin_configs/p`, [{ key: 'k', value: 'p', desc: '', required: true }]],
  ];

  it.each(onlyB)('GET %s: variant B alone', async (target, result) => {
    const { status, body } = await ask({ target });
    expect({ status, answer: body === '' ? '' : JSON.parse(body) }).toEqual(
      variant === 'a' ? { status: 404, answer: '' } : { status: 200, answer: { code: 0, result } },
    );
  });

  it('adds the metrics of the nodes up, or gives each its own', async () => {
    const { body } = await ask({ target: 'monitoring/metrics/' });
    // The sample counts every metric of the second node ten times as high as of the first.
    const { result } = JSON.parse(body);
    const received =
      variant === 'b' ? [result['bytes/received']] : [result[one]['bytes/received'], result[two]['bytes/received']];
    expect(received).toEqual(variant === 'b' ? [11] : [1, 10]);
  });

  it('writes ASCII alone', async () => {
    const { body } = await ask({ target: 'subscriptions/%F0%9F%92%A9' });
    expect(body).toContain(String.raw`\u00e9/#`);
    expect(body).toContain(String.raw`\ud83d\udca9`);
    expect(body).toMatch(/^[\x20-\x7e]*$/u);
  });
});
