import type { ReactNode } from 'react';
import { statNames } from '../../domain/metrics.ts';
import type { NodeName } from '../../domain/node.ts';
import { averageRate } from '../../domain/rates.ts';
import { reading, watchOf } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import {
  formatBrokerTime,
  formatBytes,
  formatCount,
  formatDuration,
  formatLoad,
  formatMinShare,
  formatText,
  loadingText,
  unknownText,
} from '../../terminal/format.ts';
import { gaugeSpans, gaugeWidth } from '../../terminal/gauge.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { type Span, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { Finding } from '../../triage/problem.ts';
import { type Threshold, thresholds } from '../../triage/thresholds.ts';
import {
  asStale,
  blankRow,
  endsRow,
  fillRows,
  sideBySide,
  type SpanRow,
  titleRow,
  toLines,
} from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { type Panel, panelFrame, panelRows } from '../../tui/components/panel.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { positionText, useScroll } from '../../tui/hooks/use-scroll.ts';
import { useStore, useWatch, wholeState } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { nodeNameIn } from '../view/node-names.ts';
import { errorText } from '../../tui/list/resource-notice.ts';
import { clientGauge, isLoadRising } from './view/node-rows.ts';
import { statLabels } from '../statistics/view/totals.ts';
import { trafficNote, trafficRows } from '../metrics/view/traffic.ts';
import { nextContext } from '../problems/view/next-context.ts';
import { findProblem, targetProblemRows } from '../problems/view/target-problem.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { selectFreshness, selectLastReadMs, selectSecondsSinceRead } from '../freshness.ts';
import { listeners } from '../listeners/resource.ts';
import { type ListenerRow, listenersOf, selectListeners } from '../listeners/select.ts';
import { needsNodeMetrics, selectMetricInterval, selectMetricSource, selectRateSeries } from '../metrics/rates.ts';
import { metrics, nodeMetrics } from '../metrics/resource.ts';
import { originText } from '../metrics/screen.tsx';
import { metricsTexts, trafficTexts } from '../metrics/texts.ts';
import {
  mainRates,
  otherRates,
  qosRates,
  rateNote,
  rateRows,
  type RatesView,
  rateTitle,
} from '../metrics/view/rate-rows.ts';
import { stats } from '../statistics/resource.ts';
import { type VitalName, selectVital } from '../vital.ts';
import { lastKnownNodes, nodes, nodeStats } from './resource.ts';
import { type Gauge, type NodeRow, selectBrokerClock, selectNodeNames, selectNodes, withLastKnown } from './select.ts';
import { nodeTexts } from './texts.ts';
import { isDown, statusDuration, statusRole, statusSign, statusWord } from './view/columns.ts';
import { downPanels } from './view/down-panels.ts';
import { useNodeKeys } from './view/node-keys.ts';
import { readingMessage } from '../view/reading-message.ts';
import { resourceNames } from '../view/texts.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { listenerRow } from '../listeners/view/listener-rows.ts';

/** Shows one node: all fields, statistics, rates and listeners; scrolls. */
export const NodeScreen = ({
  monitor,
  width,
  height,
  node,
  go,
}: ScreenProps & { readonly node: NodeName }): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, nodes);
  useWatch(monitor, nodeStats);
  useWatch(monitor, stats);
  useWatch(monitor, listeners);
  const isAlone = needsNodeMetrics(state, node);
  useWatch(monitor, isAlone ? watchOf(nodeMetrics, node) : undefined);
  // Of a node that is down, the page has the messages of the cluster.
  useWatch(
    monitor,
    isAlone && selectNodes(state).some((row) => row.name === node && !isDown(row)) ? undefined : metrics,
  );

  const troubles = targetProblemRows(theme, width, 2, nodeProblem(state, node), nextContext(state, nowMs));
  const problem = readProblemText(theme, state, nowMs);
  const inner = Math.max(2, height - troubles.length);
  const rows =
    width >= minSidesWidth && height >= minSidesHeight
      ? nodePanels(theme, width, state, node, nowMs, inner - 1, true)
      : nodeRowsOf(theme, width, state, node, nowMs, inner - 1);
  // The last line is for the content where that then needs no scrolling.
  const room = problem === '' && rows.length === inner ? inner : inner - 1;
  const { window, handlers } = useScroll(rows.length, room);
  useKeys('list', handlers);
  useNodeKeys({ node, go });
  const footer = endsRow(
    width,
    [{ text: safe` ${problem}`, role: 'error' }],
    [{ text: safe`${positionText(window, rows.length)} `, role: 'dim' }],
  );
  useSpoken({
    rank: 'content',
    key: node,
    lines: () => toLines(theme, width, troubles.length + rows.length, [...troubles, ...rows]),
  });
  return (
    <Rows
      lines={toLines(theme, width, height, [
        ...troubles,
        ...fillRows(rows.slice(window.from, window.to), room),
        footer,
      ])}
    />
  );
};

export const nodeProblem = (state: MonitorState, name: NodeName): Finding | undefined =>
  findProblem(state, (jump) => jump.screen === 'node' && jump.node === name);

const gap = 2;
const minPairWidth = 76;
/** The width from which on the node is drawn in panels side by side. */
export const minSidesWidth = 100;
const minSidesHeight = 24;
const shownResources: readonly VitalName[] = ['nodes', 'nodeStats', 'listeners', 'stats'];

/** Says which resources failed or are stale, for the footer; empty if there are none. */
export const readProblemText = (theme: Theme, state: MonitorState, nowMs: number): SafeText => {
  const { stale } = selectFreshness(state, nowMs);
  const parts: SafeText[] = [];
  const reasons = new Set<SafeText>();
  for (const name of shownResources) {
    const { data, error, updatedAtMs } = selectVital(state)[name];
    if (error !== undefined || stale.includes(name)) {
      const age =
        data === undefined || updatedAtMs === undefined
          ? nodeTexts.notFetched
          : nodeTexts.age(Math.max(0, nowMs - updatedAtMs) / 1000);
      parts.push(safe`${resourceNames[name]} ${age}`);
    }
    if (error !== undefined) {
      reasons.add(errorText(theme, error));
    }
  }
  return parts.length === 0 ? safe`` : safe`! ${joinSafe([joinSafe(parts, safe`, `), ...reasons], safe`: `)}`;
};

interface NodeParts {
  readonly title: SafeText;
  readonly status: SafeText;
  readonly statusRole: Role;
  /** Whether the node is down. Then it has no rates: those of its last seconds would look like those of now. */
  readonly isDown: boolean;
  /** Says when the values were read, if the node is down. */
  readonly lastKnown: readonly SpanRow[];
  readonly fields: (width: number) => readonly SpanRow[];
  /** Empty if the node is down and they are not known, like the listeners. */
  readonly counts: readonly SpanRow[];
  readonly rates: RatesView;
  readonly isRatesStale: boolean;
  /** Says below the rates whose they are, and why they are missing. */
  readonly origin: readonly SpanRow[];
  readonly listeners: (width: number) => readonly SpanRow[];
  readonly unparsed: (width: number) => readonly SpanRow[];
}

/** Columns for ` Node `, and the status behind the title. */
const besideTitle = 24;

/** Draws the title and why there is nothing else, for a node without values. */
const partsOf = (
  theme: Theme,
  width: number,
  state: MonitorState,
  name: NodeName,
  nowMs: number,
): NodeParts | { readonly title: SafeText; readonly message: Span } => {
  const title = safe`Node ${nodeNameIn(theme, name, selectNodeNames(state), Math.max(16, width - besideTitle))}`;
  const present = selectNodes(state).find((candidate) => candidate.name === name);
  if (present === undefined) {
    const message =
      reading(state, nodeStats).data === undefined
        ? readingMessage(theme, state, 'nodeStats', nowMs)
        : { text: safe` ${nodeTexts.unknown}`, role: 'warning' as const };
    return { title, message };
  }
  const { stale } = selectFreshness(state, nowMs);
  const last = isDown(present) ? reading(state, lastKnownNodes).get(name) : undefined;
  const row = withLastKnown(present, last);
  const isOld = (resource: VitalName): boolean => last !== undefined || stale.includes(resource);
  const isWaiting = (resource: VitalName): boolean =>
    selectVital(state)[resource].data === undefined && selectVital(state)[resource].error === undefined;
  const loading: NodeLoading = {
    info: isWaiting('nodes'),
    stats: isWaiting('nodeStats'),
    counts: isWaiting('stats'),
    listeners: isWaiting('listeners'),
  };
  const source = selectMetricSource(state, name, nowMs);
  const clock =
    last === undefined
      ? row.info?.clock === undefined
        ? undefined
        : selectBrokerClock(state, name, nowMs)
      : last.info?.clock;
  const seenMs = selectLastReadMs(state, 'nodeStats', nowMs);
  const listed =
    last === undefined
      ? (selectListeners(state) ?? []).filter(({ node }) => node === name)
      : listenersOf(name, last.listeners ?? []);
  const rates: RatesView = {
    series: (metric) => selectRateSeries(state, metric, name),
    intervalSeconds: selectMetricInterval(state, name),
    silentSeconds: source.isStale ? (source.ageSeconds ?? 0) : 0,
    isLoading: !isDown(row) && source.error === undefined && !(source.origin === 'part' && !source.hasData),
    ...(source.isStale ? {} : { averages: (metric) => averageRate(selectRateSeries(state, metric, name))?.perSecond }),
  };
  const has: Readonly<Record<'values' | 'statistics' | 'rates' | 'listeners', boolean>> = {
    values: !isDown(row) || row.info !== undefined || hasFigures(row),
    statistics: !isDown(row) || row.counts !== undefined,
    rates:
      !isDown(row) ||
      [...mainRates, ...otherRates].some((item) =>
        rates.series(item.name).some(({ perSecond }) => perSecond !== undefined),
      ),
    listeners: !isDown(row) || row.listeners !== undefined,
  };
  const missing = (['values', 'statistics', 'rates', 'listeners'] as const)
    .filter((part) => !has[part])
    .map((part) => trusted(nodeTexts[part].toLowerCase()));
  return {
    title,
    status:
      row.status === 'running'
        ? statusWord(theme, row)
        : safe`${statusWord(theme, row, 20)} ${statusDuration(row, nowMs, seenMs)}`,
    statusRole: row.status === 'running' ? 'ok' : 'error',
    isDown: isDown(row),
    lastKnown:
      last === undefined || !has.values
        ? []
        : [[{ text: safe` ${nodeTexts.lastKnown(Math.max(0, nowMs - last.atMs) / 1000)}`, role: 'warning' }]],
    fields: (columns) => [
      ...asStale(
        identityRows(
          theme,
          columns,
          row,
          clock,
          loading,
          nowMs,
          seenMs,
          last === undefined ? selectSecondsSinceRead(state, 'nodes', nowMs) : 0,
        ),
        isOld('nodes'),
      ),
      ...(isDown(row) && !hasFigures(row) ? [] : asStale(figureRows(columns, row, loading), isOld('nodeStats'))),
      ...(missing.length === 0
        ? []
        : wrapWords(nodeTexts.notRead(missing), columns - 1).map((line): SpanRow => [
            { text: safe` ${line}`, role: 'dim' },
          ])),
    ],
    counts: has.statistics ? asStale(countRows(row, loading), isOld('stats')) : [],
    rates,
    isRatesStale: source.isStale,
    origin: [
      [{ text: safe` ${originText(theme, source)}`, role: 'dim' }],
      ...(source.error === undefined
        ? []
        : [[{ text: safe` ${metricsTexts.failed(errorText(theme, source.error))}`, role: 'error' } as const]]),
    ],
    listeners: (columns) =>
      has.listeners ? asStale(listenerRowsOf(theme, columns, row, listed, loading), isOld('listeners')) : [],
    unparsed: (columns) => unparsedRows(theme, columns, row),
  };
};

/** Whether a node has figures: a broker may list a stopped node without them. */
const hasFigures = ({ stats }: NodeRow): boolean =>
  (stats?.clients ?? stats?.load1 ?? stats?.memoryUsedBytes) !== undefined;

/** Draws a node's values under titles; where there are fewer than `height` rows, the graphs are higher. */
export const nodeRowsOf = (
  theme: Theme,
  width: number,
  state: MonitorState,
  name: NodeName,
  nowMs: number,
  height = 0,
): readonly SpanRow[] => {
  const parts = partsOf(theme, width, state, name, nowMs);
  if ('message' in parts) return [titleRow(width, parts.title), [parts.message]];
  const isPair = width >= minPairWidth;
  const columnWidth = isPair ? Math.floor((width - gap) / 2) : width;
  const items = width >= 140 ? [...mainRates, ...qosRates] : mainRates;
  const fields = parts.fields(columnWidth);
  const counts =
    parts.counts.length === 0
      ? []
      : [titleRow(columnWidth, nodeTexts.statistics, nodeTexts.statisticsNote), ...parts.counts];
  const listeners = parts.listeners(width);
  const unparsed = parts.unparsed(width);
  const rowsWith = (rateHeight: number): readonly SpanRow[] => {
    const rates = parts.isDown
      ? []
      : [
          rateTitle(theme, columnWidth, nodeTexts.rates, parts.rates),
          ...asStale(rateRows(theme, columnWidth, rateHeight, items, parts.rates), parts.isRatesStale),
          ...parts.origin,
        ];
    const [left, right] = parts.isDown ? [fields, counts] : [[...fields, blankRow, ...counts], rates];
    return [
      titleRow(width, parts.title, parts.status, parts.statusRole),
      ...parts.lastKnown,
      ...(isPair ? sideBySide(left, columnWidth, gap, right) : [...fields, ...counts, ...rates]),
      ...(listeners.length === 0 ? [] : [titleRow(width, nodeTexts.listeners, nodeTexts.listenersNote), ...listeners]),
      ...(unparsed.length === 0 ? [] : [titleRow(width, nodeTexts.unparsed, nodeTexts.unparsedNote), ...unparsed]),
    ];
  };
  const rows = rowsWith(items.length);
  return !parts.isDown && rows.length < height ? rowsWith(items.length + height - rows.length) : rows;
};

const minTrafficRows = 8;

/**
 * Draws a node's values in panels, at least `height` rows of them unless it is down: what the node is and its messages
 * at the left, its other figures at the right; of one that is down also what it left. On its page no list shows the
 * other nodes.
 */
export const nodePanels = (
  theme: Theme,
  width: number,
  state: MonitorState,
  name: NodeName,
  nowMs: number,
  height: number,
  isPage = false,
): readonly SpanRow[] => {
  const parts = partsOf(theme, width, state, name, nowMs);
  if ('message' in parts) return panelRows(width, height, { title: parts.title }, [[parts.message]]);
  const leftWidth = Math.floor(width / 2);
  const rightWidth = width - leftWidth;
  const panel = (columns: number, lines: number, options: Panel, content: readonly SpanRow[]): readonly SpanRow[] =>
    panelRows(columns, lines, options, content);
  const around = (columns: number, options: Panel, content: readonly SpanRow[]): readonly SpanRow[] =>
    content.length === 0 ? [] : panel(columns, content.length + panelFrame.lines, options, content);
  const [leftInner, rightInner, inner] = [leftWidth, rightWidth, width].map(
    (columns) => columns - panelFrame.columns,
  ) as [number, number, number];
  const { rates } = parts;

  const below = around(width, { title: nodeTexts.unparsed, note: nodeTexts.unparsedNote }, parts.unparsed(inner));
  const identity = around(leftWidth, { title: parts.title, note: parts.status, noteRole: parts.statusRole }, [
    ...parts.lastKnown,
    ...parts.fields(leftInner),
  ]);
  const counts = around(rightWidth, { title: nodeTexts.statistics, note: nodeTexts.statisticsNote }, parts.counts);
  const listeners = around(
    rightWidth,
    { title: nodeTexts.listeners, note: nodeTexts.listenersNote },
    parts.listeners(rightInner),
  );
  if (parts.isDown) {
    const top = sideBySide(identity, leftWidth, 0, [...counts, ...listeners]);
    return [
      ...top,
      ...downPanels(theme, width, height - below.length - top.length, state, name, nowMs, isPage),
      ...below,
    ];
  }
  const minRates = otherRates.length + parts.origin.length + panelFrame.lines;
  const rows = Math.max(
    height - below.length,
    identity.length + minTrafficRows + panelFrame.lines,
    counts.length + minRates + listeners.length,
  );

  const trafficLines = rows - identity.length;
  const traffic = panel(
    leftWidth,
    trafficLines,
    { title: trafficTexts.messages, note: trafficNote(theme, rates) },
    asStale(trafficRows(theme, leftInner, trafficLines - panelFrame.lines, rates), parts.isRatesStale),
  );
  const rateLines = rows - counts.length - listeners.length;
  const rateContent = rateRows(
    theme,
    rightInner,
    rateLines - panelFrame.lines - parts.origin.length,
    otherRates,
    rates,
  );
  const ratePanel = panel(
    rightWidth,
    rateLines,
    {
      title: nodeTexts.rates,
      note: rates.series('messages.received').length === 0 ? undefined : rateNote(theme, rightInner, rates),
    },
    [...asStale(rateContent, parts.isRatesStale), ...parts.origin],
  );
  return [...sideBySide([...identity, ...traffic], leftWidth, 0, [...counts, ...ratePanel, ...listeners]), ...below];
};

/** Parts with neither data nor an error yet. */
interface NodeLoading {
  readonly info: boolean;
  readonly stats: boolean;
  readonly counts: boolean;
  readonly listeners: boolean;
}

const labelWidth = 13;

const label = (text: SafeText): Span => ({ text: fit(safe` ${text}`, labelWidth), role: 'dim' });

const field = (name: SafeText, text: SafeText, role?: Role): SpanRow => [label(name), { text: safe` ${text}`, role }];

const value = (isKnown: boolean, isLoading: boolean, text: () => SafeText): SafeText => {
  if (isKnown) {
    return text();
  }
  return isLoading ? loadingText : unknownText;
};

const identityRows = (
  theme: Theme,
  width: number,
  row: NodeRow,
  clock: number | undefined,
  loading: NodeLoading,
  nowMs: number,
  seenMs: number | undefined,
  sinceReadSeconds: number,
): readonly SpanRow[] => {
  const { info, stats } = row;
  const uptime = info?.uptimeSeconds === undefined ? undefined : info.uptimeSeconds + sinceReadSeconds;
  const isKnown = info !== undefined;
  const text = (raw: string | undefined): SafeText => formatText(raw, (own) => theme.escape(own, width));
  const runtime = field(
    safe`runtime`,
    value(isKnown || stats !== undefined, loading.info, () => text(info?.otpRelease ?? stats?.otpRelease)),
  );
  const status: SpanRow = [
    label(safe`status`),
    { text: safe` ` },
    statusSign(row),
    { text: safe` ${statusWord(theme, row, width)}`, role: statusRole(row) },
    ...(isDown(row) || row.sinceMs !== undefined ? [{ text: safe` ${statusDuration(row, nowMs, seenMs)}` }] : []),
  ];
  if (isDown(row) && !isKnown) return hasFigures(row) ? [status, runtime] : [status];
  return [
    status,
    field(
      safe`version`,
      value(isKnown, loading.info, () => text(info?.version)),
    ),
    field(
      safe`description`,
      value(isKnown, loading.info, () => text(info?.description)),
    ),
    runtime,
    field(
      safe`uptime`,
      value(isKnown, loading.info, () => formatDuration(uptime)),
    ),
    field(
      safe`clock`,
      value(isKnown, loading.info, () => formatBrokerTime(clock)),
    ),
  ];
};

/** The width of ` 33.3 MB of 143 MB`. */
const figuresWidth = 19;
/** A narrower gauge has no bar. */
const minGaugeWidth = 12;
const shareWidth = 6;

const gaugeRow = (
  width: number,
  name: SafeText,
  { used, limit }: Gauge,
  limits: Threshold,
  format: (figure: number | undefined) => SafeText,
): SpanRow => {
  // A share of an unknown limit is unknown as well.
  if (limit === undefined) {
    return field(name, format(used));
  }
  const room = width - labelWidth - figuresWidth - 2;
  return [
    label(name),
    { text: safe` ` },
    ...gaugeSpans(room < minGaugeWidth ? shareWidth : Math.min(gaugeWidth, room), used, limit, limits),
    { text: safe` ${format(used)} of ${format(limit)}` },
  ];
};

const figureRows = (width: number, row: NodeRow, loading: NodeLoading): readonly SpanRow[] => {
  const { stats, fileDescriptors: descriptors } = row;
  if (stats === undefined) {
    const text = loading.stats ? loadingText : unknownText;
    return [safe`clients`, safe`memory`, safe`processes`, safe`descriptors`, safe`load`].map((name) =>
      field(name, text),
    );
  }
  const isRising = !isDown(row) && isLoadRising(stats.load1, stats.load5);
  const minShare =
    descriptors.share === undefined
      ? descriptors.limit === undefined
        ? unknownText
        : safe`${unknownText} of ${formatCount(descriptors.limit)}`
      : safe`${formatMinShare(descriptors.share, true)} of ${formatCount(descriptors.limit)}`;
  const isFull = descriptors.share !== undefined && descriptors.share >= thresholds.fileDescriptors.warning;
  return [
    gaugeRow(width, safe`clients`, clientGauge(row), thresholds.listenerClients, formatCount),
    gaugeRow(width, safe`memory`, row.memory, thresholds.memory, formatBytes),
    gaugeRow(width, safe`processes`, row.processes, thresholds.processes, formatCount),
    field(safe`descriptors`, isFull ? safe`! ${minShare}` : minShare, isFull ? 'warning' : 'normal'),
    [
      label(safe`load`),
      { text: safe` ${formatLoad(stats.load1)} ${formatLoad(stats.load5)} ${formatLoad(stats.load15)}` },
      ...(isRising ? [{ text: safe` ${glyphs.rising} ${nodeTexts.rising}` }] : []),
    ],
  ];
};

const countRows = ({ counts }: NodeRow, loading: NodeLoading): readonly SpanRow[] =>
  statNames.map((name): SpanRow => {
    const text = (figure: number | undefined): SafeText =>
      value(counts !== undefined, loading.counts, () => formatCount(figure));
    const stat = counts?.[name];
    return [
      { text: fit(safe` ${statLabels[name]}`, 14), role: 'dim' },
      { text: safe` ${fit(text(stat?.count), 10, 'right')}`, role: 'title' },
      { text: safe` (max ${text(stat?.max)})`, role: 'dim' },
    ];
  });

const listenerRowsOf = (
  theme: Theme,
  width: number,
  row: NodeRow,
  rows: readonly ListenerRow[],
  loading: NodeLoading,
): readonly SpanRow[] => {
  const empty =
    row.listeners === undefined
      ? safe` ${loading.listeners ? metricsTexts.loading : safe`${unknownText} ${nodeTexts.listenersUnknown}`}`
      : safe` ${nodeTexts.noListeners}`;
  const list = rows.flatMap((listener): SpanRow[] => {
    const { shutdownCount, shutdownCountRaw } = listener.listener;
    const ends = Object.entries(shutdownCount).map(
      ([reason, count]) => safe`${theme.escape(reason, 40)} ${formatCount(count)}`,
    );
    const raw = shutdownCountRaw === undefined ? [] : [theme.escape(shutdownCountRaw, width)];
    const notes = [...ends, ...raw];
    return [
      listenerRow(theme, width, listener),
      ...(notes.length === 0
        ? []
        : [
            [
              { text: safe`   ${nodeTexts.shutdownCounts} `, role: 'dim' } as const,
              ...notes.map((text, index): Span => ({ text: index === 0 ? text : safe`, ${text}` })),
            ],
          ]),
    ];
  });
  return list.length === 0 ? [[{ text: empty, role: 'dim' }]] : list;
};

const unparsedRows = (theme: Theme, width: number, { info, stats }: NodeRow): readonly SpanRow[] => {
  const fields = new Map([...Object.entries(info?.unparsed ?? {}), ...Object.entries(stats?.unparsed ?? {})]);
  return [...fields].map(([name, raw]): SpanRow => [
    { text: safe` ${theme.escape(name, 24)}: `, role: 'dim' },
    { text: theme.escape(raw, width) },
  ]);
};
