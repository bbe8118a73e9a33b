import { type ReactNode, useEffect, useMemo } from 'react';
import type { ActionState, WatchedMonitor } from '../../actions/acting-monitor.ts';
import { balance } from '../../checks/balance/check.ts';
import type { NextContext } from '../../checks/words.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import {
  ageSeconds,
  isPollingPaused,
  isWaitingFor,
  selectFreshness,
  selectLastReadMs,
  selectSecondsSinceRead,
} from '../../resources/freshness.ts';
import { selectListeners } from '../../resources/listeners/select.ts';
import { eventRows } from '../../resources/log/view/event-rows.ts';
import { logTexts } from '../../resources/log/texts.ts';
import { otherRates, rateNote, rateRows } from '../../resources/metrics/view/rate-rows.ts';
import { selectSplitView } from '../../resources/cluster-views/select.ts';
import { lastKnownNodes } from '../../resources/nodes/resource.ts';
import { nodesTexts } from '../../resources/nodes/texts.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import { sessionRows as sessionRowsPart } from '../../resources/sessions/history.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { selectQueueLimits } from '../../resources/sessions/select.ts';
import { totalsChange } from '../../resources/statistics/history.ts';
import { totalsHistory } from '../../resources/statistics/resource.ts';
import { selectTotals } from '../../resources/statistics/select.ts';
import { selectVital, type VitalName } from '../../resources/vital.ts';
import { type Line, spanAt } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { isProblem } from '../../triage/check.ts';
import { loadHistory } from '../../resources/metrics/resource.ts';
import { maxBackgroundRows, selectTooMany } from '../../triage/needs.ts';
import type { Finding } from '../../triage/problem.ts';
import { summarizeTriage } from '../../triage/triage.ts';
import { type QueueDropsView, selectQueueDrops, selectReport, type TriageReport } from '../../triage/view.ts';
import { asStale, sideBySide, type SpanRow, toLines } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { openPanelRows, type Panel, panelFrame, panelRows } from '../../tui/components/panel.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../tui/hooks/use-store.ts';
import { usePointer } from '../../tui/keys/use-keys.ts';
import { placeKey, selectCursorId, useIsCovered } from '../../tui/list/list-state.ts';
import { type ListControl, useListKeys, useListState, useListSync } from '../../tui/list/use-list-state.ts';
import { useIdClicks } from '../../tui/list/use-row-clicks.ts';
import { findingSpeech } from '../../resources/problems/view/finding-speech.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { countText, triageTexts } from '../../resources/problems/view/texts.ts';
import { overviewTexts } from '../texts.ts';
import { nextContext } from '../../resources/problems/view/next-context.ts';
import { useProblemKeys } from '../../resources/problems/view/problem-keys.ts';
import { busiestOf, busiestRows } from '../../resources/sessions/view/busiest.ts';
import { clientLevels, type LevelForm, levelNote, levelRows, problemLevels } from './levels.ts';
import { nodeClickId, nodeRows } from '../../resources/nodes/view/node-rows.ts';
import { problemRows } from '../../resources/problems/view/problem-rows.ts';
import { totalLines, totalRows, totalsNote, type TotalsView } from '../../resources/statistics/view/totals.ts';
import { trafficNote, trafficRows, trafficTimes, trafficView } from '../../resources/metrics/view/traffic.ts';
import { readingMessage } from '../../resources/view/reading-message.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { clickedCell, type GraphTimes } from '../../resources/metrics/view/graph-cursor.ts';
import { useGraphCursor, useGraphCursorKeys } from '../../resources/view/use-graph-cursor.ts';
import { useJump } from '../../resources/view/use-jump.ts';
import { listenerRows } from '../../resources/listeners/view/listener-rows.ts';
import { trafficTexts } from '../../resources/metrics/texts.ts';
import { listenersTexts } from '../../resources/listeners/texts.ts';

const initialSort = { columnId: '', isReversed: false };

export const OverviewScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  useWatch(monitor, loadHistory);
  const nowMs = useNow(1000);
  const report = useStore(monitor.store, selectReport);
  const { findings } = report;
  const ids = useMemo(() => findings.map(({ key }) => key), [findings]);
  const control = useListState(initialSort, placeKey({ screen: 'overview' }));
  const list = useListSync(control, ids, Math.max(1, height));
  const cursorKey = selectCursorId(list);
  const selected = findings.find(({ key }) => key === cursorKey);
  useFollowedProblem(monitor, control, findings, selected, nextContext(state, nowMs).attempt);
  const jump = useJump(go);
  useProblemKeys(monitor, selected, { notify, go });
  useListKeys(control, {
    onOpen:
      selected === undefined
        ? undefined
        : () => {
            jump(selected.jump, nowMs);
          },
  });
  const sessionRows = reading(state, sessionRowsPart);
  const busiest = useMemo(() => busiestOf(sessionRows), [sessionRows]);
  const graphCursor = useGraphCursor(placeKey({ screen: 'overview' }));
  const { rows, times } = overviewRows(
    theme,
    width,
    height,
    state,
    nowMs,
    report,
    cursorKey,
    selectQueueDrops(state, nowMs),
    busiest,
    graphCursor.atMs,
  );
  const moveCursor = useGraphCursorKeys(graphCursor, times);
  useSpoken({
    rank: 'row',
    key: cursorKey ?? `${report.isAllClear}`,
    isOnKeyOnly: cursorKey !== undefined,
    lines: () =>
      selected === undefined
        ? toLines(theme, width, 5, rows)
        : findingSpeech(theme, selected, nextContext(state, nowMs)),
  });
  const clickFinding = useIdClicks(control);
  const { clickIn } = usePointer();
  const onClick = (line: number, column: number): void => {
    const cell = clickedCell(rows[line] ?? [], column);
    if (cell !== undefined) {
      moveCursor(cell);
      return;
    }
    const clicked = spanAt(rows[line] ?? [], column)?.clickId;
    const node = selectNodes(state).find(({ name }) => nodeClickId(name) === clicked);
    if (node !== undefined)
      clickIn('list', () => {
        go({ screen: 'node', node: node.name });
      });
    else if (clicked !== undefined) clickFinding(clicked);
  };
  return <Rows lines={toLines(theme, width, height, rows)} onClick={onClick} />;
};

/** A problem that was critical under the cursor. */
export interface WatchedProblem {
  readonly finding: Finding;
  /** The problem left the list for a while, as a client that reconnects does. */
  readonly wasAway: boolean;
}

/** The last problem of each monitor, kept while another screen is shown. */
const watchedProblems = new WeakMap<WatchedMonitor, WatchedProblem | undefined>();

/** The problem of an action stays under the cursor so long. */
const watchedSeconds = 30;

/** Decides where the cursor goes when the critical problem under it improves or ends: to the worst problem, or back to its own within `watchedSeconds` of an action. @param isBusy a key was just pressed, or a dialog is open */
export const followProblem = (
  before: WatchedProblem | undefined,
  {
    findings,
    selected,
    attempt,
    isBusy,
  }: {
    readonly findings: readonly Finding[];
    readonly selected: Finding | undefined;
    readonly attempt: NextContext['attempt'];
    readonly isBusy: boolean;
  },
): { readonly next: WatchedProblem | undefined; readonly goTo?: string | undefined } => {
  const next = selected?.severity === 'critical' ? { finding: selected, wasAway: false } : undefined;
  if (before === undefined) return { next };
  const known = findings.find(({ key }) => key === before.finding.key);
  const isSelected = known !== undefined && selected?.key === known.key;
  if ((attempt?.(before.finding)?.seconds ?? watchedSeconds) < watchedSeconds) {
    if (known === undefined) return { next: { ...before, wasAway: true } };
    if (isSelected) return { next: { finding: known, wasAway: false } };
    return before.wasAway && !isBusy ? { next: { finding: known, wasAway: false }, goTo: known.key } : { next };
  }
  if (known?.severity === 'critical' || (known !== undefined && !isSelected)) return { next };
  return isBusy ? { next: before } : { next, goTo: findings[0]?.severity === 'critical' ? findings[0].key : undefined };
};

const useFollowedProblem = (
  monitor: WatchedMonitor,
  { cell, dispatch }: ListControl,
  findings: readonly Finding[],
  selected: Finding | undefined,
  attempt: NextContext['attempt'],
): void => {
  const isCovered = useIsCovered();
  useEffect(() => {
    const { next, goTo } = followProblem(watchedProblems.get(monitor), {
      findings,
      selected,
      attempt,
      isBusy: isCovered || cell.isKeyRecent(),
    });
    watchedProblems.set(monitor, next);
    if (goTo !== undefined) dispatch(goTo === findings[0]?.key ? { type: 'release' } : { type: 'goTo', id: goTo });
  });
};

const totalsView = (state: MonitorState): TotalsView => {
  const totals = selectTotals(state);
  return {
    totals: (name) => totals[name],
    change: totalsChange(reading(state, totalsHistory) ?? []),
    isLoading: isWaitingFor(state, 'stats'),
  };
};

/** Draws panels with sides, or without where lines and columns are few. */
const frameOf = (
  hasSides: boolean,
): { readonly lines: number; readonly columns: number; readonly draw: typeof panelRows } =>
  hasSides ? { ...panelFrame, draw: panelRows } : { lines: 1, columns: 0, draw: openPanelRows };

/** Draws Overview in exactly `height` lines. `cursorKey`: the selected problem. */
export const overviewLines = (...args: Parameters<typeof overviewRows>): readonly Line[] => {
  const [theme, width, height] = args;
  return toLines(theme, width, height, overviewRows(...args).rows);
};

/** Columns for whose view is shown. */
const maxViewColumns = 24;

/** Says whose view of the nodes is shown, where they have several. */
function viewNote(theme: Theme, state: MonitorState, names: NextContext['nodes']): SafeText | undefined {
  const view = selectSplitView(state);
  return view === undefined ? undefined : nodesTexts.viewOf(theme.escape(names?.get(view) ?? view, maxViewColumns));
}

/** Draws the rows, with the problems and nodes that can be clicked. */
const overviewRows = (
  theme: Theme,
  width: number,
  height: number,
  state: MonitorState & Partial<ActionState>,
  nowMs: number,
  report: TriageReport,
  cursorKey?: string,
  drops?: QueueDropsView,
  busiest?: ReturnType<typeof busiestOf>,
  graphCursorMs?: number,
): { readonly rows: readonly SpanRow[]; readonly times: GraphTimes | undefined } => {
  const nodes = selectNodes(state);
  const { stale } = selectFreshness(state, nowMs);
  const isStale = (name: VitalName): boolean => stale.includes(name);
  const view = {
    findings: report.findings,
    summary: summarizeTriage(report, nowMs, report.pending),
    tooManySessions: selectTooMany(state, 'sessions', maxBackgroundRows),
    cursorKey,
    ...nextContext(state, nowMs),
  };
  const hasSides = width >= minSidesWidth && height >= minSidesHeight;
  const frame = frameOf(hasSides);
  const cluster = totalsView(state);
  const trends = problemLevels(theme, state, report.findings, selectQueueLimits(state), view.nodes);
  const clients = clientLevels(
    reading(state, totalsHistory) ?? [],
    cluster.totals('clients').value,
    cluster.totals('sessions').value,
  );
  const levels = [...trends, ...clients];
  const layout = layOutOverview(
    width,
    height,
    nodes.length,
    report.findings.length,
    selectListeners(state)?.length,
    trends.length,
    clients.length,
  );
  const panel = (
    columns: number,
    lines: number,
    options: Panel,
    content: (innerWidth: number, innerHeight: number) => readonly SpanRow[],
  ): readonly SpanRow[] =>
    lines <= 0
      ? []
      : frame.draw(columns, lines, options, content(columns - frame.columns, Math.max(0, lines - frame.lines)));

  const problems = panel(
    layout.problemsWidth,
    layout.problems,
    {
      title: triageTexts.problems,
      note: problemsNote(state, report, nowMs, height < smallHeight),
      border: hasSides ? 'accent' : undefined,
    },
    (columns, lines) => problemRows(theme, columns, lines, Math.min(layout.nextLines, Math.max(1, lines - 2)), view),
  );
  const nodePanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(columns, lines, { title: overviewTexts.nodes, note: viewNote(theme, state, view.nodes) }, (inner, rows) =>
      asStale(
        nodeRows(theme, inner, rows, {
          nodes,
          nowMs,
          seenMs: selectLastReadMs(state, 'nodeStats', nowMs),
          lastKnown: reading(state, lastKnownNodes),
          highLoad: report.findings.find((finding) => isProblem(finding, balance, 'uneven-load'))?.evidence.node,
          sinceNodesReadSeconds: selectSecondsSinceRead(state, 'nodes', nowMs),
          message: readingMessage(theme, state, 'nodeStats', nowMs),
          isLoading: { nodes: isWaitingFor(state, 'nodes'), nodeStats: isWaitingFor(state, 'nodeStats') },
        }),
        isStale('nodeStats'),
      ),
    );
  const traffic = { ...trafficView(state, drops, isStale('metrics'), nowMs), cursorMs: graphCursorMs };
  const times = trafficTimes(
    theme,
    (layout.isWide ? layout.leftWidth : width) - frame.columns,
    layout.traffic - frame.lines,
    traffic,
  );
  const trafficPanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(columns, lines, { title: trafficTexts.messages, note: trafficNote(theme, traffic) }, (inner, rows) =>
      asStale(trafficRows(theme, inner, rows, traffic), isStale('metrics')),
    );
  const levelPanel = (columns: number, { lines, shown, ...form }: LevelLayout): readonly SpanRow[] =>
    panel(columns, lines, { title: overviewTexts.levels, note: levelNote(theme, levels) }, (inner) =>
      asStale(levelRows(theme, inner, form, levels.slice(0, shown)), isPollingPaused(state)),
    );
  const ratePanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(
      columns,
      lines,
      {
        title: overviewTexts.rates,
        note:
          traffic.series('messages.received').length === 0
            ? undefined
            : rateNote(theme, columns - frame.columns, traffic),
      },
      (inner, rows) => asStale(rateRows(theme, inner, rows, otherRates, traffic), isStale('metrics')),
    );
  const listenerPanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(
      columns,
      lines,
      { title: overviewTexts.listeners, note: listenersTexts.connectionsNote(ageSeconds(state, 'listeners', nowMs)) },
      (inner, rows) =>
        asStale(
          listenerRows(
            theme,
            inner,
            rows,
            selectListeners(state),
            readingMessage(theme, state, 'listeners', nowMs),
            view.nodes,
          ),
          isStale('listeners'),
        ),
    );
  const eventPanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(columns, lines, { title: logTexts.recentEvents, note: logTexts.newestFirst }, (inner) => {
      const events = eventRows(theme, inner, state);
      return events.length === 0 ? [[{ text: logTexts.empty, role: 'dim' }]] : events;
    });
  const busiestPanel = (columns: number, lines: number): readonly SpanRow[] =>
    panel(columns, lines, { title: overviewTexts.busiest, note: overviewTexts.busiestNote }, (inner, rows) =>
      asStale(busiestRows(theme, inner, rows, busiest, view.nodes), isPollingPaused(state)),
    );
  const totals = panel(
    width,
    layout.totals,
    { title: overviewTexts.totals, note: totalsNote(cluster.change) },
    (columns) => asStale(totalRows(columns, cluster), isStale('stats')),
  );

  if (!layout.isWide)
    return {
      rows: [...problems, ...nodePanel(width, layout.nodes), ...trafficPanel(width, layout.traffic), ...totals],
      times,
    };
  const right = width - layout.leftWidth;
  const rightColumn = [
    ...nodePanel(right, layout.nodes),
    ...ratePanel(right, layout.rates),
    ...listenerPanel(right, layout.listeners),
  ];
  if (layout.problemsWidth === width) {
    const leftColumn = [
      ...trafficPanel(layout.leftWidth, layout.traffic),
      ...levelPanel(layout.leftWidth, layout.levels),
      ...busiestPanel(layout.leftWidth, layout.busiest),
    ];
    return {
      rows: [
        ...problems,
        ...sideBySide(leftColumn, layout.leftWidth, 0, [...rightColumn, ...eventPanel(right, layout.events)]),
        ...totals,
      ],
      times,
    };
  }
  const incident = sideBySide(
    [...problems, ...eventPanel(layout.problemsWidth, layout.events)],
    layout.problemsWidth,
    0,
    levelPanel(width - layout.problemsWidth, layout.levels),
  );
  return {
    rows: [
      ...incident,
      ...sideBySide(
        [...trafficPanel(layout.leftWidth, layout.traffic), ...busiestPanel(layout.leftWidth, layout.busiest)],
        layout.leftWidth,
        0,
        rightColumn,
      ),
      ...totals,
    ],
    times,
  };
};

/**
 * Says how many checks there are, and how old their sessions; nothing before the first answer. `isSmall`: there may be
 * no row that counts hidden problems.
 */
const problemsNote = (
  state: MonitorState,
  { findings, results }: TriageReport,
  nowMs: number,
  isSmall: boolean,
): SafeText | undefined => {
  if (findings.length === 0 && Object.values(selectVital(state)).every(({ data }) => data === undefined))
    return undefined;
  const counts = findings.length === 0 || !isSmall ? [] : [countText(findings)];
  const { phase, rows, finishedAtMs, coverage } = reading(state, sessionScan);
  if (phase !== 'running' || finishedAtMs !== undefined) {
    const { atMs, partial } = results.find(({ reading }) => reading?.noun === 'sessions')?.reading ?? {};
    const readMs = partial?.atMs ?? atMs;
    return joinSafe(
      [
        ...counts,
        triageTexts.checksNote(results.filter(({ isNotOffered }) => isNotOffered !== true).length),
        ...(readMs === undefined || isSmall
          ? []
          : [triageTexts.sessionsRead(Math.max(0, nowMs - readMs) / 1_000, partial)]),
      ],
      safe` · `,
    );
  }
  const expected = [...coverage.values()].map((node) => node.expected);
  const total = expected.some((count) => count === undefined)
    ? undefined
    : expected.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return joinSafe([...counts, triageTexts.readingSessions(rows.length, total)], safe` · `);
};

const minSidesWidth = 100;
const minSidesHeight = 24;
const minTwoColumnsWidth = 110;
/** The width from which on the graphs of problems stand beside them. */
const minPairWidth = 180;
const problemsShare = 0.66;
const maxIncidentShare = 0.42;
/** Below this height there is only one line for the next step. */
const smallHeight = 12;
const minEventRows = 3;
/** Lines of the next step where problems are folded. */
const foldedNextLines = 2;

const nextStepLines = (height: number, isWide: boolean): number => (isWide || height < smallHeight ? 2 : 3);

/** Lines of each panel, with its title and borders; 0 for none. */
export interface OverviewLayout {
  readonly problems: number;
  /** If less than the whole width, the levels stand right of the problems, and the events below these. */
  readonly problemsWidth: number;
  /** The next step takes max so many of the problems' lines. */
  readonly nextLines: number;
  readonly nodes: number;
  readonly traffic: number;
  readonly totals: number;
  /** Whether nodes, rates and listeners stand right of the traffic. */
  readonly isWide: boolean;
  readonly leftWidth: number;
  readonly rates: number;
  readonly listeners: number;
  /** Stands below the traffic. */
  readonly busiest: number;
  readonly events: number;
  /** Stands below the traffic, or right of the problems. */
  readonly levels: LevelLayout;
}

interface LevelLayout extends LevelForm {
  readonly lines: number;
  readonly shown: number;
}

const noLevels: LevelLayout = { lines: 0, shown: 0, levelHeight: 0, hasGaps: false, isAbove: false };

/** Sizes of levels. `left`: for the traffic. */
const levelSizes = [
  { levelHeight: 10, hasGaps: true, left: 24 },
  { levelHeight: 7, hasGaps: true, left: 20 },
  { levelHeight: 5, hasGaps: true, left: 18 },
  { levelHeight: 4, hasGaps: true, left: 16 },
  { levelHeight: 3, hasGaps: true, left: 14 },
  { levelHeight: 3, hasGaps: false, left: 12 },
  { levelHeight: 2, hasGaps: false, left: 10 },
] as const;
/** Below this height there are no clients. */
const minClientsHeight = 30;

/** Lays out as many trends as leave the traffic its room, then the clients, with graphs as tall as possible. */
const layOutLevels = (height: number, trends: number, clients: number): LevelLayout => {
  for (let shown = trends + (height < minClientsHeight ? 0 : clients); shown > 0; shown -= 1) {
    for (const { levelHeight, hasGaps, left } of levelSizes) {
      const lines = panelFrame.lines + shown * levelHeight + (hasGaps ? shown - 1 : 0);
      if (height - lines >= left) return { lines, shown, levelHeight, hasGaps, isAbove: false };
    }
  }
  return noLevels;
};

/** Rows of a level with its figures above its graph. */
const minLevelRows = 3;

/** Lays out as many levels as fit right of the problems, in all `lines`. */
const fillWithLevels = (lines: number, count: number): LevelLayout => {
  const room = lines - panelFrame.lines;
  const shown = Math.min(count, Math.max(1, Math.floor((room + 1) / (minLevelRows + 1))));
  return { lines, shown, levelHeight: Math.floor((room - shown + 1) / shown), hasGaps: true, isAbove: true };
};

/** A graph needs no more; what is left says who gets the messages. */
const maxTrafficLines = 18;
const minBusiestRows = 5;

const busiestLines = (traffic: number, frame: number): number =>
  traffic - maxTrafficLines >= frame + minBusiestRows ? traffic - maxTrafficLines : 0;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** Returns the lines of the problems' content: the problems, what is unknown, what is fine, and the next step. */
const problemLines = (height: number, isWide: boolean, findingCount: number): number => {
  if (findingCount === 0) return height < smallHeight ? 2 : 3;
  const others = 2 + nextStepLines(height, isWide);
  return findingCount + (isWide ? others + 2 : others);
};

/** Assigns lines by the size of the terminal and the number of nodes, findings, listeners (two a node until they are known), trends of problems and other levels; never by other values. */
export const layOutOverview = (
  width: number,
  height: number,
  nodeCount: number,
  findingCount: number,
  listenerCount = 2 * Math.max(3, nodeCount),
  trendCount = 0,
  clientCount = 0,
): OverviewLayout => {
  const hasSides = width >= minSidesWidth && height >= minSidesHeight;
  const frame = hasSides ? panelFrame.lines : 1;
  // Room for three nodes until they are known, so that lines stay in place.
  const nodeLines = frame + 1 + Math.max(3, nodeCount);
  const isWide = hasSides && width >= minTwoColumnsWidth;
  const wanted = frame + problemLines(height, isWide, findingCount);
  if (isWide) {
    const maxProblems = Math.floor(height * maxIncidentShare);
    const problems = Math.min(wanted, clamp(maxProblems, 8, 20));
    const totals = height >= 30 ? frame + totalLines(width - panelFrame.columns) : 0;
    const leftWidth = Math.floor(width * 0.5);
    const listenerLines = frame + Math.max(2, listenerCount);
    if (width >= minPairWidth && findingCount > 0 && trendCount + clientCount > 0) {
      // What nodes, rates and listeners leave.
      const incident = clamp(
        height - totals - nodeLines - frame - otherRates.length - listenerLines,
        problems,
        Math.max(problems, maxProblems),
      );
      const events = incident - problems >= frame + minEventRows ? incident - problems : 0;
      const traffic = height - totals - incident;
      const rest = traffic - Math.min(traffic, nodeLines);
      const listeners =
        rest >= frame + otherRates.length + frame + 2 ? Math.min(rest - frame - otherRates.length, listenerLines) : 0;
      const rates = rest - listeners < frame + 3 ? 0 : rest - listeners;
      return {
        problems: incident - events,
        problemsWidth: Math.floor(width * problemsShare),
        nextLines: nextStepLines(height, isWide),
        events,
        levels: fillWithLevels(incident, trendCount + clientCount),
        nodes: traffic - rates - listeners,
        traffic: traffic - busiestLines(traffic, frame),
        totals,
        isWide,
        leftWidth,
        rates,
        listeners,
        busiest: busiestLines(traffic, frame),
      };
    }
    const traffic = height - problems - totals;
    const rest = traffic - Math.min(traffic, nodeLines);
    const minRates = rest < frame + 3 ? 0 : Math.min(rest, frame + otherRates.length);
    const listeners = minRates > 0 && rest - minRates >= frame + 2 ? Math.min(rest - minRates, listenerLines) : 0;
    const spare = rest - minRates - listeners;
    // Rates two rows high need less to look at than a panel more.
    const events = listeners > 0 && spare < otherRates.length && spare >= frame + minEventRows ? spare : 0;
    const rates = minRates === 0 ? 0 : rest - listeners - events;
    const levels = layOutLevels(traffic, trendCount, clientCount);
    const busiest = busiestLines(traffic - levels.lines, frame);
    return {
      problems,
      problemsWidth: width,
      nextLines: nextStepLines(height, isWide),
      nodes: traffic - rates - listeners - events,
      traffic: traffic - levels.lines - busiest,
      totals,
      isWide,
      leftWidth,
      rates,
      listeners,
      busiest,
      events,
      levels,
    };
  }
  const rest = height - nodeLines;
  // Two problems, what hides the others, a note and the next step.
  const minFolded = frame + 4 + foldedNextLines;
  // A graph has two rows a side, or at least two and one: rather fold problems.
  const besideGraph = Math.max(rest - frame - 6, Math.min(minFolded, rest - frame - 5));
  const problems =
    wanted <= besideGraph
      ? wanted
      : findingCount > 0 && besideGraph >= Math.min(minFolded, wanted - 1)
        ? Math.min(wanted - 1, besideGraph)
        : Math.min(wanted, Math.max(4, Math.floor(height * 0.5), rest - frame - 1));
  const nextLines =
    problems < wanted - 1 ? Math.min(foldedNextLines, nextStepLines(height, isWide)) : nextStepLines(height, isWide);
  const left = height - problems;
  const nodes = Math.min(nodeLines, Math.max(3, left - frame - 1));
  if (left - nodes < 2)
    return {
      problems,
      problemsWidth: width,
      nextLines,
      nodes: left,
      traffic: 0,
      totals: 0,
      isWide,
      leftWidth: width,
      rates: 0,
      listeners: 0,
      busiest: 0,
      events: 0,
      levels: noLevels,
    };
  const totalsHeight = frame + totalLines(width - (hasSides ? panelFrame.columns : 0));
  const totals = left - nodes >= totalsHeight + 7 ? totalsHeight : 0;
  return {
    problems,
    problemsWidth: width,
    nextLines,
    nodes,
    traffic: left - nodes - totals,
    totals,
    isWide,
    leftWidth: width,
    rates: 0,
    listeners: 0,
    busiest: 0,
    events: 0,
    levels: noLevels,
  };
};
