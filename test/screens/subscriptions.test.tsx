import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Route, Subscription } from '../../src/domain/client.ts';
import { watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { topicRoutes } from '../../src/resources/routes/resource.ts';
import { SubscriptionsScreen } from '../../src/resources/subscriptions/screen.tsx';
import { subscriptionsTexts } from '../../src/resources/subscriptions/texts.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { asciiTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { pattern } from './frames.ts';
import {
  createFakeMonitor,
  type FakeMonitor,
  linesWithoutPanels,
  propsOf,
  ready,
  scanOf,
  sizes,
  tableOf,
} from './list-fixtures.ts';
import type { ListScope } from '../../src/resources/view/scope.ts';

afterEach(endRigs);

const node1 = 'broker1@127.0.0.1';
const escape = '\u001B';

const subscriptionOf = (clientId: string, topic: string, patch: Partial<Subscription> = {}): Subscription => ({
  clientId,
  topic,
  qos: 1,
  node: node1,
  ...patch,
});

const some = [
  subscriptionOf('pump-1', 'plant/a'),
  subscriptionOf('pump-1', 'plant/+', { qos: 0 }),
  subscriptionOf('pump-2', 'plant/a', { qos: 2, node: 'broker2@127.0.0.1' }),
  subscriptionOf('pump-10', 'plant/a/b'),
  subscriptionOf('odd', 'other', { qos: undefined, node: undefined }),
];

const monitorOf = (
  rows: readonly Subscription[] = some,
  patch: Parameters<typeof createFakeMonitor>[0] = {},
): FakeMonitor => createFakeMonitor(patched(readingsOf({ subscriptionScan: scanOf(rows) }), patch));

const open = (monitor: FakeMonitor, [columns, rows]: readonly [number, number] = [120, 12], scope?: ListScope): Rig =>
  tableOf(
    createRig(<SubscriptionsScreen {...propsOf(monitor, [columns, rows])} scope={scope} />, { columns, rows }),
    columns,
  );

const type = async (rig: Rig, text: string, shows: string): Promise<void> => {
  rig.type('/');
  await rig.until((shown) => shown.includes('/regex/'));
  rig.type(text);
  await rig.until((shown) => shown.includes(shows));
};

test.each(sizes)('fills %i by %i with client, topic filter, node and, from 80 columns, QoS', async (width, height) => {
  const lines = await open(
    monitorOf(Array.from({ length: 70 }, (_, index) => subscriptionOf(`pump-${index}`, `plant/${index}`))),
    [width, height],
  ).until((text) => text.includes('pump-3'));
  expect(lines).toHaveLength(linesWithoutPanels(width, height));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(width < 80 ? /CLIENT ID ▲ +TOPIC FILTER +NODE/ : /CLIENT ID ▲ +TOPIC FILTER +QOS +NODE/);
  expect(lines[4]).toMatch(width < 80 ? /pump-3 +plant\/3 +broker/ : /pump-3 +plant\/3 +1 +broker/);
});

test('keeps client and filter apart in row ids, and shows unknown as –', async () => {
  const rig = open(monitorOf([subscriptionOf('a', 'b/c'), subscriptionOf('a b', '/c'), ...some.slice(4)]));
  const lines = await rig.until((text) => text.includes('odd'));
  expect(
    lines.slice(1, 4).map((line) =>
      line
        .slice(1)
        .trim()
        .split(/\s{2,}/),
    ),
  ).toEqual([
    ['a', 'b/c', '1', node1],
    ['a b', '/c', '1', node1],
    ['odd', 'other', '–', '–'],
  ]);
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
  await expect
    .poll(() => monitor.places)
    .toEqual([
      { screen: 'client', clientId: 'pump-1' },
      { screen: 'subscriptions', scope },
      { screen: 'routes', scope },
    ]);
});

test('of one client, Enter opens the topic filter', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'client', clientId: 'pump-1' });
  const lines = await rig.until((text) => text.includes('plant/+'));
  expect(lines[0]).toMatch(/^ Subscriptions › pump-1 +Esc back/);
  expect(lines.at(-1)).toContain('showing 2 of 2');
  await expect.poll(() => monitor.watching.map(watchKey)).toEqual(['subscriptionScan']);
  rig.type('\r');
  await expect
    .poll(() => monitor.places)
    .toEqual([{ screen: 'subscriptions', scope: { kind: 'topic', topic: 'plant/a' } }]);
});

test('of one topic filter, shows its subscribers and routes', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'topic', topic: 'plant/a' });
  const lines = await rig.until((text) => text.includes('pump-2'));
  expect(lines[0]).toMatch(pattern`^ Subscriptions › topic plant/a +routed to ··· +Esc back`);
  expect(lines.at(-1)).toContain('showing 2 of 2');
  await expect
    .poll(() => monitor.watching.map(watchKey))
    .toEqual(['subscriptionScan', watchKey(watchOf(topicRoutes, 'plant/a'))]);

  const routes: readonly Route[] = ['broker10', 'broker2'].map((node) => ({ topic: 'plant/a', node }));
  monitor.set(readingsOf({ topicRoutes: new Map([['plant/a', ready(routes)]]) }));
  await rig.until((text) => text.includes('routed to broker2, broker10'));
  const failed = { ...ready(routes), error: new TimeoutError(5_000) };
  monitor.set(readingsOf({ topicRoutes: new Map([['plant/a', failed]]) }));
  await rig.until((text) => text.includes('broker10 (old)'));
  monitor.set(
    readingsOf({
      topicRoutes: new Map([['plant/a', { ...emptyResource<readonly Route[]>(), error: new TimeoutError(5_000) }]]),
    }),
  );
  await rig.until((text) => text.includes('! routes not read, retrying: '));
  monitor.set(readingsOf({ topicRoutes: new Map([['plant/a', ready<readonly Route[]>([])]]) }));
  await rig.until((text) => text.includes('no routes'));
  expect(rig.lines()).toHaveLength(12);
});

test('of one topic filter, R opens its routes, also without subscribers', async () => {
  const monitor = monitorOf();
  const rig = open(monitor, [120, 12], { kind: 'topic', topic: 'nobody/here' });
  rig.type('tR');
  await expect
    .poll(() => monitor.places)
    .toEqual([{ screen: 'routes', scope: { kind: 'topic', topic: 'nobody/here' } }]);
});

test('shows the subscriptions of one node', async () => {
  const rig = open(monitorOf(), [120, 12], { kind: 'node', node: node1 });
  const lines = await rig.until((text) => text.includes('pump-10'));
  expect(lines.at(-1)).toContain('showing 3 of 3');
  expect(lines.join('\n')).not.toContain('pump-2');
});

test('opens a client id or a topic filter without a row', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await type(rig, 'Pump-99', 'No subscription matches. Press Enter twice to open client "Pump-99".');
  rig.type('\r');
  await rig.until((text) => text.includes('No subscription matches. Press Enter to open client "Pump-99".'));
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'Pump-99' }]);
  await rig.until((text) => text.includes('Esc clears'));
  rig.type(escape);
  await rig.until((text) => text.includes('showing 5 of 5'));
  await type(rig, 'Plant/z/#', 'Press Enter twice to show the subscribers of "Plant/z/#".');
  rig.type('\r');
  await rig.until((text) => text.includes('Press Enter to show the subscribers of "Plant/z/#".'));
  rig.type('\r');
  await expect
    .poll(() => monitor.places[1])
    .toEqual({ screen: 'subscriptions', scope: { kind: 'topic', topic: 'Plant/z/#' } });
});

test('shows loading, empty, failed and not found differently', () => {
  const nothing = scanOf<Subscription>([], { coverage: new Map(), startedAtMs: undefined, finishedAtMs: undefined });
  const first = (scan: typeof nothing, scope?: ListScope): string =>
    open(monitorOf([], readingsOf({ subscriptionScan: scan })), [120, 12], scope).lines()[
      scope === undefined ? 1 : 2
    ] ?? '';
  const topic: ListScope = { kind: 'topic', topic: 'x' };
  expect(first({ ...nothing, phase: 'running' })).toContain('··· loading the subscriptions');
  expect(first(scanOf<Subscription>([]))).toContain('No subscriptions.');
  expect(first({ ...nothing, error: new TimeoutError(5_000) })).toMatch(
    /! Cannot load subscriptions, .*\. .*within 5 s/u,
  );
  expect(first(scanOf(some), topic)).toContain('No subscription found here.');
  expect(first(scanOf(some, { phase: 'running' }), topic)).toContain('No subscription found here so far.');
});

test('shows the ends of client ids and topic filters that do not fit', async () => {
  const rows = ['1', '2'].flatMap((end) =>
    ['flow', 'heat'].map((name) =>
      subscriptionOf(`gateway-${'0'.repeat(60)}${end}`, `plant/${'line/'.repeat(20)}${name}`),
    ),
  );
  const lines = await open(monitorOf(rows), [80, 18]).until((text) => text.includes('gateway-'));
  const ends = lines
    .slice(1, 5)
    .map((line) => /^.gateway-0+…0+([12]) +plant\/.*….*\/(flow|heat) /u.exec(line)?.slice(1));
  expect(ends).toEqual([
    ['1', 'flow'],
    ['1', 'heat'],
    ['2', 'flow'],
    ['2', 'heat'],
  ]);
});

test('escapes hostile text in rows, heading and offer', async () => {
  const hostile = `${escape}[2J\u202E/+`;
  const shown = String.raw`\x1b[2J\u202e/+`;
  const monitor = monitorOf(
    [subscriptionOf(hostile, hostile)],
    readingsOf({ topicRoutes: new Map([[hostile, ready<readonly Route[]>([{ topic: hostile, node: hostile }])]]) }),
  );
  const rig = createRig(
    <SubscriptionsScreen {...propsOf(monitor, [120, 10])} scope={{ kind: 'topic', topic: hostile }} />,
    { columns: 120, rows: 10, theme: asciiTheme },
  );
  const lines = await rig.until((text) => text.includes(shown));
  expect(lines[0]).toContain(`topic ${shown}`);
  expect(lines[0]).toContain(subscriptionsTexts.routedTo([asciiTheme.escape(hostile)]));
  expect(rig.raw()).not.toContain(escape);
});
