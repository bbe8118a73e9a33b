import { useState } from 'react';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useKeys } from '../keys/use-keys.ts';

interface Top {
  /** The first line wanted; there may be fewer lines by now. */
  readonly top: number;
  readonly scroll: (lines: number, maxTop: number) => void;
  readonly setTop: (top: number) => void;
  /** For keys bound before the number of lines is known: `viewOf` is called when one is pressed. */
  readonly onScroll: (viewOf: () => Pick<TextWindow, 'maxTop' | 'page'>) => OnScroll;
}

/** The scroll position of a text. */
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
  /** Scrolls by a number of lines; negative towards the start. */
  readonly by: (lines: number) => () => void;
  /** Handlers of the moving keys. A page leaves one line in sight; the end stays in sight when lines are added. */
  readonly handlers: Readonly<Record<'moveUp' | 'moveDown' | 'pageUp' | 'pageDown' | 'moveFirst' | 'moveLast', () => void>>;
}

/** Scrolls through `count` lines in `room` lines. */
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

/** Scrolls by lines or pages. */
export type OnScroll = (by: number, unit: 'line' | 'page') => void;

export interface ConfirmKeysOptions {
  /** `undefined` while the question cannot be answered. */
  readonly onConfirm: (() => void) | undefined;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of a question: `y` confirms, everything that leaves a dialog cancels. */
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
  /** The first visible line, and the one after the last; 0-based. */
  readonly from: number;
  readonly to: number;
  /** The largest possible `from`. */
  readonly maxTop: number;
  /** Lines of a page. */
  readonly page: number;
}

/** The window of `room` lines that starts at line `top`, or as far down as possible. */
export const windowOf = (count: number, room: number, top: number): TextWindow => {
  const page = Math.min(count, Math.max(1, room));
  const maxTop = count - page;
  const from = Math.min(top, maxTop);
  return { from, to: from + page, maxTop, page };
};

/** Which lines are visible, of how many. */
export const positionText = ({ from, to, maxTop }: TextWindow, count: number): SafeText =>
  maxTop === 0 ? safe`all shown` : safe`lines ${formatCount(from + 1)}–${formatCount(to)} of ${formatCount(count)}`;

/** A window whose last line shows the position where not everything fits. */
export interface ScrolledWindow extends TextWindow {
  /** The position and the keys that scroll; `undefined` where everything is visible or there is only one line. */
  readonly position: SafeText | undefined;
}

/** A window that leaves a line for the position where it needs one. */
export const scrolledWindow = (count: number, room: number, top: number): ScrolledWindow => {
  const isCut = count > room;
  const window = windowOf(count, isCut ? room - 1 : room, top);
  return { ...window, position: isCut && room > 1 ? safe`${positionText(window, count)}: ↑ ↓ PgUp PgDn` : undefined };
};
