import { afterEach, expect, test } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { variants } from '../../src/api/dialects/emq-v2/variants.ts';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Session } from '../../src/domain/client.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { reading, watchKey } from '../../src/monitor/query/part.ts';
import { type SessionRow, unknownRates } from '../../src/resources/sessions/history.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { formatGrowth, sessionColumns, SessionsScreen } from '../../src/resources/sessions/screen.tsx';
import { loadingText, unknownText } from '../../src/terminal/format.ts';
import { cellContext } from '../../src/tui/components/column.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { asciiTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { pattern } from './frames.ts';
import {
  brokerClock,
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  infoOf,
  linesWithoutPanels,
  propsOf,
  readWhole,
  ready,
  roomyColumns,
  scanOf,
  sessionOf,
  sizes,
  tableOf,
} from './list-fixtures.ts';

afterEach(endRigs);

const node1 = 'broker1@127.0.0.1';
const node2 = 'broker2@127.0.0.1';
const escape = '\u001B';

const devices = (count: number): readonly Session[] =>
  Array.from({ length: count }, (_, index) =>
    sessionOf(`device-${index}`, {
      node: index % 2 === 0 ? node1 : node2,
      queueLength: index,
      createdAt: brokerClock - index * 100,
    }),
  );

/** Says that both nodes were read completely at this time. */
const readAt = (readAtMs: number) => new Map([node1, node2].map((node) => [node, { ...readWhole(2), readAtMs }]));

const monitorOf = (sessions: readonly Session[], patch: Parameters<typeof createFakeMonitor>[0] = {}): FakeMonitor => {
  const monitor = createFakeMonitor(
    patched<Partial<ActingState>>(
      {
        capabilities: { ...variants.b.capabilities, sessionCountersSeconds: undefined },
        ...readingsOf({ sessionScan: scanOf(sessions, { coverage: readAt(1_000) }) }),
      },
      patch,
    ),
  );
  monitor.setResources({ nodes: ready([infoOf(node1), infoOf(node2)]) });
  return monitor;
};

const open = (
  monitor: FakeMonitor,
  [columns, rows]: readonly [number, number] = [roomyColumns, 20],
  scope?: Parameters<typeof SessionsScreen>[0]['scope'],
): Rig =>
  tableOf(
    createRig(<SessionsScreen {...propsOf(monitor, [columns, rows])} scope={scope} />, { columns, rows }),
    columns,
  );

const cellsOf = (rig: Rig, id: string): readonly string[] =>
  (rig.lines().find((line) => line.includes(id)) ?? '')
    .slice(1)
    .trim()
    .split(/\s{2,}/);

test.each(sizes)(
  'fills %i by %i with node, inflight, queue and, from 80 columns, the problem',
  async (width, height) => {
    const lines = await open(monitorOf(devices(60)), [width, height]).until((text) => text.includes('device-59'));
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ (?:CLIENT )?ID(?:, worst first)? .*NODE .*INFLIGHT +QUEUE /);
    expect(lines[4]).toMatch(
      width < 80 ? /device-56 .* 4\/32 +56\b/ : pattern`device-56 .* ${loadingText} +4/32 +56\b`,
    );
    expect(lines.at(-1)).toContain('60 of 60');
  },
);

test('shows delivery counts in a variant that has them', async () => {
  const [header = ''] = await open(monitorOf(devices(2)), [410, 10]).until((text) => text.includes('device-1'));
  expect(header).toMatch(/ DELIVER\/S +ENQUEUE\/S +DELIVERED +ENQUEUED +SUBS +AWAIT PUBREL /u);
  expect(header).not.toMatch(/AWAIT PUBACK|AWAIT PUBCOMP/u);
});

test('says which nodes report missing counters, after problems of the list', async () => {
  const unknown = {
    maxInflight: undefined,
    inflight: undefined,
    queueLength: undefined,
    dropped: undefined,
    awaitingRel: undefined,
    subscriptions: undefined,
    delivered: undefined,
    enqueued: undefined,
  };
  const far = ['x', 'y'].map((id) => sessionOf(id, { node: node2, ...unknown }));
  const show = async (sessions: readonly Session[], size?: readonly [number, number]): Promise<string> =>
    (await open(monitorOf(sessions), size).until((text) => text.includes('x '))).join('\n');
  expect(await show([sessionOf('near', { node: node1 }), ...far], [120, 20])).toContain(
    'no counters of 2 of 3 sessions (broker2): only their own node has them (--url)',
  );
  expect(await show([...far, sessionOf('z', { node: node1, ...unknown })])).toContain(
    'no counters of 3 of 3 sessions (broker1, broker2)',
  );
  expect(
    await show([sessionOf('near', { node: node1 }), sessionOf('x', { node: node2, queueLength: undefined })]),
  ).not.toContain('counters');
  const broken = monitorOf(
    far,
    readingsOf({ sessionScan: scanOf(far, { phase: 'aborted', coverage: readAt(1_000) }) }),
  );
  expect((await open(broken).until((text) => text.includes('x '))).join('\n')).toMatch(
    /Incomplete: scan stopped\. Next refresh in .*; Ctrl-R refreshes now\./u,
  );
});

test.each([
  [90, 18],
  [120, 34],
] as const)('shows at %i by %i who is connected, as far as the client lists were read', async (width, height) => {
  const sessions = [
    sessionOf('here', { node: node1 }),
    sessionOf('away', { node: node1 }),
    sessionOf('moved', { node: node1 }),
    sessionOf('unknown', { node: node2 }),
    // Created after the clients were read, in the same second, and at an unknown time.
    sessionOf('late', { node: node1, createdAt: brokerClock + 10 }),
    sessionOf('close', { node: node1, createdAt: brokerClock + 1 }),
    sessionOf('ageless', { node: node1, createdAt: undefined }),
  ];
  const clients = [clientOf('here', { node: node1 }), clientOf('moved', { node: node2 })];
  const monitor = monitorOf(sessions);
  const rig = open(monitor, [width, height]);
  const stateOf = (id: string): string => {
    const at = rig.lines()[0]?.indexOf('CONN') ?? -1;
    return (
      rig
        .lines()
        .find((line) => line.includes(id))
        ?.slice(at, at + 6)
        .trim() ?? ''
    );
  };
  await rig.until((text) => text.includes('away'));
  expect(['here', 'away', 'moved', 'unknown'].map((id) => stateOf(id))).toEqual(['–', '–', '–', '–']);
  monitor.set(
    readingsOf({
      clientScan: scanOf(clients, {
        finishedAtMs: 5,
        coverage: new Map([
          [node1, { ...readWhole(1), beganAtMs: steadyNowMs() }],
          [node2, { ...readWhole(1), isComplete: false }],
        ]),
      }),
    }),
  );
  await rig.until((text) => / no /.test(text));
  expect(['late', 'close', 'ageless'].map((id) => stateOf(id))).toEqual(['–', '–', '–']);
  expect(['here', 'away', 'moved', 'unknown'].map((id) => stateOf(id))).toEqual(['yes', 'no', 'no', '–']);
  // During the next scan the last complete one counts.
  monitor.set(readingsOf({ clientScan: scanOf(clients, { phase: 'running', finishedAtMs: 5, coverage: new Map() }) }));
  rig.type('/conn:no');
  await rig.until((text) => text.includes('2 of 7') && !text.includes('here'));
  expect(monitor.watching.map(watchKey)).toContainEqual('clientScan');
});

test('shows pending acknowledgements in a variant without delivery counts', async () => {
  const monitor = monitorOf(
    [
      sessionOf('x', {
        node: node1,
        delivered: undefined,
        enqueued: undefined,
        subscriptions: undefined,
        awaitingAck: 7,
        awaitingComp: 0,
      }),
    ],
    { capabilities: variants.a.capabilities },
  );
  const rig = open(monitor, [410, 10]);
  const [header = ''] = await rig.until((text) => text.includes('AWAIT PUBACK'));
  expect(header).not.toMatch(/DELIVER|ENQUEUE|SUBS/u);
  expect(cellsByHeader(header, rig.lines()[1])).toMatchObject({
    'CLIENT ID': 'x',
    'AWAIT PUBREL': '2',
    'AWAIT PUBACK': '7',
    'AWAIT PUBCOMP': '0',
  });
});

test('shows the columns of the variant once it is detected', async () => {
  const monitor = monitorOf(devices(2), { capabilities: undefined });
  const rig = open(monitor, [410, 10]);
  expect(rig.lines()[0]).toMatch(/DELIVERED.*AWAIT PUBACK/);
  monitor.set({ capabilities: variants.a.capabilities });
  await rig.until((text) => !text.includes('DELIVERED'));
});

test('shows unknown as –, and zero as 0', async () => {
  const nothing = {
    createdAt: undefined,
    node: undefined,
    maxInflight: undefined,
    inflight: undefined,
    queueLength: undefined,
    dropped: undefined,
    awaitingRel: undefined,
    subscriptions: undefined,
    delivered: undefined,
    enqueued: undefined,
    cleanSession: undefined,
  };
  const zero = sessionOf('zero', {
    node: node1,
    inflight: 0,
    maxInflight: 0,
    queueLength: 0,
    dropped: 0,
    awaitingRel: 0,
    subscriptions: 0,
    delivered: 0,
    enqueued: 0,
  });
  const rig = open(monitorOf([sessionOf('odd', { ...nothing, unparsed: { createdAt: 'noon' } }), zero]), [410, 10]);
  await rig.until((text) => text.includes('zero'));
  const [id, ...odd] = cellsOf(rig, 'odd');
  expect(id).toBe('odd');
  expect(odd.slice(-2)).toEqual(['noon', 'noon']);
  expect(new Set(odd.slice(0, -2))).toEqual(new Set(['–']));
  expect(cellsOf(rig, 'zero').join(' ')).toContain(' 0/0 0 – 0 – – – 0 0 0 0 ');
});

test('shows an unparsed half of the inflight window as sent', async () => {
  const half = sessionOf('half', { inflight: 12, maxInflight: undefined, unparsed: { maxInflight: 'many' } });
  const other = sessionOf('other', { inflight: undefined, maxInflight: 32, unparsed: { inflight: 'few' } });
  const rig = open(monitorOf([half, other]));
  await rig.until((text) => text.includes('other'));
  expect(cellsOf(rig, 'half')).toContain('12/many');
  expect(cellsOf(rig, 'other')).toContain('few/32');
});

test('marks a full window without colour', async () => {
  const rig = open(monitorOf([sessionOf('full', { inflight: 32 }), sessionOf('free', { inflight: 31 })]));
  await rig.until((text) => text.includes('full'));
  expect(cellsOf(rig, 'full')).toContain('! 32/32');
  expect(cellsOf(rig, 'free')).toContain('31/32');
});

test('computes rates from the second reading on, except for a restarted session', async () => {
  const before = [
    sessionOf('busy', { node: node1, delivered: 100, enqueued: 50, queueLength: 30 }),
    sessionOf('calm', { node: node1 }),
    sessionOf('anew', { node: node2 }),
  ];
  const monitor = monitorOf(before);
  const rig = open(monitor, [410, 10]);
  await rig.until((text) => text.includes('busy'));
  const queueAt = cellsOf(rig, 'CLIENT ID').findIndex((header) => /^QUEUE(?: [▲▼])?$/u.test(header));
  const figuresOf = (id: string): readonly string[] => cellsOf(rig, id).slice(queueAt, queueAt + 6);
  expect(figuresOf('busy')).toEqual(['30', '–', '! 3', '–', '–', '–']);
  const [busy = sessionOf('none'), calm = sessionOf('none'), anew = sessionOf('none')] = before;
  const after = [
    { ...busy, delivered: 110, enqueued: 51, queueLength: 20 },
    calm,
    { ...anew, createdAt: brokerClock, delivered: 5_000 },
  ];
  monitor.set(readingsOf({ sessionScan: scanOf(after, { startedAtMs: steadyNowMs(), coverage: readAt(5_000) }) }));
  await rig.until((text) => text.includes('2.5/s'));
  expect(figuresOf('busy')).toEqual(['20', '-2.5/s', '! 3', '0/s', '2.5/s', '0.3/s']);
  expect(figuresOf('calm')).toEqual(['17', '0/s', '! 3', '0/s', '0/s', '0/s']);
  expect(figuresOf('anew')).toEqual(['17', '–', '! 3', '–', '–', '–']);
});

test('sorts by a rate, unknown last', async () => {
  const before = [
    sessionOf('a', { node: node1, delivered: 0 }),
    sessionOf('b', { node: node1, delivered: 0 }),
    sessionOf('c', { node: node2, delivered: undefined }),
  ];
  const monitor = monitorOf(before);
  const rig = open(monitor, [410, 10]);
  const after = before.map((session, index) =>
    session.delivered === undefined ? session : { ...session, delivered: 10 * (index + 1) },
  );
  monitor.set(readingsOf({ sessionScan: scanOf(after, { coverage: readAt(2_000) }) }));
  await rig.until((text) => text.includes('10/s'));
  const sorting = (text: string): string | undefined => /sorted by ([^,]*?)(?:,| {2}|$)/mu.exec(text)?.[1];
  for (let presses = 0; presses < 40 && sorting(rig.lines().join('\n')) !== 'deliver/s'; presses += 1) {
    const before = sorting(rig.lines().join('\n'));
    rig.type('s');
    await rig.until((text) => sorting(text) !== before);
  }
  expect(rig.lines().join()).toContain('sorted by deliver/s, largest first');
  expect(
    rig
      .lines()
      .slice(1, 4)
      .map((line) => line.slice(1, 2)),
  ).toEqual(['b', 'a', 'c']);
  rig.type('r');
  await rig.until((text) => !text.includes('largest first'));
  expect(
    rig
      .lines()
      .slice(1, 4)
      .map((line) => line.slice(1, 2)),
  ).toEqual(['a', 'b', 'c']);
});

test('marks the counters of an offline client with their age, without rates, until they change', async () => {
  const monitor = monitorOf([]);
  const rig = open(monitor, [410, 10]);
  const readAll = (at: number, queueLength: number): void => {
    const sessions = [sessionOf('away', { node: node1, queueLength }), sessionOf('here', { node: node1 })];
    const clientScan = scanOf([clientOf('here', { node: node1 })], {
      finishedAtMs: steadyNowMs() - 60_000 + at,
      coverage: new Map([[node1, { ...readWhole(1), beganAtMs: steadyNowMs() }]]),
    });
    monitor.set(readingsOf({ clientScan }));
    monitor.set(
      readingsOf({
        sessionScan: scanOf(sessions, {
          startedAtMs: steadyNowMs() - 59_000 + at,
          finishedAtMs: steadyNowMs() - 58_000 + at,
          coverage: readAt(at),
        }),
      }),
    );
  };
  const rowOf = (id: string): string => rig.lines().find((line) => line.includes(id)) ?? '';
  readAll(1_000, 17);
  readAll(21_000, 17);
  readAll(31_000, 17);
  await rig.until((text) => text.includes(`stopped ≥`));
  expect(rowOf('away')).toMatch(pattern`no +– +4/32 \? +17 \? +– +! 3 \? +– .* 1,234 \? .* stopped ≥\d\d s `);
  expect(rowOf('here')).toMatch(pattern`yes +ok +4/32 +17 +0/s +! 3 +0/s .* live `);
  // One jump gives no rate.
  readAll(41_000, 27);
  await rig.until(() => pattern`no .* live `.test(rowOf('away')));
  expect(rowOf('away')).toMatch(pattern`no +··· +4/32 +27 +– +! 3 +– .* live `);
  for (const at of [46_000, 51_000, 56_000]) readAll(at, 27);
  readAll(61_000, 72);
  await rig.until(() => rowOf('away').includes('+2/s'));
  monitor.set(
    readingsOf({
      sessionScan: { ...reading(monitor.store.getState(), sessionScan), finishedAtMs: steadyNowMs() - 65_000 },
    }),
  );
  await rig.until(() => /1m 0\ds old/u.test(rowOf('here')));
});

test('Enter opens the client of a session, or an id without a row', async () => {
  const monitor = monitorOf(devices(2));
  const rig = open(monitor);
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'device-1' }]);
  rig.type('/');
  await rig.until((text) => text.includes('/regex/'));
  rig.type('offline-9');
  await rig.until((text) => text.includes('No session matches. Press Enter twice to open client "offline-9".'));
  rig.type('\r');
  await rig.until((text) => text.includes('No session matches. Press Enter to open client "offline-9".'));
  rig.type('\r');
  await expect.poll(() => monitor.places[1]).toEqual({ screen: 'client', clientId: 'offline-9' });
});

test('shows loading, empty, failed and stopped differently', () => {
  const nothing = scanOf<Session>([], { coverage: new Map(), startedAtMs: undefined, finishedAtMs: undefined });
  const states = {
    loading: { ...nothing, phase: 'running' as const },
    empty: scanOf<Session>([]),
    failed: { ...nothing, phase: 'idle' as const, error: new TimeoutError(5_000) },
    stopped: { ...nothing, phase: 'aborted' as const },
  };
  const texts = Object.values(states).map(
    (sessionScan) => open(monitorOf([], readingsOf({ sessionScan }))).lines()[1] ?? '',
  );
  expect(texts[0]).toContain('··· loading the sessions');
  expect(texts[1]).toContain('No sessions.');
  expect(texts[2]).toMatch(/! Cannot load sessions, .*\. The broker did not respond within 5 s\. I/u);
  expect(texts[3]).toContain('Stopped before the first session was read.');
});

test('marks NEW, GONE and OLD; x stops the scan', async () => {
  const [first = sessionOf('none'), second = sessionOf('none'), third = sessionOf('none')] = devices(3);
  const coverage = new Map([
    [node1, readWhole(2)],
    [node2, { ...readWhole(0), isComplete: false, error: new TimeoutError(5_000) }],
  ]);
  const monitor = monitorOf(
    [],
    readingsOf({
      sessionScan: scanOf([first, second], { phase: 'partial', coverage, added: new Set(['device-0']), gone: [third] }),
    }),
  );
  const rig = open(monitor);
  const lines = await rig.until((text) => text.includes('GONE'));
  expect(lines.slice(1, 4).map((line) => /(\w+)\s*$/.exec(line)?.[1])).toEqual(['GONE', 'OLD', 'NEW']);
  expect(lines.at(-2)).toContain('1 NEW · 1 GONE');
  rig.type('x');
  await expect.poll(() => monitor.calls).toEqual(['abortScan']);
});

test('shows only the sessions of its scope, and names it', async () => {
  const monitor = monitorOf([...devices(4), sessionOf('twin', { node: `${node1}0` })]);
  const rig = open(monitor, [100, 12], { kind: 'node', node: node1 });
  const lines = await rig.until((text) => text.includes('device-2'));
  expect(lines[0]).toMatch(/^ Sessions › broker1@127\.0\.0\.1 +Esc back $/);
  expect(lines).toHaveLength(12);
  expect(lines.join('\n')).not.toMatch(/device-1|device-3|twin/);
  expect(lines.at(-1)).toContain('showing 2 of 2');
  const one = open(monitor, [100, 12], { kind: 'client', clientId: 'device-3' });
  expect((await one.until((text) => text.includes('device-3'))).at(-1)).toContain('showing 1 of 1');
  const none = open(monitor, [100, 12], { kind: 'client', clientId: 'nobody' });
  expect(none.lines()[2]).toContain('No session found here.');
});

test('escapes hostile names, also in the heading and on a plain terminal', async () => {
  const hostile = `${escape}]0;owned\u0007\u202Eevil`;
  const monitor = monitorOf([sessionOf(hostile, { node: hostile }), sessionOf('x'.repeat(65_000), { node: hostile })]);
  const rig = createRig(<SessionsScreen {...propsOf(monitor, [80, 18])} scope={{ kind: 'node', node: hostile }} />, {
    columns: 80,
    rows: 18,
    theme: asciiTheme,
  });
  const lines = await rig.until((text) => text.includes('owned'));
  expect(lines[0]).toContain(String.raw`Sessions > \x1b]0;owned\x07\u202eevil`);
  expect(rig.raw()).not.toContain(escape);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('watches only the scans, the clocks and the limits of queues', async () => {
  const monitor = monitorOf(devices(1));
  const rig = open(monitor, [139, 20]);
  await rig.until((text) => text.includes('device-0'));
  await expect.poll(() => monitor.watching.map(watchKey)).toEqual(['sessionScan', 'nodes', 'clientScan', 'settings']);
});

test('formats growth with a sign, and never rounds it to 0', () => {
  expect([3, -0.4, 0, 0.01, -0.01, undefined].map((value) => String(formatGrowth(value)))).toEqual([
    '+3/s',
    '-0.4/s',
    '0/s',
    '+<0.1/s',
    '-<0.1/s',
    '–',
  ]);
});

test('opens worst first: losing most, full or soonest full, longest queue; unknown last, equal ones by id', async () => {
  const sessions = ['y', 'x', 'unknown', 'short', 'long', 'soon', 'full', 'losing', 'leaking'].map((id) =>
    sessionOf(id, {
      node: node1,
      dropped: 0,
      queueLength:
        id === 'unknown'
          ? undefined
          : ({ short: 5, long: 200, soon: 100, full: 1_000, losing: 20, leaking: 30 }[id] ?? 0),
    }),
  );
  const settings = ready(
    new Map([[node1, [{ key: 'mqtt.mqueue.max_length', value: '1000', dataType: 'integer', app: 'emqttd' }]]]),
  );
  const monitor = monitorOf(sessions, readingsOf({ settings }));
  const rig = open(monitor, [160, 14]);
  const ids = (): readonly string[] =>
    rig
      .lines()
      .slice(1, 10)
      .map((line) => line.slice(1).trim().split(' ')[0] ?? '');
  await rig.until((text) => text.includes('losing'));
  expect(ids()).toEqual(['full', 'long', 'soon', 'leaking', 'losing', 'short', 'x', 'y', 'unknown']);
  const after = sessions.map((session) => ({
    ...session,
    ...(session.clientId === 'soon' ? { queueLength: 140 } : {}),
    ...(session.clientId === 'losing' ? { dropped: 9 } : {}),
    ...(session.clientId === 'leaking' ? { dropped: 1 } : {}),
  }));
  monitor.set(readingsOf({ sessionScan: scanOf(after, { startedAtMs: steadyNowMs(), coverage: readAt(5_000) }) }));
  await rig.until((text) => text.includes('+10/s'));
  const problems = ['losing', 'full', 'soon', 'long', 'unknown'].map((id) => cellsOf(rig, id)[3]);
  expect(problems).toEqual(['losing 2.3/s', 'queue full', 'full in <2 min', 'ok', unknownText]);
  expect(ids()).toEqual(['losing', 'leaking', 'full', 'soon', 'long', 'short', 'x', 'y', 'unknown']);
  rig.type('s');
  await rig.until((text) => text.includes('CLIENT ID ▲'));
  rig.type('<');
  await rig.until((text) => text.includes('worst first'));
  expect(ids()).toEqual(['losing', 'leaking', 'full', 'soon', 'long', 'short', 'x', 'y', 'unknown']);
});

test('a problem does not end with one quiet reading', async () => {
  // The queue of `slow` grows in two readings, `lossy` loses messages in the second.
  const at = (reading: number): readonly Session[] => [
    sessionOf('slow', { node: node1, dropped: 0, queueLength: Math.min(200, 100 + 50 * reading) }),
    sessionOf('lossy', { node: node1, dropped: reading < 2 ? 0 : 30, queueLength: 90 }),
  ];
  const monitor = monitorOf(at(0), { watched: [sessionScan] });
  const rig = open(monitor, [160, 14]);
  const problems = (): readonly (string | undefined)[] => ['slow', 'lossy'].map((id) => cellsOf(rig, id)[3]);
  const startedMs = steadyNowMs();
  const read = async (reading: number, shown: readonly string[]): Promise<void> => {
    monitor.set(
      readingsOf({
        sessionScan: scanOf(at(reading), {
          startedAtMs: startedMs,
          finishedAtMs: startedMs + 5_000 * reading,
          coverage: readAt(1_000 + 5_000 * reading),
        }),
      }),
    );
    await expect.poll(problems, { timeout: 3_000 }).toEqual(shown);
  };
  await rig.until((text) => text.includes('lossy'));
  await read(1, ['queue growing', 'ok']);
  await read(2, ['queue growing', 'losing 6/s']);
  // Averaged over the quiet reading.
  await read(3, ['queue growing', 'losing 3/s']);
  expect(problems()).not.toContain('ok');
});

test.each([
  [80, ['PROBLEM', 'INFLIGHT', 'QUEUE', 'NODE']],
  [60, ['NODE', 'INFLIGHT', 'QUEUE']],
] as const)('shows at %i columns %s', async (width, headers) => {
  const [header = ''] = await open(monitorOf([sessionOf('a-longer-client-id-0001', { node: node1 })]), [
    width,
    12,
  ]).until((text) => text.includes('0001'));
  for (const name of headers) expect(header).toContain(name);
});

test('full windows, full queues and growing drops have a role, except as of a disconnect', () => {
  const rolesOf = (row: SessionRow): readonly string[] =>
    sessionColumns(true).flatMap((column) => {
      const spans = column.spans?.(row, cellContext(asciiTheme, 12, { nowMs: 0, clockOf: () => undefined }));
      return spans === undefined
        ? []
        : [`${column.id} ${spans.map(({ text, role }) => `${text.trim()} ${role}`).join('')}`];
    });
  const session = sessionOf('slow', { inflight: 32, maxInflight: 32, queueLength: 1_000, dropped: 7 });
  const rates = { ...unknownRates, droppedPerSecond: 2 };
  expect(rolesOf({ session, rates, queueLimit: 1_000, isConnected: true })).toEqual([
    'problem losing 2/s error',
    'inflight ! 32/32 warning',
    'queue 1,000 error',
    'dropped ! 7 error',
    'drop 2/s error',
  ]);
  expect(
    rolesOf({
      session: { ...session, inflight: 31 },
      rates: { ...rates, droppedPerSecond: 0, queuePerSecond: 0 },
      queueLimit: 1_001,
      isConnected: false,
    }),
  ).toEqual(['problem ok dim']);
  expect(
    rolesOf({ session: { ...session, inflight: 31 }, rates: unknownRates, queueLimit: 1_001, isConnected: true }),
  ).toEqual(['problem ··· dim']);
  expect(rolesOf({ session, rates, queueLimit: 1_000, isConnected: false, isFrozen: true })).toEqual(['problem – dim']);
});
