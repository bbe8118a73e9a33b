import { createMonitor } from '../../actions/acting-monitor.ts';
import { systemClock } from '../../monitor/clock.ts';
import { canPaint } from '../../terminal/painter.ts';
import { createTheme } from '../../terminal/theme.ts';
import { App } from '../../ui/app.tsx';
import { auditPath, createAuditFile, noAuditPlace, operatorName } from '../files/audit-file.ts';
import { readPayloadFile } from '../files/payload-file.ts';
import { reportCrash } from '../process/crash-report.ts';
import { createCommandTrail, describeEnding, signalExitCode, watchForEndings } from '../process/endings.ts';
import { restoreTerminal, watchForResume } from '../process/terminal-return.ts';
import { type MonitorSession, openApi, partlyDoneCode, partlyDoneReport } from './monitor-session.ts';
import { openScreen } from './screen.tsx';

/** Answers that arrive within this time are drawn together: those of one tick, or the pages of a short list. */
const holdMs = 60;

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the monitor until the operator quits, a signal arrives, or it fails. Restores the terminal in every case.
 *
 * @returns the exit code: 0 after quitting, 1 after an error, 128 + n after signal n, `partlyDoneCode` when an action was
 * done in part or its outcome is unknown
 */
export async function runMonitor(session: MonitorSession, streams: TerminalStreams): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const api = openApi(session);
  // Without secrets: React may keep what it is given.
  const view = {
    context: session.context,
    url: session.url,
    user: session.user,
    isReadOnly: session.isReadOnly,
    isUnrecorded: !session.hasAudit,
    isInsecure: session.isInsecure,
    isTlsUnchecked: session.tls?.isInsecure === true,
    readPayload: readPayloadFile,
    describeVariant: () => api.info.label,
  };
  const signIn = { source: session.rereadPassword?.source, readAgain: passwordReader(session), takePassword: api.setPassword };
  const auditFile = auditPath(env);
  const audit = !session.hasAudit ? undefined : createAuditFile(auditFile, { operator: operatorName(), get url() { return api.servingUrl; }, brokerUser: session.user });
  const monitor = createMonitor({ api, clock: systemClock, holdMs, intervalSeconds: session.intervalSeconds, maxRows: session.maxRows, isReadOnly: session.isReadOnly, audit, firstNote: session.isReadOnly ? undefined : auditNote(session.hasAudit, auditFile) });
  api.onServingChange(({ url, insteadOf, because }) => { monitor.noteTakeover({ url, insteadOf, because: because.message }); });
  api.onAddressSkipped(({ url, because }) => { monitor.noteSkippedAddress({ url, brief: because.brief, message: because.message }); });
  const endings = watchForEndings(stdout);
  const trail = createCommandTrail();
  const tree = <App monitor={monitor} session={view} signIn={signIn} theme={createTheme(env)} onCommand={trail.note} />;
  const { instance, repaint, stdout: screen } = openScreen(tree, streams, session.isPlainRender === true || !canPaint(env));
  const endWatchForReturn = watchForResume(stdin, screen, repaint);
  let exitCode = 0;
  let reason: string | undefined;
  try {
    const quit = instance.waitUntilExit().then(() => ({ kind: 'quit' }) as const, (error: unknown) => ({ kind: 'error', error }) as const);
    let ending = await Promise.race([quit, endings.ended]);
    try {
      instance.unmount();
      await quit;
    } catch (error) {
      restoreTerminal(stdin, screen);
      if (ending.kind !== 'error') ending = { kind: 'error', error };
    }
    reason = describeEnding(ending);
    // Later input is for the shell.
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
  // The disk hangs, and a regular exit would wait for it.
  if (audit?.isWriting() === true) process.kill(process.pid, 'SIGKILL');
  return exitCode === 0 && report !== undefined ? partlyDoneCode : exitCode;
}

function auditNote(hasAudit: boolean, file: string | undefined): string {
  if (!hasAudit) return 'Actions are not recorded (--no-audit).';
  return file === undefined ? noAuditPlace : `Actions are recorded in ${file}.`;
}

/** Separate from the session, whose secrets the view must not hold. */
function passwordReader({ rereadPassword }: MonitorSession): () => Promise<string> {
  return () => (rereadPassword === undefined ? Promise.reject(new Error('There is nothing to read the password from.')) : rereadPassword.read());
}
