import { Box, useApp } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { composeLine, type Line } from '../../../src/terminal/line.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { ClickTargets, ClickTargetsContext, Over, Rows, ThemeContext } from '../../../src/tui/components/drawing.tsx';
import { createTheme } from '../../../src/terminal/theme.ts';
import { untouchedModes } from '../../support/terminal-screen.ts';
import { createTerminal, endPainted, startPainted } from '../support/painted-rig.tsx';
import { plainTheme } from '../support/rig.tsx';

afterEach(endPainted);

const lineOf = (text: string, width = 10): Line => composeLine(plainTheme, width, [{ text: safe`${Number(text)}` }]);
const lines = (...texts: readonly string[]): readonly Line[] => texts.map((text) => lineOf(text));

test('lines are painted where their boxes are, and move with them', async () => {
  const terminal = createTerminal(10, 6);
  const { rerender } = startPainted(
    terminal,
    <Box flexDirection="column">
      <Rows lines={lines('1', '2')} />
      <Rows lines={lines('9')} />
    </Box>,
  );
  await terminal.shows('1', '2', '9', '', '', '');
  rerender(
    <Box flexDirection="column">
      <Rows lines={lines('1', '2', '3')} />
      <Rows lines={lines('9')} />
    </Box>,
  );
  await terminal.shows('1', '2', '3', '9', '', '');
  rerender(
    <Box flexDirection="column">
      <Box height={1} />
      <Rows lines={lines('9')} />
    </Box>,
  );
  await terminal.shows('', '9', '', '', '', '');
  expect(terminal.written.join('')).not.toContain('\u001B[2J');
});

test('what is under a dialog is dim until it closes, and what is beside its area is not', async () => {
  const terminal = createTerminal(10, 4);
  const theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm-256color' }, 'linux', 'dark');
  const styled = (text: string, width = 10): Line =>
    composeLine(theme, width, [{ text: safe`${Number(text)}`, role: 'error' }]);
  const tree = (hasDialog: boolean, first = '1234567', height = 3) => (
    <ThemeContext value={theme}>
      <Rows lines={[styled('9876543')]} />
      <Box flexDirection="column" width={10} height={3}>
        <Rows lines={[styled(first), styled('2345678'), styled('3456789')]} />
        {hasDialog && (
          <Over width={10} height={height}>
            <Box flexDirection="column" width={4}>
              <Rows lines={[styled('77', 4)]} />
            </Box>
          </Over>
        )}
      </Box>
    </ThemeContext>
  );
  const red = 203;
  const faint = 240;
  const colors = (): readonly unknown[] =>
    [0, 1, 2, 3].map((row) => [0, 3].map((column) => terminal.screen.row(row)[column]?.foreground));
  const { rerender } = startPainted(terminal, tree(true));
  await terminal.shows('9876543', '1234567', '   77', '3456789');
  expect(colors()).toEqual([
    [red, red],
    [faint, faint],
    [faint, red],
    [faint, faint],
  ]);
  rerender(tree(true, '1111111'));
  await terminal.shows('9876543', '1111111', '   77', '3456789');
  expect(colors()).toEqual([
    [red, red],
    [faint, faint],
    [faint, red],
    [faint, faint],
  ]);
  rerender(tree(true, '1111111', 1));
  await terminal.shows('9876543', '   77', '2345678', '3456789');
  expect(colors()).toEqual([
    [red, red],
    [faint, red],
    [red, red],
    [red, red],
  ]);
  rerender(tree(false, '1111111'));
  await terminal.shows('9876543', '1111111', '2345678', '3456789');
  expect(colors()).toEqual([
    [red, red],
    [red, red],
    [red, red],
    [red, red],
  ]);
});

test('lines clipped by a box or beyond the screen are not painted', async () => {
  const terminal = createTerminal(10, 4);
  startPainted(
    terminal,
    <Box flexDirection="column">
      <Box height={2} overflow="hidden" flexShrink={0}>
        <Rows lines={lines('1', '2', '3')} />
      </Box>
      <Rows lines={lines('6', '7', '8', '9')} />
    </Box>,
  );
  await terminal.shows('1', '2', '6', '7');
  expect(terminal.written.join('')).not.toMatch(/[389] {9}/);
});

test('only what changed is written', async () => {
  const terminal = createTerminal(10, 3);
  const { rerender } = startPainted(terminal, <Rows lines={lines('100', '200', '300')} />);
  await terminal.shows('100', '200', '300');
  const before = terminal.written.length;
  rerender(<Rows lines={lines('100', '240', '300')} />);
  await terminal.shows('100', '240', '300');
  expect(terminal.written.slice(before)).toEqual(['\u001B[?2026h\u001B[?7l\u001B[2;2H4\u001B[?7h\u001B[?2026l']);
});

test('lines side by side are painted as one row, and written apart', async () => {
  const terminal = createTerminal(10, 2);
  const tree = (left: readonly Line[], right: readonly Line[]) => (
    <Box>
      <Box width={6} flexDirection="column">
        <Rows lines={left} />
      </Box>
      <Box width={4} flexDirection="column">
        <Rows lines={right} />
      </Box>
    </Box>
  );
  const six = (...texts: readonly string[]) => texts.map((text) => lineOf(text, 6));
  const four = (...texts: readonly string[]) => texts.map((text) => lineOf(text, 4));
  const { rerender } = startPainted(terminal, tree(six('100', '200'), four('31', '41')));
  await terminal.shows('100   31', '200   41');
  const before = terminal.written.length;
  rerender(tree(six('150', '200'), four('32', '41')));
  await terminal.shows('150   32', '200   41');
  expect(terminal.written.slice(before).join('')).toBe(
    '\u001B[?2026h\u001B[?7l\u001B[1;2H5\u001B[1;8H2\u001B[?7h\u001B[?2026l',
  );
  rerender(tree(six('1', '2', '3').slice(1), four('5')));
  await terminal.shows('2     5', '3');
});

test('nothing is written when nothing changed', async () => {
  const terminal = createTerminal(10, 2);
  const { rerender, painter } = startPainted(terminal, <Rows lines={lines('1', '2')} />);
  await terminal.shows('1', '2');
  const before = terminal.written.length;
  rerender(<Rows lines={lines('1', '2')} />);
  painter.paintSoon();
  rerender(<Rows lines={lines('1', '3')} />);
  await terminal.shows('1', '3');
  expect(terminal.written.length - before).toBe(1);
});

test('the whole frame is painted after something else was written, and after a change of size', async () => {
  const terminal = createTerminal(10, 3);
  const { painter, rerender } = startPainted(terminal, <Rows lines={lines('1', '2', '3')} />);
  await terminal.shows('1', '2', '3');
  painter.stdout.write('\u001B[H\u001B[2Jgarbage');
  await terminal.shows('1', '2', '3');
  terminal.resize(6, 2);
  // The lines are still those of the wider terminal: they are cut, they do not wrap.
  await terminal.shows('1', '2');
  rerender(<Rows lines={[lineOf('4', 6), lineOf('5', 6)]} />);
  await terminal.shows('4', '5');
  terminal.resize(12, 4);
  await terminal.shows('4', '5', '', '');
  expect(terminal.screen.modes()).toMatchObject({ isWraparound: true, isSynchronizedOutput: false });
});

test('nothing is painted while the terminal is suspended, everything afterwards', async () => {
  const terminal = createTerminal(10, 2);
  let suspend: ReturnType<typeof useApp>['suspendTerminal'] | undefined;
  const Grab = (): ReactNode => {
    suspend = useApp().suspendTerminal;
    return null;
  };
  const { rerender } = startPainted(
    terminal,
    <>
      <Grab />
      <Rows lines={lines('1', '2')} />
    </>,
  );
  await terminal.shows('1', '2');
  await suspend?.(async () => {
    rerender(
      <>
        <Grab />
        <Rows lines={lines('3', '4')} />
      </>,
    );
    // Turns of the loop, in which it would be painted.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  });
  await terminal.shows('3', '4');
  const output = terminal.written.join('');
  const between = output.slice(output.lastIndexOf('\u001B[?1049l'), output.lastIndexOf('\u001B[?1049h'));
  expect(between).not.toBe('');
  expect(between).not.toContain('\u001B[?2026h');
});

test('the terminal is restored at the end', async () => {
  const terminal = createTerminal(10, 2);
  const { instance } = startPainted(terminal, <Rows lines={lines('1', '2')} />);
  await terminal.shows('1', '2');
  expect(terminal.screen.modes()).toEqual({ ...untouchedModes, isAlternateScreen: true, isCursorVisible: false });
  instance.unmount();
  await instance.waitUntilExit();
  await terminal.shows('', '');
  await terminal.screen.write('');
  expect(terminal.screen.modes()).toEqual(untouchedModes);
});

test('a click reaches the one of two boxes side by side that is under it', async () => {
  const terminal = createTerminal(10, 2);
  const targets = new ClickTargets();
  const clicks: string[] = [];
  const on = (name: string) => (line: number, column: number) => {
    clicks.push(`${name} ${line},${column}`);
  };
  startPainted(
    terminal,
    <ClickTargetsContext value={targets}>
      <Box>
        <Box width={6} flexDirection="column">
          <Rows lines={[lineOf('1', 6)]} onClick={on('left')} />
        </Box>
        <Box width={4} flexDirection="column">
          <Rows lines={[lineOf('2', 4)]} />
        </Box>
      </Box>
      <Box>
        <Box width={6} />
        <Box width={4} flexDirection="column">
          <Rows lines={[lineOf('3', 4)]} onClick={on('right')} />
        </Box>
      </Box>
    </ClickTargetsContext>,
  );
  await terminal.until(([first]) => first === '1     2');
  for (const column of [0, 5, 6, 9]) targets.click(0, column);
  for (const column of [5, 6, 9]) targets.click(1, column);
  expect(clicks).toEqual(['left 0,0', 'left 0,5', 'right 0,0', 'right 0,3']);
});

test('clicks reach the lines that are in sight, wherever their boxes are', async () => {
  const terminal = createTerminal(10, 8);
  const targets = new ClickTargets();
  const clicks: string[] = [];
  const on = (name: string) => (line: number, column: number) => {
    clicks.push(`${name} ${line},${column}`);
  };
  const tree = (first: string) => (
    <ClickTargetsContext value={targets}>
      <Box flexDirection="column">
        <Box height={2} overflow="hidden" flexShrink={0}>
          <Rows lines={lines('1', '2', '3')} onClick={on(first)} />
        </Box>
        <Box display="none" overflow="hidden">
          <Rows lines={lines('4')} onClick={on('hidden')} />
        </Box>
        <Rows lines={lines('5')} />
        <Rows lines={lines('6', '7')} onClick={on('b')} />
      </Box>
    </ClickTargetsContext>
  );
  const { rerender, instance } = startPainted(terminal, tree('a'));
  await terminal.shows('1', '2', '5', '6', '7', '', '', '');
  for (let row = 0; row < 8; row += 1) targets.click(row, 4);
  expect(clicks.splice(0)).toEqual(['a 0,4', 'a 1,4', 'b 0,4', 'b 1,4']);
  rerender(tree('c'));
  targets.click(1, 0);
  expect(clicks.splice(0)).toEqual(['c 1,0']);
  instance.unmount();
  targets.click(1, 0);
  expect(clicks).toEqual([]);
});

test('lines over others are painted in their columns and get the clicks there, also when those below change', async () => {
  const terminal = createTerminal(10, 5);
  const targets = new ClickTargets();
  const clicks: string[] = [];
  const on = (name: string) => (line: number, column: number) => {
    clicks.push(`${name} ${line},${column}`);
  };
  const tree = (below: readonly Line[], hasOver = true) => (
    <ClickTargetsContext value={targets}>
      <Box flexDirection="column" width={10} height={5}>
        <Rows lines={below} onClick={on('below')} />
        {hasOver && (
          <Over width={10} height={5}>
            <Box flexDirection="column" width={4}>
              <Rows lines={[lineOf('77', 4), lineOf('8', 4), lineOf('99', 4)]} onClick={on('over')} />
              <Box position="absolute" marginLeft={3} width={1}>
                <Rows lines={[lineOf('5', 1)]} />
              </Box>
            </Box>
          </Over>
        )}
      </Box>
    </ClickTargetsContext>
  );
  const full = lines('1234567890', '2345678901', '3456789012', '4567890123', '5678901234');
  const { rerender } = startPainted(terminal, tree(full));
  await terminal.shows('1234567890', '   77 5', '   8', '   99', '5678901234');
  rerender(tree([...full.slice(0, 2), ...lines('1111111111'), ...full.slice(3)]));
  await terminal.shows('1234567890', '   77 5', '   8', '   99', '5678901234');
  for (const [row, column] of [
    [1, 2],
    [1, 3],
    [2, 6],
    [2, 7],
    [4, 4],
  ] as const)
    targets.click(row, column);
  expect(clicks).toEqual(['below 1,2', 'over 0,0', 'over 1,3', 'below 2,7', 'below 4,4']);
  rerender(tree(full, false));
  await terminal.shows('1234567890', '2345678901', '3456789012', '4567890123', '5678901234');
});
