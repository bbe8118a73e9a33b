import { describe, expect, it, vi } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { type PersistentState, StateError } from '../../../src/broker/management/changes.ts';
import { AccessRules } from '../../../src/broker/engine/access.ts';
import { createPluginApi } from '../../../src/broker/management/operator-controls.ts';
import { createClusterPlugins } from '../../../src/broker/plugins/cluster-plugins.ts';
import { type PluginDefinition, PluginError } from '../../../src/broker/plugins/plugin.ts';
import { connack, one, type Operated, portOf, startOperated, subscribe, two } from '../operator-support.ts';
import { nodeAt, RawClient, startTestCluster } from '../support.ts';

const refusal = (code: number, text?: RegExp) =>
  expect.objectContaining({
    kind: errorOfCode(code).kind,
    ...(text === undefined ? {} : { brokerMessage: expect.stringMatching(text) }),
  });

const activeOn = async ({ api }: Operated, node: string): Promise<readonly string[]> =>
  (await api.listPlugins(node)).filter(({ active }) => active).map(({ name }) => name);

const common = [
  'broker_auth_clientid',
  'broker_auth_http',
  'broker_auth_jwt',
  'broker_auth_ldap',
  'broker_auth_mongo',
  'broker_auth_mysql',
  'broker_auth_pgsql',
  'broker_auth_redis',
  'broker_auth_username',
  'broker_coap',
  'broker_dashboard',
  'broker_lua_hook',
  'broker_modules',
  'broker_plugin_template',
  'broker_recon',
  'broker_reloader',
  'broker_retainer',
  'broker_sn',
  'broker_stomp',
  'broker_web_hook',
];
const unavailable = common.filter((name) =>
  /jwt|ldap|mongo|mysql|pgsql|redis|coap|lua|recon|reloader|_sn|stomp/u.test(name),
);
const startedAtFirst = ['broker_dashboard', 'broker_modules', 'broker_retainer'];
const user = { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'secret' };

describe('the list', () => {
  it('has the names of the specification, each with version, description and state', async () => {
    const { api } = await startOperated();
    const plugins = await api.listPlugins(one);
    expect(plugins.map(({ name }) => name)).toEqual(common);
    expect(plugins.filter(({ active }) => active).map(({ name }) => name)).toEqual(startedAtFirst);
    expect(new Set(plugins.map(({ version }) => version))).toEqual(new Set(['1.2.3']));
    expect(plugins.every(({ description }) => /^[A-Z].{7,}$/u.test(description ?? ''))).toBe(true);
  });

  it('has one more in variant A', async () => {
    const { api } = await startOperated({ extraPlugins: ['lwm2m'] });
    expect((await api.listPlugins(one)).map(({ name }) => name)).toEqual([...common, 'broker_lwm2m'].toSorted());
    await expect(api.startPlugin(undefined, 'broker_lwm2m')).rejects.toEqual(refusal(102, /not part of/u));
  });

  it('is unknown of a node that does not run', async () => {
    const { api, cluster } = await startOperated({ nodes: 2 });
    await cluster.stopNode(two);
    for (const node of [two, 'nobody@nowhere']) {
      await expect(api.listPlugins(node)).rejects.toMatchObject({ kind: 'not-found' });
      await expect(api.getPluginSettings(node, 'broker_retainer')).rejects.toMatchObject({ kind: 'not-found' });
    }
    for (const [node, code] of [
      [two, 101],
      ['nobody@nowhere', 102],
    ] as const) {
      await expect(api.startPlugin(node, 'broker_web_hook')).rejects.toEqual(refusal(code));
      await expect(api.stopPlugin(node, 'broker_retainer')).rejects.toEqual(refusal(code));
      await expect(api.replacePluginSettings(node, 'broker_retainer', {})).rejects.toEqual(refusal(code));
    }
  });
});

describe('starting and stopping', () => {
  it.each(unavailable)('%s says why it cannot', async (name) => {
    const { api } = await startOperated();
    await expect(api.startPlugin(one, name)).rejects.toEqual(
      refusal(102, new RegExp(`^${name} cannot start: It .{10,}\\.$`, 'u')),
    );
    await expect(api.stopPlugin(one, name)).rejects.toEqual(refusal(111));
    expect(await api.getPluginSettings(one, name)).toEqual([]);
  });

  it('acts on the node named, and says when there is nothing to do', async () => {
    const operated = await startOperated({ nodes: 2 });
    const { api } = operated;
    await expect(api.startPlugin(one, 'broker_modules')).rejects.toEqual(refusal(110, /^already_started$/u));
    await expect(api.stopPlugin(one, 'broker_plugin_template')).rejects.toEqual(refusal(111, /^not_started$/u));
    await api.stopPlugin(one, 'broker_modules');
    await api.startPlugin(two, 'broker_plugin_template');
    expect(await activeOn(operated, one)).toEqual(['broker_dashboard', 'broker_retainer']);
    expect(await activeOn(operated, two)).toEqual([
      'broker_dashboard',
      'broker_modules',
      'broker_plugin_template',
      'broker_retainer',
    ]);
    await expect(api.stopPlugin(one, 'broker_modules')).rejects.toEqual(refusal(111));
    await expect(api.startPlugin(two, 'broker_plugin_template')).rejects.toEqual(refusal(110));
  });

  it('acts on all running nodes when no node is given', async () => {
    const operated = await startOperated({ nodes: 3 });
    const { api, cluster } = operated;
    await cluster.stopNode('broker3@127.0.0.1');
    await api.stopPlugin(undefined, 'broker_modules');
    expect([await activeOn(operated, one), await activeOn(operated, two)].flat()).not.toContain('broker_modules');
    await expect(api.stopPlugin(undefined, 'broker_modules')).rejects.toEqual(refusal(111));
    await cluster.startNode('broker3@127.0.0.1');
    expect(await activeOn(operated, 'broker3@127.0.0.1')).toContain('broker_modules');
    await api.startPlugin(undefined, 'broker_modules');
    expect(await activeOn(operated, two)).toContain('broker_modules');
    await expect(api.startPlugin(undefined, 'broker_modules')).rejects.toEqual(refusal(110));
  });

  it('starts on all nodes or on none', async () => {
    const operated = await startOperated({ nodes: 2 });
    await operated.api.replacePluginSettings(one, 'broker_auth_username', user);
    await expect(operated.api.startPlugin(undefined, 'broker_auth_username')).rejects.toEqual(
      refusal(102, /no client could connect/u),
    );
    expect(await activeOn(operated, one)).toEqual(startedAtFirst);
    expect(await connack(portOf(operated.cluster))).toBe(0);
  });

  it('on all nodes leaves no trace where one of them refuses', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const definition: PluginDefinition = {
      name: 'choosy',
      description: 'x',
      activeByDefault: false,
      settings: [],
      start: ({ node }) => {
        if (node.name === two) throw new PluginError('not here');
        return { stop: () => undefined };
      },
    };
    const plugins = createClusterPlugins({
      cluster,
      definitions: [definition],
      rules: new AccessRules(),
      logOf: () => () => undefined,
    });
    const changed = vi.fn<() => void>();
    await expect(createPluginApi(cluster, plugins, changed).startPlugin(undefined, 'broker_choosy')).rejects.toEqual(
      refusal(102),
    );
    expect([...plugins.values()].map((node) => [node.isActive('broker_choosy'), node.changedStates()])).toEqual([
      [false, {}],
      [false, {}],
    ]);
    expect(changed).not.toHaveBeenCalled();
  });

  it.each(['broker_nope', 'retainer', '__proto__', 'toString', 'broker_lwm2m'])('does not know %s', async (name) => {
    const { api } = await startOperated();
    for (const node of [one, undefined]) {
      await expect(api.startPlugin(node, name)).rejects.toEqual(refusal(102));
      await expect(api.stopPlugin(node, name)).rejects.toEqual(refusal(111));
    }
    await expect(api.getPluginSettings(one, name)).rejects.toMatchObject({ kind: 'not-found' });
    await expect(api.replacePluginSettings(one, name, {})).rejects.toEqual(refusal(102));
  });

  it('does not stop the management API', async () => {
    const operated = await startOperated();
    await expect(operated.api.stopPlugin(one, 'broker_dashboard')).rejects.toEqual(refusal(102, /management API/u));
    await expect(operated.api.stopPlugin(undefined, 'broker_dashboard')).rejects.toEqual(refusal(102));
    expect(await activeOn(operated, one)).toContain('broker_dashboard');
  });
});

describe('settings', () => {
  it('are replaced as a whole: missing keys become empty', async () => {
    const { api } = await startOperated();
    const before = await api.getPluginSettings(one, 'broker_retainer');
    expect(before).toEqual([
      { key: 'retainer.max_message_num', value: '1000000', description: expect.any(String), required: true },
      { key: 'retainer.max_payload_size', value: '64KB', description: expect.any(String), required: true },
    ]);
    await api.stopPlugin(one, 'broker_retainer');
    await api.replacePluginSettings(one, 'broker_retainer', { 'retainer.max_payload_size': '32KB' });
    expect((await api.getPluginSettings(one, 'broker_retainer')).map(({ key, value }) => [key, value])).toEqual([
      ['retainer.max_message_num', ''],
      ['retainer.max_payload_size', '32KB'],
    ]);
    await expect(api.startPlugin(one, 'broker_retainer')).rejects.toEqual(
      refusal(102, /retainer\.max_message_num must be a number/u),
    );
  });

  it('with an unknown key are refused, and nothing is changed', async () => {
    const { api } = await startOperated();
    for (const key of ['retainer.nope', '__proto__', 'auth.user.1.username']) {
      await expect(
        api.replacePluginSettings(one, 'broker_retainer', { 'retainer.max_payload_size': '1', [key]: '' }),
      ).rejects.toEqual(refusal(102));
    }
    for (const key of [
      'auth.user.0.username',
      'auth.user.1.name',
      'auth.user..username',
      'xauth.user.1.username',
      'authxuser.1.username',
    ]) {
      await expect(api.replacePluginSettings(one, 'broker_auth_username', { [key]: '' })).rejects.toEqual(refusal(102));
    }
    expect((await api.getPluginSettings(one, 'broker_retainer')).map(({ value }) => value)).toEqual([
      '1000000',
      '64KB',
    ]);
  });

  it.each([
    ['broker_auth_username', user, {}, /no client could connect/u],
    ['broker_auth_username', user, { 'auth.user.1.username': 'ann' }, /auth\.user\.1\.password is not set\.$/u],
    [
      'broker_auth_http',
      { 'auth.http.auth_req': 'http://127.0.0.1:1/' },
      { 'auth.http.auth_req': 'notaurl' },
      /is not an http or https URL\.$/u,
    ],
  ])('with which an active %s cannot go on are refused, and nobody slips in', async (plugin, good, bad, reason) => {
    const operated = await startOperated();
    await operated.set('log.console.level', 'warning');
    await operated.startPlugin(plugin, good);
    const before = await operated.api.getPluginSettings(one, plugin);
    let changes = 0;
    operated.state.onChange(() => {
      changes += 1;
    });
    await expect(operated.api.replacePluginSettings(one, plugin, bad)).rejects.toEqual(refusal(102, reason));
    expect(await activeOn(operated, one)).toContain(plugin);
    expect(await operated.api.getPluginSettings(one, plugin)).toEqual(before);
    expect(changes).toBe(0);
    expect(await connack(portOf(operated.cluster))).toBe(5);
    await operated.line(
      new RegExp(` warning .*${plugin} cannot start with its new settings and keeps the old ones`, 'u'),
    );
  });

  it('of the retainer are refused or applied while it keeps storing', async () => {
    const { api, cluster } = await startOperated();
    await expect(
      api.replacePluginSettings(one, 'broker_retainer', {
        'retainer.max_message_num': 'abc',
        'retainer.max_payload_size': '1MB',
      }),
    ).rejects.toEqual(refusal(102, /keeps the old ones/u));
    expect(nodeAt(cluster, 0).settings.retainAvailable).toBe(true);
    await api.replacePluginSettings(one, 'broker_retainer', {
      'retainer.max_message_num': '5',
      'retainer.max_payload_size': '1MB',
    });
    expect(nodeAt(cluster, 0).settings.retainAvailable).toBe(true);
    await api.stopPlugin(one, 'broker_retainer');
    expect(nodeAt(cluster, 0).settings.retainAvailable).toBe(false);
  });

  it('are shown as they are and logged nowhere', async () => {
    const operated = await startOperated();
    await operated.set('log.console.level', 'debug');
    const secret = 'hush-hush';
    await operated.startPlugin('broker_auth_username', { ...user, 'auth.user.1.password': secret });
    await operated.startPlugin('broker_web_hook', {
      'web.hook.api.url': `http://u:${secret}@127.0.0.1:1/?token=${secret}`,
      'web.hook.events': 'client_connected',
      'web.hook.encode_payload': 'plain',
    });
    expect((await operated.api.getPluginSettings(one, 'broker_auth_username')).map(({ value }) => value)).toEqual([
      'ann',
      secret,
    ]);
    expect(await connack(portOf(operated.cluster), { username: 'ann', password: `not ${secret}` })).toBe(4);
    expect(await connack(portOf(operated.cluster), { username: 'ann', password: secret })).toBe(0);
    await operated.line(/ error .*web\.hook\.api\.url fails: connection refused$/u);
    expect(operated.lines.join('\n')).not.toContain('hush');
  });
});

describe('the stored state', () => {
  it('is empty until something is changed, and brings everything back', async () => {
    const first = await startOperated({ nodes: 2 });
    expect(first.state.exportState()).toEqual({ nodes: {} });
    const changes: PersistentState[] = [];
    const end = first.state.onChange(() => changes.push(first.state.exportState()));
    await first.set('mqtt.max_clientid_len', '30', two);
    await first.startPlugin('broker_auth_username', user, two);
    await first.api.stopPlugin(one, 'broker_retainer');
    expect(changes).toHaveLength(4);
    end();
    await first.api.startPlugin(two, 'broker_plugin_template');
    expect(changes).toHaveLength(4);

    const state: PersistentState = JSON.parse(JSON.stringify(first.state.exportState()));
    expect(state).toEqual({
      nodes: {
        [one]: { settings: {}, plugins: { broker_retainer: { active: false, settings: expect.any(Object) } } },
        [two]: {
          settings: { 'mqtt.max_clientid_len': '30' },
          plugins: {
            broker_auth_username: { active: true, settings: user },
            broker_plugin_template: { active: true, settings: {} },
          },
        },
      },
    });
    const second = await startOperated({ nodes: 2, state });
    expect(second.state.exportState()).toEqual(state);
    expect(await activeOn(second, one)).toEqual(['broker_dashboard', 'broker_modules']);
    expect(await connack(portOf(second.cluster, 0), { clientId: 'x'.repeat(31) })).toBe(0);
    expect(
      await connack(portOf(second.cluster, 1), { clientId: 'x'.repeat(31), username: 'ann', password: 'secret' }),
    ).toBe(2);
    expect(await connack(portOf(second.cluster, 1))).toBe(5);
    expect(await connack(portOf(second.cluster, 1), { username: 'ann', password: 'secret' })).toBe(0);
  });

  it('does not change when the plugins are closed', async () => {
    const operated = await startOperated();
    await operated.startPlugin('broker_auth_username', user);
    const before = operated.state.exportState();
    operated.close();
    expect(operated.state.exportState()).toEqual(before);
  });

  it('keeps nodes that are no longer in the cluster', async () => {
    const gone = { settings: { 'mqtt.cache_acl': 'false' }, plugins: {} };
    const operated = await startOperated({ state: { nodes: { 'broker9@127.0.0.1': gone } } });
    await operated.set('mqtt.cache_acl', 'false');
    expect(operated.state.exportState()).toEqual({ nodes: { 'broker9@127.0.0.1': gone, [one]: gone } });
  });

  it('that cannot be restored is refused as a whole, before clients can connect', async () => {
    const state = {
      nodes: {
        [one]: {
          settings: { 'mqtt.cache_acl': 'perhaps', 'no.such': 'hush' },
          plugins: {
            broker_auth_username: { active: true, settings: { 'auth.user.1.username': 'hush' } },
            broker_nope: { active: true, settings: {} },
          },
        },
      },
    };
    const failed = await startOperated({ state }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StateError);
    expect(failed).toMatchObject({
      problems: [
        expect.stringContaining('mqtt.cache_acl must be'),
        expect.stringContaining('no.such'),
        expect.stringContaining('auth.user.1.password is not set'),
        expect.stringContaining('Plugin broker_nope does not exist'),
      ],
    });
    expect(String(failed)).not.toContain('hush');
  });
});

it('calls the plugins of a node after its restart', async () => {
  const operated = await startOperated({ nodes: 2 });
  await operated.startPlugin('broker_auth_username', user, two);
  await operated.cluster.stopNode(two);
  await operated.cluster.startNode(two);
  expect(await connack(portOf(operated.cluster, 1))).toBe(5);
  const listener = await RawClient.connect(portOf(operated.cluster), { clientId: 'listener' });
  expect(await subscribe(listener, '$SYS/brokers/+/clients/ann/connected', 0)).toBe(0);
  expect(await connack(portOf(operated.cluster, 1), { clientId: 'ann', username: 'ann', password: 'secret' })).toBe(0);
  expect((await listener.take('publish')).topic).toBe(`$SYS/brokers/${two}/clients/ann/connected`);
});
