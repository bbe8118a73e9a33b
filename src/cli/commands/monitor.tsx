import { type Instance, render, type RenderOptions } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { createMonitor } from '../../actions/acting-monitor.ts';
import { systemClock } from '../../monitor/clock.ts';
import { withoutReplies } from '../../terminal/input.ts';
import { canPaint, type PaintedTerminal } from '../../terminal/painter.ts';
import { createReplyWait } from '../../terminal/reply-wait.ts';
import { askBackground, chooseReports, createReports, noReports, type Report, type ReportChoice } from '../../terminal/reports.ts';
import { createTheme, type Role } from '../../terminal/theme.ts';
import type { ContextColor } from '../config/context-colors.ts';
import { App } from '../../ui/app.tsx';
import { createPainter, Painted } from '../../ui/components/drawing.tsx';
import type { Preferences } from '../../ui/list/list-state.ts';
import { useRepaint } from '../../ui/hooks/use-terminal.ts';
import { auditPath, createAuditFile, operatorName } from '../files/audit-file.ts';
import { openPreferences, stateFilePath } from '../files/state-file.ts';
import { readPayloadFile } from '../files/text-files.ts';
import { reportCrash } from '../process/crash-report.ts';
import { createCommandTrail, describeEnding, signalExitCode, watchForEndings } from '../process/endings.ts';
import { reportMouse, restoreTerminal, watchForResume } from '../process/terminal.ts';
import { auditFileTexts, demoTexts, passwordTexts } from '../texts.ts';
import { type MonitorSession, openApi, partlyDoneCode, partlyDoneReport } from './monitor-session.ts';

/** Answers that arrive within this time are drawn together. */
const holdMs = 60;

const colorRoles: Readonly<Record<ContextColor, Role>> = { red: 'error', yellow: 'warning', green: 'ok', blue: 'accent' };

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the monitor, on one context after the other, and restores the terminal. Returns the exit code: 0, 1 after an error,
 * 128 + n after signal n, or `partlyDoneCode` if an action on any of them was only partly done.
 */
export async function runMonitor(first: MonitorSession, streams: TerminalStreams): Promise<number> {
  const preferences = await openPreferences(stateFilePath(streams.env));
  let hasPartlyDone = false;
  for (let session = first; ;) {
    const { exitCode, openNext } = await runSession(session, preferences, streams);
    await preferences.whenSaved();
    hasPartlyDone ||= exitCode === partlyDoneCode;
    if (openNext === undefined) return exitCode === 0 && hasPartlyDone ? partlyDoneCode : exitCode;
    session = await openNext();
  }
}

interface SessionEnd {
  readonly exitCode: number;
  /** Of the context to go on with. */
  readonly openNext: (() => Promise<MonitorSession>) | undefined;
}

async function runSession(session: MonitorSession, preferences: Preferences, streams: TerminalStreams): Promise<SessionEnd> {
  const { stdin, stdout, stderr, env } = streams;
  const api = openApi(session);
  const { otherContexts } = session;
  let openNext: SessionEnd['openNext'];
  // React may hold on to its props: without secrets, except the demo's login.
  const view = {
    context: session.context,
    contextRole: session.contextColor === undefined ? undefined : colorRoles[session.contextColor],
    url: session.url,
    user: session.user,
    isReadOnly: session.isReadOnly,
    extraKeys: session.extraKeys,
    isUnrecorded: !session.hasAudit,
    isInsecure: session.isInsecure,
    isTlsUnchecked: session.tls?.isInsecure === true,
    readPayload: readPayloadFile,
    describeApi: () => api.info.label,
    contexts: otherContexts && { names: otherContexts.names, switchTo: async (name: string) => { openNext = await otherContexts.prepare(name); } },
    shownLogin: session.isLoginShown === true ? { url: session.url, user: session.user, password: session.password } : undefined,
  };
  const signIn = { source: session.rereadPassword?.source, readAgain: passwordReader(session), takePassword: api.setPassword };
  const auditFile = auditPath(env);
  const audit = !session.hasAudit ? undefined : createAuditFile(auditFile, { operator: operatorName(), get url() { return api.servingUrl; }, brokerUser: session.user });
  const firstNotes = [
    ...(view.shownLogin === undefined ? [] : [demoTexts.login(view.shownLogin)]),
    ...(session.isReadOnly ? [] : [auditNote(session.hasAudit, auditFile)]),
  ];
  const monitor = createMonitor({ api, clock: systemClock, holdMs, intervalSeconds: session.intervalSeconds, maxRows: session.maxRows, isReadOnly: session.isReadOnly, audit, firstNotes });
  api.onServingChange(({ url, insteadOf, because }) => { monitor.noteFailover({ url, insteadOf, because: because.message }); });
  api.onAddressSkipped(({ url, because }) => { monitor.noteSkippedAddress({ url, brief: because.brief, message: because.message }); });
  const endings = watchForEndings(stdout);
  const trail = createCommandTrail();
  const { themeName = 'auto', hasMouse = true } = session;
  const theme = createTheme(env, process.platform, themeName);
  const wanted = chooseReports(env, theme, { themeName, hasMouse });
  const reports = createReports();
  let beforeEnd: Screen['beforeEnd'] | undefined;
  const tree = <App monitor={monitor} session={view} signIn={signIn} theme={theme} reports={reports} preferences={preferences} onCommand={trail.note} onLeave={(exit) => { beforeEnd?.(exit); }} />;
  const { instance, repaint, stdout: screen, beforeEnd: waitForReply } = openScreen(tree, streams, session.isPlainRender === true || !canPaint(env), { wanted, onReport: reports.emit });
  beforeEnd = waitForReply;
  const endWatchForReturn = watchForResume(stdin, screen, repaint, wanted.mouse);
  let exitCode = 0;
  let reason: string | undefined;
  try {
    const quit = instance.waitUntilExit().then(() => ({ kind: 'quit' }) as const, (error: unknown) => ({ kind: 'error', error }) as const);
    let ending = await Promise.race([quit, endings.ended]);
    if (ending.kind === 'signal') await new Promise<void>((resolve) => { waitForReply(resolve); });
    try {
      instance.unmount();
      await quit;
    } catch (error) {
      restoreTerminal(stdin, screen);
      if (ending.kind !== 'error') ending = { kind: 'error', error };
    }
    reason = describeEnding(ending);
    // Further input belongs to the shell.
    stdin.pause();
    if (ending.kind === 'signal') exitCode = signalExitCode(ending.signal);
    if (ending.kind === 'gone') exitCode = signalExitCode('SIGHUP');
    if (ending.kind === 'error') {
      stderr.write(await reportCrash({
        error: ending.error,
        env,
        hide: api.hide,
        terminal: stdout,
        commands: trail.names(),
      }));
      exitCode = 1;
    }
  } finally {
    endWatchForReturn();
    monitor.stop(reason);
    // The audit records the outcome of every request that was sent.
    await monitor.whenActionsEnd();
    await api.close();
    endings.unwatch();
  }
  const report = partlyDoneReport(monitor.store.getState().partlyDone);
  if (report !== undefined) stderr.write(report);
  // The disk hangs: a regular exit would wait for it.
  if (audit?.isWriting() === true) process.kill(process.pid, 'SIGKILL');
  return { exitCode: exitCode === 0 && report !== undefined ? partlyDoneCode : exitCode, openNext: exitCode === 0 ? openNext : undefined };
}

function auditNote(hasAudit: boolean, file: string | undefined): string {
  if (!hasAudit) return auditFileTexts.off;
  return file === undefined ? auditFileTexts.noHome : auditFileTexts.on(file);
}

/** Separate from the session, whose secrets the view must not see. */
function passwordReader({ rereadPassword }: MonitorSession): () => Promise<string> {
  return () => (rereadPassword === undefined ? Promise.reject(new Error(passwordTexts.nothingToReread)) : rereadPassword.read());
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
  /** As in `ReplyWait`. */
  readonly beforeEnd: (end: () => void) => void;
}

export interface ScreenReports {
  readonly wanted: ReportChoice;
  /** Gets nothing that is not wanted. */
  readonly onReport: (report: Report) => void;
}

/** Shows a tree on the alternate screen, with the painter unless `isPlain`. */
export function openScreen(tree: ReactNode, { stdin, stdout, stderr }: ScreenStreams, isPlain: boolean, { wanted, onReport }: ScreenReports = { wanted: noReports, onReport: () => {} }): Screen {
  let repaint: (() => void) | undefined;
  const content = <><Repaint onChange={(next) => { repaint = next; }} />{tree}</>;
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
  return { instance, stdout: terminal, repaint: () => { repaint?.(); }, beforeEnd: replies.before };
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
