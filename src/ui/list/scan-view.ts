import type { Client, Route, Session, Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { cutText } from '../../monitor/scan/left-out.ts';
import { routeIdentity, subscriptionIdentity } from '../../monitor/scan/lists.ts';
import { restFactor } from '../../monitor/scan/scan.ts';
import { type Monitor, type MonitorState, type ScanCoverage, type ScanName, type ScanState, wholeCluster } from '../../monitor/state.ts';
import { formatAge, formatCount, formatDuration, formatElapsed, formatPercent } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { EmptyMessage } from '../components/table-lines.ts';
import { errorText, type Failure, type FetchContext, idleMessage, retryText, wholeError } from './resource-notice.ts';

/** Nodes whose list could not be read, and why. */
export type FailedNodes = ReadonlyMap<NodeName, Failure>;

export const noFailedNodes: FailedNodes = new Map();

/** What the rows of a scanned list are called. */
export interface ScanNouns {
  /** `client`, `clients`. */
  readonly one: SafeText;
  readonly many: SafeText;
  /** Said when the broker has none. */
  readonly none: SafeText;
}

/** The number of rows of a node by other sources. */
export type CountOn = (node: NodeName) => number | undefined;

/** Nodes with older rows. During a scan a node that failed last time counts as failed until it has been read. */
export const failedNodes = (scan: ScanState<unknown>, before: FailedNodes): FailedNodes => {
  const failed = new Map<NodeName, Failure>();
  for (const [node, { error, isComplete }] of scan.coverage) {
    const reason = error ?? (scan.phase === 'running' && !isComplete ? before.get(node) : undefined);
    if (reason !== undefined) {
      failed.set(node, reason);
    }
  }
  const isSame = failed.size === before.size && [...failed].every(([node, error]) => before.get(node) === error);
  return isSame ? before : failed;
};

const expectedOf = (node: NodeName, coverage: ScanCoverage, countOn: CountOn): number | undefined =>
  coverage.isComplete ? coverage.read + (coverage.unusable?.count ?? 0) : (coverage.expected ?? countOn(node));

/** Share of the lists that has been read, 0 to 1; `undefined` when a length is unknown. */
export const scanShare = (scan: ScanState<unknown>, countOn: CountOn): number | undefined => {
  let read = 0;
  let expected = 0;
  for (const [node, coverage] of scan.coverage) {
    const all = expectedOf(node, coverage, countOn);
    if (all === undefined) {
      return undefined;
    }
    read += Math.min(coverage.read, all);
    expected += all;
  }
  if (scan.coverage.size === 0) {
    return undefined;
  }
  return expected === 0 ? 1 : read / expected;
};

const countOf = (count: number, one: SafeText, many: SafeText): SafeText => safe`${formatCount(count)} ${count === 1 ? one : many}`;

/** Progress: `scanned 100 % · 3 requests · 1.1 s`; shorter where room is short. */
export const scanProgress = (scan: ScanState<unknown>, countOn: CountOn, width: number): SafeText => {
  const share = scanShare(scan, countOn);
  const requests = width >= 100 ? [countOf(scan.requests, safe`request`, safe`requests`)] : [];
  // An incomplete scan must not round up to 100 %.
  const percent = formatPercent(share === undefined ? undefined : Math.min(share, 0.99));
  const read = [...scan.coverage.values()];
  const took = scan.startedAtMs === undefined || scan.finishedAtMs === undefined ? [] : [formatElapsed(scan.finishedAtMs - scan.startedAtMs)];
  const leftOut = [...scan.leftOut.values()];
  const unusable = leftOut.reduce((sum, node) => sum + (node.unusable?.count ?? 0), 0);
  const unusableNote = unusable === 0 ? [] : [safe`${formatCount(unusable)} not understood`];
  const join = (...parts: readonly SafeText[]): SafeText => safe`${joinSafe(parts, safe` · `)} `;
  switch (scan.phase) {
    case 'idle':
      return safe``;
    case 'running':
      return join(
        share === undefined ? safe`scanning, ${formatCount(read.reduce((sum, node) => sum + node.read, 0))} read` : safe`scanning ${percent}`,
        ...unusableNote,
        ...requests,
      );
    case 'complete':
      return join(unusable === 0 ? safe`scanned 100 %` : safe`scanned ${percent}`, ...unusableNote, ...requests, ...took);
    case 'partial': {
      if (leftOut.some(({ cut }) => cut !== undefined)) {
        return join(safe`stopped at ${percent}`, ...unusableNote, ...requests, ...took);
      }
      const complete = read.filter(({ isComplete }) => isComplete).length;
      return join(safe`scanned ${complete} of ${countOf(read.length, safe`node`, safe`nodes`)}`, ...unusableNote, ...requests, ...took);
    }
    case 'aborted':
      return join(safe`stopped at ${percent}`, ...unusableNote, ...requests);
  }
};

const nodeNames = (theme: Theme, failed: FailedNodes, nodeCount: number, { many }: ScanNouns): SafeText =>
  failed.has(wholeCluster)
    ? many
    : failed.size > 1 && failed.size === nodeCount
      ? safe`all ${failed.size} nodes`
      : joinSafe([...failed.keys()].map((node) => theme.escape(node, 40)), safe`, `);

/** What is wrong with the list, in one line; the rows stay. */
export const scanProblem = (theme: Theme, scan: ScanState<unknown>, nouns: ScanNouns, failed: FailedNodes, fetchContext: FetchContext): Span | undefined => {
  const retry = retryText(scan.nextScanAtMs, scan.phase === 'running', fetchContext);
  const [first] = failed.values();
  if (scan.error !== undefined && scan.rows.length > 0) {
    const age = formatAge(scan.finishedAtMs === undefined ? undefined : (fetchContext.nowMs - scan.finishedAtMs) / 1000);
    return { text: safe`! ${nouns.many}: last tried ${age}, ${retry}: ${errorText(theme, scan.error)}`, role: 'error' };
  }
  if (first !== undefined) {
    return { text: safe`! ${nodeNames(theme, failed, scan.coverage.size, nouns)}: not read, rows are OLD, ${retry}: ${errorText(theme, first)}`, role: 'error' };
  }
  if (scan.phase === 'aborted') {
    return { text: stoppedText(scan, fetchContext), role: 'warning' };
  }
  return cutProblem(theme, scan, nouns, retry);
};

/** Why the list is incomplete although all nodes answered. */
const cutProblem = (theme: Theme, { leftOut }: ScanState<unknown>, { many }: ScanNouns, retry: SafeText): Span | undefined => {
  const cut = [...leftOut].filter(([, coverage]) => coverage.cut !== undefined);
  const [first] = cut;
  if (first === undefined) {
    return undefined;
  }
  const [node, coverage] = first;
  const where = node === wholeCluster ? safe`` : safe` of ${theme.escape(node, 40)}`;
  const more = cut.length === 1 ? safe`` : safe` (and of ${formatCount(cut.length - 1)} more)`;
  const isOver = coverage.cut === 'rows' || coverage.cut === 'text';
  return { text: safe`! ${many}${where}${more}: only ${theme.escape(cutText(coverage) ?? '')}${isOver ? safe`` : safe`, ${retry}`}`, role: 'warning' };
};

const stoppedText = ({ nextScanAtMs }: ScanState<unknown>, { nowMs, isFrozen, isUnauthorized }: FetchContext): SafeText => {
  if (isFrozen) {
    return safe`frozen before all was read`;
  }
  if (isUnauthorized || nextScanAtMs === undefined) {
    return safe`stopped before all was read`;
  }
  return safe`stopped before all was read; read again in ${formatDuration(Math.max(0, (nextScanAtMs - nowMs) / 1000))}, Ctrl-R now`;
};

/** Shown instead of rows. */
export const scanMessage = (theme: Theme, scan: ScanState<unknown>, nouns: ScanNouns, failed: FailedNodes, fetchContext: FetchContext): EmptyMessage => {
  const retry = retryText(scan.nextScanAtMs, scan.phase === 'running', fetchContext);
  const [first] = failed.values();
  if (scan.error !== undefined) {
    return { text: safe` ! No ${nouns.one} could be read, ${retry}. ${wholeError(theme, scan.error)}`, role: 'error', isUnread: true };
  }
  switch (scan.phase) {
    case 'idle':
    case 'running':
      return idleMessage(fetchContext) ?? { text: safe` ··· reading the ${nouns.many}`, role: 'dim', isUnread: true };
    case 'complete':
      return { text: safe` ${nouns.none}`, role: 'normal' };
    case 'partial':
      return first === undefined && scan.leftOut.size === 0
        ? { text: safe` No ${nouns.one} was found.`, role: 'normal' }
        : { text: safe` ! No ${nouns.one} could be read.`, role: 'error', isUnread: true };
    case 'aborted':
      return { text: safe` Stopped before a ${nouns.one} was read.`, role: 'warning', isUnread: true };
  }
};

/** Whether the rows are older than the scan interval explains. */
export const isScanStale = ({ startedAtMs, finishedAtMs, phase }: ScanState<unknown>, intervalSeconds: number, nowMs: number): boolean => {
  if (startedAtMs === undefined || finishedAtMs === undefined) {
    return false;
  }
  // While a scan runs, the rows of the previous one are shown.
  const tookMs = Math.max(0, (phase === 'running' ? nowMs : finishedAtMs) - startedAtMs);
  const everyMs = tookMs + Math.max(intervalSeconds * 1000, restFactor * tookMs);
  return nowMs - finishedAtMs > Math.max(10_000, 3 * everyMs);
};

/** What a screen must know about a scanned list. */
export interface ScanKind<T> {
  readonly name: ScanName;
  readonly nouns: ScanNouns;
  readonly select: (state: MonitorState) => ScanState<T>;
  readonly identity: (row: T) => string;
  /** The node whose list contained the row. */
  readonly nodeOf: (row: T) => NodeName | undefined;
  /** The number of rows of a node by its statistics. */
  readonly countOn: (state: MonitorState, node: NodeName) => number | undefined;
}

export const clientKind: ScanKind<Client> = {
  name: 'clientScan',
  nouns: { one: safe`client`, many: safe`clients`, none: safe`No client is connected.` },
  select: ({ clientScan }) => clientScan,
  identity: ({ clientId }) => clientId,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.nodeStats.data?.find(({ name }) => name === node)?.clients,
};

export const sessionKind: ScanKind<Session> = {
  name: 'sessionScan',
  nouns: { one: safe`session`, many: safe`sessions`, none: safe`There is no session.` },
  select: ({ sessionScan }) => sessionScan,
  identity: ({ clientId }) => clientId,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.stats.data?.get(node)?.sessions.count,
};

export const subscriptionKind: ScanKind<Subscription> = {
  name: 'subscriptionScan',
  nouns: { one: safe`subscription`, many: safe`subscriptions`, none: safe`Nobody has subscribed to anything.` },
  select: ({ subscriptionScan }) => subscriptionScan,
  identity: subscriptionIdentity,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.stats.data?.get(node)?.subscriptions.count,
};

export const routeKind: ScanKind<Route> = {
  name: 'routeScan',
  nouns: { one: safe`route`, many: safe`routes`, none: safe`There is no route: nobody has subscribed to anything.` },
  select: ({ routeScan }) => routeScan,
  identity: routeIdentity,
  nodeOf: () => wholeCluster,
  // A cluster-wide list; its first page says its length.
  countOn: () => undefined,
};

/** Stops one scan or all; returns the message for it. */
export const stopScan = (monitor: Pick<Monitor, 'abortScan'>, only?: ScanName): SafeText =>
  monitor.abortScan(only) ? safe`the scan is stopped; the rows stay` : safe`no scan is running`;
