import { type ReactNode, useMemo } from 'react';
import type { NodeName } from '../../../domain/node.ts';
import { selectNodes } from '../../../monitor/select/nodes.ts';
import { type MetricSource, needsNodeMetrics, selectMetricSource, selectRateSeries } from '../../../monitor/select/rates.ts';
import { selectMetric } from '../../../monitor/select/totals.ts';
import { formatCount, formatDuration, loadingText } from '../../../terminal/format.ts';
import { composeLine } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { type SpanRow, titleRow } from '../../components/blocks.ts';
import { Rows } from '../../components/painted.tsx';
import { tableLines, visibleRowCount } from '../../components/table.tsx';
import { useTheme } from '../../components/theme-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { errorText } from '../../list/resource-notice.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { useNodeCursor } from '../../list/use-node-table.ts';
import { type ListScope, placeKey } from '../../navigation.ts';
import { statusWord } from '../nodes/columns.ts';
import { metricColumns, type MetricData, metricIds, metricRows } from './table.ts';

export interface MetricsScreenProps extends ScreenProps {
  /** The node to begin with. */
  readonly scope?: ListScope | undefined;
}

/** All counters of the cluster or one node: value, rate, graph. */
export const MetricsScreen = ({ monitor, scope, width, height }: MetricsScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const nodes = selectNodes(state);
  // A node that the broker no longer lists stays selected.
  const { node, step } = useNodeCursor(placeKey({ screen: 'metrics', scope }), nodes.map(({ name }) => name), scope?.kind === 'node' ? scope.node : undefined, { isKept: true });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, node !== undefined && needsNodeMetrics(state, node) ? { kind: 'nodeMetrics', node } : undefined);

  useKeys('metrics', { nextView: () => { step(1); }, previousView: () => { step(-1); } });
  const control = useListState({ columnId: 'counter', isReversed: false }, placeKey({ screen: 'metrics' }));
  const tableHeight = Math.max(0, height - 1);
  const list = useListSync(control, metricIds, visibleRowCount(tableHeight));
  useListKeys(control);

  const columns = useMemo(() => metricColumns(width, state.intervalSeconds), [width, state.intervalSeconds]);
  const source = selectMetricSource(state, node, nowMs);
  const row = nodes.find(({ name }) => name === node);
  const status = row === undefined || row.status === 'running' ? undefined : statusWord(theme, row, 20);
  const silentSeconds = source.isStale ? (source.ageSeconds ?? 0) : 0;
  const isLoading = !source.hasData && source.error === undefined && source.origin !== 'part';
  const note = metricNote(theme, source);
  const data = useMemo(
    (): MetricData => ({
      total: (name) => selectMetric(state, name, node),
      series: (name) => selectRateSeries(state, name, node),
      intervalSeconds: state.intervalSeconds,
      silentSeconds,
      isLoading,
      firstShown: metricRows[list.top]?.name,
    }),
    // oxlint-disable-next-line react/exhaustive-deps -- the parts of the state that the figures are made of, so that a tick of the clock makes none
    [nodes, state.resources.metrics.data, state.resources.metrics.updatedAtMs, state.nodeMetrics, state.metricHistory, state.intervalSeconds, node, silentSeconds, isLoading, list.top],
  );
  const cursorId = selectCursorId(list);
  const lines = useMemo(
    () => tableLines(theme, width, tableHeight, {
      rows: metricRows,
      columns,
      data,
      getId: ({ name }) => name,
      cursorId,
      cursorIndex: list.cursorIndex,
      top: list.top,
      isStale: source.isStale,
      footerNote: note,
      footerRight: safe`v next node `,
    }),
    [theme, width, tableHeight, columns, data, cursorId, list.cursorIndex, list.top, source.isStale, note],
  );
  return <Rows lines={[composeLine(theme, width, metricTitle(theme, width, node, source, status)), ...lines].slice(0, height)} />;
};

const nodesText = (theme: Theme, nodes: readonly NodeName[]): SafeText => joinSafe(nodes.map((node) => theme.escape(node, 60)), safe`, `);

/** The source of the values, in words. */
export const originText = (theme: Theme, source: MetricSource): SafeText => {
  switch (source.origin) {
    case 'unknown':
      return source.error === undefined ? safe`${loadingText} not here yet` : safe`nothing has come`;
    case 'total':
      return safe`one total, made by the broker`;
    case 'sum': {
      const nodes = source.included.length === 1 ? safe`1 node` : safe`${formatCount(source.included.length)} nodes`;
      return source.leftOut.length === 0
        ? safe`sum of ${nodes}, added up here`
        : safe`sum of ${nodes}, without ${nodesText(theme, source.leftOut)}`;
    }
    case 'part':
      return source.hasData ? safe`its part of the cluster's answer` : safe`not in the cluster's answer`;
    case 'alone':
      return source.hasData || source.error !== undefined ? safe`asked of this node alone` : safe`${loadingText} asked of this node alone`;
  }
};

/** Node or cluster, source of the values, and their age when old. `status`: of a node that is not running. */
export const metricTitle = (theme: Theme, width: number, node: NodeName | undefined, source: MetricSource, status?: SafeText | undefined): SpanRow => {
  const title = node === undefined ? safe`Metrics of the cluster` : safe`Metrics of ${theme.escape(node, width)}${status === undefined ? safe`` : safe` (${status})`}`;
  const isOld = source.isStale && source.ageSeconds !== undefined;
  const age = isOld ? safe`, ${formatDuration(source.ageSeconds)} old` : safe``;
  return titleRow(width, title, safe`${originText(theme, source)}${age}`, isOld || source.error !== undefined ? 'error' : 'dim');
};

/** The error, for the footer. */
export const metricNote = (theme: Theme, source: MetricSource): SafeText | undefined =>
  source.error === undefined ? undefined : safe`! ${errorText(theme, source.error)}`;
