import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Instance, render } from 'ink';
import type { ReactNode } from 'react';
import { createPainter, Painted, type Painter } from '../../../src/tui/components/drawing.tsx';
import { TerminalScreen } from '../../support/terminal-screen.ts';

/** A terminal that shows what is written to it, and keeps it. */
export const createTerminal = (columns: number, rows: number) => {
  const screen = new TerminalScreen(columns, rows);
  const drawn = new EventEmitter();
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), { columns, rows, isTTY: true });
  stream.on('data', (chunk: Buffer) => {
    written.push(chunk.toString());
    void screen.write(chunk).then(() => drawn.emit('drawn'));
  });
  /** Resolves once the screen is as wanted; the test's time limit is the bound. */
  const until = async (isWanted: (lines: readonly string[]) => boolean): Promise<void> => {
    while (!isWanted(screen.lines().map((line) => line.trimEnd()))) {
      await new Promise((resolve) => {
        drawn.once('drawn', resolve);
      });
    }
  };
  return {
    screen,
    written,
    stream,
    until,
    resize(nextColumns: number, nextRows: number) {
      screen.resize(nextColumns, nextRows);
      Object.assign(stream, { columns: nextColumns, rows: nextRows });
      stream.emit('resize');
    },
    shows: (...wanted: readonly string[]) => until((lines) => JSON.stringify(lines) === JSON.stringify(wanted)),
  };
};

export interface PaintedRig {
  readonly painter: Painter;
  readonly instance: Instance;
  readonly rerender: (tree: ReactNode) => void;
  readonly type: (input: string) => void;
}

const instances: Instance[] = [];

/** Ends everything that was painted; for `afterEach`. */
export const endPainted = (): void => {
  for (const instance of instances.splice(0)) {
    instance.unmount();
  }
};

/** Paints a tree on the terminal. */
export const startPainted = (terminal: ReturnType<typeof createTerminal>, tree: ReactNode): PaintedRig => {
  const painter = createPainter(terminal.stream);
  const noop = (): void => {};
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: noop, ref: noop, unref: noop });
  const instance = render(<Painted painter={painter}>{tree}</Painted>, {
    stdin,
    stdout: painter.stdout,
    alternateScreen: true,
    interactive: true,
    patchConsole: false,
    onRender: painter.paintSoon,
  });
  instances.push(instance);
  return {
    painter,
    instance,
    rerender: (next) => {
      instance.rerender(<Painted painter={painter}>{next}</Painted>);
    },
    type: (input) => {
      stdin.write(input);
    },
  };
};
