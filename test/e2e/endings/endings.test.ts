import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionOf } from '../../../src/screens/registry.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../../support/built-cluster.ts';
import { untouchedModes } from '../../support/terminal-screen.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import {
  activeTab,
  closeTerminalsAtEnd,
  expectRestored,
  open,
  openReadyMonitor,
  waitForFrame,
  signalEndings,
} from '../support.ts';

const fault = fileURLToPath(new URL('fault.mjs', import.meta.url));

closeTerminalsAtEnd();

let cluster: BuiltCluster;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
}, 180_000);

afterAll(async () => {
  await cluster?.stop();
});

describe.concurrent('the terminal is restored', () => {
  test.each<[string, (terminal: TerminalSession) => void, number]>([
    [
      'q',
      (terminal) => {
        terminal.press('q');
      },
      0,
    ],
    [
      'Ctrl-C',
      (terminal) => {
        terminal.press('ctrl-c');
      },
      0,
    ],
    [
      'Ctrl-C while a filter is typed',
      (terminal) => {
        terminal.press('2', '/', 'x', 'ctrl-c');
      },
      0,
    ],
    ...signalEndings,
  ])('after %s', async (_name, end, code) => {
    const terminal = await openReadyMonitor(cluster.monitor, { checkTty: true });
    expect(terminal.modes()).toMatchObject({
      isAlternateScreen: true,
      isCursorVisible: false,
      isBracketedPaste: true,
      mouse: 'vt200',
    });
    end(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code });
    expectRestored(terminal, exit);
    // Nothing of the monitor stays on the shell's screen.
    expect(terminal.text().trim()).toBe('');
    expect(terminal.processes()).toEqual([]);
  });

  test.each<[string, (terminal: TerminalSession) => Promise<void>]>([
    ['exception', async () => undefined],
    ['rejection', async () => undefined],
    ['teardown', async () => undefined],
    [
      'render',
      async (terminal) => {
        await terminal.waitFor((session) => session.effects().titles.includes('armed'));
        // Another screen renders the header again.
        terminal.press('2');
      },
    ],
  ])('after an internal error: %s', async (kind, provoke) => {
    const terminal = await openReadyMonitor(cluster.monitor, {
      checkTty: true,
      env: { NODE_OPTIONS: `--import=${fault}`, FAULT: kind },
    });
    terminal.signal('SIGUSR2');
    await provoke(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 1 });
    expectRestored(terminal, exit);
    expect(terminal.lines()[0]).toBe(`brokertop: internal error: ${String.raw`Error: fault \x1b[31mfrom\x07 outside`}`);
    expect(terminal.text()).toContain('Crash report: ');
    expect(terminal.effects().bells).toBe(0);
    expect(terminal.text()).not.toContain(cluster.password);
    expect(terminal.text()).not.toMatch(/1 ?Overview/u);
  });

  test.each<[string, (terminal: TerminalSession) => Promise<void>]>([
    [
      'a row that was opened and left',
      async (terminal) => {
        terminal.press('2', 'enter');
        await terminal.waitFor('── Node ');
        terminal.press('esc');
        await terminal.waitFor('NODE, worst first');
      },
    ],
    [
      'what was searched for',
      async (terminal) => {
        terminal.press('2');
        terminal.press('/');
        await terminal.waitFor('text  /regex/  !not');
        terminal.type('broker1\r');
        await terminal.waitFor('Esc clears');
      },
    ],
    [
      'Metrics',
      async (terminal) => {
        terminal.press('9');
        await terminal.waitFor('Cluster metrics');
      },
    ],
    [
      'More',
      async (terminal) => {
        terminal.press('0');
        await terminal.waitFor(definitionOf('log').note ?? '');
      },
    ],
  ])('after q in %s', async (_name, enter) => {
    const terminal = await openReadyMonitor(cluster.monitor, { checkTty: true });
    await enter(terminal);
    terminal.press('q');
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 0 });
    expectRestored(terminal, exit);
    expect(terminal.text().trim()).toBe('');
    expect(terminal.processes()).toEqual([]);
  });

  test('after q on a terminal that is too small', async () => {
    const terminal = await openReadyMonitor(cluster.monitor);
    terminal.resize(20, 5);
    await terminal.waitFor('too small');
    terminal.press('q');
    expect(await terminal.exited).toMatchObject({ code: 0 });
    expectRestored(terminal);
  });

  test('after output fails (EPIPE): the stty settings, and no process is left', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, {
      checkTty: true,
      env: { NODE_OPTIONS: `--import=${fault}`, FAULT: 'epipe' },
    });
    terminal.signal('SIGUSR2');
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 129 });
    expect(exit.ttyBefore).toContain('icanon');
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
    expect(terminal.processes()).toEqual([]);
  });

  test('after the window is closed: exit code of SIGHUP, and no process is left', async ({ expect: expectHere }) => {
    const terminal = await openReadyMonitor(cluster.monitor);
    terminal.hangUp();
    expect(await terminal.exited).toMatchObject({ code: 129 });
    await expectHere.poll(() => terminal.processes(), { timeout: 30_000 }).toEqual([]);
  });
});

describe.concurrent('the password prompt', () => {
  const openPrompt = async (
    output: Uint8Array[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<TerminalSession> => {
    const terminal = open({
      command: process.execPath,
      args: [builtProgram, '--url', cluster.url],
      checkTty: true,
      env,
      onOutput: (bytes) => output.push(bytes),
    });
    await terminal.waitFor(`Password for admin at ${cluster.url}:`);
    return terminal;
  };

  test('shows no typed text, can be edited, and starts the monitor', async () => {
    const output: Uint8Array[] = [];
    const terminal = await openPrompt(output);
    terminal.type('mistaken');
    terminal.press('ctrl-u');
    terminal.type(`${cluster.password}x`);
    terminal.press('backspace', 'enter');
    await terminal.waitFor((session) => session.text().includes('1/1 nodes'));
    await waitForFrame(terminal);
    terminal.press('q');
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 0 });
    expectRestored(terminal, exit);
    expect(terminal.text().trim()).toBe(`Password for admin at ${cluster.url}:`);
    const text = Buffer.concat(output).toString('latin1');
    for (const secret of [cluster.password, 'mistaken', 'mis', '***']) expect(text).not.toContain(secret);
  });

  test.each<[string, (terminal: TerminalSession) => void, number]>([
    [
      'Ctrl-C',
      (terminal) => {
        terminal.press('ctrl-c');
      },
      2,
    ],
    [
      'Ctrl-D',
      (terminal) => {
        terminal.press('ctrl-d');
      },
      2,
    ],
    [
      'Enter alone',
      (terminal) => {
        terminal.press('enter');
      },
      2,
    ],
  ])('%s restores the terminal', async (_name, end, code) => {
    const terminal = await openPrompt();
    end(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code });
    expectRestored(terminal, exit);
    expect(terminal.lines()[1]).toBe(`brokertop: No password was entered.`);
  });

  test.each(['exception', 'rejection'])('an internal error restores the terminal: %s', async (kind) => {
    const state = mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
    try {
      const terminal = await openPrompt([], { XDG_STATE_HOME: state, NODE_OPTIONS: `--import=${fault}`, FAULT: kind });
      terminal.signal('SIGUSR2');
      const exit = await terminal.exited;
      expect(exit).toMatchObject({ code: 1 });
      expectRestored(terminal, exit);
      expect(terminal.lines()[1]).toBe(
        `brokertop: internal error: ${String.raw`Error: fault \x1b[31mfrom\x07 outside`}`,
      );
      expect(terminal.text()).toContain('Crash report: ');
    } finally {
      rmSync(state, { recursive: true });
    }
  });

  test('ends when its window is closed, with the exit code of SIGHUP', async () => {
    const terminal = await openPrompt();
    terminal.type('half a pass');
    terminal.hangUp();
    expect((await terminal.exited).code).toBe(129);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const)(
    '%s while typing restores the terminal',
    async (signal) => {
      const terminal = await openPrompt();
      terminal.type('half a pass');
      terminal.signal(signal);
      const exit = await terminal.exited;
      // Typed text may reach the terminal after the signal, when it echoes again.
      expect(exit.code).toBe({ SIGTERM: 143, SIGHUP: 129, SIGINT: 130, SIGQUIT: 131 }[signal]);
      expectRestored(terminal, exit);
    },
  );
});

test('Ctrl-Z gives the terminal to the shell, fg restores the screen', async () => {
  const terminal = open({
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { ...cluster.monitor.env, PS1: 'ready> ', HISTFILE: '' },
  });
  await terminal.waitFor('ready>');
  terminal.type(`${[process.execPath, ...cluster.monitor.args, '--interval', '0.5'].join(' ')}\r`);
  await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
  terminal.press('2');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  for (const round of [1, 2]) {
    terminal.press('ctrl-z');
    await terminal.waitFor(
      (session) => !session.modes().isAlternateScreen && session.text().split('Stopped').length === round + 1,
    );
    await terminal.waitFor(
      (session) =>
        session
          .lines()
          .findLast((line) => line.trim() !== '')
          ?.trim() === 'ready>',
    );
    expect(terminal.modes()).toMatchObject({ isAlternateScreen: false, isCursorVisible: true, mouse: 'none' });
    terminal.type(`stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' .; echo ${round}$((6*7))\r`);
    await terminal.waitFor(`${round}42`);
    expect(terminal.text()).toMatch(/isig\.icanon\.echo\./);
    terminal.type('fg\r');
    await waitForFrame(terminal, (session) => session.modes().isAlternateScreen && activeTab(session) === '2 Nodes');
    expect(terminal.modes().mouse).toBe('vt200');
  }
  terminal.press('1');
  await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
  terminal.press('q');
  await terminal.waitFor((session) => !session.modes().isAlternateScreen);
  terminal.type('echo code=$?\r');
  await terminal.waitFor('code=0');
});

test.each([[], ['--plain-render']])(
  'after SIGSTOP and fg it has the terminal again, with its new size %j',
  async (...flags) => {
    const terminal = open({
      command: 'bash',
      args: ['--norc', '--noprofile', '-i'],
      env: { ...cluster.monitor.env, PS1: 'ready> ', HISTFILE: '' },
    });
    await terminal.waitFor('ready>');
    terminal.type(`${[process.execPath, ...cluster.monitor.args, '--interval', '0.5', ...flags].join(' ')}\r`);
    await waitForFrame(terminal, (session) => session.text().includes('1/1 nodes'));
    const monitor = terminal.processes().find(({ command }) => command.includes('--interval'));
    expect(monitor).toBeDefined();
    terminal.press('2');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
    process.kill(monitor?.pid ?? 0, 'SIGSTOP');
    await terminal.waitFor('Stopped');
    terminal.resize(110, 30);
    terminal.type('fg\r');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
    expect(terminal.modes()).toMatchObject({
      isAlternateScreen: true,
      isCursorVisible: false,
      isBracketedPaste: true,
      mouse: 'vt200',
    });
    terminal.press('1');
    await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
    terminal.press('q');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen);
    // The shell reads the keys again.
    terminal.type("stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' .; echo its-$((6*7))\r");
    await terminal.waitFor('isig.icanon.echo.its-42');
    expect(terminal.modes()).toEqual({ ...untouchedModes, isBracketedPaste: terminal.modes().isBracketedPaste });
  },
);
