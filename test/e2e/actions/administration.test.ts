import { connect, connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allNodesText, outcomeTexts } from '../../../src/actions/texts.ts';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { settingWords } from '../../../src/resources/settings/texts.ts';
import { definitionOf } from '../../../src/screens/registry.ts';
import { type BuiltCluster, startBuiltCluster } from '../../support/built-cluster.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { hint } from '../../support/texts.ts';
import { bodyOf, hintsOf, openReadyMonitor, waitForCursor } from '../support.ts';
import { beginForm, confirm, confirmByName, dialogIs, fillForm, findRow, repeatUntil, typeName } from './dialogs.ts';

type Api = ReturnType<typeof createHttpApi>;

const apis: Api[] = [];
const clients: MqttClient[] = [];

function apiOf({ url, user, password, variant }: BuiltCluster): Api {
  const api = createHttpApi({ url, user, password, variant });
  apis.push(api);
  return api;
}

async function connectClient(port: number): Promise<MqttClient> {
  const client = connect({ host: '127.0.0.1', port, reconnectPeriod: 0 });
  clients.push(client);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => {
      resolve();
    });
    client.once('error', reject);
  });
  return client;
}

/** Whether a retained message reaches a later subscriber. */
async function isRetained(port: number, name: string): Promise<boolean> {
  const publisher = await connectClient(port);
  await publisher.publishAsync(`kept/${name}`, 'kept', { qos: 1, retain: true });
  const subscriber = await connectClient(port);
  const topics: string[] = [];
  const marked = new Promise<void>((resolve) => {
    subscriber.on('message', (topic) => {
      topics.push(topic);
      if (topic === `mark/${name}`) resolve();
    });
  });
  await subscriber.subscribeAsync([`kept/${name}`, `mark/${name}`], { qos: 1 });
  // Retained messages are sent on subscription, so before this one.
  await publisher.publishAsync(`mark/${name}`, 'mark', { qos: 1 });
  await marked;
  await Promise.all([publisher.endAsync(), subscriber.endAsync()]);
  return topics.includes(`kept/${name}`);
}

/** Whether a client with this id can connect to a node. */
async function canConnect(port: number, clientId: string): Promise<boolean> {
  try {
    await (await connectAsync({ host: '127.0.0.1', port, clientId, reconnectPeriod: 0 })).endAsync();
    return true;
  } catch {
    return false;
  }
}

/** Whether a node publishes that a client has connected, as its modules plugin does. */
async function isConnectEventSent(port: number, name: string): Promise<boolean> {
  const listener = await connectClient(port);
  const topics: string[] = [];
  const marked = new Promise<void>((resolve) => {
    listener.on('message', (topic) => {
      topics.push(topic);
      if (topic === `mark/${name}`) resolve();
    });
  });
  await listener.subscribeAsync(['$SYS/brokers/+/clients/+/connected', `mark/${name}`], { qos: 1 });
  const visitor = await connectClient(port);
  // It connected before it published this.
  await visitor.publishAsync(`mark/${name}`, 'mark', { qos: 1 });
  await marked;
  await Promise.all([visitor.endAsync(), listener.endAsync()]);
  return topics.length > 1;
}

let terminal: TerminalSession;

// Variant A has fewer screens, and other requests for plugins and users; dialogs are the same.
describe.each(['a', 'b'] as const)('administration of a broker of variant %s', (variant) => {
  let cluster: BuiltCluster;
  let api: Api;

  beforeAll(async () => {
    cluster = await startBuiltCluster({ variant, nodes: 2 });
    api = apiOf(cluster);
  }, 180_000);

  afterAll(async () => {
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await Promise.all(apis.splice(0).map((each) => each.close()));
    await cluster?.stop();
  });

  beforeEach(async () => {
    terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 36 });
  });

  test('a stopped plugin has no effect until it is started again', async () => {
    const port = cluster.mqttPorts[0] ?? 0;
    expect(await isRetained(port, 'before')).toBe(true);
    terminal.press('8');
    await terminal.waitFor('broker_retainer');
    await findRow(terminal, 'broker_retainer');
    await terminal.waitFor(/broker_retainer +\[?2\/2\]? +● active +● active/);
    terminal.press('K');
    await confirmByName(terminal, 'Stop this plugin on all nodes?', 'broker_retainer');
    await terminal.waitFor(/broker_retainer +\[?0\/2\]? +○ inactive +○ inactive/);
    expect(await isRetained(port, 'between')).toBe(false);
    terminal.press('S');
    await confirmByName(terminal, 'Start this plugin on all nodes?', 'broker_retainer');
    await terminal.waitFor(/broker_retainer +\[?2\/2\]? +● active +● active/);
    expect(await isRetained(port, 'after')).toBe(true);
  }, 180_000);

  test.runIf(variant === 'b')(
    'a plugin that cannot start shows the reason of the broker; No does nothing',
    async () => {
      terminal.press('8');
      await terminal.waitFor('broker_auth_mysql');
      await findRow(terminal, 'broker_auth_mysql');
      terminal.press('S');
      await terminal.waitFor(dialogIs('Start this plugin'));
      await repeatUntil(
        terminal,
        () => {
          terminal.press('esc');
        },
        (session) => !dialogIs('Start this plugin')(session),
      );
      terminal.press('S');
      await confirmByName(terminal, 'Start this plugin on all nodes?', 'broker_auth_mysql', 'Not done');
      terminal.press('L');
      await terminal.waitFor(/broker_auth_mysql[^]*MySQL/);
    },
    180_000,
  );

  test.runIf(variant === 'b')(
    'a plugin that the broker refuses to stop stays active and is reported as not done',
    async () => {
      terminal.press('8');
      await terminal.waitFor('broker_dashboard');
      await findRow(terminal, 'broker_dashboard');
      terminal.press('K');
      await terminal.waitFor(dialogIs('Stop this plugin'));
      await typeName(terminal, 'y');
      terminal.press('enter');
      await terminal.waitFor('! That does not match. Nothing was sent.');
      await typeName(terminal, 'broker_dashboard');
      terminal.press('enter');
      await terminal.waitFor(dialogIs('Not done'));
      const listed = await api.listPlugins(cluster.nodes[0] ?? '');
      expect(listed.find(({ name }) => name === 'broker_dashboard')?.active).toBe(true);
    },
    180_000,
  );

  test('users are added, changed, checked and deleted', async () => {
    terminal.press('0');
    await terminal.waitFor(definitionOf('users').note ?? '');
    terminal.press('@');
    await waitForCursor(terminal, 'admin');
    terminal.press('n');
    await fillForm(terminal, 'New user', ['op1', 'first-pw', 'first-pw', 'viewer']);
    await confirm(terminal, 'Add this user?');
    await terminal.waitFor(/op1 +viewer/);
    await api.checkCredentials('op1', 'first-pw');

    await findRow(terminal, 'op1');
    terminal.press('e');
    await fillForm(terminal, 'Tags of user op1', ['auditor']);
    await confirm(terminal, 'Change the tags');
    expect(await api.listUsers()).toContainEqual({ username: 'op1', tags: 'auditor' });

    terminal.press('w');
    await fillForm(terminal, 'Password of user op1', ['first-pw', 'second-pw', 'second-pw']);
    await confirm(terminal, 'Change the password');
    await api.checkCredentials('op1', 'second-pw');
    await expect(api.checkCredentials('op1', 'first-pw')).rejects.toThrow(/password/);

    terminal.press('c');
    await fillForm(terminal, 'Check a name', ['op1', 'other-pw']);
    await confirm(terminal, 'Check this name and password with the broker?', 'Result');
    terminal.press('c');
    await fillForm(terminal, 'Check a name', ['op1', 'second-pw']);
    await confirm(terminal, 'Check this name and password with the broker?', 'Result');

    terminal.press('D');
    await confirmByName(terminal, 'Delete this user?', 'op1');
    expect((await api.listUsers()).map(({ username }) => username)).toEqual(['admin']);
    // No password is on the screen or in the log.
    terminal.press('L');
    for (const text of ['The username or password', 'The broker accepts this username', 'Deleted user op1'])
      await terminal.waitFor(text);
    expect(terminal.text()).not.toMatch(/first-pw|second-pw|other-pw/);
  }, 180_000);

  test.runIf(variant === 'b')('deleting admin asks no confirmation', async () => {
    terminal.press('@');
    await waitForCursor(terminal, 'admin');
    terminal.press('D');
    await terminal.waitFor('User admin cannot be deleted');
    expect(terminal.text()).not.toContain('Delete this user?');
  });

  test.runIf(variant === 'a')('missing features are in no menu, and the help says why', async () => {
    terminal.press('0');
    await terminal.waitFor('Not supported by this broker');
    const entries = bodyOf(terminal).map((line) => /^[ │▸]*\S +(\S+)/u.exec(line)?.[1]);
    expect(entries).toContain('Users');
    expect(entries).not.toContain('Settings');
    terminal.press(':');
    terminal.type('setting');
    await terminal.waitFor('Settings: not available with API v2 A');
    terminal.press('esc');
    // Sent together they would be read as one key.
    await terminal.waitFor('Not supported by this broker');
    terminal.press(',');
    await terminal.waitFor('Not available: API v2 A does not support settings.');
    terminal.press('8');
    await terminal.waitFor('always all nodes');
  });

  test.runIf(variant === 'b')(
    'a plugin is stopped on one node only, and started there again',
    async () => {
      const [first = 0, second = 0] = cluster.mqttPorts;
      const states = async (): Promise<readonly (boolean | undefined)[]> =>
        Promise.all(
          cluster.nodes.map(
            async (node) => (await api.listPlugins(node)).find(({ name }) => name === 'broker_modules')?.active,
          ),
        );
      terminal.press('8');
      await terminal.waitFor('broker_modules');
      await findRow(terminal, 'broker_modules');
      terminal.press('right');
      await terminal.waitFor('[broker1]');
      terminal.press('right');
      await terminal.waitFor('[broker2]');
      // Nothing is asked while a node is being read.
      await repeatUntil(
        terminal,
        () => {
          terminal.press('K');
        },
        dialogIs(`Stop this plugin on ${cluster.nodes[1] ?? ''}`),
      );
      await confirm(terminal, `Stop this plugin on ${cluster.nodes[1] ?? ''}`);
      await terminal.waitFor(/broker_modules +! 1\/2 +● active +\[○ inactive\]/);
      expect(await states()).toEqual([true, false]);
      expect([await isConnectEventSent(first, 'running'), await isConnectEventSent(second, 'stopped')]).toEqual([
        true,
        false,
      ]);
      // Nothing is asked while a node is being read.
      await repeatUntil(
        terminal,
        () => {
          terminal.press('S');
        },
        dialogIs(`Start this plugin on ${cluster.nodes[1] ?? ''}`),
      );
      await confirm(terminal, `Start this plugin on ${cluster.nodes[1] ?? ''}`);
      expect(await states()).toEqual([true, true]);
      expect(await isConnectEventSent(second, 'started')).toBe(true);
    },
    180_000,
  );

  test.runIf(variant === 'b')(
    'a setting changes on one node, then on all, and is verified',
    async () => {
      const key = 'mqtt.max_clientid_len';
      const long = 'longer-than-eight';
      const values = async (): Promise<readonly (string | undefined)[]> =>
        Promise.all(
          cluster.nodes.map(
            async (node) => (await api.getSettings(node)).find((setting) => setting.key === key)?.value,
          ),
        );
      terminal.press(',');
      await terminal.waitFor(key);
      await findRow(terminal, key);
      terminal.press('right');
      await terminal.waitFor('[broker1]');
      terminal.press('e');
      await beginForm(terminal, `Setting ${key}`);
      terminal.press('ctrl-u');
      terminal.type('8');
      terminal.press('enter');
      await terminal.waitFor('2 of 2');
      terminal.press('enter');
      await terminal.waitFor('1,024 bytes → 8 bytes');
      await confirm(terminal, `Change this setting on ${cluster.nodes[0] ?? ''}`);
      expect(await values()).toEqual(['8', '1024']);
      await terminal.waitFor(/max_clientid_len +! differ +\[8 bytes\] +1,024 bytes/);
      expect(await Promise.all(cluster.mqttPorts.map((port) => canConnect(port, long)))).toEqual([false, true]);

      terminal.press('left');
      await terminal.waitFor('target: all nodes');
      terminal.press('e');
      await beginForm(terminal, `Setting ${key}`);
      terminal.press('ctrl-u');
      terminal.type('64');
      terminal.press('enter');
      await terminal.waitFor('2 of 2');
      terminal.press('enter');
      await confirmByName(terminal, 'Change this setting on all nodes?', key);
      expect(await values()).toEqual(['64', '64']);
      expect(await Promise.all(cluster.mqttPorts.map((port, index) => canConnect(port, `${long}-${index}`)))).toEqual([
        true,
        true,
      ]);
      terminal.press('L');
      await terminal.waitFor(/^ Timeline +$/mu);
      // The end of a problem may be logged after it, and only the row under the cursor is shown whole.
      terminal.press('/');
      await terminal.waitFor((session) => hintsOf(session).includes(hint('promptAccept')));
      terminal.type(`Set ${key} to 64`);
      terminal.press('enter');
      await terminal.waitFor((session) =>
        session
          .text()
          .replaceAll(/\s+/gu, ' ')
          .includes(outcomeTexts.done(settingWords.change(key, '64', allNodesText(cluster.nodes, false), 'byte'))),
      );
    },
    180_000,
  );

  test.runIf(variant === 'b')(
    'a plugin setting changes, and the others stay',
    async () => {
      const node = cluster.nodes[0] ?? '';
      const before = await api.getPluginSettings(node, 'broker_retainer');
      const port = cluster.mqttPorts[0] ?? 0;
      expect(await isRetained(port, 'small')).toBe(true);
      terminal.press('8');
      await terminal.waitFor('broker_retainer');
      await findRow(terminal, 'broker_retainer');
      terminal.press('enter');
      await terminal.waitFor(`Settings of broker_retainer on ${node}`);
      await findRow(terminal, 'retainer.max_payload_size');
      terminal.press('e');
      await terminal.waitFor('All settings are sent, except unset ones.');
      // One form over the whole set, at the field of the row.
      await beginForm(terminal, 'Settings of plugin broker_retainer');
      terminal.press('ctrl-u');
      terminal.type('3');
      await terminal.waitFor(/▸ .* 3 *│/u);
      terminal.press('ctrl-s');
      await terminal.waitFor('will restart');
      await confirm(terminal, 'Change 1 setting of this plugin');
      const after = await api.getPluginSettings(node, 'broker_retainer');
      expect(after).toEqual(
        before.map((setting) => (setting.key === 'retainer.max_payload_size' ? { ...setting, value: '3' } : setting)),
      );
      await terminal.waitFor(/max_payload_size +3 /);
      // The payload has four bytes.
      expect(await isRetained(port, 'large')).toBe(false);
    },
    180_000,
  );
});
