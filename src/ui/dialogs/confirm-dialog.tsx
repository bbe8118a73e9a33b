import { type ReactNode, useState } from 'react';
import type { ActingState, ActionState, WatchedMonitor } from '../../actions/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { composeLine, type Line } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { nameLimits, type TextField } from '../../terminal/text-field.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { answerLine, type Confirmation, confirmLines, unseenLine } from '../components/confirm.tsx';
import { Rows } from '../components/painted.tsx';
import { promptLine } from '../components/text-prompt.tsx';
import { useTheme } from '../components/theme-context.ts';
import { type OnScroll, useConfirmKeys, useTop } from '../hooks/use-scroll.ts';
import { useStore } from '../hooks/use-store.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { ConfirmRequest } from './ask.ts';

export interface ConfirmDialogProps {
  readonly request: ConfirmRequest;
  readonly width: number;
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before an action. Cancelling is the default, and confirming needs the whole target to have been on screen. */
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

export interface TypedNameOptions {
  /** Has to be typed exactly, either raw or as shown. */
  readonly wanted: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive: boolean;
}

export interface TypedName {
  readonly field: TextField;
  /** Enter was pressed on something else. */
  readonly isWrong: boolean;
}

/** A question answered by typing a name; Enter confirms once it matches. */
export const useTypedName = ({ wanted, onConfirm, onCancel, onScroll, isActive }: TypedNameOptions): TypedName => {
  const theme = useTheme();
  const [refused, setRefused] = useState<string | undefined>(undefined);
  // Reached only while the text does not match.
  const [field] = useTextField({ limits: nameLimits, isActive, onAccept: setRefused });
  useKeys(
    'confirmName',
    {
      // Raw or as shown: the operator cannot see which one is wanted.
      ...(field.text === wanted || field.text === theme.escape(wanted) ? { nameAccept: onConfirm } : {}),
      nameCancel: onCancel,
      nameUp: () => { onScroll(-1, 'line'); },
      nameDown: () => { onScroll(1, 'line'); },
      namePageUp: () => { onScroll(-1, 'page'); },
      namePageDown: () => { onScroll(1, 'page'); },
    },
    { isActive },
  );
  return { field, isWrong: refused !== undefined && refused === field.text };
};

/** The lines with the name field and what Enter does. */
export const typedNameLines = (theme: Theme, width: number, wanted: string, verb: SafeText, { field, isWrong }: TypedName): readonly Line[] => [
  promptLine(theme, width, safe`  type ${cutText(theme.escape(wanted), Math.max(8, Math.floor(width / 3)))} to ${verb}: `, field),
  composeLine(theme, width, [
    isWrong
      ? { text: safe`  ! that is not the same; nothing was done`, role: 'error' }
      : { text: safe`  Enter does it once it stands there · Esc cancels`, role: 'dim' },
  ]),
];

type Running = Pick<ActionState, 'actions' | 'bulk'>;

/** Whether ending the program would cut an action short. */
export const isActing = ({ actions, bulk }: Running): boolean =>
  (bulk !== undefined && bulk.phase !== 'finished') || actions.some(({ phase }) => phase !== 'finished');

const maxTitleLength = 200;

/** Asks about what ending the program would cut short. */
export const quitQuestion = (theme: Theme, { actions, bulk }: Running): Confirmation => {
  const lines: SafeText[] = [];
  if (bulk !== undefined && bulk.phase !== 'finished') {
    lines.push(safe`${theme.escape(bulk.title, maxTitleLength)}: ${formatCount(bulk.waiting + bulk.running - bulk.sent)} of ${formatCount(bulk.total)} would not be reached, of ${formatCount(bulk.sent)} that are sent the outcome would not be known.`);
  }
  for (const { title, phase } of actions) {
    if (phase !== 'finished') {
      lines.push(safe`${theme.escape(title.slice(0, maxTitleLength))}: ${phase === 'checking' || phase === 'recording' ? safe`it would not be sent` : safe`it is sent, its outcome would not be known`}.`);
    }
  }
  return {
    question: safe`Quit now?`,
    target: lines.length === 0 ? 'Nothing is being done any more.' : 'Something is being done still.',
    details: lines,
    verb: safe`quit`,
  };
};

export interface QuitDialogProps {
  readonly monitor: WatchedMonitor;
  readonly width: number;
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

const selectActions = ({ actions }: ActingState): ActionState['actions'] => actions;
const selectBulk = ({ bulk }: ActingState): ActionState['bulk'] => bulk;

/** Asks before the program ends while an action runs; staying is the default. */
export const QuitDialog = ({ monitor, width, height, onConfirm, onCancel }: QuitDialogProps): ReactNode => {
  const theme = useTheme();
  const actions = useStore(monitor.store, selectActions);
  const bulk = useStore(monitor.store, selectBulk);
  const { top, onScroll } = useTop();
  const question = quitQuestion(theme, { actions, bulk });
  const view = confirmLines(theme, width, height, question, [answerLine(theme, width, question.verb)], top);
  useConfirmKeys({
    onConfirm,
    onCancel,
    onScroll: onScroll(() => view),
  });
  return <Rows lines={view.lines} />;
};
