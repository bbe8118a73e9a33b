import { expect, test } from 'vitest';
import { initialState } from '../../src/monitor/store.ts';
import { reading } from '../../src/monitor/query/part.ts';
import type { Check } from '../../src/triage/check.ts';
import { type Found, type Problem } from '../../src/triage/problem.ts';
import { createTriageOf } from '../../src/triage/triage.ts';
import { triageView } from '../../src/triage/view.ts';

/** A check that finds these lengths of queues, in new objects each time, and counts how often rows are made of them. */
function countedCheck(lengths: () => readonly number[]) {
  const counts = { judged: 0, grouped: 0 };
  const check = {
    id: 'queues',
    title: 'Queues',
    noun: 'queues',
    finds: 'queues',
    needs: () => [],
    judge: () => {
      counts.judged += 1;
      return {
        findings: lengths().map((length, index): Found<Problem> => ({
          key: `queue ${index}`,
          severity: 'warning',
          code: 'long',
          evidence: { length, clients: [`client ${index}`] },
        })),
        unchecked: [],
      };
    },
    jump: { screen: 'sessions' },
    passed: () => [],
    unchecked: {},
    problems: { long: { title: () => [], next: () => '', jump: () => ({ screen: 'sessions' }) } },
    rows: (found) => {
      counts.grouped += 1;
      return found;
    },
  } satisfies Check;
  return { check, counts };
}

test('while problems stay as they are, so do their objects, and no rows are made of them', () => {
  let lengths = [10, 20, 30];
  const { check, counts } = countedCheck(() => lengths);
  const triage = createTriageOf([check]);
  const first = triage.derive(initialState(2), 1_000);
  const before = reading(first, triageView);
  triage.derive({ ...first }, 3_000);
  const groupedAtFirst = counts.grouped;

  const second = triage.derive({ ...first, log: [] }, 5_000);
  const { problems, findings } = triage.update({ ...second }, 5_100);

  expect(counts).toEqual({ judged: 4, grouped: groupedAtFirst });
  const { report } = reading(second, triageView);
  expect(problems).toHaveLength(3);
  expect(problems.every((problem, index) => problem === report.problems[index])).toBe(true);
  expect(findings.every((finding, index) => finding === report.findings[index])).toBe(true);
  expect(report.problems[0]).toBe(before.report.problems[0]);

  // One is longer: the others stay as they are.
  lengths = [10, 25, 30];
  const third = reading(triage.derive({ ...second, log: [] }, 7_000), triageView);
  expect(counts.grouped).toBeGreaterThan(groupedAtFirst);
  expect(third.report.problems.map(({ evidence }) => evidence)).toEqual([
    { length: 10, clients: ['client 0'] },
    { length: 25, clients: ['client 1'] },
    { length: 30, clients: ['client 2'] },
  ]);
  expect(third.report.problems.map((problem, index) => problem === report.problems[index])).toEqual([
    true,
    false,
    true,
  ]);
});
