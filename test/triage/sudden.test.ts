import { describe, expect, it } from 'vitest';
import { emptyResource } from '../../src/monitor/polling/poller.ts';
import { clusterTotal, type MetricSample, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { type CheckResult, verdictOf } from '../../src/triage/check.ts';
import { createTriage } from '../../src/triage/triage.ts';
import { nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';

const startMs = new Date(2026, 2, 1, 12, 0, 0).getTime();

/** What is told at one moment. */
interface Moment {
  /** Clients of each node that runs. */
  readonly clients: Readonly<Record<string, number>>;
  /** Messages received a second since the moment before. */
  readonly perSecond?: number;
  readonly stopped?: readonly string[];
  /** The node's counters begin anew. */
  readonly restarts?: boolean;
  /** Seconds since the moment before. */
  readonly after?: number;
  /** Nodes that run and are missing in the statistics. */
  readonly silent?: readonly string[];
}

/** Shows a triage one moment after the other. */
function createScene() {
  const triage = createTriage();
  let nowMs = startMs;
  let received = 0;
  let samples: readonly MetricSample[] = [];
  const at = <T>(data: T): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: nowMs });
  const look = ({ clients, perSecond = 0, stopped = [], restarts = false, after = 5, silent = [] }: Moment): CheckResult => {
    nowMs += after * 1_000;
    received += perSecond * after;
    samples = [...samples, { atMs: nowMs - startMs, metrics: { 'messages.received': received, 'messages.sent': 0 }, from: 'cluster' as const, ...(restarts ? { isAfterReset: true } : {}) }].slice(-200);
    const names = Object.keys(clients);
    const empty = initialState(2);
    const state: MonitorState = {
      ...empty,
      metricHistory: new Map([[clusterTotal, samples]]),
      resources: {
        nodes: at(names.map((name) => nodeInfo(name))),
        nodeStats: at([...[...names, ...silent].map((name) => nodeStats(name)), ...stopped.map((name) => nodeStats(name, 'stopped'))]),
        listeners: at(new Map()),
        metrics: at({ kind: 'total', total: {} } as const),
        stats: at(new Map(Object.entries(clients).map(([name, count]) => [name, stats({ clients: count, sessions: count, subscriptions: 2 * count })]))),
      },
    };
    const result = triage.update(state, nowMs).results.find(({ check }) => check === 'sudden');
    if (result === undefined) throw new Error('no such check');
    return result;
  };
  return {
    look,
    /** The same for so many seconds. */
    stay(seconds: number, moment: Moment): CheckResult {
      let result = look(moment);
      for (let passed = 5; passed < seconds; passed += 5) result = look(moment);
      return result;
    },
    nowMs: () => nowMs,
  };
}

const words = ({ findings }: CheckResult): readonly string[] => findings.map(({ parts }) => parts.map(({ text }) => text).join(''));
const doubts = (result: CheckResult): readonly string[] => result.doubts.map((parts) => parts.map(({ text }) => text).join(''));
const usual = { clients: { a: 2_700, b: 2_627 } };
const fallen = { clients: { a: 20, b: 307 } };

describe('a sudden change', () => {
  it('is a fall of clients, sessions and subscriptions as one finding, with the moment and the nodes, for ten minutes', () => {
    const scene = createScene();
    expect(verdictOf(scene.stay(120, usual))).toBe('fine');
    expect(words(scene.look(fallen))).toEqual([]);
    const atMs = scene.nowMs();
    const result = scene.look(fallen);
    expect(words(result)).toEqual(['Clients fell from 5,327 to 327 (-94 %) at 12:02:05, sessions from 5,327 to 327 (-94 %), subscriptions from 10,654 to 654 (-94 %); node a 2,700 to 20, node b 2,627 to 307.']);
    expect(result.findings[0]).toMatchObject({ severity: 'error', atMs, jump: { screen: 'clients' } });
    // It became the usual; what was found stays for a while.
    expect(words(scene.stay(400, fallen))).toHaveLength(1);
    expect(words(scene.stay(200, fallen))).toEqual([]);
    expect(verdictOf(scene.look(fallen))).toBe('fine');
  });

  it('says how many there are now, and is found again when they went once more', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.stay(20, fallen);
    expect(words(scene.stay(30, usual))[0]).toMatch(/; now 5,327\.$/u);
    scene.stay(20, { clients: { a: 2_700, b: 0 } });
    expect(words(scene.look({ clients: { a: 2_700, b: 0 } }))[0]).toMatch(/^Clients fell from 5,327 to 2,700 \(-49 %\) at 12:02:55, .*; node b 2,627 to 0\.$/u);
  });

  it('goes on while it grows, and is a rise as well', () => {
    const scene = createScene();
    scene.stay(120, { clients: { a: 1_000 } });
    for (const count of [650, 600, 400, 100, 90]) scene.look({ clients: { a: count } });
    expect(words(scene.look({ clients: { a: 90 } }))[0]).toMatch(/^Clients fell from 1,000 to 90 \(-91 %\) at 12:02:05, /u);
    const rise = createScene();
    rise.stay(120, { clients: { a: 100 } });
    const result = rise.stay(10, { clients: { a: 900 } });
    expect(words(result)[0]).toMatch(/^Clients rose from 100 to 900 \(\+800 %\) at 12:02:05, /u);
    expect(result.findings[0]?.severity).toBe('warning');
  });

  it('is a change of traffic, against its own unrest', () => {
    const scene = createScene();
    scene.stay(120, { ...usual, perSecond: 900 });
    const quiet = scene.stay(15, { ...usual, perSecond: 30 });
    expect(words(quiet)).toEqual(['Messages received fell from 900/s to 30/s (-97 %) at 12:02:05.']);
    expect(quiet.findings[0]).toMatchObject({ severity: 'error', jump: { screen: 'metrics', row: 'messages.received' } });
    const bursts = createScene();
    for (let minute = 0; minute < 6; minute += 1) {
      expect(words(bursts.stay(50, { ...usual, perSecond: 50 }))).toEqual([]);
      expect(words(bursts.stay(10, { ...usual, perSecond: 500 }))).toEqual([]);
    }
  });

  it('is a move of clients from one node to another while there are as many as before', () => {
    const scene = createScene();
    scene.stay(120, { clients: { a: 500, b: 500 } });
    const result = scene.stay(10, { clients: { a: 50, b: 950 } });
    expect(words(result)).toEqual(['Clients moved between nodes at 12:02:05: node a from 50 % to 5 %, node b from 50 % to 95 % of 1,000.']);
    expect(result.findings[0]?.severity).toBe('warning');
  });
});

describe('no sudden change', () => {
  it('is the start of the monitor, which has nothing to compare with yet', () => {
    const scene = createScene();
    expect(doubts(scene.look(usual))).toEqual(['counts known for less than 60 s']);
    const result = scene.stay(20, fallen);
    expect([words(result), verdictOf(result)]).toEqual([[], 'unjudged']);
  });

  it('is a node that stops, comes back or begins anew', () => {
    const scene = createScene();
    scene.stay(120, usual);
    expect(words(scene.stay(90, { clients: { a: 2_700 }, stopped: ['b'] }))).toEqual([]);
    expect(words(scene.stay(90, usual))).toEqual([]);
    // It was gone for so short that nobody saw it stopped.
    scene.look({ clients: { a: 2_700, b: 3 }, restarts: true });
    expect(words(scene.stay(90, { clients: { a: 2_700, b: 3 } }))).toEqual([]);
  });

  it('is what happened while nothing was read', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.look({ ...fallen, after: 300 });
    const result = scene.stay(20, fallen);
    expect([words(result), doubts(result)]).toEqual([[], ['counts known for less than 60 s']]);
  });

  it('is one odd answer, a slow drift, or a few clients', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.look(fallen);
    expect(words(scene.stay(30, usual))).toEqual([]);
    const drift = createScene();
    for (let step = 0; step < 720; step += 1) expect(words(drift.look({ clients: { a: Math.round(5_000 * 0.9985 ** step) } }))).toEqual([]);
    const few = createScene();
    few.stay(120, { clients: { a: 9 } });
    expect(words(few.stay(30, { clients: { a: 0 } }))).toEqual([]);
  });

  it('is a total of which a node is missing', () => {
    const scene = createScene();
    scene.stay(120, usual);
    expect(words(scene.stay(20, { clients: { a: 2_700 }, silent: ['b'] }))).toEqual([]);
  });
});
