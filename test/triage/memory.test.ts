import { describe, expect, it } from 'vitest';
import { slow } from '../../src/checks/slow/check.ts';
import { createTriage } from '../../src/checks/triage.ts';
import { problemParts } from '../../src/checks/words.ts';
import type { Client, Session } from '../../src/domain/client.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { reading, type Watchable } from '../../src/monitor/query/part.ts';
import { emptyScan, type MonitorState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { createHistory } from '../../src/resources/metrics/history.ts';
import { metricHistory } from '../../src/resources/metrics/resource.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { isProblem } from '../../src/triage/check.ts';
import { createTriageMemory } from '../../src/triage/memory.ts';
import { summarizeTriage, type Triage } from '../../src/triage/triage.ts';
import { triageView } from '../../src/triage/view.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { capabilitiesB } from '../screens/administration-fixtures.tsx';
import { idleSession } from '../support/records.ts';

const looking: readonly Watchable[] = [sessionScan];

/** The state after a scan of the only session that ended at `atMs`. */
const read = (atMs: number, patch: Partial<Session>, watched = looking): MonitorState =>
  patched(initialState(2), {
    watched,
    ...readingsOf({
      sessionScan: {
        ...emptyScan(),
        rows: [idleSession(patch)],
        phase: 'complete',
        finishedAtMs: atMs,
        coverage: new Map([['a', { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs: atMs }]]),
      },
    }),
  });

const slowOf = (state: MonitorState, nowMs: number, triage: ReturnType<typeof createTriage>) =>
  triage
    .update(state, nowMs)
    .findings.filter(({ check }) => check === 'slow')
    .map(({ severity, sinceMs, foundMs, seenMs }) => ({ severity, sinceMs, foundMs, seenMs }));

const stuck = { inflight: 32, queueLength: 900 };

/** Returns the sessions that are known to be offline. */
const memoryOf = (triage: Triage) => reading(triage.derive(initialState(2), 0), triageView).offline;

describe('triage history', () => {
  it('includes readings of other screens, and keeps findings with their age when no screen watches', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 1_000, dropped: 0 }));
    triage.follow(read(20_000, { queueLength: 1_000, dropped: 50 }));
    const left = read(20_000, { queueLength: 1_000, dropped: 50 }, []);
    expect(slowOf(left, 200_000, triage)).toEqual([
      { severity: 'critical', sinceMs: undefined, foundMs: 200_000, seenMs: 20_000 },
    ]);
    const report = triage.update(left, 200_000);
    expect(report.isAllClear).toBe(false);
    expect(summarizeTriage(report, 200_000).unread).toEqual(['clients', 'alarms', 'plugins', 'settings']);
  });

  it('does not report a client as offline that may have connected after the client scan', () => {
    const triage = createTriage();
    const clientsRead = (atMs: number): Partial<MonitorState> =>
      readingsOf({ clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs } });
    const codeAt = (atMs: number, clientsMs: number): readonly [string, number | undefined] | undefined => {
      const state = patched(read(atMs, stuck), clientsRead(clientsMs));
      triage.follow(state);
      const finding = triage.update(state, atMs).findings.find(({ check }) => check === 'slow');
      return finding && [finding.code, finding.seenMs];
    };
    expect([codeAt(20_000, 15_000), codeAt(30_000, 15_000), codeAt(30_000, 32_000), codeAt(60_000, 32_000)]).toEqual([
      undefined,
      ['slow-consumer', undefined],
      ['slow-consumer', 30_000],
      ['slow-consumer', 30_000],
    ]);
  });

  it('does not trust counters of an offline client before they change', () => {
    const triage = createTriage();
    const clientsRead = (atMs: number): Partial<MonitorState> =>
      readingsOf({ clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs } });
    const slowAt = (atMs: number, patch: Partial<Session>) => {
      const readAt = read(atMs, patch);
      const state: MonitorState = patched(
        readAt,
        readingsOf({ sessionScan: { ...reading(readAt, sessionScan), startedAtMs: atMs - 1_000 } }),
        clientsRead(atMs - 5_000),
      );
      const result = triage.update(state, atMs).results.find(({ check }) => check === 'slow');
      return { found: result?.findings.map(({ code, evidence }) => [code, evidence]), unchecked: result?.unchecked };
    };
    slowAt(10_000, { queueLength: 400 });
    // It disconnected in between: growth until then is not a current rate. A short absence is not worth a note.
    const frozen = { found: [], unchecked: [{ code: 'counters-frozen', clientIds: ['x'] }] };
    const silent = { found: [], unchecked: [] };
    expect(slowAt(20_000, { queueLength: 500 })).toEqual(silent);
    expect(slowAt(40_000, { queueLength: 500 })).toEqual(silent);
    expect(slowAt(50_000, { queueLength: 500 })).toEqual(frozen);
    expect(memoryOf(triage).get('x')).toMatchObject({ sinceMs: 15_000, isLive: false });
    // It reconnected for a moment and got what was queued.
    expect(slowAt(60_000, { queueLength: 80, delivered: 500 })).toEqual(frozen);
    // One jump tells nothing, nor do two of which it is not known how far they are apart.
    for (const [atMs, queueLength] of [
      [70_000, 90],
      [80_000, 100],
      [90_000, 110],
      [100_000, 120],
    ] as const)
      expect(slowAt(atMs, { queueLength, delivered: 500 })).toEqual(silent);
    expect(slowAt(110_000, { queueLength: 130, delivered: 500 })).toMatchObject({
      found: [['offline-queue', { clientId: 'x', queueLength: 130, queuePerSecond: 1, countersSeconds: undefined }]],
      unchecked: [],
    });
    // Nor does it when they stand still.
    expect(slowAt(200_000, { queueLength: 130, delivered: 500 })).toMatchObject({
      found: [['offline-queue', { queuePerSecond: 1, countersSeconds: 90 }]],
      unchecked: [{ code: 'counters-frozen', clientIds: ['x'] }],
    });
  });

  it('has rates of a broker that refreshes its counters every 15 s over whole refreshes only', () => {
    const triage = createTriage();
    const foundAt = (atMs: number, patch: Partial<Session>) => {
      const state = read(atMs, { isConnected: true, maxQueueLength: 1_000, queueLength: 1_000, ...patch });
      const result = triage
        .update({ ...state, capabilities: { ...capabilitiesB, sessionCountersSeconds: 15 } }, atMs)
        .results.find(({ check }) => check === 'slow');
      return [
        ...(result?.findings ?? []).map(({ code, severity, evidence }) => [
          code,
          severity,
          'droppedPerSecond' in evidence ? evidence.droppedPerSecond : undefined,
        ]),
        ...(result?.unchecked ?? []).map(({ code }) => code),
      ];
    };
    // It loses 40 a second from the 22nd second to the 70th; the counters are refreshed at 3, 18, 33, 48, 63, 78, ... s.
    const lost = (seconds: number): number => 40 * Math.min(48, Math.max(0, seconds - 22));
    const at = (seconds: number) =>
      foundAt(seconds * 1_000, {
        dropped: 500 + lost(15 * Math.floor((seconds - 3) / 15) + 3),
        delivered: 15 * Math.floor((seconds - 3) / 15),
      });
    expect(at(5)).toEqual([['queue-full', 'warning', undefined], 'sessions-uncompared']);
    expect(at(10)).toEqual([['queue-full', 'warning', undefined], 'counters-unrefreshed']);
    expect([at(15), at(20), at(25), at(30)].at(-1)).toEqual([['queue-full', 'warning', undefined]]);
    // The refresh within which the loss began covers only a part of it.
    expect([at(35), at(40), at(45)]).toEqual(
      Array.from({ length: 3 }, () => [['slow-consumer', 'critical', undefined]]),
    );
    expect([at(50), at(55), at(60), at(65), at(70), at(75)]).toEqual(
      Array.from({ length: 6 }, () => [['slow-consumer', 'critical', 40]]),
    );
    // 7 of the last 15 s.
    expect(at(80)).toEqual([['slow-consumer', 'critical', expect.closeTo(18.7, 1)]]);
    for (const seconds of [85, 90]) at(seconds);
    expect(at(95)).toEqual([['queue-full', 'warning', undefined]]);
  });

  it('knows how often each client reconnects', () => {
    const memory = createTriageMemory();
    const clientsAt = (seconds: number, connectedAt: number): MonitorState =>
      patched(
        initialState(2),
        readingsOf({
          clientScan: {
            ...emptyScan(),
            phase: 'complete',
            finishedAtMs: seconds * 1_000,
            rows: ['again', 'calm'].map((clientId): Client => ({
              clientId,
              node: 'a',
              connectedAt: clientId === 'again' ? connectedAt : 1,
              ipAddress: undefined,
              port: undefined,
              username: undefined,
              cleanSession: false,
              protocolVersion: undefined,
              keepaliveSeconds: undefined,
              unparsed: {},
            })),
          },
        }),
      );
    for (const seconds of [3, 6, 9, 12]) memory.update(clientsAt(seconds, seconds));
    expect([...(memory.history().reconnects ?? [])]).toEqual([['again', 3]]);
    // It reconnects in step with the readings, and is in none of them for a while.
    memory.update(clientsAt(90, 12));
    expect([...(memory.history().reconnects ?? [])]).toEqual([['again', 3]]);
    memory.update(clientsAt(193, 12));
    expect([...(memory.history().reconnects ?? [])]).toEqual([]);
  });

  it('takes a full inflight window for a slow client once the counters are refreshed', () => {
    const triage = createTriage();
    const foundAt = (seconds: number, queueLength: number) =>
      triage
        .update(
          {
            ...read(seconds * 1_000, { isConnected: true, inflight: 32, queueLength }),
            capabilities: { ...capabilitiesB, sessionCountersSeconds: 15 },
          },
          seconds * 1_000,
        )
        .findings.filter(({ check }) => check === 'slow')
        .map(({ code }) => code);
    expect([foundAt(1, 400), foundAt(6, 400), foundAt(11, 520)]).toEqual([[], [], ['slow-consumer']]);
  });

  it('does not count what was queued for an absent client once it is back', () => {
    const triage = createTriage();
    const client: Client = {
      clientId: 'x',
      node: 'a',
      connectedAt: 1,
      ipAddress: undefined,
      port: undefined,
      username: undefined,
      cleanSession: false,
      protocolVersion: undefined,
      keepaliveSeconds: undefined,
      unparsed: {},
    };
    const stateAt = (atMs: number, queueLength: number, clientsMs: number, rows: readonly Client[]): MonitorState =>
      patched(
        read(atMs, { queueLength }),
        readingsOf({
          sessionScan: { ...reading(read(atMs, { queueLength }), sessionScan), startedAtMs: atMs - 1_000 },
          clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: clientsMs },
        }),
      );
    for (const [atMs, queueLength] of [
      [10_000, 100],
      [50_000, 120],
      [60_000, 140],
    ] as const)
      triage.follow(stateAt(atMs, queueLength, atMs - 5_000, []));
    for (const seconds of [70, 80, 90, 100])
      triage.follow(stateAt(seconds * 1_000, 20 + 2 * seconds, seconds * 1_000 - 5_000, []));
    expect(triage.update(stateAt(110_000, 240, 105_000, []), 110_000).findings).toMatchObject([
      { code: 'offline-queue' },
    ]);
    expect(slowOf(stateAt(110_000, 240, 115_000, [client]), 115_000, triage)).toEqual([]);
  });

  it('knows the losses of an offline client until it reconnects', () => {
    const triage = createTriage();
    const row: Client = {
      clientId: 'x',
      node: 'a',
      connectedAt: 1,
      ipAddress: undefined,
      port: undefined,
      username: undefined,
      cleanSession: false,
      protocolVersion: undefined,
      keepaliveSeconds: undefined,
      unparsed: {},
    };
    const foundAt = (atMs: number, rows: readonly Client[]) => {
      const readAt = read(atMs, { inflight: 32, queueLength: 900, dropped: 7 });
      const state: MonitorState = patched(
        readAt,
        readingsOf({
          sessionScan: { ...reading(readAt, sessionScan), startedAtMs: atMs - 1_000 },
          clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: atMs - 5_000 },
        }),
      );
      return triage
        .update(state, atMs)
        .findings.filter(({ check }) => check === 'slow')
        .map(({ code, evidence }) => [code, evidence]);
    };
    foundAt(10_000, []);
    expect(foundAt(20_000, [])).toMatchObject([
      ['messages-lost', { clientId: 'x', dropped: 7, isLossOld: true, isAsOfDisconnect: true }],
    ]);
    expect(foundAt(30_000, [row])).toMatchObject([
      ['slow-consumer', { queueLength: 900, isWindowFull: true, dropped: 7, isLossOld: true, isAsOfDisconnect: false }],
    ]);
    expect(memoryOf(triage).size).toBe(0);
  });

  it('does not include clean sessions in the offline ones', () => {
    const triage = createTriage();
    for (const atMs of [10_000, 20_000, 30_000])
      triage.follow(
        patched(
          read(atMs, { cleanSession: true }),
          readingsOf({ clientScan: { ...emptyScan(), phase: 'complete', finishedAtMs: atMs - 5_000 } }),
        ),
      );
    expect(memoryOf(triage).size).toBe(0);
  });

  it('leaves persistent sessions unchecked without a client scan', () => {
    const triage = createTriage();
    const uncheckedAt = (atMs: number, cleanSession: boolean) =>
      triage.update(read(atMs, { cleanSession }), atMs).results.find(({ check }) => check === 'slow')?.unchecked;
    uncheckedAt(10_000, false);
    expect(uncheckedAt(20_000, false)).toEqual([{ code: 'clients-unread', sessions: 1 }]);
    expect(uncheckedAt(30_000, true)).toEqual([]);
  });

  it('restarts with a recreated session', () => {
    const triage = createTriage();
    for (const atMs of [10_000, 20_000, 30_000]) triage.follow(read(atMs, { ...stuck, dropped: atMs }));
    expect(slowOf(read(40_000, { ...stuck, dropped: 40_000 }), 40_000, triage)).toMatchObject([
      { severity: 'critical', foundMs: 10_000 },
    ]);
    // One reading of it has no rates, and so proves nothing.
    expect(slowOf(read(50_000, { ...stuck, createdAt: 45 }), 50_000, triage)).toMatchObject([{ seenMs: 40_000 }]);
    expect(slowOf(read(60_000, { ...stuck, createdAt: 45 }), 60_000, triage)).toMatchObject([
      { severity: 'warning', sinceMs: undefined, foundMs: 10_000 },
    ]);
  });

  it('ignores sessions read before their node restarted, and has them read again soon', () => {
    const triage = createTriage();
    const anewAt = (atMs: number, state: MonitorState): MonitorState =>
      patched(
        state,
        readingsOf({
          metricHistory: new Map([
            [
              'a',
              [
                { atMs: 1_000, metrics: {} },
                { atMs, metrics: {}, isAfterReset: true, isAfterRestart: true },
                { atMs: atMs + 2_000, metrics: {} },
              ],
            ],
          ]),
        }),
      );
    triage.follow(read(10_000, stuck));
    expect(slowOf(anewAt(15_000, read(20_000, stuck)), 20_000, triage)).toHaveLength(1);
    expect(triage.sessionReadings()).toBe(2);
    const gone = anewAt(25_000, read(20_000, stuck));
    expect(slowOf(gone, 28_000, triage)).toMatchObject([{ seenMs: 20_000 }]);
    const result = triage.update(gone, 28_000).results.find(({ check }) => check === 'slow');
    expect(result?.unchecked).toContainEqual({ code: 'sessions-outdated', nodes: ['a'] });
    expect(triage.sessionReadings()).toBe(1);
    expect(slowOf(anewAt(25_000, read(30_000, stuck)), 30_000, triage)).toHaveLength(1);
    expect(triage.sessionReadings()).toBe(3);
  });

  describe('after a gap in the readings', () => {
    const evidenceAt = (triage: ReturnType<typeof createTriage>, state: MonitorState, atMs: number) =>
      triage
        .update(state, atMs)
        .findings.filter(({ check, seenMs }) => check === 'slow' && seenMs === undefined)
        .map(({ code, foundMs, sinceMs, evidence }) => ({
          code,
          foundMs,
          sinceMs,
          ...(evidence as { isWindowFull: boolean; idleSeconds?: number; acknowledgedPerSecond?: number }),
        }));
    const afterGap = (state: MonitorState): MonitorState =>
      patched(
        state,
        readingsOf({
          sessionScan: {
            ...reading(state, sessionScan),
            coverage: new Map(
              [...reading(state, sessionScan).coverage].map(([node, coverage]) => [
                node,
                { ...coverage, isAfterGap: true as const },
              ]),
            ),
          },
        }),
      );

    it('measures anew: a client that stood still in the gap is not hung, nor known to be slow since before', () => {
      const triage = createTriage();
      triage.follow(read(10_000, { ...stuck, delivered: 550 }));
      triage.follow(read(20_000, { ...stuck, delivered: 1_100 }));
      expect(evidenceAt(triage, read(30_000, { ...stuck, delivered: 1_650 }), 30_000)).toMatchObject([
        { acknowledgedPerSecond: 55, idleSeconds: undefined },
      ]);
      expect(evidenceAt(triage, afterGap(read(90_000, { ...stuck, delivered: 1_650 })), 90_000)).toEqual([]);
      triage.follow(read(100_000, { ...stuck, delivered: 1_650 }));
      expect(evidenceAt(triage, read(100_000, { ...stuck, delivered: 1_650 }), 100_000)).toMatchObject([
        { isWindowFull: true, acknowledgedPerSecond: 0, idleSeconds: 10 },
      ]);
    });

    it('neither ends the losses before it nor calls them older than the monitoring', () => {
      const triage = createTriage();
      const at = (atMs: number, dropped: number): MonitorState =>
        read(atMs, { inflight: 32, queueLength: 1_000, dropped });
      for (const atMs of [10_000, 20_000, 30_000]) triage.follow(at(atMs, atMs / 100));
      expect(slowOf(at(30_000, 300), 30_000, triage)).toMatchObject([{ severity: 'critical', seenMs: undefined }]);
      const gap = afterGap(read(90_000, { inflight: 0, queueLength: 400, dropped: 600 }));
      expect(slowOf(gap, 90_000, triage)).toMatchObject([{ severity: 'critical', seenMs: 30_000 }]);
      expect(triage.update(gap, 90_000).results.find(({ check }) => check === 'slow')?.unchecked).toContainEqual({
        code: 'sessions-uncompared',
        readings: 1,
      });
      const over = triage
        .update(read(100_000, { inflight: 0, queueLength: 0, dropped: 600 }), 100_000)
        .findings.filter(({ check }) => check === 'slow');
      expect(over).toMatchObject([
        { code: 'messages-lost', severity: 'warning', evidence: { dropped: 600, isLossOld: false } },
      ]);
    });

    it('has a client stand still since its own node was read before, not since all of them were', () => {
      const triage = createTriage();
      triage.follow(read(10_000, { ...stuck, delivered: 550 }));
      triage.follow(read(20_000, { ...stuck, delivered: 1_100 }));
      const partial = read(70_000, { ...stuck, delivered: 1_650 });
      triage.follow(
        patched(partial, readingsOf({ sessionScan: { ...reading(partial, sessionScan), phase: 'partial' } })),
      );
      expect(evidenceAt(triage, read(80_000, { ...stuck, delivered: 1_650 }), 80_000)).toMatchObject([
        { acknowledgedPerSecond: 0, idleSeconds: 10 },
      ]);
    });
  });

  describe('after a client has reconnected', () => {
    /**
     * Readings every 5 s of a session whose counters the broker refreshes every 20 s, and of its client, which reconnects at the times
     * `reconnects`; what was read and how bad it is, by time.
     */
    const storyOf = (
      reconnects: readonly number[],
      countersAt: (seconds: number) => Partial<Session>,
      endSeconds: number,
      isAway: (seconds: number) => boolean = () => false,
    ): {
      readonly lines: readonly string[];
      readonly changes: readonly string[];
      readonly titles: readonly string[];
    } => {
      const triage = createTriage();
      const capabilities = { ...capabilitiesB, sessionCountersSeconds: 20, sessionCountersVary: true };
      const lines: string[] = [];
      const changes: string[] = [];
      const titles: string[] = [];
      for (let seconds = 1; seconds <= endSeconds; seconds += 5) {
        const counters = { maxQueueLength: 1_000, ...countersAt(Math.floor(seconds / 20) * 20) };
        const connectedAt = 1 + reconnects.filter((atSeconds) => atSeconds < seconds).length;
        const sessionsRead = { ...read(seconds * 1_000, counters), capabilities };
        const state: MonitorState = patched(
          sessionsRead,
          readingsOf({
            clientScan: {
              ...emptyScan(),
              rows: isAway(seconds) ? [] : [{ clientId: 'x', node: 'a', connectedAt } as Client],
              phase: 'complete',
              finishedAtMs: seconds * 1_000 - 4_000,
            },
          }),
        );
        const problem = triage.update(state, seconds * 1_000).problems.find(({ check }) => check === 'slow');
        const isUnknown = problem?.seenMs === undefined ? '' : '?';
        lines.push(problem === undefined ? '-' : `${problem.severity}${isUnknown}`);
        titles.push(problem === undefined ? '-' : plainText(problemParts(problem).title));
        changes.push(...triage.takeChanges().map(({ kind }) => `${kind} ${seconds}`));
      }
      return { lines, changes, titles };
    };

    it('what it lost before does not show as a loss since', () => {
      // It loses 25 msg/s until it is disconnected at 70 s, then drains its queue.
      const { lines, changes } = storyOf(
        [70],
        (seconds) => ({
          inflight: seconds > 70 ? 3 : 32,
          queueLength: seconds > 70 ? 1_000 - (seconds - 70) : 1_000,
          dropped: 25 * Math.min(seconds, 70),
          delivered: seconds > 70 ? 40 + 5 * seconds : 40,
        }),
        150,
      );
      expect(new Set(lines.slice(0, 14))).toEqual(new Set(['critical']));
      expect(lines.slice(14)).toEqual([
        ...Array.from({ length: 6 }, () => 'critical?'),
        ...Array.from({ length: 10 }, () => 'warning'),
      ]);
      expect(changes).toEqual(['began 1', 'eased 101']);
    });

    it('what was queued while it was away does not make it slow, although its session is read first', () => {
      const triage = createTriage();
      const problemsAt = (seconds: number, patch: Partial<Session>, clientsReadAt: number): readonly string[] =>
        triage
          .update(
            patched(
              read(seconds * 1_000, { maxQueueLength: 1_000, inflight: 0, dropped: 0, ...patch }),
              readingsOf({
                clientScan: {
                  ...emptyScan(),
                  rows: clientsReadAt < 20 ? [{ clientId: 'x', node: 'a', connectedAt: 1 } as Client] : [],
                  phase: 'complete',
                  finishedAtMs: clientsReadAt * 1_000,
                },
              }),
            ),
            seconds * 1_000,
          )
          .problems.filter(({ check }) => check === 'slow')
          .map((problem) => plainText(problemParts(problem).title));
      expect(problemsAt(10, { isConnected: true, queueLength: 0 }, 9)).toEqual([]);
      expect(problemsAt(25, { isConnected: false, queueLength: 20 }, 24)).toEqual([]);
      expect(problemsAt(40, { isConnected: false, queueLength: 40 }, 39)).toEqual([]);
      expect(problemsAt(55, { isConnected: true, queueLength: 50 }, 39)).toEqual([]);
    });

    it('one that was seen to be away is no longer offline', () => {
      const { lines, changes, titles } = storyOf(
        [70],
        (seconds) => ({ inflight: 32, queueLength: 900, dropped: 25 * Math.min(seconds, 60), delivered: 40 }),
        91,
        (seconds) => seconds === 71,
      );
      expect(titles.slice(13)).toEqual([
        'x is losing about 25 msg/s',
        'x (offline) lost 1,500 messages',
        ...Array.from({ length: 4 }, () => 'x lost 1,500 messages'),
      ]);
      expect(lines.slice(14)).toEqual(Array.from({ length: 5 }, () => 'warning'));
      expect(changes).toEqual(['began 21', 'eased 71']);
    });

    it('that it still loses messages shows as soon as a step of its counters does', () => {
      const { lines, changes } = storyOf(
        [70],
        (seconds) => ({ inflight: 3, queueLength: 1_000, dropped: 25 * seconds, delivered: 40 + 5 * seconds }),
        150,
      );
      expect(lines.slice(14, 20)).toEqual(Array.from({ length: 6 }, () => 'critical?'));
      expect(new Set(lines.slice(20))).toEqual(new Set(['critical']));
      expect(changes).toEqual(['began 1', 'worsened 21']);
    });

    it('losses of one that reconnects more often than its counters are refreshed are found, and do not end', () => {
      const { lines, changes } = storyOf(
        Array.from({ length: 100 }, (_, index) => 8 + 6 * index),
        (seconds) => ({ inflight: 3, queueLength: 1_000, dropped: 25 * seconds, delivered: 40 + 5 * seconds }),
        600,
      );
      expect(new Set(lines.slice(20))).toEqual(new Set(['critical']));
      expect(changes).toEqual(['began 1', 'worsened 41']);
    });
  });

  it('takes no gap in the rates for a restart', () => {
    const triage = createTriage();
    triage.follow(read(10_000, stuck));
    triage.follow(read(20_000, stuck));
    const history = createHistory();
    const sent = (count: number) => ({ kind: 'by-node', nodes: new Map([['a', { 'messages.sent': count }]]) }) as const;
    history.recordCluster(sent(100), 19_000);
    // As after an outage of the API, another address or a jump of the clock.
    history.breakAll();
    const gap = patched(read(20_000, stuck), readingsOf({ metricHistory: history.recordCluster(sent(200), 52_000) }));
    expect(reading(gap, metricHistory).get('a')?.at(-1)?.isAfterReset).toBe(true);
    expect(slowOf(gap, 53_000, triage)).toMatchObject([{ seenMs: undefined }]);
    expect(triage.update(gap, 53_000).results.find(({ check }) => check === 'slow')?.unchecked).not.toContainEqual({
      code: 'sessions-outdated',
      nodes: ['a'],
    });
    // Its counters say so, also after a gap.
    history.breakAll();
    const restarted = patched(gap, readingsOf({ metricHistory: history.recordCluster(sent(5), 60_000) }));
    expect(triage.update(restarted, 61_000).results.find(({ check }) => check === 'slow')?.unchecked).toContainEqual({
      code: 'sessions-outdated',
      nodes: ['a'],
    });
  });

  it('has a reason for unchecked sessions, even if no screen watches them', () => {
    const triage = createTriage();
    triage.follow(read(10_000, {}));
    triage.follow(read(20_000, {}));
    const { unread, unchecked } = summarizeTriage(triage.update(read(20_000, {}, []), 30_000), 30_000);
    expect(unread).toEqual(['clients', 'alarms', 'plugins', 'settings']);
    expect(unchecked).toContainEqual({ code: 'clients-unread', sessions: 1 });
  });

  it('has unread lists before any screen watches them', () => {
    const { unread, ok } = summarizeTriage(createTriage().update({ ...initialState(2), watched: [] }, 1_000), 1_000);
    expect(unread).toEqual(['clients', 'sessions', 'alarms', 'plugins', 'settings']);
    expect(ok).not.toContain('slow');
  });

  it('has a start time if the start was seen, otherwise the time of the first finding, and keeps it', () => {
    const triage = createTriage();
    triage.follow(read(10_000, {}));
    triage.follow(read(20_000, stuck));
    expect(slowOf(read(30_000, stuck), 30_000, triage)).toMatchObject([{ sinceMs: 20_000 }]);
    triage.follow(read(30_000, stuck, []));
    expect(slowOf(read(900_000, stuck), 900_000, triage)).toMatchObject([{ sinceMs: 20_000, foundMs: undefined }]);

    const late = createTriage();
    late.follow(read(20_000, stuck));
    expect(slowOf(read(30_000, stuck), 30_000, late)).toMatchObject([{ sinceMs: undefined, foundMs: 20_000 }]);
  });

  it('says how long a consumer with a full inflight window has acknowledged nothing', () => {
    const triage = createTriage();
    const idleAt = (atMs: number, delivered: number): number | undefined => {
      const finding = triage
        .update(read(atMs, { ...stuck, delivered }), atMs)
        .findings.find(({ check }) => check === 'slow');
      return finding !== undefined && isProblem(finding, slow, 'slow-consumer')
        ? finding.evidence.idleSeconds
        : undefined;
    };
    expect([idleAt(10_000, 100), idleAt(20_000, 100), idleAt(30_000, 100)]).toEqual([undefined, 10, 20]);
    expect([idleAt(40_000, 130), idleAt(50_000, 130)]).toEqual([undefined, 10]);
  });

  it('stays critical for a while after a loss, until the queue is empty', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 1_000, dropped: 0 }));
    triage.follow(read(20_000, { queueLength: 1_000, dropped: 50 }));
    expect(slowOf(read(30_000, { queueLength: 990, dropped: 50 }), 30_000, triage)).toMatchObject([
      { severity: 'critical' },
    ]);
    expect(slowOf(read(40_000, { queueLength: 0, dropped: 50 }), 40_000, triage)).toMatchObject([
      { severity: 'warning' },
    ]);
  });

  it('counts what a queue took before it was full as lost from then on', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 800, dropped: 0 }));
    const lossAt = (atMs: number, patch: Parameters<typeof read>[1]): unknown =>
      triage
        .update(read(atMs, patch), atMs)
        .findings.map(({ evidence }) => 'droppedPerSecond' in evidence && evidence.droppedPerSecond);
    // 25/s more came than went: 200 fit into the queue.
    expect(lossAt(20_000, { queueLength: 1_000, dropped: 50 })).toEqual([25]);
    expect(lossAt(30_000, { queueLength: 1_000, dropped: 300 })).toEqual([25]);
  });

  it('does not stay critical once the queue empties', () => {
    const triage = createTriage();
    triage.follow(read(10_000, { queueLength: 1_000, dropped: 0 }));
    triage.follow(read(20_000, { queueLength: 1_000, dropped: 50 }));
    expect(slowOf(read(30_000, { queueLength: 700, dropped: 50 }), 30_000, triage)).toMatchObject([
      { severity: 'warning' },
    ]);
  });

  it('distinguishes losses before and after the first reading, per session', () => {
    const triage = createTriage();
    const foundIn = (state: MonitorState, atMs: number) =>
      triage
        .update(state, atMs)
        .findings.filter(({ check }) => check === 'slow')
        .map(({ code, evidence }) => [code, evidence]);
    expect(foundIn(read(10_000, { dropped: 200 }), 10_000)).toMatchObject([
      ['messages-lost', { dropped: 200, isLossOld: true }],
    ]);
    expect(foundIn(read(20_000, { dropped: 200 }), 20_000)).toMatchObject([
      ['messages-lost', { dropped: 200, isLossOld: true }],
    ]);
    triage.follow(read(30_000, { dropped: 250 }));
    expect(foundIn(read(40_000, { dropped: 250 }), 40_000)).toMatchObject([
      ['messages-lost', { dropped: 250, isLossOld: false }],
    ]);
    expect(foundIn(read(50_000, { dropped: 0, createdAt: 45 }), 50_000)).toMatchObject([
      ['messages-lost', { dropped: 250 }],
    ]);
    triage.follow(read(60_000, { dropped: 7, createdAt: 45 }));
    expect(foundIn(read(70_000, { dropped: 7, createdAt: 45 }), 70_000)).toMatchObject([
      ['messages-lost', { dropped: 7, isLossOld: false }],
    ]);
  });

  it('says when messages were lost that were lost while it watched, also once the session has moved', () => {
    const triage = createTriage();
    const day = new Date(2026, 10, 28, 8, 55).getTime();
    const movedTo = (node: string, atMs: number, patch: Partial<Session>): MonitorState => {
      const state = read(atMs, { node, ...patch });
      const nodeRead = { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs: atMs };
      const coverage = new Map([
        ['a', nodeRead],
        ['b', nodeRead],
      ]);
      return patched(state, readingsOf({ sessionScan: { ...reading(state, sessionScan), coverage } }));
    };
    const factsAt = (seconds: number, node: string, patch: Partial<Session>): readonly string[] => {
      const atMs = day + seconds * 1_000;
      return triage
        .update(movedTo(node, atMs, patch), atMs)
        .findings.filter(({ code }) => code === 'messages-lost')
        .flatMap((finding) => [problemParts(finding).title, ...problemParts(finding).facts])
        .map(plainText);
    };
    factsAt(0, 'a', { dropped: 0 });
    factsAt(10, 'a', { queueLength: 1_000, dropped: 50 });
    factsAt(20, 'a', { queueLength: 1_000, dropped: 100 });
    factsAt(30, 'b', { dropped: 130 });
    const within = ['x lost 130 messages', 'between 28 Nov 08:55:00 and 08:55:30'];
    expect(factsAt(40, 'b', { dropped: 130 })).toEqual(within);
    expect(factsAt(50, 'b', { dropped: 130 })).toEqual(within);
    // It began again, and lost messages before it was read.
    factsAt(60, 'b', { dropped: 7, createdAt: 45 });
    expect(factsAt(70, 'b', { dropped: 7, createdAt: 45 })).toEqual([
      'x lost 7 messages',
      'counted since its session began',
    ]);
    const late = createTriage();
    late.follow(movedTo('a', day, { dropped: 9 }));
    expect(
      late
        .update(movedTo('a', day + 10_000, { dropped: 9 }), day + 10_000)
        .findings.map((finding) => problemParts(finding).facts.map(plainText)),
    ).toEqual([['counted before monitoring started']]);
  });

  it('does not lose messages any more while counters stand still for longer than the broker refreshes them', () => {
    const triage = createTriage();
    const offlineAt = (seconds: number, dropped: number): readonly string[] => {
      const atMs = seconds * 1_000;
      const state = {
        ...read(atMs, { isConnected: false, queueLength: 1_000, maxQueueLength: 1_000, dropped }),
        capabilities: { ...capabilitiesB, sessionCountersSeconds: 15 },
      };
      return triage
        .update(state, atMs)
        .findings.filter(({ check }) => check === 'slow')
        .map((finding) => `${finding.severity} ${plainText(problemParts(finding).title)}`);
    };
    offlineAt(5, 0);
    offlineAt(20, 165);
    offlineAt(35, 330);
    offlineAt(50, 495);
    const losing = ['critical x is offline, is losing 11 msg/s'];
    const full = ['warning x is offline, queue full'];
    expect([offlineAt(65, 660), offlineAt(79, 660), offlineAt(88, 660), offlineAt(100, 660)]).toEqual([
      losing,
      losing,
      full,
      full,
    ]);
    // It loses messages again.
    offlineAt(115, 700);
    expect(offlineAt(130, 865)).toEqual(losing);
  });

  it('averages the growth of a queue that grows unevenly', () => {
    const triage = createTriage();
    const lengths = [100, 200, 210, 310, 320, 420, 430];
    const growths = lengths.map((queueLength, index) => {
      const state = read(10_000 * (index + 1), { queueLength });
      return triage
        .update(state, 10_000 * (index + 1))
        .findings.map((finding) =>
          isProblem(finding, slow, 'slow-consumer') ? finding.evidence.queuePerSecond : undefined,
        )
        .at(0);
    });
    const known = growths.filter((growth) => growth !== undefined).slice(-4);
    expect(known).toHaveLength(4);
    // Between the readings it is 10 and 1 messages/s in turn.
    expect(Math.max(...known) / Math.min(...known)).toBeLessThan(2.2);
  });

  it('restarts once a finding is gone', () => {
    const triage = createTriage();
    const growing = (atMs: number, queueLength: number): MonitorState => read(atMs, { queueLength });
    triage.follow(growing(10_000, 100));
    triage.follow(growing(20_000, 120));
    expect(slowOf(growing(30_000, 140), 30_000, triage)).toMatchObject([{ foundMs: 30_000 }]);
    expect(slowOf(growing(40_000, 100), 40_000, triage)).toEqual([]);
    expect(slowOf(growing(50_000, 120), 50_000, triage)).toEqual([]);
    expect(slowOf(growing(60_000, 140), 60_000, triage)).toMatchObject([{ foundMs: 60_000 }]);
  });
});

describe('reconnected clients', () => {
  const client = (clientId: string, connectedAt: number | undefined, node = 'a'): Client => ({
    clientId,
    node,
    connectedAt,
    ipAddress: undefined,
    port: undefined,
    username: undefined,
    cleanSession: undefined,
    protocolVersion: undefined,
    keepaliveSeconds: undefined,
    unparsed: {},
  });
  const after = (...readings: readonly (readonly Client[])[]): readonly string[] => {
    const memory = createTriageMemory();
    for (const [index, rows] of readings.entries()) {
      memory.update(
        patched(
          initialState(2),
          readingsOf({ clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: 1_000 * (index + 1) } }),
        ),
      );
    }
    return memory.history().reconnected;
  };

  it('have another connection time or node than before; the latest first', () => {
    const [first, same] = [client('same', 1), client('same', 1)];
    expect(after([first, client('b', 1), client('c', 1)], [same, client('b', 2), client('c', 1, 'b')])).toEqual([
      'c',
      'b',
    ]);
    expect(after([client('b', 1)], [client('b', 2)], [client('b', 2)])).toEqual(['b']);
  });

  it('are known by their last row, also while they are away', () => {
    const memory = createTriageMemory();
    for (const [index, rows] of [
      [client('a', 1), client('b', 1)],
      [client('a', 1), client('b', 2, 'c')],
      [client('a', 1)],
    ].entries()) {
      memory.update(
        patched(
          initialState(2),
          readingsOf({ clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs: 1_000 * (index + 1) } }),
        ),
      );
    }
    expect([...memory.reconnectedRows()]).toEqual([['b', client('b', 2, 'c')]]);
  });

  it('from another address have moved, also after an absence; from another port of the same they have not', () => {
    const memory = createTriageMemory();
    const at = (connectedAt: number, ipAddress: string | undefined, port: number): Client => ({
      ...client('x', connectedAt),
      ipAddress,
      port,
    });
    const readings = [
      [at(1, '10.0.0.1', 5)],
      [at(2, '10.0.0.1', 6)],
      [at(3, '10.0.0.2', 7)],
      [],
      [at(4, '10.0.0.1', 8)],
      [at(5, undefined, 9)],
      [at(6, '10.0.0.1', 9)],
    ];
    const noteAt = (finishedAtMs: number, rows: readonly Client[]) =>
      memory.update(
        patched(initialState(2), readingsOf({ clientScan: { ...emptyScan(), rows, phase: 'complete', finishedAtMs } })),
      );
    for (const [index, rows] of readings.entries()) noteAt(1_000 * (index + 1), rows);
    expect([...memory.history().addressMoves]).toEqual([
      [
        'x',
        [
          { atMs: 3_000, from: '10.0.0.1', to: '10.0.0.2' },
          { atMs: 5_000, from: '10.0.0.2', to: '10.0.0.1' },
        ],
      ],
    ]);
    noteAt(304_000, readings[6] ?? []);
    expect(
      memory
        .history()
        .addressMoves.get('x')
        ?.map(({ atMs }) => atMs),
    ).toEqual([5_000]);
    noteAt(306_000, readings[6] ?? []);
    expect(memory.history().addressMoves.size).toBe(0);
  });

  it('are not new clients, nor those of the first reading', () => {
    expect(after([client('b', 1)], [client('b', 1), client('n', 5)])).toEqual([]);
    expect(after([], [client('b', 1)])).toEqual([]);
  });

  it('include those that were missing, or had no connection time, in between', () => {
    expect(
      after([client('a', 1), client('b', 1)], [client('a', 1)], [client('a', 1)], [client('a', 1), client('b', 2)]),
    ).toEqual(['b']);
    expect(after([client('b', 1)], [client('b', undefined)], [client('b', 2)])).toEqual(['b']);
    expect(after([client('a', 1), client('b', 1)], [client('a', 1)], [client('a', 1), client('b', 1)])).toEqual([]);
    expect(after([client('b', 1)], [client('b', undefined)], [client('b', 1)], [client('b', 1)])).toEqual([]);
  });
});
