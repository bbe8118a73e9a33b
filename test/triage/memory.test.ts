import { describe, expect, it } from 'vitest';
import type { Client, Session } from '../../src/domain/client.ts';
import { emptyScan } from '../../src/monitor/scan/lists.ts';
import type { MonitorState, Watched } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { createTriageMemory } from '../../src/triage/memory.ts';
import { summarizeTriage } from '../../src/triage/standing.ts';
import { createTriage } from '../../src/triage/triage.ts';

const looking: readonly Watched[] = [{ kind: 'sessionScan' }];

const session = (patch: Partial<Session>): Session => ({
  clientId: 'x', cleanSession: false, createdAt: 1, node: 'a', maxInflight: 32, inflight: 0, queueLength: 0, dropped: 0, awaitingRel: 0,
  awaitingAck: undefined, awaitingComp: undefined, subscriptions: 1, delivered: 0, enqueued: 0, unparsed: {}, ...patch,
});

/** The state after a reading of the one session that ended at `atMs`. */
const read = (atMs: number, patch: Partial<Session>, watched = looking): MonitorState => ({
  ...initialState(2), watched,
  sessionScan: {
    ...emptyScan(), rows: [session(patch)], phase: 'complete', finishedAtMs: atMs,
    coverage: new Map([['a', { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs: atMs }]]),
  },
});

const slowOf = (state: MonitorState, nowMs: number, triage: ReturnType<typeof createTriage>) =>
  triage.update(state, nowMs).findings.filter(({ check }) => check === 'slow').map(({ severity, sinceMs, foundMs, seenMs }) => ({ severity, sinceMs, foundMs, seenMs }));

const stuck = { inflight: 32, queueLength: 900 };

describe('what Triage remembers', () => {
  it('is found by readings that others had made, and stays with its age when nobody looks any more', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 1_000, dropped: 0 }));
    triage.follow(read(20_000, { queueLength: 1_000, dropped: 50 }));
    const left = read(20_000, { queueLength: 1_000, dropped: 50 }, []);
    expect(slowOf(left, 200_000, triage)).toEqual([{ severity: 'error', sinceMs: undefined, foundMs: 200_000, seenMs: 20_000 }]);
    const report = triage.update(left, 200_000);
    expect(report.isAllClear).toBe(false);
    expect(summarizeTriage(report, 200_000).unread).toEqual(['alarms', 'plugins', 'settings']);
  });

  it('calls nobody absent who may have connected since the clients were read', () => {
    const triage = createTriage();
    const clientsRead = (atMs: number): Partial<MonitorState> => ({ clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs } });
    const wordsAt = (atMs: number, clientsMs: number): string | undefined => {
      const state = { ...read(atMs, stuck), ...clientsRead(clientsMs) };
      triage.follow(state);
      return triage.update(state, atMs).findings.find(({ check }) => check === 'slow')?.parts[0]?.text;
    };
    expect([wordsAt(20_000, 15_000), wordsAt(30_000, 15_000), wordsAt(30_000, 32_000), wordsAt(60_000, 32_000)])
      .toEqual([undefined, 'Slow consumer ', undefined, undefined]);
  });

  it('never judges counters of an offline client fine before they moved while it was offline', () => {
    const triage = createTriage();
    const clientsRead = (atMs: number): Partial<MonitorState> => ({ clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs } });
    const slowAt = (atMs: number, patch: Partial<Session>) => {
      const { sessionScan, ...rest } = read(atMs, patch);
      const state: MonitorState = { ...rest, sessionScan: { ...sessionScan, startedAtMs: atMs - 1_000 }, ...clientsRead(atMs - 5_000) };
      const result = triage.update(state, atMs).results.find(({ check }) => check === 'slow');
      return { found: result?.findings.map(({ parts }) => parts.map(({ text }) => text).join('')), doubts: result?.doubts.map((parts) => parts.map(({ text }) => text).join('')) };
    };
    slowAt(10_000, { queueLength: 400 });
    // It left between these two: what grew meanwhile is no rate of now.
    const frozen = { found: [], doubts: ['counters of 1 offline session are as of its disconnect: x'] };
    expect(slowAt(20_000, { queueLength: 500 })).toEqual(frozen);
    expect(slowAt(30_000, { queueLength: 500 })).toEqual(frozen);
    expect(slowAt(40_000, { queueLength: 500 })).toEqual(frozen);
    expect(triage.offline().get('x')).toMatchObject({ sinceMs: 15_000, isLive: false });
    // It was back for a moment: it was delivered what waited.
    expect(slowAt(50_000, { queueLength: 80, delivered: 500 })).toEqual(frozen);
    expect(slowAt(60_000, { queueLength: 90, delivered: 500 })).toEqual({ found: ['Queue of absent client x: 90 waiting, +1/s.'], doubts: [] });
    expect(slowAt(70_000, { queueLength: 90, delivered: 500 })).toEqual({ found: [], doubts: [] });
  });

  it('says what an offline client had lost when it left, and forgets it when it is back', () => {
    const triage = createTriage();
    const row: Client = { clientId: 'x', node: 'a', connectedAt: 1, ipAddress: undefined, port: undefined, username: undefined, cleanSession: false, protocolVersion: undefined, keepaliveSeconds: undefined, unparsed: {} };
    const wordsAt = (atMs: number, rows: readonly Client[]): readonly string[] => {
      const { sessionScan, ...rest } = read(atMs, { inflight: 32, queueLength: 900, dropped: 7 });
      const state: MonitorState = { ...rest, sessionScan: { ...sessionScan, startedAtMs: atMs - 1_000 }, clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: atMs - 5_000 } };
      return triage.update(state, atMs).findings.filter(({ check }) => check === 'slow').map(({ parts }) => parts.map(({ text }) => text).join(''));
    };
    wordsAt(10_000, []);
    expect(wordsAt(20_000, [])).toEqual(['Offline session x lost messages: 7 before brokertop first read it (as of its disconnect).']);
    expect(wordsAt(30_000, [row])).toEqual(['Slow consumer x: 900 waiting, inflight stuck at 32/32, lost 7 before brokertop first read it.']);
    expect(triage.offline().size).toBe(0);
  });

  it('calls no session offline that ends with its client', () => {
    const triage = createTriage();
    for (const atMs of [10_000, 20_000, 30_000]) triage.follow({ ...read(atMs, { cleanSession: true }), clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs - 5_000 } });
    expect(triage.offline().size).toBe(0);
  });

  it('is not fine while nobody knows which persistent sessions are offline', () => {
    const triage = createTriage();
    const doubtsAt = (atMs: number, cleanSession: boolean) =>
      triage.update(read(atMs, { cleanSession }), atMs).results.find(({ check }) => check === 'slow')?.doubts.map((parts) => parts.map(({ text }) => text).join(''));
    doubtsAt(10_000, false);
    expect(doubtsAt(20_000, false)).toEqual(['1 persistent session may be offline: clients not read']);
    expect(doubtsAt(30_000, true)).toEqual([]);
  });

  it('begins anew with a session that was created anew', () => {
    const triage = createTriage();
    for (const atMs of [10_000, 20_000, 30_000]) triage.follow(read(atMs, { ...stuck, dropped: atMs }));
    expect(slowOf(read(40_000, { ...stuck, dropped: 40_000 }), 40_000, triage)).toMatchObject([{ severity: 'error', foundMs: 10_000 }]);
    expect(slowOf(read(50_000, { ...stuck, createdAt: 45 }), 50_000, triage)).toEqual([]);
    expect(slowOf(read(60_000, { ...stuck, createdAt: 45 }), 60_000, triage)).toMatchObject([{ severity: 'warning', sinceMs: 50_000 }]);
  });

  it('is not judged by sessions that were read before their node began anew, and has them read soon', () => {
    const triage = createTriage();
    const anewAt = (atMs: number, state: MonitorState): MonitorState =>
      ({ ...state, metricHistory: new Map([['a', [{ atMs: 1_000, metrics: {} }, { atMs, metrics: {}, isAfterReset: true }, { atMs: atMs + 2_000, metrics: {} }]]]) });
    triage.follow(read(10_000, stuck));
    expect(slowOf(anewAt(15_000, read(20_000, stuck)), 20_000, triage)).toHaveLength(1);
    expect(triage.sessionReadings()).toBe(2);
    const gone = anewAt(25_000, read(20_000, stuck));
    expect(slowOf(gone, 28_000, triage)).toEqual([]);
    const result = triage.update(gone, 28_000).results.find(({ check }) => check === 'slow');
    expect(result?.doubts.map((parts) => parts.map(({ text }) => text).join(''))).toContain('the sessions were not read since a began anew');
    expect(triage.sessionReadings()).toBe(1);
    expect(slowOf(anewAt(25_000, read(30_000, stuck)), 30_000, triage)).toHaveLength(1);
    expect(triage.sessionReadings()).toBe(3);
  });

  it('says why sessions were not judged that were read, also when nobody looks any more', () => {
    const triage = createTriage();
    triage.follow(read(10_000, {}));
    triage.follow(read(20_000, {}));
    const { unread, doubts } = summarizeTriage(triage.update(read(20_000, {}, []), 30_000), 30_000);
    expect(unread).toEqual(['alarms', 'plugins', 'settings']);
    expect(doubts.map((parts) => parts.map(({ text }) => text).join(''))).toContain('1 persistent session may be offline: clients not read');
  });

  it('is not judged before anybody has looked', () => {
    const { unread, fine } = summarizeTriage(createTriage().update({ ...initialState(2), watched: [] }, 1_000), 1_000);
    expect(unread).toEqual(['sessions', 'alarms', 'plugins', 'settings']);
    expect(fine).not.toContain('slow');
  });

  it('is so since a moment when it was seen to begin, and at least so long otherwise', () => {
    const triage = createTriage();
    triage.follow(read(10_000, {}));
    triage.follow(read(20_000, stuck));
    expect(slowOf(read(30_000, stuck), 30_000, triage)).toMatchObject([{ sinceMs: 20_000 }]);
    triage.follow(read(30_000, stuck, []));
    expect(slowOf(read(900_000, stuck), 900_000, triage)).toMatchObject([{ sinceMs: undefined, foundMs: 20_000 }]);

    const late = createTriage();
    late.follow(read(20_000, stuck));
    expect(slowOf(read(30_000, stuck), 30_000, late)).toMatchObject([{ sinceMs: undefined, foundMs: 20_000 }]);
  });

  it('is an error for a while after a loss, as long as the queue has not emptied', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 1_000, dropped: 0 }));
    triage.follow(read(20_000, { queueLength: 1_000, dropped: 50 }));
    expect(slowOf(read(30_000, { queueLength: 990, dropped: 50 }), 30_000, triage)).toMatchObject([{ severity: 'error' }]);
    expect(slowOf(read(40_000, { queueLength: 0, dropped: 50 }), 40_000, triage)).toMatchObject([{ severity: 'warning' }]);
  });

  it('tells what was lost before the first reading from what was lost since, and begins anew with the session', () => {
    const triage = createTriage();
    const wordsOf = (state: MonitorState, atMs: number): string =>
      triage.update(state, atMs).findings.filter(({ check }) => check === 'slow').map(({ parts }) => parts.map(({ text }) => text).join('')).join();
    expect(wordsOf(read(10_000, { dropped: 200 }), 10_000)).toBe('Session x lost messages: 200 before brokertop first read it.');
    expect(wordsOf(read(20_000, { dropped: 200 }), 20_000)).toBe('Session x lost messages: 200 before brokertop first read it.');
    triage.follow(read(30_000, { dropped: 250 }));
    expect(wordsOf(read(40_000, { dropped: 250 }), 40_000)).toBe('Session x lost messages: 250 since it began.');
    expect(wordsOf(read(50_000, { dropped: 0, createdAt: 45 }), 50_000)).toBe('');
    triage.follow(read(60_000, { dropped: 7, createdAt: 45 }));
    expect(wordsOf(read(70_000, { dropped: 7, createdAt: 45 }), 70_000)).toBe('Session x lost messages: 7 since it began.');
  });

  it('begins anew once a finding is gone', () => {
    const triage = createTriage();
    const growing = (atMs: number, queueLength: number): MonitorState => read(atMs, { queueLength });
    triage.follow(growing(10_000, 100));
    expect(slowOf(growing(20_000, 200), 20_000, triage)).toMatchObject([{ foundMs: 20_000 }]);
    expect(slowOf(growing(30_000, 100), 30_000, triage)).toEqual([]);
    expect(slowOf(growing(40_000, 300), 40_000, triage)).toMatchObject([{ foundMs: 40_000 }]);
  });
});

describe('clients that connected anew', () => {
  const client = (clientId: string, connectedAt: number | undefined, node = 'a'): Client => ({
    clientId, node, connectedAt, ipAddress: undefined, port: undefined, username: undefined, cleanSession: undefined,
    protocolVersion: undefined, keepaliveSeconds: undefined, unparsed: {},
  });
  const after = (...readings: readonly (readonly Client[])[]): readonly string[] => {
    const memory = createTriageMemory();
    for (const [index, rows] of readings.entries()) {
      memory.update({ ...initialState(2), clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: 1_000 * (index + 1) } });
    }
    return memory.history().reconnected;
  };

  it('have another time of connection or another node than in the reading before; the last one noticed is first', () => {
    const [first, same] = [client('same', 1), client('same', 1)];
    expect(after([first, client('b', 1), client('c', 1)], [same, client('b', 2), client('c', 1, 'b')])).toEqual(['c', 'b']);
    expect(after([client('b', 1)], [client('b', 2)], [client('b', 2)])).toEqual(['b']);
  });

  it('are not those that are new, nor any of the first reading', () => {
    expect(after([client('b', 1)], [client('b', 1), client('n', 5)])).toEqual([]);
    expect(after([], [client('b', 1)])).toEqual([]);
  });

  it('are also those that a reading missed, or whose connection it did not know', () => {
    expect(after([client('a', 1), client('b', 1)], [client('a', 1)], [client('a', 1)], [client('a', 1), client('b', 2)])).toEqual(['b']);
    expect(after([client('b', 1)], [client('b', undefined)], [client('b', 2)])).toEqual(['b']);
    expect(after([client('a', 1), client('b', 1)], [client('a', 1)], [client('a', 1), client('b', 1)])).toEqual([]);
    expect(after([client('b', 1)], [client('b', undefined)], [client('b', 1)], [client('b', 1)])).toEqual([]);
  });
});
