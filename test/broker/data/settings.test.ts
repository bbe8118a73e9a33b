import { expect, it } from 'vitest';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { copyFolder } from './journal-support.ts';
import { makeFolder, password, startBroker } from './support.ts';

const node = 'broker2@127.0.0.1';

it('brings hot settings and plugins back, each on its node', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder);
  const api = createHttpApi({ url: before.server.url, user: 'admin', password, variant: 'b' });
  await api.changeSetting(node, { app: 'broker', key: 'mqtt.session.max_inflight', value: '7' });
  await api.startPlugin(node, 'broker_plugin_template');
  await api.stopPlugin(node, 'broker_retainer');
  await api.replacePluginSettings(node, 'broker_auth_username', { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'of ann' });
  const known = [await api.listSettings(), await api.listPlugins(node), await api.getPluginSettings(node, 'broker_auth_username')];
  await api.close();
  await before.close();

  const after = await startBroker(folder);
  const again = createHttpApi({ url: after.server.url, user: 'admin', password, variant: 'b' });
  expect([await again.listSettings(), await again.listPlugins(node), await again.getPluginSettings(node, 'broker_auth_username')]).toEqual(known);
  expect((await again.getSettings(node)).find(({ key }) => key === 'mqtt.session.max_inflight')?.value).toBe('7');
  expect(after.cluster.nodes.map(({ settings }) => settings.maxInflight)).toEqual([32, 7, 32]);
  await again.close();
});

it('brings changed settings back after a kill', async () => {
  const folder = await makeFolder();
  const broker = await startBroker(folder);
  const api = createHttpApi({ url: broker.server.url, user: 'admin', password, variant: 'b' });
  await api.changeSetting(undefined, { app: 'broker', key: 'mqtt.mqueue.max_length', value: '5' });
  await api.close();
  const after = await startBroker(await copyFolder(folder));
  expect(after.cluster.nodes.map(({ settings }) => settings.maxQueueLength)).toEqual([5, 5, 5]);
});
