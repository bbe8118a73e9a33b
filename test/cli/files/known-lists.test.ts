import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepClusterEvents } from '../../../src/cli/files/keep-events.ts';
import { timelineEvents } from '../../../src/monitor/events.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { nodes } from '../../../src/resources/nodes/resource.ts';
import { settings } from '../../../src/resources/settings/resource.ts';
import { users } from '../../../src/resources/users/resource.ts';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { setUp } from '../../resources/support.ts';

const setting = (key: string, value: string) => ({ app: 'emqx', key, value, dataType: 'string', description: '' });

test('what changed between two runs of the program is told, and no secret is kept for that', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'known-lists-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const broker = { users: ['ann'], limit: '1000', isPublic: true };
  let runs = 0;
  async function run(until: (texts: readonly string[]) => boolean): Promise<readonly string[]> {
    const { api, clock } = setUp(() => ({
      listSettings: async () => {
        return new Map(
          ['a', 'b'].map((name) => [
            name,
            [setting('mqtt.password', 'Pässwörd'), setting('mqtt.max_mqueue_len', broker.limit)],
          ]),
        );
      },
      listUsers: async () => broker.users.map((username) => ({ username, tags: 'viewer' })),
    }));
    const monitor = createTriagedMonitor({ api, clock, intervalSeconds: 2 });
    const kept = keepClusterEvents(monitor, { XDG_STATE_HOME: home }, 'prod');
    const texts = (): readonly string[] =>
      reading(monitor.store.getState(), timelineEvents)
        .filter(({ kind }) => kind === 'change')
        .map(({ text }) => text);
    for (const watched of [settings, users, nodes]) monitor.watch(watched);
    await expect
      .poll(async () => {
        await clock.advance(2_000);
        return until(texts()) && Object.keys(monitor.changes.known()).length > 1;
      })
      .toBe(true);
    await kept?.close();
    expect(
      reading(monitor.store.getState(), timelineEvents).filter(({ text }) => text === 'brokertop started'),
    ).toHaveLength((runs += 1));
    monitor.stop();
    return texts();
  }
  expect(await run(() => true)).toEqual([]);
  broker.users = ['ann', 'eve'];
  broker.limit = '10';
  const texts = await run((all) => all.length > 1);
  expect(texts).toContainEqual(expect.stringMatching(/^New: user eve while brokertop was not running/u));
  expect(texts).toContainEqual(
    expect.stringMatching(
      /^Changed: setting mqtt\.max_mqueue_len on .*: value 1000 → 10 while brokertop was not running/u,
    ),
  );
  const folder = path.join(home, 'brokertop', 'events');
  const file = path.join(folder, 'prod.known.json');
  expect((await readdir(folder)).toSorted()).toEqual(['prod.known.json', 'prod.ndjson']);
  expect(await readFile(file, 'utf8')).not.toContain('Pässwörd');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeFile(file, '{"users": 1');
  expect((await run(() => true)).length).toBe(texts.length);
});
