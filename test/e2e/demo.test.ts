import { expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import { untouchedModes } from '../support/terminal-screen.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { closeTerminalsAtEnd, expectRestored, open, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

const demo = ['demo', '--clients', '12', '--nodes', '2', '--interval', '0.5'];
const patient = { timeoutMs: 20_000 };

/** Processes of the broker and of the fleet. */
const children = (terminal: TerminalSession): string[] =>
  terminal.processes().flatMap(({ command }) => / (broker|fleet) --/.exec(command)?.[1] ?? []).toSorted();

const showsClients = (terminal: TerminalSession): boolean => /clients 12 /.test(terminal.lines()[1] ?? '');

test.concurrent('the demo shows a cluster at work, and ends with all that it started', async () => {
  const terminal = open({ command: process.execPath, args: [builtProgram, ...demo], cols: 120, rows: 40, checkTty: true });
  await terminal.waitFor(showsClients, patient);
  await waitForFrame(terminal, (session) => session.lines()[0]?.includes('demo › http://127.0.0.1:') === true && session.lines()[0]?.includes('nodes 2/2') === true);
  // Real messages: some rate is above nothing.
  await terminal.waitFor((session) => / in \d*[1-9]/.test(session.lines()[1] ?? ''), patient);
  expect(children(terminal)).toEqual(['broker', 'fleet']);
  terminal.press('q');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 0 });
  expectRestored(terminal, exit);
  expect(terminal.text().trim()).toBe('');
  expect(terminal.processes()).toEqual([]);
});

test.concurrent('a signal ends the demo and all that it started', async () => {
  const terminal = open({ command: process.execPath, args: [builtProgram, ...demo], checkTty: true });
  await terminal.waitFor(showsClients, patient);
  terminal.signal('SIGTERM');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 143 });
  expectRestored(terminal, exit);
  expect(terminal.processes()).toEqual([]);
});

test.concurrent('broker and fleet end by themselves when the monitor is killed', async ({ expect: expectHere }) => {
  // The shell keeps the terminal open, so that no hang-up ends them.
  const terminal = open({ command: 'bash', args: ['-c', '"$@"; code=$?; read -r line; echo "gone $code"; read -r line', 'bash', process.execPath, builtProgram, ...demo] });
  await terminal.waitFor(showsClients, patient);
  const monitors = terminal.processes().filter(({ command }) => command.startsWith(process.execPath) && command.includes(' demo '));
  expect(monitors).toHaveLength(1);
  expect(children(terminal)).toEqual(['broker', 'fleet']);
  for (const { pid } of monitors) process.kill(pid, 'SIGKILL');
  // What is written before the screen is restored may be lost with it.
  await expectHere.poll(() => terminal.modes(), { timeout: 10_000 }).toEqual(untouchedModes);
  terminal.press('enter');
  await terminal.waitFor('gone 137');
  await expectHere.poll(() => children(terminal), { timeout: 20_000 }).toEqual([]);
});
