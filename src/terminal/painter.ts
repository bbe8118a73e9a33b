import { frameDifference, type PaintedRows } from './frame-difference.ts';

export type PaintedTerminal = NodeJS.WritableStream & { readonly rows: number };

/** Environment variables that identify the terminal; `process.env` fits. */
export type TerminalEnv = Readonly<Record<string, string | undefined>>;

/** `TERM` of terminals that cannot position text, or do not say what they are. */
const incapable: ReadonlySet<string> = new Set(['', 'dumb', 'unknown']);

/**
 * Whether the painter works on the terminal: it has to position text. Terminals that do also scroll regions, and ignore
 * sequences that they do not know. Windows terminals can, but set no `TERM`.
 */
export const canPaint = (env: TerminalEnv, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' ? env['TERM'] !== 'dumb' : !incapable.has(env['TERM'] ?? '');

/** Writes frames to a terminal that another program, such as Ink, writes to as well. */
export interface FramePainter {
  /** The terminal for that program: after each write to it the whole frame is painted again. */
  readonly stdout: PaintedTerminal;
  /** Soon paints what differs from the screen. */
  paintSoon(): void;
}

/** Shortest time between two frames, against floods of output. Not longer, because a key right after a frame waits for it. */
const minFrameMs = 2;

const defaultRows = 24;

const enterAlternateScreen = '\u001B[?1049h';
const leaveAlternateScreen = '\u001B[?1049l';
// Synchronized and without wrapping, because after a resize lines may be wider than the terminal. Undone in the same
// write, so nothing has to be restored however the program ends.
const beginFrame = '\u001B[?2026h\u001B[?7l';
const endFrame = '\u001B[?7h\u001B[?2026l';

/**
 * Paints `makeFrame(rows)` while the alternate screen is on, and only what changed in it. After any other write, or a
 * resize, the next frame is painted whole.
 */
export const createFramePainter = (terminal: PaintedTerminal, makeFrame: (rows: number) => PaintedRows): FramePainter => {
  /** What is on the screen; `undefined` when unknown. */
  let painted: PaintedRows | undefined;
  let isOn = false;
  let isScheduled = false;
  let paintedAtMs = Number.NEGATIVE_INFINITY;

  const paint = (): void => {
    isScheduled = false;
    if (!isOn) {
      return;
    }
    const frame = makeFrame(terminal.rows > 0 ? terminal.rows : defaultRows);
    const output = frameDifference(painted, frame);
    painted = frame;
    if (output !== '') {
      paintedAtMs = performance.now();
      terminal.write(beginFrame + output + endFrame);
    }
  };

  const paintSoon = (): void => {
    if (isScheduled || !isOn) {
      return;
    }
    isScheduled = true;
    const waitMs = paintedAtMs + minFrameMs - performance.now();
    // Never at once: the caller may be in the middle of an update.
    if (waitMs > 0) {
      setTimeout(paint, waitMs);
    } else {
      setImmediate(paint);
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
