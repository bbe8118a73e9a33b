import { afterAll, beforeAll, expect, it } from 'vitest';
import { isObject } from '../../../../../src/api/json.ts';
import { type Recording, v5Recordings } from '../../../../support/v5-replay.ts';
import { basic, password, startV5World, type V5World } from './world.ts';

/** Recorded requests for endpoints that the embedded broker does not have, by number. */
const notServed = new Set([
  // History of rates, topology, listeners by type, counted sessions, and the settings of the broker.
  41, 43, 44, 46, 48, 95, 353, 354, 206, 262,
  // Reading the authorization cache, clearing that of all clients, and changing the keepalive.
  109, 110, 111, 112, 243, 244, 245,
  // Delayed messages, topic metrics, ending an alarm by hand, and installing plugins.
  215, 216, 217, 218, 219, 309, 310, 361,
]);

/** Requests that are answered in another way, on purpose. */
const different: Readonly<Record<number, string>> = {
  191: 'no patterns in bans',
  192: 'no networks in bans',
  197: 'bans are not searched',
  222: 'a payload is text',
  234: 'an invalid filter is refused',
};

/** Figures that the embedded broker does not have: no Erlang processes, no MQTT 5, no release information. */
const absent: ReadonlySet<string> = new Set([
  'sys_path',
  'log_path',
  'heap_size',
  'reductions',
  'mailbox_len',
  'listener',
  'awaiting_rel_max',
  'disconnected_at',
  'disconn_props',
  'ws_cookie',
  'recv_pkt',
  'recv_cnt',
  'send_pkt',
  'send_cnt',
  'mqueue_priority',
  'inserted_at',
  'node_uptime',
  'recv_msg.qos0',
  'recv_msg.qos1',
  'recv_msg.qos2',
  'recv_msg.dropped',
  'recv_msg.dropped.await_pubrel_timeout',
  'send_msg.qos0',
  'send_msg.qos1',
  'send_msg.qos2',
  'send_msg.dropped.expired',
  'send_msg.dropped.too_large',
  'disconnected_durable_sessions',
  'persisted_rate',
  'subscriptions_durable',
  'subscriptions_ram',
  'transformation_failed_rate',
  'transformation_succeeded_rate',
  'validation_failed_rate',
  'validation_succeeded_rate',
  'zone',
  'access_rules',
  'enable_authn',
  'max_conn_rate',
  'mountpoint',
  'proxy_protocol',
  'proxy_protocol_timeout',
  'tcp_options',
  'md5sum',
  'authors',
  'builder',
  'built_on_otp_release',
  'compatibility',
  'emqx_plugrel_vsn',
  'functionality',
  'git_commit_or_build_date',
  'git_ref',
  'metadata_vsn',
  'rel_apps',
  'repo',
  'readme',
]);
/** Fields that a row of an offline client does not have: nothing but its session is known. */
const absentOffline: ReadonlySet<string> = new Set([
  'ip_address',
  'port',
  'proto_name',
  'proto_ver',
  'connected_at',
  'keepalive',
  'recv_oct',
  'send_oct',
]);
/** Offline clients have none: it depends on the row that was recorded. */
const ofConnected: ReadonlySet<string> = new Set(['recv_oct', 'send_oct']);
const isCounter = (path: string): boolean => /metrics/u.test(path);

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);
/** `null` or a text, and a number or `"infinity"`. */
const isEitherType = (name: string): boolean =>
  [
    'username',
    'peersni',
    'mountpoint',
    'max_connections',
    'subscriptions_max',
    'expired_at',
    'until',
    'running',
  ].includes(name);

function differences(actual: unknown, recorded: unknown, path: string, isOffline = false): string[] {
  if (typeOf(actual) !== typeOf(recorded)) return [`${path}: ${typeOf(actual)} instead of ${typeOf(recorded)}`];
  if (Array.isArray(actual) && Array.isArray(recorded)) {
    return actual.length > 0 && recorded.length > 0 ? differences(actual[0], recorded[0], `${path}[]`, isOffline) : [];
  }
  if (!isObject(actual) || !isObject(recorded)) return [];
  const offline = isOffline || actual['connected'] === false;
  const missing = Object.keys(recorded).filter(
    (name) =>
      !(name in actual) && !absent.has(name) && !(offline && absentOffline.has(name)) && !path.endsWith('details'),
  );
  const extra = Object.keys(actual).filter(
    (name) => !(name in recorded) && !ofConnected.has(name) && !path.endsWith('details'),
  );
  return [
    ...missing.map((name) => `${path}: without ${name}`),
    ...extra.map((name) => `${path}: with ${name}`),
    ...Object.keys(actual)
      .filter((name) => name in recorded && !isEitherType(name))
      .flatMap((name) => differences(actual[name], recorded[name], `${path}.${name}`, offline)),
  ];
}

/** Other names of nodes, keys and messages than in the recording. */
const localise = (text: string): string => text.replaceAll(/emqx([12])(@|%40)/gu, 'broker$1$2');
/** Recorded before the plugin was installed, and after. */
const withPlugin = (text: string, number: number): string =>
  number > 360 ? text.replaceAll('my_demo_plugin-1.0.0', 'broker_plugin_template-1.2.3') : text;

let world: V5World;
let token = '';

const numberOf = ({ file }: Recording): number => Number(file.slice(0, 3));
const replayed = v5Recordings.filter(
  (recording) =>
    numberOf(recording) < 500 &&
    !notServed.has(numberOf(recording)) &&
    different[numberOf(recording)] === undefined &&
    // Paths outside of the base are tested in `server.test.ts`.
    recording.path.startsWith('/api/v5'),
);

function authorizationOf(recording: Recording): string {
  if (numberOf(recording) === 11) return 'Bearer nonsense';
  if (recording.auth === 'none') return '';
  if (recording.auth === 'bearer') return `Bearer ${token}`;
  return recording.auth === 'basic' ? basic('wrong', 'pair') : basic(world.key.key, world.key.secret);
}

function bodyOf(recording: Recording): string | undefined {
  if (recording.requestBody === '' || recording.requestBody.startsWith('multipart')) return undefined;
  const body = localise(recording.requestBody);
  return numberOf(recording) === 4 ? body.replace('"public"', JSON.stringify(password)) : body;
}

async function login(): Promise<string> {
  const { json } = await world.send('POST', '/login', { username: 'admin', password }, '');
  return isObject(json) ? String(json['token']) : '';
}

beforeAll(async () => {
  world = await startV5World();
  const odd = [
    'a/b',
    'a%2Fb',
    'ünï-☃',
    'a+b',
    '\u001b[31mred\u001b[0m',
    'nl\nin',
    '..',
    '.',
    '\u001b]0;title\u0007x',
    'user-odd',
  ];
  for (const id of ['sensor-001', 'sensor-002', 'sensor-003', 'sensor-024'])
    await world.connect(id, { username: 'sensors', keepalive: 30 });
  for (const id of odd) await world.connect(id, { username: 'odd' });
  await world.connect('plc-09', {}, 1);
  await world.connect('legacy-31', { protocolId: 'MQIsdp', protocolVersion: 3 });
  await world.connect('browser-1', { protocol: 'ws' });
  const app = await world.connect('app-01', { username: 'apps' }, 1);
  await app.subscribeAsync(['sensors/+/temp', '$share/grp1/work/#', 'work/#', 'alerts/#', 'ui/x', 'ui/1'], { qos: 2 });
  for (const id of ['batch-1', 'batch-2', 'batch-3', 'batch-4', 'slow-1']) {
    const client = await world.connect(id, { clean: false });
    await client.subscribeAsync(`backlog/${id.at(-1)}/#`, { qos: 1 });
    await client.endAsync(true);
  }
  const stuck = await world.connect('stuck-1', { clean: false });
  stuck.handleMessage = () => undefined;
  await stuck.subscribeAsync('stuck/#', { qos: 1 });
  for (let count = 0; count < 12; count += 1) {
    for (const topic of ['backlog/1/x', 'backlog/3/x', 'stuck/x'])
      await world.broker.api.publish?.({ topic, payload: `message ${count}`, qos: 1 });
  }
  for (const topic of ['cfg/site', 'cfg/big', 'cfg/bin', 'cfg/v5', 'cfg/esc/\u001b[31mred'])
    await world.broker.api.publish?.({ topic, payload: 'kept', retain: true });
});
afterAll(async () => {
  await world.close();
});

it('has most of what was recorded', () => {
  expect(replayed.length).toBeGreaterThan(190);
});

// In the order of the recording: some requests depend on those before.
it.each(replayed.map((recording) => [recording.file, recording] as const))('answers like %s', async (_, recording) => {
  const number = numberOf(recording);
  const path = withPlugin(localise(recording.path.slice('/api/v5'.length)), number)
    .replace(/limit=40&cursor=g1[^&]*/u, number === 91 ? 'limit=4&cursor=5' : 'limit=40&cursor=5')
    .replace(/position=\d+_\d+/u, 'position=_5');
  // The recorded login has ended, and another was made.
  if (recording.auth === 'bearer' && number > 300) token = await login();
  // Sent raw: fetch would remove the dot segments.
  if (/\/\.{1,2}$/u.test(path)) return;
  const body = bodyOf(recording);
  const reply = await world.send(
    recording.method,
    path,
    body,
    authorizationOf(recording),
    number === 228 ? 'text/plain' : undefined,
  );
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    recording.status,
    recording.headers.get('content-type') ?? null,
  ]);
  if (isObject(reply.json) && typeof reply.json['token'] === 'string') token = reply.json['token'];
  if (recording.headers.get('content-type') !== 'application/json') return;
  const recorded: unknown = JSON.parse(recording.body);
  const found = differences(reply.json, recorded, '');
  expect(isCounter(path) ? found.filter((each) => !/: with(out)? /u.test(each)) : found).toEqual([]);
  expect(codeOf(reply.json)).toEqual(codeOf(recorded));
});

const codeOf = (body: unknown): readonly unknown[] => (isObject(body) ? [body['code'], body['reason_code']] : []);

it('had no internal error', () => {
  expect(world.errors).toEqual([]);
});

it('counts what real brokers count, under their names', async () => {
  const { json } = await world.send('GET', '/nodes/broker1@127.0.0.1/metrics');
  const recorded: unknown = JSON.parse(v5Recordings.find(({ file }) => file.startsWith('029'))?.body ?? '');
  expect(Object.keys(json as object).filter((name) => !Object.hasOwn(recorded as object, name))).toEqual([]);
  expect(Object.keys(json as object).length).toBeGreaterThan(35);
});
