import { describe, expect, onTestFinished, test } from 'vitest';
import { type ActingMonitor } from '../../src/actions/acting-monitor.ts';
import { createMonitor } from '../../src/resources/cluster.ts';
import type { Action, Read, Undo } from '../../src/actions/action.ts';
import { withoutSecrets } from '../../src/actions/undo.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import type { Ban, Listener, PluginSetting } from '../../src/domain/administration.ts';
import type { EventAction } from '../../src/domain/event.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { type AnyAction, actionDefinitions } from '../../src/resources/actions.ts';
import { addApiKey, deleteApiKey, disableApiKey } from '../../src/resources/api-keys/actions.ts';
import { addBan, liftBan } from '../../src/resources/bans/actions.ts';
import { stopListener } from '../../src/resources/listeners/actions.ts';
import { replacePluginSettings } from '../../src/resources/plugin-settings/actions.ts';
import { startPlugin } from '../../src/resources/plugins/actions.ts';
import { changeSetting } from '../../src/resources/settings/actions.ts';
import { changeUserTags } from '../../src/resources/users/actions.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { createTheme } from '../../src/terminal/theme.ts';
import { nodeStats } from '../monitor/fake-api.ts';
import { now, setUp } from '../resources/support.ts';
import { type DoneAction, undoRequest } from '../../src/actions/undo-request.ts';

const pluginSetting = (key: string, value: string, required = true): PluginSetting => ({
  key,
  value,
  required,
  description: '',
});

const eve: Ban = { kind: 'username', value: 'eve', reason: 'noisy', by: 'admin', since: now, until: now + 60 };

const theme = createTheme({});

/** Two nodes that remember what is changed. */
function setUpCluster() {
  const state = {
    settings: new Map([
      ['a', '1000'],
      ['b', '1000'],
    ]),
    active: new Map([
      ['a', false],
      ['b', true],
    ]),
    pluginSettings: [pluginSetting('url', 'http://old'), pluginSetting('proxy', '', false)],
    tags: 'viewer',
  };
  const setActive = async (node: string | undefined, active: boolean): Promise<void> => {
    for (const each of node === undefined ? ['a', 'b'] : [node]) state.active.set(each, active);
  };
  const calls: Partial<ManagementApi> = {
    getSettings: async (node) => [
      { app: 'emqx', key: 'limit', value: state.settings.get(node), dataType: 'integer', description: '' },
    ],
    async changeSetting(node, { value }) {
      for (const each of node === undefined ? ['a', 'b'] : [node]) state.settings.set(each, value);
    },
    listNodeStats: async () => ['a', 'b'].map((name) => nodeStats(name)),
    listPlugins: async (node) => [
      { name: 'hook', version: '1', description: undefined, active: state.active.get(node) === true },
    ],
    startPlugin: (node) => setActive(node, true),
    stopPlugin: (node) => setActive(node, false),
    getPluginSettings: async () => state.pluginSettings,
    async replacePluginSettings(_node, _plugin, values) {
      state.pluginSettings = state.pluginSettings.map(({ key }) =>
        pluginSetting(key, values[key] ?? '', Object.hasOwn(values, key)),
      );
    },
    listUsers: async () => [{ username: 'ann', tags: state.tags }],
    async changeUserTags(_username, tags) {
      state.tags = tags;
    },
  };
  const rig = setUp(() => calls);
  const listener: Listener = {
    id: 'tcp:default',
    protocol: 'mqtt:tcp',
    listen: '0.0.0.0:1883',
    running: 'yes',
    currentClients: 3,
    maxClients: 10,
    acceptors: undefined,
    address: '0.0.0.0',
    port: 1883,
    shutdownCount: {},
    shutdownCountRaw: undefined,
  };
  rig.broker.listeners = new Map([
    ['a', [listener]],
    ['b', [listener]],
  ]);
  rig.broker.bans = [eve];
  rig.broker.apiKeys = [
    { name: 'ci', key: 'k1', description: undefined, isEnabled: true, createdAt: now, expiresAt: undefined },
  ];
  const shown = () =>
    structuredClone({
      ...state,
      bans: rig.broker.bans,
      apiKeys: rig.broker.apiKeys,
      running: [...rig.broker.listeners.values()].flat().map(({ running }) => running),
    });
  const read: Read = (request) => request(rig.api, {});
  return { ...rig, read, state, shown };
}

type Cluster = ReturnType<typeof setUpCluster>;

const perNode = { pluginPerNode: true };

/** An action, how somebody else changes its object afterwards, and what undoing it says then. */
const cases: Readonly<
  Record<
    string,
    readonly [create: (cluster: Cluster) => Action, intervene: (cluster: Cluster) => void, refused: string]
  >
> = {
  'a setting of one node': [
    () =>
      changeSetting.create({
        app: 'emqx',
        key: 'limit',
        value: '5000',
        nodes: [{ node: 'a', value: '1000' }],
        isForAll: false,
      }),
    ({ state }) => state.settings.set('a', '7000'),
    'It was changed since: it is now 7000 on a.',
  ],
  'a setting of all nodes': [
    () =>
      changeSetting.create({
        app: 'emqx',
        key: 'limit',
        value: '5000',
        nodes: [
          { node: 'a', value: '1000' },
          { node: 'b', value: '1000' },
        ],
        isForAll: true,
      }),
    ({ state }) => state.settings.set('b', '7000'),
    'It was changed since: it is now 7000 on b.',
  ],
  'the settings of a plugin': [
    ({ state }) =>
      replacePluginSettings.create({
        node: 'a',
        plugin: 'hook',
        shown: state.pluginSettings,
        edits: { url: 'http://new', proxy: 'p' },
      }),
    ({ state }) => {
      state.pluginSettings = [pluginSetting('url', 'http://third'), pluginSetting('proxy', 'p')];
    },
    'It was changed since: url is now http://third.',
  ],
  'a plugin that was started where it was not active': [
    () =>
      startPlugin.create({
        plugin: 'hook',
        nodes: [
          { node: 'a', active: false },
          { node: 'b', active: true },
        ],
        capabilities: perNode,
      }),
    ({ state }) => state.active.set('a', false),
    'it is now inactive on a.',
  ],
  'a stopped listener': [
    () =>
      stopListener.create({
        id: 'tcp:default',
        nodes: [
          { node: 'a', running: 'yes' },
          { node: 'b', running: 'yes' },
        ],
      }),
    ({ broker }) => {
      broker.listeners = new Map([...broker.listeners].map(([node, list]) => [node, list.slice(1)]));
    },
    'it is no longer listed.',
  ],
  'a new ban': [
    () => addBan.create({ kind: 'client-id', value: 'x', seconds: 60 }),
    ({ broker }) => {
      broker.bans = broker.bans.map((ban) => (ban.value === 'x' ? { ...ban, until: now + 9_000 } : ban));
    },
    'It was changed since: the ban was changed; it now expires at 2026-03-01 16:36:40.',
  ],
  'a lifted ban': [
    () => liftBan.create(eve),
    ({ broker }) => {
      broker.bans = [{ kind: 'username', value: 'eve', reason: 'mine', by: 'bob', since: now, until: undefined }];
    },
    'it is already banned. Lift that ban first.',
  ],
  'tags of a user': [
    () => changeUserTags.create({ username: 'ann', tags: 'viewer' }, 'administrator'),
    ({ state }) => {
      state.tags = 'other';
    },
    'the tags are now other.',
  ],
  'a new API key': [
    () => addApiKey.create({ name: 'new' }),
    ({ broker }) => {
      broker.apiKeys = broker.apiKeys.map((key) => (key.name === 'new' ? { ...key, key: 'k9' } : key));
    },
    'It was changed since: another key has this name now.',
  ],
  'a disabled API key': [
    ({ broker: { apiKeys } }) => disableApiKey.create(apiKeys[0] as (typeof apiKeys)[number]),
    ({ broker }) => {
      broker.apiKeys = [];
    },
    'it no longer exists.',
  ],
};

const undoOf = ({ name }: Pick<Action, 'name'>): Undo | undefined =>
  actionDefinitions.find((definition: AnyAction) => definition.id === name)?.undo;

/** What another run reads of what an action changed. */
const kept = (changed: object | undefined): unknown => changed && withoutSecrets(changed);

async function runAndUndo(cluster: Cluster, action: Action, intervene: () => void = () => {}) {
  const done = await cluster.run(action);
  expect(done).toMatchObject({ outcome: 'done', wasSent: true });
  intervene();
  const undoing = await undoOf(action)?.(kept(action.changed?.(done)), cluster.read);
  if (undoing === undefined || 'refused' in undoing) return { refused: undoing?.refused };
  const result = await cluster.run(undoing.action);
  return { result, refused: result.wasSent ? undefined : result.why };
}

describe('undo', () => {
  test.each(Object.entries(cases))('takes back %s', async (_, [create]) => {
    const cluster = setUpCluster();
    const before = cluster.shown();
    const { result } = await runAndUndo(cluster, create(cluster));
    expect(result).toMatchObject({ outcome: 'done', wasSent: true });
    expect(cluster.shown()).toEqual(before);
  });

  test.each(Object.entries(cases))('leaves %s that was changed since', async (_, [create, intervene, refused]) => {
    const cluster = setUpCluster();
    let changed: unknown;
    const outcome = await runAndUndo(cluster, create(cluster), () => {
      intervene(cluster);
      changed = cluster.shown();
    });
    expect(outcome.refused).toBe(refused);
    expect(cluster.shown()).toEqual(changed);
  });

  test('does not give nodes that differed before one value', async () => {
    const cluster = setUpCluster();
    cluster.state.settings.set('b', '2000');
    const { refused } = await runAndUndo(
      cluster,
      changeSetting.create({
        app: 'emqx',
        key: 'limit',
        value: '5000',
        nodes: [
          { node: 'a', value: '1000' },
          { node: 'b', value: '2000' },
        ],
        isForAll: true,
      }),
    );
    expect(refused).toBe('The nodes differed before. Change them one by one.');
  });

  test('does not stop a plugin on nodes where it was active before', async () => {
    const cluster = setUpCluster();
    const { refused } = await runAndUndo(
      cluster,
      startPlugin.create({
        plugin: 'hook',
        nodes: [
          { node: 'a', active: false },
          { node: 'b', active: true },
        ],
        capabilities: { pluginPerNode: false },
      }),
    );
    expect(refused).toBe('It changed only a.');
  });

  test('says what settings of a plugin and a ban would become', async () => {
    const cluster = setUpCluster();
    const settings = replacePluginSettings.create({
      node: 'a',
      plugin: 'hook',
      shown: [...cluster.state.pluginSettings],
      edits: { url: 'http://new' },
    });
    const undoing = await undoOf(settings)?.(settings.changed?.(await cluster.run(settings)), cluster.read);
    expect(undoing).toMatchObject({ notes: ['url: http://new → http://old.'] });
    cluster.broker.bans = [eve];
    const lifting = liftBan.create(eve);
    const banning = await undoOf(lifting)?.(lifting.changed?.(await cluster.run(lifting)), cluster.read);
    expect(banning).toMatchObject({
      notes: [
        expect.stringMatching(/^The ban expires at .* \(broker time\)\.$/u),
        'The broker lists it as a new ban, by the user of this login.',
      ],
    });
  });

  test('says that a ban by client ID disconnects again', async () => {
    const { read } = setUpCluster();
    expect(await liftBan.undo?.({ kind: 'client-id', value: 'x' }, read)).toMatchObject({
      notes: expect.arrayContaining(['If the client is connected, it is disconnected.']),
    });
  });

  test('does not renew a ban that would have ended', async () => {
    const cluster = setUpCluster();
    const ban = { ...eve, until: now - 5 };
    cluster.broker.bans = [ban];
    const { refused } = await runAndUndo(cluster, liftBan.create(ban));
    expect(refused).toMatch(/^It would have ended at .* \(broker time\)\.$/u);
    expect(cluster.broker.bans).toEqual([]);
  });
});

describe('a monitor', () => {
  function setUpMonitor(isReadOnly = false) {
    const cluster = setUpCluster();
    const monitor = createMonitor({
      api: cluster.api,
      clock: cluster.clock,
      intervalSeconds: 2,
      isReadOnly,
      author: 'ann',
    });
    onTestFinished(() => {
      monitor.stop();
    });
    return {
      ...cluster,
      monitor,
      reader: { monitor, signal: new AbortController().signal },
      async act(action: Action) {
        const result = monitor.runAction(action);
        await cluster.clock.advance(60_000);
        return result;
      },
    };
  }

  const eventsOf = ({ store }: ActingMonitor) => reading(store.getState(), timelineEvents);

  const lastAction = (monitor: ActingMonitor) => {
    const { text, action } = eventsOf(monitor).findLast(({ kind }) => kind === 'action') ?? {};
    return { text: text ?? '', action: action as EventAction };
  };

  const requestOf = (done: Pick<DoneAction, 'action' | 'text'>) =>
    undoRequest(theme, { ...done, when: safe`2026-11-27 14:02:31`, undo: undoOf(done.action) as Undo });

  test('asks before it undoes, and says what was done and what it does now', async () => {
    const { monitor, reader, act, broker } = setUpMonitor();
    await act(addBan.create({ kind: 'client-id', value: 'x', seconds: 60 }));
    const { text, action } = lastAction(monitor);
    expect(action.changed).toEqual({ kind: 'client-id', value: 'x', until: now + 60 });
    const undoing = await requestOf({ text: 'Banned client ID x.', action }).read(reader);
    expect(text).toMatch(/^Banned client ID x\./u);
    expect(undoing).toMatchObject({
      request: {
        kind: 'confirm',
        question: 'Undo this?',
        target: 'the ban on client ID x',
        details: ['Done 2026-11-27 14:02:31 by ann: Banned client ID x.', 'Now: lift the ban on client ID x'],
        mustType: 'undo',
      },
    });
    // Nothing has happened yet.
    expect(broker.bans.map(({ value }) => value)).toEqual(['eve', 'x']);
    if ('request' in undoing && undoing.request.kind === 'confirm') await act(undoing.request.action);
    expect(broker.bans.map(({ value }) => value)).toEqual(['eve']);
  });

  test('undoes what another run has done, once', async () => {
    const first = setUpMonitor();
    await first.act(addBan.create({ kind: 'client-id', value: 'x', seconds: 60 }));
    const { action, text } = lastAction(first.monitor);
    const line = JSON.parse(JSON.stringify({ text, action: { ...action, record: undefined } }));
    const second = setUpMonitor();
    second.broker.bans = first.broker.bans;
    // An action of this run with the same key is another one.
    await second.act(liftBan.create(eve));
    const undoing = await requestOf(line).read(second.reader);
    if ('request' in undoing && undoing.request.kind === 'confirm') await second.act(undoing.request.action);
    expect(second.broker.bans).toEqual([]);
    expect(await requestOf(line).read(second.reader)).toEqual({
      refused: 'It was changed since: it no longer exists.',
    });
  });

  test('wants a word typed, whatever it does', async () => {
    const { monitor, reader, act } = setUpMonitor();
    await act(liftBan.create(eve));
    expect(await requestOf(lastAction(monitor)).read(reader)).toMatchObject({
      request: { mustType: 'undo', details: expect.arrayContaining(['Now: ban username eve']) },
    });
  });

  test('offers nothing for an action that was not done, or cannot be taken back', async () => {
    const { monitor, act, broker } = setUpMonitor();
    broker.bans = [];
    await act(liftBan.create(eve));
    expect(lastAction(monitor).action).toMatchObject({ outcome: 'not-done' });
    expect(lastAction(monitor).action).not.toHaveProperty('changed');
    await act(deleteApiKey.create(broker.apiKeys[0] as (typeof broker.apiKeys)[number]));
    expect(lastAction(monitor).action).toMatchObject({ outcome: 'done' });
    expect(lastAction(monitor).action).not.toHaveProperty('changed');
  });

  test('undoes nothing that this version cannot read, and nothing in read-only mode', async () => {
    const { monitor, reader } = setUpMonitor();
    const action = { name: 'lift-ban', outcome: 'done', changed: { kind: 'of a later version' } } as const;
    expect(await requestOf({ text: '', action }).read(reader)).toEqual({
      refused: 'This version of brokertop cannot read what it changed.',
    });
    const readOnly = setUpMonitor(true);
    expect(await requestOf({ text: '', action }).read(readOnly.reader)).toEqual({
      refused: 'brokertop runs in read-only mode.',
    });
    expect(monitor.store.getState().actions).toEqual([]);
  });

  test('keeps no secret with an event, and undoes a secret setting in its own run only', async () => {
    const { monitor, reader, act, state } = setUpMonitor();
    state.pluginSettings = [
      pluginSetting('auth.password', 'secret-1'),
      pluginSetting('auth.params', 'password=secret-2'),
    ];
    await act(
      replacePluginSettings.create({
        node: 'a',
        plugin: 'hook',
        shown: state.pluginSettings,
        edits: { 'auth.password': 'secret-3', 'auth.params': 'password=secret-4' },
      }),
    );
    const done = lastAction(monitor);
    expect(JSON.stringify(eventsOf(monitor))).not.toContain('secret-');
    const ofAnotherRun = { ...done, action: { ...done.action, record: undefined } };
    expect(await requestOf(ofAnotherRun).read(reader)).toEqual({
      refused: 'Values of auth.password are secret, so only the run of brokertop that changed them can undo this.',
    });
    const undoing = await requestOf(done).read(reader);
    if ('request' in undoing && undoing.request.kind === 'confirm') await act(undoing.request.action);
    expect(state.pluginSettings.map(({ value }) => value)).toEqual(['secret-1', 'password=secret-2']);
  });
});

describe('in a later run', () => {
  test('a request for all nodes is refused where there are more nodes now', async () => {
    const cluster = setUpCluster();
    const ofOneNode = { nodes: [{ node: 'a', before: '1000' }], others: 0, isForAll: true };
    cluster.state.settings.set('a', '5000');
    const setting = { app: 'emqx', key: 'limit', after: '5000', ...ofOneNode };
    expect(await changeSetting.undo?.(setting, cluster.read)).toEqual({ refused: 'It would also act on b.' });
    const plugin = { plugin: 'hook', active: true, nodes: ['a'], others: 0, namesNode: false };
    expect(await startPlugin.undo?.(plugin, cluster.read)).toEqual({ refused: 'It would also act on b.' });
  });

  test('a plugin is not started or stopped on all nodes where it was one', async () => {
    const { read } = setUpCluster();
    const plugin = { plugin: 'hook', active: true, nodes: ['a', 'b'], others: 0, namesNode: false };
    expect(await startPlugin.undo?.(plugin, read)).toEqual({ refused: 'The broker has another API now.' });
  });
});
