import { lineDifference } from './line-difference.ts';
import type { Line } from './line.ts';

/** What stands in each row of the screen; `undefined` where nothing does. */
export type PaintedRows = readonly (Line | undefined)[];

/** Lines that stand on the screen already, some rows from where they belong. */
interface Move {
  /** How far up they belong; negative: down. */
  readonly up: number;
  /** The rows that move, and the first one below them. */
  readonly top: number;
  readonly bottom: number;
}

const moveTo = (row: number, column: number): string => `\u001B[${row + 1};${column + 1}H`;
const eraseLine = '\u001B[2K';
const wholeScreen = '\u001B[r';
/** One line up at the bottom of the region, and one down at its top: as old as the first terminals that have regions. */
const lineFeed = '\n';
const reverseLineFeed = '\u001BM';

/** Less than this cannot be made shorter by a move. */
const shortestMove = 40;

/** What turns the rows on the screen into those of the frame, the shorter of two ways; of a screen that is not known, all are written. */
export const frameDifference = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  if (painted === undefined) {
    return rewrite(undefined, frame);
  }
  const rewritten = rewrite(painted, frame);
  const move = rewritten.length < shortestMove || painted.length !== frame.length ? undefined : findMove(painted, frame);
  if (move === undefined) {
    return rewritten;
  }
  const moved = scroll(move) + rewrite(afterMove(painted, move), frame);
  return moved.length < rewritten.length ? moved : rewritten;
};

/** Each row that differs, by itself. */
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

/** Whether some of what is new stands elsewhere already: three lines tell, and most frames end here, as those of rows that only changed. */
const isMoved = (painted: PaintedRows, frame: PaintedRows): boolean => {
  const changed = frame.filter((line, row) => line !== undefined && line !== painted[row]);
  return [0.25, 0.5, 0.75].some((part) => painted.includes(changed[Math.floor(part * changed.length)]));
};

/** The way that most lines have gone, and the rows from the first of them to the last. */
const findMove = (painted: PaintedRows, frame: PaintedRows): Move | undefined => {
  if (!isMoved(painted, frame)) {
    return undefined;
  }
  const rowOf = new Map<Line, number>();
  for (const [row, line] of painted.entries()) {
    if (line !== undefined) {
      rowOf.set(line, row);
    }
  }
  const moves = new Map<number, { count: number; first: number; last: number }>();
  for (const [row, line] of frame.entries()) {
    const from = line === undefined || line === painted[row] ? undefined : rowOf.get(line);
    if (from === undefined) {
      continue;
    }
    const move = moves.get(from - row);
    if (move === undefined) {
      moves.set(from - row, { count: 1, first: row, last: row });
    } else {
      move.count += 1;
      move.last = row;
    }
  }
  const [best] = [...moves].toSorted(([, one], [, other]) => other.count - one.count);
  if (best === undefined) {
    return undefined;
  }
  const [up, { first, last }] = best;
  return { up, top: Math.min(first, first + up), bottom: Math.max(last, last + up) + 1 };
};

/** The terminal moves the lines itself. Leaves the cursor anywhere. */
const scroll = ({ up, top, bottom }: Move): string => {
  const region = `\u001B[${top + 1};${bottom}r`;
  return region + (up > 0 ? moveTo(bottom - 1, 0) + lineFeed.repeat(up) : moveTo(top, 0) + reverseLineFeed.repeat(-up)) + wholeScreen;
};

/** What is on the screen after `scroll`. */
const afterMove = (painted: PaintedRows, { up, top, bottom }: Move): PaintedRows =>
  painted.map((line, row) => {
    if (row < top || row >= bottom) {
      return line;
    }
    const from = row + up;
    return from >= top && from < bottom ? painted[from] : undefined;
  });
