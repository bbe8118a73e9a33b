import type { UnusableRows } from '../../api/management-api.ts';
import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { literal, pluralize, type TextPart, untrusted, withThousands } from '../../domain/text.ts';
import { type MonitorState, type ResourceName, type ResourceState, type ScanCoverage, type ScanCut, type ScanName, type ScanState, type Watched, wholeCluster } from '../state.ts';

/** How much of a list is read, over all nodes. */
export interface ScanLimits {
  readonly maxRows: number;
  /** Characters in the texts of all rows. */
  readonly maxTextLength: number;
  readonly maxMs: number;
}

export const scanLimits: ScanLimits = { maxRows: 1_000_000, maxTextLength: 256 * 2 ** 20, maxMs: 600_000 };

/** Both together, with the example of the first. */
export function addUnusable(before: UnusableRows | undefined, more: UnusableRows): UnusableRows {
  return before === undefined ? more : { ...before, count: before.count + more.count };
}

const cutReasons: Readonly<Record<ScanCut, string>> = {
  rows: 'limit: --max-rows',
  text: `limit: ${scanLimits.maxTextLength / 2 ** 20} MB of text`,
  time: `limit: ${scanLimits.maxMs / 60_000} min`,
  growth: 'the list grew by more than half meanwhile',
  repeats: 'further pages brought nothing new',
};

/** How much of a list was read before its reading ended, and why it did: `200 of 5,000 rows read (limit: --max-rows)`; `undefined` where all was read. */
export function cutText({ cut, read, expected }: Pick<ScanCoverage, 'cut' | 'read' | 'expected'>): string | undefined {
  if (cut === undefined) return undefined;
  const all = expected !== undefined && expected > read ? ` of ${withThousands(expected)}` : '';
  return `${withThousands(read)}${all} rows read (${cutReasons[cut]})`;
}

/** The same as a sentence for the log. */
export function cutNote(source: string, coverage: ScanCoverage): string | undefined {
  const text = cutText(coverage);
  return text === undefined ? undefined : `${source}: only ${text}.`;
}

/** How many rows of how many were not understood: `6 of 9 rows not understood`; `read`: those that were, where that is known. */
export function unusableText({ count }: UnusableRows, read?: number): string {
  return read === undefined ? `${pluralize(count, 'row')} not understood` : `${withThousands(count)} of ${pluralize(read + count, 'row')} not understood`;
}

/** The same as a sentence for the log, with an example. */
export function unusableNote(source: string, rows: UnusableRows, read?: number): string {
  return `${source}: ${unusableText(rows, read)} and left out. The fields of one: ${rows.example}.`;
}

/** Whether a list that was read to its end is all there is: otherwise nothing may be counted or called absent by it. */
export function isWhole({ phase, leftOut }: Pick<ScanState<unknown>, 'phase' | 'leftOut'>): boolean {
  return phase === 'complete' && leftOut.size === 0;
}

/** Rows that a reading does not show. */
export interface MissingRows {
  /** The same for the same list, from state to state. */
  readonly key: string;
  /** Which rows of how many, and why. */
  readonly parts: readonly TextPart[];
  readonly watched: Watched;
  /** When the reading ended, wall clock. */
  readonly readAtMs: number | undefined;
  /** Reading ended early, at a limit or because the list has no end; otherwise rows were not understood. */
  readonly isCut: boolean;
}

const scanTitles: Readonly<Record<ScanName, string>> = { clientScan: 'Clients', sessionScan: 'Sessions', subscriptionScan: 'Subscriptions', routeScan: 'Routes' };

const resourceTitles: Readonly<Record<ResourceName, string>> = { nodes: 'Node list', nodeStats: 'Node statistics', listeners: 'Listeners', metrics: 'Metrics', stats: 'Statistics' };

/** `Clients of a: `, with how many nodes more. */
function titleParts(title: string, nodes: readonly NodeName[]): readonly TextPart[] {
  const [first] = nodes;
  if (first === undefined || first === wholeCluster) return [literal(`${title}: `)];
  return [literal(`${title} of `), untrusted(first), literal(nodes.length === 1 ? ': ' : ` and ${pluralize(nodes.length - 1, 'more node')}: `)];
}

/** The readings of several nodes as one. */
function together(readings: readonly ScanCoverage[]): { readonly read: number; readonly expected: number | undefined } {
  return {
    read: readings.reduce((sum, { read }) => sum + read, 0),
    expected: readings.reduce<number | undefined>((sum, { expected }) => (sum === undefined || expected === undefined ? undefined : sum + expected), 0),
  };
}

function missingInScan(name: ScanName, { leftOut, finishedAtMs }: ScanState<unknown>): readonly MissingRows[] {
  const base = { watched: { kind: name }, readAtMs: finishedAtMs } as const;
  const cut = [...leftOut].filter(([, reading]) => reading.cut !== undefined);
  const bad = [...leftOut].filter(([, reading]) => reading.unusable !== undefined);
  const why = cut[0]?.[1].cut;
  const rows = bad.reduce<UnusableRows | undefined>((sum, [, { unusable }]) => (unusable === undefined ? sum : addUnusable(sum, unusable)), undefined);
  return [
    ...(why === undefined ? [] : [{
      ...base, isCut: true, key: `cut ${name}`,
      parts: [...titleParts(scanTitles[name], cut.map(([node]) => node)), literal(`only ${cutText({ ...together(cut.map(([, reading]) => reading)), cut: why }) ?? ''}.`)],
    }]),
    ...(rows === undefined ? [] : [{
      ...base, isCut: false, key: `unusable ${name}`,
      parts: [...titleParts(scanTitles[name], bad.map(([node]) => node)), literal(`${unusableText(rows, together(bad.map(([, reading]) => reading)).read)}.`)],
    }]),
  ];
}

function missingIn(title: readonly TextPart[], watched: Watched, { unusable, updatedAtMs }: ResourceState<unknown>): readonly MissingRows[] {
  if (unusable === undefined) return [];
  return [{
    watched, readAtMs: updatedAtMs, isCut: false, key: `unusable ${JSON.stringify(watched)}`,
    parts: [...title, literal(`: ${unusableText(unusable)}.`)],
  }];
}

const find = memoise((
  resources: MonitorState['resources'], clientScan: MonitorState['clientScan'], sessionScan: MonitorState['sessionScan'], subscriptionScan: MonitorState['subscriptionScan'],
  routeScan: MonitorState['routeScan'], nodePlugins: MonitorState['nodePlugins'], settings: MonitorState['settings'], nodeSettings: MonitorState['nodeSettings'],
  users: MonitorState['users'],
): readonly MissingRows[] => [
  ...(Object.keys(resourceTitles) as ResourceName[]).flatMap((name) => missingIn([literal(resourceTitles[name])], { kind: 'resource', name }, resources[name])),
  ...missingInScan('clientScan', clientScan),
  ...missingInScan('sessionScan', sessionScan),
  ...missingInScan('subscriptionScan', subscriptionScan),
  ...missingInScan('routeScan', routeScan),
  ...[...nodePlugins].flatMap(([node, state]) => missingIn([literal('Plugins of '), untrusted(node)], { kind: 'nodePlugins', node }, state)),
  ...missingIn([literal('Settings')], { kind: 'settings' }, settings),
  ...[...nodeSettings].flatMap(([node, state]) => missingIn([literal('Settings of '), untrusted(node)], { kind: 'nodeSettings', node }, state)),
  ...missingIn([literal('Users')], { kind: 'users' }, users),
]);

/** All lists of which rows are missing, as they were last read. */
export function selectMissingRows({ resources, clientScan, sessionScan, subscriptionScan, routeScan, nodePlugins, settings, nodeSettings, users }: MonitorState): readonly MissingRows[] {
  return find(resources, clientScan, sessionScan, subscriptionScan, routeScan, nodePlugins, settings, nodeSettings, users);
}
