import { expect, test } from 'vitest';
import type { TrendPoint } from '../../src/resources/clients/client-detail.ts';
import { stackedTrends, type TrendsView } from '../../src/resources/clients/view/trend-rows.ts';
import { queueHue } from '../../src/tui/components/hues.ts';
import { plainTheme } from '../tui/support/rig.tsx';

const viewOf = (patch: Partial<TrendPoint>, count = 20): TrendsView => ({
  points: Array.from({ length: count }, (_, index): TrendPoint => ({
    atMs: 1_000 * index,
    queueLength: 0,
    deliveredPerSecond: 0,
    droppedPerSecond: 0,
    ...patch,
  })),
  isLoading: false,
  intervalSeconds: 1,
  silentSeconds: 0,
  queueLimit: undefined,
});

/** Rows of each graph: between a head and the next, or the times. */
function graphRows(view: TrendsView, rows: number): readonly number[] {
  const lines = stackedTrends(plainTheme, 60, rows, view).map((row) => row.map(({ text }) => text).join(''));
  expect(lines.length).toBeLessThanOrEqual(rows);
  const heads = ['queue', 'delivered', 'dropped'].map((label) => lines.findIndex((line) => line.startsWith(label)));
  const end = lines.findIndex((line) => line.trimEnd().endsWith(' now'));
  return heads.map((at, index) => (heads[index + 1] ?? end) - at - 1);
}

test('graphs that show something share what flat ones leave, up to ten rows each', () => {
  expect(graphRows(viewOf({ queueLength: 5, deliveredPerSecond: 3, droppedPerSecond: 1 }), 34)).toEqual([10, 10, 10]);
  expect(graphRows(viewOf({ deliveredPerSecond: 3 }), 34)).toEqual([2, 10, 2]);
  expect(graphRows(viewOf({ queueLength: 5, droppedPerSecond: 1 }), 33)).toEqual([10, 2, 10]);
  expect(graphRows(viewOf({ queueLength: 5, droppedPerSecond: 1 }), 20)).toEqual([7, 2, 7]);
  expect(graphRows(viewOf({}), 34)).toEqual([2, 2, 2]);
  expect(graphRows(viewOf({ queueLength: 5 }), 7)).toEqual([1, 1, 1]);
});

test('a queue is drawn on the scale of its limit once it takes a quarter of it', () => {
  const scaleOf = (queueLength: number): string | undefined =>
    /(\S+) ┤/u.exec(
      stackedTrends(plainTheme, 60, 34, { ...viewOf({ queueLength }), queueLimit: 1_000 })
        .map((row) => row.map(({ text }) => text).join(''))
        .join('\n'),
    )?.[1];
  expect([5, 249, 250, 1_000].map(scaleOf)).toEqual(['6', '300', '1,000', '1,000']);
});

test('a queue is drawn in red while it is full or nearly so, and in amber before', () => {
  const rolesOf = (queueLength: number) =>
    stackedTrends(plainTheme, 60, 34, { ...viewOf({ queueLength }), queueLimit: 1_000 })
      .flat()
      .map(({ role }) => role);
  expect([1_000, 950, 949].map((length) => rolesOf(length).includes('error3'))).toEqual([true, true, false]);
  expect([950, 949, 800, 799, undefined].map((length) => queueHue(length, 1_000))).toEqual([
    'error',
    'warning',
    'warning',
    'in',
    'in',
  ]);
  expect(queueHue(950, undefined)).toBe('in');
});
