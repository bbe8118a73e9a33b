import type { Client } from '../../../src/domain/client.ts';
import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../src/domain/administration.ts';
import type { Session } from '../../../src/domain/client.ts';
import type { ByNode } from '../../../src/domain/node.ts';
import { emptyResource, emptyScan, type MonitorState } from '../../../src/monitor/state.ts';
import { type SessionRates, type SessionRow, unknownRates } from '../../../src/resources/sessions/history.ts';
import { sessionScan } from '../../../src/resources/sessions/resource.ts';
import { sessionTrouble } from '../../../src/resources/sessions/trouble.ts';
import { patched, readingsOf } from '../../support/readings.ts';
import { nowMs, unusable, type Scene, resultOf, found, unchecked, verdict, session, slow } from '../scene.ts';

const connected = (clientId: string): Client => ({
  clientId,
  node: 'a',
  connectedAt: 1,
  ipAddress: undefined,
  port: undefined,
  username: undefined,
  cleanSession: undefined,
  protocolVersion: undefined,
  keepaliveSeconds: undefined,
  unparsed: {},
});

describe('slow consumers', () => {
  it('rank by loss, time to a full queue, full window, and queue', () => {
    const row = (patch: Partial<Session>, rates: Partial<SessionRates> = {}): SessionRow => ({
      session: session(patch),
      rates: { ...unknownRates, queuePerSecond: 0, droppedPerSecond: 0, ...rates },
      queueLimit: 1_000,
    });
    const rows = [
      row({ queueLength: 1_000 }, { droppedPerSecond: 5 }),
      row({ queueLength: 990 }, { queuePerSecond: 10 }),
      row({ queueLength: 7, inflight: 32 }),
      row({ queueLength: 42 }),
      row({ inflight: 32 }),
    ];
    const ranks = rows.map((each) => sessionTrouble(each) ?? 0);
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
    expect(new Set(ranks).size).toBe(rows.length);
  });

  it('lose messages or have a growing queue, with the time until it is full', () => {
    expect(found(resultOf('slow', slow({ queueLength: 900 }, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { clientId: 'x', queueLength: 900, queueLimit: 1_000, queuePerSecond: 10, fullInSeconds: 10 }],
    ]);
    expect(
      found(resultOf('slow', slow({ queueLength: 173 }, { queuePerSecond: 7 }, { growing: new Map([['x', 0.5]]) }))),
    ).toMatchObject([['slow-consumer', { fullInSeconds: 27 * 60 + 34 }]]);
    const losing = resultOf('slow', slow({ queueLength: 1_000 }, { droppedPerSecond: 2.5 }));
    expect(losing.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'slow-consumer',
        evidence: { isLosing: true, droppedPerSecond: 2.5, queueLength: 1_000, isQueueFull: true },
        jump: { screen: 'client', clientId: 'x' },
      },
    ]);
  });

  it('are counted beyond the first five', () => {
    const scene = slow({ queueLength: 900 }, { queuePerSecond: 10 });
    const many = Array.from({ length: 7 }, (_, at) => ({
      session: { ...session({ queueLength: 900 }), clientId: `x${at}` },
      rates: { ...unknownRates, queuePerSecond: 10 },
    }));
    expect(resultOf('slow', { ...scene, history: { ...scene.history, sessions: many } }).findings.at(-1)).toMatchObject(
      {
        severity: 'warning',
        code: 'slow-sessions',
        evidence: { clientIds: ['x5', 'x6'], isMore: true, isNoneFullSoon: false },
        jump: { screen: 'sessions', found: { name: 'slow or losing messages', clientIds: ['x5', 'x6'] } },
      },
    );
    const losing = Array.from({ length: 8 }, (_, at) => ({
      session: { ...session({ queueLength: 900 }), clientId: `y${at}` },
      rates: { ...unknownRates, droppedPerSecond: 1 },
    }));
    const { findings } = resultOf('slow', { ...scene, history: { ...scene.history, sessions: [...many, ...losing] } });
    expect(findings.slice(-2).map(({ severity, evidence }) => [severity, evidence])).toEqual([
      ['critical', { clientIds: ['y5', 'y6', 'y7'] }],
      ['warning', { clientIds: many.map((each) => each.session.clientId), isMore: true, isNoneFullSoon: false }],
    ]);
    expect(new Set(findings.map(({ key }) => key)).size).toBe(7);
  });

  it('have the limit and the connection that the session says, if it says them', () => {
    const said = resultOf(
      'slow',
      slow({ queueLength: 90, maxQueueLength: 100, isConnected: false }, { queuePerSecond: 1 }),
    );
    expect(found(said)).toMatchObject([['offline-queue', { isConnected: false, queueLimit: 100, fullInSeconds: 10 }]]);
  });

  it('are one finding if their queues grow and none is full soon', () => {
    const growing = (clientId: string, queueLength: number, queuePerSecond: number): SessionRow => ({
      session: { ...session({ queueLength }), clientId },
      rates: { ...unknownRates, queuePerSecond },
    });
    const scene = slow({});
    const lost = growing('lost', 30, 1);
    const rows = [
      growing('soon', 900, 10),
      growing('far 1', 30, 1),
      growing('far 2', 30, 0.1),
      growing('paused', 30, 0),
      { ...lost, session: { ...lost.session, dropped: 40 } },
    ];
    const result = resultOf('slow', {
      ...scene,
      history: {
        ...scene.history,
        sessions: rows,
        growing: new Map(
          rows.map(({ session: { clientId }, rates: { queuePerSecond = 0 } }) => [clientId, queuePerSecond]),
        ),
      },
    });
    expect(result.findings).toMatchObject([
      { code: 'slow-consumer', evidence: { clientId: 'soon' } },
      // What it lost is not said of a group.
      { code: 'slow-consumer', evidence: { clientId: 'lost' } },
      {
        code: 'slow-sessions',
        severity: 'warning',
        evidence: { clientIds: ['far 1', 'far 2', 'paused'], isMore: true, isNoneFullSoon: true },
        jump: {
          screen: 'sessions',
          found: { name: 'slow or losing messages', clientIds: ['far 1', 'far 2', 'paused'] },
        },
      },
    ]);
  });

  it('are found in the first reading with a rate only if their queues grow fast', () => {
    const settings = {
      state: patched(slow({}).state, readingsOf({ settings: emptyResource<ByNode<readonly Setting[]>>() })),
    };
    const codes = (queuePerSecond: number, scene: Partial<Scene> = {}): readonly string[] =>
      resultOf('slow', { ...slow({ queueLength: 500 }, { queuePerSecond }), ...scene }).findings.map(
        ({ code }) => code,
      );
    expect([codes(1), codes(5)]).toEqual([[], ['slow-consumer']]);
    expect([codes(1, settings), codes(5, settings)]).toEqual([[], ['slow-consumer']]);
  });

  it('are not offline clients that have just left, unless their queues are full soon', () => {
    const found = (sinceMs: number, queuePerSecond: number): readonly string[] => {
      const offline = new Map([['x', { sinceMs, isLive: true, last: undefined }]]);
      const scene = slow(
        { queueLength: 400 },
        { queuePerSecond },
        {
          offline,
          growing: new Map([['x', queuePerSecond]]),
          sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs },
          clientReadings: { complete: 1, last: 'complete', completeMs: sinceMs },
        },
      );
      return resultOf('slow', {
        ...scene,
        state: patched(scene.state, readingsOf({ clientScan: emptyScan() })),
      }).findings.map(({ code }) => code);
    };
    expect([found(nowMs - 20_000, 1), found(nowMs - 20_000, 10), found(nowMs - 30_000, 1)]).toEqual([
      [],
      ['slow-consumer'],
      ['slow-consumer'],
    ]);
  });

  it('stay findings of their own until their queues are full much later', () => {
    const growing = (clientId: string): SessionRow => ({
      session: { ...session({ queueLength: 100 }), clientId },
      rates: { ...unknownRates, queuePerSecond: 2 },
    });
    const sessions = ['a', 'b', 'c'].map(growing);
    const scene = {
      ...slow({}),
      history: { ...slow({}).history, sessions, growing: new Map(['a', 'b', 'c'].map((id) => [id, 2])) },
    };
    const codesAfter = (found: readonly string[]): readonly string[] =>
      resultOf('slow', { ...scene, found }).findings.map(({ key }) => key);
    expect(codesAfter([])).toEqual(['slow, more warning']);
    expect(codesAfter(['slow b'])).toEqual(['slow b', 'slow, more warning']);
  });

  it('have a queue that is full sooner the longer ago it was read, but not while paused', () => {
    const read = (ageSeconds: number, state: Partial<MonitorState>): Scene => {
      const scene = slow(
        { queueLength: 790 },
        { queuePerSecond: 10 },
        { sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs - ageSeconds * 1_000 } },
      );
      return { ...scene, state: { ...scene.state, watched: [sessionScan], ...state } };
    };
    const secondsOf = (scene: Scene): unknown =>
      found(resultOf('slow', scene)).map(([, evidence]) => 'fullInSeconds' in evidence && evidence.fullInSeconds)[0];
    expect(secondsOf(read(0, {}))).toBe(21);
    expect(secondsOf(read(15, {}))).toBe(6);
    // It should be full by now.
    expect(secondsOf(read(25, {}))).toBe(0);
    expect(secondsOf(read(15, { isFrozen: true }))).toBe(21);
    expect(secondsOf(read(15, { watched: [] }))).toBe(21);
  });

  it('are critical if messages of an offline client are being lost', () => {
    const offline = new Map([['x', { sinceMs: nowMs - 20_000, isLive: true, last: undefined }]]);
    const readings = {
      sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs, beforeMs: nowMs - 30_000 },
      clientReadings: { complete: 1, last: 'complete', completeMs: nowMs - 20_000 },
    } as const;
    const scene = slow({ queueLength: 1_000 }, { droppedPerSecond: 83, queuePerSecond: 0 }, { ...readings, offline });
    expect(
      resultOf('slow', { ...scene, state: patched(scene.state, readingsOf({ clientScan: emptyScan() })) }).findings,
    ).toMatchObject([
      {
        severity: 'critical',
        code: 'offline-queue',
        evidence: { isConnected: false, isLosing: true, droppedPerSecond: 83 },
      },
    ]);
  });

  it('have a full inflight window in consecutive readings', () => {
    const full = { inflight: 32, queueLength: 4 };
    expect(found(resultOf('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })))).toMatchObject([
      [
        'slow-consumer',
        { queueLength: 4, isWindowFull: true, inflight: 32, maxInflight: 32, acknowledgedPerSecond: undefined },
      ],
    ]);
    expect(verdict('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs]]) }))).toBe('ok');
    expect(
      found(
        resultOf('slow', slow(full, { acknowledgedPerSecond: 45 }, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })),
      ),
    ).toMatchObject([['slow-consumer', { isWindowFull: true, acknowledgedPerSecond: 45 }]]);
  });

  it('stay critical while their queue is full, even without a new loss', () => {
    const full = resultOf('slow', slow({ queueLength: 1_000 }, { queuePerSecond: 1 }));
    expect(full.findings).toMatchObject([
      { severity: 'critical', code: 'slow-consumer', evidence: { isQueueFull: true, isLosing: false } },
    ]);
    const losing = resultOf(
      'slow',
      slow({ queueLength: 998 }, { queuePerSecond: -1 }, { losing: new Map([['x', 1.5]]) }),
    );
    expect(losing.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'slow-consumer',
        evidence: { isLosing: true, droppedPerSecond: 1.5, queueLength: 998 },
      },
    ]);
    // Its limit was raised, or it empties.
    expect(resultOf('slow', slow({ queueLength: 800 }, {}, { losing: new Map([['x', 1.5]]) })).findings).toEqual([]);
  });

  it('after one reading: full queues and past losses are warnings', () => {
    const once = { sessionReadings: { complete: 1, last: 'complete' } } as const;
    const before = resultOf(
      'slow',
      slow({ queueLength: 1_000, dropped: 200 }, {}, { ...once, lostBefore: new Map([['x', 200]]) }),
    );
    expect(before.findings).toMatchObject([
      {
        severity: 'warning',
        code: 'queue-full',
        evidence: { queueLength: 1_000, queueLimit: 1_000, dropped: 200, isLossOld: true },
        jump: { screen: 'client', clientId: 'x' },
      },
    ]);
    expect(found(resultOf('slow', slow({ queueLength: 1_000 }, {}, once)))).toMatchObject([
      ['queue-full', { dropped: 0 }],
    ]);
    expect(found(resultOf('slow', slow({ dropped: 3 })))).toMatchObject([
      ['messages-lost', { dropped: 3, isLossOld: false }],
    ]);
    expect(found(resultOf('slow', slow({ queueLength: 900, dropped: 3 }, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { fullInSeconds: 10, dropped: 3, isLossOld: false, isLosing: false }],
    ]);
    const losing = {
      session: { ...session({ queueLength: 5, dropped: 1 }), clientId: 'y' },
      rates: { ...unknownRates, droppedPerSecond: 1 },
    };
    const full = slow({ queueLength: 1_000, dropped: 200 });
    expect(
      resultOf('slow', {
        ...full,
        history: { ...full.history, sessions: [...(full.history?.sessions ?? []), losing] },
      }).findings.map(({ jump, severity }) => [jump, severity]),
    ).toEqual([
      [{ screen: 'client', clientId: 'y' }, 'critical'],
      [{ screen: 'client', clientId: 'x' }, 'warning'],
    ]);
  });

  it('lose nothing any more once a queue that was long has room, by draining or by a higher limit', () => {
    const after = (queueLength: number, queueBefore: number): Scene =>
      slow({ queueLength, dropped: 200 }, { droppedPerSecond: 20, queuePerSecond: -100, queueBefore });
    expect(found(resultOf('slow', after(0, 1_000)))).toMatchObject([
      ['messages-lost', { isLosing: false, dropped: 200 }],
    ]);
    expect(found(resultOf('slow', after(980, 1_000)))).toMatchObject([['slow-consumer', { isLosing: true }]]);
    // A burst: full and empty again between two readings.
    expect(found(resultOf('slow', after(0, 0)))).toMatchObject([['slow-consumer', { isLosing: true }]]);
  });

  it('are critical after one reading if a connected client has a full inflight window and a full queue', () => {
    const full = slow(
      { queueLength: 1_000, inflight: 32 },
      {},
      { sessionReadings: { complete: 1, last: 'complete' }, clientReadings: { complete: 1, last: 'complete' } },
    );
    const seen = (isConnected: boolean): Scene => ({
      ...full,
      state: patched(
        full.state,
        readingsOf({ clientScan: { ...emptyScan(), rows: isConnected ? [connected('x')] : [] } }),
      ),
    });
    expect(resultOf('slow', seen(true)).findings).toMatchObject([
      { severity: 'critical', code: 'slow-consumer', evidence: { isWindowFull: true, isQueueFull: true } },
    ]);
    expect(resultOf('slow', seen(false)).findings).toMatchObject([{ severity: 'warning', code: 'queue-full' }]);
  });

  it('have a start time only if the start was seen', () => {
    const full = slow({ inflight: 32, queueLength: 4 }, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) });
    expect(resultOf('slow', full).findings[0]).toMatchObject({ sinceMs: nowMs - 4_000 });
    const least = resultOf('slow', { ...full, history: { ...full.history, fullAtLeast: new Set(['x']) } });
    expect(least.findings[0]).toMatchObject({ sinceMs: undefined, foundMs: nowMs - 4_000 });
  });

  it('are distinguished from offline clients', () => {
    const readings = {
      sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs, beforeMs: nowMs - 30_000 } as const,
    };
    const scene = (clientsMs: number, rates: Partial<SessionRates>): Scene => {
      const full = slow({ queueLength: 900, inflight: 32 }, rates, {
        ...readings,
        clientReadings: { complete: 1, last: 'complete', completeMs: clientsMs },
        fullSinceMs: new Map([['x', nowMs - 4_000]]),
      });
      return { ...full, state: patched(full.state, readingsOf({ clientScan: emptyScan() })) };
    };
    expect(found(resultOf('slow', scene(nowMs - 20_000, { queuePerSecond: 10 })))).toMatchObject([
      ['offline-queue', { isConnected: false }],
    ]);
    // The session may be newer than the client scan.
    expect(found(resultOf('slow', scene(nowMs - 40_000, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { isConnected: undefined }],
    ]);
    const first = scene(nowMs - 20_000, {});
    const newRows = (first.history?.sessions ?? []).map((row) => ({ ...row, rates: unknownRates }));
    expect(found(resultOf('slow', { ...first, history: { ...first.history, sessions: newRows } }))).toMatchObject([
      ['slow-consumer', { isConnected: undefined }],
    ]);
  });

  it('do not include short or shrinking queues', () => {
    expect(verdict('slow', slow({ queueLength: 5 }, { queuePerSecond: 1 }))).toBe('ok');
    expect(verdict('slow', slow({ queueLength: 500 }, { queuePerSecond: -1 }))).toBe('ok');
  });

  it('are unchecked without queue lengths or a second reading', () => {
    expect(unchecked('slow', slow({ queueLength: undefined, dropped: undefined }))).toEqual([
      { code: 'queues-unknown', count: 1, total: 1 },
    ]);
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 1, last: 'complete' } }))).toBe('unchecked');
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 3, last: 'partial' } }))).toBe('unchecked');
    const scene = slow({});
    const sessionScan = {
      ...emptyScan<Session>(),
      finishedAtMs: nowMs,
      leftOut: new Map([['a', { read: 1, expected: 2, isComplete: true, error: undefined, unusable }]]),
    };
    expect(unchecked('slow', { ...scene, state: patched(scene.state, readingsOf({ sessionScan })) })).toEqual([
      { code: 'sessions-incomplete' },
    ]);
  });
});
