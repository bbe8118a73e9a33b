import { type ReactNode, useCallback } from 'react';
import type { Action, ActionResult, Outcome } from '../../actions/action.ts';
import { countUrls, describeResult, describeUrl } from '../../actions/describe.ts';
import type { ActingState, ActionRecord, WatchedMonitor } from '../../actions/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { useStore } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';

const words: Readonly<Record<Outcome, readonly [SafeText, Role]>> = {
  done: [safe`Done`, 'ok'],
  accepted: [safe`Accepted`, 'ok'],
  'not-done': [safe`Not done`, 'error'],
  unknown: [safe`Unknown`, 'warning'],
};

const phases: Readonly<Record<ActionRecord['phase'], SafeText>> = {
  checking: safe`reading the target again, before anything is sent`,
  recording: safe`writing the audit, before anything is sent`,
  sending: safe`sent; waiting for the answer`,
  verifying: safe`the broker said yes; reading what came of it`,
  'finding-out': safe`the broker has not said yes; reading whether it happened`,
  finished: safe`finished`,
};

/** Max columns of a text: an id may have 65,535 characters. */
const maxColumns = 4_000;

/** Characters kept at both ends of a longer word. */
const shownOfWord = 60;
const longWord = new RegExp(`\\S{${4 * shownOfWord},}`, 'gu');

/** Cuts the middle out of very long words. */
const shorten = (raw: string): string =>
  raw.replaceAll(longWord, (found, at: number) => {
    // The sentence's full stop is not part of the word.
    const stop = at + found.length === raw.length && found.endsWith('.') ? '.' : '';
    const word = found.slice(0, found.length - stop.length);
    return `${word.slice(0, shownOfWord)} (${formatCount(word.length)} characters) ${word.slice(-shownOfWord)}${stop}`;
  });

const write = (theme: Theme, width: number, raw: string, role: Role): readonly Line[] =>
  wrapWords(cutText(theme.escape(shorten(raw), maxColumns), maxColumns), Math.max(2, width - 4)).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role }]));

/** @param summary the text above, which is not repeated */
const partLine = (theme: Theme, width: number, part: ActionResult['parts'][number], summary: string): Line => {
  const [word, role] = part.wasAlready === true ? [safe`Unchanged`, 'normal' as const] : words[part.outcome];
  const why = part.text === undefined || summary.includes(part.text) ? undefined : part.text;
  return composeLine(theme, width, [
    { text: safe`  ` },
    { text: part.node === undefined ? safe`` : safe`${theme.escape(part.node, width)}: ` },
    { text: word, role },
    { text: why === undefined ? safe`` : safe`  ${theme.escape(why, width)}`, role: 'dim' },
  ]);
};

const keysLine = (theme: Theme, width: number, keys: SafeText, text: SafeText): Line =>
  composeLine(theme, width, [{ text: safe`  ` }, { text: keys, role: 'key' }, { text: safe` ${text}` }]);

/** A running or finished action, max `height` lines; keys come last. */
export const outcomeLines = (theme: Theme, width: number, height: number, action: Pick<Action, 'title' | 'isQuestion' | 'each'>, record: Pick<ActionRecord, 'phase' | 'phaseUrl' | 'result'> | undefined): readonly Line[] => {
  const result = record?.result;
  if (result === undefined) {
    const body = write(theme, width, action.title, 'title');
    const where = record?.phaseUrl === undefined ? safe`` : safe`${theme.escape(record.phaseUrl, width)}: `;
    const foot = [
      composeLine(theme, width, [{ text: safe`  ··· ${where}${phases[record?.phase ?? 'checking']}`, role: 'dim' }]),
      keysLine(theme, width, safe`Esc`, safe`leave it running`),
    ];
    return [titleLine(theme, width, safe`Doing it`), ...body.slice(0, Math.max(0, height - 1 - foot.length)), ...foot].slice(-height);
  }
  const [word, role] = action.isQuestion === true && result.outcome === 'done' ? [safe`Answered`, 'title' as const] : words[result.outcome];
  const isEach = action.each !== undefined;
  const summary = isEach ? `${action.title}. ${countUrls(result.parts)}` : describeResult(action, result);
  const parts = isEach
    ? result.parts.flatMap((part) => write(theme, width, describeUrl(part), words[part.outcome][1]))
    : result.parts.length > 1 ? result.parts.map((part) => partLine(theme, width, part, summary)) : [];
  const body = [...write(theme, width, summary, role), ...parts];
  const room = Math.max(1, height - 2);
  const isCut = body.length > room;
  return [
    titleLine(theme, width, word),
    ...(isCut ? body.slice(0, room - 1) : body),
    ...(isCut ? [composeLine(theme, width, [{ text: safe`  ${body.length - room + 1} more lines: in the log`, role: 'dim' }])] : []),
    keysLine(theme, width, safe`Enter Esc`, safe`close`),
  ].slice(0, height);
};

export interface OutcomeDialogProps {
  readonly monitor: WatchedMonitor;
  readonly action: Action;
  /** The action's record is the one after this key, or the first. */
  readonly afterKey: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
  readonly onQuit: () => void;
}

/** A running action, then its outcome until closed. */
export const OutcomeDialog = ({ monitor, action, afterKey, width, height, onClose, onQuit }: OutcomeDialogProps): ReactNode => {
  const theme = useTheme();
  const record = useStore(monitor.store, useCallback(({ actions }: ActingState) => actions[actions.findIndex(({ key }) => key === afterKey) + 1], [afterKey]));
  const isFinished = record?.result !== undefined;
  useKeys('running', { runningClose: onClose, runningQuit: onQuit }, { isActive: !isFinished });
  useKeys('outcome', { outcomeClose: onClose }, { isActive: isFinished });
  return <Rows lines={outcomeLines(theme, width, height, action, record)} />;
};
