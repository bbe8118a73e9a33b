import { formatCount } from '../format.ts';
import { type SafeText, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import { wrapWords } from '../wrap-words.ts';
import { type Line, composeLine } from './line.ts';
import { titleLine } from './panel.tsx';

export interface Confirmation {
  /** What will be done, as a question: `Disconnect this client?`. */
  readonly question: SafeText;
  /** The raw target, frozen when the dialog opened. Written out in full. */
  readonly target: string;
  /** More that tells the target apart: node, address, since when. */
  readonly details?: readonly SafeText[] | undefined;
  /** What `y` does, in a word or two. */
  readonly verb: SafeText;
  readonly warning?: SafeText | undefined;
}

export interface ConfirmView {
  readonly lines: readonly Line[];
  /** How far what has no room can be scrolled. */
  readonly maxTop: number;
  /** Lines that are scrolled by a page, of which none goes by unseen. */
  readonly page: number;
  /** The end of the target is in sight. */
  readonly isTargetEnd: boolean;
}

/** What stands in the last lines of a question that is answered with `y` or not at all. */
export const answerLine = (theme: Theme, width: number, verb: SafeText): Line =>
  composeLine(theme, width, [
    { text: safe`  ` },
    { text: safe`y`, role: 'key' },
    { text: safe` ${verb}   ` },
    { text: safe` N cancel `, role: 'cursor' },
    { text: safe` (Enter, Esc)`, role: 'dim' },
  ]);

/** What stands there as long as a part of the target has not been in sight. */
export const unseenLine = (theme: Theme, width: number): Line =>
  composeLine(theme, width, [
    { text: safe`  ` },
    { text: safe`PgDn`, role: 'key' },
    { text: safe` shows the rest first   ` },
    { text: safe` N cancel `, role: 'cursor' },
    { text: safe` (Enter, Esc)`, role: 'dim' },
  ]);

/**
 * A question in finished lines, at most `height` of them, the `answer` lines last. The target is written
 * out in full. What has no room is scrolled, from `top` on, and how many lines there are is said: the
 * details alone, or where the target has no room either both together.
 */
export const confirmLines = (
  theme: Theme, width: number, height: number, confirmation: Confirmation, answer: readonly Line[], top = 0,
): ConfirmView => {
  const inner = Math.max(2, width - 4);
  const write = (role: 'normal' | 'title' | 'warning' | 'dim') => (text: SafeText): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const warning = confirmation.warning === undefined ? [] : wrapWords(safe`! ${confirmation.warning}`, inner).map(write('warning'));
  const target = wrapWords(theme.escape(confirmation.target), inner);
  const details = (confirmation.details ?? []).flatMap((detail) => wrapWords(detail, inner));
  const room = Math.max(1, height - 1 - answer.length - warning.length);
  const fixedCount = target.length + Math.min(details.length, 3) <= room ? target.length : 0;
  // Lines are composed when they are shown: an id may have 65,535 characters.
  const scrolled = [...target.map((text) => ({ text, role: 'title' as const })), ...details.map((text) => ({ text, role: 'normal' as const }))].slice(fixedCount);
  const scrollRoom = room - fixedCount;
  const isCut = scrolled.length > scrollRoom;
  const page = isCut ? Math.max(1, scrollRoom - 1) : scrolled.length;
  const maxTop = isCut ? scrolled.length - page : 0;
  const from = Math.min(top, maxTop);
  const shown = scrolled.slice(from, from + page).map(({ text, role }) => write(role)(text));
  const more = isCut && scrollRoom > 1 ? [write('dim')(safe`lines ${formatCount(from + 1)}–${formatCount(from + shown.length)} of ${formatCount(scrolled.length)}: ↑ ↓${scrolled.length > 2 * page ? safe` PgUp PgDn` : safe``}`)] : [];
  const blank = room - fixedCount - shown.length - more.length > 0 ? [composeLine(theme, width, [])] : [];
  const lines = [titleLine(theme, width, confirmation.question), ...target.slice(0, fixedCount).map(write('title')), ...shown, ...more, ...warning, ...blank, ...answer];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page, isTargetEnd: from + page >= target.length - fixedCount };
};
