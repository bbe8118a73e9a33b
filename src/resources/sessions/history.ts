import type { Client, Session } from '../../domain/client.ts';
import type { BrokerSeconds, NodeInfo, NodeName } from '../../domain/node.ts';
import { createRowFinder, memoise } from '../../domain/memoise.ts';
import { definePart, reading, withReading } from '../../monitor/query/part.ts';
import type { MonitorState, ScanState, ResourceState } from '../../monitor/state.ts';
import {
  always,
  atAnyTime,
  firstTime,
  measureStep,
  type Refresh,
  refreshOf,
  type RefreshTime,
  type SteadyRate,
  steadyRate,
} from '../../monitor/steps.ts';
import { sessionScan } from './resource.ts';
import type { OfflineSession } from '../clients/client-detail.ts';

export interface SessionRates {
  readonly deliveredPerSecond: number | undefined;
  /** Counts deliveries that do not just fill the inflight window. QoS 0 needs no acknowledgement, and counts. */
  readonly acknowledgedPerSecond: number | undefined;
  readonly enqueuedPerSecond: number | undefined;
  /** The growth of the queue; negative while it empties. */
  readonly queuePerSecond: number | undefined;
  readonly droppedPerSecond: number | undefined;
  /** The queue length in the reading before; absent without one. */
  readonly queueBefore?: number | undefined;
  /** Messages were lost before the last refresh of the counters, over a time that is no whole step. */
  readonly hasDropped?: true | undefined;
  /**
   * Messages were lost, but the counters have stood still for more than a step since: it is not known yet that none are
   * lost, nor how many.
   */
  readonly isLossPast?: true | undefined;
  /** `droppedPerSecond` is not exact yet: it may be more than 5 % off. */
  readonly isLossRough?: boolean | undefined;
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
  /** The time when the client was first found offline. */
  readonly offlineSinceMs?: number | undefined;
  /** When the counters of an offline session were last seen to move; absent where they are current. */
  readonly movedMs?: number | undefined;
  readonly recentTrouble?: RecentTrouble | undefined;
  /** The maximum queue length on the session's node; `undefined` if unknown or unlimited. */
  readonly queueLimit?: number | undefined;
}

export const unknownRates: SessionRates = {
  deliveredPerSecond: undefined,
  acknowledgedPerSecond: undefined,
  enqueuedPerSecond: undefined,
  queuePerSecond: undefined,
  droppedPerSecond: undefined,
};

/** Rates of a session that was read before, but over no whole step of its counters yet. */
export const waitingRates: SessionRates = { ...unknownRates };
const waitingRatesOfLoss: SessionRates = { ...unknownRates, hasDropped: true };
/** Rates of a session whose client has reconnected, until its counters move: they may still be those of before. */
export const reconnectedRates: SessionRates = { ...unknownRates };
const waitingRatesWithoutLoss: SessionRates = { ...unknownRates, droppedPerSecond: 0 };

const growth = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / elapsedMs;

/** Returns a rate; `undefined` for a counter that fell, which was reset. */
const counted = (before: number | undefined, after: number | undefined, elapsedMs: number): number | undefined =>
  before !== undefined && after !== undefined && after < before ? undefined : growth(before, after, elapsedMs);

/**
 * Returns acknowledged messages per second. A broker that does not say how full the inflight window is counts all that
 * is delivered; one that does not tell QoS 0 apart includes it, though nobody acknowledges it.
 */
const acknowledged = (before: Session, after: Session, elapsedMs: number): number | undefined => {
  const delivered = counted(
    before.deliveredAboveQos0 ?? before.delivered,
    after.deliveredAboveQos0 ?? after.delivered,
    elapsedMs,
  );
  return delivered === undefined
    ? undefined
    : Math.max(0, delivered - (growth(before.inflight, after.inflight, elapsedMs) ?? 0));
};

/** Returns the rates between two readings; unknown if the session was recreated or moved in between. */
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

/** Figures of a session at the end of a step. They name the rates that follow from them. */
interface StepEnd {
  readonly time: RefreshTime;
  readonly deliveredPerSecond: number | undefined;
  readonly acknowledgedPerSecond: number | undefined;
  readonly enqueuedPerSecond: number | undefined;
  readonly queuePerSecond: number | undefined;
  readonly droppedPerSecond: number | undefined;
}

const stepEnd = (session: Session, time: RefreshTime): StepEnd => {
  const delivered = session.deliveredAboveQos0 ?? session.delivered;
  return {
    time,
    deliveredPerSecond: session.delivered,
    acknowledgedPerSecond: delivered === undefined ? undefined : delivered - (session.inflight ?? 0),
    enqueuedPerSecond: session.enqueued,
    queuePerSecond: session.queueLength,
    droppedPerSecond: session.dropped,
  };
};

/** A rate that may be further off is rough. */
const roughShare = 0.05;
/** Rates are measured over so many steps at most: about four minutes. */
const maxStepEnds = 13;
/** Limits the sessions that are measured over several steps. Of more, only those with a queue are. */
const maxSteadyRows = 20_000;

/** Returns rates of a step, measured over all steps at whose ends they were the same. */
function withSteadyRates(rates: SessionRates, ends: readonly StepEnd[]): SessionRates {
  const over = (name: Exclude<keyof StepEnd, 'time'>): SteadyRate | undefined => {
    const perSecond = rates[name];
    if (perSecond === undefined) return undefined;
    if (perSecond === 0) return { perSecond, errorShare: 0 };
    const from = ends.findLastIndex((end) => end[name] === undefined) + 1;
    return steadyRate(ends.slice(from).map((end) => ({ value: end[name] ?? 0, time: end.time })));
  };
  const dropped = over('droppedPerSecond');
  return {
    ...rates,
    deliveredPerSecond: over('deliveredPerSecond')?.perSecond,
    acknowledgedPerSecond: over('acknowledgedPerSecond')?.perSecond,
    enqueuedPerSecond: over('enqueuedPerSecond')?.perSecond,
    queuePerSecond: over('queuePerSecond')?.perSecond,
    droppedPerSecond: dropped?.perSecond,
    ...(dropped !== undefined && dropped.errorShare > roughShare && { isLossRough: true }),
  };
}

/** Whether the broker has refreshed nothing in between. */
export const isSameFigures = (a: Session, b: Session): boolean =>
  a === b ||
  (a.delivered === b.delivered &&
    a.enqueued === b.enqueued &&
    a.queueLength === b.queueLength &&
    a.dropped === b.dropped &&
    a.inflight === b.inflight &&
    a.awaitingRel === b.awaitingRel &&
    a.awaitingAck === b.awaitingAck &&
    a.awaitingComp === b.awaitingComp);

const isSame = (a: SessionRates, b: SessionRates): boolean =>
  a.deliveredPerSecond === b.deliveredPerSecond &&
  a.acknowledgedPerSecond === b.acknowledgedPerSecond &&
  a.enqueuedPerSecond === b.enqueuedPerSecond &&
  a.queuePerSecond === b.queuePerSecond &&
  a.droppedPerSecond === b.droppedPerSecond &&
  a.queueBefore === b.queueBefore &&
  a.hasDropped === b.hasDropped &&
  a.isLossPast === b.isLossPast;

/** Whether a rate over a whole step of the counters is known. */
export const hasRates = ({ queuePerSecond, deliveredPerSecond, enqueuedPerSecond }: SessionRates): boolean =>
  queuePerSecond !== undefined || deliveredPerSecond !== undefined || enqueuedPerSecond !== undefined;

export interface SessionRateTracker {
  /**
   * Measures sessions of clients that have reconnected from their next reading on: what they lost before says nothing
   * of what they lose now.
   */
  restart(clientIds: ReadonlySet<string>): void;
  /**
   * Takes a reading. Unchanged rows, and an unchanged array, are the same objects; so are the rates of a session within
   * a step of its counters.
   */
  update(scan: ScanState<Session>, refresh?: Refresh): readonly SessionRow[];
}

/** The reading that the next rates of a session are measured from. */
interface Base {
  readonly session: Session;
  readonly time: RefreshTime;
  /** The ends of the last steps, `session` last; absent where the length of one step is known well enough. */
  readonly ends?: readonly StepEnd[] | undefined;
}

/** `last`: the session as it was last read. */
type KnownBase = Base & { readonly last: Session };

interface SessionStep {
  readonly rates: SessionRates;
  readonly base: Base;
  /** The counters are not those of the reading before. */
  readonly isMoved: boolean;
  readonly isStill: boolean;
}

const firstStep = (session: Session, atMs: number, refresh: Refresh): SessionStep => ({
  rates: unknownRates,
  base: { session, time: firstTime(atMs, refresh) },
  isMoved: true,
  isStill: false,
});

/**
 * Takes the next step of a session. @param known the rates until now, which go on within a step @param isSteady
 * measures over several steps where the length of one varies
 */
function takeStep(
  session: Session,
  known: SessionRates | undefined,
  { session: from, time, last, ends }: KnownBase,
  beforeMs: number,
  atMs: number,
  refresh: Refresh,
  isSteady = true,
): SessionStep {
  const isMoved = !isSameFigures(last, session);
  const step = measureStep(time, { atMs, beforeMs, isBase: isSameFigures(from, session), isMoved }, refresh);
  if (step.kind === 'whole') {
    const rates = ratesBetween(from, session, step.elapsedMs);
    const hasEnds = isSteady && !refresh.isRegular && refresh.maxMs > 0;
    const nextEnds = hasEnds
      ? [...(ends ?? [stepEnd(from, time)]), stepEnd(session, step.base)].slice(-maxStepEnds)
      : undefined;
    return {
      rates: withBegin(known, nextEnds === undefined ? rates : withSteadyRates(rates, nextEnds), refresh),
      base: { session, time: step.base, ...(nextEnds !== undefined && { ends: nextEnds }) },
      isMoved,
      isStill: false,
    };
  }
  if (step.kind === 'still')
    return {
      rates: ratesBetween(session, session, refresh.maxMs),
      base: { session, time: step.base },
      isMoved,
      isStill: true,
    };
  const before = known === undefined || known === unknownRates ? waitingRates : known;
  const moved = before === reconnectedRates ? waitingRates : withLoss(before, last, session, refresh);
  const unmovedMs = isSameFigures(from, session) ? atMs - time.seenMs : atMs - time.seenMs - refresh.maxMs;
  return {
    rates: isMoved ? moved : withoutPastLoss(before, unmovedMs, refresh),
    base: step.base === undefined ? { session: from, time, ends } : { session, time: step.base },
    isMoved,
    isStill: false,
  };
}

/** Corrects a loss that began within a step, which was not lost over all of it. */
const withBegin = (before: SessionRates | undefined, rates: SessionRates, { maxMs }: Refresh): SessionRates =>
  maxMs > 0 && (before?.droppedPerSecond === 0 || before?.isLossPast === true) && (rates.droppedPerSecond ?? 0) > 0
    ? { ...rates, droppedPerSecond: undefined, hasDropped: true }
    : rates;

/** Adds that messages were lost. The counters moved within a step, so how many a second is not known. */
function withLoss(rates: SessionRates, before: Session, after: Session, { isRegular, maxMs }: Refresh): SessionRates {
  // Long ago, perhaps.
  if (!Number.isFinite(maxMs)) return rates;
  const hasOwnRates = hasRates(rates);
  if (before.dropped === undefined || after.dropped === undefined || (rates.droppedPerSecond ?? 0) > 0) return rates;
  if (after.dropped <= before.dropped) return hasOwnRates || !isRegular ? rates : waitingRatesWithoutLoss;
  return hasOwnRates
    ? { ...rates, droppedPerSecond: undefined, hasDropped: true, isLossPast: undefined }
    : waitingRatesOfLoss;
}

/** The share of a step by which a refresh may be late. */
const lateShare = 0.1;

/** Takes back a loss while counters stand still for longer than a step: a loss that went on would have moved them. */
const withoutPastLoss = (rates: SessionRates, unmovedMs: number, { maxMs }: Refresh): SessionRates =>
  maxMs > 0 && unmovedMs > maxMs * (1 + lateShare) && ((rates.droppedPerSecond ?? 0) > 0 || rates.hasDropped === true)
    ? { ...rates, droppedPerSecond: undefined, hasDropped: undefined, isLossRough: undefined, isLossPast: true }
    : rates;

/** The counters of one session, from reading to reading. */
export interface SessionSteps extends SessionStep {
  readonly session: Session;
  readonly atMs: number;
}

/** Follows one session. Starts again with another session, and with one that moved to another node. */
export function followSession(
  before: SessionSteps | undefined,
  session: Session,
  atMs: number,
  refresh: Refresh,
): SessionSteps {
  const isSameSession =
    before !== undefined && before.session.createdAt === session.createdAt && before.session.node === session.node;
  if (!isSameSession) return { ...firstStep(session, atMs, refresh), session, atMs };
  const step = takeStep(session, before.rates, { ...before.base, last: before.session }, before.atMs, atMs, refresh);
  return { ...step, isStill: step.isStill || (before.isStill && !step.isMoved), session, atMs };
}

/** Whether a reading shows more than the one before it: within a step it repeats the same figures. */
export const isNewReading = ({ isMoved, isStill }: SessionSteps, { maxMs }: Refresh): boolean =>
  isMoved || isStill || maxMs === 0;

export function createSessionRateTracker(): SessionRateTracker {
  /**
   * Readings that the next rates are measured from, by position: an object per row would take 4 MB for 100,000. All
   * rows of one reading share a time.
   */
  let bases: readonly (Session | undefined)[] = [];
  let times: readonly (RefreshTime | undefined)[] = [];
  let ends: readonly (readonly StepEnd[] | undefined)[] = [];
  let reads: readonly (Session | undefined)[] = [];
  let readAtMs = new Map<NodeName, number>();
  let lastRows: readonly Session[] | undefined;
  let result: readonly SessionRow[] = [];
  /** Sessions that are measured from their next reading on. */
  let restarted: ReadonlySet<string> = new Set();

  /**
   * Returns the nodes that were read since, with the time of the reading before. After a gap there is none: measuring
   * starts again.
   */
  function takeFinished(scan: ScanState<Session>): ReadonlyMap<NodeName, number | undefined> {
    const finished = new Map<NodeName, number | undefined>();
    const next = new Map<NodeName, number>();
    for (const [node, coverage] of scan.coverage) {
      const before = readAtMs.get(node);
      const atMs = coverage.isComplete ? coverage.readAtMs : undefined;
      if (atMs !== undefined && atMs !== before) finished.set(node, coverage.isAfterGap === true ? undefined : before);
      const known = atMs ?? before;
      if (known !== undefined) next.set(node, known);
    }
    if (scan.coverage.size > 0) readAtMs = next;
    return finished;
  }

  return {
    restart(clientIds) {
      restarted = new Set([...restarted, ...clientIds]);
      if (result.some(({ session }) => clientIds.has(session.clientId)))
        result = result.map((row) =>
          clientIds.has(row.session.clientId) ? { session: row.session, rates: reconnectedRates } : row,
        );
    },
    update(scan, refresh = always) {
      const finished = takeFinished(scan);
      if (scan.rows === lastRows && finished.size === 0) return result;
      const find = createRowFinder(lastRows ?? [], ({ clientId }) => clientId);
      const [nextRows, nextBases, nextTimes, nextEnds, nextReads]: [
        SessionRow[],
        (Session | undefined)[],
        (RefreshTime | undefined)[],
        (readonly StepEnd[] | undefined)[],
        (Session | undefined)[],
      ] = [[], [], [], [], []];
      const isMany = scan.rows.length > maxSteadyRows;
      const shareTime = createSharing();
      const unread = new Set<string>();
      for (const session of scan.rows) {
        const { node } = session;
        const place = find(session);
        const before = place === undefined ? undefined : result[place];
        const isRecreated =
          before === undefined || before.session.createdAt !== session.createdAt || before.session.node !== node;
        const [baseSession, time, last, lastEnds] =
          isRecreated || place === undefined ? [] : [bases[place], times[place], reads[place], ends[place]];
        const base =
          baseSession === undefined || time === undefined || last === undefined
            ? undefined
            : { session: baseSession, time, last, ends: lastEnds };
        const known = isRecreated ? undefined : before;
        const atMs = node !== undefined && finished.has(node) ? readAtMs.get(node) : undefined;
        const beforeMs = node === undefined ? undefined : finished.get(node);
        const isRestarted = restarted.has(session.clientId);
        if (isRestarted && atMs === undefined) unread.add(session.clientId);
        const next =
          atMs === undefined
            ? undefined
            : base === undefined
              ? firstStep(session, atMs, refresh)
              : isRestarted
                ? { ...firstStep(session, atMs, refresh), rates: reconnectedRates }
                : beforeMs === undefined
                  ? { ...firstStep(session, atMs, refresh), rates: waitingRates }
                  : takeStep(
                      session,
                      known?.rates,
                      base,
                      beforeMs,
                      atMs,
                      refresh,
                      !isMany || (session.queueLength ?? 0) > 0,
                    );
        const rates = next?.rates ?? known?.rates ?? unknownRates;
        // Equal rates of another step are others.
        const kept =
          known !== undefined &&
          (known.rates === rates ||
            (refresh.maxMs === 0 &&
              rates !== unknownRates &&
              known.rates !== unknownRates &&
              isSame(known.rates, rates)))
            ? known
            : undefined;
        nextRows.push(kept?.session === session ? kept : { session, rates: kept?.rates ?? rates });
        nextBases.push(next?.base.session ?? baseSession);
        nextTimes.push(shareTime(next?.base.time ?? time));
        nextEnds.push(next === undefined ? lastEnds : next.base.ends);
        nextReads.push(next === undefined ? last : session);
      }
      [bases, times, ends, reads] = [nextBases, nextTimes, nextEnds, nextReads];
      lastRows = scan.rows;
      restarted = unread;
      if (nextRows.length !== result.length || nextRows.some((row, at) => row !== result[at])) result = nextRows;
      return result;
    },
  };
}

/** Returns a function that keeps one object of equal times in a row. */
function createSharing(): (time: RefreshTime | undefined) => RefreshTime | undefined {
  let last: RefreshTime | undefined;
  return (time) => {
    if (time === undefined || last === undefined || time.afterMs !== last.afterMs || time.seenMs !== last.seenMs)
      last = time;
    return last;
  };
}

/** The sessions with their rates. */
export const sessionRows = definePart<readonly SessionRow[]>('sessionRows', []);

/** Returns the state with the sessions as a tracker has them. */
export function withSessionRows<State extends Pick<MonitorState, 'readings' | 'capabilities'>>(
  state: State,
  tracker: SessionRateTracker,
): State {
  const rows = tracker.update(reading(state, sessionScan), refreshOf(state.capabilities));
  return rows === reading(state, sessionRows) ? state : { ...state, ...withReading(state, sessionRows, rows) };
}

/**
 * Counters of an offline session. Some brokers stop counting when the client leaves: only counters that move while it
 * is offline, or of a session that says it is offline, are live.
 */
export interface OfflineCounters extends OfflineSession {
  readonly last: Session | undefined;
  /**
   * Steps of a session that does not say that it is offline: its counters may stand still for minutes, and then jump.
   */
  readonly steps?: SessionSteps | undefined;
  /** When `steps` were last seen to move. */
  readonly movedMs?: number | undefined;
}

/** Returns rates of an offline session. Those of one that says that it is offline are as current as others. */
export const offlineRates = (
  { session, rates }: Pick<SessionRow, 'session' | 'rates'>,
  counters: OfflineCounters | undefined,
): SessionRates =>
  counters === undefined || session.isConnected !== undefined
    ? rates
    : counters.isLive
      ? (counters.steps?.rates ?? unknownRates)
      : unknownRates;

/** Whether the client was connected in between: counters moved without a delivery. */
export const hasMoved = (before: Session, after: Session): boolean =>
  before.createdAt === after.createdAt &&
  before.node === after.node &&
  before.delivered === after.delivered &&
  (before.queueLength !== after.queueLength || before.dropped !== after.dropped || before.enqueued !== after.enqueued);

/** @param beganMs when reading it began; `readMs`: when that ended, also monotonic */
export function followOffline(
  counters: OfflineCounters,
  session: Session,
  beganMs: number | undefined,
  readMs?: { readonly wall: number; readonly monotonic: number },
): OfflineCounters {
  const { sinceMs, last } = counters;
  const isLive = counters.isLive || session.isConnected === false;
  // During an earlier reading the client may still have been connected.
  if (beganMs === undefined || beganMs < sinceMs)
    return isLive === counters.isLive ? counters : { ...counters, isLive };
  const stepped =
    session.isConnected === undefined &&
    readMs !== undefined &&
    readMs.monotonic > (counters.steps?.atMs ?? Number.NEGATIVE_INFINITY);
  if (session === last && !stepped) return isLive === counters.isLive ? counters : { ...counters, isLive };
  const next: OfflineCounters = {
    ...counters,
    isLive: isLive || (last !== undefined && hasMoved(last, session)),
    last: session,
  };
  if (!stepped) return next;
  // A delivery means that it was connected in between.
  const steps = followSession(
    last !== undefined && last.delivered !== session.delivered ? undefined : counters.steps,
    session,
    readMs.monotonic,
    atAnyTime,
  );
  return { ...next, steps, movedMs: steps.isMoved ? readMs.wall : counters.movedMs };
}

/** Returns the node of each client, by id; shared, because that of 100,000 takes 4 MB. */
export const nodesOfClients = memoise((clients: readonly Client[]): ReadonlyMap<string, NodeName | undefined> => {
  const nodes = new Map<string, NodeName | undefined>();
  for (const { clientId, node } of clients) nodes.set(clientId, node);
  return nodes;
});

interface Connected {
  readonly nodesOf: ReadonlyMap<string, NodeName | undefined>;
  /** When reading each node began. Only nodes whose lists were read completely and decoded without loss are in it. */
  readonly beganAtMs: ReadonlyMap<NodeName, number | undefined>;
}

type NodesReading = ResourceState<readonly NodeInfo[]>;

/** Allows for clocks and creation times, which have a resolution of one second. */
const graceSeconds = 1;

const connectedIn = ({ rows, coverage }: ScanState<Client>): Connected => ({
  nodesOf: nodesOfClients(rows),
  beganAtMs: new Map(
    [...coverage]
      .filter(([, { isComplete, unusable }]) => isComplete && unusable === undefined)
      .map(([node, { beganAtMs }]) => [node, beganAtMs]),
  ),
});

/** Finds the row that was made of the same one, by position: a WeakMap of 100,000 rows takes 4 MB. */
function madeOf(rows: readonly SessionRow[], made: readonly SessionRow[]): (row: SessionRow) => SessionRow | undefined {
  const find = createRowFinder(rows, ({ session }) => session.clientId);
  return (row) => {
    const place = find(row);
    return place !== undefined && rows[place] === row ? made[place] : undefined;
  };
}

const clocksThen = (
  { beganAtMs }: Connected,
  { data = [], updatedAtMs }: NodesReading,
): ReadonlyMap<NodeName, BrokerSeconds> =>
  new Map(
    data.flatMap(({ name, clock }) => {
      const atMs = beganAtMs.get(name);
      return clock === undefined || atMs === undefined || updatedAtMs === undefined
        ? []
        : [[name, clock + (atMs - updatedAtMs) / 1_000] as const];
    }),
  );

/**
 * Joins sessions with the client lists. `isConnected` stays `undefined` for a session that may be newer than them.
 * Unchanged input returns the same objects. `queueLimits`: maximum queue lengths by node. `recent`: by client.
 */
export function createConnectionJoin(): (
  rows: readonly SessionRow[],
  clients: ScanState<Client>,
  nodes: NodesReading,
  offline?: ReadonlyMap<string, OfflineCounters>,
  queueLimits?: ReadonlyMap<NodeName, number>,
  recent?: ReadonlyMap<string, RecentTrouble>,
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

  /** Joins one row. @param before the row that was made of the same one */
  function join(row: SessionRow, before: SessionRow | undefined): SessionRow {
    const { node, clientId, maxQueueLength } = row.session;
    const is = row.session.isConnected ?? isConnected(row);
    const queueLimit = maxQueueLength ?? (node === undefined ? undefined : knownLimits?.get(node));
    const recentTrouble = knownRecent?.get(clientId);
    if (is === undefined && queueLimit === undefined && recentTrouble === undefined) return row;
    const counters = is === false ? knownOffline?.get(clientId) : undefined;
    const isFrozen =
      is === undefined ? undefined : !is && row.session.isConnected !== false && counters?.isLive !== true;
    const offlineSinceMs = counters?.sinceMs;
    const rates = isFrozen === true ? unknownRates : offlineRates(row, counters);
    const movedMs = row.session.isConnected === undefined ? counters?.movedMs : undefined;
    if (
      before !== undefined &&
      before.rates === rates &&
      before.movedMs === movedMs &&
      before.isConnected === is &&
      before.isFrozen === isFrozen &&
      before.offlineSinceMs === offlineSinceMs &&
      before.queueLimit === queueLimit &&
      before.recentTrouble === recentTrouble
    )
      return before;
    return {
      session: row.session,
      rates,
      isConnected: is,
      isFrozen,
      offlineSinceMs,
      queueLimit,
      ...(movedMs !== undefined && { movedMs }),
      ...(recentTrouble !== undefined && { recentTrouble }),
    };
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
    if (
      hasFinished ||
      hasClocks ||
      rows !== known ||
      offline !== knownOffline ||
      queueLimits !== knownLimits ||
      recent !== knownRecent
    ) {
      const made = madeOf(known ?? [], result);
      known = rows;
      knownOffline = offline;
      knownLimits = queueLimits;
      knownRecent = recent;
      result =
        connected === undefined && queueLimits === undefined && recent === undefined
          ? rows
          : rows.map((row) => join(row, made(row)));
    }
    return result;
  };
}

/** Messages are queued as they should be in a shorter absence: the client may be about to reconnect. */
const minAbsenceMs = 30_000;

/** Whether a client has left just before its session was read. */
export const isShortAbsence = (counters: OfflineCounters | undefined, readMs: number): boolean =>
  counters !== undefined && readMs - counters.sinceMs < minAbsenceMs;
