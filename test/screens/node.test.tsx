import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { TimeoutError } from '../../src/api/errors.ts';
import { reading, type Watchable, watchOf } from '../../src/monitor/query/part.ts';
import { clusterTotal, type MetricSample, nodeMetrics } from '../../src/resources/metrics/resource.ts';
import { nodePanels, nodeRowsOf, NodeScreen, readProblemText } from '../../src/resources/nodes/page.tsx';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { stats } from '../../src/resources/statistics/resource.ts';
import { selectVital } from '../../src/resources/vital.ts';
import { toLines } from '../../src/tui/components/blocks.ts';
import type { ScreenProps } from '../../src/tui/screen.ts';
import { withEvents } from '../support/events.ts';
import { patched, readingsOf, watchedKeys } from '../support/readings.ts';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';
import {
  byNodeState,
  current,
  emptyState,
  failing,
  fresh,
  healthyState,
  listener,
  metricsOf,
  names,
  nodeInfo,
  nodeStats,
  nowMs,
  samplesOf,
  statsOf,
  stoppedState,
} from './cluster-state.ts';
import { pattern, plainFrame, sizes } from './frames.ts';
import { createJudgedStore } from '../support/judged-store.ts';

afterEach(endRigs);

const name = names[2];

const text = (state: ActingState, width = 80, node: string = name): string => {
  const rows = nodeRowsOf(plainTheme, width, state, node, nowMs);
  return plainFrame(toLines(plainTheme, width, rows.length, rows), width, rows.length).join('\n');
};

const hostile = '\u001B]0;owned\u0007evil@host';

const hostileState = (): ActingState =>
  healthyState({
    nodes: [
      nodeInfo(hostile, {
        version: '\u001B[31m2',
        description: '\u202Edne',
        uptimeSeconds: undefined,
        unparsed: { uptimeSeconds: '\u001B[2Jsoon' },
      }),
    ],
    nodeStats: [
      nodeStats(hostile, {
        status: 'other',
        statusText: '\u0007Odd',
        memoryUsedBytes: undefined,
        unparsed: { memoryUsedBytes: 'much\n' },
      }),
    ],
    listeners: new Map([
      [hostile, [listener({ shutdownCount: { '\u001B[1mkicked': 3 }, shutdownCountRaw: '[{"x":"\u0007"}]' })]],
    ]),
  });

const monitorOf = (state: ActingState, watched = new Set<Watchable>()): ScreenProps['monitor'] => ({
  ...createJudgedStore(state),
  watch: (what) => {
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
});

describe('the Node screen', () => {
  describe.each(sizes)('at %i×%i', (width, height) => {
    test('fills its area', () => {
      for (const state of [emptyState(), healthyState(), byNodeState(), stoppedState(), hostileState()]) {
        for (const theme of [plainTheme, colorTheme, asciiTheme]) {
          for (const node of [name, hostile]) {
            const lines = toLines(theme, width, height, nodeRowsOf(theme, width, state, node, nowMs));
            expect(plainFrame(lines, width, height)).toHaveLength(height);
          }
        }
      }
    });
  });

  test('shows every field', () => {
    const shown = text(byNodeState());
    for (const words of [
      '● running',
      '2.3.11',
      'R19/8.3',
      '2h 14m',
      '2025-06-15 15:06:40',
      '402 of 204,800',
      '48.6 MB of 120 MB',
      '1,310 of 262,144',
      'at least 39 % of 1,024',
      '0.42 0.40 0.38',
    ]) {
      expect(shown).toContain(words);
    }
    expect(shown).toMatch(/retained +402 \(max 502\)/);
    expect(shown).toMatch(/mqtt:ws +8083 +12 of 102,400/);
    expect(shown).toMatch(/messages in +221\/s/);
    expect(shown).toContain('this node only');
  });

  test('shows a count without a limit alone', () => {
    expect(text(healthyState({ listeners: new Map() }))).toMatch(/^ clients +402(?: |$)/mu);
  });

  test.each([
    [120, 35],
    [200, 55],
  ] as const)('fills %i×%i with panels: fields, messages, statistics, rates and listeners', (width, height) => {
    for (const state of [emptyState(), healthyState(), byNodeState()]) {
      const rows = nodePanels(plainTheme, width, state, name, nowMs, height);
      expect(rows).toHaveLength(height);
      expect(
        plainFrame(toLines(plainTheme, width, height, rows), width, height).filter((line) => line.trim() === ''),
      ).toEqual([]);
    }
    const shown = plainFrame(
      toLines(plainTheme, width, height, nodePanels(plainTheme, width, byNodeState(), name, nowMs, height)),
      width,
      height,
    );
    for (const title of [`Node ${name}`, 'Messages', 'Statistics', 'Rates', 'Listeners'])
      expect(shown.join('\n')).toContain(`╭ ${title} ─`);
    expect(shown.join('\n')).toMatch(/runtime +R19\/8\.3/);
    expect(shown.join('\n')).toMatch(/bytes in +\S+ kB\/s/);
    expect(shown.join('\n')).toMatch(/mqtt:ws +8083 +12 of 102/);
    // Messages take the height that the fields leave.
    const traffic = shown.findIndex((line) => line.startsWith('╭ Messages'));
    expect(shown.slice(traffic, -1).filter((line) => /^│.{8,14}[\u2801-\u28ff]/u.test(line)).length).toBeGreaterThan(
      (height - traffic) / 2,
    );
  });

  test('panels of a node with more than fits are higher than the screen, and say what is missing', () => {
    const many = healthyState({
      listeners: new Map([
        [
          name,
          Array.from({ length: 30 }, (_, index) =>
            listener({ listen: `0.0.0.0:${2_000 + index}`, port: 2_000 + index }),
          ),
        ],
      ]),
    });
    const rows = nodePanels(plainTheme, 120, many, name, nowMs, 35);
    expect(rows.length).toBeGreaterThan(35);
    expect(plainFrame(toLines(plainTheme, 120, rows.length, rows), 120, rows.length).join('\n')).toContain(
      '0.0.0.0:2029',
    );
    const raw = nodePanels(plainTheme, 120, hostileState(), hostile, nowMs, 35);
    expect(plainFrame(toLines(plainTheme, 120, raw.length, raw), 120, raw.length).join('\n')).toContain(
      String.raw`memoryUsedBytes: much\x0a`,
    );
    const nobody = nodePanels(plainTheme, 120, healthyState(), 'nobody@h', nowMs, 35);
    expect(plainFrame(toLines(plainTheme, 120, 35, nobody), 120, 35).join('\n')).toContain('No node with this name.');
  });

  test('says since when a node is stopped, and shows no values', () => {
    const shown = text(stoppedState());
    expect(shown).toMatch(pattern`Node broker3@127\.0\.0\.1 .* stopped for 2m 05s`);
    const frozen = { ...stoppedState(), isFrozen: true };
    expect(
      text(
        patched(frozen, readingsOf({ nodeStats: { ...reading(frozen, nodeStatsPart), updatedAtMs: nowMs - 60_000 } })),
      ),
    ).toMatch(pattern`Node broker3@127\.0\.0\.1 .* stopped for 1m 05s, seen 1m 00s ago`);
    expect(text(stoppedState(), 120)).toContain('No data yet: values, statistics, rates');
    expect(shown).not.toMatch(/–| 0(?:\/s| )/);
    const panels = nodePanels(plainTheme, 120, stoppedState(), names[2], nowMs, 36);
    expect(
      plainFrame(toLines(plainTheme, 120, panels.length, panels), 120, panels.length).filter((line) =>
        line.startsWith('╭ Node '),
      ),
    ).toHaveLength(1);
    const before = patched(stoppedState(), readingsOf({ seenNodes: new Map() }));
    expect(text(before)).toContain('since before brokertop started');
  });

  test('shows what a stopped node leaves: the other nodes, the events that name it, the messages of the cluster', () => {
    const state = {
      ...stoppedState(),
      ...withEvents(
        stoppedState(),
        { text: `Node ${names[2]} is stopped`, severity: 'warning' },
        { text: `Node ${names[0]} is slow`, severity: 'warning' },
      ),
    };
    const panelsIn = (columns: number, rows: number, isPage: boolean): readonly string[] => {
      const panels = nodePanels(plainTheme, columns, state, names[2], nowMs, rows, isPage);
      return plainFrame(toLines(plainTheme, columns, panels.length, panels), columns, panels.length);
    };
    const whole = panelsIn(200, 50, true);
    expect(whole).toHaveLength(50);
    expect(whole.join('\n')).toMatch(/╭ Other nodes .*╭ Recent events /u);
    expect(whole.join('\n')).toMatch(/│ +● broker1 .*running +402 /u);
    expect(whole.join('\n')).toMatch(/ \d\d:\d\d:\d\d !  Node broker3@127\.0\.0\.1 is stopped/u);
    expect(whole.join('\n')).not.toContain('is slow');
    expect(whole.join('\n')).toContain('╭ Cluster messages ');
    // Below the list of nodes.
    expect(panelsIn(200, 50, false).join('\n')).not.toContain('Other nodes');
    const short = panelsIn(200, 14, true);
    expect(short.join('\n')).toContain('Other nodes');
    expect(short.join('\n')).not.toContain('╭ Cluster messages ');
    expect(short.length).toBeLessThanOrEqual(14);
  });

  test('shows loading and unknown nodes differently', () => {
    expect(text(emptyState())).toContain('··· loading node statistics');
    expect(text(healthyState(), 80, 'nobody@h')).toContain('No node with this name.');
    const state = healthyState();
    const empty = selectVital(emptyState());
    const partly = text(
      patched(state, readingsOf({ nodes: empty.nodes, stats: empty.stats, listeners: empty.listeners })),
    );
    expect(partly).toMatch(/version +···/);
    expect(partly).toMatch(/clients +··· +\(max ···\)/);
    expect(partly).toContain('··· loading');
  });

  test('shows unparsed fields escaped', () => {
    const shown = text(hostileState(), 120, hostile);
    expect(shown).toContain(String.raw`uptimeSeconds: \x1b[2Jsoon`);
    expect(shown).toContain(String.raw`memoryUsedBytes: much\x0a`);
    expect(shown).toContain(String.raw`\x1b[1mkicked 3`);
    expect(shown).toContain(String.raw`? \x07Odd`);
    expect(shown).toMatch(/memory +– – of 120 MB/);
  });

  test('shows failed resources and their age in the footer', () => {
    const state = healthyState();
    const old = { ...reading(state, stats), updatedAtMs: nowMs - 65_000 };
    const failed = patched(state, readingsOf({ stats: failing(new TimeoutError(5_000), old) }));
    expect(readProblemText(plainTheme, failed, nowMs)).toBe('! statistics 1m 05s old: no response within 5 s (L: log)');
    expect(readProblemText(plainTheme, state, nowMs)).toBe('');
    const rows = toLines(colorTheme, 80, 30, nodeRowsOf(colorTheme, 80, failed, name, nowMs));
    expect(rows.find((line) => line.includes('(max 502)'))).toContain('\u001B[2m');
  });

  test('shows the last values of a stopped node dimmed, with their age', () => {
    const state: ActingState = patched(
      stoppedState(),
      readingsOf({
        lastKnownNodes: new Map([
          [
            names[2],
            {
              atMs: nowMs - 130_000,
              info: nodeInfo(names[2]),
              stats: nodeStats(names[2], { clients: 77 }),
              counts: statsOf(402),
              listeners: [listener({ currentClients: 77 })],
            },
          ],
        ]),
      }),
    );
    const shown = text(state, 120, names[2]);
    expect(shown).toContain('last read 2m 10s ago');
    expect(shown).toMatch(pattern`status +○ stopped for 2m 05s`);
    expect(shown).toMatch(/clients +402 +\(max 502\)/);
    expect(shown).toMatch(/mqtt:tcp .* 77 of /);
    const rows = toLines(colorTheme, 80, 40, nodeRowsOf(colorTheme, 80, state, names[2], nowMs));
    expect(rows.find((line) => line.includes('(max 502)'))).toContain('\u001B[2m');
    expect(text(stoppedState(), 120, names[2])).not.toContain('last read 2m 10s ago');
  });

  test('a stopped node has no rates, although those of its last seconds are known', () => {
    const metricHistory = new Map<string | typeof clusterTotal, readonly MetricSample[]>([
      [clusterTotal, samplesOf(4, () => 900)],
      [names[2], samplesOf(4, () => 8, 'node')],
    ]);
    const state: ActingState = patched(stoppedState(), readingsOf({ metricHistory }));
    expect(text(patched(healthyState(), readingsOf({ metricHistory })), 80, names[2])).toMatch(/messages in +4\/s/);
    expect(text(state, 80, names[2])).not.toMatch(/messages in|4\/s/);
    const panels = nodePanels(plainTheme, 120, state, names[2], nowMs, 36);
    expect(plainFrame(toLines(plainTheme, 120, panels.length, panels), 120, panels.length).join('\n')).not.toMatch(
      /4\/s|╭ Rates/u,
    );
  });

  test('says what is wrong with a stopped node, and what to do', async () => {
    const rig = createRig(
      <NodeScreen
        monitor={monitorOf(stoppedState())}
        node={name}
        width={80}
        height={18}
        go={() => {}}
        notify={() => {}}
      />,
      { columns: 80, rows: 18 },
    );
    const lines = await rig.until((shown) => shown.includes('CRITICAL'));
    expect(lines.slice(0, 2).join(' ')).toMatch(/CRITICAL Node broker3 is stopped .* Next +Check its host/u);
    expect(text(stoppedState(), 80, names[0])).not.toContain('Check its host');
  });

  test('marks a rising load', () => {
    expect(text(healthyState({ nodeStats: [nodeStats(name, { load1: 3, load5: 1 })] }))).toContain(
      '3.00 1.00 0.38 ↑ rising',
    );
  });

  test('shows the rates of this node only', () => {
    const samples = samplesOf(4, () => 8, 'node');
    const metricHistory = new Map<string | typeof clusterTotal, readonly MetricSample[]>([
      [clusterTotal, samplesOf(4, () => 900)],
      [name, samples],
    ]);
    const state = patched(
      healthyState(),
      readingsOf({ nodeMetrics: new Map([[name, fresh(metricsOf(1))]]), metricHistory }),
    );
    expect(text(state)).toMatch(/messages in +4\/s/);
    expect(text(state)).toContain('this node only');
  });

  test("watches the node's metrics only if the cluster answer lacks them, and scrolls", async () => {
    const watched = new Set<Watchable>();
    const screen = (state: ActingState, height = 18): ReturnType<typeof createRig> =>
      createRig(
        <NodeScreen
          monitor={monitorOf(state, watched)}
          node={name}
          width={80}
          height={height}
          go={() => {}}
          notify={() => {}}
        />,
        { columns: 80, rows: height },
      );

    const rig = screen(healthyState());
    await rig.until((shown) => shown.includes('lines 1–17 of'));
    expect([...watched]).toContainEqual(watchOf(nodeMetrics, name));
    rig.type('G');
    const lines = await rig.until((shown) => shown.includes('mqtt:ws'));
    expect(lines).toHaveLength(18);
    rig.type('g');
    await rig.until((shown) => shown.includes('── Node broker3'));
    rig.unmount();
    expect([...watched]).toEqual([]);

    const byNode = screen(byNodeState());
    await byNode.until((shown) => shown.includes('lines 1–17 of'));
    expect(watchedKeys(watched, nodeMetrics)).toEqual([]);

    // Not by one line that the last one has room for.
    const leftOver = Array.from({ length: 36 }, (_, at) => {
      const [, shown, count] =
        /lines 1–(\d+) of (\d+)/u.exec(
          screen(current(healthyState()), 24 + at)
            .lines()
            .at(-1) ?? '',
        ) ?? [];
      return Number(count) - Number(shown);
    });
    expect(leftOver).not.toContain(1);
  });
});
