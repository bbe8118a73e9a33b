import { useStdout } from 'ink';
import { useCallback, useEffect, useRef, useState } from 'react';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/theme-context.ts';

const shownForMs = 4000;

/**
 * A message that disappears after a few seconds or with its screen. One set while going to another screen belongs to that
 * screen.
 */
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
  // A new object, so that the same text again is shown for its full time.
  const notify = useCallback((text: SafeText) => { setNotice({ text }); }, []);
  return [notice?.text, notify];
};

/** Bytes that fit into the 100,000 base64 characters that terminals accept; an MQTT id has at most 65,535. */
export const maxCopiedBytes = 74_994;

/** The code that puts text on the terminal's clipboard (OSC 52). */
export const clipboardCode = (text: string): string => `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;

/** Copies raw text through the terminal, which also works over SSH, and reports it. Terminals do not acknowledge it. */
export const useCopy = (notify: (text: SafeText) => void): ((text: string) => void) => {
  const { stdout } = useStdout();
  const theme = useTheme();
  return useCallback(
    (text) => {
      if (theme.depth === 'none') {
        notify(safe`not copied: this terminal takes no codes`);
        return;
      }
      // An empty text would clear the clipboard; half a surrogate pair has no encoding.
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
