import type { Client, Session } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import { maybeOnStoppedNodeText } from '../monitor/select/stopped-nodes.ts';
import type { Effects } from '../monitor/state.ts';
import type { Answer, Plan, Read, Recheck, ShownValue, VerificationResult } from './action.ts';
import { defineAction } from './definition.ts';
import { quoteIfNeeded } from './describe.ts';
import { readStoppedNodes, withStoppedNodes } from './node-readings.ts';

/** The target as the operator saw it: a connection, a session, or an id that was typed. */
export type Subscriber =
  | { readonly kind: 'client'; readonly client: Client }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'id'; readonly clientId: string };

/** The same connection, not just the same id: after a reconnect the port or time differ. */
export const isSameConnection = (a: Client, b: Client): boolean =>
  a.clientId === b.clientId && a.ipAddress === b.ipAddress && a.port === b.port && a.connectedAt === b.connectedAt
  && a.unparsed['connectedAt'] === b.unparsed['connectedAt'];

const hasSameStart = (a: Session, b: Session): boolean => a.createdAt === b.createdAt && a.unparsed['createdAt'] === b.unparsed['createdAt'];

/** The same session, not just the same id. */
export const isSameSession = (a: Session, b: Session): boolean => a.clientId === b.clientId && a.node === b.node && hasSameStart(a, b);

/** Why a connection that cannot be told from a later one is left alone. */
export const cannotIdentify = 'Neither its port nor its time of connection is known, so it could not be told from a later connection.';

export const clientIdOf = (subscriber: Subscriber): string => {
  switch (subscriber.kind) {
    case 'client': return subscriber.client.clientId;
    case 'session': return subscriber.session.clientId;
    case 'id': return subscriber.clientId;
  }
};

/** What the audit records of a connection. */
const clientFields = ['clientId', 'username', 'node', 'ipAddress', 'port', 'connectedAt'] as const;
/** What the audit records of a connection or a session. */
export const subscriberFields = [...clientFields, 'createdAt'] as const;

const shownClient = ({ clientId, username, node, ipAddress, port, connectedAt }: Client): Readonly<Record<(typeof clientFields)[number], ShownValue>> =>
  ({ clientId, username, node, ipAddress, port, connectedAt });

/** What the audit records of a target. */
export function shownSubscriber(subscriber: Subscriber): Readonly<Partial<Record<(typeof subscriberFields)[number], ShownValue>>> {
  switch (subscriber.kind) {
    case 'client': return shownClient(subscriber.client);
    case 'session': {
      const { clientId, node, createdAt } = subscriber.session;
      return { clientId, node, createdAt };
    }
    case 'id': return { clientId: subscriber.clientId };
  }
}

/** Copies the target, so that a list refresh cannot change it. */
export function freezeSubscriber<T extends Subscriber>(subscriber: T): T;
export function freezeSubscriber(subscriber: Subscriber): Subscriber {
  switch (subscriber.kind) {
    case 'client': return Object.freeze({ kind: 'client', client: Object.freeze({ ...subscriber.client }) });
    case 'session': return Object.freeze({ kind: 'session', session: Object.freeze({ ...subscriber.session }) });
    case 'id': return Object.freeze({ ...subscriber });
  }
}

/** Reads a connection again (§4.2). Returns what has changed since it was shown, as a sentence. @throws ApiError */
export async function recheckClient(read: Read, shown: Client, seenStopped: () => readonly NodeName[]): Promise<string | undefined> {
  const { clientId, node } = shown;
  if (shown.port === undefined && shown.connectedAt === undefined) return cannotIdentify;
  if (node !== undefined) {
    // Only the node's read has the node; only the read by id shows a second connection.
    const here = (await read((api, options) => api.getNodeClient(node, clientId, options))).filter((client) => client.clientId === clientId);
    if (here.length === 0) return withStoppedNodes(`Changed since listed: it is no longer connected to ${node}.`, read, seenStopped);
    if (!here.some((client) => isSameConnection(client, shown))) return 'Changed since listed: it has connected anew.';
  }
  const everywhere = (await read((api, options) => api.getClient(clientId, options))).filter((client) => client.clientId === clientId);
  if (everywhere.length === 0) return withStoppedNodes('Changed since listed: it is no longer connected.', read, seenStopped);
  if (everywhere.length > 1) return 'Changed since listed: two connections have this id now, one taking over from the other.';
  return everywhere.some((client) => isSameConnection(client, shown)) ? undefined : 'Changed since listed: it has connected anew.';
}

async function recheckSession(read: Read, shown: Session): Promise<string | undefined> {
  const { clientId, node } = shown;
  const rows = await read((api, options) => (node === undefined ? api.getSession(clientId, options) : api.getNodeSession(node, clientId, options)));
  const now = rows.filter((session) => session.clientId === clientId);
  if (now.length === 0) return `Changed since listed: there is no such session${node === undefined ? '' : ` on ${node}`} any more.`;
  return now.some((session) => hasSameStart(session, shown)) ? undefined : 'Changed since listed: it is another session of the same id.';
}

/** Reads any target again. A typed id needs a session; the client may be offline. */
export async function recheckSubscriber(read: Read, subscriber: Subscriber, seenStopped: () => readonly NodeName[]): Promise<string | undefined> {
  if (subscriber.kind === 'client') return recheckClient(read, subscriber.client, seenStopped);
  if (subscriber.kind === 'session') return recheckSession(read, subscriber.session);
  const { clientId } = subscriber;
  const rows = await read((api, options) => api.getSession(clientId, options));
  return rows.some((session) => session.clientId === clientId) ? undefined : 'There is no session of this id.';
}

/**
 * Disconnects the connection that was shown, or whoever is connected to the session that was shown (§4.2). The target is
 * read again first. A client may reconnect at once; that is a new connection, and the one shown is gone all the same.
 */
export const disconnectClient = defineAction({
  id: 'disconnect-client',
  label: 'disconnect a client',
  menuLabel: 'disconnect it',
  danger: 'destroys',
  targetKind: 'client',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: 'disconnect',
  operations: ['disconnectClient'],
  confirmation: 'y/N with the id in full; of marked ones a preview, then their number typed',
  auditFields: subscriberFields,
  create(target: Exclude<Subscriber, { readonly kind: 'id' }>) {
    const shown = freezeSubscriber(target);
    const clientId = clientIdOf(shown);
    return {
      target: shownSubscriber(shown),
      title: `disconnect client ${quoteIfNeeded(clientId)}`,
      async recheck(read, seenStopped) {
        const changed = await recheckSubscriber(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        return shown.kind === 'client' ? { plan: planToDisconnect(shown.client, seenStopped) } : recheckSessionConnection(read, shown.session, seenStopped);
      },
      effects: ({ outcome, wasSent }) => ({
        refresh: !wasSent ? clientViews(clientId) : [...clientViews(clientId), { kind: 'sessionScan' }, { kind: 'resource', name: 'stats' }],
        gone: outcome === 'done' ? [{ scan: 'clientScan', identity: clientId }] : [],
      }),
    };
  },
});

/** Finds the connection of a session: the session list does not have it. */
async function recheckSessionConnection(read: Read, { clientId, node }: Session, seenStopped: () => readonly NodeName[]): Promise<Recheck> {
  const connected = (await read((api, options) => api.getClient(clientId, options))).filter((client) => client.clientId === clientId);
  const [connection] = connected;
  if (connection === undefined) return { absent: await withStoppedNodes('It is not connected: there is nothing to disconnect.', read, seenStopped) };
  if (connected.length > 1) return { changed: 'Two connections have this id now, one taking over from the other.' };
  if (connection.port === undefined && connection.connectedAt === undefined) return { changed: cannotIdentify };
  if (node === undefined) return { plan: planToDisconnect(connection, seenStopped) };
  // Only the node's read has the node; a connection elsewhere belongs to another session.
  const here = await read((api, options) => api.getNodeClient(node, clientId, options));
  if (!here.some((client) => isSameConnection(client, connection))) return { changed: `Changed since listed: it is not connected to ${node}.` };
  return { plan: planToDisconnect({ ...connection, node }, seenStopped) };
}

const planToDisconnect = (shown: Client, seenStopped: () => readonly NodeName[]): Plan => ({
  requests: [{ node: undefined, send: (api, options) => api.disconnectClient(shown.clientId, options) }],
  verify: async (readAgain, answers) => [await verifyDisconnected(readAgain, shown, answers[0], seenStopped)],
  verifyDespiteRefusal: (error) => error.kind === 'not-connected',
});

const clientViews = (clientId: string): Effects['refresh'] => [{ kind: 'clientScan' }, { kind: 'clientDetail', clientId }];

/** Whether the connection is gone. While its node is down it is not listed either, so absence then proves nothing unless the broker said yes. */
async function verifyDisconnected(read: Read, shown: Client, answer: Answer | undefined, seenStopped: () => readonly NodeName[]): Promise<VerificationResult> {
  const now = (await read((api, options) => api.getClient(shown.clientId, options))).filter(({ clientId }) => clientId === shown.clientId);
  if (now.some((client) => isSameConnection(client, shown))) return { node: undefined, state: 'not-as-wanted' };
  const text = now.length > 0 ? 'It has connected anew meanwhile.' : undefined;
  if (answer?.kind === 'accepted') return { node: undefined, state: 'as-wanted', text };
  const { node } = shown;
  const nodes = now.length === 0 ? await readStoppedNodes(read, seenStopped) : undefined;
  if (nodes !== undefined && node !== undefined && !nodes.isRunning(node)) {
    return { node: undefined, state: 'unreadable', outcome: 'unknown', text: `Its node ${node} does not run or cannot be asked, so the client may still be connected to it.` };
  }
  const lookAlike = nodes === undefined ? undefined : maybeOnStoppedNodeText(nodes.stopped);
  if (node === undefined && lookAlike !== undefined) return { node: undefined, state: 'unreadable', outcome: 'unknown', text: `Its node is not known, and ${lookAlike}` };
  if (answer?.kind === 'refused') return { node: undefined, state: 'as-wanted', outcome: 'not-done', text: ['It had left by itself.', text ?? lookAlike].filter((part) => part !== undefined).join(' ') };
  return { node: undefined, state: 'as-wanted', text };
}

/** Makes the broker check again whether a client may use a topic (§4.2). The effect cannot be read. */
export const clearAclCache = defineAction({
  id: 'clear-acl-cache',
  label: 'clear a client\'s ACL cache for a topic',
  menuLabel: 'clear its ACL cache for a topic',
  danger: 'changes',
  targetKind: 'client',
  where: 'the same',
  key: 'rowActions',
  operations: ['clearAclCache'],
  confirmation: 'form, y/N',
  auditFields: [...clientFields, 'topic'],
  create(client: Client, topic: string) {
    const shown = Object.freeze({ ...client });
    const { clientId } = shown;
    return {
      target: { ...shownClient(shown), topic },
      title: `clear the ACL cache of client ${quoteIfNeeded(clientId)} for topic ${quoteIfNeeded(topic)}`,
      invalid: problemOfAclRequest(clientId, topic),
      unverifiable: 'Whether the cache is clear cannot be read.',
      async recheck(read, seenStopped) {
        const changed = await recheckClient(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        return { plan: { requests: [{ node: undefined, send: (api, options) => api.clearAclCache(clientId, topic, options) }] } };
      },
      effects: (): Effects => ({ refresh: [] }),
    };
  },
});

function problemOfAclRequest(clientId: string, topic: string): string | undefined {
  if (clientId.includes('/')) return 'The broker cuts an id at its first "/" here, and would act on another client (a limit of its interface).';
  return topic === '' ? 'The topic is empty.' : undefined;
}
