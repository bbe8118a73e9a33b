import { differenceOfSettings, replacePluginSettings } from '../../../src/resources/plugin-settings/actions.ts';
import { changeSetting, settingTypeOf } from '../../../src/resources/settings/actions.ts';
import { settingSentences, settingWords } from '../../../src/resources/settings/texts.ts';
import { startPlugin, stopPlugin } from '../../../src/resources/plugins/actions.ts';
import { pluginWords } from '../../../src/resources/plugins/texts.ts';
import { describe, expect, test } from 'vitest';
import type { Action, ActionWords } from '../../../src/actions/action.ts';
import { formatAuditLine } from '../../../src/actions/audit.ts';
import { partlyDoneAction } from '../../../src/actions/bulk.ts';
import { describeResult } from '../../../src/actions/describe.ts';
import type { Follow } from '../../../src/actions/runner.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import {
  type ApiError,
  NoAnswerError,
  NotFoundError,
  TimeoutError,
  UnauthorizedError,
} from '../../../src/api/errors.ts';
import type { Plugin, PluginSetting, Setting } from '../../../src/domain/administration.ts';
import { nodeStats } from '../../monitor/fake-api.ts';
import { capabilitiesOfA, capabilitiesOfB, setUpRunner, timesCalled } from '../../actions/support.ts';

const started = (where: string): ActionWords => pluginWords.set('web_hook', true, where);

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

/** Returns what an action led to, once it is done. */
async function ledToOf(
  { runner, clock }: ReturnType<typeof setUpPlugins>,
  action: Action,
): Promise<string | undefined> {
  let followIt: Follow | undefined;
  const running = runner.run(action, {
    onFollow: (follow) => {
      followIt = follow;
    },
  });
  await clock.advance(10_000);
  expect(await running).toMatchObject({ outcome: 'done' });
  const following = followIt?.(() => {});
  await clock.advance(10_000);
  return following;
}

describe('starting and stopping a plugin', () => {
  test('with a node in the path sends one request to each node that needs it, and verifies each', async () => {
    const rig = setUpPlugins({ a: false, b: true, c: false });
    const result = await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }),
    );
    expect(rig.asked).toEqual(['a', 'c']);
    expect(result).toMatchObject({
      outcome: 'done',
      before: { a: false, b: true, c: false },
      after: { a: true, c: true },
    });
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([
      ['a', 'done'],
      ['c', 'done'],
      ['b', 'done'],
    ]);
  });

  const others: readonly (readonly [string, boolean, Readonly<Record<string, boolean>>, string | undefined])[] = [
    ['still runs', false, { a: true, b: true, c: true }, 'Unchanged on b, c (active).'],
    ['runs no more', false, { a: true, b: false, c: false }, 'Now inactive on all running nodes.'],
    ['does not run', true, { a: false, b: false, c: true }, 'Unchanged on b (inactive).'],
    ['runs, too', true, { a: false, b: true, c: true }, 'Now active on all running nodes.'],
  ];
  test.each(others)('on one node says where else it %s', async (_, active, states, text) => {
    const rig = setUpPlugins(states);
    rig.running.add('c');
    expect(
      await ledToOf(
        rig,
        (active ? startPlugin : stopPlugin).create({
          plugin: 'web_hook',
          nodes: rig.shown.slice(0, 1),
          capabilities: capabilitiesOfB,
        }),
      ),
    ).toBe(text);
    expect(rig.asked).toEqual(['a']);
  });

  test('says nothing of stopped nodes, and names nodes that could not be read', async () => {
    const rig = setUpPlugins({ a: true, b: true, c: true });
    const stop = () =>
      stopPlugin.create({ plugin: 'web_hook', nodes: rig.shown.slice(0, 1), capabilities: capabilitiesOfB });
    expect(await ledToOf(rig, stop())).toBe('Unchanged on b (active).');
    rig.state.set('a', true);
    rig.running.add('c');
    rig.unreadable.add('c');
    expect(await ledToOf(rig, stop())).toBe('Unchanged on b (active). c could not be read.');
    rig.state.set('a', true);
    rig.running.delete('b');
    rig.running.delete('c');
    expect(await ledToOf(rig, stop())).toBeUndefined();
  });

  test('without a node in the path sends one request, and counts the nodes that changed', async () => {
    const rig = setUpPlugins();
    rig.obeying.delete('b');
    rig.obeying.delete('c');
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfA });
    const result = await rig.run(action);
    expect(rig.asked).toEqual([undefined]);
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([
      ['a', 'done'],
      ['b', 'not-done'],
      ['c', 'not-done'],
    ]);
    expect(describeResult(action, result)).toBe(
      `${outcomeTexts['not-done'](started('all nodes (a, b, c)'))} 1 of 3 nodes done. b, c: The plugin is inactive.`,
    );
  });

  test('leaves stopped nodes unchanged, names them, and is done', async () => {
    const rig = setUpPlugins();
    const meant = { plugin: 'web_hook', nodes: rig.shown.slice(0, 2), stopped: ['c'], capabilities: capabilitiesOfA };
    const action = startPlugin.create(meant);
    const result = await rig.run(action);
    expect(describeResult(action, result)).toBe(
      `${outcomeTexts.done(started('all running nodes (a, b)'))} 2 of 3 nodes done. c: Not running, not changed.`,
    );
    expect(partlyDoneAction(action, result)?.failures).toEqual(['c: not done. Not running, not changed.']);
    rig.running.add('c');
    const again = stopPlugin.create(meant);
    expect(await rig.run(again)).toMatchObject({
      reason: 'changed',
      wasSent: false,
      why: 'c is running again.',
    });
  });

  test('101 from one node is decided by reading, and the other nodes still get their requests', async () => {
    const rig = setUpPlugins();
    rig.failing.set('a', errorOfCode(101));
    const result = await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }),
    );
    expect(rig.asked).toEqual(['a', 'b', 'c']);
    expect(result.outcome).toBe('done');
  });

  test('a node that already has it gets no request, is listed, and is "unchanged" in the audit', async () => {
    const rig = setUpPlugins();
    await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown.slice(1, 2), capabilities: capabilitiesOfB }),
    );
    const shown = rig.shown.map((each) => (each.node === 'b' ? { ...each, active: true } : each));
    const action = startPlugin.create({ plugin: 'web_hook', nodes: shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action);
    expect(rig.asked).toEqual(['b', 'a', 'c']);
    expect(describeResult(action, result)).toBe(
      `${outcomeTexts.done(started('a, b, c'))} 2 of 3 nodes done, b unchanged.`,
    );
    const entry = rig.written.at(-1);
    const line =
      entry === undefined
        ? undefined
        : formatAuditLine({ operator: 'op', url: 'http://127.0.0.1', brokerUser: undefined }, entry);
    expect(JSON.parse(line ?? '')).toMatchObject({
      kind: 'outcome',
      outcome: 'done',
      after: { a: true, c: true },
      nodes: { a: 'done', b: 'unchanged', c: 'done' },
    });
  });

  test('110: it was already started', async () => {
    const rig = setUpPlugins();
    rig.failing.set('a', errorOfCode(110, 'already_started'));
    const result = await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown.slice(0, 1), capabilities: capabilitiesOfB }),
    );
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'answer', error: { code: 110 } });
  });

  test('a wrong password ends the series', async () => {
    const rig = setUpPlugins();
    rig.obeying.clear();
    rig.failing.set('a', new UnauthorizedError());
    const result = await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB }),
    );
    expect(rig.asked).toEqual(['a']);
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['not-done', 'not-done', 'not-done']);
  });

  test('a node that cannot be checked gets no request, and counts as not done', async () => {
    const rig = setUpPlugins();
    rig.unreadable.add('b');
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action);
    expect(rig.asked).toEqual(['a', 'c']);
    expect(describeResult(action, result)).toContain('2 of 3 nodes done. b: Not sent: the node could not be checked.');
  });

  test('a node that cannot be checked prevents a request for all nodes', async () => {
    const rig = setUpPlugins();
    rig.unreadable.add('b');
    const result = await rig.run(
      startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfA }),
    );
    expect(result).toMatchObject({ reason: 'changed', wasSent: false });
    expect(rig.asked).toEqual([]);
  });

  test('a node that stops answering afterwards is unknown', async () => {
    const rig = setUpPlugins();
    const action = startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB });
    const result = await rig.run(action, {
      onPhase: (phase) => {
        if (phase === 'verifying') rig.unreadable.add('c');
      },
    });
    expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown']);
    expect(result.outcome).toBe('unknown');
    expect(describeResult(action, result)).toContain('2 of 3 nodes done, 1 unknown.');
    expect(partlyDoneAction(action, result)?.failures).toEqual([expect.stringContaining('c: unknown')]);
  });

  test('is refused when a node has changed, when there is nothing to do, and when the plugin is gone', async () => {
    const rig = setUpPlugins();
    rig.state.set('b', true);
    expect(
      await rig.run(startPlugin.create({ plugin: 'web_hook', nodes: rig.shown, capabilities: capabilitiesOfB })),
    ).toMatchObject({ reason: 'changed', why: 'it is now active on b.' });
    expect(
      await rig.run(
        startPlugin.create({ plugin: 'web_hook', nodes: [{ node: 'b', active: true }], capabilities: capabilitiesOfB }),
      ),
    ).toMatchObject({ reason: 'changed', why: 'it is already active.' });
    expect(
      await rig.run(startPlugin.create({ plugin: 'other', nodes: rig.shown, capabilities: capabilitiesOfB })),
    ).toMatchObject({ reason: 'changed' });
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

  test('on all nodes sends one request and verifies every node', async () => {
    const rig = setUpSettings();
    const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }));
    expect(rig.asked).toEqual([[undefined, '20']]);
    expect(result).toMatchObject({
      outcome: 'done',
      before: { a: '10', b: '10', c: '10' },
      after: { a: '20', b: '20', c: '20' },
    });
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([
      ['a', 'done'],
      ['b', 'done'],
      ['c', 'done'],
    ]);
  });

  test.each([undefined, new NotFoundError()])(
    'taken by one of three nodes (%s) is not done, and says 1 of 3',
    async (error) => {
      const rig = setUpSettings(error);
      rig.obeying.delete('b');
      rig.obeying.delete('c');
      const action = changeSetting.create({ ...change, nodes: rig.shown, isForAll: true });
      const result = await rig.run(action);
      expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'not-done', 'not-done']);
      expect(result.outcome).toBe('not-done');
      expect(describeResult(action, result)).toMatch(/ 1 of 3 nodes .*b, c: .*10\.$/u);
    },
  );

  test.each([new TimeoutError(5_000), errorOfCode(101), new NoAnswerError()])(
    'lost (%s) is unknown where it does not show',
    async (error) => {
      const rig = setUpSettings(error);
      rig.obeying.delete('c');
      const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }));
      expect(result.parts.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'unknown']);
    },
  );

  test('leaves a stopped node unchanged, and says so', async () => {
    const rig = setUpSettings();
    rig.obeying.delete('c');
    const action = changeSetting.create({
      ...change,
      value: '',
      nodes: rig.shown.slice(0, 2),
      isForAll: true,
      stopped: ['c'],
    });
    const result = await rig.run(action);
    expect(describeResult(action, result)).toBe(
      'Set mqtt.max_packet to "" on all running nodes (a, b). 2 of 3 nodes done. a, b: It was 10. c: Not running, not changed.',
    );
    expect(
      await rig.run(changeSetting.create({ ...change, nodes: rig.shown.slice(0, 2), isForAll: true, stopped: ['b'] })),
    ).toMatchObject({ reason: 'changed', wasSent: false });
  });

  test('is described with the unit of what it counts', () => {
    expect(settingWords.change('mqtt.mqueue.max_length', '5000', 'b', 'message').past).toBe(
      'Set mqtt.mqueue.max_length to 5,000 messages on b',
    );
    expect(settingWords.change('log.console.level', 'two words', 'b').past).toBe(
      'Set log.console.level to "two words" on b',
    );
    expect([settingSentences.was('1', 'message'), settingSentences.was(undefined, 'message')]).toEqual([
      'It was 1 message.',
      'It was unknown.',
    ]);
  });

  test('on one node names it and reads no other', async () => {
    const rig = setUpSettings();
    const result = await rig.run(changeSetting.create({ ...change, nodes: rig.shown.slice(1, 2), isForAll: false }));
    expect(rig.asked).toEqual([['b', '20']]);
    expect(result).toMatchObject({ outcome: 'done', before: { b: '10' }, after: { b: '20' } });
  });

  test('is refused when a node has another value than shown, or all have the new one, or the variant has no settings', async () => {
    const rig = setUpSettings();
    rig.state.set('b', '11');
    expect(await rig.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }))).toMatchObject({
      reason: 'changed',
      why: 'it is now 11 on b.',
    });
    expect(
      await rig.run(
        changeSetting.create({ ...change, value: '11', nodes: [{ node: 'b', value: '11' }], isForAll: false }),
      ),
    ).toMatchObject({ reason: 'changed' });
    const old = setUpRunner({ capabilities: capabilitiesOfA });
    expect(await old.run(changeSetting.create({ ...change, nodes: rig.shown, isForAll: true }))).toMatchObject({
      reason: 'unsupported',
      error: { kind: 'not-supported' },
    });
    expect([...rig.asked, ...old.calls]).toEqual([]);
  });
});

test('a log level that reads as before is unknown where the answer was lost, and done where it reads as wanted', async () => {
  const state = { value: 'error', readsBack: false };
  const rig = setUpRunner({
    capabilities: capabilitiesOfB,
    getSettings: async () => [
      { key: 'log.console.level', value: state.value, dataType: 'enum', app: 'broker', mayReadBackUnchanged: true },
    ],
    changeSetting: async (_, { value }) => {
      if (!state.readsBack) throw new NotFoundError();
      state.value = value;
    },
  });
  const change = () =>
    changeSetting.create({
      app: 'broker',
      key: 'log.console.level',
      value: 'debug',
      nodes: [{ node: 'a', value: 'error' }],
      isForAll: false,
    });
  expect(await rig.run(change())).toMatchObject({ outcome: 'unknown', wasSent: true });
  state.readsBack = true;
  expect(await rig.run(change())).toMatchObject({ outcome: 'done', reason: 'reading' });
});

const pluginSetting = (key: string, value: string, required = false): PluginSetting => ({
  key,
  value,
  required,
  description: '',
});

function setUpPluginSettings() {
  const state = {
    unusable: 0,
    settings: [
      pluginSetting('url', 'http://old', true),
      pluginSetting('auth.password', 'hunter2'),
      pluginSetting('__proto__', 'x'),
      pluginSetting('batch', '1'),
    ],
  };
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
      state.settings = state.settings.map((each) =>
        ignored.includes(each.key)
          ? each
          : { ...each, value: Object.hasOwn(settings, each.key) ? (settings[each.key] ?? '') : '' },
      );
      if (refusal !== undefined) throw refusal;
    },
  });
  return {
    ...rig,
    state,
    sent,
    refuse: (error: ApiError) => {
      refusal = error;
    },
    shown: state.settings,
    ignore: (keys: readonly string[]) => {
      ignored = keys;
    },
  };
}

describe('changing the settings of a plugin', () => {
  const where = { node: 'a', plugin: 'web_hook' };

  test('always sends the whole set: the edits over the current values', async () => {
    const rig = setUpPluginSettings();
    rig.state.settings = rig.state.settings.map((each) => (each.key === 'batch' ? { ...each, value: '7' } : each));
    const result = await rig.run(
      replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } }),
    );
    expect(rig.sent.map((settings) => Object.entries(settings))).toEqual([
      [
        ['url', 'http://new'],
        ['auth.password', 'hunter2'],
        ['__proto__', 'x'],
        ['batch', '7'],
      ],
    ]);
    expect(result).toMatchObject({ outcome: 'done', before: { url: 'http://old' }, after: { url: 'http://new' } });
  });

  test('is not done when the broker keeps the old value', async () => {
    const rig = setUpPluginSettings();
    rig.ignore(['url']);
    expect(
      await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } })),
    ).toMatchObject({ outcome: 'not-done', why: 'url is http://old. The plugin is active.' });
  });

  test('a refusal is reported with the current settings and plugin state', async () => {
    const rig = setUpPluginSettings();
    rig.ignore(['url', 'auth.password', '__proto__', 'batch']);
    rig.refuse(errorOfCode(102, 'goes on with those that it has'));
    const action = replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } });
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'not-done', isAccepted: false });
    expect(describeResult(action, result)).toMatch(
      /code 102\)\. The broker says: goes on with those that it has url is http:\/\/old. The plugin is active.$/u,
    );
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

  test('is refused when a setting has changed, when nothing would change, and when a required value is missing', async () => {
    const rig = setUpPluginSettings();
    rig.state.settings = rig.state.settings.map((each) =>
      each.key === 'url' ? { ...each, value: 'http://other' } : each,
    );
    expect(
      await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } })),
    ).toMatchObject({ reason: 'changed' });
    rig.state.settings = rig.shown.slice(0, 1);
    expect(
      await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } })),
    ).toMatchObject({ reason: 'changed' });
    for (const edits of [{}, { url: 'http://old' }, { url: '' }, { unknown: '1' }]) {
      expect(await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits }))).toMatchObject({
        reason: 'invalid',
      });
    }
    expect(timesCalled(rig.calls, 'replacePluginSettings')).toBe(0);
  });

  test('is refused while a setting cannot be decoded, because the request would clear it', async () => {
    const rig = setUpPluginSettings();
    rig.state.unusable = 1;
    expect(
      await rig.run(replacePluginSettings.create({ ...where, shown: rig.shown, edits: { url: 'http://new' } })),
    ).toMatchObject({
      outcome: 'not-done',
      reason: 'changed',
      why: '1 setting could not be decoded, and the request would clear it.',
    });
    expect(rig.sent).toEqual([]);
  });

  test('shows the difference that edits make', () => {
    const { shown } = setUpPluginSettings();
    expect(differenceOfSettings(shown, { batch: '2', url: 'http://old' })).toEqual([
      { key: 'batch', before: '1', after: '2' },
    ]);
  });
});

test('a long row of digits is compared in linear time', () => {
  const digits = '1'.repeat(50_000);
  const duration = settingTypeOf('duration', ['20000']);
  expect(duration.isSame(`${digits}!`, '20000')).toBe(false);
  expect(duration.isSame('20s', '20000')).toBe(true);
  expect(duration.isSame('1h30m', '5400000')).toBe(true);
  expect(duration.isSame('20q', '20')).toBe(false);
});
