import type { Client, Session } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import type { Read, ShownValues } from './action.ts';
import { withLookAlike } from './describe.ts';

/** Whom an action concerns, as the operator saw it: a connection, a session, or an id that was typed. */
export type Subscriber =
  | { readonly kind: 'client'; readonly client: Client }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'id'; readonly clientId: string };

/** The same connection, not only the same id: a client that came back has another port or another time. */
export const isSameConnection = (a: Client, b: Client): boolean =>
  a.clientId === b.clientId && a.ipAddress === b.ipAddress && a.port === b.port && a.connectedAt === b.connectedAt
  && a.unparsed['connectedAt'] === b.unparsed['connectedAt'];

const hasSameStart = (a: Session, b: Session): boolean => a.createdAt === b.createdAt && a.unparsed['createdAt'] === b.unparsed['createdAt'];

/** The same session, not only the same id. */
export const isSameSession = (a: Session, b: Session): boolean => a.clientId === b.clientId && a.node === b.node && hasSameStart(a, b);

/** Why a connection is not acted on of which nothing is known that tells it from the next one. */
export const untellable = 'Neither its port nor its time of connection is known, so it could not be told from a later connection.';

export const clientIdOf = (subscriber: Subscriber): string => {
  switch (subscriber.kind) {
    case 'client': return subscriber.client.clientId;
    case 'session': return subscriber.session.clientId;
    case 'id': return subscriber.clientId;
  }
};

/** What an audit says of a connection. */
export const shownClient = ({ clientId, username, node, ipAddress, port, connectedAt }: Client): ShownValues =>
  ({ clientId, username, node, ipAddress, port, connectedAt });

/** What an audit says of a subscriber. */
export function shownSubscriber(subscriber: Subscriber): ShownValues {
  switch (subscriber.kind) {
    case 'client': return shownClient(subscriber.client);
    case 'session': {
      const { clientId, node, createdAt } = subscriber.session;
      return { clientId, node, createdAt };
    }
    case 'id': return { clientId: subscriber.clientId };
  }
}

/** Copies, so that nothing can change under a dialog. */
export function freezeSubscriber(subscriber: Subscriber): Subscriber {
  switch (subscriber.kind) {
    case 'client': return Object.freeze({ kind: 'client', client: Object.freeze({ ...subscriber.client }) });
    case 'session': return Object.freeze({ kind: 'session', session: Object.freeze({ ...subscriber.session }) });
    case 'id': return Object.freeze({ ...subscriber });
  }
}

/**
 * Reads a connection again (§4.2). Answers with what is different from what was shown, as a sentence:
 * gone, another connection of the same id, on another node, or two at once. @throws ApiError
 */
export async function changeOfClient(read: Read, shown: Client, seenStopped: () => readonly NodeName[]): Promise<string | undefined> {
  const { clientId, node } = shown;
  if (shown.port === undefined && shown.connectedAt === undefined) return untellable;
  if (node !== undefined) {
    // Only the read below a node tells the node; only the read by id alone tells that there is no other.
    const here = (await read((api, options) => api.getNodeClient(node, clientId, options))).filter((client) => client.clientId === clientId);
    if (here.length === 0) return withLookAlike(`Changed since listed: it is no longer connected to ${node}.`, read, seenStopped);
    if (!here.some((client) => isSameConnection(client, shown))) return 'Changed since listed: it has connected anew.';
  }
  const everywhere = (await read((api, options) => api.getClient(clientId, options))).filter((client) => client.clientId === clientId);
  if (everywhere.length === 0) return withLookAlike('Changed since listed: it is no longer connected.', read, seenStopped);
  if (everywhere.length > 1) return 'Changed since listed: two connections have this id now, one taking over from the other.';
  return everywhere.some((client) => isSameConnection(client, shown)) ? undefined : 'Changed since listed: it has connected anew.';
}

async function changeOfSession(read: Read, shown: Session): Promise<string | undefined> {
  const { clientId, node } = shown;
  const rows = await read((api, options) => (node === undefined ? api.getSession(clientId, options) : api.getNodeSession(node, clientId, options)));
  const now = rows.filter((session) => session.clientId === clientId);
  if (now.length === 0) return `Changed since listed: there is no such session${node === undefined ? '' : ` on ${node}`} any more.`;
  return now.some((session) => hasSameStart(session, shown)) ? undefined : 'Changed since listed: it is another session of the same id.';
}

/** The same for any subscriber. An id that was typed has to exist: a session will do, the client may be away. */
export async function changeOfSubscriber(read: Read, subscriber: Subscriber, seenStopped: () => readonly NodeName[]): Promise<string | undefined> {
  if (subscriber.kind === 'client') return changeOfClient(read, subscriber.client, seenStopped);
  if (subscriber.kind === 'session') return changeOfSession(read, subscriber.session);
  const { clientId } = subscriber;
  const rows = await read((api, options) => api.getSession(clientId, options));
  return rows.some((session) => session.clientId === clientId) ? undefined : 'There is no session of this id.';
}
