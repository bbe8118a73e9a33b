import { useMemo, type ReactNode } from 'react';
import { selectFreshness, selectNodes, type NodeRow, selectSecondsSinceRead } from '../../store/selectors.ts';
import { useNow } from '../hooks/use-now.ts';
import { useResource } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { placeKey } from '../navigation.ts';
import { safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { useFetchMood } from './broker-clocks.ts';
import { ListScreen } from './list-screen.tsx';
import { nodeColumns } from './node-columns.ts';
import { NodeKeys } from './node-keys.tsx';
import { dataProblem, missingMessage } from './resource-notice.ts';
import type { ScreenProps } from './screen.ts';

const identity = ({ name }: NodeRow): string => name;
const listKey = placeKey({ screen: 'nodes' });
const initialSort = { columnId: 'node', isReversed: false };

/** Every node that was ever seen, with all that the broker tells of it (§2.2, §2.3). */
export const NodesScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const infos = useResource(monitor, 'nodes');
  const stats = useResource(monitor, 'nodeStats');
  const rows = useStore(monitor.store, selectNodes);
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const { stale } = selectFreshness(monitor.store.getState(), nowMs);
  const sinceReadSeconds = selectSecondsSinceRead(monitor.store.getState(), 'nodes', nowMs);
  const data = useMemo(() => ({ sinceReadSeconds }), [sinceReadSeconds]);
  const problem =
    dataProblem(theme, stats, safe`figures`, stale.includes('nodeStats'), mood) ??
    dataProblem(theme, infos, safe`versions and uptimes`, stale.includes('nodes'), mood) ??
    (stats.data === undefined && stats.error !== undefined ? missingMessage(theme, stats, safe`figures`, mood) : undefined);
  const missing = stats.error === undefined && infos.error !== undefined ? infos : stats;
  return (
    <ListScreen
      listKey={listKey}
      table="nodes"
      rows={rows}
      columns={nodeColumns}
      data={data}
      getId={identity}
      initialSort={initialSort}
      generation={stats.updatedAtMs}
      noun={safe`node`}
      message={stats.data === undefined ? missingMessage(theme, missing, safe`the nodes`, mood) : { text: safe` The broker names no node.` }}
      problem={rows.length === 0 ? undefined : problem}
      isStale={stale.includes('nodeStats')}
      renderKeys={(row) => <NodeKeys node={row?.name} go={go} />}
      onOpen={({ name }) => { go({ screen: 'node', node: name }); }}
      copyText={identity}
      width={width}
      height={height}
      notify={notify}
    />
  );
};
