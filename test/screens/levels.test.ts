import { expect, test } from 'vitest';
import type { QueueTrends } from '../../src/resources/sessions/queues.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { clientLevels, levelNote, levelRows, problemLevels } from '../../src/screens/overview/levels.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { plainTheme } from '../tui/support/rig.tsx';
import { healthyState } from './cluster-state.ts';
import { sessionOf } from './list-fixtures.ts';

const trendOf = (clientId: string, lengths: readonly (number | undefined)[], node = 'broker1@a') =>
  [
    clientId,
    {
      session: sessionOf(clientId, { node, queueLength: lengths.at(-1) }),
      points: lengths.map((queueLength, index) => ({
        atMs: index * 5_000,
        queueLength,
        deliveredPerSecond: index === 0 ? undefined : 3,
        droppedPerSecond: undefined,
      })),
    },
  ] as const;

const losing = (clientId: string): Finding => ({
  check: 'slow',
  key: `slow ${clientId}`,
  severity: 'critical',
  jump: { screen: 'client', clientId },
  code: 'more-sessions',
  evidence: { clientIds: [clientId] },
});

const limits = new Map([['broker1@a', 1_000]]);
const nodes = new Map([['broker1@a', 'broker1']]);
const levelsOf = (queueTrends: QueueTrends, findings: readonly Finding[]) =>
  problemLevels(plainTheme, patched(healthyState(), readingsOf({ queueTrends })), findings, limits, nodes);
const textOf = (rows: ReturnType<typeof levelRows>): readonly string[] =>
  rows.map((row) => row.map(({ text }) => text).join(''));

test('queues with a problem come first, others only if they are or were long', () => {
  const trends: QueueTrends = new Map([
    trendOf('long', [500, 400]),
    trendOf('was-long', [500, 0]),
    trendOf('short', [20, 30]),
    trendOf('worker-7', [10, 20]),
  ]);
  const levels = levelsOf(trends, [losing('worker-7'), losing('unread')]);
  expect(levels.map(({ name }) => name.text)).toEqual(['worker-7', 'long', 'was-long']);
  expect(levels.map(({ value }) => value.role)).toEqual(['error', 'title', 'title']);
});

test('a queue has the colour of its problem while it holds messages, and of danger when it is nearly full', () => {
  const levels = levelsOf(
    new Map([trendOf('empty', [500, 0]), trendOf('some', [100, 200]), trendOf('full', [900, 999])]),
    [losing('empty'), losing('some')],
  );
  expect(levels.map(({ value }) => value.role)).toEqual(['title', 'error', 'error']);
});

test('a problem about a counter shows its rate, each once', () => {
  const storm: Finding = {
    check: 'reconnects',
    key: 'reconnects',
    severity: 'critical',
    jump: { screen: 'clients' },
    code: 'reconnect-storm',
    evidence: { connectsPerSecond: 30, seconds: 30, change: 0, clients: 150, known: 300, clientIds: [] },
  };
  const unrouted: Finding = {
    check: 'unrouted',
    key: 'unrouted',
    severity: 'warning',
    jump: { screen: 'metrics', row: 'messages.dropped' },
    code: 'unrouted-messages',
    evidence: { perSecond: 6, seconds: 30, share: 0.05 },
  };
  const levels = levelsOf(new Map([trendOf('worker-7', [500, 600])]), [
    storm,
    unrouted,
    { ...unrouted, key: 'again' },
    losing('worker-7'),
  ]);
  expect(levels.map(({ name, value }) => [name.text, value.role])).toEqual([
    ['CONNECTs', 'error'],
    ['unrouted', 'warning'],
    ['worker-7', 'error'],
  ]);
  expect(levels[0]?.points.length).toBeGreaterThan(100);
});

test('figures are above their graph when the panel is next to the problems', () => {
  const levels = levelsOf(new Map([trendOf('worker-7', [0, 500, 1_000])]), [losing('worker-7')]);
  const lines = textOf(levelRows(plainTheme, 50, { levelHeight: 4, hasGaps: true, isAbove: true }, levels));
  expect(lines[0]).toBe(' worker-7  1,000 / 1,000  receives 3/s · broker1');
  expect(lines[1]).toContain('1,000 ┤');
  expect(lines).toHaveLength(4);
});

test('a queue is drawn on the scale of its limit, beside its figures', () => {
  const levels = levelsOf(new Map([trendOf('worker-7', [0, 500, 1_000])]), []);
  const lines = textOf(levelRows(plainTheme, 60, { levelHeight: 3, hasGaps: true, isAbove: false }, levels));
  expect(lines.map((line) => line.slice(0, 27).trimEnd())).toEqual([
    ' worker-7',
    ' 1,000 / 1,000',
    ' receives 3/s · broker1',
  ]);
  expect(lines[0]).toContain('1,000 ┤');
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([60]));
  expect(levelNote(plainTheme, levels)).toBe('last 12 s');
});

test('two rows hold what three do, and a blank line separates graphs that have room', () => {
  const levels = levelsOf(new Map([trendOf('a', [500, 500]), trendOf('b', [200, undefined])]), []);
  expect(
    textOf(levelRows(plainTheme, 90, { levelHeight: 2, hasGaps: false, isAbove: false }, levels)).map((line) =>
      line.slice(0, 37).trimEnd(),
    ),
  ).toEqual([' a', ' 500 / 1,000  receives 3/s · broker1', ' b', ' – / 1,000  receives 3/s · broker1']);
  expect(textOf(levelRows(plainTheme, 90, { levelHeight: 3, hasGaps: true, isAbove: false }, levels))[3]).toBe('');
  // Nothing is cut where two rows are too narrow for all of it.
  expect(
    textOf(levelRows(plainTheme, 55, { levelHeight: 2, hasGaps: false, isAbove: false }, levels))[1]
      ?.slice(0, 24)
      .trimEnd(),
  ).toBe(' 500 / 1,000');
});

test('clients are shown once they were counted', () => {
  const sample = (atMs: number, clients: number) => ({ atMs, values: { clients } });
  expect(clientLevels([], 3, 4)).toEqual([]);
  const [level] = clientLevels([sample(0, 3), sample(5_000, 299)], 300, 310);
  expect([level?.name.text, level?.value.text, level?.facts]).toEqual(['connected clients', '300', ['310 sessions']]);
});

test('a level that was read earlier than another goes on to the end, if that is not long ago', () => {
  const lineOf = (lastMs: number): string => {
    const points = [0, 5_000, lastMs].map((atMs) => ({ atMs, values: { clients: 300 } }));
    const levels = [
      ...levelsOf(new Map([trendOf('worker-7', [500, 500, 500])]), []),
      ...clientLevels(points, 300, 310),
    ];
    return (
      textOf(levelRows(plainTheme, 60, { levelHeight: 2, hasGaps: false, isAbove: false }, levels))
        .at(-1)
        ?.trimEnd() ?? ''
    );
  };
  expect(lineOf(7_000)).toHaveLength(60);
  expect(lineOf(7_000).at(-1)).not.toBe('·');
  expect(lineOf(10_000).at(-1)).toBe(lineOf(7_000).at(-1));
});
