import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reasonText } from '../../src/domain/error-code.ts';
import { connected, KillableBroker, KillTrial } from '../support/kill-trial.ts';

/** How often the broker is killed. For more: `KILLS=15 npx vitest run … test/e2e/durable.test.ts`. */
const kills = Number(process.env['KILLS'] ?? 2);

async function makeFolder(): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'brokertop-durable-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  return path.join(parent, 'data');
}

test(
  'a broker killed under load loses nothing acknowledged, and delivers no QoS 2 message twice',
  async () => {
    const trial = await KillTrial.begin(new KillableBroker(await makeFolder()));
    onTestFinished(() => trial.end());
    for (let kill = 1; kill <= kills; kill += 1) {
      const { lost, twice, acknowledged } = await trial.round();
      if (kills > 2) console.log(`kill ${kill}: ${acknowledged} acknowledged so far`);
      expect({ kill, lost, twice }).toEqual({ kill, lost: [], twice: [] });
    }
  },
  60_000 + kills * 20_000,
);

test('a broker with a full disk refuses instead of acknowledging, and loses nothing acknowledged before', async () => {
  const broker = new KillableBroker(await makeFolder());
  onTestFinished(() => broker.kill());
  await broker.start(64);
  const away = broker.client(0, { clientId: 'away', clean: false });
  await connected(away);
  await away.subscribeAsync('kept', { qos: 1 });
  await away.endAsync(true);

  const acknowledged: string[] = [];
  const sender = broker.client(0, { clientId: 'sender', clean: true });
  await connected(sender);
  const closed = new Promise<boolean>((resolve) => {
    sender.once('close', () => resolve(false));
  });
  const publish = async (payload: string): Promise<boolean> => {
    const isTaken = await Promise.race([
      sender.publishAsync('kept', payload, { qos: 1 }).then(
        () => true,
        () => false,
      ),
      closed,
    ]);
    if (isTaken) acknowledged.push(payload);
    return isTaken;
  };
  while (await publish(`${acknowledged.length} ${'x'.repeat(2_000)}`));
  expect(acknowledged.length).toBeGreaterThan(5);
  expect(acknowledged.length).toBeLessThan(32);
  await sender.endAsync(true);
  await expect(broker.withApi((api) => api.addUser({ username: 'op', password: 'x', tags: '' }))).rejects.toMatchObject(
    {
      code: 102,
      brokerMessage: `Nothing was changed: the data folder cannot be written (${reasonText('EFBIG')}).`,
    },
  );
  expect(broker.stderr).toContain('client "sender" disconnected: its message cannot be stored in the data folder');
  await broker.kill();

  await broker.start();
  expect(await broker.withApi((api) => api.listUsers())).toHaveLength(1);
  const back = broker.client(1, { clientId: 'away', clean: false });
  const came = new Promise<string[]>((resolve) => {
    const payloads: string[] = [];
    back.on('message', (_, payload) => {
      if (String(payload) === 'end') resolve(payloads);
      else payloads.push(String(payload));
    });
  });
  await connected(back);
  await back.publishAsync('kept', 'end', { qos: 1 });
  expect(await came).toEqual(acknowledged);
  await back.endAsync(true);
}, 180_000);
