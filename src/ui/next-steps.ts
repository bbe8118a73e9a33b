import { averageSeconds } from '../domain/rates.ts';
import { durationText, pluralize } from '../domain/text.ts';
import type { DropReason, Evidence, Finding, Problem, ProblemCode, SessionEvidence } from '../triage/check.ts';
import type { ClientPattern, CommonTrait } from '../triage/common-trait.ts';

const queueStep = (countersSeconds: number | undefined): string =>
  `Sessions (\`5\`) lists the fullest queues first${countersSeconds === undefined ? '' : `: the broker updates them every ${countersSeconds} s`}.`;

const dropSteps: Readonly<Record<Exclude<DropReason, 'queue_full'>, string>> = {
  too_large: 'These clients accept only smaller packets: look for large payloads.',
  expired: 'These messages had an expiry interval: their subscribers are offline or slow.',
  qos0_msg: 'Their subscribers are offline or slow. Publish messages that must not be lost with QoS 1.',
};

/** What to do about each kind of problem, the first step first. Keys stand in backticks; those of actions are named only if the user can act. */
const nextSteps: {
  readonly [Code in ProblemCode]: (evidence: Evidence[Code], can: Abilities, attempt: Attempt | undefined) => string;
} = {
  'login-rejected': ({ proxyMessage }) =>
    proxyMessage === undefined
      ? '`A` signs in again. Check the username and password first.'
      : "Check the proxy's username and password.",
  'read-failed': ({ unreachable }) =>
    unreachable === undefined
      ? '`Ctrl-R` retries now, `L` shows every error.'
      : '`Ctrl-R` retries now. Check that the broker is running, that its management API listens on this port, and that no firewall is in between. Until it answers, the last known figures are shown.',
  'api-version': () => '`Enter` opens the log. To set the API variant yourself, start with --variant.',
  'list-cut': ({ list, cut }) =>
    `\`Enter\` opens ${list === 'routeScan' ? 'the log' : 'the rows that were read'}. ${cut === 'rows' ? 'Start with a higher --max-rows to read more.' : '`Ctrl-R` on the list tries again.'}`,
  'rows-unusable': () => '`Enter` opens the log, which shows an example.',
  'node-down': ({ clients, clusterClients }) => `\`Enter\` opens the node. ${downNodeStep(clients, clusterClients)}`,
  'node-silent': () =>
    "`Enter` opens the node. It is hung or unreachable: check its host and network, and restart it if it stays silent. The other nodes' figures are current.",
  'node-status': () => "`Enter` opens the node. Check its broker's log.",
  'node-near-limit': ({ figure: of }) =>
    of === 'descriptors'
      ? '`Enter` opens the node. Raise its open file limit, or move clients to other nodes.'
      : '`Enter` opens the node, `i` lists its sessions. Look for long queues, or move clients to other nodes.',
  'listener-near-limit': () =>
    '`Enter` lists the listeners of its node, fullest first. Raise the connection limit, or move clients to other nodes.',
  'sudden-change': ({ changes: [{ subject }], direction, talker }) => {
    if (talker !== undefined) return '`F` lists the top talkers. Check the client that publishes most.';
    if (subject === 'messages.received' || subject === 'messages.sent')
      return '`Enter` shows the counter. Compare it with the number of clients (`4`) and subscriptions (`6`).';
    if (subject !== 'clients') return `\`Enter\` lists the ${subject}. Compare with the clients (\`4\`).`;
    return direction === 'fall'
      ? '`Enter` lists the remaining clients. Check the network and the listeners (`3`) of the node that lost most.'
      : '`Enter` lists the clients, latest first. There, `o` groups them by username or network.';
  },
  'clients-moved': () =>
    '`Enter` lists the nodes. Check the node that lost clients (its log and network) and the load balancer.',
  'reconnect-storm': ({ clientIds, pattern, isAttempts }, _, attempt) =>
    `\`Enter\` lists ${clientIds.length === 0 ? 'all clients' : 'the clients that reconnect'}, latest first. ${afterDisconnect(attempt) ?? (isAttempts === true ? "Logins are probably refused: the broker's log names the clients." : stormStep(pattern))}`,
  'clients-reconnecting': ({ clientIds }) =>
    `\`Enter\` lists ${clientIds.length === 1 ? 'it' : 'them'}. Check for ${clientIds.length === 1 ? 'two devices with this ID' : 'devices that share an ID'}, and for a client that gives up too early.`,
  'slow-consumer': (session, can, attempt) =>
    attempt === undefined
      ? `${emptyQueue(session, can)}${session.isLosing ? ' A longer queue only delays the loss.' : ''}`
      : stepAfter(attempt, session, can),
  'queue-full': (session, can) => `${emptyQueue(session, can)} New messages replace queued ones.`,
  'offline-queue': (_, { canAct, endsSession }, attempt) =>
    attempt?.way === 'disconnect' && attempt.seconds < settledSeconds
      ? `You ${attemptText(attempt)}. Wait for it to reconnect.`
      : `\`Enter\` opens the client. Its queue empties when it reconnects. If it is gone for good, ${canAct && endsSession === true ? '`K` ends its session' : 'end its session on the broker'}.`,
  'messages-lost': ({ isLossOver }, __, attempt) =>
    `\`Enter\` opens the client. ${isLossOver === true ? 'No messages are lost now' : 'It is not known whether it still loses messages'}: \`z\` acknowledges it.${attempt === undefined ? '' : ` You ${attemptText(attempt, 'the client')}.`} Check the consumer before it happens again.`,
  'slow-sessions': () => '`Enter` lists them, worst first. Check whether they keep up with their subscriptions.',
  'more-sessions': () => '`Enter` lists them, worst first; there, `o` groups them by node or ID prefix.',
  alarm: () => '`Enter` shows all alarms.',
  'queue-alarm': () => '`Enter` opens the client.',
  'more-alarms': () => '`Enter` shows all alarms.',
  'messages-dropped': ({ reason, countersSeconds }) =>
    `\`Enter\` shows the counter. ${reason === 'queue_full' ? queueStep(countersSeconds) : dropSteps[reason]}`,
  'connections-refused': () =>
    "`Enter` shows the counter. The broker's log names the clients. Banned clients that keep trying also count (`X` lists the bans).",
  'access-denied': () =>
    "`Enter` shows the counter. The broker's log names the clients and topics. Check their ACL rules.",
  'slow-subscriptions': () =>
    '`Enter` lists them, slowest first. Check these clients, and the network between them and the broker.',
  'listener-down': ({ on }, { canAct }) =>
    `\`Enter\` lists the listeners. Check the log of the ${on.length === 1 ? 'node' : 'nodes'}: the port may be in use.${canAct ? ' There, `S` starts it on all nodes.' : ''}`,
  'unrouted-messages': () =>
    "`Enter` shows the counter. The API does not name the topics: compare the publishers' topics with the subscriptions (`6`).",
  'fan-out': ({ suspect, hasTalkers }) =>
    typeof suspect === 'string'
      ? '`Enter` lists the subscriptions; there, `o` groups them by topic filter.'
      : `\`Enter\` lists its subscribers. Reduce their number, or publish to it less often. ${hasTalkers ? 'Its publisher is probably one of the top talkers (`F`).' : 'The API does not say who publishes.'}`,
  'uneven-clients': () => '`Enter` lists its clients. Check the load balancer. Clients move only when they reconnect.',
  'uneven-load': () => '`Enter` opens the node, `c` lists its clients. Check what else runs on its host.',
  'mixed-versions': () =>
    '`Enter` lists the nodes by version. Expected during an upgrade. Otherwise, upgrade the other nodes.',
  'plugin-differs': (_, { canAct }) =>
    `\`Enter\` shows the plugin on each node.${canAct ? ' There, `S` starts it on the chosen node, and `K` stops it.' : ''}`,
  'setting-differs': (_, { canAct }) => `\`Enter\` shows the setting on each node.${canAct ? ' `e` changes it.' : ''}`,
  'more-differences': ({ what }) => `\`Enter\` lists the ${what}.`,
};

const stormSteps: Readonly<Record<CommonTrait['trait'], string>> = {
  username: 'They share a username: check its credentials, and the program that uses it.',
  network: 'They share a network: check it, its firewall and its load balancer.',
  prefix: 'Their IDs share a prefix: check that program or kind of device.',
  node: 'They share a node: check its log, its network and its listeners.',
};

const stormStep = (pattern: ClientPattern | undefined): string => {
  if (pattern === undefined) return 'There, `o` groups them by username or network.';
  if (pattern.trait !== 'none') return stormSteps[pattern.trait];
  return 'No username, network or node stands out: check what is between the clients and the broker, such as a load balancer.';
};

/** Fewer are missing at any time. */
const maxAwayShare = 0.02;

function downNodeStep(clients: number | undefined, cluster?: Evidence['node-down']['clusterClients']): string {
  const check = "Check its host and its broker's log.";
  if (clients === undefined || clients === 0) return check;
  const away = cluster === undefined ? 0 : cluster.before - cluster.now;
  if (away > maxAwayShare * (cluster?.before ?? 0))
    return `${check} ${pluralize(away, 'client')} ${away === 1 ? 'has' : 'have'} not come back yet.`;
  return `${check} ${cluster === undefined ? '' : 'Its clients have moved to other nodes. '}Press \`4\`, then \`o\`, to group the clients by node.`;
}

/** What the next step for it advises, if that is an action of the menu. */
export const advisedAction = (
  { code, evidence }: Problem,
  { endsSession }: Pick<Abilities, 'endsSession'> = {},
): Attempt['way'] | undefined => {
  if (
    (code !== 'slow-consumer' && code !== 'queue-full') ||
    evidence.isConnected === false ||
    evidence.acknowledgedPerSecond === undefined
  )
    return undefined;
  if (evidence.acknowledgedPerSecond > 0) return 'unsubscribe';
  return isHung(evidence) && endsSession !== true ? 'disconnect' : undefined;
};

/** A shorter silence may only be a pause. */
const hungSeconds = 30;

const isHung = ({ isStuck, acknowledgedPerSecond, idleSeconds }: SessionEvidence): boolean =>
  isStuck && acknowledgedPerSecond === 0 && (idleSeconds ?? hungSeconds) >= hungSeconds;

const emptyQueue = (session: SessionEvidence, { canAct, canUnsubscribe, endsSession }: Abilities): string => {
  const { isConnected, isStuck, acknowledgedPerSecond, idleSeconds = 0 } = session;
  if (isConnected === false) return '`Enter` opens the client. Its queue empties when it reconnects.';
  if (isHung(session)) {
    if (!canAct) return 'The consumer is hung: restart it.';
    return endsSession === true
      ? 'The consumer is hung: restart it. `K` disconnects it, but ends its session: queued messages are lost.'
      : 'The consumer is hung: `K` makes it reconnect. If that does not help, restart it.';
  }
  if (isStuck && acknowledgedPerSecond === 0)
    return `No acknowledgement for ${durationText(idleSeconds)}: check the consumer.${canAct && endsSession !== true ? ' If this continues, `K` makes it reconnect.' : ''}`;
  // A full inflight window in one reading may be empty in the next.
  if (acknowledgedPerSecond === undefined || acknowledgedPerSecond === 0)
    return 'Check the consumer: it acknowledges too slowly or not at all.';
  return `Speed up the consumer, or ${canUnsubscribe ? 'unsubscribe it from some topics (`a`)' : 'reduce its subscriptions'}. It acknowledges too slowly.`;
};

/** Rates are averages of this time. */
const settledSeconds = averageSeconds;

const attemptText = ({ way, seconds }: Attempt, what = 'it'): string =>
  `${way === 'disconnect' ? 'disconnected' : 'unsubscribed'} ${what} ${seconds < 2 ? 'just now' : `${durationText(seconds)} ago`}`;

/** Clients that were disconnected from here reconnect within a minute; a storm that goes on longer has another cause. */
const isOwnStorm = (attempt: Attempt | undefined): attempt is Attempt =>
  attempt?.way === 'disconnect' && attempt.seconds < 2 * settledSeconds;

const afterDisconnect = (attempt: Attempt | undefined): string | undefined =>
  isOwnStorm(attempt)
    ? `You disconnected ${attempt.clients === undefined ? 'them' : pluralize(attempt.clients, 'client')} ${durationText(attempt.seconds)} ago: this should end by itself.`
    : undefined;

/** That a problem follows from what was done from here. */
export const ownCause = ({ code }: Problem, attempt: Attempt | undefined): string | undefined =>
  code === 'reconnect-storm' && isOwnStorm(attempt)
    ? `you disconnected ${attempt.clients === undefined ? 'them' : pluralize(attempt.clients, 'client')}`
    : undefined;

const stepAfter = (attempt: Attempt, session: SessionEvidence, can: Abilities): string => {
  const { isLosing, queuePerSecond } = session;
  const isShrinking = !isLosing && queuePerSecond < 0;
  if (isShrinking) return `You ${attemptText(attempt)}, and its queue is getting shorter. Wait until it is empty.`;
  if (attempt.seconds < settledSeconds)
    return `You ${attemptText(attempt)}. New figures in ${durationText(settledSeconds - attempt.seconds)}.`;
  if (attempt.isPending === true) return `You ${attemptText(attempt)}. No new figures yet.`;
  // One that still acknowledges was not hung: what its reconnect could not mend was advised before.
  const step =
    attempt.way === 'disconnect' && (session.acknowledgedPerSecond ?? 0) > 0
      ? emptyQueue(session, can)
      : 'Check or restart the consumer.';
  return `${attempt.way === 'disconnect' ? 'Disconnecting' : 'Unsubscribing'} it ${durationText(attempt.seconds)} ago did not help. ${step}`;
};

/** What was done about a problem from here. */
export interface Attempt {
  readonly way: 'disconnect' | 'unsubscribe';
  readonly seconds: number;
  /** How many a bulk has disconnected. */
  readonly clients?: number | undefined;
  /** No current figures show what it led to. */
  readonly isPending?: true | undefined;
}

/** What the operator can do, on this broker and not in read-only mode. */
interface Abilities {
  readonly canAct: boolean;
  readonly canUnsubscribe: boolean;
  /** Disconnecting a client ends its session. */
  readonly endsSession?: boolean | undefined;
}

/** What the next step for a finding depends on. */
export interface NextContext extends Abilities {
  /** On the page that Enter leads to. */
  readonly isOpen?: boolean | undefined;
  readonly isAcknowledged?: boolean | undefined;
  readonly nowMs: number;
  /** Short names of nodes. */
  readonly nodes?: ReadonlyMap<string, string> | undefined;
  /** The last one, if lately and with its client or most of its clients. */
  readonly attempt?: ((finding: Finding) => Attempt | undefined) | undefined;
}

/** What the operator can do about it, with keys in backticks. */
export const nextStep = <Code extends ProblemCode>(
  { code, evidence, seenMs }: Problem<Code> & Pick<Finding, 'seenMs'>,
  can: Abilities = { canAct: true, canUnsubscribe: true },
  attempt?: Attempt,
): string =>
  nextSteps[code](
    evidence,
    can,
    attempt === undefined || seenMs === undefined ? attempt : { ...attempt, isPending: true },
  );

const acknowledging = [': `z` acknowledges it.', '.'] as const;

/** The same for a problem that is acknowledged. */
export const nextStepAfter = (step: string): string => step.replace(...acknowledging);

/** The same on the page that Enter leads to. */
export const nextStepThere = (step: string): string => step.replace(/^`Enter`[^.]*\. /u, '').replace(...acknowledging);
