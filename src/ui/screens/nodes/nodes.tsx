import { useCallback, useMemo, type ReactNode } from 'react';
import { selectFreshness, selectNodes, type NodeRow, selectSecondsSinceRead } from '../../../monitor/select/memo.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useResource } from '../../hooks/use-resource.ts';
import { useStore } from '../../hooks/use-store.ts';
import { placeKey } from '../../navigation.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../theme-context.ts';
import { useFetchMood } from '../broker-clocks.ts';
import { ListScreen } from '../../list/list-screen.tsx';
import { listedNode, nodeColumns } from './columns.ts';
import { NodeKeys } from './keys.tsx';
import { isDown } from './words.ts';
import { dataProblem, missingMessage } from '../../list/resource-notice.ts';
import type { ScreenProps } from '../../frame/screen.ts';

const identity = ({ name }: NodeRow): string => name;
const listKey = placeKey({ screen: 'nodes' });
const initialSort = { columnId: 'node', isReversed: false };

/** Every node that was ever seen, with all that the broker tells of it (§2.2, §2.3). */
export const NodesScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const infos = useResource(monitor, 'nodes');
  const stats = useResource(monitor, 'nodeStats');
  const nodes = useStore(monitor.store, selectNodes);
  const lastKnown = useStore(monitor.store, (state) => state.lastKnown);
  const rows = useMemo(() => nodes.map((row) => listedNode(row, lastKnown?.get(row.name))), [nodes, lastKnown]);
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const { stale } = selectFreshness(monitor.store.getState(), nowMs);
  const sinceReadSeconds = selectSecondsSinceRead(monitor.store.getState(), 'nodes', nowMs);
  const data = useMemo(() => ({
    sinceReadSeconds,
    oldSecondsOf: (row: NodeRow) => {
      const last = isDown(row) ? lastKnown?.get(row.name) : undefined;
      return last === undefined ? undefined : Math.max(0, nowMs - last.atMs) / 1_000;
    },
  }), [sinceReadSeconds, lastKnown, nowMs]);
  const isOld = useCallback((row: NodeRow): boolean => isDown(row) && lastKnown?.has(row.name) === true, [lastKnown]);
  const getMark = useCallback((row: NodeRow) => (isOld(row) ? 'old' : undefined), [isOld]);
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
      getMark={rows.some(isOld) ? getMark : undefined}
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
