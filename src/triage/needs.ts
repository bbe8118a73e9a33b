import { isWatched, type Watchable, watchKey } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import { clientScan } from '../resources/clients/resource.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { selectTotals } from '../resources/statistics/select.ts';
import { subscriptionScan } from '../resources/subscriptions/resource.ts';
import { type VitalName, vitalResources } from '../resources/vital.ts';
import type { Finding, Problem } from './problem.ts';

/** A query that a check needs. */
export interface Need {
  readonly watched: Watchable;
  /** `undefined`: with every refresh. */
  readonly everySeconds: number | undefined;
}

/** Seconds between two readings. */
export interface Pace {
  /** Seconds between readings until there are `firstReadings`. */
  readonly first: number;
  readonly lists: number;
  /** Seconds between readings of the sessions, if the list is short: who becomes slow is named soon. */
  readonly sessions: number;
  /** Seconds between readings of lists that show what changes now, if they are short. */
  readonly urgent: number;
  /** Seconds between readings of the clients during a reconnect storm, if the list is short or nobody is named yet. */
  readonly storm: number;
  readonly administration: number;
}

export const usualPace: Pace = {
  first: 5,
  lists: 30,
  sessions: 15,
  urgent: 5,
  // Clients that reconnect every 5 or 10 s would be away in each reading of a list that is read every 5 s.
  storm: 3,
  administration: 60,
};

type CountedList = 'clients' | 'sessions' | 'subscriptions';

export interface NeedsContext<P extends Problem = Problem> {
  readonly state: MonitorState;
  /** The rows of this check in the last report. */
  readonly findings: readonly Finding<P>[];
  /** The needs of the check are to be read often now. */
  readonly isUrgent: boolean;
  /** The sessions were read too seldom to compare them. */
  readonly areReadingsFew: boolean;
  readonly pace: Pace;
  /** The list is not too long to be read. */
  readonly isShort: (list: CountedList) => boolean;
  /** The list is so short that it may be read often. */
  readonly isOften: (list: CountedList) => boolean;
}

/** Resources that are read with every refresh. */
export const everyRefresh = (...names: readonly VitalName[]): readonly Need[] =>
  names.map((name) => ({ watched: vitalResources[name], everySeconds: undefined }));

/** The nodes that run: what only they report is asked of each. */
export const runningNodeNames = (state: MonitorState): readonly string[] =>
  selectNodes(state).flatMap(({ name, status }) => (status === 'running' ? [name] : []));

/** A queue that grows slowly, or only begins to, shows in later readings than the second. */
export const firstReadings = 4;

/** Lists of so many rows are read often. */
const maxOftenRows = 2_000;

/** Limits lists in the background of Overview. Triage reads longer ones. */
export const maxBackgroundRows = 20_000;

/**
 * How much longer a list that is read already may grow, so that reading does not start and stop while its length
 * changes.
 */
const readMargin = 1.1;

const scanOf = { clients: clientScan, sessions: sessionScan, subscriptions: subscriptionScan } as const;

const rowLimit = (state: MonitorState, list: CountedList, maxRows: number): number =>
  isWatched(state, scanOf[list]) ? maxRows * readMargin : maxRows;

/** Returns the length of a list that is longer than `maxRows`; `undefined` if it is not, or not known yet. */
export function selectTooMany(state: MonitorState, list: CountedList, maxRows: number): number | undefined {
  const { value } = selectTotals(state)[list];
  return value !== undefined && value > rowLimit(state, list, maxRows) ? value : undefined;
}

/** @param maxRows longer lists, and those of unknown length, are not short */
export function needsContext(
  state: MonitorState,
  sessionReadings: number,
  pace: Pace,
  maxRows: number,
): Omit<NeedsContext, 'findings' | 'isUrgent'> {
  const totals = selectTotals(state);
  const hasAtMost = (list: CountedList, rows: number): boolean =>
    (totals[list].value ?? Number.POSITIVE_INFINITY) <= rows;
  return {
    state,
    pace,
    areReadingsFew: sessionReadings < firstReadings,
    isShort: (list) => hasAtMost(list, rowLimit(state, list, maxRows)),
    isOften: (list) => hasAtMost(list, maxOftenRows),
  };
}

/** Lists are read one at a time: the sessions first, as lost messages are the most urgent. */
const rankOf = ({ watched, everySeconds }: Need): number =>
  everySeconds === undefined ? 0 : watched === sessionScan ? 1 : 2;

/** Each thing once, at the shortest of its intervals. */
export function mergeNeeds(needs: readonly Need[]): readonly Need[] {
  const merged = new Map<string, Need>();
  for (const need of needs) {
    const key = watchKey(need.watched);
    const known = merged.get(key);
    if (known === undefined || (need.everySeconds ?? 0) < (known.everySeconds ?? 0)) merged.set(key, need);
  }
  return [...merged.values()].toSorted((a, b) => rankOf(a) - rankOf(b));
}
