import type { Ban } from '../../domain/administration.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { StoredKey } from '../management/api-keys.ts';
import type { PersistentState, StateSource, StoppedListener } from '../management/changes.ts';
import type { StoredTable } from '../management/stored-map.ts';
import type { AdminUsers, UserState } from '../management/users.ts';
import type { Recorder } from '../sessions/recorder.ts';
import { ChangeRecorder } from './change-recorder.ts';
import { DataError, folderWriteError } from './files.ts';
import { type DataFolder, openDataFolder } from './folder.ts';
import { Journal, truncateFile } from './journal.ts';
import { RecordFile } from './record-file.ts';
import {
  apiKeyKind,
  banKind,
  nodeKind,
  type NodeRecord,
  type RecordKind,
  retainedKind,
  sessionKind,
  stoppedListenerKind,
  userKind,
} from './record-kinds.ts';
import { Replay, type ReplayedJournal, ReplayedRecords } from './replay.ts';

/** Delay after a failed checkpoint. Changes are still in the journal. */
const checkpointRetryMs = 30_000;
/** Bounds of when a checkpoint is due: as soon as the journal has more bytes than the record files. */
const minJournalBytes = 32 * 1024 * 1024;
const maxJournalBytes = 192 * 1024 * 1024;

interface PersistedParts {
  readonly cluster: BrokerCluster;
  readonly users: Pick<AdminUsers, 'exportUser' | 'listUsers' | 'onUserChange'>;
  readonly settings?: StateSource | undefined;
  readonly bans?: StoredTable<Ban> | undefined;
  readonly apiKeys?: StoredTable<StoredKey> | undefined;
  readonly stoppedListeners?: StoredTable<StoppedListener> | undefined;
}

interface BrokerDataOptions {
  /** Called when changes cannot be written, and with `undefined` when they can again. */
  readonly onWriteFailure?: ((error: DataError | undefined) => void) | undefined;
}

export interface BrokerData {
  readonly path: string;
  readonly recorder: Recorder;
  /** Returns the stored administrators and releases them from memory. */
  takeUsers(): readonly UserState[];
  restoreCluster(cluster: BrokerCluster): void;
  takeSettings(): PersistentState;
  takeBans(): readonly Ban[];
  takeApiKeys(): readonly StoredKey[];
  takeStoppedListeners(): readonly StoppedListener[];
  /** Stores these parts from now on; resolves after the first checkpoint. @throws DataError */
  follow(parts: PersistedParts): Promise<void>;
  /** Writes the last changes and releases the folder. @throws DataError */
  close(): Promise<void>;
}

/**
 * Opens the folder and reads what is stored. @throws DataError when the folder cannot be used; it is then unchanged.
 */
export async function openBrokerData(
  path: string,
  { onWriteFailure = () => undefined }: BrokerDataOptions = {},
): Promise<BrokerData> {
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
  const bans = new RecordFile(folder.path, banKind);
  const apiKeys = new RecordFile(folder.path, apiKeyKind);
  const stoppedListeners = new RecordFile(folder.path, stoppedListenerKind);
  const files = [users, nodes, bans, apiKeys, stoppedListeners, retained, sessions];
  const stored = {
    users: new ReplayedRecords(userKind, await users.load()),
    nodes: new ReplayedRecords(nodeKind, await nodes.load()),
    retained: new ReplayedRecords(retainedKind, await retained.load()),
    bans: new ReplayedRecords(banKind, await bans.load()),
    apiKeys: new ReplayedRecords(apiKeyKind, await apiKeys.load()),
    stoppedListeners: new ReplayedRecords(stoppedListenerKind, await stoppedListeners.load()),
  };
  const replay = new Replay(Object.values(stored), await sessions.load());
  const replayed = await replay.run(folder.path);
  const mark = (file: { mark(key: string): void }, keys: Iterable<string>): void => {
    if (replayed.segments.length > 0) for (const key of keys) file.mark(key);
  };
  mark(users, stored.users.byKey.keys());
  mark(nodes, stored.nodes.byKey.keys());
  mark(retained, stored.retained.byKey.keys());
  mark(bans, stored.bans.byKey.keys());
  mark(apiKeys, stored.apiKeys.byKey.keys());
  mark(stoppedListeners, stored.stoppedListeners.byKey.keys());
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
  const checkpointer = new Checkpointer(files, journal, {
    retryMs: checkpointRetryMs,
    onAttempt: (error) => failures.set('files', error),
  });
  const log = new ChangeRecorder(journal, sessions);
  return {
    path: folder.path,
    recorder: log,
    takeUsers: () => takeAll(stored.users.byKey),
    takeSettings: () => ({
      nodes: Object.fromEntries(takeAll(stored.nodes.byKey).map(({ node, ...state }) => [node, state])),
    }),
    takeBans: () => takeAll(stored.bans.byKey),
    takeApiKeys: () => takeAll(stored.apiKeys.byKey),
    takeStoppedListeners: () => takeAll(stored.stoppedListeners.byKey),
    restoreCluster: (cluster) =>
      cluster.restore({
        retained: takeAll(stored.retained.byKey),
        sessions: takeAll(replay.sessions).map((session) => session.export()),
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
      followTable(bans, banKind, parts.bans, log);
      followTable(apiKeys, apiKeyKind, parts.apiKeys, log);
      followTable(stoppedListeners, stoppedListenerKind, parts.stoppedListeners, log);
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
      // On failure the journal has the changes.
      isAllSaved = await checkpointer.checkpoint().then(
        () => true,
        () => false,
      );
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

function followTable<T>(
  file: RecordFile<T>,
  kind: RecordKind<T>,
  table: StoredTable<T> | undefined,
  log: ChangeRecorder,
): void {
  if (table === undefined) return;
  const records = log.follow(file, kind, (key) => table.export(key));
  for (const key of table.keys()) file.mark(key);
  table.onChange(records.changed);
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

function takeAll<T>(records: Map<string, T>): readonly T[] {
  const all = [...records.values()];
  records.clear();
  return all;
}

type CheckpointedFile = Pick<RecordFile<unknown>, 'isDirty' | 'write'>;

interface CheckpointerOptions {
  readonly retryMs: number;
  readonly onAttempt: (error: DataError | undefined) => void;
}

/**
 * Writes checkpoints. Interrupted anywhere, files and journal give the same state: a change in both is applied once.
 */
class Checkpointer {
  readonly #files: readonly CheckpointedFile[];
  readonly #journal: Journal;
  readonly #options: CheckpointerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<DataError | undefined> | undefined;
  #isClosed = false;

  constructor(files: readonly CheckpointedFile[], journal: Journal, options: CheckpointerOptions) {
    this.#files = files;
    this.#journal = journal;
    this.#options = options;
  }

  readonly schedule = (): void => {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#wait(0);
  };

  async checkpoint(): Promise<void> {
    // A running checkpoint may have started before the last change.
    await this.#running;
    const error = await this.#checkpoint();
    if (error !== undefined) throw error;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#checkpoint();
    }, ms);
  }

  #checkpoint(): Promise<DataError | undefined> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#writeAll().then((error) => {
      this.#running = undefined;
      if (error !== undefined && !this.#isClosed) this.#wait(this.#options.retryMs);
      this.#options.onAttempt(error);
      return error;
    });
    return this.#running;
  }

  async #writeAll(): Promise<DataError | undefined> {
    try {
      const removeOlder = await this.#journal.rotate();
      for (const file of this.#files) if (file.isDirty) await file.write(() => this.#journal.sync());
      await removeOlder();
      return undefined;
    } catch (error) {
      if (error instanceof DataError) return error;
      throw error;
    }
  }
}
