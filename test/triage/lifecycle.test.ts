import { describe, expect, test } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { HttpStatusError, NoAnswerError, TimeoutError, UnreachableError } from '../../src/api/errors.ts';
import { createTriage } from '../../src/checks/triage.ts';
import { problemBrief, problemParts, problemText } from '../../src/checks/words.ts';
import type { Alarm } from '../../src/domain/administration.ts';
import type { Session } from '../../src/domain/client.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { emptyResource, emptyScan, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { alarms as alarmsPart } from '../../src/resources/alarms/resource.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { selectVital, vitalResources } from '../../src/resources/vital.ts';
import { severityCounts } from '../../src/resources/problems/view/texts.ts';
import type { TriageReport } from '../../src/triage/view.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { patched, readingsOf } from '../support/readings.ts';

const sessionOf = (clientId: string, patch: Partial<Session> = {}): Session =>
  ({
    clientId,
    node: 'a',
    cleanSession: false,
    createdAt: 1,
    expirySeconds: undefined,
    subscriptions: 1,
    inflight: 0,
    maxInflight: 32,
    queueLength: 0,
    maxQueueLength: 1_000,
    dropped: 0,
    delivered: undefined,
    acknowledged: undefined,
    isConnected: true,
    unparsed: {},
    ...patch,
  }) as Session;

const losing = (clientId: string, atMs: number): Session =>
  sessionOf(clientId, { queueLength: 1_000, inflight: 32, dropped: atMs / 100 });

const loaded = <T>(data: T, updatedAtMs: number): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs });

/** Everything that a small cluster says at a time. */
interface Moment {
  readonly sessions?: readonly Session[];
  readonly alarms?: readonly Alarm[];
  /** Whether the sessions were scanned. If not, the rows are those of the last scan. */
  readonly isScanned?: boolean;
  readonly patch?: Partial<MonitorState>;
}

function stateAt(atMs: number, { sessions = [], alarms = [], isScanned = true, patch = {} }: Moment): MonitorState {
  const base = initialState(2);
  return patched(
    base,
    {
      capabilities: undefined,
      watched: [sessionScan, clientScan, alarmsPart, nodeStatsPart],
      ...readingsOf({
        nodeStats: loaded([nodeStats('a')], atMs),
        alarms: loaded(alarms, atMs),
        clientScan: {
          ...emptyScan(),
          rows: sessions.map(({ clientId }) => client(clientId, 'a', 1)),
          phase: 'complete',
          finishedAtMs: atMs,
        },
        sessionScan: isScanned
          ? {
              ...emptyScan(),
              rows: sessions,
              phase: 'complete',
              finishedAtMs: atMs,
              coverage: new Map([
                [
                  'a',
                  {
                    read: sessions.length,
                    expected: sessions.length,
                    isComplete: true,
                    error: undefined,
                    readAtMs: atMs,
                  },
                ],
              ]),
            }
          : {
              ...emptyScan(),
              rows: sessions,
              phase: 'partial',
              finishedAtMs: atMs,
              error: new UnreachableError('ECONNREFUSED'),
            },
      }),
    },
    patch,
  );
}

/** A triage that is shown one moment after the other, and what changed at each. */
function createStory() {
  const triage = createTriage();
  let report: TriageReport | undefined;
  return {
    at(atMs: number, moment: Moment): readonly string[] {
      report = triage.update(stateAt(atMs, moment), atMs);
      return triage.takeChanges().map(({ kind, finding }) => `${kind} ${finding.key}`);
    },
    report: (): TriageReport => {
      if (report === undefined) throw new Error('nothing was shown');
      return report;
    },
    of: (key: string) => report?.problems.find((finding) => finding.key === key),
  };
}

const queueAlarm = (clientId: string): Alarm => ({
  id: `session_queue_full/${clientId}`,
  severity: 'warning',
  title: undefined,
  summary: 'above its high-water mark',
  occurredAt: undefined,
  queueOf: clientId,
});
const other = (id: string, causeId?: string, node?: string): Alarm => ({
  id,
  severity: undefined,
  title: undefined,
  summary: 'resource down',
  occurredAt: undefined,
  causeId,
  node,
});

describe('a problem', () => {
  test('of a slow consumer goes on while the API cannot be reached, and is unknown since', () => {
    const story = createStory();
    expect(story.at(10_000, { sessions: [losing('w', 10_000)] })).toEqual(['began slow w']);
    expect(story.at(20_000, { sessions: [losing('w', 20_000)] })).toEqual([]);
    for (const atMs of [35_000, 50_000, 300_000]) {
      expect(story.at(atMs, { sessions: [losing('w', 20_000)], isScanned: false })).toEqual([]);
      expect(story.of('slow w')?.severity).toBe('critical');
    }
    expect(story.of('slow w')?.seenMs).toBe(20_000);
    expect(story.report().isAllClear).toBe(false);
    expect(story.at(310_000, { sessions: [sessionOf('w')] })).toEqual(['ended slow w']);
  });

  test('of an alarm is the same, whether it is a row, a part of a slow consumer, or one of many', () => {
    const story = createStory();
    const alarms = [queueAlarm('w'), ...Array.from({ length: 8 }, (_, number) => other(`alarm-${number}`))];
    expect(story.at(1_000, { sessions: [sessionOf('w')], alarms })).toHaveLength(9);
    expect(story.at(10_000, { sessions: [losing('w', 10_000)], alarms })).toEqual(['began slow w']);
    expect(story.of('slow w')?.parts?.map(({ key }) => key)).toEqual(['alarm session_queue_full/w']);
    expect(story.at(60_000, { sessions: [sessionOf('w')], alarms: alarms.slice(0, 3) })).toEqual(
      expect.arrayContaining(['ended slow w', 'ended alarm alarm-7']),
    );
    expect(story.of('alarm session_queue_full/w')).toMatchObject({ foundMs: 1_000 });
    expect(story.at(70_000, { sessions: [sessionOf('w')] })).toContain('ended alarm session_queue_full/w');
  });

  test('that is an alarm stays a part of a slow consumer that cannot be judged now', () => {
    const story = createStory();
    const alarms = [queueAlarm('w')];
    const rows = (): readonly string[] => story.report().findings.map(({ key }) => key);
    expect(story.at(10_000, { sessions: [losing('w', 10_000)], alarms })).toEqual(['began slow w']);
    expect(story.at(20_000, { sessions: [losing('w', 20_000)], alarms })).toEqual([]);
    for (const atMs of [22_000, 24_000, 60_000]) {
      expect(story.at(atMs, { isScanned: false, alarms })).toEqual([]);
      expect(rows().filter((key) => key.endsWith('w'))).toEqual(['slow w']);
      expect(story.of('slow w')).toMatchObject({ seenMs: 20_000, parts: [{ key: 'alarm session_queue_full/w' }] });
    }
    expect(story.at(120_000, { sessions: [sessionOf('w')], alarms })).toEqual([]);
    // Two readings show that it loses nothing any more, while its alarm goes on.
    expect(story.at(130_000, { sessions: [sessionOf('w')], alarms })).toEqual([
      'began alarm session_queue_full/w',
      'ended slow w',
    ]);
    expect(rows().filter((key) => key.endsWith('w'))).toEqual(['alarm session_queue_full/w']);
  });

  test('of a session that has no row of its own begins and ends as well', () => {
    const story = createStory();
    const ids = ['1', '2', '3', '4', '5', '6', '7'];
    expect(story.at(10_000, { sessions: ids.map((id) => losing(id, 10_000)) })).toEqual(
      ids.map((id) => `began slow ${id}`),
    );
    const { findings, problems } = story.report();
    expect(findings.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 5 }, () => 'slow-consumer'),
      'more-sessions',
    ]);
    expect(findings.at(-1)).toMatchObject({ members: ['slow 6', 'slow 7'], foundMs: 10_000 });
    expect(severityCounts(findings)).toEqual(severityCounts(problems));
    expect(severityCounts(problems)).toEqual({ critical: 7, warning: 0, acknowledged: 0 });
    expect(
      story.at(60_000, { sessions: [...ids.slice(0, 6).map((id) => losing(id, 60_000)), sessionOf('7')] }),
    ).toEqual(['ended slow 7']);
  });

  test('that becomes a warning says so, and does not end', () => {
    const story = createStory();
    story.at(10_000, { sessions: [losing('w', 10_000)] });
    story.at(20_000, { sessions: [losing('w', 20_000)] });
    expect(story.at(60_000, { sessions: [sessionOf('w', { dropped: 200 })] })).toEqual(['eased slow w']);
    expect(story.of('slow w')).toMatchObject({ code: 'messages-lost', severity: 'warning', foundMs: 10_000 });
  });

  test('that is acknowledged, or no longer, says so once, and an acknowledgement that its end removes does not', () => {
    const triage = createTriage();
    const changes = (): readonly (readonly [string, string | undefined])[] =>
      triage.takeChanges().map(({ kind, finding }) => [kind, finding.acknowledged?.note]);
    const show = (atMs: number, sessions: readonly Session[]): void => {
      triage.update(stateAt(atMs, { sessions }), atMs);
    };
    show(10_000, [losing('w', 10_000)]);
    expect(changes()).toEqual([['began', undefined]]);
    const acknowledgement = { note: 'Ann', atMs: 11_000, check: 'slow', severity: 'critical' } as const;
    triage.acknowledge('slow w', acknowledgement);
    expect(changes()).toEqual([['acknowledged', 'Ann']]);
    triage.acknowledge('slow w', undefined);
    expect(changes()).toEqual([['acknowledged', undefined]]);
    triage.acknowledge('slow w', acknowledgement);
    changes();
    show(60_000, [sessionOf('other')]);
    expect(changes()).toEqual([['ended', undefined]]);
  });

  test('of a dead connector is one, with the alarms of its actions on all nodes', () => {
    const story = createStory();
    const cause = 'connector:http:deadsink';
    const alarms = ['a', 'b'].flatMap((node) => [
      other(`action:http:tosink:${cause}`, cause, node),
      other(cause, cause, node),
    ]);
    story.at(10_000, { alarms: [...alarms, other('high_cpu_usage', undefined, 'a')] });
    const { findings } = story.report();
    expect(findings.filter(({ check }) => check === 'alarms').map(({ key }) => key)).toEqual([
      `alarm ${cause} on a`,
      'alarm high_cpu_usage on a',
    ]);
    const [connector] = findings;
    if (connector === undefined) throw new Error('no problem');
    expect(plainText(problemText(connector))).toBe(
      'Alarm connector:http:deadsink on a, b: resource down, 2 more alarms of the same cause',
    );
    expect(plainText(problemBrief(connector))).toBe('Alarm connector:http:deadsink on 2 nodes');
    // The alarm of one node ends, and that of the other stays.
    story.at(20_000, { alarms: alarms.filter(({ node }) => node === 'b') });
    const [left] = story.report().findings;
    expect(left === undefined ? '' : plainText(problemText(left))).toBe(
      'Alarm connector:http:deadsink on b: resource down, 1 more alarm of the same cause',
    );
  });
});

describe('an outage of the whole API', () => {
  const silent = (clock: FakeClock): Promise<never> =>
    new Promise((_, reject) => {
      clock.setTimer(5_000, () => {
        reject(new TimeoutError(5_000));
      });
    });

  test.each([
    ['that does not respond', silent],
    ['that refuses connections', () => Promise.reject(new UnreachableError('ECONNREFUSED'))],
    ['whose proxy has no broker', () => Promise.reject(new HttpStatusError(503))],
  ] as const)('%s is one problem from its beginning until the last reading works again', async (_, fail) => {
    for (const beginsAtMs of [21_000, 24_300, 29_990]) {
      const clock = createFakeClock();
      let isDown = false;
      const read =
        <T>(answer: () => T) =>
        (): Promise<T> =>
          isDown ? fail(clock) : Promise.resolve(answer());
      const api = createFakeApi({
        listNodes: read(() => [nodeInfo('a')]),
        listNodeStats: read(() => [nodeStats('a')]),
        listStats: read(() => new Map([['a', stats({ clients: 1 })]])),
        listMetrics: read(() => byNode({ a: {} })),
        listListeners: read(() => new Map()),
      });
      const monitor = createMonitor({ api, clock, random: () => 0.5, intervalSeconds: 2 });
      const triage = createTriage();
      const changes: string[] = [];
      const times: (number | undefined)[] = [];
      const beganMs = clock.nowMs();
      monitor.store.subscribe((state) => {
        triage.update(state, clock.nowMs());
        for (const { kind, finding, atMs } of triage.takeChanges()) {
          if (finding.check !== 'readings') continue;
          changes.push(`${kind} ${finding.key}`);
          times.push(atMs);
        }
      });
      for (const name of ['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const)
        monitor.watch(vitalResources[name]);
      await clock.advance(beginsAtMs);
      expect(changes).toEqual([]);
      isDown = true;
      await clock.advance(50_000);
      isDown = false;
      await clock.advance(90_000);
      expect(changes).toEqual(['began readings', 'ended readings']);
      const [begin = 0, end = 0] = times.map((atMs = 0) => (atMs - beganMs - beginsAtMs) / 1_000);
      // Its first request that fails is sent within a refresh.
      expect(begin).toBeGreaterThanOrEqual(0);
      expect(begin).toBeLessThanOrEqual(2);
      expect(end).toBeGreaterThanOrEqual(50);
      monitor.stop();
    }
  });
});

test('a reading that fails alone is a problem of its own, once another one succeeds', async () => {
  const clock = createFakeClock();
  let isDown = false;
  const api = createFakeApi({
    listNodes: () => Promise.resolve([nodeInfo('a')]),
    listNodeStats: () => Promise.resolve([nodeStats('a')]),
    listListeners: () => Promise.resolve(new Map()),
    listStats: () => Promise.resolve(new Map([['a', stats({ clients: 1 })]])),
    listMetrics: () => (isDown ? Promise.reject(new NoAnswerError()) : Promise.resolve(byNode({ a: {} }))),
  });
  const monitor = createMonitor({ api, clock, random: () => 0.5, intervalSeconds: 2 });
  const triage = createTriage();
  const changes: string[] = [];
  monitor.store.subscribe((state) => {
    triage.update(state, clock.nowMs());
    for (const { kind, finding } of triage.takeChanges())
      changes.push(`${kind} ${plainText(problemParts(finding).title)}`);
  });
  for (const name of ['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const)
    monitor.watch(vitalResources[name]);
  await clock.advance(21_000);
  isDown = true;
  await clock.advance(20_000);
  expect(changes).toEqual(['began Failed to read metrics']);
  isDown = false;
  await clock.advance(60_000);
  expect(changes).toEqual(['began Failed to read metrics', 'ended Failed to read metrics']);
  monitor.stop();
});

describe('while a node does not run', () => {
  /** Nodes `a` and `b`, of which `b` has the status since `sinceMs`, and whose sessions were read. */
  function clusterAt(
    atMs: number,
    b: 'running' | 'stopped' | 'unknown' | 'silent',
    sinceMs: number,
    {
      alarms = [],
      sessions = [],
      scanned = ['a', 'b'],
      patch = {},
    }: {
      readonly alarms?: readonly Alarm[];
      readonly sessions?: readonly Session[];
      readonly scanned?: readonly string[];
      readonly patch?: Partial<MonitorState>;
    },
  ): Moment {
    const status = b === 'silent' ? 'other' : b;
    return {
      sessions,
      alarms,
      patch: patched<Partial<MonitorState>>(
        patch,
        readingsOf({
          nodeStats: loaded(
            [
              nodeStats('a'),
              ...(status === 'unknown' ? [] : [nodeStats('b', status, b === 'silent' ? { isSilent: true } : {})]),
            ],
            atMs,
          ),
          seenNodes: new Map([
            ['a', { status: 'running', sinceMs: undefined }],
            ['b', { status, sinceMs }],
          ]),
          sessionScan: {
            ...emptyScan(),
            rows: sessions,
            phase: 'complete',
            finishedAtMs: atMs,
            coverage: new Map(
              scanned.map((node) => [
                node,
                { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs: atMs },
              ]),
            ),
          },
        }),
      ),
    };
  }
  /** Returns what changed besides the problem of the node. */
  const at = (story: ReturnType<typeof createStory>, atMs: number, moment: Moment): readonly string[] =>
    story.at(atMs, moment).filter((change) => !change.endsWith(' node b'));
  const far = (atMs: number, patch: Partial<Session> = {}): Session => ({
    ...losing('far', atMs),
    node: 'b',
    ...patch,
  });

  test.each(['stopped', 'unknown', 'silent'] as const)(
    'the problems of its sessions are unknown, also once it runs again, until they are read (%s)',
    (status) => {
      const story = createStory();
      at(story, 10_000, clusterAt(10_000, 'running', 0, { sessions: [far(10_000)] }));
      expect(at(story, 20_000, clusterAt(20_000, 'running', 0, { sessions: [far(20_000)] }))).toEqual([]);
      for (const atMs of [60_000, 90_000, 150_000])
        expect(at(story, atMs, clusterAt(atMs, status, 50_000, { scanned: ['a'] }))).toEqual([]);
      expect(story.of('slow far')).toMatchObject({ severity: 'critical', code: 'slow-consumer', seenMs: 20_000 });
      expect(story.report().results.find(({ check }) => check === 'slow')?.unchecked).toContainEqual({
        code: 'sessions-unread',
        nodes: ['b'],
      });
      expect(at(story, 165_000, clusterAt(165_000, 'running', 160_000, { scanned: ['a'] }))).toEqual([]);
      // The first reading has no rate, the second one shows that the loss goes on.
      expect(
        at(story, 180_000, clusterAt(180_000, 'running', 160_000, { sessions: [far(180_000, { inflight: 0 })] })),
      ).toEqual([]);
      expect(story.of('slow far')).toMatchObject({ severity: 'critical' });
      expect(at(story, 195_000, clusterAt(195_000, 'running', 160_000, { sessions: [far(195_000)] }))).toEqual([]);
      expect(story.of('slow far')).toMatchObject({ severity: 'critical', seenMs: undefined });
      expect(at(story, 260_000, clusterAt(260_000, 'running', 160_000, {}))).toEqual(['ended slow far']);
    },
  );

  test('the problems of the sessions on other nodes are as old as the reading of their own node', () => {
    const story = createStory();
    for (const atMs of [10_000, 20_000])
      at(story, atMs, clusterAt(atMs, 'running', 0, { sessions: [losing('near', atMs), far(atMs)] }));
    const failed = { read: 0, expected: 1, isComplete: false, error: new TimeoutError(5_000) };
    const readPart = (atMs: number, nodes: readonly string[]): readonly string[] => {
      const moment = clusterAt(atMs, 'silent', 50_000, {
        sessions: [losing('near', atMs), far(20_000)],
        scanned: nodes,
      });
      const scan =
        moment.patch?.readings === undefined ? undefined : reading({ readings: moment.patch.readings }, sessionScan);
      if (scan === undefined) throw new Error('no scan');
      const coverage = new Map([['a', failed], ['b', failed], ...scan.coverage]);
      return at(story, atMs, {
        ...moment,
        patch: patched(moment.patch, readingsOf({ sessionScan: { ...scan, phase: 'partial', coverage } })),
      });
    };
    const seen = (): readonly (number | undefined)[] => ['near', 'far'].map((id) => story.of(`slow ${id}`)?.seenMs);
    const slowReading = () => story.report().results.find(({ check }) => check === 'slow')?.reading;
    expect(slowReading()?.partial).toBeUndefined();
    for (const atMs of [60_000, 75_000, 150_000]) expect(readPart(atMs, ['a'])).toEqual([]);
    expect(seen()).toEqual([undefined, 20_000]);
    expect(slowReading()).toMatchObject({ atMs: 20_000, partial: { atMs: 150_000, nodes: 1, total: 2 } });
    expect(readPart(300_000, [])).toEqual([]);
    expect(seen()).toEqual([150_000, 20_000]);
  });

  test('a problem of a session that moved to another node ends there', () => {
    const story = createStory();
    for (const atMs of [10_000, 20_000]) at(story, atMs, clusterAt(atMs, 'running', 0, { sessions: [far(atMs)] }));
    const moved = sessionOf('far', { createdAt: 2 });
    expect(at(story, 60_000, clusterAt(60_000, 'stopped', 50_000, { sessions: [moved], scanned: ['a'] }))).toEqual([]);
    expect(at(story, 75_000, clusterAt(75_000, 'stopped', 50_000, { sessions: [moved], scanned: ['a'] }))).toEqual([
      'ended slow far',
    ]);
  });

  test('a problem of a session on another node ends', () => {
    const story = createStory();
    for (const atMs of [10_000, 20_000])
      at(story, atMs, clusterAt(atMs, 'running', 0, { sessions: [losing('near', atMs)] }));
    expect(at(story, 60_000, clusterAt(60_000, 'stopped', 50_000, { scanned: ['a'] }))).toEqual(['ended slow near']);
  });

  test('its alarms are unknown, and none is stale for want of its sessions', () => {
    const story = createStory();
    const [ofA, ofB, ofQueue] = [
      other('cpu', undefined, 'a'),
      other('cpu', undefined, 'b'),
      { ...queueAlarm('far'), occurredAt: 1 },
    ];
    const clock = { ...selectVital(initialState(2)), nodes: loaded([nodeInfo('a', { clock: 10_000 })], 200_000) };
    at(
      story,
      200_000,
      clusterAt(200_000, 'running', 0, {
        alarms: [ofA, ofB, ofQueue],
        sessions: [sessionOf('far', { node: 'b' })],
        patch: readingsOf(clock),
      }),
    );
    expect(
      at(
        story,
        260_000,
        clusterAt(260_000, 'stopped', 250_000, {
          alarms: [ofQueue],
          scanned: ['a'],
          patch: readingsOf(clock),
        }),
      ),
    ).toEqual(['ended alarm cpu on a']);
    expect(story.report().results.find(({ check }) => check === 'alarms')?.unchecked).toEqual([]);
    expect(story.report().problems.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['alarm cpu on b', 'alarm session_queue_full/far']),
    );
    const back = clusterAt(310_000, 'running', 305_000, {});
    expect(
      at(story, 310_000, { ...back, patch: patched(back.patch, readingsOf({ alarms: loaded([], 300_000) })) }),
    ).not.toContain('ended alarm cpu on b');
    expect(at(story, 360_000, clusterAt(360_000, 'running', 305_000, {}))).toContain('ended alarm cpu on b');
  });

  test('its differences from the other nodes are unknown, and what is acknowledged stays so', () => {
    const triage = createTriage();
    const plugin = (active: boolean, atMs: number) =>
      loaded([{ name: 'p', version: '1', description: undefined, active, unparsed: {} }], atMs);
    const show = (atMs: number, b: 'running' | 'stopped', isActive: boolean): readonly string[] => {
      const moment = clusterAt(atMs, b, b === 'stopped' ? 50_000 : 0, {
        scanned: b === 'running' ? ['a', 'b'] : ['a'],
        patch: readingsOf({
          plugins: new Map([
            ['a', plugin(true, atMs)],
            ...(b === 'running' ? [['b', plugin(isActive, atMs)] as const] : []),
          ]),
        }),
      });
      triage.update(stateAt(atMs, moment), atMs);
      return triage.takeChanges().map(({ kind, finding }) => `${kind} ${finding.key}`);
    };
    const acknowledgements = new Map([
      ['alarm cpu on b', { note: '', atMs: 1, check: 'alarms', severity: 'warning' } as const],
      ['plugins p', { note: '', atMs: 1, check: 'plugins', severity: 'warning' } as const],
    ]);
    const outdated: string[] = [];
    triage.keepAcknowledgements(acknowledgements, (key) => {
      outdated.push(key);
    });
    expect(show(55_000, 'stopped', false)).toContain('began node b');
    expect(outdated).toEqual([]);
    expect(show(60_000, 'running', false)).toContain('began plugins p');
    expect(show(70_000, 'stopped', false)).not.toContain('ended plugins p');
    expect(outdated).toEqual(['alarm cpu on b']);
    expect(show(90_000, 'running', true)).toContain('ended plugins p');
    expect(outdated).toEqual(['alarm cpu on b', 'plugins p']);
  });

  test.each(['stopped', 'silent'] as const)(
    'a listener that is down there is unknown, and one elsewhere ends as it runs (%s)',
    (status) => {
      const listener = (running: 'yes' | 'no', id = 'tcp') => ({
        id,
        protocol: 'mqtt:tcp',
        listen: '1883',
        address: undefined,
        port: 1_883,
        acceptors: 4,
        maxClients: 100,
        currentClients: 0,
        shutdownCount: {},
        shutdownCountRaw: undefined,
        running,
        isEnabled: true,
        unparsed: {},
      });
      const listeners = (
        atMs: number,
        lists: Readonly<Record<string, readonly ReturnType<typeof listener>[]>>,
      ): Partial<MonitorState> =>
        readingsOf({
          nodeStats: loaded(
            [
              nodeStats('a'),
              ...(lists['b'] === undefined
                ? [
                    nodeStats(
                      'b',
                      status === 'silent' ? 'other' : status,
                      status === 'silent' ? { isSilent: true } : {},
                    ),
                  ]
                : [nodeStats('b')]),
            ],
            atMs,
          ),
          listeners: loaded(new Map(Object.entries(lists)), atMs),
        });
      const story = createStory();
      at(
        story,
        10_000,
        clusterAt(10_000, 'running', 0, {
          patch: listeners(10_000, {
            a: [listener('yes'), listener('no', 'ws')],
            b: [listener('no'), listener('yes', 'ws')],
          }),
        }),
      );
      expect(story.report().problems.map(({ key }) => key)).toEqual(
        expect.arrayContaining(['listener down tcp', 'listener down ws']),
      );
      expect(
        at(
          story,
          60_000,
          clusterAt(60_000, status, 50_000, {
            scanned: ['a'],
            patch: listeners(60_000, { a: [listener('yes'), listener('yes', 'ws')] }),
          }),
        ),
      ).toEqual(expect.not.arrayContaining(['ended listener down tcp']));
      expect(story.of('listener down tcp')).toBeDefined();
      expect(story.of('listener down ws')).toBeUndefined();
      expect(
        at(
          story,
          90_000,
          clusterAt(90_000, 'running', 80_000, {
            patch: listeners(90_000, { a: [listener('yes')], b: [listener('yes')] }),
          }),
        ),
      ).toContain('ended listener down tcp');
    },
  );
});
