import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emqV2Server } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../../../src/broker/embedded-broker.ts';
import { send } from './raw-http.ts';

// Sections 4.6 to 4.8 on the real broker, with paths, bodies and shapes written by hand from the
// specification's text; nothing of the service is used to speak to it.
const node = 'broker1@127.0.0.1';
const text = expect.any(String);
const flag = expect.any(Boolean);
const done = { status: 200, json: { code: 0, result: [] } };
const gone = { status: 404, json: '' };
const refused = (code: number): unknown => ({ status: 200, json: { code, message: text } });
const result = (value: unknown): unknown => ({ status: 200, json: { code: 0, result: value } });

/** Names of plugins, without their prefix. */
const pluginNames = [
  'auth_clientid',
  'auth_http',
  'auth_jwt',
  'auth_ldap',
  'auth_mongo',
  'auth_mysql',
  'auth_pgsql',
  'auth_redis',
  'auth_username',
  'coap',
  'dashboard',
  'lua_hook',
  'modules',
  'plugin_template',
  'recon',
  'reloader',
  'retainer',
  'sn',
  'stomp',
  'web_hook',
];
const authHttpKeys = ['auth_req', 'super_req', 'acl_req'].flatMap((request) =>
  ['', '.method', '.params'].map((end) => `auth.http.${request}${end}`),
);
/** Keys that the broker must have at least. */
const settingKeys = [
  'log.console.level',
  'mqtt.acl_nomatch',
  'mqtt.allow_anonymous',
  'mqtt.cache_acl',
  'mqtt.keepalive_backoff',
  'mqtt.max_clientid_len',
  'mqtt.max_packet_size',
  'mqtt.mqueue.max_length',
  'mqtt.mqueue.store_qos0',
  'mqtt.session.max_awaiting_rel',
  'mqtt.session.max_inflight',
];

describe.each(['a', 'b'] as const)('plugins, configuration and users by hand, variant %s', (variant) => {
  let broker: EmbeddedBroker;
  beforeAll(async () => {
    broker = await startEmbeddedBroker({
      version: '1.2.3',
      nodes: 2,
      host: '127.0.0.1',
      port: 0,
      mqttPort: 0,
      wsPort: 0,
      dialect: emqV2Server,
      variant,
      user: 'admin',
      password: 'secret',
    });
  });
  afterAll(() => broker.close());

  const ask = async (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await send(broker.server.port, {
      method,
      target: `/api/v2/${path}`,
      ...(sent === undefined ? {} : { body: sent }),
    });
    if (answer === undefined) throw new Error('no answer');
    return { status: answer.status, json: answer.body === '' ? '' : JSON.parse(answer.body) };
  };
  const read = async (path: string): Promise<unknown> => {
    const { status, json } = await ask('GET', path);
    expect(status).toBe(200);
    return (json as { readonly result: unknown }).result;
  };

  describe('plugins (4.6)', () => {
    const path = (name: string): string =>
      variant === 'a' ? `nodes/plugins/${name}` : `nodes/${node}/plugins/${name}`;
    const isActive = async (name: string): Promise<unknown> =>
      ((await read(`nodes/${node}/plugins`)) as { name: string; active: boolean }[]).find(
        (plugin) => plugin.name === name,
      )?.active;

    it.each(['plugins/', 'plugins'])('lists them at %s', async (end) => {
      const plugins = (await read(`nodes/${node}/${end}`)) as readonly { readonly name: string }[];
      for (const plugin of plugins)
        expect(plugin).toEqual({ name: text, version: text, description: text, active: flag });
      const names = [...pluginNames, ...(variant === 'a' ? ['lwm2m'] : [])].map((name) => `broker_${name}`);
      expect(plugins.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    });

    it('starts and stops one, and says when there is nothing to do', async () => {
      const template = path('broker_plugin_template');
      expect(await ask('PUT', template, { active: true })).toEqual(done);
      expect(await isActive('broker_plugin_template')).toBe(true);
      expect(await ask('PUT', template, { active: true })).toEqual(refused(110));
      expect(await ask('PUT', template, { active: false })).toEqual(done);
      expect(await isActive('broker_plugin_template')).toBe(false);
      expect(await ask('PUT', template, { active: false })).toEqual(refused(111));
    });

    it('refuses plugins that cannot start or do not exist', async () => {
      expect(await ask('PUT', path('broker_auth_mysql'), { active: true })).toEqual(refused(102));
      expect(await isActive('broker_auth_mysql')).toBe(false);
      expect(await ask('PUT', path('nope'), { active: true })).toEqual(refused(102));
      expect(await ask('PUT', path('nope'), { active: false })).toEqual(refused(111));
    });

    it.each([
      [{}, 107],
      [{ active: 'true' }, 108],
      [{ active: 1 }, 108],
      ['active', 109],
    ])('answers %j with %i', async (body, code) => {
      expect(await ask('PUT', path('broker_retainer'), body)).toEqual(refused(code));
      expect(await isActive('broker_retainer')).toBe(true);
    });

    it('does not have the path of the other variant', async () => {
      const other = variant === 'b' ? 'nodes/plugins/broker_retainer' : `nodes/${node}/plugins/broker_retainer`;
      expect(await ask('PUT', other, { active: false })).toEqual(gone);
    });
  });

  it.runIf(variant === 'a').each([
    ['GET', 'configs'],
    ['GET', `nodes/${node}/configs`],
    ['PUT', 'configs/broker'],
    ['PUT', `nodes/${node}/configs/broker`],
    ['GET', `nodes/${node}/plugin_configs/broker_auth_http`],
    ['PUT', `nodes/${node}/plugin_configs/broker_auth_http`],
  ])('%s %s does not exist', async (method, path) => {
    expect(
      await ask(method, path, method === 'PUT' ? { key: 'mqtt.allow_anonymous', value: 'true' } : undefined),
    ).toEqual(gone);
  });

  describe.runIf(variant === 'b')('configuration (4.7)', () => {
    const valueOf = async (key: string, at = node): Promise<unknown> =>
      ((await read(`nodes/${at}/configs`)) as { key: string; value: string }[]).find((item) => item.key === key)?.value;

    it('lists the hot settings of all nodes and of one', async () => {
      const all = (await read('configs')) as Readonly<Record<string, readonly { readonly key: string }[]>>;
      expect(Object.keys(all)).toEqual([node, 'broker2@127.0.0.1']);
      for (const items of [...Object.values(all), (await read(`nodes/${node}/configs`)) as (typeof all)[string]]) {
        for (const item of items) {
          expect(item).toEqual({
            key: text,
            value: text,
            datatpye: expect.stringMatching(/^(enum|string|integer)$/u),
            app: text,
          });
        }
        expect(items.map(({ key }) => key)).toEqual(expect.arrayContaining(settingKeys));
      }
    });

    it('changes one on all nodes, and on one', async () => {
      expect(await ask('PUT', 'configs/broker', { key: 'mqtt.mqueue.max_length', value: '77' })).toEqual(done);
      expect([
        await valueOf('mqtt.mqueue.max_length'),
        await valueOf('mqtt.mqueue.max_length', 'broker2@127.0.0.1'),
      ]).toEqual(['77', '77']);
      expect(await ask('PUT', `nodes/${node}/configs/broker`, { key: 'mqtt.mqueue.max_length', value: '78' })).toEqual(
        done,
      );
      expect([
        await valueOf('mqtt.mqueue.max_length'),
        await valueOf('mqtt.mqueue.max_length', 'broker2@127.0.0.1'),
      ]).toEqual(['78', '77']);
    });

    it.each([
      [{ key: 'mqtt.max_packet_size' }, 107],
      [{ value: '1' }, 107],
      [{ key: 'mqtt.max_packet_size', value: 1024 }, 108],
      ['[]', 109],
    ])('answers %j with %i', async (body, code) => {
      for (const path of ['configs/broker', `nodes/${node}/configs/broker`])
        expect(await ask('PUT', path, body)).toEqual(refused(code));
    });

    it.each([
      ['mqtt.max_packet_size', 'abc'],
      ['mqtt.allow_anonymous', 'maybe'],
      ['log.console.level', 'loud'],
      ['mqtt.keepalive_backoff', '-1'],
    ])('keeps %s when it is given %s', async (key, value) => {
      const before = await valueOf(key);
      const { status, json } = await ask('PUT', `nodes/${node}/configs/broker`, { key, value });
      expect([status, json]).toEqual([
        200,
        { code: expect.toSatisfy((code) => code === 108 || code === 102), message: text },
      ]);
      expect(await valueOf(key)).toBe(before);
    });

    it('reads and replaces the settings of a plugin', async () => {
      const path = `nodes/${node}/plugin_configs/broker_auth_http`;
      const items = async (): Promise<readonly { readonly key: string; readonly value: string }[]> =>
        (await read(path)) as readonly { readonly key: string; readonly value: string }[];
      for (const item of await items()) expect(item).toEqual({ key: text, value: text, desc: text, required: flag });
      expect((await items()).map(({ key }) => key)).toEqual(expect.arrayContaining(authHttpKeys));

      const url = 'http://127.0.0.1:1/auth';
      expect(await ask('PUT', path, { 'auth.http.auth_req': url, 'auth.http.auth_req.method': 'get' })).toEqual(done);
      // Left out is empty.
      expect((await items()).filter(({ value }) => value !== '').map(({ key, value }) => [key, value])).toEqual([
        ['auth.http.auth_req', url],
        ['auth.http.auth_req.method', 'get'],
      ]);
      expect(await ask('PUT', path, { 'auth.http.auth_req': 1 })).toEqual(refused(108));
      expect(await ask('PUT', path, 'x')).toEqual(refused(109));
      expect(await ask('PUT', `nodes/${node}/plugin_configs/nope`, {})).toEqual(
        expect.objectContaining({ status: expect.any(Number), json: expect.not.objectContaining({ code: 0 }) }),
      );
    });
  });

  describe('users (4.8)', () => {
    const fields = variant === 'a' ? (['oldpassword', 'password'] as const) : (['old_pwd', 'new_pwd'] as const);
    const change = (name: string, old: unknown, next: unknown): Promise<unknown> =>
      ask('PUT', `change_pwd/${name}`, { [fields[0]]: old, [fields[1]]: next });

    it('lists names and tags, and nothing of passwords', async () => {
      expect(await ask('GET', 'users')).toEqual(result([{ username: 'admin', tags: 'administrator' }]));
    });

    it('adds, checks, changes and deletes one', async () => {
      const user = { username: 'op', password: 'p 1', tags: 'user' };
      expect(await ask('POST', 'users', user)).toEqual(done);
      expect(await ask('POST', 'users', user)).toEqual(refused(113));
      expect(await ask('POST', 'auth', { username: 'op', password: 'p 1' })).toEqual(done);
      expect(await ask('PUT', 'users/op', { tags: 'admin' })).toEqual(done);
      expect(await read('users')).toEqual([
        { username: 'admin', tags: 'administrator' },
        { username: 'op', tags: 'admin' },
      ]);
      expect(await change('op', 'wrong', 'p 2')).toEqual(refused(114));
      expect(await change('op', 'p 1', 'p 2')).toEqual(done);
      expect(await ask('POST', 'auth', { username: 'op', password: 'p 1' })).toEqual(refused(103));
      expect(await ask('POST', 'auth', { username: 'op', password: 'p 2' })).toEqual(done);
      expect(await ask('DELETE', 'users/op')).toEqual(done);
      expect(await ask('POST', 'auth', { username: 'op', password: 'p 2' })).toEqual(refused(103));
    });

    it('refuses unknown users and the deletion of admin', async () => {
      expect(await ask('PUT', 'users/nope', { tags: 'x' })).toEqual(refused(105));
      expect(await ask('DELETE', 'users/nope')).toEqual(refused(105));
      expect(await change('nope', 'a', 'b')).toEqual(refused(105));
      expect(await ask('DELETE', 'users/admin')).toEqual(refused(106));
      expect(await ask('DELETE', 'users/%61dmin')).toEqual(refused(106));
    });

    it.each([
      ['POST', 'auth', { username: '', password: 'x' }, 104],
      ['POST', 'auth', { username: 'admin', password: '' }, 104],
      ['POST', 'auth', { username: 'admin' }, 107],
      ['POST', 'auth', { username: 1, password: 'x' }, 108],
      ['POST', 'auth', 'x', 109],
      ['POST', 'users', { username: '', password: 'x', tags: '' }, 104],
      ['POST', 'users', { username: 'n', password: '', tags: '' }, 104],
      ['POST', 'users', { username: 'n', password: 'x' }, 107],
      ['POST', 'users', { username: 'n', password: 'x', tags: 1 }, 108],
      ['PUT', 'users/admin', {}, 107],
      ['PUT', 'users/admin', { tags: null }, 108],
    ])('%s %s %j: %i', async (method, path, body, code) => {
      expect(await ask(method, path, body)).toEqual(refused(code));
    });

    it('checks a change of password before it makes it', async () => {
      expect(await ask('PUT', 'change_pwd/admin', { [fields[0]]: 'secret' })).toEqual(refused(107));
      expect(await change('admin', 'secret', 5)).toEqual(refused(108));
      expect(await change('admin', 'secret', '')).toEqual(refused(104));
      const otherBody =
        variant === 'a' ? { old_pwd: 'secret', new_pwd: 'x' } : { oldpassword: 'secret', password: 'x' };
      expect(await ask('PUT', 'change_pwd/admin', otherBody)).toEqual(refused(107));
      expect(await ask('POST', 'auth', { username: 'admin', password: 'secret' })).toEqual(done);
    });
  });
});
