import type { NodeName } from '../domain/node.ts';
import type { Session } from '../domain/session.ts';
import type { ScanState } from './state.ts';

/** How the counters of a session moved between two readings, per second; `undefined` when that is not known. */
export interface SessionRates {
  readonly deliveredPerSecond: number | undefined;
  readonly enqueuedPerSecond: number | undefined;
  /** Growth of the queue; negative while it empties. */
  readonly queuePerSecond: number | undefined;
}

/** A session with what two readings of it tell. */
export interface SessionRow {
  readonly session: Session;
  readonly rates: SessionRates;
}

export const unknownRates: SessionRates = { deliveredPerSecond: undefined, enqueuedPerSecond: undefined, queuePerSecond: undefined };

const zeroOrUnknown = (session: Session): SessionRates => ({
  deliveredPerSecond: session.delivered === undefined ? undefined : 0,
  enqueuedPerSecond: session.enqueued === undefined ? undefined : 0,
  queuePerSecond: session.queueLength === undefined ? undefined : 0,
});

const growth = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / elapsedMs;

/** Counters only grow: one that fell was counted anew. */
const counted = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before !== undefined && after !== undefined && after < before ? undefined : growth(before, after, elapsedMs);

/** What two readings of a session tell, `elapsedMs` apart. A session created anew, or on another node, began to count anew. */
export function ratesBetween(before: Session, after: Session, elapsedMs: number): SessionRates {
  if (elapsedMs <= 0 || before.createdAt !== after.createdAt || before.node !== after.node) return unknownRates;
  return {
    deliveredPerSecond: counted(before.delivered, after.delivered, elapsedMs),
    enqueuedPerSecond: counted(before.enqueued, after.enqueued, elapsedMs),
    queuePerSecond: growth(before.queueLength, after.queueLength, elapsedMs),
  };
}

const isSame = (a: SessionRates, b: SessionRates): boolean =>
  a.deliveredPerSecond === b.deliveredPerSecond && a.enqueuedPerSecond === b.enqueuedPerSecond && a.queuePerSecond === b.queuePerSecond;

interface Entry {
  /** As it was when its node had been read to the end. */
  readonly base: Session | undefined;
  readonly row: SessionRow;
}

/** Follows the scan of the sessions. */
export interface SessionRateTracker {
  /** The rows with their rates; the same array while nothing changed, and the same row while it did not change. */
  update(scan: ScanState<Session>): readonly SessionRow[];
}

/**
 * Compares every two readings of a node's list, over the time that really passed between their ends.
 * While a list is being read, its rows keep the rates of the readings before.
 */
export function createSessionRateTracker(): SessionRateTracker {
  let entries = new Map<string, Entry>();
  let readAtMs = new Map<NodeName, number>();
  let lastRows: readonly Session[] | undefined;
  let result: readonly SessionRow[] = [];

  /** Nodes whose lists have been read to the end since the last look, with the time since the end before. */
  function takeFinished(scan: ScanState<Session>): ReadonlyMap<NodeName, number | undefined> {
    const finished = new Map<NodeName, number | undefined>();
    const next = new Map<NodeName, number>();
    for (const [node, coverage] of scan.coverage) {
      const before = readAtMs.get(node);
      const atMs = coverage.isComplete ? coverage.readAtMs : undefined;
      if (atMs !== undefined && atMs !== before) finished.set(node, before === undefined ? undefined : atMs - before);
      const known = atMs ?? before;
      if (known !== undefined) next.set(node, known);
    }
    if (scan.coverage.size > 0) readAtMs = next;
    return finished;
  }

  function ratesOf(session: Session, known: Entry | undefined, elapsedMs: number | undefined): SessionRates {
    if (known?.base === undefined || elapsedMs === undefined) return unknownRates;
    return known.base === session && elapsedMs > 0 ? zeroOrUnknown(session) : ratesBetween(known.base, session, elapsedMs);
  }

  function entryOf(session: Session, finished: ReadonlyMap<NodeName, number | undefined>): Entry {
    const known = entries.get(session.clientId);
    const { node } = session;
    const isFinished = node !== undefined && finished.has(node);
    if (!isFinished && known !== undefined && known.row.session === session) return known;
    const kept = known !== undefined && known.row.session.createdAt === session.createdAt && known.row.session.node === node ? known : undefined;
    const rates = isFinished ? ratesOf(session, kept, finished.get(node)) : (kept?.row.rates ?? unknownRates);
    const row = known !== undefined && known.row.session === session && isSame(known.row.rates, rates) ? known.row : { session, rates };
    return { base: isFinished ? session : kept?.base, row };
  }

  return {
    update(scan) {
      const finished = takeFinished(scan);
      if (scan.rows === lastRows && finished.size === 0) return result;
      const next = new Map<string, Entry>();
      const rows: SessionRow[] = [];
      for (const session of scan.rows) {
        const entry = entryOf(session, finished);
        next.set(session.clientId, entry);
        rows.push(entry.row);
      }
      const hasChanged = rows.length !== result.length || rows.some((row, at) => row !== result[at]);
      entries = next;
      lastRows = scan.rows;
      if (hasChanged) result = rows;
      return result;
    },
  };
}
