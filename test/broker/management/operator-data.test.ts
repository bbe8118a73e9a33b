import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StateError } from '../../../src/broker/data/operator-state.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { connack, one, portOf, two } from '../operator-support.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return path.join(folder, 'data');
}

async function startKept(data: string): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker({
    version: '1.2.3', nodes: 2, host: '127.0.0.1', port: 0, mqttPort: 0, wsPort: 0, variant: 'b', user: 'admin', password: 'only for tests', data,
  });
  onTestFinished(() => broker.close());
  return broker;
}

it('a restart loses no setting, plugin state or plugin setting, and lets nobody in before they are back', async () => {
  const data = await makeFolder();
  const first = await startKept(data);
  const { api } = first.operator;
  await api.changeSetting(two, { app: 'broker', key: 'mqtt.max_clientid_len', value: '30' });
  await api.replacePluginSettings(one, 'broker_auth_username', { 'auth.user.3.username': 'ann', 'auth.user.3.password': 'secret' });
  await api.startPlugin(one, 'broker_auth_username');
  await api.stopPlugin(two, 'broker_modules');
  const kept = first.operator.state.exportState();
  await first.close();

  const second = await startKept(data);
  expect(second.operator.state.exportState()).toEqual(kept);
  expect(await connack(portOf(second.cluster, 0))).toBe(5);
  expect(await connack(portOf(second.cluster, 0), { username: 'ann', password: 'secret' })).toBe(0);
  expect(await connack(portOf(second.cluster, 1), { clientId: 'x'.repeat(31) })).toBe(2);
  expect(await second.operator.api.listPlugins(two)).toContainEqual(expect.objectContaining({ name: 'broker_modules', active: false }));
  await second.operator.api.stopPlugin(one, 'broker_auth_username');
  await second.close();
  expect(await connack(portOf((await startKept(data)).cluster, 0))).toBe(0);
});

it('kept settings that are of no use end the start, and are left as they are', async () => {
  const data = await makeFolder();
  const first = await startKept(data);
  await first.operator.api.changeSetting(one, { app: 'broker', key: 'mqtt.max_clientid_len', value: '31' });
  await first.close();
  const name = (await readdir(data)).find((file) => file.startsWith('nodes'));
  if (name === undefined) throw new Error('no file of nodes');
  const file = path.join(data, name);
  const damaged = (await readFile(file, 'utf8')).replace('"31"', '"many"');
  await writeFile(file, damaged);
  await expect(startKept(data)).rejects.toBeInstanceOf(StateError);
  expect(await readFile(file, 'utf8')).toBe(damaged);
  await writeFile(file, damaged.replace('"many"', '"32"'));
  expect(await connack(portOf((await startKept(data)).cluster, 0), { clientId: 'x'.repeat(33) })).toBe(2);
});
