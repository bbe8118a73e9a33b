import { counterOf } from '../../checks/words.ts';
import type { MetricName } from '../../domain/metrics.ts';
import { averageRate } from '../../domain/rates.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { maxTrendStepMs } from '../../resources/clients/trend.ts';
import { selectRateWindow } from '../../resources/metrics/rate-window.ts';
import { selectRateSeries } from '../../resources/metrics/rates.ts';
import { ratesTexts } from '../../resources/metrics/texts.ts';
import { rateLabel } from '../../resources/metrics/view/rate-rows.ts';
import { type QueueTrend, type QueueTrends, queueTrends } from '../../resources/sessions/queues.ts';
import type { TotalsSample } from '../../resources/statistics/history.ts';
import { areaGraph, niceMax, valuesPerCell } from '../../terminal/area-graph.ts';
import { formatCount, formatCountIn, formatRate } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { type Span, spansWidth } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit, widestFitting, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { Finding } from '../../triage/problem.ts';
import { fitSpans, type SpanRow } from '../../tui/components/blocks.ts';
import { hueAt, hues, queueHue } from '../../tui/components/hues.ts';
import { severityRoles } from '../../resources/problems/view/texts.ts';
import { overviewTexts } from '../texts.ts';

/** A number that rises and falls, with its graph. */
export interface LevelRow {
  readonly name: Span;
  readonly value: Span;
  /** Facts, most important first. */
  readonly facts: readonly SafeText[];
  /** Values, oldest first; times are monotonic. */
  readonly points: readonly {
    readonly atMs: number;
    readonly value: number | undefined;
    readonly isGap?: boolean | undefined;
  }[];
  /** The top of the graph; by default it fits the highest value. */
  readonly max: number | undefined;
  readonly roles: readonly Role[];
}

const maxLevels = 3;
/** The share of its limit that a queue without a problem must have to be shown. */
const minShare = 0.1;
const windowSeconds = 180;
/** The widest text, with a blank before it. */
const maxTextWidth = 37;
const textShare = 0.45;
/** The width of `1,000 ┤`. */
const scaleWidth = 7;

const peakOf = ({ points }: QueueTrend): number => Math.max(0, ...points.map(({ queueLength = 0 }) => queueLength));

const rateLevel = (state: MonitorState, finding: Finding, name: MetricName): LevelRow => ({
  name: { text: rateLabel(name), role: 'title' },
  value: {
    text: formatRate(averageRate(selectRateSeries(state, name))?.perSecond),
    role: severityRoles[finding.severity],
  },
  facts: [],
  points: selectRateSeries(state, name).map(({ atMs, perSecond, isGap }) => ({ atMs, value: perSecond, isGap })),
  max: undefined,
  roles: hues[severityRoles[finding.severity]],
});

const queueLevel = (
  theme: Theme,
  { session: { clientId, maxQueueLength, node }, points }: QueueTrend,
  finding: Finding | undefined,
  limit = maxQueueLength,
  nodes?: ReadonlyMap<string, string>,
): LevelRow => {
  const { queueLength, deliveredPerSecond } = points.at(-1) ?? {};
  const hue = queueHue(queueLength, limit);
  // An empty queue is no longer the problem.
  const role = hue !== 'in' || finding === undefined || queueLength === 0 ? hue : severityRoles[finding.severity];
  return {
    name: { text: theme.escapeEnds(clientId, maxTextWidth), role: 'title' },
    value: {
      text: safe`${formatCount(queueLength)}${limit === undefined ? safe`` : safe` / ${formatCount(limit)}`}`,
      role: role === 'in' ? 'title' : role,
    },
    facts: [
      ...(deliveredPerSecond === undefined ? [] : [overviewTexts.queueDelivers(formatRate(deliveredPerSecond))]),
      ...(node === undefined ? [] : [theme.escapeEnds(nodes?.get(node) ?? node, maxTextWidth)]),
    ],
    points: points.map(({ atMs, queueLength: value, isGap }) => ({ atMs, value, isGap })),
    max: limit,
    roles: hues[role],
  };
};

/** At most three: the queue or the rate that each problem is about, in the order of these, then queues that are or were long lately. What a queue loses and how fast it grows is averaged in its problem, and said there. */
export const problemLevels = (
  theme: Theme,
  state: MonitorState,
  findings: readonly Finding[],
  limits: ReadonlyMap<string, number>,
  nodes?: ReadonlyMap<string, string>,
): readonly LevelRow[] => {
  const trends: QueueTrends = reading(state, queueTrends) ?? new Map();
  const limitOf = ({ session: { maxQueueLength, node } }: QueueTrend): number | undefined =>
    maxQueueLength ?? (node === undefined ? undefined : limits.get(node));
  const shown = new Set<string>();
  const ofProblems = findings.flatMap((finding): readonly LevelRow[] => {
    const { jump } = finding;
    const metric = counterOf(finding);
    const trend = jump.screen === 'client' ? trends.get(jump.clientId ?? '') : undefined;
    const subject = metric ?? trend?.session.clientId;
    if (subject === undefined || shown.has(subject)) return [];
    shown.add(subject);
    if (metric !== undefined) return [rateLevel(state, finding, metric)];
    return trend === undefined ? [] : [queueLevel(theme, trend, finding, limitOf(trend), nodes)];
  });
  const levels = ofProblems.slice(0, maxLevels);
  for (const [clientId, trend] of trends) {
    if (levels.length === maxLevels) break;
    const limit = limitOf(trend);
    if (!shown.has(clientId) && limit !== undefined && peakOf(trend) >= minShare * limit)
      levels.push(queueLevel(theme, trend, undefined, limit, nodes));
  }
  return levels;
};

/**
 * Returns the connected clients of the cluster; none before they were counted. `clients`, `sessions`: their present
 * numbers.
 */
export const clientLevels = (
  history: readonly TotalsSample[],
  clients: number | undefined,
  sessions: number | undefined,
): readonly LevelRow[] =>
  history.length === 0
    ? []
    : [
        {
          name: { text: overviewTexts.clients, role: 'title' },
          value: { text: formatCount(clients), role: 'title' },
          facts: sessions === undefined ? [] : [overviewTexts.ofSessions(sessions)],
          points: history.map(({ atMs, values }) => ({ atMs, value: values.clients })),
          max: undefined,
          roles: hues.in,
        },
      ];

const windowOf = (theme: Theme, width: number, points: LevelRow['points'], sinceMs: number, nowMs: number) => {
  const perCell = valuesPerCell(theme.charset);
  return selectRateWindow(
    points.map(({ atMs, value, isGap }) => ({ atMs, perSecond: value, isGap })),
    {
      count: width * perCell,
      perCell,
      maxSeconds: windowSeconds,
      sinceMs,
      nowMs,
      maxStepMs: maxTrendStepMs,
      isGauge: true,
    },
  );
};

/** Returns the time that all graphs share. */
const timesOf = (levels: readonly LevelRow[]): { readonly sinceMs: number; readonly nowMs: number } => {
  const times = levels.flatMap(({ points }) => points.map(({ atMs }) => atMs));
  return { sinceMs: Math.min(...times), nowMs: Math.max(...times) };
};

/** Keeps the last value of a level until it is read again, up to the newest reading of all levels. */
const heldUntil = (points: LevelRow['points'], nowMs: number): LevelRow['points'] => {
  const last = points.at(-1);
  return last === undefined || last.atMs >= nowMs || nowMs - last.atMs > maxTrendStepMs
    ? points
    : [...points, { ...last, atMs: nowMs, isGap: undefined }];
};

/** Writes the time that the graphs show; nothing before there is any. */
export const levelNote = (theme: Theme, levels: readonly LevelRow[]): SafeText | undefined => {
  const { sinceMs, nowMs } = timesOf(levels);
  return nowMs > sinceMs
    ? ratesTexts.title({ ageSeconds: 0, seconds: windowOf(theme, 1, [], sinceMs, nowMs).seconds, hasPeak: false })
    : undefined;
};

/** Writes as many facts as fit. */
const fittingFacts = (facts: readonly SafeText[], room: number): SafeText =>
  widestFitting(
    facts.map((_, dropped) => joinSafe(facts.slice(0, facts.length - dropped), safe` · `)),
    room,
  ) ?? safe``;

export interface LevelForm {
  /** The rows of each level. */
  readonly levelHeight: number;
  /** Whether blank lines separate the levels. */
  readonly hasGaps: boolean;
  /** Whether the figures take the first row of a level; else they stand beside its graph. */
  readonly isAbove: boolean;
}

/** Draws levels with their figures and graphs over one window. */
export const levelRows = (
  theme: Theme,
  width: number,
  { levelHeight, hasGaps, isAbove }: LevelForm,
  levels: readonly LevelRow[],
): readonly SpanRow[] => {
  const { sinceMs, nowMs } = timesOf(levels);
  const textWidth = isAbove ? 0 : Math.min(maxTextWidth, Math.floor(width * textShare));
  const rows = isAbove ? Math.max(1, levelHeight - 1) : levelHeight;
  const graphWidth = Math.max(1, width - textWidth - scaleWidth);
  return levels.flatMap(({ name, value, facts, points, max: limit, roles }, index): readonly SpanRow[] => {
    const { values, peak = 0 } = windowOf(theme, graphWidth, heldUntil(points, nowMs), sinceMs, nowMs);
    const max = limit ?? niceMax(peak);
    const about = (room: number): Span => ({ text: fittingFacts(facts, room), role: 'dim' });
    const gap: Span = { text: safe`  ` };
    const behind = (spans: SpanRow, room: number): SpanRow => [
      ...spans,
      gap,
      about(room - spansWidth(spans) - widthOf(gap.text)),
    ];
    const texts: readonly SpanRow[] =
      rows < 3 ? [[name], behind([value], textWidth - 2)] : [[name], [value], [about(textWidth - 1)]];
    const lines = areaGraph({
      values,
      max,
      width: graphWidth,
      rows,
      direction: 'up',
      charset: theme.charset,
      unknown: glyphs.dot,
      hasBaseline: true,
    });
    const graph = lines.map((line, row): SpanRow => [
      ...(isAbove ? [] : [{ text: safe` ` }, ...fitSpans(texts[row] ?? [], textWidth - 1)]),
      {
        text: fit(row === 0 ? safe`${formatCountIn(max, scaleWidth - 2)} ┤` : safe`│`, scaleWidth, 'right'),
        role: 'dim',
      },
      { text: line, role: hueAt(roles, rows - 1 - row, rows) },
    ]);
    return [
      ...(hasGaps && index > 0 ? [[]] : []),
      ...(isAbove ? [behind([{ text: safe` ` }, name, gap, value], width)] : []),
      ...graph,
    ];
  });
};
