import type { ReactNode } from 'react';
import { formatCount } from '../format.ts';
import { type SafeText, safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { wrapText } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { type Line, composeLine } from './line.ts';
import { titleLine } from './panel.tsx';
import { Rows } from './rows.tsx';

export interface Confirmation {
  /** What will be done, as a question: `Disconnect this client?`. */
  readonly question: SafeText;
  /** The raw target, frozen when the dialog opened. Written out in full as far as the dialog has room. */
  readonly target: string;
  /** More that tells the target apart: node, address, since when. */
  readonly details?: readonly SafeText[] | undefined;
  /** What `y` does, in a word or two. */
  readonly action: SafeText;
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

/** A question in finished lines, at most `height` of them. Cancel is what happens on Enter and Esc. */
export const confirmLines = (theme: Theme, width: number, height: number, confirmation: Confirmation): readonly Line[] => {
  const details = confirmation.details ?? [];
  const room = Math.max(1, height - 3 - details.length);
  return [
    titleLine(theme, width, confirmation.question),
    ...targetLines(theme, width - 4, confirmation.target, room).map((text) =>
      composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'title' }]),
    ),
    ...details.map((text) => composeLine(theme, width, [{ text: safe`  ${text}` }])),
    composeLine(theme, width, []),
    composeLine(theme, width, [
      { text: safe`  ` },
      { text: safe`y`, role: 'key' },
      { text: safe` ${confirmation.action}   ` },
      { text: safe` N cancel `, role: 'cursor' },
      { text: safe` (Enter, Esc)`, role: 'dim' },
    ]),
  ].slice(-Math.max(1, height));
};

export interface ConfirmProps {
  readonly confirmation: Confirmation;
  readonly width: number;
  readonly height: number;
}

/** Asks before something is done. Its keys are bound by `useConfirmKeys`. */
export const Confirm = ({ confirmation, width, height }: ConfirmProps): ReactNode => (
  <Rows lines={confirmLines(useTheme(), width, height, confirmation)} />
);
