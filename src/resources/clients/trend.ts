import { ApiError } from '../../api/errors.ts';
import type { Client, Session } from '../../domain/client.ts';
import type { ClientDetail, TrendPoint } from './client-detail.ts';
import { maxTrendMs } from '../sessions/queues.ts';
import { followSession, isNewReading, type SessionSteps } from '../sessions/history.ts';
import { always, atAnyTime, type Refresh } from '../../monitor/steps.ts';

/** The shortest step with a rate: a reading follows each action at once, and a slow delivery would look like none. */
const minStepMs = 800;
/** A first step shorter than this is not worth a graph. */
const minFirstStepMs = 2_000;
/** The lists have more points after a longer pause, as while the client's page was left. */
const minPauseMs = 10_000;

const isSameConnection = (one: Client, other: Client): boolean =>
  one.connectedAt === other.connectedAt && one.ipAddress === other.ipAddress && one.port === other.port;

interface Reading {
  readonly session: Session;
  readonly atMs: number;
}

/** A client as the lists had it when its node was last read. */
export interface ListedReading extends Reading {
  readonly client: Client | undefined;
}

/** Sessions are sampled every 30 s. Over steps up to this long, an average still says how the client is doing. */
export const maxTrendStepMs = 40_000;

/**
 * Adds the trend of a client to its readings. The trend begins with what the lists said of the client, goes on with
 * that where it was not read itself, and after a gap when the client reconnects or its session is created again;
 * counters that stopped at the disconnect are unknown. Where the broker refreshes counters in steps, there is a point a
 * step.
 */
export function createClientTrend(
  listed: () => ListedReading | undefined = () => undefined,
  listedTrend: () => readonly TrendPoint[] = () => [],
  refreshNow: () => Refresh = () => always,
): (detail: ClientDetail, atMs: number) => ClientDetail {
  let points: readonly TrendPoint[] = [];
  let connection: Client | undefined;
  let last: SessionSteps | undefined;
  let lastRefresh: Refresh | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  /** Set when the next reading cannot be compared with the last one. */
  let isBroken = false;

  /** Returns `undefined` within a step of the counters. */
  function pointOf(session: Session | undefined, atMs: number, isAbsent: boolean): TrendPoint | undefined {
    if (session === undefined) {
      last = undefined;
      return { atMs, queueLength: undefined, deliveredPerSecond: undefined, droppedPerSecond: undefined };
    }
    const refresh = isAbsent && session.isConnected === undefined ? atAnyTime : refreshNow();
    const isGap = isBroken && points.length > 0;
    last = followSession(
      isBroken || (lastRefresh !== undefined && refresh !== lastRefresh) ? undefined : last,
      session,
      atMs,
      refresh,
    );
    lastRefresh = refresh;
    isBroken = false;
    const { deliveredPerSecond, droppedPerSecond } = last.rates;
    return isNewReading(last, refresh) || points.length === 0
      ? { atMs, queueLength: session.queueLength, deliveredPerSecond, droppedPerSecond, ...(isGap ? { isGap } : {}) }
      : undefined;
  }

  /**
   * Fills the time before with what the lists said, so that there are rates from the first reading on, and no hole.
   * Returns `true` if the lists have just said what this reading says.
   */
  function fill(session: Session, present: Client | undefined, atMs: number): boolean {
    const lastMs = points.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    const missed = listedTrend().filter(
      (point) => point.atMs > lastMs && point.atMs < atMs && atMs - point.atMs <= maxTrendMs,
    );
    if (missed.length > 0) {
      points = [...points, ...missed];
      last = undefined;
    }
    const before = listed();
    if (before?.client === undefined || present === undefined || !isSameConnection(before.client, present))
      return false;
    const isListed = points.at(-1)?.atMs === before.atMs;
    if (
      before.atMs <= lastMs ||
      before.session.createdAt !== session.createdAt ||
      (atMs - before.atMs < minFirstStepMs && !isListed) ||
      atMs - before.atMs > maxTrendStepMs
    )
      return false;
    // A session that is read by itself may not say its node.
    last = followSession(undefined, { ...before.session, node: session.node }, before.atMs, refreshNow());
    if (before.atMs > (points.at(-1)?.atMs ?? lastMs))
      points = [
        ...points,
        {
          atMs: before.atMs,
          queueLength: before.session.queueLength,
          deliveredPerSecond: undefined,
          droppedPerSecond: undefined,
        },
      ];
    return isListed && atMs - before.atMs < minFirstStepMs;
  }

  return (detail, atMs) => {
    const { clients, sessions, offline } = detail;
    const present = clients instanceof ApiError ? undefined : clients[0];
    if (present !== undefined) {
      if (connection !== undefined && !isSameConnection(connection, present)) isBroken = true;
      connection = present;
    }
    const session = sessions instanceof ApiError ? undefined : sessions[0];
    // Unknown is not a point; that there is no session is one, unless nothing was there before.
    if (session === undefined && (sessions instanceof ApiError || points.length === 0))
      return { ...detail, trend: points };
    const isPaused = atMs - readMs > minPauseMs;
    readMs = atMs;
    if (session !== undefined && isPaused && fill(session, present, atMs)) return { ...detail, trend: points };
    if (session === undefined || (last !== undefined && last.session.createdAt !== session.createdAt)) isBroken = true;
    if (last !== undefined && !isBroken && atMs - last.atMs < minStepMs) return { ...detail, trend: points };
    const isFrozen = !(clients instanceof ApiError) && present === undefined && offline?.isLive !== true;
    const point = pointOf(
      isFrozen ? undefined : session,
      atMs,
      !(clients instanceof ApiError) && present === undefined,
    );
    points = [...points, ...(point === undefined ? [] : [point])].filter((each) => atMs - each.atMs <= maxTrendMs);
    return { ...detail, trend: points };
  };
}
