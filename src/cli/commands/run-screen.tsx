import type { ReactNode } from 'react';
import { stopReading } from '../../terminal/input.ts';
import { canPaint } from '../../terminal/painter.ts';
import { chooseReports, createReports, noReports, type Reports } from '../../terminal/reports.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import { createTheme, type Theme } from '../../terminal/theme.ts';
import { reportCrash } from '../process/crash-report.ts';
import {
  createCommandTrail,
  describeEnding,
  type Ending,
  signalExitCode,
  watchForEndings,
} from '../process/endings.ts';
import { restoreTerminal, watchForResume } from '../process/terminal.ts';
import type { MonitorSession } from './monitor-session.ts';
import { openScreen, type OpenScreen } from './screen.tsx';
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

/**
 * Shows a tree until it is left, and restores the terminal. Returns the exit code: 0, 1 after an error, or 128 + n
 * after signal n.
 */
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
  let beforeEnd: OpenScreen['beforeEnd'] | undefined;
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
