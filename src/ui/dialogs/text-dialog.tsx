import { Box } from 'ink';
import type { ReactNode } from 'react';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Menu, useMenu } from '../components/menu.tsx';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { scrolledWindow, type TextWindow, useTop } from '../hooks/use-scroll.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { AskRequest, MenuRequest, TextRequest } from './ask.ts';

export interface TextView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
}

/** Labelled texts in full, max `height` lines, scrolled to line `top`. */
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
  readonly height: number;
  readonly onClose: () => void;
}

/** Shows in full what a list cuts. Also available in read-only mode. */
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

export interface MenuDialogProps {
  readonly request: MenuRequest;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (next: AskRequest) => void;
  readonly onCancel: () => void;
}

/** A menu of dialogs. */
export const MenuDialog = ({ request, width, height, onChoose, onCancel }: MenuDialogProps): ReactNode => {
  const theme = useTheme();
  const { title, choices, notes = [] } = request;
  const selectedId = useMenu(choices.map(({ id }) => id), {
    onChoose: (id) => {
      const choice = choices.find((candidate) => candidate.id === id);
      if (choice !== undefined) {
        onChoose(choice.request);
      }
    },
    onClose: onCancel,
    hasLetters: true,
  });
  // Swallows typed text, so that it does not reach the list behind.
  useKeys('prompt', {}, { onText: () => {}, onPaste: () => {} });
  const noteLines = notes.flatMap((note) => wrapWords(note, Math.max(2, width - 4))).slice(0, Math.max(0, height - 3));
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Rows lines={[titleLine(theme, width, title)]} />
      <Menu items={choices.map(({ id, label, note }) => ({ id, label, note }))} selectedId={selectedId} width={width} height={Math.max(1, height - 2 - noteLines.length)} />
      <Rows
        lines={[
          ...noteLines.map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
          composeLine(theme, width, [{ text: safe`  ` }, { text: safe`Enter`, role: 'key' }, { text: safe` choose  ` }, { text: safe`Esc`, role: 'key' }, { text: safe` cancel` }]),
        ]}
      />
    </Box>
  );
};
