import type { Session } from '../../domain/session.ts';
import { lengthOfTexts, sameTexts } from './same-texts.ts';
import type { ScanDescription } from './scan-description.ts';

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
