import type { ListenerRow } from '../../../monitor/select/memo.ts';
import { thresholds } from '../../../triage/thresholds.ts';
import { formatAge, formatCount, formatCountIn } from '../../../terminal/format.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { gaugeSpans } from '../../components/gauge.ts';
import type { Span } from '../../../terminal/line.ts';
import { type SpanRow, titleRow } from '../blocks.ts';

/** Columns of everything but node and gauge. */
const figuresWidth = 48;

/** A listener in one row: protocol, address, connections of their maximum. `withNode` puts its node before. */
export const listenerRow = (theme: Theme, width: number, { node, listener, clients }: ListenerRow, withNode: boolean): SpanRow => {
  const room = width - figuresWidth;
  const gaugeWidth = Math.max(10, Math.min(30, room - (withNode ? 18 : 0)));
  const nodeWidth = Math.max(8, Math.min(24, room - gaugeWidth - 1));
  return [
    { text: safe` ${withNode ? safe`${fit(theme.escape(node, nodeWidth), nodeWidth)} ` : safe``}` },
    { text: safe`${fit(theme.escape(listener.protocol, 11), 11)} ${fit(theme.escape(listener.listen, 15), 15)}` },
    { text: safe` ${fit(formatCountIn(clients.used, 6), 6, 'right')} of ${fit(formatCountIn(clients.limit, 9), 9)}` },
    ...gaugeSpans(gaugeWidth, clients.used, clients.limit, thresholds.listenerClients),
  ];
};

/** The fullest listeners in `height` rows with a title, read `age` seconds ago: not as often as the figures around them. */
export const listenerRows = (
  theme: Theme, width: number, height: number, listeners: readonly ListenerRow[] | undefined, message: Span, age?: number | undefined,
): readonly SpanRow[] => {
  if (height < 2) {
    return [];
  }
  const room = height - 1;
  const all = listeners ?? [];
  const sorted = all.length > room ? all.toSorted((a, b) => (b.clients.share ?? 0) - (a.clients.share ?? 0)) : all;
  const shown = sorted.slice(0, all.length > room ? room - 1 : room).map((row) => listenerRow(theme, width, row, true));
  const hidden = all.length - shown.length;
  return [
    titleRow(width, safe`Listeners`, age === undefined ? safe`clients of the most they take` : safe`clients of the most they take, read ${formatAge(age)}`),
    ...(all.length === 0 ? [[message]] : shown),
    ...(hidden > 0 ? [[{ text: safe` +${formatCount(hidden)} more, the fullest are shown (3 lists all)`, role: 'dim' } as const]] : []),
  ];
};
