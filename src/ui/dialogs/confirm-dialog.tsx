import { useState, type ReactNode } from 'react';
import { useConfirmKeys } from '../hooks/use-confirm-keys.ts';
import { useTop } from '../hooks/use-scroll.ts';
import { useTheme } from '../theme-context.ts';
import { answerLine, confirmLines, unseenLine } from '../components/confirm.tsx';
import { Rows } from '../components/rows.tsx';
import type { ConfirmRequest } from './ask.ts';
import { typedNameLines, useTypedName } from './typed-name.ts';

export interface ConfirmDialogProps {
  readonly request: ConfirmRequest;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before something is done; cancelling is what happens unless one says otherwise, and nobody says yes to half an id. */
export const ConfirmDialog = ({ request, width, height, onConfirm, onCancel }: ConfirmDialogProps): ReactNode => {
  const theme = useTheme();
  const { top, onScroll: scrolling } = useTop();
  const [hasSeen, setHasSeen] = useState(false);
  const { mustType, verb } = request;
  const onScroll = scrolling(() => view);
  const typed = useTypedName({ wanted: mustType ?? '', onConfirm, onCancel, onScroll, isActive: mustType !== undefined });
  const answer = mustType !== undefined
    ? typedNameLines(theme, width, mustType, verb, typed)
    : [hasSeen ? answerLine(theme, width, verb) : unseenLine(theme, width)];
  const view = confirmLines(theme, width, height, request, answer, top);
  if (view.isTargetEnd && !hasSeen) {
    setHasSeen(true);
  }
  useConfirmKeys({ onConfirm: hasSeen ? onConfirm : undefined, onCancel, onScroll, isActive: mustType === undefined });
  return <Rows lines={view.lines} />;
};
