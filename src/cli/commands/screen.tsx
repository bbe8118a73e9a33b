import { type Instance, render, type RenderOptions } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { stopReading, withoutReplies } from '../../terminal/input.ts';
import { canPaint, type PaintedTerminal } from '../../terminal/painter.ts';
import { createReplyWait } from '../../terminal/reply-wait.ts';
import {
  askBackground,
  chooseReports,
  createReports,
  noReports,
  type Report,
  type ReportChoice,
  type Reports,
} from '../../terminal/reports.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import { createTheme, type Theme } from '../../terminal/theme.ts';
import { createPainter, Painted } from '../../ui/components/drawing.tsx';
import { useRepaint } from '../../ui/hooks/use-terminal.ts';
import { reportCrash } from '../process/crash-report.ts';
import {
  createCommandTrail,
  describeEnding,
  type Ending,
  signalExitCode,
  watchForEndings,
} from '../process/endings.ts';
import { reportMouse, restoreTerminal, watchForResume } from '../process/terminal.ts';
import type { MonitorSession } from './monitor-session.ts';
import { openSpokenScreen } from './spoken-screen.tsx';

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

export interface ScreenContent {
  readonly draw: (props: DrawProps) => ReactNode;
  /** Replaces secrets in a crash report. */
  readonly hide: (text: string) => string;
  /** Runs while signals are still handled. `reason`: a sentence, unless the operator quit. */
  readonly cleanUp: (reason: string | undefined) => Promise<void>;
}

export interface DrawProps {
  readonly theme: Theme;
  readonly themeNamed: (name: ThemeName) => Theme;
  readonly reports: Reports;
  readonly noteCommand: (name: string) => void;
  readonly onLeave: (exit: () => void) => void;
}

/** Shows a tree until it is left, and restores the terminal. Returns the exit code: 0, 1 after an error, or 128 + n after signal n. */
export async function runScreen(
  {
    isPlainRender,
    isScreenReader = false,
    themeName = 'auto',
    hasMouse = true,
  }: Pick<MonitorSession, 'isPlainRender' | 'isScreenReader' | 'themeName' | 'hasMouse'>,
  streams: TerminalStreams,
  { draw, hide, cleanUp }: ScreenContent,
): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const endings = watchForEndings(stdout);
  const trail = createCommandTrail();
  const themeNamed = (name: ThemeName): Theme => createTheme(env, process.platform, name);
  const theme = themeNamed(themeName);
  const wanted = isScreenReader ? noReports : chooseReports(env, theme, { themeName, hasMouse });
  const reports = createReports();
  let beforeEnd: Screen['beforeEnd'] | undefined;
  const tree = draw({
    theme,
    themeNamed,
    reports,
    noteCommand: trail.note,
    onLeave: (exit) => {
      beforeEnd?.(exit);
    },
  });
  const {
    instance,
    repaint,
    stdout: screen,
    beforeEnd: waitForReply,
  } = isScreenReader
    ? openSpokenScreen(tree, streams)
    : openScreen(tree, streams, isPlainRender === true || !canPaint(env), { wanted, onReport: reports.emit });
  beforeEnd = waitForReply;
  const endWatchForReturn = watchForResume(stdin, screen, repaint, wanted.mouse);
  let exitCode = 0;
  let reason: string | undefined;
  let last: Ending | undefined;
  void endings.ended.then((ending) => {
    last = ending;
  });
  try {
    const quit = instance.waitUntilExit().then(
      () => ({ kind: 'quit' }) as const,
      (error: unknown) => ({ kind: 'error', error }) as const,
    );
    let ending = await Promise.race([quit, endings.ended]);
    if (ending.kind === 'signal')
      await new Promise<void>((resolve) => {
        waitForReply(resolve);
      });
    try {
      instance.unmount();
      await quit;
    } catch (error) {
      restoreTerminal(stdin, screen);
      if (ending.kind !== 'error') ending = { kind: 'error', error };
    }
    reason = describeEnding(ending);
    // Further input belongs to the shell.
    await stopReading(stdin);
    if (ending.kind === 'signal') exitCode = signalExitCode(ending.signal);
    if (ending.kind === 'gone') exitCode = signalExitCode('SIGHUP');
    if (ending.kind === 'error') {
      stderr.write(await reportCrash({ error: ending.error, env, hide, terminal: stdout, commands: trail.names() }));
      exitCode = 1;
    }
  } finally {
    endWatchForReturn();
    await cleanUp(reason);
    endings.unwatch();
  }
  // No other screen opens after a signal that came once this one was left.
  if (exitCode === 0 && last?.kind === 'signal') return signalExitCode(last.signal);
  return exitCode;
}

export interface ScreenStreams {
  readonly stdin: NonNullable<RenderOptions['stdin']>;
  readonly stdout: NonNullable<RenderOptions['stdout']> & PaintedTerminal;
  readonly stderr?: RenderOptions['stderr'];
}

export interface Screen {
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
): Screen {
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
