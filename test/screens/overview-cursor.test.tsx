import { afterEach, expect, test } from 'vitest';
import { clockText } from '../../src/domain/text.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { showMoment } from '../../src/monitor/shown-time.ts';
import { Mouse } from '../../src/screens/app.tsx';
import { OverviewScreen } from '../../src/screens/overview/overview.tsx';
import { createReports } from '../../src/terminal/reports.ts';
import { createJudgedStore } from '../support/judged-store.ts';
import { createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import { current, healthyState } from './cluster-state.ts';

afterEach(() => {
  endRigs();
  showMoment(undefined);
});

/** The last sample, by the monotonic clock of the process, and the time of day then. */
const lastMs = 248_000;
const lastWallMs = new Date(2026, 10, 28, 14, 2, 8).getTime();
const [left, right, shiftLeft, escape] = ['\u001B[D', '\u001B[C', '\u001B[1;2D', '\u001B'];

/** Readings every 2 s, 10 messages/s, and 100 from 130 s on. */
function show(width: number, height: number) {
  const { store, acknowledge } = createJudgedStore(current(healthyState({}, (step) => (step < 60 ? 20 : 200))));
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
      <OverviewScreen monitor={monitor} width={width} height={height} go={() => {}} notify={() => {}} />
    </Mouse>,
    { columns: width, rows: height, theme: plainTheme },
  );
  return { rig, reports };
}

/** The first row of the graph, and the columns that it has. */
function graphOf(lines: readonly string[]) {
  const row = lines.findIndex((line) => / in +\S+\/s +out/u.test(line)) + 1;
  const begin = (lines[row]?.indexOf('┤') ?? 0) + 1;
  return { row, begin };
}

const legendTime = /(\d\d:\d\d:\d\d) {2}in (\S+\/s) +out (\S+\/s)/u;

test.each([
  [80, 19],
  [120, 36],
  [200, 56],
])('the cursor of messages on Overview is moved by keys and the mouse, at %d×%d', async (width, height) => {
  const { rig, reports } = show(width, height);
  const { row, begin } = graphOf(await rig.until((text) => / in +\S+\/s +out/u.test(text)));
  // The last column may not have a reading yet.
  rig.type(left + left);
  const first = legendTime.exec((await rig.until((text) => legendTime.test(text))).join('\n'));
  expect(first?.slice(2)).toEqual(['100/s', '100/s']);
  const latest = first?.[1] ?? '';
  expect(latest <= clockText(lastWallMs)).toBe(true);
  rig.type(shiftLeft.repeat(10));
  await rig.until((text) => (legendTime.exec(text)?.[1] ?? latest) < latest);
  rig.type(right.repeat(10));
  await rig.until((text) => legendTime.exec(text)?.[1] === latest);
  // Before 130 s, less was sent.
  rig.type(left.repeat(200));
  await rig.until((text) => legendTime.exec(text)?.[2] === '10/s');
  rig.type(escape);
  await rig.until((text) => !legendTime.test(text));
  reports.emit({ kind: 'mouse', action: 'press', button: 'left', row, column: begin + 1 });
  expect(legendTime.exec((await rig.until((text) => legendTime.test(text))).join('\n'))?.slice(2)).toEqual([
    '10/s',
    '10/s',
  ]);
});
