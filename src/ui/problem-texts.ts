import {
  capitalized,
  clockText,
  durationText,
  elapsedText,
  literal,
  pluralize,
  roundDurationText,
  untrusted,
  withThousands,
} from '../domain/text.ts';
import { wallMs } from '../monitor/clock.ts';
import { partialText, unusableText } from '../monitor/scan/missing-rows.ts';
import type {
  DropReason,
  Evidence,
  Finding,
  ListName,
  NodeChange,
  Problem,
  ProblemCode,
  SessionEvidence,
} from '../triage/check.ts';
import type { ClientPattern, CommonTrait } from '../triage/common-trait.ts';
import type { SuddenSubject } from '../triage/sudden-memory.ts';
import { fullWithinSeconds } from '../resources/sessions/trouble.ts';
import { figure, join, names, percent, plainText, say, type Sentence } from '../domain/sentence.ts';

/** Rounded, but 100 % only when it is all. */
const changePercent = (share: number): string =>
  `${share < 1 ? Math.min(99, Math.round(share * 100)) : Math.round(share * 100)} %`;

export const listNames: Readonly<Record<ListName, string>> = {
  nodes: 'node list',
  nodeStats: 'node statistics',
  listeners: 'listeners',
  metrics: 'metrics',
  stats: 'statistics',
  clientScan: 'clients',
  sessionScan: 'sessions',
  subscriptionScan: 'subscriptions',
  routeScan: 'routes',
  nodePlugins: 'plugins',
  settings: 'settings',
  nodeSettings: 'settings',
  users: 'users',
};

const listTitle = ({ list, nodes: [first, ...others] }: Pick<Evidence['list-cut'], 'list' | 'nodes'>): Sentence => {
  const title = capitalized(listNames[list]);
  if (first === undefined) return say`${title}`;
  return say`${title} of ${untrusted(first)}${others.length === 0 ? '' : ` and ${pluralize(others.length, 'more node')}`}`;
};

interface ProblemTexts<Code extends ProblemCode> {
  /** What happened, and to what. */
  readonly title: (evidence: Evidence[Code]) => Sentence;
  /** The numbers behind it, the first and the last being the most important ones. `maxNames`: how many clients it names. */
  readonly evidence?: (evidence: Evidence[Code], maxNames?: number) => readonly Sentence[];
  /** Numbers that only Triage and `--once` have room for. */
  readonly details?: (evidence: Evidence[Code]) => readonly Sentence[];
  /** Shown where there is no room for the evidence; the title unless given. */
  readonly brief?: (evidence: Evidence[Code]) => Sentence;
}

const dropWords: Readonly<Record<DropReason, string>> = {
  queue_full: 'queue full',
  too_large: 'too large for the client',
  expired: 'expired',
  qos0_msg: 'QoS 0, not queued by the session',
};

const lossText = ({ droppedPerSecond, isLosing, countersSeconds }: SessionEvidence): string | undefined => {
  if (!isLosing) return undefined;
  const lost = droppedPerSecond === undefined ? 'losing messages' : `losing ${figure(droppedPerSecond)} msg/s`;
  return countersSeconds === undefined ? `is ${lost}` : `was ${lost} ${durationText(countersSeconds)} ago`;
};

const pastLossText = ({ isLossOld }: SessionEvidence): string =>
  isLossOld ? 'before monitoring started' : 'since its session began';

const isGrowing = ({ queuePerSecond, isLosing, isQueueFull, countersSeconds }: SessionEvidence): boolean =>
  queuePerSecond > 0 && !isLosing && !isQueueFull && countersSeconds === undefined;

const factsOf = (facts: readonly (string | undefined)[]): readonly Sentence[] =>
  facts.filter((fact) => fact !== undefined).map((fact) => say`${fact}`);

/** Of a queue that loses messages: it is full again and again. */
const fullShare = 0.95;

const isFull = ({ isQueueFull, isLosing, queueLength = 0, queueLimit }: SessionEvidence): boolean =>
  isQueueFull || (isLosing && queueLimit !== undefined && queueLength >= fullShare * queueLimit);

/** Whether the title says so already, as that of an offline session does. */
const isSaidFull = (session: SessionEvidence): boolean =>
  session.isConnected === false && session.isQueueFull && lossText(session) === undefined;

const sessionFacts = (session: SessionEvidence): readonly Sentence[] => {
  const { node, queueLength, queueLimit, queuePerSecond, isStuck, inflight, maxInflight } = session;
  return [
    ...factsOf([
      queueLength === undefined
        ? undefined
        : isFull(session)
          ? isSaidFull(session)
            ? undefined
            : 'queue full'
          : `queue ${withThousands(queueLength)}${queueLimit === undefined ? '' : `/${withThousands(queueLimit)}`}`,
      isGrowing(session) ? `+${figure(queuePerSecond)}/s` : undefined,
      isStuck ? `inflight ${withThousands(inflight)}/${withThousands(maxInflight)}` : undefined,
    ]),
    ...(node === undefined ? [] : [[untrusted(node)]]),
  ];
};

const sessionDetails = (session: SessionEvidence): readonly Sentence[] => {
  const { isStuck, isAsOfDisconnect, countersSeconds, acknowledgedPerSecond, dropped, queueLimit } = session;
  return factsOf([
    isFull(session) && queueLimit !== undefined ? `limit ${withThousands(queueLimit)}` : undefined,
    isStuck && acknowledgedPerSecond !== undefined && acknowledgedPerSecond > 0
      ? `still acknowledges ${figure(acknowledgedPerSecond)} msg/s`
      : undefined,
    lossText(session) === undefined && dropped > 0
      ? `lost ${withThousands(dropped)} ${pastLossText(session)}`
      : undefined,
    isAsOfDisconnect
      ? 'counters as of disconnect'
      : countersSeconds === undefined
        ? undefined
        : `counters as of ${durationText(countersSeconds)} ago`,
  ]);
};

const fullText = (seconds: number): string => {
  if (seconds === 0) return 'queue probably full by now';
  const within = fullWithinSeconds(seconds);
  return within === undefined ? 'queue full in days' : `queue full in under ${roundDurationText(within)}`;
};

const slowTitle = (session: SessionEvidence): Sentence => {
  const { clientId, fullInSeconds } = session;
  return say`${untrusted(clientId)} ${lossText(session) ?? `is slow${isGrowing(session) && fullInSeconds !== undefined ? `, ${fullText(fullInSeconds)}` : ''}`}`;
};

const offlineTitle = (session: SessionEvidence): Sentence => {
  const { clientId, isQueueFull, fullInSeconds } = session;
  const state =
    lossText(session) ??
    (isQueueFull
      ? 'queue full'
      : isGrowing(session)
        ? fullInSeconds === undefined
          ? 'queue growing'
          : fullText(fullInSeconds)
        : 'messages queued');
  return say`${untrusted(clientId)} is offline, ${state}`;
};

/** `x is losing 74 msg/s, queue full, inflight full` */
const limitNames: Readonly<Record<Evidence['node-near-limit']['figure'], string>> = {
  memory: 'memory',
  processes: 'process limit',
  descriptors: 'file descriptors',
};

const subjectNames: Readonly<Record<SuddenSubject, string>> = {
  clients: 'clients',
  sessions: 'sessions',
  subscriptions: 'subscriptions',
  'messages.received': 'messages received',
  'messages.sent': 'messages sent',
};

const amount = (subject: SuddenSubject, value: number): string =>
  subject.startsWith('messages.') ? `${figure(value)}/s` : withThousands(value);

const changeText = (
  { before, after }: Pick<NodeChange, 'before' | 'after'>,
  format: (value: number) => string,
): string => `${format(before)} to ${format(after)}`;

const maxNodes = 3;

const nodeChanges = (nodes: readonly NodeChange[], format: (value: number) => string): Sentence => [
  ...join(
    nodes.slice(0, maxNodes).map((change) => say`node ${untrusted(change.node)} ${changeText(change, format)}`),
    ', ',
  ),
  ...(nodes.length > maxNodes ? say` and ${pluralize(nodes.length - maxNodes, 'more node')}` : []),
];

type ClientChange = Pick<Evidence['reconnect-storm'], 'seconds' | 'change' | 'clients'>;

const signedChange = ({ seconds, change }: ClientChange): string =>
  `${change === 0 ? 'no change' : `${withThousands(Math.abs(change))} ${change < 0 ? 'fewer' : 'more'}`} in ${Math.round(seconds)} s`;

/** `300 clients (121 more in 22 s)` */
export const clientChangeText = (counts: ClientChange): string =>
  `${pluralize(counts.clients, 'client')} (${signedChange(counts)})`;

export const versionsText = (versions: Evidence['mixed-versions']['versions']): Sentence =>
  join(
    versions.map(({ version, nodes }) => say`${untrusted(version)} on ${pluralize(nodes, 'node')}`),
    ', ',
  );

const traitTexts: Readonly<Record<CommonTrait['trait'], string>> = {
  username: 'mostly from user',
  network: 'mostly from',
  prefix: 'mostly IDs starting with',
  node: 'mostly on',
};

/** `, mostly from user x`, in a title. */
const traitText = (pattern: ClientPattern | undefined): Sentence =>
  pattern === undefined || pattern.trait === 'none'
    ? []
    : say`, ${traitTexts[pattern.trait]} ${untrusted(pattern.value)}`;

const stormTitle = ({ lostNode, pattern, isAttempts }: Evidence['reconnect-storm']): Sentence =>
  isAttempts === true
    ? say`Connection attempts, but no client reconnects`
    : lostNode === undefined
      ? [...say`Reconnect storm`, ...traitText(pattern)]
      : say`Reconnects after the loss of ${untrusted(lostNode)}`;

const problems: { readonly [Code in ProblemCode]: ProblemTexts<Code> } = {
  'login-rejected': {
    title: ({ proxyMessage }) =>
      say`${proxyMessage === undefined ? 'Login rejected (401)' : `${proxyMessage} Polling has stopped.`}`,
    evidence: ({ proxyMessage }) => factsOf([proxyMessage === undefined ? 'polling has stopped' : undefined]),
  },
  'read-failed': {
    title: ({ resources, isAll, unreachable }) =>
      say`${unreachable !== undefined ? `API not reachable: ${unreachable.brief}` : isAll ? 'All requests failed' : `Failed to read ${resources.map((name) => listNames[name]).join(', ')}`}`,
    evidence: ({ reason, unreachable }) =>
      unreachable === undefined
        ? [say`${reason}`]
        : unreachable.urls.length === 0
          ? []
          : [say`tried ${unreachable.urls.join(', ')}`],
  },
  'api-version': { title: ({ message }) => say`${message}` },
  'list-cut': {
    title: (evidence) => say`${listTitle(evidence)} incomplete`,
    evidence: (evidence) => factsOf([partialText(evidence)]),
  },
  'rows-unusable': {
    title: (evidence) => say`${listTitle(evidence)} incomplete`,
    evidence: ({ count, read }) => [say`${unusableText({ count }, read)}`],
  },
  'node-down': {
    title: ({ node, status }) =>
      say`Node ${untrusted(node)} ${status === 'stopped' ? 'is stopped' : 'is missing from the node list'}`,
    evidence: ({ clients, clusterClients: cluster }) =>
      factsOf([
        clients === undefined ? undefined : `had ${pluralize(clients, 'client')}`,
        // More than before, while clients are only arriving.
        cluster === undefined || cluster.now > cluster.before
          ? undefined
          : `all nodes: ${withThousands(cluster.now)} of ${pluralize(cluster.before, 'client')} connected`,
      ]),
  },
  'node-silent': {
    title: ({ node }) => say`Node ${untrusted(node)} is not responding`,
    evidence: ({ clients }) => (clients === undefined ? [] : [say`had ${pluralize(clients, 'client')}`]),
  },
  'node-status': {
    title: ({ node, status }) =>
      status === ''
        ? say`Node ${untrusted(node)} reports no status`
        : say`Node ${untrusted(node)} reports status ${untrusted(status)}`,
  },
  'node-near-limit': {
    title: ({ node, figure: of, share }) =>
      say`Node ${untrusted(node)} uses ${of === 'descriptors' ? 'at least ' : ''}${percent(share)} of its ${limitNames[of]}`,
  },
  'listener-near-limit': {
    title: ({ listener, node, share }) =>
      say`Listener ${untrusted(listener)} of ${untrusted(node)} is at ${percent(share)} of its connection limit`,
  },
  'sudden-change': {
    title: ({ changes: [{ subject, before, after }], direction, atMs }) =>
      say`${capitalized(subjectNames[subject])} ${direction === 'fall' ? 'fell' : 'rose'}${before === 0 ? '' : ` by ${changePercent(Math.abs(after - before) / before)}`} at ${clockText(wallMs(atMs))}`,
    evidence: ({ changes: [first, ...others], nodes, now, talker }) => [
      ...(talker === undefined ? [] : [say`${untrusted(talker.clientId)} publishes ${figure(talker.perSecond)}/s`]),
      say`${changeText(first, (value) => amount(first.subject, value))}`,
      ...others.map(
        (change) =>
          say`${subjectNames[change.subject]} ${changeText(change, (value) => amount(change.subject, value))}`,
      ),
      ...(nodes.length === 0 ? [] : [nodeChanges(nodes, withThousands)]),
      ...(now === undefined ? [] : [say`now ${amount(first.subject, now)}`]),
    ],
  },
  'clients-moved': {
    title: ({ atMs }) => say`Clients moved between nodes at ${clockText(wallMs(atMs))}`,
    evidence: ({ nodes, clients }) => [
      say`${nodeChanges(nodes, changePercent)}${clients === undefined ? '' : ` of ${pluralize(clients, 'client')}`}`,
    ],
  },
  'reconnect-storm': {
    title: (evidence) =>
      evidence.isAttempts === true
        ? say`${figure(evidence.connectsPerSecond)} connection attempts/s, but no client reconnects`
        : [...stormTitle(evidence), ...say`, ${figure(evidence.connectsPerSecond)} connects/s`],
    brief: stormTitle,
    // Narrow terminals show the first alone, or the first and the last.
    evidence: ({ clientIds, pattern, known, ...counts }, maxNames = 1) =>
      clientIds.length === 0
        ? [say`${clientChangeText(counts)}`]
        : [
            say`${withThousands(clientIds.length)} of ${pluralize(known, 'client')} reconnected`,
            say`over ${durationText(Math.round(counts.seconds))}`,
            names(clientIds, maxNames),
            ...(pattern?.trait === 'none'
              ? [
                  say`${pattern.usernames === 0 ? 'no usernames' : pluralize(pattern.usernames, 'username')}, ${pluralize(pattern.nodes, 'node')}`,
                ]
              : []),
          ],
  },
  'clients-reconnecting': {
    title: ({ clientIds: [first, ...others], perSecond }) =>
      others.length === 0
        ? say`${untrusted(first)} keeps reconnecting, ${figure(perSecond)} times/s`
        : say`${pluralize(others.length + 1, 'client')} keep reconnecting, ${figure(perSecond)} times/s`,
    evidence: ({ clientIds, seconds }, maxNames = 1) => [
      ...(clientIds.length === 1 ? [] : [names(clientIds, maxNames)]),
      say`over ${durationText(Math.round(seconds))}`,
    ],
  },
  'slow-consumer': { title: slowTitle, evidence: sessionFacts, details: sessionDetails },
  'queue-full': {
    title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is full`,
    evidence: sessionFacts,
    details: sessionDetails,
  },
  'offline-queue': { title: offlineTitle, evidence: sessionFacts, details: sessionDetails },
  'messages-lost': {
    title: ({ clientId, isAsOfDisconnect, dropped }) =>
      say`${untrusted(clientId)}${isAsOfDisconnect ? ' (offline)' : ''} lost ${pluralize(dropped, 'message')}`,
    evidence: (session) => [say`counted ${pastLossText(session)}`],
  },
  'more-sessions': {
    title: ({ clientIds }) => say`${pluralize(clientIds.length, 'more consumer')} losing messages`,
    evidence: ({ clientIds }, maxNames = 1) => [names(clientIds, maxNames)],
  },
  'slow-sessions': {
    title: ({ clientIds, isMore }) =>
      say`${pluralize(clientIds.length, isMore ? 'more slow consumer' : 'slow consumer')}`,
    evidence: ({ clientIds, areFar }, maxNames = 1) => [
      ...(areFar ? [say`no queue will fill within 5 min`] : []),
      names(clientIds, maxNames),
    ],
  },
  alarm: {
    title: ({ id }) => say`Alarm ${untrusted(id)}`,
    evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]),
  },
  'queue-alarm': {
    title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is above its high-water mark (alarm)`,
    evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]),
  },
  'more-alarms': { title: ({ count }) => say`${pluralize(count, 'more alarm')}` },
  'messages-dropped': {
    title: ({ reason, perSecond }) => say`${figure(perSecond)} msg/s dropped: ${dropWords[reason]}`,
    evidence: ({ seconds }) => [say`over ${durationText(Math.round(seconds))}`],
  },
  'connections-refused': {
    title: ({ perSecond }) => say`${figure(perSecond)} connections/s refused`,
    evidence: ({ seconds, loginPerSecond }) =>
      factsOf([
        loginPerSecond === undefined
          ? undefined
          : `${figure(loginPerSecond)}/s with wrong credentials or not authorized`,
        `over ${durationText(Math.round(seconds))}`,
      ]),
  },
  'access-denied': {
    title: ({ perSecond }) => say`${figure(perSecond)} publish or subscribe requests/s denied`,
    evidence: ({ seconds }) => [say`over ${durationText(Math.round(seconds))}`],
  },
  'slow-subscriptions': {
    title: ({ count, clientId }) =>
      count === 1
        ? say`Slow subscription of ${untrusted(clientId)}`
        : say`${withThousands(count)} slow subscriptions, worst: ${untrusted(clientId)}`,
    evidence: ({ topic, latencyMs, thresholdMs }) => [
      [untrusted(topic)],
      ...factsOf([
        `delivered after ${elapsedText(latencyMs)}`,
        thresholdMs === undefined ? undefined : `threshold ${elapsedText(thresholdMs)}`,
      ]),
    ],
  },
  'listener-down': {
    title: ({ listener, on, nodes }) =>
      say`Listener ${untrusted(listener)} is down${on.length === nodes && nodes > 1 ? ' on all nodes' : say` on ${names(on, 2)}`}`,
    evidence: ({ on, nodes }) =>
      on.length === nodes
        ? [say`enabled, but does not run`]
        : [say`running on ${nodes - on.length} of ${pluralize(nodes, 'node')}`],
  },
  'unrouted-messages': {
    title: ({ perSecond }) => say`${figure(perSecond)} msg/s unrouted (no subscribers)`,
    evidence: ({ seconds, share }) =>
      factsOf([
        share === undefined ? undefined : `${percent(share)} of received`,
        `over ${durationText(Math.round(seconds))}`,
      ]),
  },
  'fan-out': {
    title: ({ ratio, suspect }) =>
      typeof suspect === 'string'
        ? say`High fan-out: ${figure(ratio)} deliveries per message`
        : say`High fan-out, probably on ${untrusted(suspect.topic)}`,
    evidence: ({ ratio, sentPerSecond, receivedPerSecond, suspect }) =>
      factsOf([
        ...(typeof suspect === 'string'
          ? [`topic unknown, subscriptions ${suspect === 'list-cut' ? 'only partly read' : 'not read yet'}`]
          : [
              `${suspect.isMin ? 'at least ' : ''}${pluralize(suspect.subscribers, 'subscriber')}`,
              `cluster: ${figure(ratio)} deliveries per message`,
            ]),
        `${figure(receivedPerSecond)} msg/s in, ${figure(sentPerSecond)} msg/s out`,
      ]),
  },
  'uneven-clients': {
    title: ({ node, clients, total }) =>
      say`Node ${untrusted(node)} has ${withThousands(clients)} of ${pluralize(total, 'client')}`,
    evidence: ({ ratio }) => [say`${figure(ratio)} times the average`],
  },
  'uneven-load': {
    title: ({ node, load }) => say`Node ${untrusted(node)} has a load of ${load.toFixed(2)}`,
    evidence: ({ ratio, nodes }) => [say`${figure(ratio)} times the average of ${pluralize(nodes, 'node')}`],
  },
  'mixed-versions': {
    title: () => say`Nodes run different versions`,
    evidence: ({ versions }) => [versionsText(versions)],
  },
  'plugin-differs': {
    title: (evidence) =>
      say`Plugin ${untrusted(evidence.plugin)} ${
        evidence.difference === 'versions'
          ? `has ${evidence.count} versions`
          : `is ${evidence.difference === 'inactive' ? 'active' : 'installed'} on ${evidence.count} of ${pluralize(evidence.nodes, 'node')}`
      }`,
    evidence: (evidence, maxNames = 2) =>
      evidence.difference === 'versions' ? [] : [say`${evidence.difference} on ${names(evidence.on, maxNames)}`],
  },
  'setting-differs': {
    title: ({ key }) => say`Setting ${untrusted(key)} differs between nodes`,
    evidence: ({ values, nodes, on }, maxNames = 2) => [
      on.length === 0
        ? say`${values} values on ${pluralize(nodes, 'node')}`
        : say`different value on ${names(on, maxNames)}`,
    ],
  },
  'more-differences': {
    title: ({ what, count }) =>
      say`${withThousands(count)} more ${count === 1 ? what.slice(0, -1) : what} ${count === 1 ? 'differs' : 'differ'} between nodes`,
  },
};

/** What is wrong, and all evidence. */
export function problemText<Code extends ProblemCode>(problem: Problem<Code>): Sentence {
  const facts = problemFacts(problem);
  const separator = facts.some((fact) => plainText(fact).includes(', ')) ? '; ' : ', ';
  return [...problemParts(problem).title, ...(facts.length === 0 ? [] : [literal(': '), ...join(facts, separator)])];
}

/** All evidence, also what only Triage and `--once` have room for. */
export function problemFacts<Code extends ProblemCode>({ code, evidence }: Problem<Code>): readonly Sentence[] {
  const texts = problems[code];
  return [...(texts.evidence?.(evidence) ?? []), ...(texts.details?.(evidence) ?? [])];
}

/** The two apart: what is wrong, and the most important numbers behind it. `maxNames`: where there is room for more than usual. */
export function problemParts<Code extends ProblemCode>(
  { code, evidence, parts = [] }: Problem<Code>,
  maxNames?: number,
): { readonly title: Sentence; readonly facts: readonly Sentence[] } {
  const texts = problems[code];
  return {
    title: texts.title(evidence),
    facts: [...(texts.evidence?.(evidence, maxNames) ?? []), ...partFacts(code, parts)],
  };
}

/** What a problem causes, which has no row of its own. */
function partFacts(code: ProblemCode, parts: readonly Finding[]): readonly Sentence[] {
  const alarms = parts.filter(({ check }) => check === 'alarms').length;
  return [
    ...parts.filter(({ check }) => check !== 'alarms').map((part) => problemParts(part).title),
    ...(alarms === 0
      ? []
      : [
          say`${pluralize(alarms, code === 'alarm' ? 'more alarm' : 'alarm')}${code === 'alarm' ? ' of the same cause' : ''}`,
        ]),
  ];
}

/** What is wrong, where its title is too long. */
export function problemBrief<Code extends ProblemCode>({ code, evidence }: Problem<Code>): Sentence {
  const { brief, title } = problems[code];
  return (brief ?? title)(evidence);
}
