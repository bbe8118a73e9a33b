import { afterEach, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Listener } from '../../src/domain/administration.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { listeners } from '../../src/resources/listeners/resource.ts';
import { ListenersScreen } from '../../src/resources/listeners/screen.tsx';
import { NodesScreen } from '../../src/resources/nodes/screen.tsx';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { readingsOf } from '../support/readings.ts';
import { any, matching } from '../support/texts.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { asciiTheme, colorTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import {
  createFakeMonitor,
  type FakeMonitor,
  figuresOf,
  infoOf,
  linesWithoutPanels,
  listenerOf,
  propsOf,
  ready,
  roomyColumns,
  sizes,
  tableOf,
} from './list-fixtures.ts';
import { stoppedStats } from '../support/records.ts';

afterEach(endRigs);

const [node1, node2, node3] = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker10@127.0.0.1'] as const;

type Screen = typeof NodesScreen;

const open = (
  Screen: Screen,
  monitor: FakeMonitor,
  size: readonly [number, number] = [roomyColumns, 20],
  theme?: typeof asciiTheme,
): Rig =>
  tableOf(
    createRig(<Screen {...propsOf(monitor, size)} />, {
      columns: size[0],
      rows: size[1],
      ...(theme === undefined ? {} : { theme }),
    }),
    size[0],
  );

const cluster = (): FakeMonitor => {
  const monitor = createFakeMonitor(
    readingsOf({
      seenNodes: new Map([
        [node3, { status: 'stopped', sinceMs: undefined }],
        ['lost@host', { status: 'unknown', sinceMs: steadyNowMs() - 60_000 }],
      ]),
    }),
  );
  monitor.setResources({
    nodes: ready([infoOf(node2), infoOf(node1)]),
    nodeStats: ready([
      stoppedStats(node3),
      figuresOf(node1, { load1: 0, clients: 0, memoryUsedBytes: undefined, unparsed: { memoryUsedBytes: 'lots' } }),
      figuresOf(node2),
    ]),
    listeners: ready(
      new Map([
        [node2, [listenerOf()]],
        [
          node1,
          [
            listenerOf({
              protocol: 'mqtt:ws',
              listen: '8083',
              currentClients: 1_020,
              shutdownCount: { normal: 4, kick: 12 },
            }),
            listenerOf({
              currentClients: undefined,
              shutdownCountRaw: '["\\u001b[31m"]',
              maxClients: undefined,
              acceptors: undefined,
            }),
          ],
        ],
      ]),
    ),
  });
  return monitor;
};

test.each(sizes)('nodes and listeners fill %i by %i', (width, height) => {
  for (const Screen of [NodesScreen, ListenersScreen]) {
    const lines = open(Screen, cluster(), [width, height]).lines();
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ NODE, worst first /);
    expect(lines[1]).toContain(Screen === NodesScreen ? '▸broker10' : '▸broker1 ');
  }
});

test('shows every field of a node, and keeps stopped and vanished nodes without values', () => {
  const lines = open(NodesScreen, cluster()).lines();
  expect(cellsByHeader(lines[0], lines[4])).toMatchObject({
    NODE: 'broker1',
    STATUS: '● running',
    VERSION: '2.3.11',
    UPTIME: '2h 14m',
    CLIENTS: '0',
    MEMORY: '–',
    PROCESSES: '▱▱▱▱▱',
    'MEM USED': 'lots',
    'MEM TOTAL': '120 MB',
    PROCS: '1,310',
    'PROC LIMIT': '262,144',
    'MAX FDS': '1,024',
    LOAD1: '0.00',
    LOAD5: '0.40',
    LOAD15: '0.38',
    RUNTIME: 'R19/8.3',
    CLOCK: expect.stringMatching(/^2026-03-01 14:06:4\d$/),
    DESCRIPTION: 'the broker',
  });
  expect(lines[4]).toContain('<1 %');
  expect(lines[1]).toMatch(/^▸broker10 +○ stopped( +–)+ *$/u);
  expect(lines[2]).toMatch(/^ lost +○ gone( +–)+ *$/u);
});

test('shows the last values of a stopped node dimmed, with their age', async () => {
  const monitor = cluster();
  monitor.set(
    readingsOf({
      lastKnownNodes: new Map([
        [
          node3,
          {
            atMs: steadyNowMs() - 125_000,
            info: infoOf(node3, { uptimeSeconds: 60 }),
            stats: figuresOf(node3, { clients: 77 }),
            counts: undefined,
            listeners: undefined,
          },
        ],
      ]),
    }),
  );
  const rig = open(NodesScreen, monitor);
  // Also under the cursor.
  const rawRow = (at: number): string =>
    rig
      .raw()
      .split('\n')
      .at(at + 1)
      ?.replace(/^\u001B\[36m│\u001B\[0m/u, '') ?? '';
  expect(rawRow(1)).toMatch(/^\u001B\[7m▸\u001B\[0m\u001B\[2;7mbroker10/u);
  rig.type('jj');
  await rig.until((text) => text.includes('▸broker2 '));
  const line = rig.lines()[1] ?? '';
  // Its last values are not advanced.
  expect(line).toMatch(/^ broker10 +○ stopped 2m 0\ds ago +2\.3\.11 +1m 00s +77 .* OLD $/u);
  expect(rawRow(1)).toMatch(/^ \u001B\[2m/u);
  expect(rawRow(4)).not.toMatch(/^ \u001B\[2m/u);
  expect(rig.lines()[2]).toMatch(/^ lost +○ gone( +–)+ *$/u);
  // A narrow cell drops the age; the OLD mark remains.
  expect(open(NodesScreen, monitor, [80, 20]).lines()[1]).toMatch(/○ stopped .* OLD $/u);
});

test('shows the load of nodes at 80 columns', () => {
  const monitor = createFakeMonitor();
  monitor.setResources({
    nodes: ready([infoOf(node2), infoOf(node1)]),
    nodeStats: ready([figuresOf(node1), figuresOf(node2)]),
  });
  expect(open(NodesScreen, monitor, [80, 20]).lines()[0]).toMatch(
    /^ NODE, worst first +STATUS +UPTIME +CLIENTS +MEMORY +LOAD1 \+\d+→/u,
  );
});

test('shows gauges in the role of their severity', () => {
  const monitor = createFakeMonitor();
  monitor.setResources({
    nodeStats: ready([
      figuresOf(node1, { memoryUsedBytes: 125_000_000 }),
      figuresOf(node2, { memoryUsedBytes: 20_000_000 }),
    ]),
  });
  const raw = (theme = colorTheme): string => open(NodesScreen, monitor, [120, 20], theme).raw();
  expect(raw()).toMatch(/\u001B\[1;7;31m▰▰▰▰\u001B/u);
  expect(raw()).toMatch(/\u001B\[32m▰/u);
  expect(raw(asciiTheme)).toMatch(/ ####\. ! 99 %/u);
  expect(raw(asciiTheme)).toMatch(/ #\.\.\.\. +16 %/u);
});

test("shows an unknown status in the broker's words, escaped", () => {
  const monitor = createFakeMonitor();
  monitor.setResources({
    nodeStats: ready([figuresOf('a\u001B[2J@b', { status: 'other', statusText: 'Join\u202E' })]),
  });
  const rig = open(NodesScreen, monitor);
  expect(rig.lines()[1]).toContain(String.raw`a\x1b[2J `);
  expect(rig.lines()[1]).toMatch(/\? Join\\u2/);
  expect(rig.raw()).not.toContain('\u001B[2J');
});

test('scrolls through all columns while the name stays', async () => {
  const rig = open(NodesScreen, cluster(), [60, 9]);
  expect(rig.lines()[0]).not.toContain('DESCRIPTION');
  for (let step = 0; step < 17; step += 1) {
    rig.type('\u001B[C');
  }
  const lines = await rig.until((text) => text.includes('DESCRIPTION'));
  expect(lines[0]).toMatch(/^ NODE, worst first .*DESCRIPTION/);
  expect(lines[1]).toMatch(/▸broker10 .* –/);
  expect(lines.find((line) => line.includes('broker1 '))).toContain('the broker');
});

test.each([
  ['c', 'clients'],
  ['i', 'sessions'],
  ['u', 'subscriptions'],
  ['l', 'listeners'],
  ['n', 'plugins'],
  ['m', 'metrics'],
] as const)('%s on a node opens its %s', async (key, screen) => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  rig.type('jj');
  await rig.until((text) => text.includes('▸broker2 '));
  rig.type(key);
  await expect.poll(() => monitor.places).toEqual([{ screen, scope: { kind: 'node', node: node2 } }]);
});

test('Enter opens the node under the cursor', async () => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  rig.type('jj');
  await rig.until((text) => text.includes('▸broker2 '));
  rig.type('\r');
  await rig.until(() => monitor.places.length > 0);
  expect(monitor.places).toEqual([{ screen: 'node', node: node2 }]);
});

test('shows the usage and shutdown counts of listeners, and the nodes without any', () => {
  const lines = open(ListenersScreen, cluster()).lines();
  expect(cellsByHeader(lines[0], lines[3])).toMatchObject({
    NODE: 'broker1',
    PROTOCOL: 'mqtt:tcp',
    LISTEN: '0.0.0.0:1883',
    USED: '–',
    CURRENT: '–',
    MAX: '–',
    ACCEPTORS: '–',
    'SHUTDOWN COUNTS': String.raw`["\\u001b[31m"]`,
  });
  expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
    NODE: 'broker1',
    PROTOCOL: 'mqtt:ws',
    LISTEN: '8083',
    USED: expect.stringMatching(/^▰+▱$/),
    CURRENT: '1,020',
    MAX: '1,024',
    ACCEPTORS: '16',
    'SHUTDOWN COUNTS': 'kick 12, normal 4',
  });
  expect(lines[1]).toContain(' 99 % ');
  expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
    NODE: 'broker2',
    PROTOCOL: 'mqtt:tcp',
    LISTEN: '0.0.0.0:1883',
    USED: expect.stringMatching(/^▰+▱+$/),
    CURRENT: '402',
    MAX: '1,024',
    ACCEPTORS: '16',
    'SHUTDOWN COUNTS': 'none',
  });
  expect(lines[2]).toContain(' 39 % ');
  expect(lines.at(-1)).toContain('no data from broker10, lost');
});

test('sorts listeners by usage, unknown last in both directions', async () => {
  const rig = open(ListenersScreen, cluster());
  for (const header of ['NODE ▲', 'PROTOCOL ▲', 'LISTEN ▲', 'USED ▼']) {
    rig.type('s');
    await rig.until((text) => text.includes(header));
  }
  expect(
    rig
      .lines()
      .slice(1, 4)
      .map((line) => cellsByHeader(rig.lines()[0], line)['CURRENT']),
  ).toEqual(['1,020', '402', '–']);
  expect(rig.lines().at(-1)).toContain('sorted by used, fullest first');
  rig.type('r');
  const lines = await rig.until((text) => text.includes('USED ▲'));
  expect(lines.slice(1, 4).map((line) => cellsByHeader(lines[0], line)['CURRENT'])).toEqual(['402', '1,020', '–']);
});

test('keeps the cursor on a listener when others appear', async () => {
  const monitor = cluster();
  const rig = open(ListenersScreen, monitor);
  rig.type('j');
  await rig.until((text) => text.includes('▸broker2 '));
  const before = reading(monitor.store.getState(), listeners).data ?? new Map<string, readonly Listener[]>();
  monitor.setResources({ listeners: ready(new Map([...before, ['a@b', [listenerOf()]]])) });
  const lines = await rig.until((text) => text.includes('a@b'));
  expect(lines.find((line) => line.startsWith('▸'))).toContain('▸broker2 ');
});

test('shows loading, failed, empty and stale differently, with the error and the time of the retry', () => {
  for (const [Screen, name] of [
    [NodesScreen, 'nodeStats'],
    [ListenersScreen, 'listeners'],
  ] as const) {
    const error = new TimeoutError(5_000);
    const failed = { error, nextAttemptAtMs: steadyNowMs() + 7_500 };
    const show = (state: object, width = 250): string => {
      const monitor = createFakeMonitor();
      monitor.setResources({ [name]: { ...emptyResource(), ...state } });
      return open(Screen, monitor, [width, 10]).lines().join('\n');
    };
    const data = name === 'listeners' ? new Map([[node1, [listenerOf()]]]) : [figuresOf(node1)];
    expect(show({})).toContain('··· loading the');
    expect(show(failed)).toMatch(
      matching(listTexts.failed(safe`the ${any}`, listTexts.retryIn(any), trusted(error.message))),
    );
    expect(show({ data: name === 'listeners' ? new Map() : [], updatedAtMs: steadyNowMs() })).toContain(
      name === 'listeners' ? 'No listeners.' : 'No nodes.',
    );
    const stale = show({ data, updatedAtMs: steadyNowMs() - 90_000, ...failed });
    expect(stale).toMatch(
      matching(
        listTexts.staleFailed(
          any,
          safe`1m 3${any}s ago`,
          listTexts.retryIn(any),
          safe`${trusted(error.brief)} (L: log)`,
        ),
      ),
    );
    expect(stale).toContain('broker1');
  }
});

test('dims old data, except on a plain terminal', async () => {
  const monitor = cluster();
  const rig = open(NodesScreen, monitor);
  await rig.until(() => monitor.watching.length >= 2);
  monitor.setResources({ nodeStats: ready([figuresOf(node1), figuresOf(node2)], 60_000) });
  await rig.until((text) => /.*: last read 1m/u.test(text));
  expect(rig.raw()).toMatch(/\u001B\[2m[^\n]*broker2/);
  const plain = open(NodesScreen, cluster(), [80, 18], asciiTheme);
  expect(plain.raw()).not.toContain('\u001B');
  expect(plain.raw()).toMatch(/^[ -~\n]*$/);
});

test('advances uptime and clock between readings, but not after they fail', async () => {
  const monitor = cluster();
  monitor.setResources({ nodes: ready([infoOf(node1)], 5_000) });
  const rig = open(NodesScreen, monitor);
  await rig.until(() => monitor.watching.length >= 2);
  const line = (): string | undefined => rig.lines().find((each) => each.includes('broker1 '));
  expect(line()).toMatch(/2026-03-01 14:06:45|2026-03-01 14:06:46/);
  const read = ready([infoOf(node1)], 60_000);
  monitor.setResources({
    nodes: { ...read, failingSinceMs: (read.updatedAtMs ?? 0) + 7_000, error: new TimeoutError(5_000) },
  });
  await rig.until((text) => text.includes('versions and uptimes: last read '));
  // Never backwards.
  expect(line()).toContain('2026-03-01 14:06:47');
});

test('opens nodes worst first: down, then the fullest; the sort keys leave that order and return to it', async () => {
  const monitor = createFakeMonitor(
    readingsOf({ seenNodes: new Map([['z@down', { status: 'stopped', sinceMs: undefined }]]) }),
  );
  const used = (name: string, memoryUsedBytes: number | undefined) =>
    figuresOf(name, {
      memoryUsedBytes,
      memoryTotalBytes: 100,
      processesUsed: undefined,
      maxFileDescriptors: undefined,
    });
  monitor.setResources({
    nodeStats: ready([
      stoppedStats('z@down'),
      used('a@unknown', undefined),
      used('b@calm', 11),
      used('c@calm', 12),
      used('d@full', 93),
    ]),
  });
  const rig = open(NodesScreen, monitor);
  const names = (): readonly string[] =>
    rig
      .lines()
      .slice(1, 6)
      .map((line) => /[a-z]/.exec(line)?.[0] ?? '');
  expect(names()).toEqual(['z', 'd', 'b', 'c', 'a']);
  expect(rig.lines().at(-1)).toContain('sorted worst first');
  // A few percent do not move a row.
  monitor.setResources({
    nodeStats: ready([
      stoppedStats('z@down'),
      used('a@unknown', undefined),
      used('b@calm', 13),
      used('c@calm', 17),
      used('d@full', 93),
    ]),
  });
  await rig.until((text) => text.includes('17 B'));
  expect(names()).toEqual(['z', 'd', 'b', 'c', 'a']);
  rig.type('s');
  await rig.until((text) => text.includes('NODE ▲'));
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'z']);
  rig.type('<');
  await rig.until((text) => text.includes('NODE, worst first'));
  expect(names()).toEqual(['z', 'd', 'b', 'c', 'a']);
});
