import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../../support/built-cluster.ts';
import { untouchedModes } from '../../support/terminal-screen.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { activeTab, closeTerminalsAtEnd, expectRestored, open, openReadyMonitor, waitForFrame } from '../support.ts';

const fault = fileURLToPath(new URL('fault.mjs', import.meta.url));

closeTerminalsAtEnd();

let cluster: BuiltCluster;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 1 });
}, 60_000);

afterAll(async () => {
  await cluster?.stop();
});

describe.concurrent('the terminal is as it was before', () => {
  test.each<[string, (terminal: TerminalSession) => void, number]>([
    ['q', (terminal) => { terminal.press('q'); }, 0],
    ['Ctrl-C', (terminal) => { terminal.press('ctrl-c'); }, 0],
    ['Ctrl-C while a filter is typed', (terminal) => { terminal.press('2', '/', 'x', 'ctrl-c'); }, 0],
    ['SIGTERM', (terminal) => { terminal.signal('SIGTERM'); }, 143],
    ['SIGHUP', (terminal) => { terminal.signal('SIGHUP'); }, 129],
    ['SIGINT', (terminal) => { terminal.signal('SIGINT'); }, 130],
    ['SIGQUIT', (terminal) => { terminal.signal('SIGQUIT'); }, 131],
  ])('after %s', async (_name, end, code) => {
    const terminal = await openReadyMonitor(cluster.monitor, { checkTty: true });
    expect(terminal.modes()).toMatchObject({ isAlternateScreen: true, isCursorVisible: false, isBracketedPaste: true });
    end(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code });
    expectRestored(terminal, exit);
    // The screen of the shell, as it was: nothing of the monitor stays on it.
    expect(terminal.text().trim()).toBe('');
    expect(terminal.processes()).toEqual([]);
  });

  test.each<[string, (terminal: TerminalSession) => Promise<void>]>([
    ['exception', async () => undefined],
    ['rejection', async () => undefined],
    ['teardown', async () => undefined],
    ['render', async (terminal) => {
      await terminal.waitFor((session) => session.effects().titles.includes('armed'));
      // Another screen, so that the header is rendered anew.
      terminal.press('2');
    }],
  ])('after a fault of its own: %s', async (kind, provoke) => {
    const terminal = await openReadyMonitor(cluster.monitor, {
      checkTty: true,
      env: { NODE_OPTIONS: `--import=${fault}`, FAULT: kind },
    });
    terminal.signal('SIGUSR2');
    await provoke(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 1 });
    expectRestored(terminal, exit);
    expect(terminal.lines()[0]).toBe(String.raw`brokertop: stopped by an error in itself: Error: fault \x1b[31mfrom\x07 outside`);
    expect(terminal.text()).toContain('The report is in ');
    expect(terminal.effects().bells).toBe(0);
    expect(terminal.text()).not.toContain(cluster.password);
    expect(terminal.text()).not.toContain('1 Overview');
  });

  test.each<[string, (terminal: TerminalSession) => Promise<void>]>([
    ['a row that is opened', async (terminal) => {
      terminal.press('2', 'enter');
      await terminal.waitFor('── Node ');
    }],
    ['what was searched for', async (terminal) => {
      terminal.press('2');
      terminal.press('/');
      await terminal.waitFor('text  /regex/  !not');
      terminal.type('broker1\r');
      await terminal.waitFor('Esc clears');
    }],
    ['the log', async (terminal) => {
      terminal.press('L');
      await terminal.waitFor(/^ LOG/mu);
    }],
    ['Triage, frozen', async (terminal) => {
      terminal.press('T', 'p');
      await terminal.waitFor('FROZEN');
    }],
    ['Metrics', async (terminal) => {
      terminal.press('9');
      await terminal.waitFor('Metrics of the cluster');
    }],
    ['More', async (terminal) => {
      terminal.press('0');
      await terminal.waitFor(/Log +what was done/u);
    }],
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

  test('after nothing can be written any more (EPIPE), as far as that goes: its settings, and no process', async () => {
    const terminal = await openReadyMonitor(cluster.monitor, { checkTty: true, env: { NODE_OPTIONS: `--import=${fault}`, FAULT: 'epipe' } });
    terminal.signal('SIGUSR2');
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 129 });
    expect(exit.ttyBefore).toContain('icanon');
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
    expect(terminal.processes()).toEqual([]);
  });

  test('after the window is closed, as by SIGHUP, and no process stays', async ({ expect: expectHere }) => {
    const terminal = await openReadyMonitor(cluster.monitor);
    terminal.hangUp();
    expect(await terminal.exited).toMatchObject({ code: 129 });
    await expectHere.poll(() => terminal.processes(), { timeout: 10_000 }).toEqual([]);
  });
});

describe.concurrent('the password prompt', () => {
  const openPrompt = async (output: Uint8Array[] = [], env: Readonly<Record<string, string>> = {}): Promise<TerminalSession> => {
    const terminal = open({
      command: process.execPath,
      args: [builtProgram, '--url', cluster.url],
      checkTty: true,
      env,
      onOutput: (bytes) => output.push(bytes),
    });
    await terminal.waitFor(`Password of admin at ${cluster.url}:`);
    return terminal;
  };

  test('shows nothing of what is typed, takes back what was wrong, and starts the monitor', async () => {
    const output: Uint8Array[] = [];
    const terminal = await openPrompt(output);
    terminal.type('mistaken');
    terminal.press('ctrl-u');
    terminal.type(`${cluster.password}x`);
    terminal.press('backspace', 'enter');
    await terminal.waitFor((session) => session.text().includes('nodes 1/1'));
    await waitForFrame(terminal);
    terminal.press('q');
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code: 0 });
    expectRestored(terminal, exit);
    expect(terminal.text().trim()).toBe(`Password of admin at ${cluster.url}:`);
    const text = Buffer.concat(output).toString('latin1');
    for (const secret of [cluster.password, 'mistaken', 'mis', '***']) expect(text).not.toContain(secret);
  });

  test.each<[string, (terminal: TerminalSession) => void, number]>([
    ['Ctrl-C', (terminal) => { terminal.press('ctrl-c'); }, 2],
    ['Ctrl-D', (terminal) => { terminal.press('ctrl-d'); }, 2],
    ['Enter alone', (terminal) => { terminal.press('enter'); }, 2],
  ])('%s gives the terminal back', async (_name, end, code) => {
    const terminal = await openPrompt();
    end(terminal);
    const exit = await terminal.exited;
    expect(exit).toMatchObject({ code });
    expectRestored(terminal, exit);
    expect(terminal.lines()[1]).toBe('brokertop: No password was given.');
  });

  test.each(['exception', 'rejection'])('an error of the program gives the terminal back: %s', async (kind) => {
    const state = mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
    try {
      const terminal = await openPrompt([], { XDG_STATE_HOME: state, NODE_OPTIONS: `--import=${fault}`, FAULT: kind });
      terminal.signal('SIGUSR2');
      const exit = await terminal.exited;
      expect(exit).toMatchObject({ code: 1 });
      expectRestored(terminal, exit);
      expect(terminal.lines()[1]).toBe(String.raw`brokertop: stopped by an error in itself: Error: fault \x1b[31mfrom\x07 outside`);
      expect(terminal.text()).toContain('The report is in ');
    } finally {
      rmSync(state, { recursive: true });
    }
  });

  test('ends with its window, as by SIGHUP', async () => {
    const terminal = await openPrompt();
    terminal.type('half a pass');
    terminal.hangUp();
    expect((await terminal.exited).code).toBe(129);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const)('%s while something is typed gives the terminal back', async (signal) => {
    const terminal = await openPrompt();
    terminal.type('half a pass');
    terminal.signal(signal);
    const exit = await terminal.exited;
    // What is typed may come to the terminal after the signal, when it shows again what is typed.
    expect(exit.code).toBe({ SIGTERM: 143, SIGHUP: 129, SIGINT: 130, SIGQUIT: 131 }[signal]);
    expectRestored(terminal, exit);
  });
});

test('Ctrl-Z gives the terminal to the shell, fg brings the screen back', async () => {
  const terminal = open({
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { ...cluster.monitor.env, PS1: 'ready> ', HISTFILE: '' },
  });
  await terminal.waitFor('ready>');
  terminal.type(`${[process.execPath, ...cluster.monitor.args, '--interval', '0.5'].join(' ')}\r`);
  await waitForFrame(terminal, (session) => session.text().includes('nodes 1/1'));
  terminal.press('2');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  for (const round of [1, 2]) {
    terminal.press('ctrl-z');
    await terminal.waitFor((session) => !session.modes().isAlternateScreen && session.text().split('Stopped').length === round + 1);
    await terminal.waitFor((session) => session.lines().findLast((line) => line.trim() !== '')?.trim() === 'ready>');
    expect(terminal.modes()).toMatchObject({ isAlternateScreen: false, isCursorVisible: true });
    terminal.type(`stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' .; echo ${round}$((6*7))\r`);
    await terminal.waitFor(`${round}42`);
    expect(terminal.text()).toMatch(/isig\.icanon\.echo\./);
    terminal.type('fg\r');
    await waitForFrame(terminal, (session) => session.modes().isAlternateScreen && activeTab(session) === '2 Nodes');
  }
  terminal.press('1');
  await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
  terminal.press('q');
  await terminal.waitFor((session) => !session.modes().isAlternateScreen);
  terminal.type('echo code=$?\r');
  await terminal.waitFor('code=0');
});

test.each([[], ['--plain-render']])('stopped from outside and brought back by fg, it has the terminal again, with its new size %j', async (...flags) => {
  const terminal = open({
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    env: { ...cluster.monitor.env, PS1: 'ready> ', HISTFILE: '' },
  });
  await terminal.waitFor('ready>');
  terminal.type(`${[process.execPath, ...cluster.monitor.args, '--interval', '0.5', ...flags].join(' ')}\r`);
  await waitForFrame(terminal, (session) => session.text().includes('nodes 1/1'));
  const monitor = terminal.processes().find(({ command }) => command.includes('--interval'));
  expect(monitor).toBeDefined();
  terminal.press('2');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  process.kill(monitor?.pid ?? 0, 'SIGSTOP');
  await terminal.waitFor('Stopped');
  terminal.resize(110, 30);
  terminal.type('fg\r');
  await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
  expect(terminal.modes()).toMatchObject({ isAlternateScreen: true, isCursorVisible: false, isBracketedPaste: true });
  terminal.press('1');
  await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
  terminal.press('q');
  await terminal.waitFor((session) => !session.modes().isAlternateScreen);
  // What is typed is the shell's again.
  terminal.type("stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' .; echo its-$((6*7))\r");
  await terminal.waitFor('isig.icanon.echo.its-42');
  expect(terminal.modes()).toEqual({ ...untouchedModes, isBracketedPaste: terminal.modes().isBracketedPaste });
});
