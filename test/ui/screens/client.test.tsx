import { afterEach, expect, test } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/codes.ts';
import { NoAnswerError, NotFoundError, TimeoutError } from '../../../src/api/errors.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import type { ClientDetail, MonitorState, ResourceState } from '../../../src/monitor/state.ts';
import { AskContext, type AskRequest } from '../../../src/ui/dialogs/ask.ts';
import { ClientScreen } from '../../../src/ui/screens/clients/client.tsx';
import { createRig, endRigs, type Rig } from '../support/rig.tsx';
import { brokerClock, clientOf, createFakeMonitor, type FakeMonitor, infoOf, propsOf, ready, scanOf, sessionOf, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const topics = (count: number) => Array.from({ length: count }, (_, index) => ({ clientId: 'c-1', topic: `plant/${index}/#`, qos: index % 3, node: undefined }));

const whole: ClientDetail = {
  clients: [clientOf('c-1', { node: undefined, username: 'factory-a' })],
  sessions: [sessionOf('c-1')],
  subscriptions: topics(2),
};

const monitorOf = (state: ResourceState<ClientDetail> | undefined, clientId = 'c-1'): FakeMonitor => {
  const monitor = createFakeMonitor({ clientDetails: new Map(state === undefined ? [] : [[clientId, state]]) });
  monitor.setResources({ nodes: ready([infoOf('broker1@127.0.0.1'), infoOf('broker2@127.0.0.1')]) });
  return monitor;
};

const open = (monitor: FakeMonitor, size: readonly [number, number] = [80, 24], clientId = 'c-1'): Rig =>
  createRig(<ClientScreen {...propsOf(monitor, size)} clientId={clientId} />, { columns: size[0], rows: size[1] });

const textOf = (rig: Rig): string => rig.lines().join('\n');

test.each(sizes)('fills %i by %i', (width, height) => {
  const lines = open(monitorOf(ready(whole)), [width, height]).lines();
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(/^ CLIENT c-1 +● connected$/);
});

test('connection, session and subscriptions stand together at 80 by 18', () => {
  const text = textOf(open(monitorOf(ready(whole)), [80, 18]));
  expect(text).toMatch(/── Connection ─/);
  expect(text).toMatch(/address +10\.2\.4\.17:51220/);
  expect(text).toMatch(/username +factory-a/);
  expect(text).toMatch(/connected +2h 14m ago/);
  expect(text).toMatch(/connected at +2026-03-01 11:52:40/);
  expect(text).toMatch(/── Session ─/);
  expect(text).toMatch(/queued +17/);
  expect(text).toMatch(/dropped +3 !/);
  expect(text).toMatch(/awaiting ack +–/);
  expect(text).toMatch(/── Subscriptions ─+ 2 ─/);
  expect(text).toMatch(/QoS 0 +plant\/0\/#\n +QoS 1 +plant\/1\/#/);
  expect(text).toContain('3 requests · 12 ms');
});

test('opened while frozen it says that nothing is read, and shows nothing as all', () => {
  const monitor = monitorOf(undefined);
  monitor.set({ isFrozen: true });
  const text = textOf(open(monitor));
  expect(text).toContain('Not read: frozen. p goes on.');
  expect(text).not.toContain('reading');
  expect(text).not.toContain('···');
  expect(text).not.toContain('all shown');
});

test('zero, unknown and what could not be understood look different', () => {
  const session = sessionOf('c-1', { dropped: 0, queueLength: undefined, maxInflight: undefined, unparsed: { maxInflight: 'many' } });
  const text = textOf(open(monitorOf(ready({ ...whole, sessions: [session] }))));
  expect(text).toMatch(/dropped +0$/m);
  expect(text).toMatch(/queued +–/);
  expect(text).toMatch(/max inflight +many/);
});

test('before the first answer it reads; nothing is claimed', () => {
  const text = textOf(open(monitorOf(undefined)));
  expect(text.match(/··· reading/g)).toHaveLength(3);
  expect(text).not.toMatch(/connected$/m);
});

test('each part fails on its own', () => {
  const text = textOf(open(monitorOf(ready({ ...whole, sessions: new NoAnswerError(), subscriptions: errorOfCode(101, '\u001B[31m') })), [160, 24]));
  expect(text).toMatch(/username +factory-a/);
  expect(text).toMatch(/── Session ─+\n {2}! not read: closed, no answer \(L: log\)/);
  expect(text).toMatch(/── Subscriptions ─+\n {2}! not read: refused \(code 101\) \(L: log\)/);
});

test('when everything fails it says what and when it is tried again, and old data stays with its age', () => {
  const error = new TimeoutError(5_000);
  const failed = { error, nextAttemptAtMs: Date.now() + 9_500 };
  expect(textOf(open(monitorOf({ ...emptyResource<ClientDetail>(), ...failed }), [160, 24]))).toMatch(/this client: not read, tried again in \d+ s\. The broker did not answer/);
  const old = textOf(open(monitorOf({ ...ready(whole, 60_000), ...failed }), [160, 24]));
  expect(old).toMatch(/! this client: as read 1m 0\ds ago, tried again in \d+ s: no answer/);
  expect(old).toMatch(/username +factory-a/);
});

test('an offline client with a session is not connected', () => {
  const text = textOf(open(monitorOf(ready({ ...whole, clients: [] }))));
  expect(text).toMatch(/^ CLIENT c-1 +○ not connected, session kept$/m);
  expect(text).toMatch(/── Connection ─+\n {2}not connected/);
  expect(text).toMatch(/queued +17/);
  expect(text).toMatch(/── Session ─+ counters as of disconnect ──?$/m);
  const old = textOf(open(monitorOf(ready({ ...whole, clients: [], offline: { sinceMs: Date.now() - 130_000, isLive: false } }))));
  expect(old).toMatch(/── Session ─+ counters as of disconnect, >=2m 1\ds ago ──?$/m);
  for (const live of [whole, { ...whole, clients: [], offline: { sinceMs: 1, isLive: true } }]) expect(textOf(open(monitorOf(ready(live))))).not.toContain('as of');
});

test('two connections during a take-over are both shown', () => {
  const clients = [clientOf('c-1', { ipAddress: '10.0.0.1' }), clientOf('c-1', { ipAddress: '10.0.0.2', node: 'broker2@127.0.0.1' })];
  const text = textOf(open(monitorOf(ready({ ...whole, clients })), [80, 30]));
  expect(text).toContain('● connected 2 times (take-over)');
  expect(text).toMatch(/Connection 1 of 2[^]*10\.0\.0\.1:[^]*Connection 2 of 2[^]*10\.0\.0\.2:/);
});

test('an id that the broker does not know is said to be unknown', () => {
  const text = textOf(open(monitorOf(ready({ clients: [], sessions: [], subscriptions: [] }))));
  expect(text).toContain('The broker knows no client, session or subscription of this id.');
  expect(text).not.toContain('── Session');
});

test('the node comes from the list only when it means the same connection', () => {
  const monitor = monitorOf(ready(whole));
  monitor.set({ clientScan: scanOf([clientOf('c-1', { node: 'broker2@127.0.0.1' })]) });
  expect(textOf(open(monitor))).toMatch(/node +broker2@127\.0\.0\.1/);
  monitor.set({ clientScan: scanOf([clientOf('c-1', { node: 'broker2@127.0.0.1', connectedAt: brokerClock })]) });
  expect(textOf(open(monitor))).toMatch(/node +–/);
});

test('without a node there is an age only when all clocks agree', () => {
  const monitor = monitorOf(ready(whole));
  monitor.setResources({ nodes: ready([infoOf('broker1@127.0.0.1'), infoOf('broker2@127.0.0.1', { clock: brokerClock + 3_600 })]) });
  const text = textOf(open(monitor));
  expect(text).toMatch(/connected +–/);
  expect(text).toMatch(/connected at +2026-03-01 11:52:40/);
});

test('a long or hostile id is shown escaped, in full where it fits and with the mark of a cut where not, and then whole at the end', async () => {
  const hostile = `\u001B]52;c;aGk=\u0007${'é\u202E'.repeat(30)}`;
  const rig = open(monitorOf(ready(whole), hostile), [80, 24], hostile);
  expect(rig.lines().slice(1, 5).map((line) => line.trim()).join('')).toContain(String.raw`\x1b]52;c;aGk=\x07` + String.raw`é\u202e`.repeat(30));
  expect(rig.raw()).not.toContain('\u001B]');
  const endless = 'k'.repeat(65_000);
  const long = open(monitorOf(ready(whole), endless), [80, 24], endless);
  const lines = long.lines();
  expect(lines.find((line) => line.endsWith('…') && line.startsWith('  k'))).toBeDefined();
  expect(lines.join('\n')).toContain('(65,000 characters; the whole of it stands at the end)');
  expect(lines.join('\n')).toMatch(/queued +17/);
  const other = `${'k'.repeat(999)}end`;
  const listed = open(monitorOf(ready(whole), other), [80, 24], other);
  listed.type('G');
  const end = await listed.until((text) => text.includes('kend'));
  const from = end.findIndex((line) => line.startsWith('── Client id'));
  expect(end[from]).toContain('1,002 characters');
  expect(end.slice(from + 1, -1).map((line) => line.trim()).join('')).toBe(other);
});

test('what cannot be read is said whole, and K reads anew whom the id means', async () => {
  const asked: AskRequest[] = [];
  const failed = { ...emptyResource<ClientDetail>(), error: new NotFoundError(), nextAttemptAtMs: Date.now() + 9_000 };
  const rig = createRig(<AskContext value={(request) => { asked.push(request); }}><ClientScreen {...propsOf(monitorOf(failed), [80, 24])} clientId="c-1" /></AskContext>, { columns: 80, rows: 24 });
  expect(textOf(rig).replaceAll(/\s+/g, ' ')).toContain(failed.error.message);
  rig.type('K');
  await expect.poll(() => asked).toEqual([{ kind: 'read-client', clientId: 'c-1', node: undefined, wish: 'disconnect' }]);
});

test('many subscriptions are scrolled through, in natural order', async () => {
  const rig = open(monitorOf(ready({ ...whole, subscriptions: topics(3_000).toReversed() })), [80, 18]);
  rig.type('G');
  const end = await rig.until((text) => text.includes('plant/2999/#'));
  expect(end.at(-1)).toMatch(/lines 2,99\d–3,014 of 3,014/);
  rig.type('k');
  await rig.until((text) => !text.includes('plant/2999/#'));
  rig.type('g');
  const start = await rig.until((text) => text.includes('── Connection'));
  expect(start.join('\n')).toMatch(/plant\/0\/#\n.*plant\/1\/#/);
  rig.type('\u001B[6~');
  await rig.until((text) => !text.includes('── Connection') && text.includes('plant/9/#'));
});

test('watches this client and the clocks, and y copies its id', async () => {
  const monitor = monitorOf(ready(whole));
  const rig = open(monitor);
  await rig.until(() => monitor.watching.length === 2);
  expect(monitor.watching).toEqual([{ kind: 'clientDetail', clientId: 'c-1' }, { kind: 'resource', name: 'nodes' }]);
  const copied = rig.until(() => rig.raw() === `\u001B]52;c;${Buffer.from('c-1').toString('base64')}\u0007`);
  rig.type('y');
  await copied;
  expect(monitor.notices).toEqual(["sent to the terminal's clipboard: c-1"]);
});

const [broker1, broker2] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'] as const;
const nothingFound: ClientDetail = { clients: [], sessions: [], subscriptions: [] };
const seen = (...stopped: readonly string[]): Pick<MonitorState, 'seenNodes'> =>
  ({ seenNodes: new Map([broker1, broker2].map((node) => [node, { status: stopped.includes(node) ? 'stopped' : 'running', sinceMs: undefined } as const])) });

test('a client whose node stops is not called unknown or disconnected: its node is named, before and after the list has lost it', async () => {
  const monitor = monitorOf(ready(whole));
  monitor.set({ ...seen(), clientScan: scanOf([clientOf('c-1', { node: broker2 })]) });
  const rig = open(monitor, [120, 24]);
  expect(textOf(rig)).not.toContain('does not run');
  monitor.set({ ...seen(broker2), clientScan: scanOf([]), clientDetails: new Map([['c-1', ready(nothingFound)]]) });
  await rig.until((text) => text.includes('does not run'));
  const text = textOf(rig);
  expect(text).toMatch(/^ CLIENT c-1 +! its node does not run$/m);
  expect(text).toContain(`! ${broker2}, where it was last seen, does not run: it may still be connected there.`);
  monitor.set({ ...seen(), clientDetails: new Map([['c-1', ready(whole)]]) });
  await rig.until((shown) => !shown.includes('does not run'));
});

test('one that is not connected, while a node is stopped that it may be on, says which', () => {
  const monitor = monitorOf(ready({ ...whole, clients: [] }));
  monitor.set(seen(broker2));
  const text = textOf(open(monitor, [120, 24]));
  expect(text).toMatch(/not connected, session kept$/m);
  expect(text).toContain(`! ${broker2} does not run: a client on it looks the same as one that is not connected.`);
  const connected = monitorOf(ready(whole));
  connected.set(seen(broker2));
  expect(textOf(open(connected, [120, 24]))).not.toContain('does not run');
});

test('counters that the asked node cannot know say where they are known', () => {
  const unknown = { maxInflight: undefined, inflight: undefined, queueLength: undefined, dropped: undefined, awaitingRel: undefined, subscriptions: undefined, delivered: undefined, enqueued: undefined };
  const why = 'Counters unknown: brokers tell them of sessions on the node that is asked. Ask its own node, with --url.';
  expect(textOf(open(monitorOf(ready({ ...whole, sessions: [sessionOf('c-1', unknown)] })), [120, 24]))).toContain(why);
  expect(textOf(open(monitorOf(ready(whole)), [120, 24]))).not.toContain('Counters unknown');
  expect(textOf(open(monitorOf(ready({ ...whole, sessions: [sessionOf('c-1', { ...unknown, queueLength: 0 })] })), [120, 24]))).not.toContain('Counters unknown');
});
