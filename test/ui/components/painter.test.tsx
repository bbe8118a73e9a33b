import { Box, useApp } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { composeLine, type Line } from '../../../src/terminal/line.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { Rows } from '../../../src/ui/components/painted.tsx';
import { untouchedModes } from '../../support/terminal-screen.ts';
import { createTerminal, endPainted, startPainted } from '../support/painted-rig.tsx';
import { plainTheme } from '../support/rig.tsx';

afterEach(endPainted);

const lineOf = (text: string, width = 10): Line => composeLine(plainTheme, width, [{ text: safe`${Number(text)}` }]);
const lines = (...texts: readonly string[]): readonly Line[] => texts.map((text) => lineOf(text));

test('lines stand where their boxes are, and move with them', async () => {
  const terminal = createTerminal(10, 6);
  const { rerender } = startPainted(terminal, <Box flexDirection="column"><Rows lines={lines('1', '2')} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('1', '2', '9', '', '', '');
  rerender(<Box flexDirection="column"><Rows lines={lines('1', '2', '3')} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('1', '2', '3', '9', '', '');
  rerender(<Box flexDirection="column"><Box height={1} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('', '9', '', '', '', '');
  expect(terminal.written.join('')).not.toContain('\u001B[2J');
});

test('what a box cuts off is not painted, nor what is beyond the screen', async () => {
  const terminal = createTerminal(10, 4);
  startPainted(terminal, <Box flexDirection="column"><Box height={2} overflow="hidden" flexShrink={0}><Rows lines={lines('1', '2', '3')} /></Box><Rows lines={lines('6', '7', '8', '9')} /></Box>);
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

test('while the terminal is handed over nothing is painted, and all of it afterwards', async () => {
  const terminal = createTerminal(10, 2);
  let suspend: ReturnType<typeof useApp>['suspendTerminal'] | undefined;
  const Grab = (): ReactNode => {
    suspend = useApp().suspendTerminal;
    return null;
  };
  const { rerender } = startPainted(terminal, <><Grab /><Rows lines={lines('1', '2')} /></>);
  await terminal.shows('1', '2');
  await suspend?.(async () => {
    rerender(<><Grab /><Rows lines={lines('3', '4')} /></>);
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

test('afterwards the terminal is as it was', async () => {
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
