import type { EventKind } from '../../domain/event.ts';
import { systemClock } from '../../monitor/clock.ts';
import { thisRun, timelineEvents } from '../../monitor/events.ts';
import { reading } from '../../monitor/query/part.ts';
import { createTriagedMonitor } from '../../timeline/triaged-monitor.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { type MonitorSession, openApi } from '../commands/monitor-session.ts';
import { type CommandProcess, waitForStop } from '../process/child.ts';
import { keepClusterEvents, type KeptEvents } from '../files/keep-events.ts';
import { recordTexts } from '../texts.ts';
import { createClusterRecorder, type RecordingLimits } from './cluster-recorder.ts';

export interface RecordCommand extends RecordingLimits {
  readonly folder: string;
}

/**
 * Records a cluster without a terminal until a signal ends it. What goes wrong is on standard error, once.
 *
 * @returns 0, or 1 if the login was rejected
 * @throws UsageError if the folder cannot be used
 */
export async function runRecord(
  session: MonitorSession,
  { folder, ...limits }: RecordCommand,
  process: CommandProcess & { readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const stopped = waitForStop(process);
  const api = openApi(session);
  const monitor = createTriagedMonitor({
    api,
    clock: systemClock,
    intervalSeconds: session.intervalSeconds,
    maxRows: session.maxRows,
    isReadOnly: true,
  });
  api.onServingChange(({ url, insteadOf, because }) => {
    monitor.noteFailover({ url, insteadOf, because: because.message });
  });
  api.onAddressSkipped(({ url, because }) => {
    monitor.noteSkippedAddress({ url, brief: because.brief, message: because.message });
  });
  const cluster = session.context ?? session.url;
  const recorder = createClusterRecorder({ monitor, cluster, folder, limits, environment: process.env });
  let events: KeptEvents | undefined;
  const endNotes = printWarnings(monitor, process.stderr);
  const rejected = whenRejected(monitor);
  try {
    await recorder.start();
    events = keepClusterEvents(monitor, process.env, cluster);
    process.stdout.write(`${escapeText(recordTexts.started(cluster, folder))}\n`);
    const isRejected = await Promise.race([stopped.then(() => false), rejected.then(() => true)]);
    if (isRejected) process.stderr.write(`brokertop: ${recordTexts.rejected}\n`);
    return isRejected ? 1 : 0;
  } finally {
    await Promise.all([recorder.close(), events?.close()]);
    endNotes();
    monitor.stop();
    await api.close();
  }
}

type StatefulMonitor = Pick<ReturnType<typeof createTriagedMonitor>, 'store'>;

/** Resolves when the broker rejects the login. Polling has then ended, as nobody can type another password. */
function whenRejected({ store }: StatefulMonitor): Promise<void> {
  return new Promise((resolve) => {
    store.subscribe(({ isUnauthorized }) => {
      if (isUnauthorized) resolve();
    });
  });
}

/** The events that are printed: they concern the recording itself. */
const told: ReadonlySet<EventKind> = new Set(['note', 'failover', 'sign-in', 'api-lost']);

/** Prints warnings and errors about the recording as they come; one that is repeated, once. */
function printWarnings({ store }: StatefulMonitor, stderr: CommandProcess['stderr']): () => void {
  const seen = new Set<string>();
  return store.subscribe((state, before) => {
    const events = reading(state, timelineEvents);
    if (events === reading(before, timelineEvents)) return;
    for (const { id, severity, kind, text, run } of events) {
      if (run !== thisRun || seen.has(id)) continue;
      seen.add(id);
      if (severity !== 'info' && told.has(kind)) stderr.write(`brokertop: ${escapeText(text)}\n`);
    }
  });
}
