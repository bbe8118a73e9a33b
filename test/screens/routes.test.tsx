import { Text } from 'ink';
import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Route } from '../../src/domain/client.ts';
import { reading, watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { wholeCluster } from '../../src/monitor/state.ts';
import { routeIdentity, routeScan, topicRoutes } from '../../src/resources/routes/resource.ts';
import { RoutesScreen } from '../../src/resources/routes/screen.tsx';
import { ListMemoryProvider } from '../../src/tui/list/list-state.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { asciiTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import {
  createFakeMonitor,
  type FakeMonitor,
  figuresOf,
  linesWithoutPanels,
  propsOf,
  readWhole,
  ready,
  scanOf,
  sizes,
  tableOf,
} from './list-fixtures.ts';
import type { ListScope } from '../../src/resources/view/scope.ts';

afterEach(endRigs);

const escape = '\u001B';
const right = '\u001B[C';
const left = '\u001B[D';

const routesOf = (...topics: string[]): readonly Route[] => topics.map((topic) => ({ topic, node: 'broker1' }));
const plant = [
  ...routesOf('plant/line-10/flow', 'plant/line-2/flow', 'plant/line-2/+', 'plant', 'other/#'),
  { topic: 'plant/line-2/flow', node: 'broker2' },
];

const monitorOf = (rows: readonly Route[] = plant, patch: Parameters<typeof createFakeMonitor>[0] = {}): FakeMonitor =>
  createFakeMonitor(
    patched(
      readingsOf({ routeScan: scanOf(rows, { coverage: new Map([[wholeCluster, readWhole(rows.length)]]) }) }),
      patch,
    ),
  );

const open = (monitor: FakeMonitor, [columns, rows]: readonly [number, number] = [100, 14], scope?: ListScope): Rig =>
  tableOf(createRig(<RoutesScreen {...propsOf(monitor, [columns, rows])} scope={scope} />, { columns, rows }), columns);

/** The trimmed rows; the cursor is `▸`. */
const rowsOf = (rig: Rig): readonly string[] =>
  rig
    .lines()
    .slice(1)
    .filter((line) => line.trim() !== '' && !/^ (\/|showing) /.test(line))
    .map((line) => line.trimEnd().replaceAll(/ {3,}/g, '  ').replace(/^ /, ''));

const press = async (rig: Rig, key: string, shows: string | RegExp): Promise<void> => {
  rig.type(key);
  await rig.until((text) => (typeof shows === 'string' ? text.includes(shows) : shows.test(text)));
};

test('at 80 columns a topic filter is whole before the names of its nodes are', () => {
  const topic = 'plant-a/line-1/controller-000015/command';
  const nodes = ['broker1', 'broker2', 'broker3'].map((node): Route => ({ topic, node }));
  expect(open(monitorOf(nodes), [80, 14]).lines().join('\n')).toMatch(
    new RegExp(`${topic} +no +3 +broker1, bro…`, 'u'),
  );
});

test.each(sizes)('fills %i by %i with topic, wildcards and number of nodes', async (width, height) => {
  const lines = await open(monitorOf(routesOf(...Array.from({ length: 70 }, (_, index) => `plant/${index}`))), [
    width,
    height,
  ]).until((text) => text.includes('plant/3'));
  expect(lines).toHaveLength(linesWithoutPanels(width, height));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(/TOPIC FILTER ▲ +WILDCARD +NODES/);
  expect(lines[4]).toMatch(/plant\/3 +no +1/);
});

test('shows one row per topic, with its nodes and wildcards', async () => {
  const rig = open(monitorOf());
  await rig.until((text) => text.includes('other/#'));
  expect(rowsOf(rig)).toEqual([
    '▸other/#  #  1  broker1',
    'plant  no  1  broker1',
    'plant/line-2/+  +  1  broker1',
    'plant/line-2/flow  no  2  broker1, broker2',
    'plant/line-10/flow  no  1  broker1',
  ]);
  expect(rig.lines().at(-1)).toContain('showing 5 of 5');
});

test('node names are as short as the names of all nodes allow', async () => {
  const monitor = monitorOf(['broker1@10.0.0.1', 'broker2@10.0.0.2'].map((node) => ({ topic: 'plant', node })));
  const rig = open(monitor);
  await rig.until((text) => text.includes('broker1@10.0.0.1, broker2@10.0.0.2'));
  monitor.setResources({ nodeStats: ready(['broker1@10.0.0.1', 'broker2@10.0.0.2'].map((name) => figuresOf(name))) });
  expect((await rig.until((text) => text.includes('broker1, broker2'))).join('\n')).not.toContain('@');
});

test('t shows a tree; the arrow keys fold, unfold and move', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await rig.until((text) => text.includes('other/#'));
  await press(rig, 't', 'FILTERS');
  expect(rowsOf(rig)).toEqual(['▸[+] other/  1', '[+] plant/  4  no  1  broker1']);
  await press(rig, 'j', '▸[+] plant');
  await press(rig, right, '[-] plant');
  expect(rowsOf(rig)).toEqual([
    '[+] other/  1',
    '▸[-] plant/  4  no  1  broker1',
    ' [+] line-2/  2',
    ' [+] line-10/  1',
  ]);
  await press(rig, right, '▸  [+] line-2');
  await press(rig, right, '▸  [-] line-2');
  await press(rig, right, /▸ +\+ /);
  expect(rowsOf(rig)).toContain(' flow  1  no  2  broker1, broker2');
  await press(rig, left, '▸  [-] line-2');
  await press(rig, left, '▸  [+] line-2');
  await press(rig, left, '▸[-] plant');
  expect(rig.lines().at(-1)).toContain('showing 5 of 5');
  expect(rig.lines().at(-1)).not.toContain('sorted by');
});

test('Enter unfolds a level, and opens the subscribers of a topic filter', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await press(rig, 't', 'FILTERS');
  await press(rig, '\r', '[-] other/');
  await press(rig, '\r', '[+] other/');
  await press(rig, 'j', '▸[+] plant');
  rig.type('\r');
  await expect
    .poll(() => monitor.places)
    .toEqual([{ screen: 'subscriptions', scope: { kind: 'topic', topic: 'plant' } }]);
});

test('shows the topic filters of one node, as list and as tree', async () => {
  const monitor = monitorOf(plant, {});
  monitor.set(
    readingsOf({
      routeScan: {
        ...reading(monitor.store.getState(), routeScan),
        added: new Set(routesOf('plant').map(routeIdentity)),
      },
    }),
  );
  const rig = open(monitor, [100, 14], { kind: 'node', node: 'broker2' });
  const lines = await rig.until((text) => text.includes('showing 1 of 1'));
  expect(lines[0]).toMatch(/^ Routes › broker2 +Esc back $/);
  expect(lines.join('\n')).toMatch(/▸plant\/line-2\/flow +no +2 +broker1, broker2/);
  // A new route of another node.
  expect(lines.at(-1)).not.toContain('new');
  await press(rig, 't', 'FILTERS');
  expect(rig.lines().filter((line) => /\[[+-]\]/.test(line))).toEqual([expect.stringMatching(/\[\+\] plant\/ +1 /)]);
  expect(rig.lines()).toHaveLength(14);
  const none = open(monitor, [100, 14], { kind: 'node', node: 'broker3' });
  expect(none.lines()[2]).toContain('No route found here.');
});

test('requests the routes of one topic filter by name, without the list', async () => {
  const topic = 'plant/line-2/flow';
  const monitor = monitorOf([]);
  const rig = open(monitor, [100, 14], { kind: 'topic', topic });
  const lines = await rig.until((text) => text.includes('··· loading the routes of this topic filter'));
  expect(lines[0]).toMatch(/^ Routes › topic plant\/line-2\/flow +Esc back $/);
  await expect.poll(() => monitor.watching.map(watchKey)).toEqual([watchKey(watchOf(topicRoutes, topic))]);
  monitor.set(
    readingsOf({
      topicRoutes: new Map([
        [
          topic,
          ready<readonly Route[]>([
            { topic, node: 'broker10' },
            { topic, node: 'broker2' },
          ]),
        ],
      ]),
    }),
  );
  await rig.until((text) => /▸plant\/line-2\/flow +no +2 +broker2, broker10/.test(text));
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'subscriptions', scope: { kind: 'topic', topic } }]);
  monitor.set(
    readingsOf({
      topicRoutes: new Map([
        [topic, { ...ready<readonly Route[]>([{ topic, node: 'broker2' }]), error: new TimeoutError(5_000) }],
      ]),
    }),
  );
  await rig.until((text) => text.includes('broker2') && /! routes: last read .*, .*: .*/u.test(text));
  monitor.set(readingsOf({ topicRoutes: new Map([[topic, ready<readonly Route[]>([])]]) }));
  await rig.until((text) => text.includes('No routes: no client subscribes to this topic filter.'));
  expect(rig.lines()).toHaveLength(14);
});

test('keeps the cursor on its topic between list and tree', async () => {
  const monitor = monitorOf();
  const rig = createRig(
    <ListMemoryProvider>
      <RoutesScreen {...propsOf(monitor, [100, 14])} />
    </ListMemoryProvider>,
    { columns: 100, rows: 14 },
  );
  await press(rig, 'j', '▸plant ');
  await press(rig, 't', '▸[+] plant/');
  await press(rig, 't', '▸plant ');
  expect(rig.lines()[0]).toContain('TOPIC FILTER ▲');
});

test('unfolds the tree to the topic under the cursor', async () => {
  const rig = createRig(
    <ListMemoryProvider>
      <RoutesScreen {...propsOf(monitorOf(), [100, 14])} />
    </ListMemoryProvider>,
    { columns: 100, rows: 14 },
  );
  await press(rig, 'G', /▸plant\/line-10\/flow/);
  await press(rig, 't', /▸ +flow/);
  expect(rig.lines().join('\n')).toMatch(/\[-\] plant\/[^]*\[-\] line-10\/[^]*▸ +flow/);
  expect(rig.lines().join('\n')).toContain('[+] other/');
  await press(rig, 't', /▸plant\/line-10\/flow/);
});

test('a filter unfolds the tree to its matches and counts only them', async () => {
  const rig = open(monitorOf());
  await press(rig, 't', 'FILTERS');
  await press(rig, '/', '/regex/');
  await press(rig, 'flow', '2 of 5');
  expect(rowsOf(rig)).toEqual([
    '▸[-] plant/  2',
    ' [-] line-2/  1',
    ' flow  1  no  2  broker1, broker2',
    ' [-] line-10/  1',
    ' flow  1  no  1  broker1',
  ]);
  await press(rig, '\r', 'Esc clears');
  await press(rig, left, '[+] plant/');
  await press(rig, escape, 'showing 5 of 5');
  expect(rig.lines().join('\n')).toContain('[+] other/');
});

test('restores the tree', async () => {
  const monitor = monitorOf();
  const screen = (
    <ListMemoryProvider>
      <RoutesScreen {...propsOf(monitor, [100, 14])} />
    </ListMemoryProvider>
  );
  const rig = createRig(screen, { columns: 100, rows: 14 });
  await press(rig, 't', 'FILTERS');
  await press(rig, right, '[-] other/');
  const before = rig.lines();
  rig.rerender(
    <ListMemoryProvider>
      <Text>elsewhere</Text>
    </ListMemoryProvider>,
  );
  await rig.until((text) => text === 'elsewhere');
  rig.rerender(screen);
  expect(await rig.until((text) => text.includes('other'))).toEqual(before);
});

test('opens a topic filter without a row', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await press(rig, '/', '/regex/');
  await press(rig, 'Unheard/of', 'No topic filter matches. Press Enter twice to show the subscribers of "Unheard/of".');
  await press(rig, '\r', 'No topic filter matches. Press Enter to show the subscribers of "Unheard/of".');
  rig.type('\r');
  await expect
    .poll(() => monitor.places)
    .toEqual([{ screen: 'subscriptions', scope: { kind: 'topic', topic: 'Unheard/of' } }]);
});

test('marks a topic NEW or GONE if no node had or has it, and OLD if the list could not be read', async () => {
  const monitor = monitorOf();
  const added = new Set([...routesOf('plant'), { topic: 'plant/line-2/flow', node: 'broker2' }].map(routeIdentity));
  const gone: readonly Route[] = [...routesOf('lost'), { topic: 'other/#', node: 'broker3' }];
  monitor.set(readingsOf({ routeScan: { ...reading(monitor.store.getState(), routeScan), added, gone } }));
  const rig = open(monitor);
  const lines = await rig.until((text) => text.includes('GONE'));
  expect(lines.flatMap((line) => /^.(\S+).* (NEW|GONE) *$/.exec(line)?.slice(1, 3).join(' ') ?? [])).toEqual([
    'lost GONE',
    'plant NEW',
  ]);
  expect(lines.at(-1)).toContain('1 NEW · 1 GONE');
  const coverage = new Map([[wholeCluster, { ...readWhole(0), isComplete: false, error: new TimeoutError(5_000) }]]);
  monitor.set(readingsOf({ routeScan: scanOf(plant, { phase: 'partial', coverage }) }));
  const failed = await rig.until((text) => text.includes('OLD'));
  expect(failed.filter((line) => /OLD\s*$/.test(line))).toHaveLength(5);
  expect(failed.at(-1)).toMatch(/! routes: not refreshed, rows are OLD, .*: .*within 5 s/u);
});

test('shows the ends of topic filters and levels that do not fit', async () => {
  const topics = ['1', '2'].map((end) => `plant/device-${'x'.repeat(90)}${end}/#`);
  const rig = open(monitorOf(routesOf(...topics)), [80, 18]);
  const firstCells = (): readonly string[] =>
    rowsOf(rig).map((row) => (row.replace('▸', '').split(/ {2}/u)[0] ?? '').replaceAll(/x+/gu, 'x'));
  await rig.until((text) => text.includes('plant/device'));
  expect(firstCells()).toEqual(['plant/device-x…x1/#', 'plant/device-x…x2/#']);
  await press(rig, 't', '[+] plant/');
  await press(rig, right, '[+] device-');
  expect(firstCells().map((cell) => cell.trim())).toEqual(['[-] plant/', '[+] device-x…x1/', '[+] device-x…x2/']);
});

test('shows loading and empty differently, and escapes hostile topics', async () => {
  const nothing = scanOf<Route>([], {
    coverage: new Map(),
    startedAtMs: undefined,
    finishedAtMs: undefined,
    phase: 'running',
  });
  expect(open(monitorOf([], readingsOf({ routeScan: nothing }))).lines()[1]).toContain('··· loading the routes');
  expect(open(monitorOf([])).lines()[1]).toContain('No routes: no client subscribes to anything.');
  const hostile = `a/${escape}[2J\u202E/${'x'.repeat(65_000)}`;
  const rig = createRig(<RoutesScreen {...propsOf(monitorOf(routesOf(hostile)), [80, 18])} />, {
    columns: 80,
    rows: 18,
    theme: asciiTheme,
  });
  await rig.until((text) => text.includes(String.raw`a/\x1b[2J\u202e/xx`));
  await press(rig, 't', '[+] a/');
  await press(rig, right, String.raw`[+] \x1b[2J\u202e/`);
  expect(rig.raw()).not.toContain(`${escape}[2J`);
  expect(Math.max(...rig.lines().map((line) => line.length))).toBeLessThanOrEqual(80);
});
