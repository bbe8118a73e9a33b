import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { type RawAnswer, send } from './raw-http.ts';
import { createSampleApi, ids, nodeNames, type SampleApi } from './sample-api.ts';

const authenticate = async (username: string, password: string): Promise<boolean> =>
  username === 'admin' && password === 'se:cret';
const credentials = 'admin:se:cret';
const [one] = nodeNames;
const done = { status: 200, json: { code: 0, result: [] } };
const gone = { status: 404, json: '' };
const refused = (code: number): unknown => ({ status: 200, json: { code, message: expect.any(String) } });

describe.each(['a', 'b'] as const)('requests, variant %s', (variant) => {
  let server: ManagementServer;
  let sample: SampleApi;
  const errors: unknown[] = [];

  beforeAll(async () => {
    sample = createSampleApi();
    server = await createManagementServer({
      api: sample.api,
      variant,
      authenticate,
      host: '127.0.0.1',
      port: 0,
      onError: (error) => errors.push(error),
    });
  });
  afterAll(() => server.close());
  afterEach(() => {
    sample.calls.length = 0;
    errors.length = 0;
  });

  const raw = async (method: string, target: string, body?: string): Promise<RawAnswer> => {
    const answer = await send(server.port, {
      method,
      target: `/api/v2/${target}`,
      credentials,
      ...(body === undefined ? {} : { body }),
    });
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };
  const ask = async (method: string, target: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await raw(method, target, text);
    return { status: answer.status, json: answer.body === '' ? '' : JSON.parse(answer.body) };
  };

  describe('authentication', () => {
    it.each([
      ['nothing', null],
      ['a wrong password', 'admin:x'],
      ['an unknown user', 'root:se:cret'],
      ['an empty pair', ':'],
      ['no colon', 'admin'],
    ])('refuses %s, on unknown paths and bad ones too', async (_, wrong) => {
      for (const target of ['/api/v2/management/nodes', '/api/v2/nowhere', '/', '/api/v2/clients/%zz']) {
        const answer = await send(server.port, { target, credentials: wrong });
        expect(answer?.status).toBe(401);
        expect(answer?.body).toBe('');
        expect(answer?.headers.get('www-authenticate')).toMatch(/^Basic realm="/u);
      }
    });

    it('refuses another scheme', async () => {
      const answer = await send(server.port, {
        target: '/api/v2/users',
        credentials: null,
        headers: ['Authorization: Bearer abc'],
      });
      expect(answer?.status).toBe(401);
    });

    it('does not act before it knows who asks', async () => {
      await send(server.port, { method: 'DELETE', target: '/api/v2/clients/x', credentials: 'admin:wrong' });
      expect(sample.calls).toEqual([]);
    });
  });

  describe('paths', () => {
    it.each([
      'a%2Fb',
      '..',
      '.',
      '%2e%2e',
      '%2E',
      'a+b',
      'a%2Bb',
      'a%252Fb',
      '%C3%A9',
      'a%20b',
      'a%0Ab',
      'clients',
      '__proto__',
      'constructor',
      '%23',
      'x'.repeat(8000),
    ])('hands the id of clients/%s on unchanged', async (segment) => {
      expect(await ask('DELETE', `clients/${segment}`)).toEqual(done);
      expect(sample.calls).toEqual([['disconnectClient', decodeURIComponent(segment)]]);
    });

    it.each(['%zz', '%', '%C3%28', '%e9', 'a%2'])('answers 400 to clients/%s', async (segment) => {
      expect((await raw('GET', `clients/${segment}`)).status).toBe(400);
    });

    it.each([
      ['GET', 'nowhere'],
      ['GET', ''],
      ['GET', 'clients/'],
      ['GET', 'routes/'],
      ['POST', 'mqtt/publish/'],
      ['POST', 'mqtt/subscribe/'],
      ['GET', 'clients//'],
      ['GET', 'users//'],
      ['GET', 'clients/a/b'],
      ['GET', 'nodes//clients'],
      ['POST', 'management/nodes'],
      ['PUT', 'clients/x'],
      ['PATCH', 'clients/x'],
      ['HEAD', 'management/nodes'],
      ['OPTIONS', 'users'],
      ['DELETE', 'routes'],
      ['GET', 'auth'],
      ['GET', 'CLIENTS/x'],
      ['PUT', 'clients//clean_acl_cache'],
    ])('answers 404 to %s %s', async (method, target) => {
      expect(await ask(method, target, method === 'POST' || method === 'PUT' ? {} : undefined)).toEqual(gone);
    });

    it.each([
      'users',
      'management/nodes',
      `management/nodes/${one}`,
      'monitoring/stats',
      'monitoring/metrics',
      `nodes/${one}/clients`,
      `nodes/${one}/plugins`,
      'clients/x',
      'sessions/x',
    ])('takes a slash at the end of %s, as real brokers do', async (target) => {
      const { status, json } = await ask('GET', target);
      expect(status).toBe(200);
      expect(await ask('GET', `${target}/`)).toEqual({ status, json });
    });

    it('takes a slash at the end of the path of a password, as an old dashboard sends it', async () => {
      const fields = variant === 'a' ? (['oldpassword', 'password'] as const) : (['old_pwd', 'new_pwd'] as const);
      expect(await ask('PUT', 'change_pwd/u/', { [fields[0]]: 'old', [fields[1]]: 'new' })).toEqual(done);
      expect(sample.calls).toEqual([['changePassword', 'u', 'old', 'new']]);
    });

    it('reads one user, or none', async () => {
      const { json } = await ask('GET', 'users');
      const [first] = (json as { readonly result: readonly { readonly username: string }[] }).result;
      expect((await ask('GET', `users/${first?.username}`)).json).toEqual({ code: 0, result: first });
      expect((await ask('GET', 'users/nobody')).json).toEqual({ code: 0, result: [] });
    });

    it('answers 404 outside its own prefix', async () => {
      for (const target of ['/', '/api/v1/users', '/api/v2', '/users']) {
        expect((await send(server.port, { target, credentials }))?.status).toBe(404);
      }
    });

    it('answers an unknown node with 404, or not at all where the port says so', async () => {
      expect(await ask('GET', 'monitoring/metrics/nope')).toEqual(gone);
      expect(await send(server.port, { target: '/api/v2/monitoring/nodes/silent', credentials })).toBeUndefined();
    });
  });

  describe('pages', () => {
    const list = async (query: string): Promise<Record<string, unknown>> => {
      const { json } = await ask('GET', `nodes/${one}/clients${query}`);
      const { result } = json as { result: { objects: { client_id: string }[] } };
      return { ...result, objects: result.objects.map(({ client_id: id }) => id) };
    };
    const common = { total_num: 45, page_size: 20, total_page: 3 };

    it.each([
      ['', { ...common, current_page: 1, objects: ids.slice(0, 20) }],
      ['?curr_page=3', { ...common, current_page: 3, objects: ids.slice(40) }],
      ['?curr_page=4', { ...common, current_page: 4, objects: [] }],
      ['?curr_page=0', { ...common, current_page: 0, objects: ids.slice(0, 20) }],
      ['?curr_page=-7', { ...common, current_page: -7, objects: ids.slice(0, 20) }],
      ['?page_size=100000', { ...common, page_size: 100_000, total_page: 1, current_page: 1, objects: ids }],
      [
        '?page_size=1&curr_page=45',
        { ...common, page_size: 1, total_page: 45, current_page: 45, objects: ids.slice(44) },
      ],
      ['?unknown=1', { ...common, current_page: 1, objects: ids.slice(0, 20) }],
    ])('%s', async (query, expected) => {
      expect(await list(query)).toEqual(expected);
    });

    it.each([
      '?page_size=0',
      '?page_size=-1',
      '?page_size=',
      '?page_size=x',
      '?page_size=1.5',
      '?page_size=0x10',
      '?page_size=1e3',
      '?curr_page=x',
      '?curr_page=',
    ])('answers 404 to %s', async (query) => {
      expect(await ask('GET', `nodes/${one}/clients${query}`)).toEqual(gone);
    });

    it.each(['?curr_page=1&curr_page=2', '?page_size=5&curr_page=1&page_size=5', '?curr_page=1&%63urr_page=2'])(
      'answers 400 to %s',
      async (query) => {
        expect(await ask('GET', `nodes/${one}/clients${query}`)).toEqual({ status: 400, json: '' });
      },
    );

    it('gives an empty list no pages', async () => {
      expect((await ask('GET', `nodes/${nodeNames[1]}/sessions`)).json).toEqual({
        code: 0,
        result: { current_page: 1, page_size: 20, total_num: 0, total_page: 0, objects: [] },
      });
    });
  });

  describe('failures', () => {
    it('are HTTP 200 with a code, a message and no result', async () => {
      expect(await ask('DELETE', 'clients/offline')).toEqual(refused(112));
    });

    it('unexpected errors are code 102 without details, and reach the log', async () => {
      const answer = await raw('DELETE', 'clients/broken');
      expect(JSON.parse(answer.body)).toEqual({ code: 102, message: expect.any(String) });
      expect(answer.body).not.toContain('mistake');
      expect(errors).toEqual([expect.any(TypeError)]);
    });
  });

  describe('bodies', () => {
    it.each(['', '{', '{"topic":', 'topic=1', '"text"', '1', 'null', '[]', '\uFEFF', 'NaN'])(
      '%j is not a JSON object: 109',
      async (body) => {
        expect(await ask('POST', 'mqtt/publish', body)).toEqual(refused(109));
      },
    );

    it('is no JSON either when it is not UTF-8: 109', async () => {
      const body = Buffer.from('{"topic":"\u00ff"}', 'latin1');
      const answer = await send(server.port, { method: 'POST', target: '/api/v2/mqtt/publish', credentials, body });
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 109 });
    });

    it.each([
      ['POST', 'mqtt/publish', {}, 107],
      ['POST', 'mqtt/publish', { payload: 1 }, 107],
      ['POST', 'mqtt/publish', { topic: 1 }, 108],
      ['POST', 'mqtt/publish', { topic: null }, 108],
      ['POST', 'mqtt/publish', { topic: 'a', payload: 1 }, 108],
      ['POST', 'mqtt/publish', { topic: 'a', qos: '1' }, 108],
      ['POST', 'mqtt/publish', { topic: 'a', qos: 1.5 }, 108],
      ['POST', 'mqtt/publish', { topic: 'a', retain: 'true' }, 108],
      ['POST', 'mqtt/publish', { topic: 'a', client_id: {} }, 108],
      ['POST', 'mqtt/subscribe', { client_id: 'x' }, 107],
      ['POST', 'mqtt/subscribe', { client_id: 1, topic: 'a' }, 107],
      ['POST', 'mqtt/subscribe', { client_id: 'x', topic: 'a', qos: true }, 108],
      ['PUT', 'clients/x/clean_acl_cache', {}, 107],
      ['PUT', 'clients/x/clean_acl_cache', { topic: 1 }, 108],
      ['POST', 'auth', { username: 'admin' }, 107],
      ['POST', 'auth', { username: 'admin', password: 1 }, 108],
      ['POST', 'users', { username: 'a', password: 'b' }, 107],
      ['POST', 'users', { username: 'a', password: 'b', tags: [] }, 108],
      ['PUT', 'users/a', {}, 107],
      ['PUT', 'users/a', { tags: 1 }, 108],
      ['PUT', 'change_pwd/a', {}, 107],
    ])('%s %s %j: %i', async (method, target, body, code) => {
      expect(await ask(method, target, body)).toEqual(refused(code));
      expect(sample.calls).toEqual([]);
    });

    it('does not take the names of the prototype for fields', async () => {
      expect(await ask('PUT', 'users/a', '{"__proto__":{"tags":"x"}}')).toEqual(refused(107));
    });

    it('answers 404 to a qos that MQTT does not have', async () => {
      expect(await ask('POST', 'mqtt/publish', { topic: 'a', qos: 3 })).toEqual(gone);
      expect(await ask('POST', 'mqtt/subscribe', { topic: 'a', qos: -1, client_id: 'x' })).toEqual(gone);
      expect(sample.calls).toEqual([]);
    });
  });

  describe('operations', () => {
    const defaults = { payload: '', qos: 0, retain: false, clientId: 'http' };

    it.each([
      ['POST', 'mqtt/publish', { topic: 'a' }, ['publish', { topic: 'a', ...defaults }]],
      [
        'POST',
        'mqtt/publish',
        { topic: 'a', payload: 'é', qos: 2, retain: true, client_id: 'me' },
        ['publish', { topic: 'a', payload: 'é', qos: 2, retain: true, clientId: 'me' }],
      ],
      [
        'POST',
        'mqtt/subscribe',
        { topic: 'a', qos: 1, client_id: 'x' },
        ['subscribe', { topic: 'a', qos: 1, clientId: 'x' }],
      ],
      ['PUT', 'clients/x/clean_acl_cache', { topic: 'a' }, ['clearAclCache', 'x', 'a']],
      [
        'POST',
        'users',
        { username: 'u', password: 'p', tags: 't' },
        ['addUser', { username: 'u', password: 'p', tags: 't' }],
      ],
      ['PUT', 'users/a%2Fb', { tags: 't' }, ['changeUserTags', 'a/b', 't']],
      ['DELETE', 'users/u', undefined, ['deleteUser', 'u']],
      ['POST', 'auth', { username: 'u', password: 'p' }, ['checkCredentials', 'u', 'p']],
    ])('%s %s %j', async (method, target, body, call) => {
      expect(await ask(method, target, body)).toEqual(done);
      expect(sample.calls).toEqual([call]);
    });

    it.each([
      ['POST', 'mqtt/unsubscribe', { topic: 'a', client_id: 'x' }, ['unsubscribe', { topic: 'a', clientId: 'x' }]],
      [
        'PUT',
        'configs/mqtt',
        { key: 'k', value: 'v' },
        ['changeSetting', undefined, { app: 'mqtt', key: 'k', value: 'v' }],
      ],
      [
        'PUT',
        `nodes/${one}/configs/mqtt`,
        { key: 'k', value: 'v' },
        ['changeSetting', one, { app: 'mqtt', key: 'k', value: 'v' }],
      ],
      [
        'PUT',
        `nodes/${one}/plugin_configs/p`,
        { 'a.b': '1', c: '' },
        ['replacePluginSettings', one, 'p', { 'a.b': '1', c: '' }],
      ],
      ['PUT', `nodes/${one}/plugins/p`, { active: true }, ['startPlugin', one, 'p']],
      ['PUT', `nodes/${one}/plugins/p`, { active: false }, ['stopPlugin', one, 'p']],
    ])('%s %s: variant B alone', async (method, target, body, call) => {
      expect(await ask(method, target, body)).toEqual(variant === 'b' ? done : gone);
      expect(sample.calls).toEqual(variant === 'b' ? [call] : []);
    });

    it('starts and stops plugins without a node in variant A alone', async () => {
      expect(await ask('PUT', 'nodes/plugins/p', { active: false })).toEqual(variant === 'a' ? done : gone);
      expect(sample.calls).toEqual(variant === 'a' ? [['stopPlugin', undefined, 'p']] : []);
    });

    it('changes a password with the fields of its own variant alone', async () => {
      const [mine, other] =
        variant === 'a'
          ? [
              { oldpassword: 'o', password: 'n' },
              { old_pwd: 'o', new_pwd: 'n' },
            ]
          : [
              { old_pwd: 'o', new_pwd: 'n' },
              { oldpassword: 'o', password: 'n' },
            ];
      expect(await ask('PUT', 'change_pwd/u', other)).toEqual(refused(107));
      expect(await ask('PUT', 'change_pwd/u', mine)).toEqual(done);
      expect(sample.calls).toEqual([['changePassword', 'u', 'o', 'n']]);
    });
  });
});

it('answers missing operations with 404', async () => {
  const { api } = createSampleApi();
  const { publish: _publish, stopPlugin: _stopPlugin, ...rest } = api;
  const server = await createManagementServer({ api: rest, variant: 'b', authenticate, host: '127.0.0.1', port: 0 });
  try {
    const ask = async (method: string, target: string): Promise<RawAnswer | undefined> =>
      send(server.port, { method, target: `/api/v2/${target}`, credentials, body: 'not even JSON' });
    expect(await ask('POST', 'mqtt/publish')).toMatchObject({ status: 404, body: '' });
    expect(await ask('PUT', `nodes/${one}/plugins/p`)).toMatchObject({ status: 404, body: '' });
    expect(await ask('POST', 'mqtt/subscribe')).toMatchObject({ status: 200 });
  } finally {
    await server.close();
  }
});
