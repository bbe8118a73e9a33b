import { useMemo, type ReactNode } from 'react';
import { mustAskNode, selectMetricSource } from '../../../monitor/select/metric-source.ts';
import { selectMetric, selectNodes, selectRateSeries } from '../../../monitor/select/memo.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { useNodeCursor } from '../../hooks/use-node-cursor.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useWatch } from '../../hooks/use-resource.ts';
import { useStore, wholeState } from '../../hooks/use-store.ts';
import { placeKey, type Within } from '../../navigation.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../theme-context.ts';
import { composeLine } from '../../../terminal/line.ts';
import { Rows } from '../../components/rows.tsx';
import { tableLines, visibleRowCount } from '../../components/table.tsx';
import { selectCursorId } from '../../list/list-state.ts';
import { metricNote, metricTitle } from './lines.ts';
import { statusWord } from '../nodes/words.ts';
import { type MetricData, metricColumns, metricIds, metricRows } from './table.ts';
import type { ScreenProps } from '../../frame/screen.ts';

export interface MetricsScreenProps extends ScreenProps {
  /** The node that is shown first. */
  readonly within?: Within | undefined;
}

/** All counters of the cluster or of one node: value, rate, course. */
export const MetricsScreen = ({ monitor, within, width, height }: MetricsScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const nodes = selectNodes(state);
  // A node that the broker no longer mentions is shown as such.
  const { node, step } = useNodeCursor(placeKey({ screen: 'metrics', within }), nodes.map(({ name }) => name), within?.kind === 'node' ? within.node : undefined, { isKept: true });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, node !== undefined && mustAskNode(state, node) ? { kind: 'nodeMetrics', node } : undefined);

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
