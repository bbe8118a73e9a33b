import { type ReactNode, useEffect, useState } from 'react';
import { composeLine, wrapWords } from '../../terminal/line.ts';
import { unknownText } from '../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { blankRow, endsRow, fillRows, fitSpans, type SpanRow } from '../components/blocks.ts';
import { cellContext, type Column, nameOf } from '../components/column.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { type Panel, panelFrame, panelRows } from '../components/panel.ts';
import { listTexts } from './texts.ts';

/**
 * The width from which on a list keeps a third for the row under the cursor; of wider screens less, so that columns
 * come in.
 */
const minWidth = 140;
const minPanelWidth = Math.floor(minWidth / 3);
const wideShare = 0.27;

/** Returns the columns of the panel beside a list, with the one between them; 0 where there is none. */
export const detailWidthOf = (width: number): number =>
  width < minWidth ? 0 : Math.max(minPanelWidth, Math.floor(width * wideShare));

export const tableWidthOf = (width: number): number => width - detailWidthOf(width);

/** Returns columns and lines for the content of a panel of this size. */
export const detailRoom = (width: number, height: number): { readonly width: number; readonly height: number } => ({
  width: width - 1 - panelFrame.columns,
  height: Math.max(0, height - panelFrame.lines),
});

export interface DetailPanelProps extends Panel {
  readonly content: readonly SpanRow[];
  readonly width: number;
  readonly height: number;
  readonly panelHeight?: number | undefined;
}

/** Draws a panel beside a list, in exactly `width` by `height`; below the last of `panelHeight` rows it is blank. */
export const DetailPanel = ({
  content,
  width,
  height,
  panelHeight = height,
  ...panel
}: DetailPanelProps): ReactNode => {
  const theme = useTheme();
  const rows = fillRows(panelRows(width - 1, panelHeight, panel, content), height);
  return <Rows lines={rows.map((row) => composeLine(theme, width, [{ text: safe` ` }, ...row]))} />;
};

/** The cursor stays so long on a row before more is read about it. */
const restMs = 300;

/** Returns the value once it has stayed the same for a while; `undefined` before. */
export const useRested = (value: string | undefined): string | undefined => {
  const [rested, setRested] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => {
      setRested(value);
    }, restMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return rested === value ? rested : undefined;
};

export interface DetailField {
  readonly label: SafeText;
  readonly value: SafeText;
  readonly role?: Role | undefined;
  /** Draws the value, such as a gauge, in so many columns. */
  readonly draw?: ((width: number) => SpanRow) | undefined;
}

const minLabelWidth = 11;

/** Draws a label and a value in each row. */
export const detailRows = (width: number, fields: readonly DetailField[]): readonly SpanRow[] => {
  const labelWidth = Math.max(minLabelWidth, ...fields.map(({ label }) => widthOf(label) + 2));
  return fields.map(({ label, value, role, draw }) =>
    fitSpans(
      [{ text: fit(label, labelWidth), role: 'dim' }, ...(draw?.(width - labelWidth) ?? [{ text: value, role }])],
      width,
    ),
  );
};

/** Fields that a page or panel does not draw itself, as far as they are known: a new field needs no line there. */
export const restFields = <Row, Data>(
  theme: Theme,
  width: number,
  columns: readonly Column<Row, Data>[],
  drawn: readonly string[],
  row: Row,
  data: Data,
): readonly DetailField[] =>
  columns.flatMap((column): readonly DetailField[] => {
    if (drawn.includes(column.id)) return [];
    const value = column.format(row, cellContext(theme, width, data));
    return value === unknownText ? [] : [{ label: trusted(nameOf(column).toLowerCase()), value }];
  });

export const restRows = <Row, Data>(
  theme: Theme,
  width: number,
  ...rest: [columns: readonly Column<Row, Data>[], drawn: readonly string[], row: Row, data: Data]
): readonly SpanRow[] => detailRows(width, restFields(theme, width, ...rest));

export interface DetailSection {
  /** The title; none above the first section. */
  readonly title?: SafeText | undefined;
  readonly note?: SafeText | undefined;
  readonly rows: readonly SpanRow[];
}

/** Draws what a row itself holds: fields, and lists below their titles. No higher than these. */
export const rowPanel = (
  title: SafeText,
  sections: readonly DetailSection[],
  width: number,
  height: number,
): ReactNode => {
  const room = detailRoom(width, height);
  const content = sections.flatMap((section, index): readonly SpanRow[] => [
    ...(index === 0 ? [] : [blankRow]),
    ...(section.title === undefined
      ? []
      : [
          endsRow(
            room.width,
            [{ text: section.title, role: 'title' }],
            [{ text: section.note ?? safe``, role: 'dim' }],
          ),
        ]),
    ...section.rows,
  ]);
  const hidden = content.length - room.height;
  const shown =
    hidden > 0
      ? [...content.slice(0, room.height - 1), [{ text: listTexts.moreLines(hidden + 1), role: 'dim' as const }]]
      : content;
  return (
    <DetailPanel
      width={width}
      height={height}
      panelHeight={Math.min(height, shown.length + panelFrame.lines)}
      title={title}
      content={shown}
    />
  );
};

/** One text takes max so many lines. */
const maxTextLines = 12;

/** Draws a broker's text in full, as far as it fits. */
export const longTextRows = (theme: Theme, width: number, raw: string): readonly SpanRow[] =>
  wrapWords(theme.escape(raw, width * (maxTextLines + 1)), width)
    .slice(0, maxTextLines)
    .map((text) => [{ text }]);
