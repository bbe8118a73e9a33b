import { useCallback, useEffect, useState } from 'react';
import type { SafeText } from '../safe-text.ts';

const shownForMs = 4000;

/** A message that goes away by itself. */
export const useNotice = (): readonly [SafeText | undefined, (text: SafeText) => void] => {
  const [notice, setNotice] = useState<{ readonly text: SafeText } | undefined>(undefined);
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
