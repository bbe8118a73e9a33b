import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { Route, Subscription } from '../../../src/domain/client.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import type { ListScope } from '../../../src/ui/navigation.ts';
import { SubscriptionsScreen } from '../../../src/ui/screens/subscriptions/subscriptions.tsx';
import { asciiTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';
import { createFakeMonitor, type FakeMonitor, propsOf, ready, scanOf, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const node1 = 'broker1@127.0.0.1';
const escape = '\u001B';

const subscriptionOf = (clientId: string, topic: string, patch: Partial<Subscription> = {}): Subscription => ({ clientId, topic, qos: 1, node: node1, ...patch });

const some = [
  subscriptionOf('pump-1', 'plant/a'), subscriptionOf('pump-1', 'plant/+', { qos: 0 }), subscriptionOf('pump-2', 'plant/a', { qos: 2, node: 'broker2@127.0.0.1' }),
  subscriptionOf('pump-10', 'plant/a/b'), subscriptionOf('odd', 'other', { qos: undefined, node: undefined }),
];

const monitorOf = (rows: readonly Subscription[] = some, patch: Parameters<typeof createFakeMonitor>[0] = {}): FakeMonitor =>
  createFakeMonitor({ subscriptionScan: scanOf(rows), ...patch });

const open = (monitor: FakeMonitor, [columns, rows]: readonly [number, number] = [120, 12], scope?: ListScope): Rig =>
  createRig(<SubscriptionsScreen {...propsOf(monitor, [columns, rows])} scope={scope} />, { columns, rows });

const type = async (rig: Rig, text: string, shows: string): Promise<void> => {
  rig.type('/');
  await rig.until((shown) => shown.includes('/regex/'));
  rig.type(text);
  await rig.until((shown) => shown.includes(shows));
};

test.each(sizes)('fills %i by %i with client, topic filter and QoS', async (width, height) => {
  const lines = await open(monitorOf(Array.from({ length: 70 }, (_, index) => subscriptionOf(`pump-${index}`, `plant/${index}`))), [width, height]).until((text) => text.includes('pump-3'));
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(/CLIENT ID ▲ +TOPIC FILTER +QOS/);
  expect(lines[4]).toMatch(/pump-3 +plant\/3 +1\b/);
});

test('the same client and filter run together are two rows; what is not known is –', async () => {
  const rig = open(monitorOf([subscriptionOf('a', 'b/c'), subscriptionOf('a b', '/c'), ...some.slice(4)]));
  const lines = await rig.until((text) => text.includes('odd'));
  expect(lines.slice(1, 4).map((line) => line.slice(1).trim().split(/\s{2,}/))).toEqual([['a', 'b/c', '1', node1], ['a b', '/c', '1', node1], ['odd', 'other', '–', '–']]);
});

test('Enter opens the client, t the topic filter, R its routes', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  rig.type('j');
  await rig.until((text) => text.includes('▸pump-1 '));
  rig.type('\r');
  rig.type('t');
  rig.type('R');
  const scope = { kind: 'topic', topic: 'plant/a' };
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'pump-1' }, { screen: 'subscriptions', scope }, { screen: 'routes', scope }]);
});

test('of one client, Enter leads on to the topic filter', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'client', clientId: 'pump-1' });
  const lines = await rig.until((text) => text.includes('plant/+'));
  expect(lines[0]).toMatch(/^ Subscriptions › pump-1 +Esc back/);
  expect(lines.at(-1)).toContain('showing 2 of 2');
  await expect.poll(() => monitor.watching).toEqual([{ kind: 'subscriptionScan' }]);
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'subscriptions', scope: { kind: 'topic', topic: 'plant/a' } }]);
});

test('of one topic filter, exactly its subscribers, and where the broker says that it is routed to', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'topic', topic: 'plant/a' });
  const lines = await rig.until((text) => text.includes('pump-2'));
  expect(lines[0]).toMatch(/^ Subscriptions › topic plant\/a +routed to ··· +Esc back/);
  expect(lines.at(-1)).toContain('showing 2 of 2');
  await expect.poll(() => monitor.watching).toEqual([{ kind: 'subscriptionScan' }, { kind: 'topicRoutes', topic: 'plant/a' }]);

  const routes: readonly Route[] = ['broker10', 'broker2'].map((node) => ({ topic: 'plant/a', node }));
  monitor.set({ topicRoutes: new Map([['plant/a', ready(routes)]]) });
  await rig.until((text) => text.includes('routed to broker2, broker10'));
  const failed = { ...ready(routes), error: new TimeoutError(5_000) };
  monitor.set({ topicRoutes: new Map([['plant/a', failed]]) });
  await rig.until((text) => text.includes('broker10 (old)'));
  monitor.set({ topicRoutes: new Map([['plant/a', { ...emptyResource<readonly Route[]>(), error: new TimeoutError(5_000) }]]) });
  await rig.until((text) => text.includes('! routes not read, being tried again: '));
  monitor.set({ topicRoutes: new Map([['plant/a', ready<readonly Route[]>([])]]) });
  await rig.until((text) => text.includes('routed nowhere'));
  expect(rig.lines()).toHaveLength(12);
});

test('of one topic filter, R leads on to its routes, also when nobody is listed for it', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'topic', topic: 'nobody/here' });
  rig.type('tR');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'routes', scope: { kind: 'topic', topic: 'nobody/here' } }]);
});

test('of one node', async () => {
  const rig = open(monitorOf(), [120, 12], { kind: 'node', node: node1 });
  const lines = await rig.until((text) => text.includes('pump-10'));
  expect(lines.at(-1)).toContain('showing 3 of 3');
  expect(lines.join('\n')).not.toContain('pump-2');
});

test('a client id or a topic filter that no row has is asked for by its name', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await type(rig, 'Pump-99', 'No subscription here matches. Enter twice opens client "Pump-99" directly.');
  rig.type('\r');
  await rig.until((text) => text.includes('matches. Enter opens client "Pump-99" directly.'));
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'Pump-99' }]);
  await rig.until((text) => text.includes('Esc clears'));
  rig.type(escape);
  await rig.until((text) => text.includes('showing 5 of 5'));
  await type(rig, 'Plant/z/#', 'Enter twice asks the broker for topic "Plant/z/#".');
  rig.type('\r');
  await rig.until((text) => text.includes('Enter asks the broker for topic "Plant/z/#".'));
  rig.type('\r');
  await expect.poll(() => monitor.places[1]).toEqual({ screen: 'subscriptions', scope: { kind: 'topic', topic: 'Plant/z/#' } });
});

test('loading, empty, failed and not found look different', () => {
  const nothing = scanOf<Subscription>([], { coverage: new Map(), startedAtMs: undefined, finishedAtMs: undefined });
  const first = (scan: typeof nothing, scope?: ListScope): string => open(monitorOf([], { subscriptionScan: scan }), [120, 12], scope).lines()[scope === undefined ? 1 : 2] ?? '';
  const topic: ListScope = { kind: 'topic', topic: 'x' };
  expect(first({ ...nothing, phase: 'running' })).toContain('··· reading the subscriptions');
  expect(first(scanOf<Subscription>([]))).toContain('Nobody has subscribed to anything.');
  expect(first({ ...nothing, error: new TimeoutError(5_000) })).toMatch(/No subscription could be read.*within 5 s/);
  expect(first(scanOf(some), topic)).toContain('No subscription of it was found.');
  expect(first(scanOf(some, { phase: 'running' }), topic)).toContain('No subscription of it was found so far.');
});

test('clients and topic filters that differ at their end alone look different where they do not fit', async () => {
  const rows = ['1', '2'].flatMap((end) => ['flow', 'heat'].map((name) => subscriptionOf(`gateway-${'0'.repeat(60)}${end}`, `plant/${'line/'.repeat(20)}${name}`)));
  const lines = await open(monitorOf(rows), [80, 18]).until((text) => text.includes('gateway-'));
  const ends = lines.slice(1, 5).map((line) => /^.gateway-0+…0+([12]) +plant\/.*….*\/(flow|heat) /u.exec(line)?.slice(1));
  expect(ends).toEqual([['1', 'flow'], ['1', 'heat'], ['2', 'flow'], ['2', 'heat']]);
});

test('hostile text is escaped in rows, heading and offer', async () => {
  const hostile = `${escape}[2J\u202E/+`;
  const shown = String.raw`\x1b[2J\u202e/+`;
  const monitor = monitorOf([subscriptionOf(hostile, hostile)], { topicRoutes: new Map([[hostile, ready<readonly Route[]>([{ topic: hostile, node: hostile }])]]) });
  const rig = createRig(<SubscriptionsScreen {...propsOf(monitor, [120, 10])} scope={{ kind: 'topic', topic: hostile }} />, { columns: 120, rows: 10, theme: asciiTheme });
  const lines = await rig.until((text) => text.includes(shown));
  expect(lines[0]).toContain(`topic ${shown}`);
  expect(lines[0]).toContain(`routed to ${shown}`);
  expect(rig.raw()).not.toContain(escape);
});
