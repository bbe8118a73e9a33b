import { maxTrendStepMs } from '../../../monitor/history/clients.ts';
import type { QueueTrend, QueueTrends } from '../../../monitor/history/queues.ts';
import type { TotalsSample } from '../../../monitor/history/totals.ts';
import { selectRateWindow } from '../../../monitor/select/rate-window.ts';
import { areaGraph, niceMax, valuesPerCell } from '../../../terminal/area-graph.ts';
import { formatCount, formatCountIn, formatRate } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { Finding } from '../../../triage/check.ts';
import { severityRoles } from '../../check-texts.ts';
import { fitSpans, type SpanRow } from '../../components/blocks.ts';
import { hueAt, hues } from '../../components/hues.ts';
import { overviewTexts, ratesTexts } from '../texts.ts';

/** Something that is counted, with its graph. */
export interface Level {
  readonly name: Span;
  readonly value: Span;
  readonly rest: SafeText;
  /** Oldest first; times are monotonic. */
  readonly points: readonly { readonly atMs: number; readonly value: number | undefined; readonly isGap?: boolean | undefined }[];
  /** At the top of the graph; by default it fits the highest value. */
  readonly max: number | undefined;
  readonly roles: readonly Role[];
}

const maxQueues = 3;
/** Of its limit: shorter queues without a problem are not shown. */
const minShare = 0.1;
const windowSeconds = 180;
/** With a blank before it. */
const maxTextWidth = 37;
const textShare = 0.45;
/** `1,000 ┤` */
const scaleWidth = 7;

const peakOf = ({ points }: QueueTrend): number => Math.max(0, ...points.map(({ queueLength = 0 }) => queueLength));

/** At most three: queues of sessions with problems, in the order of these, then others that are or were long lately. What a queue loses and how fast it grows is averaged in its problem, and said there. */
export const queueLevels = (theme: Theme, trends: QueueTrends, findings: readonly Finding[], limits: ReadonlyMap<string, number>, nodes?: ReadonlyMap<string, string>): readonly Level[] => {
  const found = findings.flatMap((finding) => (finding.target.kind === 'session' ? [[finding.target.clientId, finding] as const] : []));
  const findingOf = new Map(found.toReversed());
  return [...new Set([...found.map(([clientId]) => clientId), ...trends.keys()])].flatMap((clientId): readonly Level[] => {
    const trend = trends.get(clientId);
    if (trend === undefined) return [];
    const { session: { maxQueueLength, node }, points } = trend;
    const limit = maxQueueLength ?? (node === undefined ? undefined : limits.get(node));
    const finding = findingOf.get(clientId);
    if (finding === undefined && (limit === undefined || peakOf(trend) < minShare * limit)) return [];
    const { queueLength, deliveredPerSecond } = points.at(-1) ?? {};
    return [{
      name: { text: theme.escapeEnds(clientId, maxTextWidth), role: 'title' },
      value: { text: safe`${formatCount(queueLength)}${limit === undefined ? safe`` : safe` / ${formatCount(limit)}`}`, role: finding === undefined ? 'title' : severityRoles[finding.severity] },
      rest: joinSafe([...(deliveredPerSecond === undefined ? [] : [overviewTexts.queueDelivers(formatRate(deliveredPerSecond))]), ...(node === undefined ? [] : [theme.escape(nodes?.get(node) ?? node)])], safe` · `),
      points: points.map(({ atMs, queueLength: value, isGap }) => ({ atMs, value, isGap })),
      max: limit, roles: finding === undefined ? hues.in : hues[severityRoles[finding.severity]],
    }];
  }).slice(0, maxQueues);
};

/** The connected clients of the cluster; none before they were counted. `clients`, `sessions`: their present numbers. */
export const clientLevels = (history: readonly TotalsSample[], clients: number | undefined, sessions: number | undefined): readonly Level[] => (history.length === 0 ? [] : [{
  name: { text: overviewTexts.clients, role: 'title' },
  value: { text: formatCount(clients), role: 'title' },
  rest: sessions === undefined ? safe`` : overviewTexts.ofSessions(sessions),
  points: history.map(({ atMs, values }) => ({ atMs, value: values.clients })),
  max: undefined, roles: hues.in,
}]);

const windowOf = (theme: Theme, width: number, points: Level['points'], sinceMs: number, nowMs: number) => {
  const perCell = valuesPerCell(theme.charset);
  return selectRateWindow(points.map(({ atMs, value, isGap }) => ({ atMs, perSecond: value, isGap })), {
    count: width * perCell, perCell, maxSeconds: windowSeconds, sinceMs, nowMs, maxStepMs: maxTrendStepMs, isGauge: true,
  });
};

/** The time that all graphs share. */
const timesOf = (levels: readonly Level[]): { readonly sinceMs: number; readonly nowMs: number } => {
  const times = levels.flatMap(({ points }) => points.map(({ atMs }) => atMs));
  return { sinceMs: Math.min(...times), nowMs: Math.max(...times) };
};

/** Keeps the last value of a level until it is read again, up to the newest reading of all levels. */
const heldUntil = (points: Level['points'], nowMs: number): Level['points'] => {
  const last = points.at(-1);
  return last === undefined || last.atMs >= nowMs || nowMs - last.atMs > maxTrendStepMs ? points : [...points, { ...last, atMs: nowMs, isGap: undefined }];
};

/** The time that the graphs show; nothing before there is any. */
export const levelNote = (theme: Theme, levels: readonly Level[]): SafeText | undefined => {
  const { sinceMs, nowMs } = timesOf(levels);
  return nowMs > sinceMs ? ratesTexts.title({ ageSeconds: 0, seconds: windowOf(theme, 1, [], sinceMs, nowMs).seconds, hasPeak: false }) : undefined;
};

/** Levels with their figures and, beside them, graphs of `graphRows` rows over one window. `hasGaps`: with blank lines between them. */
export const levelRows = (theme: Theme, width: number, graphRows: number, hasGaps: boolean, levels: readonly Level[]): readonly SpanRow[] => {
  const { sinceMs, nowMs } = timesOf(levels);
  const textWidth = Math.min(maxTextWidth, Math.floor(width * textShare));
  const graphWidth = Math.max(1, width - textWidth - scaleWidth);
  return levels.flatMap(({ name, value, rest, points, max: limit, roles }, index): readonly SpanRow[] => {
    const { values, peak = 0 } = windowOf(theme, graphWidth, heldUntil(points, nowMs), sinceMs, nowMs);
    const max = limit ?? niceMax(peak);
    const about: Span = { text: rest, role: 'dim' };
    const texts: readonly SpanRow[] = graphRows < 3 ? [[name], widthOf(value.text) + 2 + widthOf(rest) < textWidth - 1 ? [value, { text: safe`  ` }, about] : [value]] : [[name], [value], [about]];
    const lines = areaGraph({ values, max, width: graphWidth, rows: graphRows, direction: 'up', charset: theme.charset, unknown: glyphs.dot, hasBaseline: true });
    const rows = lines.map((line, row): SpanRow => [
      { text: safe` ` },
      ...fitSpans(texts[row] ?? [], textWidth - 1),
      { text: fit(row === 0 ? safe`${formatCountIn(max, scaleWidth - 2)} ┤` : safe`│`, scaleWidth, 'right'), role: 'dim' },
      { text: line, role: hueAt(roles, graphRows - 1 - row, graphRows) },
    ]);
    return hasGaps && index > 0 ? [[], ...rows] : rows;
  });
};
