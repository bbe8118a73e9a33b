import type { CallOptions, ManagementApi, Page, PageRequest } from '../../api/management-api.ts';
import type { Client, ClientTraffic, Route, Session, Subscription } from '../../domain/client.ts';
import type { NodeName, Unparsed } from '../../domain/node.ts';
import { listOwnSessions } from '../polling/own-answers.ts';
import type { ScanState } from '../state.ts';
import type { RowIdentity } from './scan-rows.ts';

export interface ScanDescription<T> extends RowIdentity<T> {
  list(api: ManagementApi, node: NodeName, page: PageRequest, options: CallOptions): Promise<Page<T>>;
}

/** §4.2. A client listed by two nodes is on the one where it connected last. */
export const clientScan: ScanDescription<Client> = {
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  // Field by field: a loop over the keys takes several times as long.
  isSame: (a, b) =>
    a.node === b.node &&
    a.connectedAt === b.connectedAt &&
    a.port === b.port &&
    a.ipAddress === b.ipAddress &&
    a.username === b.username &&
    a.cleanSession === b.cleanSession &&
    a.protocolVersion === b.protocolVersion &&
    a.keepaliveSeconds === b.keepaliveSeconds &&
    sameTraffic(a.traffic, b.traffic) &&
    sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
  textLength: ({ clientId, username, ipAddress, unparsed }) =>
    clientId.length + (username?.length ?? 0) + (ipAddress?.length ?? 0) + lengthOfTexts(unparsed),
};

/** §4.3. A session listed by two nodes is on the one where it was created last. */
export const sessionScan: ScanDescription<Session> = {
  list: listOwnSessions,
  identity: (session) => session.clientId,
  isSame: (a, b) =>
    a.node === b.node &&
    a.createdAt === b.createdAt &&
    a.cleanSession === b.cleanSession &&
    a.maxInflight === b.maxInflight &&
    a.inflight === b.inflight &&
    a.queueLength === b.queueLength &&
    a.dropped === b.dropped &&
    a.awaitingRel === b.awaitingRel &&
    a.awaitingAck === b.awaitingAck &&
    a.awaitingComp === b.awaitingComp &&
    a.subscriptions === b.subscriptions &&
    a.delivered === b.delivered &&
    a.deliveredAboveQos0 === b.deliveredAboveQos0 &&
    a.deliveredQos2 === b.deliveredQos2 &&
    a.enqueued === b.enqueued &&
    a.maxQueueLength === b.maxQueueLength &&
    a.isConnected === b.isConnected &&
    sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.createdAt !== undefined && (over.createdAt === undefined || candidate.createdAt > over.createdAt),
  textLength: ({ clientId, unparsed }) => clientId.length + lengthOfTexts(unparsed),
};

/** §4.4, in hash order. Of a subscription listed by two nodes, the first one stays. */
export const subscriptionScan: ScanDescription<Subscription> = {
  list: (api, node, page, options) => api.listSubscriptions(node, page, options),
  identity: subscriptionIdentity,
  isSame: (a, b) => a.node === b.node && a.qos === b.qos,
  isPreferred: () => false,
  textLength: ({ clientId, topic }) => clientId.length + topic.length,
};

/** The length separates client `a` with topic `b/c` from client `a b` with `/c`. */
export function subscriptionIdentity({ clientId, topic }: Pick<Subscription, 'clientId' | 'topic'>): string {
  return `${clientId.length} ${clientId} ${topic}`;
}

/** §4.5: one list for the cluster, unique by topic and node. */
export const routeScan: ScanDescription<Route> = {
  list: (api, _, page, options) => api.listRoutes(page, options),
  identity: routeIdentity,
  isSame: () => true,
  isPreferred: () => false,
  textLength: ({ topic, node }) => topic.length + node.length,
};

export function routeIdentity({ topic, node }: Route): string {
  return `${node.length} ${node} ${topic}`;
}

function sameTraffic(a: ClientTraffic | undefined, b: ClientTraffic | undefined): boolean {
  return (
    a === b ||
    (a !== undefined &&
      b !== undefined &&
      a.receivedMessages === b.receivedMessages &&
      a.sentMessages === b.sentMessages &&
      a.receivedBytes === b.receivedBytes &&
      a.sentBytes === b.sentBytes)
  );
}

export function sameTexts(a: Unparsed, b: Unparsed): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

export function lengthOfTexts(texts: Unparsed): number {
  let length = 0;
  for (const key in texts) length += key.length + (texts[key]?.length ?? 0);
  return length;
}

export function emptyScan<T>(): ScanState<T> {
  return {
    rows: [],
    added: new Set(),
    gone: [],
    phase: 'idle',
    coverage: new Map(),
    leftOut: new Map(),
    requests: 0,
    startedAtMs: undefined,
    finishedAtMs: undefined,
    nextScanAtMs: undefined,
    error: undefined,
  };
}
