import { rule } from '../../terminal/glyphs.ts';
import { composeLine, joinLines, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { blankRow, fillRows, fitSpans, type SpanRow, titleRow } from './blocks.ts';

export interface Panel {
  readonly title: SafeText;
  /** Stands in the border, at its right end; in parts, it has roles of its own. */
  readonly note?: SafeText | SpanRow | undefined;
  readonly noteRole?: Role | undefined;
  /** The role of the border: `accent` for the focused panel, `error` for danger. */
  readonly border?: Role | undefined;
  readonly titleRole?: Role | undefined;
  /** Stands in the border below, at its left and at its right end. */
  readonly foot?: readonly [left: SafeText, right: SafeText] | undefined;
}

/** Lines and columns that a panel with sides takes besides its content. */
export const panelFrame = { lines: 2, columns: 4 } as const;

/** Draws a panel of exactly `height` rows, borders included. */
export function panelRows(
  width: number,
  height: number,
  { title, note, noteRole = 'dim', border = 'border', titleRole = 'title', foot }: Panel,
  content: readonly SpanRow[],
): readonly SpanRow[] {
  if (height < 1) return [];
  const side: Span = { text: safe`│`, role: border };
  const gap: Span = { text: safe` ` };
  const rows: SpanRow[] = [topRow(width, { title, note, noteRole, border, titleRole })];
  for (let line = 0; line < height - panelFrame.lines; line += 1)
    rows.push([side, gap, ...fitSpans(content[line] ?? blankRow, width - panelFrame.columns), gap, side]);
  rows.push(bottomRow(width, border, foot));
  return rows.slice(0, height);
}

/** Columns that the border takes around the texts of a foot. */
export const footFrame = 8;

function bottomRow(width: number, border: Role, foot: Panel['foot']): SpanRow {
  if (foot === undefined) return [{ text: safe`╰${rule(width - 2)}╯`, role: border }];
  const [left, right] = foot;
  const room = width - footFrame;
  const shownRight = widthOf(right) < room ? right : safe``;
  const before = footSpans(cutText(left, Math.max(0, room - widthOf(shownRight))));
  const after = footSpans(shownRight);
  return [
    { text: safe`╰${rule(1)}`, role: border },
    ...before,
    { text: rule(width - 4 - spansWidth(before) - spansWidth(after)), role: border },
    ...after,
    { text: safe`${rule(1)}╯`, role: border },
  ];
}

const footSpans = (text: SafeText): readonly Span[] => (text === '' ? [] : [{ text: safe` ${text} `, role: 'dim' }]);

/** Draws a panel around finished lines, which are two columns narrower. */
export function boxLines(theme: Theme, width: number, panel: Panel, lines: readonly Line[]): readonly Line[] {
  const [top = [], bottom = []] = panelRows(width, panelFrame.lines, panel, []);
  const side = composeLine(theme, 1, [{ text: safe`│`, role: panel.border ?? 'border' }]);
  return [
    composeLine(theme, width, top),
    ...lines.map((line) => joinLines(side, line, side)),
    composeLine(theme, width, bottom),
  ];
}

/** Draws a panel without sides: a title in a rule, and the content below it, in exactly `height` rows. */
export const openPanelRows = (
  width: number,
  height: number,
  { title, note, noteRole }: Panel,
  content: readonly SpanRow[],
): readonly SpanRow[] =>
  fillRows(
    [titleRow(width, title, joinSafe(noteSpans(note, noteRole).map(({ text }) => text)), noteRole), ...content],
    height,
  );

const noteSpans = (note: Panel['note'], role: Role | undefined): SpanRow =>
  note === undefined ? [] : typeof note === 'string' ? [{ text: note, role }] : note;

function topRow(width: number, { title, note, noteRole, border, titleRole }: Panel): SpanRow {
  const shownTitle = cutText(title, Math.max(0, width - 6));
  const room = width - 8 - widthOf(shownTitle);
  const spans = room < 8 ? [] : noteSpans(note, noteRole);
  const noteWidth = spans.length === 0 ? 0 : Math.min(room, spansWidth(spans));
  const taken = widthOf(shownTitle) + (noteWidth === 0 ? 0 : noteWidth + 2);
  return [
    { text: safe`╭ `, role: border },
    { text: shownTitle, role: titleRole },
    { text: safe` ${rule(width - 4 - taken - (noteWidth === 0 ? 0 : 1))}`, role: border },
    ...(noteWidth === 0
      ? []
      : [
          { text: safe` ` },
          ...(spans.length === 1
            ? spans.map(({ text, role }) => ({ text: cutText(text, noteWidth), role }))
            : fitSpans(spans, noteWidth)),
          { text: safe` ` },
          { text: rule(1), role: border },
        ]),
    { text: safe`╮`, role: border },
  ];
}
