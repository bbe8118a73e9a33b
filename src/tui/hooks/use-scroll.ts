import { useCallback, useState } from 'react';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { scrollableTexts } from '../components/texts.ts';

interface Top {
  /** The first line wanted; there may be fewer lines by now. */
  readonly top: number;
  readonly scroll: (lines: number, maxTop: number) => void;
  readonly setTop: (top: number) => void;
  /** Scrolls for keys bound before the number of lines is known: `viewOf` is called when one is pressed. */
  readonly onScroll: (viewOf: () => Pick<TextWindow, 'maxTop' | 'page'>) => OnScroll;
}

export const useTop = (): Top => {
  const [top, setTop] = useState(0);
  const scroll = (lines: number, maxTop: number): void => {
    setTop((before) => Math.max(0, Math.min(maxTop, Math.min(before, maxTop) + lines)));
  };
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
  readonly window: TextWindow;
  readonly by: (lines: number) => () => void;
  readonly toTop: () => void;
  /** Handlers of the moving keys. A page leaves one line in sight; the end stays in sight when lines are added. */
  readonly handlers: Readonly<
    Record<'moveUp' | 'moveDown' | 'pageUp' | 'pageDown' | 'moveFirst' | 'moveLast', () => void>
  >;
}

export const useScroll = (count: number, room: number): Scroll => {
  const { top, scroll, setTop } = useTop();
  const window = windowOf(count, room, top);
  const by = (lines: number) => (): void => {
    scroll(lines, window.maxTop);
  };
  const toTop = useCallback(() => {
    setTop(0);
  }, [setTop]);
  return {
    window,
    by,
    toTop,
    handlers: {
      moveUp: by(-1),
      moveDown: by(1),
      pageUp: by(1 - room),
      pageDown: by(room - 1),
      moveFirst: toTop,
      moveLast: () => {
        setTop(Number.MAX_SAFE_INTEGER);
      },
    },
  };
};

export type OnScroll = (by: number, unit: 'line' | 'page') => void;

export interface TextWindow {
  readonly from: number;
  readonly to: number;
  readonly maxTop: number;
  readonly page: number;
}

export const windowOf = (count: number, room: number, top: number): TextWindow => {
  const page = Math.min(count, Math.max(1, room));
  const maxTop = count - page;
  const from = Math.min(top, maxTop);
  return { from, to: from + page, maxTop, page };
};

/** Says which lines are in sight; nothing where all of them are. */
export const positionText = ({ from, to, maxTop }: TextWindow, count: number): SafeText =>
  maxTop === 0 ? safe`` : scrollableTexts.position(formatCount(from + 1), formatCount(to), formatCount(count));

export interface ScrolledWindow extends TextWindow {
  /** `undefined` where everything is visible or there is only one line. */
  readonly position: SafeText | undefined;
}

export const scrolledWindow = (count: number, room: number, top: number): ScrolledWindow => {
  const isCut = count > room;
  const window = windowOf(count, isCut ? room - 1 : room, top);
  return {
    ...window,
    position: isCut && room > 1 ? scrollableTexts.scrollKeys(positionText(window, count)) : undefined,
  };
};
