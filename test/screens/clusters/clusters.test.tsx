import { afterEach, expect, test } from 'vitest';
import { type ApiError, TimeoutError, UnauthorizedError, UnreachableError } from '../../../src/api/errors.ts';
import { steadyNowMs } from '../../../src/monitor/clock.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import { type Cluster, clusterRow, clusterTrouble } from '../../../src/screens/clusters/cluster.ts';
import { ClustersApp, type ClustersAppProps } from '../../../src/screens/clusters/clusters-app.tsx';
import { clustersTexts } from '../../../src/screens/clusters/texts.ts';
import { createFakeMonitor, type FakeMonitor, figuresOf, infoOf, ready } from '../list-fixtures.ts';
import { withListener } from '../../tui/support/listener.tsx';
import { createRig, endRigs, type Rig } from '../../tui/support/rig.tsx';
import { emptyResource } from '../../../src/monitor/state.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { nodeStats } from '../../../src/resources/nodes/resource.ts';

afterEach(endRigs);

const watchedNodes = [nodeStats] as const;

const cluster = (name: string, connection: Cluster['connection'], patch: Partial<Cluster> = {}): Cluster => ({
  name,
  url: `http://${name}`,
  connection,
  ...patch,
});
const watched = (monitor: FakeMonitor): Cluster['connection'] => ({ kind: 'watched', monitor, latencyMs: () => 12 });
const failed: Cluster['connection'] = { kind: 'failed', reason: 'The password file cannot be opened.' };

function running(...stopped: readonly string[]): FakeMonitor {
  const monitor = createFakeMonitor({ watched: watchedNodes });
  const names = ['a', 'b'];
  monitor.setResources({
    nodes: ready(names.map((name) => infoOf(name))),
    nodeStats: ready(
      names.map((name) =>
        stopped.includes(name) ? { ...figuresOf(name), status: 'stopped' as const } : figuresOf(name),
      ),
    ),
  });
  return monitor;
}

function silent(error: ApiError = new UnreachableError('ECONNREFUSED')): FakeMonitor {
  const monitor = createFakeMonitor({ watched: watchedNodes });
  monitor.setResources({ nodeStats: { ...emptyResource(), error } });
  return monitor;
}

test('a row says how a cluster is, and unknown figures are not zero', () => {
  expect(clusterRow(cluster('north', watched(running('b'))), steadyNowMs())).toMatchObject({
    health: 'critical',
    nodes: 2,
    runningNodes: 1,
    latencyMs: 12,
    reason: undefined,
  });
  expect(clusterRow(cluster('north', watched(running())), steadyNowMs())).toMatchObject({
    health: 'checking',
    nodes: 2,
    runningNodes: 2,
  });
  const none = { nodes: undefined, clients: undefined, inPerSecond: undefined, latencyMs: undefined };
  expect(clusterRow(cluster('north', watched(silent())), steadyNowMs())).toMatchObject({
    ...none,
    health: 'unreachable',
    reason: expect.stringContaining('connection refused'),
  });
  expect(clusterRow(cluster('north', watched(silent(new UnauthorizedError()))), steadyNowMs())).toMatchObject({
    ...none,
    health: 'rejected',
  });
  expect(clusterRow(cluster('north', { kind: 'connecting' }), steadyNowMs())).toMatchObject({
    ...none,
    health: 'connecting',
    reason: undefined,
  });
  expect(clusterRow(cluster('north', watched(createFakeMonitor())), steadyNowMs())).toMatchObject({
    health: 'connecting',
    nodes: undefined,
    clients: undefined,
  });
  expect(clusterRow(cluster('north', failed), steadyNowMs())).toMatchObject({
    ...none,
    health: 'failed',
    reason: failed.reason,
  });
  // One failed reading of a cluster that answers is not an outage.
  const shaky = running();
  shaky.setResources({ nodeStats: { ...reading(shaky.store.getState(), nodeStats), error: new TimeoutError(5_000) } });
  expect(clusterRow(cluster('north', watched(shaky)), steadyNowMs()).nodes).toBe(2);
});

test('clusters that do not answer are worst, then those with critical problems', () => {
  const now = steadyNowMs();
  const trouble = [
    watched(running()),
    failed,
    watched(running('b')),
    watched(running('a', 'b')),
    watched(silent()),
  ].map((connection) => clusterTrouble(clusterRow(cluster('c', connection), now)));
  expect(trouble).toEqual(trouble.toSorted((one, other) => one - other));
  expect(new Set(trouble).size).toBe(trouble.length);
});

const theme = createTheme({ TERM: 'xterm-256color', LANG: 'C.UTF-8' });

function show(
  clusters: readonly Cluster[],
  [columns, rows]: readonly [number, number],
  patch: Partial<ClustersAppProps> = {},
): Rig {
  return createRig(
    <ClustersApp
      clusters={() => clusters}
      refresh={() => {}}
      open={() => Promise.resolve()}
      theme={theme}
      {...patch}
    />,
    { columns, rows },
  );
}

const clusters = [
  cluster('calm', watched(running())),
  cluster('north', watched(running('b')), { role: 'error' }),
  cluster('gone', watched(silent())),
  cluster('typed', failed),
];

test.each([
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 60],
] as const)('the list and the problems of all fill %i by %i, worst first', async (columns, height) => {
  const rig = show(clusters, [columns, height]);
  const lines = await rig.until((text) => text.includes('Problems of all clusters'));
  expect(lines).toHaveLength(height);
  expect(lines[0]).toContain('2 of 4 reachable');
  const names = lines
    .filter((line) => /^[▸ ](?:calm|north|gone|typed) /u.test(line))
    .map((line) => line.slice(1).split(' ')[0]);
  expect(names).toEqual(['gone', 'north', 'typed', 'calm']);
  const text = lines.join('\n');
  expect(text).toMatch(/CRITICAL +gone +Cannot connect/u);
  expect(text).toMatch(
    columns < 100 ? /CRITICAL +north +Node b is stopped/u : /CRITICAL +north +Node b is stopped .*(?:new|\d+ s) /u,
  );
  expect(text).toMatch(/WARNING +typed +The password file cannot be opened/u);
});

test('the header counts what the panel lists, also clusters that do not answer', async () => {
  const lines = await show(clusters, [120, 30]).until((text) => text.includes('Problems of all clusters'));
  const listed =
    lines
      .join('\n')
      .match(/(?:CRITICAL|WARNING) +(?:north|gone|typed) /gu)
      ?.map((row) => row.split(' ')[0]) ?? [];
  expect(listed.toSorted()).toEqual(['CRITICAL', 'CRITICAL', 'WARNING']);
  expect(lines[0]).toContain('2 of 4 reachable');
  expect(lines[0]).toMatch(/ 2 critical, 1 warning {2}\d/u);
  expect(lines.find((line) => line.includes('Problems of all clusters'))).toContain('2 critical, 1 warning');
});

test('the traffic of the clusters that answer stands below their problems where there is room', async () => {
  const tall = (await show(clusters, [200, 60]).until((text) => text.includes('Messages of north'))).join('\n');
  expect(tall).toMatch(/Messages of north ─+ latency 12 ms.*Messages of calm ─+ latency 12 ms/u);
  expect(tall).not.toMatch(/Messages of (?:gone|typed)/u);
  const narrow = await show(clusters, [80, 60]).until((text) => text.includes('Messages of calm'));
  expect(narrow.findIndex((line) => line.includes('Messages of calm'))).toBeGreaterThan(
    narrow.findIndex((line) => line.includes('Messages of north')),
  );
  const low = (await show(clusters, [80, 24]).until((text) => text.includes('Problems of all clusters'))).join('\n');
  expect(low).toMatch(/CRITICAL +north +Node b is stopped/u);
});

test('Enter opens the cluster; one that cannot be opened leaves the list, with the reason', async () => {
  const opened: string[] = [];
  const left: string[] = [];
  const open = async (name: string): Promise<void> => {
    opened.push(name);
    if (name === 'gone') throw new Error('It is gone.');
  };
  const rig = show(clusters, [120, 30], {
    open,
    onLeave: () => {
      left.push('left');
    },
  });
  await rig.until((text) => text.includes('▸gone'));
  rig.type('\r');
  await rig.until((text) => text.includes('It is gone.'));
  expect([opened, left]).toEqual([['gone'], []]);
  rig.type('/north\r');
  await rig.until((text) => text.includes('▸north'));
  rig.type('\r');
  await expect.poll(() => left).toEqual(['left']);
  expect(opened).toEqual(['gone', 'north']);
});

test('`:` finds the clusters by name, and text for something else opens none', async () => {
  const opened: string[] = [];
  const rig = show(clusters, [120, 30], {
    open: async (name) => {
      opened.push(name);
    },
    onLeave: () => {},
  });
  await rig.until((text) => text.includes('▸gone'));
  // As one input, as over a slow line.
  rig.type('Kx\r');
  await rig.until((text) => text.includes('x does nothing here. ? lists the keys.'));
  rig.type(':context calm');
  await rig.until((text) => text.includes('▸ context calm'));
  rig.type('\r');
  await expect.poll(() => opened).toEqual(['calm']);
  rig.type(':no such thing');
  await rig.until((text) => text.includes('0 matches'));
  rig.type('\u001B');
  await rig.until((text) => !text.includes('0 matches'));
  rig.type('?');
  const help = await rig.until((text) => text.includes('Command palette'));
  expect(help.join('\n')).not.toContain('Publish a message');
  expect(opened).toEqual(['calm']);
});

test('names and reasons of others cannot reach the terminal', async () => {
  const rig = show([cluster('north\u001B]0;x\u0007', { kind: 'failed', reason: 'bad \u001B[31m' })], [120, 30]);
  await rig.until((text) => text.includes(String.raw`north\x1b]0;x\x07`) && text.includes(String.raw`bad \x1b[31m`));
  expect(rig.raw()).not.toContain('\u001B]0;x');
});

test('q quits, and a terminal that is too small says so', async () => {
  const left: string[] = [];
  const rig = show([], [40, 10], {
    onLeave: () => {
      left.push('left');
    },
  });
  await rig.until((text) => text.includes('60x15'));
  rig.type('q');
  await expect.poll(() => left).toEqual(['left']);
  expect(clustersTexts.empty).toBe(safe`No contexts.`);
});

test('problems that begin are told once, with their cluster', async () => {
  const told: string[] = [];
  const monitors = [running('b'), running()];
  const rig = show(
    [cluster('north', watched(monitors[0] as FakeMonitor)), cluster('south', watched(monitors[1] as FakeMonitor))],
    [100, 20],
    {
      onProblem: ({ name }, { severity, title }) => {
        told.push(`${name} ${severity} ${title}`);
      },
    },
  );
  await rig.until(() => told.length > 0);
  expect(told).toEqual(['north critical Node b is stopped']);
  monitors[1]?.setResources({
    nodeStats: ready(
      ['a', 'b'].map((name) => ({
        ...figuresOf(name),
        status: name === 'a' ? ('stopped' as const) : figuresOf(name).status,
      })),
    ),
  });
  await rig.until(() => told.length > 1);
  expect(told.slice(1)).toEqual(['south critical Node a is stopped']);
});

test('unverified TLS is shown with the clusters concerned, at every size, and said', async () => {
  const exposed = (isTlsUnchecked: boolean, isInsecure = false): Cluster['connection'] => ({
    kind: 'watched',
    monitor: running(),
    latencyMs: () => 12,
    exposure: { isInsecure, isTlsUnchecked },
  });
  const all = [cluster('calm', exposed(false)), cluster('north', exposed(true)), cluster('south', exposed(true, true))];
  for (const [columns, height, shown] of [
    [60, 15, 'TLS NOT VERIFIED: 2  UNENCRYPTED: 1'],
    [80, 24, 'TLS NOT VERIFIED: 2  UNENCRYPTED: 1'],
    [200, 60, 'TLS NOT VERIFIED: north, south  UNENCRYPTED: south'],
  ] as const) {
    const rig = show(all, [columns, height]);
    const lines = await rig.until((text) => text.includes('Problems of all clusters'));
    expect(lines[0]).toContain(shown);
  }
  expect((await show(clusters, [120, 30]).until((text) => text.includes('Problems of all clusters')))[0]).not.toContain(
    'NOT VERIFIED',
  );
  const { tree, said } = withListener(
    <ClustersApp clusters={() => all} refresh={() => {}} open={() => Promise.resolve()} theme={theme} />,
  );
  createRig(tree);
  await expect.poll(() => said).toContain('TLS NOT VERIFIED: north, south');
});

test('an address that was skipped for its certificate is named with its cluster', async () => {
  const monitor = running();
  monitor.set({
    skippedAddress: {
      url: 'https://broker2',
      brief: 'certificate expired',
      message: 'Certificate expired.',
      atMs: steadyNowMs(),
    },
  });
  const rig = show([cluster('north', watched(monitor))], [120, 30]);
  expect(await rig.until((text) => text.includes('Skipped'))).toContainEqual(
    expect.stringContaining('north: ! Skipped https://broker2: certificate expired'),
  );
});
