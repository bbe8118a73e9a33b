import type { CallOptions, ManagementApi, Page, PageRequest } from '../../api/management-api.ts';
import type { Client, Route, Session, Subscription } from '../../domain/client.ts';
import type { NodeName, Unparsed } from '../../domain/node.ts';
import type { ScanState } from '../state.ts';
import type { RowIdentity } from './scan-rows.ts';

/** A paged list: how it is read and how its rows are told apart. */
export interface ScanDescription<T> extends RowIdentity<T> {
  list(api: ManagementApi, node: NodeName, page: PageRequest, options: CallOptions): Promise<Page<T>>;
}

/** The clients of all nodes (§4.2). A client that is listed by two nodes is on the one where it connected later. */
export const clientScan: ScanDescription<Client> = {
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  // Field by field: a loop over their names takes several times as long, for every row of every scan.
  isSame: (a, b) => a.node === b.node
    && a.connectedAt === b.connectedAt
    && a.port === b.port
    && a.ipAddress === b.ipAddress
    && a.username === b.username
    && a.cleanSession === b.cleanSession
    && a.protocolVersion === b.protocolVersion
    && a.keepaliveSeconds === b.keepaliveSeconds
    && sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
  textLength: ({ clientId, username, ipAddress, unparsed }) => clientId.length + (username?.length ?? 0) + (ipAddress?.length ?? 0) + lengthOfTexts(unparsed),
};

/** The sessions of all nodes (§4.3). A session that is listed by two nodes is on the one where it was created later. */
export const sessionScan: ScanDescription<Session> = {
  list: (api, node, page, options) => api.listSessions(node, page, options),
  identity: (session) => session.clientId,
  // Field by field: a loop over their names takes several times as long, for every row of every scan.
  isSame: (a, b) => a.node === b.node
    && a.createdAt === b.createdAt
    && a.cleanSession === b.cleanSession
    && a.maxInflight === b.maxInflight
    && a.inflight === b.inflight
    && a.queueLength === b.queueLength
    && a.dropped === b.dropped
    && a.awaitingRel === b.awaitingRel
    && a.awaitingAck === b.awaitingAck
    && a.awaitingComp === b.awaitingComp
    && a.subscriptions === b.subscriptions
    && a.delivered === b.delivered
    && a.enqueued === b.enqueued
    && sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.createdAt !== undefined && (over.createdAt === undefined || candidate.createdAt > over.createdAt),
  textLength: ({ clientId, unparsed }) => clientId.length + lengthOfTexts(unparsed),
};

/**
 * The subscriptions of all nodes (§4.4), in the broker's hash order. A client has one subscription to a
 * filter; nothing tells which of two nodes is right while it moves, so the first seen in a scan stays.
 */
export const subscriptionScan: ScanDescription<Subscription> = {
  list: (api, node, page, options) => api.listSubscriptions(node, page, options),
  identity: subscriptionIdentity,
  isSame: (a, b) => a.node === b.node && a.qos === b.qos,
  isPreferred: () => false,
  textLength: ({ clientId, topic }) => clientId.length + topic.length,
};

/** The length keeps apart what would run together: client `a` with topic `b/c`, client `a b` with `/c`. */
export function subscriptionIdentity({ clientId, topic }: Pick<Subscription, 'clientId' | 'topic'>): string {
  return `${clientId.length} ${clientId} ${topic}`;
}

/** The routes of the cluster (§4.5): one list, not one a node, and no two rows with the same topic and node. */
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

/** Whether the same fields could not be read, and said the same. */
export function sameTexts(a: Unparsed, b: Unparsed): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Characters in the fields that could not be read. */
export function lengthOfTexts(texts: Unparsed): number {
  let length = 0;
  for (const key in texts) length += key.length + (texts[key]?.length ?? 0);
  return length;
}

/** The state of a list of which nothing has been read. */
export function emptyScan<T>(): ScanState<T> {
  return {
    rows: [], added: new Set(), gone: [], phase: 'idle', coverage: new Map(), leftOut: new Map(), requests: 0,
    startedAtMs: undefined, finishedAtMs: undefined, nextScanAtMs: undefined, error: undefined,
  };
}
