import { counted, lostMessages, queuedMessages } from '../../resources/sessions/texts.ts';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const dialogTexts = {
  cancel: safe`Cancel`,
  cancelled: safe`Canceled. Nothing was sent.`,
  choose: safe`Choose`,
  reading: safe`··· loading`,
  change: safe`Change`,
};

const on = (node: SafeText | undefined): SafeText => (node === undefined ? safe`on all nodes` : safe`on ${node}`);

export const unavailableTexts = {
  unauthorized: safe`Login rejected: press A to sign in`,
  proxy: (why: SafeText) => safe`Actions are disabled: ${why}`,
  readOnly: safe`Read-only mode: actions are disabled`,
  bulkRunning: safe`Another bulk disconnect is still running: press B to see it`,
  noBulk: safe`No bulk disconnect yet`,
  stoppedNode: (node: SafeText) => safe`${node} is not running`,
  pluginNotListed: (node: SafeText | undefined) => safe`The plugin is not listed on ${node ?? safe`any node`}`,
  pluginAlready: (plugin: SafeText, activity: SafeText, node: SafeText | undefined) =>
    safe`${plugin} is already ${activity} ${on(node)}`,
  settingNowhere: safe`No node has this setting`,
  settingNotOn: (node: SafeText) => safe`${node} does not list this setting`,
  settingGone: safe`The setting no longer exists`,
  settingNumbered: (key: SafeText) => safe`${key} stands for numbered settings, which this API cannot change`,
};

export const screenMenuTexts = {
  title: (screen: SafeText, subject?: SafeText) => safe`${screen}: ${subject ?? safe`actions`}`,
  onNode: (name: SafeText, node: SafeText | undefined) => safe`${name} on ${node ?? safe`all nodes`}`,
  none: safe`No actions here: no row is selected, or this broker has none`,
};

/** Messages in so many queues, some of which may be unknown. */
export interface Queued {
  readonly messages: number;
  readonly unknown: number;
  readonly queues: number;
}

const lostFrom = ({ messages: count, unknown, queues }: Queued): SafeText => {
  if (unknown === 0) return lostMessages(count);
  if (unknown === queues) return lostMessages(undefined);
  if (count > 0)
    return safe`at least ${lostMessages(count)} (${formatCount(unknown)} ${unknown === 1 ? safe`queue` : safe`queues`} unknown)`;
  return safe`${formatCount(unknown)} of their queues ${unknown === 1 ? safe`is` : safe`are`} unknown, the rest are empty`;
};

export const clientDialogTexts = {
  disconnect: {
    question: safe`Disconnect this client?`,
    verb: safe`disconnect`,
    title: (id: SafeText) => safe`Disconnect ${id}`,
    notConnected: safe`Not connected: nothing to disconnect`,
  },
  /** `queued`: `undefined` if it is not known. */
  keepsSession: (queued: number | undefined) =>
    safe`It may reconnect right away. Its session ${queued === undefined ? safe`and queue are` : queued === 0 ? safe`is` : safe`and ${queuedMessages(queued)} are`} kept.`,
  endsSession: (queued: number | undefined, countersSeconds?: number) =>
    safe`Its session ends; ${lostMessages(queued)}${counted(queued, countersSeconds)}.`,
  mayReconnect: safe`It may reconnect right away.`,
  reconnectNote: safe`If it reconnects before you confirm, nothing is sent.`,
  changed: {
    reconnected: (key: SafeText) => safe`It has reconnected since. Esc, then ${key} again for the new connection.`,
    gone: () => safe`It has disconnected since.`,
  },
  connection: (node: SafeText, address: SafeText, user: SafeText) =>
    safe`on ${node} from ${address}, ${user === unknownText ? safe`no username` : safe`user ${user}`}`,
  connectedSince: (time: SafeText) => safe`connected since ${time}`,
  endSession: {
    question: safe`End the session of this client?`,
    verb: safe`end session`,
    session: (node: SafeText, created: SafeText) => safe`not connected; its session on ${node} began ${created}`,
    effect: (subscriptions: number | undefined, queued: number | undefined, countersSeconds?: number) =>
      safe`It loses its ${subscriptions === undefined ? safe`subscriptions` : subscriptions === 1 ? safe`subscription` : safe`${formatCount(subscriptions)} subscriptions`}; ${lostMessages(queued)}${counted(queued, countersSeconds)}.`,
  },
  twoConnections: (count: number) => safe`${formatCount(count)} connections have this client ID (takeover in progress)`,
  clearAcl: {
    question: safe`Clear this client's ACL cache for the topic?`,
    wholeQuestion: safe`Clear this client's ACL cache?`,
    effect: safe`The broker checks its next publishes and subscriptions again.`,
    verb: safe`clear`,
    title: (id: SafeText) => safe`Clear the ACL cache of ${id}`,
    notConnected: safe`Not connected: no cache to clear`,
    topic: (topic: SafeText) => safe`topic ${topic}`,
    topicLabel: safe`Topic`,
    topicHelp: safe`the topic whose cached decision is cleared`,
  },
  subscribe: {
    question: safe`Subscribe this client?`,
    verb: safe`subscribe`,
    title: (id: SafeText) => safe`Subscribe ${id}`,
    formTitle: (id: SafeText) => safe`Subscribe on behalf of ${id}`,
    filterLabel: safe`Topic filter`,
    filterHelp: safe`such as a/b; some brokers refuse + and # here`,
    wildcardsRefused: safe`without + and #: this broker refused them`,
    to: (filter: SafeText) => safe`to ${filter}`,
    unread: (qos: number, error: SafeText) => safe`with QoS ${qos}; current subscription unknown: ${error}`,
    fresh: (qos: number) => safe`with QoS ${qos}; it will receive messages on this topic`,
    same: (qos: number) => safe`already subscribed with QoS ${qos}`,
    changed: (before: number | undefined, qos: number) => safe`already subscribed: QoS ${before ?? safe`–`} → ${qos}`,
  },
  unsubscribe: {
    question: safe`Unsubscribe this client?`,
    verb: safe`unsubscribe`,
    title: (id: SafeText) => safe`Unsubscribe ${id}`,
    menuTitle: (id: SafeText) => safe`Unsubscribe ${id} from`,
    effect: safe`Queued messages are kept. New messages with no other subscriber will be dropped.`,
    from: (filter: SafeText) => safe`from ${filter}`,
    details: (qos: SafeText, node: SafeText | undefined) =>
      safe`QoS ${qos}${node === undefined ? safe`` : safe`, on ${node}`}`,
    qos: (qos: number) => safe`QoS ${qos}`,
    none: safe`It has no subscriptions.`,
  },
  qosLabel: safe`QoS`,
  qosHelp: safe`0, 1 or 2 (← → or Space)`,
  menu: {
    title: (id: SafeText) => safe`Client ${id}`,
    suggested: safe`suggested`,
    disconnectMarked: (count: number) =>
      safe`Disconnect ${formatCount(count)} marked ${count === 1 ? safe`client` : safe`clients`}`,
    unsubscribe: (filter: SafeText) => safe`Unsubscribe from ${filter}`,
    unsubscribeUnknown: safe`Not known yet whether this broker can unsubscribe clients.`,
    noUnsubscribe: safe`This broker's API cannot unsubscribe clients.`,
  },
  marked: (count: number) => safe`${formatCount(count)} marked`,
  markedChanged: (changed: number, count: number) =>
    safe`! ${formatCount(changed)} of ${formatCount(count)} marked rows changed and will be skipped`,
};

export const publishTexts = {
  title: safe`Publish a message`,
  question: safe`Publish this message?`,
  verb: safe`publish`,
  notHex: safe`The payload is not hexadecimal (pairs of 0-9 and a-f).`,
  notUtf8: safe`The payload is not UTF-8. The API accepts only text.`,
  noPath: safe`Enter the path of the file.`,
  empty: safe`payload: empty`,
  payload: (bytes: number, isCut: boolean) =>
    safe`payload (${formatCount(bytes)} bytes${isCut ? safe`, first lines` : safe``}):`,
  details: (qos: number, isRetained: boolean, clientId: SafeText | undefined) =>
    safe`QoS ${qos}, ${isRetained ? safe`retained` : safe`not retained`}, ${clientId === undefined ? safe`sent by the broker` : safe`sent as client ${clientId}`}`,
  clearsRetained: safe`An empty retained message deletes the retained message of this topic.`,
  topicLabel: safe`Topic`,
  topicHelp: safe`a topic without wildcards`,
  payloadLabel: safe`Payload`,
  payloadHelp: {
    text: safe`optional; Ctrl-J or Alt-Enter adds a line`,
    hex: safe`two hexadecimal digits per byte; spaces and line breaks are ignored`,
    file: safe`path of a file, read when you continue`,
  } as Readonly<Record<string, SafeText>>,
  formatLabel: safe`Format`,
  formatHelp: safe`text, hexadecimal bytes, or a file (← → or Space)`,
  retainLabel: safe`Retain`,
  retainHelp: safe`keep it for future subscribers (← → or Space)`,
  clientIdLabel: safe`Client ID`,
  clientIdHelp: safe`optional: the sender (the broker's default is http)`,
};

export const pluginTexts = {
  verb: (isActive: boolean) => (isActive ? safe`start` : safe`stop`),
  question: (isActive: boolean, node: SafeText | undefined) =>
    safe`${isActive ? safe`Start` : safe`Stop`} this plugin ${on(node)}?`,
  already: (node: SafeText, activity: SafeText) => safe`${node}: already ${activity}`,
  change: (node: SafeText, before: SafeText, after: SafeText) => safe`${node}: ${before} → ${after}`,
  does: (description: SafeText) => safe`Description: ${description}`,
  stopsNow: (isForAll: boolean) =>
    safe`Its features stop working immediately${isForAll ? safe`` : safe` on this node`}.`,
  stopsManagement: () => safe`It may serve the API that brokertop uses. If so, you cannot start it again from here.`,
  stopsChecks: (isForAll: boolean) =>
    safe`It checks logins or permissions. Without it, ${isForAll ? safe`the broker` : safe`this node`} may accept every client or reject every client.`,
  stopsRetaining: (isForAll: boolean) =>
    safe`Messages are no longer retained${isForAll ? safe`` : safe` on this node`}, and new subscribers${isForAll ? safe`` : safe` there`} get no retained messages.`,
  stopsWebHook: (isForAll: boolean) =>
    safe`Events${isForAll ? safe`` : safe` of this node`} are no longer sent to the web hook.`,
  allNodes: safe`This broker's API starts and stops plugins on all nodes.`,
  settingsTitle: (plugin: SafeText, node: SafeText) => safe`Settings of plugin ${plugin} on ${node}`,
  settingsQuestion: (count: number, node: SafeText) =>
    safe`Change ${count === 1 ? safe`1 setting` : safe`${count} settings`} of this plugin on ${node}?`,
  setting: (key: SafeText, before: SafeText, after: SafeText) => safe`${key}: ${before} → ${after}`,
  wholeSet: safe`All settings are sent, except unset ones.`,
  /** @param keys the first of them, such as `access.$id` */
  losesNumbered: (keys: readonly SafeText[], more: number) =>
    safe`The plugin may have numbered settings (${joinSafe(keys, safe`, `)}${more === 0 ? safe`` : safe` and ${formatCount(more)} more`}). This API does not list them, and this change may delete them.`,
  numbered: safe`(not listed by this API)`,
  restarts: safe`The plugin is active and will restart with the new settings.`,
  mayRestart: safe`If the plugin is active, it will restart with the new settings.`,
  requiredUnset: (keys: readonly SafeText[]) =>
    safe`Required: ${joinSafe(keys, safe`, `)}. The plugin may not start without ${keys.length === 1 ? safe`it` : safe`them`}.`,
  differ: (key: SafeText) => safe`The values do not match: ${key}`,
  setAndUnset: (key: SafeText) => safe`Both changed and unset: ${key}`,
  unsetLabel: safe`Unset`,
  unsetHelp: (key: SafeText) => safe`yes removes it from the settings. ${key}`,
  keepHelp: (about: SafeText) => safe`Leave empty to keep the value. ${about}`,
  repeatLabel: safe`Repeat`,
  repeatHelp: (key: SafeText) => safe`Repeat the new value. ${key}`,
  nowEmpty: (value: SafeText) => safe`Now ${value}.`,
  clearToUnset: safe`Clear the field to unset it.`,
  emptyHelp: (state: SafeText, about: SafeText) => safe`${state} "" sets an empty value. ${about}`,
  about: (key: SafeText, description: SafeText | undefined, isRequired: boolean) =>
    safe`${key}${description === undefined ? safe`` : safe`: ${description}`}${isRequired ? safe` (required)` : safe``}`,
  unset: safe`(unset)`,
  empty: safe`(empty)`,
};

export const settingDialogTexts = {
  lowerQueueLimit: safe`Sessions with longer queues lose messages.`,
  title: (key: SafeText) => safe`Setting ${key}`,
  question: (node: SafeText | undefined) => safe`Change this setting ${on(node)}?`,
  verb: safe`change`,
  review: safe`review`,
  valueLabel: safe`Value`,
  newValueLabel: safe`New value`,
  repeatLabel: safe`Repeat`,
  nodeLabel: safe`On`,
  now: (node: SafeText, value: SafeText) => safe`${node}: now ${value}`,
  notReadBack: safe`The value may be outdated: some brokers do not report changes of this setting.`,
  notReported: safe`This broker does not report the value of this setting.`,
  unverified: safe`The result cannot be verified.`,
  chooseNode: safe`Choose a node.`,
  empty: safe`The value is empty.`,
  differ: safe`The values do not match.`,
  same: safe`It already has this value.`,
  change: (before: SafeText, after: SafeText) => safe`${before} → ${after}`,
  onNode: (node: SafeText, change: SafeText) => safe`${node}: ${change}`,
  unread: (count: number) =>
    safe`${formatCount(count)} more ${count === 1 ? safe`node` : safe`nodes`} not read. ${count === 1 ? safe`Its value changes` : safe`Their values change`} too.`,
  /** `undefined` stands for all nodes. */
  verified: (node: SafeText | undefined) => safe`The result is verified on ${node ?? safe`every node`}.`,
};

export const outcomeDialogTexts = {
  running: safe`Running`,
  answered: safe`Result`,
  phases: {
    checking: safe`checking the target`,
    recording: safe`writing the audit log`,
    sending: safe`sent, waiting for the response`,
    verifying: safe`accepted, verifying the effect`,
    'finding-out': safe`not confirmed, checking whether it took effect`,
    finished: safe`finished`,
  },
  following: safe`still watching`,
  leave: safe`Run in background`,
  more: (count: number) => safe`${count} more lines in the log (L)`,
};

export const confirmTexts = {
  type: (name: SafeText, verb: SafeText) => safe`Type ${name} to ${verb}: `,
  wrong: safe`! That does not match. Nothing was sent.`,
  quit: {
    question: safe`Quit now?`,
    verb: safe`quit`,
    running: 'Actions are still running.',
    secret: 'The secret of the new API key cannot be read again.',
    demo: 'The demo cluster stops too.',
    idle: 'No action is running.',
    idleUnknown: 'No action is running, but some outcomes are unknown.',
    unknown: (title: SafeText) => safe`${title}: its outcome is unknown.`,
    unknownOf: (title: SafeText, count: number) => safe`${title}: the outcome of ${formatCount(count)} is unknown.`,
    bulk: (title: SafeText, left: number, total: number, sent: number) =>
      safe`${title}: ${formatCount(left)} of ${formatCount(total)} would not be sent${sent === 0 ? safe`` : safe`; the outcome of ${formatCount(sent)} already sent would be unknown`}.`,
    unsent: (title: SafeText) => safe`${title}: it would not be sent.`,
    sent: (title: SafeText) => safe`${title}: already sent, its outcome would be unknown.`,
  },
};

export const bulkDialogTexts = {
  /** `chosen`: with those that are skipped. `hidden`: of the marked ones, those that the list does not show. */
  question: (count: number, chosen: number, group: SafeText | undefined, hidden = 0) => {
    const of = count === chosen ? formatCount(count) : safe`${formatCount(count)} of ${formatCount(chosen)}`;
    if (group === undefined)
      return safe`Disconnect ${of} marked ${chosen === 1 ? safe`client` : safe`clients`}${hidden === 0 ? safe`` : safe` (${formatCount(hidden)} not shown)`}?`;
    // Not all: others may come after those that are listed now.
    return safe`Disconnect ${of} ${chosen === 1 ? safe`client` : safe`clients`} ${group}?`;
  },
  verb: safe`disconnect`,
  columns: { client: safe`CLIENT ID`, node: safe`NODE`, user: safe`USERNAME` },
  usersLoading: (loading: SafeText) => safe`${loading} client list`,
  rest: (count: number, sum: number) => safe`${formatCount(count)} others ${formatCount(sum)}`,
  none: safe`No clients left to disconnect.`,
  /** `isKeptRate`: chosen for the last bulk. */
  head: (perSecond: number, duration: SafeText, isKeptRate = false, areBanned = false) =>
    safe`${perSecond} per second${isKeptRate ? safe`, as last time` : safe``} (+ -), about ${duration}. ${areBanned ? safe`The ban keeps them from reconnecting.` : safe`Clients may reconnect right away.`}`,
  byNode: (counts: SafeText) => safe`by node: ${counts}`,
  /** What all clients have in common, if it is not in the question. */
  shared: (node: SafeText | undefined, user: SafeText | undefined) =>
    safe`all ${joinSafe([...(node === undefined ? [] : [on(node)]), ...(user === undefined ? [] : [user === bulkDialogTexts.noUser ? safe`without a username` : safe`with username ${user}`])], safe`, `)}`,
  byUser: (counts: SafeText) => safe`by username: ${counts}`,
  noUser: safe`(none)`,
  changed: (count: number, sign: SafeText) =>
    safe`! ${formatCount(count)} will be skipped: gone or reconnected since you marked ${count === 1 ? safe`it` : safe`them`} (${sign})`,
  changedSince: (count: number, sign: SafeText) =>
    safe`! ${formatCount(count)} will be skipped: gone or reconnected since this dialog opened (marked ${sign})`,
  /** What the sessions keep or lose. @param queued of those that end */
  sessions: (ending: number, others: number, queued: Queued) => {
    if (ending === 0)
      return others === 1
        ? safe`Its session and queued messages are kept.`
        : safe`Their sessions and queued messages are kept.`;
    if (others === 0)
      return safe`${ending === 1 ? safe`Its session ends` : safe`Their sessions end`}; ${lostFrom(queued)}.`;
    return safe`${formatCount(others)} ${others === 1 ? safe`session` : safe`sessions`} will be kept, ${formatCount(ending)} will end; ${lostFrom(queued)}.`;
  },
  endsSessions: (queued: Queued, countersSeconds?: number) =>
    safe`! This also ends their sessions and subscriptions; ${lostFrom(queued)}${counted(queued.unknown === queued.queues ? undefined : queued.messages, countersSeconds)}.`,
  absent: (count: number, sign: SafeText) => safe`! ${formatCount(count)} will be skipped: not connected (${sign})`,
  finished: (title: SafeText) => safe`${title}: finished`,
  aborted: (title: SafeText) => safe`${title}: stopped`,
  more: (count: number) => safe`and ${formatCount(count)} more in the log (L)`,
  progress: (sent: number, checking: number, waiting: number, rest: SafeText) =>
    joinSafe(
      [
        ...(sent === 0 ? [] : [safe`${formatCount(sent)} sent`]),
        ...(checking === 0 ? [] : [safe`${formatCount(checking)} checking`]),
        safe`${formatCount(waiting)} waiting; ${rest}`,
      ],
      safe` · `,
    ),
  reconnectsLater: safe`reconnects are counted in 5 s`,
  ending: safe`stopping`,
  remaining: (perSecond: number, duration: SafeText) => safe`${perSecond} per second, about ${duration} left`,
  leave: safe`Run in background`,
  abort: safe`Stop sending`,
  /** Those not sent, or without a valid response. */
  marked: (count: number) => safe`${formatCount(count)} marked to try again`,
};

export const formTexts = {
  next: safe`Next field`,
  previous: safe`Previous field`,
  position: (place: number, count: number) => safe`${place} of ${count}`,
  lines: (count: number) => safe`${formatCount(count)} lines`,
  line: (place: number, count: number) => safe`line ${formatCount(place)} of ${formatCount(count)}`,
  rejected: (label: SafeText | undefined) =>
    label === undefined ? safe`Not accepted` : safe`Not accepted in "${label}"`,
  choose: safe`← → choose`,
  isChoice: (label: SafeText | undefined) =>
    safe`Choose ${label === undefined ? safe`` : safe`"${label}" `}with ← → or Space.`,
  hasLines: safe`this field takes one line only.`,
  tooLong: (length: number, max: number) => safe`${formatCount(length)} characters, max ${formatCount(max)}.`,
};
