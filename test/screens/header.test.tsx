import { afterEach, expect, test, vi } from 'vitest';
import type { ReconnectStorm } from '../../src/checks/reconnects/judge.ts';
import { triageOf } from '../../src/checks/triage.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { asWatch, reading } from '../../src/monitor/query/part.ts';
import { logTexts } from '../../src/resources/log/texts.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { formatClock } from '../../src/terminal/format.ts';
import type { FindingChange } from '../../src/triage/finding-changes.ts';
import { maxBackgroundRows } from '../../src/triage/needs.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { Header, headerHeight } from '../../src/screens/status/header.tsx';
import { headerTexts } from '../../src/screens/status/texts.ts';
import { countText, severityCounts } from '../../src/screens/triage-texts.ts';
import { capabilitiesB } from './administration-fixtures.tsx';
import { statsOf } from './cluster-state.ts';
import { createFakeMonitor, type FakeMonitor, figuresOf, infoOf, ready } from './list-fixtures.ts';
import { withListener } from '../tui/support/listener.tsx';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';

afterEach(() => {
  endRigs();
  vi.useRealTimers();
});

const session = {
  url: 'http://127.0.0.1:8080',
  isReadOnly: false,
  isInsecure: false,
  readPayload: async () => '',
  describeApi: () => 'API v2 B',
};
const watched = [nodeStats] as const;

const draw = (
  monitor: FakeMonitor,
  width: number,
  patch: object = {},
  screen: 'overview' | 'clients' | 'triage' | 'settings' = 'overview',
): Rig =>
  createRig(<Header monitor={monitor} session={{ ...session, ...patch }} place={{ screen }} width={width} />, {
    columns: width,
    rows: headerHeight,
  });

const statusOf = (rig: Rig): string => rig.lines()[0] ?? '';

test('the variant has a question mark when answers contradict it', async () => {
  const monitor = createFakeMonitor();
  const rig = draw(monitor, 100);
  expect(statusOf(rig)).toContain('API v2 B  ');
  monitor.set({ apiDoubt: 'This looks like variant A.' });
  await rig.until((text) => text.includes('API v2 B ?'));
});

test('counts nodes with a sign, also while they are not known', async () => {
  const monitor = createFakeMonitor({ watched });
  const rig = draw(monitor, 100);
  expect(statusOf(rig)).toContain('  ··· nodes  ');
  monitor.setResources({ nodeStats: ready([figuresOf('a'), figuresOf('b')]) });
  await rig.until((text) => text.includes('● 2/2 nodes'));
  monitor.setResources({ nodeStats: ready([figuresOf('a'), { ...figuresOf('b'), status: 'stopped' }]) });
  await rig.until((text) => text.includes('! 1/2 nodes'));
  monitor.setResources({ nodeStats: ready([figuresOf('a'), figuresOf('b')], 72_000) });
  await rig.until((text) => text.includes('? 2/2 nodes'));
});

test('a screen reader says how the password may leak, and that the session is read-only', async () => {
  const { tree, said } = withListener(
    <Header
      monitor={createFakeMonitor()}
      session={{ ...session, isReadOnly: true, isInsecure: true, isTlsUnchecked: true }}
      place={{ screen: 'overview' }}
      width={100}
    />,
  );
  createRig(tree);
  await expect.poll(() => said).toContain('READ-ONLY, UNENCRYPTED, TLS NOT VERIFIED');
});

test('logs when a problem begins, and when it is over', async () => {
  const monitor = createFakeMonitor({ watched });
  const nodes = (status: 'running' | 'stopped') => ({
    nodes: ready([infoOf('a'), { ...infoOf('b'), status }]),
    nodeStats: ready([figuresOf('a'), { ...figuresOf('b'), status }]),
  });
  const begun: unknown[] = [];
  const rig = draw(monitor, 120, {
    onProblem: (problem: unknown) => {
      begun.push(problem);
    },
  });
  monitor.setResources(nodes('stopped'));
  await rig.until((text) => /\d critical/u.test(text));
  await expect.poll(() => begun).toMatchObject([{ severity: 'critical', check: 'nodes', title: 'Node b is stopped' }]);
  await expect
    .poll(() => monitor.store.getState().log)
    .toMatchObject([{ level: 'error', text: logTexts.problemBegan('Node b is stopped') }]);
  monitor.setResources(nodes('running'));
  await expect
    .poll(() => monitor.store.getState().log)
    .toMatchObject([{}, { level: 'info', text: expect.stringMatching(/^Resolved after .+: "Node b is stopped"$/u) }]);
});

test('logs the end of a problem with the title of its beginning', async () => {
  const monitor = createFakeMonitor({ watched });
  const using = (megabytes: number) => ({
    nodes: ready([infoOf('a')]),
    nodeStats: ready([figuresOf('a', { memoryTotalBytes: 100e6, memoryUsedBytes: megabytes * 1e6 })]),
  });
  const log = () => monitor.store.getState().log.map(({ text }) => text.replace(/after .+:/u, 'after …:'));
  draw(monitor, 120);
  monitor.setResources(using(92));
  await expect.poll(log).toEqual([logTexts.problemBegan('Node a uses 92 % of its memory')]);
  monitor.setResources(using(93));
  await expect
    .poll(() => triageOf(monitor).update(monitor.store.getState(), steadyNowMs()).findings)
    .toMatchObject([{ evidence: { share: 0.93 } }]);
  monitor.setResources(using(10));
  await expect
    .poll(log)
    .toEqual([
      logTexts.problemBegan('Node a uses 92 % of its memory'),
      'Resolved after …: "Node a uses 92 % of its memory"',
    ]);
});

test('logs who a problem is about as the Overview says it, at once or when it is known', async () => {
  const storm = (pattern?: ReconnectStorm['pattern'], clientIds: readonly string[] = []): Finding => ({
    check: 'reconnects',
    key: 'storm',
    severity: 'critical',
    jump: { screen: 'clients' },
    code: 'reconnect-storm',
    evidence: { connectsPerSecond: 52, seconds: 30, change: 0, clients: 300, known: 300, clientIds, pattern },
  });
  const fanOut = (
    suspect: string | { readonly topic: string; readonly subscribers: number; readonly isMin: boolean },
  ): Finding => ({
    check: 'fanOut',
    key: 'fan-out',
    severity: 'warning',
    jump: { screen: 'subscriptions' },
    code: 'fan-out',
    evidence: { ratio: 56, sentPerSecond: 560, receivedPerSecond: 10, suspect, hasTalkers: false },
  });
  const moreLosing: Finding = {
    check: 'slow',
    key: 'more',
    severity: 'critical',
    jump: { screen: 'sessions' },
    code: 'more-sessions',
    evidence: { clientIds: ['worker-8', 'worker-9'] },
  };
  const monitor = createFakeMonitor({ watched });
  const triage = triageOf(monitor);
  let found: readonly Finding[] = [storm(), fanOut('not-read'), moreLosing];
  vi.spyOn(triage, 'openFindings').mockImplementation(() => new Map(found.map((finding) => [finding.key, finding])));
  const changes = vi
    .spyOn(triage, 'takeChanges')
    .mockReturnValueOnce(found.map((finding) => ({ kind: 'began', finding, isQuiet: false })))
    .mockReturnValue([]);
  const log = () => monitor.store.getState().log.map(({ text }) => text.replace(/after .+:/u, 'after …:'));
  draw(monitor, 120);
  const begun = [
    'Problem: Reconnect storm, 52 connects/s',
    'Problem: High fan-out: 56 deliveries per message',
    'Problem: 2 more consumers losing messages: worker-8 and 1 more',
  ];
  await expect.poll(log).toEqual(begun);
  found = [storm(undefined, ['a', 'b']), fanOut('list-cut'), moreLosing];
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  const evidence = 'Now known: Reconnect storm, 52 connects/s: a and 1 more';
  await expect.poll(log).toEqual([...begun, evidence]);
  found = [
    storm({ trait: 'username', value: 'factory-b' }, ['b', 'c']),
    fanOut({ topic: 'market/prices', subscribers: 50, isMin: false }),
    moreLosing,
  ];
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  const named = [
    'Now known: Reconnect storm, mostly from user factory-b, 52 connects/s',
    'Now known: High fan-out, probably on market/prices',
  ];
  await expect.poll(log).toEqual([...begun, evidence, ...named]);
  changes.mockReturnValueOnce([
    { kind: 'ended', finding: { ...storm(), foundMs: 1_000 }, atMs: steadyNowMs(), isQuiet: false },
  ]);
  found = found.slice(1);
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  await expect
    .poll(log)
    .toEqual([
      ...begun,
      evidence,
      ...named,
      'Resolved after …: "Reconnect storm, mostly from user factory-b, 52 connects/s"',
    ]);
});

test('a problem has one beginning and one end, and an event has no end', async () => {
  const beginMs = steadyNowMs() - 100_000;
  const changes = [{ sinceMs: beginMs }, { foundMs: beginMs + 1_000 }, { atMs: beginMs + 2_000 }].flatMap(
    (begin, index): readonly FindingChange[] => {
      const finding: Finding = {
        check: 'nodes',
        key: `node ${index}`,
        severity: 'warning',
        jump: { screen: 'nodes' },
        code: 'node-status',
        evidence: { node: `n${index}`, status: 'odd' },
        ...begin,
      };
      return [
        { kind: 'began', finding, atMs: beginMs + index * 1_000, isQuiet: false },
        { kind: 'ended', finding: { ...finding, seenMs: beginMs + 30_000 }, atMs: beginMs + 64_000, isQuiet: true },
      ];
    },
  );
  const monitor = createFakeMonitor({ watched });
  vi.spyOn(triageOf(monitor), 'takeChanges').mockReturnValueOnce(changes).mockReturnValue([]);
  draw(monitor, 120, {});
  await expect
    .poll(() => monitor.store.getState().log.map(({ atMs, text }) => [Math.round((atMs - beginMs) / 1_000), text]))
    .toEqual([
      [0, 'Problem: Node n0 reports status odd'],
      [1, 'Problem: Node n1 reports status odd'],
      [2, 'Problem: Node n2 reports status odd'],
      [64, 'Resolved after 1m 04s: "Node n0 reports status odd"'],
      [64, 'Resolved after >1m 03s: "Node n1 reports status odd"'],
    ]);
});

test('logs that a problem has become critical, and a warning again', async () => {
  const problem = (severity: Finding['severity']): Finding => ({
    check: 'nodes',
    key: 'node b',
    severity,
    jump: { screen: 'node', node: 'b' },
    code: 'node-status',
    evidence: { node: 'b', status: 'odd' },
  });
  const monitor = createFakeMonitor({ watched });
  const changes = vi
    .spyOn(triageOf(monitor), 'takeChanges')
    .mockReturnValueOnce([{ kind: 'began', finding: problem('warning'), isQuiet: false }])
    .mockReturnValueOnce([{ kind: 'worsened', finding: problem('critical'), isQuiet: false }])
    .mockReturnValueOnce([{ kind: 'eased', finding: problem('warning'), isQuiet: true }])
    .mockReturnValue([]);
  const rig = draw(monitor, 120, {});
  await expect
    .poll(() => {
      monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
      return changes.mock.calls.length;
    })
    .toBeGreaterThan(1);
  const title = 'Node b reports status odd';
  await expect
    .poll(() => monitor.store.getState().log.map(({ text }) => text))
    .toEqual([logTexts.problemBegan(title), logTexts.problemCritical(title), `No longer critical: ${title}`]);
  expect(rig.lines().length).toBeGreaterThan(0);
});

test('logs each of many problems, and of more than fifty at once how many there are', async () => {
  const problem = (number: number): Finding => ({
    check: 'nodes',
    key: `node ${number}`,
    severity: 'warning',
    jump: { screen: 'node', node: `n${number}` },
    code: 'node-status',
    evidence: { node: `n${number}`, status: 'odd' },
  });
  const monitor = createFakeMonitor({ watched });
  const begun: string[] = [];
  vi.spyOn(triageOf(monitor), 'takeChanges')
    .mockReturnValueOnce(
      Array.from({ length: 61 }, (_, number) => ({ kind: 'began', finding: problem(number), isQuiet: false }) as const),
    )
    .mockReturnValue([]);
  const rig = draw(monitor, 120, {
    onProblem: ({ title }: { readonly title: string }) => {
      begun.push(title);
    },
  });
  await rig.until((text) => text.includes('brokertop'));
  await expect.poll(() => monitor.store.getState().log.length).toBe(51);
  expect(monitor.store.getState().log.at(49)?.text).toBe('Problem: Node n49 reports status odd');
  expect(monitor.store.getState().log.at(50)?.text).toBe('11 more problems began');
  expect(begun).toHaveLength(61);
});

test('counts problems as the Overview does, on every screen', async () => {
  for (const screen of ['overview', 'clients'] as const) {
    const monitor = createFakeMonitor({ watched });
    const rig = draw(monitor, 120, {}, screen);
    expect(statusOf(rig)).toContain(headerTexts.checking);
    monitor.setResources({
      nodeStats: ready([
        figuresOf('a'),
        { ...figuresOf('b'), status: 'stopped' },
        { ...figuresOf('c'), status: 'stopped' },
      ]),
    });
    await rig.until((text) => /\d critical/u.test(text));
    const counts = severityCounts(triageOf(monitor).update(monitor.store.getState(), steadyNowMs()).findings);
    expect(counts.critical).toBeGreaterThan(0);
    expect(countText([{ severity: 'warning' }, { severity: 'warning' }])).toBe(headerTexts.severity.warning(2));
    expect(statusOf(rig)).toContain(headerTexts.severity.critical(counts.critical));
    expect(statusOf(rig)).not.toContain(' ago)');
    monitor.setResources({ nodeStats: ready([figuresOf('a'), { ...figuresOf('b'), status: 'stopped' }], 400_000) });
    // A reading so old does not show that the other one is back.
    await rig.until((text) => text.includes(`${headerTexts.severity.critical(2)} ${headerTexts.seen(400)}`));
  }
});

test.each(['overview', 'clients', 'settings'] as const)(
  'keeps everything read that the checks need on %s, without lists that are too long',
  async (screen) => {
    const always = [
      'alarms',
      'listeners',
      'metrics',
      'nodeMetrics',
      'nodeStats',
      'nodes',
      'plugins',
      'settings',
      'stats',
    ];
    for (const [count, kinds] of [
      [maxBackgroundRows, [...always, 'clientScan', 'sessionScan']],
      [maxBackgroundRows + 1, always],
    ] as const) {
      const monitor = createFakeMonitor({ capabilities: capabilitiesB });
      monitor.setResources({ nodeStats: ready([figuresOf('a')]), stats: ready(new Map([['a', statsOf(count)]])) });
      const rig = draw(monitor, 100, {}, screen);
      await rig.until((text) => text.includes('1/1 nodes'));
      const read = new Set(monitor.watching.map((watched) => asWatch(watched).query.name));
      expect([...read].toSorted()).toEqual(kinds.toSorted());
    }
  },
);

test('finds no problems only once all checks that need no key are made', async () => {
  const monitor = createFakeMonitor({ watched });
  const rig = draw(monitor, 120);
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  const { pending = [], results } = triageOf(monitor).update(monitor.store.getState(), steadyNowMs());
  const offered = results.filter(({ isNotOffered }) => isNotOffered !== true).length;
  expect(pending.length).toBeGreaterThan(0);
  await rig.until((text) => text.includes(headerTexts.checkingRest(offered - pending.length, offered)));
  expect(statusOf(rig)).not.toContain('no problems');
  monitor.set({ isFrozen: true });
  await rig.until((text) => /no problems in \d+\/\d+ /u.test(text));
  expect(statusOf(rig)).not.toMatch(new RegExp(`${headerTexts.allClear}(?! in)`, 'u'));
});

test('shows the time of current data, otherwise its age', async () => {
  const monitor = createFakeMonitor({ watched });
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  const { updatedAtMs } = reading(monitor.store.getState(), nodeStats);
  const rig = draw(monitor, 120);
  expect(statusOf(rig)).toMatch(new RegExp(` 2 s ▸ ${formatClock(updatedAtMs)}$`, 'u'));
  monitor.set({ isFrozen: true });
  await rig.until((text) => /PAUSED {2}\d+ s ago/u.test(text));
  expect(statusOf(rig)).not.toContain('▸');
  monitor.set({ isFrozen: false });
  monitor.setResources({ nodeStats: ready([figuresOf('a')], 72_000) });
  await rig.until((text) => / 2 s ▸ 1m \d\ds ago STALE/u.test(text));
});

test('flags are never dropped: the name, the interval and the problems go first, then the address is cut', () => {
  const flags = 'READ-ONLY  UNENCRYPTED  PAUSED  1m \\d\\ds ago STALE';
  for (const width of [60, 80, 120, 200]) {
    const monitor = createFakeMonitor({ isFrozen: true, watched });
    monitor.setResources({ nodeStats: ready([figuresOf('a'), figuresOf('b')], 72_000) });
    const line = statusOf(draw(monitor, width, { isReadOnly: true, isInsecure: true }));
    expect(line).toMatch(new RegExp(`${flags}$`, 'u'));
    expect(line.includes('brokertop')).toBe(width >= 120);
    expect(line.includes(session.url)).toBe(width >= 120);
    expect(line.length).toBeLessThanOrEqual(width);
  }
});

test('shows the name of the context, and with it the address after a failover or where there is room', async () => {
  const monitor = createFakeMonitor();
  const rig = draw(monitor, 120, { context: 'prod' });
  expect(statusOf(rig)).toMatch(/^ brokertop {2}prod {2}/u);
  expect(statusOf(draw(monitor, 160, { context: 'prod' }))).toMatch(
    /^ brokertop {2}prod › http:\/\/127\.0\.0\.1:8080 {2}/u,
  );
  monitor.set({ failover: { url: 'http://b', insteadOf: session.url, because: 'It is gone.', atMs: 0 } });
  await rig.until((text) => text.includes('prod › http://b '));
});

test('shows product and version as the nodes report them', async () => {
  const monitor = createFakeMonitor();
  const rig = draw(monitor, 160);
  const info = {
    name: 'a',
    version: '2.3.11',
    description: 'Erlang MQTT Broker',
    uptimeSeconds: 1,
    clock: undefined,
    otpRelease: undefined,
    status: 'running',
    statusText: 'Running',
    unparsed: {},
  } as const;
  monitor.setResources({ nodes: ready([info]), nodeStats: ready([figuresOf('a')]) });
  await rig.until((text) => text.includes(' Erlang MQTT Broker v2.3.11 '));
  monitor.setResources({ nodes: ready([info, { ...info, name: 'b', version: '2.3.10' }]) });
  await rig.until((text) => text.includes(headerTexts.versions(2)));
  expect(statusOf(rig)).not.toContain('2.3.1');
});

test('shows NO AUDIT unless in read-only mode', () => {
  const flags = (patch: object): string => statusOf(draw(createFakeMonitor(), 80, patch));
  expect(flags({ isUnrecorded: true })).toContain('NO AUDIT');
  expect(flags({ isUnrecorded: false })).not.toContain('NO AUDIT');
  expect(flags({ isUnrecorded: true, isReadOnly: true })).not.toContain('NO AUDIT');
});

test.each([
  [{ isInsecure: false, isTlsUnchecked: false }, ''],
  [{ isInsecure: true, isTlsUnchecked: false }, 'UNENCRYPTED'],
  [{ isInsecure: false, isTlsUnchecked: true }, 'TLS NOT VERIFIED'],
])('warns when the password may leak: %j', (exposure, words) => {
  expect(/UNENCRYPTED|TLS NOT VERIFIED/u.exec(statusOf(draw(createFakeMonitor(), 80, exposure)))?.[0] ?? '').toBe(
    words,
  );
});

test.each([
  ['triage', 'T Triage'],
  ['settings', ', Settings'],
  ['overview', '0 More'],
] as const)('shows %s as the active tab', (screen, tab) => {
  expect(draw(createFakeMonitor(), 120, {}, screen).lines()[1]).toContain(tab);
});

test('at 80 columns the tabs have the same names on every screen', () => {
  const bar = (screen: 'overview' | 'clients' | 'triage' | 'settings'): string =>
    (draw(createFakeMonitor(), 80, {}, screen).lines()[1] ?? '').replaceAll(/\s+/gu, '');
  for (const screen of ['overview', 'triage', 'settings'] as const) expect(bar(screen)).toBe(bar('clients'));
  expect(bar('clients')).toContain('1Overview2Nodes3Listen4Clients5Sess');
});
