import { useState } from 'react';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useKeys } from '../keys/use-keys.ts';

interface Top {
  /** The line that was asked to be first; there may be fewer by now. */
  readonly top: number;
  readonly scroll: (lines: number, maxTop: number) => void;
  readonly setTop: (top: number) => void;
  /** For keys that are named before it is known how much there is: `viewOf` is asked when one is pressed. */
  readonly onScroll: (viewOf: () => Pick<TextWindow, 'maxTop' | 'page'>) => OnScroll;
}

/** Which line of many is the first in sight. */
export const useTop = (): Top => {
  const [top, setTop] = useState(0);
  const scroll = (lines: number, maxTop: number): void => { setTop((before) => Math.max(0, Math.min(maxTop, Math.min(before, maxTop) + lines))); };
  return {
    top,
    scroll,
    setTop,
    onScroll: (viewOf) => (by, unit) => {
      const { maxTop, page } = viewOf();
      scroll(unit === 'page' ? by * page : by, maxTop);
    },
  };
};

export interface Scroll {
  /** What is in sight. */
  readonly window: TextWindow;
  /** Scrolls by so many lines; below 0 towards the start. */
  readonly by: (lines: number) => () => void;
  /** What the keys do that move through a list: a page leaves a line of what was in sight, the end stays in sight when lines are added. */
  readonly handlers: Readonly<Record<'moveUp' | 'moveDown' | 'pageUp' | 'pageDown' | 'moveFirst' | 'moveLast', () => void>>;
}

/** Scrolls through `count` lines in a place of `room` lines. */
export const useScroll = (count: number, room: number): Scroll => {
  const { top, scroll, setTop } = useTop();
  const window = windowOf(count, room, top);
  const by = (lines: number) => (): void => { scroll(lines, window.maxTop); };
  return {
    window,
    by,
    handlers: {
      moveUp: by(-1),
      moveDown: by(1),
      pageUp: by(1 - room),
      pageDown: by(room - 1),
      moveFirst: () => { setTop(0); },
      moveLast: () => { setTop(Number.MAX_SAFE_INTEGER); },
    },
  };
};

/** Moves what does not fit by so many lines, or pages of what is in sight. */
export type OnScroll = (by: number, unit: 'line' | 'page') => void;

export interface ConfirmKeysOptions {
  /** `undefined` as long as it cannot be answered. */
  readonly onConfirm: (() => void) | undefined;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of a question: `y` does it, everything that leaves a dialog cancels. */
export const useConfirmKeys = ({ onConfirm, onCancel, onScroll, isActive }: ConfirmKeysOptions): void => {
  useKeys(
    'confirm',
    {
      confirmYes: onConfirm,
      confirmNo: onCancel,
      confirmUp: () => { onScroll(-1, 'line'); },
      confirmDown: () => { onScroll(1, 'line'); },
      confirmPageUp: () => { onScroll(-1, 'page'); },
      confirmPageDown: () => { onScroll(1, 'page'); },
    },
    { isActive },
  );
};

/** Which lines of many are in sight. */
export interface TextWindow {
  /** The first of them, and the one behind the last: 0 is the first of all. */
  readonly from: number;
  readonly to: number;
  /** How far it can be scrolled: the first line when the end is in sight. */
  readonly maxTop: number;
  /** Lines that are scrolled by a page, of which none goes by unseen. */
  readonly page: number;
}

/** Those of `count` lines that are in sight in a place of `room` lines, from line `top` on or as far as there are any. */
export const windowOf = (count: number, room: number, top: number): TextWindow => {
  const page = Math.min(count, Math.max(1, room));
  const maxTop = count - page;
  const from = Math.min(top, maxTop);
  return { from, to: from + page, maxTop, page };
};

/** Says which lines are in sight, of how many. */
export const positionText = ({ from, to, maxTop }: TextWindow, count: number): SafeText =>
  maxTop === 0 ? safe`all shown` : safe`lines ${formatCount(from + 1)}–${formatCount(to)} of ${formatCount(count)}`;

/** A window whose last line says, where not all has room, which lines are in sight. */
export interface ScrolledWindow extends TextWindow {
  /** What it says, and by which keys it is scrolled; `undefined` where all is in sight, or the text has the only line. */
  readonly position: SafeText | undefined;
}

/** The same in a place that has to hold the position too, where there is one. */
export const scrolledWindow = (count: number, room: number, top: number): ScrolledWindow => {
  const isCut = count > room;
  const window = windowOf(count, isCut ? room - 1 : room, top);
  return { ...window, position: isCut && room > 1 ? safe`${positionText(window, count)}: ↑ ↓ PgUp PgDn` : undefined };
};
