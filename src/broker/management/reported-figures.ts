import type { FigureUpdates, ServedClock } from '../../api/dialect.ts';
import type { Page } from '../../api/management-api.ts';
import type { Client, ClientTraffic, Session as SessionRecord } from '../../domain/client.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { BrokerApi } from './broker-api.ts';

type SessionFigures = Pick<
  SessionRecord,
  | 'inflight'
  | 'queueLength'
  | 'dropped'
  | 'awaitingRel'
  | 'awaitingAck'
  | 'awaitingComp'
  | 'subscriptions'
  | 'delivered'
  | 'deliveredAboveQos0'
  | 'deliveredQos2'
  | 'enqueued'
>;

interface Reported {
  session: SessionFigures;
  traffic: ClientTraffic | undefined;
  /** The second of the period in which the figures are updated. */
  second: number;
  /** Messages for an offline session up to the last second. */
  arrived: number;
}

export interface ReportedFigures {
  readonly api: BrokerApi;
  close(): void;
}

/**
 * Reads clients and sessions with the figures of their last update, as real brokers keep them. All are updated in
 * turns, one part every second, and each when its client connects or disconnects.
 */
export function withReportedFigures(
  api: BrokerApi,
  cluster: BrokerCluster,
  { everySeconds, offlineWhenIdle = false }: FigureUpdates,
  clock: ServedClock,
): ReportedFigures {
  const reported = new Map<string, Reported>();
  let second = 0;

  const arrivedAt = ({ enqueued = 0, dropped = 0, delivered = 0 }: SessionFigures): number =>
    enqueued + dropped + delivered;
  const trafficOf = (clientId: string, node: string): ClientTraffic | undefined =>
    cluster.node(node)?.clients.get(clientId)?.describe()?.traffic;
  const update = (clientId: string): Reported | undefined => {
    const session = cluster.session(clientId);
    if (session === undefined) {
      reported.delete(clientId);
      return undefined;
    }
    const figures = figuresOf(session.describe());
    const next = {
      session: figures,
      traffic: trafficOf(clientId, session.nodeName),
      second: reported.get(clientId)?.second ?? second % everySeconds,
      arrived: arrivedAt(figures),
    };
    reported.set(clientId, next);
    return next;
  };
  const restart = ({ clientId }: { readonly clientId: string }): void => {
    reported.delete(clientId);
    update(clientId);
  };
  const endTimer = clock.everySecond(() => {
    second += 1;
    for (const [clientId, last] of reported) {
      const session = offlineWhenIdle || last.second === second % everySeconds ? cluster.session(clientId) : undefined;
      if (!offlineWhenIdle || session?.connection !== undefined) {
        if (last.second === second % everySeconds) update(clientId);
        continue;
      }
      // The process of an offline session writes them when it had nothing to do for a second.
      const arrived = session === undefined ? last.arrived : arrivedAt(figuresOf(session.describe()));
      if (arrived === last.arrived) update(clientId);
      else last.arrived = arrived;
    }
  });
  cluster.events.on('connected', restart);
  cluster.events.on('disconnected', restart);

  const asReported = (session: SessionRecord): SessionRecord => ({
    ...session,
    ...(reported.get(session.clientId) ?? update(session.clientId))?.session,
  });
  const asReportedClient = (client: Client): Client => ({
    ...client,
    traffic: (reported.get(client.clientId) ?? update(client.clientId))?.traffic ?? client.traffic,
  });
  const inPage = <T>(page: Page<T>, change: (item: T) => T): Page<T> => ({ ...page, items: page.items.map(change) });
  return {
    api: {
      ...api,
      listClients: async (node, page, options) => inPage(await api.listClients(node, page, options), asReportedClient),
      getNodeClient: async (node, clientId, options) =>
        (await api.getNodeClient(node, clientId, options)).map(asReportedClient),
      getClient: async (clientId, options) => (await api.getClient(clientId, options)).map(asReportedClient),
      searchClients: async (search, page, options) =>
        inPage(await api.searchClients(search, page, options), asReportedClient),
      listSessions: async (node, page, options) => inPage(await api.listSessions(node, page, options), asReported),
      getNodeSession: async (node, clientId, options) =>
        (await api.getNodeSession(node, clientId, options)).map(asReported),
      getSession: async (clientId, options) => (await api.getSession(clientId, options)).map(asReported),
    },
    close: () => {
      endTimer();
      cluster.events.off('connected', restart);
      cluster.events.off('disconnected', restart);
    },
  };
}

function figuresOf({
  inflight,
  queueLength,
  dropped,
  awaitingRel,
  awaitingAck,
  awaitingComp,
  subscriptions,
  delivered,
  deliveredAboveQos0,
  deliveredQos2,
  enqueued,
}: SessionRecord): SessionFigures {
  return {
    inflight,
    queueLength,
    dropped,
    awaitingRel,
    awaitingAck,
    awaitingComp,
    subscriptions,
    delivered,
    deliveredAboveQos0,
    deliveredQos2,
    enqueued,
  };
}
