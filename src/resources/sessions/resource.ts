import type { Session } from '../../domain/client.ts';
import { reading } from '../../monitor/query/part.ts';
import { defineScan } from '../../monitor/query/query.ts';
import { listOwnSessions } from '../own-answers.ts';
import { stats } from '../statistics/resource.ts';

/** Sessions with their queues. One that is listed by two nodes is on the one where it was created last. */
export const sessionScan = defineScan<Session>({
  name: 'sessionScan',
  noun: 'sessions',
  expected: (state, node) => reading(state, stats).data?.get(node)?.sessions.count,
  list: listOwnSessions,
  identity: (session) => session.clientId,
  isPreferred: (candidate, over) =>
    candidate.createdAt !== undefined && (over.createdAt === undefined || candidate.createdAt > over.createdAt),
});
