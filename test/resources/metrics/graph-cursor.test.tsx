import { afterEach, describe, expect, test } from 'vitest';
import { clockText } from '../../../src/domain/text.ts';
import { steadyNowMs } from '../../../src/monitor/clock.ts';
import { showMoment } from '../../../src/monitor/shown-time.ts';
import { MetricsScreen } from '../../../src/resources/metrics/screen.tsx';
import { highestBetween } from '../../../src/resources/metrics/rate-window.ts';
import { Mouse } from '../../../src/screens/app.tsx';
import { createReports } from '../../../src/terminal/reports.ts';
import { current, healthyState } from '../../screens/cluster-state.ts';
import { createJudgedStore } from '../../support/judged-store.ts';
import { createRig, endRigs, plainTheme } from '../../tui/support/rig.tsx';

afterEach(() => {
  endRigs();
  showMoment(undefined);
});

/** The last sample, by the monotonic clock of the process, and the time of day then. */
const lastMs = 248_000;
const lastWallMs = new Date(2026, 10, 28, 14, 2, 8).getTime();
const clockAt = (monotonicMs: number): string => clockText(lastWallMs + monotonicMs - lastMs);

/** 10 B/s, and 100 B/s from 130 s on. Readings every 2 s. */
const stepUp = (step: number): number => (step < 60 ? 20 : 200);

function show(width: number, height: number) {
  const { store, acknowledge } = createJudgedStore(current(healthyState({}, stepUp)));
  showMoment({ steadyMs: steadyNowMs(), monotonicMs: lastMs, wallMs: lastWallMs });
  const monitor = {
    store,
    acknowledge,
    watch: () => () => {},
    refresh: () => {},
    abortScan: () => false,
    setFrozen: () => {},
    setIntervalSeconds: () => {},
    stop: () => {},
  };
  const reports = createReports();
  const rig = createRig(
    <Mouse reports={reports}>
      <MetricsScreen monitor={monitor} width={width} height={height} go={() => {}} notify={() => {}} />
    </Mouse>,
    { columns: width, rows: height, theme: plainTheme },
  );
  return { rig, reports };
}

const [left, right, shiftLeft, escape] = ['\u001B[D', '\u001B[C', '\u001B[1;2D', '\u001B'];
const legendAt = (monotonicMs: number, rate: string): RegExp =>
  new RegExp(`${clockAt(monotonicMs)} {2}cluster +${rate}`, 'u');

describe('the cursor of a graph', () => {
  // Columns of 3.75 s beside the list, of 2.65 s below it.
  test.each([
    [120, 30, 48],
    [80, 19, 68],
  ])('is moved by keys, and says time and value, at %d×%d', async (width, height, cells) => {
    const { rig } = show(width, height);
    const cellMs = 180_000 / cells;
    const endMs = (Math.floor(lastMs / cellMs) + 1) * cellMs;
    await rig.until((text) => text.includes('┼'));
    rig.type(left);
    const first = await rig.until((text) => legendAt(endMs - cellMs, '100 B/s').test(text));
    expect(first.join('\n')).not.toContain('avg)   peak');
    rig.type(shiftLeft);
    await rig.until((text) => legendAt(endMs - 2 * cellMs, '100 B/s').test(text));
    rig.type(left.repeat(cells));
    // It stops at the first column, where less was received.
    const oldest = await rig.until((text) => legendAt(endMs - 180_000, '10 B/s').test(text));
    expect(oldest.join('\n')).toMatch(/[┤│]│/u);
    rig.type(right);
    await rig.until((text) => legendAt(endMs - 180_000 + cellMs, '10 B/s').test(text));
    rig.type(escape);
    await rig.until((text) => !/\d {2}cluster/u.test(text));
    rig.type(left);
    await rig.until((text) => legendAt(endMs - cellMs, '100 B/s').test(text));
    rig.type(right);
    expect(await rig.until((text) => !/\d {2}cluster/u.test(text))).toHaveLength(height);
  });

  test('is put where the mouse clicks', async () => {
    const { rig, reports } = show(120, 30);
    const lines = await rig.until((text) => text.includes('┼'));
    const row = lines.findIndex((line) => line.includes('┼')) - 1;
    const column = lines[row + 1]?.indexOf('┼') ?? 0;
    reports.emit({ kind: 'mouse', action: 'press', button: 'left', row, column: column + 3 });
    const clicked = await rig.until((text) => /\d {2}cluster/u.test(text));
    expect(clicked.join('\n')).toMatch(legendAt(251_250 - 180_000 + 2 * 3_750, '10 B/s'));
  });

  test('stays at its time when the window changes', async () => {
    const { rig } = show(120, 30);
    await rig.until((text) => text.includes('┼'));
    rig.type(left.repeat(40));
    await rig.until((text) => legendAt(251_250 - 40 * 3_750, '10 B/s').test(text));
    rig.type('}');
    await rig.until((text) => text.includes('15 min window'));
    expect(rig.lines().join('\n')).toMatch(/13:59:40 {2}cluster +10 B\/s/u);
  });
});

describe('the value at a time', () => {
  const points = [
    { atMs: 0, perSecond: undefined },
    { atMs: 10, perSecond: 5 },
    { atMs: 20, perSecond: 7 },
    { atMs: 90, perSecond: 3 },
    { atMs: 100, perSecond: 4, isGap: true as const },
    { atMs: 110, perSecond: 6 },
  ];
  const options = { maxStepMs: 20 };

  test.each([
    [0, 10, 5],
    [10, 20, 7],
    [5, 15, 7],
    // No reading is near, and no line is drawn through.
    [30, 40, undefined],
    [82, 88, undefined],
    [95, 105, undefined],
    [101, 105, 6],
  ])('from %d to %d is %s', (from, to, value) => {
    expect(highestBetween(points, from, to, options)).toBe(value);
  });

  test('of what rises and falls is what was read then', () => {
    expect(highestBetween(points, 85, 95, { ...options, isGauge: true })).toBe(3);
    expect(highestBetween(points, 30, 40, { ...options, isGauge: true })).toBeUndefined();
  });
});
