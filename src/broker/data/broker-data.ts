import type { BrokerCluster } from '../cluster.ts';
import type { AdminUsers, UserState } from '../management/users.ts';
import type { Recorder } from '../sessions/recorder.ts';
import { ChangeRecorder } from './change-recorder.ts';
import { Checkpointer } from './checkpointer.ts';
import type { DataError } from './data-error.ts';
import { type DataFolder, openDataFolder } from './folder.ts';
import { folderWriteError } from './journal-file.ts';
import { Journal, truncateFile } from './journal.ts';
import type { PersistentState, StateSource } from './operator-state.ts';
import { RecordFile } from './record-file.ts';
import { nodeKind, type NodeRecord, retainedKind, sessionKind, userKind } from './record-kinds.ts';
import { Replay, type ReplayedJournal, ReplayedRecords } from './replay.ts';

/** Delay after a failed checkpoint; changes go into the journal meanwhile. */
const checkpointRetryMs = 30_000;
/** A checkpoint is due when the journal has more bytes than the record files, within these limits. */
const minJournalBytes = 32 * 1024 * 1024;
const maxJournalBytes = 192 * 1024 * 1024;

/** The parts of a broker that are stored. */
interface PersistedParts {
  readonly cluster: BrokerCluster;
  readonly users: Pick<AdminUsers, 'exportUser' | 'listUsers' | 'onUserChange'>;
  readonly settings?: StateSource | undefined;
}

export interface BrokerDataOptions {
  /** Called when changes cannot be written, and with `undefined` when they can again. */
  readonly onWriteFailure?: ((error: DataError | undefined) => void) | undefined;
}

/** The stored state of a broker in its data folder. */
export interface BrokerData {
  readonly path: string;
  /** Records changes, from `follow` on. */
  readonly recorder: Recorder;
  /** Administrators that were in the folder; releases them from memory. */
  takeUsers(): readonly UserState[];
  /** Restores retained messages and sessions into a cluster that is not started. */
  restoreCluster(cluster: BrokerCluster): void;
  takeSettings(): PersistentState;
  /** Stores these parts and their changes from now on. Resolves after the first checkpoint. @throws DataError */
  follow(parts: PersistedParts): Promise<void>;
  /** Writes the last changes and releases the folder. @throws DataError when they cannot be written. */
  close(): Promise<void>;
}

/** Opens the folder and replays its journal. @throws DataError when it cannot be used; it is then unchanged. */
export async function openBrokerData(path: string, { onWriteFailure = () => undefined }: BrokerDataOptions = {}): Promise<BrokerData> {
  const folder = await openDataFolder(path);
  try {
    return await load(folder, onWriteFailure);
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function load(folder: DataFolder, onWriteFailure: (error: DataError | undefined) => void): Promise<BrokerData> {
  const users = new RecordFile(folder.path, userKind);
  const nodes = new RecordFile(folder.path, nodeKind);
  const retained = new RecordFile(folder.path, retainedKind);
  const sessions = new RecordFile(folder.path, sessionKind);
  const files = [users, nodes, retained, sessions];
  const stored = {
    users: new ReplayedRecords(userKind, await users.load()),
    nodes: new ReplayedRecords(nodeKind, await nodes.load()),
    retained: new ReplayedRecords(retainedKind, await retained.load()),
  };
  const replay = new Replay([stored.users, stored.nodes, stored.retained], await sessions.load());
  const replayed = await replay.run(folder.path);
  // Replayed changes go into the record files with the next checkpoint.
  const mark = (file: { mark(key: string): void }, keys: Iterable<string>): void => {
    if (replayed.segments.length > 0) for (const key of keys) file.mark(key);
  };
  mark(users, stored.users.byKey.keys());
  mark(nodes, stored.nodes.byKey.keys());
  mark(retained, stored.retained.byKey.keys());
  mark(sessions, replay.sessions.keys());

  // While starting and closing, failures are thrown instead.
  let isServing = false;
  const failures = new FailureReporter((error) => {
    if (isServing) onWriteFailure(error);
  });
  const journal = new Journal({
    folder: folder.path,
    position: replayed.position,
    segments: replayed.segments,
    written: (bytes, failure) => {
      failures.set('journal', failure);
      const fileBytes = files.reduce((sum, file) => sum + file.bytes, 0);
      if (isServing && bytes > Math.min(Math.max(fileBytes, minJournalBytes), maxJournalBytes)) checkpointer.schedule();
    },
  });
  const checkpointer = new Checkpointer(files, journal, { retryMs: checkpointRetryMs, onAttempt: (error) => failures.set('files', error) });
  const log = new ChangeRecorder(journal, sessions);
  return {
    path: folder.path,
    recorder: log,
    takeUsers: () => takeAll(stored.users.byKey),
    takeSettings: () => ({ nodes: Object.fromEntries(takeAll(stored.nodes.byKey).map(({ node, ...state }) => [node, state])) }),
    restoreCluster: (cluster) => cluster.restore({
      retained: takeAll(stored.retained.byKey), sessions: takeAll(replay.sessions).map((session) => session.export()),
    }),
    follow: async (parts) => {
      const userRecords = log.follow(users, userKind, (name) => parts.users.exportUser(name));
      for (const { username } of await parts.users.listUsers()) users.mark(username);
      parts.users.onUserChange(userRecords.changed);

      log.setRetained(log.follow(retained, retainedKind, (topic) => parts.cluster.exportRetained(topic)));
      sessions.follow({
        export: (clientId) => {
          const session = parts.cluster.exportSession(clientId);
          return session === undefined ? undefined : { ...session, position: journal.position };
        },
      });
      if (parts.settings !== undefined) followSettings(nodes, parts.settings, log);
      await truncateTornSegment(replayed.torn, folder.path);
      await checkpointer.checkpoint();
      isServing = true;
    },
    close: async () => {
      try {
        if (isServing) await journal.sync();
      } finally {
        await end();
      }
    },
  };

  async function end(): Promise<void> {
    let isAllSaved = false;
    if (isServing) {
      isServing = false;
      // Session counters change without being marked.
      sessions.markAll();
      // Otherwise the journal has the changes.
      isAllSaved = await checkpointer.checkpoint().then(() => true, () => false);
    }
    await checkpointer.close();
    try {
      await journal.close(isAllSaved);
    } finally {
      folder.release();
    }
  }
}

async function truncateTornSegment(torn: ReplayedJournal['torn'], folder: string): Promise<void> {
  if (torn === undefined) return;
  try {
    await truncateFile(torn.path, torn.wholeBytes);
  } catch (error) {
    throw folderWriteError(folder, error);
  }
}

function followSettings(nodes: RecordFile<NodeRecord>, settings: StateSource, log: ChangeRecorder): void {
  const records = log.follow(nodes, nodeKind, (node) => {
    const states = settings.exportState().nodes;
    const state = Object.hasOwn(states, node) ? states[node] : undefined;
    return state === undefined ? undefined : { node, ...state };
  });
  let known = Object.keys(settings.exportState().nodes);
  for (const node of known) nodes.mark(node);
  settings.onChange(() => {
    const now = Object.keys(settings.exportState().nodes);
    for (const node of new Set([...known, ...now])) records.changed(node);
    known = now;
  });
}

/** Reports the first write failure, and when everything can be written again. */
class FailureReporter {
  readonly #report: (error: DataError | undefined) => void;
  readonly #errors = new Map<string, DataError>();

  constructor(report: (error: DataError | undefined) => void) {
    this.#report = report;
  }

  set(what: string, error: DataError | undefined): void {
    const before = this.#errors.size;
    if (error === undefined) this.#errors.delete(what);
    else this.#errors.set(what, error);
    if (before === 0 && error !== undefined) this.#report(error);
    if (before > 0 && this.#errors.size === 0) this.#report(undefined);
  }
}

/** Empties the map, which may be large, and returns its values. */
function takeAll<T>(records: Map<string, T>): readonly T[] {
  const all = [...records.values()];
  records.clear();
  return all;
}
