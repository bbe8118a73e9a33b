import { afterEach, describe, expect, test } from 'vitest';
import { NotAvailableError, TimeoutError } from '../../../src/api/errors.ts';
import type { Plugin } from '../../../src/domain/administration.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { pluginSettingsKey } from '../../../src/monitor/state.ts';
import { MetricsScreen } from '../../../src/ui/screens/metrics/metrics.tsx';
import { NodeScreen } from '../../../src/ui/screens/nodes/node.tsx';
import { PluginSettingsScreen } from '../../../src/ui/screens/plugins/plugin-settings.tsx';
import { PluginsScreen } from '../../../src/ui/screens/plugins/plugins.tsx';
import { endRigs } from '../support/rig.tsx';
import { type AskingRig, capabilitiesA, confirmed, confirmOf, createAskingRig, createCluster, fill, formOf, node1, node2, node3, pluginOf } from './administration-fixtures.tsx';
import { type FakeMonitor, propsOf, ready, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const cells = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);

const open = (monitor: FakeMonitor, size: readonly [number, number] = [160, 12], options?: { readonly isReadOnly: boolean }): AskingRig =>
  createAskingRig(<PluginsScreen {...propsOf(monitor, size)} />, size, options);

const hostile = 'z\u001B[2J\u202E';

const cluster = (): FakeMonitor => createCluster({
  nodePlugins: new Map([
    [node1, ready([pluginOf('broker_dashboard', true), pluginOf('broker_retainer', true), pluginOf('only_here', undefined, { version: undefined, description: undefined }), pluginOf(hostile, false)])],
    [node2, ready([pluginOf('broker_dashboard', true), pluginOf('broker_retainer', false, { version: '2.3.10' }), pluginOf(hostile, false)])],
    [node3, ready([pluginOf('broker_retainer', true)])],
  ]),
});

describe('the list of plugins', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ PLUGIN ▲/);
    expect(lines[1]).toContain('▸broker_dashboard');
  });

  test('has a column a node; a difference has its sign, and what is not known is not claimed', () => {
    const lines = open(cluster()).lines();
    expect(cells(lines[0])).toEqual(['PLUGIN ▲', 'ACTIVE', 'broker1', 'broker2', 'broker3', 'VERSION', 'DESCRIPTION']);
    expect(cells(lines[1])).toEqual(['▸broker_dashboard', '2/2', '● active', '● active', '–', '2.3.11', 'The broker_dashboard']);
    // What a stopped node said before is not shown.
    expect(cells(lines[2])).toEqual(['broker_retainer', '! 1/2', '● active ! 2.3.11', '○ inactive ! 2.3.10', '–', '! 2 versions', 'The broker_retainer']);
    expect(cells(lines[3])).toEqual(['only_here', '! 0/1', '? not told', 'absent', '–', '–', '–']);
    expect(cells(lines[4]).slice(0, 3)).toEqual([String.raw`z\x1b[2J\u202e`, '0/2', '○ inactive']);
    expect(lines.at(-1)).toContain('1 of 3 nodes not running');
  });

  test('a narrow cell keeps the signs', () => {
    const rows = open(cluster(), [60, 9]).lines();
    expect(rows[2]).toMatch(/broker_retainer .*[●○] (?:active )?!/);
  });

  test('loading, empty and failed look different, and a node that fails hides no other', () => {
    const show = (states: Parameters<typeof createCluster>[0]): string => open(createCluster(states)).lines().join('\n');
    expect(show({})).toContain('··· reading the plugins');
    expect(show({ nodePlugins: new Map([[node1, ready([])], [node2, ready([])]]) })).toContain('The nodes list no plugin');
    const failed = { ...emptyResource<readonly never[]>(), error: new TimeoutError(5_000), nextAttemptAtMs: Date.now() + 7_500 };
    expect(show({ nodePlugins: new Map([[node1, failed], [node2, failed]]) })).toMatch(/! plugins of broker1: not read, tried again in \d+ s\. The broker did not answer/);
    const one = show({ nodePlugins: new Map([[node1, ready<readonly Plugin[]>([pluginOf('broker_retainer', true)])], [node2, failed]]) });
    expect(one).toMatch(/broker_retainer +1\/1 +● active +– +–/);
    expect(one).toContain('! plugins of broker2: not read');
    const partly = show({ nodePlugins: new Map([[node1, ready([pluginOf('broker_retainer', true)])]]) });
    expect(partly).toMatch(/broker_retainer +1\/1 +● active +··· +–/);
    expect(show({ nodePlugins: new Map([[node1, ready([pluginOf('broker_retainer', true)], 200_000)]]) })).toMatch(/plugins of broker1: as read 3m/);
  });

  test('asks the nodes that run, and no other', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    await rig.until(() => monitor.watching.length === 3);
    expect(monitor.watching.flatMap((watched) => (watched.kind === 'nodePlugins' ? [watched.node] : []))).toEqual([node1, node2]);
  });
});

describe('opened from a node', () => {
  test('a node leads to its plugins and metrics, and the column cursor begins on it', async () => {
    const monitor = cluster();
    const node = createAskingRig(<NodeScreen {...propsOf(monitor, [120, 20])} node={node2} />, [120, 20]);
    node.type('n');
    node.type('m');
    await node.until(() => monitor.places.length === 2);
    const scope = { kind: 'node', node: node2 } as const;
    expect(monitor.places).toEqual([{ screen: 'plugins', scope }, { screen: 'metrics', scope }]);
    const plugins = createAskingRig(<PluginsScreen {...propsOf(monitor, [120, 20])} scope={scope} />, [120, 20]);
    expect(plugins.lines()[0]).toContain('▸broker2');
    const metrics = createAskingRig(<MetricsScreen {...propsOf(monitor, [120, 20])} scope={scope} />, [120, 20]);
    expect(metrics.lines()[0]).toContain(node2);
  });
});

describe('starting and stopping', () => {
  const select = async (rig: AskingRig, name: string): Promise<void> => {
    rig.type(`/${name}\r`);
    await rig.until((text) => text.includes(`▸${name}`) && text.includes('Esc clears'));
  };

  test('concerns all nodes, or the one under the column cursor', async () => {
    const rig = open(cluster());
    await select(rig, 'broker_retainer');
    rig.type('S');
    await rig.until(() => rig.asked.length === 1);
    const all = confirmOf(rig.asked[0]);
    expect(all.question).toBe('Start this plugin on all nodes?');
    expect(all.target).toBe('broker_retainer');
    expect(all.details).toEqual([`${node1}: active already`, `${node2}: inactive → active`, `${node3}: not changed: stopped`]);
    expect(all.mustType).toBe('broker_retainer');
    expect(all.action.target).toMatchObject({ plugin: 'broker_retainer', nodes: `${node1}, ${node2}`, namesNode: true });
    rig.type('v');
    await rig.until((text) => text.includes('▸broker1 '));
    rig.type('K');
    await rig.until(() => rig.asked.length === 2);
    const one = confirmOf(rig.asked[1]);
    expect(one.question).toBe(`Stop this plugin on ${node1}?`);
    expect(one.action.name).toBe('stop-plugin');
    expect([one.mustType, one.details]).toEqual([undefined, [`${node1}: active → inactive`]]);
    expect(one.action.target).toMatchObject({ nodes: node1 });
    rig.type('V');
    await rig.until((text) => !text.includes('▸broker1 ') && text.includes('v on all nodes'));
  });

  test('a dashboard is a plugin like others: the broker does not say what serves the management interface', async () => {
    const rig = createAskingRig(<PluginsScreen {...propsOf(cluster(), [140, 12])} scope={{ kind: 'node', node: node1 }} />, [140, 12]);
    await select(rig, 'broker_dashboard');
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    const { target, mustType, warning } = confirmOf(rig.asked[0]);
    expect({ target, mustType, warning }).toEqual({ target: 'broker_dashboard', mustType: undefined, warning: undefined });
  });

  test('its column has the name that it always has, whichever node is chosen', async () => {
    const rig = createAskingRig(<PluginsScreen {...propsOf(cluster(), [160, 12])} scope={{ kind: 'node', node: node1 }} />, [160, 12]);
    expect(rig.lines()[0]).toContain('▸broker1 ');
    rig.type('/broker1:inactive\r');
    await rig.until((text) => text.includes('showing 1 of 4'));
    rig.type('>>');
    await rig.until((text) => text.includes('sorted by broker1'));
    rig.type('C');
    await rig.until((text) => text.includes('[x] broker1 '));
  });

  test('asks nothing where it is so already, or where the plugin is not', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('S');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe('nothing to do: it is active there already');
    await select(rig, 'only_here');
    rig.type('v');
    await rig.until((text) => text.includes('▸broker1'));
    rig.type('v');
    await rig.until((text) => text.includes('▸broker2'));
    rig.type('S');
    await rig.until(() => monitor.notices.length === 2);
    expect(monitor.notices[1]).toContain('not listed on broker2');
    // A node that does not run is said to be stopped, whatever is wanted of it.
    rig.type('v');
    await rig.until((text) => text.includes('▸broker3'));
    for (const key of ['S', '\r']) {
      const before = monitor.notices.length;
      rig.type(key);
      await rig.until(() => monitor.notices.length === before + 1);
      expect(monitor.notices.at(-1)).toMatch(/^not (?:asked|opened): broker3@127\.0\.0\.1 is stopped$/u);
    }
    expect(rig.asked).toEqual([]);
  });

  test('where the request names no node it always concerns all, and says so', async () => {
    const monitor = cluster();
    monitor.set({ capabilities: capabilitiesA });
    const rig = open(monitor);
    expect(rig.lines().at(-1)).toContain('always on all nodes');
    // No node can be chosen, and there are no settings to be opened.
    rig.type('v\r');
    await select(rig, 'broker_retainer');
    expect(rig.lines()[0]).not.toContain('▸broker1 ');
    expect(monitor.places).toEqual([]);
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    const { question, details, action } = confirmOf(rig.asked[0]);
    expect(question).toBe('Stop this plugin on all nodes?');
    expect(details).toContain('The request of this broker names no node: it acts on all of them.');
    expect(action.target).toMatchObject({ namesNode: false, nodes: `${node1}, ${node2}` });
  });

  test('does not exist in read-only mode, nor before the variant is known', async () => {
    for (const [monitor, isReadOnly] of [[cluster(), true], [createCluster({ capabilities: undefined, nodePlugins: cluster().store.getState().nodePlugins }), false]] as const) {
      const rig = open(monitor, [160, 12], { isReadOnly });
      rig.type('K');
      rig.type('j');
      await rig.until((text) => text.includes('▸broker_retainer'));
      expect(rig.asked).toEqual([]);
    }
  });

  test('Enter opens the settings of the plugin on the chosen node, where there are such', async () => {
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('v');
    await rig.until((text) => text.includes('▸broker1'));
    rig.type('v');
    await rig.until((text) => text.includes('▸broker2'));
    rig.type('\r');
    await rig.until(() => monitor.places.length === 1);
    expect(monitor.places).toEqual([{ screen: 'plugin-settings', node: node2, plugin: 'broker_dashboard' }]);
    monitor.set({ capabilities: capabilitiesA });
    await rig.until((text) => text.includes('always on all nodes'));
    rig.type('\ry');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.places).toHaveLength(1);
  });
});

describe('the settings of a plugin', () => {
  const plugin = 'broker_auth_mysql';
  const settings = [
    { key: 'auth.mysql.server', value: '127.0.0.1:3306', description: 'Where it is', required: true },
    { key: 'auth.mysql.password', value: 'hunter2', description: '', required: false },
    { key: `auth.mysql.${hostile}`, value: hostile, description: hostile, required: false },
  ];
  const loaded = (): FakeMonitor => createCluster({
    pluginSettings: new Map([[pluginSettingsKey(node1, plugin), ready(settings)]]),
    nodePlugins: new Map([[node1, ready([pluginOf(plugin, true)])]]),
  });
  const show = (monitor: FakeMonitor, size: readonly [number, number] = [140, 10], options?: { readonly isReadOnly: boolean }): AskingRig =>
    createAskingRig(<PluginSettingsScreen {...propsOf(monitor, size)} node={node1} plugin={plugin} />, size, options);

  test.each(sizes)('fill %i by %i', (width, height) => {
    const lines = show(loaded(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('Settings of broker_auth_mysql');
  });

  test('show key, value, whether required, and description; a password never', () => {
    const rig = show(loaded());
    const lines = rig.lines();
    expect(lines[0]).toContain('● active');
    expect(cells(lines[1])).toEqual(['KEY ▲', 'VALUE', 'REQUIRED', 'DESCRIPTION']);
    expect(cells(lines[2])).toEqual(['▸auth.mysql.password', '(hidden)', 'no', '–']);
    expect(cells(lines[3])).toEqual(['auth.mysql.server', '127.0.0.1:3306', 'yes', 'Where it is']);
    expect(lines[4]).toContain(String.raw`z\x1b[2J\u202e`);
    expect(rig.raw()).not.toContain('hunter2');
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('are shown in full by Enter, a password never, in read-only mode too', async () => {
    const rig = show(loaded(), [60, 10], { isReadOnly: true });
    rig.type('\r');
    await rig.until(() => rig.asked.length === 1);
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    rig.type('\r');
    await rig.until(() => rig.asked.length === 2);
    expect(rig.asked.map((request) => (request.kind === 'text' ? request.parts.map(({ label, text }) => [label, text]) : []))).toEqual([
      [['key', 'auth.mysql.password'], ['value', '(hidden)'], ['required', 'no'], ['description', '–']],
      [['key', 'auth.mysql.server'], ['value', '127.0.0.1:3306'], ['required', 'yes'], ['description', 'Where it is']],
    ]);
  });

  const openForm = async (rig: AskingRig): Promise<ReturnType<typeof formOf>> => {
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    return formOf(rig.asked[0]);
  };

  test('are edited in one form over the whole set, which begins on the setting under the cursor', async () => {
    const rig = show(loaded());
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    const form = await openForm(rig);
    expect(form.title).toBe('Settings of plugin broker_auth_mysql on broker1@127.0.0.1');
    expect(form.fields.map(({ label, initial, kind }) => [label, initial, kind])).toEqual([
      ['auth.mysql.server', '127.0.0.1:3306', undefined],
      ['auth.mysql.password', undefined, 'hidden'],
      ['once more', undefined, 'hidden'],
      ['unset it', undefined, 'choice'],
      [expect.stringContaining(String.raw`auth.mysql.z\x1b[2J`), hostile, undefined],
    ]);
    expect(form.focus).toBe(0);
    expect(fill(form, {})).toBe('Nothing would change.');
    expect(fill(form, { 'value 0': '""' })).toBe('auth.mysql.server must not be empty.');
    const question = fill(form, { 'value 0': 'db:3306', 'value 2': 'plain' });
    expect(question).toMatchObject({
      question: 'Change 2 settings of this plugin on broker1@127.0.0.1?', target: plugin, warning: 'The plugin is active: it restarts with the new settings.',
    });
    expect(typeof question === 'string' ? [] : question.details).toEqual([
      'auth.mysql.server: 127.0.0.1:3306 → db:3306',
      expect.stringMatching(/^auth\.mysql\.z\\x1b\[2J.* → plain$/),
      'Every key that is set is sent; unset keys are left out.',
    ]);
  });

  test('a password is typed hidden and twice, stays as it is when nothing is typed, and never is shown', async () => {
    const form = await openForm(show(loaded()));
    expect(form.focus).toBe(1);
    expect(form.fields[1]).toMatchObject({ kind: 'hidden', placeholder: '(hidden)' });
    expect(fill(form, { 'value 1': 'secret' })).toBe('The two differ: auth.mysql.password');
    expect(confirmed(form, { 'value 0': 'db' }).details?.join()).not.toContain('password');
    const question = confirmed(form, { 'value 1': 'secret', 'again 1': 'secret' });
    expect(JSON.stringify([question, form])).not.toMatch(/hunter2|"secret"/);
    expect(question.details).toContain('auth.mysql.password: (hidden) → (hidden)');
  });

  const several = [
    { key: 'hook.url', value: 'http://a', description: '', required: true },
    { key: 'hook.rule', value: '', description: '', required: false },
    { key: 'hook.path', value: '', description: '', required: true },
    { key: 'hook.token', value: 'hunter2', description: '', required: false },
  ];
  const withUnset = (): FakeMonitor => createCluster({
    pluginSettings: new Map([[pluginSettingsKey(node1, plugin), ready(several)]]),
    nodePlugins: new Map([[node1, ready([pluginOf(plugin, true)])]]),
  });

  test('that are not set are marked so, other than those that are empty; filtered by that, too', async () => {
    const rig = show(withUnset());
    const values = rig.lines().slice(2, 6).map((line) => cells(line).slice(0, 2));
    expect(values).toEqual([['▸hook.path', '(empty)'], ['hook.rule', '(unset)'], ['hook.token', '(hidden)'], ['hook.url', 'http://a']]);
    rig.type('/value:unset\r');
    await rig.until((text) => text.includes('showing 1 of 4'));
    expect((await openForm(rig)).fields.map(({ label, placeholder }) => [label, placeholder])).toEqual([
      ['hook.url', '(unset)'], ['hook.rule', '(unset)'], ['hook.path', '(empty)'], ['unset it', undefined],
      ['hook.token', '(hidden)'], ['once more', '(hidden)'], ['unset it', undefined],
    ]);
  });

  test('are unset by clearing them, and what cannot be cleared by a choice', async () => {
    const form = await openForm(show(withUnset()));
    const details = (values: Readonly<Record<string, string>>): readonly unknown[] => (confirmed(form, values).details ?? []).slice(0, -1);
    expect(details({ 'value 0': '' })).toEqual(['hook.url: http://a → (unset)']);
    expect(confirmed(form, { 'value 0': '' }).warning).toBe('The plugin is active: it restarts with the new settings. The broker calls hook.url required: the plugin may not start without it.');
    expect(details({ 'value 1': '{}' })).toEqual(['hook.rule: (unset) → {}']);
    expect(details({ 'value 1': '""' })).toEqual(['hook.rule: (unset) → (empty)']);
    expect(details({ 'unset 2': 'yes', 'unset 3': 'yes' })).toEqual(['hook.path: (empty) → (unset)', 'hook.token: (hidden) → (unset)']);
    expect(fill(form, { 'value 2': 'x', 'unset 2': 'yes' })).toBe('It is given a value and unset: hook.path');
    expect(fill(form, {})).toBe('Nothing would change.');
  });

  test('v and V go to the other nodes that have the plugin', async () => {
    const monitor = loaded();
    const rig = show(monitor);
    rig.type('v');
    await rig.until(() => monitor.places.length === 1);
    // Its plugins have not been read yet.
    expect(monitor.places).toEqual([{ screen: 'plugin-settings', node: node2, plugin }]);
    rig.type('V');
    await rig.until(() => monitor.places.length === 2);
    expect(monitor.places[1]).toEqual(monitor.places[0]);
    monitor.set({ nodePlugins: new Map([[node1, ready([pluginOf(plugin, true)])], [node2, ready([])]]) });
    rig.type('v');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices[0]).toBe('no other node runs that has this plugin');
    expect(monitor.places).toHaveLength(2);
  });

  test('say what is missing: loading, none, failed, not available', () => {
    const of = (patch: Parameters<typeof createCluster>[0]): string => show(createCluster(patch)).lines().join('\n');
    const failing = (error: TimeoutError | NotAvailableError) => ({ pluginSettings: new Map([[pluginSettingsKey(node1, plugin), { ...emptyResource<readonly never[]>(), error, nextAttemptAtMs: Date.now() + 5_000 }]]) });
    expect(of({})).toContain('··· reading the settings');
    expect(of({ pluginSettings: new Map([[pluginSettingsKey(node1, plugin), ready([])]]) })).toContain('This plugin has no settings');
    expect(of(failing(new TimeoutError(5_000)))).toContain('! the settings: not read');
    expect(of(failing(new NotAvailableError('the settings')))).toContain('Not available on this broker: it answers 404');
    expect(of(failing(new NotAvailableError('the settings', { hint: 'Or another variant.' })))).toContain('it answers 404 to the settings of this plugin. Or another variant.');
    expect(of({ capabilities: capabilitiesA })).toContain('variant A of the interface has no plugin settings');
  });

  test('cannot be edited in read-only mode', async () => {
    const rig = show(loaded(), [140, 10], { isReadOnly: true });
    rig.type('e');
    rig.type('j');
    await rig.until((text) => text.includes('▸auth.mysql.server'));
    expect(rig.asked).toEqual([]);
  });
});
