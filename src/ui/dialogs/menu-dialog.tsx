import { Box } from 'ink';
import type { ReactNode } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { useMenu } from '../hooks/use-menu.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { composeLine } from '../../terminal/line.ts';
import { Menu } from '../components/menu.tsx';
import { titleLine } from '../components/title-line.ts';
import { Rows } from '../components/rows.tsx';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { AskRequest, MenuRequest } from './ask.ts';

export interface MenuDialogProps {
  readonly request: MenuRequest;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onChoose: (next: AskRequest) => void;
  readonly onCancel: () => void;
}

/** What can be done here, to choose from. */
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
  // Nothing is typed here, and nothing that is typed may reach the list behind.
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
