import { useApp, useStdout, useWindowSize } from 'ink';
import { useCallback, useEffect, useMemo, useRef } from 'react';

/** Size of the terminal in cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The smallest terminal that the program draws in. */
export const smallestSize: TerminalSize = { columns: 60, rows: 15 };

/** Follows the terminal's size; 80×24 where the terminal does not say. */
export const useTerminalSize = (): TerminalSize => {
  const { columns, rows } = useWindowSize();
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
};

export const isTooSmall = ({ columns, rows }: TerminalSize): boolean =>
  columns < smallestSize.columns || rows < smallestSize.rows;

/** Cursor home, erase all: Ink writes the whole frame after what is written in between. */
const clearScreen = '\u001B[H\u001B[2J';

/** Repaints the whole screen. */
export const useRepaint = (): (() => void) => {
  const { waitUntilRenderFlush } = useApp();
  const { write } = useStdout();
  return useCallback(() => {
    // Pending frames must be written before the screen is erased: they are differences.
    void waitUntilRenderFlush().then(() => { write(clearScreen); });
  }, [waitUntilRenderFlush, write]);
};

/**
 * Repaints after a change of size. Ink draws the old layout once more, whose lines may wrap on the narrower terminal and
 * displace everything that is later written as a difference.
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

/** Suspends the program until the shell continues it: by the returned function, or by SIGTSTP. */
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
    const onSignal = (): void => { stop(process.pid); };
    // The whole process group, as a shell does, so that npm and the demo's children stop too.
    return { onSignal, suspend: () => { stop(0); } };
  }, [suspendTerminal]);
  useEffect(() => {
    process.on('SIGTSTP', onSignal);
    return () => { process.off('SIGTSTP', onSignal); };
  }, [onSignal]);
  return suspend;
};
