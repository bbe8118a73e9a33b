import { setTimeout as delay } from 'node:timers/promises';
import type { HttpApi } from '../../api/dialects/index.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import { systemClock } from '../../monitor/clock.ts';
import { vitalReadings } from '../../monitor/query/query.ts';
import { createTriagedMonitor } from '../../timeline/triaged-monitor.ts';
import type { TriagedMonitor } from '../../triage/triaged-monitor.ts';
import type { Monitor } from '../../monitor/state.ts';
import { type AuditFile, auditPath, createAuditFile, operatorName } from '../files/audit-file.ts';
import { keepClusterEvents } from '../files/keep-events.ts';
import type { SavedPreferences } from '../files/state-file.ts';
import { type ClusterRecorder, createClusterRecorder, usualLimits } from '../record/cluster-recorder.ts';
import { auditFileTexts, demoTexts } from '../texts.ts';
import { type MonitorSession, openApi } from './monitor-session.ts';

/** The figures of the first answers are surely shown after so long. */
const shownMs = 2_000;

/** The disk may hang. */
const maxWriteMs = 1_000;

/** Answers are collected for so long, to be drawn together. */
const holdMs = 60;

/**
 * A cluster with its monitor, which knows what was read so far: a screen hands it to the next one that shows the same
 * cluster.
 */
export interface ClusterConnection {
  readonly api: HttpApi;
  readonly monitor: TriagedMonitor;
  readonly audit: AuditFile | undefined;
  readonly latencyMs: () => number | undefined;
  /** Returns the recorder of the cluster. From the first call on, the last samples are kept in memory. */
  readonly recorder: () => ClusterRecorder;
  /** Writes what is recorded and what happened, and ends that. */
  readonly closeFiles: () => Promise<void>;
}

/**
 * Connects to a cluster. The caller stops the monitor and closes the API. `onFigures` is called once, some time after the
 * first figures of the cluster are shown.
 */
export function connect(
  session: MonitorSession,
  env: NodeJS.ProcessEnv,
  preferences: SavedPreferences,
  onFigures?: () => void,
): ClusterConnection {
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
  const auditFile = auditPath(env);
  const audit = !session.hasAudit
    ? undefined
    : createAuditFile(auditFile, {
        operator: operatorName(),
        get url() {
          return api.servingUrl;
        },
        brokerUser: session.user,
      });
  const firstNotes = [
    ...(session.isLoginShown === true ? [demoTexts.login(session)] : []),
    ...(session.isReadOnly ? [] : [auditNote(session.hasAudit, auditFile)]),
  ];
  const monitor = createTriagedMonitor({
    api: timed,
    clock: systemClock,
    holdMs,
    intervalSeconds: session.intervalSeconds,
    maxRows: session.maxRows,
    isReadOnly: session.isReadOnly,
    audit,
    author: operatorName(),
    firstNotes,
  });
  const cluster = session.context ?? session.url;
  // A demo is another cluster each time.
  monitor.keepAcknowledgements(
    session.isLoginShown === true ? new Map() : preferences.acknowledgements(cluster),
    (key, acknowledgement) => {
      if (session.isLoginShown !== true) preferences.acknowledge(cluster, key, acknowledgement);
      audit
        ?.write({ kind: 'acknowledge', atMs: systemClock.nowMs(), problem: key, note: acknowledgement?.note })
        .catch((error: unknown) => {
          monitor.note('warning', error instanceof Error ? error.message : String(error));
        });
    },
  );
  api.onServingChange(({ url, insteadOf, because }) => {
    monitor.noteFailover({ url, insteadOf, because: because.message });
  });
  api.onAddressSkipped(({ url, because }) => {
    monitor.noteSkippedAddress({ url, brief: because.brief, message: because.message });
  });
  if (onFigures !== undefined) whenShown(monitor, onFigures);
  // A demo is another cluster each time.
  const events = session.isLoginShown === true ? undefined : keepClusterEvents(monitor, env, cluster);
  let recorder: ClusterRecorder | undefined;
  const openRecorder = (): ClusterRecorder =>
    (recorder ??= createClusterRecorder({
      monitor,
      cluster,
      folder: session.recording?.folder,
      limits: session.recording?.limits ?? usualLimits,
      environment: env,
    }));
  if (session.recording?.isOn === true) openRecorder().begin();
  return {
    api,
    monitor,
    audit,
    latencyMs: () => latencyMs,
    recorder: openRecorder,
    async closeFiles() {
      await Promise.all([
        recorder?.close(),
        Promise.race([events?.close(), delay(maxWriteMs, undefined, { ref: false })]),
      ]);
    },
  };
}

/** Calls `onFigures` when the cluster has been read, and the screen has had time to show it. */
function whenShown({ store }: Monitor, onFigures: () => void): void {
  const unsubscribe = store.subscribe((state) => {
    const vital = vitalReadings(state);
    if (vital.length === 0 || vital.some(({ updatedAtMs }) => updatedAtMs === undefined)) return;
    unsubscribe();
    setTimeout(onFigures, shownMs).unref();
  });
}

function auditNote(hasAudit: boolean, file: string | undefined): string {
  if (!hasAudit) return auditFileTexts.off;
  return file === undefined ? auditFileTexts.noHome : auditFileTexts.on(file);
}
