import type { Session } from '../../domain/client.ts';
import { reading } from '../../monitor/query/part.ts';
import { defineScan } from '../../monitor/query/query.ts';
import { listOwnSessions } from '../own-answers.ts';
import { stats } from '../statistics/resource.ts';
import { lengthOfTexts, sameTexts } from '../unparsed.ts';

/** Sessions with their queues. One that is listed by two nodes is on the one where it was created last. */
export const sessionScan = defineScan<Session>({
  name: 'sessionScan',
  noun: 'sessions',
  expected: (state, node) => reading(state, stats).data?.get(node)?.sessions.count,
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
});
