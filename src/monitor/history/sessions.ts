import type { Client, Session } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import { createRowFinder, memoise } from '../../domain/memoise.ts';
import type { Monitor, MonitorState, OfflineSession, ScanState } from '../state.ts';

export interface SessionRates {
  readonly deliveredPerSecond: number | undefined;
  /** Deliveries that do not just fill the inflight window; QoS 0 needs no acknowledgement, and counts. */
  readonly acknowledgedPerSecond: number | undefined;
  readonly enqueuedPerSecond: number | undefined;
  /** Growth of the queue; negative while it empties. */
  readonly queuePerSecond: number | undefined;
  readonly droppedPerSecond: number | undefined;
  /** The queue in the reading before; absent without one. */
  readonly queueBefore?: number | undefined;
}

/** Averaged rates of a session that lost messages or grew in the last readings, though perhaps not in this one. */
export interface RecentTrouble {
  readonly growthPerSecond: number | undefined;
  readonly lossPerSecond: number | undefined;
}

export interface SessionRow {
  readonly session: Session;
  readonly rates: SessionRates;
  readonly isConnected?: boolean | undefined;
  /** The counters have not moved since the client left: the rates are unknown. */
  readonly isFrozen?: boolean | undefined;
  /** When the client was first found offline. */
  readonly offlineSinceMs?: number | undefined;
  readonly lately?: RecentTrouble | undefined;
  /** Maximum queue length on its node; `undefined` if unknown or unlimited. */
  readonly queueLimit?: number | undefined;
}

export const unknownRates: SessionRates = { deliveredPerSecond: undefined, acknowledgedPerSecond: undefined, enqueuedPerSecond: undefined, queuePerSecond: undefined, droppedPerSecond: undefined };

const growth = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / elapsedMs;

/** A counter that fell was reset. */
const counted = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before !== undefined && after !== undefined && after < before ? undefined : growth(before, after, elapsedMs);

/** Of a broker that does not say how full the inflight window is, all that is delivered. */
const acknowledged = (before: Session, after: Session, elapsedMs: number): number | undefined => {
  const delivered = counted(before.delivered, after.delivered, elapsedMs);
  return delivered === undefined ? undefined : Math.max(0, delivered - (growth(before.inflight, after.inflight, elapsedMs) ?? 0));
};

/** Unknown if the session was recreated or moved between the two readings. */
export function ratesBetween(before: Session, after: Session, elapsedMs: number): SessionRates {
  if (elapsedMs <= 0 || before.createdAt !== after.createdAt || before.node !== after.node) return unknownRates;
  return {
    deliveredPerSecond: counted(before.delivered, after.delivered, elapsedMs),
    acknowledgedPerSecond: acknowledged(before, after, elapsedMs),
    enqueuedPerSecond: counted(before.enqueued, after.enqueued, elapsedMs),
    queuePerSecond: growth(before.queueLength, after.queueLength, elapsedMs),
    droppedPerSecond: counted(before.dropped, after.dropped, elapsedMs),
    queueBefore: before.queueLength,
  };
}

const isSame = (a: SessionRates, b: SessionRates): boolean =>
  a.deliveredPerSecond === b.deliveredPerSecond && a.acknowledgedPerSecond === b.acknowledgedPerSecond && a.enqueuedPerSecond === b.enqueuedPerSecond && a.queuePerSecond === b.queuePerSecond
  && a.droppedPerSecond === b.droppedPerSecond && a.queueBefore === b.queueBefore;

export interface SessionRateTracker {
  /** Unchanged rows, and an unchanged array, are the same objects. */
  update(scan: ScanState<Session>): readonly SessionRow[];
}

export function createSessionRateTracker(): SessionRateTracker {
  /** What the next rates are measured from, by position: an object per row would take 4 MB for 100,000. */
  let bases: readonly (Session | undefined)[] = [];
  let readAtMs = new Map<NodeName, number>();
  let lastRows: readonly Session[] | undefined;
  let result: readonly SessionRow[] = [];

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

  function rowOf(session: Session, known: SessionRow | undefined, base: Session | undefined, finished: ReadonlyMap<NodeName, number | undefined>): SessionRow {
    const { node } = session;
    const isFinished = node !== undefined && finished.has(node);
    const elapsedMs = isFinished ? finished.get(node) : undefined;
    const current = base === undefined || elapsedMs === undefined ? unknownRates : ratesBetween(base, session, elapsedMs);
    const rates = isFinished ? current : known?.rates ?? unknownRates;
    return known !== undefined && known.session === session && isSame(known.rates, rates) ? known : { session, rates };
  }

  return {
    update(scan) {
      const finished = takeFinished(scan);
      if (scan.rows === lastRows && finished.size === 0) return result;
      const find = createRowFinder(lastRows ?? [], ({ clientId }) => clientId);
      const [nextRows, nextBases]: [SessionRow[], (Session | undefined)[]] = [[], []];
      for (const session of scan.rows) {
        const place = find(session);
        const before = place === undefined ? undefined : result[place];
        const isRecreated = before === undefined || before.session.createdAt !== session.createdAt || before.session.node !== session.node;
        const base = isRecreated || place === undefined ? undefined : bases[place];
        nextRows.push(rowOf(session, isRecreated ? undefined : before, base, finished));
        nextBases.push(session.node !== undefined && finished.has(session.node) ? session : base);
      }
      bases = nextBases;
      lastRows = scan.rows;
      if (nextRows.length !== result.length || nextRows.some((row, at) => row !== result[at])) result = nextRows;
      return result;
    },
  };
}

const trackers = new WeakMap<Monitor, SessionRateTracker>();

export function sessionRatesOf(monitor: Monitor): SessionRateTracker {
  const known = trackers.get(monitor) ?? createSessionRateTracker();
  trackers.set(monitor, known);
  return known;
}

/** Some brokers stop counting when the client leaves: only counters that move while it is offline, or of a session that says it is offline, are live. */
export interface OfflineCounters extends OfflineSession {
  readonly last: Session | undefined;
}

/** Counters that move without a delivery mean that the client was connected in between. */
export const hasMoved = (before: Session, after: Session): boolean =>
  before.createdAt === after.createdAt && before.node === after.node && before.delivered === after.delivered
  && (before.queueLength !== after.queueLength || before.dropped !== after.dropped || before.enqueued !== after.enqueued);

export function followOffline(counters: OfflineCounters, session: Session, beganMs: number | undefined): OfflineCounters {
  const { sinceMs, last } = counters;
  const isLive = counters.isLive || session.isConnected === false;
  // During an earlier reading the client may still have been connected.
  if (beganMs === undefined || beganMs < sinceMs || session === last) return isLive === counters.isLive ? counters : { ...counters, isLive };
  return { sinceMs, isLive: isLive || (last !== undefined && hasMoved(last, session)), last: session };
}

/** The node of each client, by id; shared, because that of 100,000 takes 4 MB. */
export const nodesOfClients = memoise((clients: readonly Client[]): ReadonlyMap<string, NodeName | undefined> => {
  const nodes = new Map<string, NodeName | undefined>();
  for (const { clientId, node } of clients) nodes.set(clientId, node);
  return nodes;
});

interface Connected {
  readonly nodesOf: ReadonlyMap<string, NodeName | undefined>;
  /** Only nodes whose lists were read completely and decoded without loss. */
  readonly beganAtMs: ReadonlyMap<NodeName, number | undefined>;
}

type NodesReading = MonitorState['resources']['nodes'];

/** Clocks and creation times have a resolution of one second. */
const graceSeconds = 1;

const connectedIn = ({ rows, coverage }: ScanState<Client>): Connected => ({
  nodesOf: nodesOfClients(rows),
  beganAtMs: new Map([...coverage].filter(([, { isComplete, unusable }]) => isComplete && unusable === undefined).map(([node, { beganAtMs }]) => [node, beganAtMs])),
});

/** Finds what was made of the same row. By position: a WeakMap of 100,000 rows takes 4 MB. */
function madeOf(rows: readonly SessionRow[], made: readonly SessionRow[]): (row: SessionRow) => SessionRow | undefined {
  const find = createRowFinder(rows, ({ session }) => session.clientId);
  return (row) => {
    const place = find(row);
    return place !== undefined && rows[place] === row ? made[place] : undefined;
  };
}

const clocksThen = ({ beganAtMs }: Connected, { data = [], updatedAtMs }: NodesReading): ReadonlyMap<NodeName, BrokerSeconds> =>
  new Map(data.flatMap(({ name, clock }) => {
    const atMs = beganAtMs.get(name);
    return clock === undefined || atMs === undefined || updatedAtMs === undefined ? [] : [[name, clock + (atMs - updatedAtMs) / 1_000] as const];
  }));

/**
 * Joins sessions with the client lists (§2.4, §2.5). `isConnected` stays `undefined` for a session that may be newer than
 * them. Unchanged input returns the same objects.
 * `queueLimits`: maximum queue lengths by node. `recent`: by client.
 */
export function createConnectionJoin(): (
  rows: readonly SessionRow[], clients: ScanState<Client>, nodes: NodesReading, offline?: ReadonlyMap<string, OfflineCounters>, queueLimits?: ReadonlyMap<NodeName, number>, recent?: ReadonlyMap<string, RecentTrouble>,
) => readonly SessionRow[] {
  let connected: Connected | undefined;
  let clocks: ReadonlyMap<NodeName, BrokerSeconds> = new Map();
  let finishedAtMs: number | undefined;
  let known: readonly SessionRow[] | undefined;
  let knownOffline: ReadonlyMap<string, OfflineCounters> | undefined;
  let knownLimits: ReadonlyMap<NodeName, number> | undefined;
  let knownRecent: ReadonlyMap<string, RecentTrouble> | undefined;
  let result: readonly SessionRow[] = [];

  function isConnected({ session: { clientId, node, createdAt } }: SessionRow): boolean | undefined {
    if (connected === undefined || node === undefined || !connected.beganAtMs.has(node)) return undefined;
    if (connected.nodesOf.get(clientId) === node) return true;
    const then = clocks.get(node);
    return then !== undefined && createdAt !== undefined && createdAt + graceSeconds <= then ? false : undefined;
  }

  /** `before`: what was made of the same row. */
  function join(row: SessionRow, before: SessionRow | undefined): SessionRow {
    const { node, clientId, maxQueueLength } = row.session;
    const is = row.session.isConnected ?? isConnected(row);
    const queueLimit = maxQueueLength ?? (node === undefined ? undefined : knownLimits?.get(node));
    const lately = knownRecent?.get(clientId);
    if (is === undefined && queueLimit === undefined && lately === undefined) return row;
    const counters = is === false ? knownOffline?.get(clientId) : undefined;
    const isFrozen = is === undefined ? undefined : !is && row.session.isConnected !== false && counters?.isLive !== true;
    const offlineSinceMs = counters?.sinceMs;
    if (before !== undefined && before.isConnected === is && before.isFrozen === isFrozen && before.offlineSinceMs === offlineSinceMs && before.queueLimit === queueLimit && before.lately === lately) return before;
    return { session: row.session, rates: isFrozen === true ? unknownRates : row.rates, isConnected: is, isFrozen, offlineSinceMs, queueLimit, ...(lately !== undefined && { lately }) };
  }

  return (rows, clients, nodes, offline, queueLimits, recent) => {
    const hasFinished = clients.finishedAtMs !== undefined && clients.finishedAtMs !== finishedAtMs;
    if (hasFinished) {
      finishedAtMs = clients.finishedAtMs;
      connected = connectedIn(clients);
      clocks = new Map();
    }
    let hasClocks = false;
    if (connected !== undefined && clocks.size < connected.beganAtMs.size) {
      // Clocks that were not known yet when the client lists were complete.
      const now = clocksThen(connected, nodes);
      hasClocks = now.size > clocks.size;
      if (hasClocks) clocks = now;
    }
    if (hasFinished || hasClocks || rows !== known || offline !== knownOffline || queueLimits !== knownLimits || recent !== knownRecent) {
      const made = madeOf(known ?? [], result);
      known = rows;
      knownOffline = offline;
      knownLimits = queueLimits;
      knownRecent = recent;
      result = connected === undefined && queueLimits === undefined && recent === undefined ? rows : rows.map((row) => join(row, made(row)));
    }
    return result;
  };
}
