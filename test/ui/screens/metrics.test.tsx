import { afterEach, describe, expect, test } from 'vitest';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ActingState, WatchedMonitor } from '../../../src/actions/state.ts';
import { TimeoutError } from '../../../src/api/errors.ts';
import { metricNames } from '../../../src/domain/metrics.ts';
import type { Watched } from '../../../src/monitor/state.ts';
import { stepNode } from '../../../src/ui/list/use-node-table.ts';
import { MetricsScreen } from '../../../src/ui/screens/metrics/metrics.tsx';
import { metricIds } from '../../../src/ui/screens/metrics/table.ts';
import { asciiTheme, createRig, endRigs, plainTheme, type Rig, type RigOptions } from '../support/rig.tsx';
import { byNodeState, emptyState, failing, fresh, healthyState, metricsOf, names, nodeStats, samplesOf, stoppedState } from './cluster-state.ts';
import { plainFrame, sizes } from './frames.ts';

afterEach(endRigs);

interface Bench {
  readonly rig: Rig;
  readonly store: StoreApi<ActingState>;
  /** What is watched now. */
  readonly watched: Set<Watched>;
}

/** Moves the state's times to this machine's clock, which the screen reads. */
const current = (state: ActingState): ActingState => {
  const touch = <T extends { readonly updatedAtMs: number | undefined }>(resource: T): T => ({ ...resource, updatedAtMs: resource.updatedAtMs === undefined ? undefined : Date.now() });
  const { nodes, nodeStats: load, listeners, metrics, stats } = state.resources;
  return { ...state, resources: { nodes: touch(nodes), nodeStats: touch(load), listeners: touch(listeners), metrics: touch(metrics), stats: touch(stats) } };
};

const open = (state: ActingState, width = 80, height = 18, options: RigOptions = {}): Bench => {
  const store = createStore<ActingState>(() => current(state));
  const watched = new Set<Watched>();
  const monitor: WatchedMonitor = {
    store, watch: (what) => { watched.add(what); return () => { watched.delete(what); }; },
    refresh: () => {}, abortScan: () => false, setFrozen: () => {}, setIntervalSeconds: () => {}, stop: () => {},
  };
  const rig = createRig(<MetricsScreen monitor={monitor} width={width} height={height} go={() => {}} notify={() => {}} />, { columns: width, rows: height, theme: plainTheme, ...options });
  return { rig, store, watched };
};

const nodeOf = (watched: ReadonlySet<Watched>): readonly string[] => [...watched].flatMap((what) => (what.kind === 'nodeMetrics' ? [what.node] : []));

describe('Metrics', () => {
  test('has each of the 38 counters once', () => {
    expect(metricIds.toSorted()).toEqual(metricNames.toSorted());
  });

  test.each(sizes)('fills its place exactly at %i×%i', async (width, height) => {
    for (const state of [emptyState(), healthyState(), byNodeState(names.slice(0, 2)), stoppedState()]) {
      for (const theme of [plainTheme, asciiTheme]) {
        const { rig } = open(state, width, height, { theme });
        await rig.until((text) => text.includes('showing 38'));
        // Ink cuts the spaces at the end of a line.
        expect(plainFrame(rig.lines().map((line) => line.padEnd(width)), width, height)).toHaveLength(height);
        rig.unmount();
      }
    }
  });

  test('says where the figures come from', () => {
    expect(open(healthyState()).rig.lines()[0]).toMatch(/Metrics of the cluster .* one total, made by the broker/);
    expect(open(byNodeState()).rig.lines()[0]).toMatch(/sum of 3 nodes, added up here/);
    expect(open(emptyState()).rig.lines()[0]).toContain('··· not here yet');
  });

  test('says which node a sum leaves out, and gives it as a lower bound', () => {
    const lines = open(byNodeState(names.slice(0, 2))).rig.lines();
    expect(lines[0]).toContain('sum of 2 nodes, without broker3@127.0.0.1');
    expect(lines[2]).toMatch(/bytes\.received +>=/);
  });

  test('tells loading, failed and zero apart', () => {
    expect(open(emptyState()).rig.lines()[2]).toMatch(/bytes\.received +··· +···/);
    const failed = open({ ...emptyState(), resources: { ...emptyState().resources, metrics: failing(new TimeoutError(5_000)) } }).rig.lines();
    expect(failed[2]).toMatch(/bytes\.received +– +–/);
    expect(failed.at(-1)).toContain('! no answer within 5 s (L: log)');
    const zero = healthyState({ metrics: { kind: 'total', total: metricsOf(0) } }, () => 0);
    expect(open(zero).rig.lines()[2]).toMatch(/bytes\.received +0 +0 B\/s/);
  });

  test('puts a sign and words to what is being lost', () => {
    const { rig } = open(healthyState({}, (_step, name) => (name === 'messages.dropped' || name === 'packets.puback.missed' ? 6 : 10)), 120, 34);
    const text = rig.lines().join('\n');
    expect(text).toMatch(/messages\.dropped .* ! 3\/s +! dropping/);
    expect(text).toMatch(/packets\.puback\.missed .* ! 3\/s +! missing/);
    expect(text).toMatch(/messages\.received +[\d,]+ +5\/s/);
  });

  test('shortens a number that does not fit and never cuts one', () => {
    const { rig } = open(healthyState({ metrics: { kind: 'total', total: metricsOf(9_007_199_254_740_991) } }));
    expect(rig.lines()[2]).toMatch(/bytes\.received +9\.0P /);
  });

  test('shows no rate of the one figure that is no counter', () => {
    expect(open(healthyState()).rig.lines().find((line) => line.includes('messages.retained'))).toMatch(/no rate *$/);
  });

  test('asks a node alone only while it is shown', async () => {
    const { rig, store, watched } = open(healthyState());
    expect(nodeOf(watched)).toEqual([]);
    rig.type('v');
    const asked = await rig.until((text) => text.includes('Metrics of broker1'));
    expect(asked[0]).toContain('··· asked of this node alone');
    expect(asked[2]).toMatch(/bytes\.received +··· +···/);
    expect(nodeOf(watched)).toEqual([names[0]]);

    const samples = samplesOf(5, () => 8, 'node');
    const last = samples.at(-1)?.metrics ?? {};
    store.setState((state) => ({ nodeMetrics: new Map([[names[0], { ...fresh(last), updatedAtMs: Date.now() }]]), metricHistory: new Map([...state.metricHistory, [names[0], samples]]) }));
    await rig.until((text) => /bytes\.received +1,032 +4 B\/s/.test(text));

    rig.type('V');
    await rig.until((text) => text.includes('Metrics of the cluster'));
    expect(nodeOf(watched)).toEqual([]);
  });

  test('takes a node out of the answer where it comes by node', async () => {
    const { rig, watched } = open(byNodeState());
    rig.type('V');
    await rig.until((text) => text.includes('Metrics of broker3@127.0.0.1') && text.includes('its part of the cluster'));
    expect(nodeOf(watched)).toEqual([]);
  });

  test('says of a stopped node that it is stopped and asks it nothing', async () => {
    const { rig, watched } = open(stoppedState());
    rig.type('V');
    const lines = await rig.until((text) => text.includes('Metrics of broker3@127.0.0.1 (stopped)'));
    expect(lines[2]).toMatch(/bytes\.received +– +–/);
    expect(nodeOf(watched)).toEqual([]);
  });

  test('goes round the views and back from a node that is gone', () => {
    expect([stepNode(['a', 'b'], undefined, 1), stepNode(['a', 'b'], 'b', 1), stepNode(['a', 'b'], undefined, -1), stepNode(['a'], 'gone', 1)]).toEqual(['a', undefined, 'b', undefined]);
  });

  test('scrolls with the keys of a list and names the group of the first row', async () => {
    const { rig } = open(healthyState());
    rig.type('G');
    const lines = await rig.until((text) => text.includes('packets.pubcomp.sent'));
    expect(lines.find((line) => line.includes('packets.pubcomp.sent'))).toMatch(/^▸/);
    expect(lines[2]).toMatch(/^ [A-Z]\w+ +packets\./);
    rig.type('g');
    await rig.until((text) => /▸Bytes +bytes\.received/.test(text));
  });

  test('escapes the names of nodes', async () => {
    const hostile = '\u001B]0;owned\u0007evil@host';
    const { rig } = open(healthyState({ nodeStats: [nodeStats(hostile)] }));
    rig.type('v');
    await rig.until((text) => text.includes(String.raw`Metrics of \x1b]0;owned\x07evil@host`));
    expect(rig.raw()).not.toContain('\u0007');
  });
});
