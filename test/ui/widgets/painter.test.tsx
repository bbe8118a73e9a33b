import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Box, render, useApp, type Instance } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { Painted } from '../../../src/ui/widgets/painted.tsx';
import { createPainter } from '../../../src/ui/widgets/painter.ts';
import { safe } from '../../../src/ui/safe-text.ts';
import { type Line, composeLine } from '../../../src/ui/widgets/line.ts';
import { Rows } from '../../../src/ui/widgets/rows.tsx';
import { TerminalScreen, untouchedModes } from '../../support/terminal-screen.ts';
import { plainTheme } from '../support/rig.tsx';

/** A terminal that shows what is written to it, and keeps it. */
const createTerminal = (columns: number, rows: number) => {
  const screen = new TerminalScreen(columns, rows);
  const drawn = new EventEmitter();
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), { columns, rows, isTTY: true });
  stream.on('data', (chunk: Buffer) => {
    written.push(chunk.toString());
    void screen.write(chunk).then(() => drawn.emit('drawn'));
  });
  return {
    screen,
    written,
    stream,
    resize(nextColumns: number, nextRows: number) {
      screen.resize(nextColumns, nextRows);
      Object.assign(stream, { columns: nextColumns, rows: nextRows });
      stream.emit('resize');
    },
    /** Resolves once the screen shows these lines; the test's time limit is the bound. */
    async shows(...lines: readonly string[]) {
      const wanted = JSON.stringify(lines);
      while (JSON.stringify(screen.lines().map((line) => line.trimEnd())) !== wanted) {
        await new Promise((resolve) => { drawn.once('drawn', resolve); });
      }
    },
  };
};

const instances: Instance[] = [];
afterEach(() => {
  for (const instance of instances.splice(0)) {
    instance.unmount();
  }
});

const start = (terminal: ReturnType<typeof createTerminal>, tree: ReactNode) => {
  const painter = createPainter(terminal.stream);
  const noop = (): void => {};
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: noop, ref: noop, unref: noop });
  const instance = render(<Painted painter={painter}>{tree}</Painted>, {
    stdin, stdout: painter.stdout, alternateScreen: true, interactive: true, patchConsole: false, onRender: painter.paintSoon,
  });
  instances.push(instance);
  return { painter, instance, rerender: (next: ReactNode) => { instance.rerender(<Painted painter={painter}>{next}</Painted>); } };
};

const lineOf = (text: string, width = 10): Line => composeLine(plainTheme, width, [{ text: safe`${Number(text)}` }]);
const lines = (...texts: readonly string[]): readonly Line[] => texts.map((text) => lineOf(text));

test('lines stand where their boxes are, and move with them', async () => {
  const terminal = createTerminal(10, 6);
  const { rerender } = start(terminal, <Box flexDirection="column"><Rows lines={lines('1', '2')} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('1', '2', '9', '', '', '');
  rerender(<Box flexDirection="column"><Rows lines={lines('1', '2', '3')} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('1', '2', '3', '9', '', '');
  rerender(<Box flexDirection="column"><Box height={1} /><Rows lines={lines('9')} /></Box>);
  await terminal.shows('', '9', '', '', '', '');
  expect(terminal.written.join('')).not.toContain('\u001B[2J');
});

test('what a box cuts off is not painted, nor what is beyond the screen', async () => {
  const terminal = createTerminal(10, 4);
  start(terminal, <Box flexDirection="column"><Box height={2} overflow="hidden" flexShrink={0}><Rows lines={lines('1', '2', '3')} /></Box><Rows lines={lines('6', '7', '8', '9')} /></Box>);
  await terminal.shows('1', '2', '6', '7');
  expect(terminal.written.join('')).not.toMatch(/[389] {9}/);
});

test('only what changed is written', async () => {
  const terminal = createTerminal(10, 3);
  const { rerender } = start(terminal, <Rows lines={lines('100', '200', '300')} />);
  await terminal.shows('100', '200', '300');
  const before = terminal.written.length;
  rerender(<Rows lines={lines('100', '240', '300')} />);
  await terminal.shows('100', '240', '300');
  expect(terminal.written.slice(before)).toEqual(['\u001B[?2026h\u001B[?7l\u001B[2;2H4\u001B[?7h\u001B[?2026l']);
});

test('nothing is written when nothing changed', async () => {
  const terminal = createTerminal(10, 2);
  const { rerender, painter } = start(terminal, <Rows lines={lines('1', '2')} />);
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
  const { painter, rerender } = start(terminal, <Rows lines={lines('1', '2', '3')} />);
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
  const { rerender } = start(terminal, <><Grab /><Rows lines={lines('1', '2')} /></>);
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
  const { instance } = start(terminal, <Rows lines={lines('1', '2')} />);
  await terminal.shows('1', '2');
  expect(terminal.screen.modes()).toEqual({ ...untouchedModes, isAlternateScreen: true, isCursorVisible: false });
  instance.unmount();
  await instance.waitUntilExit();
  await terminal.shows('', '');
  await terminal.screen.write('');
  expect(terminal.screen.modes()).toEqual(untouchedModes);
});
