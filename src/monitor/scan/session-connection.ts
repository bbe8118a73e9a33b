import type { Client } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { OfflineCounters } from '../history/offline-counters.ts';
import { type SessionRow, unknownRates } from '../history/session-rates.ts';
import type { MonitorState, ScanState } from '../state.ts';

/** Who was connected when the lists of clients had last been read. */
interface Connected {
  readonly nodesOf: ReadonlyMap<string, NodeName | undefined>;
  /** Nodes whose lists were read to the end and wholly understood, with when reading them began. */
  readonly beganAtMs: ReadonlyMap<NodeName, number | undefined>;
}

type NodesReading = MonitorState['resources']['nodes'];

/** Clocks and times of creation are told in whole seconds. */
const graceSeconds = 1;

const connectedIn = ({ rows, coverage }: ScanState<Client>): Connected => ({
  nodesOf: new Map(rows.map(({ clientId, node }) => [clientId, node])),
  beganAtMs: new Map([...coverage].filter(([, { isComplete, unusable }]) => isComplete && unusable === undefined).map(([node, { beganAtMs }]) => [node, beganAtMs])),
});

/** What the clocks of the nodes showed when reading their lists began; nothing for one whose clock is not known. */
const clocksThen = ({ beganAtMs }: Connected, { data = [], updatedAtMs }: NodesReading): ReadonlyMap<NodeName, BrokerSeconds> =>
  new Map(data.flatMap(({ name, clock }) => {
    const atMs = beganAtMs.get(name);
    return clock === undefined || atMs === undefined || updatedAtMs === undefined ? [] : [[name, clock + (atMs - updatedAtMs) / 1_000] as const];
  }));

/**
 * Says of sessions whether they are connected, which only the list of clients tells (§2.4, §2.5): as of when that was last
 * read to its end. `undefined` where it was not, and of a session without a client that may be newer than that reading, or whose
 * age nobody knows. `offline` tells which counters of offline clients move. The same array while nothing changed, and the same row
 * while it did not change.
 */
export function createConnectionJoin(): (
  rows: readonly SessionRow[], clients: ScanState<Client>, nodes: NodesReading, offline?: ReadonlyMap<string, OfflineCounters>,
) => readonly SessionRow[] {
  const made = new WeakMap<SessionRow, SessionRow>();
  let connected: Connected | undefined;
  let clocks: ReadonlyMap<NodeName, BrokerSeconds> = new Map();
  let finishedAtMs: number | undefined;
  let known: readonly SessionRow[] | undefined;
  let knownOffline: ReadonlyMap<string, OfflineCounters> | undefined;
  let result: readonly SessionRow[] = [];

  function isConnected({ session: { clientId, node, createdAt } }: SessionRow): boolean | undefined {
    if (connected === undefined || node === undefined || !connected.beganAtMs.has(node)) return undefined;
    if (connected.nodesOf.get(clientId) === node) return true;
    const then = clocks.get(node);
    return then !== undefined && createdAt !== undefined && createdAt + graceSeconds <= then ? false : undefined;
  }

  function join(row: SessionRow): SessionRow {
    const is = isConnected(row);
    if (is === undefined) return row;
    const counters = is ? undefined : knownOffline?.get(row.session.clientId);
    const isFrozen = !is && counters?.isLive !== true;
    const offlineSinceMs = counters?.sinceMs;
    const before = made.get(row);
    if (before?.isConnected === is && before.isFrozen === isFrozen && before.offlineSinceMs === offlineSinceMs) return before;
    const next = { ...row, isConnected: is, isFrozen, offlineSinceMs, ...(isFrozen ? { rates: unknownRates } : {}) };
    made.set(row, next);
    return next;
  }

  return (rows, clients, nodes, offline) => {
    const hasFinished = clients.finishedAtMs !== undefined && clients.finishedAtMs !== finishedAtMs;
    if (hasFinished) {
      finishedAtMs = clients.finishedAtMs;
      connected = connectedIn(clients);
      clocks = new Map();
    }
    let hasClocks = false;
    if (connected !== undefined && clocks.size < connected.beganAtMs.size) {
      // Clocks that were not known when the clients had been read.
      const now = clocksThen(connected, nodes);
      hasClocks = now.size > clocks.size;
      if (hasClocks) clocks = now;
    }
    if (hasFinished || hasClocks || rows !== known || offline !== knownOffline) {
      known = rows;
      knownOffline = offline;
      result = connected === undefined ? rows : rows.map((row) => join(row));
    }
    return result;
  };
}
