import { averageSeconds } from '../../domain/rates.ts';
import { pluralize } from '../../domain/text.ts';
import {
  formatAge,
  formatCount,
  formatDuration,
  formatElapsed,
  formatRoundDuration,
  loadingText,
  unknownText,
} from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

const plural = (count: number, one: SafeText, many: SafeText): SafeText =>
  safe`${formatCount(count)} ${count === 1 ? one : many}`;

/** Phrases of several screens. */
export const screenTexts = {
  askBroker: (topic: SafeText) => safe`show the subscribers of "${topic}"`,
  notOffered: (apiName: SafeText, what: SafeText) => safe`Not available: ${apiName} does not support ${what}.`,
  loginNeeded: (what: SafeText) => safe`${what} need a dashboard login, not an API key.`,
  notFound: (what: SafeText) => safe`Not available on this broker: ${what} (404).`,
};

/** Without its problems, whose texts are in `problem-texts.ts` and `check-texts.ts`. */
export const overviewTexts = {
  rates: safe`Cluster rates`,
  busiest: safe`Busiest sessions`,
  busiestNote: safe`by deliveries`,
  busiestColumns: { client: safe`CLIENT ID`, node: safe`NODE`, rate: safe`DELIVER/S`, queue: safe`QUEUE` },
  noSessionRates: safe`no rates yet: sessions are read twice first`,
  noDeliveries: safe`no session gets messages`,
  listeners: safe`Listeners`,
  /** `ageSeconds`: since the listeners were read. */
  listenersNote: (ageSeconds: number | undefined) =>
    ageSeconds === undefined ? safe`connections / limit` : safe`connections / limit, read ${formatAge(ageSeconds)}`,
  moreListeners: (count: number) => safe`+${formatCount(count)} more (press 3)`,
  moreNodes: (count: number) => safe`+${formatCount(count)} more nodes (press 2)`,
  /** Of a node that is down, with the clients that it had. */
  noFigures: (clients: number | undefined) =>
    clients === undefined
      ? safe`no data`
      : safe`had ${formatCount(clients)} ${clients === 1 ? safe`client` : safe`clients`}`,
  messages: safe`Messages`,
  clusterMessages: safe`Cluster messages`,
  /** Messages that full queues lost. */
  queueDrops: safe`queue drops`,
  dropsUnmeasured: safe`not measured yet`,
  /** Of the panel with their graphs. */
  levels: safe`Trends`,
  clients: safe`connected clients`,
  ofSessions: (sessions: number) => safe`${plural(sessions, safe`session`, safe`sessions`)}`,
  queueDelivers: (rate: SafeText) => safe`receives ${rate}`,
  unrouted: safe`unrouted`,
  fanOut: safe`fan-out`,
  nodes: safe`Nodes`,
  totals: safe`Totals`,
  /** Rounded down to ten seconds, then to minutes. */
  totalsNote: (seconds: number) =>
    safe`change over ${seconds < 60 ? formatDuration(Math.floor(seconds / 10) * 10 || Math.floor(seconds)) : safe`${Math.round(seconds / 60)} min`}`,
} as const;

export const nodesTexts = {
  empty: safe`No nodes.`,
  sinceBeforeStart: safe`since before brokertop started`,
  duration: (seconds: number) => safe`for ${formatDuration(seconds)}`,
  seen: (duration: SafeText, seconds: number) => safe`${duration}, seen ${formatAge(seconds)}`,
  statistics: safe`statistics`,
  versions: safe`versions and uptimes`,
};

export const nodeTexts = {
  unknown: safe`No node with this name.`,
  notRead: (parts: readonly SafeText[]) => safe`No data yet: ${joinSafe(parts, safe`, `)}`,
  values: safe`values`,
  notFetched: safe`not read`,
  lastKnown: (seconds: number) => safe`last read ${formatAge(seconds)}`,
  age: (seconds: number) => safe`${formatDuration(seconds)} old`,
  stale: safe`old`,
  rates: safe`Rates`,
  statistics: safe`Statistics`,
  statisticsNote: safe`max since node start`,
  listeners: safe`Listeners`,
  listenersNote: safe`connections / limit`,
  noListeners: safe`none`,
  others: safe`Other nodes`,
  othersNote: safe`now`,
  listenersUnknown: safe`not reported`,
  shutdownCounts: safe`shutdown counts:`,
  rising: safe`rising`,
  unparsed: safe`Invalid fields`,
  unparsedNote: safe`as the broker sent them`,
};

export const listenersTexts = {
  empty: safe`No listeners.`,
  emptyInScope: safe`No listeners on this node.`,
  used: safe`used`,
  connections: safe`connections`,
  limit: safe`limit`,
  acceptors: safe`acceptors`,
  shutdownCounts: safe`Shutdown counts`,
  none: safe`none`,
  id: safe`ID`,
  running: safe`state`,
  unlimited: safe`unlimited`,
  noDataFrom: (nodes: readonly SafeText[]) => safe`no data from ${joinSafe(nodes, safe`, `)}`,
};

export const clientTexts = {
  /** By the client, or to it. */
  traffic: (messages: SafeText, bytes: SafeText) => safe`${messages} msg, ${bytes}`,
  connection: safe`Connection`,
  session: safe`Session`,
  subscriptions: safe`Subscriptions`,
  id: safe`Client ID`,
  idLength: (characters: number) => safe`${formatCount(characters)} characters`,
  idCut: (characters: number) => safe`(${formatCount(characters)} characters, shown in full at the end)`,
  loading: safe`··· loading`,
  failed: (reason: SafeText) => safe`! not read: ${reason}`,
  unknown: safe`No client, session or subscription with this ID.`,
  /** Of a client that reconnects again and again, or that the list still has. */
  away: safe`Not connected now, and it has no session. This was its last connection:`,
  lastConnection: safe`Last connection`,
  notConnected: safe`not connected`,
  noSession: safe`no session`,
  noSubscriptions: safe`no subscriptions`,
  connected: (connections: number) =>
    connections === 1 ? safe`connected` : safe`${connections} connections (takeover)`,
  connectionUnknown: safe`connection unknown`,
  sessionRemains: safe`not connected, session stored`,
  nodeDown: safe`node not running`,
  maybeConnected: (node: SafeText) =>
    safe`Last seen on ${node}, which is not running. It may still be connected there.`,
  countersAsOfDisconnect: (seconds: number | undefined) =>
    seconds === undefined || seconds < 1
      ? safe`counters as of disconnect`
      : safe`counters as of disconnect, at least ${formatDuration(seconds)} ago`,
  countersUnknown: safe`Counters unknown: only the session's own node reports them. Connect to that node with --url.`,
  readIn: (milliseconds: number) => safe`read in ${formatElapsed(milliseconds)}`,
  live: safe`live`,
  frozen: safe`paused`,
  notRead: safe`not read`,
  old: (seconds: number) => safe`${formatDuration(seconds)} old`,
  noLongerConnected: safe`no longer connected`,
  persistent: safe`persistent`,
  clean: safe`clean`,
  more: (count: number) => safe`and ${formatCount(count)} more (Enter)`,
  trends: safe`Trends`,
  queue: safe`queue`,
  delivered: safe`delivered`,
  dropped: safe`dropped`,
  peak: safe`peak`,
  ofMax: (max: SafeText) => safe`of ${max}`,
};

/** Figures of the screens that More lists. */
export const moreTexts = {
  settings: (count: number) => safe`${formatCount(count)} settings`,
  users: (count: number) => safe`${formatCount(count)} ${count === 1 ? safe`user` : safe`users`}`,
  entries: (count: number, errors: number) =>
    safe`${formatCount(count)} ${count === 1 ? safe`entry` : safe`entries`}${errors === 0 ? safe`` : safe`, ${formatCount(errors)} ${errors === 1 ? safe`needs` : safe`need`} attention`}`,
};

export const sessionsTexts = {
  old: (seconds: number) => safe`${formatDuration(seconds)} old`,
  countersUnknown: (count: number, total: number, nodes: readonly SafeText[]) =>
    safe`no counters of ${formatCount(count)} of ${formatCount(total)} sessions (${joinSafe(nodes, safe`, `)}): only their own node has them (--url)`,
};

export const subscriptionsTexts = {
  routesLoading: safe`routed to ···`,
  routesFailed: (retry: SafeText, reason: SafeText) => safe`! routes not read, ${retry}: ${reason}`,
  routedTo: (nodes: readonly SafeText[]) =>
    nodes.length === 0 ? safe`no routes` : safe`routed to ${joinSafe(nodes, safe`, `)}`,
  stale: safe`(old)`,
  openClient: (clientId: SafeText) => safe`open client "${clientId}"`,
};

export const routesTexts = {
  nodes: safe`Nodes`,
  filters: safe`filters`,
  wildcards: safe`wildcards`,
  ofTopic: safe`the routes of this topic filter`,
  emptyForTopic: safe`No routes: no client subscribes to this topic filter.`,
};

export const pluginsTexts = {
  empty: safe`No plugins on any node.`,
  nodes: safe`Nodes`,
  ifStopped: safe`If stopped`,
  settings: safe`Settings`,
  settingsOf: (node: SafeText) => safe`on ${node} (Enter)`,
  activeOn: (active: number, nodes: number) => safe`${active}/${nodes}`,
  allNodes: safe`always all nodes`,
  stopped: (node: SafeText) => safe`Settings not shown: ${node} is not running.`,
  notListed: (node: SafeText | undefined) =>
    node === undefined
      ? safe`Settings not shown: no node lists this plugin.`
      : safe`Settings not shown: ${node} does not list this plugin.`,
};

export const pluginSettingsTexts = {
  value: safe`Value`,
  description: safe`Description`,
  title: (plugin: SafeText, node: SafeText) => safe`Settings of ${plugin} on ${node}`,
  settingTitle: (plugin: SafeText, node: SafeText) => safe`Setting of ${plugin} on ${node}`,
  empty: safe`This plugin has no settings.`,
  notOffered: safe`plugin settings`,
  notFound: safe`plugin settings`,
  noOtherNode: safe`No other running node has this plugin.`,
};

export const settingsTexts = {
  settingTitle: safe`Setting`,
  differ: safe`! differ`,
  empty: safe`No settings on any node.`,
  notOffered: safe`settings`,
  notFound: safe`settings`,
  /** `known` of `nodes` have the setting. */
  sameness: (isDifferent: boolean, known: number, nodes: number) =>
    isDifferent ? safe`! differ` : known < 2 ? unknownText : known < nodes ? safe`${known} of ${nodes}` : safe`same`,
  appliesTo: {
    all: safe`at once`,
    'new-sessions': safe`for new sessions`,
    'new-connections': safe`for new connections`,
    unknown: unknownText,
  },
  aboutLabel: safe`about`,
  accepts: safe`Accepts`,
  values: safe`Values`,
  takesEffectTitle: safe`Takes effect`,
  type: safe`type`,
  takesEffect: safe`takes effect`,
  effects: {
    all: safe`at once`,
    'new-sessions': safe`for new sessions; existing ones keep the old value`,
    'new-connections': safe`for new connections; connected clients may keep the old value`,
  },
  application: safe`application`,
  fetched: (seconds: number) => safe`read ${formatAge(seconds)}`,
  different: (settings: number) => safe`! ${settings} ${settings === 1 ? safe`differs` : safe`differ`} between nodes`,
  nodeByNode: safe`read node by node`,
};

export const metricsTexts = {
  clusterTitle: safe`Cluster metrics`,
  nodeTitle: (node: SafeText, status: SafeText | undefined) =>
    status === undefined ? safe`Metrics of ${node}` : safe`Metrics of ${node} (${status})`,
  nextNode: safe`v next node`,
  stale: (origin: SafeText, seconds: number) => safe`${origin}, ${formatDuration(seconds)} old`,
  loading: safe`${loadingText} loading`,
  missing: safe`no data`,
  notRunning: (status: SafeText) => safe`no data: the node is ${status}`,
  total: safe`cluster total`,
  sum: (nodes: number, leftOut: readonly SafeText[]) => {
    const included = plural(nodes, safe`node`, safe`nodes`);
    return leftOut.length === 0
      ? safe`sum of ${included}`
      : safe`sum of ${included}, without ${joinSafe(leftOut, safe`, `)}`;
  },
  thisNode: safe`this node only`,
  loadingNode: safe`${loadingText} this node only`,
  noNode: safe`no metrics for this node`,
  sessionsNotRead: safe`Sessions are not read yet.`,
  failed: (reason: SafeText) => safe`! metrics: ${reason}`,
  /** Of a count that rises and falls. */
  noRate: safe`–`,
  unrouted: safe`unrouted`,
  dropping: safe`dropping`,
  missed: safe`missing`,
  trend: safe`TREND`,
  noun: safe`counter`,
  cluster: safe`cluster`,
  peak: safe`peak`,
  windowCommand: (window: SafeText) => safe`Metrics: time window of ${window}`,
  window: (window: SafeText) => safe`${window} window ({ })`,
  /** While the history is younger than the window, or has gaps. */
  partOfWindow: (window: SafeText, recorded: SafeText) => safe`${window} window ({ }), ${recorded} recorded`,
  /** The highest average over so long: no rate is known in less. */
  rate: safe`${formatRoundDuration(averageSeconds)} AVG`,
  rateOf: safe`(${formatRoundDuration(averageSeconds)} avg)`,
  peakOf: (step: SafeText) => safe`peak (${step} avg)`,
  windowChosen: (window: SafeText, isPart: boolean) =>
    isPart ? safe`Time window: ${window}. Graphs show what has been recorded so far.` : safe`Time window: ${window}`,
  moreNodes: (count: SafeText) => safe`${count} more nodes: press v`,
};

export const ratesTexts = {
  /** `seconds`: the time span of the graphs; `hasPeak`: their peaks are shown; `isAveraged`: the rates are averages, as in the problems about them. */
  title: ({
    ageSeconds,
    seconds,
    hasPeak,
    isAveraged = false,
  }: {
    readonly ageSeconds: number;
    readonly seconds: number;
    readonly hasPeak: boolean;
    readonly isAveraged?: boolean;
  }): SafeText =>
    joinSafe(
      [
        ...(ageSeconds > 0 ? [safe`${formatDuration(ageSeconds)} old`] : []),
        ...(isAveraged ? [ratesTexts.averaged] : []),
        safe`last ${formatRoundDuration(seconds)}`,
        ...(hasPeak ? [metricsTexts.peak] : []),
      ],
      safe` · `,
    ),
  averaged: safe`${formatRoundDuration(averageSeconds)} average`,
};

export const acknowledgeTexts = {
  title: safe`Acknowledge this problem?`,
  verb: safe`acknowledge`,
  note: safe`Note`,
  help: safe`optional: the reason, or who is working on it. The problem moves to the end of the list until it ends.`,
  acknowledged: (note: SafeText) => (note === '' ? safe`Acknowledged` : safe`Acknowledged: ${note}`),
  takenBack: safe`No longer acknowledged`,
  /** Of the menu, for a problem that is not about a single client, and its choices. */
  menu: safe`Actions for this problem`,
  open: safe`Open`,
  acknowledge: safe`Acknowledge`,
  undo: safe`Undo acknowledgement`,
};

export const logTexts = {
  empty: safe`No actions, problems or errors yet.`,
  problemBegan: (title: string) => `Problem: ${title}`,
  /** Of one whose entry did not yet say who it is. */
  problemNamed: (title: string) => `Now known: ${title}`,
  /** Of one that was a warning. */
  problemCritical: (title: string) => `Now critical: ${title}`,
  problemEased: (title: string) => `No longer critical: ${title}`,
  /** @param note `undefined`: no longer */
  problemAcknowledged: (title: string, note: string | undefined) =>
    note === undefined
      ? `No longer acknowledged: ${title}`
      : `Acknowledged: ${title}${note === '' ? '' : ` (${note})`}`,
  /** Besides those with an entry each. */
  moreProblems: {
    began: (count: number) => `${pluralize(count, 'more problem')} began`,
    worsened: (count: number) => `${pluralize(count, 'more problem')} became critical`,
    eased: (count: number) => `${pluralize(count, 'more problem')} no longer critical`,
    ended: (count: number) => `${pluralize(count, 'more problem')} resolved`,
    acknowledged: (count: number) => `The same for ${pluralize(count, 'more problem')}`,
  },
  problemEnded: (title: string, lasted: string | undefined) =>
    `Resolved${lasted === undefined ? '' : ` after ${lasted}`}: "${title}"`,
  levels: { info: safe`info`, warning: safe`warning`, error: safe`error`, running: safe`running` },
  cut: (characters: number) => safe`(${formatCount(characters)} characters, cut here)`,
  repeated: (times: number, since: SafeText) => safe`(${formatCount(times)} times since ${since})`,
};

export const alarmsTexts = {
  notOffered: safe`alarms`,
  active: safe`Active alarms`,
  ended: safe`Alarm history`,
  showEnded: safe`v history`,
  showActive: safe`v active`,
  noneActive: safe`No active alarms.`,
  noneEnded: safe`No ended alarms.`,
  node: safe`node`,
  severity: safe`severity`,
  since: safe`since`,
  endedAt: safe`ended`,
  duration: safe`duration`,
};

export const bansTexts = {
  notOffered: safe`bans`,
  empty: safe`No bans. Press n to add one.`,
  emptyReadOnly: safe`No bans.`,
  kind: safe`bans`,
  reason: safe`Reason`,
  by: safe`by`,
  since: safe`added`,
  until: safe`ends`,
};

export const shownPayloadTexts = {
  empty: safe`empty`,
  /** `place`: of the first byte that is not UTF-8. */
  notText: (place: number | undefined) =>
    safe`not UTF-8${place === undefined ? safe`` : safe` (byte ${formatCount(place)})`}`,
  hexadecimal: safe`hexadecimal`,
  byteOrderMark: safe`starts with a byte order mark`,
  cut: safe`… (cut)`,
};

export const clientSearchTexts = {
  searching: safe`asking the broker`,
  failed: safe`! the broker cannot search (L: log)`,
  found: (count: number, hasMore: boolean) =>
    safe`found by the broker: ${formatCount(count)}${hasMore ? safe`+` : safe``} connected`,
};

export const messagesTexts = {
  notOffered: safe`session messages`,
  plural: safe`messages`,
  title: { queue: safe`Queued messages for`, inflight: safe`Inflight messages for` },
  toggle: { queue: safe`v inflight`, inflight: safe`v queued` },
  empty: { queue: safe`The queue is empty.`, inflight: safe`No message is in flight.` },
  /** What most of the messages have in common. */
  summary: (
    topic: { readonly name: SafeText; readonly count: number } | undefined,
    from: { readonly name: SafeText; readonly count: number } | undefined,
  ) =>
    joinSafe(
      [
        ...(topic === undefined ? [] : [safe`${formatCount(topic.count)} of ${topic.name}`]),
        ...(from === undefined ? [] : [safe`${formatCount(from.count)} from ${from.name}`]),
      ],
      safe` · `,
    ),
  more: (shown: number) => safe`the first ${formatCount(shown)} are listed`,
  message: safe`Message`,
  topic: safe`topic`,
  published: safe`published`,
  from: safe`from`,
  user: safe`username`,
  qos: safe`QoS`,
  payload: (kind: SafeText) => safe`payload (${kind})`,
};

export const retainedTexts = {
  notOffered: safe`retained messages`,
  plural: safe`retained messages`,
  empty: safe`No retained messages.`,
  more: (shown: number) => safe`only the first ${formatCount(shown)} are listed; type a topic after / to read another`,
  openTyped: (topic: SafeText) => safe`read the retained message of "${topic}"`,
  reading: safe`Reading the message…`,
  none: safe`Nothing is retained for this topic.`,
  message: safe`Retained message`,
  payload: safe`Payload`,
};

export const slowSubscriptionsTexts = {
  notOffered: safe`slow subscriptions`,
  empty: safe`No slow subscriptions.`,
  disabled: (setting: SafeText | undefined) =>
    safe`This broker does not measure slow subscriptions.${setting === undefined ? safe`` : safe` Turn them on in its configuration (${setting}).`}`,
  threshold: (milliseconds: SafeText) => safe`Messages that take longer than ${milliseconds} ms to arrive`,
};

export const topTalkersTexts = {
  title: safe`Top talkers`,
  notOffered: safe`traffic of clients`,
  /** `seconds`: what the rates are measured over; `undefined` before there are any. */
  window: (seconds: number | undefined) =>
    seconds === undefined
      ? safe`no rates yet: most messages so far first`
      : safe`rates over ${formatDuration(seconds)}`,
};

export const apiKeysTexts = {
  notOffered: safe`API keys`,
  empty: safe`No API keys. Press n to add one.`,
  emptyReadOnly: safe`No API keys.`,
  key: safe`key`,
  enabled: safe`enabled`,
  created: safe`created`,
  expires: safe`expires`,
  description: safe`Description`,
};

export const usersTexts = {
  notOffered: safe`users`,
  empty: safe`No users.`,
  title: (url: SafeText) => safe`Users at ${url}`,
  titleNote: safe`some brokers keep users per node`,
  attribute: { tags: safe`TAGS`, role: safe`ROLE`, description: safe`DESCRIPTION` },
};
