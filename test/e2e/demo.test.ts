import { expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import { untouchedModes } from '../support/terminal-screen.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { repeatUntil } from './actions/dialogs.ts';
import { clientCount, closeTerminalsAtEnd, expectRestored, open, run, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

const demo = ['demo', '--clients', '12', '--nodes', '2', '--interval', '0.5'];
const patient = { timeoutMs: 60_000 };

/** Processes of the broker and of the fleet. */
const children = (terminal: TerminalSession): string[] =>
  terminal
    .processes()
    .flatMap(({ command }) => / (broker|fleet) --/.exec(command)?.[1] ?? [])
    .toSorted();

const showsClients = (terminal: TerminalSession): boolean => clientCount(terminal) === 12;

test.concurrent('the demo shows a busy cluster, and ends with all its processes', async () => {
  const terminal = open({
    command: process.execPath,
    args: [builtProgram, ...demo],
    cols: 120,
    rows: 40,
    checkTty: true,
  });
  await terminal.waitFor(showsClients, patient);
  await waitForFrame(terminal, (session) => /^ brokertop {2}demo {2}● 2\/2 nodes/u.test(session.lines()[0] ?? ''));
  // Real messages: a rate is above zero.
  await terminal.waitFor((session) => / in \d*[1-9]/.test(session.text()), patient);
  expect(children(terminal)).toEqual(['broker', 'fleet']);
  terminal.press('q');
  await terminal.waitFor('The demo cluster stops too.');
  await repeatUntil(
    terminal,
    () => {
      terminal.press('y');
    },
    (session) => !session.modes().isAlternateScreen,
  );
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 0 });
  expectRestored(terminal, exit);
  expect(terminal.text().trim()).toBe('');
  expect(terminal.processes()).toEqual([]);
});

test.concurrent('the timeline shows the user of the demo, and help its login, which --once can use', async ({
  expect: expectHere,
}) => {
  const terminal = open({ command: process.execPath, args: [builtProgram, ...demo], cols: 120, rows: 40 });
  await terminal.waitFor(showsClients, patient);
  terminal.press('L');
  await terminal.waitFor(' Demo broker: ', patient);
  const [, url = '', user = ''] =
    /Demo broker: (\S+), user (\S+) \(\? shows the password\)/u.exec(terminal.text()) ?? [];
  const timeline = terminal.text();
  terminal.press('?');
  await terminal.waitFor('Symbols', patient);
  terminal.type('/this run only');
  await terminal.waitFor('Demo broker, this run only', patient);
  const password = /Password +(\S+)/u.exec(terminal.text())?.[1] ?? '';
  const shown = terminal.lines().map((line) => line.trim().split(/ +/u).slice(0, 2));
  expectHere(shown).toEqual(
    expectHere.arrayContaining([
      ['URL', url],
      ['User', user],
      ['Password', password],
    ]),
  );
  expectHere(timeline).not.toContain(password);
  const { code, stdout, stderr } = await run(['--once', '--json', '--url', url, '--user', user], {
    BROKERTOP_PASSWORD: password,
  });
  expectHere({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expectHere(JSON.parse(stdout)).toMatchObject({ url, clients: { total: 12 }, errors: [] });
});

test.concurrent('a signal ends the demo and all its processes', async () => {
  const terminal = open({ command: process.execPath, args: [builtProgram, ...demo], checkTty: true });
  await terminal.waitFor(showsClients, patient);
  terminal.signal('SIGTERM');
  const exit = await terminal.exited;
  expect(exit).toMatchObject({ code: 143 });
  expectRestored(terminal, exit);
  expect(terminal.processes()).toEqual([]);
});

test.concurrent('broker and fleet end when the monitor is killed', async ({ expect: expectHere }) => {
  // The shell keeps the terminal open, so there is no SIGHUP.
  const terminal = open({
    command: 'bash',
    args: [
      '-c',
      '"$@"; code=$?; read -r line; echo "gone $code"; read -r line',
      'bash',
      process.execPath,
      builtProgram,
      ...demo,
    ],
  });
  await terminal.waitFor(showsClients, patient);
  const monitors = terminal
    .processes()
    .filter(({ command }) => command.startsWith(process.execPath) && command.includes(' demo '));
  expect(monitors).toHaveLength(1);
  expect(children(terminal)).toEqual(['broker', 'fleet']);
  for (const { pid } of monitors) process.kill(pid, 'SIGKILL');
  // Output before the screen is restored may be lost.
  await expectHere.poll(() => terminal.modes(), { timeout: 30_000 }).toEqual(untouchedModes);
  // The guard ends after it has restored the settings of the terminal; before that Enter ends no line.
  await expectHere
    .poll(() => terminal.processes().filter(({ command }) => /^(?:\/bin\/)?sh /u.test(command)), { timeout: 30_000 })
    .toEqual([]);
  terminal.press('enter');
  await terminal.waitFor('gone 137');
  await expectHere.poll(() => children(terminal), { timeout: 20_000 }).toEqual([]);
});
