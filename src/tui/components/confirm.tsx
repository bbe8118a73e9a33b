import type { Quoted } from '../../actions/requests.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type OnScroll, scrolledWindow, type TextWindow } from '../hooks/use-scroll.ts';
import { useKeys } from '../keys/use-keys.ts';
import { dangerLine, titleLine } from './blocks.ts';
import { type Button, buttonsLine } from './dialog-box.tsx';
import { scrollableTexts } from './texts.ts';

const barWidth = 2;

const wrapDetail = (detail: SafeText | Quoted, width: number): readonly SafeText[] =>
  typeof detail === 'string'
    ? wrapWords(detail, width)
    : wrapWords(detail.quoted, width - barWidth).map(
        (line, index) => safe`${index === 0 ? safe`| ` : safe`|>`}${line}`,
      );

export interface Confirmation {
  readonly question: SafeText;
  /** The target, frozen when the dialog opened and not escaped. It is shown in full. */
  readonly target: string;
  readonly details?: readonly (SafeText | Quoted)[] | undefined;
  readonly verb: SafeText;
  readonly warning?: SafeText | undefined;
  /** The action ends or removes something: title and verb are red. */
  readonly isDangerous?: boolean | undefined;
}

export interface ConfirmView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
  readonly isTargetEnd: boolean;
}

const cancelButton: Button = { id: 'confirmNo', keys: safe`n/Esc`, label: scrollableTexts.cancel, isDefault: true };

export const answerButtons = (verb: SafeText, isDangerous = false): readonly Button[] => [
  { id: 'confirmYes', keys: safe`y`, label: verb, isDangerous },
  cancelButton,
];

/** Buttons for when there is nothing to confirm any more. */
export const cancelOnly: readonly Button[] = [cancelButton];

/** Buttons until all of the target has been visible. */
export const unseenButtons: readonly Button[] = [
  { id: 'confirmPageDown', keys: safe`PgDn`, label: scrollableTexts.readOn },
  cancelButton,
];

export const answerLine = (theme: Theme, width: number, buttons: readonly Button[]): Line =>
  buttonsLine(theme, width, buttons);

/** Draws a confirmation in at most `height` lines, `answer` last. Details that do not fit are scrolled from `top`. */
export const confirmLines = (
  theme: Theme,
  width: number,
  height: number,
  confirmation: Confirmation,
  answer: readonly Line[],
  top = 0,
): ConfirmView => {
  const inner = Math.max(2, width - 4);
  const write =
    (role: 'normal' | 'title' | 'warning' | 'dim') =>
    (text: SafeText): Line =>
      composeLine(theme, width, [{ text: safe`  ` }, { text, role }]);
  const warning =
    confirmation.warning === undefined ? [] : wrapWords(safe`! ${confirmation.warning}`, inner).map(write('warning'));
  const target = wrapWords(theme.escape(confirmation.target), inner);
  const details = (confirmation.details ?? []).flatMap((detail) => wrapDetail(detail, inner));
  const room = Math.max(1, height - 1 - answer.length - warning.length);
  const fixedCount = target.length + Math.min(details.length, 3) <= room ? target.length : 0;
  // Lines are made when shown: an id may have 65,535 characters.
  const scrolled = [
    ...target.map((text) => ({ text, role: 'title' as const })),
    ...details.map((text) => ({ text, role: 'normal' as const })),
  ].slice(fixedCount);
  const scrollRoom = room - fixedCount;
  const { from, to, maxTop, page, position } = scrolledWindow(scrolled.length, scrollRoom, top);
  const shown = scrolled.slice(from, to).map(({ text, role }) => write(role)(text));
  const more = position === undefined ? [] : [write('dim')(position)];
  const blank = room - fixedCount - shown.length - more.length > 0 ? [composeLine(theme, width, [])] : [];
  const lines = [
    (confirmation.isDangerous === true ? dangerLine : titleLine)(theme, width, confirmation.question),
    ...target.slice(0, fixedCount).map(write('title')),
    ...shown,
    ...more,
    ...warning,
    ...blank,
    ...answer,
  ];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page, isTargetEnd: to >= target.length - fixedCount };
};

export interface ConfirmKeysOptions {
  /** `undefined` while the question cannot be answered. */
  readonly onConfirm: (() => void) | undefined;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive?: boolean | undefined;
}

/** Confirms with `y`; everything that leaves a dialog cancels. */
export const useConfirmKeys = ({ onConfirm, onCancel, onScroll, isActive }: ConfirmKeysOptions): void => {
  useKeys(
    'confirm',
    {
      confirmYes: onConfirm,
      confirmNo: onCancel,
      confirmUp: () => {
        onScroll(-1, 'line');
      },
      confirmDown: () => {
        onScroll(1, 'line');
      },
      confirmPageUp: () => {
        onScroll(-1, 'page');
      },
      confirmPageDown: () => {
        onScroll(1, 'page');
      },
    },
    { isActive },
  );
};
