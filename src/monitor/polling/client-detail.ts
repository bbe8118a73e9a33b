import { ApiError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import { followOffline, type OfflineCounters } from '../history/offline-counters.ts';
import type { ClientDetail } from '../state.ts';

/** Makes one request, within the limits of the monitor. */
export type Call = <R>(request: () => Promise<R>, signal: AbortSignal) => Promise<R>;

/**
 * Reads one client's connection, session and subscriptions together (§4.2 to §4.4). A part that fails
 * holds its error. Rejects when all parts fail, and with an error that concerns every request (401, 429).
 */
export async function readClientDetail(
  api: ManagementApi, clientId: string, call: Call, signal: AbortSignal, onUnusable?: CallOptions['onUnusable'],
): Promise<ClientDetail> {
  const options = { signal, onUnusable };
  const [clients, sessions, subscriptions] = await Promise.all([
    attempt(call(() => api.getClient(clientId, options), signal)),
    attempt(call(() => api.getSession(clientId, options), signal)),
    attempt(call(() => api.getSubscriptions(clientId, options), signal)),
  ]);
  const errors = [clients, sessions, subscriptions].filter((part) => part instanceof ApiError);
  const general = errors.find((error) => error.kind === 'unauthorized' || error.kind === 'rate-limited');
  if (general !== undefined) throw general;
  if (errors.length === 3 && errors[0] !== undefined) throw errors[0];
  return { clients, sessions, subscriptions };
}

/** Adds to each reading of one client what is known of its session's counters while it is offline. */
export function createOfflineDetail(): (detail: ClientDetail, beganMs: number, nowMs: number) => ClientDetail {
  let counters: OfflineCounters | undefined;
  const withCounters = (detail: ClientDetail): ClientDetail => (counters === undefined ? detail : { ...detail, offline: { sinceMs: counters.sinceMs, isLive: counters.isLive } });
  return (detail, beganMs, nowMs) => {
    const { clients, sessions } = detail;
    if (clients instanceof ApiError || sessions instanceof ApiError) return withCounters(detail);
    const [session] = sessions;
    counters = clients.length > 0 || session === undefined ? undefined : followOffline(counters ?? { sinceMs: nowMs, isLive: false, last: undefined }, session, beganMs);
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
