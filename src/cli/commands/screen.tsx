import { type Instance, render, type RenderOptions } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { withoutReplies } from '../../terminal/input.ts';
import type { PaintedTerminal } from '../../terminal/painter.ts';
import { Painted } from '../../ui/components/painted.tsx';
import { createPainter } from '../../ui/components/painter.ts';
import { useRepaint } from '../../ui/hooks/use-screen.ts';

export interface ScreenStreams {
  readonly stdin: NonNullable<RenderOptions['stdin']>;
  readonly stdout: NonNullable<RenderOptions['stdout']> & PaintedTerminal;
  readonly stderr?: RenderOptions['stderr'];
}

export interface Screen {
  readonly instance: Instance;
  /** The terminal. Anything that Ink does not write goes through this stream. */
  readonly stdout: NodeJS.WritableStream;
  /** Redraws the whole screen. */
  readonly repaint: () => void;
}

/** Shows a tree on the alternate screen. Its `Rows` are painted, or with `isPlain` drawn by Ink; both look the same. */
export function openScreen(tree: ReactNode, { stdin, stdout, stderr }: ScreenStreams, isPlain: boolean): Screen {
  let repaint: (() => void) | undefined;
  const content = <><Repaint onChange={(next) => { repaint = next; }} />{tree}</>;
  const painter = isPlain ? undefined : createPainter(stdout);
  const terminal = painter?.stdout ?? stdout;
  const instance = render(painter === undefined ? content : <Painted painter={painter}>{content}</Painted>, {
    stdin: withoutReplies(stdin),
    stdout: terminal,
    ...(stderr !== undefined && { stderr }),
    alternateScreen: true,
    incrementalRendering: isPlain,
    ...(painter !== undefined && { onRender: painter.paintSoon }),
    maxFps: 60,
    exitOnCtrlC: false,
    // With CI set Ink would draw only at exit. The caller has checked for a terminal.
    interactive: true,
  });
  return { instance, stdout: terminal, repaint: () => { repaint?.(); } };
}

interface RepaintProps {
  readonly onChange: (repaint: (() => void) | undefined) => void;
}

const Repaint = ({ onChange }: RepaintProps): ReactNode => {
  const repaint = useRepaint();
  useEffect(() => {
    onChange(repaint);
    return () => { onChange(undefined); };
  }, [repaint, onChange]);
  return null;
};
