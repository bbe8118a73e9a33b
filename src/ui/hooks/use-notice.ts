import { useStdout } from 'ink';
import { useCallback, useEffect, useRef, useState } from 'react';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/theme-context.ts';

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

/** Bytes that go into the 100,000 characters of base64 which terminals take; the longest MQTT id has 65,535. */
export const maxCopiedBytes = 74_994;

/** What puts text on the terminal's clipboard (OSC 52). In base64 the text can do nothing else. */
export const clipboardCode = (text: string): string => `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;

/**
 * Copies raw text through the terminal, which works over SSH; most terminals obey, some have to be
 * told to, none answers. Says what was done.
 */
export const useCopy = (notify: (text: SafeText) => void): ((text: string) => void) => {
  const { stdout } = useStdout();
  const theme = useTheme();
  return useCallback(
    (text) => {
      if (theme.depth === 'none') {
        notify(safe`not copied: this terminal takes no codes`);
        return;
      }
      // An empty one would empty the clipboard; half of a pair has no bytes, so another text would be there.
      if (text === '' || !text.isWellFormed()) {
        notify(text === '' ? safe`not copied: it is empty` : safe`not copied: it holds half of a surrogate pair`);
        return;
      }
      if (Buffer.byteLength(text, 'utf8') > maxCopiedBytes) {
        notify(safe`not copied: longer than the clipboard of a terminal takes`);
        return;
      }
      stdout.write(clipboardCode(text));
      notify(safe`sent to the terminal's clipboard: ${theme.escape(text, 60)}`);
    },
    [stdout, theme, notify],
  );
};
