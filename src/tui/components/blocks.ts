/** Parts of a screen as rows of spans, so that two parts can share a line. */
import { glyphs, rule } from '../../terminal/glyphs.ts';
import { composeLine, cutSpans, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, spaces } from '../../terminal/safe-text.ts';
import { cutText, fit, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';

export type SpanRow = readonly Span[];

export const blankRow: SpanRow = [];

export const fitSpans = (spans: SpanRow, width: number): SpanRow => {
  const shown = spans.filter(({ text }) => text !== '');
  const shownWidth = spansWidth(shown);
  if (shownWidth <= width) {
    return [...shown, { text: spaces(width - shownWidth) }];
  }
  const cut = cutSpans(shown, width);
  return [...cut, { text: spaces(width - spansWidth(cut)) }];
};

/** Puts a left and a right end into one row; the left one is cut first. */
export const endsRow = (width: number, left: SpanRow, right: SpanRow): SpanRow => {
  const rightWidth = spansWidth(right);
  return rightWidth + 2 > width
    ? fitSpans(left, width)
    : [...fitSpans(left, width - rightWidth - 1), { text: safe` ` }, ...right];
};

/** Draws the left end of a selected row. On an inverse bar half a block would look cut out of it. */
export const cursorSpan = (theme: Theme): Span =>
  theme.depth !== 'none' && theme.styles.cursor.inverse === true
    ? { text: safe`█`, role: 'accent', base: 'normal' }
    : { text: safe`▌`, role: 'accent', base: 'cursor' };

/** Draws the cursor of a row, which is the same in lists and menus. */
export const rowCursor = (theme: Theme): Span => ({
  text: glyphs.cursor,
  role: theme.styles.cursor.inverse === true ? 'normal' : 'accent',
});

/** Whether `titleRow` made it. */
export const isTitleRow = (row: SpanRow | undefined): boolean => row?.[0]?.text.startsWith(rule(2)) === true;

export const titleRow = (width: number, title: SafeText, right?: SafeText | undefined, role: Role = 'dim'): SpanRow => {
  const maxWidth = width - 8 - Math.min(widthOf(title), 26);
  const note = right === undefined ? safe`` : cutText(right, Math.max(0, maxWidth));
  const ending: SpanRow =
    note === '' ? [] : [{ text: safe` ` }, { text: note, role }, { text: safe` ${rule(1)}`, role: 'border' }];
  const shown = cutText(title, Math.max(0, width - spansWidth(ending) - 5));
  const middle = width - 4 - widthOf(shown) - spansWidth(ending);
  return [
    { text: safe`${rule(2)} `, role: 'border' },
    { text: shown, role: 'title' },
    { text: safe` ${rule(middle)}`, role: 'border' },
    ...ending,
  ];
};

export const fillRows = (rows: readonly SpanRow[], height: number): readonly SpanRow[] =>
  Array.from({ length: Math.max(0, height) }, (_, index) => rows[index] ?? blankRow);

export const sideBySide = (
  left: readonly SpanRow[],
  leftWidth: number,
  gap: number,
  right: readonly SpanRow[],
): readonly SpanRow[] => {
  const rows: SpanRow[] = [];
  for (let line = 0; line < Math.max(left.length, right.length); line += 1) {
    rows.push([...fitSpans(left[line] ?? blankRow, leftWidth), { text: spaces(gap) }, ...(right[line] ?? blankRow)]);
  }
  return rows;
};

export const inColumns = (rows: readonly SpanRow[], columns: number, width: number, gap = 2): readonly SpanRow[] => {
  const perColumn = Math.ceil(rows.length / Math.max(1, columns));
  const lines: SpanRow[] = [];
  for (let index = 0; index < perColumn; index += 1) {
    const line: Span[] = [];
    for (let column = 0; column < columns; column += 1)
      line.push(
        ...(column === 0 ? [] : [{ text: spaces(gap) }]),
        ...fitSpans(rows[column * perColumn + index] ?? blankRow, width),
      );
    lines.push(line);
  }
  return lines;
};

export const asStale = (rows: readonly SpanRow[], isStale: boolean): readonly SpanRow[] =>
  isStale ? rows.map((row) => row.map((span) => ({ ...span, role: 'stale' }))) : rows;

export const toLines = (theme: Theme, width: number, height: number, rows: readonly SpanRow[]): readonly Line[] =>
  fillRows(rows, height).map((row) => composeLine(theme, width, row));

export interface LabelledValue {
  readonly label: SafeText;
  readonly value: SafeText;
  readonly role?: Role | undefined;
}

const labelWidth = 14;
const cellWidth = 38;
const maxColumns = 4;

export const fieldLines = (
  theme: Theme,
  width: number,
  fields: readonly LabelledValue[],
  base: Role = 'normal',
): readonly Line[] => {
  const columns = Math.max(1, Math.min(maxColumns, Math.floor((width - 2) / cellWidth), fields.length));
  const height = Math.ceil(fields.length / columns);
  const each = Math.floor((width - 2) / columns);
  return Array.from({ length: height }, (_, line) =>
    composeLine(
      theme,
      width,
      [
        { text: safe`  ` },
        ...Array.from({ length: columns }, (_, column) => fields[column * height + line]).flatMap((field) =>
          field === undefined
            ? []
            : [
                { text: fit(field.label, labelWidth), role: 'dim' as const },
                { text: safe`${fit(field.value, Math.max(1, each - labelWidth - 2))}  `, role: field.role },
              ],
        ),
      ],
      base,
    ),
  );
};

export const titleLine = (theme: Theme, width: number, title: SafeText, right?: SafeText): Line =>
  composeLine(theme, width, titleRow(width, title, right));

/** Draws the title of something dangerous, all of it red. */
export const dangerLine = (theme: Theme, width: number, title: SafeText): Line =>
  composeLine(
    theme,
    width,
    titleRow(width, title).map((span) => ({ ...span, role: 'error' })),
  );
