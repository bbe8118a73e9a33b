import { expect, test } from 'vitest';
import type { CheckResult } from '../../src/triage/check.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { followFindings, type OpenFindings } from '../../src/triage/finding-changes.ts';

const slow = (
  clientId: string,
  severity: Finding['severity'] = 'warning',
  more: Partial<Pick<Finding, 'sinceMs' | 'foundMs'>> = {},
): Finding => ({
  check: 'slow',
  key: `slow ${clientId}`,
  severity,
  jump: { screen: 'client', clientId },
  code: 'slow-sessions',
  evidence: { clientIds: [clientId] },
  ...more,
});
const alarm = (id: string, partOf?: string, severity: Finding['severity'] = 'warning'): Finding => ({
  check: 'alarms',
  key: `alarm ${id}`,
  severity,
  jump: { screen: 'alarms' },
  code: 'alarm',
  evidence: { id, text: undefined },
  partOf,
});

const slowResult = (findings: readonly Finding[], isChecked = true): CheckResult => ({
  check: 'slow',
  findings,
  jump: { screen: 'sessions' },
  settleMs: 20_000,
  toldElsewhere: 0,
  unchecked: isChecked ? [] : [{ code: 'sessions-incomplete' }],
});
const alarmResult = (findings: readonly Finding[], unchecked: CheckResult['unchecked'] = []): CheckResult => ({
  check: 'alarms',
  findings,
  unchecked,
  isLogged: true,
  jump: { screen: 'alarms' },
  toldElsewhere: 0,
});

const signs = { began: '+', worsened: '!', eased: '~', ended: '-', joined: '&', acknowledged: 'z' } as const;
const noneOpen: OpenFindings = { open: new Map(), changes: [] };

/** The changes after each report, 30 s apart, such as `+key` and `-key`; in brackets where nobody is alerted. */
function changesOf(...reports: readonly (readonly CheckResult[])[]): readonly string[][] {
  let followed = noneOpen;
  return reports.map((results, index) => {
    followed = followFindings(followed.open, results, index * 30_000);
    return followed.changes.map(({ kind, finding, isQuiet }) =>
      isQuiet && kind !== 'ended' ? `(${signs[kind]}${finding.key})` : `${signs[kind]}${finding.key}`,
    );
  });
}
const slowChanges = (
  ...reports: readonly (readonly [findings: readonly Finding[], isChecked?: boolean])[]
): readonly string[][] => changesOf(...reports.map((report) => [slowResult(...report)]));

test('a problem begins and ends once', () => {
  expect(slowChanges([[slow('a')]], [[slow('a')]], [[]], [[]], [[slow('a')]])).toEqual([
    ['+slow a'],
    [],
    ['-slow a'],
    [],
    ['+slow a'],
  ]);
});

test('it becomes critical and a warning again, and alerts only the first time', () => {
  expect(slowChanges([[slow('a')]], [[slow('a', 'critical')]], [[slow('a')]], [[slow('a', 'critical')]], [[]])).toEqual(
    [['+slow a'], ['!slow a'], ['(~slow a)'], ['(!slow a)'], ['-slow a']],
  );
});

test('it goes on while its check cannot tell, also if the check finds others', () => {
  expect(slowChanges([[slow('a')]], [[], false], [[slow('a')]], [[]])).toEqual([['+slow a'], [], [], ['-slow a']]);
  expect(slowChanges([[slow('a'), slow('b')]], [[slow('b')], false], [[slow('b')]])).toEqual([
    ['+slow a', '+slow b'],
    [],
    ['-slow a'],
  ]);
});

test('its check decides which problems a reading refutes', () => {
  const result = (findings: readonly Finding[]): CheckResult => ({
    ...slowResult(findings, false),
    refutes: ({ key }) => key === 'slow a',
  });
  expect(changesOf([result([slow('a'), slow('b')])], [result([])], [result([])])).toEqual([
    ['+slow a', '+slow b'],
    ['-slow a'],
    [],
  ]);
});

test('it is unknown since it was last seen, and as it was then', () => {
  const { open } = followFindings(noneOpen.open, [slowResult([slow('a', 'critical')])], 1_000);
  const unknown = followFindings(
    followFindings(open, [slowResult([], false)], 9_000).open,
    [slowResult([], false)],
    60_000,
  ).open.get('slow a');
  expect(unknown).toMatchObject({ status: 'unknown', severity: 'critical', foundMs: 1_000, lastMs: 1_000 });
});

test('it was last seen when its own part was read, where not all is read at once', () => {
  const result: CheckResult = {
    ...slowResult([slow('a'), slow('b')]),
    reading: { noun: 'sessions', atMs: 1_000, isWatched: true },
    readMsOf: ({ key }) => (key === 'slow a' ? 5_000 : undefined),
  };
  const { open } = followFindings(noneOpen.open, [result], 6_000);
  expect([...open.values()].map(({ lastMs }) => lastMs)).toEqual([5_000, 1_000]);
});

test('a session that is slow again within seconds did not end, and one that is not was over before', () => {
  const at = (open: OpenFindings['open'], findings: readonly Finding[], atMs: number): OpenFindings =>
    followFindings(open, [slowResult(findings)], atMs);
  const began = at(new Map(), [slow('a')], 1_000);
  const absent = at(began.open, [], 6_000);
  expect([absent.changes, at(absent.open, [slow('a')], 11_000).changes]).toEqual([[], []]);
  expect(absent.open.get('slow a')?.status).toBe('ending');
  expect(at(absent.open, [], 21_000).changes).toMatchObject([
    { kind: 'ended', atMs: 6_000, finding: { foundMs: 1_000 } },
  ]);
  const again = at(at(absent.open, [slow('a')], 11_000).open, [], 16_000);
  expect(at(again.open, [], 31_000).changes).toMatchObject([{ kind: 'ended', atMs: 16_000 }]);
});

test('it lasts from its beginning to the first reading that shows it is over', () => {
  const { open, changes } = followFindings(new Map(), [slowResult([slow('a', 'warning', { sinceMs: 500 })])], 1_000);
  expect(changes).toMatchObject([{ kind: 'began', atMs: 500 }]);
  const later = followFindings(open, [slowResult([slow('a', 'critical')])], 4_000);
  expect(later.changes).toMatchObject([{ kind: 'worsened', atMs: 4_000 }]);
  const unknown = followFindings(later.open, [slowResult([], false)], 30_000);
  expect(followFindings(unknown.open, [slowResult([])], 64_500).changes).toMatchObject([
    { kind: 'ended', atMs: 64_500, finding: { sinceMs: 500, severity: 'critical' } },
  ]);
});

test('it has one beginning, however it changes', () => {
  let followed = noneOpen;
  const begins = [
    slow('a', 'warning', { foundMs: 500 }),
    slow('a', 'critical', { sinceMs: 1_500 }),
    slow('a', 'warning', { foundMs: 1_900 }),
    slow('a', 'critical'),
  ].map((finding, index) => {
    followed = followFindings(followed.open, [slowResult([finding])], (index + 1) * 1_000);
    const { sinceMs, foundMs } = followed.open.get('slow a') ?? {};
    return { sinceMs, foundMs };
  });
  expect(new Set(begins.map((begin) => JSON.stringify(begin)))).toEqual(new Set(['{"foundMs":500}']));
});

test('a part of another problem is none of its own, and does not end with that', () => {
  const [part, own] = [alarm('queue a', 'slow a'), alarm('queue a')];
  expect(
    changesOf(
      [slowResult([slow('a')]), alarmResult([part])],
      [slowResult([]), alarmResult([own])],
      [slowResult([]), alarmResult([])],
    ),
  ).toEqual([['+slow a'], ['-slow a', '+alarm queue a'].toSorted(), ['-alarm queue a']]);
  // Known as an alarm before the session is found: no second alert, and no end of the alarm.
  expect(
    changesOf(
      [slowResult([]), alarmResult([own])],
      [slowResult([slow('a')]), alarmResult([part])],
      [slowResult([slow('a', 'critical')]), alarmResult([part])],
      [slowResult([slow('a')]), alarmResult([])],
    ),
  ).toEqual([['+alarm queue a'], ['(+slow a)'], ['!slow a'], ['(~slow a)', '-alarm queue a']]);
});

test('a problem whose figures are averages ended when what it is about last happened', () => {
  const result = (findings: readonly Finding[]): CheckResult => ({
    check: 'reconnects',
    findings,
    unchecked: [],
    jump: { screen: 'clients' },
    toldElsewhere: 0,
  });
  const storm = (happenedMs: number): Finding => ({
    check: 'reconnects',
    key: 'reconnects',
    severity: 'critical',
    jump: { screen: 'clients' },
    code: 'reconnect-storm',
    evidence: {},
    happenedMs,
  });
  const begun = followFindings(new Map(), [result([storm(4_000)])], 5_000);
  const going = followFindings(begun.open, [result([storm(40_000)])], 60_000);
  expect(followFindings(going.open, [result([])], 69_000).changes).toMatchObject([{ kind: 'ended', atMs: 40_000 }]);
  expect(followFindings(begun.open, [result([])], 69_000).changes).toMatchObject([{ kind: 'ended', atMs: 5_000 }]);
});

test('a problem goes on as the one that explains it: one beginning, and one end', () => {
  const drops = (partOf?: string): CheckResult => ({
    check: 'drops',
    findings: [
      {
        check: 'drops',
        key: 'drops queue_full',
        severity: 'critical',
        jump: { screen: 'metrics' },
        code: 'messages-dropped',
        evidence: {},
        partOf,
      },
    ],
    unchecked: [],
    jump: { screen: 'metrics' },
    toldElsewhere: 0,
  });
  const none: CheckResult = { ...drops(), findings: [] };
  const alone = followFindings(new Map(), [drops(), slowResult([])], 6_000);
  expect(alone.changes).toMatchObject([{ kind: 'began', finding: { key: 'drops queue_full' } }]);
  const known = followFindings(alone.open, [drops('slow a'), slowResult([slow('a', 'critical')])], 14_000);
  expect(known.changes).toMatchObject([
    {
      kind: 'began',
      atMs: 14_000,
      isQuiet: true,
      finding: { key: 'slow a', foundMs: 6_000 },
      replaces: [{ key: 'drops queue_full' }],
    },
  ]);
  const over = followFindings(known.open, [none, slowResult([])], 50_000);
  expect(over.changes).toMatchObject([{ kind: 'ended', finding: { key: 'slow a', foundMs: 6_000 } }]);
  // A consumer that is known already takes on what is found to be its loss.
  const both = followFindings(alone.open, [drops(), slowResult([slow('a')])], 14_000);
  expect(followFindings(both.open, [drops('slow a'), slowResult([slow('a')])], 15_000).changes).toMatchObject([
    { kind: 'joined', finding: { key: 'slow a', foundMs: 14_000 }, replaces: [{ key: 'drops queue_full' }] },
  ]);
  // While the consumer may be slow again at once, its loss is no problem of its own.
  expect(followFindings(known.open, [drops('slow a'), slowResult([])], 20_000).changes).toEqual([]);
});

test('another change of the same kind is an event of its own', () => {
  const rise = (atMs: number): readonly CheckResult[] => [
    {
      check: 'sudden',
      findings: [
        {
          check: 'sudden',
          key: 'sudden rise clients',
          severity: 'warning',
          jump: { screen: 'clients' },
          code: 'sudden-change',
          evidence: {},
          atMs,
        },
      ],
      unchecked: [],
      jump: { screen: 'metrics' },
      toldElsewhere: 0,
    },
  ];
  const first = followFindings(new Map(), rise(100_000), 105_000);
  expect(followFindings(first.open, rise(105_000), 120_000).changes).toEqual([]);
  expect(followFindings(first.open, rise(280_000), 285_000).changes).toMatchObject([{ kind: 'began', atMs: 280_000 }]);
});
