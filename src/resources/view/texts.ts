import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const resourceNames = {
  nodes: safe`node list`,
  nodeStats: safe`node statistics`,
  listeners: safe`listeners`,
  metrics: safe`metrics`,
  stats: safe`statistics`,
};

/** Lists that are read page by page, node by node. `one`, `many`: `client`, `clients`. */
export const scanTexts = {
  clients: { one: safe`client`, many: safe`clients`, none: safe`No clients are connected.` },
  sessions: { one: safe`session`, many: safe`sessions`, none: safe`No sessions.` },
  subscriptions: { one: safe`subscription`, many: safe`subscriptions`, none: safe`No subscriptions.` },
  routes: { one: safe`route`, many: safe`routes`, none: safe`No routes: no client subscribes to anything.` },
  loading: (many: SafeText) => safe`··· loading the ${many}`,
  failed: (many: SafeText, retry: SafeText, error: SafeText) => safe`! Cannot load ${many}, ${retry}. ${error}`,
  noneRead: (many: SafeText) => safe`! Cannot load ${many}.`,
  noneFound: (one: SafeText) => safe`No ${one} found.`,
  noneFoundHere: (one: SafeText) => safe`No ${one} found here.`,
  foundAway: (away: SafeText, all: SafeText) =>
    away === all ? safe`none of ${all} connected right now` : safe`${away} of ${all} not connected right now`,
  allFoundAway: (all: SafeText) => safe`None of these ${all} clients is connected right now.`,
  noneFoundHereYet: (one: SafeText) => safe`No ${one} found here so far.`,
  stoppedEmpty: (one: SafeText) => safe`Stopped before the first ${one} was read.`,
  nodeDown: (node: SafeText, state: SafeText, many: SafeText) => safe`No ${many} listed. ${node}: ${state}.`,

  requests: (count: SafeText, isOne: boolean) => safe`${count} ${isOne ? safe`request` : safe`requests`}`,
  scanning: (percent: SafeText) => safe`scanning ${percent}`,
  scanningRows: (count: SafeText) => safe`scanning, ${count} read`,
  scannedNodes: (count: SafeText, total: SafeText, isOne: boolean) =>
    safe`scanned ${count} of ${total} ${isOne ? safe`node` : safe`nodes`}`,
  stoppedAt: (percent: SafeText) => safe`stopped at ${percent}`,
  unusable: (count: SafeText) => safe`${count} invalid`,
  /** Counts rows with the words that mark them. */
  added: (count: SafeText) => safe`${count} NEW`,
  gone: (count: SafeText) => safe`${count} GONE`,
  age: (age: SafeText) => safe`read ${age}`,

  staleFailed: (many: SafeText, age: SafeText, retry: SafeText, error: SafeText) =>
    safe`! ${many}: last attempt ${age}, ${retry}: ${error}`,
  /** @param rows whose are old; empty if there are none */
  nodesFailed: (nodes: SafeText, retry: SafeText, error: SafeText, rows = safe`its rows`) =>
    safe`! ${nodes}: ${rows === '' ? safe`not read` : safe`not refreshed, ${rows} are OLD`}, ${retry}: ${error}`,
  allNodes: (count: SafeText) => safe`all ${count} nodes`,
  /** @param coverage `1,000 of 5,000 rows` */
  cut: (what: SafeText, coverage: SafeText) => safe`! ${what}: only ${coverage}`,
  ofNode: (many: SafeText, node: SafeText) => safe`${many} of ${node}`,
  andMore: (count: SafeText) => safe` (and ${count} more nodes)`,
  incompleteFrozen: safe`Incomplete: paused during the scan`,
  incomplete: safe`Incomplete: scan stopped`,
  incompleteUntil: (wait: SafeText) => safe`Incomplete: scan stopped. Next refresh in ${wait}; Ctrl-R refreshes now.`,
  nodesUnusable: (count: SafeText, isOne: boolean, many: SafeText) =>
    safe`! ${count} invalid ${isOne ? safe`node` : safe`nodes`}: their ${many} are not listed (L: log)`,
  nodesDown: (count: SafeText, total: SafeText, many: SafeText) =>
    safe`${count} of ${total} nodes not running: ${many} there are not listed`,

  stopped: safe`Scan stopped. Rows already read stay listed.`,
  notRunning: safe`No scan is running`,
};

/** Lists with a column for each node. */
export const nodeTableTexts = {
  maxListed: (max: SafeText) => safe`incomplete: only the first ${max} are read`,
  noNode: safe`No node is running.`,
  nodes: safe`the nodes`,
  all: (many: SafeText) => safe`the ${many}`,
  ofNode: (many: SafeText, node: SafeText) => safe`${many} of ${node}`,
  notRunning: (count: SafeText, total: SafeText) => safe`${count} of ${total} nodes not running`,
  absent: safe`absent`,
  allNodes: safe`ALL NODES`,
  /** @param node `undefined` for all nodes */
  chosen: (node: SafeText | undefined) => safe`target: ${node ?? safe`all nodes`}`,
};

export const groupTexts = {
  noun: safe`group`,
  menu: (many: SafeText) => safe`Group ${many} by`,
  nothing: (many: SafeText) => safe`Nothing to group: no ${many} listed`,
  groups: (count: SafeText, isOne: boolean) => safe`${count} ${isOne ? safe`group` : safe`groups`}`,
  otherGrouping: safe`o group`,
  total: (count: SafeText, noun: SafeText) => safe`${count} ${noun}`,
  marked: (count: SafeText) => safe`${count} marked in the list (Esc)`,
  by: (name: SafeText) => safe`by ${name}`,
  withoutUsername: safe`without a username`,
  /** Writes the group behind `clients`. */
  of: (by: keyof typeof groupingNames, value: SafeText) =>
    by === 'node'
      ? safe`on node ${value}`
      : by === 'address' || by === 'network'
        ? safe`from ${value}`
        : safe`with ${groupingNames[by]} ${value}`,
  shareOf: (count: SafeText, share: SafeText, total: SafeText) => safe`${count} (${share} of ${total})`,
  more: (count: number) => safe`and ${formatCount(count)} more (Enter)`,
  unknown: (sign: SafeText) => safe`${sign} (unknown)`,
  /** Names clients without a username. */
  none: safe`(none)`,
  topic: safe`topic`,
  found: (count: SafeText, time: SafeText, isOne: boolean) =>
    safe`: ${count} ${isOne ? safe`client` : safe`clients`} found at ${time}`,
};

/** The properties that rows can be grouped by. */
export const groupingNames = {
  node: safe`node`,
  username: safe`username`,
  address: safe`address`,
  network: safe`network`,
  proto: safe`protocol version`,
  prefix: safe`ID prefix`,
  filter: safe`topic filter`,
  topic: safe`topic prefix`,
  client: safe`client`,
  qos: safe`QoS`,
};

/** Phrases of several screens. */
export const screenTexts = {
  askBroker: (topic: SafeText) => safe`show the subscribers of "${topic}"`,
  notOffered: (apiName: SafeText, what: SafeText) => safe`Not available: ${apiName} does not support ${what}.`,
  loginNeeded: (what: SafeText) => safe`${what} need a dashboard login, not an API key.`,
  notFound: (what: SafeText) => safe`Not available on this broker: ${what} (404).`,
};

/** Signs of states, for the help. */
export const stateSymbols = [
  [safe`●  ○  ?`, safe`running or ok; stopped; unknown`],
  [safe`!  !!`, safe`warning, or at its limit; critical, or an error`],
] as const;

/** Signs of tables with a column for each node, for the help. */
export const nodeColumnSymbols = [[safe`[ ]`, safe`the node that actions apply to, or all nodes`]] as const;
