import type { NodeName } from '../../../domain/node.ts';
import type { SessionRow } from '../history.ts';
import { formatCountIn, formatRate, formatText } from '../../../terminal/format.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';
import { busiestTexts } from '../texts.ts';

/** More sessions never fit. */
const maxShown = 60;

type RatedRow = Pick<SessionRow, 'session' | 'rates'>;

const deliveries = ({ rates }: RatedRow): number => rates.deliveredPerSecond ?? 0;

/**
 * Returns sessions that get messages, those with most deliveries per second first. `undefined` if none is known to get any, but
 * some have no rates yet.
 */
export function busiestOf(rows: readonly RatedRow[]): readonly RatedRow[] | undefined {
  const busy = rows.filter((row) => deliveries(row) > 0);
  if (busy.length === 0 && (rows.length === 0 || rows.some(({ rates }) => rates.deliveredPerSecond === undefined)))
    return undefined;
  return busy
    .toSorted((a, b) => deliveries(b) - deliveries(a) || (a.session.clientId < b.session.clientId ? -1 : 1))
    .slice(0, maxShown);
}

const rateWidth = 9;
const queueWidth = 8;
const nodeShare = 0.25;

/**
 * Draws one session a line: its client, node, deliveries per second and queue. `rows`: `undefined` before there are
 * rates.
 */
export const busiestRows = (
  theme: Theme,
  width: number,
  height: number,
  rows: ReturnType<typeof busiestOf>,
  names: ReadonlyMap<NodeName, string> = new Map(),
): readonly SpanRow[] => {
  if (rows === undefined) return [[{ text: safe` ${busiestTexts.noRates}`, role: 'dim' }]];
  if (rows.length === 0) return [[{ text: safe` ${busiestTexts.noDeliveries}`, role: 'dim' }]];
  const nodeWidth = Math.floor(width * nodeShare);
  const idWidth = Math.max(1, width - nodeWidth - 2 * rateWidth - 2 * queueWidth - 3);
  const head: SpanRow = [
    { text: fit(safe` ${busiestTexts.columns.client}`, idWidth + 2), role: 'dim' },
    { text: fit(busiestTexts.columns.node, nodeWidth), role: 'dim' },
    { text: fit(busiestTexts.columns.rate, 2 * rateWidth, 'right'), role: 'dim' },
    { text: fit(busiestTexts.columns.queue, 2 * queueWidth, 'right'), role: 'dim' },
  ];
  return [
    head,
    ...rows.slice(0, Math.max(0, height - 1)).map(({ session, rates }): SpanRow => [
      { text: fit(safe` ${theme.escapeEnds(session.clientId, idWidth)}`, idWidth + 2) },
      {
        text: fit(
          formatText(session.node, (node) => theme.escape(names.get(node) ?? node, nodeWidth)),
          nodeWidth,
        ),
        role: 'dim',
      },
      { text: fit(formatRate(rates.deliveredPerSecond), 2 * rateWidth, 'right') },
      { text: fit(formatCountIn(session.queueLength, queueWidth), 2 * queueWidth, 'right') },
    ]),
  ];
};
