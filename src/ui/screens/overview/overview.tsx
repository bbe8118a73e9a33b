import { type ReactNode, useMemo } from 'react';
import { ageSeconds, isWaitingFor, mayBeAnswered, selectFreshness, selectLastReadMs, selectSecondsSinceRead } from '../../../monitor/select/freshness.ts';
import { selectListeners, selectNodes } from '../../../monitor/select/nodes.ts';
import { selectRateSeries } from '../../../monitor/select/rates.ts';
import { selectMaximum, selectTotalChange, selectTotals } from '../../../monitor/select/totals.ts';
import type { MonitorState, ResourceName } from '../../../monitor/state.ts';
import type { Line } from '../../../terminal/line.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { summarizeTriage } from '../../../triage/standing.ts';
import { triageOf, type TriageReport } from '../../../triage/triage.ts';
import { asStale, besides, blankRow, fillRows, type SpanRow, toLines } from '../../components/blocks.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../hooks/use-store.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { readingMessage } from '../../list/resource-notice.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { arePaired, mainRates, qosRates, rateRows, type RatesView, rateTitle } from '../metrics/rate-rows.ts';
import { useJump } from '../triage/triage.tsx';
import { listenerRows, nodeRows } from './nodes.ts';
import { problemRows } from './problems.ts';
import { totalList, totalRows, type TotalsView } from './totals.ts';

const initialSort = { columnId: '', isReversed: false };

/** Problems, health of each node, totals and rates. */
export const OverviewScreen = ({ monitor, width, height, go }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodes' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  useWatch(monitor, { kind: 'resource', name: 'listeners' });
  const report = useMemo(() => triageOf(monitor).update(state, nowMs), [monitor, state, nowMs]);
  const { findings } = report;
  const ids = useMemo(() => findings.map(({ key }) => key), [findings]);
  const control = useListState(initialSort);
  const list = useListSync(control, ids, Math.max(1, height));
  const cursorKey = selectCursorId(list);
  const chosen = findings.find(({ key }) => key === cursorKey);
  const jump = useJump(go);
  useListKeys(control, { onOpen: chosen === undefined ? undefined : () => { jump(chosen.jump, nowMs); } });
  return <Rows lines={overviewLines(theme, width, height, state, nowMs, report, cursorKey)} />;
};

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
  isLoading: mayBeAnswered(state, 'metrics'),
});

const rateBlock = (width: number, height: number, isWide: boolean, view: RatesView): readonly SpanRow[] => {
  const hasTitle = height >= 4;
  const room = hasTitle ? height - 1 : height;
  // Higher graphs of all messages say more than those of each QoS.
  const items = room >= mainRates.length + qosRates.length + 8 || isWide ? [...mainRates, ...qosRates] : mainRates;
  const rows = rateRows(width, room, items, view);
  return hasTitle ? [rateTitle(width, arePaired(width, room, items.length), safe`Rates of the cluster`, view), ...rows] : rows;
};

const gap = 3;

/** The Overview in exactly `height` lines. `cursorKey`: the selected finding. */
export const overviewLines = (
  theme: Theme, width: number, height: number, state: MonitorState, nowMs: number, report: TriageReport, cursorKey?: string,
): readonly Line[] => {
  const nodes = selectNodes(state);
  const layout = layOutOverview(width, height, nodes.length);
  const { stale } = selectFreshness(state, nowMs);
  const isStale = (name: ResourceName): boolean => stale.includes(name);

  const problems = problemRows(theme, width, layout.problems, layout.hasTitles, {
    findings: report.findings, standing: summarizeTriage(report, nowMs), nowMs, cursorKey,
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

/** Lines of each part. Depends on the terminal and the number of nodes, never on values. */
export interface OverviewLayout {
  /** A title line above the problems. */
  readonly hasTitles: boolean;
  /** Lines for problems, without the title. */
  readonly problems: number;
  /** Lines for nodes, without the header. */
  readonly nodes: number;
  /** Blank lines below the nodes. */
  readonly gap: 0 | 1;
  /** Totals beside the rates instead of above them. */
  readonly isWide: boolean;
  /** Lines of the totals; 0 when they stand beside the rates. */
  readonly totals: number;
  /** The rest: rates with their title. */
  readonly rates: number;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

const minTitledHeight = 16;

/** Assigns lines: problems, nodes, then rates. With many nodes the other parts shrink before a node is left out. */
export const layOutOverview = (width: number, height: number, nodeCount: number): OverviewLayout => {
  // Room for three nodes until they are known, so that little moves.
  const wanted = Math.max(3, nodeCount);
  if (height < minTitledHeight) {
    const problems = height < 12 ? 2 : 3;
    const totals = height < 12 ? 1 : 3;
    const nodes = clamp(wanted, 1, height - problems - 1 - totals - 2);
    return { hasTitles: false, problems, nodes, gap: 0, isWide: false, totals, rates: height - problems - 1 - nodes - totals };
  }
  const isWide = width >= 140 && height >= 26;
  const totals = isWide ? 0 : 3;
  const usual = { problems: clamp(3 + Math.floor((height - 18) / 4), 2, 9), gap: 1, rates: isWide ? 10 : 6 } as const;
  // Tried in turn until all nodes fit.
  const forms = [usual, { ...usual, gap: 0 }, { ...usual, gap: 0, rates: isWide ? 10 : 4 }, { problems: 2, gap: 0, rates: isWide ? 10 : 4 }] as const;
  const roomIn = ({ problems, gap, rates }: (typeof forms)[number]): number => height - 1 - problems - 1 - gap - totals - rates;
  const form = forms.find((each) => roomIn(each) >= wanted) ?? forms[3];
  const nodes = clamp(wanted, 1, roomIn(form));
  return { hasTitles: true, problems: form.problems, nodes, gap: form.gap, isWide, totals, rates: height - 1 - form.problems - 1 - nodes - form.gap - totals };
};
