import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type ActingState, type ActionRecord, initialActingState } from '../../src/actions/acting-monitor.ts';
import type { ActionResult } from '../../src/actions/action.ts';
import { type BulkProgress, noSkips } from '../../src/actions/bulk.ts';
import type { SlowSession } from '../../src/checks/slow/judge.ts';
import { createTriage } from '../../src/checks/triage.ts';
import {
  checkOf,
  nextStep,
  passedText,
  problemFacts,
  problemParts,
  problemText,
  uncheckedText,
} from '../../src/checks/words.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { clientColumnsFor } from '../../src/resources/clients/view/columns.ts';
import { listenerColumnsOf } from '../../src/resources/listeners/screen.tsx';
import { clusterTotal, type MetricHistory } from '../../src/resources/metrics/resource.ts';
import { nodeColumns } from '../../src/resources/nodes/view/columns.ts';
import { pluginColumns } from '../../src/resources/plugins/view/columns.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { sessionColumns } from '../../src/resources/sessions/screen.tsx';
import { settingColumns } from '../../src/resources/settings/screen.tsx';
import { unsubscribeClient } from '../../src/resources/subscriptions/actions.ts';
import { composeLine } from '../../src/terminal/line.ts';
import type { Attempt, Finding, Problem } from '../../src/triage/problem.ts';
import type { Place } from '../../src/screens/navigation.ts';
import { nextContext } from '../../src/resources/problems/view/next-context.ts';
import { sparePanels } from '../../src/resources/view/spare-panels.tsx';
import { withPresent } from '../../src/resources/problems/view/target-problem.ts';
import { TriageScreen } from '../../src/screens/triage/triage.tsx';
import { findingSpeech } from '../../src/resources/problems/view/finding-speech.ts';
import { countText } from '../../src/resources/problems/view/texts.ts';
import type { TriageReport } from '../../src/triage/view.ts';
import { readingsOf, watchedKeys } from '../support/readings.ts';
import { createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import { createCluster, node1, node3 } from './administration-fixtures.tsx';
import { nowMs, samplesOf } from './cluster-state.ts';
import { plainFrame, sizes } from './frames.ts';
import { readWhole, scanOf, sessionOf } from './list-fixtures.ts';
import { placeKey } from '../../src/tui/list/list-state.ts';
import { eventOf } from '../support/events.ts';
import { placeOfJump } from '../../src/resources/view/use-jump.ts';
import { triageItems, triageSummary } from '../../src/screens/triage/items.ts';
import { triageLines } from '../../src/screens/triage/lines.ts';

afterEach(endRigs);

type SlowConsumer = Problem<'slow-consumer', SlowSession>;

const session = (patch: Partial<SlowSession> = {}): SlowSession => ({
  clientId: 'x',
  node: node3,
  isConnected: true,
  isAsOfDisconnect: false,
  queueLength: 900,
  queueLimit: undefined,
  isQueueFull: false,
  queuePerSecond: 0,
  fullInSeconds: undefined,
  isLosing: false,
  droppedPerSecond: 0,
  dropped: 0,
  isLossOld: false,
  isWindowFull: false,
  inflight: 0,
  maxInflight: 32,
  acknowledgedPerSecond: 0,
  ...patch,
});

const finding = (patch: Partial<Finding<SlowConsumer>> = {}): Finding<SlowConsumer> => ({
  check: 'slow',
  key: 'slow x',
  severity: 'critical',
  foundMs: nowMs - 12_000,
  jump: { screen: 'client', clientId: 'x' },
  code: 'slow-consumer',
  evidence: session(),
  ...patch,
});

const text = (of: Finding): string => plainText(problemText(of));
const pattern = (of: string): string => of.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

const queuesUnknown = { code: 'queues-unknown', count: 2, total: 9 } as const;
const noSettings = { code: 'settings-unavailable', apiName: 'variant A' } as const;

const reportOf = (...findings: Finding[]): TriageReport => ({
  problems: findings,
  findings,
  isAllClear: false,
  results: [
    { check: 'nodes', findings: [], unchecked: [], passed: { nodes: 3 }, jump: { screen: 'nodes' }, toldElsewhere: 0 },
    { check: 'slow', findings, unchecked: [queuesUnknown], jump: { screen: 'sessions' }, toldElsewhere: 0 },
    { check: 'settings', findings: [], unchecked: [noSettings], jump: { screen: 'log' }, toldElsewhere: 0 },
  ],
});

const bulkOf = (disconnectedIds: readonly string[]): BulkProgress => ({
  id: 'b',
  title: '',
  phase: 'finished',
  total: 3,
  perSecond: 20,
  done: 3,
  notDone: 0,
  unknown: 0,
  skipped: 0,
  skips: noSkips,
  running: 0,
  sent: 0,
  waiting: 0,
  failures: [],
  disconnectedIds,
  endedBecause: undefined,
  startedAtMs: nowMs - 30_000,
  finishedAtMs: nowMs - 20_000,
});

const able = { canAct: true, canUnsubscribe: true } as const;

const frame = (report: TriageReport, width = 80, height = 18, cursor = 0): readonly string[] =>
  plainFrame(
    triageLines(plainTheme, width, height, report, triageItems(report), cursor, { nowMs, ...able }),
    width,
    height,
  );

describe('the lines of Triage', () => {
  it('say that a disconnect from here did not help, on the screen and aloud', () => {
    const tried = { nowMs, ...able, attempt: () => ({ way: 'disconnect', seconds: 30 }) as const };
    const report = reportOf(finding());
    const shown = plainFrame(triageLines(plainTheme, 120, 30, report, triageItems(report), 0, tried), 120, 30)
      .join(' ')
      .replaceAll(/[\s│]+/gu, ' ');
    for (const said of [shown, findingSpeech(plainTheme, finding(), tried).join(' ')])
      expect(said).toContain('Disconnecting it 30 s ago did not help.');
  });

  it('say to wait after an attempt, until rates are known and while the queue gets shorter', () => {
    const step = (seconds: number, changes: Partial<SlowSession> = {}): string =>
      nextStep(finding({ evidence: session({ isLosing: false, ...changes }) }), able, { way: 'unsubscribe', seconds });
    expect(step(12)).toBe('You unsubscribed it 12 s ago. New figures in 18 s.');
    expect(
      nextStep({ ...finding({ evidence: session({ isLosing: true }) }), seenMs: nowMs - 40_000 }, able, {
        way: 'disconnect',
        seconds: 35,
      }),
    ).toBe('You disconnected it 35 s ago. No new figures yet.');
    expect(step(90, { queuePerSecond: -6 })).toBe(
      'You unsubscribed it 1m 30s ago, and its queue is getting shorter. Wait until it is empty.',
    );
    expect(step(90, { queuePerSecond: 6 })).toBe(
      'Unsubscribing it 1m 30s ago did not help. Check or restart the consumer.',
    );
    const disconnected = { way: 'disconnect', seconds: 90 } as const;
    expect(
      nextStep(finding({ evidence: session({ isWindowFull: true, acknowledgedPerSecond: 0 }) }), able, disconnected),
    ).toBe('Disconnecting it 1m 30s ago did not help. Check or restart the consumer.');
    expect(
      nextStep(finding({ evidence: session({ isWindowFull: true, acknowledgedPerSecond: 60 }) }), able, disconnected),
    ).toContain('did not help. Speed up the consumer, or unsubscribe it');
    const away: Problem = { code: 'offline-queue', evidence: session({ isConnected: false }) };
    expect(nextStep(away, able, { way: 'disconnect', seconds: 2 })).toBe(
      'You disconnected it 2 s ago. Wait for it to reconnect.',
    );
    expect(nextStep(away, able)).toBe(
      '`Enter` opens the client. Its queue empties when it reconnects. If it is gone for good, end its session on the broker.',
    );
    expect(nextStep(away, { ...able, endsSession: true })).toBe(
      '`Enter` opens the client. Its queue empties when it reconnects. If it is gone for good, `K` ends its session.',
    );
    expect(nextStep(away, { ...able, canAct: false, endsSession: true })).toContain('end its session on the broker.');
    const lost: Problem = { code: 'messages-lost', evidence: session({ isLossOver: true, dropped: 9 }) };
    expect(nextStep(lost, able, { way: 'disconnect', seconds: 12 })).toContain(
      'No messages are lost now: `z` acknowledges it. You disconnected the client 12 s ago. Check',
    );
  });

  it('take the queue of a page that has read it since', () => {
    const found = finding({
      evidence: session({ queueLength: 719, queueLimit: 1_000, queuePerSecond: 30, fullInSeconds: 10 }),
    });
    expect(withPresent(found, sessionOf('x', { queueLength: 970 }))).toMatchObject({
      evidence: { queueLength: 970, isQueueFull: false, fullInSeconds: 1 },
    });
    expect(withPresent(found, sessionOf('x', { queueLength: 1_000 }))).toMatchObject({
      evidence: { isQueueFull: true, fullInSeconds: undefined },
    });
    expect(withPresent(found, sessionOf('x', { queueLength: 400 }))).toMatchObject({
      evidence: { queueLength: 400, isLosing: false },
    });
    expect(withPresent(found, sessionOf('x', { queueLength: 0 }))).toBeUndefined();
    expect(withPresent(found, undefined)).toBe(found);
  });

  const record = (clientId: string, name: string = disconnectClient.id, secondsAgo = 20): ActionRecord => ({
    key: clientId,
    name,
    title: '',
    target: { clientId },
    startedAtMs: nowMs - secondsAgo * 1_000,
    phase: 'finished',
    result: { outcome: 'done' } as ActionResult,
  });

  it('know when a bulk disconnected a client, not when the bulk ended', () => {
    const after = (actions: readonly ActionRecord[]): Attempt | undefined =>
      nextContext({ ...initialActingState(2), bulk: bulkOf(['a', 'b', 'z']), actions }, nowMs).attempt?.(
        finding({ jump: { screen: 'client', clientId: 'a' } }),
      );
    expect(after([record('a', disconnectClient.id, 30), record('b')])).toEqual({ way: 'disconnect', seconds: 30 });
    // Later records have pushed it out.
    expect(after([record('z')])).toEqual({ way: 'disconnect', seconds: 20, clients: 3 });
  });

  it('know that most clients of a storm were disconnected from here', () => {
    const storm = finding({ jump: { screen: 'clients', found: { name: 'reconnected', clientIds: ['a', 'b', 'c'] } } });
    const after = (...actions: readonly ActionRecord[]): Attempt | undefined =>
      nextContext({ ...initialActingState(2), actions }, nowMs).attempt?.(storm);
    expect(after(record('a'), record('x'), record('y'))).toBeUndefined();
    expect(after(record('a'), record('b'))).toEqual({ way: 'disconnect', seconds: 20 });
    expect(after(record('a'), record('b', unsubscribeClient.id))).toEqual({ way: 'unsubscribe', seconds: 20 });
  });

  it('know that most clients of a storm were disconnected from here in a bulk', () => {
    const after = (clientIds: readonly string[] | undefined, patch: Partial<BulkProgress> = {}): Attempt | undefined =>
      nextContext(
        {
          ...initialActingState(2),
          bulk: { ...bulkOf(['a', 'b', 'z']), ...patch },
        },
        nowMs,
      ).attempt?.(finding({ jump: { screen: 'clients', found: clientIds && { name: 'reconnected', clientIds } } }));
    expect(after(['a', 'b', 'c'])).toEqual({ way: 'disconnect', seconds: 20, clients: 3 });
    expect(after(['a', 'b', 'c'], { phase: 'running', finishedAtMs: undefined })).toEqual({
      way: 'disconnect',
      seconds: 0,
      clients: 3,
    });
    // Another storm, one whose clients are unknown, and a bulk long ago.
    expect([
      after(['a', 'c']),
      after(undefined),
      after(['a', 'b'], { finishedAtMs: nowMs - 400_000 }),
      after(['a', 'b'], { disconnectedIds: [] }),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each(sizes)('fill %i×%i, with hostile ids and long evidence', (width, height) => {
    const hostile = finding({ evidence: session({ clientId: `\u001B[31m${'long '.repeat(60)}\n` }) });
    for (const cursor of [0, 3])
      expect(frame(reportOf(hostile, finding({ key: 'slow y' })), width, height, cursor)[0]).toContain('Triage');
    frame(createTriage().update(initialActingState(2), nowMs), width, height);
  });

  it('show findings with their durations, and the other checks', () => {
    const lines = frame(reportOf(finding()), 120).join('\n');
    const [slow, settings, nodes] = [checkOf('slow'), checkOf('settings'), checkOf('nodes')];
    const { title, facts } = problemParts(finding());
    expect(lines).toMatch(
      new RegExp(
        `█ CRITICAL +${slow.title} +${pattern(plainText(title))} +${facts.map((fact) => pattern(plainText(fact))).join(' · ')}.* >12 s`,
        'u',
      ),
    );
    expect(lines).toMatch(new RegExp(` note +${slow.title} +${pattern(plainText(uncheckedText(queuesUnknown)))}`, 'u'));
    expect(lines).toMatch(
      new RegExp(` not checked +${settings.title} +${pattern(plainText(uncheckedText(noSettings)))}`, 'u'),
    );
    expect(lines).toMatch(
      new RegExp(
        ` ok +${nodes.title} +${pattern(plainText(passedText({ check: 'nodes', passed: { nodes: 3 }, toldElsewhere: 0 })))}`,
        'u',
      ),
    );
    const report = reportOf(finding());
    const lacking = {
      ...report,
      results: report.results.map((result) =>
        result.check === 'settings' ? { ...result, isNotOffered: true as const } : result,
      ),
    };
    expect(frame(lacking, 120)[0]).toContain(
      '; 2 checks: 1 with problems (1 incomplete), 1 passed; 1 not available on this broker',
    );
    expect(frame(lacking, 120).join('\n')).toMatch(
      new RegExp(` not available +${settings.title} +${pattern(plainText(uncheckedText(noSettings)))}`, 'u'),
    );
    expect(frame(lacking, 80).join('\n')).toMatch(new RegExp(` n/a +${settings.title} `, 'u'));
    expect(lines).toContain(
      `${countText([finding()])}; 3 checks: 1 with problems (1 incomplete), 1 passed, 1 not checked`,
    );
    expect(frame(reportOf(finding({ sinceMs: nowMs - 60_000 }))).join('\n')).toMatch(/ 1m 00s $/mu);
    expect(frame(reportOf(finding({ atMs: nowMs - 180_000 }))).join('\n')).toMatch(/ 3m 00s ago/u);
  });

  it('keep a new critical problem in sight above the cursor, as long as there is room', () => {
    const warnings = Array.from({ length: 12 }, (_, index) =>
      finding({ key: `slow w${index}`, severity: 'warning', evidence: session({ clientId: `w${index}` }) }),
    );
    const [critical, ...others] = [finding({ key: 'slow new', evidence: session({ clientId: 'new' }) }), ...warnings];
    const shown = (cursor: number): string => frame(reportOf(critical, ...others), 80, 18, cursor).join('\n');
    expect(shown(9)).toMatch(/^ {2}CRITICAL +new /mu);
    expect(shown(9)).toMatch(/^█ WARNING +w8 /mu);
    expect(shown(12)).toMatch(/^█ WARNING +w11 /mu);
    expect(shown(12)).toContain('1 critical, 12 warnings');
  });

  it('show the whole title of a problem at 80 columns, but no title of its check', () => {
    const slow = finding({
      key: 'slow y',
      foundMs: nowMs - 65_000,
      evidence: session({ clientId: 'worker-000002', queuePerSecond: 5, queueLimit: 1_000, fullInSeconds: 60 }),
    });
    const line = frame(reportOf(finding(), slow), 80, 24).find((each) => each.includes('worker-000002')) ?? '';
    expect(line).toMatch(/ worker-000002 is slow, queue full in under 1 min.* >1m 05s/u);
    expect(line).not.toContain(checkOf('slow').title);
  });

  it('tell the next step and all evidence for the one under the cursor', () => {
    const keyless = (words: string): string => words.replaceAll('`', '');
    const step = keyless(nextStep(finding())).split('. ')[0] ?? '';
    for (const [width, height] of [
      [80, 18],
      [120, 36],
      [200, 56],
    ] as const) {
      const lines = frame(reportOf(finding()), width, height);
      expect(lines.join(' ').replaceAll(/[\s│]+/gu, ' ')).toMatch(new RegExp(`Next +${pattern(step)}`, 'u'));
      expect(frame(reportOf(finding()), width, height, 2).join('\n')).not.toContain('Next ');
      expect(lines.filter((line) => line.trim() === '').length).toBeLessThan(width < 100 ? height : 1);
    }
    const wide = frame(reportOf(finding()), 120, 36);
    const details = wide.slice(wide.findIndex((line) => line.startsWith(`╭ ${checkOf('slow').title}`)));
    for (const fact of problemFacts(finding())) expect(details.join('\n')).toContain(plainText(fact));
  });

  it('always count the problems in the title', () => {
    for (const width of [60, 80, 120]) expect(frame(reportOf(finding()), width)[0]).toContain(countText([finding()]));
  });

  it('show the selected finding in full in a short terminal, the others in one line', () => {
    const long = {
      evidence: session({
        clientId: 'worker-000001',
        queueLength: 1_000,
        queueLimit: 1_000,
        isQueueFull: true,
        isLosing: true,
        droppedPerSecond: 28,
        isWindowFull: true,
        inflight: 32,
      }),
    };
    const lines = frame(reportOf(finding(long), finding({ ...long, key: 'slow y' })), 60, 9);
    expect(lines[1]).toMatch(/^█ CRITICAL .* +>12 s /u);
    const words = text(finding(long)).split(' ');
    expect(
      lines
        .slice(1, 5)
        .join(' ')
        .split(/\s+/u)
        .filter((word) => words.includes(word))
        .slice(0, words.length),
    ).toEqual(words);
    expect(lines.findIndex((line) => line.startsWith(`  CRITICAL ${words[0]} `))).toBeLessThan(5);
  });

  it('count the lines of findings in the title', () => {
    const more = {
      ...finding({ key: 'slow, more', severity: 'warning' }),
      code: 'slow-sessions',
      evidence: { clientIds: ['b'], isMore: true, isNoneFullSoon: false },
    } as const;
    const lines = frame(reportOf(finding(), more), 120);
    expect(lines[0]).toContain('1 critical, 1 warning');
  });

  it('give the all-clear only if every check was complete', () => {
    const report = reportOf();
    const summary = (of: TriageReport): string =>
      triageSummary(of)
        .map(({ text }) => text)
        .join('');
    expect(summary(report)).toBe('no problems so far; 3 checks: 1 passed, 2 not checked');
    expect(
      summary({
        ...report,
        results: [
          ...report.results,
          {
            check: 'settings',
            findings: [],
            unchecked: [noSettings],
            jump: { screen: 'log' },
            toldElsewhere: 0,
            isNotOffered: true,
          },
        ],
      }),
    ).toBe('no problems so far; 3 checks: 1 passed, 2 not checked; 1 not available on this broker');
    // What will be made without a key is counted apart, as on the Overview.
    const waiting: TriageReport = { ...report, pending: [{ check: 'settings', wait: 'soon' }] };
    expect(summary(waiting)).toBe('no problems so far; 3 checks: 1 passed, 1 pending, 1 not checked');
    expect(frame(waiting, 120).join('\n')).toMatch(/ pending +Settings /u);
    expect(triageSummary(report).map(({ role }) => role)).toEqual(['warning', 'dim']);
    expect(triageSummary(reportOf(finding())).map(({ role }) => role)).toEqual(['error', 'dim']);
    expect(summary({ ...report, isAllClear: true })).toBe('no problems: all 3 checks passed');
  });
});

describe('the rows that the list leaves', () => {
  const entries = (count: number) => Array.from({ length: count }, (_, index) => eventOf({ text: `entry ${index}` }));
  const panels = (width: number, rows: number, patch: Partial<ActingState>): readonly string[] => {
    const state = { ...initialActingState(2), ...patch };
    return sparePanels(plainTheme, width, rows, state, nowMs).map((row) =>
      stripVTControlCharacters(composeLine(plainTheme, width, row)),
    );
  };
  const metricHistory: MetricHistory = new Map([[clusterTotal, samplesOf(9, () => 20)]]);

  it('have the messages and the last events, and neither without an event', () => {
    expect(panels(120, 40, readingsOf({ metricHistory }))).toEqual([]);
    for (const count of [1, 5, 90]) {
      const lines = panels(120, 38, readingsOf({ timelineEvents: entries(count), metricHistory }));
      expect(lines).toHaveLength(38);
      expect(lines[0]).toMatch(/^╭ Messages /u);
      const events = lines.slice(lines.findIndex((line) => line.startsWith('╭ Recent events ')));
      expect(events[1]).toContain(` entry ${count - 1} `);
      expect(events.filter((line) => line.includes(' entry '))).toHaveLength(Math.min(count, events.length - 2));
      expect(events.filter((line) => /^│ +│$/u.test(line)).length).toBeLessThan(4);
    }
  });

  it('have only events where there is little room or no rate, and nothing below that', () => {
    expect(panels(80, 10, readingsOf({ timelineEvents: entries(90), metricHistory }))[0]).toContain('Recent events');
    expect(
      panels(80, 38, readingsOf({ timelineEvents: entries(90) })).filter((line) => line.includes(' entry ')),
    ).toHaveLength(36);
    expect(panels(80, 4, readingsOf({ timelineEvents: entries(90), metricHistory }))).toEqual([]);
  });

  it('show each finding in one line, and all evidence of the selected one beside them', () => {
    const facts = {
      node: node1,
      queueLimit: 1_000,
      queuePerSecond: 14,
      isWindowFull: true,
      inflight: 32,
      acknowledgedPerSecond: 59,
    };
    const report = reportOf(
      finding({ evidence: session(facts) }),
      finding({ key: 'slow y', evidence: session({ ...facts, clientId: 'y'.repeat(30) }) }),
    );
    const lines = frame(report, 200, 40, 1);
    const list = lines.map((line) => line.slice(0, 124));
    const [first = '', ...others] = problemFacts(finding({ evidence: session(facts) })).map(plainText);
    expect(list.slice(1, 3).every((line) => line.includes(first))).toBe(true);
    for (const fact of [first, ...others])
      expect(lines.filter((line) => line.slice(124).includes(fact))).toHaveLength(1);
  });
});

describe('the rows behind a finding', () => {
  it('are in a list narrowed to them, or on the page of the one thing', () => {
    expect(placeOfJump({ screen: 'client', clientId: 'x' }, 7)).toEqual({ screen: 'client', clientId: 'x' });
    expect(placeOfJump({ screen: 'subscriptions', topic: 't' }, 7)).toEqual({
      screen: 'subscriptions',
      scope: { kind: 'topic', topic: 't' },
    });
    expect(placeOfJump({ screen: 'listeners', node: 'a' }, 7)).toEqual({
      screen: 'listeners',
      scope: { kind: 'node', node: 'a' },
    });
    expect(placeOfJump({ screen: 'node', node: 'a' }, 7)).toEqual({ screen: 'node', node: 'a' });
    expect(placeOfJump({ screen: 'settings' }, 7)).toEqual({ screen: 'settings' });
    const place = placeOfJump({ screen: 'clients', found: { name: 'reconnected', clientIds: ['a', 'b'] } }, 7);
    expect(place).toEqual({
      screen: 'clients',
      scope: { kind: 'found', name: 'reconnected', atMs: 7, clientIds: new Set(['a', 'b']) },
    });
    // Independent of their number.
    expect(placeKey(place).length).toBeLessThan(200);
    expect(placeKey(place)).not.toBe(
      placeKey(placeOfJump({ screen: 'clients', found: { name: 'reconnected', clientIds: ['a', 'b'] } }, 8)),
    );
  });

  it('are sorted by columns that the lists have', () => {
    const columnIds: Readonly<Record<string, readonly string[]>> = {
      clients: clientColumnsFor(80).map(({ id }) => id),
      sessions: sessionColumns(true).map(({ id }) => id),
      listeners: listenerColumnsOf(true, true).map(({ id }) => id),
      nodes: nodeColumns.map(({ id }) => id),
      plugins: pluginColumns(plainTheme, []).map(({ id }) => id),
      settings: settingColumns(plainTheme, []).map(({ id }) => id),
    };
    const jumps = createTriage()
      .update(initialActingState(2), nowMs)
      .results.map(({ jump }) => jump)
      .filter(({ sort }) => sort !== undefined);
    expect(jumps.map(({ screen }) => screen)).toEqual([
      'listeners',
      'clients',
      'clients',
      'sessions',
      'nodes',
      'plugins',
      'settings',
    ]);
    for (const { screen, sort } of jumps) expect(columnIds[screen]).toContain(sort?.columnId);
  });

  it('are opened with Enter', async () => {
    const monitor = createCluster();
    const places: Place[] = [];
    const rig = createRig(
      <TriageScreen
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
    await rig.until((screen) =>
      screen.includes(
        plainText(
          problemText({ code: 'node-down', evidence: { node: 'broker3', status: 'stopped', clients: undefined } }),
        ),
      ),
    );
    rig.type('\r');
    await expect.poll(() => places).toEqual([{ screen: 'node', node: node3 }]);
  });

  it('stand beside the client they are about, where there is room', async () => {
    const lost = sessionOf('slow-1', { node: node1, dropped: 12 });
    const monitor = createCluster({
      watched: [sessionScan],
      ...readingsOf({
        sessionScan: scanOf([lost], {
          finishedAtMs: steadyNowMs(),
          coverage: new Map([[node1, { ...readWhole(1), readAtMs: 1_000 }]]),
        }),
      }),
    });
    const rig = createRig(<TriageScreen monitor={monitor} width={200} height={54} go={() => {}} notify={() => {}} />, {
      columns: 200,
      rows: 54,
    });
    await rig.until((screen) => screen.includes('slow-1 lost 12 messages'));
    const watchesClient = (): boolean => watchedKeys(monitor.watching, clientDetail).includes('slow-1');
    expect(watchesClient()).toBe(false);
    rig.type('j');
    await rig.until((screen) => screen.includes(' Trends '));
    await expect.poll(watchesClient).toBe(true);
    rig.rerender(<TriageScreen monitor={monitor} width={120} height={54} go={() => {}} notify={() => {}} />);
    await expect.poll(watchesClient).toBe(false);
  });
});
