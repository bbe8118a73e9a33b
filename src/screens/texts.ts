import { formatAge, formatCount, formatDuration, plural } from '../terminal/format.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';

/** Texts of Overview without its problems, whose texts are in `problem-texts.ts` and `check-texts.ts`. */
export const overviewTexts = {
  rates: safe`Cluster rates`,
  busiest: safe`Busiest sessions`,
  busiestNote: safe`by deliveries`,
  busiestColumns: { client: safe`CLIENT ID`, node: safe`NODE`, rate: safe`DELIVER/S`, queue: safe`QUEUE` },
  noSessionRates: safe`no rates yet: sessions are read twice first`,
  noDeliveries: safe`no session gets messages`,
  listeners: safe`Listeners`,
  /** @param ageSeconds since the listeners were read */
  listenersNote: (ageSeconds: number | undefined) =>
    ageSeconds === undefined ? safe`connections / limit` : safe`connections / limit, read ${formatAge(ageSeconds)}`,
  moreListeners: (count: number) => safe`+${formatCount(count)} more (press 3)`,
  moreNodes: (count: number) => safe`+${formatCount(count)} more nodes (press 2)`,
  /** Describes a node that is down, with the clients that it had. */
  noFigures: (clients: number | undefined) =>
    clients === undefined
      ? safe`no data`
      : safe`had ${formatCount(clients)} ${clients === 1 ? safe`client` : safe`clients`}`,
  messages: safe`Messages`,
  clusterMessages: safe`Cluster messages`,
  /** Messages that full queues lost. */
  queueDrops: safe`queue drops`,
  dropsUnmeasured: safe`not measured yet`,
  /** The title of the panel with graphs. */
  levels: safe`Trends`,
  clients: safe`connected clients`,
  ofSessions: (sessions: number) => safe`${plural(sessions, safe`session`, safe`sessions`)}`,
  queueDelivers: (rate: SafeText) => safe`receives ${rate}`,
  unrouted: safe`unrouted`,
  fanOut: safe`fan-out`,
  nodes: safe`Nodes`,
  totals: safe`Totals`,
  /** Rounds down to ten seconds, then to minutes. */
  totalsNote: (seconds: number) =>
    safe`change over ${seconds < 60 ? formatDuration(Math.floor(seconds / 10) * 10 || Math.floor(seconds)) : safe`${Math.round(seconds / 60)} min`}`,
} as const;

/** Figures of the screens that More lists. */
export const moreTexts = {
  settings: (count: number) => safe`${formatCount(count)} settings`,
  users: (count: number) => safe`${formatCount(count)} ${count === 1 ? safe`user` : safe`users`}`,
  events: (count: number, critical: number) =>
    safe`${formatCount(count)} ${count === 1 ? safe`event` : safe`events`}${critical === 0 ? safe`` : safe`, ${formatCount(critical)} critical`}`,
};

export const acknowledgeTexts = {
  title: safe`Acknowledge this problem?`,
  verb: safe`acknowledge`,
  note: safe`Note`,
  help: safe`optional: the reason, or who is working on it. The problem moves to the end of the list until it ends.`,
  acknowledged: (note: SafeText) => (note === '' ? safe`Acknowledged` : safe`Acknowledged: ${note}`),
  takenBack: safe`No longer acknowledged`,
  /** The menu of a problem that is not about a single client, and its choices. */
  menu: safe`Actions for this problem`,
  open: safe`Open`,
  acknowledge: safe`Acknowledge`,
  undo: safe`Undo acknowledgement`,
};
