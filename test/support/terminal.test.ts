import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { TerminalScreen, untouchedModes } from './terminal-screen.ts';
import { openTerminal, type TerminalOptions, type TerminalSession } from './terminal.ts';

const open: TerminalSession[] = [];

function shell(script: string, options: Partial<TerminalOptions> = {}): TerminalSession {
  const terminal = openTerminal({ command: 'sh', args: ['-c', script], ...options });
  open.push(terminal);
  return terminal;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((terminal) => terminal.close()));
});

describe('the terminal rig', () => {
  test('shows all output of a short program, and its exit code', async () => {
    const terminal = shell('seq 1 1500; exit 3');
    expect(await terminal.exited).toMatchObject({ code: 3, signal: undefined });
    expect(terminal.lines().slice(0, 23)).toEqual(Array.from({ length: 23 }, (_, index) => String(1478 + index)));
    expect(terminal.bytesReceived).toBe(Array.from({ length: 1500 }, (_, index) => `${index + 1}\r\n`).join('').length);
  });

  test('keeps a character that arrives in two pieces', async () => {
    const screen = new TerminalScreen(10, 1, () => {});
    onTestFinished(() => {
      screen.dispose();
    });
    const bytes = Buffer.from('a\u2013b');
    await screen.write(bytes.subarray(0, 3));
    await screen.write(bytes.subarray(3));
    expect(screen.lines()).toEqual(['a\u2013b']);
  });

  test('has the requested size, and notifies the program of a new one', async () => {
    const terminal = shell('stty size; trap "stty size; exit" WINCH; echo ready; while :; do read line; done', {
      cols: 97,
      rows: 31,
    });
    await terminal.waitFor('ready');
    expect(terminal.lines()[0]).toBe('31 97');
    terminal.resize(60, 15);
    terminal.press('enter');
    await terminal.waitFor('15 60');
    expect(terminal.lines()).toHaveLength(15);
  });

  test('sends keys as a terminal does', async () => {
    const terminal = shell('stty raw -echo; echo ready; head -c 16 | od -An -c');
    await terminal.waitFor('ready');
    terminal.press('j', 'enter', 'esc', 'up', 'shift-tab', 'ctrl-c', 'ctrl-r', 'backspace');
    terminal.type('ab');
    terminal.press('page-down');
    await terminal.waitFor(/j +\\r +033 +033 +\[ +A +033 +\[ +Z +003 +022 +177 +a +b +033/);
    expect(() => terminal.press('entre')).toThrow(RangeError);
  });

  test('characters split between two reads stay whole, wide ones take two cells', async () => {
    const terminal = shell(`printf '\\303'; sleep 0; printf '\\251 \\346\\227\\245x'; exit`);
    await terminal.exited;
    expect(terminal.lines()[0]).toBe('é 日x');
    expect(terminal.cell(2, 0)).toMatchObject({ char: '日', width: 2 });
    expect(terminal.cell(3, 0)).toMatchObject({ char: '', width: 0 });
    expect(terminal.cell(4, 0)).toMatchObject({ char: 'x', width: 1 });
    expect(() => terminal.cell(80, 0)).toThrow(RangeError);
  });

  test('cells know how they are drawn', async () => {
    const terminal = shell(
      String.raw`printf '\033[1;31ma\033[0;2;7mb\033[0;3;4;9mc\033[0;38;5;200;48;2;1;2;255md\033[0me'`,
    );
    await terminal.exited;
    const plain = { bold: false, dim: false, italic: false, underline: false, inverse: false, strikethrough: false };
    expect(terminal.cell(0, 0)).toMatchObject({
      ...plain,
      char: 'a',
      bold: true,
      foreground: 1,
      background: 'default',
    });
    expect(terminal.cell(1, 0)).toMatchObject({ ...plain, char: 'b', dim: true, inverse: true });
    expect(terminal.cell(2, 0)).toMatchObject({
      ...plain,
      char: 'c',
      italic: true,
      underline: true,
      strikethrough: true,
    });
    expect(terminal.cell(3, 0)).toMatchObject({ ...plain, char: 'd', foreground: 200, background: '#0102ff' });
    expect(terminal.cell(4, 0)).toMatchObject({ ...plain, char: 'e', foreground: 'default', background: 'default' });
  });

  test('modes are recorded', async () => {
    const terminal = shell(
      String.raw`printf '\033[?1049h\033[?25l\033[?2004h\033[?1003h\033[?1004h\033[?7l on'; read x; printf '\033[?1049l\033[?25h\033[?2004l\033[?1003l\033[?1004l\033[?7h'`,
    );
    expect(terminal.modes()).toEqual(untouchedModes);
    await terminal.waitFor('on');
    expect(terminal.modes()).toEqual({
      ...untouchedModes,
      isAlternateScreen: true,
      isCursorVisible: false,
      isBracketedPaste: true,
      mouse: 'any',
      isFocusReporting: true,
      isWraparound: false,
    });
    terminal.press('enter');
    await terminal.exited;
    expect(terminal.modes()).toEqual(untouchedModes);
  });

  test('effects besides drawing are recorded, and queries are answered', async () => {
    const terminal = shell(
      String.raw`stty raw -echo; printf '\033]2;a title\007\033]52;c;aGVsbG8=\007\007\033]8;;http://x.test\007\033[6n'; head -c 6 >/dev/null; printf answered`,
    );
    await terminal.waitFor('answered');
    expect(terminal.effects()).toEqual({
      titles: ['a title'],
      clipboard: ['hello'],
      replies: ['\x1b[1;1R'],
      commands: [{ id: 8, data: ';http://x.test' }],
      bells: 1,
    });
  });

  test('a synchronized update is not checked before it is complete', async () => {
    const terminal = shell(String.raw`printf '\033[?2026hhalf'; read x; printf ' whole\033[?2026l'; read x`);
    await terminal.nextOutput();
    const found = terminal.waitFor('half');
    terminal.press('enter');
    await found;
    expect(terminal.text()).toContain('whole');
  });

  test('a failed wait shows the screen', async () => {
    const terminal = shell('echo something else; read x');
    await terminal.waitFor('else');
    await expect(terminal.waitFor('never', { timeoutMs: 20 })).rejects.toThrow(
      /Waited 20 ms for "never"[^]*something else/,
    );
    terminal.press('enter');
    await expect(terminal.waitFor('never')).rejects.toThrow(/ended before "never"/);
  });

  test('the effect of a key must not be on the screen already', async () => {
    const terminal = shell('echo one; read x; echo two; read x');
    await terminal.waitFor('one');
    await expect(terminal.pressAndWaitFor('enter', 'one')).rejects.toThrow(/shows already/);
    await terminal.pressAndWaitFor('enter', 'two');
  });

  test('the environment is clean', async () => {
    process.env['CI'] = 'true';
    process.env['NO_COLOR'] = '1';
    try {
      const terminal = shell('env; echo "end"', { rows: 60, env: { EXTRA: 'x', COLORTERM: undefined } });
      await terminal.exited;
      const names = terminal
        .lines()
        .filter((line) => line.includes('='))
        .map((line) => line.slice(0, line.indexOf('=')));
      expect(names).toContain('EXTRA');
      expect(names).toContain('PATH');
      expect(names).toEqual(expect.not.arrayContaining(['CI', 'NO_COLOR', 'COLORTERM', 'NODE_ENV', 'VITEST']));
    } finally {
      delete process.env['CI'];
      delete process.env['NO_COLOR'];
    }
  });
});

describe('the end of a program', () => {
  test('by a signal', async () => {
    const terminal = shell('echo ready; exec sleep 100');
    await terminal.waitFor('ready');
    terminal.signal('SIGTERM');
    expect(await terminal.exited).toMatchObject({ signal: 'SIGTERM' });
  });

  test('by closing the window', async () => {
    const terminal = shell('echo ready; exec sleep 100');
    await terminal.waitFor('ready');
    terminal.hangUp();
    expect(await terminal.exited).toMatchObject({ signal: 'SIGHUP' });
  });

  test('by closing the window, although another program has started since', async () => {
    // Ignores SIGHUP, so that it ends only when the terminal is gone.
    const terminal = shell('echo ready; trap "" HUP; cat >/dev/null; exit 4', { checkTty: true });
    await terminal.waitFor('ready');
    const other = shell('echo ready; exec sleep 100');
    await other.waitFor('ready');
    terminal.hangUp();
    expect(await terminal.exited).toMatchObject({ code: 4 });
  });

  test.each([
    ['stty raw -echo; echo ready; read x', false],
    ['old=$(stty -g); stty raw -echo; echo ready; read x; stty "$old"', true],
  ])('the settings of the terminal are compared: %s', async (script, isRestored) => {
    const terminal = shell(script, { checkTty: true });
    await terminal.waitFor('ready');
    terminal.type('\n');
    const { ttyBefore, ttyAfter } = await terminal.exited;
    expect(ttyBefore).toContain('icanon');
    expect(ttyAfter === ttyBefore).toBe(isRestored);
  });

  test('with a shell around it a signal still goes to the program, and its code comes back', async () => {
    const terminal = shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done', { checkTty: true });
    await terminal.waitFor('ready');
    terminal.signal('SIGTERM');
    const exit = await terminal.exited;
    expect(exit.code).toBe(7);
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
  });

  test('Ctrl-C in a terminal that is not raw ends the program and not the shell around it', async () => {
    const terminal = shell('echo ready; exec sleep 100', { checkTty: true });
    await terminal.waitFor('ready');
    terminal.press('ctrl-c');
    const exit = await terminal.exited;
    expect(exit.code).toBe(130);
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
  });

  test('closing leaves no process behind', async () => {
    const terminal = shell('sleep 100 & (trap "" HUP TERM; exec sleep 100) & echo ready; wait');
    await terminal.waitFor('ready');
    expect(terminal.processes().length).toBeGreaterThanOrEqual(3);
    await terminal.close();
    expect(terminal.processes()).toEqual([]);
  });
});
