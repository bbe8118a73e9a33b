import { afterEach, expect, test } from 'vitest';
import { variants } from '../../../src/api/dialects/emq-v2/variants.ts';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { Session } from '../../../src/domain/client.ts';
import { formatGrowth } from '../../../src/ui/screens/sessions/columns.ts';
import { SessionsScreen } from '../../../src/ui/screens/sessions/sessions.tsx';
import { asciiTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';
import { brokerClock, clientOf, createFakeMonitor, type FakeMonitor, infoOf, propsOf, readWhole, ready, scanOf, sessionOf, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const node1 = 'broker1@127.0.0.1';
const node2 = 'broker2@127.0.0.1';
const escape = '\u001B';

const devices = (count: number): readonly Session[] => Array.from({ length: count }, (_, index) =>
  sessionOf(`device-${index}`, { node: index % 2 === 0 ? node1 : node2, queueLength: index, createdAt: brokerClock - index * 100 }));

/** Both nodes read to the end at this moment. */
const readAt = (readAtMs: number) => new Map([node1, node2].map((node) => [node, { ...readWhole(2), readAtMs }]));

const monitorOf = (sessions: readonly Session[], patch: Parameters<typeof createFakeMonitor>[0] = {}): FakeMonitor => {
  const monitor = createFakeMonitor({ sessionScan: scanOf(sessions, { coverage: readAt(1_000) }), capabilities: variants.b.capabilities, ...patch });
  monitor.setResources({ nodes: ready([infoOf(node1), infoOf(node2)]) });
  return monitor;
};

const open = (monitor: FakeMonitor, [columns, rows]: readonly [number, number] = [200, 20], scope?: Parameters<typeof SessionsScreen>[0]['scope']): Rig =>
  createRig(<SessionsScreen {...propsOf(monitor, [columns, rows])} scope={scope} />, { columns, rows });

const cellsOf = (rig: Rig, id: string): readonly string[] =>
  (rig.lines().find((line) => line.includes(id)) ?? '').slice(1).trim().split(/\s{2,}/);

test.each(sizes)('fills %i by %i, with inflight, queue and dropped at each', async (width, height) => {
  const lines = await open(monitorOf(devices(60)), [width, height]).until((text) => text.includes('device-3'));
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(/CLIENT ID ▲.*INFLIGHT +QUEUE .*DROPPED/);
  expect(lines[4]).toMatch(/device-3 .* 4\/32 +3 .*! 3/);
  expect(lines.at(-1)).toContain('60 of 60');
});

test('a variant that counts deliveries shows them, and not what it lacks', async () => {
  const [header = ''] = await open(monitorOf(devices(2)), [260, 10]).until((text) => text.includes('device-1'));
  expect(header.trim().split(/\s{2,}/)).toEqual([
    'CLIENT ID ▲', 'NODE', 'CONN', 'INFLIGHT', 'QUEUE', 'QUEUE/S', 'DROPPED', 'DROP/S', 'DELIVER/S', 'ENQUEUE/S', 'DELIVERED', 'ENQUEUED', 'SUBS', 'AWAIT REL', 'COUNTERS', 'CLEAN', 'CREATED', 'CREATED AT',
  ]);
});

test('counters that nobody knows here say why, with the nodes to ask; what is wrong with the list goes first', async () => {
  const unknown = { maxInflight: undefined, inflight: undefined, queueLength: undefined, dropped: undefined, awaitingRel: undefined, subscriptions: undefined, delivered: undefined, enqueued: undefined };
  const far = ['x', 'y'].map((id) => sessionOf(id, { node: node2, ...unknown }));
  const show = async (sessions: readonly Session[], size?: readonly [number, number]): Promise<string> =>
    (await open(monitorOf(sessions), size).until((text) => text.includes('x '))).join('\n');
  expect(await show([sessionOf('near', { node: node1 }), ...far], [120, 20])).toContain(`counters of sessions on ${node2} unknown: ask its own address, with --url`);
  expect(await show([...far, sessionOf('z', { node: node1, ...unknown })])).toContain(`counters of sessions on ${node1}, ${node2} unknown: ask their own addresses, with --url`);
  expect(await show([sessionOf('near', { node: node1 }), sessionOf('x', { node: node2, queueLength: undefined })])).not.toContain('counters');
  const broken = monitorOf(far, { sessionScan: scanOf(far, { phase: 'aborted', coverage: readAt(1_000) }) });
  expect((await open(broken).until((text) => text.includes('x '))).join('\n')).toContain('before all was read');
});

test.each([[80, 18], [120, 34]] as const)('says at %i by %i who is connected, as far as the lists of clients were read', async (width, height) => {
  const sessions = [
    sessionOf('here', { node: node1 }), sessionOf('away', { node: node1 }), sessionOf('moved', { node: node1 }), sessionOf('unknown', { node: node2 }),
    // Made after the clients had been read, in that second, and nobody knows when.
    sessionOf('late', { node: node1, createdAt: brokerClock + 10 }), sessionOf('close', { node: node1, createdAt: brokerClock + 1 }), sessionOf('ageless', { node: node1, createdAt: undefined }),
  ];
  const clients = [clientOf('here', { node: node1 }), clientOf('moved', { node: node2 })];
  const monitor = monitorOf(sessions);
  const rig = open(monitor, [width, height]);
  const stateOf = (id: string): string => {
    const at = rig.lines()[0]?.indexOf('CONN') ?? -1;
    return rig.lines().find((line) => line.includes(id))?.slice(at, at + 6).trim() ?? '';
  };
  await rig.until((text) => text.includes('away'));
  expect(['here', 'away', 'moved', 'unknown'].map((id) => stateOf(id))).toEqual(['–', '–', '–', '–']);
  monitor.set({ clientScan: scanOf(clients, { finishedAtMs: 5, coverage: new Map([[node1, { ...readWhole(1), beganAtMs: Date.now() }], [node2, { ...readWhole(1), isComplete: false }]]) }) });
  await rig.until((text) => text.includes('absent'));
  expect(['late', 'close', 'ageless'].map((id) => stateOf(id))).toEqual(['–', '–', '–']);
  expect(['here', 'away', 'moved', 'unknown'].map((id) => stateOf(id))).toEqual(['yes', 'absent', 'absent', '–']);
  // While it is read anew, what was read to its end holds.
  monitor.set({ clientScan: scanOf(clients, { phase: 'running', finishedAtMs: 5, coverage: new Map() }) });
  rig.type('/conn:absent');
  await rig.until((text) => text.includes('2 of 7') && !text.includes('here'));
  expect(monitor.watching).toContainEqual({ kind: 'clientScan' });
});

test('a variant without them shows what awaits an answer', async () => {
  const monitor = monitorOf([sessionOf('x', { node: node1, delivered: undefined, enqueued: undefined, subscriptions: undefined, awaitingAck: 7, awaitingComp: 0 })], { capabilities: variants.a.capabilities });
  const rig = open(monitor, [260, 10]);
  const [header = ''] = await rig.until((text) => text.includes('AWAIT ACK'));
  expect(header.trim().split(/\s{2,}/)).toEqual([
    'CLIENT ID ▲', 'NODE', 'CONN', 'INFLIGHT', 'QUEUE', 'QUEUE/S', 'DROPPED', 'DROP/S', 'AWAIT REL', 'AWAIT ACK', 'AWAIT COMP', 'COUNTERS', 'CLEAN', 'CREATED', 'CREATED AT',
  ]);
  expect(cellsOf(rig, '▸x').slice(8, 11)).toEqual(['2', '7', '0']);
});

test('the columns of a variant come when it has been found out', async () => {
  const monitor = monitorOf(devices(2), { capabilities: undefined });
  const rig = open(monitor, [260, 10]);
  expect(rig.lines()[0]).toMatch(/DELIVERED.*AWAIT ACK/);
  monitor.set({ capabilities: variants.a.capabilities });
  await rig.until((text) => !text.includes('DELIVERED'));
});

test('what is not known is –, and zero is 0', async () => {
  const nothing = { createdAt: undefined, node: undefined, maxInflight: undefined, inflight: undefined, queueLength: undefined, dropped: undefined, awaitingRel: undefined, subscriptions: undefined, delivered: undefined, enqueued: undefined, cleanSession: undefined };
  const zero = sessionOf('zero', { node: node1, inflight: 0, maxInflight: 0, queueLength: 0, dropped: 0, awaitingRel: 0, subscriptions: 0, delivered: 0, enqueued: 0 });
  const rig = open(monitorOf([sessionOf('odd', { ...nothing, unparsed: { createdAt: 'noon' } }), zero]), [260, 10]);
  await rig.until((text) => text.includes('zero'));
  expect(cellsOf(rig, 'odd')).toEqual(['odd', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', '–', 'noon', 'noon']);
  expect(cellsOf(rig, 'zero').slice(3, 14)).toEqual(['0/0', '0', '–', '0', '–', '–', '–', '0', '0', '0', '0']);
});

test('of what is on its way and how much may be, each half stands as the broker wrote it where it was not understood', async () => {
  const half = sessionOf('half', { inflight: 12, maxInflight: undefined, unparsed: { maxInflight: 'many' } });
  const other = sessionOf('other', { inflight: undefined, maxInflight: 32, unparsed: { inflight: 'few' } });
  const rig = open(monitorOf([half, other]));
  await rig.until((text) => text.includes('other'));
  expect(cellsOf(rig, 'half')).toContain('12/many');
  expect(cellsOf(rig, 'other')).toContain('few/32');
});

test('a full window is marked, without colour', async () => {
  const rig = open(monitorOf([sessionOf('full', { inflight: 32 }), sessionOf('free', { inflight: 31 })]));
  await rig.until((text) => text.includes('full'));
  expect(cellsOf(rig, 'full')).toContain('! 32/32');
  expect(cellsOf(rig, 'free')).toContain('31/32');
});

test('rates come with the second reading, over the time between the two; a session that restarted has none', async () => {
  const before = [sessionOf('busy', { node: node1, delivered: 100, enqueued: 50, queueLength: 30 }), sessionOf('calm', { node: node1 }), sessionOf('anew', { node: node2 })];
  const monitor = monitorOf(before);
  const rig = open(monitor, [260, 10]);
  await rig.until((text) => text.includes('busy'));
  expect(cellsOf(rig, 'busy').slice(4, 10)).toEqual(['30', '–', '! 3', '–', '–', '–']);
  const [busy = sessionOf('none'), calm = sessionOf('none'), anew = sessionOf('none')] = before;
  const after = [{ ...busy, delivered: 110, enqueued: 51, queueLength: 20 }, calm, { ...anew, createdAt: brokerClock, delivered: 5_000 }];
  monitor.set({ sessionScan: scanOf(after, { startedAtMs: Date.now(), coverage: readAt(5_000) }) });
  await rig.until((text) => text.includes('2.5/s'));
  expect(cellsOf(rig, 'busy').slice(4, 10)).toEqual(['20', '-2.5/s', '! 3', '0/s', '2.5/s', '0.3/s']);
  expect(cellsOf(rig, 'calm').slice(4, 10)).toEqual(['17', '0/s', '! 3', '0/s', '0/s', '0/s']);
  expect(cellsOf(rig, 'anew').slice(4, 10)).toEqual(['17', '–', '! 3', '–', '–', '–']);
});

test('can be sorted by a rate, with what is not known last', async () => {
  const before = [sessionOf('a', { node: node1, delivered: 0 }), sessionOf('b', { node: node1, delivered: 0 }), sessionOf('c', { node: node2, delivered: undefined })];
  const monitor = monitorOf(before);
  const rig = open(monitor, [260, 10]);
  const after = before.map((session, index) => (session.delivered === undefined ? session : { ...session, delivered: 10 * (index + 1) }));
  monitor.set({ sessionScan: scanOf(after, { coverage: readAt(2_000) }) });
  await rig.until((text) => text.includes('10/s'));
  for (const sorted of ['node', 'conn', 'inflight', 'queue', 'queue/s', 'dropped', 'drop/s', 'deliver/s']) {
    rig.type('s');
    await rig.until((text) => new RegExp(`sorted by ${sorted}[ ,]`).test(text));
  }
  expect(rig.lines().join()).toContain('sorted by deliver/s, largest first');
  expect(rig.lines().slice(1, 4).map((line) => line.slice(1, 2))).toEqual(['b', 'a', 'c']);
  rig.type('r');
  await rig.until((text) => !text.includes('largest first'));
  expect(rig.lines().slice(1, 4).map((line) => line.slice(1, 2))).toEqual(['a', 'b', 'c']);
});

test('marks counters of an offline client with their age, and shows no rate of them, until they move', async () => {
  const monitor = monitorOf([]);
  const rig = open(monitor, [260, 10]);
  const readAll = (at: number, queueLength: number): void => {
    const sessions = [sessionOf('away', { node: node1, queueLength }), sessionOf('here', { node: node1 })];
    const clientScan = scanOf([clientOf('here', { node: node1 })], { finishedAtMs: Date.now() - 60_000 + at, coverage: new Map([[node1, { ...readWhole(1), beganAtMs: Date.now() }]]) });
    monitor.set({ clientScan });
    monitor.set({ sessionScan: scanOf(sessions, { startedAtMs: Date.now() - 59_000 + at, finishedAtMs: Date.now() - 58_000 + at, coverage: readAt(at) }) });
  };
  const rowOf = (id: string): string => rig.lines().find((line) => line.includes(id)) ?? '';
  readAll(1_000, 17);
  readAll(11_000, 17);
  readAll(21_000, 17);
  await rig.until((text) => text.includes('disconnect >='));
  expect(rowOf('away')).toMatch(/absent +4\/32 \? +17 \? +– +! 3 \? +– .* 1,234 \? .* disconnect >=\d\d s /);
  expect(rowOf('here')).toMatch(/yes +4\/32 +17 +0\/s +! 3 +0\/s .* live /);
  readAll(31_000, 27);
  await rig.until(() => /absent .* live /.test(rowOf('away')));
  expect(rowOf('away')).toMatch(/absent +4\/32 +27 +\+1\/s +! 3 +0\/s .* live /);
});

test('Enter opens the client of a session, and an id that no row has', async () => {
  const monitor = monitorOf(devices(2));
  const rig = open(monitor);
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'device-0' }]);
  rig.type('/');
  await rig.until((text) => text.includes('/regex/'));
  rig.type('offline-9');
  await rig.until((text) => text.includes('No session here matches. Enter twice opens "offline-9" directly.'));
  rig.type('\r');
  await rig.until((text) => text.includes('matches. Enter opens "offline-9" directly.'));
  rig.type('\r');
  await expect.poll(() => monitor.places[1]).toEqual({ screen: 'client', clientId: 'offline-9' });
});

test('loading, empty, failed and stopped look different', () => {
  const nothing = scanOf<Session>([], { coverage: new Map(), startedAtMs: undefined, finishedAtMs: undefined });
  const states = {
    loading: { ...nothing, phase: 'running' as const },
    empty: scanOf<Session>([]),
    failed: { ...nothing, phase: 'idle' as const, error: new TimeoutError(5_000) },
    stopped: { ...nothing, phase: 'aborted' as const },
  };
  const texts = Object.values(states).map((sessionScan) => open(monitorOf([], { sessionScan })).lines()[1] ?? '');
  expect(texts[0]).toContain('··· reading the sessions');
  expect(texts[1]).toContain('There is no session.');
  expect(texts[2]).toMatch(/No session could be read.*did not answer within 5 s/);
  expect(texts[3]).toContain('Stopped before a session was read.');
});

test('NEW, GONE and OLD are marked, and x stops this scan', async () => {
  const [first = sessionOf('none'), second = sessionOf('none'), third = sessionOf('none')] = devices(3);
  const coverage = new Map([[node1, readWhole(2)], [node2, { ...readWhole(0), isComplete: false, error: new TimeoutError(5_000) }]]);
  const monitor = monitorOf([], { sessionScan: scanOf([first, second], { phase: 'partial', coverage, added: new Set(['device-0']), gone: [third] }) });
  const rig = open(monitor);
  const lines = await rig.until((text) => text.includes('GONE'));
  expect(lines.slice(1, 4).map((line) => /(\w+)\s*$/.exec(line)?.[1])).toEqual(['NEW', 'OLD', 'GONE']);
  expect(lines.at(-2)).toContain('1 new · 1 gone');
  rig.type('x');
  await expect.poll(() => monitor.calls).toEqual(['abortScan']);
});

test('narrowed to a node or a client it says so, and shows nothing else', async () => {
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
  expect(none.lines()[2]).toContain('No session of it was found.');
});

test('hostile names act on nothing, also in the heading and on a plain terminal', async () => {
  const hostile = `${escape}]0;owned\u0007\u202Eevil`;
  const monitor = monitorOf([sessionOf(hostile, { node: hostile }), sessionOf('x'.repeat(65_000), { node: hostile })]);
  const rig = createRig(<SessionsScreen {...propsOf(monitor, [80, 18])} scope={{ kind: 'node', node: hostile }} />, { columns: 80, rows: 18, theme: asciiTheme });
  const lines = await rig.until((text) => text.includes('owned'));
  expect(lines[0]).toContain(String.raw`Sessions > \x1b]0;owned\x07\u202eevil`);
  expect(rig.raw()).not.toContain(escape);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('watches the scan, the clocks and who is connected, nothing else', async () => {
  const monitor = monitorOf(devices(1));
  const rig = open(monitor);
  await rig.until((text) => text.includes('device-0'));
  await expect.poll(() => monitor.watching).toEqual([{ kind: 'sessionScan' }, { kind: 'resource', name: 'nodes' }, { kind: 'clientScan' }]);
});

test('growth has a sign, and is never rounded to none', () => {
  expect([3, -0.4, 0, 0.01, -0.01, undefined].map((value) => String(formatGrowth(value)))).toEqual(['+3/s', '-0.4/s', '0/s', '+<0.1/s', '-<0.1/s', '–']);
});
