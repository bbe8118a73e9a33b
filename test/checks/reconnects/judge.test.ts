import { describe, expect, it } from 'vitest';
import { clusterTotal, type MetricSample } from '../../../src/resources/metrics/resource.ts';
import { problemText } from '../../../src/checks/words.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { client, nodeInfo } from '../../monitor/fake-api.ts';
import { readingsOf } from '../../support/readings.ts';
import { nowMs, history, loaded, type Scene, resultOf, found, unchecked, verdict } from '../scene.ts';

describe('reconnects', () => {
  it('are connects that do not add clients', () => {
    const storm: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { reconnected: ['c1', 'c2', 'c3', 'c4'] },
    };
    const result = resultOf('reconnects', storm);
    const clientIds = ['c1', 'c2', 'c3', 'c4'];
    expect(result.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'reconnect-storm',
        evidence: { connectsPerSecond: 10, seconds: 18, change: 0, clients: 100, clientIds },
        jump: { screen: 'clients', found: { name: 'reconnected', clientIds } },
      },
    ]);
    expect(resultOf('reconnects', { ...storm, history: { reconnected: [] } }).findings[0]?.jump).toEqual({
      screen: 'clients',
      sort: { columnId: 'connected', isReversed: true },
    });
  });

  it('last happened when the counter last grew, while the average still shows them', () => {
    const samples = [...history({ 'packets.connect': 10 })].map(([source, all]) => {
      const ended = all.map((sample) =>
        sample.atMs <= 12_000 ? sample : { ...sample, metrics: all[6]?.metrics ?? {} },
      );
      return [source, ended] as const;
    });
    const state = readingsOf({ metricHistory: new Map(samples) });
    const { findings } = resultOf('reconnects', { state, history: { reconnected: ['c1', 'c2', 'c3', 'c4'] } });
    expect(findings).toMatchObject([{ code: 'reconnect-storm', happenedMs: nowMs - 500 - 8_000 }]);
  });

  it('are those of one client, with its rate, if it makes most of them', () => {
    // 2 connects/s, over 18 s; the steps at both ends are left out.
    const one: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 2 }) }),
      history: { reconnected: ['c7', 'c1', 'c2'], reconnects: new Map([['c7', 6]]) },
    };
    expect(resultOf('reconnects', one).findings).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'clients-reconnecting',
        jump: {
          screen: 'clients',
          found: { name: 'reconnected', clientIds: ['c7'] },
          sort: { columnId: 'connected', isReversed: true },
        },
        evidence: { clientIds: ['c7'], perSecond: expect.closeTo(1.4, 1), seconds: 18 },
      }),
    ]);
    // Everybody does.
    const all = {
      reconnected: ['c1', 'c2', 'c3', 'c4'],
      reconnects: new Map(['c1', 'c2', 'c3', 'c4'].map((id) => [id, 3])),
    };
    expect(found(resultOf('reconnects', { ...one, history: all }))).toMatchObject([
      ['reconnect-storm', { clientIds: all.reconnected }],
    ]);
  });

  it('are not those of a client that came back before the storm', () => {
    const back = (clientId: string, secondsAgo: number) => client(clientId, 'a', 1_000 - secondsAgo);
    // 20 s of metrics, and clients read 3 and 6 s ago.
    const storm: Scene = {
      resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) },
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: {
        reconnected: ['gate', 'slow'],
        reconnectedClients: [back('gate', 4), back('slow', 36)],
        clientReadings: { complete: 4, last: 'complete', completeMs: nowMs - 3_000, beforeMs: nowMs - 6_000 },
      },
    };
    const titles = (scene: Scene) => resultOf('reconnects', scene).findings.map((each) => plainText(problemText(each)));
    expect(titles(storm)).toEqual(['Reconnect storm, 10 connects/s: 1 of 100 clients reconnected, over 18 s, gate']);
    // It is read so rarely that the last two readings are all that is known.
    const seldom = { complete: 2, last: 'complete', completeMs: nowMs - 30_000, beforeMs: nowMs - 90_000 } as const;
    expect(titles({ ...storm, history: { ...storm.history, clientReadings: seldom } })).toEqual([
      'Reconnect storm, 10 connects/s: 2 of 100 clients reconnected, over 18 s, gate and 1 more',
    ]);
  });

  it('are counted from successful connects where the broker counts them: refused logins are none', () => {
    const refused = history({ 'packets.connect': 10, 'client.connected': 0 });
    expect(verdict('reconnects', { state: readingsOf({ metricHistory: refused }) })).toBe('ok');
    expect(
      found(
        resultOf('reconnects', {
          state: readingsOf({ metricHistory: history({ 'packets.connect': 30, 'client.connected': 10 }) }),
        }),
      ),
    ).toMatchObject([['reconnect-storm', { connectsPerSecond: 10 }]]);
  });

  it('are only attempts where nobody is seen to reconnect, although the clients were read', () => {
    const read = { complete: 4, last: 'complete', completeMs: 99_000, beforeMs: 96_000 } as const;
    const attempts: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { clientReadings: read },
    };
    expect(resultOf('reconnects', attempts).findings).toMatchObject([
      { severity: 'warning', code: 'reconnect-storm', evidence: { isAttempts: true } },
    ]);
    expect(
      resultOf('reconnects', { ...attempts, history: { clientReadings: { ...read, beforeMs: 70_000 } } }).findings,
    ).toMatchObject([{ severity: 'critical' }]);
  });

  it('are expected after a bulk action that disconnected most of these clients', () => {
    const severity = (clients: number, finishedAtMs: number | undefined) =>
      resultOf('reconnects', {
        state: {
          bulk: { disconnectedIds: Array.from({ length: clients }, (_, index) => `c${index}`), finishedAtMs },
          ...readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
        },
      }).findings[0]?.severity;
    // 140 reconnects.
    expect(severity(71, undefined)).toBe('warning');
    expect(severity(71, nowMs - 59_000)).toBe('warning');
    expect(severity(71, nowMs - 60_000)).toBe('critical');
    expect(severity(70, undefined)).toBe('critical');
  });

  it('are not first connects that are counted before their clients', () => {
    const late = [
      { atMs: 80_000, metricsMs: 2_000, clients: 20 },
      { atMs: 100_000, metricsMs: 20_000, clients: 120 },
    ];
    const ramp: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { clientCounts: late },
    };
    expect(unchecked('reconnects', ramp)).toEqual([{ code: 'clients-arriving', change: 100, seconds: 18 }]);
    expect(resultOf('reconnects', ramp).findings).toEqual([]);
    // A client that was there before has reconnected.
    expect(
      resultOf('reconnects', { ...ramp, history: { clientCounts: late, reconnected: ['c1'] } }).findings,
    ).toHaveLength(1);
  });

  it('are not new clients, nor a few that come and go', () => {
    const arrival = [
      { atMs: 80_000, metricsMs: 2_000, clients: 0 },
      { atMs: 100_000, metricsMs: 20_000, clients: 200 },
    ];
    expect(
      verdict('reconnects', {
        state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
        history: { clientCounts: arrival },
      }),
    ).toBe('ok');
    expect(verdict('reconnects', { state: readingsOf({ metricHistory: history({ 'packets.connect': 0.5 }) }) })).toBe(
      'ok',
    );
    // A node went down ten seconds ago: only later connects count.
    const broken = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) =>
      samples.map((sample, index) => (index === 5 ? { ...sample, isAfterReset: true } : sample)),
    );
    const after = [
      { atMs: 80_000, metricsMs: 2_000, clients: 200 },
      { atMs: 90_000, metricsMs: 10_000, clients: 100 },
      { atMs: 100_000, metricsMs: 20_000, clients: 100 },
    ];
    expect(
      found(
        resultOf('reconnects', {
          state: readingsOf({ metricHistory: new Map([[clusterTotal, broken]]) }),
          history: { clientCounts: after },
        }),
      ),
    ).toEqual([
      ['reconnect-storm', { connectsPerSecond: 10, seconds: 10, change: 0, clients: 100, known: 100, clientIds: [] }],
    ]);
    const before = [
      { atMs: 80_000, metricsMs: 20_000, clients: 100 },
      { atMs: 100_000, metricsMs: 40_000, clients: 100 },
    ];
    const quietSince = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) => {
      const end = samples.at(-1);
      return end === undefined
        ? samples
        : [...samples, ...Array.from({ length: 10 }, (_, step) => ({ ...end, atMs: 22_000 + step * 2_000 }))];
    });
    expect(
      verdict('reconnects', {
        state: readingsOf({ metricHistory: new Map([[clusterTotal, quietSince]]) }),
        history: { clientCounts: before },
      }),
    ).toBe('ok');
  });

  it('are unchecked while a counter reset is within the window', () => {
    const quiet = (at: number): MetricSample[] =>
      [...history({ 'packets.connect': 0 }).values()].flatMap((samples) =>
        samples.map((sample, index) => (index === at ? { ...sample, isAfterReset: true } : sample)),
      );
    const counts = [
      { atMs: 88_000, metricsMs: 10_000, clients: 100 },
      { atMs: 100_000, metricsMs: 20_000, clients: 100 },
    ];
    const scene = (samples: readonly MetricSample[]): Scene => ({
      state: readingsOf({ metricHistory: new Map([[clusterTotal, samples]]) }),
      history: { clientCounts: counts },
    });
    expect(unchecked('reconnects', scene(quiet(4)))).toEqual([{ code: 'counters-restarted', agoSeconds: 12 }]);
    expect(verdict('reconnects', scene(quiet(4)))).toBe('unchecked');
    const later = quiet(4).flatMap((sample, index, samples) =>
      index < samples.length - 1
        ? [sample]
        : [
            sample,
            ...Array.from({ length: 10 }, (_, step) => ({
              ...sample,
              isAfterReset: false,
              atMs: sample.atMs + (step + 1) * 2_000,
            })),
          ],
    );
    expect(
      verdict('reconnects', {
        ...scene(later),
        history: { clientCounts: counts.map((count) => ({ ...count, metricsMs: count.metricsMs + 20_000 })) },
      }),
    ).toBe('ok');
  });

  it('are unchecked without enough history', () => {
    expect(
      unchecked('reconnects', {
        history: {
          clientCounts: [
            { atMs: 80_000, metricsMs: 2_000, clients: 100 },
            { atMs: 100_000, metricsMs: 4_000, clients: 100 },
          ],
        },
      }),
    ).toEqual([{ code: 'history-short', of: 'metrics', minSeconds: 5 }]);
    expect(verdict('reconnects', { history: { clientCounts: [] } })).toBe('unchecked');
  });
});
