import { useState } from 'react';
import { type TextWindow, windowOf } from '../text-window.ts';
import type { OnScroll } from './use-confirm-keys.ts';

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
