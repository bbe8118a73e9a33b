import { expect, test } from 'vitest';
import type { CheckResult, Finding } from '../../src/triage/check.ts';
import { followFindings, type OpenFindings } from '../../src/triage/finding-changes.ts';

const slow = (clientId: string, severity: Finding['severity'] = 'warning'): Finding =>
  ({ check: 'slow', key: `slow ${clientId}`, severity, target: { kind: 'session', clientId }, code: 'slow-sessions', evidence: { clientIds: [clientId], isMore: false, areFar: true } });
const group = (...clientIds: readonly string[]): Finding =>
  ({ check: 'slow', key: 'slow, far', severity: 'warning', target: { kind: 'sessions', clientIds }, code: 'slow-sessions', evidence: { clientIds, isMore: false, areFar: true } });

const resultOf = (findings: readonly Finding[], isChecked = true): CheckResult =>
  ({ check: 'slow', findings, target: { kind: 'sessions' }, unchecked: isChecked ? [] : [{ code: 'sessions-incomplete' }] });

/** The changes after each report, 30 s apart, as `+key` and `-key`. */
function changesOf(...reports: readonly (readonly [findings: readonly Finding[], isChecked?: boolean])[]): readonly string[][] {
  let followed: OpenFindings = { open: new Map(), changes: [] };
  return reports.map(([findings, isChecked], index) => {
    followed = followFindings(followed.open, { results: [resultOf(findings, isChecked)], findings }, index * 30_000);
    return followed.changes.map(({ kind, finding }) => `${kind === 'began' ? '+' : '-'}${finding.key}`);
  });
}

test('a finding begins and ends once', () => {
  expect(changesOf([[slow('a')]], [[slow('a')]], [[]], [[]], [[slow('a')]])).toEqual([['+slow a'], [], ['-slow a'], [], ['+slow a']]);
});

test('it begins again as it becomes critical for the first time, but not as it becomes a warning', () => {
  expect(changesOf([[slow('a')]], [[slow('a', 'critical')]], [[slow('a')]], [[slow('a', 'critical')]], [[]])).toEqual([['+slow a'], ['+slow a'], [], [], ['-slow a']]);
});

test('it goes on while its check cannot be made, and as one of a group', () => {
  expect(changesOf([[slow('a')]], [[], false], [[slow('a')]], [[]])).toEqual([['+slow a'], [], [], ['-slow a']]);
  expect(changesOf([[slow('a'), slow('b')]], [[group('a', 'b')]], [[slow('a')]], [[]])).toEqual([['+slow a', '+slow b'], ['+slow, far'], ['-slow, far', '-slow b'], ['-slow a']]);
});

test('a session that is slow again within seconds did not end', () => {
  const at = (open: OpenFindings['open'], findings: readonly Finding[], atMs: number): OpenFindings => followFindings(open, { results: [resultOf(findings)], findings }, atMs);
  const began = at(new Map(), [slow('a')], 1_000);
  const absent = at(began.open, [], 6_000);
  expect([absent.changes, at(absent.open, [slow('a')], 11_000).changes]).toEqual([[], []]);
  expect(at(absent.open, [], 21_000).changes).toMatchObject([{ kind: 'ended', finding: { seenMs: 1_000 } }]);
});

test('what ended is as it was last seen', () => {
  const { open } = followFindings(new Map(), { results: [], findings: [slow('a')] }, 1_000);
  const later = followFindings(open, { results: [], findings: [slow('a')] }, 4_000);
  expect(followFindings(later.open, { results: [], findings: [] }, 40_000).changes).toMatchObject([{ kind: 'ended', finding: { foundMs: 1_000, seenMs: 4_000 } }]);
});

test('what becomes critical is critical since then, as long as it is', () => {
  let followed: OpenFindings = { open: new Map(), changes: [] };
  const since = (['warning', 'critical', 'critical', 'warning', 'critical'] as const).map((severity, index) => {
    const findings = [slow('a', severity)];
    followed = followFindings(followed.open, { results: [resultOf(findings)], findings }, index * 1_000);
    return followed.open.get('slow a')?.criticalMs;
  });
  expect(since).toEqual([undefined, 1_000, 1_000, undefined, 4_000]);
  const findings = [slow('a', 'critical')];
  expect(followFindings(new Map(), { results: [resultOf(findings)], findings }, 7_000).open.get('slow a')?.criticalMs).toBeUndefined();
});
