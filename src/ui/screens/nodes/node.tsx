import type { ReactNode } from 'react';
import type { NodeName } from '../../../domain/node.ts';
import { selectFreshness, selectLastReadMs, selectSecondsSinceRead } from '../../../monitor/select/freshness.ts';
import { listenersOf, selectBrokerClock, selectListeners, selectNodes, withLastKnown } from '../../../monitor/select/nodes.ts';
import { needsNodeMetrics, selectMetricSource, selectRateSeries } from '../../../monitor/select/rates.ts';
import type { MonitorState, ResourceName } from '../../../monitor/state.ts';
import { formatAge, formatDuration } from '../../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { asStale, besides, blankRow, endsRow, fillRows, type SpanRow, titleRow, toLines } from '../../components/blocks.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useNow } from '../../hooks/use-now.ts';
import { positionText, useScroll } from '../../hooks/use-scroll.ts';
import { useStore, useWatch, wholeState } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { errorText, readingMessage, resourceNames } from '../../list/resource-notice.ts';
import { originText } from '../metrics/metrics.tsx';
import { mainRates, qosRates, rateRows, rateTitle } from '../metrics/rate-rows.ts';
import { isDown, statusDuration, statusWord } from './columns.ts';
import { countRows, figureRows, identityRows, listenerSection, type NodeLoading, unparsedSection } from './node-sections.ts';
import { useNodeKeys } from './nodes.tsx';

export interface NodeScreenProps extends ScreenProps {
  readonly node: NodeName;
}

/** One node: all fields, statistics, rates and listeners; scrolls. */
export const NodeScreen = ({ monitor, width, height, node, go }: NodeScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodes' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'listeners' });
  useWatch(monitor, needsNodeMetrics(state, node) ? { kind: 'nodeMetrics', node } : { kind: 'resource', name: 'metrics' });

  const rows = nodeRowsOf(theme, width, state, node, nowMs);
  const room = Math.max(1, height - 1);
  const { window, handlers } = useScroll(rows.length, room);
  useKeys('list', handlers);
  useNodeKeys({ node, go });
  const doubt = doubtText(theme, state, nowMs);
  const footer = endsRow(width, [doubt === '' ? { text: safe` Esc back`, role: 'dim' } : { text: safe` ${doubt}`, role: 'error' }], [{ text: safe`${positionText(window, rows.length)} `, role: 'dim' }]);
  return <Rows lines={toLines(theme, width, height, [...fillRows(rows.slice(window.from, window.to), room), footer])} />;
};

const gap = 2;
const narrowestPair = 76;
const own: readonly ResourceName[] = ['nodes', 'nodeStats', 'listeners', 'stats'];

/** Failed or old readings, in a row at the foot; empty when there are none. */
export const doubtText = (theme: Theme, state: MonitorState, nowMs: number): SafeText => {
  const { stale } = selectFreshness(state, nowMs);
  const parts: SafeText[] = [];
  const reasons = new Set<SafeText>();
  for (const name of own) {
    const { data, error, updatedAtMs } = state.resources[name];
    if (error !== undefined || stale.includes(name)) {
      const age = data === undefined || updatedAtMs === undefined ? safe`not read` : safe`${formatDuration(Math.max(0, nowMs - updatedAtMs) / 1000)} old`;
      parts.push(safe`${resourceNames[name]} ${age}`);
    }
    if (error !== undefined) {
      reasons.add(errorText(theme, error));
    }
  }
  return parts.length === 0 ? safe`` : safe`! ${joinSafe([joinSafe(parts, safe`, `), ...reasons], safe`: `)}`;
};

/** All rows about one node; the screen shows a window of them. */
export const nodeRowsOf = (theme: Theme, width: number, state: MonitorState, name: NodeName, nowMs: number): readonly SpanRow[] => {
  const title = safe`Node ${theme.escape(name, width)}`;
  const present = selectNodes(state).find((candidate) => candidate.name === name);
  if (present === undefined) {
    const message = state.resources.nodeStats.data === undefined
      ? readingMessage(theme, state, 'nodeStats', nowMs)
      : { text: safe` the broker does not know a node of this name`, role: 'warning' as const };
    return [titleRow(width, title), [message]];
  }
  const { stale } = selectFreshness(state, nowMs);
  // Values of a node that is not running are shown as old.
  const last = isDown(present) ? state.lastKnown?.get(name) : undefined;
  const row = withLastKnown(present, last);
  const isOld = (resource: ResourceName): boolean => last !== undefined || stale.includes(resource);
  const isWaiting = (resource: ResourceName): boolean => state.resources[resource].data === undefined && state.resources[resource].error === undefined;
  const loading: NodeLoading = { info: isWaiting('nodes'), stats: isWaiting('nodeStats'), counts: isWaiting('stats'), listeners: isWaiting('listeners') };
  const source = selectMetricSource(state, name, nowMs);
  const rates = {
    series: (metric: Parameters<typeof selectRateSeries>[1]) => selectRateSeries(state, metric, name),
    intervalSeconds: state.intervalSeconds,
    silentSeconds: source.isStale ? (source.ageSeconds ?? 0) : 0,
    isLoading: source.error === undefined && !(source.origin === 'part' && !source.hasData),
  };
  const isPair = width >= narrowestPair;
  const columnWidth = isPair ? Math.floor((width - gap) / 2) : width;
  const items = width >= 140 ? [...mainRates, ...qosRates] : mainRates;
  const clock = last === undefined ? (row.info?.clock === undefined ? undefined : selectBrokerClock(state, name, nowMs)) : last.info?.clock;

  const seenMs = selectLastReadMs(state, 'nodeStats', nowMs);
  const fields = [
    ...asStale(identityRows(theme, columnWidth, row, clock, loading, nowMs, seenMs, last === undefined ? selectSecondsSinceRead(state, 'nodes', nowMs) : 0), isOld('nodes')),
    ...asStale(figureRows(columnWidth, row, loading), isOld('nodeStats')),
  ];
  const counts = asStale(countRows(columnWidth, row, loading), isOld('stats'));
  const failure: readonly SpanRow[] = source.error === undefined ? [] : [[{ text: safe` ! metrics: ${errorText(theme, source.error)}`, role: 'error' }]];
  const course: readonly SpanRow[] = [
    rateTitle(columnWidth, false, safe`Rates`, rates),
    ...asStale(rateRows(columnWidth, items.length, items, rates), source.isStale),
    [{ text: safe` ${originText(theme, source)}`, role: 'dim' }],
    ...failure,
  ];
  const listeners = last === undefined ? (selectListeners(state) ?? []).filter(({ node }) => node === name) : listenersOf(name, last.listeners ?? []);
  const below = [
    ...asStale(listenerSection(theme, width, row, listeners, loading), isOld('listeners')),
    ...unparsedSection(theme, width, row),
  ];
  const status = row.status === 'running' ? statusWord(theme, row) : safe`${statusWord(theme, row, 20)} ${statusDuration(row, nowMs, seenMs)}`;
  return [
    titleRow(width, title, status, row.status === 'running' ? 'ok' : 'error'),
    ...(last === undefined ? [] : [[{ text: safe` as it was ${formatAge(Math.max(0, nowMs - last.atMs) / 1000)}, when it last told`, role: 'warning' } as const]]),
    ...(isPair ? besides([...fields, blankRow, ...counts], columnWidth, gap, course) : [...fields, ...counts, ...course]),
    ...below,
  ];
};
