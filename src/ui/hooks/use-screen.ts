import { useApp, useStdout, useWindowSize } from 'ink';
import { useCallback, useEffect, useMemo, useRef } from 'react';

/** Size of the terminal in cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The smallest terminal that the program draws in. */
export const smallestSize: TerminalSize = { columns: 60, rows: 15 };

/** Follows the terminal's size. A terminal that does not say is 80×24. */
export const useTerminalSize = (): TerminalSize => {
  const { columns, rows } = useWindowSize();
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
};

export const isTooSmall = ({ columns, rows }: TerminalSize): boolean =>
  columns < smallestSize.columns || rows < smallestSize.rows;

/** Cursor home, erase all: Ink writes the whole frame after what is written in between. */
const cleanSlate = '\u001B[H\u001B[2J';

/** Paints the whole screen anew, whatever is on it. */
export const useRepaint = (): (() => void) => {
  const { waitUntilRenderFlush } = useApp();
  const { write } = useStdout();
  return useCallback(() => {
    // Frames that wait for their turn come first: they are made of differences to what is about to be erased.
    void waitUntilRenderFlush().then(() => { write(cleanSlate); });
  }, [waitUntilRenderFlush, write]);
};

/**
 * Paints anew after each change of size. Ink lays out the frame of the old size once more when the size
 * changes; its lines may wrap on a narrower terminal, and all that is later written by difference lands
 * beside its place.
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

/**
 * Gives the terminal back and stops until the shell continues the program: what the answered function does,
 * and SIGTSTP from outside.
 */
export const useSuspend = (): (() => void) => {
  const { suspendTerminal } = useApp();
  const { onSignal, suspend } = useMemo(() => {
    const stop = (pid: number): void => {
      const stopForReal = (): void => {
        // Heard by nobody, the signal stops the program before `kill` is back.
        process.off('SIGTSTP', onSignal);
        process.kill(pid, 'SIGTSTP');
        process.on('SIGTSTP', onSignal);
      };
      // Asked while it comes back from a stop; it is asked again, if it is meant.
      suspendTerminal(stopForReal).catch(() => undefined);
    };
    const onSignal = (): void => { stop(process.pid); };
    // The whole process group, as a shell does it: npm and the demo's children stop and go on with us.
    return { onSignal, suspend: () => { stop(0); } };
  }, [suspendTerminal]);
  useEffect(() => {
    process.on('SIGTSTP', onSignal);
    return () => { process.off('SIGTSTP', onSignal); };
  }, [onSignal]);
  return suspend;
};
