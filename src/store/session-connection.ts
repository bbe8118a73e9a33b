import type { Client } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import type { SessionRow } from './session-rates.ts';
import type { ScanState } from './state.ts';

/** Who was connected when the lists of clients had last been read. */
interface Connected {
  readonly nodesOf: ReadonlyMap<string, NodeName | undefined>;
  /** Nodes whose lists were read to the end. */
  readonly whole: ReadonlySet<NodeName>;
}

const connectedIn = ({ rows, coverage }: ScanState<Client>): Connected => ({
  nodesOf: new Map(rows.map(({ clientId, node }) => [clientId, node])),
  whole: new Set([...coverage].filter(([, { isComplete }]) => isComplete).map(([node]) => node)),
});

/**
 * Says of sessions whether they are connected, which only the list of clients tells (§2.4, §2.5): as of when that was last
 * read to its end. `undefined` where it was not. The same array while nothing changed, and the same row while it did not change.
 */
export function createConnectionJoin(): (rows: readonly SessionRow[], clients: ScanState<Client>) => readonly SessionRow[] {
  const made = new WeakMap<SessionRow, SessionRow>();
  let connected: Connected | undefined;
  let finishedAtMs: number | undefined;
  let known: readonly SessionRow[] | undefined;
  let result: readonly SessionRow[] = [];

  function isConnected({ session: { clientId, node } }: SessionRow): boolean | undefined {
    if (connected === undefined || node === undefined || !connected.whole.has(node)) return undefined;
    return connected.nodesOf.get(clientId) === node;
  }

  function join(row: SessionRow): SessionRow {
    const is = isConnected(row);
    if (is === undefined) return row;
    const before = made.get(row);
    if (before?.isConnected === is) return before;
    const next = { ...row, isConnected: is };
    made.set(row, next);
    return next;
  }

  return (rows, clients) => {
    const hasFinished = clients.finishedAtMs !== undefined && clients.finishedAtMs !== finishedAtMs;
    if (hasFinished) {
      finishedAtMs = clients.finishedAtMs;
      connected = connectedIn(clients);
    }
    if (hasFinished || rows !== known) {
      known = rows;
      result = connected === undefined ? rows : rows.map((row) => join(row));
    }
    return result;
  };
}
