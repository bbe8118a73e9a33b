import { createMonitor } from '../../actions/acting-monitor.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import { systemClock } from '../../monitor/clock.ts';
import { keepWatched } from '../../triage/keep-watched.ts';
import { triageOf } from '../../triage/triage.ts';
import type { Cluster } from '../../ui/clusters/cluster.ts';
import { ClustersApp } from '../../ui/clusters/clusters-app.tsx';
import { createAlerts } from '../process/alerts.ts';
import type { ProblemCommands } from '../process/problem-commands.ts';
import type { SavedPreferences } from '../files/state-file.ts';
import { type ClustersSession, colorRoles, type MonitorSession, openApi, type OpenNext } from './monitor-session.ts';
import { runScreen, type TerminalStreams } from './screen.tsx';

/** Answers that arrive within this time are drawn together. */
const holdMs = 60;

interface Watch {
  cluster: Cluster;
  end: () => Promise<void>;
}

/** Watches all contexts at once. One that hangs or rejects the password does not concern the others. */
export async function runClusters(session: ClustersSession, preferences: SavedPreferences, streams: TerminalStreams, commands: ProblemCommands): Promise<{ readonly exitCode: number; readonly openNext: OpenNext | undefined }> {
  const { alerts } = session;
  const secrets: ((text: string) => string)[] = [];
  let isEnding = false;
  let openNext: OpenNext | undefined;
  const watches = session.contexts.map(({ name, url, color, open }): Watch => {
    const place = { name, url, role: color && colorRoles[color] };
    const watch: Watch = { cluster: { ...place, connection: { kind: 'connecting' } }, end: () => Promise.resolve() };
    open().then((opened) => {
      if (isEnding) return;
      const { hide, ...connected } = connect(opened);
      triageOf(connected.connection.monitor).keepAcknowledgements(preferences.acknowledgements(name), (key, acknowledgement) => { preferences.acknowledge(name, key, acknowledgement); });
      secrets.push(hide);
      watch.cluster = { ...place, connection: connected.connection };
      watch.end = connected.end;
    }).catch((error: unknown) => {
      watch.cluster = { ...place, connection: { kind: 'failed', reason: error instanceof Error ? error.message : String(error) } };
    });
    return watch;
  });
  const exitCode = await runScreen(session, streams, {
    hide: (text) => secrets.reduce((hidden, hide) => hide(hidden), text),
    draw: ({ theme, themeNamed, reports, noteCommand, onLeave }) => (
      <ClustersApp
        clusters={() => watches.map(({ cluster }) => cluster)}
        refresh={() => { for (const { cluster: { connection } } of watches) if (connection.kind === 'watched') connection.monitor.refresh(); }}
        onProblem={({ name, url }, problem, notify) => { if (alerts !== undefined) createAlerts({ ...alerts, context: name, url, env: streams.env, commands, write: (codes) => { streams.stdout.write(codes); }, onFailure: notify })(problem); }}
        open={async (name) => { openNext = await session.prepare(name); }}
        theme={theme} themeNamed={themeNamed} reports={reports} preferences={preferences} extraKeys={session.extraKeys} onCommand={noteCommand} onLeave={onLeave}
      />
    ),
    async cleanUp() {
      isEnding = true;
      await Promise.all(watches.map(({ end }) => end()));
      await preferences.whenSaved();
    },
  });
  return { exitCode, openNext: exitCode === 0 ? openNext : undefined };
}

function connect(session: MonitorSession): { readonly connection: Cluster['connection'] & { readonly kind: 'watched' }; readonly end: () => Promise<void>; readonly hide: (text: string) => string } {
  const api = openApi(session);
  let latencyMs: number | undefined;
  const timed: ManagementApi = Object.assign(Object.create(api) as ManagementApi, {
    async listNodeStats(...options: Parameters<ManagementApi['listNodeStats']>) {
      const startedMs = performance.now();
      const answer = await api.listNodeStats(...options);
      latencyMs = performance.now() - startedMs;
      return answer;
    },
  } satisfies Partial<ManagementApi>);
  const monitor = createMonitor({ api: timed, clock: systemClock, holdMs, intervalSeconds: session.intervalSeconds, maxRows: session.maxRows, isReadOnly: true });
  api.onServingChange(({ url, insteadOf, because }) => { monitor.noteFailover({ url, insteadOf, because: because.message }); });
  api.onAddressSkipped(({ url, because }) => { monitor.noteSkippedAddress({ url, brief: because.brief, message: because.message }); });
  const release = keepWatched(monitor);
  return {
    connection: { kind: 'watched', monitor, latencyMs: () => latencyMs, exposure: { isInsecure: session.isInsecure, isTlsUnchecked: session.tls?.isInsecure === true } },
    hide: api.hide,
    async end() {
      release();
      monitor.stop();
      await api.close();
    },
  };
}
