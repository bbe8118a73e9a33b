import type { NodeName } from '../../../domain/node.ts';
import { formatCountIn } from '../../../terminal/format.ts';
import { gaugeSpans, gaugeWidth } from '../../../terminal/gauge.ts';
import type { Span } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { thresholds } from '../../../triage/thresholds.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';
import type { ListenerRow } from '../select.ts';
import { listenersTexts } from '../texts.ts';

/** The width of all columns but node and gauge. */
const figuresWidth = 49;
/** Below this width figures are short and there is no gauge. */
const minListenerGaugeWidth = figuresWidth + 10;

/** Draws a listener in one row: protocol, address, connections and their limit; its node first if given. */
export const listenerRow = (
  theme: Theme,
  width: number,
  { listener, clients }: ListenerRow,
  node?: string,
): SpanRow => {
  const withNode = node !== undefined;
  const connections = (usedWidth: number, limitWidth: number): SafeText => {
    const used = fit(formatCountIn(clients.used, usedWidth), usedWidth, 'right');
    // A listener may have no limit.
    return fit(
      clients.limit === undefined ? used : safe`${used} of ${formatCountIn(clients.limit, limitWidth)}`,
      usedWidth + 4 + limitWidth,
    );
  };
  if (width < minListenerGaugeWidth && !withNode) {
    return [
      { text: safe` ${fit(theme.escape(listener.protocol, 8), 8)} ${fit(theme.escape(listener.listen, 15), 15)}` },
      { text: safe` ${connections(5, 5)}` },
    ];
  }
  if (withNode && width < minListenerGaugeWidth + 9) {
    return [
      {
        text: safe` ${fit(theme.escapeEnds(node, 8), 8)} ${fit(theme.escape(listener.protocol, 8), 8)} ${fit(theme.escape(listener.listen, 15), 15)}`,
      },
      { text: safe` ${connections(5, 7)}` },
    ];
  }
  const room = width - figuresWidth;
  const ownGauge = Math.max(10, Math.min(gaugeWidth, room - (withNode ? 18 : 0)));
  const nodeWidth = Math.max(8, Math.min(24, room - ownGauge - 1));
  return [
    { text: safe` ${withNode ? safe`${fit(theme.escapeEnds(node, nodeWidth), nodeWidth)} ` : safe``}` },
    { text: safe`${fit(theme.escape(listener.protocol, 11), 11)} ${fit(theme.escape(listener.listen, 15), 15)}` },
    { text: safe` ${connections(6, 9)}` },
    { text: safe` ` },
    ...(clients.limit === undefined
      ? []
      : gaugeSpans(ownGauge, clients.used, clients.limit, thresholds.listenerClients)),
  ];
};

/** Draws the fullest listeners in `height` rows with a title. `nodes`: short names. */
export const listenerRows = (
  theme: Theme,
  width: number,
  height: number,
  listeners: readonly ListenerRow[] | undefined,
  message: Span,
  nodes: ReadonlyMap<NodeName, string> = new Map(),
): readonly SpanRow[] => {
  const all = listeners ?? [];
  const sorted = all.length > height ? all.toSorted((a, b) => (b.clients.share ?? 0) - (a.clients.share ?? 0)) : all;
  const shown = sorted
    .slice(0, all.length > height ? Math.max(0, height - 1) : height)
    .map((row) => listenerRow(theme, width, row, nodes.get(row.node) ?? row.node));
  const hidden = all.length - shown.length;
  return [
    ...(all.length === 0 ? [[message]] : shown),
    ...(hidden > 0 ? [[{ text: safe` ${listenersTexts.more(hidden)}`, role: 'dim' } as const]] : []),
  ];
};
