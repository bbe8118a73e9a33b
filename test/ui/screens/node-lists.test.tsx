import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { Listener } from '../../../src/domain/administration.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { ListenersScreen } from '../../../src/ui/screens/listeners/listeners.tsx';
import { NodesScreen } from '../../../src/ui/screens/nodes/nodes.tsx';
import { asciiTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';
import { createFakeMonitor, type FakeMonitor, figuresOf, infoOf, listenerOf, propsOf, ready, sizes, stoppedFigures } from './list-fixtures.ts';

afterEach(endRigs);

const [node1, node2, node3] = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker10@127.0.0.1'] as const;

type Screen = typeof NodesScreen;

const open = (Screen: Screen, monitor: FakeMonitor, size: readonly [number, number] = [200, 20], theme?: typeof asciiTheme): Rig =>
  createRig(<Screen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1], ...(theme === undefined ? {} : { theme }) });

const cells = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);

const cluster = (): FakeMonitor => {
  const monitor = createFakeMonitor({ seenNodes: new Map([[node3, { status: 'stopped', sinceMs: undefined }], ['lost@host', { status: 'unknown', sinceMs: Date.now() - 60_000 }]]) });
  monitor.setResources({
    nodes: ready([infoOf(node2), infoOf(node1)]),
    nodeStats: ready([stoppedFigures(node3), figuresOf(node1, { load1: 0, clients: 0, memoryUsedBytes: undefined, unparsed: { memoryUsedBytes: 'lots' } }), figuresOf(node2)]),
    listeners: ready(new Map([[node2, [listenerOf()]], [node1, [
      listenerOf({ protocol: 'mqtt:ws', listen: '8083', currentClients: 1_020, shutdownCount: { normal: 4, kick: 12 } }),
      listenerOf({ currentClients: undefined, shutdownCountRaw: '["\\u001b[31m"]', maxClients: undefined, acceptors: undefined }),
    ]]])),
  });
  return monitor;
};

test.each(sizes)('nodes and listeners fill %i by %i', (width, height) => {
  for (const Screen of [NodesScreen, ListenersScreen]) {
    const lines = open(Screen, cluster(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ NODE ▲/);
    expect(lines[1]).toContain('▸broker1');
  }
});

test('a node shows every field; a stopped or vanished one stays, with nothing claimed', () => {
  const lines = open(NodesScreen, cluster()).lines();
  expect(cells(lines[0])).toEqual([
    'NODE ▲', 'STATUS', 'VERSION', 'UPTIME', 'CLIENTS', 'MEM USED', 'MEM TOTAL', 'PROCS', 'PROC LIMIT', 'MAX FDS', 'LOAD1', 'LOAD5', 'LOAD15', 'OTP', 'CLOCK', 'DESCRIPTION',
  ]);
  expect(cells(lines[1])).toEqual([
    `▸${node1}`, '● running', '2.3.11', '2h 14m', '0', 'lots', '120 MB', '1,310', '262,144', '1,024', '0.00', '0.40', '0.38', 'R19/8.3', expect.stringMatching(/^2026-03-01 14:06:4\d$/), 'the broker',
  ]);
  expect(cells(lines[3])).toEqual([node3, '○ stopped', ...Array.from({ length: 14 }, () => '–')]);
  expect(cells(lines[4])).toEqual(['lost@host', '○ gone', ...Array.from({ length: 14 }, () => '–')]);
});

test('a node that stopped while it was watched keeps what it said last, dimmed and with its age', () => {
  const monitor = cluster();
  monitor.set({ lastKnown: new Map([[node3, { atMs: Date.now() - 125_000, info: infoOf(node3, { uptimeSeconds: 60 }), stats: figuresOf(node3, { clients: 77 }), counts: undefined, listeners: undefined }]]) });
  const rig = open(NodesScreen, monitor);
  const line = rig.lines()[3] ?? '';
  // What it said last does not run on.
  expect(line).toMatch(/^ broker10@127\.0\.0\.1 +○ stopped 2m 0\ds ago +2\.3\.11 +1m 00s +77 .* OLD $/u);
  expect(rig.raw().split('\n')[3]).toMatch(/^\u001B\[2m/u);
  expect(rig.raw().split('\n')[2]).not.toMatch(/^\u001B\[2m/u);
  expect(rig.lines()[4]).toMatch(/^ lost@host +○ gone( +–)+ *$/u);
  // In a narrow place the word stays, and the mark says that it is old.
  expect(open(NodesScreen, monitor, [80, 20]).lines()[3]).toMatch(/○ stopped .* OLD $/u);
});

test('at 80 columns the nodes have room for their load', () => {
  const monitor = createFakeMonitor();
  monitor.setResources({ nodes: ready([infoOf(node2), infoOf(node1)]), nodeStats: ready([figuresOf(node1), figuresOf(node2)]) });
  expect(cells(open(NodesScreen, monitor, [80, 20]).lines()[0])).toEqual(['NODE ▲', 'STATUS', 'UPTIME', 'CLIENTS', 'MEM USED', 'LOAD1 +10→']);
});

test('a status that is not understood is shown in the broker\'s own word, escaped', () => {
  const monitor = createFakeMonitor();
  monitor.setResources({ nodeStats: ready([figuresOf('a\u001B[2J@b', { status: 'other', statusText: 'Join\u202E' })]) });
  const rig = open(NodesScreen, monitor);
  expect(rig.lines()[1]).toContain(String.raw`a\x1b[2J@b`);
  expect(rig.lines()[1]).toMatch(/\? Join\\u2/);
  expect(rig.raw()).not.toContain('\u001B[2J');
});

test('narrow, every column can be scrolled to while the name stays', async () => {
  const rig = open(NodesScreen, cluster(), [60, 9]);
  expect(rig.lines()[0]).not.toContain('DESCRIPTION');
  for (let step = 0; step < 15; step += 1) {
    rig.type('\u001B[C');
  }
  const lines = await rig.until((text) => text.includes('DESCRIPTION'));
  expect(lines[0]).toMatch(/^ NODE ▲ .*DESCRIPTION/);
  expect(lines[1]).toMatch(/▸broker1@127.* the broker/);
});

test.each([['c', 'clients'], ['i', 'sessions'], ['u', 'subscriptions'], ['l', 'listeners'], ['n', 'plugins'], ['m', 'metrics']] as const)('%s on a node leads to its %s', async (key, screen) => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  rig.type('j');
  await rig.until((text) => text.includes(`▸${node2}`));
  rig.type(key);
  await expect.poll(() => monitor.places).toEqual([{ screen, scope: { kind: 'node', node: node2 } }]);
});

test('Enter opens the node under the cursor', async () => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  rig.type('j');
  await rig.until((text) => text.includes(`▸${node2}`));
  rig.type('\r');
  await rig.until(() => monitor.places.length > 0);
  expect(monitor.places).toEqual([{ screen: 'node', node: node2 }]);
});

test('listeners say how full they are, why connections ended, and which nodes have none', () => {
  const lines = open(ListenersScreen, cluster()).lines();
  expect(cells(lines[0])).toEqual(['NODE ▲', 'PROTOCOL', 'LISTEN', 'USED', 'CURRENT', 'MAX', 'ACCEPTORS', 'SHUTDOWN COUNTS']);
  expect(cells(lines[1])).toEqual([`▸${node1}`, 'mqtt:tcp', '0.0.0.0:1883', '–', '–', '–', '–', String.raw`["\\u001b[31m"]`]);
  expect(cells(lines[2])).toEqual([node1, 'mqtt:ws', '8083', expect.stringMatching(/^█+▉$/), '99 %', '1,020', '1,024', '16', 'kick 12, normal 4']);
  expect(cells(lines[3])).toEqual([node2, 'mqtt:tcp', '0.0.0.0:1883', expect.stringMatching(/^█+▉░+$/), '39 %', '402', '1,024', '16', 'none']);
  expect(lines.at(-1)).toContain(`none of ${node3}, lost@host`);
});

test('listeners are sorted by how full they are, unknown last either way', async () => {
  const rig = open(ListenersScreen, cluster());
  for (const header of ['PROTOCOL ▲', 'LISTEN ▲', 'USED ▼']) {
    rig.type('s');
    await rig.until((text) => text.includes(header));
  }
  expect(rig.lines().slice(1, 4).map((line) => cells(line)[5])).toEqual(['1,020', '402', '–']);
  expect(rig.lines().at(-1)).toContain('sorted by used, fullest first');
  rig.type('r');
  const lines = await rig.until((text) => text.includes('USED ▲'));
  expect(lines.slice(1, 4).map((line) => cells(line)[5])).toEqual(['402', '1,020', '–']);
});

test('the cursor stays on node, protocol and address of a listener when others come', async () => {
  const monitor = cluster();
  const rig = open(ListenersScreen, monitor);
  rig.type('jj');
  await rig.until((text) => text.includes(`▸${node2}`));
  const before = monitor.store.getState().resources.listeners.data ?? new Map<string, readonly Listener[]>();
  monitor.setResources({ listeners: ready(new Map([...before, ['a@b', [listenerOf()]]])) });
  const lines = await rig.until((text) => text.includes('a@b'));
  expect(lines.find((line) => line.startsWith('▸'))).toContain(node2);
});

test('loading, failed, empty and stale look different, with the error and when it is tried again', () => {
  for (const [Screen, name] of [[NodesScreen, 'nodeStats'], [ListenersScreen, 'listeners']] as const) {
    const error = new TimeoutError(5_000);
    const failed = { error, nextAttemptAtMs: Date.now() + 7_500 };
    const show = (state: object, width = 160): string => {
      const monitor = createFakeMonitor();
      monitor.setResources({ [name]: { ...emptyResource(), ...state } });
      return open(Screen, monitor, [width, 10]).lines().join('\n');
    };
    const data = name === 'listeners' ? new Map([[node1, [listenerOf()]]]) : [figuresOf(node1)];
    expect(show({})).toContain('··· reading the');
    expect(show(failed)).toMatch(/! the \w+: not read, tried again in \d+ s\. The broker did not answer within 5 s/);
    expect(show({ data: name === 'listeners' ? new Map() : [], updatedAtMs: Date.now() })).toContain('The broker names no ');
    const stale = show({ data, updatedAtMs: Date.now() - 90_000, ...failed });
    expect(stale).toMatch(/! \w+: as read 1m 3\ds ago, tried again in \d+ s: no answer within 5 s \(L: log\)/);
    expect(stale).toContain(node1);
  }
});

test('old data is dim, and a terminal without codes gets none', async () => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  await rig.until(() => monitor.watching.length === 2);
  monitor.setResources({ nodeStats: ready([figuresOf(node1), figuresOf(node2)], 60_000) });
  await rig.until((text) => text.includes('as read 1m'));
  expect(rig.raw()).toMatch(/\u001B\[2m[^\n]*broker2/);
  const plain = open(NodesScreen, cluster(), [80, 18], asciiTheme);
  expect(plain.raw()).not.toContain('\u001B');
  expect(plain.raw()).toMatch(/^[ -~\n]*$/);
});

test('uptime and clock run on between readings, and stand still once the readings fail', async () => {
  const monitor = cluster();
  monitor.setResources({ nodes: ready([infoOf(node1)], 5_000) });
  const rig = open(NodesScreen, monitor);
  await rig.until(() => monitor.watching.length === 2);
  expect(rig.lines()[1]).toMatch(/2026-03-01 14:06:45|2026-03-01 14:06:46/);
  const read = ready([infoOf(node1)], 60_000);
  monitor.setResources({ nodes: { ...read, failingSinceMs: (read.updatedAtMs ?? 0) + 7_000, error: new TimeoutError(5_000) } });
  await rig.until((text) => text.includes('versions and uptimes: as read'));
  // Never back: as it was when readings began to fail.
  expect(rig.lines()[1]).toContain('2026-03-01 14:06:47');
});
