import { afterEach, expect, test } from 'vitest';
import type { Client } from '../../src/domain/client.ts';
import { watchKey } from '../../src/monitor/query/part.ts';
import { TopTalkersScreen } from '../../src/resources/top-talkers/screen.tsx';
import { fullCapabilities } from '../support/full-broker.ts';
import { readingsOf } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { endRigs } from '../tui/support/rig.tsx';
import { capabilitiesB, createAskingRig, createCluster, node1 } from './administration-fixtures.tsx';
import { clientOf, propsOf, scanOf, sizes } from './list-fixtures.ts';

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
  await rig.until((text) => text.includes('no rates yet: most messages so far first'));
  monitor.set(readingsOf({ clientScan: scanAt(40) }));
  const lines = await rig.until((text) => text.includes('rates over 30 s'));
  expect(lines[0]).toContain('MSG/S ▼');
  expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
    'CLIENT ID': 'talker',
    NODE: 'broker1',
    USERNAME: 'ann',
    'MSG/S': '20/s',
    'MSG IN/S': '20/s',
    'MSG OUT/S': '0/s',
    'BYTES IN/S': '2.9 kB/s',
    'BYTES OUT/S': '0 B/s',
  });
  expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
    'CLIENT ID': String.raw`z\x1b[2J`,
    NODE: 'broker1',
    USERNAME: '–',
    'MSG/S': '3/s',
    'MSG IN/S': '0/s',
    'MSG OUT/S': '3/s',
  });
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
  expect(rig.lines().join('\n')).toContain('Not available: API v0 does not support traffic of clients.');
  expect(monitor.watching.map(watchKey)).not.toContainEqual('clientScan');
});
