import { clockText } from '../../../domain/text.ts';
import { shownClockOffsetMs } from '../../../monitor/shown-time.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { widthOf } from '../../../terminal/text-width.ts';
import type { Role } from '../../../terminal/theme.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';

/** The times that the columns of a graph stand for; monotonic. */
export interface GraphTimes {
  readonly beginMs: number;
  readonly cellMs: number;
  readonly cells: number;
}

/** The column of a graph that the cursor is on, and the time that it stands for. */
export interface GraphCell {
  readonly cell: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the column of a graph for a time; `undefined` outside of the graph. */
export function cellAt({ beginMs, cellMs, cells }: GraphTimes, atMs: number | undefined): GraphCell | undefined {
  if (atMs === undefined) return undefined;
  const cell = Math.floor((atMs - beginMs) / cellMs);
  const fromMs = beginMs + cell * cellMs;
  return cell < 0 || cell >= cells ? undefined : { cell, fromMs, toMs: fromMs + cellMs };
}

/** Cells of this length and more have a beginning and an end. */
const longCellMs = 60_000;

/** Writes the clock time of a column: `14:02:31`, or `14:02–14:04`. */
export function cellTime({ fromMs, toMs }: GraphCell): SafeText {
  const clock = (ms: number): string => clockText(ms + shownClockOffsetMs());
  return trusted(
    toMs - fromMs < longCellMs ? clock(fromMs) : `${clock(fromMs).slice(0, 5)}–${clock(toMs).slice(0, 5)}`,
  );
}

const graphClickId = 'graph';

/** Draws a row of a graph with its cursor. */
export function graphRow(text: SafeText, role: Role, cursor: GraphCell | undefined): SpanRow {
  if (cursor === undefined) return [{ text, role, clickId: graphClickId }];
  const drawn = [...text];
  const under = drawn[cursor.cell] ?? ' ';
  return [
    { text: trusted(drawn.slice(0, cursor.cell).join('')), role, clickId: graphClickId },
    { text: under === ' ' ? safe`│` : trusted(under), role: 'accent', clickId: graphClickId },
    { text: trusted(drawn.slice(cursor.cell + 1).join('')), role, clickId: graphClickId },
  ];
}

/** Returns the column of the graph that is drawn at a column of a row; `undefined` beside it. */
export function clickedCell(row: SpanRow, column: number): number | undefined {
  let end = 0;
  let begin: number | undefined;
  for (const { text, clickId } of row) {
    begin = clickId === graphClickId ? (begin ?? end) : undefined;
    end += widthOf(text);
    if (column < end) return begin === undefined ? undefined : column - begin;
  }
  return undefined;
}
