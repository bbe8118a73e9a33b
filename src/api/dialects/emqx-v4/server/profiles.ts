import type { NodeName } from '../../../../domain/node.ts';
import type { ServedApi, ServedMeaning } from '../../../dialect.ts';
import { type Answer, closed, internalError } from './answer.ts';
import type { ServedRequest } from './request.ts';

/** The differences of a release from what this server does by default. */
export interface V4Profile {
  readonly meaning: ServedMeaning;
  /** Returns the release that nodes report. @param version that of the embedded broker */
  readonly releaseOf: (version: string | undefined) => string;
}

const specified: V4Profile = {
  meaning: { disconnectEndsSession: true, clearsWholeAclCache: true },
  releaseOf: (version) => (version === undefined ? '4.4' : `4.4+${version}`),
};

const profiles: Readonly<Record<string, V4Profile>> = {
  'emqx-4.4': {
    meaning: {
      ...specified.meaning,
      banEndsSession: true,
      figures: { everySeconds: 15 },
      queueAlarms: 'none',
      isServedByEachNode: true,
    },
    releaseOf: () => '4.4.19',
  },
};

/** @throws TypeError for an unknown one */
export function profileOf(name: string | undefined): V4Profile {
  const found = name === undefined ? specified : profiles[name];
  if (found === undefined) throw new TypeError(`emqx-v4 has no profile ${String(name)}`);
  return found;
}

/** The server closes a connection after a minute without an answer. */
const cut = { seconds: 60, end: closed };
const ownTables: ReadonlySet<string> = new Set(['', '/routes', '/routes/:topic', '/banned', '/banned/:as/:who']);

/**
 * Returns what was recorded with one of two nodes stopped by a signal; `undefined`: nothing waits for the node. Lists
 * of clients give up after five seconds.
 */
export async function frozenOutcome(
  pattern: string,
  { param }: ServedRequest,
  frozen: NodeName,
  api: ServedApi,
): Promise<{ readonly seconds: number; readonly end: Answer } | undefined> {
  if (ownTables.has(pattern) || /^\/(?:users|auth|change_pwd|mqtt)/u.test(pattern)) return undefined;
  if (/^\/(?:nodes|brokers)\/:node/u.test(pattern)) return param('node') === frozen ? cut : undefined;
  if (pattern === '/clients' || pattern === '/subscriptions') return { seconds: 5, end: internalError };
  // A client is looked for on every node.
  return (await api.listNodes({})).length > 1 ? cut : undefined;
}
