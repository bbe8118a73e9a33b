import type { ReactNode } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { NoAnswerError, NotFoundError } from '../../../src/api/errors.ts';
import type { Subscription } from '../../../src/domain/client.ts';
import { steadyNowMs } from '../../../src/monitor/clock.ts';
import { isWatched } from '../../../src/monitor/query/part.ts';
import { emptyResource, type ResourceState } from '../../../src/monitor/state.ts';
import type { ClientDetail, TrendPoint } from '../../../src/resources/clients/client-detail.ts';
import { clientDetail } from '../../../src/resources/clients/detail.ts';
import { ClientsScreen } from '../../../src/resources/clients/screen.tsx';
import { clientTexts } from '../../../src/resources/clients/texts.ts';
import { ListenersScreen } from '../../../src/resources/listeners/screen.tsx';
import { clusterTotal, metrics } from '../../../src/resources/metrics/resource.ts';
import { NodesScreen } from '../../../src/resources/nodes/screen.tsx';
import { PluginsScreen } from '../../../src/resources/plugins/screen.tsx';
import { RoutesScreen } from '../../../src/resources/routes/screen.tsx';
import { SessionsScreen } from '../../../src/resources/sessions/screen.tsx';
import { SubscriptionsScreen } from '../../../src/resources/subscriptions/screen.tsx';
import { createTheme } from '../../../src/terminal/theme.ts';
import { ClickTargets, ClickTargetsContext, ThemeContext } from '../../../src/tui/components/drawing.tsx';
import { KeysProvider } from '../../../src/tui/keys/use-keys.ts';
import { detailWidthOf, tableWidthOf } from '../../../src/tui/list/detail.tsx';
import { readingsOf, watchedKeys } from '../../support/readings.ts';
import { capabilitiesB, pluginOf } from '../../screens/administration-fixtures.tsx';
import { samplesOf } from '../../screens/cluster-state.ts';
import { pattern } from '../../screens/frames.ts';
import {
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  figuresOf,
  infoOf,
  listenerOf,
  propsOf,
  ready,
  scanOf,
  sessionOf,
} from '../../screens/list-fixtures.ts';
import { createTerminal, endPainted, startPainted } from '../support/painted-rig.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';
import { createKeymap } from '../../../src/screens/keys.ts';
import { eventOf } from '../../support/events.ts';

afterEach(endRigs);
afterEach(endPainted);

const node = 'broker1@127.0.0.1';
const ids = Array.from({ length: 30 }, (_, index) => `client-${String(index).padStart(2, '0')}`);
const subscription = (clientId: string, topic: string, qos = 1): Subscription => ({ clientId, topic, qos, node });
const trend: readonly TrendPoint[] = Array.from({ length: 16 }, (_, index) => ({
  atMs: index * 2_000,
  queueLength: index,
  deliveredPerSecond: index === 0 ? undefined : 40,
  droppedPerSecond: index === 0 ? undefined : 2,
}));
const detailOf = (clientId: string, patch: Partial<ClientDetail> = {}): ClientDetail => ({
  clients: [clientOf(clientId)],
  sessions: [sessionOf(clientId)],
  subscriptions: [subscription(clientId, `of/${clientId}`)],
  trend,
  ...patch,
});

const monitorOf = (details: Readonly<Record<string, ResourceState<ClientDetail>>> = {}, rows = ids): FakeMonitor => {
  const monitor = createFakeMonitor(
    readingsOf({
      clientScan: scanOf(rows.map((id) => clientOf(id))),
      sessionScan: scanOf(rows.map((id) => sessionOf(id, { node, queueLength: 0, dropped: 0 }))),
      subscriptionScan: scanOf(rows.map((id) => subscription(id, `of/${id}`))),
      clientDetail: new Map(Object.entries(details)),
    }),
  );
  monitor.setResources({ nodes: ready([infoOf(node)]), nodeStats: ready([figuresOf(node)]) });
  return monitor;
};

const open = (
  monitor: FakeMonitor,
  size: readonly [number, number] = [140, 36],
  Screen: typeof ClientsScreen = ClientsScreen,
  theme = colorTheme,
): Rig => createRig(<Screen {...propsOf(monitor, size)} />, { columns: size[0], rows: size[1], theme });

/** The lines of the panel, without its border. */
const panelOf = (rig: Rig, width: number): string =>
  rig
    .lines()
    .map((line) => line.slice(tableWidthOf(width) + 3, width - 2))
    .join('\n');

const watched = (monitor: FakeMonitor): readonly string[] => watchedKeys(monitor.watching, clientDetail);

const showsPanel = (rig: Rig): boolean => rig.lines().some((line) => line.includes('╭'));

test('from 140 columns a list keeps a third for the row under the cursor, of wider screens less', () => {
  expect([80, 139, 140, 200].map((width) => [tableWidthOf(width), detailWidthOf(width)])).toEqual([
    [80, 0],
    [139, 0],
    [94, 46],
    [146, 54],
  ]);
});

test.each([
  [140, 36],
  [200, 56],
  [140, 20],
  [140, 11],
] as const)('fills %i by %i, with the panel down to the footer', async (width, height) => {
  const rig = open(monitorOf({ 'client-00': ready(detailOf('client-00')) }), [width, height]);
  await rig.until((text) => text.includes('client-00'));
  const lines = rig.lines();
  expect(lines).toHaveLength(height);
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([width]));
  expect(lines[0]?.slice(tableWidthOf(width))).toMatch(pattern`^ ╭ client-00 ─+ live ─╮$`);
  expect(lines.at(-1)?.slice(tableWidthOf(width))).toMatch(/^ ╰─+╯$/u);
  for (const line of lines.slice(1, -1)) expect(line.slice(tableWidthOf(width))).toMatch(/^ │ .* │$/u);
});

test.each([ClientsScreen, SessionsScreen, SubscriptionsScreen])(
  'reads nothing for the row under the cursor below 140 columns',
  async (Screen) => {
    const monitor = monitorOf();
    const rig = open(monitor, [139, 36], Screen);
    await rig.until((text) => text.includes('client-00'));
    rig.type('j');
    await rig.until((text) => /▸client-01/u.test(text));
    // By then a wide list has read its row.
    const wide = monitorOf();
    open(wide, [140, 36], Screen);
    await expect.poll(() => watched(wide)).toEqual(['client-00']);
    expect(showsPanel(rig)).toBe(false);
    expect(watched(monitor)).toEqual([]);
  },
);

test.each([
  [140, ClientsScreen],
  [200, ClientsScreen],
  [140, SessionsScreen],
  [140, SubscriptionsScreen],
] as const)('reads one client at %i columns, the one on which the cursor rests', async (width, Screen) => {
  const monitor = monitorOf();
  const rig = open(monitor, [width, 36], Screen);
  await expect.poll(() => watched(monitor)).toEqual(['client-00']);
  const seen: (readonly string[])[] = [];
  monitor.store.subscribe(() => {
    seen.push(watched(monitor));
  });
  for (let step = 0; step < 12; step += 1) rig.type('j');
  await rig.until((text) => text.includes('╭ client-12 '));
  await expect.poll(() => watched(monitor)).toEqual(['client-12']);
  expect(seen.filter((each) => each.length > 1 || !['', 'client-00', 'client-12'].includes(each.join()))).toEqual([]);
  rig.unmount();
  await expect.poll(() => watched(monitor)).toEqual([]);
});

test('shows connection, session, trends and subscriptions', async () => {
  const subscriptions = ['plant/10/#', 'plant/9/#', 'jobs/+'].map((topic) => subscription('client-00', topic));
  const rig = open(
    monitorOf({
      'client-00': ready(
        detailOf('client-00', { subscriptions, clients: [clientOf('client-00', { username: 'factory-a' })] }),
      ),
    }),
  );
  await rig.until((text) => text.includes('plant/'));
  const text = panelOf(rig, 140);
  expect(text).toMatch(pattern`^state +● connected *$`);
  expect(text).toMatch(/^node +broker1@127\.0\.0\.1 *$/mu);
  expect(text).toMatch(/^username +factory-a *$/mu);
  expect(text).toMatch(/^address +10\.2\.4\.17:51220 *$/mu);
  expect(text).toMatch(/^connected +2h 14m ago *$/mu);
  expect(text).toMatch(/^protocol +3\.1\.1 · keepalive 60 s *$/mu);
  expect(text).toMatch(pattern`^session +persistent · 1d 1h old *$`);
  expect(text).toMatch(/^inflight +4 of 32 *$/mu);
  expect(text).toMatch(pattern`^Trends +last 30 s *$`);
  expect(text).toMatch(pattern`^queue +15 [^]*^delivered +40/s [^]*^dropped +2/s !`);
  expect(text).toMatch(/[\u2801-\u28ff]/u);
  expect(text).toMatch(pattern`^Subscriptions +3 *\nQoS 1 +jobs/\+ *\nQoS 1 +plant/9/# *\nQoS 1 +plant/10/# *$`);
});

test('tells loading, unknown, stale, failed and gone apart, with what the list knows', async () => {
  const state = async (
    details: Parameters<typeof monitorOf>[0],
    patch: Parameters<FakeMonitor['set']>[0] = {},
  ): Promise<string> => {
    const monitor = monitorOf(details);
    monitor.set(patch);
    const rig = open(monitor);
    await rig.until((text) => text.includes('╭ client-00'));
    return [rig.lines()[0], panelOf(rig, 140)].join('\n');
  };
  const loading = await state({});
  expect(loading).toMatch(pattern`╭ client-00 ─+ ··· loading ─╮[^]*^state +···`);
  expect(loading).toMatch(/^address +10\.2\.4\.17:51220/mu);
  expect(loading).toMatch(/^inflight +···/mu);
  expect(loading).not.toMatch(/\b0\/s/u);
  const frozen = await state({}, { isFrozen: true });
  expect(frozen).toMatch(pattern`─ paused ─╮[^]*^state +– `);
  expect(frozen).not.toContain('···');
  const failed = await state({ 'client-00': { ...emptyResource<ClientDetail>(), error: new NotFoundError() } });
  expect(failed).toMatch(pattern`─ ! not read ─╮[^]*^state +– [^]*^! not read: `);
  const part = await state({ 'client-00': ready(detailOf('client-00', { sessions: new NoAnswerError(), trend: [] })) });
  expect(part).toMatch(/^state +● [^]*^inflight +–[^]*^! not read: [^]*^queue +– /mu);
  const stale = await state({ 'client-00': ready(detailOf('client-00'), 60_000) });
  expect(stale).toMatch(/─ (?:1m 0\ds) old ─╮[^]*^state +● [^]*^queue +– /mu);
  const unknown = await state({
    'client-00': ready(
      detailOf('client-00', { sessions: [sessionOf('client-00', { inflight: undefined, maxInflight: undefined })] }),
    ),
  });
  expect(unknown).toMatch(/^inflight +– of –/mu);
  const gone = await state({ 'client-00': ready({ clients: [], sessions: [], subscriptions: [], trend: [] }) });
  expect(gone).toMatch(pattern`^state +○ no longer connected [^]*^session +no session [^]*^no subscriptions `);
  const offline = await state({
    'client-00': ready(
      detailOf('client-00', {
        clients: [],
        sessions: [sessionOf('client-00', { node: undefined })],
        offline: { sinceMs: steadyNowMs() - 130_000, isLive: false },
      }),
    ),
  });
  expect(offline).toMatch(pattern`^state +○ not connected [^]*^session +persistent[^]*^counters as of disco`);
});

test('an offline session keeps the node of its list, which its own answer may lack', async () => {
  const monitor = monitorOf({ 'client-00': ready(detailOf('client-00', { clients: [] })) });
  monitor.set(readingsOf({ clientScan: scanOf([]) }));
  const rig = open(monitor, [140, 36], SessionsScreen);
  await rig.until((text) => text.includes('╭ client-00'));
  expect(panelOf(rig, 140)).toMatch(pattern`^state +○ not connected *\nnode +broker1@127\.0\.0\.1 `);
});

test('says that a row marked as gone is no longer connected before it is read', async () => {
  const monitor = monitorOf({}, []);
  monitor.set(readingsOf({ clientScan: scanOf([], { gone: [clientOf('client-00')] }) }));
  const rig = open(monitor);
  await rig.until((text) => text.includes('╭ client-00'));
  expect(panelOf(rig, 140)).toMatch(pattern`^state +○ no longer connected`);
});

test('follows the cursor to a neighbour when its row vanishes, and has no row in an empty list', async () => {
  const monitor = monitorOf({ 'client-01': ready(detailOf('client-01')) });
  const rig = open(monitor);
  rig.type('j');
  await rig.until((text) => text.includes('╭ client-01 '));
  monitor.set(readingsOf({ clientScan: scanOf(ids.filter((id) => id !== 'client-01').map((id) => clientOf(id))) }));
  await rig.until((text) => text.includes('╭ client-02 '));
  await expect.poll(() => watched(monitor)).toEqual(['client-02']);
  monitor.set(readingsOf({ clientScan: scanOf([]) }));
  const lines = await rig.until((text) => text.includes('no row selected'));
  expect(new Set(lines.slice(0, -1).map((line) => line.trimEnd().length))).toEqual(new Set([140, tableWidthOf(140)]));
  await expect.poll(() => watched(monitor)).toEqual([]);
});

test('a list beside its detail is a panel with its title above and what it shows below', async () => {
  const rig = open(monitorOf(), [140, 36]);
  await rig.until((text) => text.includes('client-00'));
  const list = rig.lines().map((line) => line.slice(0, tableWidthOf(140)));
  expect(list[0]).toMatch(/^╭ Clients ─+╮$/u);
  expect(list[1]).toMatch(/^│ CLIENT ID ▲.*│$/u);
  expect(list[2]).toMatch(/^│▸client-00 .*│$/u);
  expect(list.at(-1)).toMatch(/^╰─ showing 30 of 30 .*─ read \d+ s ago ─╯$/u);
});

test('below a short list and its detail stand the messages and what happened last, in the whole width', async () => {
  const monitor = monitorOf();
  monitor.setResources({ listeners: ready(new Map([[node, [listenerOf()]]])) });
  monitor.set(readingsOf({ timelineEvents: [eventOf({ text: 'Connected' })] }));
  const rig = createRig(<ListenersScreen {...propsOf(monitor, [200, 54])} />, { columns: 200, rows: 54 });
  const lines = await rig.until((text) => text.includes('Recent events'));
  expect(lines.findIndex((line) => line.startsWith('╰─ showing 1 of 1'))).toBeLessThan(
    lines.findIndex((line) => line.includes('Recent events')),
  );
  expect(lines.at(-1)).toMatch(/^╰─{198}╯$/u);
  expect(lines).toHaveLength(54);
  monitor.set(readingsOf({ timelineEvents: [], metricHistory: new Map([[clusterTotal, samplesOf(9, () => 20)]]) }));
  const alone = await rig.until((text) => text.includes('╭ Messages '));
  expect(alone.join('\n')).not.toContain('Recent events');
  expect(alone.at(-1)).toMatch(/^╰─{198}╯$/u);
  // On a lower screen there is no room for it.
  expect(
    createRig(<ListenersScreen {...propsOf(monitor, [200, 20])} />, { columns: 200, rows: 20 })
      .lines()
      .join('\n'),
  ).not.toContain('Recent events');
});

test('a click in a panel finds its row and its header', async () => {
  const targets = new ClickTargets();
  const rig = createRig(
    <ClickTargetsContext value={targets}>
      <ClientsScreen {...propsOf(monitorOf(), [140, 36])} />
    </ClickTargetsContext>,
    { columns: 140, rows: 36 },
  );
  await rig.until((text) => text.includes('▸client-00'));
  targets.click(4, 4);
  await rig.until((text) => text.includes('▸client-02'));
  const header = rig.lines()[1] ?? '';
  targets.click(1, header.indexOf('NODE') + 3);
  const lines = await rig.until((text) => text.includes('NODE ▲'));
  expect(lines[1]).not.toContain('CLIENT ID ▲');
});

test('the panel stands still whatever the values', async () => {
  const labels = ['Trends', 'queue', 'delivered', 'dropped', 'Subscriptions'];
  for (const [width, height] of [
    [140, 36],
    [200, 56],
    [140, 20],
  ] as const) {
    const placesOf = async (detail: ResourceState<ClientDetail> | undefined): Promise<readonly number[]> => {
      const rig = open(monitorOf(detail === undefined ? {} : { 'client-00': detail }), [width, height]);
      await rig.until((text) => text.includes('╭ client-00'));
      const panel = panelOf(rig, width).split('\n');
      return labels.map((label) => panel.findIndex((line) => line.startsWith(label)));
    };
    const one = await placesOf(undefined);
    expect(one).not.toContain(-1);
    for (const detail of [
      ready(detailOf('client-00')),
      ready(detailOf('client-00', { sessions: new NoAnswerError() })),
      ready(detailOf('client-00', { clients: [], sessions: [], trend: [] })),
      { ...emptyResource<ClientDetail>(), error: new NotFoundError() },
    ]) {
      expect(await placesOf(detail)).toEqual(one);
    }
  }
});

test('counts the subscriptions that do not fit', async () => {
  const subscriptions = Array.from({ length: 40 }, (_, index) => subscription('client-00', `topic/${index}`));
  const rig = open(monitorOf({ 'client-00': ready(detailOf('client-00', { subscriptions })) }));
  await rig.until((text) => text.includes('topic/0'));
  const panel = panelOf(rig, 140);
  const shown = [...panel.matchAll(/topic\/\d+/gu)].length;
  expect(shown).toBeGreaterThan(3);
  expect(panel).toContain(clientTexts.more(40 - shown));
});

test('the wide view and Enter are for the whole screen', async () => {
  const monitor = monitorOf();
  const rig = open(monitor);
  await rig.until((text) => text.includes('╭ client-00'));
  rig.type('W');
  await rig.until((text) => !text.includes('╭'));
  expect(watched(monitor)).toEqual([]);
  rig.type('W');
  await rig.until((text) => text.includes('╭ client-00'));
  rig.type('\r');
  await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: 'client-00' }]);
});

test('escapes names, and works without Unicode', async () => {
  const hostile = '\u001B]0;owned\u0007\u202E';
  const rig = open(
    monitorOf({ [hostile]: ready(detailOf(hostile, { subscriptions: [subscription(hostile, hostile)] })) }, [hostile]),
    [140, 36],
    ClientsScreen,
    asciiTheme,
  );
  const lines = await rig.until((text) => text.includes('owned'));
  expect(lines[0]).toContain(String.raw`+ \x1b]0;owned\x07\u202e -`);
  expect(rig.raw()).toMatch(/^[ -~\n]*$/u);
  expect(new Set(lines.map((line) => line.length))).toEqual(new Set([140]));
});

test('lists of few rows have the panel below them, where there is room for it', async () => {
  const lines = async (width: number, height: number): Promise<readonly string[]> =>
    open(monitorOf(), [width, height], NodesScreen).until((text) => text.includes('broker1'));
  const [wide, low] = [await lines(139, 30), await lines(139, 12)];
  const top = wide.findIndex((line) => line.startsWith(` ╭ ${node}`));
  expect(top).toBeGreaterThan(wide.findIndex((line) => line.includes('showing 1 of 1')));
  expect(wide.slice(top).join('\n')).toMatch(/│ +version +2\.3\.11/u);
  expect(wide).toHaveLength(30);
  expect(low.join('\n')).not.toContain('╭');
});

test('a few nodes on a large screen keep all columns, and have the page of one below them', async () => {
  const lines = await open(monitorOf(), [200, 50], NodesScreen).until((text) => text.includes('broker1'));
  expect(lines[0]).toMatch(/^╭ Nodes ─+╮$/u);
  const top = lines.findIndex((line) => line.startsWith(`╭ Node ${node}`));
  expect(top).toBeGreaterThan(lines.findIndex((line) => line.includes('showing 1 of 1')));
  expect(lines[top]).toContain('╭ Statistics ');
  expect(lines[1]).toMatch(/LOAD15/u);
  expect(lines.at(-1)).toMatch(/^╰.*╯$/u);
});

test.each([
  [139, false],
  [140, true],
  [200, true],
])('nodes at %i columns have a panel: %s', async (width, hasPanel) => {
  const monitor = monitorOf();
  const rig = open(monitor, [width, hasPanel ? 34 : 12], NodesScreen);
  await rig.until((text) => text.includes('broker1'));
  expect(showsPanel(rig)).toBe(hasPanel);
  expect(pattern`^ version +2\.3\.11[^]*Statistics[^]*Rates[^]*Listeners`.test(panelOf(rig, width))).toBe(hasPanel);
  await expect.poll(() => isWatched({ watched: monitor.watching }, metrics)).toBe(hasPanel);
});

test.each([
  [140, 36, 4_000],
  [200, 56, 6_000],
])(
  'a refresh that changes a fifth of the rows and the graphs writes at %i by %i at most %i bytes',
  async (width, height, maxBytes) => {
    const terminal = createTerminal(width, height);
    const detailAt = (step: number): ClientDetail => {
      const steady = Array.from({ length: 200 }, (_, at): TrendPoint => {
        const atMs = (step + at) * 1_000;
        return {
          atMs,
          queueLength: 300 + 20 * ((step + at) % 13),
          deliveredPerSecond: 40 + ((step + at) % 7),
          droppedPerSecond: (step + at) % 5,
        };
      });
      return detailOf('client-00', { trend: steady });
    };
    const rowsAt = (step: number) =>
      Array.from({ length: 200 }, (_, at) =>
        sessionOf(`client-${String(at).padStart(2, '0')}`, {
          node,
          dropped: 0,
          queueLength: at === 0 ? 5_000 : at % 5 === step % 5 ? 1_000 - at - step : 1_000 - at,
        }),
      );
    const monitor = monitorOf({ 'client-00': ready(detailAt(0)) });
    monitor.set({ intervalSeconds: 1, ...readingsOf({ sessionScan: scanOf(rowsAt(0)) }) });
    startPainted(
      terminal,
      <ThemeContext value={createTheme({ LANG: 'C.UTF-8', TERM: 'xterm-256color', COLORTERM: 'truecolor' })}>
        <KeysProvider keymap={createKeymap({ isReadOnly: false })}>
          <SessionsScreen {...propsOf(monitor, [width, height])} />
        </KeysProvider>
      </ThemeContext>,
    );
    await terminal.until((lines) => lines.some((line) => line.includes('╭ client-00 ')));
    const bytes: number[] = [];
    for (let step = 1; step <= 12; step += 1) {
      const before = terminal.written.length;
      monitor.set(
        readingsOf({
          sessionScan: scanOf(rowsAt(step)),
          clientDetail: new Map([['client-00', ready(detailAt(step))]]),
        }),
      );
      const queue = 300 + 20 * ((step + 199) % 13);
      await terminal.until((lines) => lines.some((line) => new RegExp(`│ queue +${queue} `, 'u').test(line)));
      bytes.push(Buffer.byteLength(terminal.written.slice(before).join('')));
    }
    expect(Math.max(...bytes)).toBeGreaterThan(100);
    expect(Math.max(...bytes)).toBeLessThan(maxBytes);
  },
);

describe('lists whose rows hold all there is', () => {
  const cluster = (): FakeMonitor =>
    createFakeMonitor({
      capabilities: capabilitiesB,
      ...readingsOf({
        routeScan: scanOf([node, 'broker2@127.0.0.1'].map((each) => ({ topic: 'plant/+/#', node: each }))),
        plugins: new Map([
          [node, ready([pluginOf('broker_auth', true, { version: '2.3', description: 'Checks names and passwords' })])],
        ]),
      }),
    });
  const show = async (Screen: (props: ReturnType<typeof propsOf>) => ReactNode, width: number): Promise<Rig> => {
    const monitor = cluster();
    monitor.setResources({
      nodeStats: ready([figuresOf(node)]),
      listeners: ready(new Map([[node, [listenerOf({ shutdownCount: { closed: 3, keepalive_timeout: 41 } })]]])),
    });
    const rig = createRig(<Screen {...propsOf(monitor, [width, 20])} />, { columns: width, rows: 20 });
    await rig.until((text) => /▸\S/u.test(text));
    return rig;
  };

  test.each([
    [
      'listeners',
      ListenersScreen,
      /^node +broker1[^]*^protocol +mqtt:tcp[^]*^connections +402 *\n[^]*^keepalive_timeout +41 *\nclosed +3 *\n/mu,
    ],
    [
      'routes',
      RoutesScreen,
      /^plant\/\+\/# *\n[^]*^wildcards +\+ # *\n[^]*^Nodes +2 *\nbroker1@127\.0\.0\.1 *\nbroker2@127/mu,
    ],
    ['plugins', PluginsScreen, /^Checks names and passwords *\n[^]*^● broker1 +active {2}2\.3 *\n/mu],
  ])('%s show them in full from 140 columns', async (_, Screen, wanted) => {
    const rig = await show(Screen, 140);
    expect(panelOf(rig, 140)).toMatch(wanted);
    const sides = rig.lines().filter((line) => line.length === 140 && /[╮│╯]$/u.test(line));
    // It ends below its last row.
    expect(sides.at(-1)).toMatch(/╯$/u);
    expect(sides.at(-2)).toMatch(/\S +│$/u);
    expect(sides.length).toBeLessThan(20);
    expect(showsPanel(await show(Screen, 139))).toBe(Screen === ListenersScreen);
  });
});
