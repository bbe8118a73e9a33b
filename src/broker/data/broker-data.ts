import type { BrokerCluster } from '../cluster.ts';
import type { PersistentState, StateSource } from '../persistent-state.ts';
import type { AdminUsers, UserState } from '../users.ts';
import type { DataError } from './data-error.ts';
import { openDataFolder, type DataFolder } from './folder.ts';
import { nodeKind, type NodeRecord } from './node-kind.ts';
import { RecordFile } from './record-file.ts';
import { retainedKind } from './retained-kind.ts';
import { Saver } from './saver.ts';
import { sessionKind } from './session-kind.ts';
import { userKind } from './user-kind.ts';

/**
 * Longest time from a change to the beginning of its write. A broker that is killed loses what changed
 * since then and during the write; one that ends by itself loses nothing.
 */
const saveDelayMs = 200;
const retryMs = 1000;

/** What is to be kept of a broker. */
interface KeptParts {
  readonly cluster: BrokerCluster;
  readonly users: Pick<AdminUsers, 'exportUser' | 'listUsers' | 'onUserChange'>;
  readonly settings?: StateSource | undefined;
}

export interface BrokerDataOptions {
  /** Called when changes cannot be written, and with `undefined` once they are written again. */
  readonly onTrouble?: ((error: DataError | undefined) => void) | undefined;
}

/** What a broker keeps in a folder over its restarts. */
export interface BrokerData {
  readonly path: string;
  /** What was in the folder when it was opened; takes it out of memory. */
  takeUsers(): readonly UserState[];
  /** Puts retained messages and sessions into a cluster that has not been started. */
  restoreCluster(cluster: BrokerCluster): void;
  takeSettings(): PersistentState;
  /**
   * Keeps these from now on. Resolves when all of it is written.
   * @throws DataError when it cannot be written.
   */
  follow(parts: KeptParts): Promise<void>;
  /** Writes what is not written yet, and lets others use the folder. @throws DataError when it cannot be written. */
  close(): Promise<void>;
}

/** @throws DataError when the folder or a file in it is of no use; nothing in it has then been changed. */
export async function openBrokerData(path: string, { onTrouble = () => undefined }: BrokerDataOptions = {}): Promise<BrokerData> {
  const folder = await openDataFolder(path);
  try {
    return await load(folder, onTrouble);
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function load(folder: DataFolder, onTrouble: (error: DataError | undefined) => void): Promise<BrokerData> {
  const users = new RecordFile(folder.path, userKind);
  const nodes = new RecordFile(folder.path, nodeKind);
  const retained = new RecordFile(folder.path, retainedKind);
  const sessions = new RecordFile(folder.path, sessionKind);
  const kept = {
    users: once(await users.load()), nodes: once(await nodes.load()), retained: once(await retained.load()), sessions: once(await sessions.load()),
  };
  // Who starts or ends the broker hears of trouble from what they call.
  let isServing = false;
  const saver = new Saver([users, nodes, retained, sessions], {
    delayMs: saveDelayMs,
    retryMs,
    onTrouble: (error) => {
      if (isServing) onTrouble(error);
    },
  });
  return {
    path: folder.path,
    takeUsers: () => kept.users(),
    takeSettings: () => ({ nodes: Object.fromEntries(kept.nodes().map(({ node, ...state }) => [node, state])) }),
    restoreCluster: (cluster) => cluster.restore({ retained: kept.retained(), sessions: kept.sessions() }),
    follow: async (parts) => {
      const { schedule } = saver;
      users.follow({ export: (name) => parts.users.exportUser(name), changed: schedule });
      parts.users.onUserChange((name) => users.mark(name));
      for (const { username } of await parts.users.listUsers()) users.mark(username);

      retained.follow({ export: (topic) => parts.cluster.exportRetained(topic), changed: schedule });
      parts.cluster.events.on('retainedChanged', (topic) => retained.mark(topic));
      sessions.follow({ export: (clientId) => parts.cluster.exportSession(clientId), changed: schedule });
      parts.cluster.events.on('sessionChanged', (clientId) => sessions.mark(clientId));

      if (parts.settings !== undefined) followSettings(nodes, parts.settings, schedule);
      await saver.flush();
      isServing = true;
    },
    close: async () => {
      // Counters of sessions change without being marked.
      sessions.markAll();
      isServing = false;
      try {
        await saver.flush();
      } finally {
        await saver.close();
        folder.release();
      }
    },
  };
}

function followSettings(nodes: RecordFile<NodeRecord>, settings: StateSource, changed: () => void): void {
  const markNodes = (): void => {
    nodes.markAll();
    for (const node of Object.keys(settings.exportState().nodes)) nodes.mark(node);
  };
  nodes.follow({
    export: (node) => {
      const states = settings.exportState().nodes;
      const state = Object.hasOwn(states, node) ? states[node] : undefined;
      return state === undefined ? undefined : { node, ...state };
    },
    changed,
  });
  settings.onChange(markNodes);
  markNodes();
}

/** What was read is needed once, and may be large. */
function once<T>(records: readonly T[]): () => readonly T[] {
  let left = records;
  return () => {
    const taken = left;
    left = [];
    return taken;
  };
}
