import { Box } from 'ink';
import { createContext, type ReactNode } from 'react';
import { capitalized as capitalizedText } from '../../domain/text.ts';
import { composeLine, joinLines, type Line, type Span, spanAt } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { usePointer } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { Over, Rows, useTheme } from './drawing.tsx';
import { boxLines } from './panel.ts';
import { scrollableTexts } from './texts.ts';
import type { CommandId } from '../keys/bindings.ts';

export interface Button {
  readonly id: CommandId;
  readonly keys: SafeText;
  readonly label: SafeText;
  /** Enter presses this button, where there is a choice. */
  readonly isDefault?: boolean | undefined;
  readonly isDangerous?: boolean | undefined;
}

interface ButtonSpan extends Span {
  readonly id?: CommandId | undefined;
}

/** Writes the verb of a button: `Disconnect`. */
export const capitalizedLabel = (text: SafeText): SafeText => trusted(capitalizedText(text));

const buttonSpans = (theme: Theme, buttons: readonly Button[]): readonly ButtonSpan[] => [
  { text: safe` ` },
  ...buttons.flatMap(({ id, keys, label, isDefault = false, isDangerous = false }): readonly ButtonSpan[] => {
    const base: Role = isDefault ? 'cursor' : 'normal';
    // Without terminal codes the default has brackets.
    const [before, after] = isDefault && theme.depth === 'none' ? [safe`[`, safe`]`] : [safe` `, safe` `];
    return [
      { id, text: safe`${before}${keys}`, role: isDangerous ? 'error' : 'key', base },
      { id, text: safe` ${capitalizedLabel(label)}${after}`, role: isDangerous ? 'error' : 'normal', base },
      { text: safe` ` },
    ];
  }),
];

/** Draws the buttons of a dialog, which say its keys; `note` stands behind them. */
export const buttonsLine = (theme: Theme, width: number, buttons: readonly Button[], note?: SafeText): Line =>
  composeLine(theme, width, [
    ...buttonSpans(theme, buttons),
    ...(note === undefined ? [] : [{ text: safe` ${note}`, role: 'dim' } as const]),
  ]);

export const closeButtons = (id: 'outcomeClose' | 'helpClose'): readonly Button[] => [
  { id, keys: safe`Enter/Esc`, label: scrollableTexts.close },
];

/** A dialog in the room it gets: the title first, the buttons last. */
export interface DialogContent {
  readonly lines: readonly Line[];
  /** The number of lines that cannot be seen without scrolling. */
  readonly maxTop?: number | undefined;
  /** The blank lines are room for a list. */
  readonly hasList?: boolean | undefined;
}

/** The name of the cluster that dialogs act on. */
export const ClusterNameContext = createContext<Span | undefined>(undefined);

export interface DialogOptions<Content extends DialogContent> {
  readonly theme: Theme;
  readonly title: SafeText;
  /** The action disconnects, stops or deletes. */
  readonly isDangerous?: boolean | undefined;
  /** Stands in the border: the cluster, where there is one thing to confirm. */
  readonly note?: Span | undefined;
  /** The width of the screen. */
  readonly width: number;
  readonly height: number;
  readonly draw: (width: number, height: number) => Content;
}

export interface Dialog<Content> {
  readonly content: Content;
  readonly lines: readonly Line[];
  readonly width: number;
  /** The dialog has no sides, and stands at the bottom of the screen. */
  readonly isOpen: boolean;
  /** The line that has the buttons. */
  readonly buttonsAt: number;
  /** The line that has the first line of the content. */
  readonly firstLine: number;
}

/** The smallest screen with boxes: in a smaller one, a box would take more than it gives. */
const minBoxed = { width: 70, height: 14 } as const;
const usualWidth = 92;
const outerMargin = 4;
const borderLines = 2;
const borderColumns = 2;
/** Columns between the box and what it stands over, on each side. */
const gap = 2;
const sideColumns = gap + borderColumns / 2;

/**
 * Fits a dialog into a box, into a wider box where that shows all of it, or without sides where there is little room.
 */
export const fitDialog = <Content extends DialogContent>({
  theme,
  title,
  isDangerous = false,
  note,
  width,
  height,
  draw,
}: DialogOptions<Content>): Dialog<Content> => {
  const border: Role = isDangerous ? 'error' : 'accent';
  const widths =
    width < minBoxed.width || height < minBoxed.height
      ? []
      : [...new Set([Math.min(width - outerMargin, usualWidth), width - outerMargin])];
  const isWhole = ({ maxTop = 0 }: DialogContent): boolean => maxTop === 0;
  for (const boxWidth of widths) {
    const inner = boxWidth - borderColumns;
    // The border has the title.
    const content = draw(inner, height - borderLines + 1);
    if (!isWhole(content)) {
      if (boxWidth !== widths.at(-1)) continue;
      const open = draw(width, height);
      if (isWhole(open)) return openDialog(open, width);
    }
    const body = content.lines.slice(1);
    const blank = composeLine(theme, inner, []);
    const side = composeLine(theme, gap, []);
    const spare = height - borderLines - body.length;
    const isSpaced = body.at(-2) === blank && content.hasList !== true;
    const lines = [
      ...(spare > 0 ? [blank] : []),
      ...body.slice(0, -1),
      ...(spare > 1 && !isSpaced ? [blank] : []),
      ...body.slice(-1),
      ...(spare > 2 ? [blank] : []),
    ];
    return {
      content,
      lines: boxLines(
        theme,
        boxWidth,
        {
          title,
          border,
          titleRole: isDangerous ? 'error' : 'title',
          ...(note !== undefined && { note: note.text, noteRole: note.role }),
        },
        lines,
      ).map((line) => joinLines(side, line, side)),
      width: boxWidth + 2 * gap,
      isOpen: false,
      buttonsAt: lines.length - (spare > 2 ? 1 : 0),
      firstLine: spare > 0 ? 1 : 0,
    };
  }
  return openDialog(draw(width, height), width);
};

const openDialog = <Content extends DialogContent>(content: Content, width: number): Dialog<Content> => ({
  content,
  lines: content.lines,
  width,
  isOpen: true,
  buttonsAt: content.lines.length - 1,
  firstLine: 0,
});

export interface DialogBoxProps {
  readonly dialog: Pick<Dialog<unknown>, 'lines' | 'width' | 'isOpen' | 'buttonsAt' | 'firstLine'>;
  readonly buttons: readonly Button[];
  /** The size of the screen. */
  readonly area: { readonly width: number; readonly height: number };
  /** The lines that are spoken, if not all. */
  readonly spoken?: readonly Line[] | undefined;
  /** Content drawn over the lines, the first of which is the title's. */
  readonly inside?: { readonly line: number; readonly children: ReactNode } | undefined;
}

/** Draws a dialog over the screen; its buttons can be clicked. */
export const DialogBox = ({
  dialog: { lines, width, isOpen, buttonsAt, firstLine },
  buttons,
  area,
  inside,
  spoken,
}: DialogBoxProps): ReactNode => {
  const theme = useTheme();
  const { clickButton } = usePointer();
  useSpoken({ rank: 'dialog', lines: () => spoken ?? lines });
  const onClick = (line: number, column: number): void => {
    const id =
      line === buttonsAt ? spanAt(buttonSpans(theme, buttons), column - (isOpen ? 0 : sideColumns))?.id : undefined;
    if (id !== undefined) clickButton(id);
  };
  return (
    <Over {...area} isAtBottom={isOpen}>
      <Box flexDirection="column" width={width} flexShrink={0}>
        <Rows lines={lines} onClick={onClick} />
        {inside !== undefined && (
          <Box
            position="absolute"
            flexDirection="column"
            marginTop={firstLine + inside.line}
            marginLeft={isOpen ? 0 : sideColumns}
            width={isOpen ? width : width - 2 * sideColumns}
          >
            {inside.children}
          </Box>
        )}
      </Box>
    </Over>
  );
};
