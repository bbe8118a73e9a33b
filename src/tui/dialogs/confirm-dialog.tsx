import type { ConfirmRequest } from '../../actions/requests.ts';
import { type ReactNode, use, useCallback, useState } from 'react';
import { steadyNowMs } from '../../monitor/clock.ts';
import type { MonitorState } from '../../monitor/state.ts';
import type { ActingState, ActionState, WatchedMonitor } from '../../actions/acting-monitor.ts';
import { composed } from '../../domain/text.ts';
import { composeLine, type Line } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { nameLimits, type TextField } from '../../terminal/text-field.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import {
  answerButtons,
  answerLine,
  cancelOnly,
  type Confirmation,
  confirmLines,
  unseenButtons,
  useConfirmKeys,
} from '../components/confirm.tsx';
import { type Button, buttonsLine, ClusterNameContext, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { promptLine, useTextField } from '../components/text-prompt.tsx';
import { type OnScroll, useTop } from '../hooks/use-scroll.ts';
import { useStore } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import { confirmTexts, dialogTexts } from './texts.ts';

export interface ConfirmDialogProps {
  readonly monitor: WatchedMonitor;
  readonly request: ConfirmRequest;
  readonly width: number;
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Returns the change of a target since the dialog about it was opened, as last known. */
const useTargetChange = (monitor: WatchedMonitor, follow: ConfirmRequest['follow']): SafeText | undefined => {
  const [openedAtMs] = useState(() => steadyNowMs());
  const now = useStore(
    monitor.store,
    useCallback((state: MonitorState) => follow?.changeSince(state, openedAtMs), [follow, openedAtMs]),
  );
  const [last, setLast] = useState(now);
  // While the target is read again the state tells nothing.
  if (now !== undefined && now !== last) setLast(now);
  return last === 'unchanged' ? undefined : last;
};

/** Asks before an action. Cancelling is the default, and confirming needs the whole target to have been on screen. */
export const ConfirmDialog = ({
  monitor,
  request,
  width,
  height,
  onConfirm,
  onCancel,
}: ConfirmDialogProps): ReactNode => {
  const theme = useTheme();
  const { top, onScroll: scrolling } = useTop();
  const [hasSeen, setHasSeen] = useState(false);
  const { mustType, verb, button = verb } = request;
  const onScroll = scrolling(() => view);
  const typed = useTypedName({
    wanted: mustType ?? '',
    onConfirm,
    onCancel,
    onScroll,
    isActive: mustType !== undefined,
  });
  const isDangerous = request.action.isDangerous === true;
  const change = useTargetChange(monitor, request.follow);
  const warnings = [
    ...(change === undefined ? [] : [change]),
    ...(request.warning === undefined ? [] : [request.warning]),
  ];
  const warning = warnings.length === 0 ? undefined : joinSafe(warnings, safe` `);
  // There is no target, or another one, which this dialog is not about.
  const isOutdated = change !== undefined;
  const details =
    request.follow === undefined || isOutdated ? request.details : [...(request.details ?? []), request.follow.note];
  const buttons =
    mustType !== undefined
      ? typedNameButtons(button, isDangerous)
      : isOutdated
        ? cancelOnly
        : hasSeen
          ? answerButtons(button, isDangerous)
          : unseenButtons;
  const dialog = fitDialog({
    theme,
    title: request.question,
    isDangerous,
    note: use(ClusterNameContext),
    width,
    height,
    draw: (inner, lines) => {
      const answer =
        mustType !== undefined
          ? typedNameLines(theme, inner, mustType, verb, typed, buttons)
          : [answerLine(theme, inner, buttons)];
      return confirmLines(theme, inner, lines, { ...request, details, warning, isDangerous }, answer, top);
    },
  });
  const view = dialog.content;
  if (view.isTargetEnd && !hasSeen) {
    setHasSeen(true);
  }
  useConfirmKeys({
    onConfirm: hasSeen && !isOutdated ? onConfirm : undefined,
    onCancel,
    onScroll,
    isActive: mustType === undefined,
  });
  return <DialogBox dialog={dialog} buttons={buttons} area={{ width, height }} />;
};

export interface TypedNameOptions {
  readonly wanted: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive: boolean;
}

export interface TypedName {
  readonly field: TextField;
  readonly isWrong: boolean;
}

export const useTypedName = ({ wanted, onConfirm, onCancel, onScroll, isActive }: TypedNameOptions): TypedName => {
  const theme = useTheme();
  const [refused, setRefused] = useState<string | undefined>(undefined);
  // Reached only while the text does not match.
  const [field] = useTextField({ limits: nameLimits, isActive, onAccept: setRefused });
  useKeys(
    'confirmName',
    {
      // Raw or as shown, with either spelling of letters with marks: the operator cannot see which one is wanted.
      ...(composed(field.text) === composed(wanted) || field.text === theme.escape(wanted)
        ? { nameAccept: onConfirm }
        : {}),
      nameCancel: onCancel,
      nameUp: () => {
        onScroll(-1, 'line');
      },
      nameDown: () => {
        onScroll(1, 'line');
      },
      namePageUp: () => {
        onScroll(-1, 'page');
      },
      namePageDown: () => {
        onScroll(1, 'page');
      },
    },
    { isActive },
  );
  return { field, isWrong: refused !== undefined && refused === field.text };
};

export const typedNameButtons = (verb: SafeText, isDangerous: boolean): readonly Button[] => [
  { id: 'nameAccept', keys: safe`Enter`, label: verb, isDangerous },
  { id: 'nameCancel', keys: safe`Esc`, label: dialogTexts.cancel },
];

export const typedNameLines = (
  theme: Theme,
  width: number,
  wanted: string,
  verb: SafeText,
  { field, isWrong }: TypedName,
  buttons: readonly Button[],
): readonly Line[] => [
  promptLine(
    theme,
    width,
    safe`  ${confirmTexts.type(cutText(theme.escape(wanted), Math.max(8, Math.floor(width / 3))), verb)}`,
    field,
  ),
  ...(isWrong ? [composeLine(theme, width, [{ text: safe`  ${confirmTexts.wrong}`, role: 'error' }])] : []),
  buttonsLine(theme, width, buttons),
];

type Running = Pick<ActionState, 'actions' | 'bulk'>;

export const isActing = ({ actions, bulk }: Running): boolean =>
  (bulk !== undefined && bulk.phase !== 'finished') || actions.some(({ phase }) => phase !== 'finished');

const maxTitleLength = 200;

export const quitQuestion = (
  theme: Theme,
  { actions, bulk }: Running,
  isDemo = false,
  loses?: string,
  left: readonly SafeText[] = [],
): Confirmation => {
  const lines: SafeText[] = [];
  if (bulk !== undefined && bulk.phase !== 'finished') {
    lines.push(
      confirmTexts.quit.bulk(
        theme.escape(bulk.title, maxTitleLength),
        bulk.waiting + bulk.running - bulk.sent,
        bulk.total,
        bulk.sent,
      ),
    );
  }
  for (const { title, phase } of actions) {
    if (phase !== 'finished') {
      lines.push(
        (phase === 'checking' || phase === 'recording' ? confirmTexts.quit.unsent : confirmTexts.quit.sent)(
          theme.escape(title.slice(0, maxTitleLength)),
        ),
      );
    }
  }
  const isRunning = lines.length > 0;
  const unknown = [
    ...(bulk?.phase === 'finished' && bulk.unknown > 0
      ? [confirmTexts.quit.unknownOf(theme.escape(bulk.title, maxTitleLength), bulk.unknown)]
      : []),
    ...actions
      .filter(({ result }) => result?.outcome === 'unknown')
      .map(({ title }) => confirmTexts.quit.unknown(theme.escape(title.slice(0, maxTitleLength)))),
  ];
  const idle =
    unknown.length > 0 ? confirmTexts.quit.idleUnknown : isDemo ? confirmTexts.quit.demo : confirmTexts.quit.idle;
  const target = loses ?? (isRunning ? confirmTexts.quit.running : idle);
  return {
    question: confirmTexts.quit.question,
    target,
    details: [
      ...lines,
      ...left,
      ...unknown,
      ...(isDemo && target !== confirmTexts.quit.demo ? [trusted(confirmTexts.quit.demo)] : []),
    ],
    verb: confirmTexts.quit.verb,
  };
};

export interface QuitDialogProps {
  readonly monitor: WatchedMonitor;
  readonly isDemo: boolean;
  /** Says what is on the screen and cannot be read again. */
  readonly loses: string | undefined;
  /** Says what goes on at the broker. */
  readonly left: readonly SafeText[];
  readonly width: number;
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

const selectActions = ({ actions }: ActingState): ActionState['actions'] => actions;
const selectBulk = ({ bulk }: ActingState): ActionState['bulk'] => bulk;

export const QuitDialog = ({
  monitor,
  isDemo,
  loses,
  left,
  width,
  height,
  onConfirm,
  onCancel,
}: QuitDialogProps): ReactNode => {
  const theme = useTheme();
  const actions = useStore(monitor.store, selectActions);
  const bulk = useStore(monitor.store, selectBulk);
  const { top, onScroll } = useTop();
  const question = quitQuestion(theme, { actions, bulk }, isDemo, loses, left);
  const buttons = answerButtons(question.verb);
  const dialog = fitDialog({
    theme,
    title: question.question,
    width,
    height,
    draw: (inner, lines) => confirmLines(theme, inner, lines, question, [answerLine(theme, inner, buttons)], top),
  });
  useConfirmKeys({
    onConfirm,
    onCancel,
    onScroll: onScroll(() => dialog.content),
  });
  return <DialogBox dialog={dialog} buttons={buttons} area={{ width, height }} />;
};
