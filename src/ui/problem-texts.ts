import { clockText, durationText, literal, pluralize, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import { partialText, unusableText } from '../monitor/scan/missing-rows.ts';
import { formatAge, formatCount, formatDuration } from '../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../terminal/safe-text.ts';
import type { Role, Theme } from '../terminal/theme.ts';
import type { CheckId, Evidence, Finding, ListName, NodeChange, Passed, Problem, ProblemCode, SessionEvidence, UncheckedReason } from '../triage/check.ts';
import type { SuddenSubject } from '../triage/sudden-memory.ts';
import type { Severity } from '../triage/thresholds.ts';
import type { PendingCheck, TriageSummary } from '../triage/triage.ts';

/** Names from the broker are untrusted parts. */
export type Sentence = readonly TextPart[];

/** A sentence of literal text; names go in as parts. */
const say = (strings: TemplateStringsArray, ...values: readonly (string | number | TextPart | Sentence)[]): Sentence =>
  strings.flatMap((text, index): Sentence => {
    const value = values[index];
    const before = text === '' ? [] : [literal(text)];
    if (value === undefined) return before;
    if (typeof value !== 'object') return [...before, literal(String(value))];
    return 'text' in value ? [...before, value] : [...before, ...value];
  });

const join = (sentences: readonly Sentence[], separator: string): Sentence => sentences.flatMap((sentence, index) => (index === 0 ? sentence : [literal(separator), ...sentence]));

/** A rate or ratio: one decimal below ten. */
const figure = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/u, '') : withThousands(value));

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

/** Rounded, but 100 % only when it is all. */
const changePercent = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : Math.round(share * 100)} %`;

const names = (all: readonly string[], max = 3, more = ''): Sentence => [
  ...join(all.slice(0, max).map((name) => [untrusted(name)]), ', '),
  ...(all.length > max ? say` and ${withThousands(all.length - max)} more${more}` : []),
];

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const listNames: Readonly<Record<ListName, string>> = {
  nodes: 'node list', nodeStats: 'node statistics', listeners: 'listeners', metrics: 'metrics', stats: 'statistics',
  clientScan: 'clients', sessionScan: 'sessions', subscriptionScan: 'subscriptions', routeScan: 'routes',
  nodePlugins: 'plugins', settings: 'settings', nodeSettings: 'settings', users: 'users',
};

const listTitle = ({ list, nodes: [first, ...others] }: Pick<Evidence['list-cut'], 'list' | 'nodes'>): Sentence => {
  const title = capitalized(listNames[list]);
  if (first === undefined) return say`${title}`;
  return say`${title} of ${untrusted(first)}${others.length === 0 ? '' : ` and ${pluralize(others.length, 'more node')}`}`;
};

interface ProblemTexts<Code extends ProblemCode> {
  /** What happened, and to what. */
  readonly title: (evidence: Evidence[Code]) => Sentence;
  /** The numbers behind it, the first and the last being the most important ones. */
  readonly evidence?: (evidence: Evidence[Code]) => readonly Sentence[];
  /** Numbers that only Triage and `--once` have room for. */
  readonly details?: (evidence: Evidence[Code]) => readonly Sentence[];
  /** Shown where there is no room for the evidence; the title unless given. */
  readonly brief?: (evidence: Evidence[Code]) => Sentence;
}

/** What to do about each kind of problem, the first step first. Keys stand in backticks; those of actions are named only if the user can act. */
const nextSteps: { readonly [Code in ProblemCode]: (evidence: Evidence[Code], canAct: boolean) => string } = {
  'login-rejected': ({ proxyMessage }) => (proxyMessage === undefined ? '`A` signs in again. Check the user name and password first.' : 'Check the user name and password of the proxy.'),
  'read-failed': () => '`Ctrl-R` retries now, `L` shows every error.',
  'api-version': () => '`Enter` opens the log. To set the API variant yourself, start with --variant.',
  'list-cut': ({ list, cut }) => `\`Enter\` opens ${list === 'routeScan' ? 'the log' : 'the rows that were read'}. ${cut === 'rows' ? 'Start with a higher --max-rows to read more.' : '`Ctrl-R` on the list tries again.'}`,
  'rows-unusable': () => '`Enter` opens the log, which shows an example.',
  'node-down': ({ clients }) => `\`Enter\` opens the node. Check its host and its broker's log.${clients === undefined || clients === 0 ? '' : ' To see where its clients went, press `4`, then `o`.'}`,
  'node-status': () => '`Enter` opens the node. Check its broker\'s log.',
  'node-near-limit': ({ figure: of }) => (of === 'descriptors' ? '`Enter` opens the node. Raise its open file limit, or move clients to other nodes.' : '`Enter` opens the node, `i` there lists its sessions. Look for long queues, or move clients to other nodes.'),
  'listener-near-limit': () => '`Enter` lists the listeners of its node, fullest first. Raise the connection limit, or move clients to other nodes.',
  'sudden-change': ({ changes: [{ subject }], direction }) => {
    if (subject === 'messages.received' || subject === 'messages.sent') return '`Enter` shows the counter. Compare it with the number of clients (`4`) and subscriptions (`6`).';
    if (subject !== 'clients') return `\`Enter\` lists the ${subject}. Compare with the clients (\`4\`).`;
    return direction === 'fall' ? '`Enter` lists the remaining clients. Check the network and the listeners (`3`) of the node that lost most.' : '`Enter` lists the clients, latest first. `o` there groups them by user or network.';
  },
  'clients-moved': () => '`Enter` lists the nodes. Check the node that lost clients (its log and network) and the load balancer.',
  'reconnect-storm': ({ clientIds }) => `\`Enter\` lists ${clientIds.length === 0 ? 'all clients' : 'the clients that reconnect'}, latest first. \`o\` there groups them by user or network.`,
  'slow-consumer': (session, canAct) => `\`Enter\` opens the client. ${emptyQueue(session, canAct)}${session.isLosing ? ' A longer queue only delays the loss.' : ''}`,
  'queue-full': (session, canAct) => `\`Enter\` opens the client. ${emptyQueue(session, canAct)} New messages replace queued ones.`,
  'offline-queue': () => '`Enter` opens the client. Its queue empties when it reconnects. If it never will, end the session on the broker.',
  'messages-lost': () => '`Enter` opens the client. The loss has stopped. Check the consumer before it happens again.',
  'more-sessions': () => '`Enter` lists them, worst first. `o` there groups them by node or ID prefix.',
  'alarm': () => '`Enter` shows all alarms.',
  'queue-alarm': () => '`Enter` opens the client.',
  'more-alarms': () => '`Enter` shows all alarms.',
  'unrouted-messages': () => '`Enter` shows the counter. Compare the published topics with the subscriptions (`6`).',
  'fan-out': ({ suspect }) => (typeof suspect === 'string' ? '`Enter` lists the subscriptions. `o` there groups them by topic.' : '`Enter` lists the subscribers of that topic.'),
  'uneven-clients': () => '`Enter` lists its clients. Check the load balancer. Clients move only when they reconnect.',
  'uneven-load': () => '`Enter` opens the node, `c` there lists its clients. Check what else runs on its host.',
  'mixed-versions': () => '`Enter` lists the nodes by version. Expected during an upgrade. Otherwise, upgrade the other nodes.',
  'plugin-differs': (_, canAct) => `\`Enter\` shows the plugin on each node.${canAct ? ' There `v` chooses a node, `S` starts the plugin and `K` stops it.' : ''}`,
  'setting-differs': (_, canAct) => `\`Enter\` shows the setting on each node.${canAct ? ' `e` there changes it.' : ''}`,
  'more-differences': ({ what }) => `\`Enter\` lists the ${what}.`,
};

const emptyQueue = ({ isConnected, isStuck, deliveredPerSecond }: SessionEvidence, canAct: boolean): string => {
  if (isConnected === false) return 'Its queue empties when it reconnects.';
  if (isStuck && deliveredPerSecond === 0) return `It acknowledges nothing: the consumer probably hangs. Restart it${canAct ? ', or disconnect it (`K` there)' : ''}.`;
  return `It acknowledges too slowly: check the consumer, and whether it subscribes too broadly${canAct ? ' (`a` there unsubscribes)' : ''}.`;
};

/** What the operator can do about it, with keys in backticks. `canAct`: not in read-only mode. */
export const nextStep = <Code extends ProblemCode>({ code, evidence }: Problem<Code>, canAct = true): string => nextSteps[code](evidence, canAct);

const lossText = ({ droppedPerSecond, isLosing }: SessionEvidence): string | undefined =>
  (droppedPerSecond > 0 ? `loses ${figure(droppedPerSecond)} msg/s` : isLosing ? 'sometimes loses messages' : undefined);

const pastLossText = ({ isLossOld }: SessionEvidence): string => (isLossOld ? 'before monitoring started' : 'since the session began');

const isGrowing = ({ queuePerSecond, isLosing, isQueueFull }: SessionEvidence): boolean => queuePerSecond > 0 && !isLosing && !isQueueFull;

const factsOf = (facts: readonly (string | undefined)[]): readonly Sentence[] => facts.filter((fact) => fact !== undefined).map((fact) => say`${fact}`);

const sessionFacts = (session: SessionEvidence): readonly Sentence[] => {
  const { node, queueLength, queueLimit, queuePerSecond, isStuck, inflight, maxInflight } = session;
  return [
    ...factsOf([
      queueLength === undefined ? undefined : `queue ${withThousands(queueLength)}${queueLimit === undefined ? '' : `/${withThousands(queueLimit)}`}`,
      isGrowing(session) ? `+${figure(queuePerSecond)}/s` : undefined,
      isStuck ? `inflight ${withThousands(inflight)}/${withThousands(maxInflight)}` : undefined,
    ]),
    ...(node === undefined ? [] : [[untrusted(node)]]),
  ];
};

const sessionDetails = (session: SessionEvidence): readonly Sentence[] => {
  const { isStuck, isAsOfDisconnect, deliveredPerSecond, dropped } = session;
  return factsOf([
    isStuck && deliveredPerSecond !== undefined && deliveredPerSecond > 0 ? `${figure(deliveredPerSecond)}/s of QoS 0 still delivered` : undefined,
    lossText(session) === undefined && dropped > 0 ? `lost ${withThousands(dropped)} ${pastLossText(session)}` : undefined,
    isAsOfDisconnect ? 'counters as of disconnect' : undefined,
  ]);
};

const slowTitle = (session: SessionEvidence): Sentence => {
  const { clientId, fullInSeconds } = session;
  return say`${untrusted(clientId)} ${lossText(session) ?? `is slow${isGrowing(session) && fullInSeconds !== undefined ? `, full in ${durationText(fullInSeconds)}` : ''}`}`;
};

const offlineTitle = (session: SessionEvidence): Sentence => {
  const { clientId, isQueueFull, fullInSeconds } = session;
  const state = lossText(session) ?? (isQueueFull ? 'queue full' : isGrowing(session) ? (fullInSeconds === undefined ? 'queue grows' : `full in ${durationText(fullInSeconds)}`) : 'messages queued');
  return say`${untrusted(clientId)} is offline, ${state}`;
};

/** `x loses 74 msg/s, queue full, inflight full` */
const slowBrief = (session: SessionEvidence): Sentence => {
  const { clientId, queueLength, isQueueFull, isStuck } = session;
  return say`${untrusted(clientId)} ${join(factsOf([
    lossText(session) ?? 'is slow',
    isQueueFull ? 'queue full' : queueLength === undefined ? undefined : `queue ${withThousands(queueLength)}`,
    isStuck ? 'inflight full' : undefined,
  ]), ', ')}`;
};

const limitNames: Readonly<Record<Evidence['node-near-limit']['figure'], string>> = { memory: 'memory', processes: 'process limit', descriptors: 'file descriptors' };

const subjectNames: Readonly<Record<SuddenSubject, string>> = {
  clients: 'clients', sessions: 'sessions', subscriptions: 'subscriptions', 'messages.received': 'messages received', 'messages.sent': 'messages sent',
};

const amount = (subject: SuddenSubject, value: number): string => (subject.startsWith('messages.') ? `${figure(value)}/s` : withThousands(value));

const changeText = ({ before, after }: Pick<NodeChange, 'before' | 'after'>, format: (value: number) => string): string => `${format(before)} to ${format(after)}`;

const maxNodes = 3;

const nodeChanges = (nodes: readonly NodeChange[], format: (value: number) => string): Sentence => [
  ...join(nodes.slice(0, maxNodes).map((change) => say`node ${untrusted(change.node)} ${changeText(change, format)}`), ', '),
  ...(nodes.length > maxNodes ? say` and ${pluralize(nodes.length - maxNodes, 'more node')}` : []),
];

const clientChangeText = ({ seconds, change, clients }: Pick<Evidence['reconnect-storm'], 'seconds' | 'change' | 'clients'>): string =>
  `clients ${change < 0 ? '' : '+'}${withThousands(change)} to ${withThousands(clients)} in ${Math.round(seconds)} s`;

const versionsText = (versions: Evidence['mixed-versions']['versions']): Sentence => join(versions.map(({ version, nodes }) => say`${untrusted(version)} on ${pluralize(nodes, 'node')}`), ', ');

const problems: { readonly [Code in ProblemCode]: ProblemTexts<Code> } = {
  'login-rejected': {
    title: ({ proxyMessage }) => say`${proxyMessage === undefined ? 'Login rejected (401)' : `${proxyMessage} Polling has stopped.`}`,
    evidence: ({ proxyMessage }) => factsOf([proxyMessage === undefined ? 'polling has stopped' : undefined]),
  },
  'read-failed': {
    title: ({ resources, isAll }) => say`${isAll ? 'All requests failed' : `Failed to read ${resources.map((name) => listNames[name]).join(', ')}`}`,
    evidence: ({ reason }) => [say`${reason}`],
  },
  'api-version': { title: ({ message }) => say`${message}` },
  'list-cut': { title: (evidence) => say`${listTitle(evidence)} incomplete`, evidence: (evidence) => factsOf([partialText(evidence)]) },
  'rows-unusable': { title: (evidence) => say`${listTitle(evidence)} incomplete`, evidence: ({ count, read }) => [say`${unusableText({ count }, read)}`] },
  'node-down': {
    title: ({ node, status }) => say`Node ${untrusted(node)} ${status === 'stopped' ? 'is stopped' : 'is missing from the node list'}`,
    evidence: ({ clients }) => (clients === undefined ? [] : [say`last seen with ${pluralize(clients, 'client')}`]),
  },
  'node-status': { title: ({ node, status }) => (status === '' ? say`Node ${untrusted(node)} reports no status` : say`Node ${untrusted(node)} reports status ${untrusted(status)}`) },
  'node-near-limit': { title: ({ node, figure: of, share }) => say`Node ${untrusted(node)} uses ${of === 'descriptors' ? 'at least ' : ''}${percent(share)} of its ${limitNames[of]}` },
  'listener-near-limit': { title: ({ listener, node, share }) => say`Listener ${untrusted(listener)} of ${untrusted(node)} is at ${percent(share)} of its connection limit` },
  'sudden-change': {
    title: ({ changes: [{ subject, before, after }], direction, atMs }) =>
      say`${capitalized(subjectNames[subject])} ${direction === 'fall' ? 'fell' : 'rose'}${before === 0 ? '' : ` by ${changePercent(Math.abs(after - before) / before)}`} at ${clockText(atMs)}`,
    evidence: ({ changes: [first, ...others], nodes, now }) => [
      say`${changeText(first, (value) => amount(first.subject, value))}`,
      ...others.map((change) => say`${subjectNames[change.subject]} ${changeText(change, (value) => amount(change.subject, value))}`),
      ...(nodes.length === 0 ? [] : [nodeChanges(nodes, withThousands)]),
      ...(now === undefined ? [] : [say`now ${amount(first.subject, now)}`]),
    ],
  },
  'clients-moved': {
    title: ({ atMs }) => say`Clients moved between nodes at ${clockText(atMs)}`,
    evidence: ({ nodes, clients }) => [say`${nodeChanges(nodes, changePercent)}${clients === undefined ? '' : ` of ${pluralize(clients, 'client')}`}`],
  },
  'reconnect-storm': {
    title: ({ connectsPerSecond }) => say`Reconnect storm, ${figure(connectsPerSecond)} connects/s`,
    evidence: ({ clientIds, ...counts }) => [...(clientIds.length === 0 ? [] : [say`${pluralize(clientIds.length, 'client')} reconnected: ${names(clientIds)}`]), say`${clientChangeText(counts)}`],
  },
  'slow-consumer': { title: slowTitle, evidence: sessionFacts, details: sessionDetails, brief: slowBrief },
  'queue-full': { title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is full`, evidence: sessionFacts, details: sessionDetails },
  'offline-queue': { title: offlineTitle, evidence: sessionFacts, details: sessionDetails },
  'messages-lost': {
    title: ({ clientId, isAsOfDisconnect, dropped }) => say`${untrusted(clientId)}${isAsOfDisconnect ? ' (offline)' : ''} lost ${pluralize(dropped, 'message')}`,
    evidence: (session) => [say`${pastLossText(session)}`],
  },
  'more-sessions': {
    title: ({ count, isLosing, isFar }) => (isFar
      ? say`${pluralize(count, 'client')} slow, no queue full within 10 min`
      : say`${pluralize(count, isLosing ? 'more session' : 'more slow session')}${isLosing ? ' losing messages' : ''}`),
  },
  'alarm': { title: ({ id }) => say`Alarm ${untrusted(id)}`, evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]) },
  'queue-alarm': { title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is above its high-water mark (alarm)`, evidence: ({ text }) => (text === undefined ? [] : [[untrusted(text)]]) },
  'more-alarms': { title: ({ count }) => say`${pluralize(count, 'more alarm')}` },
  'unrouted-messages': {
    title: ({ perSecond }) => say`${figure(perSecond)} msg/s published without a subscriber`,
    evidence: ({ seconds, share }) => factsOf([share === undefined ? undefined : `${percent(share)} of received`, `over ${durationText(Math.round(seconds))}`]),
  },
  'fan-out': {
    title: ({ ratio, suspect }) => say`${typeof suspect === 'string' ? 'High fan-out' : untrusted(suspect.topic)}: ${figure(ratio)} deliveries per message`,
    evidence: ({ sentPerSecond, receivedPerSecond, suspect }) => factsOf([
      `${figure(receivedPerSecond)} msg/s in, ${figure(sentPerSecond)} msg/s out`,
      typeof suspect === 'string'
        ? `topic unknown, subscriptions ${suspect === 'list-cut' ? 'only partly read' : 'not read yet'}`
        : `${suspect.isMin ? 'at least ' : ''}${pluralize(suspect.subscribers, 'subscriber')}`,
    ]),
  },
  'uneven-clients': {
    title: ({ node, clients, total }) => say`Node ${untrusted(node)} has ${withThousands(clients)} of ${pluralize(total, 'client')}`,
    evidence: ({ ratio }) => [say`${figure(ratio)} times the average`],
  },
  'uneven-load': {
    title: ({ node, load }) => say`Node ${untrusted(node)} has a load of ${load.toFixed(2)}`,
    evidence: ({ ratio, nodes }) => [say`${figure(ratio)} times the average of ${pluralize(nodes, 'node')}`],
  },
  'mixed-versions': { title: () => say`Nodes run different versions`, evidence: ({ versions }) => [versionsText(versions)] },
  'plugin-differs': {
    title: (evidence) => say`Plugin ${untrusted(evidence.plugin)} ${
      evidence.difference === 'versions' ? `has ${evidence.count} versions` : `is ${evidence.difference === 'inactive' ? 'active' : 'installed'} on ${evidence.count} of ${pluralize(evidence.nodes, 'node')}`}`,
  },
  'setting-differs': { title: ({ key, values, nodes }) => say`Setting ${untrusted(key)} has ${values} values on ${pluralize(nodes, 'node')}` },
  'more-differences': { title: ({ what, count }) => say`${withThousands(count)} more ${count === 1 ? what.slice(0, -1) : what} ${count === 1 ? 'differs' : 'differ'} between nodes` },
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
  return [...texts.evidence?.(evidence) ?? [], ...texts.details?.(evidence) ?? []];
}

/** The two apart: what is wrong, and the most important numbers behind it. */
export function problemParts<Code extends ProblemCode>({ code, evidence }: Problem<Code>): { readonly title: Sentence; readonly facts: readonly Sentence[] } {
  const texts = problems[code];
  return { title: texts.title(evidence), facts: texts.evidence?.(evidence) ?? [] };
}

/** The same for a short line. */
export function problemBrief<Code extends ProblemCode>({ code, evidence }: Problem<Code>): Sentence {
  const { brief, title } = problems[code];
  return (brief ?? title)(evidence);
}

/** The common property of the clients that a finding leads to. */
export const foundNames: Readonly<Partial<Record<CheckId, string>>> = { reconnects: 'reconnected', slow: 'slow or losing messages' };

export function uncheckedText(reason: UncheckedReason): Sentence {
  switch (reason.code) {
    case 'reading-missing': return say`${listNames[reason.resource]} not read yet`;
    case 'reading-old': return say`${listNames[reason.resource]} ${reason.ageSeconds} s old`;
    case 'limit-unknown': return say`${reason.figure} of ${join(reason.nodes.map((node) => [untrusted(node)]), ' and ')} unknown`;
    case 'history-short': return say`${reason.of} need ${reason.minSeconds} s of history`;
    case 'counters-restarted': return say`counters reset ${reason.agoSeconds} s ago`;
    case 'clients-arriving': return say`${withThousands(reason.change)} new clients in ${reason.seconds} s, reconnects not counted`;
    case 'sessions-incomplete': return say`session list incomplete`;
    case 'sessions-aborted': return say`last session scan incomplete`;
    case 'sessions-uncompared': return reason.readings === 0 ? say`sessions not read yet` : say`sessions read once, rates need two reads`;
    case 'sessions-outdated': return say`sessions not read since ${join(reason.nodes.map((node) => [untrusted(node)]), ', ')} restarted`;
    case 'queues-unknown': return say`queue unknown for ${withThousands(reason.count)} of ${pluralize(reason.total, 'session')}`;
    case 'counters-frozen': return say`${pluralize(reason.clientIds.length, 'offline session')}: counters may be out of date (${names(reason.clientIds)})`;
    case 'clients-unread': return say`${pluralize(reason.sessions, 'persistent session')} may be offline, clients not read`;
    case 'figure-unknown': return say`${reason.figure} of a node unknown`;
    case 'version-unknown': return say`version of ${untrusted(reason.node)} unknown`;
    case 'node-unread': return say`${reason.what} of ${untrusted(reason.node)} not read`;
    case 'rows-unusable': return say`some ${reason.what} invalid`;
    case 'no-running-node': return say`no running node`;
    case 'alarms-unread': return say`alarms not read`;
    case 'alarms-unavailable': return say`this broker has no alarm list`;
    case 'settings-unavailable': return say`${reason.apiName ?? 'this broker'} has no settings`;
    case 'settings-by-node': return say`settings are read node by node on this broker`;
  }
}

export const uncheckedTexts = (reasons: readonly UncheckedReason[]): Sentence => join(reasons.map(uncheckedText), '; ');

const downText = (nodesDown: number): string => (nodesDown === 0 ? '' : `; ${pluralize(nodesDown, 'node')} not running`);

export function passedText(passed: Passed): Sentence {
  switch (passed.check) {
    case 'readings': return say`all requests succeeded`;
    case 'nodes': return say`${pluralize(passed.nodes, 'node')} running`;
    case 'listeners': return say`${pluralize(passed.listeners, 'listener')} below 90 % of the connection limit${downText(passed.nodesDown)}`;
    case 'limits': return say`memory, processes and file descriptors below 90 % on ${pluralize(passed.nodes, 'node')}${downText(passed.nodesDown)}`;
    case 'sudden': return say`no sudden change in the last ${durationText(passed.seconds)}`;
    case 'reconnects': return say`${figure(passed.connectsPerSecond)} connects/s, ${clientChangeText(passed)}`;
    case 'slow': return say`${pluralize(passed.sessions, 'session')}, no growing queue, no losses`;
    case 'alarms': return say`no alarms`;
    case 'unrouted': return say`${figure(passed.perSecond)} msg/s without a subscriber over ${durationText(Math.round(passed.seconds))}`;
    case 'fanOut': return say`${figure(passed.receivedPerSecond)} msg/s in, ${figure(passed.sentPerSecond)} msg/s out`;
    case 'balance': return passed.highest === undefined
      ? say`${pluralize(passed.nodes, 'running node')}, nothing to compare`
      : say`max ${percent(passed.highest.share)} of ${pluralize(passed.highest.clients, 'client')} on one node, max load ${passed.highest.load.toFixed(2)}`;
    case 'versions': return versionsText(passed.versions);
    case 'plugins': return say`${pluralize(passed.rows, 'plugin')}, same on ${pluralize(passed.nodes, 'node')}`;
    case 'settings': return say`${pluralize(passed.rows, 'setting')}, same on ${pluralize(passed.nodes, 'node')}`;
  }
}

/** `noun` is for lists of checks. */
export const checkTexts: Readonly<Record<CheckId, { readonly title: SafeText; readonly noun: SafeText }>> = {
  readings: { title: safe`API`, noun: safe`API` },
  nodes: { title: safe`Nodes`, noun: safe`nodes` },
  listeners: { title: safe`Listeners`, noun: safe`listeners` },
  limits: { title: safe`Node limits`, noun: safe`limits` },
  sudden: { title: safe`Sudden changes`, noun: safe`sudden changes` },
  reconnects: { title: safe`Reconnects`, noun: safe`reconnects` },
  slow: { title: safe`Slow consumers`, noun: safe`sessions` },
  alarms: { title: safe`Alarms`, noun: safe`alarms` },
  unrouted: { title: safe`Unrouted`, noun: safe`unrouted` },
  fanOut: { title: safe`Fan-out`, noun: safe`fan-out` },
  balance: { title: safe`Balance`, noun: safe`balance` },
  versions: { title: safe`Versions`, noun: safe`versions` },
  plugins: { title: safe`Plugins`, noun: safe`plugins` },
  settings: { title: safe`Settings`, noun: safe`settings` },
};

/** Texts of the Overview's problems, of Triage and of `--once`. */
export const triageTexts = {
  problems: safe`Problems`,
  triage: safe`Triage`,
  severity: { critical: safe`critical`, warning: safe`warning` },
  /** What a line of the screens begins with. */
  severityWords: { critical: safe`CRITICAL`, warning: safe`WARNING` },
  unchecked: safe`unknown`,
  ok: safe`ok`,
  /** Of a check that this broker's API cannot feed. */
  absent: safe`not available`,
  absentShort: safe`n/a`,
  /** How lists that only Triage reads are read. */
  unreadHow: safe`(press T)`,
  notRead: safe`(not read)`,
  unreadQuick: safe`(not read with --quick)`,
  overOnceLimit: (maxRows: number) => safe`(more than the ${formatCount(maxRows)} rows that --once reads)`,
  /** So many that only Triage reads them. */
  tooManySessions: (count: number | undefined) => safe`sessions (${formatCount(count)}; press T)`,
  unreadByOnce: safe`(not read by --once)`,
  more: (count: number) => safe`+${formatCount(count)} more`,
  moreAnd: (unchecked: SafeText) => safe`; ${unchecked}`,
  allClear: (checks: number) => safe`all clear: ${formatCount(checks)} checks passed`,
  allOk: (checks: number) => safe`no problems: all ${formatCount(checks)} checks passed`,
  nothingFound: safe`no problems found`,
  /** While checks are missing that need no key. */
  nothingSoFar: safe`no problems so far`,
  checking: safe`checking`,
  /** A condition of what is shown, not a check that is missing. */
  note: safe`note`,
  done: (done: number, total: number) => safe`${done} of ${total} checks done`,
  soon: safe`a few seconds`,
  readyIn: (time: SafeText) => safe`in ${time}`,
  /** `checks`: without those that are absent. `partly`: checks with findings that are incomplete as well. */
  results: (checks: number, counts: { readonly found: number; readonly partly: number; readonly ok: number; readonly unchecked: number; /** Checks that this broker's API cannot feed. */ readonly absent?: number }) => safe`; ${formatCount(checks)} checks: ${joinSafe([
    ...(counts.found === 0 ? [] : [safe`${formatCount(counts.found)} with problems${counts.partly === 0 ? safe`` : safe` (${formatCount(counts.partly)} incomplete)`}`]),
    safe`${formatCount(counts.ok)} passed`,
    ...(counts.unchecked === 0 ? [] : [safe`${formatCount(counts.unchecked)} not checked`]),
  ], safe`, `)}${counts.absent === undefined || counts.absent === 0 ? safe`` : safe`; ${formatCount(counts.absent)} not available`}`,
  next: safe`Next`,
  /** Right of the title of the Overview's problems. */
  checksNote: (checks: number) => safe`${formatCount(checks)} checks (T)`,
  sessionsRead: (ageSeconds: number) => safe`sessions read ${formatAge(ageSeconds)}`,
  readingSessions: (read: number, expected: number | undefined) => (expected === undefined ? safe`scanning sessions: ${formatCount(read)}` : safe`scanning sessions: ${formatCount(read)} of ${formatCount(expected)}`),
  openHint: safe`Enter opens a problem`,
} as const;

export const severityRoles: Readonly<Record<Severity, Role>> = { critical: 'error', warning: 'warning' };

/** The other texts of the Overview. */
export const overviewTexts = {
  rates: safe`Cluster rates`,
  listeners: safe`Listeners`,
  /** `ageSeconds`: since the listeners were read. */
  listenersNote: (ageSeconds: number | undefined) => (ageSeconds === undefined ? safe`connections / limit` : safe`connections / limit, read ${formatAge(ageSeconds)}`),
  moreListeners: (count: number) => safe`+${formatCount(count)} more (press 3)`,
  moreNodes: (count: number) => safe`+${formatCount(count)} more nodes (press 2)`,
  /** Of a node that is down, with the clients that it had. */
  noFigures: (clients: number | undefined) => (clients === undefined ? safe`no data` : safe`no data; had ${formatCount(clients)} clients`),
  messages: safe`Messages`,
  /** Messages that full queues lost. */
  queueDrops: safe`queue drops`,
  unrouted: safe`unrouted`,
  fanOut: safe`fan-out`,
  nodes: safe`Nodes`,
  totals: safe`Totals`,
  /** Rounded down to ten seconds, then to minutes. */
  totalsNote: (seconds: number) => safe`change in the last ${seconds < 60 ? formatDuration(Math.floor(seconds / 10) * 10 || Math.floor(seconds)) : safe`${Math.round(seconds / 60)} min`}`,
} as const;

const partText = (theme: Theme, { text, isUntrusted }: TextPart, width: number): SafeText =>
  // The program's own words need no escape, except for spaces at their ends.
  isUntrusted ? theme.escape(text, width) : joinSafe(text.split(' ').map((word) => (word === '' ? safe`` : theme.escape(word))), safe` `);

export const sentenceText = (theme: Theme, parts: Sentence, width = 60): SafeText => joinSafe(parts.map((part) => partText(theme, part, width)));

/** Not escaped: for JSON. */
export const plainText = (parts: Sentence): string => parts.map(({ text }) => text).join('');

const minShownSeconds = 1;

/** `2m 05s`, or `2m 05s+` if the start was not seen; with `seen 12 s ago` if it is not current. For an event: its age. */
export const howLong = ({ atMs, sinceMs, foundMs, seenMs }: Pick<Finding, 'atMs' | 'sinceMs' | 'foundMs' | 'seenMs'>, nowMs: number, isShort = false): SafeText => {
  if (atMs !== undefined) return formatAge(Math.max(0, nowMs - atMs) / 1000);
  const fromMs = sinceMs ?? foundMs;
  const seconds = fromMs === undefined ? 0 : ((seenMs ?? nowMs) - fromMs) / 1000;
  const seenSeconds = seenMs === undefined ? undefined : Math.max(0, nowMs - seenMs) / 1000;
  if (isShort && seenSeconds !== undefined) return safe`${formatDuration(seenSeconds)} old`;
  const lasted = fromMs === undefined ? []
    : seconds >= minShownSeconds ? [safe`${formatDuration(seconds)}${sinceMs === undefined ? safe`+` : safe``}`]
      : seenSeconds === undefined ? [safe`new`] : [];
  return joinSafe([...lasted, ...(seenSeconds === undefined ? [] : [safe`seen ${formatAge(seenSeconds)}`])], safe`, `);
};

const nounsOf = (checks: readonly CheckId[]): SafeText => joinSafe(checks.map((check) => checkTexts[check].noun), safe`, `);

export const okText = ({ total, ok }: Pick<TriageSummary, 'total' | 'ok'>): SafeText =>
  (ok.length === total ? triageTexts.allOk(total) : safe`${ok.length} of ${total} checks passed: ${nounsOf(ok)}`);

/** That there are no problems, as far as is known yet. */
export const noProblemsText = ({ total, ok, pending }: Pick<TriageSummary, 'total' | 'ok' | 'pending'>): SafeText => {
  if (pending.length > 0) return safe`${triageTexts.nothingSoFar}, ${triageTexts.done(ok.length, total)}${ok.length === 0 ? safe`` : safe`: ${nounsOf(ok)}`}`;
  return ok.length === total ? okText({ total, ok }) : safe`${triageTexts.nothingFound}, ${okText({ total, ok })}`;
};

const waitRank = ({ wait }: PendingCheck): number => (wait === undefined ? 0 : wait === 'soon' ? 1 : 1 + wait);

/** The checks that are being made, the soonest first: `sessions · unrouted, fan-out (in a few seconds) · sudden changes (in 52 s)`. */
export const pendingText = (pending: readonly PendingCheck[]): SafeText =>
  joinSafe([...Map.groupBy(pending.toSorted((a, b) => waitRank(a) - waitRank(b)), ({ wait }) => wait)].map(([wait, checks]) => {
    const nouns = nounsOf(checks.map(({ check }) => check));
    return wait === undefined ? nouns : safe`${nouns} (${triageTexts.readyIn(wait === 'soon' ? triageTexts.soon : formatDuration(wait))})`;
  }), safe` · `);

const isNote = ({ code }: UncheckedReason): boolean => code === 'counters-frozen';

/** Nothing is missing: the checks are only less exact. */
export const hasOnlyNotes = ({ unread, past, unchecked }: Pick<TriageSummary, 'unread' | 'past' | 'unchecked'>): boolean =>
  unread.length === 0 && past.length === 0 && unchecked.every(isNote);

/** The checks not made, or made long ago; may be empty. */
export const uncheckedSummary = (theme: Theme, { unread, past, unchecked }: Pick<TriageSummary, 'unread' | 'past' | 'unchecked'>, nowMs: number,
  { unreadTexts, tooManySessions }: { readonly unreadTexts?: readonly SafeText[]; readonly tooManySessions?: number | undefined } = {}): SafeText => {
  const isTooMany = (noun: string): boolean => noun === 'sessions' && tooManySessions !== undefined;
  const others = unread.filter((noun) => !isTooMany(noun));
  const reasons = [
    ...(others.length < unread.length ? [triageTexts.tooManySessions(tooManySessions)] : []),
    ...(unreadTexts ?? (others.length === 0 ? [] : [safe`${joinSafe(others.map((noun) => trusted(noun)), safe`, `)} ${triageTexts.unreadHow}`])),
    ...unchecked.filter((reason) => !isNote(reason)).map((reason) => sentenceText(theme, uncheckedText(reason))),
  ];
  const oldestMs = Math.min(...past.map(({ atMs }) => atMs));
  return joinSafe([
    ...(reasons.length === 0 ? [] : [safe`not checked${unreadTexts === undefined ? safe` yet` : safe``}: ${joinSafe(reasons, safe`; `)}`]),
    ...(past.length === 0 ? [] : [safe`ok ${formatAge(Math.max(0, nowMs - oldestMs) / 1000)}, not checked since: ${joinSafe(past.map(({ noun }) => trusted(noun)), safe`, `)} (press T)`]),
    ...unchecked.filter(isNote).map((reason) => sentenceText(theme, uncheckedText(reason))),
  ], safe`; `);
};

/** The number of findings; one may stand for several. */
export const countOf = (findings: readonly Pick<Finding, 'count'>[]): number => findings.reduce((sum, { count = 1 }) => sum + count, 0);

export const severityCounts = (findings: readonly Pick<Finding, 'severity' | 'count'>[]): Readonly<Record<Severity, number>> => {
  const critical = countOf(findings.filter(({ severity }) => severity === 'critical'));
  return { critical, warning: countOf(findings) - critical };
};

export const countText = (findings: readonly Pick<Finding, 'severity' | 'count'>[]): SafeText => {
  const { critical, warning: warnings } = severityCounts(findings);
  return joinSafe([
    ...(critical > 0 ? [safe`${formatCount(critical)} ${safe`critical`}`] : []),
    ...(warnings > 0 ? [safe`${formatCount(warnings)} ${warnings === 1 ? safe`warning` : safe`warnings`}`] : []),
  ], safe`, `);
};
