import { useApp, useStdout, useWindowSize } from 'ink';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { SafeText } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/drawing.tsx';
import { useSpeaker } from '../speech/use-speech.ts';
import { copyTexts } from './texts.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export const smallestSize: TerminalSize = { columns: 60, rows: 15 };

/** Returns the size; 80×24 where the terminal does not say. */
export const useTerminalSize = (): TerminalSize => {
  const { columns, rows } = useWindowSize();
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
};

export const isTooSmall = ({ columns, rows }: TerminalSize): boolean =>
  columns < smallestSize.columns || rows < smallestSize.rows;

/** Moves the cursor home and erases all: Ink writes the whole frame after what is written in between. */
const clearScreen = '\u001B[H\u001B[2J';

/** Returns a function that repaints. With a speaker, the screen is read. */
export const useRepaint = (): (() => void) => {
  const { waitUntilRenderFlush } = useApp();
  const { write } = useStdout();
  const speaker = useSpeaker();
  return useCallback(() => {
    if (speaker !== undefined) {
      speaker.readScreen();
      return;
    }
    // Pending frames must be written before the screen is erased: they are differences.
    void waitUntilRenderFlush().then(() => {
      write(clearScreen);
    });
  }, [waitUntilRenderFlush, write, speaker]);
};

/**
 * Repaints after a resize. Ink draws the old layout once more; its lines may wrap on a narrower terminal and displace
 * later differences.
 */
export const useRepaintOnResize = ({ columns, rows }: TerminalSize, repaint: () => void): void => {
  const size = `${columns}x${rows}`;
  const painted = useRef(size);
  useEffect(() => {
    if (painted.current !== size) {
      painted.current = size;
      repaint();
    }
  }, [size, repaint]);
};

export const useSuspend = (): (() => void) => {
  const { suspendTerminal } = useApp();
  const { onSignal, suspend } = useMemo(() => {
    const stop = (pid: number): void => {
      const stopForReal = (): void => {
        // Without a listener the signal stops the program before `kill` returns.
        process.off('SIGTSTP', onSignal);
        process.kill(pid, 'SIGTSTP');
        process.on('SIGTSTP', onSignal);
      };
      // Rejected while the program is resuming; the operator can press the key again.
      suspendTerminal(stopForReal).catch(() => undefined);
    };
    const onSignal = (): void => {
      stop(process.pid);
    };
    // The whole process group, as a shell does, so that npm and the demo's children stop too.
    return {
      onSignal,
      suspend: () => {
        stop(0);
      },
    };
  }, [suspendTerminal]);
  useEffect(() => {
    process.on('SIGTSTP', onSignal);
    return () => {
      process.off('SIGTSTP', onSignal);
    };
  }, [onSignal]);
  return suspend;
};

/** How many bytes fit into the 100,000 base64 characters that terminals accept; an MQTT id has at most 65,535. */
export const maxCopiedBytes = 74_994;

export const clipboardCode = (text: string): string =>
  `\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;

/** Copies a text, also over SSH (OSC 52). Terminals do not acknowledge it. */
export const useCopy = (notify: (text: SafeText) => void): ((text: string) => void) => {
  const { stdout } = useStdout();
  const theme = useTheme();
  return useCallback(
    (text) => {
      if (theme.depth === 'none') {
        notify(copyTexts.noCodes);
        return;
      }
      // An empty text would clear the clipboard; half a surrogate pair has no encoding.
      if (text === '' || !text.isWellFormed()) {
        notify(text === '' ? copyTexts.emptyText : copyTexts.brokenText);
        return;
      }
      if (Buffer.byteLength(text, 'utf8') > maxCopiedBytes) {
        notify(copyTexts.longText);
        return;
      }
      stdout.write(clipboardCode(text));
      notify(copyTexts.copied(theme.escape(text, 60)));
    },
    [stdout, theme, notify],
  );
};
