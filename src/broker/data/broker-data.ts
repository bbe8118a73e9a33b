import type { BrokerCluster } from '../cluster.ts';
import type { AdminUsers, UserState } from '../management/users.ts';
import type { Recorder } from '../sessions/recorder.ts';
import { ChangeRecorder } from './change-recorder.ts';
import { Checkpointer } from './checkpointer.ts';
import type { DataError } from './data-error.ts';
import { type DataFolder, openDataFolder } from './folder.ts';
import { folderWriteError } from './journal-file.ts';
import { Journal, truncateFile } from './journal.ts';
import type { StateSource } from './operator-state.ts';
import type { PersistentState } from './operator-state.ts';
import { RecordFile } from './record-file.ts';
import { nodeKind, type NodeRecord, retainedKind, sessionKind, userKind } from './record-kinds.ts';
import { Replay, type ReplayedJournal, ReplayedRecords } from './replay.ts';

/** From an attempt to write the data files that failed to the next one; changes go into the journal meanwhile. */
const checkpointRetryMs = 30_000;
/** The data files are written when the journal has more bytes than they, within these bounds. */
const minJournalBytes = 32 * 1024 * 1024;
const maxJournalBytes = 192 * 1024 * 1024;

/** What is to be kept of a broker. */
interface PersistedParts {
  readonly cluster: BrokerCluster;
  readonly users: Pick<AdminUsers, 'exportUser' | 'listUsers' | 'onUserChange'>;
  readonly settings?: StateSource | undefined;
}

export interface BrokerDataOptions {
  /** Called when changes cannot be written, and with `undefined` once they are written again. */
  readonly onWriteFailure?: ((error: DataError | undefined) => void) | undefined;
}

/** What a broker keeps in a folder over its restarts. */
export interface BrokerData {
  readonly path: string;
  /** Keeps what changes, from `follow` on. */
  readonly recorder: Recorder;
  /** What was in the folder when it was opened; takes it out of memory. */
  takeUsers(): readonly UserState[];
  /** Puts retained messages and sessions into a cluster that has not been started. */
  restoreCluster(cluster: BrokerCluster): void;
  takeSettings(): PersistentState;
  /**
   * Keeps these from now on. Resolves when all of it is written.
   * @throws DataError when it cannot be written.
   */
  follow(parts: PersistedParts): Promise<void>;
  /** Writes what is not written yet, and lets others use the folder. @throws DataError when it cannot be written. */
  close(): Promise<void>;
}

/** @throws DataError when the folder or a file in it is of no use; nothing in it has then been changed. */
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
  const kept = {
    users: new ReplayedRecords(userKind, await users.load()),
    nodes: new ReplayedRecords(nodeKind, await nodes.load()),
    retained: new ReplayedRecords(retainedKind, await retained.load()),
  };
  const replay = new Replay([kept.users, kept.nodes, kept.retained], await sessions.load());
  const found = await replay.run(folder.path);
  // The files are to be written with what the journal added.
  const mark = (file: { mark(key: string): void }, keys: Iterable<string>): void => {
    if (found.segments.length > 0) for (const key of keys) file.mark(key);
  };
  mark(users, kept.users.byKey.keys());
  mark(nodes, kept.nodes.byKey.keys());
  mark(retained, kept.retained.byKey.keys());
  mark(sessions, replay.sessions.keys());

  // Who starts or ends the broker hears of trouble from what they call.
  let isServing = false;
  const trouble = new FailureReporter((error) => {
    if (isServing) onWriteFailure(error);
  });
  const journal = new Journal({
    folder: folder.path,
    position: found.position,
    segments: found.segments,
    written: (bytes, failure) => {
      trouble.set('journal', failure);
      const fileBytes = files.reduce((sum, file) => sum + file.bytes, 0);
      if (isServing && bytes > Math.min(Math.max(fileBytes, minJournalBytes), maxJournalBytes)) saver.schedule();
    },
  });
  const saver = new Checkpointer(files, journal, { retryMs: checkpointRetryMs, onAttempt: (error) => trouble.set('files', error) });
  const log = new ChangeRecorder(journal, sessions);
  return {
    path: folder.path,
    recorder: log,
    takeUsers: () => takeAll(kept.users.byKey),
    takeSettings: () => ({ nodes: Object.fromEntries(takeAll(kept.nodes.byKey).map(({ node, ...state }) => [node, state])) }),
    restoreCluster: (cluster) => cluster.restore({
      retained: takeAll(kept.retained.byKey), sessions: takeAll(replay.sessions).map((session) => session.export()),
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
      await truncateTornSegment(found.torn, folder.path);
      await saver.checkpoint();
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
      // Counters of sessions change without being marked.
      sessions.markAll();
      // What the files cannot take is in the journal.
      isAllSaved = await saver.checkpoint().then(() => true, () => false);
    }
    await saver.close();
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

/** Says that something cannot be written when it begins, and once all can be again. */
class FailureReporter {
  readonly #report: (error: DataError | undefined) => void;
  readonly #errors = new Map<string, DataError>();

  constructor(say: (error: DataError | undefined) => void) {
    this.#report = say;
  }

  set(what: string, error: DataError | undefined): void {
    const before = this.#errors.size;
    if (error === undefined) this.#errors.delete(what);
    else this.#errors.set(what, error);
    if (before === 0 && error !== undefined) this.#report(error);
    if (before > 0 && this.#errors.size === 0) this.#report(undefined);
  }
}

/** What was read is needed once, and may be large. */
function takeAll<T>(records: Map<string, T>): readonly T[] {
  const all = [...records.values()];
  records.clear();
  return all;
}
