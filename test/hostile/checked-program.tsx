import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { expect, vi } from 'vitest';
import type { ActingMonitor } from '../../src/actions/acting-monitor.ts';
import { type AuditOrigin, formatAuditLine } from '../../src/actions/audit.ts';
import { createHttpApi } from '../../src/api/dialects/index.ts';
import type { Theme } from '../../src/terminal/theme.ts';
import { App } from '../../src/screens/app.tsx';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { createPainter, Painted } from '../../src/tui/components/drawing.tsx';
import { type Cell, TerminalScreen, untouchedModes } from '../support/terminal-screen.ts';

/** The terminal is larger than the program knows, so that misplaced output is seen. */
const margin = { columns: 30, rows: 6 };

export interface CheckedProgramOptions {
  readonly url: string;
  readonly password?: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** The whole program on a terminal that checks every frame. */
export interface CheckedProgram {
  readonly screen: TerminalScreen;
  readonly monitor: ActingMonitor;
  /** Lines of the audit file. */
  readonly audit: readonly string[];
  /** Effects so far other than drawing in its place. */
  readonly faults: () => readonly string[];
  /** The program's rows without trailing blanks. */
  readonly lines: () => readonly string[];
  readonly cells: (row: number) => readonly Cell[];
  readonly type: (input: string) => void;
  /** Presses `y` until this is shown: a new dialog ignores keys for a moment. */
  readonly agree: (shown: RegExp) => Promise<void>;
  /** Resolves with the rows of the first whole frame that meets the condition. Rejects with the screen after 10 s. */
  readonly until: (condition: (text: string) => boolean) => Promise<readonly string[]>;
  readonly end: () => Promise<void>;
}

/** Far longer than any wait takes. */
const maxWaitMs = 30_000;

/** Matches the end of a frame that shows the cursor, where text is typed. */
// oxlint-disable-next-line no-control-regex
const shownCaret = /\u001B\[\d+;\d+H\u001B\[\?25h\u001B\[\?7h\u001B\[\?2026l/gu;
const showCursor = '\u001B[?25h';

/** Modes that the program switches on. */
const expectedModes = { ...untouchedModes, isAlternateScreen: true, isCursorVisible: false, isBracketedPaste: true };
const origin: AuditOrigin = { operator: 'ann', url: 'http://127.0.0.1', brokerUser: 'admin' };

export function openChecked({ url, password = 'public', columns, rows, theme }: CheckedProgramOptions): CheckedProgram {
  const screen = new TerminalScreen(columns + margin.columns, rows + margin.rows);
  const drawn = new EventEmitter();
  drawn.setMaxListeners(0);
  const faults = new Set<string>();
  const stdout = Object.assign(new PassThrough(), { columns, rows, isTTY: true });
  let hasBegun = false;
  const expected = JSON.stringify(expectedModes);
  const checkFrame = (): void => {
    const modes = screen.modes();
    // Ink switches bracketed paste on last.
    hasBegun ||= modes.isBracketedPaste;
    if (!hasBegun || modes.isSynchronizedOutput) return;
    const { titles, clipboard, replies, commands, bells } = screen.effects();
    for (const [name, list] of Object.entries({ titles, clipboard, replies, commands }))
      if (list.length > 0) faults.add(`${name}: ${JSON.stringify(list)}`);
    if (bells > 0) faults.add('bell');
    // Where it is shown, `shownCaret` put it.
    if (JSON.stringify({ ...modes, isCursorVisible: false }) !== expected)
      faults.add(`modes: ${JSON.stringify(modes)}`);
    if (modes.isCursorVisible) {
      const { x, y } = screen.cursor();
      if (x >= columns || y >= rows) faults.add(`cursor outside the screen: ${x}, ${y}`);
    }
    for (const [at, line] of screen.lines().entries()) {
      // Combining marks make a line longer than its width: only then the cells are checked.
      const isOutside =
        at >= rows
          ? line !== ''
          : line.length > columns &&
            screen
              .row(at)
              .slice(columns)
              .some(({ char }) => char !== ' ');
      if (isOutside) faults.add(`outside the screen, row ${at}: ${JSON.stringify(line)}`);
    }
  };
  stdout.on('data', (chunk: Buffer) => {
    if (chunk.toString().replaceAll(shownCaret, '').includes(showCursor))
      faults.add('cursor shown where no text is typed');
    void screen.write(chunk).then(() => {
      checkFrame();
      drawn.emit('drawn');
    });
  });
  const noop = (): void => {};
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: noop, ref: noop, unref: noop });
  const api = createHttpApi({ url, user: 'admin', password, variant: 'b' });
  const audit: string[] = [];
  const monitor = createTriagedMonitor({
    api,
    intervalSeconds: 60,
    audit: {
      write: async (entry) => {
        audit.push(formatAuditLine(origin, entry));
      },
    },
  });
  const painter = createPainter(stdout);
  const session = {
    url,
    user: 'admin',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => 'variant B',
  };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: noop };
  const instance = render(
    <Painted painter={painter}>
      <App monitor={monitor} session={session} signIn={signIn} theme={theme} />
    </Painted>,
    {
      stdin,
      stdout: painter.stdout,
      alternateScreen: true,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
      onRender: painter.paintSoon,
      maxFps: 60,
    },
  );
  const cells = (row: number): readonly Cell[] => screen.row(row).slice(0, columns);
  const lines = (): readonly string[] =>
    screen
      .lines()
      .slice(0, rows)
      .map((line) => line.trimEnd());
  return {
    screen,
    monitor,
    audit,
    cells,
    lines,
    faults: () => [...faults],
    type: (input) => {
      stdin.write(input);
    },
    until: async (condition) => {
      const signal = AbortSignal.timeout(maxWaitMs);
      while (screen.modes().isSynchronizedOutput || !condition(lines().join('\n'))) {
        await once(drawn, 'drawn', { signal }).catch(() => {
          throw new Error(`It never came. The screen:\n${lines().join('\n')}`);
        });
      }
      return lines();
    },
    agree: (shown) =>
      vi.waitFor(
        () => {
          stdin.write('y');
          expect(lines().join('\n')).toMatch(shown);
        },
        { timeout: maxWaitMs, interval: 50 },
      ),
    end: async () => {
      monitor.stop();
      await monitor.whenActionsEnd();
      instance.unmount();
      instance.cleanup();
      await api.close();
      screen.dispose();
    },
  };
}
