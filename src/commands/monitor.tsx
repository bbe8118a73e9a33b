import { render } from 'ink';
import { createHttpApi } from '../api/v2/client.ts';
import { systemClock } from '../store/clock.ts';
import { createMonitor } from '../store/monitor.ts';
import { App } from '../ui/app.tsx';
import { createTheme } from '../ui/theme.ts';
import { Painted } from '../ui/widgets/painted.tsx';
import { createPainter } from '../ui/widgets/painter.ts';
import { signalExitCode, watchForEndings } from './endings.ts';
import { faultText } from './fault-text.ts';

/** What the monitor is to watch, and how. */
export interface MonitorSession {
  /** Name of the place, shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly variant: 'auto' | 'a' | 'b';
  readonly intervalSeconds: number;
  readonly isReadOnly: boolean;
  readonly isInsecure: boolean;
}

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the monitor on the terminal until the operator quits, a signal ends it, or an error in
 * itself does. However it ends, the terminal is as it was, and nothing is left running.
 *
 * @returns the exit code: 0 after quit, 1 after an error, 128 + n after signal n.
 */
export async function runMonitor(session: MonitorSession, streams: TerminalStreams): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const api = createHttpApi({ url: session.url, user: session.user, password: session.password, variant: session.variant });
  // Without the password: React keeps what it is given for as long as it likes.
  const view = {
    context: session.context,
    url: session.url,
    user: session.user,
    isReadOnly: session.isReadOnly,
    isInsecure: session.isInsecure,
    describeVariant: () => describeVariant(api.variantKnowledge.variant),
  };
  const monitor = createMonitor({ api, clock: systemClock, intervalSeconds: session.intervalSeconds });
  const endings = watchForEndings();
  const painter = createPainter(stdout);
  const screen = render(<Painted painter={painter}><App monitor={monitor} session={view} theme={createTheme(env)} /></Painted>, {
    stdin,
    stdout: painter.stdout,
    stderr,
    alternateScreen: true,
    onRender: painter.paintSoon,
    maxFps: 60,
    exitOnCtrlC: false,
    // With CI set Ink would draw only at exit; whether this is a terminal was asked before.
    interactive: true,
  });
  try {
    const quit = screen.waitUntilExit().then(() => ({ kind: 'quit' }) as const, (error: unknown) => ({ kind: 'error', error }) as const);
    const ending = await Promise.race([quit, endings.ended]);
    screen.unmount();
    await quit;
    if (ending.kind === 'signal') return signalExitCode(ending.signal);
    if (ending.kind === 'error') {
      stderr.write(faultText(ending.error));
      return 1;
    }
    return 0;
  } finally {
    monitor.stop();
    await api.close();
    endings.unwatch();
  }
}

function describeVariant(variant: 'a' | 'b' | undefined): string {
  return variant === undefined ? 'variant not known yet' : `variant ${variant.toUpperCase()}`;
}
