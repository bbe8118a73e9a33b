import { formatAge, formatCount, formatDuration } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const nodesTexts = {
  empty: safe`No nodes.`,
  sinceBeforeStart: safe`since before brokertop started`,
  duration: (seconds: number) => safe`for ${formatDuration(seconds)}`,
  seen: (duration: SafeText, seconds: number) => safe`${duration}, seen ${formatAge(seconds)}`,
  moreNodes: (count: number) => safe`+${formatCount(count)} more nodes (press 2)`,
  /** Describes a node that is down, with the clients that it had. */
  noFigures: (clients: number | undefined) =>
    clients === undefined
      ? safe`no data`
      : safe`had ${formatCount(clients)} ${clients === 1 ? safe`client` : safe`clients`}`,
  statistics: safe`statistics`,
  versions: safe`versions and uptimes`,
  viewOf: (view: SafeText) => safe`as ${view} sees them`,
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

/** A sign of a node, for the help. */
export const loadSymbol = [safe`↑`, safe`load is rising`] as const;
