import { useCallback, useEffect, useRef, useState } from 'react';
import type { SafeText } from '../../terminal/safe-text.ts';

const shownForMs = 4000;

/** A message that goes away by itself, or with the screen that it was made on. One made on the way to another screen is that one's. */
export const useNotice = (screen: string): readonly [SafeText | undefined, (text: SafeText) => void] => {
  const [notice, setNotice] = useState<{ readonly text: SafeText } | undefined>(undefined);
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
    const timer = setTimeout(() => { setNotice(undefined); }, shownForMs);
    return () => { clearTimeout(timer); };
  }, [notice]);
  // An object of its own, so that the same text said again is shown for its full time.
  const notify = useCallback((text: SafeText) => { setNotice({ text }); }, []);
  return [notice?.text, notify];
};
