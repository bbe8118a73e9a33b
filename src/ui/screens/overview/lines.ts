import { ageSeconds, selectFreshness, selectSecondsSinceRead, selectListeners, selectNodes, selectRateSeries, selectTotalChange, selectTotals } from '../../../monitor/select/memo.ts';
import { standingOf } from '../../../triage/standing.ts';
import type { TriageReport } from '../../../triage/triage.ts';
import { selectMaximum } from '../../../monitor/select/maxima.ts';
import { isAsked, isWaitingFor, selectLastReadMs } from '../../../monitor/select/freshness.ts';
import type { MonitorState, ResourceName } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { Line } from '../../../terminal/line.ts';
import { type SpanRow, asStale, besides, blankRow, fillRows, toLines } from '../blocks.ts';
import { layOutOverview } from './layout.ts';
import { listenerRows } from './listeners.ts';
import { nodeRows } from './nodes.ts';
import { problemRows } from './problems.ts';
import { type TotalsView, totalList, totalRows } from './totals.ts';
import { type RatesView, arePaired, mainRates, qosRates, rateRows, rateTitle } from '../metrics/rate-rows.ts';
import { readingMessage } from '../../list/reading-message.ts';


const totalsView = (state: MonitorState): TotalsView => {
  const totals = selectTotals(state);
  return {
    totals: (name) => totals[name],
    maximum: (name) => selectMaximum(state, name),
    change: (name) => selectTotalChange(state, name),
    isLoading: isWaitingFor(state, 'stats'),
  };
};

const ratesView = (state: MonitorState, isStale: boolean, nowMs: number): RatesView => ({
  series: (name) => selectRateSeries(state, name),
  intervalSeconds: state.intervalSeconds,
  silentSeconds: isStale ? (ageSeconds(state, 'metrics', nowMs) ?? 0) : 0,
  isLoading: isAsked(state, 'metrics'),
});

const rateBlock = (width: number, height: number, isWide: boolean, view: RatesView): readonly SpanRow[] => {
  const hasTitle = height >= 4;
  const room = hasTitle ? height - 1 : height;
  // The messages' own courses, drawn higher, say more than those of each QoS.
  const items = room >= mainRates.length + qosRates.length + 8 || isWide ? [...mainRates, ...qosRates] : mainRates;
  const rows = rateRows(width, room, items, view);
  return hasTitle ? [rateTitle(width, arePaired(width, room, items.length), safe`Rates of the cluster`, view), ...rows] : rows;
};

const gap = 3;

/** The Overview in exactly `height` lines: what Triage found and how it stands, then the figures. `cursorKey` is the finding that is chosen. */
export const overviewLines = (
  theme: Theme, width: number, height: number, state: MonitorState, nowMs: number, report: TriageReport, cursorKey?: string,
): readonly Line[] => {
  const nodes = selectNodes(state);
  const layout = layOutOverview(width, height, nodes.length);
  const { stale } = selectFreshness(state, nowMs);
  const isStale = (name: ResourceName): boolean => stale.includes(name);

  const problems = problemRows(theme, width, layout.problems, layout.hasTitles, {
    findings: report.findings, standing: standingOf(report, nowMs), nowMs, cursorKey,
  });
  const health = nodeRows(theme, width, layout.nodes, {
    nodes, nowMs,
    seenMs: selectLastReadMs(state, 'nodeStats', nowMs),
    lastKnown: state.lastKnown,
    sinceNodesReadSeconds: selectSecondsSinceRead(state, 'nodes', nowMs),
    message: readingMessage(theme, state, 'nodeStats', nowMs),
    isLoading: { nodes: isWaitingFor(state, 'nodes'), nodeStats: isWaitingFor(state, 'nodeStats') },
  });
  const totals = totalsView(state);
  const rates = ratesView(state, isStale('metrics'), nowMs);
  const top = [...problems, ...asStale(health, isStale('nodeStats')), ...(layout.gap === 0 ? [] : [blankRow])];
  if (!layout.isWide) {
    return toLines(theme, width, height, [
      ...top,
      ...asStale(fillRows(totalRows(width, layout.totals, totals), layout.totals), isStale('stats')),
      ...asStale(rateBlock(width, layout.rates, false, rates), isStale('metrics')),
    ]);
  }
  const leftWidth = Math.max(62, Math.floor(width * 0.38));
  const list = asStale(totalList(leftWidth, totals), isStale('stats'));
  const listeners = listenerRows(theme, leftWidth, layout.rates - list.length - 1, selectListeners(state), readingMessage(theme, state, 'listeners', nowMs), ageSeconds(state, 'listeners', nowMs));
  const left = [...list, ...(listeners.length > 0 ? [[], ...asStale(listeners, isStale('listeners'))] : [])];
  const right = asStale(rateBlock(width - leftWidth - gap, layout.rates, true, rates), isStale('metrics'));
  return toLines(theme, width, height, [...top, ...besides(left, leftWidth, gap, right)]);
};
