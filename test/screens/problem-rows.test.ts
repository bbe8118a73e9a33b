import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Attempt, Finding } from '../../src/triage/problem.ts';
import { toLines } from '../../src/tui/components/blocks.ts';
import { problemRows, type ProblemsView } from '../../src/resources/problems/view/problem-rows.ts';
import { plainTheme } from '../tui/support/rig.tsx';

const storm: Finding = {
  check: 'reconnects',
  key: 'reconnects',
  severity: 'critical',
  jump: { screen: 'clients', found: { name: 'reconnected', clientIds: ['a', 'b'] } },
  code: 'reconnect-storm',
  evidence: {
    connectsPerSecond: 34.5,
    seconds: 30,
    change: 0,
    clients: 300,
    known: 300,
    clientIds: ['a', 'b'],
    pattern: { trait: 'username', value: 'factory-b-long-name' },
  },
};

const linesOf = (width: number, height: number, view: Partial<ProblemsView> = {}): readonly string[] =>
  toLines(
    plainTheme,
    width,
    height,
    problemRows(plainTheme, width, height, 2, {
      findings: [storm],
      summary: { total: 13, ok: [], unread: [], past: [], unchecked: [], pending: [] },
      nowMs: 0,
      canAct: true,
      canUnsubscribe: true,
      ...view,
    }),
  ).map((line) => stripVTControlCharacters(line).trimEnd());

describe('the rows of problems', () => {
  test('say less rather than cut a number', () => {
    expect(linesOf(140, 8)[0]).toContain('mostly from user factory-b-long-name, 35 connects/s');
    expect(linesOf(78, 8)[0]).toMatch(/Reconnect storm, mostly from user factory-b-long-name(?: |$)/u);
  });

  test('say when the clients of a storm were disconnected from here', () => {
    const attempt = (seconds: number): Attempt => ({ way: 'disconnect', seconds, clients: 283 });
    const first = (seconds: number): string | undefined => linesOf(140, 8, { attempt: () => attempt(seconds) })[0];
    expect(first(10)).toContain('you disconnected 283 clients');
    expect(first(90)).not.toContain('you disconnected');
    expect(linesOf(140, 8)[0]).not.toContain('you disconnected');
  });

  test('name all checks that passed where two rows are enough', () => {
    const ok = [
      'nodes',
      'listeners',
      'limits',
      'sudden',
      'slow',
      'unrouted',
      'fanOut',
      'balance',
      'versions',
      'plugins',
      'settings',
    ] as const;
    const view = { summary: { total: 13, ok, unread: [], past: [], unchecked: [], pending: [] } };
    expect(linesOf(78, 12, view).slice(-2)).toEqual([
      expect.stringMatching(/^ {2}ok {7}11 of 13: nodes, listeners,.*[a-z],$/u),
      expect.stringMatching(/^ {11}.*settings$/u),
    ]);
    expect(linesOf(78, 5, view).at(-1)).toMatch(/^ {2}ok {7}11 of 13: nodes, .*, …$/u);
  });
});
