import type { ReactNode } from 'react';
import type { ActingState, ActionState, WatchedMonitor } from '../../actions/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { answerLine, type Confirmation, confirmLines } from '../components/confirm.tsx';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { useConfirmKeys, useTop } from '../hooks/use-scroll.ts';
import { useStore } from '../hooks/use-store.ts';

type Running = Pick<ActionState, 'actions' | 'bulk'>;

/** Something acts on the broker, and would be cut short by the end of the program. */
export const isActing = ({ actions, bulk }: Running): boolean =>
  (bulk !== undefined && bulk.phase !== 'finished') || actions.some(({ phase }) => phase !== 'finished');

const longestTitle = 200;

/** What the end of the program would cut short, as a question. */
export const quitQuestion = (theme: Theme, { actions, bulk }: Running): Confirmation => {
  const lines: SafeText[] = [];
  if (bulk !== undefined && bulk.phase !== 'finished') {
    lines.push(safe`${theme.escape(bulk.title, longestTitle)}: ${formatCount(bulk.waiting + bulk.running - bulk.sent)} of ${formatCount(bulk.total)} would not be reached, of ${formatCount(bulk.sent)} that are sent the outcome would not be known.`);
  }
  for (const { title, phase } of actions) {
    if (phase !== 'finished') {
      lines.push(safe`${theme.escape(title.slice(0, longestTitle))}: ${phase === 'checking' || phase === 'recording' ? safe`it would not be sent` : safe`it is sent, its outcome would not be known`}.`);
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
  /** Lines at most. */
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

const selectActions = ({ actions }: ActingState): ActionState['actions'] => actions;
const selectBulk = ({ bulk }: ActingState): ActionState['bulk'] => bulk;

/** Asks before the program ends in the middle of what it does; staying is what happens unless one says otherwise. */
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
