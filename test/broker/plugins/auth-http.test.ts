import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AccessRules } from '../../../src/broker/engine/access.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { createAuthHttp, readTemplate } from '../../../src/broker/plugins/auth.ts';
import { createClusterPlugins } from '../../../src/broker/plugins/cluster-plugins.ts';
import {
  type Asked,
  connack,
  one,
  portOf,
  publish,
  type Service,
  startOperated,
  startService,
  subscribe,
} from '../operator-support.ts';
import { connectPacket, nodeAt, RawClient, startTestCluster } from '../support.ts';

const plugin = 'broker_auth_http';

type Request = 'auth' | 'super' | 'acl';
const settingsOf = (service: Service, ...requests: readonly Request[]): Record<string, string> =>
  Object.assign(
    {},
    ...requests.map((name) => ({
      [`auth.http.${name}_req`]: `${service.url}/mqtt/${name}`,
      [`auth.http.${name}_req.method`]: name === 'acl' ? 'get' : 'post',
      [`auth.http.${name}_req.params`]: {
        auth: 'clientid=%c,username=%u,password=%P',
        super: 'clientid=%c,username=%u',
        acl: 'access=%A,username=%u,clientid=%c,ipaddr=%a,topic=%t',
      }[name],
    })),
  );

const pathOf = ({ url }: Asked): string => url.split('?', 1)[0] ?? '';
const ann = { username: 'ann', password: 'secret' };

describe('authentication', () => {
  it.each([
    [200, 0],
    [201, 5],
    [204, 5],
    [301, 5],
    [400, 4],
    [401, 4],
    [403, 4],
    [404, 4],
    [500, 5],
    [503, 5],
  ])('status %i is CONNACK %i', async (status, code) => {
    const service = await startService(() => status);
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth'));
    expect(await connack(portOf(cluster), ann)).toBe(code);
    expect(service.asked).toHaveLength(1);
  });

  it('sends encoded values of the client, which cannot add parameters', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth'));
    await connack(portOf(cluster), { clientId: 'a&clientid=root#%P,é 💩', username: '%c=&', password: '%u+\n' });
    const [asked] = service.asked;
    expect(asked).toMatchObject({ method: 'POST', url: '/mqtt/auth', type: 'application/x-www-form-urlencoded' });
    expect([...new URLSearchParams(asked?.body)]).toEqual([
      ['clientid', 'a&clientid=root#%P,é 💩'],
      ['username', '%c=&'],
      ['password', '%u+\n'],
    ]);
    await connack(portOf(cluster), { clientId: 'plain' });
    expect(service.asked[1]?.body).toBe('clientid=plain&username=&password=');
  });

  it('adds its parameters to the query of the URL with GET', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, {
      ...settingsOf(service, 'auth'),
      'auth.http.auth_req': `${service.url}/a?key=1#part`,
      'auth.http.auth_req.method': 'get',
    });
    expect(await connack(portOf(cluster), ann)).toBe(0);
    expect(service.asked).toEqual([
      { method: 'GET', url: '/a?key=1&clientid=x&username=ann&password=secret', type: undefined, body: '' },
    ]);
  });

  it('refuses everybody while the service cannot be reached, logs it once, and says when it works again', async () => {
    let status = 500;
    const service = await startService(() => status);
    const { cluster, startPlugin, lines, api, set } = await startOperated();
    await set('log.console.level', 'warning');
    await startPlugin(plugin, settingsOf(service, 'auth'));
    const plugins = lines.length;
    for (let count = 0; count < 3; count += 1) expect(await connack(portOf(cluster), ann)).toBe(5);
    status = 200;
    expect(await connack(portOf(cluster), ann)).toBe(0);
    expect(
      lines
        .slice(plugins)
        .filter((line) => line.includes('auth.http'))
        .map((line) => line.split('127.0.0.1 ')[1]),
    ).toEqual(['auth.http.auth_req fails: HTTP 500', 'auth.http.auth_req recovered after 3 failures']);
    await api.replacePluginSettings(one, plugin, {
      ...settingsOf(service, 'auth'),
      'auth.http.auth_req': 'http://127.0.0.1:1/',
    });
    expect(await connack(portOf(cluster), ann)).toBe(5);
    await api.stopPlugin(one, plugin);
    expect(await connack(portOf(cluster), ann)).toBe(0);
  });

  it('is used only for clients that no other plugin knows', async () => {
    const service = await startService(() => 403);
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth'));
    await startPlugin('broker_auth_username', { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'secret' });
    expect(await connack(portOf(cluster), ann)).toBe(0);
    expect(await connack(portOf(cluster), { username: 'ann', password: 'wrong' })).toBe(4);
    expect(service.asked).toEqual([]);
    expect(await connack(portOf(cluster), { username: 'bob', password: 'x' })).toBe(4);
    expect(service.asked).toHaveLength(1);
  });

  it('that is under way is a refusal when the plugin is stopped', async () => {
    const service = await startService(() => undefined);
    const { cluster, startPlugin, api } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth'));
    const answer = connack(portOf(cluster), ann);
    await service.requests(1);
    await api.stopPlugin(one, plugin);
    expect(await answer).toBe(5);
  });
});

describe('bounds', () => {
  /** The plugin alone, with bounds that a test can reach. */
  async function startBounded(service: Service, bounds: Parameters<typeof createAuthHttp>[0]): Promise<number> {
    const cluster = await startTestCluster();
    const plugins = createClusterPlugins({
      cluster,
      definitions: [createAuthHttp(bounds)],
      rules: new AccessRules(),
      logOf: () => () => undefined,
    });
    plugins.get(one)?.replaceSettings(plugin, settingsOf(service, 'auth'));
    plugins.get(one)?.start(plugin);
    return portOf(cluster);
  }

  it('refuses all clients, also waiting ones, when the service does not answer in time', async () => {
    const service = await startService(() => undefined);
    const port = await startBounded(service, { connections: 1, waiting: 9, timeoutMs: 50 });
    expect(await Promise.all(['a', 'b', 'c'].map((clientId) => connack(port, { clientId })))).toEqual([5, 5, 5]);
    expect(service.asked.length).toBeLessThan(3);
  });

  it('a service that sends only half an answer refuses in time', async () => {
    const service = await startService((_, response) => {
      response.socket?.write('HTTP/1.1 200 O');
      return undefined;
    });
    const port = await startBounded(service, { connections: 1, waiting: 9, timeoutMs: 50 });
    expect(await connack(port)).toBe(5);
  });

  it('limits concurrent and waiting requests, and refuses more immediately', async () => {
    const release: (() => void)[] = [];
    const service = await startService((_, response) => {
      release.push(() => response.writeHead(200).end());
      return undefined;
    });
    const port = await startBounded(service, { connections: 2, waiting: 1, timeoutMs: 20_000 });
    const first = ['a', 'b'].map((clientId) => connack(port, { clientId }));
    await service.requests(2);
    const clients = ['c', 'd'].map((clientId) => connack(port, { clientId }));
    expect(await Promise.race(clients)).toBe(5);
    expect(service.asked).toHaveLength(2);
    for (const go of release.splice(0)) go();
    expect(await Promise.all(first)).toEqual([0, 0]);
    await service.requests(3);
    for (const go of release.splice(0)) go();
    expect((await Promise.all(clients)).toSorted()).toEqual([0, 5]);
  });

  it('an answer that never ends is not read to its end', async () => {
    const closed: Promise<unknown>[] = [];
    const service = await startService((_, response) => {
      closed.push(once(response, 'close'));
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(16 * 1024), () => more());
      };
      more();
      return undefined;
    });
    const port = await startBounded(service, { connections: 1, waiting: 1, timeoutMs: 20_000 });
    expect(await connack(port)).toBe(0);
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });
});

describe('access control', () => {
  it('asks about each topic once: 1 to subscribe, 2 to publish', async () => {
    const service = await startService(({ url }) => (url.includes('topic=no') ? 403 : 200));
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth', 'acl'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x', username: 'ann' });
    expect(await subscribe(raw, 'a/+')).toBe(1);
    expect(await subscribe(raw, 'no')).toBe(128);
    expect(await subscribe(raw, 'no')).toBe(128);
    await publish(raw, 'b é');
    const acl = service.asked.filter((asked) => pathOf(asked) === '/mqtt/acl');
    expect(acl.map(({ method, url }) => [method, url])).toEqual([
      ['GET', '/mqtt/acl?access=1&username=ann&clientid=x&ipaddr=127.0.0.1&topic=a%2F%2B'],
      ['GET', '/mqtt/acl?access=1&username=ann&clientid=x&ipaddr=127.0.0.1&topic=no'],
      ['GET', '/mqtt/acl?access=2&username=ann&clientid=x&ipaddr=127.0.0.1&topic=b%20%C3%A9'],
    ]);
    await createBrokerApi(cluster).clearAclCache('x', 'no');
    await subscribe(raw, 'no');
    expect(service.asked.filter(({ url }) => url.endsWith('topic=no'))).toHaveLength(2);
  });

  it('that fails refuses and is not remembered', async () => {
    let status = 500;
    const service = await startService((asked) => (pathOf(asked) === '/mqtt/auth' ? 200 : status));
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, settingsOf(service, 'auth', 'acl'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    expect(await subscribe(raw, 'a')).toBe(128);
    status = 200;
    expect(await subscribe(raw, 'a')).toBe(1);
  });

  it('lets a superuser do everything but speak for the cluster, and asks once a connection', async () => {
    const service = await startService((asked) => {
      if (pathOf(asked) === '/mqtt/acl') return 403;
      return pathOf(asked) === '/mqtt/auth' || asked.body.includes('clientid=root') ? 200 : 403;
    });
    const { cluster, startPlugin } = await startOperated({
      accessRules: [{ permission: 'deny', who: 'all', action: 'pubsub', topics: ['#'] }],
    });
    await startPlugin(plugin, settingsOf(service, 'auth', 'super', 'acl'));
    const root = await RawClient.connect(portOf(cluster), { clientId: 'root' });
    for (const topic of ['a', 'b', '$SYS/#']) expect(await subscribe(root, topic, 0)).toBe(0);
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    expect((await root.take('publish')).topic).toBe(`$SYS/brokers/${one}/clients/other/connected`);
    expect(await subscribe(other, 'a')).toBe(128);
    await publish(root, '$SYS/forged');
    root.send({ cmd: 'publish', topic: 'a', payload: 'x', qos: 0, retain: false, dup: false });
    expect((await root.take('publish')).topic).toBe('a');
    expect(service.asked.filter((asked) => pathOf(asked) === '/mqtt/super')).toHaveLength(2);
    expect(service.asked.filter(({ url }) => url.includes('clientid=root') && url.includes('/acl'))).toEqual([]);
  });

  it('is left to the rules where no URL is set', async () => {
    const service = await startService(() => 200);
    const { cluster, startPlugin } = await startOperated({
      accessRules: [{ permission: 'deny', who: 'all', action: 'subscribe', topics: ['a'] }],
    });
    await startPlugin(plugin, settingsOf(service, 'auth'));
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    expect(await subscribe(raw, 'a')).toBe(128);
    expect(await subscribe(raw, 'b')).toBe(1);
    expect(service.asked).toHaveLength(1);
  });

  it('acts at once on those who are connected when it is started and stopped', async () => {
    const service = await startService((asked) => (pathOf(asked) === '/mqtt/acl' ? 403 : 200));
    const { cluster, startPlugin, api } = await startOperated();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    expect(await subscribe(raw, 'a')).toBe(1);
    await startPlugin(plugin, settingsOf(service, 'auth', 'acl'));
    expect(await subscribe(raw, 'a')).toBe(128);
    await api.stopPlugin(one, plugin);
    expect(await subscribe(raw, 'a')).toBe(1);
  });
});

describe('settings', () => {
  it('are those of the specification', async () => {
    const { api } = await startOperated();
    expect((await api.getPluginSettings(one, plugin)).map(({ key, value }) => [key, value])).toEqual([
      ['auth.http.auth_req', ''],
      ['auth.http.auth_req.method', 'post'],
      ['auth.http.auth_req.params', 'clientid=%c,username=%u,password=%P'],
      ['auth.http.super_req', ''],
      ['auth.http.super_req.method', 'post'],
      ['auth.http.super_req.params', 'clientid=%c,username=%u'],
      ['auth.http.acl_req', ''],
      ['auth.http.acl_req.method', 'get'],
      ['auth.http.acl_req.params', 'access=%A,username=%u,clientid=%c,ipaddr=%a,topic=%t'],
    ]);
  });

  it.each([
    ['no URL', {}, /auth_req is not set/u],
    ['a URL that is none', { 'auth.http.auth_req': '127.0.0.1' }, /auth_req is not an http or https URL/u],
    ['a file', { 'auth.http.auth_req': 'file:///etc/passwd' }, /auth_req is not an http or https URL/u],
    [
      'a wrong method',
      { 'auth.http.auth_req': 'http://127.0.0.1/', 'auth.http.auth_req.method': 'PUT' },
      /method must be get or post/u,
    ],
    [
      'a template that is none',
      { 'auth.http.auth_req': 'http://127.0.0.1/', 'auth.http.acl_req.params': 'topic' },
      /acl_req\.params must be name=value pairs/u,
    ],
    [
      'an unknown letter',
      { 'auth.http.auth_req': 'http://127.0.0.1/', 'auth.http.auth_req.params': 'a=%z' },
      /auth_req\.params contains the unknown placeholder "%z"/u,
    ],
    [
      'a mark without a letter',
      { 'auth.http.auth_req': 'http://127.0.0.1/', 'auth.http.auth_req.params': 'a=%' },
      /auth_req\.params contains the unknown placeholder "%"/u,
    ],
  ])('with %s do not start it', async (_, settings, message) => {
    const { startPlugin } = await startOperated();
    await expect(startPlugin(plugin, settings)).rejects.toMatchObject({
      kind: 'failed',
      brokerMessage: expect.stringMatching(message),
    });
  });

  it('fill templates with bytes that are no text, and with words around the letters', () => {
    const subject = {
      client: {
        clientId: 'c',
        username: undefined,
        ipAddress: '::1',
        port: 1,
        protocolVersion: 4,
        cleanSession: true,
        node: one,
      },
    };
    expect(readTemplate('p=%P', 'k')({ ...subject, password: Buffer.from([0xff, 0x41]) })).toBe('p=%ff%41');
    expect(readTemplate('a b=x y, n = %c-%a!,fixed=1', 'k')(subject)).toBe('a%20b=x%20y&n=c-%3A%3A1!&fixed=1');
    expect(readTemplate('', 'k')(subject)).toBe('');
  });
});

it('keeps nothing of a client that disconnects during its request', async () => {
  const release: (() => void)[] = [];
  const service = await startService((_, response) => {
    release.push(() => response.writeHead(200).end());
    return undefined;
  });
  const { cluster, startPlugin } = await startOperated();
  await startPlugin(plugin, settingsOf(service, 'auth'));
  const over = new Promise<void>((resolve) => {
    cluster.events.once('rejected', () => resolve());
    cluster.events.once('disconnected', () => resolve());
  });
  const raw = await RawClient.open(portOf(cluster));
  raw.send(connectPacket({ clientId: 'gone' }));
  await service.requests(1);
  raw.socket.destroy();
  await raw.closed;
  // The socket is not read while the service is asked: the broker may learn of its end only after the answer.
  for (const go of release) go();
  await over;
  expect(nodeAt(cluster, 0).clients.size).toBe(0);
  expect(cluster.session('gone')).toBeUndefined();
});
