import { useCallback, useMemo, useState } from 'react';
import { isWhole } from '../../monitor/scan/left-out.ts';
import { selectLastReadMs } from '../../monitor/select/freshness.ts';
import { selectNodes } from '../../monitor/select/nodes.ts';
import type { ScanState } from '../../monitor/state.ts';
import { formatAge, formatCount } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { EmptyMessage, RowChange } from '../components/table-lines.ts';
import { useTheme } from '../components/theme-context.ts';
import { useFetchContext } from '../hooks/use-broker-clocks.ts';
import { useNow } from '../hooks/use-now.ts';
import { useStore, useWatch } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import { isDown, statusDuration, statusWord } from '../screens/nodes/columns.ts';
import type { ScopedScreenProps } from './list-scope.ts';
import { type FailedNodes, failedNodes, isScanStale, noFailedNodes, type ScanKind, scanMessage, scanProblem, scanProgress, stopScan } from './scan-view.ts';

/** A scanned list for a screen. */
export interface ScanList<T> {
  readonly scan: ScanState<T>;
  readonly nowMs: number;
  /** NEW, GONE or OLD. */
  readonly changeOf: (row: T) => RowChange | undefined;
  /** For the footer: rows that came and went, and the age of an old list. */
  readonly changesText: (added: number, gone: number) => SafeText | undefined;
  /** The part that `useList` shows. */
  readonly view: {
    readonly generation: unknown;
    readonly noun: SafeText;
    readonly message: EmptyMessage;
    readonly problem: Span | undefined;
    readonly isStale: boolean;
    readonly footerNote: SafeText | undefined;
    readonly footerRight: SafeText;
  };
}

/** Watches a scan; shows its progress and problems, and lets `x` stop it. */
export const useScanList = <T>(
  { monitor, width, notify, scope }: Pick<ScopedScreenProps, 'monitor' | 'width' | 'notify' | 'scope'>,
  kind: ScanKind<T>,
): ScanList<T> => {
  const theme = useTheme();
  useWatch(monitor, { kind: kind.name });
  const scan = useStore(monitor.store, kind.select);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const intervalSeconds = useStore(monitor.store, (state) => state.intervalSeconds);

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
      return added.has(kind.identity(row)) ? 'new' : undefined;
    },
    [kind, gone, failed, added],
  );

  useKeys('scan', {
    abortScan: () => { notify(stopScan(monitor, kind.name)); },
  });

  const nodes = useStore(monitor.store, selectNodes);
  const down = kind.name === 'routeScan' ? [] : nodes.filter(isDown);
  const downNode = scope?.kind === 'node' ? down.find(({ name }) => name === scope.node) : undefined;
  const unclear = useStore(monitor.store, ({ resources }) => (kind.name === 'routeScan' ? 0 : resources.nodeStats.unusable?.count ?? 0));
  const unclearNodes: Span | undefined = unclear === 0 ? undefined
    : { text: safe`! ${formatCount(unclear)} ${unclear === 1 ? safe`node` : safe`nodes`} not understood: their ${kind.nouns.many} are not listed (L: log)`, role: 'warning' };
  const missingNodes: Span | undefined = down.length === 0 || scope?.kind === 'node' ? undefined
    : { text: safe`${formatCount(down.length)} of ${formatCount(nodes.length)} nodes not running: their ${kind.nouns.many} are not listed`, role: 'warning' };
  const isStale = isScanStale(scan, intervalSeconds, nowMs);
  const changesText = (addedCount: number, goneCount: number): SafeText | undefined => {
    const parts = [
      ...(addedCount > 0 ? [safe`${formatCount(addedCount)} new`] : []),
      ...(goneCount > 0 ? [safe`${formatCount(goneCount)} gone`] : []),
      ...(isStale && scan.finishedAtMs !== undefined ? [safe`read ${formatAge((nowMs - scan.finishedAtMs) / 1000)}`] : []),
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
      message: downNode !== undefined
        ? { text: safe` ${theme.escape(downNode.name, width)} ${statusWord(theme, downNode)} ${statusDuration(downNode, nowMs, selectLastReadMs(monitor.store.getState(), 'nodeStats', nowMs))}: its ${kind.nouns.many} cannot be read.`, role: 'error', isUnread: true }
        : scope !== undefined && scan.rows.length > 0
        ? { text: safe` No ${kind.nouns.one} of it was found${isWhole(scan) ? safe`` : safe` so far`}.` }
        : scanMessage(theme, scan, kind.nouns, failed, fetchContext),
      problem: scanProblem(theme, scan, kind.nouns, failed, fetchContext) ?? unclearNodes ?? missingNodes,
      isStale,
      // The counts are of the whole list, so they are not shown for a part of it.
      footerNote: scope === undefined ? changesText(added.size, scan.gone.length) : changesText(0, 0),
      footerRight: scanProgress(scan, (node) => kind.countOn(monitor.store.getState(), node), width),
    },
  };
};
