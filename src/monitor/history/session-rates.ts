import type { Session } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { createRowFinder } from '../../domain/row-finder.ts';
import type { Monitor, ScanState } from '../state.ts';

/** Rates of a session's counters between two readings; `undefined` if not known. */
export interface SessionRates {
  readonly deliveredPerSecond: number | undefined;
  readonly enqueuedPerSecond: number | undefined;
  /** Growth of the queue; negative while it empties. */
  readonly queuePerSecond: number | undefined;
  /** Messages lost because the queue was full. */
  readonly droppedPerSecond: number | undefined;
}

/** A session with its rates. */
export interface SessionRow {
  readonly session: Session;
  readonly rates: SessionRates;
  /** `undefined` if not known. */
  readonly isConnected?: boolean | undefined;
  /** Its client is offline and its counters have not moved since: its rates are unknown. */
  readonly isFrozen?: boolean | undefined;
  /** When its client was first found offline, wall clock. */
  readonly offlineSinceMs?: number | undefined;
}

export const unknownRates: SessionRates = { deliveredPerSecond: undefined, enqueuedPerSecond: undefined, queuePerSecond: undefined, droppedPerSecond: undefined };

const growth = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / elapsedMs;

/** A counter that fell was reset. */
const counted = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before !== undefined && after !== undefined && after < before ? undefined : growth(before, after, elapsedMs);

/** Rates between two readings, `elapsedMs` apart; unknown if the session was recreated or moved. */
export function ratesBetween(before: Session, after: Session, elapsedMs: number): SessionRates {
  if (elapsedMs <= 0 || before.createdAt !== after.createdAt || before.node !== after.node) return unknownRates;
  return {
    deliveredPerSecond: counted(before.delivered, after.delivered, elapsedMs),
    enqueuedPerSecond: counted(before.enqueued, after.enqueued, elapsedMs),
    queuePerSecond: growth(before.queueLength, after.queueLength, elapsedMs),
    droppedPerSecond: counted(before.dropped, after.dropped, elapsedMs),
  };
}

const isSame = (a: SessionRates, b: SessionRates): boolean =>
  a.deliveredPerSecond === b.deliveredPerSecond && a.enqueuedPerSecond === b.enqueuedPerSecond && a.queuePerSecond === b.queuePerSecond
  && a.droppedPerSecond === b.droppedPerSecond;

interface Entry {
  /** As of the end of the last complete reading of its node. */
  base: Session | undefined;
  row: SessionRow;
}

export interface SessionRateTracker {
  /** Returns the rows with their rates; unchanged rows, and an unchanged array, are the same objects. */
  update(scan: ScanState<Session>): readonly SessionRow[];
}

/** Compares consecutive readings of each node's list. While a list is being read, its rows keep their rates. */
export function createSessionRateTracker(): SessionRateTracker {
  let entries: readonly Entry[] = [];
  let readAtMs = new Map<NodeName, number>();
  let lastRows: readonly Session[] | undefined;
  let result: readonly SessionRow[] = [];

  /** Nodes read to the end since the last call, with the time since the previous end. */
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

  function ratesOf(session: Session, base: Session | undefined, elapsedMs: number | undefined): SessionRates {
    return base === undefined || elapsedMs === undefined ? unknownRates : ratesBetween(base, session, elapsedMs);
  }

  function entryOf(session: Session, known: Entry | undefined, finished: ReadonlyMap<NodeName, number | undefined>): Entry {
    const { node } = session;
    const isFinished = node !== undefined && finished.has(node);
    if (known === undefined) return { base: isFinished ? session : undefined, row: { session, rates: unknownRates } };
    const before = known.row;
    if (!isFinished && before.session === session) return known;
    if (before.session.createdAt !== session.createdAt || before.session.node !== node) {
      known.base = undefined;
      known.row = { session, rates: unknownRates };
    }
    const rates = isFinished ? ratesOf(session, known.base, finished.get(node)) : known.row.rates;
    if (known.row.session !== session || !isSame(known.row.rates, rates)) known.row = { session, rates };
    if (isFinished) known.base = session;
    return known;
  }

  return {
    update(scan) {
      const finished = takeFinished(scan);
      if (scan.rows === lastRows && finished.size === 0) return result;
      const find = createRowFinder(lastRows ?? [], ({ clientId }) => clientId);
      const next = scan.rows.map((session) => {
        const place = find(session);
        return entryOf(session, place === undefined ? undefined : entries[place], finished);
      });
      const hasChanged = next.length !== result.length || next.some(({ row }, at) => row !== result[at]);
      entries = next;
      lastRows = scan.rows;
      if (hasChanged) result = next.map(({ row }) => row);
      return result;
    },
  };
}

const trackers = new WeakMap<Monitor, SessionRateTracker>();

/** The tracker of a monitor, shared by all screens. */
export function sessionRatesOf(monitor: Monitor): SessionRateTracker {
  const known = trackers.get(monitor) ?? createSessionRateTracker();
  trackers.set(monitor, known);
  return known;
}
