import { afterEach, expect, test, vi } from 'vitest';
import { reading } from '../../src/monitor/query/part.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { formatClock } from '../../src/terminal/format.ts';
import { Header, headerHeight } from '../../src/screens/status/header.tsx';
import { headerTexts } from '../../src/screens/status/texts.ts';
import { countText, severityCounts } from '../../src/resources/problems/view/texts.ts';
import { selectReport } from '../../src/triage/view.ts';
import { createFakeMonitor, type FakeMonitor, figuresOf, ready } from './list-fixtures.ts';
import { withListener } from '../tui/support/listener.tsx';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { keepWatched } from '../../src/checks/keep-watched.ts';

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

test('counts problems as the Overview does, on every screen', async () => {
  for (const screen of ['overview', 'clients'] as const) {
    const monitor = createFakeMonitor({ watched });
    const rig = draw(monitor, 120, {}, screen);
    expect(statusOf(rig)).toContain('checking…');
    monitor.setResources({
      nodeStats: ready([
        figuresOf('a'),
        { ...figuresOf('b'), status: 'stopped' },
        { ...figuresOf('c'), status: 'stopped' },
      ]),
    });
    await rig.until((text) => /\d critical/u.test(text));
    const counts = severityCounts(selectReport(monitor.store.getState()).findings);
    expect(counts.critical).toBeGreaterThan(0);
    expect(countText([{ severity: 'warning' }, { severity: 'warning' }])).toBe('2 warnings');
    expect(statusOf(rig)).toContain(headerTexts.severity.critical(counts.critical));
    expect(statusOf(rig)).not.toContain(' ago)');
    monitor.setResources({ nodeStats: ready([figuresOf('a'), { ...figuresOf('b'), status: 'stopped' }], 400_000) });
    // A reading so old does not show that the other one is back.
    await rig.until((text) => text.includes('2 critical (as of 6 min ago)'));
  }
});

test('finds no problems only once all checks that need no key are made', async () => {
  const monitor = createFakeMonitor({ watched });
  const rig = draw(monitor, 120);
  keepWatched(monitor);
  monitor.setResources({ nodeStats: ready([figuresOf('a')]) });
  const { pending = [], results } = selectReport(monitor.store.getState());
  const offered = results.filter(({ isNotOffered }) => isNotOffered !== true).length;
  expect(pending.length).toBeGreaterThan(0);
  await rig.until((text) => text.includes(headerTexts.checkingRest(offered - pending.length, offered)));
  expect(statusOf(rig)).not.toContain('no problems');
  monitor.set({ isFrozen: true });
  await rig.until((text) => /no problems in \d+\/\d+ /u.test(text));
  expect(statusOf(rig)).not.toMatch(/no problems(?! in)/u);
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
  await rig.until((text) => text.includes('2 versions'));
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
