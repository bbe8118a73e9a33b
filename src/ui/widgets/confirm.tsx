import { formatCount } from '../format.ts';
import { type SafeText, safe } from '../safe-text.ts';
import { wrapText } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { wrapWords } from '../wrap-words.ts';
import { type Line, composeLine } from './line.ts';
import { titleLine } from './panel.tsx';

export interface Confirmation {
  /** What will be done, as a question: `Disconnect this client?`. */
  readonly question: SafeText;
  /** The raw target, frozen when the dialog opened. Written out in full as far as the dialog has room. */
  readonly target: string;
  /** More that tells the target apart: node, address, since when. */
  readonly details?: readonly SafeText[] | undefined;
  /** What `y` does, in a word or two. */
  readonly verb: SafeText;
  readonly warning?: SafeText | undefined;
}

/** The target over several lines; of one that is too long the start and the end, and how much is left out. */
const targetLines = (theme: Theme, width: number, target: string, maxLines: number): readonly SafeText[] => {
  const room = Math.max(1, maxLines) * width;
  // Every raw character is at least one column, marks aside: no more than this can be shown whole.
  const whole = target.length <= room * 6 ? wrapText(theme.escape(target), width) : undefined;
  if (whole !== undefined && whole.length <= maxLines) {
    return whole;
  }
  const each = Math.max(1, Math.floor((maxLines - 1) / 2));
  const start = wrapText(theme.escape(target.slice(0, each * width * 6)), width).slice(0, each);
  const end = wrapText(theme.escape(target.slice(-each * width * 6)), width).slice(-each);
  return [...start, safe`(${formatCount(target.length)} characters; the middle is not shown)`, ...end];
};

export interface ConfirmView {
  readonly lines: readonly Line[];
  /** How far the details can be scrolled. */
  readonly maxTop: number;
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

/**
 * A question in finished lines, at most `height` of them, the `answer` lines last. Details that have
 * no room are scrolled, from `top` on, and how many there are is said.
 */
export const confirmLines = (
  theme: Theme, width: number, height: number, confirmation: Confirmation, answer: readonly Line[], top = 0,
): ConfirmView => {
  const inner = Math.max(2, width - 4);
  const write = (text: SafeText, role: 'normal' | 'title' | 'warning' | 'dim'): Line => composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const details = (confirmation.details ?? []).flatMap((detail) => wrapWords(detail, inner));
  const warning = confirmation.warning === undefined ? [] : wrapWords(safe`! ${confirmation.warning}`, inner).map((text) => write(text, 'warning'));
  const room = Math.max(1, height - 1 - answer.length - warning.length);
  const target = targetLines(theme, inner, confirmation.target, Math.max(1, room - Math.min(details.length, 3))).map((text) => write(text, 'title'));
  const detailRoom = Math.max(0, room - target.length);
  const isCut = details.length > detailRoom;
  const shownCount = isCut ? Math.max(0, detailRoom - 1) : details.length;
  const maxTop = isCut ? details.length - shownCount : 0;
  const from = Math.min(top, maxTop);
  const shown = details.slice(from, from + shownCount).map((text) => write(text, 'normal'));
  const more = isCut && detailRoom > 0 ? [write(safe`lines ${from + 1}–${from + shownCount} of ${formatCount(details.length)}: ↑ ↓`, 'dim')] : [];
  const blank = room - target.length - shown.length - more.length > 0 ? [composeLine(theme, width, [])] : [];
  const lines = [titleLine(theme, width, confirmation.question), ...target, ...shown, ...more, ...warning, ...blank, ...answer];
  return { lines: lines.slice(-Math.max(1, height)), maxTop };
};
