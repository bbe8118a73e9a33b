import type { DOMElement } from 'ink';
import { frameDifference, type PaintedRows } from '../../terminal/frame-difference.ts';
import type { Line } from '../../terminal/line.ts';

/** What the painter needs of a terminal. */
export type PaintedTerminal = NodeJS.WritableStream & { readonly rows: number };

/** Writes finished lines to the terminal, beside Ink, which keeps keyboard, layout and the alternate screen. */
export interface Painter {
  /** The terminal for Ink: whatever goes through it is noticed, and painted over. */
  readonly stdout: PaintedTerminal;
  /** Shows the lines from where the element stands, or other ones than before. */
  show(element: DOMElement, lines: readonly Line[]): void;
  hide(element: DOMElement): void;
  /** Paints soon what differs from what is on the screen. To be called when elements may have moved. */
  paintSoon(): void;
}

/**
 * Shortest time between two frames, so that a flood of changes does not become a flood of output. No longer: a key
 * that comes right after a frame waits for it, and a frame is made in less.
 */
const gapMs = 2;

/** Rows of a terminal that does not say. */
const usualRows = 24;

const enterAlternateScreen = '\u001B[?1049h';
const leaveAlternateScreen = '\u001B[?1049l';
// Lines of the size before may be longer than the terminal is wide: they must not wrap. Both are undone in
// the same piece of output, so that there is nothing to restore however the program ends.
const begin = '\u001B[?2026h\u001B[?7l';
const end = '\u001B[?7h\u001B[?2026l';

/**
 * Measuring and cutting text that is finished already is most of what Ink does for a frame. So Ink is given
 * empty boxes; their lines are written here, and only what changed in them. Paints while the alternate screen is on.
 * After anything else was written, or the size changed, the next frame is painted whole.
 */
export const createPainter = (terminal: PaintedTerminal): Painter => {
  const elements = new Map<DOMElement, readonly Line[]>();
  /** What is on the screen; `undefined` when that is not known. */
  let painted: PaintedRows | undefined;
  let isOn = false;
  let isDue = false;
  let paintedAtMs = Number.NEGATIVE_INFINITY;

  const paint = (): void => {
    isDue = false;
    if (!isOn) {
      return;
    }
    const frame = placeLines(elements, terminal.rows > 0 ? terminal.rows : usualRows);
    const output = frameDifference(painted, frame);
    painted = frame;
    if (output !== '') {
      paintedAtMs = performance.now();
      terminal.write(begin + output + end);
    }
  };

  const paintSoon = (): void => {
    if (isDue || !isOn) {
      return;
    }
    isDue = true;
    const waitMs = paintedAtMs + gapMs - performance.now();
    // Never at once: React may be in the middle of a change that goes on elsewhere.
    if (waitMs > 0) {
      setTimeout(paint, waitMs);
    } else {
      setImmediate(paint);
    }
  };

  const notice = (data: unknown): void => {
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

  return {
    stdout: noticeWrites(terminal, notice),
    show(element, lines) {
      elements.set(element, lines);
      paintSoon();
    },
    hide(element) {
      elements.delete(element);
      paintSoon();
    },
    paintSoon,
  };
};

/** The same stream, but `notice` hears of everything that is written. */
const noticeWrites = (stream: PaintedTerminal, notice: (data: unknown) => void): PaintedTerminal => {
  const write = new Proxy(stream.write, {
    apply: (target, _, args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(target, stream, args);
      if (args[0] !== '') {
        notice(args[0]);
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

/** Puts each element's lines where Ink has laid the element out, on a screen of so many rows; other rows are empty. */
export const placeLines = (elements: ReadonlyMap<DOMElement, readonly Line[]>, rows: number): PaintedRows => {
  const frame = Array.from({ length: rows }, (): Line | undefined => undefined);
  for (const [element, lines] of elements) {
    const { top, from, to } = placeOf(element, lines.length);
    for (let index = Math.max(from, -top); index < Math.min(to, rows - top); index += 1) {
      frame[top + index] = lines[index];
    }
  }
  return frame;
};

/** The row of the first line, and which of the lines are not cut off by what the element is in. */
const placeOf = (element: DOMElement, count: number): { readonly top: number; readonly from: number; readonly to: number } => {
  let top = 0;
  let from = 0;
  let to = count;
  for (let node: DOMElement | undefined = element; node !== undefined; node = node.parentNode) {
    const { yogaNode, style } = node;
    if (node !== element && yogaNode !== undefined && style.overflowY === 'hidden') {
      from = Math.max(from, -top);
      to = Math.min(to, yogaNode.getComputedHeight() - top);
    }
    top += yogaNode?.getComputedTop() ?? 0;
  }
  return { top, from, to };
};
