import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { scrolledWindow, type TextWindow } from '../hooks/use-scroll.ts';
import { titleLine } from './title-line.ts';

/** Text of others; a bar marks each of its lines. */
export interface Quoted {
  readonly quoted: SafeText;
}

const barWidth = 2;

const wrapDetail = (detail: SafeText | Quoted, width: number): readonly SafeText[] =>
  (typeof detail === 'string'
    ? wrapWords(detail, width)
    : wrapWords(detail.quoted, width - barWidth).map((line, index) => safe`${index === 0 ? safe`| ` : safe`|>`}${line}`));

export interface Confirmation {
  /** The action as a question: `Disconnect this client?`. */
  readonly question: SafeText;
  /** The target, unescaped, frozen when the dialog opened. Shown in full. */
  readonly target: string;
  /** More that identifies the target: node, address, since when. */
  readonly details?: readonly (SafeText | Quoted)[] | undefined;
  /** What `y` does, in one or two words. */
  readonly verb: SafeText;
  readonly warning?: SafeText | undefined;
}

export interface ConfirmView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
  /** The end of the target is visible. */
  readonly isTargetEnd: boolean;
}

/** The last lines of a question that is answered with `y`. */
export const answerLine = (theme: Theme, width: number, verb: SafeText): Line =>
  composeLine(theme, width, [
    { text: safe`  ` },
    { text: safe`y`, role: 'key' },
    { text: safe` ${verb}   ` },
    { text: safe` N cancel `, role: 'cursor' },
    { text: safe` (Enter, Esc)`, role: 'dim' },
  ]);

/** The last lines until all of the target has been visible. */
export const unseenLine = (theme: Theme, width: number): Line =>
  composeLine(theme, width, [
    { text: safe`  ` },
    { text: safe`PgDn`, role: 'key' },
    { text: safe` shows the rest first   ` },
    { text: safe` N cancel `, role: 'cursor' },
    { text: safe` (Enter, Esc)`, role: 'dim' },
  ]);

/**
 * A question in at most `height` lines, the `answer` lines last. The target is shown in full. What does not fit is scrolled
 * from `top` with a position: the details, or with a long target both together.
 */
export const confirmLines = (
  theme: Theme, width: number, height: number, confirmation: Confirmation, answer: readonly Line[], top = 0,
): ConfirmView => {
  const inner = Math.max(2, width - 4);
  const write = (role: 'normal' | 'title' | 'warning' | 'dim') => (text: SafeText): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const warning = confirmation.warning === undefined ? [] : wrapWords(safe`! ${confirmation.warning}`, inner).map(write('warning'));
  const target = wrapWords(theme.escape(confirmation.target), inner);
  const details = (confirmation.details ?? []).flatMap((detail) => wrapDetail(detail, inner));
  const room = Math.max(1, height - 1 - answer.length - warning.length);
  const fixedCount = target.length + Math.min(details.length, 3) <= room ? target.length : 0;
  // Lines are made when shown: an id may have 65,535 characters.
  const scrolled = [...target.map((text) => ({ text, role: 'title' as const })), ...details.map((text) => ({ text, role: 'normal' as const }))].slice(fixedCount);
  const scrollRoom = room - fixedCount;
  const { from, to, maxTop, page, position } = scrolledWindow(scrolled.length, scrollRoom, top);
  const shown = scrolled.slice(from, to).map(({ text, role }) => write(role)(text));
  const more = position === undefined ? [] : [write('dim')(position)];
  const blank = room - fixedCount - shown.length - more.length > 0 ? [composeLine(theme, width, [])] : [];
  const lines = [titleLine(theme, width, confirmation.question), ...target.slice(0, fixedCount).map(write('title')), ...shown, ...more, ...warning, ...blank, ...answer];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page, isTargetEnd: to >= target.length - fixedCount };
};
