import type { Cluster } from '../../screens/clusters/cluster.ts';
import { ClustersApp } from '../../screens/clusters/clusters-app.tsx';
import { createAlerts } from '../process/alerts.ts';
import type { ProblemCommands } from '../process/problem-commands.ts';
import type { SavedPreferences } from '../files/state-file.ts';
import { connect, type ClusterConnection } from './connection.ts';
import { type ClustersSession, colorRoles, type OpenNext } from './monitor-session.ts';
import { runScreen, type TerminalStreams } from './run-screen.tsx';

interface Watch {
  cluster: Cluster;
  connected?: ClusterConnection;
}

/** Watches all contexts at once. One that hangs or rejects the password does not concern the others. */
export async function runClusters(
  session: ClustersSession,
  preferences: SavedPreferences,
  streams: TerminalStreams,
  commands: ProblemCommands,
  onFigures: (() => void) | undefined,
): Promise<{
  readonly exitCode: number;
  readonly openNext: OpenNext | undefined;
  readonly handedOver: ClusterConnection | undefined;
}> {
  const { alerts } = session;
  const secrets: ((text: string) => string)[] = [];
  let isEnding = false;
  let openNext: OpenNext | undefined;
  let chosen: Watch | undefined;
  const watches = session.contexts.map(({ name, url, color, open }): Watch => {
    const place = { name, url, role: color && colorRoles[color] };
    const watch: Watch = { cluster: { ...place, connection: { kind: 'connecting' } } };
    open()
      .then((opened) => {
        if (isEnding) return;
        const connected = connect(opened, streams.env, preferences, onFigures);
        const { api, monitor, latencyMs } = connected;
        secrets.push(api.hide);
        watch.cluster = {
          ...place,
          connection: {
            kind: 'watched',
            monitor,
            latencyMs,
            exposure: { isInsecure: opened.isInsecure, isTlsUnchecked: opened.tls?.isInsecure === true },
          },
        };
        watch.connected = connected;
      })
      .catch((error: unknown) => {
        watch.cluster = {
          ...place,
          connection: { kind: 'failed', reason: error instanceof Error ? error.message : String(error) },
        };
      });
    return watch;
  });
  const exitCode = await runScreen(session, streams, {
    hide: (text) => secrets.reduce((hidden, hide) => hide(hidden), text),
    draw: ({ theme, themeNamed, reports, noteCommand, onLeave }) => (
      <ClustersApp
        clusters={() => watches.map(({ cluster }) => cluster)}
        refresh={() => {
          for (const {
            cluster: { connection },
          } of watches)
            if (connection.kind === 'watched') connection.monitor.refresh();
        }}
        onProblem={({ name, url }, problem, notify) => {
          if (alerts !== undefined)
            createAlerts({
              ...alerts,
              context: name,
              url,
              env: streams.env,
              commands,
              write: (codes) => {
                streams.stdout.write(codes);
              },
              onFailure: notify,
            })(problem);
        }}
        open={async (name) => {
          openNext = await session.prepare(name);
          chosen = watches.find(({ cluster }) => cluster.name === name);
        }}
        theme={theme}
        themeNamed={themeNamed}
        reports={reports}
        preferences={preferences}
        extraKeys={session.extraKeys}
        onCommand={noteCommand}
        onLeave={onLeave}
      />
    ),
    async cleanUp() {
      isEnding = true;
      // A rejected login starts again.
      if (openNext === undefined || chosen?.connected?.monitor.store.getState().isUnauthorized !== false)
        chosen = undefined;
      await Promise.all(watches.filter((watch) => watch !== chosen).map(end));
      await preferences.whenSaved();
    },
  });
  if (exitCode === 0) return { exitCode, openNext, handedOver: chosen?.connected };
  if (chosen !== undefined) await end(chosen);
  return { exitCode, openNext: undefined, handedOver: undefined };
}

async function end({ connected }: Watch): Promise<void> {
  connected?.monitor.stop();
  await connected?.closeFiles();
  await connected?.api.close();
}
