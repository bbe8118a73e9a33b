import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpApi } from '../../../src/api/v2/client.ts';
import type { Action, ActionResult } from '../../../src/store/actions/action.ts';
import { describeResult } from '../../../src/store/actions/describe.ts';
import { createRunner } from '../../../src/store/actions/runner.ts';
import { changeSetting } from '../../../src/store/actions/setting-actions.ts';
import { systemClock } from '../../../src/store/clock.ts';
import { emqNodes, startEmqServer } from '../../support/emq-server.ts';

const [one, two] = emqNodes;

async function start() {
  const server = await startEmqServer();
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'only for tests', variant: 'b' });
  onTestFinished(async () => {
    await api.close();
    await server.close();
  });
  const runner = createRunner({ api, clock: systemClock });
  return {
    ...server, api,
    async run(action: Action): Promise<ActionResult & { readonly told: string }> {
      const result = await runner.run(action);
      return { ...result, told: describeResult(action, result) };
    },
  };
}

describe('the hot settings of a real broker', () => {
  const change = async (rig: Awaited<ReturnType<typeof start>>, key: string, value: string) => {
    const shown = await Promise.all(emqNodes.map(async (node) => ({ node, setting: (await rig.api.getSettings(node)).find((each) => each.key === key) })));
    return rig.run(changeSetting({ app: shown[0]?.setting?.app ?? '', key, value, nodes: shown.map(({ node, setting }) => ({ node, value: setting?.value })), isForAll: true }));
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
    ['mqtt.client.idle_timeout', '15s', '15000', undefined],
  ])('%s set to %s reads back as %s, and is done', async (key, value, readBack, before) => {
    const rig = await start();
    expect(await change(rig, key, value)).toMatchObject({ outcome: 'done', reason: 'reading', before: { [one]: before, [two]: before }, after: { [one]: value, [two]: value } });
    expect((await rig.api.getSettings(two)).find((each) => each.key === key)?.value).toBe(readBack);
  });

  test('another way to write what it has is nothing to do', async () => {
    const rig = await start();
    for (const value of ['20s', '20000ms']) expect(await change(rig, 'mqtt.session.retry_interval', value)).toMatchObject({ wasSent: false, why: 'It has that value already.' });
  });

  test('one node of two took it: not done, and what the other one has is said as it would be typed', async () => {
    const rig = await start();
    rig.obeying.delete(two);
    expect(await change(rig, 'mqtt.session.retry_interval', '21s')).toMatchObject({ outcome: 'not-done', told: expect.stringContaining(`1 of 2 nodes took it. ${two}: It is 20s.`) });
  });

  test('a yes to a value that is then ignored is not done', async () => {
    const rig = await start();
    expect(await change(rig, 'mqtt.session.max_inflight', 'abc')).toMatchObject({ outcome: 'not-done', isAccepted: true });
  });

  test('the log level, which reads back as before, is accepted, and can be set back', async () => {
    const rig = await start();
    const result = await change(rig, 'log.console.level', 'debug');
    expect(result).toMatchObject({ outcome: 'accepted', told: expect.stringMatching(/^Accepted: .*It cannot be read back: this broker goes on saying error\.$/u) });
    expect(rig.inForce(two, 'log.console.level')).toBe('debug');
    expect(await change(rig, 'log.console.level', 'error')).toMatchObject({ wasSent: true });
    expect(rig.inForce(two, 'log.console.level')).toBe('error');
  });
});
