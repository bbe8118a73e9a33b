import { selectFreshness } from '../../../monitor/select/freshness.ts';
import { selectMetricSource, selectRateSeries } from '../../../monitor/select/rates.ts';
import type { ActingState } from '../../../actions/acting-monitor.ts';
import { composeLine, type Line } from '../../../terminal/line.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { averageRate } from '../../../triage/traffic-checks.ts';
import { triageTexts } from '../../check-texts.ts';
import { asStale } from '../../components/blocks.ts';
import { boxLines, panelFrame, panelRows } from '../../components/panel.ts';
import { logLines } from '../log.tsx';
import { trafficNote, trafficRows, type TrafficView } from '../overview/traffic.ts';
import { overviewTexts } from '../texts.ts';

/** Draws what stands in rows that the list leaves: either exactly so many or none. */
export type SparePanels = (width: number, rows: number) => readonly Line[];

const borders = panelFrame.lines;
const minEventLines = 3;
/** Events take room in steps, so that a new one seldom moves the graph. */
const eventStep = 4;
const minTrafficRows = 11;
const trafficShare = 0.4;

/** What happened last, below the messages of the last minutes; where there is little room only the events, and neither without any. */
export const sparePanels = (theme: Theme, width: number, rows: number, state: ActingState, nowMs: number): readonly Line[] => {
  const { log, actions } = state;
  const events = logLines(theme, width - 2, log.slice(-Math.max(0, rows)), actions.filter(({ phase }) => phase !== 'finished'));
  if (rows < borders + minEventLines || events.length === 0) return [];
  const maxTraffic = rows - borders - Math.max(minEventLines, Math.ceil(events.length / eventStep) * eventStep);
  const hasTraffic = rows >= minTrafficRows + borders + minEventLines && selectRateSeries(state, 'messages.received').length > 0;
  const trafficHeight = hasTraffic ? Math.max(minTrafficRows, Math.floor(rows * trafficShare), maxTraffic) : 0;
  const room = rows - trafficHeight - borders;
  const shown = [...events.slice(0, room), ...Array.from({ length: room - events.length }, () => composeLine(theme, width - 2, []))];
  return [...trafficLines(theme, width, trafficHeight, state, nowMs), ...boxLines(theme, width, { title: triageTexts.recentEvents, note: triageTexts.newestFirst }, shown)];
};

const trafficLines = (theme: Theme, width: number, height: number, state: ActingState, nowMs: number): readonly Line[] => {
  if (height === 0) return [];
  const isStale = selectFreshness(state, nowMs).stale.includes('metrics');
  const view: TrafficView = {
    series: (name) => selectRateSeries(state, name),
    intervalSeconds: state.intervalSeconds,
    silentSeconds: isStale ? (selectMetricSource(state, undefined, nowMs).ageSeconds ?? 0) : 0,
    isLoading: false,
    averages: (name) => averageRate(state, name)?.perSecond,
  };
  const content = asStale(trafficRows(theme, width - panelFrame.columns, height - panelFrame.lines, view), isStale);
  return panelRows(width, height, { title: overviewTexts.messages, note: trafficNote(theme, view) }, content).map((row) => composeLine(theme, width, row));
};
