import { describe, expect, test } from 'vitest';
import { formatAuditLine } from '../../src/actions/audit.ts';
import { partlyDoneAction } from '../../src/actions/bulk.ts';
import { describeResult } from '../../src/actions/describe.ts';
import { startPlugin, stopPlugin } from '../../src/actions/plugins.ts';
import { changeSetting, differenceOfSettings, replacePluginSettings } from '../../src/actions/settings.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/codes.ts';
import { type ApiError, NoAnswerError, NotFoundError, TimeoutError, UnauthorizedError } from '../../src/api/errors.ts';
import type { Plugin, PluginSetting, Setting } from '../../src/domain/administration.ts';
import { nodeStats } from '../monitor/fake-api.ts';
import { capabilitiesOfA, capabilitiesOfB, setUpRunner, timesCalled } from './support.ts';

const nodes = ['a', 'b', 'c'] as const;

const plugin = (active: boolean): Plugin => ({ name: 'web_hook', version: '2.3', description: undefined, active });

/** Three nodes with one plugin; requests act on the nodes in `obeying`. */
function setUpPlugins(active: Readonly<Record<string, boolean>> = { a: false, b: false, c: false }) {
  const state = new Map(Object.entries(active));
  const obeying = new Set<string>(nodes);
  const failing = new Map<string, ApiError>();
  const asked: (string | undefined)[] = [];
  const unreadable = new Set<string>();
  const change = async (node: string | undefined, to: boolean): Promise<void> => {
    asked.push(node);
    for (const each of node === undefined ? nodes : [node]) if (obeying.has(each)) state.set(each, to);
    const error = failing.get(node ?? 'all');
    if (error !== undefined) throw error;
  };
  const running = new Set(['a', 'b']);
  const rig = setUpRunner({
    listNodeStats: async () => nodes.map((node) => nodeStats(node, running.has(node) ? 'running' : 'stopped')),
    listPlugins: async (node) => {
      if (unreadable.has(node)) throw new NoAnswerError();
      return [plugin(state.get(node) === true)];
    },
    startPlugin: (node) => change(node, true),
    stopPlugin: (node) => change(node, false),
  });
  const shown = nodes.map((node) => ({ node, active: state.get(node) }));
  return { ...rig, state, obeying, failing, asked, unreadable, shown, running };
}

describe('starting and stopping a plugin', () => {
  test('with a node in the path asks each node that is not as wanted once, and reads each', async () => {
    const rig = setUpPlugins({ a: false, b: true, c: false });
    const result = await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }));
    expect(rig.asked).toEqual(['a', 'c']);
    expect(result).toMatchObject({ outcome: 'done', before: { a: false, b: true, c: false }, after: { a: true, c: true } });
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([['a', 'done'], ['c', 'done'], ['b', 'done']]);
  });

  test('without a node in the path asks once, and says on how many nodes it took', async () => {
    const rig = setUpPlugins();
    rig.obeying.delete('b');
    rig.obeying.delete('c');
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfA });
    const result = await rig.run(action);
    expect(rig.asked).toEqual([undefined]);
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([['a', 'done'], ['b', 'not-done'], ['c', 'not-done']]);
    expect(describeResult(action, result)).toBe(
      'Not done: start plugin web_hook on all nodes (a, b, c). 1 of 3 nodes took it. b, c: The plugin is inactive.',
    );
  });

  test('leaves stopped nodes as they are, names them, and is done all the same', async () => {
    const rig = setUpPlugins();
    const meant = { plugin: 'web_hook', nodes: rig.shown.slice(0, 2), stopped: ['c'], capabilities: capabilitiesOfA };
    const action = startPlugin.create(meant);
    const result = await rig.run(action);
    expect(describeResult(action, result)).toBe('Done: start plugin web_hook on all nodes that run (a, b). 2 of 3 nodes took it. c: It is stopped: not changed.');
    expect(partlyDoneAction(action, result)?.failures).toEqual(['c: not done. It is stopped: not changed.']);
    rig.running.add('c');
    const again = stopPlugin.create(meant);
    expect(await rig.run(again)).toMatchObject({ reason: 'changed', wasSent: false, why: 'Changed since listed: c runs now.' });
  });

  test('101 from one node leaves that to the reading, and does not keep the others from being asked', async () => {
    const rig = setUpPlugins();
    rig.failing.set('a', errorOfCode(101));
    const result = await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }));
    expect(rig.asked).toEqual(['a', 'b', 'c']);
    expect(result.outcome).toBe('done');
  });

  test('a node that has it already is not asked, stands among the others, and is not called done in the audit', async () => {
    const rig = setUpPlugins();
    await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown.slice(1, 2), capabilities: capabilitiesOfB }));
    const shown = rig.shown.map((each) => (each.node === 'b' ? { ...each, active: true } : each));
    const action = startPlugin.create({ plugin: 'web_hook', nodes: shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action);
    expect(rig.asked).toEqual(['b', 'a', 'c']);
    expect(describeResult(action, result)).toBe('Done: start plugin web_hook on a, b, c. 2 of 3 nodes took it, b had it already.');
    const entry = rig.written.at(-1);
    const line = entry === undefined ? undefined : formatAuditLine({ operator: 'op', url: 'http://127.0.0.1', brokerUser: undefined }, entry);
    expect(JSON.parse(line ?? '')).toMatchObject({ kind: 'outcome', outcome: 'done', after: { a: true, c: true }, nodes: { a: 'done', b: 'unchanged', c: 'done' } });
  });

  test('110: somebody else was faster', async () => {
    const rig = setUpPlugins();
    rig.failing.set('a', errorOfCode(110, 'already_started'));
    const result = await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown.slice(0, 1), capabilities: capabilitiesOfB }));
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'answer', error: { code: 110 } });
  });

  test('a wrong password ends the series', async () => {
    const rig = setUpPlugins();
    rig.obeying.clear();
    rig.failing.set('a', new UnauthorizedError());
    const result = await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }));
    expect(rig.asked).toEqual(['a']);
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['not-done', 'not-done', 'not-done']);
  });

  test('a node that cannot be read again is not asked, and counts as not done', async () => {
    const rig = setUpPlugins();
    rig.unreadable.add('b');
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action);
    expect(rig.asked).toEqual(['a', 'c']);
    expect(describeResult(action, result)).toContain('2 of 3 nodes took it. b: It could not be read again');
  });

  test('a node that cannot be read again keeps a request for all nodes from being sent', async () => {
    const rig = setUpPlugins();
    rig.unreadable.add('b');
    const result = await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfA }));
    expect(result).toMatchObject({ reason: 'changed', wasSent: false });
    expect(rig.asked).toEqual([]);
  });

  test('a node that stops answering afterwards is unknown', async () => {
    const rig = setUpPlugins();
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action, { onPhase: (phase) => { if (phase === 'verifying') rig.unreadable.add('c'); } });
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown']);
    expect(result.outcome).toBe('unknown');
    expect(describeResult(action, result)).toContain('2 of 3 nodes took it, 1 unknown.');
    expect(partlyDoneAction(action, result)?.failures).toEqual([expect.stringMatching(/^c: unknown/u)]);
  });

  test('is refused when a node changed since it was listed, when nothing is to do, and when the plugin is gone', async () => {
    const rig = setUpPlugins();
    rig.state.set('b', true);
    expect(await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }))).toMatchObject({ reason: 'changed', why: 'Changed since listed: on b the plugin is active now.' });
    expect(await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: [{ node: 'b', active: true }], capabilities: capabilitiesOfB }))).toMatchObject({ reason: 'changed', why: 'It is active there already.' });
    expect(await rig.run(startPlugin.create({ plugin: 'other', nodes: rig.shown, capabilities: capabilitiesOfB }))).toMatchObject({ reason: 'changed' });
    expect(rig.asked).toEqual([]);
  });
});

const setting = (value: string): Setting => ({ key: 'mqtt.max_packet', value, dataType: 'integer', app: 'broker' });

/** Three nodes with one setting; a change takes on the nodes in `obeying`. */
function setUpSettings(error?: ApiError) {
  const state = new Map<string, string>(nodes.map((node) => [node, '10']));
  const obeying = new Set<string>(nodes);
  const asked: (readonly [string | undefined, string])[] = [];
  const rig = setUpRunner({
    capabilities: capabilitiesOfB,
    listNodeStats: async () => nodes.map((node) => nodeStats(node, node === 'c' ? 'stopped' : 'running')),
    getSettings: async (node) => [{ ...setting('1'), app: 'other' }, setting(state.get(node) ?? '')],
    changeSetting: async (node, { value }) => {
      asked.push([node, value]);
      for (const each of node === undefined ? nodes : [node]) if (obeying.has(each)) state.set(each, value);
      if (error !== undefined) throw error;
    },
  });
  return { ...rig, state, obeying, asked, shown: nodes.map((node) => ({ node, value: state.get(node) })) };
}

describe('changing a hot setting', () => {
  const change = { app: 'broker', key: 'mqtt.max_packet', value: '20' };

  test('on all nodes asks once and reads back on every node', async () => {
    const rig = setUpSettings();
    const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }));
    expect(rig.asked).toEqual([[undefined, '20']]);
    expect(result).toMatchObject({ outcome: 'done', before: { a: '10', b: '10', c: '10' }, after: { a: '20', b: '20', c: '20' } });
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([['a', 'done'], ['b', 'done'], ['c', 'done']]);
  });

  test.each([undefined, new NotFoundError()])('taken by one of three nodes (%s) is not done, and says 1 of 3', async (error) => {
    const rig = setUpSettings(error);
    rig.obeying.delete('b');
    rig.obeying.delete('c');
    const action = changeSetting.create({ ...change, nodes: rig.shown, isForAll: true });
    const result = await rig.run(action);
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'not-done', 'not-done']);
    expect(result.outcome).toBe('not-done');
    expect(describeResult(action, result)).toMatch(/ 1 of 3 nodes took it\. .*b, c: .*It is 10\.$/u);
  });

  test.each([new TimeoutError(5_000), errorOfCode(101), new NoAnswerError()])('lost (%s) is unknown where it does not show', async (error) => {
    const rig = setUpSettings(error);
    rig.obeying.delete('c');
    const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }));
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown']);
  });

  test('leaves a stopped node as it is, and says so', async () => {
    const rig = setUpSettings();
    rig.obeying.delete('c');
    const action = changeSetting.create({ ...change, value: '', nodes: rig.shown.slice(0, 2), isForAll: true, stopped: ['c'] });
    const result = await rig.run(action);
    expect(describeResult(action, result)).toBe('Done: set mqtt.max_packet to "" on all nodes that run (a, b). 2 of 3 nodes took it. c: It is stopped: not changed.');
    expect(await rig.run(changeSetting.create({ ...change, nodes: rig.shown.slice(0, 2), isForAll: true, stopped: ['b'] }))).toMatchObject({ reason: 'changed', wasSent: false });
  });

  test('on one node names it and looks at no other', async () => {
    const rig = setUpSettings();
    const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown.slice(1, 2), isForAll: false }));
    expect(rig.asked).toEqual([['b', '20']]);
    expect(result).toMatchObject({ outcome: 'done', before: { b: '10' }, after: { b: '20' } });
  });

  test('is refused when a node has another value than shown, or all have the new one, or the variant has no settings', async () => {
    const rig = setUpSettings();
    rig.state.set('b', '11');
    expect(await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }))).toMatchObject({ reason: 'changed', why: 'Changed since listed: on b it is 11 now.' });
    expect(await rig.run(changeSetting.create({ ...change, value: '11', nodes: [{ node: 'b', value: '11' }], isForAll: false }))).toMatchObject({ reason: 'changed' });
    const old = setUpRunner({ capabilities: capabilitiesOfA });
    expect(await old.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }))).toMatchObject({ reason: 'unsupported', error: { kind: 'unsupported' } });
    expect([...rig.asked, ...old.calls]).toEqual([]);
  });
});

test('a log level that reads as before is unknown where the answer was lost, and done where it reads as wanted', async () => {
  const state = { value: 'error', readsBack: false };
  const rig = setUpRunner({
    capabilities: capabilitiesOfB,
    getSettings: async () => [{ key: 'log.console.level', value: state.value, dataType: 'enum', app: 'broker' }],
    changeSetting: async (_, { value }) => {
      if (!state.readsBack) throw new NotFoundError();
      state.value = value;
    },
  });
  const change = () => changeSetting.create({ app: 'broker', key: 'log.console.level', value: 'debug', nodes: [{ node: 'a', value: 'error' }], isForAll: false });
  expect(await rig.run(change())).toMatchObject({ outcome: 'unknown', wasSent: true });
  state.readsBack = true;
  expect(await rig.run(change())).toMatchObject({ outcome: 'done', reason: 'reading' });
});

const pluginSetting = (key: string, value: string, required = false): PluginSetting => ({ key, value, required, description: '' });

function setUpPluginSettings() {
  const state = { unusable: 0, settings: [pluginSetting('url', 'http://old', true), pluginSetting('auth.password', 'hunter2'), pluginSetting('__proto__', 'x'), pluginSetting('batch', '1')] };
  const sent: Readonly<Record<string, string>>[] = [];
  let ignored: readonly string[] = [];
  let refusal: ApiError | undefined;
  const rig = setUpRunner({
    capabilities: capabilitiesOfB,
    getPluginSettings: async (_, __, options) => {
      if (state.unusable > 0) options?.onUnusable?.({ count: state.unusable, example: 'key: number' });
      return state.settings;
    },
    listPlugins: async () => [plugin(true)],
    replacePluginSettings: async (_, __, settings) => {
      sent.push(settings);
      state.settings = state.settings.map((each) => (ignored.includes(each.key) ? each : { ...each, value: Object.hasOwn(settings, each.key) ? (settings[each.key] ?? '') : '' }));
      if (refusal !== undefined) throw refusal;
    },
  });
  return { ...rig, state, sent, refuse: (error: ApiError) => { refusal = error; }, shown: state.settings, ignore: (keys: readonly string[]) => { ignored = keys; } };
}

describe('changing the settings of a plugin', () => {
  const where = { node: 'a', plugin: 'web_hook' };

  test('always sends the whole set: the edits over what is there at that moment', async () => {
    const rig = setUpPluginSettings();
    rig.state.settings = rig.state.settings.map((each) => (each.key === 'batch' ? { ...each, value: '7' } : each));
    const result = await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }));
    expect(rig.sent.map((settings) => Object.entries(settings))).toEqual([[['url', 'http://new'], ['auth.password', 'hunter2'], ['__proto__', 'x'], ['batch', '7']]]);
    expect(result).toMatchObject({ outcome: 'done', before: { url: 'http://old' }, after: { url: 'http://new' } });
  });

  test('is not done when the broker keeps the old value', async () => {
    const rig = setUpPluginSettings();
    rig.ignore(['url']);
    expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }))).toMatchObject({ outcome: 'not-done', why: 'a: url is http://old. The plugin is active.' });
  });

  test('a refusal is said with what the settings and the plugin are now', async () => {
    const rig = setUpPluginSettings();
    rig.ignore(['url', 'auth.password', '__proto__', 'batch']);
    rig.refuse(errorOfCode(102, 'goes on with those that it has'));
    const action = replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } });
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'not-done', isAccepted: false });
    expect(describeResult(action, result)).toMatch(/^Not done: .*code 102\)\. It says: goes on with those that it has url is http:\/\/old\. The plugin is active\.$/u);
  });

  test('names no password in its title, its values or its words', async () => {
    const rig = setUpPluginSettings();
    rig.ignore(['auth.password']);
    const action = replacePluginSettings.create({ ...where, shown: rig.shown, edits: { 'auth.password': 'hunter3' } });
    const result = await rig.run(action);
    expect(rig.sent[0]?.['auth.password']).toBe('hunter3');
    const told = JSON.stringify([action, result, describeResult(action, result), rig.written]);
    expect(told).toContain('auth.password');
    expect(told).not.toMatch(/hunter/u);
  });

  test('is refused when what it changes has changed, and when there is nothing to change or something missing', async () => {
    const rig = setUpPluginSettings();
    rig.state.settings = rig.state.settings.map((each) => (each.key === 'url' ? { ...each, value: 'http://other' } : each));
    expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }))).toMatchObject({ reason: 'changed' });
    rig.state.settings = rig.shown.slice(0, 1);
    expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }))).toMatchObject({ reason: 'changed' });
    for (const edits of [{}, { url: 'http://old' }, { url: '' }, { unknown: '1' }]) {
      expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits }))).toMatchObject({ reason: 'invalid' });
    }
    expect(timesCalled(rig.calls, 'replacePluginSettings')).toBe(0);
  });

  test('is refused while a setting is not understood, which it would empty', async () => {
    const rig = setUpPluginSettings();
    rig.state.unusable = 1;
    expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }))).toMatchObject({ outcome: 'not-done', reason: 'changed', why: expect.stringContaining('would be emptied') });
    expect(rig.sent).toEqual([]);
  });

  test('shows the difference that edits make', () => {
    const { shown } = setUpPluginSettings();
    expect(differenceOfSettings(shown, { batch: '2', url: 'http://old' })).toEqual([{ key: 'batch', before: '1', after: '2' }]);
  });
});
