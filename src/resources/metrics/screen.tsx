import { type ReactNode, useMemo, useState } from 'react';
import { type MetricName, metricNames, optionalMetricNames } from '../../domain/metrics.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { reading, readings, watchOf } from '../../monitor/query/part.ts';
import type { SearchColumn } from '../../table/column.ts';
import { type Field, fieldColumn } from '../../table/field.ts';
import { parseFilter } from '../../table/filter.ts';
import { createTableView } from '../../table/table-view.ts';
import { areaGraph, niceMax, valuesPerCell } from '../../terminal/area-graph.ts';
import { formatCountIn, loadingText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, type Line } from '../../terminal/line.ts';
import { type Charset, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { type SpanRow, titleRow, toLines } from '../../tui/components/blocks.ts';
import { type Column, withRole } from '../../tui/components/column.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { columnOf } from '../../tui/components/field-columns.ts';
import { tableLines, visibleRowCount } from '../../tui/components/table.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, useWatch, wholeState } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import type { ScopedScreenProps } from '../view/list-scope.ts';
import { idsOf, placeKey, selectCursorId, useListMemory } from '../../tui/list/list-state.ts';
import { cellAt } from './view/graph-cursor.ts';
import { useGraphCursor, useGraphCursorKeys } from '../view/use-graph-cursor.ts';
import { nodeNameIn } from '../view/node-names.ts';
import { errorText } from '../../tui/list/resource-notice.ts';
import { listTexts } from '../../tui/list/texts.ts';
import {
  filterErrorLines,
  type FilterOutcome,
  filterPromptLine,
  filterSetLine,
  useFilterPrompt,
} from '../../tui/list/use-filter.ts';
import { useListKeys, useListState, useListSync } from '../../tui/list/use-list-state.ts';
import { useNodeCursor } from '../view/node-table.ts';
import { useRowClicks } from '../../tui/list/use-row-clicks.ts';
import { totalText } from '../statistics/view/totals.ts';
import { selectQueueDrops } from '../../triage/view.ts';
import { rowSpeech } from '../../tui/list/row-speech.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { nodeStats } from '../nodes/resource.ts';
import { selectNodeNames, selectNodes } from '../nodes/select.ts';
import { statusWord } from '../nodes/view/columns.ts';
import type { Total } from '../statistics/select.ts';
import { counterFields } from './fields.ts';
import type { RateWindow } from './rate-window.ts';
import { type MetricSource, needsNodeMetrics, selectMetricSource } from './rates.ts';
import { loadHistory, metricHistory, metrics, nodeMetrics, reportedLoad } from './resource.ts';
import { metricsTexts } from './texts.ts';
import {
  type CounterName,
  type CounterSeries,
  counterSeries,
  counterTotal,
  counterWindow,
  countsQueueDrops,
  type GraphWindow,
  graphWindows,
  historySeconds,
  isGaugeCounter,
  queueDropsName,
  windowCommands,
  windowFor,
  windowKey,
} from './view/counter-series.ts';
import { type GraphSource, graphTimes, type GraphView, metricGraph, peakLabelOf } from './view/metric-graph.ts';
import { isLossCounter, rateText } from './view/rate-rows.ts';

const counterColumns: readonly SearchColumn<MetricRow>[] = Object.entries<Field<MetricRow>>(counterFields).map(
  ([id, field]) => ({ ...fieldColumn(id, field), age: undefined, name: field.label }),
);

/** Shows the counters of the cluster or one node, and the graph of the one under the cursor. */
export const MetricsScreen = ({ monitor, scope, width, height, notify }: ScopedScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const nodes = selectNodes(state);
  const nodeNames = selectNodeNames(state);
  // A node that the broker no longer lists stays selected.
  const { node, step } = useNodeCursor(
    placeKey({ screen: 'metrics', scope }),
    nodes.map(({ name }) => name),
    scope?.kind === 'node' ? scope.node : undefined,
    { isKept: true },
  );
  useWatch(monitor, metrics);
  useWatch(monitor, nodeStats);
  useWatch(monitor, loadHistory);
  useWatch(monitor, node !== undefined && needsNodeMetrics(state, node) ? watchOf(nodeMetrics, node) : undefined);

  const drops = selectQueueDrops(state, nowMs);

  const memory = useListMemory()?.graphWindows;
  const [windowIndex, setWindowIndex] = useState(() => memory?.get(windowKey) ?? 0);
  const chosenWindow = graphWindows[windowIndex] ?? graphWindows[0];
  const { stepMs, stepName } = windowFor(chosenWindow, state);
  const window = useMemo(() => ({ ...chosenWindow, stepMs, stepName }), [chosenWindow, stepMs, stepName]);
  const [isGraphOnly, setGraphOnly] = useState(false);
  const cursor = useGraphCursor(windowKey);
  const chooseWindow = (index: number): void => {
    memory?.set(windowKey, index);
    setWindowIndex(index);
    // A young history is drawn alike in all windows that it fits in.
    const { name, seconds } = graphWindows[index] ?? chosenWindow;
    notify(metricsTexts.windowChosen(name, historySeconds(state) < seconds));
  };
  const stepWindow = (by: number) => (): void => {
    chooseWindow(Math.max(0, Math.min(graphWindows.length - 1, windowIndex + by)));
  };
  useKeys(
    'metrics',
    {
      nextView: () => {
        step(1);
      },
      previousView: () => {
        step(-1);
      },
      longerWindow: stepWindow(1),
      shorterWindow: stepWindow(-1),
    },
    { named: windowCommands(chooseWindow) },
  );
  const control = useListState({ columnId: 'counter', isReversed: false }, placeKey({ screen: 'metrics' }));
  const { dispatch } = control;
  const prompt = useFilterPrompt(control);
  const [view] = useState(() => createTableView<MetricRow>(counterColumns));
  const filter = useMemo(() => parseFilter(prompt.text, counterColumns), [prompt.text]);
  const metricRows = useMemo(
    () => [
      // Where the broker counts what queues lose, the sum of the sessions is not needed.
      ...commonRows.filter(({ name }) => name !== queueDropsName || !countsQueueDrops(state, node)),
      ...optionalRows.filter(({ name }) => counterTotal(state, drops, name, node).value !== undefined),
    ],
    // oxlint-disable-next-line react/exhaustive-deps -- only the parts of the state that the values depend on
    [reading(state, metrics).data, readings(state, nodeMetrics), node],
  );
  const found = view.query({ rows: metricRows, filter, sortColumnId: undefined, isDescending: false });
  const ids = useMemo(() => idsOf(found.rows, ({ name }) => name), [found.rows]);
  const outcome: FilterOutcome = { matching: found.rows.length, total: metricRows.length, error: found.error };
  const below: readonly Line[] = [
    ...(found.error === undefined ? [] : filterErrorLines(theme, width, found.error, 2)),
    ...(prompt.isTyping
      ? [filterPromptLine(theme, width, prompt.field, outcome)]
      : prompt.text === ''
        ? []
        : [filterSetLine(theme, width, prompt.text, outcome)]),
  ];
  const layout = layOutMetrics(width, Math.max(0, height - 1 - below.length));
  const list = useListSync(control, ids, visibleRowCount(layout.list.height));
  const clearFilter =
    control.state.filter === ''
      ? undefined
      : (): void => {
          dispatch({ type: 'filter', filter: '' });
        };
  useListKeys(control, {
    onOpen: isGraphOnly
      ? undefined
      : () => {
          setGraphOnly(true);
        },
    onFilter: isGraphOnly
      ? undefined
      : () => {
          prompt.open(list);
        },
    onClearFilter: isGraphOnly ? undefined : clearFilter,
  });
  useKeys(
    'closable',
    {
      close: () => {
        setGraphOnly(false);
      },
    },
    { isActive: isGraphOnly },
  );

  const columns = useMemo(
    () => metricColumns(layout.list.width, peakLabelOf('messages.received', window, state.intervalSeconds)),
    [layout.list.width, window, state.intervalSeconds],
  );
  const source = selectMetricSource(state, node, nowMs);
  const nodeRow = nodes.find(({ name }) => name === node);
  const status = nodeRow === undefined || nodeRow.status === 'running' ? undefined : statusWord(theme, nodeRow, 20);
  const silentSeconds = source.isStale ? (source.ageSeconds ?? 0) : 0;
  const isLoading = !source.hasData && source.error === undefined && source.origin !== 'part';
  const note = source.error === undefined ? undefined : safe`! ${errorText(theme, source.error)}`;
  const clusterMetrics = reading(state, metrics);
  const singleMetrics = readings(state, nodeMetrics);
  const history = reading(state, metricHistory);
  const reported = reading(state, reportedLoad);
  const data = useMemo(
    (): MetricData => ({
      total: (name) => counterTotal(state, drops, name, node),
      series: memoiseBy((name) => counterSeries({ state, drops, window, nowMs }, name, node)),
      window,
      isLoading: (name) => (name === queueDropsName ? drops.isLoading : isLoading),
      groupStarts: groupStartsOf(found.rows, list.top),
    }),
    // oxlint-disable-next-line react/exhaustive-deps -- only the parts of the state that the values depend on
    [
      nodes,
      clusterMetrics.data,
      clusterMetrics.updatedAtMs,
      singleMetrics,
      history,
      reported,
      state.intervalSeconds,
      drops.current,
      drops.isLoading,
      drops.silentSeconds,
      window,
      node,
      silentSeconds,
      isLoading,
      list.top,
      found.rows,
    ],
  );
  const cursorId = selectCursorId(list);
  const counter = found.rows[list.cursorIndex]?.name;
  const listLines = useMemo(
    () =>
      tableLines(theme, layout.list.width, layout.list.height, {
        rows: found.rows,
        columns,
        data,
        getId: ({ name }) => name,
        cursorId,
        cursorIndex: list.cursorIndex,
        top: list.top,
        isStale: source.isStale,
        totalCount: metricRows.length,
        message: { text: safe` ${listTexts.noMatch(metricsTexts.noun)}` },
        footerNote: note,
        footerRight: safe`${metricsTexts.nextNode} `,
      }),
    [
      theme,
      layout.list.width,
      layout.list.height,
      found.rows,
      metricRows.length,
      columns,
      data,
      cursorId,
      list.cursorIndex,
      list.top,
      source.isStale,
      note,
    ],
  );
  const graphView = (columnsWide: number): GraphView | undefined => {
    if (counter === undefined) return undefined;
    const title =
      node === undefined ? metricsTexts.cluster : nodeNameIn(theme, node, nodeNames, Math.floor(columnsWide / 2));
    const graphSource = (name: NodeName | undefined, label: SafeText): GraphSource => ({
      label,
      ...counterSeries({ state, drops, window, nowMs }, counter, name),
    });
    // Where the broker sums up the counters, the nodes that are read in the background.
    const drawn =
      node !== undefined || isGaugeCounter(counter)
        ? []
        : counter === queueDropsName || source.origin === 'sum'
          ? nodes
          : source.origin === 'total'
            ? nodes.filter(({ name }) => reading(state, metricHistory).has(name))
            : [];
    return {
      name: counter,
      window,
      main: graphSource(node, title),
      nodes: drawn.map(({ name }) => graphSource(name, theme.escapeEnds(shortNodeName(name, nodeNames), columnsWide))),
      isLoading: data.isLoading(counter),
      message:
        status !== undefined
          ? metricsTexts.notRunning(status)
          : counter === queueDropsName
            ? drops.isLoading
              ? metricsTexts.loading
              : metricsTexts.sessionsNotRead
            : source.error === undefined && (isLoading || source.hasData)
              ? metricsTexts.loading
              : source.hasData || source.error !== undefined
                ? metricsTexts.missing
                : metricsTexts.noNode,
    };
  };
  const graphPlace = isGraphOnly
    ? { left: 0, top: 0, width, height: height - 1 - below.length }
    : layout.graph && {
        ...layout.graph,
        left: layout.isBeside ? layout.list.width + 1 : 0,
        top: layout.isBeside ? 0 : layout.list.height,
      };
  const drawnGraph = graphPlace && graphView(graphPlace.width);
  const times = graphPlace && drawnGraph && graphTimes(theme, graphPlace.width, graphPlace.height, drawnGraph);
  const graphLines =
    graphPlace &&
    toLines(
      theme,
      graphPlace.width,
      graphPlace.height,
      drawnGraph === undefined
        ? []
        : metricGraph(theme, graphPlace.width, graphPlace.height, {
            ...drawnGraph,
            cursorMs: times && cellAt(times, cursor.atMs) && cursor.atMs,
          }),
    );
  const moveCursor = useGraphCursorKeys(cursor, times);
  const body = ((): readonly Line[] => {
    if (graphLines === undefined) return listLines;
    if (isGraphOnly) return graphLines;
    return layout.isBeside
      ? listLines.map((line, index) => `${line} ${graphLines[index] ?? ''}` as Line)
      : [...listLines, ...graphLines];
  })();
  const counterRow = found.rows[list.cursorIndex];
  useSpoken(
    counterRow && {
      rank: 'row',
      key: `${node ?? ''} ${counterRow.name}`,
      lines: () => [rowSpeech(theme, { columns, row: counterRow, data })],
    },
  );
  useSpoken(prompt.isTyping ? { rank: 'message', lines: () => below } : undefined);
  const clickRow = useRowClicks(control);
  const onClick = (line: number, column: number): void => {
    // Below the title and the header.
    const row = line - 2;
    const isInList = !isGraphOnly && row >= 0 && row < visibleRowCount(layout.list.height);
    if (isInList && column < layout.list.width) clickRow(row);
    else if (times !== undefined && graphPlace !== undefined && line > graphPlace.top) {
      const cell = column - graphPlace.left - times.left;
      if (cell >= 0 && cell < times.cells) moveCursor(cell);
    }
  };
  return (
    <Rows
      onClick={onClick}
      lines={[
        composeLine(theme, width, metricTitle(theme, width, node, nodeNames, source, status)),
        ...body,
        ...below,
      ].slice(0, height)}
    />
  );
};

/** Remembers the results for one rendering. */
const memoiseBy = <Result,>(make: (name: CounterName) => Result): ((name: CounterName) => Result) => {
  const known = new Map<CounterName, Result>();
  return (name) => {
    const result = known.get(name) ?? make(name);
    known.set(name, result);
    return result;
  };
};

export interface MetricsLayout {
  readonly list: { readonly width: number; readonly height: number };
  /** The size of the graph; `undefined` where only the list fits. */
  readonly graph: { readonly width: number; readonly height: number } | undefined;
  readonly isBeside: boolean;
}

/** Places the graph next to the list, below it, or nowhere. */
export const layOutMetrics = (width: number, height: number): MetricsLayout => {
  if (width >= 110 && height >= 14) {
    const listWidth = width >= 170 ? 110 : 56;
    return { list: { width: listWidth, height }, graph: { width: width - listWidth - 1, height }, isBeside: true };
  }
  if (width < 60 || height < 16) return { list: { width, height }, graph: undefined, isBeside: false };
  const graphHeight = Math.max(7, Math.floor(height * 0.4));
  return { list: { width, height: height - graphHeight }, graph: { width, height: graphHeight }, isBeside: false };
};

/** Returns the rows that show their group: the first of each, and the first visible one. */
const groupStartsOf = (rows: readonly MetricRow[], top: number): ReadonlySet<CounterName> =>
  new Set(rows.filter((row, index) => index === top || rows[index - 1]?.group !== row.group).map(({ name }) => name));

export const originText = (theme: Theme, source: MetricSource): SafeText => {
  switch (source.origin) {
    case 'unknown':
      return source.error === undefined ? metricsTexts.loading : metricsTexts.missing;
    case 'total':
      return metricsTexts.total;
    case 'sum':
      return metricsTexts.sum(
        source.included.length,
        source.leftOut.map((node) => theme.escape(node, 60)),
      );
    case 'part':
      return source.hasData ? metricsTexts.thisNode : metricsTexts.noNode;
    case 'alone':
      return source.hasData || source.error !== undefined ? metricsTexts.thisNode : metricsTexts.loadingNode;
  }
};

/** @param status of a node that is not running */
const metricTitle = (
  theme: Theme,
  width: number,
  node: NodeName | undefined,
  nodeNames: readonly NodeName[],
  source: MetricSource,
  status?: SafeText | undefined,
): SpanRow => {
  const title =
    node === undefined
      ? metricsTexts.clusterTitle
      : metricsTexts.nodeTitle(nodeNameIn(theme, node, nodeNames, Math.floor(width / 2)), status);
  const origin = originText(theme, source);
  const isOld = source.isStale && source.ageSeconds !== undefined;
  return titleRow(
    width,
    title,
    isOld ? metricsTexts.stale(origin, source.ageSeconds) : origin,
    isOld || source.error !== undefined ? 'error' : 'dim',
  );
};

const startsWith =
  (prefix: string) =>
  (name: MetricName): boolean =>
    name.startsWith(prefix);
const isPublish = (name: MetricName): boolean => /^packets\.(?:publish|pub)/.test(name);

const losses = metricNames.filter(isLossCounter);
const others = metricNames.filter((name) => !isLossCounter(name));
const packets = others.filter(startsWith('packets.'));

/** Counts messages without a subscriber. */
const unroutedCounter = 'messages.dropped' satisfies MetricName;

const groups: readonly (readonly [title: SafeText, names: readonly CounterName[]])[] = [
  [safe`Bytes`, others.filter(startsWith('bytes.'))],
  [safe`Messages`, others.filter(startsWith('messages.'))],
  [safe`Unrouted`, [unroutedCounter]],
  // Lost messages are worse than unexpected packets.
  [
    safe`Lost`,
    [
      queueDropsName,
      ...losses.filter((name) => name !== unroutedCounter && name.startsWith('messages.')),
      ...losses.filter(startsWith('packets.')),
    ],
  ],
  [safe`Packets`, packets.filter((name) => !isPublish(name))],
  [safe`Publish`, packets.filter(isPublish)],
];

interface MetricRow {
  readonly name: CounterName;
  readonly group: SafeText;
}

const isDrop = (name: MetricName): boolean => name.includes('.dropped');
const isAccess = (name: MetricName): boolean => /^auth|auth_error$/u.test(name);
const isClient = (name: MetricName): boolean => /^(?:client|session)\./u.test(name);
const isOverload = startsWith('overload_protection.');
const optional: readonly MetricName[] = optionalMetricNames;

/** Groups that are shown where the broker reports them. */
const optionalGroups: typeof groups = [
  [safe`Dropped`, optional.filter(isDrop)],
  [safe`Access`, optional.filter(isAccess)],
  [safe`Clients`, optional.filter(isClient)],
  [safe`Overload`, optional.filter(isOverload)],
  [safe`Other`, optional.filter((name) => ![isDrop, isAccess, isClient, isOverload].some((isIn) => isIn(name)))],
];

const rowsOf = (each: typeof groups): readonly MetricRow[] =>
  each.flatMap(([title, names]) => names.map((name) => ({ name, group: title })));

const commonRows = rowsOf(groups);
const optionalRows = rowsOf(optionalGroups);

export const metricIds: readonly string[] = [...commonRows, ...optionalRows].map(({ name }) => name);

interface MetricData {
  readonly total: (name: CounterName) => Total;
  readonly series: (name: CounterName) => CounterSeries;
  readonly window: GraphWindow;
  /** Whether nothing was read and there is no error yet. */
  readonly isLoading: (name: CounterName) => boolean;
  readonly groupStarts: ReadonlySet<CounterName>;
}

/** Returns the values of the trend, whose peak is that of the graph. */
const trendOf = ({ name }: MetricRow, data: MetricData, width: number, charset: Charset): RateWindow => {
  const perCell = valuesPerCell(charset);
  return counterWindow(name, data.window, data.series(name), { count: Math.max(1, width) * perCell, perCell });
};

const lossNote = (row: MetricRow, data: MetricData): SafeText => {
  const { now } = data.series(row.name);
  if (!isLossCounter(row.name) || now === undefined || now <= 0) {
    return safe``;
  }
  if (row.name === unroutedCounter) return metricsTexts.unrouted;
  return row.name.endsWith('.missed') ? metricsTexts.missed : metricsTexts.dropping;
};

interface Plan {
  readonly hasGroup: boolean;
  readonly hasNote: boolean;
  readonly hasPeak: boolean;
  readonly value: number;
  readonly spark: number;
}

const widths = { group: 8, counter: 24, rate: 11, note: 8, peak: 16, gap: 2 } as const;
const minSparkWidth = 6;
const maxSparkWidth = 150;

const planColumns = (width: number): Plan => {
  const hasGroup = width >= 76;
  const hasPeak = width >= 92;
  const hasNote = width >= 104;
  const value = width >= 104 ? 16 : 12;
  // The cursor takes one column, the margin another one.
  const used =
    2 +
    widths.counter +
    widths.gap +
    value +
    widths.gap +
    widths.rate +
    (hasGroup ? widths.group + widths.gap : 0) +
    (hasNote ? widths.note + widths.gap : 0) +
    (hasPeak ? widths.peak + widths.gap : 0);
  const spark = width - used - widths.gap;
  return { hasGroup, hasPeak, hasNote, value, spark: spark < minSparkWidth ? 0 : Math.min(maxSparkWidth, spark) };
};

const rateCell = ({ name }: MetricRow, data: MetricData): SafeText => {
  if (isGaugeCounter(name)) return metricsTexts.noRate;
  const { points, now, isMin } = data.series(name);
  if (points.length === 0 && data.isLoading(name)) return loadingText;
  const text = safe`${now !== undefined && isMin === true ? safe`≥` : safe``}${rateText(name, now)}`;
  return isLossCounter(name) && now !== undefined && now > 0 ? safe`! ${text}` : text;
};

/** Returns the colour of a counter, as graphs have it: what comes in, what goes out, and the rest. */
const directionRole = (name: CounterName): Role =>
  name.endsWith('received') ? 'in' : name.endsWith('sent') ? 'out' : 'accent';

/** Returns the columns that fit into a width. */
const metricColumns = (width: number, peakLabel: SafeText): readonly Column<MetricRow, MetricData>[] => {
  const plan = planColumns(width);
  const columns: (Column<MetricRow, MetricData> | false)[] = [
    plan.hasGroup &&
      columnOf<MetricRow, MetricData>('group', counterFields.group, {
        format: ({ group, name }, { data }) => (data.groupStarts.has(name) ? group : safe``),
        width: widths.group,
        priority: 1,
      }),
    columnOf<MetricRow, MetricData>('counter', counterFields.counter, { width: widths.counter, priority: 1 }),
    {
      id: 'value',
      header: safe`VALUE`,
      width: plan.value,
      align: 'right',
      value: () => undefined,
      format: ({ name }, { data, width: own }) => totalText(data.total(name), data.isLoading(name), own),
    },
    {
      id: 'rate',
      header: metricsTexts.rate,
      width: widths.rate,
      align: 'right',
      value: () => undefined,
      format: (row, { data }) => rateCell(row, data),
      spans: (row, { data, width: own }) =>
        lossNote(row, data) === '' ? undefined : [{ text: fit(rateCell(row, data), own, 'right'), role: 'warning' }],
    },
    plan.hasNote &&
      withRole<MetricRow, MetricData>(
        {
          id: 'note',
          header: safe``,
          width: widths.note,
          value: () => undefined,
          format: (row, { data }) => lossNote(row, data),
        },
        () => 'warning',
      ),
    plan.spark > 0 &&
      withRole<MetricRow, MetricData>(
        {
          id: 'trend',
          header: metricsTexts.trend,
          width: plan.spark,
          value: () => undefined,
          format: (row, { data, theme: { charset } }) => {
            if (data.series(row.name).points.length === 0) return safe``;
            const { values, peak = 0 } = trendOf(row, data, plan.spark, charset);
            return (
              areaGraph({
                values,
                max: niceMax(peak),
                width: plan.spark,
                rows: 1,
                direction: 'up',
                charset,
                unknown: glyphs.dot,
                hasBaseline: true,
                isLine: true,
              })[0] ?? safe``
            );
          },
        },
        (row, { data, theme: { charset } }) =>
          (trendOf(row, data, plan.spark, charset).peak ?? 0) === 0
            ? 'dim'
            : isLossCounter(row.name)
              ? 'warning'
              : directionRole(row.name),
      ),
    plan.hasPeak && {
      id: 'peak',
      header: trusted(peakLabel.replaceAll(/\b(?:peak|avg)\b/gu, (word) => word.toUpperCase())),
      width: widths.peak,
      align: 'right',
      value: () => undefined,
      format: (row, { data, theme: { charset } }) => {
        const { peak } = trendOf(row, data, plan.spark, charset);
        return isGaugeCounter(row.name) ? formatCountIn(peak, widths.peak) : rateText(row.name, peak);
      },
    },
  ];
  return columns.filter((column) => column !== false);
};
