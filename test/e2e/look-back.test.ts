import { describe, expect, test } from 'vitest';
import { type ActingState, initialActingState } from '../../src/actions/acting-monitor.ts';
import { clockText } from '../../src/domain/text.ts';
import { momentText } from '../../src/domain/time-text.ts';
import { client, nodeStats } from '../monitor/fake-api.ts';
import { fresh } from '../screens/cluster-state.ts';
import { readWhole, scanOf } from '../screens/list-fixtures.ts';
import { builtProgram } from '../support/built-cluster.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { recordStates } from '../support/recordings.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { repeatUntil } from './actions/dialogs.ts';
import { bodyOf, closeTerminalsAtEnd, open } from './support.ts';

closeTerminalsAtEnd();

const patient = { timeoutMs: 90_000 };
const sizes = [
  [80, 24],
  [200, 60],
] as const;

/** The moment that the header shows; `undefined` now. */
const shownMoment = (terminal: TerminalSession): string | undefined =>
  /(\d\d:\d\d:\d\d), \d+ (?:s|min|h|d) ago/u.exec(terminal.lines()[0] ?? '')?.[1];

/** Waits until another moment is shown than `before`. */
const moved = async (terminal: TerminalSession, before: string | undefined): Promise<string> => {
  await terminal.waitFor((session) => ![undefined, before].includes(shownMoment(session)), patient);
  return shownMoment(terminal) ?? '';
};

describe.each(sizes)('at %d×%d', (cols, rows) => {
  test('keys look back in a running monitor', { timeout: 300_000 }, async () => {
    const args = ['demo', '--clients', '40', '--interval', '1', '--no-audit', '--scenario', 'slow-consumer'];
    const terminal = open({ command: process.execPath, args: [builtProgram, ...args], cols, rows });
    await terminal.waitFor('3/3 nodes', patient);
    await terminal.waitFor(/CRITICAL|WARNING/u, patient);
    terminal.press('h');
    const last = await moved(terminal, undefined);
    expect(terminal.lines()[2]).toMatch(/^ \d\d:\d\d:\d\d .*[│].* \d\d:\d\d:\d\d/u);
    expect(terminal.lines().at(-1)).toMatch(/^ no actions {2}Esc now {2}← → step {2}\( \) 10 min {2}; event/u);
    terminal.press('left');
    const before = await moved(terminal, last);
    expect(before < last).toBe(true);
    // Less than ten minutes are recorded: the first sample.
    terminal.type('(');
    const first = await moved(terminal, before);
    expect(first < before).toBe(true);
    terminal.press('left');
    await terminal.waitFor('This is the first sample of this run', patient);
    // Events of the first second do not change the time shown.
    await repeatUntil(
      terminal,
      () => {
        terminal.type(';');
      },
      (session) => (shownMoment(session) ?? '') > first,
      1_000,
    );
    terminal.type(`:${before}`);
    await terminal.waitFor('Look back to', patient);
    terminal.press('enter');
    await terminal.waitFor((session) => shownMoment(session) === before, patient);
    terminal.press('esc');
    await terminal.waitFor((session) => shownMoment(session) === undefined, patient);
    expect(terminal.lines()[0]).not.toContain(' ago');
    await terminal.waitFor(/Enter open|\? help/u, patient);
  });

  test('a recording is replayed, and two of its moments are compared', { timeout: 120_000 }, async () => {
    const startMs = new Date(2026, 10, 27, 14, 0).getTime();
    const stateAt = (atMs: number, ids: readonly string[]): ActingState =>
      patched(
        initialActingState(2),
        readingsOf({
          nodeStats: { ...fresh([nodeStats('a', 'running', { clients: ids.length })]), updatedAtMs: atMs },
          clientScan: {
            ...scanOf(ids.map((id) => client(id, 'a', 1))),
            finishedAtMs: atMs,
            coverage: new Map([['a', { ...readWhole(ids.length), isComplete: true, readAtMs: 1 }]]),
          },
        }),
      );
    const [firstMs, secondMs] = [startMs, startMs + 600_000];
    const place = await recordStates([
      { atMs: firstMs, state: stateAt(firstMs, ['stays', 'leaves']) },
      { atMs: secondMs, state: stateAt(secondMs, ['stays', 'arrives']) },
    ]);
    const args = [builtProgram, 'replay', place, '--at', '2026-11-27T14:10'];
    const terminal = open({ command: process.execPath, args, cols, rows });
    await terminal.waitFor((session) => shownMoment(session) === clockText(secondMs), patient);
    expect(terminal.lines()[0]).toContain('problems unknown');
    terminal.type('=');
    await terminal.waitFor(/Marked 27 Nov 14:10:00/u, patient);
    terminal.press('left');
    await terminal.waitFor((session) => shownMoment(session) === clockText(firstMs), patient);
    expect(terminal.lines()[2]).toMatch(/│.*=/u);
    terminal.type('=');
    await terminal.waitFor('Clients: 1 came, 1 went', patient);
    expect(bodyOf(terminal)[1]).toContain(`${momentText(firstMs)} → ${momentText(secondMs)}, 10m 00s`);
    expect(terminal.text()).toMatch(/clients +came +arrives/u);
    expect(terminal.text()).toMatch(/clients +gone +leaves/u);
    terminal.type('q');
    await terminal.waitFor((session) => !session.text().includes('Clients: 1 came'), patient);
    terminal.type('4');
    await terminal.waitFor((session) => /leaves/u.test(session.text()), patient);
  });
});
