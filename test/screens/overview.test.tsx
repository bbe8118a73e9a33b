import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState, ActionRecord } from '../../src/actions/acting-monitor.ts';
import { TimeoutError, UnauthorizedError } from '../../src/api/errors.ts';
import { checks } from '../../src/checks/registry.ts';
import type { SlowSession } from '../../src/checks/slow/judge.ts';
import { createTriage, neededReads } from '../../src/checks/triage.ts';
import { checkOf, nextStep, problemParts, uncheckedText } from '../../src/checks/words.ts';
import type { MetricName } from '../../src/domain/metrics.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { asWatch, reading, type Watchable, watchKey } from '../../src/monitor/query/part.ts';
import type { ScanState } from '../../src/monitor/state.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { selectRateSeries } from '../../src/resources/metrics/rates.ts';
import { metrics } from '../../src/resources/metrics/resource.ts';
import { otherRates, qosRates, rateRows, rateTitle } from '../../src/resources/metrics/view/rate-rows.ts';
import { nodeStats as nodeStatsResource } from '../../src/resources/nodes/resource.ts';
import { unknownRates } from '../../src/resources/sessions/history.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import type { TotalsSample } from '../../src/resources/statistics/history.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import type { Theme } from '../../src/terminal/theme.ts';
import { type CheckResult, verdictOf } from '../../src/triage/check.ts';
import { firstReadings, maxBackgroundRows } from '../../src/triage/needs.ts';
import type { Finding, Problem } from '../../src/triage/problem.ts';
import type { Reason } from '../../src/triage/reasons.ts';
import { ListMemoryProvider } from '../../src/tui/list/list-state.ts';
import type { Place } from '../../src/screens/navigation.ts';
import { busiestOf } from '../../src/resources/sessions/view/busiest.ts';
import { followProblem, layOutOverview, overviewLines, OverviewScreen } from '../../src/screens/overview/overview.tsx';
import { countText, triageTexts } from '../../src/resources/problems/view/texts.ts';
import type { QueueDropsView } from '../../src/triage/view.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import { capabilitiesB } from './administration-fixtures.tsx';
import {
  byNodeState,
  current,
  emptyState,
  failing,
  healthyState,
  listener,
  names,
  nodeInfo,
  nodeStats,
  nowMs,
  statsOf,
  stoppedState,
} from './cluster-state.ts';
import { plainFrame, sizes } from './frames.ts';
import { createFakeMonitor, sessionOf } from './list-fixtures.ts';
import { stoppedStats } from '../support/records.ts';
import { createJudgedStore } from '../support/judged-store.ts';
import { eventOf } from '../support/events.ts';

afterEach(endRigs);

/** The report on a state that has lasted for twelve seconds. */
const reportOf = (state: ActingState) => {
  const triage = createTriage();
  triage.update(state, nowMs - 12_000);
  return triage.update(state, nowMs);
};

/** How many checks the broker of these tests can feed. */
const offeredChecks = reportOf(healthyState()).results.filter(({ isNotOffered }) => isNotOffered !== true).length;

const frame = (state: ActingState, width = 80, height = 18, theme: Theme = plainTheme): readonly string[] => {
  const report = reportOf(state);
  return plainFrame(overviewLines(theme, width, height, state, nowMs, report, report.findings[0]?.key), width, height);
};

/** Draws these findings, with the cursor on the first or on `cursorKey`. */
const frameOf = (findings: readonly Finding[], width = 80, height = 18, cursorKey?: string): readonly string[] =>
  plainFrame(
    overviewLines(
      plainTheme,
      width,
      height,
      healthyState(),
      nowMs,
      { ...reportOf(healthyState()), findings },
      cursorKey ?? findings[0]?.key,
    ),
    width,
    height,
  );

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
/** Writes a title with the short names of nodes, like the evidence. */
const titleOf = (problem: Problem): string => plainText(problemParts(problem).title).replaceAll('@127.0.0.1', '');
const evidenceOf = (problem: Problem): string =>
  problemParts(problem)
    .facts.map((fact) => plainText(fact))
    .join(' · ')
    .replaceAll('@127.0.0.1', '');
const { critical, warning } = triageTexts.severityWords;
/** The next step without the marks around keys. */
const nextOf = (problem: Problem): string => nextStep(problem).replaceAll('`', '');
/** Words of wrapped lines. */
const wordsOf = (lines: readonly string[]): string => lines.join(' ').replaceAll(/\s+/gu, ' ');
const nodeDown = (node: string): Problem => ({
  code: 'node-down',
  evidence: { node, status: 'stopped', clients: undefined },
});
/** Matches a line that begins with a text, followed by `rest`. */
const lineOf = (text: string, rest = ''): RegExp => new RegExp(`^${escaped(text)}${rest}`, 'mu');

const losing = (clientId: string): Finding<Problem<'slow-consumer', SlowSession>> => {
  const evidence: SlowSession = {
    clientId,
    node: names[1],
    isConnected: true,
    isAsOfDisconnect: false,
    queueLength: 1_000,
    queueLimit: 1_000,
    isQueueFull: true,
    queuePerSecond: 0,
    fullInSeconds: undefined,
    isLosing: true,
    droppedPerSecond: 68,
    dropped: 400,
    isLossOld: false,
    isWindowFull: true,
    inflight: 32,
    maxInflight: 32,
    acknowledgedPerSecond: 0,
  };
  return {
    check: 'slow',
    key: `slow ${clientId}`,
    severity: 'critical',
    jump: { screen: 'client', clientId },
    code: 'slow-consumer',
    evidence,
  };
};

const hostile = '\u001B]0;owned\u0007\u001B[2J\u202Eevil@host';
const hostileState = (): ActingState =>
  healthyState({
    nodes: [nodeInfo(hostile)],
    nodeStats: [
      nodeStats(hostile, { status: 'other', statusText: '\u001B[31mBad\u009B2J', memoryUsedBytes: 126_000_000 }),
    ],
    listeners: new Map([[hostile, [listener({ protocol: '\u001B[?25l', listen: '\u0007', currentClients: 102_400 })]]]),
    stats: new Map([[hostile, statsOf(1)]]),
  });

const failedState = (): ActingState => {
  const state = healthyState();
  const old = { ...reading(state, nodeStatsResource), updatedAtMs: nowMs - 65_000 };
  return patched(
    state,
    readingsOf({ nodeStats: failing(new TimeoutError(5_000), old), metrics: failing(new TimeoutError(5_000)) }),
  );
};

const unknownState = (): ActingState =>
  healthyState({
    nodes: [nodeInfo(names[0], { uptimeSeconds: undefined })],
    nodeStats: [
      nodeStats(names[0], {
        memoryTotalBytes: undefined,
        processesUsed: undefined,
        maxFileDescriptors: undefined,
        load1: undefined,
        clients: undefined,
      }),
    ],
    stats: new Map(),
    listeners: new Map([[names[0], [listener({ maxClients: undefined, currentClients: undefined })]]]),
  });

const states: readonly (readonly [string, () => ActingState])[] = [
  ['nothing yet', emptyState],
  ['healthy', healthyState],
  ['by node', byNodeState],
  ['a node stopped', stoppedState],
  ['failing', failedState],
  ['unknown figures', unknownState],
  ['hostile names', hostileState],
];

describe('Overview', () => {
  describe.each(sizes)('at %i×%i', (width, height) => {
    test.each(states)('fills its lines exactly: %s', (_, state) => {
      for (const theme of [plainTheme, colorTheme, asciiTheme])
        expect(frame(state(), width, height, theme)).toHaveLength(height);
    });

    test('keeps lines in place when values change', () => {
      const places = (state: ActingState): readonly number[] => {
        const lines = frame(state, width, height);
        return ['Nodes', 'Messages'].map((title) => lines.findIndex((line) => line.includes(` ${title} ─`)));
      };
      expect(places(healthyState()).every((line) => line > 0)).toBe(true);
      expect(places(emptyState())).toEqual(places(healthyState()));
      expect(places(unknownState())).toEqual(places(healthyState()));
      // One problem each.
      expect(places(stoppedState())).toEqual(places(failedState()));
    });
  });

  test('shows which checks passed and which were not made', () => {
    const calm = frame(healthyState());
    const unread = 'clients, sessions, alarms, plugins, settings';
    expect(calm.join('\n')).toMatch(lineOf('  note  ', `.*${escaped(unread)}`));
    expect(calm.join('\n')).toMatch(lineOf('  so far ', `.*: ${checkOf('readings').noun}, ${checkOf('nodes').noun}`));
    // Before the nodes are known, no list waits for a key.
    expect(frame(emptyState())[1]).toMatch(
      lineOf('  pending  ', `${checkOf('readings').noun}, ${checkOf('split').noun}, ${checkOf('nodes').noun}, `),
    );
    expect(frame(emptyState()).join('\n')).not.toContain('(press T)');
    expect(frame({ ...emptyState(), watched: [] }, 200, 54).join('\n')).toContain(
      plainText(uncheckedText({ code: 'reading-missing', resource: 'nodes' })),
    );
    const lines = frame(unknownState(), 200, 54).join('\n');
    for (const figure of ['memory', 'processes'] as const)
      expect(lines).toContain(plainText(uncheckedText({ code: 'limit-unknown', figure, nodes: ['broker1'] })));
    expect(lines).not.toContain(triageTexts.allOk(offeredChecks));
  });

  test('does not say that nothing was found while checks are missing that need no key', () => {
    const lines = (state: ActingState): string => frame(state, 120, 40).join('\n');
    const started = healthyState();
    const { pending = [], results } = reportOf(started);
    expect(pending.map(({ check }) => check)).toEqual(['sudden', 'reconnects']);
    expect(lines(started)).toContain(' pending  reconnects (in a few seconds) · sudden changes (');
    expect(lines(started)).toContain(
      `  so far   ${triageTexts.noneSoFar(results.filter((result) => result.isNotOffered !== true && verdictOf(result) === 'ok').length, results.filter(({ isNotOffered }) => isNotOffered !== true).length)}: `,
    );
    // Only sudden changes are missing: calm.
    const passed: CheckResult[] = results.map((result) =>
      result.check === 'sudden' ? result : { ...result, unchecked: [] },
    );
    const calm = plainFrame(
      overviewLines(plainTheme, 120, 40, started, nowMs, {
        results: passed,
        problems: [],
        findings: [],
        isAllClear: false,
        pending: pending.filter(({ check }) => check === 'sudden'),
      }),
      120,
      40,
    ).join('\n');
    expect(calm).toContain(`  ok       ${triageTexts.noneSoFar(offeredChecks - 1, offeredChecks)}: `);
    expect(calm).not.toContain('so far');
    // Nothing is on its way: what is missing is not checked.
    for (const state of [
      { ...started, isFrozen: true },
      { ...started, watched: [] },
    ]) {
      expect(reportOf(state).pending).toEqual([]);
      expect(lines(state)).not.toContain('  pending ');
      expect(lines(state)).toMatch(/ \d+ of \d+ checks passed: /u);
      expect(lines(state)).not.toContain('no problems');
    }
  });

  test('notes counters that may be out of date once, and not as a check that is missing', () => {
    const note = { code: 'counters-frozen', clientIds: ['a', 'b'] } as const;
    const withNote = (unchecked: readonly Reason[]): string => {
      const report = reportOf(healthyState());
      const results = report.results.map((result): CheckResult => ({
        check: result.check,
        findings: [],
        jump: result.jump,
        toldElsewhere: 0,
        unchecked: result.check === 'slow' ? unchecked : [],
      }));
      return plainFrame(
        overviewLines(plainTheme, 120, 40, healthyState(), nowMs, {
          results,
          problems: [],
          findings: [],
          isAllClear: false,
        }),
        120,
        40,
      ).join('\n');
    };
    const text = plainText(uncheckedText(note));
    expect(withNote([note])).toMatch(new RegExp(` note +${escaped(text)}`, 'u'));
    expect(withNote([note])).not.toContain('not checked');
    expect(withNote([{ code: 'sessions-aborted' }, note])).toMatch(
      new RegExp(` note +not checked yet: [^:]*; ${escaped(text)}`, 'u'),
    );
  });

  test('shows problems first, with their durations', () => {
    const lines = frame(stoppedState());
    expect(lines[0]).toMatch(new RegExp(`Problems .* ${escaped(triageTexts.checksNote(offeredChecks))}`, 'u'));
    expect(lines[1]).toMatch(lineOf(`█ ${critical} ${titleOf(nodeDown(names[2]))}`, ' +2m 05s $'));
    expect(lines.find((line) => line.includes('○'))).toMatch(/broker3.* stopped for 2m 05s, no data/u);
  });

  test('cuts the checks that passed behind one, and counts them', () => {
    const passed = (findings: readonly Finding[], width: number): readonly string[] => {
      const line =
        frameOf(findings, width, 24).find((each) => each.includes(' ok  ') || each.includes(' so far ')) ?? '';
      return line.replace(/^.*: |[ │]+$/gu, '').split(', ');
    };
    const nouns = new Set([...checks.map(({ noun }) => `${noun}`), '…']);
    for (let width = 70; width < 200; width += 7) {
      for (const findings of [[], [losing('a')]])
        for (const name of passed(findings, width)) expect(nouns).toContain(name);
    }
    expect(passed([losing('a')], 80).at(-1)).toBe('…');
    expect(passed([losing('a')], 200).at(-1)).not.toBe('…');
    expect(frameOf([losing('a')], 80, 24).join('\n')).toMatch(/  ok +\d+ of \d+: API, /u);
  });

  test('counts hidden problems', () => {
    const report = reportOf(healthyState());
    const found = Array.from({ length: 9 }, (_, at): Finding =>
      at < 8
        ? losing(`worker-${at}`)
        : {
            ...losing('more'),
            severity: 'warning',
            code: 'slow-sessions',
            evidence: { clientIds: ['a', 'b'], isMore: true, isNoneFullSoon: false },
            members: ['a', 'b'],
          },
    );
    const lines = plainFrame(
      overviewLines(plainTheme, 80, 18, healthyState(), nowMs, { ...report, findings: found }, 'slow worker-0'),
      80,
      18,
    );
    const listed = lines.filter((line) => /worker-\d/u.test(line)).length;
    expect(listed).toBeGreaterThan(1);
    const hidden = found.slice(listed);
    expect(listed).toBe(2);
    // A row that stands for two counts as two.
    expect(lines.join('\n')).toContain('6 more critical, 2 warnings (T): sessions');
    expect(countText(hidden.slice(-1), true)).toBe('2 more warnings');
  });

  test('names the checks whose problems are hidden', () => {
    const fanOut: Finding = {
      check: 'fanOut',
      key: 'fan-out',
      severity: 'warning',
      jump: { screen: 'subscriptions' },
      code: 'fan-out',
      evidence: { ratio: 30, sentPerSecond: 300, receivedPerSecond: 10, suspect: 'not-read', hasTalkers: false },
    };
    const found = [...Array.from({ length: 8 }, (_, at) => losing(`worker-${at}`)), fanOut];
    expect(frameOf(found, 80, 20).find((line) => line.includes(' more '))).toContain(
      `(T): ${checkOf('slow').noun}, ${checkOf('fanOut').noun}`,
    );
  });

  test('keeps the worst problems above the selected one, with a mark for those between', () => {
    const found = Array.from({ length: 9 }, (_, at) => losing(`worker-${at}`));
    const listed = (cursor: number): readonly string[] =>
      frameOf(found, 80, 20, found[cursor]?.key).flatMap((line) => /worker-\d|\d+ more/u.exec(line)?.[0] ?? []);
    expect([0, 2, 3, 8].map(listed)).toEqual([
      ['worker-0', 'worker-1', 'worker-2', '6 more'],
      ['worker-0', 'worker-1', 'worker-2', '6 more'],
      ['worker-0', 'worker-1', '6 more', 'worker-3'],
      ['worker-0', 'worker-1', '6 more', 'worker-8'],
    ]);
  });

  test('stops durations at the last reading', () => {
    const state = stoppedState();
    const frozen = patched(state, {
      isFrozen: true,
      ...readingsOf({ nodeStats: { ...reading(state, nodeStatsResource), updatedAtMs: nowMs - 60_000 } }),
    });
    const lines = frame(frozen);
    expect(lines[1]).toMatch(lineOf(`█ ${critical} ${titleOf(nodeDown(names[2]))}`, ' +1m 00s old $'));
    expect(lines.find((line) => line.includes('○'))).toMatch(/broker3.* stopped for 1m 05s, seen 1m 00s ago, no data/u);
  });

  test('keeps earlier findings with their age, and says what to do next', () => {
    const lost = { ...losing('x'), foundMs: nowMs - 400_000, seenMs: nowMs - 180_000 };
    const lines = frameOf([lost]);
    expect(lines[1]).toMatch(lineOf(`█ ${critical} ${titleOf(lost)}`, ' .* +3m 00s old $'));
    const next = lines.findIndex((line) => line.startsWith('  Next '));
    expect(wordsOf(lines.slice(next, next + 3))).toContain(`Next ${nextOf(lost)}`);
    expect(lines.join('\n')).not.toContain(triageTexts.allOk(offeredChecks));
  });

  test('gives the evidence a column where there is room', () => {
    const findings = Array.from({ length: 9 }, (_, index) => ({
      ...losing(`worker-00000${index}`),
      foundMs: nowMs - 400_000,
      seenMs: nowMs - 32_000,
    }));
    const [first = losing('')] = findings;
    // Where it has none, as many facts as fit follow the title.
    expect(frameOf(findings)[1]).toMatch(
      lineOf(`█ ${critical} ${titleOf(first)}`, '  queue full · broker2 +32 s old $'),
    );
    expect(frameOf(findings, 60, 9)[1]).toMatch(lineOf(`█ ${critical} ${titleOf(first)}`, '  queue full +$'));
    for (const width of [120, 200])
      expect(frameOf(findings, width, 34)[1]).toMatch(
        new RegExp(`${escaped(titleOf(first))} +${escaped(evidenceOf(first))}(?: · limit 1,000)? +32 s old  │$`, 'u'),
      );
    const wide = frameOf(findings, 200, 54);
    expect(wide.find((line) => line.startsWith('│   Next '))).toContain(`Next     ${nextOf(first)}`);
  });

  test('names more clients where the evidence has room for them', () => {
    const clientIds = Array.from({ length: 12 }, (_, index) => `worker-${index + 10}`);
    const slow: Finding = {
      ...losing('x'),
      severity: 'warning',
      code: 'slow-sessions',
      evidence: { clientIds, isMore: false, isNoneFullSoon: true },
      key: 'slow',
    };
    expect(frameOf([slow], 140, 34)[1]).toContain(
      ' no queue will fill within 5 min · worker-10, worker-11 and 10 more ',
    );
    expect(frameOf([slow], 200, 34)[1]).toContain(` ${clientIds.slice(0, 8).join(', ')} and 4 more `);
  });

  test('shows the next step of the problem under the cursor, and keeps it in sight', () => {
    const findings = Array.from({ length: 30 }, (_, index) => losing(`worker-${index}`));
    const last: Finding = {
      ...losing('last'),
      severity: 'warning',
      code: 'uneven-load',
      evidence: { node: names[0], load: 4, ratio: 3, nodes: 3 },
      key: 'last',
    };
    for (const [width, height] of sizes) {
      const lines = frameOf([...findings, last], width, height, 'last');
      expect(lines.filter((line) => line.includes('█'))).toHaveLength(1);
      expect(lines.find((line) => line.includes('█'))).toContain(`█ ${warning}  ${titleOf(last)}`.slice(0, 55));
      expect(lines.join('\n')).toContain('Next');
    }
    expect(frameOf([...findings, last], 120, 34, 'last').join('\n')).toContain(nextOf(last));
    expect(frameOf([...findings, last], 80, 18, 'last')[1]).toContain(titleOf(losing('worker-0')));
  });

  test('cuts a long name in the middle, so that the rest of the title stays', () => {
    const long = losing(`sensor-${'x'.repeat(60)}-0017`);
    for (const width of [60, 80, 120])
      expect(frameOf([long], width, 18)[1]).toMatch(/ sensor-x*…x*-0017 is losing 68 msg\/s(?: |$)/u);
  });

  test('never cuts the next step in the middle', () => {
    const finding = losing('worker-0');
    const sentences = nextOf(finding).split(/(?<=\.) /u);
    // What Enter does gives way first.
    const texts = [sentences, sentences.slice(1)].map((kept) => ({ first: kept[0] ?? '', whole: kept.join(' ') }));
    for (const [width, height] of sizes) {
      const lines = frameOf([finding], width, height).map((line) => line.replaceAll(/^[│ ]+|[│ ]+$/gu, ''));
      const next = lines.findIndex((line) => line.startsWith('Next'));
      const after = lines.findIndex(
        (line, index) =>
          index > next && (line === '' || ['note', 'pending', 'ok'].some((label) => line.startsWith(label))),
      );
      const shown = wordsOf(lines.slice(next, after === -1 ? next + 3 : after)).replace(/(?<=\.) ?(?:[╰─]|$).*$/u, '');
      expect(
        texts.some(({ first, whole }) => shown.startsWith(`Next ${first}`) && `Next ${whole}`.startsWith(shown)),
      ).toBe(true);
      expect(shown).toMatch(/\.$/u);
    }
  });

  test('names no keys of actions in read-only mode', () => {
    const finding = losing('worker-0');
    const lines = (isReadOnly: boolean) =>
      plainFrame(
        overviewLines(
          plainTheme,
          120,
          34,
          { ...healthyState(), isReadOnly },
          nowMs,
          { ...reportOf(healthyState()), findings: [finding] },
          finding.key,
        ),
        120,
        34,
      ).join(' ');
    expect(lines(false)).toContain('hung: K makes it reconnect.');
    expect(lines(true)).not.toContain('makes it reconnect');
    expect(lines(true)).toContain(nextStep(finding, { canAct: false, canUnsubscribe: false }).split('.')[0]);
  });

  test('opens the rows behind the selected finding', async () => {
    const monitor = createFakeMonitor(stoppedState());
    const places: Place[] = [];
    const rig = createRig(
      <OverviewScreen
        monitor={monitor}
        width={80}
        height={18}
        go={(place) => {
          places.push(place);
        }}
        notify={() => {}}
      />,
      { columns: 80, rows: 18 },
    );
    await rig.until((text) => text.includes(`█ ${critical} ${titleOf(nodeDown(names[2]))}`));
    rig.type('\r');
    await expect.poll(() => places).toEqual([{ screen: 'node', node: names[2] }]);
  });

  test('shows a minimum duration if the start is unknown', () => {
    const state = healthyState({ nodeStats: names.map((name) => nodeStats(name, { memoryUsedBytes: 125_900_000 })) });
    expect(frame(state)[1]).toMatch(
      lineOf(
        `█ ${critical} ${titleOf({ code: 'node-near-limit', evidence: { node: names[0], figure: 'memory', share: 0.99 } })}`,
        '.* +>12 s $',
      ),
    );
  });

  test('counts problems that do not fit', () => {
    const many = Array.from({ length: 9 }, (_, index) => stoppedStats(`node${index}@h`));
    const state = healthyState({ nodes: [], nodeStats: many, listeners: new Map(), stats: new Map() });
    expect(frame(state, 60, 9)[0]).toContain(countText(many.map(() => ({ severity: 'critical' }))));
    const lines = frame(state);
    const listed = lines.filter((line) => line.includes(critical)).length;
    expect(lines.join('\n')).toContain(
      countText(
        many.slice(listed).map(() => ({ severity: 'critical' })),
        true,
      ),
    );
    const nodes = lines.filter((line) => line.startsWith(' ○ ')).length;
    expect(nodes).toBeGreaterThan(1);
    expect(lines.join('\n')).toContain(`+${9 - nodes} more nodes (press 2)`);
  });

  test('shows the worst nodes first when not all fit, and by name when they do', () => {
    const nodes = Array.from({ length: 8 }, (_, index) =>
      nodeStats(`node${index}@h`, index === 6 ? { memoryUsedBytes: 120_000_000 } : {}),
    );
    const state = healthyState({ nodes: [], nodeStats: [...nodes, stoppedStats('node9@h')] });
    const shown = (lines: readonly string[]): readonly (string | undefined)[] =>
      lines.flatMap((line) => / [●○] (node\d)/.exec(line)?.[1] ?? []);
    expect(shown(frame(state)).slice(0, 2)).toEqual(['node9', 'node6']);
    expect(shown(frame(state, 60, 9))).toEqual(['node9']);
    expect(shown(frame(state, 200, 54))).toEqual([...nodes.map(({ name }) => name.slice(0, 5)), 'node9']);
  });

  test('distinguishes loading, unknown, failed and zero', () => {
    const loading = frame(emptyState(), 120, 34).join('\n');
    expect(loading).toMatch(/clients +··· +sessions +···/);
    expect(loading).toMatch(/in ··· +out ···/);
    expect(loading).toContain('··· loading node statistics');
    expect(loading).not.toMatch(/\d(?:\/s| %| s |m )|clients +\d/);
    const failed = frame(failedState());
    const problem: Problem = {
      code: 'read-failed',
      evidence: { resources: ['nodeStats', 'metrics'], isAll: false, reason: new TimeoutError(5_000).message },
    };
    expect(failed[1]).toMatch(lineOf(`█ ${critical} ${titleOf(problem)}`, '.* +1m 10s $'));
    expect(frame(patched(failedState(), readingsOf({ metricHistory: new Map() }))).join('\n')).toMatch(
      /^ in – +out – +$/m,
    );
    expect(frame(healthyState({ stats: new Map() }), 120, 34).join('\n')).toMatch(/sessions +– /);
    expect(
      frame(healthyState({ stats: new Map(names.map((name) => [name, statsOf(0)])) }), 120, 34).join('\n'),
    ).toMatch(/clients +0 +sessions +0/);
    expect(frame(healthyState({}, () => 0)).join('\n')).toMatch(/^ in 0\/s +out 0\/s +$/m);
  });

  test('shows descriptors as a lower bound', () => {
    expect(frame(healthyState()).join('\n')).toMatch(/FDS [^]*≥39 %/);
  });

  test('marks rising load and unrouted messages', () => {
    const unrouted = healthyState(
      { nodeStats: names.map((name) => nodeStats(name, { load1: 4, load5: 1 })) },
      (_step, name) => (name === 'messages.dropped' ? 6 : 10),
    );
    const lines = frame(unrouted).join('\n');
    expect(lines).toContain('↑4.00');
    expect(lines).toMatch(/^ in 5\/s .* unrouted 3\/s +fan-out 1 *$/m);
    expect(frame(healthyState()).join('\n')).not.toMatch(/unrouted \d|↑/);
  });

  test('colours a load only where a check reports it', () => {
    const state = healthyState({ nodeStats: names.map((name) => nodeStats(name, { load1: 4, load5: 1 })) });
    const finding: Finding = {
      ...losing('load'),
      check: 'balance',
      severity: 'warning',
      code: 'uneven-load',
      evidence: { node: names[1], load: 4, ratio: 3, nodes: 3 },
      key: 'balance load',
    };
    const coloured = (findings: readonly Finding[]): readonly boolean[] =>
      overviewLines(colorTheme, 120, 34, state, nowMs, { ...reportOf(state), findings }).flatMap((line) =>
        line.includes('↑4.00') ? [/\u001B\[33m *↑4\.00/u.test(line)] : [],
      );
    expect(coloured([])).toEqual([false, false, false]);
    expect(coloured([finding])).toEqual([false, true, false]);
  });

  test('shows a lower bound when a node is missing', () => {
    const state = healthyState({
      stats: new Map([[names[0], statsOf(10)]]),
      nodeStats: names.map((name) => nodeStats(name, { clients: undefined })),
    });
    expect(frame(state, 120, 34).join('\n')).toMatch(/clients +≥10 /);
  });

  test('shows how the totals changed, in columns of their own', () => {
    const sample = (atMs: number, clients: number, sessions: number) => ({
      atMs,
      values: { clients, sessions, retained: 1_000_402 },
    });
    const changed = (totalsHistory: readonly TotalsSample[], width = 120, theme = plainTheme) =>
      frame(patched(healthyState(), readingsOf({ totalsHistory })), width, 34, theme);
    const lines = changed([sample(0, 1_215, 1_109), sample(300_000, 1_206, 1_206)]);
    const [title = '', counts = '', others = ''] = lines.slice(lines.findIndex((line) => line.includes(' Totals ─')));
    expect(title).toContain('change over 5 min');
    expect(counts).toMatch(/clients 1,206 +−9 +sessions 1,206 +\+97 +subscribers 1,206 +–/u);
    expect(others).toMatch(/retained 402 +−1\.0M /u);
    // At least as far from the next label as from its own.
    expect(counts).not.toMatch(/[\d–] ?(?:sessions|subscribers|subscriptions)/u);
    expect(changed([sample(0, 1_215, 1_109), sample(130_000, 1_206, 1_206)]).join('\n')).toContain('change over 2 min');
    // Numbers stay in place.
    const still = changed([sample(0, 1_206, 1_206), sample(300_000, 1_206, 1_206)]);
    expect(still.find((line) => line.includes('subscribers'))?.indexOf('sessions')).toBe(counts.indexOf('sessions'));
    expect(still.join('\n')).toMatch(/clients 1,206 +sessions 1,206 +subscribers/u);
    expect(changed([sample(0, 1_215, 1_109)]).join('\n')).not.toMatch(/1,206 +[−–]|change in/u);
    expect(changed([sample(0, 1_215, 1_109), sample(300_000, 1_206, 1_206)], 120, asciiTheme).join('\n')).toMatch(
      /clients 1,206 +-9 /u,
    );
  });

  test('dims old values', () => {
    const line = overviewLines(colorTheme, 80, 18, failedState(), nowMs, reportOf(failedState())).find((candidate) =>
      candidate.includes('broker1 '),
    );
    expect(line).toContain('\u001B[2m');
    expect(line).not.toContain('\u001B[32m');
  });

  test('shows the rates of the cluster averaged as in a problem about them', () => {
    // One connect in the last reading of 2 s, none before it.
    const state = healthyState({}, (step, name) => (name === 'packets.connect' && step === 119 ? 60 : 0));
    expect(frame(state, 120, 34).find((line) => line.includes('CONNECTs'))).toMatch(/CONNECTs +2\/s/u);
  });

  test('shows the age of the rates, with a gap in the graphs', () => {
    const state = healthyState();
    const stale = patched(
      state,
      readingsOf({
        metrics: failing(new TimeoutError(5_000), { ...reading(state, metrics), updatedAtMs: nowMs - 40_000 }),
      }),
    );
    const lines = frame(stale, 120, 34);
    expect(lines.find((line) => line.includes(' Messages ─'))).toMatch(/ 40 s old · 30 s average · last 3 min /);
    expect(lines.find((line) => line.includes(' Cluster rates ─'))).toMatch(/ 40 s old · 30 s average · last /);
    expect(lines.join('\n')).toMatch(/packets out .*[⠁-⣿]·{2,12} /);
    // 40 s of the 3 minutes over the width of the graph.
    const axis = lines.findIndex((line) => line.includes('┼'));
    expect(lines[axis - 1]).toMatch(/[⠁-⣿] {10,16}│/u);
  });

  test('shows a rejected login', () => {
    const state = emptyState();
    const refused: ActingState = patched(state, {
      isUnauthorized: true,
      ...readingsOf({ nodeStats: failing(new UnauthorizedError()) }),
    });
    expect(frame(refused)[1]).toMatch(
      lineOf(
        `█ ${critical} ${titleOf({ code: 'login-rejected', evidence: { proxyMessage: undefined } }).slice(0, 40)}`,
      ),
    );
  });

  test('uses the space of a large terminal', () => {
    const lines = frame(healthyState(), 200, 54).join('\n');
    expect(lines).toContain(qosRates.at(-1)?.label);
    expect(lines).toContain('╭ Listeners ─');
    expect(lines.split('Listeners')).toHaveLength(2 + checkOf('listeners').noun.split('Listeners').length - 1);
    expect(lines).toContain('mqtt:ws');
    expect(lines).toMatch(/clients +1,206 /);
  });

  test('draws one peak up and one down, with the scale and the time on the axes', () => {
    const peak = healthyState({}, (step, name) => (name.startsWith('messages') && step === 60 ? 800 : 0));
    const lines = frame(peak, 80, 30);
    const axis = lines.findIndex((line) => line.includes('┼'));
    expect(lines[axis]).toMatch(/┼ 3 min ─+2 min ─+1 min ─+ now$/u);
    const drawn = lines.flatMap((line, index) => (/[│┤].*[⠁-⣿]/u.test(line) ? [index] : []));
    expect(Math.min(...drawn)).toBeLessThan(axis);
    expect(Math.max(...drawn)).toBeGreaterThan(axis);
    expect(lines.filter((line) => /^ +450 ┤/u.test(line))).toHaveLength(2);
  });

  test('cuts no number of a listener where panels are narrow', () => {
    for (const width of [110, 115, 120, 130, 140, 200]) {
      const many = healthyState({
        listeners: new Map(names.map((name) => [name, [listener({ currentClients: 80, maxClients: 102_400 })]])),
      });
      const lines = frame(many, width, 50).filter((line) => line.includes(' of 102'));
      expect(lines).toHaveLength(names.length);
      for (const line of lines) expect(line).not.toContain('…');
    }
  });

  test('says what full queues lose, before what fits beside it', () => {
    const reading = (perSecond: number, isMin = false): QueueDropsView['current'] => ({
      atMs: 0,
      cluster: { perSecond, total: 9, isMin },
      nodes: new Map(),
    });
    const state = healthyState();
    const legend = (
      current: QueueDropsView['current'],
      width = 80,
      isLoading = false,
      readings: QueueDropsView['readings'] = [],
    ): string => {
      const lines = overviewLines(plainTheme, width, 30, state, nowMs, reportOf(state), undefined, {
        readings,
        current,
        isLoading,
        silentSeconds: 0,
      });
      return plainFrame(lines, width, 30).find((line) => line.includes('in ') && line.includes('out ')) ?? '';
    };
    expect(legend(reading(225))).toMatch(/queue drops 225\/s +fan-out /u);
    expect(legend(reading(0))).toContain('queue drops 0/s');
    expect(legend(reading(7.5, true))).toContain('queue drops ≥7.5/s');
    expect(legend(undefined)).toContain('queue drops not measured yet');
    // It was measured before, and is not current.
    const before = reading(79);
    expect(legend(undefined, 80, false, before === undefined ? [] : [before])).toContain('queue drops – ');
    expect(legend(reading(0, true))).toContain('queue drops ≥0/s');
    expect(legend(undefined, 80, true)).toContain('queue drops ···');
    expect(legend(reading(225), 120)).toContain('queue drops 225/s');
    expect(legend(reading(225), 60)).not.toContain('…');
  });

  test('gives all graphs of rates the same height', () => {
    const view = {
      series: (name: MetricName) => selectRateSeries(healthyState(), name),
      intervalSeconds: 2,
      silentSeconds: 0,
      isLoading: false,
    };
    const rowsOf = (height: number): number =>
      rateRows(plainTheme, 120, height, qosRates, view).length / qosRates.length;
    expect([7, 13, 14, 20, 21, 99].map(rowsOf)).toEqual([1, 1, 2, 2, 3, 4]);
    expect(
      rateTitle(plainTheme, 120, safe`Rates`, {
        series: (name) => selectRateSeries(healthyState(), name),
        intervalSeconds: 2,
        silentSeconds: 0,
        isLoading: false,
      })
        .map(({ text }) => text)
        .join(''),
    ).toContain('last 3 min · peak');
  });

  test('draws the graphs of rates all filled or all as lines', () => {
    const view = {
      series: (name: MetricName) => selectRateSeries(healthyState(), name),
      intervalSeconds: 2,
      silentSeconds: 0,
      isLoading: false,
    };
    const hasFilled = (height: number): boolean =>
      rateRows(plainTheme, 120, height, qosRates, view).some((row) => row.some(({ text }) => text.includes('⣿')));
    expect([3, 2.5, 2].map((rows) => hasFilled(Math.floor(rows * qosRates.length)))).toEqual([true, false, false]);
  });

  test('assigns every line at any size, and some to problems, nodes and messages', () => {
    const broken: string[] = [];
    for (const width of [60, 80, 100, 120, 200]) {
      for (let height = 9; height <= 60; height += 1) {
        for (const nodes of [0, 1, 3, 5, 16, 40]) {
          for (const findings of [0, 1, 3, 12, 100])
            for (const queues of [0, 1, 3]) {
              const {
                isWide,
                problems,
                problemsWidth,
                nodes: nodeLines,
                traffic: messages,
                levels,
                rates,
                listeners,
                busiest,
                events,
                totals,
              } = layOutOverview(width, height, nodes, findings, undefined, queues, 1);
              const few = layOutOverview(width, height, nodes, findings, 2, queues, 1);
              const right = nodeLines + rates + listeners;
              // Paired: graphs to the right of the problems, events below them. Otherwise: graphs below the traffic, events in the right column.
              const isPair = problemsWidth < width;
              const top = problems + (isPair ? events : 0);
              const left = messages + busiest + (isPair ? 0 : levels.lines);
              const rules: Readonly<Record<string, boolean>> = {
                'problems, nodes and messages have lines': Math.min(problems, nodeLines, messages) > 1,
                'no more listeners than there are': few.listeners <= 4,
                'all lines are assigned': isWide
                  ? top + totals + left === height && right + (isPair ? 0 : events) === left
                  : top + totals + left + right === height,
                'the traffic keeps its height': levels.lines === 0 || isPair || messages >= 10,
                'the levels fit': levels.shown * levels.levelHeight <= (isPair ? top - 2 : levels.lines),
                'few listeners leave their lines to others':
                  few.rates + few.listeners + (isPair ? few.nodes + few.problems + few.events : few.events) ===
                  rates + listeners + (isPair ? nodeLines + problems + events : events),
                // What listeners leave goes to the graphs if they are twice as high then, else to the events.
                'lines go to the rates first': isPair || events === 0 || rates === 2 + otherRates.length,
                'nothing is negative': Math.min(totals, rates, listeners, events, busiest) >= 0,
                'a graph gets no more than it needs': !isWide || width < 180 || messages < 18 + 7,
              };
              for (const [rule, holds] of Object.entries(rules))
                if (!holds) broken.push(`${rule}: ${[width, height, nodes, findings, queues].join(', ')}`);
            }
        }
      }
    }
    expect(broken).toEqual([]);
  });

  test('names the busiest sessions below a graph that is high enough, and says where there are no rates', () => {
    const layout = layOutOverview(200, 56, 3, 2, 7, 3, 1);
    expect(layout.traffic).toBe(18);
    expect(layout.busiest).toBeGreaterThan(6);
    const at = (sessions?: ReturnType<typeof busiestOf>): string => {
      const state = healthyState();
      return plainFrame(
        overviewLines(plainTheme, 200, 56, state, nowMs, reportOf(state), undefined, undefined, sessions),
        200,
        56,
      ).join('\n');
    };
    const row = (clientId: string, deliveredPerSecond: number | undefined) => ({
      session: sessionOf(clientId, { queueLength: 7 }),
      rates: { ...unknownRates, deliveredPerSecond },
    });
    expect(at()).toContain('no rates yet: sessions are read twice first');
    expect(at(busiestOf([row('idle', 0)]))).toContain('no session gets messages');
    // The rate of another is not known yet.
    expect(at(busiestOf([row('idle', 0), row('new', undefined)]))).toContain(
      'no rates yet: sessions are read twice first',
    );
    expect(at(busiestOf([row('calm', 1), row('new', undefined), row('busy\u001B[2J', 40)]))).toMatch(
      /CLIENT ID +NODE +DELIVER\/S +QUEUE .*\n.* busy\\x1b\[2J .* 40\/s +7 .*\n.* calm .* 1\/s +7 /u,
    );
  });

  test('shows recent events where they fit, and graphs are not twice as high', () => {
    const eventsAt = (height: number): readonly string[] => {
      const lines = frame(
        patched(healthyState(), readingsOf({ timelineEvents: [eventOf({ text: 'Hello' })] })),
        200,
        height,
      );
      const from = lines.findIndex((line) => line.includes('Recent events'));
      return from === -1 ? [] : lines.slice(from, from + 2);
    };
    expect(layOutOverview(200, 54, 3, 4)).toMatchObject({ rates: 15, events: 10 });
    expect(eventsAt(46)[1]).toContain('Hello');
    expect(layOutOverview(200, 40, 3, 4).events).toBe(0);
  });

  test('gives a problem and its graphs two fifths of a large terminal', () => {
    const layout = layOutOverview(200, 56, 3, 2, 7, 3, 1);
    expect(layout.problems + layout.events).toBe(23);
    expect(layout.levels).toMatchObject({ lines: 23, shown: 4, isAbove: true });
    const state = patched(
      healthyState(),
      readingsOf({
        totalsHistory: [
          { atMs: 0, values: { clients: 300 } },
          { atMs: 5_000, values: { clients: 290 } },
        ],
      }),
    );
    const finding = losing('worker-0');
    const lines = plainFrame(
      overviewLines(plainTheme, 200, 56, state, nowMs, { ...reportOf(state), findings: [finding] }, finding.key),
      200,
      56,
    );
    expect(lines[0]).toMatch(/Problems.*Trends/u);
    expect(lines.findIndex((line) => line.includes('Recent events'))).toBeLessThan(
      lines.findIndex((line) => line.includes('Messages')),
    );
  });

  test('shows three nodes and two problems at 80×24', () => {
    expect(layOutOverview(80, 20, 3, 2)).toMatchObject({ nodes: 5, problems: 8, nextLines: 3, traffic: 7 });
    expect(layOutOverview(80, 18, 3, 2)).toMatchObject({ nodes: 5, problems: 7, nextLines: 3, traffic: 6 });
  });

  test('folds problems at 80×24 rather than the graph of messages', () => {
    for (const count of [3, 4, 5, 8, 30]) {
      expect(layOutOverview(80, 20, 3, count)).toMatchObject({ problems: 8, traffic: 7 });
      const findings = Array.from({ length: count }, (_, index) => losing(`worker-${index}`));
      const lines = frameOf(findings, 80, 20, findings[0]?.key);
      expect(lines.filter((line) => line.includes('worker-'))).toHaveLength(count > 4 ? 3 : count);
      expect(lines[1]).toContain('worker-0 ');
      expect(lines.join('\n').includes(`${count - 3} more critical (T): sessions`)).toBe(count > 4);
      expect(lines.find((line) => line.startsWith('  Next '))).toContain(
        nextOf(losing('worker-0')).split('. ')[0]?.slice(0, 20),
      );
      const axis = lines.findIndex((line) => line.includes('┼'));
      expect(lines.slice(axis - 2).map((line) => /[┤│┼]/u.test(line))).toEqual([true, true, true, true, true]);
    }
  });

  test('says which problems are hidden at the smallest size', () => {
    const lines = frameOf([losing('a'), losing('b'), { ...losing('c'), severity: 'warning' }], 60, 9);
    expect(lines[0]).toContain(`2 critical, 1 warning · ${triageTexts.checksNote(offeredChecks)}`);
  });

  test('says how old the last sessions are, and how many nodes they are of', () => {
    const report = reportOf(healthyState());
    const titleWith = (partial?: { readonly atMs: number; readonly nodes: number; readonly total: number }): string => {
      const results = report.results.map((result) =>
        result.check === 'slow'
          ? { ...result, reading: { noun: 'sessions', atMs: nowMs - 120_000, isWatched: true, partial } as const }
          : result,
      );
      const state: ActingState = patched(
        healthyState(),
        readingsOf({
          sessionScan: { ...reading(healthyState(), sessionScan), phase: 'partial', finishedAtMs: nowMs - 4_000 },
        }),
      );
      return plainFrame(overviewLines(plainTheme, 80, 18, state, nowMs, { ...report, results }), 80, 18)[0] ?? '';
    };
    expect(titleWith()).toMatch(/ sessions read 2m 00s ago /u);
    expect(titleWith({ atMs: nowMs - 4_000, nodes: 2, total: 3 })).toMatch(/ sessions of 2 of 3 nodes read 4 s ago /u);
  });

  test('says how far the first reading of the sessions is', () => {
    const state = healthyState();
    const coverage = new Map([[names[0], { expected: 5_000 }]]) as unknown as ScanState<unknown>['coverage'];
    const read: ActingState = patched(
      state,
      readingsOf({
        sessionScan: { ...reading(state, sessionScan), phase: 'running', startedAtMs: nowMs - 400, coverage },
      }),
    );
    expect(frame(read)[0]).toContain('scanning sessions: 0 of 5,000');
  });

  const mount = (state: ActingState) => {
    const watched: Watchable[] = [];
    const monitor = {
      ...createJudgedStore(state),
      watch: (what: Watchable) => {
        watched.push(what);
        return () => {};
      },
      refresh: () => {},
      abortScan: () => false,
      setFrozen: () => {},
      setIntervalSeconds: () => {},
      stop: () => {},
    };
    const rig = createRig(<OverviewScreen monitor={monitor} width={80} height={18} go={() => {}} notify={() => {}} />, {
      columns: 80,
      rows: 18,
    });
    return {
      rig,
      store: monitor.store,
      names: () =>
        watched.map((what) =>
          asWatch(what).query.name === 'plugins' ? watchKey(what).slice(8) : asWatch(what).query.name,
        ),
    };
  };
  test('goes back to the worst problem once the selected one is over', async () => {
    const down = (...stopped: readonly number[]): ActingState =>
      current(
        healthyState({
          nodeStats: names.map((name, at) => (stopped.includes(at) ? stoppedStats(name) : nodeStats(name))),
        }),
      );
    const { rig, store } = mount(down(0, 1, 2));
    const isSelected = async (at: number): Promise<boolean> =>
      (await rig.until((text) => text.includes(`█ ${critical} ${titleOf(nodeDown(names[at] ?? ''))}`))).length > 0;
    await isSelected(0);
    rig.type('j');
    await isSelected(1);
    store.setState(down(0, 2));
    expect(await isSelected(0)).toBe(true);
    rig.type('j');
    await isSelected(2);
    store.setState(down(0, 1, 2));
    await rig.until((text) => text.includes(titleOf(nodeDown(names[1]))));
    expect(await isSelected(2)).toBe(true);
  });

  test('goes back to the worst problem if the selected one was over while another screen was shown', async () => {
    const down = (...stopped: readonly number[]): ActingState =>
      current(
        healthyState({
          nodeStats: names.map((name, at) => (stopped.includes(at) ? stoppedStats(name) : nodeStats(name))),
        }),
      );
    const monitor = {
      ...createJudgedStore(down(0, 1)),
      watch: () => () => {},
      refresh: () => {},
      abortScan: () => false,
      setFrozen: () => {},
      setIntervalSeconds: () => {},
      stop: () => {},
    };
    const around = (child: ReactNode): ReactNode => <ListMemoryProvider>{child}</ListMemoryProvider>;
    const overview = around(
      <OverviewScreen monitor={monitor} width={80} height={18} go={() => {}} notify={() => {}} />,
    );
    const rig = createRig(overview, { columns: 80, rows: 18 });
    const isSelected = async (at: number): Promise<boolean> =>
      (await rig.until((text) => text.includes(`█ ${critical} ${titleOf(nodeDown(names[at] ?? ''))}`))).length > 0;
    await isSelected(0);
    rig.type('j');
    await isSelected(1);
    rig.rerender(around(<Text>elsewhere</Text>));
    await rig.until((text) => text.startsWith('elsewhere'));
    monitor.store.setState(down(0, 2));
    rig.rerender(overview);
    expect(await isSelected(0)).toBe(true);
  });

  describe('after an action', () => {
    const [first, second] = [losing('a'), losing('b')];
    const ended: Finding = { ...first, severity: 'warning' };
    const watched: { readonly finding: Finding; readonly wasAway: boolean } = { finding: first, wasAway: false };
    const follow = (
      before: typeof watched,
      findings: readonly Finding[],
      selected: Finding | undefined,
      seconds?: number,
      isBusy = false,
    ) =>
      followProblem(before, {
        findings,
        selected,
        attempt: () => (seconds === undefined ? undefined : { way: 'disconnect', seconds }),
        isBusy,
      });

    test('the cursor stays on its problem, then goes to the worst one', () => {
      expect(follow(watched, [second, ended], ended, 29)).toEqual({ next: { finding: ended, wasAway: false } });
      expect(follow({ ...watched, finding: ended }, [second, ended], ended, 30)).toMatchObject({ goTo: second.key });
      expect(follow(watched, [second, ended], ended)).toMatchObject({ goTo: second.key });
      expect(follow(watched, [second, ended], ended, undefined, true)).toEqual({ next: watched });
    });

    test('the cursor goes back to a problem that was away, unless it was moved', () => {
      const away = follow(watched, [second], second, 5).next;
      expect(away).toEqual({ finding: first, wasAway: true });
      expect(follow({ finding: first, wasAway: true }, [second, ended], second, 10)).toMatchObject({ goTo: ended.key });
      expect(follow({ finding: first, wasAway: true }, [second, ended], second, 10, true)).toEqual({
        next: { finding: second, wasAway: false },
      });
      expect(follow(watched, [second, ended], second, 10)).toEqual({ next: { finding: second, wasAway: false } });
    });
  });

  test('leaves long lists to Triage, and says so', async () => {
    const state = healthyState({
      stats: new Map([[names[0], statsOf(maxBackgroundRows + 1)]]),
      nodes: [nodeInfo(names[0])],
      nodeStats: [nodeStats(names[0])],
    });
    const { rig, names: kinds } = mount(state);
    await rig.until((text) => text.includes('sessions (20,001; press T)'));
    // A single answer of the broker is no list.
    expect(kinds()).toEqual(['loadHistory']);
  });

  test('says that a disconnect from here did not help', () => {
    const finding = losing('worker-1');
    const record = (patch: Partial<ActionRecord>): ActionRecord => ({
      key: 'k',
      name: disconnectClient.id,
      title: 't',
      target: { clientId: 'worker-1' },
      startedAtMs: nowMs - 30_000,
      phase: 'finished',
      result: { outcome: 'done' } as ActionRecord['result'],
      ...patch,
    });
    const text = (actions: readonly ActionRecord[]): string =>
      plainFrame(
        overviewLines(
          plainTheme,
          120,
          34,
          { ...healthyState(), actions },
          nowMs,
          { ...reportOf(healthyState()), findings: [finding] },
          finding.key,
        ),
        120,
        34,
      )
        .join(' ')
        .replaceAll(/[\s│]+/gu, ' ');
    const helped = 'Disconnecting it 30 s ago did not help.';
    expect(text([record({})])).toContain(helped);
    for (const other of [
      { target: { clientId: 'other' } },
      { startedAtMs: nowMs - 1_000 },
      { startedAtMs: nowMs - 400_000 },
      { name: 'subscribe' },
      { result: undefined },
    ] as const) {
      expect(text([record(other)])).not.toContain('did not help');
    }
  });

  test('goes on reading a list whose length changes around the limit', () => {
    const isRead = (sessions: number, before: boolean): boolean => {
      const state = healthyState({
        stats: new Map([[names[0], statsOf(sessions)]]),
        nodes: [nodeInfo(names[0])],
        nodeStats: [nodeStats(names[0])],
      });
      const watched = before ? [...(state.watched ?? []), sessionScan] : state.watched;
      return neededReads({ ...state, watched }, { findings: [] }, 2, undefined, maxBackgroundRows).some(
        (watch) => watch.watched === sessionScan,
      );
    };
    expect([
      isRead(maxBackgroundRows, false),
      isRead(maxBackgroundRows + 1, false),
      isRead(maxBackgroundRows + 1, true),
      isRead(maxBackgroundRows * 1.2, true),
    ]).toEqual([true, false, true, false]);
  });

  test('reads clients more often during a reconnect storm: short lists always, long ones while nobody is named', () => {
    const secondsDuring = (clientIds?: readonly string[], clients = 300): number => {
      const state = healthyState({
        stats: new Map([[names[0], statsOf(clients)]]),
        nodes: [nodeInfo(names[0])],
        nodeStats: [nodeStats(names[0])],
      });
      const findings: readonly Finding[] =
        clientIds === undefined
          ? []
          : [
              {
                check: 'reconnects',
                key: 'reconnects',
                severity: 'critical',
                jump: { screen: 'clients' },
                code: 'reconnect-storm',
                evidence: { connectsPerSecond: 9, seconds: 18, change: 0, clients: 40, known: 40, clientIds },
              },
            ];
      return (
        neededReads(state, { findings }, firstReadings).find(({ watched }) => watched === clientScan)?.everySeconds ?? 0
      );
    };
    expect(secondsDuring([])).toBeLessThan(secondsDuring());
    expect(secondsDuring(['a'])).toBe(secondsDuring([]));
    expect(secondsDuring([], 5_000)).toBe(secondsDuring([]));
    expect(secondsDuring(['a'], 5_000)).toBe(secondsDuring());
    // Clients that reconnect together every few seconds are not always away when their list is read.
    for (const period of [5, 10])
      expect(new Set(Array.from({ length: period }, (_, reading) => (reading * secondsDuring([])) % period)).size).toBe(
        period,
      );
  });

  test('reads short lists more often while there are slow sessions', () => {
    const secondsOf = (sessions: number, hasSlowSessions: boolean): number => {
      const state = healthyState({
        stats: new Map([[names[0], statsOf(sessions)]]),
        nodes: [nodeInfo(names[0])],
        nodeStats: [nodeStats(names[0])],
      });
      return (
        neededReads(state, { findings: [], urgent: new Set(hasSlowSessions ? ['slow'] : []) }, firstReadings).find(
          ({ watched }) => watched === sessionScan,
        )?.everySeconds ?? 0
      );
    };
    expect(secondsOf(300, true)).toBeLessThan(secondsOf(300, false));
    expect([secondsOf(300, false), secondsOf(5_000, true), secondsOf(5_000, false)]).toEqual([15, 30, 30]);
  });

  test('reads sessions as often where their counters are refreshed seldom, so that a refresh shows soon', () => {
    const state = { ...healthyState(), capabilities: { ...capabilitiesB, sessionCountersSeconds: 15 } };
    const secondsOf = (scan: Watchable) =>
      neededReads(state, { findings: [] }, 0).find(({ watched }) => watched === scan)?.everySeconds;
    expect([secondsOf(sessionScan), secondsOf(clientScan)]).toEqual([5, 5]);
  });

  test('does not start to read lists of unknown length', async () => {
    const { rig, names: kinds } = mount(emptyState());
    await rig.until((text) => text.includes('··· loading node statistics'));
    expect(kinds()).not.toContain('sessionScan');
  });
});
