import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActionResult } from '../../src/actions/action.ts';
import { type AuditEntry, formatAuditLine } from '../../src/actions/audit.ts';
import { type BulkProgress, noSkips } from '../../src/actions/bulk.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';

const origin = { operator: 'ann', url: 'http://127.0.0.1:8080/', brokerUser: 'admin' };
const intent: AuditEntry = {
  kind: 'intent',
  id: 'i',
  atMs: 1_000_000_000_000,
  action: 'change-setting',
  bulkId: undefined,
  target: { key: 'k', all: true, nothing: undefined },
  before: { a: '1' },
  after: { a: '2' },
};
const result: ActionResult = {
  id: 'i',
  outcome: 'not-done',
  reason: 'reading',
  wasSent: true,
  isAccepted: false,
  error: errorOfCode(102, 'no\u001B[2J'),
  why: 'Why.',
  parts: [
    { node: 'a', outcome: 'done', text: undefined, error: undefined },
    { node: 'b', outcome: 'unknown', text: undefined, error: undefined },
  ],
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 0,
  auditError: undefined,
};

describe('a line of the audit', () => {
  test('has acknowledgements of problems, and that they were taken back', () => {
    const line = (note: string | undefined): unknown =>
      JSON.parse(formatAuditLine(origin, { kind: 'acknowledge', atMs: 0, problem: 'slow worker-1', note }));
    expect(line('Ann is on it')).toMatchObject({
      time: '1970-01-01T00:00:00.000Z',
      kind: 'acknowledge',
      problem: 'slow worker-1',
      note: 'Ann is on it',
    });
    expect(line(undefined)).toMatchObject({ problem: 'slow worker-1', note: null });
  });

  test('has the operator, the target, and the values before and after', () => {
    expect(JSON.parse(formatAuditLine(origin, intent))).toEqual({
      time: '2001-09-09T01:46:40.000Z',
      kind: 'intent',
      id: 'i',
      operator: 'ann',
      url: 'http://127.0.0.1:8080/',
      brokerUser: 'admin',
      action: 'change-setting',
      target: { key: 'k', all: true, nothing: null },
      before: { a: '1' },
      after: { a: '2' },
    });
  });

  test("has the outcome on every node, with the broker's code and message", () => {
    const parsed: unknown = JSON.parse(formatAuditLine(origin, { ...intent, kind: 'outcome', bulkId: 'b', result }));
    expect(parsed).toMatchObject({
      kind: 'outcome',
      id: 'i',
      bulk: 'b',
      outcome: 'not-done',
      reason: 'reading',
      sent: true,
      answer: { kind: 'broker', code: 102, message: 'no\u001B[2J' },
      why: 'Why.',
      nodes: { a: 'done', b: 'unknown' },
    });
  });

  test('has the acceptance, and the size and counts of a bulk', () => {
    const accepted: unknown = JSON.parse(
      formatAuditLine(origin, {
        ...intent,
        kind: 'outcome',
        result: { ...result, isAccepted: true, error: undefined },
      }),
    );
    expect(accepted).toMatchObject({ answer: { kind: 'accepted', code: 0, message: null } });
    const bulk = { bulkId: 'b', atMs: 0, title: 'disconnect 40 clients' };
    expect(JSON.parse(formatAuditLine(origin, { ...bulk, kind: 'bulk-begin', chosen: 40, perSecond: 20 }))).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      kind: 'bulk-begin',
      bulk: 'b',
      operator: 'ann',
      url: 'http://127.0.0.1:8080/',
      brokerUser: 'admin',
      title: 'disconnect 40 clients',
      chosen: 40,
      perSecond: 20,
    });
    const progress: BulkProgress = {
      id: 'b',
      title: 't',
      phase: 'finished',
      total: 40,
      perSecond: 20,
      done: 10,
      notDone: 1,
      unknown: 2,
      skipped: 27,
      skips: { ...noSkips, changed: 2, unreadable: 1, notReached: 24 },
      running: 0,
      sent: 0,
      waiting: 0,
      failures: [],
      disconnectedIds: [],
      endedBecause: 'Why.',
      startedAtMs: 0,
      finishedAtMs: 1,
    };
    expect(JSON.parse(formatAuditLine(origin, { ...bulk, kind: 'bulk-end', progress }))).toMatchObject({
      kind: 'bulk-end',
      chosen: 40,
      done: 10,
      notDone: 1,
      unknown: 2,
      skipped: 27,
      changed: 2,
      absent: 0,
      unreadable: 1,
      unsent: 0,
      notReached: 24,
      aborted: true,
      why: 'Why.',
    });
  });

  test("has no credentials of the URL, and a limited length of the broker's message", () => {
    const long = { ...result, error: errorOfCode(102, 'x'.repeat(1_000_000)) };
    const line = formatAuditLine(
      { ...origin, url: 'http://admin:hunter2@host:1/?token=hunter2#hunter2' },
      { ...intent, kind: 'outcome', result: long },
    );
    expect(line).not.toContain('hunter2');
    expect(line.length).toBeLessThan(4_000);
    expect(line).toContain('(truncated, 1,000,000 characters)');
  });

  test('is one line of printable ASCII whatever it is given, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, message) => {
        const line = formatAuditLine(origin, {
          ...intent,
          kind: 'outcome',
          target: { clientId: id, [`k${id}`]: '\u007F\u009B\u00E9\u{1F600}\uD800\u202E\u2028' },
          result: { ...result, error: errorOfCode(1, message) },
        });
        expect(line).toMatch(/^[ -~]+\n$/u);
        expect(JSON.parse(line)).toMatchObject({ target: { clientId: id }, answer: { message } });
      }),
    );
  });
});
