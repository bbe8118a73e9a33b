import { ApiError } from '../../api/errors.ts';
import type { Clock } from '../../monitor/clock.ts';
import { reading } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { MonitorOperations, MonitorState } from '../../monitor/state.ts';
import { refreshOf } from '../../monitor/steps.ts';
import { getOwnSession } from '../own-answers.ts';
import { followOffline, type OfflineCounters } from '../sessions/history.ts';
import { queueTrends } from '../sessions/queues.ts';
import { sessionScan } from '../sessions/resource.ts';
import type { ClientDetail } from './client-detail.ts';
import { createLocator, type ListedClient, type ReadOne } from './locate.ts';
import { clientScan } from './resource.ts';
import { createClientTrend, type ListedReading } from './trend.ts';

/** Reads connection, session and subscriptions of a client. A failed part holds its error. Rejects if all fail, and on 401 and 429. */
export async function readClientDetail(clientId: string, read: ReadOne): Promise<ClientDetail> {
  const [clients, sessions, subscriptions] = await Promise.all([
    attempt(read((api, options) => api.getClient(clientId, options))),
    attempt(read((api, options) => getOwnSession(api, clientId, options))),
    attempt(read((api, options) => api.getSubscriptions(clientId, options))),
  ]);
  const errors = [clients, sessions, subscriptions].filter((part) => part instanceof ApiError);
  const general = errors.find((error) => error.kind === 'unauthorized' || error.kind === 'busy');
  if (general !== undefined) throw general;
  if (errors.length === 3 && errors[0] !== undefined) throw errors[0];
  return { clients, sessions, subscriptions };
}

export const listedClient = (state: Pick<MonitorState, 'readings'>, clientId: string): ListedClient => ({
  client: reading(state, clientScan).rows.find((client) => client.clientId === clientId),
  session: reading(state, sessionScan).rows.find((session) => session.clientId === clientId),
});

/** Readings of a node that took longer do not say when a row was read. */
const maxReadingMs = 1_000;

/** Returns a client as the lists have it, and when they were read. */
export function listedReading(
  state: Pick<MonitorState, 'readings'>,
  clientId: string,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
): ListedReading | undefined {
  const { client, session } = listedClient(state, clientId);
  const coverage = session?.node === undefined ? undefined : reading(state, sessionScan).coverage.get(session.node);
  if (session === undefined || coverage?.readAtMs === undefined || coverage.beganAtMs === undefined) return undefined;
  const readingMs = clock.nowMs() - coverage.beganAtMs - (clock.monotonicMs() - coverage.readAtMs);
  return readingMs > maxReadingMs ? undefined : { client, session, atMs: coverage.readAtMs };
}

export function createOfflineDetail(): (detail: ClientDetail, beganMs: number, nowMs: number) => ClientDetail {
  let counters: OfflineCounters | undefined;
  const withCounters = (detail: ClientDetail): ClientDetail =>
    counters === undefined ? detail : { ...detail, offline: { sinceMs: counters.sinceMs, isLive: counters.isLive } };
  return (detail, beganMs, nowMs) => {
    const { clients, sessions } = detail;
    if (clients instanceof ApiError || sessions instanceof ApiError) return withCounters(detail);
    const [session] = sessions;
    counters =
      clients.length > 0 || session === undefined
        ? undefined
        : followOffline(counters ?? { sinceMs: nowMs, isLive: false, last: undefined }, session, beganMs);
    return withCounters(detail);
  };
}

async function attempt<R>(request: Promise<R>): Promise<R | ApiError> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
}

/** Connection, session and subscriptions of one client, with the trend since it is watched. */
export const clientDetail = defineResource<ClientDetail, [clientId: string]>({
  name: 'clientDetail',
  source: (clientId) => `client ${clientId}`,
  every: 'tick',
  isInParts: true,
  open({ api, clock, state }, clientId) {
    const withOffline = createOfflineDetail();
    const locate = createLocator();
    const withTrend = createClientTrend(
      () => listedReading(state(), clientId, clock),
      () => reading(state(), queueTrends).get(clientId)?.points ?? [],
      () => refreshOf(state().capabilities),
    );
    return async ({ signal, onUnusable, request }) => {
      const beganMs = clock.nowMs();
      const detail = await readClientDetail(clientId, (send) => request(() => send(api, { signal, onUnusable })));
      const located = await locate(detail, listedClient(state(), clientId), (send) =>
        request(() => send(api, { signal })),
      );
      return withTrend(withOffline(located, beganMs, clock.nowMs()), clock.monotonicMs());
    };
  },
});

/** Reads a client once. Also works while frozen. @throws ApiError */
export async function readClient(
  { store, request }: Pick<MonitorOperations, 'request'> & { readonly store: { getState(): MonitorState } },
  clientId: string,
  signal: AbortSignal,
): Promise<ClientDetail> {
  const read: ReadOne = (send) => request(send, { signal });
  return createLocator()(await readClientDetail(clientId, read), listedClient(store.getState(), clientId), read);
}
