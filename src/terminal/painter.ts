import { frameDifference, moveTo, type PaintedRows } from './frame-difference.ts';
import { joinLines, takeCaret } from './line.ts';

export type PaintedTerminal = NodeJS.WritableStream & { readonly rows: number };

export type TerminalEnv = Readonly<Record<string, string | undefined>>;

const incapable: ReadonlySet<string> = new Set(['', 'dumb', 'unknown']);

/**
 * Terminals that position text also scroll regions and ignore unknown sequences. Windows terminals do, but set no
 * `TERM`.
 */
export const canPaint = (env: TerminalEnv, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' ? env['TERM'] !== 'dumb' : !incapable.has(env['TERM'] ?? '');

export interface FramePainter {
  readonly stdout: PaintedTerminal;
  paintSoon(): void;
}

/** A short time, because a key right after a frame waits for it. */
const minFrameMs = 2;

const defaultRows = 24;

const enterAlternateScreen = '\u001B[?1049h';
const leaveAlternateScreen = '\u001B[?1049l';
// Synchronized, and without wrapping in case of a resize; undone in the same write, so that any exit leaves the terminal intact.
const beginFrame = '\u001B[?2026h\u001B[?7l';
const endFrame = '\u001B[?7h\u001B[?2026l';

const showCursor = '\u001B[?25h';
const hideCursor = '\u001B[?25l';

/**
 * Removes the mark of the caret and returns how to move the cursor there; input methods open at it. The caret of the
 * last row counts.
 */
const withoutCaret = (frame: PaintedRows): { readonly frame: PaintedRows; readonly caret: string } => {
  for (let row = frame.length - 1; row >= 0; row -= 1) {
    const line = frame[row];
    const found =
      line === undefined
        ? undefined
        : typeof line === 'string'
          ? takeCaret(line)
          : line.some((part) => takeCaret(part) !== undefined)
            ? takeCaret(joinLines(...line))
            : undefined;
    if (found !== undefined) return { frame: frame.with(row, found.line), caret: moveTo(row, found.column) };
  }
  return { frame, caret: '' };
};

/** Paints only what changed, while the alternate screen is on; the whole frame after any other write or a resize. */
export const createFramePainter = (
  terminal: PaintedTerminal,
  makeFrame: (rows: number) => PaintedRows,
): FramePainter => {
  let painted: PaintedRows | undefined;
  /** Moves the cursor to where it is shown; empty while it is hidden, as Ink leaves it. */
  let shownCaret = '';
  let isOn = false;
  let isScheduled = false;
  let paintedAtMs = Number.NEGATIVE_INFINITY;

  const paint = (): void => {
    isScheduled = false;
    if (!isOn) {
      return;
    }
    const { frame, caret } = withoutCaret(makeFrame(terminal.rows > 0 ? terminal.rows : defaultRows));
    const output = frameDifference(painted, frame);
    painted = frame;
    const cursor =
      caret === ''
        ? shownCaret === ''
          ? ''
          : hideCursor
        : caret === shownCaret && output === ''
          ? ''
          : caret + showCursor;
    shownCaret = caret;
    if (output !== '' || cursor !== '') {
      paintedAtMs = performance.now();
      terminal.write(beginFrame + output + cursor + endFrame);
    }
  };

  const paintSoon = (): void => {
    if (isScheduled || !isOn) {
      return;
    }
    isScheduled = true;
    const waitMs = paintedAtMs + minFrameMs - performance.now();
    // Never at once: the caller may be in the middle of an update. Before other work that waits: a key has been pressed, or an answer has come.
    if (waitMs > 0) {
      setTimeout(paint, waitMs);
    } else {
      process.nextTick(paint);
    }
  };

  const onWrite = (data: unknown): void => {
    const text = typeof data === 'string' ? data : '';
    const on = text.lastIndexOf(enterAlternateScreen);
    const off = text.lastIndexOf(leaveAlternateScreen);
    if (on !== off) {
      isOn = on > off;
    }
    painted = undefined;
    paintSoon();
  };

  terminal.on('resize', () => {
    painted = undefined;
    paintSoon();
  });

  return { stdout: observeWrites(terminal, onWrite), paintSoon };
};

const observeWrites = (stream: PaintedTerminal, onWrite: (data: unknown) => void): PaintedTerminal => {
  const write = new Proxy(stream.write, {
    apply: (target, _, args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(target, stream, args);
      if (args[0] !== '') {
        onWrite(args[0]);
      }
      return result;
    },
  });
  return new Proxy(stream, {
    get: (target, key): unknown => {
      if (key === 'write') {
        return write;
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};
