import { ApiError } from '../../api/errors.ts';
import type { Client, Session } from '../../domain/client.ts';
import type { ClientDetail, TrendPoint } from '../state.ts';
import { ratesBetween, unknownRates } from './sessions.ts';

/** As long as the graphs show, and one step more. */
const maxTrendMs = 190_000;
const maxPoints = 400;
/** Rates over less are noise: a refresh by hand may follow another at once. */
const minStepMs = 200;

const isSameConnection = (one: Client, other: Client): boolean =>
  one.connectedAt === other.connectedAt && one.ipAddress === other.ipAddress && one.port === other.port;

interface Reading {
  readonly session: Session;
  readonly atMs: number;
}

/** Adds the trend of a client to its readings. It starts again with a new connection or session; counters that stopped at the disconnect are unknown. */
export function createClientTrend(): (detail: ClientDetail, atMs: number) => ClientDetail {
  let points: readonly TrendPoint[] = [];
  let connection: Client | undefined;
  let last: Reading | undefined;

  function restart(): void {
    points = [];
    last = undefined;
  }

  function pointOf(session: Session, isFrozen: boolean, atMs: number): TrendPoint {
    if (isFrozen) {
      last = undefined;
      return { atMs, queueLength: undefined, deliveredPerSecond: undefined, droppedPerSecond: undefined };
    }
    const { deliveredPerSecond, droppedPerSecond } = last === undefined ? unknownRates : ratesBetween(last.session, session, atMs - last.atMs);
    last = { session, atMs };
    return { atMs, queueLength: session.queueLength, deliveredPerSecond, droppedPerSecond };
  }

  return (detail, atMs) => {
    const { clients, sessions, offline } = detail;
    const present = clients instanceof ApiError ? undefined : clients[0];
    if (present !== undefined) {
      if (connection !== undefined && !isSameConnection(connection, present)) restart();
      connection = present;
    }
    const session = sessions instanceof ApiError ? undefined : sessions[0];
    if (session === undefined) {
      if (!(sessions instanceof ApiError)) restart();
      return { ...detail, trend: points };
    }
    if (last !== undefined && last.session.createdAt !== session.createdAt) restart();
    if (last !== undefined && atMs - last.atMs < minStepMs) return { ...detail, trend: points };
    const isFrozen = !(clients instanceof ApiError) && present === undefined && offline?.isLive !== true;
    points = [...points, pointOf(session, isFrozen, atMs)].filter((point) => atMs - point.atMs <= maxTrendMs).slice(-maxPoints);
    return { ...detail, trend: points };
  };
}
