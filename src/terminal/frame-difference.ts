import { lineDifference } from './line-difference.ts';
import type { Line } from './line.ts';

export type PaintedRows = readonly (Line | undefined)[];

/** A region of the screen that the terminal can scroll to where its lines belong. */
interface Scroll {
  /** Rows to scroll up by; negative: down. */
  readonly up: number;
  /** The first row of the region, and the first one below it. */
  readonly top: number;
  readonly bottom: number;
}

const moveTo = (row: number, column: number): string => `\u001B[${row + 1};${column + 1}H`;
const eraseLine = '\u001B[2K';
const wholeScreen = '\u001B[r';
// Index and reverse index, which every terminal with scroll regions understands.
const lineFeed = '\n';
const reverseLineFeed = '\u001BM';

/** Output shorter than this cannot be shortened by scrolling. */
const minScrollLength = 40;

/**
 * Returns the output that turns the rows on the screen into the frame: changed rows rewritten, after scrolling a region
 * if that is shorter. With `painted` undefined all rows are written.
 */
export const frameDifference = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  if (painted === undefined) {
    return rewrite(undefined, frame);
  }
  const rewritten = rewrite(painted, frame);
  const scroll = rewritten.length < minScrollLength || painted.length !== frame.length ? undefined : findScroll(painted, frame);
  if (scroll === undefined) {
    return rewritten;
  }
  const scrolled = scrollOutput(scroll) + rewrite(afterScroll(painted, scroll), frame);
  return scrolled.length < rewritten.length ? scrolled : rewritten;
};

const rewrite = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  let output = '';
  for (const [row, line] of frame.entries()) {
    const before = painted?.[row];
    if (painted !== undefined && line === before) {
      continue;
    }
    const change = line === undefined || before === undefined ? undefined : lineDifference(before, line);
    output += change === undefined ? `${moveTo(row, 0)}${eraseLine}${line ?? ''}` : moveTo(row, change.column) + change.text;
  }
  return output;
};

/** A quick test of three changed lines: whether one of them is on the screen already. Most frames end here. */
const mayScroll = (painted: PaintedRows, frame: PaintedRows): boolean => {
  const changed = frame.filter((line, row) => line !== undefined && line !== painted[row]);
  return [0.25, 0.5, 0.75].some((part) => painted.includes(changed[Math.floor(part * changed.length)]));
};

/** Finds the distance that most lines have moved by, and the region from the first of them to the last. */
const findScroll = (painted: PaintedRows, frame: PaintedRows): Scroll | undefined => {
  if (!mayScroll(painted, frame)) {
    return undefined;
  }
  const rowOf = new Map<Line, number>();
  for (const [row, line] of painted.entries()) {
    if (line !== undefined) {
      rowOf.set(line, row);
    }
  }
  const candidates = new Map<number, { count: number; first: number; last: number }>();
  for (const [row, line] of frame.entries()) {
    const from = line === undefined || line === painted[row] ? undefined : rowOf.get(line);
    if (from === undefined) {
      continue;
    }
    const candidate = candidates.get(from - row);
    if (candidate === undefined) {
      candidates.set(from - row, { count: 1, first: row, last: row });
    } else {
      candidate.count += 1;
      candidate.last = row;
    }
  }
  const [best] = [...candidates].toSorted(([, one], [, other]) => other.count - one.count);
  if (best === undefined) {
    return undefined;
  }
  const [up, { first, last }] = best;
  return { up, top: Math.min(first, first + up), bottom: Math.max(last, last + up) + 1 };
};

const scrollOutput = ({ up, top, bottom }: Scroll): string => {
  const region = `\u001B[${top + 1};${bottom}r`;
  return region + (up > 0 ? moveTo(bottom - 1, 0) + lineFeed.repeat(up) : moveTo(top, 0) + reverseLineFeed.repeat(-up)) + wholeScreen;
};

const afterScroll = (painted: PaintedRows, { up, top, bottom }: Scroll): PaintedRows =>
  painted.map((line, row) => {
    if (row < top || row >= bottom) {
      return line;
    }
    const from = row + up;
    return from >= top && from < bottom ? painted[from] : undefined;
  });
