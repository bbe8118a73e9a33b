import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { composeLine, type Line } from '../../src/terminal/line.ts';
import { canPaint, createFramePainter } from '../../src/terminal/painter.ts';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import { createTheme } from '../../src/terminal/theme.ts';

describe('canPaint', () => {
  test.each(['xterm-256color', 'screen', 'tmux-256color', 'linux', 'vt100', 'rxvt', 'alacritty'])(
    'is true for %s',
    (TERM) => {
      expect(canPaint({ TERM }, 'linux')).toBe(true);
    },
  );

  test.each(['dumb', 'unknown', '', undefined])('is false for TERM=%j', (TERM) => {
    expect(canPaint({ TERM }, 'linux')).toBe(false);
  });

  test('is true on Windows, where TERM is not set, except for dumb', () => {
    expect(canPaint({}, 'win32')).toBe(true);
    expect(canPaint({ TERM: 'dumb' }, 'win32')).toBe(false);
  });
});

describe('a frame painter', () => {
  const theme = createTheme({ TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1' }, 'linux');
  const lineOf = (value: number): Line => composeLine(theme, 4, [{ text: safe`${value}` }]);
  const begin = '\u001B[?2026h\u001B[?7l';
  const end = '\u001B[?7h\u001B[?2026l';

  const setUp = () => {
    const written: string[] = [];
    const terminal = Object.assign(new PassThrough(), { rows: 2 });
    terminal.on('data', (chunk: Buffer) => {
      written.push(String(chunk));
    });
    let lines: readonly number[] = [1, 2];
    const painter = createFramePainter(terminal, (rows) => lines.slice(0, rows).map(lineOf));
    const nextWrite = async (): Promise<string> => {
      const before = written.length;
      while (written.length === before) await setImmediate();
      return written.at(-1) ?? '';
    };
    return {
      painter,
      terminal,
      nextWrite,
      written,
      show: (next: readonly number[]) => {
        lines = next;
        painter.paintSoon();
      },
    };
  };

  test('paints nothing until the alternate screen is on, and then the whole frame', async () => {
    const { painter, nextWrite, written } = setUp();
    painter.paintSoon();
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(written).toEqual([]);
    painter.stdout.write('\u001B[?1049h');
    await nextWrite();
    while (written.length < 2) await setImmediate();
    expect(written[1]).toBe(`${begin}\u001B[1;1H\u001B[2K1   \u001B[2;1H\u001B[2K2   ${end}`);
  });

  test("stands the terminal's cursor where text is typed, and hides it elsewhere", async () => {
    const written: string[] = [];
    const terminal = Object.assign(new PassThrough(), { rows: 2 });
    terminal.on('data', (chunk: Buffer) => {
      written.push(String(chunk));
    });
    const typing = (text: string): Line =>
      composeLine(theme, 8, [
        { text: safe`/ ` },
        { text: trusted(text) },
        { text: safe` `, role: 'cursor', isCaret: true },
      ]);
    let lines: readonly (Line | readonly Line[])[] = [lineOf(1), lineOf(2)];
    const painter = createFramePainter(terminal, () => lines);
    const show = async (next: typeof lines): Promise<string | undefined> => {
      lines = next;
      const before = written.length;
      painter.paintSoon();
      await expect.poll(() => written.length).toBeGreaterThan(before);
      return written.at(-1);
    };
    painter.stdout.write('\u001B[?1049h');
    await expect.poll(() => written.length).toBe(2);
    expect(written[1]).not.toContain('\u001B[?25');
    // Not styled: the terminal draws its own cursor.
    expect(await show([lineOf(1), typing('中')])).toBe(
      `${begin}\u001B[2;1H\u001B[2K/ 中 \u001B[0m   \u001B[2;5H\u001B[?25h${end}`,
    );
    expect(await show([lineOf(3), typing('中')])).toBe(`${begin}\u001B[1;1H3\u001B[2;5H\u001B[?25h${end}`);
    expect(await show([lineOf(3), [lineOf(4), typing('')]])).toContain(`\u001B[2;7H\u001B[?25h${end}`);
    expect(await show([lineOf(3), lineOf(4)])).toContain(`\u001B[?25l${end}`);
  });

  test('paints only what changed, and everything after another write or a resize', async () => {
    const { painter, terminal, nextWrite, written, show } = setUp();
    painter.stdout.write('\u001B[?1049h');
    while (written.length < 2) await setImmediate();
    show([1, 3]);
    expect(await nextWrite()).toBe(`${begin}\u001B[2;1H3${end}`);
    terminal.emit('resize');
    expect(await nextWrite()).toContain('\u001B[1;1H\u001B[2K1');
    painter.stdout.write('noise');
    while (written.at(-1)?.includes('\u001B[1;1H\u001B[2K1') !== true || written.at(-2) !== 'noise')
      await setImmediate();
    painter.stdout.write('\u001B[?1049l');
    const before = written.length;
    show([5, 6]);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    expect(written.slice(before).join('')).not.toContain(begin);
  });
});
