import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Client } from '../../domain/client.ts';
import type { MonitorState } from '../../store/state.ts';
import { formatAge, formatCount } from '../format.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useNow } from '../hooks/use-now.ts';
import { useWatch } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { placeKey } from '../navigation.ts';
import { joinSafe, safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { RowMark } from '../widgets/table-lines.ts';
import { useBrokerClocks, useFetchMood } from './broker-clocks.ts';
import { clientColumnsFor } from './client-columns.ts';
import { type FailedNodes, failedNodes, isScanStale, noFailedNodes, scanMessage, scanProblem, scanProgress } from './client-scan-view.ts';
import { ListScreen } from './list-screen.tsx';
import type { ScreenProps } from './screen.ts';

const selectScan = ({ clientScan }: MonitorState): MonitorState['clientScan'] => clientScan;
const selectStats = ({ resources }: MonitorState): MonitorState['resources']['nodeStats']['data'] => resources.nodeStats.data;
const identity = ({ clientId }: Client): string => clientId;
const listKey = placeKey({ screen: 'clients' });
const initialSort = { columnId: 'id', isReversed: false };

/** The clients of all nodes, read in the background (§2.4). */
export const ClientsScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  useWatch(monitor, { kind: 'clientScan' });
  const scan = useStore(monitor.store, selectScan);
  const stats = useStore(monitor.store, selectStats);
  const nowMs = useNow(1000);
  const clocks = useBrokerClocks(monitor, nowMs);
  const mood = useFetchMood(monitor, nowMs);
  const intervalSeconds = useStore(monitor.store, (state) => state.intervalSeconds);

  const [failedBefore, setFailed] = useState<FailedNodes>(noFailedNodes);
  const failed = failedNodes(scan, failedBefore);
  if (failed !== failedBefore) {
    setFailed(failed);
  }

  const columns = useMemo(() => clientColumnsFor(width), [width]);
  const rows = useMemo(() => (scan.gone.length === 0 ? scan.rows : [...scan.rows, ...scan.gone]), [scan.rows, scan.gone]);
  const gone = useMemo(() => new Set(scan.gone), [scan.gone]);
  const getMark = useCallback(
    (client: Client): RowMark | undefined => {
      if (gone.has(client)) {
        return 'gone';
      }
      if (client.node !== undefined && failed.has(client.node)) {
        return 'old';
      }
      return scan.added.has(client.clientId) ? 'new' : undefined;
    },
    [gone, failed, scan.added],
  );

  useKeys('clients', {
    abortScan: () => { notify(monitor.abortScan() ? safe`the scan is stopped; the rows stay` : safe`no scan is running`); },
  });

  const isStale = isScanStale(scan, intervalSeconds, nowMs);
  const changes = [
    ...(scan.added.size > 0 ? [safe`${formatCount(scan.added.size)} new`] : []),
    ...(scan.gone.length > 0 ? [safe`${formatCount(scan.gone.length)} gone`] : []),
    ...(isStale && scan.finishedAtMs !== undefined ? [safe`read ${formatAge((nowMs - scan.finishedAtMs) / 1000)}`] : []),
  ];
  return (
    <ListScreen
      listKey={listKey}
      rows={rows}
      columns={columns}
      data={clocks}
      getId={identity}
      initialSort={initialSort}
      generation={scan.startedAtMs}
      noun={safe`client`}
      message={scanMessage(theme, scan, failed, mood)}
      problem={scanProblem(theme, scan, failed, mood)}
      isStale={isStale}
      getMark={getMark}
      footerNote={changes.length === 0 ? undefined : joinSafe(changes, safe` · `)}
      footerRight={scanProgress(scan, stats, width)}
      onOpen={({ clientId }) => { go({ screen: 'client', clientId }); }}
      onOpenId={(clientId) => { go({ screen: 'client', clientId }); }}
      copyText={identity}
      width={width}
      height={height}
      notify={notify}
    />
  );
};
