import { expect, test } from 'vitest';
import type { ActionPart, ActionResult } from '../../../src/actions/action.ts';
import { type BulkProgress, noSkips, partlyDoneAction, partlyDoneBulk } from '../../../src/actions/bulk.ts';
import { partlyDoneReport } from '../../../src/cli/commands/monitor-session.ts';

const bulk: BulkProgress = {
  id: 'x', title: 'disconnect 3 marked clients', phase: 'finished', total: 3, perSecond: 20, done: 1, notDone: 1, unknown: 0, skipped: 1, skips: { ...noSkips, changed: 1 }, running: 0, sent: 0, waiting: 0,
  failures: [{ place: 1, target: {}, outcome: 'not-done', skip: undefined, text: 'a\u001B[2J' }, { place: 2, target: {}, outcome: 'skipped', skip: 'changed', text: 'b' }], endedBecause: undefined, startedAtMs: 0, finishedAtMs: 1,
};

const result = (parts: readonly ActionPart[], patch: Partial<ActionResult> = {}): ActionResult => ({
  id: 'x', outcome: 'not-done', reason: 'reading', wasSent: true, isAccepted: false, parts, error: undefined, why: undefined, before: undefined, after: undefined,
  startedAtMs: 0, finishedAtMs: 1, auditError: undefined, ...patch,
});
const part = (node: string | undefined, outcome: ActionPart['outcome'], text?: string): ActionPart => ({ node, outcome, text, error: undefined });

test('everything that was done in part is reported with each failure, made harmless', () => {
  const plugin = partlyDoneAction({ title: 'start x on all nodes' }, result([part('n1', 'done'), part('n2', 'unknown', 'It is silent.'), part('n3', 'not-done')]));
  const all = [partlyDoneBulk(bulk), plugin].filter((each) => each !== undefined);
  expect(partlyDoneReport(all)).toBe([
    'brokertop: disconnect 3 marked clients: 1 done, 1 not done, 0 unknown, 1 skipped (1 changed), 3 in all.',
    String.raw`  a\x1b[2J`,
    '  b',
    'brokertop: Not done: start x on all nodes. 1 of 3 nodes took it, 1 unknown.',
    '  n2: unknown. It is silent.',
    '  n3: not done',
    '',
  ].join('\n'));
});

test('there is nothing to report of what was done wholly, or concerns one part alone', () => {
  expect(partlyDoneReport([])).toBeUndefined();
  expect(partlyDoneBulk({ ...bulk, done: 3, notDone: 0, skipped: 0, skips: noSkips, failures: [] })).toBeUndefined();
  expect(partlyDoneAction({ title: 'x' }, result([part('n1', 'done'), part('n2', 'accepted')]))).toBeUndefined();
  expect(partlyDoneAction({ title: 'x' }, result([part(undefined, 'not-done')]))).toBeUndefined();
  expect(partlyDoneAction({ title: 'x' }, result([part('n1', 'not-done')]))).toBeUndefined();
});

test('what is not known is reported, and what was ended before it was sent', () => {
  const report = partlyDoneReport([
    partlyDoneAction({ title: 'disconnect client x' }, result([part(undefined, 'unknown')], { outcome: 'unknown', why: 'It still may.' })),
    partlyDoneAction({ title: 'disconnect client y' }, result([], { reason: 'aborted', wasSent: false, why: 'It was ended before anything was sent.' })),
    partlyDoneAction({ title: 'set k to 1 on broker1' }, result([part('broker1', 'unknown')], { outcome: 'unknown' })),
  ].filter((each) => each !== undefined));
  expect(report).toBe([
    'brokertop: Unknown: disconnect client x. It still may.',
    'brokertop: Nothing was sent: disconnect client y. It was ended before anything was sent.',
    'brokertop: Unknown: set k to 1 on broker1.',
    '',
  ].join('\n'));
});

test('what was not reached is counted, and what failed is named', () => {
  const notReached = Array.from({ length: 5 }, (_, at) => ({ place: 3 + at, target: {}, outcome: 'skipped', skip: 'notReached', text: `Not reached: ${at}.` } as const));
  const unread = { place: 2, target: {}, outcome: 'skipped', skip: 'unreadable', text: 'c' } as const;
  const report = partlyDoneReport([partlyDoneBulk({ ...bulk, total: 8, skipped: 6, skips: { ...noSkips, unreadable: 1, notReached: 5 }, failures: [...bulk.failures.slice(0, 1), unread, ...notReached], endedBecause: 'The program was ended by SIGTERM.' })].filter((each) => each !== undefined));
  expect(report).toBe([
    'brokertop: disconnect 3 marked clients: 1 done, 1 not done, 0 unknown, 6 skipped (1 could not be read, 5 not reached), 8 in all. The program was ended by SIGTERM.',
    String.raw`  a\x1b[2J`,
    '  c',
    '',
  ].join('\n'));
});

test('endless failures are cut, and it is said how many are left out', () => {
  const failures = Array.from({ length: 1_200 }, (_, at) => ({ place: at, target: {}, outcome: 'skipped', skip: 'unreadable', text: `f${at}` } as const));
  const report = partlyDoneReport([partlyDoneBulk({ ...bulk, failures })].filter((each) => each !== undefined)) ?? '';
  expect(report.split('\n')).toHaveLength(1 + 1_000 + 1 + 1 + 1);
  // The list is longer than a screen: what came of it all stands below it, too.
  const [first] = report.split('\n');
  expect(report.endsWith(`  and 200 more\n${first}\n`)).toBe(true);
});
