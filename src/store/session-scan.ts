import type { Session } from '../domain/session.ts';
import type { ScanDescription } from './scan.ts';

const comparedFields = [
  'node', 'createdAt', 'cleanSession', 'maxInflight', 'inflight', 'queueLength', 'dropped', 'awaitingRel', 'awaitingAck',
  'awaitingComp', 'subscriptions', 'delivered', 'enqueued',
] as const satisfies readonly (keyof Session)[];

/** The sessions of all nodes (§4.3). A session that is listed by two nodes is on the one where it was created later. */
export const sessionScan: ScanDescription<Session> = {
  list: (api, node, page, options) => api.listSessions(node, page, options),
  identity: (session) => session.clientId,
  isSame: (a, b) => comparedFields.every((field) => a[field] === b[field]) && sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.createdAt !== undefined && (over.createdAt === undefined || candidate.createdAt > over.createdAt),
};

function sameTexts(a: Session['unparsed'], b: Session['unparsed']): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
