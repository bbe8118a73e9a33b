import { expect, test } from 'vitest';
import type { ActionPart, ActionResult } from '../../../src/actions/action.ts';
import {
  type BulkProgress,
  describeBulk,
  noSkips,
  partlyDoneAction,
  partlyDoneBulk,
} from '../../../src/actions/bulk.ts';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import { partlyDoneReport } from '../../../src/cli/commands/monitor-session.ts';
import { titled } from '../../actions/support.ts';

const bulk: BulkProgress = {
  id: 'x',
  title: 'Disconnect 3 marked clients',
  phase: 'finished',
  total: 3,
  perSecond: 20,
  done: 1,
  notDone: 1,
  unknown: 0,
  skipped: 1,
  skips: { ...noSkips, changed: 1 },
  running: 0,
  sent: 0,
  waiting: 0,
  failures: [
    { place: 1, target: {}, outcome: 'not-done', skip: undefined, text: 'a\u001B[2J' },
    { place: 2, target: {}, outcome: 'skipped', skip: 'changed', text: 'b' },
  ],
  disconnectedIds: [],
  endedBecause: undefined,
  startedAtMs: 0,
  finishedAtMs: 1,
};

const result = (parts: readonly ActionPart[], patch: Partial<ActionResult> = {}): ActionResult => ({
  id: 'x',
  outcome: 'not-done',
  reason: 'reading',
  wasSent: true,
  isAccepted: false,
  parts,
  error: undefined,
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 1,
  auditError: undefined,
  ...patch,
});
const part = (node: string | undefined, outcome: ActionPart['outcome'], text?: string): ActionPart => ({
  node,
  outcome,
  text,
  error: undefined,
});

test('everything that was done in part is reported with each failure, made harmless', () => {
  const plugin = partlyDoneAction(
    titled('start x on all nodes'),
    result([part('n1', 'done'), part('n2', 'unknown', 'It is silent.'), part('n3', 'not-done')]),
  );
  const all = [partlyDoneBulk(bulk), plugin].filter((each) => each !== undefined);
  expect(partlyDoneReport(all)).toBe(
    [
      `brokertop: ${describeBulk(bulk)}`,
      String.raw`  a\x1b[2J`,
      '  b',
      `brokertop: ${outcomeTexts['not-done'](titled('start x on all nodes'))} 1 of 3 nodes done, 1 unknown.`,
      '  n2: unknown. It is silent.',
      '  n3: not done',
      '',
    ].join('\n'),
  );
});

test('actions that are done, or have one part, are not reported', () => {
  expect(partlyDoneReport([])).toBeUndefined();
  expect(partlyDoneBulk({ ...bulk, done: 3, notDone: 0, skipped: 0, skips: noSkips, failures: [] })).toBeUndefined();
  expect(partlyDoneAction(titled('x'), result([part('n1', 'done'), part('n2', 'accepted')]))).toBeUndefined();
  expect(partlyDoneAction(titled('x'), result([part(undefined, 'not-done')]))).toBeUndefined();
  expect(partlyDoneAction(titled('x'), result([part('n1', 'not-done')]))).toBeUndefined();
});

test('unknown outcomes are reported, and actions that were stopped before they were sent', () => {
  const report = partlyDoneReport(
    [
      partlyDoneAction(
        titled('disconnect client x'),
        result([part(undefined, 'unknown')], { outcome: 'unknown', why: 'It still may.' }),
      ),
      partlyDoneAction(
        titled('disconnect client y'),
        result([], { reason: 'aborted', wasSent: false, why: 'Stopped before it was sent.' }),
      ),
      partlyDoneAction(titled('set k to 1 on broker1'), result([part('broker1', 'unknown')], { outcome: 'unknown' })),
    ].filter((each) => each !== undefined),
  );
  expect(report).toBe(
    [
      `brokertop: ${outcomeTexts.unknown(titled('disconnect client x'))} It still may.`,
      `brokertop: ${outcomeTexts.notSent(titled('disconnect client y'))} Stopped before it was sent.`,
      `brokertop: ${outcomeTexts.unknown(titled('set k to 1 on broker1'))}`,
      '',
    ].join('\n'),
  );
});

test('parts that were not reached are counted, failures are listed', () => {
  const notReached = Array.from(
    { length: 5 },
    (_, at) =>
      ({ place: 3 + at, target: {}, outcome: 'skipped', skip: 'notReached', text: `Not reached: ${at}.` }) as const,
  );
  const unread = { place: 2, target: {}, outcome: 'skipped', skip: 'unreadable', text: 'c' } as const;
  const ended = {
    ...bulk,
    total: 8,
    skipped: 6,
    skips: { ...noSkips, unreadable: 1, notReached: 5 },
    failures: [...bulk.failures.slice(0, 1), unread, ...notReached],
    endedBecause: 'The program was ended by SIGTERM.',
  };
  const report = partlyDoneReport([partlyDoneBulk(ended)].filter((each) => each !== undefined));
  expect(report).toBe([`brokertop: ${describeBulk(ended)}`, String.raw`  a\x1b[2J`, '  c', ''].join('\n'));
});

test('long lists of failures are cut, with the number of omitted ones', () => {
  const failures = Array.from(
    { length: 1_200 },
    (_, at) => ({ place: at, target: {}, outcome: 'skipped', skip: 'unreadable', text: `f${at}` }) as const,
  );
  const report = partlyDoneReport([partlyDoneBulk({ ...bulk, failures })].filter((each) => each !== undefined)) ?? '';
  expect(report.split('\n')).toHaveLength(1 + 1_000 + 1 + 1 + 1);
  // The list is longer than a screen: what came of it all stands below it, too.
  const [first] = report.split('\n');
  expect(report.endsWith(`  and 200 more\n${first}\n`)).toBe(true);
});
