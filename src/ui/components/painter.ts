import type { DOMElement } from 'ink';
import type { PaintedRows } from '../../terminal/frame-difference.ts';
import type { Line } from '../../terminal/line.ts';
import { createFramePainter, type FramePainter, type PaintedTerminal } from '../../terminal/painter.ts';

/** Paints lines of Ink elements. Ink keeps keyboard, layout and the alternate screen, and writes to `stdout`. */
export interface Painter extends FramePainter {
  /** Shows lines at the element's position from now on. */
  show(element: DOMElement, lines: readonly Line[]): void;
  hide(element: DOMElement): void;
}

/**
 * Creates a painter. Ink spends most of a frame on measuring and cutting text; so it lays out empty boxes and the painter
 * writes the lines. `paintSoon` must be called when elements may have moved.
 */
export const createPainter = (terminal: PaintedTerminal): Painter => {
  const elements = new Map<DOMElement, readonly Line[]>();
  const { stdout, paintSoon } = createFramePainter(terminal, (rows) => placeLines(elements, rows));
  return {
    stdout,
    paintSoon,
    show(element, lines) {
      elements.set(element, lines);
      paintSoon();
    },
    hide(element) {
      elements.delete(element);
      paintSoon();
    },
  };
};

/** Puts each element's lines at its position on a screen of `rows` rows. */
const placeLines = (elements: ReadonlyMap<DOMElement, readonly Line[]>, rows: number): PaintedRows => {
  const frame = Array.from({ length: rows }, (): Line | undefined => undefined);
  for (const [element, lines] of elements) {
    const { top, from, to } = placeOf(element, lines.length);
    for (let index = Math.max(from, -top); index < Math.min(to, rows - top); index += 1) {
      frame[top + index] = lines[index];
    }
  }
  return frame;
};

/** The first row, and which lines are not clipped by an ancestor. */
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
