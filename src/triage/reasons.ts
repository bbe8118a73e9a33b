import type { NodeName } from '../domain/node.ts';
import { minAverageSeconds } from '../domain/rates.ts';
import { join, say, type Sentence } from '../domain/sentence.ts';
import { untrusted } from '../domain/text.ts';
import type { MonitorState, ResourceState } from '../monitor/state.ts';
import type { NotChecked } from '../resources/freshness.ts';
import { requestedMsOf, selectUnreadNodes } from '../resources/nodes/select.ts';
import type { VitalName } from '../resources/vital.ts';
import { readingNames } from './reading-names.ts';
import { selectVital } from '../resources/vital.ts';

interface Unjudged {
  readonly unjudged: readonly NotChecked[];
}

/** A reason why a check is incomplete. Facts are named by its words. */
export interface Reason {
  readonly code: string;
}

export type UnreadReason =
  | { readonly code: 'reading-missing'; readonly resource: VitalName }
  | { readonly code: 'reading-old'; readonly resource: VitalName; readonly ageSeconds: number };

export interface ShortHistory {
  readonly code: 'history-short';
  readonly of: 'totals' | 'metrics' | 'client counts';
  readonly minSeconds: number;
}

/** What the checks said at a moment of a recording is not known. */
export interface UnknownReport {
  readonly code: 'report-missing' | 'report-unreadable';
}

/** The login may not read what the check needs. */
export interface ForbiddenReading {
  readonly code: 'not-allowed';
  readonly what: readonly string[];
}

/** The broker does not have what the check needs. */
export interface LackingReading {
  readonly code: 'not-offered';
  readonly what: readonly string[];
}

/** Reasons that any check may have. */
export type SharedReason = UnreadReason | ShortHistory | UnknownReport | ForbiddenReading | LackingReading;

export interface ReasonWords<R extends Reason> {
  text(reason: R): Sentence;
  /** Next to the title of the check; the text unless given. */
  brief?(reason: R): Sentence;
  /** Nothing is missing: the check is only less exact. */
  readonly isNote?: true;
  /** No further reading shows it, with these addresses. */
  readonly isOutOfReach?: true;
}

/** The resources that each history is made of. */
export const historyOf: Readonly<Record<ShortHistory['of'], readonly VitalName[]>> = {
  totals: ['nodeStats', 'stats', 'metrics'],
  metrics: ['metrics'],
  'client counts': ['metrics', 'stats'],
};

const historyNeeds: Readonly<Record<ShortHistory['of'], string>> = {
  totals: 'sudden changes need',
  metrics: 'rates need',
  'client counts': 'reconnects need',
};

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter((part) => part !== '').join(' and ');

export const sharedReasons: {
  readonly [Code in SharedReason['code']]: ReasonWords<Extract<SharedReason, { readonly code: Code }>>;
} = {
  'reading-missing': { text: ({ resource }) => say`${readingNames[resource]} not read yet` },
  'reading-old': {
    text: ({ resource, ageSeconds }) =>
      say`${readingNames[resource]} ${readingNames[resource].endsWith('s') ? 'are' : 'is'} ${ageSeconds} s old`,
  },
  'history-short': {
    text: ({ of, minSeconds }) => say`${historyNeeds[of]} ${minSeconds} s of history`,
    brief: ({ minSeconds }) => say`needs ${minSeconds} s of history`,
  },
  'not-allowed': { text: ({ what }) => say`this login may not read ${listed(what)}`, isOutOfReach: true },
  'not-offered': { text: ({ what }) => say`this broker's API has no ${listed(what)}`, isOutOfReach: true },
  'report-missing': { text: () => say`problems were not recorded`, brief: () => say`not recorded`, isOutOfReach: true },
  'report-unreadable': {
    text: () => say`problems were recorded by another version, with other checks`,
    brief: () => say`recorded by another version`,
    isOutOfReach: true,
  },
};

/** There is no average of the counters yet. */
export const shortMetrics: ShortHistory = { code: 'history-short', of: 'metrics', minSeconds: minAverageSeconds };

type UnreadResource = Extract<NotChecked, { readonly kind: 'resource' }>;

const reasonOf = ({ resource, ageSeconds }: UnreadResource): UnreadReason =>
  ageSeconds === undefined
    ? { code: 'reading-missing', resource }
    : { code: 'reading-old', resource, ageSeconds: Math.floor(ageSeconds) };

/** Returns which of these resources were not read, or not lately. */
export const unreadReasons = ({ unjudged }: Unjudged, resources: readonly VitalName[]): readonly UnreadReason[] =>
  unjudged.flatMap((item) => (item.kind === 'resource' && resources.includes(item.resource) ? [reasonOf(item)] : []));

type Limit = Extract<NotChecked, { readonly kind: 'limit' }>;

export interface UnknownLimit {
  readonly code: 'limit-unknown';
  readonly figure: Limit['figure'];
  readonly nodes: readonly NodeName[];
}

export const unknownLimitWords: ReasonWords<UnknownLimit> = {
  text: ({ figure, nodes }) =>
    say`${figure} of ${join(
      nodes.map((node) => [untrusted(node)]),
      ' and ',
    )} unknown`,
};

/** The nodes without these figures, or without their limits. */
export function unknownLimits(
  { unjudged }: Unjudged,
  isWanted: (figure: Limit['figure']) => boolean,
): readonly UnknownLimit[] {
  const items = unjudged.filter((item) => item.kind === 'limit').filter(({ figure }) => isWanted(figure));
  return [...Map.groupBy(items, ({ figure }) => figure)].map(([figure, of]) => ({
    code: 'limit-unknown',
    figure,
    nodes: of.map(({ node }) => node),
  }));
}

/** Whether the limit of a figure of a node is known. */
export const isLimitKnown = ({ unjudged }: Unjudged, node: NodeName, figure: Limit['figure']): boolean =>
  !unjudged.some((item) => item.kind === 'limit' && item.node === node && item.figure === figure);

/** The nodes that did not answer when a resource was last read. */
export const unreadNodesOf = (state: MonitorState, resource: VitalName): readonly NodeName[] =>
  selectUnreadNodes(state, requestedMsOf(selectVital(state)[resource]) ?? -Infinity);

/** Whether what the nodes report together is complete. */
export const areAllNodesRead = (
  state: MonitorState,
  reading: Pick<ResourceState<unknown>, 'updatedAtMs' | 'durationMs'> | undefined,
): boolean =>
  selectUnreadNodes(state, (reading === undefined ? undefined : requestedMsOf(reading)) ?? -Infinity).length === 0;
