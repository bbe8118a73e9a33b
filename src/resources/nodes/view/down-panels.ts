import type { NodeName } from '../../../domain/node.ts';
import { timelineEvents } from '../../../monitor/events.ts';
import { reading } from '../../../monitor/query/part.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { sideBySide, type SpanRow } from '../../../tui/components/blocks.ts';
import { panelFrame, panelRows } from '../../../tui/components/panel.ts';
import { nodeRows } from './node-rows.ts';
import { selectSecondsSinceRead } from '../../freshness.ts';
import { logRows } from '../../log/view/event-rows.ts';
import { lastKnownNodes } from '../resource.ts';
import { selectNodes } from '../select.ts';
import { nodeTexts } from '../texts.ts';
import { hasMessageRates, messagesPanel } from '../../metrics/view/traffic.ts';
import { trafficTexts } from '../../metrics/texts.ts';
import { logTexts } from '../../log/texts.ts';

const minRows = 5;
const minGraphRows = 8;
const maxEntries = 200;

/**
 * Draws what a stopped node leaves, in at most `rows` rows: the other nodes with their clients, the events that name
 * it, and below them the messages of the cluster. Nothing where there is little room.
 */
export const downPanels = (
  theme: Theme,
  width: number,
  rows: number,
  state: MonitorState,
  name: NodeName,
  nowMs: number,
  hasOthers: boolean,
): readonly SpanRow[] => {
  if (rows < minRows) return [];
  const others = hasOthers ? selectNodes(state).filter((node) => node.name !== name) : [];
  const leftWidth = Math.floor(width / 2);
  const eventWidth = others.length === 0 ? width : width - leftWidth;
  const events = logRows(
    theme,
    eventWidth - panelFrame.columns,
    reading(state, timelineEvents)
      .slice(-maxEntries)
      .filter(({ node, text }) => node === name || text.includes(name)),
    [],
  );
  const wanted = Math.max(others.length === 0 ? 0 : others.length + 1, events.length);
  if (wanted === 0)
    return hasMessages(state, rows)
      ? messagesPanel(theme, width, rows, state, nowMs, trafficTexts.clusterMessages)
      : [];
  const least = Math.min(wanted, minRows) + panelFrame.lines;
  const height = hasMessages(state, rows - least)
    ? Math.min(wanted + panelFrame.lines, rows - minGraphRows)
    : Math.min(rows, wanted + panelFrame.lines);
  const eventsPanel =
    events.length === 0
      ? []
      : panelRows(eventWidth, height, { title: logTexts.recentEvents, note: logTexts.newestFirst }, events);
  const othersPanel =
    others.length === 0
      ? []
      : panelRows(
          events.length === 0 ? width : leftWidth,
          height,
          { title: nodeTexts.others, note: nodeTexts.othersNote },
          nodeRows(theme, leftWidth - panelFrame.columns, height - panelFrame.lines, {
            nodes: others,
            message: { text: safe`` },
            nowMs,
            seenMs: undefined,
            lastKnown: reading(state, lastKnownNodes),
            sinceNodesReadSeconds: selectSecondsSinceRead(state, 'nodes', nowMs),
            isLoading: { nodes: false, nodeStats: false },
          }),
        );
  const top =
    othersPanel.length === 0
      ? eventsPanel
      : eventsPanel.length === 0
        ? othersPanel
        : sideBySide(othersPanel, leftWidth, 0, eventsPanel);
  return [
    ...top,
    ...(hasMessages(state, rows - height)
      ? messagesPanel(theme, width, rows - height, state, nowMs, trafficTexts.clusterMessages)
      : []),
  ];
};

const hasMessages = (state: MonitorState, rows: number): boolean => rows >= minGraphRows && hasMessageRates(state);
