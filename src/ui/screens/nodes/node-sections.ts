import { statNames } from '../../../domain/metrics.ts';
import type { Gauge, ListenerRow, NodeRow } from '../../../monitor/select/nodes.ts';
import { formatBrokerTime, formatBytes, formatCount, formatDuration, formatLoad, formatMinShare, formatText, loadingText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { gaugeSpans } from '../../../terminal/graphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { type Threshold, thresholds } from '../../../triage/thresholds.ts';
import { type SpanRow, titleRow } from '../../components/blocks.ts';
import { clientGauge, isLoadRising, listenerRow } from '../overview/nodes.ts';
import { statLabels } from '../overview/totals.ts';
import { isDown, statusDuration, statusRole, statusSign, statusWord } from './columns.ts';

/** Which parts have not come yet, and have not failed either. */
export interface NodeLoading {
  readonly info: boolean;
  readonly stats: boolean;
  readonly counts: boolean;
  readonly listeners: boolean;
}

const labelWidth = 12;

const label = (text: SafeText): Span => ({ text: fit(safe` ${text}`, labelWidth), role: 'dim' });

const field = (name: SafeText, text: SafeText, role?: Role): SpanRow => [label(name), { text: safe` ${text}`, role }];

/** A value that may still come. */
const value = (isThere: boolean, isLoading: boolean, text: () => SafeText): SafeText => {
  if (isThere) {
    return text();
  }
  return isLoading ? loadingText : unknownText;
};

/** Broker text, or unknown. */

/** What the node says about itself (§2.2). */
export const identityRows = (theme: Theme, width: number, row: NodeRow, clock: number | undefined, loading: NodeLoading, nowMs: number, seenMs: number | undefined, sinceReadSeconds: number): readonly SpanRow[] => {
  const { info, stats } = row;
  const uptime = info?.uptimeSeconds === undefined ? undefined : info.uptimeSeconds + sinceReadSeconds;
  const isThere = info !== undefined;
  const text = (raw: string | undefined): SafeText => formatText(raw, (own) => theme.escape(own, width));
  return [
    [label(safe`status`), { text: safe` ` }, statusSign(row), { text: safe` ${statusWord(theme, row, width)}`, role: statusRole(row) },
      ...(isDown(row) || row.sinceMs !== undefined ? [{ text: safe` ${statusDuration(row, nowMs, seenMs)}` }] : [])],
    field(safe`version`, value(isThere, loading.info, () => text(info?.version))),
    field(safe`description`, value(isThere, loading.info, () => text(info?.description))),
    field(safe`OTP release`, value(isThere || stats !== undefined, loading.info, () => text(info?.otpRelease ?? stats?.otpRelease))),
    field(safe`uptime`, value(isThere, loading.info, () => formatDuration(uptime))),
    field(safe`its clock`, value(isThere, loading.info, () => formatBrokerTime(clock))),
  ];
};

const gaugeRow = (width: number, name: SafeText, { used, limit }: Gauge, limits: Threshold, format: (figure: number | undefined) => SafeText): SpanRow => {
  if (used === undefined && limit === undefined) {
    return field(name, unknownText);
  }
  const figures = safe`${format(used)} of ${format(limit)}`;
  const gaugeWidth = Math.max(8, Math.min(40, width - labelWidth - 19));
  return [label(name), { text: safe` ` }, ...gaugeSpans(gaugeWidth, used, limit, limits), { text: safe` ${figures}` }];
};

/** Its figures with their limits (§2.3). */
export const figureRows = (width: number, row: NodeRow, loading: NodeLoading): readonly SpanRow[] => {
  const { stats, fileDescriptors: descriptors } = row;
  if (stats === undefined) {
    const text = loading.stats ? loadingText : unknownText;
    return [safe`clients`, safe`memory`, safe`processes`, safe`descriptors`, safe`load`].map((name) => field(name, text));
  }
  const isRising = isLoadRising(stats.load1, stats.load5);
  const minShare = descriptors.share === undefined
    ? (descriptors.limit === undefined ? unknownText : safe`${unknownText} of ${formatCount(descriptors.limit)}`)
    : safe`${formatMinShare(descriptors.share, true)} of ${formatCount(descriptors.limit)}`;
  const isFull = descriptors.share !== undefined && descriptors.share >= thresholds.fileDescriptors.warning;
  return [
    gaugeRow(width, safe`clients`, clientGauge(row), thresholds.listenerClients, formatCount),
    gaugeRow(width, safe`memory`, row.memory, thresholds.memory, formatBytes),
    gaugeRow(width, safe`processes`, row.processes, thresholds.processes, formatCount),
    field(safe`descriptors`, isFull ? safe`! ${minShare}` : minShare, isFull ? 'warning' : 'normal'),
    [label(safe`load`), { text: safe` ${formatLoad(stats.load1)} ${formatLoad(stats.load5)} ${formatLoad(stats.load15)}` },
      ...(isRising ? [{ text: safe` ${glyphs.rising} rising`, role: 'warning' } as const] : [])],
  ];
};

/** Its counts with the highest since it started (§2.11). */
export const countRows = (width: number, { counts }: NodeRow, loading: NodeLoading): readonly SpanRow[] => [
  titleRow(width, safe`Statistics`, safe`max since it started`),
  ...statNames.map((name): SpanRow => {
    const text = (figure: number | undefined): SafeText => value(counts !== undefined, loading.counts, () => formatCount(figure));
    const stat = counts?.[name];
    return [
      { text: fit(safe` ${statLabels[name]}`, 14), role: 'dim' },
      { text: safe` ${fit(text(stat?.count), 10, 'right')}`, role: 'title' },
      { text: safe` (max ${text(stat?.max)})`, role: 'dim' },
    ];
  }),
];

/** Its listeners (§2.9). */
export const listenerSection = (theme: Theme, width: number, row: NodeRow, rows: readonly ListenerRow[], loading: NodeLoading): readonly SpanRow[] => {
  const empty = row.listeners === undefined
    ? safe` ${loading.listeners ? safe`${loadingText} not here yet` : safe`${unknownText} the broker did not tell`}`
    : safe` it has none`;
  const list = rows.flatMap((listener): SpanRow[] => {
    const { shutdownCount, shutdownCountRaw } = listener.listener;
    const ends = Object.entries(shutdownCount).map(([reason, count]) => safe`${theme.escape(reason, 40)} ${formatCount(count)}`);
    const raw = shutdownCountRaw === undefined ? [] : [theme.escape(shutdownCountRaw, width)];
    const notes = [...ends, ...raw];
    return [
      listenerRow(theme, width, listener, false),
      ...(notes.length === 0 ? [] : [[{ text: safe`   ended: `, role: 'dim' } as const, ...notes.map((text, index): Span => ({ text: index === 0 ? text : safe`, ${text}` }))]]),
    ];
  });
  return [titleRow(width, safe`Listeners`, safe`clients of the most they take`), ...(list.length === 0 ? [[{ text: empty, role: 'dim' } as const]] : list)];
};

/** Fields whose text was not understood, as the broker wrote them. */
export const unparsedSection = (theme: Theme, width: number, { info, stats }: NodeRow): readonly SpanRow[] => {
  const fields = new Map([...Object.entries(info?.unparsed ?? {}), ...Object.entries(stats?.unparsed ?? {})]);
  if (fields.size === 0) {
    return [];
  }
  return [
    titleRow(width, safe`Not understood`, safe`as the broker wrote it`),
    ...[...fields].map(([name, raw]): SpanRow => [{ text: safe` ${theme.escape(name, 24)}: `, role: 'dim' }, { text: theme.escape(raw, width) }]),
  ];
};
