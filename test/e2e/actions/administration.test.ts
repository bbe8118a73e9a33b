import { connect, connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { type BuiltCluster, startBuiltCluster } from '../../support/built-cluster.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { bodyOf, openReadyMonitor, waitForCursor } from '../support.ts';
import { beginForm, confirm, confirmByName, dialogIs, fillForm, findRow, typeName, untilTaken } from './dialogs.ts';

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
    client.once('connect', () => { resolve(); });
    client.once('error', reject);
  });
  return client;
}

/** Whether a message published with retain reaches somebody who subscribes afterwards. */
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
  // What is retained is sent at the subscription, so before this one.
  await publisher.publishAsync(`mark/${name}`, 'mark', { qos: 1 });
  await marked;
  await Promise.all([publisher.endAsync(), subscriber.endAsync()]);
  return topics.includes(`kept/${name}`);
}

/** Whether the broker takes a client of this name on a node. */
async function isTaken(port: number, clientId: string): Promise<boolean> {
  try {
    await (await connectAsync({ host: '127.0.0.1', port, clientId, reconnectPeriod: 0 })).endAsync();
    return true;
  } catch {
    return false;
  }
}

/** Whether it is told to others that a client comes to a node, as its plugin of modules does. */
async function isComingTold(port: number, name: string): Promise<boolean> {
  const hearer = await connectClient(port);
  const topics: string[] = [];
  const marked = new Promise<void>((resolve) => {
    hearer.on('message', (topic) => {
      topics.push(topic);
      if (topic === `mark/${name}`) resolve();
    });
  });
  await hearer.subscribeAsync(['$SYS/brokers/+/clients/+/connected', `mark/${name}`], { qos: 1 });
  const visitor = await connectClient(port);
  // It had come before it published this.
  await visitor.publishAsync(`mark/${name}`, 'mark', { qos: 1 });
  await marked;
  await Promise.all([visitor.endAsync(), hearer.endAsync()]);
  return topics.length > 1;
}

let terminal: TerminalSession;

describe.each(['a', 'b'] as const)('administration of a broker of variant %s', (variant) => {
  let cluster: BuiltCluster;
  let api: Api;

  beforeAll(async () => {
    cluster = await startBuiltCluster({ variant, nodes: 2 });
    api = apiOf(cluster);
  }, 60_000);

  afterAll(async () => {
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await Promise.all(apis.splice(0).map((each) => each.close()));
    await cluster?.stop();
  });

  beforeEach(async () => {
    terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 36 });
  });

  test('a plugin that is stopped does nothing any more, until it is started again', async () => {
    const port = cluster.mqttPorts[0] ?? 0;
    expect(await isRetained(port, 'before')).toBe(true);
    terminal.press('8');
    await terminal.waitFor('broker_retainer');
    await findRow(terminal, 'broker_retainer');
    await terminal.waitFor(/broker_retainer +2\/2 +● active +● active/);
    terminal.press('K');
    await confirmByName(terminal, 'Stop this plugin on all nodes?', 'broker_retainer');
    await terminal.waitFor(/broker_retainer +0\/2 +○ inactive +○ inactive/);
    expect(await isRetained(port, 'between')).toBe(false);
    terminal.press('S');
    await confirmByName(terminal, 'Start this plugin on all nodes?', 'broker_retainer');
    await terminal.waitFor(/broker_retainer +2\/2 +● active +● active/);
    expect(await isRetained(port, 'after')).toBe(true);
  }, 60_000);

  test('a plugin that cannot start is not started, and the broker says why; No does nothing', async () => {
    terminal.press('8');
    await terminal.waitFor('broker_auth_mysql');
    await findRow(terminal, 'broker_auth_mysql');
    terminal.press('S');
    await terminal.waitFor(dialogIs('Start this plugin'));
    await untilTaken(terminal, () => { terminal.press('esc'); }, (session) => !dialogIs('Start this plugin')(session));
    terminal.press('S');
    await confirmByName(terminal, 'Start this plugin on all nodes?', 'broker_auth_mysql', 'Not done');
    terminal.press('L');
    await terminal.waitFor(/broker_auth_mysql[^]*MySQL/);
  }, 60_000);

  test('a plugin that the broker refuses to stop stays active, and is not called done', async () => {
    terminal.press('8');
    await terminal.waitFor('broker_dashboard');
    await findRow(terminal, 'broker_dashboard');
    terminal.press('K');
    await terminal.waitFor(dialogIs('Stop this plugin'));
    await typeName(terminal, 'y');
    terminal.press('enter');
    await terminal.waitFor('that is not the same');
    await typeName(terminal, 'broker_dashboard');
    terminal.press('enter');
    await terminal.waitFor(dialogIs('Not done'));
    const listed = await api.listPlugins(cluster.nodes[0] ?? '');
    expect(listed.find(({ name }) => name === 'broker_dashboard')?.active).toBe(true);
  }, 60_000);

  test('users are added, relabelled, given a password, checked and deleted', async () => {
    terminal.press('0');
    await terminal.waitFor('who may use the management interface');
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
    await confirm(terminal, 'Ask the broker', 'Answered');
    terminal.press('c');
    await fillForm(terminal, 'Check a name', ['op1', 'second-pw']);
    await confirm(terminal, 'Ask the broker', 'Answered');

    terminal.press('D');
    await confirmByName(terminal, 'Delete this user?', 'op1');
    expect((await api.listUsers()).map(({ username }) => username)).toEqual(['admin']);
    // No password was ever on the screen, nor is one in the log.
    terminal.press('L');
    await terminal.waitFor('delete user op1');
    for (const answer of ['No: the name or password', 'Yes: the broker takes']) expect(terminal.text()).toContain(answer);
    expect(terminal.text()).not.toMatch(/first-pw|second-pw|other-pw/);
  }, 90_000);

  test('admin is not even asked to be deleted', async () => {
    terminal.press('@');
    await waitForCursor(terminal, 'admin');
    terminal.press('D');
    await terminal.waitFor('no broker deletes the user admin');
    expect(terminal.text()).not.toContain('Delete this user?');
  });

  test.runIf(variant === 'a')('what it lacks is in no menu, and the help says why', async () => {
    terminal.press('0');
    await terminal.waitFor('Not on this broker');
    expect(bodyOf(terminal).map((line) => line.slice(1).split(' ')[0])).toContain('Users');
    expect(bodyOf(terminal).map((line) => line.slice(1).split(' ')[0])).not.toContain('Settings');
    terminal.press(':');
    terminal.type('setting');
    await terminal.waitFor('no command has these words');
    terminal.press('esc');
    // Together they would be read as one key.
    await terminal.waitFor('Not on this broker');
    terminal.press(',');
    await terminal.waitFor('Not available on this broker: variant A');
    terminal.press('8');
    await terminal.waitFor('always on all nodes');
  });

  test.runIf(variant === 'b')('a plugin is stopped on one node alone, and started there again', async () => {
    const [first = 0, second = 0] = cluster.mqttPorts;
    const states = async (): Promise<readonly (boolean | undefined)[]> =>
      Promise.all(cluster.nodes.map(async (node) => (await api.listPlugins(node)).find(({ name }) => name === 'broker_modules')?.active));
    terminal.press('8');
    await terminal.waitFor('broker_modules');
    await findRow(terminal, 'broker_modules');
    terminal.press('v');
    await terminal.waitFor('▸broker1');
    terminal.press('v');
    await terminal.waitFor('▸broker2');
    terminal.press('K');
    await confirm(terminal, `Stop this plugin on ${cluster.nodes[1] ?? ''}`);
    await terminal.waitFor(/broker_modules +! 1\/2 +● active +○ inactive/);
    expect(await states()).toEqual([true, false]);
    expect([await isComingTold(first, 'running'), await isComingTold(second, 'stopped')]).toEqual([true, false]);
    terminal.press('S');
    await confirm(terminal, `Start this plugin on ${cluster.nodes[1] ?? ''}`);
    expect(await states()).toEqual([true, true]);
    expect(await isComingTold(second, 'started')).toBe(true);
  }, 60_000);

  test.runIf(variant === 'b')('a setting changes on one node, then on all, and each is read back', async () => {
    const key = 'mqtt.max_clientid_len';
    const long = 'longer-than-eight';
    const values = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all(cluster.nodes.map(async (node) => (await api.getSettings(node)).find((setting) => setting.key === key)?.value));
    terminal.press(',');
    await terminal.waitFor(key);
    await findRow(terminal, key);
    terminal.press('v');
    await terminal.waitFor('▸broker1');
    terminal.press('e');
    await beginForm(terminal, `Setting ${key}`);
    terminal.press('ctrl-u');
    terminal.type('8');
    terminal.press('enter');
    await terminal.waitFor('2 of 2');
    terminal.press('enter');
    await terminal.waitFor('1024 → 8');
    await confirm(terminal, `Change this setting on ${cluster.nodes[0] ?? ''}`);
    expect(await values()).toEqual(['8', '1024']);
    await terminal.waitFor(/max_clientid_len +! no +8 +1024/);
    expect(await Promise.all(cluster.mqttPorts.map((port) => isTaken(port, long)))).toEqual([false, true]);

    terminal.press('V');
    await terminal.waitFor('v on all nodes');
    terminal.press('e');
    await beginForm(terminal, `Setting ${key}`);
    terminal.press('ctrl-u');
    terminal.type('64');
    terminal.press('enter');
    await terminal.waitFor('2 of 2');
    terminal.press('enter');
    await confirmByName(terminal, 'Change this setting on all nodes?', key);
    expect(await values()).toEqual(['64', '64']);
    expect(await Promise.all(cluster.mqttPorts.map((port, index) => isTaken(port, `${long}-${index}`)))).toEqual([true, true]);
    terminal.press('L');
    await terminal.waitFor(/2\s+of\s+2\s+nodes\s+took\s+it/);
  }, 60_000);

  test.runIf(variant === 'b')('a setting of a plugin changes, and the others stay', async () => {
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
    await terminal.waitFor('Every key that is set is sent');
    // One form over the whole set, at the field of the row.
    await beginForm(terminal, 'Settings of plugin broker_retainer');
    terminal.press('ctrl-u');
    terminal.type('3');
    await terminal.waitFor(/▸ .* 3 *$/m);
    terminal.press('ctrl-s');
    await terminal.waitFor('it restarts');
    await confirm(terminal, 'Change 1 setting of this plugin');
    const after = await api.getPluginSettings(node, 'broker_retainer');
    expect(after).toEqual(before.map((setting) => (setting.key === 'retainer.max_payload_size' ? { ...setting, value: '3' } : setting)));
    await terminal.waitFor(/max_payload_size +3 /);
    // Four bytes are too many now.
    expect(await isRetained(port, 'large')).toBe(false);
  }, 60_000);
});
