import type { Client, Session } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import { lookAlikeText } from '../monitor/select/stopped-nodes.ts';
import type { Effects } from '../monitor/state.ts';
import { type Action, type Answer, type Finding, freeze, type Plan, type Read } from './action.ts';
import { named, readStopped, withLookAlike } from './describe.ts';
import { changeOfClient, changeOfSubscriber, freezeSubscriber, isSameConnection, shownClient, shownSubscriber, untellable } from './targets.ts';

/**
 * Disconnects one connection (§4.2), not whoever has its id when the request arrives: it is read again
 * first. A client may be back at once; that is a new connection, and the one shown is gone all the same.
 */
export function disconnectClient(client: Client): Action {
  const shown = Object.freeze({ ...client });
  const { clientId } = shown;
  return Object.freeze<Action>({
    name: 'disconnect-client',
    target: freeze(shownClient(shown)),
    title: `disconnect client ${named(clientId)}`,
    async recheck(read, seenStopped) {
      const changed = await changeOfClient(read, shown, seenStopped);
      if (changed !== undefined) return { changed };
      return { plan: planToDisconnect(shown, seenStopped) };
    },
    effects: effectsOfDisconnect(clientId),
  });
}

/**
 * Disconnects whoever is connected to one session (§4.2), which is read again first, and then its
 * connection: a list of sessions tells nothing of that.
 */
export function disconnectSession(session: Session): Action {
  const shown = freezeSubscriber({ kind: 'session', session });
  const { clientId, node } = session;
  return Object.freeze<Action>({
    name: 'disconnect-client',
    target: freeze(shownSubscriber(shown)),
    title: `disconnect client ${named(clientId)}`,
    async recheck(read, seenStopped) {
      const changed = await changeOfSubscriber(read, shown, seenStopped);
      if (changed !== undefined) return { changed };
      const connected = (await read((api, options) => api.getClient(clientId, options))).filter((client) => client.clientId === clientId);
      const [connection] = connected;
      if (connection === undefined) return { absent: await withLookAlike('It is not connected: there is nothing to disconnect.', read, seenStopped) };
      if (connected.length > 1) return { changed: 'Two connections have this id now, one taking over from the other.' };
      if (connection.port === undefined && connection.connectedAt === undefined) return { changed: untellable };
      if (node === undefined) return { plan: planToDisconnect(connection, seenStopped) };
      // Only the read below a node tells the node; what is on another one belongs to another session.
      const here = await read((api, options) => api.getNodeClient(node, clientId, options));
      if (!here.some((client) => isSameConnection(client, connection))) return { changed: `Changed since listed: it is not connected to ${node}.` };
      return { plan: planToDisconnect({ ...connection, node }, seenStopped) };
    },
    effects: effectsOfDisconnect(clientId),
  });
}

const planToDisconnect = (shown: Client, seenStopped: () => readonly NodeName[]): Plan => ({
  steps: [{ node: undefined, send: (api, options) => api.disconnectClient(shown.clientId, options) }],
  verify: async (readAgain, answers) => [await findConnection(readAgain, shown, answers[0], seenStopped)],
  isDoubtful: (error) => error.kind === 'not-connected',
});

const effectsOfDisconnect = (clientId: string): Action['effects'] => ({ outcome, wasSent }) => ({
  refresh: !wasSent ? clientViews(clientId) : [...clientViews(clientId), { kind: 'sessionScan' }, { kind: 'resource', name: 'stats' }],
  gone: outcome === 'done' ? [{ scan: 'clientScan', identity: clientId }] : [],
});

const clientViews = (clientId: string): Effects['refresh'] => [{ kind: 'clientScan' }, { kind: 'clientDetail', clientId }];

/**
 * Whether the connection is gone. A node that is down looks as if its clients were (field notes,
 * "Actions"), so where the broker did not say yes, absence counts only while the node runs.
 */
async function findConnection(read: Read, shown: Client, answer: Answer | undefined, seenStopped: () => readonly NodeName[]): Promise<Finding> {
  const now = (await read((api, options) => api.getClient(shown.clientId, options))).filter(({ clientId }) => clientId === shown.clientId);
  if (now.some((client) => isSameConnection(client, shown))) return { node: undefined, state: 'not-as-wanted' };
  const text = now.length > 0 ? 'It has connected anew meanwhile.' : undefined;
  if (answer?.kind === 'accepted') return { node: undefined, state: 'as-wanted', text };
  const { node } = shown;
  const nodes = now.length === 0 ? await readStopped(read, seenStopped) : undefined;
  if (nodes !== undefined && node !== undefined && !nodes.isRunning(node)) {
    return { node: undefined, state: 'unreadable', outcome: 'unknown', text: `Its node ${node} does not run or cannot be asked, so the client may still be connected to it.` };
  }
  const lookAlike = nodes === undefined ? undefined : lookAlikeText(nodes.stopped);
  if (node === undefined && lookAlike !== undefined) return { node: undefined, state: 'unreadable', outcome: 'unknown', text: `Its node is not known, and ${lookAlike}` };
  if (answer?.kind === 'refused') return { node: undefined, state: 'as-wanted', outcome: 'not-done', text: ['It had left by itself.', text ?? lookAlike].filter((part) => part !== undefined).join(' ') };
  return { node: undefined, state: 'as-wanted', text };
}

/** Makes the broker ask anew whether a client may use a topic (§4.2). Nothing tells afterwards whether it did. */
export function clearAclCache(client: Client, topic: string): Action {
  const shown = Object.freeze({ ...client });
  const { clientId } = shown;
  return Object.freeze<Action>({
    name: 'clear-acl-cache',
    target: freeze({ ...shownClient(shown), topic }),
    title: `clear the ACL cache of client ${named(clientId)} for topic ${named(topic)}`,
    invalid: problemOfAclRequest(clientId, topic),
    unverifiable: 'Whether the cache is clear cannot be read.',
    async recheck(read, seenStopped) {
      const changed = await changeOfClient(read, shown, seenStopped);
      if (changed !== undefined) return { changed };
      return { plan: { steps: [{ node: undefined, send: (api, options) => api.clearAclCache(clientId, topic, options) }] } };
    },
    effects: (): Effects => ({ refresh: [] }),
  });
}

function problemOfAclRequest(clientId: string, topic: string): string | undefined {
  if (clientId.includes('/')) return 'The broker cuts an id at its first "/" here, and would act on another client (a limit of its interface).';
  return topic === '' ? 'The topic is empty.' : undefined;
}
