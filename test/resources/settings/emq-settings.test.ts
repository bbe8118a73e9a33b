import { replacePluginSettings } from '../../../src/resources/plugin-settings/actions.ts';
import { changeSetting } from '../../../src/resources/settings/actions.ts';
import { startPlugin } from '../../../src/resources/plugins/actions.ts';
import { pluginWords } from '../../../src/resources/plugins/texts.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Action, ActionResult } from '../../../src/actions/action.ts';
import { describeResult } from '../../../src/actions/describe.ts';
import { createRunner } from '../../../src/actions/runner.ts';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import { verificationMs } from '../../../src/actions/verification.ts';
import { createHttpApi } from '../../../src/api/dialects/index.ts';
import { type Clock, systemClock } from '../../../src/monitor/clock.ts';
import { emqNodes, startEmqServer } from '../../support/emq-server.ts';
import { capabilitiesOfB } from '../../actions/support.ts';

const [one, two] = emqNodes;

/** Shortens the pauses between the readings of a verification. Its deadline stays: the requests are real. */
const clock: Clock = {
  ...systemClock,
  setTimer: (delayMs, fire) => systemClock.setTimer(delayMs < verificationMs ? delayMs / 100 : delayMs, fire),
};

async function start() {
  const server = await startEmqServer();
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'only for tests', variant: 'b' });
  onTestFinished(async () => {
    await api.close();
    await server.close();
  });
  const runner = createRunner({ api, clock });
  return {
    ...server,
    api,
    async run(action: Action): Promise<ActionResult & { readonly told: string }> {
      const result = await runner.run(action);
      return { ...result, told: describeResult(action, result) };
    },
  };
}

describe('the settings of a plugin of a real broker', () => {
  const where = { node: one, plugin: 'emq_web_hook' };
  const url = { 'web.hook.api.url': 'http://127.0.0.1:9090' };

  test('keys that are not set are left out, and the plugin is active again', async () => {
    const rig = await start();
    const shown = await rig.api.getPluginSettings(one, where.plugin);
    expect(shown.filter(({ value }) => value === '').map(({ key }) => key)).toEqual([
      'web.hook.rule.message.publish.1',
    ]);
    const result = await rig.run(replacePluginSettings.create({ ...where, shown, edits: url }));
    expect(rig.sent.map(({ body }) => body)).toEqual([
      { ...url, 'web.hook.rule.client.connected.1': '{"action": "on_client_connected"}' },
    ]);
    expect(result).toMatchObject({
      outcome: 'done',
      why: 'web.hook.api.url: http://127.0.0.1:8080 → http://127.0.0.1:9090. The plugin is active.',
    });
    expect((await rig.api.listPlugins(one)).find(({ name }) => name === where.plugin)?.active).toBe(true);
  });

  test('a plugin that does not restart is reported as not done', async () => {
    const rig = await start();
    rig.breakOnRestart(where.plugin);
    const result = await rig.run(
      replacePluginSettings.create({ ...where, shown: await rig.api.getPluginSettings(one, where.plugin), edits: url }),
    );
    expect(result).toMatchObject({
      outcome: 'not-done',
      wasSent: true,
      told: expect.stringContaining(
        'The settings are saved. The plugin did not restart and is inactive. Start it in Plugins. If that fails, restart its node.',
      ),
    });
  });

  test('a plugin is read after a refusal, too', async () => {
    const rig = await start();
    const shown = await rig.api.getPluginSettings(one, 'emq_modules');
    rig.breakOnRestart('emq_modules');
    const result = await rig.run(
      replacePluginSettings.create({ node: one, plugin: 'emq_modules', shown, edits: { 'module.presence.qos': '2' } }),
    );
    expect(result).toMatchObject({
      outcome: 'not-done',
      error: { code: 102 },
      told: expect.stringContaining(
        'The plugin did not restart and is inactive. Start it in Plugins. If that fails, restart its node.',
      ),
    });
    // What was there before is not what would be sent now.
    expect(rig.sent.map(({ body }) => body)).toEqual([{ 'module.presence.qos': '2' }]);
  });

  test('numbered keys that are not listed may be lost, and the outcome says that they were not read', async () => {
    const rig = await start();
    const dashboard = { node: one, plugin: 'emq_dashboard' };
    const [access, maxClients] = ['dashboard.listener.http.access.$id', 'dashboard.listener.http.max_clients'];
    const shown = await rig.api.getPluginSettings(one, dashboard.plugin);
    expect(shown).toMatchObject([
      { key: access, isTemplate: true },
      { key: maxClients, value: '512' },
    ]);
    expect(rig.inFile(one, dashboard.plugin, 'dashboard.listener.http.access.1')).toBe('allow all');
    const result = await rig.run(replacePluginSettings.create({ ...dashboard, shown, edits: { [maxClients]: '100' } }));
    expect(result).toMatchObject({
      outcome: 'done',
      told: expect.stringContaining('Its numbered settings cannot be read: check them on the node.'),
    });
    expect(rig.inFile(one, dashboard.plugin, 'dashboard.listener.http.access.1')).toBeUndefined();
    expect(
      await rig.run(replacePluginSettings.create({ ...dashboard, shown, edits: { [access]: 'deny all' } })),
    ).toMatchObject({
      reason: 'invalid',
      told: expect.stringContaining(`${access} stands for numbered settings, which this API cannot change.`),
    });
  });

  test('a key is unset by leaving it out, set for the first time, and set to an empty text', async () => {
    const rig = await start();
    const plugin = 'emq_auth_http';
    const change = async (edits: Readonly<Record<string, string | undefined>>): Promise<ActionResult> =>
      rig.run(
        replacePluginSettings.create({ node: one, plugin, shown: await rig.api.getPluginSettings(one, plugin), edits }),
      );
    const read = async (key: string) =>
      (await rig.api.getPluginSettings(one, plugin)).find((setting) => setting.key === key);
    const key = 'auth.http.super_req';
    expect(await change({ [key]: undefined })).toMatchObject({
      outcome: 'done',
      before: { [key]: 'http://127.0.0.1:8080/mqtt/superuser' },
      after: { [key]: '(unset)' },
    });
    expect(await read(key)).toMatchObject({ value: '', required: false });
    expect(rig.sent.at(-1)?.body).not.toHaveProperty([key]);
    // Another key changes: it stays unset.
    await change({ 'auth.http.acl_req.method': 'post' });
    expect(await read(key)).toMatchObject({ value: '', required: false });
    expect(await change({ [key]: 'http://127.0.0.1/su' })).toMatchObject({
      outcome: 'done',
      before: { [key]: '(unset)' },
    });
    expect(await read(key)).toMatchObject({ value: 'http://127.0.0.1/su', required: true });
    await change({ [key]: undefined });
    expect(await change({ [key]: '' })).toMatchObject({ before: { [key]: '(unset)' }, after: { [key]: '' } });
    expect(rig.sent.at(-1)?.body).toHaveProperty([key], '');
  });

  test('a plugin that was inactive stays inactive, and the result says so', async () => {
    const rig = await start();
    await rig.api.stopPlugin(one, where.plugin);
    const result = await rig.run(
      replacePluginSettings.create({ ...where, shown: await rig.api.getPluginSettings(one, where.plugin), edits: url }),
    );
    expect(result).toMatchObject({
      outcome: 'done',
      told: expect.stringContaining('The plugin is inactive, as before.'),
    });
  });
});

describe('the hot settings of a real broker', () => {
  const change = async (rig: Awaited<ReturnType<typeof start>>, key: string, value: string) => {
    const shown = await Promise.all(
      emqNodes.map(async (node) => ({
        node,
        setting: (await rig.api.getSettings(node)).find((each) => each.key === key),
      })),
    );
    return rig.run(
      changeSetting.create({
        app: shown[0]?.setting?.app ?? '',
        key,
        value,
        nodes: shown.map(({ node, setting }) => ({ node, value: setting?.value })),
        isForAll: true,
      }),
    );
  };

  test.each([
    ['mqtt.session.retry_interval', '21s', '21000', '20s'],
    ['mqtt.session.expiry_interval', '4m', '240000', '2h'],
    ['retainer.expiry_interval', '1m', '60000', '0'],
    ['mqtt.max_packet_size', '32KB', '32768', '64KB'],
    ['mqtt.mqueue.high_watermark', '70%', '0.7000', '60%'],
    ['mqtt.keepalive_backoff', '0.8', '0.8000', '0.75'],
    ['mqtt.session.upgrade_qos', 'on', 'true', 'off'],
    ['mqtt.session.max_inflight', '48', '48', '32'],
    ['mqtt.acl_nomatch', 'deny', 'deny', 'allow'],
  ])('%s set to %s reads back as %s, and is done', async (key, value, readBack, before) => {
    const rig = await start();
    expect(await change(rig, key, value)).toMatchObject({
      outcome: 'done',
      reason: 'reading',
      before: { [one]: before, [two]: before },
      after: { [one]: value, [two]: value },
    });
    expect((await rig.api.getSettings(two)).find((each) => each.key === key)?.value).toBe(readBack);
  });

  test('another spelling of the same value is no change', async () => {
    const rig = await start();
    for (const value of ['20s', '20000ms'])
      expect(await change(rig, 'mqtt.session.retry_interval', value)).toMatchObject({
        wasSent: false,
        why: 'it already has this value.',
      });
  });

  test('changed on one of two nodes is not done, and the value of the other is shown as typed', async () => {
    const rig = await start();
    rig.obeying.delete(two);
    expect(await change(rig, 'mqtt.session.retry_interval', '21s')).toMatchObject({
      outcome: 'not-done',
      told: expect.stringContaining(`1 of 2 nodes done. ${one}: It was 20s. ${two}: It is 20s.`),
    });
  });

  test('an accepted value that is ignored is not done', async () => {
    const rig = await start();
    expect(await change(rig, 'mqtt.session.max_inflight', 'abc')).toMatchObject({
      outcome: 'not-done',
      isAccepted: true,
    });
  });

  test.each([
    ['mqtt.client.idle_timeout', '15s', '15000'],
    ['mqtt.client.enable_stats', 'on', 'true'],
  ])('%s, which never reads back, is accepted', async (key, value, inForce) => {
    const rig = await start();
    const result = await change(rig, key, value);
    expect(result).toMatchObject({ outcome: 'accepted', before: { [one]: undefined, [two]: undefined } });
    expect(result.told).toBe(
      `Accepted: set ${key} to ${value} on all nodes (${one}, ${two}). Cannot be verified: this broker does not report this setting.`,
    );
    expect([rig.inForce(one, key), rig.inForce(two, key)]).toEqual([inForce, inForce]);
  });

  test('the log level, which reads back as before, is accepted, and can be set back', async () => {
    const rig = await start();
    const result = await change(rig, 'log.console.level', 'debug');
    expect(result).toMatchObject({
      outcome: 'accepted',
      why: expect.stringContaining('Cannot be verified: this broker still reports error.'),
    });
    expect(rig.inForce(two, 'log.console.level')).toBe('debug');
    expect(await change(rig, 'log.console.level', 'error')).toMatchObject({ wasSent: true });
    expect(rig.inForce(two, 'log.console.level')).toBe('error');
  });
});

test('a plugin that is already active on one node is started only on the other', async () => {
  const rig = await start();
  await rig.api.stopPlugin(two, 'emq_retainer');
  const action = startPlugin.create({
    plugin: 'emq_retainer',
    nodes: [
      { node: one, active: true },
      { node: two, active: false },
    ],
    capabilities: capabilitiesOfB,
  });
  const before = rig.sent.length;
  const result = await rig.run(action);
  expect(rig.sent.slice(before).map(({ line }) => line)).toEqual([`PUT /api/v2/nodes/${two}/plugins/emq_retainer`]);
  expect(result.told).toBe(
    `${outcomeTexts.done(pluginWords.set('emq_retainer', true, `${one}, ${two}`))} ${outcomeTexts.nodes(2, 1, [one], 0)}`,
  );
});
