import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { StateError } from '../../../src/broker/management/changes.ts';
import { connack, one, portOf, two } from '../operator-support.ts';
import { copyFolder } from './journal-support.ts';
import { makeFolder, password, startBroker } from './support.ts';

it('restores hot settings and plugins, each on its node', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder);
  const api = createHttpApi({ url: before.server.url, user: 'admin', password, variant: 'b' });
  await api.changeSetting(two, { app: 'broker', key: 'mqtt.session.max_inflight', value: '7' });
  await api.startPlugin(two, 'broker_plugin_template');
  await api.stopPlugin(two, 'broker_retainer');
  await api.replacePluginSettings(two, 'broker_auth_username', {
    'auth.user.1.username': 'ann',
    'auth.user.1.password': 'of ann',
  });
  const known = [
    await api.listSettings(),
    await api.listPlugins(two),
    await api.getPluginSettings(two, 'broker_auth_username'),
  ];
  await api.close();
  await before.close();

  const after = await startBroker(folder);
  const again = createHttpApi({ url: after.server.url, user: 'admin', password, variant: 'b' });
  expect([
    await again.listSettings(),
    await again.listPlugins(two),
    await again.getPluginSettings(two, 'broker_auth_username'),
  ]).toEqual(known);
  expect((await again.getSettings(two)).find(({ key }) => key === 'mqtt.session.max_inflight')?.value).toBe('7');
  expect(after.cluster.nodes.map(({ settings }) => settings.maxInflight)).toEqual([32, 7, 32]);
  await again.close();
});

it('restores changed settings after a kill', async () => {
  const folder = await makeFolder();
  const broker = await startBroker(folder);
  const api = createHttpApi({ url: broker.server.url, user: 'admin', password, variant: 'b' });
  await api.changeSetting(undefined, { app: 'broker', key: 'mqtt.mqueue.max_length', value: '5' });
  await api.close();
  const after = await startBroker(await copyFolder(folder));
  expect(after.cluster.nodes.map(({ settings }) => settings.maxQueueLength)).toEqual([5, 5, 5]);
});

it('restores settings and plugins before it accepts clients', async () => {
  const data = await makeFolder();
  const first = await startBroker(data);
  const { api } = first.operator;
  await api.changeSetting(two, { app: 'broker', key: 'mqtt.max_clientid_len', value: '30' });
  await api.replacePluginSettings(one, 'broker_auth_username', {
    'auth.user.3.username': 'ann',
    'auth.user.3.password': 'secret',
  });
  await api.startPlugin(one, 'broker_auth_username');
  await api.stopPlugin(two, 'broker_modules');
  const stored = first.operator.state.exportState();
  await first.close();

  const second = await startBroker(data);
  expect(second.operator.state.exportState()).toEqual(stored);
  expect(await connack(portOf(second.cluster, 0))).toBe(5);
  expect(await connack(portOf(second.cluster, 0), { username: 'ann', password: 'secret' })).toBe(0);
  expect(await connack(portOf(second.cluster, 1), { clientId: 'x'.repeat(31) })).toBe(2);
  expect(await second.operator.api.listPlugins(two)).toContainEqual(
    expect.objectContaining({ name: 'broker_modules', active: false }),
  );
  await second.operator.api.stopPlugin(one, 'broker_auth_username');
  await second.close();
  expect(await connack(portOf((await startBroker(data)).cluster, 0))).toBe(0);
});

it('does not start with settings that cannot be restored, and does not change them', async () => {
  const data = await makeFolder();
  const first = await startBroker(data);
  await first.operator.api.changeSetting(one, { app: 'broker', key: 'mqtt.max_clientid_len', value: '31' });
  await first.close();
  const name = (await readdir(data)).find((file) => file.startsWith('nodes'));
  if (name === undefined) throw new Error('no file of nodes');
  const file = path.join(data, name);
  const damaged = (await readFile(file, 'utf8')).replace('"31"', '"many"');
  await writeFile(file, damaged);
  await expect(startBroker(data)).rejects.toBeInstanceOf(StateError);
  expect(await readFile(file, 'utf8')).toBe(damaged);
  await writeFile(file, damaged.replace('"many"', '"32"'));
  expect(await connack(portOf((await startBroker(data)).cluster, 0), { clientId: 'x'.repeat(33) })).toBe(2);
});
