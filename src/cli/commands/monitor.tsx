import { createReplayMonitor } from '../../replay/replay-monitor.ts';
import { openPreferences, type SavedPreferences, stateFilePath } from '../files/state-file.ts';
import { readKeptEvents } from '../files/event-file.ts';
import { liveRecording, reportWriter } from '../report/live-report.ts';
import { createAlerts } from '../process/alerts.ts';
import { createProblemCommands, type ProblemCommands } from '../process/problem-commands.ts';
import { passwordTexts } from '../texts.ts';
import { runClusters } from './clusters.tsx';
import { connect, type ClusterConnection } from './connection.ts';
import {
  allContexts,
  type ClustersSession,
  colorRoles,
  type MonitorSession,
  type OpenNext,
  partlyDoneCode,
  partlyDoneReport,
} from './monitor-session.ts';
import type { TerminalStreams } from './run-screen.tsx';
import { showApp } from './show-app.tsx';

/**
 * Runs the monitor, on one context after the other or on all at once, and restores the terminal. Returns the exit code:
 * 0, 1 after an error, 128 + n after signal n, or `partlyDoneCode` if an action on any of them was only partly done.
 * `onFigures` is called some time after the first figures of a cluster are shown.
 */
export async function runMonitor(
  first: MonitorSession | ClustersSession,
  streams: TerminalStreams,
  onFigures?: () => void,
): Promise<number> {
  const preferences = await openPreferences(
    'isLoginShown' in first && first.isLoginShown === true ? undefined : stateFilePath(streams.env),
    first.lists,
  );
  const commands = createProblemCommands();
  let hasPartlyDone = false;
  let handedOver: ClusterConnection | undefined;
  for (let session = first; ;) {
    if ('contexts' in session) preferences.noteContext(undefined);
    else if ((session.otherContexts?.names.length ?? 0) > 0) preferences.noteContext(session.context);
    const end: SessionEnd =
      'contexts' in session
        ? await runClusters(session, preferences, streams, commands, onFigures)
        : await runSession(
            session,
            handedOver ?? connect(session, streams.env, preferences, onFigures),
            preferences,
            streams,
            commands,
          );
    const { exitCode, openNext } = end;
    hasPartlyDone ||= exitCode === partlyDoneCode;
    if (openNext === undefined) {
      await commands.stop();
      return exitCode === 0 && hasPartlyDone ? partlyDoneCode : exitCode;
    }
    handedOver = end.handedOver;
    try {
      session = await openNext();
    } catch (error) {
      await handedOver?.api.close();
      throw error;
    }
  }
}

interface SessionEnd {
  readonly exitCode: number;
  readonly openNext: OpenNext | undefined;
  /** The connection to the cluster that `openNext` opens. */
  readonly handedOver?: ClusterConnection | undefined;
}

async function runSession(
  session: MonitorSession,
  connection: ClusterConnection,
  preferences: SavedPreferences,
  streams: TerminalStreams,
  commands: ProblemCommands,
): Promise<SessionEnd> {
  const { stderr, env } = streams;
  const { api, monitor, audit } = connection;
  const { otherContexts } = session;
  const recorder = connection.recorder();
  const cluster = session.context ?? session.url;
  const shown = createReplayMonitor(recorder.memory, monitor);
  let openNext: SessionEnd['openNext'];
  // React may hold on to its props: without secrets, except the demo's login.
  const view = {
    context: session.context,
    contextRole: session.contextColor === undefined ? undefined : colorRoles[session.contextColor],
    url: session.url,
    user: session.user,
    isReadOnly: session.isReadOnly,
    isUnrecorded: !session.hasAudit,
    isInsecure: session.isInsecure,
    isTlsUnchecked: session.tls?.isInsecure === true,
    recording: { status: recorder.status, start: recorder.start, stop: recorder.stop },
    writeReport: reportWriter({
      cluster,
      use: liveRecording(recorder),
      // A demo is another cluster each time.
      readKept: () => (session.isLoginShown === true ? Promise.resolve([]) : readKeptEvents(env, cluster)),
    }),
    describeApi: () => api.info.label,
    contexts: otherContexts && {
      names: otherContexts.names,
      switchTo: async (name: string | undefined) => {
        openNext = await otherContexts.prepare(name ?? allContexts);
      },
    },
    shownLogin:
      session.isLoginShown === true ? { url: session.url, user: session.user, password: session.password } : undefined,
  };
  const signIn = {
    source: session.rereadPassword?.source,
    readAgain: passwordReader(session),
    takePassword: api.setPassword,
  };
  if (session.alerts !== undefined) {
    const alert = createAlerts({
      ...session.alerts,
      context: session.context,
      url: session.url,
      env,
      commands,
      write: (codes) => {
        streams.stdout.write(codes);
      },
      onFailure: (text) => {
        monitor.note('warning', text);
      },
    });
    monitor.followProblems(({ begun }) => {
      if (begun !== undefined) alert(begun);
    });
  }
  const exitCode = await showApp(session, streams, {
    monitor: shown,
    session: view,
    signIn,
    preferences,
    hide: api.hide,
    async cleanUp() {
      // The audit records the outcome of every request that was sent.
      await monitor.whenActionsEnd();
      await connection.closeFiles();
      await api.close();
    },
  });
  const report = partlyDoneReport(monitor.store.getState().partlyDone);
  if (report !== undefined) stderr.write(report);
  // The disk hangs: a regular exit would wait for it.
  if (audit?.isWriting() === true) {
    await commands.stop();
    process.kill(process.pid, 'SIGKILL');
  }
  return {
    exitCode: exitCode === 0 && report !== undefined ? partlyDoneCode : exitCode,
    openNext: exitCode === 0 ? openNext : undefined,
  };
}

/** Returns a reader that is separate from the session, whose secrets the view must not see. */
function passwordReader({ rereadPassword }: MonitorSession): () => Promise<string> {
  return () =>
    rereadPassword === undefined ? Promise.reject(new Error(passwordTexts.nothingToReread)) : rereadPassword.read();
}
