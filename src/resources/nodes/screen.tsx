import { type ReactNode, useCallback, useMemo } from 'react';
import { shortNodeName } from '../../domain/node.ts';
import { safe } from '../../terminal/safe-text.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useFetchContext, useReading, useResource, useStore } from '../../tui/hooks/use-store.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { dataProblem, missingMessage } from '../../tui/list/resource-notice.ts';
import { ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import { selectSplitView } from '../cluster-views/select.ts';
import { selectFreshness, selectSecondsSinceRead } from '../freshness.ts';
import { nodePanel } from './panel.tsx';
import { lastKnownNodes, nodes as nodeList, nodeStats } from './resource.ts';
import { type NodeRow, selectNodes } from './select.ts';
import { nodesTexts } from './texts.ts';
import { nodeTrouble } from './trouble.ts';
import { isDown, listedNode, nodeColumns } from './view/columns.ts';
import { useNodeKeys } from './view/node-keys.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';

/** Columns for a name in the footer. */
const maxViewColumns = 40;
const identity = ({ name }: NodeRow): string => name;
const listKey = placeKey({ screen: 'nodes' });
const trouble: Trouble<NodeRow> = { value: nodeTrouble, tieBreak: identity };

/** Shows every node seen in this run. */
export const NodesScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const infos = useResource(monitor, nodeList);
  const stats = useResource(monitor, nodeStats);
  const nodes = useStore(monitor.store, selectNodes);
  const lastKnown = useReading(monitor, lastKnownNodes);
  const rows = useMemo(() => nodes.map((row) => listedNode(row, lastKnown.get(row.name))), [nodes, lastKnown]);
  const nowMs = useNow(1000);
  const nodeNames = useNodeNames(monitor);
  const columns = useMemo(() => withShortNodes(nodeColumns, identity, nodeNames), [nodeNames]);
  const fetchContext = useFetchContext(monitor, nowMs);
  const { stale } = selectFreshness(monitor.store.getState(), nowMs);
  const sinceReadSeconds = selectSecondsSinceRead(monitor.store.getState(), 'nodes', nowMs);
  const data = useMemo(
    () => ({
      sinceReadSeconds,
      oldSecondsOf: (row: NodeRow) => {
        const last = isDown(row) ? lastKnown.get(row.name) : undefined;
        return last === undefined ? undefined : Math.max(0, nowMs - last.atMs) / 1_000;
      },
    }),
    [sinceReadSeconds, lastKnown, nowMs],
  );
  const isOld = useCallback((row: NodeRow): boolean => isDown(row) && lastKnown?.has(row.name) === true, [lastKnown]);
  const getChange = useCallback((row: NodeRow) => (isOld(row) ? 'old' : undefined), [isOld]);
  const problem =
    dataProblem(theme, stats, nodesTexts.statistics, stale.includes('nodeStats'), fetchContext) ??
    dataProblem(theme, infos, nodesTexts.versions, stale.includes('nodes'), fetchContext) ??
    (stats.data === undefined && stats.error !== undefined
      ? missingMessage(theme, stats, nodesTexts.statistics, fetchContext)
      : undefined);
  const view = useStore(monitor.store, selectSplitView);
  const missing = stats.error === undefined && infos.error !== undefined ? infos : stats;
  const list = useList({
    listKey,
    table: 'nodes',
    rows,
    columns,
    data,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    generation: stats.updatedAtMs,
    noun: safe`node`,
    title: safe`Nodes`,
    message:
      stats.data === undefined
        ? missingMessage(theme, missing, safe`the nodes`, fetchContext)
        : { text: safe` ${nodesTexts.empty}` },
    problem: rows.length === 0 ? undefined : problem,
    getChange: rows.some(isOld) ? getChange : undefined,
    isStale: stale.includes('nodeStats'),
    footerNote:
      view === undefined ? undefined : nodesTexts.viewOf(theme.escape(shortNodeName(view, nodeNames), maxViewColumns)),
    onOpen: ({ name }) => {
      go({ screen: 'node', node: name });
    },
    detail: ({ name }, ...size) => nodePanel(monitor, name, ...size),
    detailBelow: 'always',
    copyText: identity,
    width,
    height,
    notify,
  });
  useNodeKeys({ node: list.row?.name, go });
  return <ListView list={list} />;
};
