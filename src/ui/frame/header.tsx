import { type ReactNode, useMemo } from 'react';
import type { MetricName, StatName } from '../../domain/metrics.ts';
import { ageSeconds, isWaitingFor, mayBeAnswered, selectFreshness } from '../../monitor/select/freshness.ts';
import { selectNodes } from '../../monitor/select/nodes.ts';
import { selectCurrentRate, selectRateSeries, selectSpark } from '../../monitor/select/rates.ts';
import { selectTotalChange, selectTotals } from '../../monitor/select/totals.ts';
import type { Monitor, MonitorState, ResourceName } from '../../monitor/state.ts';
import { formatAge, formatDelta, formatRate, formatSeconds, loadingText, unknownText } from '../../terminal/format.ts';
import { glyphs, rule } from '../../terminal/glyphs.ts';
import { sparkline } from '../../terminal/graphs.ts';
import { composeEnds, composeLine, type Line, type Span, spansWidth, widestFittingSpans } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { padText } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { type Tab, tabLine } from '../components/title-line.ts';
import { useNow } from '../hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../hooks/use-store.ts';
import type { Place } from '../navigation.ts';
import { totalText } from '../screens/overview/totals.ts';
import { definitionOf, menuScreens, type ScreenId, tabOf, tabs } from '../screens/registry.ts';
import { exposureTexts, type SessionView } from './screen.ts';

/** Lines: place, figures, tabs, rule. */
export const headerHeight = 4;

const tabBar: readonly Tab[] = tabs.map((id) => {
  const { key = '', title, tab } = definitionOf(id);
  return { id, key: trusted(key), label: tab?.label ?? title, shortLabel: tab?.shortLabel };
});

/** A screen listed under More takes its tab while it is shown. */
const menuTabs: ReadonlyMap<ScreenId, Tab> = new Map(menuScreens.map(({ id, key, title }) => [id, { id: 'more', key: trusted(key), label: title }]));

const tabsAt = ({ screen }: Place): readonly Tab[] => {
  const shown = menuTabs.get(screen);
  return shown === undefined ? tabBar : tabBar.map((tab) => (tab.id === shown.id ? shown : tab));
};

const counts: readonly (readonly [StatName, SafeText])[] = [
  ['clients', safe`clients`], ['sessions', safe`sessions`], ['subscriptions', safe`subs`], ['routes', safe`routes`],
];
const rates: readonly (readonly [MetricName, SafeText])[] = [
  ['messages.received', safe`in`], ['messages.sent', safe`out`], ['messages.dropped', safe`nosub`],
];

const gap: Span = { text: safe`  ` };

const nodesSpans = (state: MonitorState, isStale: boolean): readonly Span[] => {
  const nodes = selectNodes(state);
  if (nodes.length === 0) {
    return [{ text: safe`nodes ${state.resources.nodeStats.error === undefined ? loadingText : unknownText}` }];
  }
  const running = nodes.filter(({ status }) => status === 'running').length;
  const isWhole = running === nodes.length;
  if (isStale) {
    return [{ text: safe`nodes ${running}/${nodes.length} ?`, role: 'stale' }];
  }
  return [
    { text: safe`nodes ${running}/${nodes.length} ` },
    { text: isWhole ? glyphs.running : glyphs.up, role: isWhole ? 'ok' : 'error' },
  ];
};

const flagSpans = (session: SessionView, isFrozen: boolean): readonly Span[] => [
  ...(session.isReadOnly ? [gap, { text: safe`READ-ONLY`, role: 'warning' } as const] : []),
  ...(session.isUnrecorded === true && !session.isReadOnly ? [gap, { text: safe`NO AUDIT`, role: 'warning' } as const] : []),
  ...exposureTexts(session).flatMap((text): readonly Span[] => [gap, { text, role: 'error' }]),
  ...(isFrozen ? [gap, { text: safe`FROZEN`, role: 'warning' } as const] : []),
  { text: safe` ` },
];

/** The first line: cluster, health, age. Health is kept longest, then the address. */
const placeLine = (theme: Theme, width: number, state: MonitorState, session: SessionView, nowMs: number): Line => {
  const { ageSeconds, stale } = selectFreshness(state, nowMs);
  const isStale = stale.length > 0;
  const age: Span = { text: ageSeconds === undefined ? loadingText : formatAge(ageSeconds), role: isStale ? 'error' : 'normal' };
  const every: Span = { text: safe`every ${formatSeconds(state.intervalSeconds)} ${glyphs.cursor} `, role: 'dim' };
  const standing: readonly Span[] = [
    age,
    ...(isStale ? [{ text: safe` STALE`, role: 'error' } as const] : []),
    ...flagSpans(session, state.isFrozen),
  ];
  const context = session.context === undefined ? safe`` : safe`${theme.escape(session.context)} ${glyphs.crumb} `;
  const name: readonly Span[] = [{ text: safe` brokertop`, role: 'accent' }, gap];
  const described = trusted(session.describeVariant());
  const variant: readonly Span[] = [gap, state.variantDoubt === undefined ? { text: described, role: 'dim' } : { text: safe`${described} ?`, role: 'warning' }];
  const health: readonly Span[] = [...nodesSpans(state, stale.includes('nodeStats')), gap];
  const url: Span = { text: safe`${context}${theme.escape(state.takeover?.url ?? session.url)}` };
  const shortest = [{ text: safe` ` }, ...health, url];
  const whole: readonly Span[] = [every, ...standing];
  const long = widestFittingSpans([[...name, ...health, url, ...variant], [...shortest, ...variant]], width - spansWidth(whole) - 1);
  if (long !== undefined || !state.isFrozen) {
    return composeEnds(theme, width, long ?? shortest, whole);
  }
  // The interval means nothing while frozen, so it goes before the variant does.
  const right = spansWidth([...shortest, ...variant, ...standing]) < width ? standing : whole;
  return composeEnds(theme, width, right === standing ? [...shortest, ...variant] : shortest, right);
};

interface Figures {
  readonly state: MonitorState;
  readonly stale: readonly ResourceName[];
  readonly nowMs: number;
}

/** Room for the change of a count, `+999`. */
const changeWidth = 4;

const countSpans = ({ state, stale }: Figures, hasChanges: boolean): readonly Span[] => {
  const totals = selectTotals(state);
  const isLoading = isWaitingFor(state, 'stats');
  const spans = counts.flatMap(([name, label]): Span[] => {
    const change = selectTotalChange(state, name);
    // A fixed column, so that a change moves nothing else.
    const changeText = change === undefined || change === 0 ? safe`` : formatDelta(change);
    return [
      { text: safe` ${label} `, role: 'dim' },
      { text: totalText(totals[name], isLoading), role: stale.includes('stats') ? 'stale' : 'title' },
      ...(hasChanges ? [{ text: safe` ${padText(changeText, changeWidth)}` }] : []),
    ];
  });
  return hasChanges ? [...spans, { text: safe` since last refresh`, role: 'dim' }] : spans;
};

const rateSpans = ({ state, stale, nowMs }: Figures, sparkWidth: number): readonly Span[] => {
  const { intervalSeconds } = state;
  // An old rate is unknown; the sparkline moves on without it.
  const isStale = stale.includes('metrics');
  const silentSeconds = isStale ? (ageSeconds(state, 'metrics', nowMs) ?? 0) : 0;
  return rates.flatMap(([name, label]): Span[] => {
    const series = selectRateSeries(state, name);
    const now = isStale ? undefined : selectCurrentRate(series, intervalSeconds);
    const role: Role = name === 'messages.dropped' && now !== undefined && now > 0 ? 'warning' : 'title';
    return [
      { text: safe` ${label} `, role: 'dim' },
      { text: series.length === 0 && mayBeAnswered(state, 'metrics') ? loadingText : formatRate(now), role },
      ...(sparkWidth > 0 ? [{ text: safe` ${sparkline(selectSpark(series, { width: sparkWidth, intervalSeconds, silentSeconds }).values, sparkWidth)}`, role: 'accent' } as const] : []),
    ];
  });
};

const maxSparkWidth = 30;
/** Sparklines grow in steps, so that a longer number beside them rarely changes their width. */
const sparkStep = 5;

/** Counts and rates in one line. Sparklines share what is left and go before a number does. */
const figuresLine = (theme: Theme, width: number, figures: Figures): Line => {
  const sparkWidthBeside = (counted: readonly Span[]): number => {
    // Some slack, so that one more digit does not move everything.
    const spare = Math.floor((width - spansWidth([...counted, gap, ...rateSpans(figures, 0)]) - 12) / rates.length) - 1;
    return Math.max(0, Math.min(maxSparkWidth, Math.floor(spare / sparkStep) * sparkStep));
  };
  const changing = countSpans(figures, true);
  const plain = countSpans(figures, false);
  const hasSparks = sparkWidthBeside(changing) > 0;
  // The history of the rates is worth more than the last change of the counts.
  const forms = [
    ...(hasSparks ? [[...changing, gap, ...rateSpans(figures, sparkWidthBeside(changing))]] : []),
    [...plain, gap, ...rateSpans(figures, sparkWidthBeside(plain))],
  ];
  return composeLine(theme, width, widestFittingSpans(forms, width) ?? [...plain.slice(0, 2), ...rateSpans(figures, 0)]);
};

export interface HeaderProps {
  readonly monitor: Monitor;
  readonly session: SessionView;
  readonly place: Place;
  readonly width: number;
}

/** The lines above every screen. */
export const Header = ({ monitor, session, place, width }: HeaderProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  const tabsAndRule = useMemo(
    () => [
      tabLine(theme, width, tabsAt(place), tabOf(place.screen)),
      composeLine(theme, width, [{ text: rule(width), role: 'dim' }]),
    ],
    [theme, width, place],
  );
  return <Rows lines={[placeLine(theme, width, state, session, nowMs), figuresLine(theme, width, { state, nowMs, stale: selectFreshness(state, nowMs).stale }), ...tabsAndRule]} />;
};
