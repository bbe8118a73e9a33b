import { describe, expect, it } from 'vitest';
import { wallMs } from '../../src/monitor/clock.ts';
import { emptyResource, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { createTriage } from '../../src/checks/triage.ts';
import { type CheckResult, verdictOf } from '../../src/triage/check.ts';
import { capabilitiesB } from '../screens/administration-fixtures.tsx';
import { clientOf, scanOf } from '../screens/list-fixtures.ts';
import { nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { clusterTotal, type MetricSample } from '../../src/resources/metrics/resource.ts';
import { patched, readingsOf } from '../support/readings.ts';

const startMs = new Date(2026, 2, 1, 12, 0, 0).getTime();

/** The API's answers at one time. */
interface Moment {
  /** Clients of each running node. */
  readonly clients: Readonly<Record<string, number>>;
  /** Messages received per second since the previous moment. */
  readonly perSecond?: number;
  readonly stopped?: readonly string[];
  /** Counters were reset. */
  readonly restarts?: boolean;
  /** Seconds since the previous moment. */
  readonly after?: number;
  /** Messages that each client has published, where the list of clients was read. */
  readonly published?: Readonly<Record<string, number>>;
  /** Running nodes without statistics. */
  readonly silent?: readonly string[];
}

/** Passes moments to a triage in turn. */
function createScene() {
  const triage = createTriage();
  let nowMs = startMs;
  let received = 0;
  let samples: readonly MetricSample[] = [];
  const at = <T>(data: T): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: nowMs });
  const look = ({
    clients,
    perSecond = 0,
    stopped = [],
    restarts = false,
    after = 5,
    silent = [],
    published,
  }: Moment): CheckResult => {
    nowMs += after * 1_000;
    received += perSecond * after;
    samples = [
      ...samples,
      {
        atMs: nowMs - startMs,
        metrics: { 'messages.received': received, 'messages.sent': 0 },
        from: 'cluster' as const,
        ...(restarts ? { isAfterReset: true } : {}),
      },
    ].slice(-200);
    const names = Object.keys(clients);
    const empty = initialState(2);
    const state: MonitorState = patched(
      empty,
      published === undefined
        ? undefined
        : {
            capabilities: { ...capabilitiesB, clientTraffic: true },
            ...readingsOf({
              clientScan: scanOf(
                Object.entries(published).map(([clientId, receivedMessages]) =>
                  clientOf(clientId, {
                    node: 'a',
                    traffic: { receivedMessages, sentMessages: 0, receivedBytes: 0, sentBytes: 0 },
                  }),
                ),
                {
                  finishedAtMs: nowMs,
                  coverage: new Map([
                    ['a', { read: 2, expected: 2, isComplete: true, error: undefined, readAtMs: nowMs - startMs }],
                  ]),
                },
              ),
            }),
          },
      readingsOf({
        metricHistory: new Map([[clusterTotal, samples]]),
        nodes: at(names.map((name) => nodeInfo(name))),
        nodeStats: at([
          ...[...names, ...silent].map((name) => nodeStats(name)),
          ...stopped.map((name) => nodeStats(name, 'stopped')),
        ]),
        listeners: at(new Map()),
        metrics: at({ kind: 'total', total: {} } as const),
        stats: at(
          new Map(
            Object.entries(clients).map(([name, count]) => [
              name,
              stats({ clients: count, sessions: count, subscriptions: 2 * count }),
            ]),
          ),
        ),
      }),
    );
    const result = triage.update(state, nowMs).results.find(({ check }) => check === 'sudden');
    if (result === undefined) throw new Error('no such check');
    return result;
  };
  return {
    look,
    /** Repeats a moment for some seconds. */
    stay(seconds: number, moment: Moment): CheckResult {
      let result = look(moment);
      for (let passed = 5; passed < seconds; passed += 5) result = look(moment);
      return result;
    },
    nowMs: () => nowMs,
  };
}

const found = ({ findings }: CheckResult): readonly (readonly [code: string, evidence: object])[] =>
  findings.map(({ code, evidence }) => [code, evidence]);
const shortHistory = { code: 'history-short', of: 'totals', minSeconds: 60 };
const usual = { clients: { a: 2_700, b: 2_627 } };
const fallen = { clients: { a: 20, b: 307 } };

describe('sudden changes', () => {
  it('are one finding for clients, sessions and subscriptions, with time and nodes, for ten minutes', () => {
    const scene = createScene();
    expect(verdictOf(scene.stay(120, usual))).toBe('ok');
    expect(found(scene.look(fallen))).toEqual([]);
    const atMs = scene.nowMs();
    const result = scene.look(fallen);
    expect(result.findings).toEqual([
      expect.objectContaining({
        severity: 'critical',
        code: 'sudden-change',
        atMs,
        jump: { screen: 'clients', sort: { columnId: 'connected', isReversed: true } },
        evidence: {
          direction: 'fall',
          clockMs: wallMs(atMs),
          now: undefined,
          changes: [
            { subject: 'clients', before: 5_327, after: 327 },
            { subject: 'sessions', before: 5_327, after: 327 },
            { subject: 'subscriptions', before: 10_654, after: 654 },
          ],
          nodes: [
            { node: 'a', before: 2_700, after: 20 },
            { node: 'b', before: 2_627, after: 307 },
          ],
        },
      }),
    ]);
    // It became the baseline; the finding stays for a while.
    expect(found(scene.stay(400, fallen))).toHaveLength(1);
    expect(found(scene.stay(200, fallen))).toEqual([]);
    expect(verdictOf(scene.look(fallen))).toBe('ok');
  });

  it('have the present value, and are found again', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.stay(20, fallen);
    expect(found(scene.stay(30, usual))).toMatchObject([['sudden-change', { now: 5_327 }]]);
    scene.stay(20, { clients: { a: 2_700, b: 0 } });
    expect(found(scene.look({ clients: { a: 2_700, b: 0 } }))).toMatchObject([
      [
        'sudden-change',
        {
          clockMs: wallMs(startMs + 175_000),
          changes: [{ subject: 'clients', before: 5_327, after: 2_700 }, {}, {}],
          nodes: [{ node: 'b', before: 2_627, after: 0 }],
        },
      ],
    ]);
  });

  it('keep their time and their name when the level returns and changes so again, and when others join', () => {
    const scene = createScene();
    const [few, many] = [
      { clients: { a: 18 }, perSecond: 50 },
      { clients: { a: 48 }, perSecond: 50 },
    ];
    scene.stay(120, few);
    scene.look(many);
    const atMs = scene.nowMs();
    const first = scene.look(many);
    const rise = { code: 'sudden-change', key: 'sudden rise clients', atMs, evidence: { clockMs: wallMs(atMs) } };
    expect(first.findings).toMatchObject([rise]);
    scene.stay(20, few);
    expect(scene.stay(20, { ...many, perSecond: 60 }).findings).toMatchObject([rise]);
    const traffic = createScene();
    traffic.stay(120, few);
    traffic.stay(10, { ...few, perSecond: 500 });
    const name = 'sudden rise messages.received';
    expect(traffic.look({ ...few, perSecond: 500 }).findings).toMatchObject([{ key: name }]);
    expect(traffic.stay(20, { ...many, perSecond: 500 }).findings).toMatchObject([{ key: name }]);
  });

  it('begin where the fall began, even if it took some seconds, and are decided by the next reading', () => {
    const scene = createScene();
    scene.stay(70, { clients: { a: 2_000, b: 2_000 } });
    scene.stay(40, usual);
    expect(found(scene.look({ clients: { a: 2_700, b: 1_622 } }))).toEqual([]);
    scene.look({ clients: { a: 20, b: 307 } });
    expect(found(scene.look({ clients: { a: 20, b: 307 }, after: 2 }))).toMatchObject([
      ['sudden-change', { changes: [{ subject: 'clients', before: 5_327, after: 327 }, {}, {}] }],
    ]);
  });

  it('name who publishes most of a rise, and go on to when it is over', () => {
    const scene = createScene();
    let [calm, loud] = [0, 0];
    const look = (perSecond: number) => {
      calm += 5 * 20;
      loud += 5 * (perSecond - 20);
      return scene.look({ clients: { a: 50 }, perSecond, published: { calm, loud } });
    };
    for (let at = 0; at < 120; at += 5) look(50);
    for (let at = 0; at < 20; at += 5) look(855);
    expect(look(855).findings).toMatchObject([
      { code: 'sudden-change', evidence: { direction: 'rise', talker: { clientId: 'loud', perSecond: 835 } } },
    ]);
    for (let at = 0; at < 20; at += 5) look(50);
    expect(look(50).findings).toMatchObject([{ code: 'sudden-change', evidence: { talker: { clientId: 'loud' } } }]);
  });

  it('grow with the fall, and include rises', () => {
    const scene = createScene();
    scene.stay(120, { clients: { a: 1_000 } });
    for (const count of [650, 600, 400, 100, 90]) scene.look({ clients: { a: count } });
    const atMs = startMs + 125_000;
    expect(found(scene.look({ clients: { a: 90 } }))).toMatchObject([
      [
        'sudden-change',
        {
          direction: 'fall',
          clockMs: wallMs(atMs),
          changes: [{ subject: 'clients', before: 1_000, after: 90 }, {}, {}],
        },
      ],
    ]);
    const rise = createScene();
    rise.stay(120, { clients: { a: 100 } });
    const result = rise.stay(10, { clients: { a: 900 } });
    expect(found(result)).toMatchObject([
      [
        'sudden-change',
        {
          direction: 'rise',
          clockMs: wallMs(atMs),
          changes: [{ subject: 'clients', before: 100, after: 900 }, {}, {}],
        },
      ],
    ]);
    expect(result.findings[0]?.severity).toBe('warning');
  });

  it('include traffic, compared with its usual range', () => {
    const scene = createScene();
    scene.stay(120, { ...usual, perSecond: 900 });
    const quiet = scene.stay(15, { ...usual, perSecond: 30 });
    expect(quiet.findings).toMatchObject([
      {
        severity: 'critical',
        jump: { screen: 'metrics', row: 'messages.received' },
        code: 'sudden-change',
        evidence: {
          direction: 'fall',
          clockMs: wallMs(startMs + 125_000),
          changes: [{ subject: 'messages.received', before: 900, after: 30 }],
          nodes: [],
        },
      },
    ]);
    const bursts = createScene();
    for (let minute = 0; minute < 6; minute += 1) {
      expect(found(bursts.stay(50, { ...usual, perSecond: 50 }))).toEqual([]);
      expect(found(bursts.stay(10, { ...usual, perSecond: 500 }))).toEqual([]);
    }
  });

  it('include clients that move between nodes', () => {
    const scene = createScene();
    scene.stay(120, { clients: { a: 500, b: 500 } });
    const result = scene.stay(10, { clients: { a: 50, b: 950 } });
    expect(found(result)).toEqual([
      [
        'clients-moved',
        {
          clockMs: wallMs(startMs + 125_000),
          clients: 1_000,
          nodes: [
            { node: 'a', before: 0.5, after: 0.05 },
            { node: 'b', before: 0.5, after: 0.95 },
          ],
        },
      ],
    ]);
    expect(result.findings[0]?.severity).toBe('warning');
  });
});

describe('no sudden change', () => {
  it('without enough history', () => {
    const scene = createScene();
    expect(scene.look(usual).unchecked).toEqual([shortHistory]);
    const result = scene.stay(20, fallen);
    expect([found(result), verdictOf(result)]).toEqual([[], 'unchecked']);
  });

  it('from a rise that came before there was a baseline, whatever the level does since', () => {
    const scene = createScene();
    const at = (perSecond: number) => ({ ...usual, perSecond });
    scene.stay(45, at(7));
    for (const perSecond of [119, 120, 118, 121, 121, 121, 122, 122, 122])
      expect(found(scene.look(at(perSecond)))).toEqual([]);
  });

  it('when a node stops, returns or restarts', () => {
    const scene = createScene();
    scene.stay(120, usual);
    expect(found(scene.stay(90, { clients: { a: 2_700 }, stopped: ['b'] }))).toEqual([]);
    expect(found(scene.stay(90, usual))).toEqual([]);
    // It restarted between two readings.
    scene.look({ clients: { a: 2_700, b: 3 }, restarts: true });
    expect(found(scene.stay(90, { clients: { a: 2_700, b: 3 } }))).toEqual([]);
  });

  it('after a gap between readings', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.look({ ...fallen, after: 300 });
    const result = scene.stay(20, fallen);
    expect(result).toMatchObject({ findings: [], unchecked: [shortHistory] });
  });

  it('from one odd answer, a slow drift or a few clients', () => {
    const scene = createScene();
    scene.stay(120, usual);
    scene.look(fallen);
    expect(found(scene.stay(30, usual))).toEqual([]);
    const drift = createScene();
    for (let step = 0; step < 720; step += 1)
      expect(found(drift.look({ clients: { a: Math.round(5_000 * 0.9985 ** step) } }))).toEqual([]);
    const few = createScene();
    few.stay(120, { clients: { a: 9 } });
    expect(found(few.stay(30, { clients: { a: 0 } }))).toEqual([]);
  });

  it('from a total without a node', () => {
    const scene = createScene();
    scene.stay(120, usual);
    expect(found(scene.stay(20, { clients: { a: 2_700 }, silent: ['b'] }))).toEqual([]);
  });
});
