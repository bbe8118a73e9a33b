import { describe, expect, it } from 'vitest';
import { connack, one, portOf, startOperated, two } from '../operator-support.ts';

const ann = { username: 'ann', password: 'secret' };

describe.each([
  ['broker_auth_username', 'auth.user', 'username', (name: string) => ({ clientId: 'some', username: name })],
  ['broker_auth_clientid', 'auth.client', 'clientid', (name: string) => ({ clientId: name, username: 'some' })],
] as const)('%s', (plugin, prefix, field, asking) => {
  const entry = (number: number, name: string, password: string) => ({
    [`${prefix}.${number}.${field}`]: name,
    [`${prefix}.${number}.password`]: password,
  });

  it('lets in those whom its settings name, with their passwords', async () => {
    const { cluster, startPlugin } = await startOperated();
    await startPlugin(plugin, { ...entry(1, 'ann', 'secret'), ...entry(7, 'böb', 'pässword'), ...entry(8, '', '') });
    const port = portOf(cluster);
    expect(await connack(port, { ...asking('ann'), password: 'secret' })).toBe(0);
    expect(await connack(port, { ...asking('böb'), password: 'pässword' })).toBe(0);
    expect(await connack(port, { ...asking('ann'), password: 'pässword' })).toBe(4);
    expect(await connack(port, { ...asking('ann'), password: '' })).toBe(4);
    expect(await connack(port, { ...asking('ann') })).toBe(4);
    expect(await connack(port, { ...asking('Ann'), password: 'secret' })).toBe(4);
    expect(await connack(port, { ...asking('__proto__'), password: 'secret' })).toBe(4);
    expect(await connack(port, { clientId: 'nobody' })).toBe(5);
  });

  it('takes other users at once, and leaves it to the setting when it is stopped', async () => {
    const { cluster, startPlugin, api, set } = await startOperated();
    const port = portOf(cluster);
    await startPlugin(plugin, entry(1, 'ann', 'secret'));
    await api.replacePluginSettings(one, plugin, entry(2, 'bob', 'other'));
    expect(await connack(port, { ...asking('ann'), password: 'secret' })).toBe(4);
    expect(await connack(port, { ...asking('bob'), password: 'other' })).toBe(0);
    expect((await api.getPluginSettings(one, plugin)).map(({ key, value }) => [key, value])).toEqual([
      [`${prefix}.1.${field}`, ''],
      [`${prefix}.1.password`, ''],
      [`${prefix}.2.${field}`, 'bob'],
      [`${prefix}.2.password`, 'other'],
    ]);
    await api.stopPlugin(one, plugin);
    expect(await connack(port, { ...asking('ann') })).toBe(0);
    await set('mqtt.allow_anonymous', 'false');
    expect(await connack(port, { ...asking('bob'), password: 'other' })).toBe(4);
  });

  it('is active on its node alone', async () => {
    const { cluster, startPlugin } = await startOperated({ nodes: 2 });
    await startPlugin(plugin, entry(1, 'ann', 'secret'), two);
    expect(await connack(portOf(cluster, 0))).toBe(0);
    expect(await connack(portOf(cluster, 1))).toBe(5);
  });

  it.each([
    ['nobody', {}, /no client could connect/u],
    ['a name without a password', { [`${prefix}.3.${field}`]: 'ann' }, /\.3\.password is not set/u],
    ['a password without a name', { [`${prefix}.3.password`]: 'p' }, new RegExp(`\\.3\\.${field} is not set`, 'u')],
    ['a name twice', { ...entry(1, 'ann', 'a'), ...entry(2, 'ann', 'b') }, new RegExp(`\\.2\\.${field} repeats`, 'u')],
  ])('does not start with %s', async (_, settings, message) => {
    const { cluster, startPlugin } = await startOperated();
    await expect(startPlugin(plugin, settings)).rejects.toMatchObject({
      kind: 'failed',
      brokerMessage: expect.stringMatching(message),
    });
    expect(await connack(portOf(cluster))).toBe(0);
  });
});

it('calls both in turn: one has to accept before another refuses', async () => {
  const { cluster, startPlugin } = await startOperated();
  const port = portOf(cluster);
  await startPlugin('broker_auth_username', { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'secret' });
  await startPlugin('broker_auth_clientid', { 'auth.client.1.clientid': 'device', 'auth.client.1.password': 'key' });
  expect(await connack(port, { clientId: 'x', ...ann })).toBe(0);
  expect(await connack(port, { clientId: 'device', username: 'whoever', password: 'key' })).toBe(0);
  expect(await connack(port, { clientId: 'device', ...ann })).toBe(4);
  expect(await connack(port, { clientId: 'x', username: 'whoever', password: 'key' })).toBe(4);
});
