import { useCallback, useMemo, useState } from 'react';
import type { Client, Route, Session, Subscription } from '../../domain/client.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { capitalized } from '../../domain/text.ts';
import { type Query, reading } from '../../monitor/query/part.ts';
import type { Scan } from '../../monitor/query/query.ts';
import { isFullyRead, partialText } from '../../monitor/scan/missing-rows.ts';
import { restFactor } from '../../monitor/scan/scan.ts';
import { type Monitor, type ScanCoverage, type ScanState, wholeCluster } from '../../monitor/state.ts';
import { clientScan } from '../clients/resource.ts';
import { selectLastReadMs } from '../freshness.ts';
import { nodeStats } from '../nodes/resource.ts';
import { selectNodes } from '../nodes/select.ts';
import { isDown, statusDuration, statusWord } from '../nodes/view/columns.ts';
import { routeScan } from '../routes/resource.ts';
import { sessionScan } from '../sessions/resource.ts';
import { subscriptionScan } from '../subscriptions/resource.ts';
import { formatAge, formatCount, formatDuration, formatElapsed, formatPercent } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import type { EmptyMessage, RowChange } from '../../tui/components/table.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { type FetchContext, useFetchContext, useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import type { ScopedScreenProps } from './list-scope.ts';
import { useNodeNames } from './node-names.ts';
import { absenceOf } from '../../monitor/scan/absent-list.ts';
import {
  absentMessage,
  errorText,
  type Failure,
  idleMessage,
  retryText,
  wholeError,
} from '../../tui/list/resource-notice.ts';
import { scanTexts } from './texts.ts';
import type { FoundScope, ListScope } from './scope.ts';

/** Nodes whose list could not be read, and why. */
export type FailedNodes = ReadonlyMap<NodeName, Failure>;

export const noFailedNodes: FailedNodes = new Map();

/** The nouns for the rows of a scanned list. */
export interface ScanNouns {
  readonly one: SafeText;
  readonly many: SafeText;
  /** Says that the broker has none. */
  readonly none: SafeText;
}

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

/**
 * Returns the share of the lists that has been read, 0 to 1; `undefined` when a length is unknown, or none has rows.
 */
const scanShare = (scan: ScanState<unknown>, countOn: CountOn): number | undefined => {
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
  return expected === 0 ? undefined : read / expected;
};

/**
 * Writes the progress: `scanning 40 % · 3 requests`, `read 5 s ago · 3 requests · 1.1 s`; shorter where room is short.
 */
export const scanProgress = (scan: ScanState<unknown>, countOn: CountOn, width: number, nowMs: number): SafeText => {
  const share = scanShare(scan, countOn);
  const requests = width >= 100 ? [scanTexts.requests(formatCount(scan.requests), scan.requests === 1)] : [];
  // An incomplete scan must not round up to 100 %.
  const percent = formatPercent(share === undefined ? undefined : Math.min(share, 0.99));
  const read = [...scan.coverage.values()];
  const took =
    width < 100 || scan.startedAtMs === undefined || scan.finishedAtMs === undefined
      ? []
      : [formatElapsed(scan.finishedAtMs - scan.startedAtMs)];
  const leftOut = [...scan.leftOut.values()];
  const unusable = leftOut.reduce((sum, node) => sum + (node.unusable?.count ?? 0), 0);
  const unusableNote = unusable === 0 ? [] : [scanTexts.unusable(formatCount(unusable))];
  const join = (...parts: readonly SafeText[]): SafeText => safe`${joinSafe(parts, safe` · `)} `;
  switch (scan.phase) {
    case 'idle':
      return safe``;
    case 'running':
      return join(
        share === undefined
          ? scanTexts.scanningRows(formatCount(read.reduce((sum, node) => sum + node.read, 0)))
          : scanTexts.scanning(percent),
        ...unusableNote,
        ...requests,
      );
    case 'complete':
      return join(
        scanTexts.age(
          formatAge(scan.finishedAtMs === undefined ? undefined : Math.max(0, nowMs - scan.finishedAtMs) / 1_000),
        ),
        ...unusableNote,
        ...requests,
        ...took,
      );
    case 'partial': {
      if (leftOut.some(({ cut }) => cut !== undefined)) {
        return join(scanTexts.stoppedAt(percent), ...unusableNote, ...requests, ...took);
      }
      const complete = read.filter(({ isComplete }) => isComplete).length;
      return join(
        scanTexts.scannedNodes(formatCount(complete), formatCount(read.length), read.length === 1),
        ...unusableNote,
        ...requests,
        ...took,
      );
    }
    case 'aborted':
      return join(scanTexts.stoppedAt(percent), ...unusableNote, ...requests);
  }
};

const failedNames = (
  theme: Theme,
  failed: FailedNodes,
  nodeCount: number,
  { many }: ScanNouns,
  nodes: readonly NodeName[],
): SafeText =>
  failed.has(wholeCluster)
    ? many
    : failed.size > 1 && failed.size === nodeCount
      ? scanTexts.allNodes(formatCount(failed.size))
      : joinSafe(
          [...failed.keys()].map((node) => theme.escapeEnds(shortNodeName(node, nodes), 40)),
          safe`, `,
        );

/** Names the rows that are old; those of nodes that answer are not. */
const oldRows = (scan: ScanState<unknown>, failed: FailedNodes): SafeText =>
  scan.rows.length === 0
    ? safe``
    : failed.has(wholeCluster)
      ? safe`rows`
      : failed.size === 1
        ? safe`its rows`
        : safe`their rows`;

/** Says what is wrong with the list, in one line; the rows stay. */
export const scanProblem = (
  theme: Theme,
  scan: ScanState<unknown>,
  nouns: ScanNouns,
  failed: FailedNodes,
  fetchContext: FetchContext,
  nodes: readonly NodeName[],
): Span | undefined => {
  if (absenceOf(scan) !== undefined) return undefined;
  const retry = retryText(scan.nextScanAtMs, scan.phase === 'running', fetchContext);
  const [first] = failed.values();
  if (scan.error !== undefined && scan.rows.length > 0) {
    const age = formatAge(
      scan.finishedAtMs === undefined ? undefined : (fetchContext.nowMs - scan.finishedAtMs) / 1000,
    );
    return { text: scanTexts.staleFailed(nouns.many, age, retry, errorText(theme, scan.error)), role: 'error' };
  }
  if (first !== undefined) {
    return {
      text: scanTexts.nodesFailed(
        failedNames(theme, failed, scan.coverage.size, nouns, nodes),
        retry,
        errorText(theme, first),
        oldRows(scan, failed),
      ),
      role: 'error',
    };
  }
  if (scan.phase === 'aborted') {
    return { text: stoppedText(scan, fetchContext), role: 'warning' };
  }
  return cutProblem(theme, scan, nouns, retry, nodes);
};

/** Says why the list is incomplete although all nodes answered. */
const cutProblem = (
  theme: Theme,
  { leftOut }: ScanState<unknown>,
  { many }: ScanNouns,
  retry: SafeText,
  nodes: readonly NodeName[],
): Span | undefined => {
  const cut = [...leftOut].filter(([, coverage]) => coverage.cut !== undefined);
  const [first] = cut;
  if (first === undefined) {
    return undefined;
  }
  const [node, coverage] = first;
  const list = node === wholeCluster ? many : scanTexts.ofNode(many, theme.escapeEnds(shortNodeName(node, nodes), 40));
  const more = cut.length === 1 ? safe`` : scanTexts.andMore(formatCount(cut.length - 1));
  const isOver = coverage.cut === 'rows' || coverage.cut === 'text';
  return {
    text: safe`${scanTexts.cut(safe`${list}${more}`, theme.escape(partialText(coverage) ?? ''))}${isOver ? safe`` : safe`, ${retry}`}`,
    role: 'warning',
  };
};

const stoppedText = (
  { nextScanAtMs }: ScanState<unknown>,
  { nowMs, isFrozen, isUnauthorized }: FetchContext,
): SafeText => {
  if (isFrozen) {
    return scanTexts.incompleteFrozen;
  }
  if (isUnauthorized || nextScanAtMs === undefined) {
    return scanTexts.incomplete;
  }
  return scanTexts.incompleteUntil(formatDuration(Math.max(0, (nextScanAtMs - nowMs) / 1000)));
};

/** Stands in place of rows. */
export const scanMessage = (
  theme: Theme,
  scan: ScanState<unknown>,
  nouns: ScanNouns,
  failed: FailedNodes,
  fetchContext: FetchContext,
): EmptyMessage => {
  const absence = absenceOf(scan);
  if (absence !== undefined) return absentMessage(theme, absence, nouns.many);
  const retry = retryText(scan.nextScanAtMs, scan.phase === 'running', fetchContext);
  const [first] = failed.values();
  if (scan.error !== undefined) {
    return {
      text: safe` ${scanTexts.failed(nouns.many, retry, wholeError(theme, scan.error))}`,
      role: 'error',
      isUnread: true,
    };
  }
  switch (scan.phase) {
    case 'idle':
    case 'running':
      return (
        idleMessage(fetchContext) ?? { text: safe` ${scanTexts.loading(nouns.many)}`, role: 'dim', isUnread: true }
      );
    case 'complete':
      return { text: safe` ${nouns.none}`, role: 'normal' };
    case 'partial':
      return first === undefined && scan.leftOut.size === 0
        ? { text: safe` ${scanTexts.noneFound(nouns.one)}`, role: 'normal' }
        : { text: safe` ${scanTexts.noneRead(nouns.many)}`, role: 'error', isUnread: true };
    case 'aborted':
      return { text: safe` ${scanTexts.stoppedEmpty(nouns.one)}`, role: 'warning', isUnread: true };
  }
};

/** Whether the rows are older than the scan interval explains. */
export const isScanStale = (
  { startedAtMs, finishedAtMs, phase }: ScanState<unknown>,
  intervalSeconds: number,
  nowMs: number,
): boolean => {
  if (startedAtMs === undefined || finishedAtMs === undefined) {
    return false;
  }
  // While a scan runs, the rows of the previous one are shown.
  const tookMs = Math.max(0, (phase === 'running' ? nowMs : finishedAtMs) - startedAtMs);
  const everyMs = tookMs + Math.max(intervalSeconds * 1000, restFactor * tookMs);
  return nowMs - finishedAtMs > Math.max(10_000, 3 * everyMs);
};

/** Everything that a screen must know about a scanned list. */
export interface ScanKind<T> {
  readonly scan: Scan<T>;
  readonly nouns: ScanNouns;
  /** The node whose list contained the row. */
  readonly nodeOf: (row: T) => NodeName | undefined;
}

export const clientKind: ScanKind<Client> = {
  scan: clientScan,
  nouns: scanTexts.clients,
  nodeOf: ({ node }) => node,
};

export const sessionKind: ScanKind<Session> = {
  scan: sessionScan,
  nouns: scanTexts.sessions,
  nodeOf: ({ node }) => node,
};

export const subscriptionKind: ScanKind<Subscription> = {
  scan: subscriptionScan,
  nouns: scanTexts.subscriptions,
  nodeOf: ({ node }) => node,
};

export const routeKind: ScanKind<Route> = {
  scan: routeScan,
  nouns: scanTexts.routes,
  nodeOf: () => wholeCluster,
};

/** Stops one scan or all; returns the message for it. */
export const stopScan = (monitor: Pick<Monitor, 'abortScan'>, only?: Query<unknown, []>): SafeText =>
  monitor.abortScan(only) ? scanTexts.stopped : scanTexts.notRunning;

export interface ScanList<T> {
  readonly scan: ScanState<T>;
  readonly nowMs: number;
  readonly changeOf: (row: T) => RowChange | undefined;
  /** Writes rows that came and went, and the age of an old list, for the footer. */
  readonly changesText: (added: number, gone: number) => SafeText | undefined;
  /** The part that `useList` shows. */
  readonly view: {
    readonly generation: unknown;
    readonly noun: SafeText;
    readonly title: SafeText;
    readonly message: EmptyMessage;
    readonly problem: Span | undefined;
    readonly isStale: boolean;
    readonly footerNote: SafeText | undefined;
    readonly footerRight: SafeText;
  };
}

/** Returns the found clients that a scope is, or is within. */
export const foundIn = (scope: ListScope | undefined): FoundScope | undefined => {
  if (scope?.kind === 'found') return scope;
  return scope?.kind === 'groups' || scope?.kind === 'group' ? foundIn(scope.of) : undefined;
};

/** Watches a scan; shows its progress and problems, and lets `x` stop it. */
export const useScanList = <T>(
  { monitor, width, notify, scope }: Pick<ScopedScreenProps, 'monitor' | 'width' | 'notify' | 'scope'>,
  kind: ScanKind<T>,
): ScanList<T> => {
  const theme = useTheme();
  useWatch(monitor, kind.scan);
  const scan = useReading(monitor, kind.scan);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const intervalSeconds = useStore(monitor.store, (state) => state.intervalSeconds);
  const nodeNames = useNodeNames(monitor);

  const [failedBefore, setFailed] = useState<FailedNodes>(noFailedNodes);
  const failed = failedNodes(scan, failedBefore);
  if (failed !== failedBefore) {
    setFailed(failed);
  }

  const gone = useMemo(() => new Set(scan.gone), [scan.gone]);
  const { added } = scan;
  const changeOf = useCallback(
    (row: T): RowChange | undefined => {
      if (gone.has(row)) {
        return 'gone';
      }
      const node = kind.nodeOf(row);
      if (node !== undefined && failed.has(node)) {
        return 'old';
      }
      return added.has(kind.scan.identity(row)) ? 'new' : undefined;
    },
    [kind, gone, failed, added],
  );

  useKeys('scan', {
    abortScan: () => {
      notify(stopScan(monitor, kind.scan));
    },
  });

  const nodes = useStore(monitor.store, selectNodes);
  const down = kind.scan.isOfCluster ? [] : nodes.filter(isDown);
  const downNode = scope?.kind === 'node' ? down.find(({ name }) => name === scope.node) : undefined;
  const unclear = useStore(monitor.store, (state) =>
    kind.scan.isOfCluster ? 0 : (reading(state, nodeStats).unusable?.count ?? 0),
  );
  const unclearNodes: Span | undefined =
    unclear === 0
      ? undefined
      : { text: scanTexts.nodesUnusable(formatCount(unclear), unclear === 1, kind.nouns.many), role: 'warning' };
  const missingNodes: Span | undefined =
    down.length === 0 || scope?.kind === 'node'
      ? undefined
      : {
          text: scanTexts.nodesDown(formatCount(down.length), formatCount(nodes.length), kind.nouns.many),
          role: 'warning',
        };
  const found = kind.scan.name === clientScan.name ? foundIn(scope) : undefined;
  // Clients that reconnect are away in some readings.
  const away = useMemo(() => {
    if (found === undefined) return 0;
    const listed = new Set(scan.rows.map((row) => kind.scan.identity(row)));
    return [...found.clientIds].filter((id) => !listed.has(id)).length;
  }, [found, scan.rows, kind]);
  const allFound = formatCount(found?.clientIds.size);
  const isStale = isScanStale(scan, intervalSeconds, nowMs);
  const changesText = (addedCount: number, goneCount: number): SafeText | undefined => {
    const parts = [
      ...(addedCount > 0 ? [scanTexts.added(formatCount(addedCount))] : []),
      ...(goneCount > 0 ? [scanTexts.gone(formatCount(goneCount))] : []),
      ...(isStale && scan.phase !== 'complete' && scan.finishedAtMs !== undefined
        ? [scanTexts.age(formatAge((nowMs - scan.finishedAtMs) / 1000))]
        : []),
    ];
    return parts.length === 0 ? undefined : joinSafe(parts, safe` · `);
  };
  return {
    scan,
    nowMs,
    changeOf,
    changesText,
    view: {
      generation: scan.startedAtMs,
      noun: kind.nouns.one,
      title: trusted(capitalized(kind.nouns.many)),
      message:
        downNode !== undefined
          ? {
              text: safe` ${scanTexts.nodeDown(theme.escape(downNode.name, width), safe`${statusWord(theme, downNode)} ${statusDuration(downNode, nowMs, selectLastReadMs(monitor.store.getState(), 'nodeStats', nowMs))}`, kind.nouns.many)}`,
              role: 'error',
              isUnread: true,
            }
          : scope !== undefined && scan.rows.length > 0
            ? {
                text: safe` ${found !== undefined && away === found.clientIds.size ? scanTexts.allFoundAway(allFound) : isFullyRead(scan) ? scanTexts.noneFoundHere(kind.nouns.one) : scanTexts.noneFoundHereYet(kind.nouns.one)}`,
              }
            : scanMessage(theme, scan, kind.nouns, failed, fetchContext),
      problem: scanProblem(theme, scan, kind.nouns, failed, fetchContext, nodeNames) ?? unclearNodes ?? missingNodes,
      isStale,
      // The counts are of the whole list, not of the scope.
      footerNote:
        scope === undefined
          ? changesText(added.size, scan.gone.length)
          : away > 0
            ? scanTexts.foundAway(formatCount(away), allFound)
            : changesText(0, 0),
      footerRight: scanProgress(scan, (node) => kind.scan.expected(monitor.store.getState(), node), width, nowMs),
    },
  };
};
