import { type Instance, render, type RenderOptions } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { withoutReplies } from '../../terminal/input.ts';
import type { PaintedTerminal } from '../../terminal/painter.ts';
import { createReplyWait } from '../../terminal/reply-wait.ts';
import { askBackground, noReports, type Report, type ReportChoice } from '../../terminal/reports.ts';
import { createPainter, Painted } from '../../tui/components/drawing.tsx';
import { useRepaint } from '../../tui/hooks/use-terminal.ts';
import { reportMouse } from '../process/terminal.ts';

export interface ScreenStreams {
  readonly stdin: NonNullable<RenderOptions['stdin']>;
  readonly stdout: NonNullable<RenderOptions['stdout']> & PaintedTerminal;
  readonly stderr?: RenderOptions['stderr'];
}

export interface OpenScreen {
  readonly instance: Instance;
  /** Anything that Ink does not write goes through this stream. */
  readonly stdout: NodeJS.WritableStream;
  readonly repaint: () => void;
  /** Means what it means in `ReplyWait`. */
  readonly beforeEnd: (end: () => void) => void;
}

export interface ScreenReports {
  readonly wanted: ReportChoice;
  /** Called only with reports that are wanted. */
  readonly onReport: (report: Report) => void;
}

/** Shows a tree on the alternate screen, with the painter unless `isPlain`. */
export function openScreen(
  tree: ReactNode,
  { stdin, stdout, stderr }: ScreenStreams,
  isPlain: boolean,
  { wanted, onReport }: ScreenReports = { wanted: noReports, onReport: () => {} },
): OpenScreen {
  let repaint: (() => void) | undefined;
  const content = (
    <>
      <Repaint
        onChange={(next) => {
          repaint = next;
        }}
      />
      {tree}
    </>
  );
  const painter = isPlain ? undefined : createPainter(stdout);
  const terminal = painter?.stdout ?? stdout;
  const replies = createReplyWait();
  const keyboard = withoutReplies(stdin, (report) => {
    if (report.kind === 'background') replies.noteAnswer();
    if (wanted[report.kind]) onReport(report);
  });
  const instance = render(painter === undefined ? content : <Painted painter={painter}>{content}</Painted>, {
    stdin: wanted.mouse ? reportMouse(keyboard, stdout) : keyboard,
    stdout: terminal,
    ...(stderr !== undefined && { stderr }),
    alternateScreen: true,
    incrementalRendering: isPlain,
    ...(painter !== undefined && { onRender: painter.paintSoon }),
    maxFps: 60,
    exitOnCtrlC: false,
    // With `CI` set, Ink would draw only at exit.
    interactive: true,
  });
  if (wanted.background) {
    stdout.write(askBackground);
    replies.noteQuestion();
  }
  return {
    instance,
    stdout: terminal,
    repaint: () => {
      repaint?.();
    },
    beforeEnd: replies.before,
  };
}

interface RepaintProps {
  readonly onChange: (repaint: (() => void) | undefined) => void;
}

const Repaint = ({ onChange }: RepaintProps): ReactNode => {
  const repaint = useRepaint();
  useEffect(() => {
    onChange(repaint);
    return () => {
      onChange(undefined);
    };
  }, [repaint, onChange]);
  return null;
};
