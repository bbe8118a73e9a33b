import type { ReactNode } from 'react';
import type { ActingState, WatchedMonitor } from '../../actions/acting-monitor.ts';
import { eventRows } from '../log/view/event-rows.ts';
import { metrics } from '../metrics/resource.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type SpanRow, toLines } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { panelFrame, panelRows } from '../../tui/components/panel.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../tui/hooks/use-store.ts';
import { hasMessageRates, messagesPanel } from '../metrics/view/traffic.ts';
import { logTexts } from '../log/texts.ts';

/** Draws what stands in rows that the list leaves: either exactly so many or none. */
export type DrawSpare = (width: number, rows: number) => readonly SpanRow[];

const borders = panelFrame.lines;
const minEventLines = 3;
/** Events take room in steps, so that a new one seldom moves the graph. */
const eventStep = 4;
const minMessagesRows = 11;
const messagesShare = 0.4;

/**
 * Draws what happened last, below the messages of the last minutes; where there is little room only the events, and
 * neither without any.
 */
export const sparePanels = (
  theme: Theme,
  width: number,
  rows: number,
  state: ActingState,
  nowMs: number,
): readonly SpanRow[] => {
  const events = eventRows(theme, width - panelFrame.columns, state, Math.max(1, rows));
  if (rows < borders + minEventLines || events.length === 0) return [];
  const eventLines = Math.max(minEventLines, Math.ceil(events.length / eventStep) * eventStep);
  const hasMessages = rows >= minMessagesRows + borders + minEventLines && hasMessageRates(state);
  const height = hasMessages
    ? Math.max(minMessagesRows, Math.floor(rows * messagesShare), rows - borders - eventLines)
    : 0;
  return [
    ...messagesPanel(theme, width, height, state, nowMs),
    ...panelRows(width, rows - height, { title: logTexts.recentEvents, note: logTexts.newestFirst }, events),
  ];
};

interface SparePanelsProps {
  readonly monitor: WatchedMonitor;
  readonly width: number;
  readonly height: number;
}

const SparePanels = ({ monitor, width, height }: SparePanelsProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1_000);
  useWatch(monitor, metrics);
  const panels = sparePanels(theme, width, height, state, nowMs);
  const shown =
    panels.length > 0 || !hasMessageRates(state) ? panels : messagesPanel(theme, width, height, state, nowMs);
  return <Rows lines={toLines(theme, width, height, shown)} />;
};

/** Draws these panels below a short list, with the messages alone before the first event. */
export const panelsBelow =
  (monitor: WatchedMonitor) =>
  (width: number, height: number): ReactNode => <SparePanels monitor={monitor} width={width} height={height} />;
