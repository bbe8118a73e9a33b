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

/** The answers of one tick, and the pages of a short list, come one after the other, and are drawn together. */
const holdMs = 60;

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
 * @returns the exit code: 0 after quit, 1 after an error, 128 + n after signal n, 3 when a bulk or an
 * action on several nodes was not done in all its parts, or what became of an action is not known.
 */
export async function runMonitor(session: MonitorSession, streams: TerminalStreams): Promise<number> {
  const { stdin, stdout, stderr, env } = streams;
  const api = openApi(session);
  // Without passwords and the key: React keeps what it is given for as long as it likes.
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
  const signIn = { source: session.passwordAgain?.source, readAgain: readAgain(session), takePassword: api.setPassword };
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
  let because: string | undefined;
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
    because = describeEnding(ending);
    // What is typed from here on is for the shell.
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
    monitor.stop(because);
    // What was sent has its outcome written down before the program ends.
    await monitor.whenActionsEnd();
    await api.close();
    endings.unwatch();
  }
  const report = partlyDoneReport(monitor.store.getState().partlyDone);
  if (report !== undefined) stderr.write(report);
  // Its disk hangs. An ordinary exit waits for the thread that waits for it.
  if (audit?.isWriting() === true) process.kill(process.pid, 'SIGKILL');
  return exitCode === 0 && report !== undefined ? partlyDoneCode : exitCode;
}

function auditNote(hasAudit: boolean, file: string | undefined): string {
  if (!hasAudit) return 'Actions are not recorded (--no-audit).';
  return file === undefined ? noAuditPlace : `Actions are recorded in ${file}.`;
}

/** Taken out of the session, so that the view does not hold what else is in it. */
function readAgain({ passwordAgain }: MonitorSession): () => Promise<string> {
  return () => (passwordAgain === undefined ? Promise.reject(new Error('There is nothing to read the password from.')) : passwordAgain.read());
}
