import { useApp, useStdout } from 'ink';
import { useCallback, useEffect, useRef } from 'react';
import type { TerminalSize } from './use-terminal-size.ts';

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
