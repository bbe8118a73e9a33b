import type { DOMElement } from 'ink';
import type { PaintedRows } from '../../terminal/frame-difference.ts';
import type { Line } from '../../terminal/line.ts';

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
