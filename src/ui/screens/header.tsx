import { useMemo, type ReactNode } from 'react';
import type { MetricName } from '../../domain/metric.ts';
import type { StatName } from '../../domain/stat.ts';
import { selectFreshness, selectNodes, selectRateSeries, selectTotalChange, selectTotals, type Total } from '../../store/selectors.ts';
import type { Monitor, MonitorState } from '../../store/state.ts';
import { formatAge, formatCount, formatDelta, formatRate, formatSeconds, loadingText } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { useNow } from '../hooks/use-now.ts';
import { useWatch } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { type Place, type TabId, tabOf, tabs } from '../navigation.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { Role, Theme } from '../theme.ts';
import { type Line, type Span, composeEnds, composeLine } from '../widgets/line.ts';
import { Rows } from '../widgets/rows.tsx';
import { sparkline } from '../widgets/sparkline.ts';
import { type Tab, tabLine } from '../widgets/tab-bar.tsx';
import type { SessionView } from './session-view.ts';

/** Lines: place, figures, tabs, rule. */
export const headerHeight = 4;

const tabTexts: Readonly<Record<TabId, Tab>> = {
  overview: { id: 'overview', key: safe`1`, label: safe`Overview` },
  nodes: { id: 'nodes', key: safe`2`, label: safe`Nodes` },
  listeners: { id: 'listeners', key: safe`3`, label: safe`Listeners`, shortLabel: safe`Listen` },
  clients: { id: 'clients', key: safe`4`, label: safe`Clients` },
  metrics: { id: 'metrics', key: safe`9`, label: safe`Metrics` },
};
const tabBar = tabs.map((id) => tabTexts[id]);

/** The figures of the second line. */
const counts: readonly (readonly [StatName, SafeText])[] = [
  ['clients', safe`clients`], ['sessions', safe`sessions`], ['subscriptions', safe`subs`], ['routes', safe`routes`],
];
const rates: readonly (readonly [MetricName, SafeText])[] = [
  ['messages/received', safe`in`], ['messages/sent', safe`out`], ['messages/dropped', safe`drop`],
];

const gap: Span = { text: safe`  ` };

const nodesSpans = (state: MonitorState): readonly Span[] => {
  const nodes = selectNodes(state);
  if (nodes.length === 0) {
    return [{ text: safe`nodes ${loadingText}` }];
  }
  const running = nodes.filter(({ status }) => status === 'running').length;
  const isWhole = running === nodes.length;
  return [
    { text: safe`nodes ${running}/${nodes.length} ` },
    { text: isWhole ? glyphs.running : glyphs.up, role: isWhole ? 'ok' : 'error' },
  ];
};

const flagSpans = (session: SessionView, isFrozen: boolean): readonly Span[] => [
  ...(session.isReadOnly ? [gap, { text: safe`READ-ONLY`, role: 'warning' } as const] : []),
  ...(session.isInsecure ? [gap, { text: safe`UNENCRYPTED`, role: 'error' } as const] : []),
  ...(isFrozen ? [gap, { text: safe`FROZEN`, role: 'warning' } as const] : []),
  { text: safe` ` },
];

/** Where, how healthy, how fresh. */
const placeLine = (theme: Theme, width: number, state: MonitorState, session: SessionView, nowMs: number): Line => {
  const { ageSeconds, stale } = selectFreshness(state, nowMs);
  const age: Span = { text: ageSeconds === undefined ? loadingText : formatAge(ageSeconds), role: stale.length > 0 ? 'error' : 'normal' };
  const context = session.context === undefined ? safe`` : safe`${theme.escape(session.context)} ${glyphs.crumb} `;
  return composeEnds(
    theme,
    width,
    [
      { text: safe` brokertop`, role: 'accent' }, gap,
      { text: safe`${context}${theme.escape(session.url)}` }, gap,
      { text: trusted(session.describeVariant()), role: 'dim' }, gap,
      ...nodesSpans(state),
    ],
    [
      { text: safe`every ${formatSeconds(state.intervalSeconds)} ${glyphs.cursor} `, role: 'dim' },
      age,
      ...(stale.length > 0 ? [{ text: safe` STALE`, role: 'error' } as const] : []),
      ...flagSpans(session, state.isFrozen),
    ],
  );
};

const totalText = ({ value, missingNodes }: Total, isLoading: boolean): SafeText => {
  if (value === undefined && isLoading) {
    return loadingText;
  }
  // Some node did not tell: what is known is the least that there is.
  return value !== undefined && missingNodes.length > 0 ? safe`>=${formatCount(value)}` : formatCount(value);
};

const countSpans = (state: MonitorState): readonly Span[] => {
  const totals = selectTotals(state);
  const isLoading = state.resources.stats.data === undefined && state.resources.stats.error === undefined;
  return counts.flatMap(([name, label]): Span[] => {
    const change = selectTotalChange(state, name);
    return [
      { text: safe` ${label} `, role: 'dim' },
      { text: totalText(totals[name], isLoading), role: 'title' },
      ...(change === undefined || change === 0 ? [] : [{ text: safe` ${formatDelta(change)}` }]),
      { text: safe` ` },
    ];
  });
};

const rateSpans = (state: MonitorState, sparkWidth: number): readonly Span[] =>
  rates.flatMap(([name, label]): Span[] => {
    const series = selectRateSeries(state, name).map(({ perSecond }) => perSecond);
    const now = series.at(-1);
    const isBad: Role = name === 'messages/dropped' && now !== undefined && now > 0 ? 'warning' : 'title';
    return [
      { text: safe` ${label} `, role: 'dim' },
      { text: series.length === 0 ? loadingText : formatRate(now), role: isBad },
      ...(sparkWidth > 0 ? [{ text: safe` ${sparkline(series, sparkWidth)}` }] : []),
      { text: safe` ` },
    ];
  });

/** What the cluster does, in one line; the sparklines share what room is left. */
const figuresLine = (theme: Theme, width: number, state: MonitorState): Line => {
  const sparkWidth = width < 110 ? 0 : Math.min(30, Math.floor((width - 98) / rates.length));
  return composeLine(theme, width, [...countSpans(state), ...rateSpans(state, sparkWidth)]);
};

export interface HeaderProps {
  readonly monitor: Monitor;
  readonly session: SessionView;
  readonly place: Place;
  readonly width: number;
}

/** Stands above every screen. */
export const Header = ({ monitor, session, place, width }: HeaderProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  const tabsAndRule = useMemo(
    () => [
      tabLine(theme, width, tabBar, tabOf(place)),
      composeLine(theme, width, [{ text: trusted(glyphs.rule.repeat(width)), role: 'dim' }]),
    ],
    [theme, width, place],
  );
  return <Rows lines={[placeLine(theme, width, state, session, nowMs), figuresLine(theme, width, state), ...tabsAndRule]} />;
};

const wholeState = (state: MonitorState): MonitorState => state;
