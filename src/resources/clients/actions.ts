import type { ActingState } from '../../actions/acting-monitor.ts';
import type {
  RequestAnswer,
  Plan,
  Read,
  ReadFollowUp,
  Recheck,
  ShownValue,
  VerificationResult,
} from '../../actions/action.ts';
import { askTexts, detailText } from '../../actions/asking.ts';
import { isReconnected } from '../../actions/bulk.ts';
import { defineAction } from '../../actions/define-action.ts';
import type {
  Built,
  ConfirmRequest,
  DialogOrRefusal,
  DialogReader,
  DialogRequest,
  FormRequest,
  ReadRequest,
} from '../../actions/requests.ts';
import {
  asWanted,
  notAsWanted,
  orUnsupported,
  readStoppedNodes,
  withStoppedNodes,
} from '../../actions/verification.ts';
import { ApiError } from '../../api/errors.ts';
import type { CallOptions, WriteApi } from '../../api/management-api.ts';
import {
  type AclDecision,
  type Client,
  clientIdOf,
  hasCounters,
  hasSameStart,
  isSameConnection,
  type Session,
  type Subscriber,
} from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { hostPort } from '../../domain/text.ts';
import { reading, watchOf } from '../../monitor/query/part.ts';
import type { Effects } from '../../monitor/state.ts';
import { maybeOnStoppedNodeText } from '../../monitor/texts.ts';
import { formatBrokerTime } from '../../terminal/format.ts';
import { escapeText, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { getOwnSession } from '../own-answers.ts';
import { sessionKnowledge, type SessionKnowledge } from '../sessions/knowledge.ts';
import { sessionScan } from '../sessions/resource.ts';
import { stats } from '../statistics/resource.ts';
import { subscriptionScan } from '../subscriptions/resource.ts';
import { clientDetail, readClient } from './detail.ts';
import type { ClientDetail } from './client-detail.ts';
import { seenNodes } from '../nodes/resource.ts';
import { stoppedNodesOf } from '../nodes/select.ts';
import { clientAddress } from './fields.ts';
import { findClientNode } from './locate.ts';
import { clientScan } from './resource.ts';
import { targetChange } from './target-change.ts';
import { type ClientTarget, nodeOfTarget } from './target.ts';
import { clientDialogTexts, clientSentences, clientWords, reconnectTexts } from './texts.ts';

/** The row that the actions in the menu of a client act on. */
export interface ClientRow {
  readonly target: ClientTarget;
  /** The current state of the monitor. */
  readonly state: () => ActingState;
}

const clientFields = ['clientId', 'username', 'node', 'ipAddress', 'port', 'connectedAt'] as const;
export const subscriberFields = [...clientFields, 'createdAt'] as const;

const shownClient = ({
  clientId,
  username,
  node,
  ipAddress,
  port,
  connectedAt,
}: Client): Readonly<Record<(typeof clientFields)[number], ShownValue>> => ({
  clientId,
  username,
  node,
  ipAddress,
  port,
  connectedAt,
});

export function shownSubscriber(
  subscriber: Subscriber,
): Readonly<Partial<Record<(typeof subscriberFields)[number], ShownValue>>> {
  switch (subscriber.kind) {
    case 'client':
      return shownClient(subscriber.client);
    case 'session': {
      const { clientId, node, createdAt } = subscriber.session;
      return { clientId, node, createdAt };
    }
    case 'id':
      return { clientId: subscriber.clientId };
  }
}

/** Copies the target, so that a list refresh cannot change it. */
export function freezeSubscriber<T extends Subscriber>(subscriber: T): T;
export function freezeSubscriber(subscriber: Subscriber): Subscriber {
  switch (subscriber.kind) {
    case 'client':
      return Object.freeze({ kind: 'client', client: Object.freeze({ ...subscriber.client }) });
    case 'session':
      return Object.freeze({ kind: 'session', session: Object.freeze({ ...subscriber.session }) });
    case 'id':
      return Object.freeze({ ...subscriber });
  }
}

/** Returns what has changed, as a sentence. @throws ApiError */
export async function recheckClient(
  read: Read,
  shown: Client,
  seenStopped: () => readonly NodeName[],
): Promise<string | undefined> {
  const { clientId, node } = shown;
  if (shown.port === undefined && shown.connectedAt === undefined) return clientSentences.cannotIdentify;
  if (node !== undefined) {
    // Only the node's read has the node; only the read by id shows a second connection.
    const here = (await read((api, options) => api.getNodeClient(node, clientId, options))).filter(
      (client) => client.clientId === clientId,
    );
    if (here.length === 0) return withStoppedNodes(clientSentences.notConnectedTo(node), read, seenStopped);
    if (!here.some((client) => isSameConnection(client, shown))) return clientSentences.reconnected;
  }
  const everywhere = (await read((api, options) => api.getClient(clientId, options))).filter(
    (client) => client.clientId === clientId,
  );
  if (everywhere.length === 0) return withStoppedNodes(clientSentences.notConnected, read, seenStopped);
  if (everywhere.length > 1) return clientSentences.twoConnections();
  return everywhere.some((client) => isSameConnection(client, shown)) ? undefined : clientSentences.reconnected;
}

async function recheckSession(read: Read, shown: Session): Promise<string | undefined> {
  const { clientId, node } = shown;
  const rows = await read((api, options) =>
    node === undefined ? api.getSession(clientId, options) : api.getNodeSession(node, clientId, options),
  );
  const now = rows.filter((session) => session.clientId === clientId);
  if (now.length === 0) return clientSentences.sessionGone(node);
  return now.some((session) => hasSameStart(session, shown)) ? undefined : clientSentences.sessionReplaced;
}

export async function recheckSubscriber(
  read: Read,
  subscriber: Subscriber,
  seenStopped: () => readonly NodeName[],
): Promise<string | undefined> {
  if (subscriber.kind === 'client') return recheckClient(read, subscriber.client, seenStopped);
  if (subscriber.kind === 'session') return recheckSession(read, subscriber.session);
  const { clientId } = subscriber;
  const rows = await read((api, options) => api.getSession(clientId, options));
  return rows.some((session) => session.clientId === clientId) ? undefined : clientSentences.noSession;
}

/** Disconnects a connection. If its client reconnects, the disconnect still counts as done. */
export const disconnectClient = defineAction({
  id: 'disconnect-client',
  label: 'disconnect a client',
  menuLabel: 'Disconnect',
  danger: 'destroys',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: {
    id: 'disconnect',
    keys: ['K'],
    label: 'disconnect',
    aliases: ['kick', 'kill'],
    help: 'Disconnect the client, or all marked clients; asks first',
    scope: 'row',
  },
  rowChoice(theme, row: ClientRow) {
    const knowledge = knowledgeOf(row);
    return isOffline(row.target, knowledge) ? undefined : { next: disconnectOf(theme, row.target, knowledge) };
  },
  operations: ['disconnectClient'],
  confirmation: 'y/N with the full ID; for several a preview, then type their number',
  staysOpen: true,
  auditFields: subscriberFields,
  create(target: Exclude<Subscriber, { readonly kind: 'id' }>) {
    const shown = freezeSubscriber(target);
    const clientId = clientIdOf(shown);
    return {
      target: shownSubscriber(shown),
      ...clientWords.disconnect(clientId),
      async recheck(read, seenStopped) {
        const changed = await recheckSubscriber(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        return shown.kind === 'client'
          ? { plan: planToDisconnect(shown.client, seenStopped) }
          : recheckSessionConnection(read, shown.session, seenStopped);
      },
      effects: ({ outcome, wasSent }) => ({
        refresh: !wasSent ? clientViews(clientId) : [...clientViews(clientId), sessionScan, stats],
        gone: outcome === 'done' ? [{ scan: clientScan, identity: clientId }] : [],
      }),
      prepareFollowUp: (read) => prepareReconnect(read, shown),
    };
  },
});

async function recheckSessionConnection(
  read: Read,
  { clientId, node }: Session,
  seenStopped: () => readonly NodeName[],
): Promise<Recheck> {
  const connected = (await read((api, options) => api.getClient(clientId, options))).filter(
    (client) => client.clientId === clientId,
  );
  const [connection] = connected;
  if (connection === undefined)
    return { absent: await withStoppedNodes(clientSentences.nothingToDisconnect, read, seenStopped) };
  if (connected.length > 1) return { changed: clientSentences.twoConnections() };
  if (connection.port === undefined && connection.connectedAt === undefined)
    return { changed: clientSentences.cannotIdentify };
  if (node === undefined) return { plan: planToDisconnect(connection, seenStopped) };
  // Only the node's read has the node; a connection elsewhere belongs to another session.
  const here = await read((api, options) => api.getNodeClient(node, clientId, options));
  if (!here.some((client) => isSameConnection(client, connection)))
    return { changed: clientSentences.notConnectedTo(node) };
  return { plan: planToDisconnect({ ...connection, node }, seenStopped) };
}

const planToDisconnect = (shown: Client, seenStopped: () => readonly NodeName[]): Plan => ({
  requests: [{ node: undefined, send: (api, options) => api.disconnectClient(shown.clientId, options) }],
  verify: async (readAgain, answers) => [await verifyDisconnected(readAgain, shown, answers[0], seenStopped)],
  verifyDespiteRefusal: (error) => error.kind === 'not-connected',
});

/** Ends the session of a client that is not connected, with its subscriptions and its queue. */
export const endSession = defineAction({
  id: 'end-session',
  label: 'end the session of an offline client',
  menuLabel: 'End session',
  danger: 'destroys',
  capability: 'disconnectEndsSession',
  where: 'Sessions, Subscriptions, a client',
  key: 'disconnect',
  rowChoice(theme, row: ClientRow) {
    const knowledge = knowledgeOf(row);
    return isOffline(row.target, knowledge) ? { next: disconnectOf(theme, row.target, knowledge) } : undefined;
  },
  operations: ['disconnectClient'],
  confirmation: 'y/N with the full ID',
  auditFields: ['clientId', 'node', 'createdAt'],
  create(session: Session) {
    const shown = Object.freeze({ ...session });
    const { clientId, node, createdAt } = shown;
    const find = async (read: Read): Promise<Session | undefined> =>
      (await read((api, options) => api.getSession(clientId, options))).find(
        (each) => each.clientId === clientId && hasSameStart(each, shown),
      );
    return {
      target: { clientId, node, createdAt },
      ...clientWords.endSession(clientId),
      async recheck(read) {
        const changed = await recheckSession(read, shown);
        if (changed !== undefined) return { changed };
        if (await isReconnected(read, clientId)) return { changed: clientSentences.connectedNow };
        const before = await find(read);
        const countersSeconds = await read(async (api) => api.capabilities?.sessionCountersSeconds);
        return {
          plan: {
            before: { queued: before?.queueLength, subscriptions: before?.subscriptions },
            after: {},
            requests: [{ node: undefined, send: (api, options) => api.disconnectClient(clientId, options) }],
            verifyDespiteRefusal: (error) => error.kind === 'not-connected',
            async verify(readAgain, [answer]) {
              if ((await find(readAgain)) !== undefined)
                return [{ node: undefined, state: 'not-as-wanted', text: clientSentences.sessionRemains }];
              if (answer?.kind === 'refused')
                return [
                  {
                    node: undefined,
                    state: 'as-wanted',
                    outcome: 'not-done',
                    text: clientSentences.sessionEndedBefore,
                  },
                ];
              return [
                {
                  node: undefined,
                  state: 'as-wanted',
                  text: clientSentences.sessionEnded(before?.queueLength, countersSeconds),
                },
              ];
            },
          },
        };
      },
      effects: ({ outcome, wasSent }) => ({
        refresh: !wasSent
          ? [sessionScan, watchOf(clientDetail, clientId)]
          : [sessionScan, watchOf(clientDetail, clientId), subscriptionScan, stats],
        gone: outcome === 'done' ? [{ scan: sessionScan, identity: clientId }] : [],
      }),
    };
  },
});

const clientViews = (clientId: string): Effects['refresh'] => [clientScan, watchOf(clientDetail, clientId)];

/** Whether the connection is gone. If its node is down, absence proves nothing unless the broker accepted. */
async function verifyDisconnected(
  read: Read,
  shown: Client,
  answer: RequestAnswer | undefined,
  seenStopped: () => readonly NodeName[],
): Promise<VerificationResult> {
  const now = (await read((api, options) => api.getClient(shown.clientId, options))).filter(
    ({ clientId }) => clientId === shown.clientId,
  );
  if (now.some((client) => isSameConnection(client, shown))) return { node: undefined, state: 'not-as-wanted' };
  if (answer?.kind === 'accepted') return { node: undefined, state: 'as-wanted' };
  const { node } = shown;
  const nodes = now.length === 0 ? await readStoppedNodes(read, seenStopped) : undefined;
  if (nodes !== undefined && node !== undefined && !nodes.isRunning(node)) {
    return { node: undefined, state: 'unreadable', outcome: 'unknown', text: clientSentences.nodeDown(node) };
  }
  const stoppedNote = nodes === undefined ? undefined : maybeOnStoppedNodeText(nodes.stopped);
  if (node === undefined && stoppedNote !== undefined)
    return {
      node: undefined,
      state: 'unreadable',
      outcome: 'unknown',
      text: clientSentences.nodeUnknown(stoppedNote),
    };
  if (answer?.kind === 'refused')
    return {
      node: undefined,
      state: 'as-wanted',
      outcome: 'not-done',
      text: [clientSentences.leftBefore, now.length > 0 ? clientSentences.hasReconnected : stoppedNote]
        .filter((part) => part !== undefined)
        .join(' '),
    };
  return { node: undefined, state: 'as-wanted' };
}

async function readSessions(read: Read, clientId: string): Promise<readonly Session[] | undefined> {
  try {
    return (await read((api, options) => getOwnSession(api, clientId, options))).filter(
      (session) => session.clientId === clientId,
    );
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}

/** Prepares to read whether the client of a disconnected connection comes back, and what became of its session. */
async function prepareReconnect(
  read: Read,
  shown: Exclude<Subscriber, { readonly kind: 'id' }>,
): Promise<ReadFollowUp> {
  const clientId = clientIdOf(shown);
  const { node } = shown.kind === 'client' ? shown.client : shown.session;
  const before = await readSessions(read, clientId).catch(() => undefined);
  let awayBefore: DropReading | undefined;
  return async (readAgain, elapsedMs) => {
    const watchedMs = elapsedMs();
    const now = await readAgain((api, options) => api.getClient(clientId, options));
    const connection = now.find(
      (client) => client.clientId === clientId && !(shown.kind === 'client' && isSameConnection(client, shown.client)),
    );
    // Sent before the client could be gone, so the time until it was back is never longer.
    const withinMs = elapsedMs();
    const sessions = await readSessions(readAgain, clientId);
    const where =
      connection === undefined ? undefined : (connection.node ?? (await findClientNode(readAgain, connection, node)));
    const { text: session, dropped } = await describeSession(readAgain, clientId, before, sessions, connection, [
      where,
      node,
    ]);
    if (connection === undefined) {
      const away = dropped === undefined ? undefined : { dropped, atMs: elapsedMs() };
      const perSecond = dropRate(awayBefore, away);
      if (perSecond !== undefined || awayBefore === undefined) awayBefore = away;
      return {
        text: reconnectTexts.notReconnected(
          watchedMs,
          perSecond === undefined || perSecond < 1 ? session : `${session}, ${reconnectTexts.stillLosing(perSecond)}`,
        ),
        isFinal: false,
      };
    }
    const from = connection.ipAddress === undefined ? undefined : hostPort(connection.ipAddress, connection.port);
    return { text: reconnectTexts.reconnected(withinMs, where, from, session), isFinal: true };
  };
}

interface DropReading {
  readonly dropped: number;
  readonly atMs: number;
}

/** The shortest time with a rate: over less it would be of single messages. */
const minDropRateMs = 3_000;

/** Returns losses per second, rounded. `undefined` where the readings are too close, or the counter was reset. */
function dropRate(before: DropReading | undefined, now: DropReading | undefined): number | undefined {
  if (
    before === undefined ||
    now === undefined ||
    now.atMs - before.atMs < minDropRateMs ||
    now.dropped < before.dropped
  )
    return undefined;
  return Math.round((now.dropped - before.dropped) / ((now.atMs - before.atMs) / 1_000));
}

/** Describes a session; `dropped` counts what it has lost, if it is kept. */
async function describeSession(
  read: Read,
  clientId: string,
  before: readonly Session[] | undefined,
  now: readonly Session[] | undefined,
  connection: Client | undefined,
  nodes: readonly (NodeName | undefined)[],
): Promise<{ readonly text: string; readonly dropped?: number | undefined }> {
  if (now === undefined) return { text: reconnectTexts.sessionUnknown };
  const [old] = before ?? [];
  const [session] = now;
  if (session === undefined)
    return { text: old === undefined ? reconnectTexts.noSession : reconnectTexts.sessionEnded(old.queueLength) };
  const hasStart = session.createdAt !== undefined || session.unparsed['createdAt'] !== undefined;
  if (old === undefined || now.length > 1 || (before?.length ?? 0) > 1 || !hasStart)
    return { text: reconnectTexts.sessionUnknown };
  if (!hasSameStart(old, session)) return { text: reconnectTexts.sessionEnded(old?.queueLength) };
  // A clean session may start in the second in which the last one ended, and be listed for a moment after it ended.
  if (session.cleanSession === true)
    return {
      text: connection === undefined ? reconnectTexts.sessionUnknown : reconnectTexts.sessionEnded(old?.queueLength),
    };
  const counters = hasCounters(session) ? session : await readCounters(read, clientId, nodes);
  return { text: reconnectTexts.sessionKept(counters?.queueLength), dropped: counters?.dropped };
}

/** Reads the counters of a session: some nodes know only those of their own sessions. */
async function readCounters(
  read: Read,
  clientId: string,
  nodes: readonly (NodeName | undefined)[],
): Promise<Session | undefined> {
  for (const node of new Set(nodes)) {
    if (node === undefined) continue;
    try {
      const own = (await read((api, options) => api.getNodeSession(node, clientId, options))).find(
        (session) => session.clientId === clientId && hasCounters(session),
      );
      if (own !== undefined) return own;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
    }
  }
  return undefined;
}

/**
 * Makes the broker check again whether a client may use a topic, or any without one. Where the cache cannot be read,
 * neither can the effect.
 */
export const clearAclCache = defineAction({
  id: 'clear-acl-cache',
  label: "clear a client's ACL cache",
  menuLabel: 'Clear ACL cache',
  danger: 'changes',
  where: 'Clients, Sessions, Subscriptions, a client',
  key: 'rowActions',
  rowChoice: (theme, { target, state }: ClientRow) => ({
    next:
      target.subject.kind === 'client'
        ? (state().capabilities?.clearsWholeAclCache === true ? clearWholeAclRequest : clearAclRequest)(
            theme,
            target.subject.client,
          )
        : clearAclByIdRequest(theme, clientIdOf(target.subject), nodeOfTarget(target)),
  }),
  operations: ['clearAclCache'],
  confirmation: 'form, y/N',
  auditFields: [...clientFields, 'topic'],
  create(client: Client, topic?: string) {
    const shown = Object.freeze({ ...client });
    const { clientId } = shown;
    return {
      target: { ...shownClient(shown), topic },
      ...clientWords.clearAclCache(clientId, topic),
      invalid: topic === undefined ? undefined : problemOfAclRequest(clientId, topic),
      unverifiable: topic === undefined ? undefined : clientSentences.aclCache,
      async recheck(read, seenStopped) {
        const changed = await recheckClient(read, shown, seenStopped);
        if (changed !== undefined) return { changed };
        const requests = [
          {
            node: undefined,
            send: (api: WriteApi, options: CallOptions) => api.clearAclCache(clientId, topic, options),
          },
        ];
        if (topic !== undefined) return { plan: { requests } };
        const before = await readAclCache(read, clientId);
        if (before.length === 0) return { already: clientSentences.aclCacheEmpty };
        return {
          plan: {
            requests,
            before: { decisions: before.length },
            after: {},
            async verify(readAgain) {
              const now = new Set((await readAclCache(readAgain, clientId)).map(keyOfDecision));
              // The client may have asked for new ones.
              const kept = before.filter((each) => now.has(keyOfDecision(each))).length;
              return [
                kept === 0
                  ? { ...asWanted, text: clientSentences.aclCacheHad(before.length) }
                  : notAsWanted(clientSentences.aclCacheRemains(kept)),
              ];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: [] }),
    };
  },
});

const readAclCache = (read: Read, clientId: string): Promise<readonly AclDecision[]> =>
  read((api, options) => orUnsupported('read an ACL cache', api.listAclCache?.(clientId, options)));

const keyOfDecision = ({ action, topic, isAllowed, decidedAt }: AclDecision): string =>
  JSON.stringify([action, topic, isAllowed, decidedAt]);

function problemOfAclRequest(clientId: string, topic: string): string | undefined {
  if (clientId.includes('/')) return clientSentences.aclSlash;
  return topic === '' ? clientSentences.emptyTopic : undefined;
}

/** Describes a connection without its age, which would not be updated. */
const connectionDetails = (theme: Theme, client: Client): readonly SafeText[] => {
  const { connectedAt, unparsed } = client;
  const since = connectedAt === undefined ? detailText(theme, unparsed['connectedAt']) : formatBrokerTime(connectedAt);
  return [
    clientDialogTexts.connection(
      detailText(theme, client.node),
      detailText(theme, clientAddress(client)),
      detailText(theme, client.username),
    ),
    clientDialogTexts.connectedSince(since),
  ];
};

/** Says what a disconnect does: a warning if it loses messages that the session would keep. */
const disconnectEffect = (
  client: Client,
  { session, endsSession = false, countersSeconds }: SessionKnowledge,
): { readonly text: SafeText; readonly isWarning: boolean } => {
  const isClean = client.cleanSession ?? session?.cleanSession;
  const queued = session?.queueLength;
  if (endsSession || isClean === true)
    return {
      text: clientDialogTexts.endsSession(queued, countersSeconds),
      isWarning: endsSession || (queued ?? 0) > 0,
    };
  return {
    text: isClean === undefined ? clientDialogTexts.mayReconnect : clientDialogTexts.keepsSession(queued),
    isWarning: false,
  };
};

export const disconnectRequest = (theme: Theme, client: Client, knowledge: SessionKnowledge = {}): ConfirmRequest => {
  const { text: effect, isWarning } = disconnectEffect(client, knowledge);
  return {
    kind: 'confirm',
    question: clientDialogTexts.disconnect.question,
    target: client.clientId,
    details: [...connectionDetails(theme, client), ...(isWarning ? [] : [effect])],
    ...(isWarning ? { warning: effect } : {}),
    verb: clientDialogTexts.disconnect.verb,
    action: disconnectClient.create({ kind: 'client', client }),
    follow: {
      note: clientDialogTexts.reconnectNote,
      changeSince: (state, sinceMs) => {
        const change = targetChange(state, client, sinceMs);
        return change === undefined || change === 'unchanged'
          ? change
          : clientDialogTexts.changed[change](escapeText(disconnectClient.key.keys[0]));
      },
    },
  };
};

/** Asks to end the session of a client that is not connected. */
export const endSessionRequest = (theme: Theme, session: Session, countersSeconds?: number): ConfirmRequest => {
  const { clientId, node, createdAt, unparsed, subscriptions, queueLength } = session;
  return {
    kind: 'confirm',
    question: clientDialogTexts.endSession.question,
    target: clientId,
    details: [
      clientDialogTexts.endSession.session(
        detailText(theme, node),
        createdAt === undefined ? detailText(theme, unparsed['createdAt']) : formatBrokerTime(createdAt),
      ),
    ],
    warning: clientDialogTexts.endSession.effect(subscriptions, queueLength, countersSeconds),
    verb: clientDialogTexts.endSession.verb,
    action: endSession.create(session),
  };
};

const problem = (theme: Theme, invalid: string | undefined): Built | undefined =>
  invalid === undefined ? undefined : { error: theme.escape(invalid), field: 'topic' };

export const clearAclRequest = (theme: Theme, client: Client): FormRequest => ({
  kind: 'form',
  title: clientDialogTexts.clearAcl.title(theme.escape(client.clientId, 60)),
  fields: [{ id: 'topic', label: clientDialogTexts.clearAcl.topicLabel, help: clientDialogTexts.clearAcl.topicHelp }],
  verb: askTexts.continue,
  build: ({ topic = '' }) => {
    const action = clearAclCache.create(client, topic);
    return (
      problem(theme, action.invalid) ?? {
        next: {
          kind: 'confirm',
          question: clientDialogTexts.clearAcl.question,
          target: client.clientId,
          details: [clientDialogTexts.clearAcl.topic(theme.escape(topic)), ...connectionDetails(theme, client)],
          verb: clientDialogTexts.clearAcl.verb,
          action,
        },
      }
    );
  },
});

/** Asks to clear a client's cache, for brokers that clear all of it. */
export const clearWholeAclRequest = (theme: Theme, client: Client): ConfirmRequest => ({
  kind: 'confirm',
  question: clientDialogTexts.clearAcl.wholeQuestion,
  target: client.clientId,
  details: [clientDialogTexts.clearAcl.effect, ...connectionDetails(theme, client)],
  verb: clientDialogTexts.clearAcl.verb,
  action: clearAclCache.create(client),
});

/** Reads a client, and makes the next dialog of the only connection that it has. */
const readConnection = async (
  theme: Theme,
  { monitor, signal }: DialogReader,
  clientId: string,
  {
    notConnected,
    next,
    offline,
  }: {
    readonly notConnected: SafeText;
    readonly next: (client: Client, sessions: ClientDetail['sessions']) => DialogRequest;
    /** Makes the dialog of a client that is not connected, if there is one. */
    readonly offline?: (sessions: readonly Session[]) => DialogRequest | undefined;
  },
): Promise<DialogOrRefusal> => {
  const { clients, sessions } = await readClient(monitor, clientId, signal);
  if (clients instanceof Error) return { refused: theme.escape(clients.message) };
  const [client, ...others] = clients;
  if (others.length > 0) return { refused: clientDialogTexts.twoConnections(clients.length) };
  if (client !== undefined) return { request: next(client, sessions) };
  const request = sessions instanceof Error ? undefined : offline?.(sessions);
  if (request !== undefined) return { request };
  const stoppedNote = maybeOnStoppedNodeText(stoppedNodesOf(reading(monitor.store.getState(), seenNodes)));
  return { refused: stoppedNote === undefined ? notConnected : safe`${notConnected} ${theme.escape(stoppedNote)}` };
};

/** Reads a client by its id, and asks to disconnect it, or to end the session that it left. @param node if it is known */
export const disconnectByIdRequest = (
  theme: Theme,
  clientId: string,
  node: NodeName | undefined,
  onSettled?: ConfirmRequest['onSettled'],
): ReadRequest => ({
  kind: 'read',
  title: clientDialogTexts.disconnect.title(theme.escape(clientId, maxTitleId)),
  read: (reader) => {
    const state = (): ActingState => reader.monitor.store.getState();
    return readConnection(theme, reader, clientId, {
      notConnected: clientDialogTexts.disconnect.notConnected,
      next: (client, sessions) => ({
        ...disconnectRequest(
          theme,
          { ...client, node: client.node ?? node },
          sessionKnowledge(state(), clientId, sessions),
        ),
        onSettled,
      }),
      offline: ([session, ...others]) => {
        const { capabilities } = state();
        return session === undefined || others.length > 0 || capabilities?.disconnectEndsSession !== true
          ? undefined
          : {
              ...endSessionRequest(
                theme,
                { ...session, node: session.node ?? node },
                capabilities.sessionCountersSeconds,
              ),
              onSettled,
            };
      },
    });
  },
});

/** Reads a client by its id, and asks to clear its ACL cache. @param node if it is known */
export const clearAclByIdRequest = (theme: Theme, clientId: string, node: NodeName | undefined): ReadRequest => ({
  kind: 'read',
  title: clientDialogTexts.clearAcl.title(theme.escape(clientId, maxTitleId)),
  read: (reader) =>
    readConnection(theme, reader, clientId, {
      notConnected: clientDialogTexts.clearAcl.notConnected,
      next: (client) =>
        (reader.monitor.store.getState().capabilities?.clearsWholeAclCache === true
          ? clearWholeAclRequest
          : clearAclRequest)(theme, { ...client, node: client.node ?? node }),
    }),
});

/** The most columns of a client id in a title. */
const maxTitleId = 60;

const knowledgeOf = ({ target, state }: ClientRow): SessionKnowledge =>
  sessionKnowledge(state(), clientIdOf(target.subject));

/** Asks to disconnect the client of a row, or to end its session. What the row does not say is read first. */
export const disconnectOf = (
  theme: Theme,
  target: ClientTarget,
  knowledge: SessionKnowledge,
  onSettled?: ConfirmRequest['onSettled'],
): ConfirmRequest | ReadRequest => {
  const { subject } = target;
  return subject.kind === 'client'
    ? { ...disconnectRequest(theme, subject.client, knowledge), onSettled }
    : disconnectByIdRequest(theme, clientIdOf(subject), nodeOfTarget(target), onSettled);
};

/** Whether `K` ends the session of the row, because its client is not connected. */
const isOffline = ({ subject }: ClientTarget, { endsSession, session }: SessionKnowledge): boolean =>
  endsSession === true && (subject.kind === 'session' ? subject.session : session)?.isConnected === false;

export const clientActions = [disconnectClient, endSession] as const;

export const aclCacheActions = [clearAclCache] as const;
