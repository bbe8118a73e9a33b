import path from 'node:path';
import { createStore } from 'zustand/vanilla';
import type { ActingMonitor, ActingState } from '../../actions/acting-monitor.ts';
import { DataError } from '../../broker/data/files.ts';
import { lockFolder } from '../../broker/data/folder.ts';
import { createHeldWatches } from '../../checks/keep-watched.ts';
import { reasonText } from '../../domain/error-code.ts';
import { systemClock, wallMs } from '../../monitor/clock.ts';
import { reading } from '../../monitor/query/part.ts';
import type { ReadableStore } from '../../monitor/state.ts';
import { openRecording, RecordingError } from '../../recording/folder-reader.ts';
import { createFolderWriter, type FolderWriter } from '../../recording/folder-writer.ts';
import { createRecorder } from '../../recording/recorder.ts';
import type { Recording } from '../../recording/recording.ts';
import { recordedReads } from '../../resources/recorded-reads.ts';
import type { RecordingStatus } from '../../screens/session-view.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { timelineEvents } from '../../monitor/events.ts';
import { version } from '../../version.ts';
import { errorCodeOrMessage, UsageError } from '../errors.ts';
import { clusterFileName, FolderError, requirePrivateFolder, statePath } from '../files/state-folder.ts';
import { recordTexts } from '../texts.ts';

/** Limits the size and the age of a recording; its oldest files are deleted beyond them. */
export interface RecordingLimits {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** The limits that apply unless flags set others. */
export const usualLimits: RecordingLimits = { maxBytes: 2 ** 30, maxAgeMs: 7 * 86_400_000 };

/** Whether and where the monitor records. */
export interface RecordingConfig {
  /** Records from the start. */
  readonly isOn: boolean;
  /** `undefined`: the folder of the cluster in the state folder. */
  readonly folder: string | undefined;
  readonly limits: RecordingLimits;
}

/** Records a cluster: the last samples in memory, all of them in a folder from `start` to `stop`. */
export interface ClusterRecorder {
  readonly memory: Recording<ActingState, TimelineEvent>;
  readonly status: ReadableStore<RecordingStatus>;
  /** @throws UsageError if the folder cannot be used */
  start(): Promise<void>;
  /** Starts as flags or the configuration say, which shows and logs why it cannot. */
  begin(): void;
  stop(): Promise<void>;
  /** Writes what there is, and ends. */
  close(): Promise<void>;
}

type RecordedMonitor = Pick<ActingMonitor, 'store' | 'watch' | 'note'>;

export interface ClusterRecorderOptions {
  readonly monitor: RecordedMonitor;
  /** The name of the context, or the address. */
  readonly cluster: string;
  /** `undefined`: the folder of the cluster in the state folder. */
  readonly folder: string | undefined;
  readonly limits: RecordingLimits;
  readonly environment: NodeJS.ProcessEnv;
}

/** The pause between two decisions about what to read. */
const lookMs = 1_000;

/** Returns the usual folder of a cluster; `undefined` without a home folder. */
export const recordingFolder = (environment: NodeJS.ProcessEnv, cluster: string): string | undefined =>
  statePath(environment, path.join('recordings', clusterFileName(cluster)));

export function createClusterRecorder(options: ClusterRecorderOptions): ClusterRecorder {
  const { monitor, cluster } = options;
  const run = crypto.randomUUID();
  const status = createStore<RecordingStatus>(() => ({ kind: 'off' }));
  const recorder = createRecorder<ActingState, TimelineEvent>({
    store: monitor.store,
    clock: systemClock,
    wallMs,
    program: version,
    eventsOf: (state) => reading(state, timelineEvents),
    onError: (error) => {
      monitor.note('warning', recordTexts.notEncoded(error instanceof Error ? error.message : String(error)));
    },
  });
  let writing: { readonly end: () => Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  /** Starts and stops one after the other. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  }

  async function start(): Promise<void> {
    if (writing !== undefined) return;
    const folder = options.folder ?? recordingFolder(options.environment, cluster);
    if (folder === undefined) throw new UsageError(recordTexts.noHome);
    const lock = await openFolder(folder, cluster);
    const writer: FolderWriter<TimelineEvent> = createFolderWriter({
      folder,
      program: version,
      run,
      cluster,
      ...options.limits,
      requestKeyframe: recorder.requestKeyframe,
      monotonicMs: systemClock.monotonicMs,
      onTrouble(code) {
        status.setState(code === undefined ? { kind: 'on', folder } : { kind: 'failing', folder, reason: code }, true);
        if (code === undefined) monitor.note('info', recordTexts.again(folder));
        else monitor.note('warning', recordTexts.failing(folder, code));
      },
    });
    const removeSink = recorder.addSink(writer);
    const release = keepRead(monitor);
    status.setState({ kind: 'on', folder }, true);
    monitor.note('info', recordTexts.begun(folder));
    writing = {
      async end() {
        release();
        removeSink();
        await writer.close();
        lock.release();
      },
    };
  }

  async function stop(): Promise<void> {
    const ended = writing;
    writing = undefined;
    await ended?.end();
    status.setState({ kind: 'off' }, true);
  }

  return {
    memory: recorder.memory,
    status,
    start: () => inTurn(start),
    begin() {
      inTurn(start).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        status.setState({ kind: 'failing', folder: options.folder ?? '', reason }, true);
        monitor.note('warning', reason);
      });
    },
    stop: () => inTurn(stop),
    close: () =>
      inTurn(async () => {
        await recorder.stop();
        await stop();
      }),
  };
}

/** Reads everything that is recorded, whatever the screen and the checks need. */
function keepRead(monitor: RecordedMonitor): () => void {
  const { hold, release } = createHeldWatches(monitor);
  const look = (): void => {
    hold(recordedReads(monitor.store.getState()));
  };
  look();
  const timer = setInterval(look, lookMs);
  return () => {
    clearInterval(timer);
    release();
  };
}

/** Makes the folder, and locks it: two programs must not write the same files. @throws UsageError */
async function openFolder(folder: string, cluster: string): Promise<{ readonly release: () => void }> {
  try {
    await requirePrivateFolder(folder);
    await requireSameCluster(folder, cluster);
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // A file is in its place, or in that of a folder above.
    if (error instanceof FolderError || ['EEXIST', 'ENOTDIR'].includes(errorCodeOrMessage(error)))
      throw new UsageError(recordTexts.notPrivate(folder), { cause: error });
    if (error instanceof DataError) throw new UsageError(recordTexts.inUse(folder), { cause: error });
    throw new UsageError(recordTexts.cannotBeUsed(folder, reasonText(errorCodeOrMessage(error))), { cause: error });
  }
}

async function requireSameCluster(folder: string, cluster: string): Promise<void> {
  let recorded;
  try {
    recorded = await openRecording(folder);
  } catch (error) {
    if (error instanceof RecordingError) return;
    throw error;
  }
  await recorded.close();
  if (recorded.cluster !== cluster) throw new UsageError(recordTexts.otherCluster(folder, recorded.cluster));
}
