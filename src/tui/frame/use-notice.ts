import { useCallback, useEffect, useRef, useState } from 'react';
import type { Notice } from './message.ts';
import type { Notify } from '../screen.ts';

const shownForMs = 4000;

const outcomeShownForMs = 8000;

/**
 * Keeps a message that disappears after a few seconds or with its screen. One that is set while going to a screen
 * belongs to that screen.
 */
export const useNotice = (screen: string): readonly [Notice | undefined, Notify] => {
  const [notice, setNotice] = useState<Notice | undefined>(undefined);
  const drawnLast = useRef({ screen, notice });
  useEffect(() => {
    const last = drawnLast.current;
    drawnLast.current = { screen, notice };
    if (screen !== last.screen && notice !== undefined && notice === last.notice) {
      setNotice(undefined);
    }
  }, [screen, notice]);
  useEffect(() => {
    if (notice === undefined) {
      return undefined;
    }
    const timer = setTimeout(
      () => {
        setNotice(undefined);
      },
      notice.role === 'ok' ? outcomeShownForMs : shownForMs,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [notice]);
  // A new object, so that the same text again is shown for its full time.
  const notify = useCallback<Notify>((text, role = 'accent') => {
    setNotice(text === undefined ? undefined : { text, role });
  }, []);
  return [notice, notify];
};
