import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import type { ReactNode } from 'react';
import { openScreen } from '../../src/cli/commands/screen.tsx';
import { App } from '../../src/screens/app.tsx';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type Cell, TerminalScreen } from '../support/terminal-screen.ts';
import { colorTheme } from '../tui/support/rig.tsx';
import { createWorld } from './world.ts';

/** A whole program with its own simulated cluster. */
export interface Program {
  press(input: string): void;
  resize(columns: number, rows: number): void;
  /** Lets time pass and sets the moment that the cluster's values depend on. */
  pass(ms: number, moment: number): Promise<void>;
  setInterval(seconds: number): void;
  close(): void;
}

/** A program that draws on a terminal. */
export interface ShownProgram extends Program {
  readonly screen: TerminalScreen;
  /** Resolves with the next drawing, or after `maxMs`. */
  drawn(maxMs: number): Promise<void>;
}

/** A program whose frames are kept as text. */
export interface WrittenProgram extends Program {
  readonly frame: () => string;
}

// Ink needs `console.Console`, which the test runner's console lacks.
Object.assign(console, { Console });

const noop = (): void => {};
const size = { columns: 100, rows: 30 };

interface Started extends Program {
  readonly tree: ReactNode;
  readonly stdin: PassThrough & { readonly isTTY: boolean; setRawMode: () => void; ref: () => void; unref: () => void };
  readonly stdout: PassThrough & { columns: number; rows: number; readonly isTTY: boolean };
}

function start(seed: number): Started {
  const clock = createFakeClock();
  let moment = 1;
  const monitor = createTriagedMonitor({
    api: createWorld(seed, () => moment),
    clock,
    intervalSeconds: 2,
    random: () => 0.5,
  });
  const session = {
    url: 'http://127.0.0.1',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => 'x',
    describeApi: () => 'variant B',
  };
  const stdout = Object.assign(new PassThrough(), { ...size, isTTY: true });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: noop, ref: noop, unref: noop });
  return {
    tree: (
      <App
        monitor={monitor}
        session={session}
        signIn={{ source: undefined, readAgain: async () => '', takePassword: noop }}
        theme={colorTheme}
      />
    ),
    stdin,
    stdout,
    press: (input) => {
      stdin.write(input);
    },
    resize(columns, rows) {
      Object.assign(stdout, { columns, rows });
      stdout.emit('resize');
    },
    async pass(ms, next) {
      moment = next;
      await clock.advance(ms);
    },
    setInterval: (seconds) => {
      monitor.setIntervalSeconds(seconds);
    },
    close: () => {
      monitor.stop();
    },
  };
}

export function startShown(seed: number, isPlain: boolean): ShownProgram {
  const program = start(seed);
  const screen = new TerminalScreen(size.columns, size.rows);
  const waiting = new Set<() => void>();
  program.stdout.on('data', (chunk: Buffer) => {
    // Like the terminal driver.
    void screen.write(chunk.toString().replaceAll('\n', '\r\n')).then(() => {
      for (const wake of waiting) wake();
    });
  });
  const { instance } = openScreen(program.tree, program, isPlain);
  return {
    ...program,
    screen,
    resize(columns, rows) {
      screen.resize(columns, rows);
      program.resize(columns, rows);
    },
    drawn: (maxMs) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, maxMs);
        waiting.add(wake);
      }),
    close() {
      program.close();
      instance.unmount();
      instance.cleanup();
      screen.dispose();
    },
  };
}

/** Plain Ink, which writes every frame whole: no leftovers are possible. */
export function startWritten(seed: number): WrittenProgram {
  const program = start(seed);
  let frame = '';
  program.stdout.on('data', (chunk: Buffer) => {
    // Erasing the screen and the clipboard come before the frame in the same chunk.
    const text = chunk
      .toString()
      .replace(/^(?:\u001B\[H\u001B\[2J|\u001B\]52;[^\u0007]*\u0007|\u001B\[\?[\d;]+[a-z])+/u, '');
    if (text !== '') frame = text;
  });
  const { stdin, stdout } = program;
  const instance = render(program.tree, {
    stdin,
    stdout,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  return {
    ...program,
    frame: () => frame,
    close() {
      program.close();
      instance.unmount();
      instance.cleanup();
    },
  };
}

/** Describes the first cell that differs from the frame. `undefined` if all are equal. `isPlain`: Ink painted both. */
export async function differenceTo(
  screen: TerminalScreen,
  frame: string,
  isPlain: boolean,
): Promise<string | undefined> {
  const fresh = new TerminalScreen(screen.cols, screen.rows);
  try {
    await fresh.write(`\u001B[?7l${frame.split('\n').slice(0, screen.rows).join('\r\n')}`);
    const [wanted, found] = [fresh.lines(), screen.lines()];
    const dialog = isPlain ? undefined : dialogColumns(screen);
    const same = (y: number): boolean =>
      withoutRequests(wanted[y]) === withoutRequests(found[y]) ||
      (dialog !== undefined && isCutByDialog(fresh.row(y), screen.row(y), dialog));
    for (let y = 0; y < screen.rows; y += 1) {
      if (!same(y))
        return `row ${y} of ${screen.cols}×${screen.rows}\n  is     ${JSON.stringify(found[y])}\n  not    ${JSON.stringify(wanted[y])}`;
    }
    // The screen behind a dialog is dim, which Ink alone does not do.
    if (found.some((line) => dialogKeys.test(line))) return undefined;
    const caret = screen.modes().isCursorVisible ? screen.cursor() : undefined;
    for (let y = 0; y < screen.rows; y += 1) {
      const row = screen.row(y);
      // The terminal draws its cursor, where Ink alone draws one.
      const isCaret = (x: number): boolean =>
        caret?.y === y && (x === caret.x || (x === caret.x + 1 && row[x]?.width === 0));
      const length = withoutRequests(wanted[y]).length;
      const isLoad = length < (wanted[y]?.trimEnd().length ?? 0);
      const x = fresh
        .row(y)
        .findIndex((cell, index) => !(isLoad && index >= length) && !isCaret(index) && !isSame(cell, row[index]));
      if (x !== -1)
        return `cell ${x},${y} of ${screen.cols}×${screen.rows}\n  is     ${JSON.stringify(row[x])}\n  not    ${JSON.stringify(fresh.cell(x, y))}`;
    }
    return undefined;
  } finally {
    fresh.dispose();
  }
}

const dialogKeys = / (?:n\/|Enter\/)?Esc (?:Cancel|Close|Run in background|Later)/u;

/** Returns the columns of the dialog's borders; `undefined` if there is no dialog, or it has no borders. */
function dialogColumns(screen: TerminalScreen): readonly [left: number, right: number] | undefined {
  for (const [y, line] of screen.lines().entries()) {
    const keys = dialogKeys.exec(line);
    if (keys === null) continue;
    const chars = screen.row(y).map(({ char }) => char);
    const columns = [chars.lastIndexOf('│', keys.index), chars.indexOf('│', keys.index)] as const;
    return columns.includes(-1) ? undefined : columns;
  }
  return undefined;
}

/** Whether all that is missing is the part of a cell that a dialog cuts off: the painter blanks it, because a cut number is a wrong number, and Ink alone does not. */
function isCutByDialog(
  wanted: readonly Cell[],
  found: readonly Cell[],
  [left, right]: readonly [left: number, right: number],
): boolean {
  const differing = wanted.flatMap((cell, x) => (cell.char === found[x]?.char ? [] : [x]));
  const isOneCell = (from: number, to: number): boolean =>
    found.slice(from, to).every(({ char }) => char.trim() === '') &&
    !wanted
      .slice(from, to)
      .map(({ char }) => char)
      .join('')
      .trim()
      .includes('  ');
  const before = differing.find((x) => x < left) ?? left;
  const after = differing.findLast((x) => x > right) ?? right;
  return differing.every((x) => x < left || x > right) && isOneCell(before, left) && isOneCell(right + 1, after + 1);
}

/** Two programs may have sent more or fewer requests by the same moment. */
const withoutRequests = (line = ''): string =>
  line.trimEnd().replace(/ +(?:[\d,]+ connections? · )?[\d,]+ requests?\/min$/u, '');

const isSame = (one: Cell, other: Cell | undefined): boolean =>
  other !== undefined &&
  one.char === other.char &&
  one.width === other.width &&
  isSameShape(one, other) &&
  (one.char.trim() === '' || isSameText(one, other));

const isSameShape = (one: Cell, other: Cell): boolean =>
  one.underline === other.underline &&
  one.inverse === other.inverse &&
  one.strikethrough === other.strikethrough &&
  one.background === other.background;

/** Compares the text's styles, which a blank does not show. */
const isSameText = (one: Cell, other: Cell): boolean =>
  one.bold === other.bold &&
  one.dim === other.dim &&
  one.italic === other.italic &&
  one.foreground === other.foreground;
