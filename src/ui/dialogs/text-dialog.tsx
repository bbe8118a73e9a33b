import type { ReactNode } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { useTop } from '../hooks/use-scroll.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { type TextWindow, scrolledWindow } from '../text-window.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, composeLine } from '../../terminal/line.ts';
import { titleLine } from '../components/title-line.ts';
import { Rows } from '../components/rows.tsx';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { TextRequest } from './ask.ts';

export interface TextView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
}

/** Texts with their labels in finished lines, at most `height`: each in full, what has no room from `top` on. */
export const textLines = (theme: Theme, width: number, height: number, { title, parts }: TextRequest, top = 0): TextView => {
  const all = parts.flatMap(({ label, text }) => wrapWords(text, Math.max(2, width - 4)).map((line, index) =>
    ({ label: index === 0 ? label : undefined, line }))).flatMap(({ label, line }) => [
    ...(label === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ` }, { text: label, role: 'dim' }])]),
    composeLine(theme, width, [{ text: safe`  ` }, { text: line }]),
  ]);
  const { from, to, maxTop, page, position } = scrolledWindow(all.length, Math.max(1, height - 2), top);
  const lines = [
    titleLine(theme, width, title),
    ...all.slice(from, to),
    ...(position === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ${position}`, role: 'dim' }])]),
    composeLine(theme, width, [{ text: safe`  ` }, { text: safe`Enter Esc`, role: 'key' }, { text: safe` close` }]),
  ];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page };
};

export interface TextDialogProps {
  readonly request: TextRequest;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onClose: () => void;
}

/** Shows in full what a list has to cut. Asks nothing, so it is there in read-only mode too. */
export const TextDialog = ({ request, width, height, onClose }: TextDialogProps): ReactNode => {
  const theme = useTheme();
  const { top, scroll } = useTop();
  const view = textLines(theme, width, height, request, top);
  const by = (lines: number) => (): void => { scroll(lines, view.maxTop); };
  useKeys('help', {
    helpClose: onClose, helpUp: by(-1), helpDown: by(1), helpPageUp: by(-view.page), helpPageDown: by(view.page),
  });
  return <Rows lines={view.lines} />;
};
