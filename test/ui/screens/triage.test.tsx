import { afterEach, describe, expect, it } from 'vitest';
import { initialActingState } from '../../../src/actions/state.ts';
import { literal, untrusted } from '../../../src/domain/text.ts';
import type { Finding } from '../../../src/triage/check.ts';
import { createTriage, type TriageReport } from '../../../src/triage/triage.ts';
import { type Place, placeKey } from '../../../src/ui/navigation.ts';
import { clientColumnsFor } from '../../../src/ui/screens/clients/columns.ts';
import { listenerColumns } from '../../../src/ui/screens/listeners/listeners.tsx';
import { nodeColumns } from '../../../src/ui/screens/nodes/columns.ts';
import { pluginColumns } from '../../../src/ui/screens/plugins/columns.ts';
import { sessionColumns } from '../../../src/ui/screens/sessions/columns.ts';
import { settingColumns } from '../../../src/ui/screens/settings/settings.tsx';
import { triageItems, triageLines, triageSummary } from '../../../src/ui/screens/triage/lines.ts';
import { placeOf, TriageScreen } from '../../../src/ui/screens/triage/triage.tsx';
import { createRig, endRigs, plainTheme } from '../support/rig.tsx';
import { createCluster, node3 } from './administration-fixtures.tsx';
import { nowMs } from './cluster-state.ts';
import { plainFrame, sizes } from './frames.ts';

afterEach(endRigs);

const finding = (patch: Partial<Finding> = {}): Finding => ({
  check: 'slow', key: 'slow x', severity: 'error', sinceMs: undefined, foundMs: nowMs - 12_000, parts: [literal('Slow consumer '), untrusted('x'), literal(': 900 waiting.')],
  jump: { screen: 'sessions', clientId: 'x' }, ...patch,
});

const reportOf = (...findings: Finding[]): TriageReport => ({
  findings, isAllClear: false,
  results: [
    { check: 'nodes', findings: [], doubts: [], evidence: [literal('3 nodes, all running')], jump: { screen: 'nodes' } },
    { check: 'slow', findings, doubts: [[literal('the broker does not tell the queue of 2 of 9 sessions')]], evidence: [], jump: { screen: 'sessions' } },
    { check: 'settings', findings: [], doubts: [[literal('variant A has none')]], evidence: [], jump: { screen: 'log' } },
  ],
});

const frame = (report: TriageReport, width = 80, height = 18, cursor = 0): readonly string[] =>
  plainFrame(triageLines(plainTheme, width, height, report, triageItems(report), cursor, nowMs), width, height);

describe('the lines of Triage', () => {
  it.each(sizes)('fill %i×%i, with hostile ids and long evidence', (width, height) => {
    const hostile = finding({ parts: [literal('Slow consumer '), untrusted(`\u001B[31m${'long '.repeat(60)}\n`), literal(': 900 waiting.')] });
    for (const cursor of [0, 3]) expect(frame(reportOf(hostile, finding({ key: 'slow y' })), width, height, cursor)[0]).toContain('TRIAGE');
    frame(createTriage().update(initialActingState(2), nowMs), width, height);
  });

  it('say what was found, for how long at least, what is fine and what could not be judged', () => {
    const text = frame(reportOf(finding())).join('\n');
    expect(text).toMatch(/▸! Slow consumers +Slow consumer x: 900 waiting\. +for >=12 s/u);
    expect(text).toMatch(/\? Slow consumers +the broker does not tell the queue/u);
    expect(text).toMatch(/\? Settings +variant A has none/u);
    expect(text).toMatch(/● Nodes +3 nodes, all running/u);
    expect(text).toContain('1 error; 3 checks: 1 found (1 in part), 1 fine, 1 not judged');
    expect(frame(reportOf(finding({ sinceMs: nowMs - 60_000 }))).join('\n')).toMatch(/for 1m 00s/u);
    expect(frame(reportOf(finding({ atMs: nowMs - 180_000 }))).join('\n')).toMatch(/900 waiting\. +3m 00s ago/u);
  });

  it('say the chosen finding in full where there is little room, and the others in a line', () => {
    const long = { parts: [literal('Slow consumer '), untrusted('worker-000001'), literal(': 1,000 waiting of 1,000, loses 28/s, inflight stuck at 32/32.')] };
    const lines = frame(reportOf(finding(long), finding({ ...long, key: 'slow y' })), 60, 9);
    expect(lines[1]).toMatch(/^▸! Slow consumer worker-000001: 1,000 +for >=12 s /u);
    expect(lines.slice(1, 4).join(' ').replaceAll(/\s+/gu, ' ')).toContain('loses 28/s, inflight stuck at 32/32.');
    expect(lines.findIndex((line) => line.startsWith(' ! Slow consumer'))).toBeLessThan(5);
  });

  it('count in the headline what is listed, also where a line stands for several', () => {
    const more = finding({ key: 'slow, more', severity: 'warning', count: 7, parts: [literal('7 more sessions.')] });
    expect(frame(reportOf(finding(), more))[0]).toContain('1 error, 7 warnings; 3 checks: ');
  });

  it('give the all-clear only when all was judged', () => {
    const report = reportOf();
    const summary = (of: TriageReport): string => triageSummary(of).map(({ text }) => text).join('');
    expect(summary(report)).toBe('nothing found; 3 checks: 1 fine, 2 not judged');
    expect(summary({ ...report, results: [...report.results, { check: 'settings', findings: [], doubts: [[literal('none here')]], evidence: [], jump: { screen: 'log' }, isNotOffered: true }] })).toBe(summary(report));
    expect(triageSummary(report).map(({ role }) => role)).toEqual(['warning', 'dim']);
    expect(triageSummary(reportOf(finding({ severity: 'error' }))).map(({ role }) => role)).toEqual(['error', 'dim']);
    expect(summary({ ...report, isAllClear: true })).toBe('all clear: 3 checks, nothing found');
  });
});

describe('the way to the rows', () => {
  it('is a list narrowed to what is meant', () => {
    expect(placeOf({ screen: 'sessions', clientId: 'x' }, 7)).toEqual({ screen: 'sessions', scope: { kind: 'client', clientId: 'x' } });
    expect(placeOf({ screen: 'subscriptions', topic: 't' }, 7)).toEqual({ screen: 'subscriptions', scope: { kind: 'topic', topic: 't' } });
    expect(placeOf({ screen: 'listeners', node: 'a' }, 7)).toEqual({ screen: 'listeners', scope: { kind: 'node', node: 'a' } });
    expect(placeOf({ screen: 'node', node: 'a' }, 7)).toEqual({ screen: 'node', node: 'a' });
    expect(placeOf({ screen: 'settings' }, 7)).toEqual({ screen: 'settings' });
    const place = placeOf({ screen: 'clients', found: { name: 'connected anew', clientIds: ['a', 'b'] } }, 7);
    expect(place).toEqual({ screen: 'clients', scope: { kind: 'found', name: 'connected anew', atMs: 7, clientIds: new Set(['a', 'b']) } });
    // However many they are.
    expect(placeKey(place).length).toBeLessThan(200);
    expect(placeKey(place)).not.toBe(placeKey(placeOf({ screen: 'clients', found: { name: 'connected anew', clientIds: ['a', 'b'] } }, 8)));
  });

  it('sorts by columns that the lists have', () => {
    const columnIds: Readonly<Record<string, readonly string[]>> = {
      clients: clientColumnsFor(80).map(({ id }) => id), sessions: sessionColumns(true).map(({ id }) => id), listeners: listenerColumns.map(({ id }) => id),
      nodes: nodeColumns.map(({ id }) => id), plugins: pluginColumns(plainTheme, [], undefined).map(({ id }) => id), settings: settingColumns(plainTheme, [], undefined).map(({ id }) => id),
    };
    const jumps = createTriage().update(initialActingState(2), nowMs).results.map(({ jump }) => jump).filter(({ sort }) => sort !== undefined);
    expect(jumps.map(({ screen }) => screen)).toEqual(['listeners', 'clients', 'sessions', 'nodes', 'plugins', 'settings']);
    for (const { screen, sort } of jumps) expect(columnIds[screen]).toContain(sort?.columnId);
  });

  it('is taken with Enter on the screen, which reads what it needs while it is open', async () => {
    const monitor = createCluster();
    const places: Place[] = [];
    const rig = createRig(<TriageScreen monitor={monitor} width={80} height={18} go={(place) => { places.push(place); }} notify={() => {}} />, { columns: 80, rows: 18 });
    await rig.until((text) => text.includes(`Node ${node3} is stopped.`));
    rig.type('\r');
    await expect.poll(() => places).toEqual([{ screen: 'node', node: node3 }]);
  });
});
