import { useState, type ReactNode } from 'react';
import { useConfirmKeys } from '../hooks/use-confirm-keys.ts';
import { useTheme } from '../theme-context.ts';
import { answerLine, confirmLines } from '../widgets/confirm.tsx';
import { Rows } from '../widgets/rows.tsx';
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

/** Asks before something is done; cancelling is what happens unless one says otherwise. */
export const ConfirmDialog = ({ request, width, height, onConfirm, onCancel }: ConfirmDialogProps): ReactNode => {
  const theme = useTheme();
  const [top, setTop] = useState(0);
  const { mustType, verb } = request;
  const onScroll = (by: number): void => { setTop((old) => Math.max(0, Math.min(maxTop, old + by))); };
  useConfirmKeys({ onConfirm, onCancel, onScroll, isActive: mustType === undefined });
  const typed = useTypedName({ wanted: mustType ?? '', onConfirm, onCancel, onScroll, isActive: mustType !== undefined });
  const answer = mustType === undefined ? [answerLine(theme, width, verb)] : typedNameLines(theme, width, mustType, verb, typed);
  const { lines, maxTop } = confirmLines(theme, width, height, request, answer, top);
  return <Rows lines={lines} />;
};
