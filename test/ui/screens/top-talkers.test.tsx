import { afterEach, expect, test } from 'vitest';
import type { Client } from '../../../src/domain/client.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { TopTalkersScreen } from '../../../src/ui/screens/clients/top-talkers.tsx';
import { screenTexts, topTalkersTexts } from '../../../src/ui/screens/texts.ts';
import { fullCapabilities } from '../../support/full-broker.ts';
import { endRigs } from '../support/rig.tsx';
import { capabilitiesB, createAskingRig, createCluster, node1 } from './administration-fixtures.tsx';
import { clientOf, propsOf, scanOf, sizes } from './list-fixtures.ts';
import { readingsOf } from '../../support/readings.ts';
import { watchKey } from '../../../src/monitor/query/part.ts';

afterEach(endRigs);

const hostile = 'z\u001B[2J';
const cells = (line = ''): readonly string[] =>
  line
    .replace(/^[▸ ]/u, '')
    .trim()
    .split(/\s{2,}/);
const capabilities = { ...capabilitiesB, ...fullCapabilities };
const rowsAt = (seconds: number): readonly Client[] => [
  clientOf('quiet', {
    node: node1,
    traffic: { receivedMessages: 5, sentMessages: 0, receivedBytes: 500, sentBytes: 0 },
  }),
  clientOf('talker', {
    node: node1,
    username: 'ann',
    traffic: { receivedMessages: 20 * seconds, sentMessages: 0, receivedBytes: 3_000 * seconds, sentBytes: 0 },
  }),
  clientOf(hostile, {
    node: node1,
    traffic: { receivedMessages: 0, sentMessages: 3 * seconds, receivedBytes: 0, sentBytes: 90 * seconds },
  }),
];
const scanAt = (seconds: number) =>
  scanOf(rowsAt(seconds), {
    finishedAtMs: seconds * 1_000,
    coverage: new Map([
      [node1, { read: 3, expected: 3, isComplete: true, readAtMs: seconds * 1_000, error: undefined }],
    ]),
  });

test('lists who sends and gets the most, as soon as there are rates', async () => {
  const monitor = createCluster({ capabilities, ...readingsOf({ clientScan: scanAt(10) }) });
  const rig = createAskingRig(<TopTalkersScreen {...propsOf(monitor, [139, 12])} />, [139, 12]);
  await rig.until((text) => text.includes(topTalkersTexts.window(undefined)));
  monitor.set(readingsOf({ clientScan: scanAt(40) }));
  const lines = await rig.until((text) => text.includes(topTalkersTexts.window(30)));
  expect(cells(lines[0]).slice(0, 8)).toEqual([
    'CLIENT ID',
    'NODE',
    'USERNAME',
    'MSG/S ▼',
    'MSG IN/S',
    'MSG OUT/S',
    'BYTES IN/S',
    'BYTES OUT/S',
  ]);
  expect(cells(lines[1]).slice(0, 8)).toEqual(['talker', 'broker1', 'ann', '20/s', '20/s', '0/s', '2.9 kB/s', '0 B/s']);
  expect(cells(lines[2]).slice(0, 6)).toEqual([String.raw`z\x1b[2J`, 'broker1', '–', '3/s', '0/s', '3/s']);
  rig.type('K');
  await rig.until(() => rig.asked.length === 1);
  expect(rig.asked[0]).toMatchObject({ kind: 'confirm' });
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'talker' }]);
});

test('shows and orders by the messages so far until there are rates, under its own title', async () => {
  const monitor = createCluster({ capabilities, ...readingsOf({ clientScan: scanAt(10) }) });
  const rig = createAskingRig(<TopTalkersScreen {...propsOf(monitor, [80, 12])} />, [80, 12]);
  const lines = await rig.until((text) => text.includes('no rates yet: most messages so far first'));
  expect(lines[0]).toMatch(/MSG IN +MSG OUT/u);
  expect(lines.slice(1, 4).map((line) => cells(line)[0])).toEqual(['talker', String.raw`z\x1b[2J`, 'quiet']);
  const wide = createAskingRig(<TopTalkersScreen {...propsOf(monitor, [200, 30])} />, [200, 30]);
  expect((await wide.until((text) => text.includes('talker'))).join('\n')).toMatch(/╭ Top talkers /u);
});

test.each(sizes)('fills %i by %i', async (width, height) => {
  const rig = createAskingRig(
    <TopTalkersScreen
      {...propsOf(createCluster({ capabilities, ...readingsOf({ clientScan: scanAt(10) }) }), [width, height])}
    />,
    [width, height],
  );
  const lines = await rig.until((text) => text.includes('▸'));
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(rig.raw()).not.toContain('\u001B[2J');
});

test('is not read where clients have no counters', () => {
  const monitor = createCluster({ capabilities: { ...capabilitiesB, apiName: 'API v0' } });
  const rig = createAskingRig(<TopTalkersScreen {...propsOf(monitor, [100, 12])} />, [100, 12]);
  expect(rig.lines().join('\n')).toContain(screenTexts.notOffered(safe`API v0`, topTalkersTexts.notOffered));
  expect(monitor.watching.map(watchKey)).not.toContainEqual('clientScan');
});
