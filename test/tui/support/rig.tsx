import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink';
import type { ReactNode } from 'react';
import { createTheme, type Theme } from '../../../src/terminal/theme.ts';
import { createPainter, type Painter, PainterContext, ThemeContext } from '../../../src/tui/components/drawing.tsx';
import type { Keymap } from '../../../src/tui/keys/keymap.ts';
import { KeysProvider } from '../../../src/tui/keys/use-keys.ts';
import { createKeymap } from '../../../src/screens/keys.ts';

export const colorTheme: Theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' });
export const plainTheme: Theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1' });
export const asciiTheme: Theme = createTheme({ TERM: 'dumb' });

export interface Rig {
  /** The last frame with its style codes. */
  readonly raw: () => string;
  /** The codes that were last written for the clipboard. */
  readonly clipboard: () => string;
  /** The last frame's lines without style codes. */
  readonly lines: () => readonly string[];
  readonly type: (input: string) => void;
  /** Resolves with the lines once a frame satisfies the condition; the test's own time limit is the bound. */
  readonly until: (condition: (text: string) => boolean) => Promise<readonly string[]>;
  readonly rerender: (tree: ReactNode) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly frameCount: () => number;
  readonly unmount: () => void;
}

export interface RigOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly theme?: Theme;
  readonly keymap?: Keymap;
  readonly settleMs?: number;
}

const rigs: Rig[] = [];

/** Ends every rig; for `afterEach`. */
export const endRigs = (): void => {
  for (const rig of rigs.splice(0)) {
    rig.unmount();
  }
};

/** Renders a tree on a terminal of any size. Ink only lays out, as in the program; if it drew as well, a test would take five times as long. */
export const createRig = (tree: ReactNode, options: RigOptions = {}): Rig => {
  const {
    columns = 100,
    rows = 30,
    theme = colorTheme,
    keymap = createKeymap({ isReadOnly: false }),
    settleMs,
  } = options;
  let clipboard = '';
  let inkFrame: readonly string[] = [];
  let frames = 0;
  const waiting = new Set<() => void>();
  const onFrame = (): void => {
    for (const check of waiting) check();
  };
  const stdout = Object.assign(new PassThrough(), { columns, rows, isTTY: true });
  stdout.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    if (text.startsWith('\u001B[?')) return;
    if (text.startsWith('\u001B]')) {
      clipboard = text;
    } else {
      frames += 1;
      inkFrame = text.split('\n');
    }
    // The painter gets the lines later in this turn.
    process.nextTick(onFrame);
  });
  const shown = createPainter(stdout);
  const painter: Painter = {
    ...shown,
    show(element, rowLines, isOver) {
      shown.show(element, rowLines, isOver);
      process.nextTick(onFrame);
    },
  };
  const noop = (): void => {};
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: noop, ref: noop, unref: noop });
  const wrap = (children: ReactNode): ReactNode => (
    <ThemeContext value={theme}>
      <PainterContext value={painter}>
        <KeysProvider keymap={keymap} settleMs={settleMs}>
          {children}
        </KeysProvider>
      </PainterContext>
    </ThemeContext>
  );
  const instance = render(wrap(tree), {
    stdout,
    stdin,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  const frame = (): string => {
    const painted = painter.read();
    return inkFrame.map((line, row) => painted[row]?.trimEnd() || line).join('\n');
  };
  const lines = (): readonly string[] => stripVTControlCharacters(frame()).split('\n');
  const rig: Rig = {
    raw: frame,
    clipboard: () => clipboard,
    lines,
    type: (input) => {
      stdin.write(input);
    },
    until: async (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (condition(lines().join('\n'))) {
            waiting.delete(check);
            resolve(lines());
          }
        };
        waiting.add(check);
        check();
      }),
    rerender: (next) => {
      instance.rerender(wrap(next));
    },
    resize: (nextColumns, nextRows) => {
      Object.assign(stdout, { columns: nextColumns, rows: nextRows });
      stdout.emit('resize');
    },
    frameCount: () => frames,
    unmount: () => {
      instance.unmount();
      instance.cleanup();
    },
  };
  rigs.push(rig);
  return rig;
};
