import { formatCount, plural } from '../terminal/format.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';

/** Titles and figures of Overview; what else its panels say is with the nouns that draw them. */
export const overviewTexts = {
  rates: safe`Cluster rates`,
  busiest: safe`Busiest sessions`,
  busiestNote: safe`by deliveries`,
  listeners: safe`Listeners`,
  /** The title of the panel with graphs. */
  levels: safe`Trends`,
  clients: safe`connected clients`,
  ofSessions: (sessions: number) => safe`${plural(sessions, safe`session`, safe`sessions`)}`,
  queueDelivers: (rate: SafeText) => safe`receives ${rate}`,
  nodes: safe`Nodes`,
  totals: safe`Totals`,
} as const;

/** Figures of the screens that More lists. */
export const moreTexts = {
  settings: (count: number) => safe`${formatCount(count)} settings`,
  users: (count: number) => safe`${formatCount(count)} ${count === 1 ? safe`user` : safe`users`}`,
  events: (count: number, critical: number) =>
    safe`${formatCount(count)} ${count === 1 ? safe`event` : safe`events`}${critical === 0 ? safe`` : safe`, ${formatCount(critical)} critical`}`,
};
