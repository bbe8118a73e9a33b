import { type ReactNode, useCallback, useMemo } from 'react';
import type { NodeName } from '../../../domain/node.ts';
import { selectFreshness, selectSecondsSinceRead } from '../../../monitor/select/freshness.ts';
import { type NodeRow, selectNodes } from '../../../monitor/select/nodes.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../components/theme-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useFetchContext } from '../../hooks/use-broker-clocks.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useResource, useStore } from '../../hooks/use-store.ts';
import type { CommandOf } from '../../keys/keymap.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { dataProblem, missingMessage } from '../../list/resource-notice.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { type Place, placeKey } from '../../navigation.ts';
import type { TabId } from '../registry.ts';
import { isDown, listedNode, nodeColumns } from './columns.ts';

const identity = ({ name }: NodeRow): string => name;
const listKey = placeKey({ screen: 'nodes' });
const initialSort = { columnId: 'node', isReversed: false };

/** Every node ever seen, with all its values (§2.2, §2.3). */
export const NodesScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const infos = useResource(monitor, 'nodes');
  const stats = useResource(monitor, 'nodeStats');
  const nodes = useStore(monitor.store, selectNodes);
  const lastKnown = useStore(monitor.store, (state) => state.lastKnown);
  const rows = useMemo(() => nodes.map((row) => listedNode(row, lastKnown?.get(row.name))), [nodes, lastKnown]);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
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
  const getChange = useCallback((row: NodeRow) => (isOld(row) ? 'old' : undefined), [isOld]);
  const problem =
    dataProblem(theme, stats, safe`figures`, stale.includes('nodeStats'), fetchContext) ??
    dataProblem(theme, infos, safe`versions and uptimes`, stale.includes('nodes'), fetchContext) ??
    (stats.data === undefined && stats.error !== undefined ? missingMessage(theme, stats, safe`figures`, fetchContext) : undefined);
  const missing = stats.error === undefined && infos.error !== undefined ? infos : stats;
  const list = useList({
    listKey,
    table: 'nodes',
    rows,
    columns: nodeColumns,
    data,
    getId: identity,
    initialSort,
    generation: stats.updatedAtMs,
    noun: safe`node`,
    message: stats.data === undefined ? missingMessage(theme, missing, safe`the nodes`, fetchContext) : { text: safe` The broker names no node.` },
    problem: rows.length === 0 ? undefined : problem,
    getChange: rows.some(isOld) ? getChange : undefined,
    isStale: stale.includes('nodeStats'),
    onOpen: ({ name }) => { go({ screen: 'node', node: name }); },
    copyText: identity,
    width,
    height,
    notify,
  });
  useNodeKeys({ node: list.row?.name, go });
  return <ListView list={list} />;
};

export interface NodeKeysProps {
  /** `undefined` when the cursor is on nothing. */
  readonly node: NodeName | undefined;
  readonly go: (place: Place) => void;
}

/** Binds the keys that lead from a node to the lists of what is on it. */
export const useNodeKeys = ({ node, go }: NodeKeysProps): void => {
  useKeys('opened', node === undefined ? {} : handlersOf(node, go));
};

const handlersOf = (node: NodeName, go: NodeKeysProps['go']): Readonly<Partial<Record<CommandOf<'opened'>, () => void>>> => {
  const open = (screen: TabId) => (): void => { go({ screen, scope: { kind: 'node', node } }); };
  return {
    openClients: open('clients'),
    openSessions: open('sessions'),
    openSubscriptions: open('subscriptions'),
    openRoutes: open('routes'),
    openListeners: open('listeners'),
    openPlugins: open('plugins'),
    openMetrics: open('metrics'),
  };
};
