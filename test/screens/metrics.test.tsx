import { afterEach, describe, expect, test } from 'vitest';
import type { StoreApi } from 'zustand/vanilla';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { TimeoutError } from '../../src/api/errors.ts';
import { allMetricNames, metricNames } from '../../src/domain/metrics.ts';
import { withThousands } from '../../src/domain/text.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { reading, type Watchable } from '../../src/monitor/query/part.ts';
import { selectRateSeries } from '../../src/resources/metrics/rates.ts';
import {
  clusterTotal,
  type MetricHistory,
  metricHistory as metricHistoryPart,
  nodeMetrics,
} from '../../src/resources/metrics/resource.ts';
import { layOutMetrics, metricIds, MetricsScreen } from '../../src/resources/metrics/screen.tsx';
import { metricsTexts } from '../../src/resources/metrics/texts.ts';
import { graphWindows, queueDropsName, windowFor } from '../../src/resources/metrics/view/counter-series.ts';
import { type GraphSource, metricGraph } from '../../src/resources/metrics/view/metric-graph.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { selectVital } from '../../src/resources/vital.ts';
import { spansWidth } from '../../src/terminal/line.ts';
import { safe, type SafeText } from '../../src/terminal/safe-text.ts';
import { createTheme } from '../../src/terminal/theme.ts';
import type { SpanRow } from '../../src/tui/components/blocks.ts';
import { stepNode } from '../../src/resources/view/node-table.ts';
import { patched, readingsOf, watchedKeys } from '../support/readings.ts';
import { asciiTheme, createRig, endRigs, plainTheme, type Rig, type RigOptions } from '../tui/support/rig.tsx';
import {
  byNodeState,
  current,
  emptyState,
  failing,
  fresh,
  healthyState,
  metricsOf,
  names,
  nodeStats,
  samplesOf,
  stoppedState,
} from './cluster-state.ts';
import { pattern, plainFrame, sizes } from './frames.ts';
import { sessionOf } from './list-fixtures.ts';
import { createJudgedStore } from '../support/judged-store.ts';

afterEach(endRigs);

interface Bench {
  readonly rig: Rig;
  readonly store: StoreApi<ActingState>;
  readonly watched: Set<Watchable>;
  readonly notices: (SafeText | undefined)[];
}

const open = (state: ActingState, width = 80, height = 18, options: RigOptions = {}): Bench => {
  const { store, acknowledge } = createJudgedStore(current(state));
  const watched = new Set<Watchable>();
  const notices: (SafeText | undefined)[] = [];
  const monitor = {
    store,
    acknowledge,
    watch: (what: Watchable) => {
      watched.add(what);
      return () => {
        watched.delete(what);
      };
    },
    refresh: () => {},
    abortScan: () => false,
    setFrozen: () => {},
    setIntervalSeconds: () => {},
    stop: () => {},
  };
  const rig = createRig(
    <MetricsScreen
      monitor={monitor}
      width={width}
      height={height}
      go={() => {}}
      notify={(text) => {
        notices.push(text);
      }}
    />,
    { columns: width, rows: height, theme: plainTheme, ...options },
  );
  return { rig, store, watched, notices };
};

/** The counters that all brokers have, and what queues lose. */
const commonCount = metricNames.length + 1;

const nodeOf = (watched: ReadonlySet<Watchable>): readonly string[] => watchedKeys(watched, nodeMetrics);

describe('Metrics', () => {
  test("has each of the broker's counters once, and what queues lose", () => {
    expect(metricIds.toSorted()).toEqual([...allMetricNames, queueDropsName].toSorted());
  });

  test('shows the counters that only some brokers have where they are reported', async () => {
    const total = { ...metricsOf(7), 'delivery.dropped.queue_full': 300, 'authentication.failure': 0 };
    const { rig } = open(healthyState({ metrics: { kind: 'total', total } }), 120, 60);
    await rig.until((text) => text.includes(`showing ${commonCount + 1}`));
    expect(rig.lines().join('\n')).toMatch(/delivery\.dropped\.queue\S+ +300/u);
    expect(rig.lines().join('\n')).not.toContain('overload_protection');
    // The broker counts it itself.
    expect(rig.lines().join('\n')).not.toContain(queueDropsName);
  });

  test.each(sizes)('fills %i by %i', async (width, height) => {
    for (const state of [emptyState(), healthyState(), byNodeState(names.slice(0, 2)), stoppedState()]) {
      for (const theme of [plainTheme, asciiTheme]) {
        const { rig } = open(state, width, height, { theme });
        await rig.until((text) => text.includes(`showing ${commonCount}`));
        // Ink cuts the spaces at the end of a line.
        expect(
          plainFrame(
            rig.lines().map((line) => line.padEnd(width)),
            width,
            height,
          ),
        ).toHaveLength(height);
        rig.unmount();
      }
    }
  });

  test('names the source of the values', () => {
    const [title] = open(healthyState()).rig.lines();
    expect(title).toContain('Cluster metrics');
    expect(title).toContain('cluster total');
    expect(open(byNodeState()).rig.lines()[0]).toContain('sum of 3 nodes');
    expect(open(emptyState()).rig.lines()[0]).toContain('··· loading');
  });

  test('names the node that a sum leaves out, and shows a lower bound', () => {
    const lines = open(byNodeState(names.slice(0, 2))).rig.lines();
    expect(lines[0]).toContain('sum of 2 nodes, without broker3@127.0.0.1');
    expect(lines[2]).toMatch(/bytes\.received +≥/);
  });

  test('shows loading, failed and zero differently', () => {
    expect(open(emptyState()).rig.lines()[2]).toMatch(/bytes\.received +··· +···/);
    const failed = open(patched(emptyState(), readingsOf({ metrics: failing(new TimeoutError(5_000)) }))).rig.lines();
    expect(failed[2]).toMatch(/bytes\.received +– +–/);
    expect(failed.find((line) => line.includes(`showing ${commonCount}`))).toContain(
      '! no response within 5 s (L: log)',
    );
    const zero = healthyState({ metrics: { kind: 'total', total: metricsOf(0) } }, () => 0);
    expect(open(zero).rig.lines()[2]).toMatch(/bytes\.received +0 +0 B\/s/);
  });

  test('averages rates over 30 s, as the problems about them', () => {
    // 40 in every other step of 2 s, none in the last one.
    const { rig } = open(
      healthyState({}, (step) => (step % 2 === 0 ? 40 : 0)),
      120,
      44,
    );
    const text = rig.lines().join('\n');
    expect(text).toContain(' 30 s AVG ');
    expect(text).toMatch(/messages\.received +[\d,]+ +(?:9\.3|10)\/s/);
  });

  test('marks losses with a sign and a word', () => {
    const { rig } = open(
      healthyState({}, (_step, name) =>
        name === 'messages.dropped' || name === 'messages.qos2.dropped' || name === 'packets.puback.missed' ? 6 : 10,
      ),
      200,
      44,
    );
    const text = rig.lines().join('\n');
    // Not a loss: nobody subscribes to it.
    expect(text).toMatch(pattern`Unrouted +messages\.dropped .* ! 3/s +unrouted`);
    expect(text).toMatch(pattern`messages\.qos2\.dropped .* ! 3/s +dropping`);
    expect(text).toMatch(pattern`packets\.puback\.missed .* ! 3/s +missing`);
    expect(text).toMatch(/messages\.received +[\d,]+ +5\/s/);
  });

  test('shortens a number that does not fit instead of cutting it', () => {
    const { rig } = open(healthyState({ metrics: { kind: 'total', total: metricsOf(9_007_199_254_740_991) } }));
    expect(rig.lines()[2]).toMatch(/bytes\.received +9\.0P /);
  });

  test('shows no rate for the gauge', () => {
    expect(
      open(healthyState())
        .rig.lines()
        .find((line) => line.includes('messages.retained')),
    ).toMatch(pattern`–  [⠁-⣿]+ *$`);
  });

  test('requests the metrics of a node only while it is shown', async () => {
    const { rig, store, watched } = open(healthyState());
    expect(nodeOf(watched)).toEqual([]);
    rig.type('v');
    const asked = await rig.until((text) => text.includes('Metrics of broker1@127.0.0.1'));
    expect(asked[0]).toContain('··· this node only');
    expect(asked[2]).toMatch(/bytes\.received +··· +···/);
    expect(nodeOf(watched)).toEqual([names[0]]);

    const samples = samplesOf(5, () => 8, 'node');
    const last = samples.at(-1)?.metrics ?? {};
    store.setState((state) =>
      readingsOf({
        nodeMetrics: new Map([[names[0], { ...fresh(last), updatedAtMs: steadyNowMs() }]]),
        metricHistory: new Map([...reading(state, metricHistoryPart), [names[0], samples]]),
      }),
    );
    await rig.until((text) => /bytes\.received +1,032 +4 B\/s/.test(text));

    rig.type('V');
    await rig.until((text) => text.includes('Cluster metrics'));
    expect(nodeOf(watched)).toEqual([]);
  });

  test("takes a node's metrics from the cluster answer if it is in it", async () => {
    const { rig, watched } = open(byNodeState());
    rig.type('V');
    await rig.until((text) => text.includes('Metrics of broker3@127.0.0.1') && text.includes('this node only'));
    expect(nodeOf(watched)).toEqual([]);
  });

  test('shows a stopped node as stopped and requests nothing from it', async () => {
    const { rig, watched } = open(stoppedState());
    rig.type('V');
    const lines = await rig.until((text) => text.includes('Metrics of broker3@127.0.0.1 (stopped)'));
    expect(lines[2]).toMatch(/bytes\.received +– +–/);
    expect(lines.join('\n')).toContain('no data: the node is stopped');
    expect(nodeOf(watched)).toEqual([]);
  });

  test('cycles through the nodes, also from one that is gone', () => {
    expect([
      stepNode(['a', 'b'], undefined, 1),
      stepNode(['a', 'b'], 'b', 1),
      stepNode(['a', 'b'], undefined, -1),
      stepNode(['a'], 'gone', 1),
    ]).toEqual(['a', undefined, 'b', undefined]);
  });

  test('scrolls, and names the group of the first row', async () => {
    const { rig } = open(healthyState());
    rig.type('G');
    const lines = await rig.until((text) => text.includes('packets.pubcomp.sent'));
    expect(lines.find((line) => line.includes('packets.pubcomp.sent'))).toMatch(/^▸/);
    expect(lines[2]).toMatch(/^ [A-Z]\w+ +packets\./);
    rig.type('g');
    await rig.until((text) => /▸Bytes +bytes\.received/.test(text));
  });

  test('draws the counter under the cursor, beside the list or below it', async () => {
    const wide = open(healthyState(), 120, 36);
    expect(wide.rig.lines()[1]).toMatch(/COUNTER .*╭ bytes\.received ─.* 3 min window \(\{ \}\) ─╮$/);
    wide.rig.type('j');
    const lines = await wide.rig.until((text) => text.includes('╭ bytes.sent ─'));
    expect(lines.find((line) => line.includes('│ cluster '))).toMatch(
      pattern`cluster +[\d.]+ kB/s +peak \(2 s avg\) +[\d.]+ kB/s`,
    );
    expect(lines.filter((line) => /[⠁-⣿]{20}/.test(line)).length).toBeGreaterThan(10);
    expect(lines.some((line) => /0 ┼ 3 min ─+ 2 min ─+ 1 min ─+ now/.test(line))).toBe(true);
    const low = open(healthyState(), 80, 19).rig.lines();
    expect(low.slice(-7)[0]).toMatch(/^── bytes\.received ─+ 3 min window \(\{ \}\) ─$/);
    expect(low.at(-1)).toMatch(/0 ┼ 3 min ─/);
    expect(layOutMetrics(60, 10).graph).toBeUndefined();
  });

  test('{ and } change the window, and the title says how much of it is known', async () => {
    const { rig, notices } = open(healthyState(), 120, 36);
    const title = (): string => rig.lines()[1] ?? '';
    expect(title()).toContain('3 min window ({ })');
    for (const name of [safe`15 min`, safe`1 h`, safe`24 h`]) {
      rig.type('}');
      await rig.until((text) => text.includes(`${name} window ({ })`));
      const recorded = /, (\d+ min) recorded ─╮/u.exec(title())?.[1] ?? 'not recorded';
      expect(title()).toContain(`${name} window ({ }), ${recorded} recorded`);
      // The title says what the axis says.
      expect(rig.lines().join('\n')).toContain(`┼ ${recorded} ─`);
      // A history this young has steps of 10 s in every window.
      expect(rig.lines()[2]).toMatch(pattern`peak \(10 s avg\) +[\d.]+ kB/s`);
      expect(notices.at(-1)).toBe(`Time window: ${name}. Graphs show what has been recorded so far.`);
    }
    // It ends there, in both directions.
    rig.type('}');
    for (const name of [safe`1 h`, safe`15 min`, safe`3 min`]) {
      rig.type('{');
      await rig.until((text) => text.split('\n')[1]?.includes(`${name} window ({ })`) === true);
    }
    rig.type('{');
    rig.type('}');
    await rig.until((text) => text.split('\n')[1]?.includes('15 min window ({ })') === true);
  });

  test.each([
    [100, 0],
    [500, 10_000],
    [3_000, 30_000],
    [40_000, 300_000],
  ])('after %d s the longest window has steps of %d ms', (seconds, stepMs) => {
    const longest = graphWindows.at(-1) ?? graphWindows[0];
    const historyOf = (atMs: number): MetricHistory =>
      new Map([[clusterTotal, [{ atMs, from: 'cluster', metrics: {} }]]]);
    const state = patched(
      healthyState(),
      readingsOf({ metricPast: historyOf(1_000), metricHistory: historyOf(1_000 + seconds * 1_000) }),
    );
    expect(windowFor(longest, state)).toMatchObject({ name: longest.name, seconds: longest.seconds, stepMs });
  });

  test('draws the graph in any size, window and theme', () => {
    const state = byNodeState();
    const source = (node?: string): GraphSource => ({
      label: safe`label`,
      points: selectRateSeries(state, 'messages.sent', node),
      now: 5,
      intervalSeconds: 2,
      silentSeconds: 0,
    });
    const themes = [
      plainTheme,
      asciiTheme,
      createTheme({ TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: 'C.UTF-8' }),
      createTheme({ TERM: 'xterm', LANG: 'C.UTF-8' }),
    ];
    const [tooWide, cut] = [[] as SpanRow[], new Set<number>()];
    for (const theme of themes) {
      for (const window of graphWindows) {
        for (const [width, height] of [
          [1, 1],
          [10, 3],
          [27, 7],
          [49, 12],
          [50, 12],
          [51, 13],
          [80, 7],
          [63, 34],
          [93, 53],
          [200, 56],
        ] as const) {
          for (const nodes of [[], names.map(source), Array.from({ length: 40 }, () => source(names[0]))]) {
            const rows = metricGraph(theme, width, height, {
              name: 'messages.sent',
              window,
              main: source(),
              nodes,
              isLoading: false,
              message: safe`··· loading`,
            });
            expect(rows).toHaveLength(height);
            // Lines cut what is wider; here nothing is.
            if (width >= 49) tooWide.push(...rows.filter((row) => spansWidth(row) > width));
            if (rows.some((row) => row.some(({ text }) => text.includes(' more nodes: press v'))))
              cut.add(nodes.length);
          }
        }
      }
    }
    expect(tooWide).toEqual([]);
    expect([...cut]).toEqual([40]);
  });

  test('Enter fills the screen with the graph; q or Esc goes back', async () => {
    const { rig } = open(healthyState(), 80, 19);
    for (const key of ['q', '\u001B']) {
      rig.type('\r');
      const lines = await rig.until((text) => !text.includes(`showing ${commonCount}`));
      expect(lines[1]).toMatch(/^╭ bytes\.received/);
      expect(lines.at(-1)).toMatch(/^╰─+╯$/);
      rig.type('j');
      await rig.until((text) => text.includes('╭ bytes.sent'));
      rig.type('k');
      rig.type(key);
      await rig.until((text) => text.includes(`showing ${commonCount}`));
    }
  });

  test('/ filters by name; Esc clears', async () => {
    const { rig } = open(healthyState(), 120, 30);
    rig.type('/');
    await rig.until((text) => text.includes('text  /regex/  !not  ~fuzzy  column:text  column:>0'));
    rig.type('qos1');
    await rig.until((text) => text.includes(`showing 2 of ${commonCount}`));
    rig.type('\r');
    const lines = await rig.until((text) => text.includes('Esc clears'));
    expect(lines[1]).toContain('╭ messages.qos1.received');
    rig.type('\u001B');
    await rig.until((text) => text.includes(`showing ${commonCount} of ${commonCount}`));
    rig.type('/');
    rig.type('nothing');
    await rig.until((text) => text.includes('No counter matches.'));
  });

  test('draws each node with its name, on one scale', () => {
    const lines = open(byNodeState(), 120, 36).rig.lines();
    const at = names.map((name) =>
      lines.findIndex((line) => pattern`│ ${name.split('@')[0] ?? name} +[\d.]+ kB/s`.test(line)),
    );
    expect(at.every((index) => index > 0)).toBe(true);
    const scales = at.map((index) => /│ +([\d.]+ kB\/s) ┤/.exec(lines[index + 1] ?? '')?.[1]);
    expect(new Set(scales).size).toBe(1);
    expect(scales[0]).toBeDefined();
    // A node that is not in the answer has no rate, and no area.
    const without = open(byNodeState(names.slice(0, 2)), 120, 36).rig.lines();
    const missing = without.findIndex((line) => pattern`│ broker3 +–`.test(line));
    expect(without.slice(missing, missing + 4).join('')).not.toMatch(/[⣀-⣿]/);
    expect(without.slice(missing, missing + 6).join('')).toMatch(/·{40}/);
  });

  test.each([
    ['plain', plainTheme, /·{30}/],
    ['ASCII', asciiTheme, /\.{30}/],
  ] as const)('distinguishes zero, unknown, loading and failed in the graph: %s', async (_, theme, unknown) => {
    const graphOf = (state: ActingState): string =>
      open(state, 120, 30, { theme })
        .rig.lines()
        .slice(1)
        .map((line) => line.slice(57))
        .join('\n');
    const zero = graphOf(healthyState({}, () => 0));
    expect(zero).not.toMatch(unknown);
    expect(zero).toMatch(/cluster +0 B\/s/);
    const loading = graphOf(emptyState());
    const failed = graphOf(patched(emptyState(), readingsOf({ metrics: failing(new TimeoutError(5_000)) })));
    expect(loading).toContain('loading');
    expect(failed).toContain('no data');
    expect(failed).not.toContain('loading');
    const restarted = healthyState();
    const broken: MetricHistory = new Map(
      [...reading(restarted, metricHistoryPart)].map(([source, samples]) => [
        source,
        samples.map((sample, index) => (index < 80 ? { ...sample, isAfterReset: true } : sample)),
      ]),
    );
    const partial = graphOf(patched(restarted, readingsOf({ metricHistory: broken })));
    expect(partial).toMatch(/[.·]{10}/);
    expect(partial).toContain(' recorded');
  });

  test('draws a current value as it is, for the cluster and without a sum of nodes', async () => {
    for (const state of [healthyState(), byNodeState()]) {
      const { rig } = open(state, 120, 30);
      rig.type('jjjj');
      const lines = await rig.until((text) => text.includes('╭ messages.retained'));
      const values = [...reading(state, metricHistoryPart).values()].map(
        (samples) => samples.at(-1)?.metrics['messages.retained'] ?? 0,
      );
      expect(lines.join('\n')).toMatch(pattern`cluster +${withThousands(Math.max(...values))} +peak `);
      expect(lines.filter((line) => /[⠁-⣿]{20}/u.test(line)).length).toBeGreaterThan(5);
      expect(lines.map((line) => line.slice(57)).join('\n')).not.toMatch(/\/s|broker1/u);
    }
  });

  test('the peak in the list is that of the graph, in every window', async () => {
    const state = healthyState({}, (step, name) =>
      name === 'bytes.received' ? (step % 13 === 0 ? 9_000 + step : 40) : 1,
    );
    const { rig } = open(state, 200, 54);
    const peaks = (lines: readonly string[]): readonly (string | undefined)[] => {
      const row = lines
        .find((line) => line.includes('▸Bytes'))
        ?.slice(0, 110)
        .trimEnd();
      return [
        /([\d.]+ k?B\/s)$/u.exec(row ?? '')?.[1],
        /peak \(\d+ \w+ avg\) +([\d.]+ k?B\/s)/u.exec(lines.find((line) => line.includes('│ cluster')) ?? '')?.[1],
      ];
    };
    for (const { name } of graphWindows) {
      const lines = await rig.until((text) => text.split('\n')[1]?.includes(`${name} window ({ })`) === true);
      const [list, graph] = peaks(lines);
      expect(list).toBeDefined();
      expect(graph).toBe(list);
      rig.type('}');
    }
  });

  test('draws the nodes of a total that are read alone, each with its own pace', () => {
    const state = healthyState();
    const alone = samplesOf(90, () => 80, 'node');
    const slow = alone.filter((_, index) => index % 5 === 0);
    const metricHistory: MetricHistory = new Map([
      ...reading(state, metricHistoryPart),
      ...names.slice(0, 2).map((name) => [name, slow] as const),
    ]);
    const nodeMetrics = new Map(
      names.slice(0, 2).map((name) => [name, { ...fresh(slow.at(-1)?.metrics ?? {}), updatedAtMs: steadyNowMs() }]),
    );
    const lines = open(patched(state, readingsOf({ metricHistory, nodeMetrics })), 120, 36).rig.lines();
    const at = names.map((name) => lines.findIndex((line) => pattern`│ ${name.split('@')[0] ?? name} `.test(line)));
    expect(at[2]).toBe(-1);
    for (const line of at.slice(0, 2)) {
      expect(lines[line]).toMatch(/\d B\/s/u);
      expect(lines.slice(line, line + 5).join('')).toMatch(/[⣀-⣿]{4}/u);
    }
  });

  test('shows what queues lose as the sum of all sessions, and nothing before it is known', async () => {
    const { rig, store } = open(healthyState(), 200, 54);
    const row = (lines: readonly string[]): string | undefined =>
      lines.find((line) => line.includes(queueDropsName))?.slice(0, 106);
    expect(row(rig.lines())).toMatch(pattern`${queueDropsName} +– +–`);
    const read = (dropped: number, atMs: number): Partial<ActingState> =>
      readingsOf({
        sessionScan: {
          ...reading(store.getState(), sessionScan),
          phase: 'complete',
          finishedAtMs: steadyNowMs() + atMs - 5_000,
          rows: [sessionOf('a', { dropped, node: names[0] }), sessionOf('b', { dropped: 0, node: names[1] })],
          coverage: new Map(
            [names[0], names[1]].map((name) => [
              name,
              { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs: atMs },
            ]),
          ),
        },
      });
    store.setState(read(100, 0));
    store.setState(read(350, 5_000));
    const lines = await rig.until((text) => pattern`${queueDropsName} +350 +! 50/s +dropping`.test(text));
    expect(row(lines)).toContain('dropping');
  });

  test('marks the rates of old data as unknown', async () => {
    const state = current(healthyState());
    const { metrics } = selectVital(state);
    const { rig, store } = open(healthyState(), 120, 36);
    store.setState(
      patched(store.getState(), readingsOf({ metrics: { ...metrics, updatedAtMs: steadyNowMs() - 60_000 } })),
    );
    const lines = await rig.until((text) => text.includes(' old'));
    expect(lines.find((line) => line.includes('│ cluster '))).toMatch(/cluster +–/);
    expect(lines.some((line) => /[⠁-⣿]·{5,} │$/u.test(line))).toBe(true);
  });

  test('escapes the names of nodes', async () => {
    const hostile = '\u001B]0;owned\u0007evil@host';
    const { rig } = open(healthyState({ nodeStats: [nodeStats(hostile)] }));
    rig.type('v');
    await rig.until((text) => text.includes(metricsTexts.nodeTitle(plainTheme.escape(hostile), undefined)));
    expect(rig.raw()).not.toContain('\u0007');
  });
});
