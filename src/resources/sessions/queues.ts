import { definePart } from '../../monitor/query/part.ts';
import type { Client, Session } from '../../domain/client.ts';
import type { ScanState } from '../../monitor/state.ts';
import type { TrendPoint } from '../clients/client-detail.ts';
import { followSession, hasMoved, isNewReading, nodesOfClients, type SessionSteps } from './history.ts';
import { always, type Refresh } from '../../monitor/steps.ts';

/** A session as last read, and its trend: oldest first, times are monotonic. */
export interface QueueTrend {
  readonly session: Session;
  readonly points: readonly TrendPoint[];
}

interface FollowedTrend extends QueueTrend {
  readonly steps: SessionSteps;
}

/** Trends by client id: of clients whose page was opened, then of the longest queues. */
export type QueueTrends = ReadonlyMap<string, QueueTrend>;

/** The trends of the longest queues, while sessions are read. */
export const queueTrends = definePart<QueueTrends>('queueTrends', new Map(), {
  recorded: (trends) => new Map([...trends].map(([id, { session, points }]) => [id, { session, points }])),
});

/** Trends are kept as long as graphs of a client show, and one step more. */
export const maxTrendMs = 190_000;
/** Shorter queues are not followed: they come and go with the traffic. */
const minQueue = 10;
const maxSessions = 50;

/** Follows the longest queues from one complete reading of the sessions to the next: of at most 50 sessions, for as long as graphs show. `opened`: clients that are followed with any queue. Returns the same map between readings. */
export function createQueueTrends(): (
  sessions: ScanState<Session>,
  clients: ScanState<Client>,
  opened?: ReadonlyMap<string, unknown>,
  refresh?: Refresh,
) => QueueTrends {
  let trends: ReadonlyMap<string, FollowedTrend> = new Map();
  let finishedAtMs: number | undefined;

  /** Whether the counters may be those of the disconnect: the client is not listed, and nothing has moved since. */
  const isFrozen = (
    session: Session,
    before: Session | undefined,
    connected: ReadonlyMap<string, unknown> | undefined,
  ): boolean =>
    session.isConnected === undefined &&
    connected?.has(session.clientId) === false &&
    (before === undefined || (!hasMoved(before, session) && before.delivered === session.delivered));

  function follow(
    session: Session,
    atMs: number,
    connected: ReadonlyMap<string, unknown> | undefined,
    refresh: Refresh,
  ): FollowedTrend {
    const known = trends.get(session.clientId);
    if (known !== undefined && atMs <= known.steps.atMs) return known;
    const isSame =
      known !== undefined && known.session.createdAt === session.createdAt && known.session.node === session.node;
    const steps = followSession(known?.steps, session, atMs, refresh);
    const before = (known?.points ?? []).filter((each) => atMs - each.atMs <= maxTrendMs);
    if (isSame && before.length > 0 && !isNewReading(steps, refresh)) return { session, points: before, steps };
    const { deliveredPerSecond, droppedPerSecond } = steps.rates;
    const point: TrendPoint = isFrozen(session, isSame ? known.session : undefined, connected)
      ? { atMs, queueLength: undefined, deliveredPerSecond: undefined, droppedPerSecond: undefined }
      : {
          atMs,
          queueLength: session.queueLength,
          deliveredPerSecond,
          droppedPerSecond,
          ...(known !== undefined && !isSame ? { isGap: true } : {}),
        };
    return { session, points: [...before, point], steps };
  }

  const isWorthIt = ({ session, points }: QueueTrend): boolean =>
    (session.queueLength ?? 0) >= minQueue || points.some(({ queueLength = 0 }) => queueLength >= minQueue);

  return (sessions, clients, opened = new Map(), refresh = always) => {
    if (sessions.phase !== 'complete' || sessions.finishedAtMs === finishedAtMs) return trends;
    finishedAtMs = sessions.finishedAtMs;
    const connected =
      clients.phase === 'complete' && clients.leftOut.size === 0 ? nodesOfClients(clients.rows) : undefined;
    const longest = sessions.rows
      .filter(
        ({ clientId, queueLength = 0 }) => queueLength >= minQueue || trends.has(clientId) || opened.has(clientId),
      )
      .toSorted(
        (a, b) =>
          Number(opened.has(b.clientId)) - Number(opened.has(a.clientId)) ||
          (b.queueLength ?? 0) - (a.queueLength ?? 0),
      )
      .slice(0, maxSessions);
    trends = new Map(
      longest.flatMap((session) => {
        const atMs = session.node === undefined ? undefined : sessions.coverage.get(session.node)?.readAtMs;
        const next = atMs === undefined ? undefined : follow(session, atMs, connected, refresh);
        return next !== undefined && (opened.has(session.clientId) || isWorthIt(next))
          ? [[session.clientId, next] as const]
          : [];
      }),
    );
    return trends;
  };
}
