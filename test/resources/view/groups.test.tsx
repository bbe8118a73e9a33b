import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DialogRequest } from '../../../src/actions/requests.ts';
import type { Client } from '../../../src/domain/client.ts';
import { runAtOnce } from '../../../src/domain/sliced-task.ts';
import { reading, withReading } from '../../../src/monitor/query/part.ts';
import { ClientsScreen } from '../../../src/resources/clients/screen.tsx';
import { SessionsScreen } from '../../../src/resources/sessions/screen.tsx';
import { SubscriptionsScreen } from '../../../src/resources/subscriptions/screen.tsx';
import { SelectionProvider } from '../../../src/resources/clients/view/client-keys.ts';
import { DialogContext } from '../../../src/tui/hooks/open-dialog.ts';
import { Frame } from '../../../src/screens/frame.tsx';
import { tableWidthOf } from '../../../src/tui/list/detail.tsx';
import { ListMemoryProvider, placeKey } from '../../../src/tui/list/list-state.ts';
import { currentPlace, navigate, startNavigation } from '../../../src/screens/navigation.ts';
import { createSampleApi } from '../../api/dialects/emq-v2/server/sample-api.ts';
import { readingsOf } from '../../support/readings.ts';
import {
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  linesWithoutPanels,
  propsOf,
  scanOf,
  sessionOf,
  sizes,
  tableOf,
} from '../../screens/list-fixtures.ts';
import { createRig, endRigs, type Rig } from '../../tui/support/rig.tsx';
import { groupingNames } from '../../../src/resources/view/texts.ts';
import type { GroupingId, ListScope } from '../../../src/resources/view/scope.ts';
import { createKeymap } from '../../../src/screens/keys.ts';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { triageView } from '../../../src/triage/view.ts';
import { eventOf } from '../../support/events.ts';

/** Matches the group of clients without a username. */
const unknownGroup = /\(none\)/u.source;

afterEach(endRigs);

const cells = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);
const groupsBy = (by: GroupingId, of?: ListScope): ListScope => ({ kind: 'groups', by, of });
const hostile = 'u\u001B[2J';
const rows = [
  clientOf('sensor-1', { username: 'factory', ipAddress: '10.1.1.1' }),
  clientOf('sensor-2', { username: 'Factory', ipAddress: '10.1.1.2', node: 'broker2@127.0.0.1' }),
  clientOf('pump-1', { username: 'factory', ipAddress: '10.1.2.1', protocolVersion: 3 }),
  clientOf('pump-2', { username: undefined, ipAddress: undefined, protocolVersion: undefined }),
  clientOf('app', { username: hostile, ipAddress: '::1' }),
];
const clients = (list: readonly Client[] = rows): FakeMonitor =>
  createFakeMonitor(readingsOf({ clientScan: scanOf(list) }));

const showWhole = (monitor: FakeMonitor, scope?: ListScope, size: readonly [number, number] = [100, 14]): Rig =>
  createRig(<ClientsScreen {...propsOf(monitor, size)} scope={scope} />, { columns: size[0], rows: size[1] });

const show = (monitor: FakeMonitor, scope?: ListScope, size: readonly [number, number] = [100, 14]): Rig =>
  tableOf(showWhole(monitor, scope, size), size[0]);

/** Requests of dialogs are kept instead of shown. */
const showAsking = (
  monitor: FakeMonitor,
  scope?: ListScope,
  Screen = ClientsScreen,
): { readonly rig: Rig; readonly asked: readonly DialogRequest[] } => {
  const asked: DialogRequest[] = [];
  const rig = createRig(
    <DialogContext
      value={(request) => {
        asked.push(request);
      }}
    >
      <Screen {...propsOf(monitor, [100, 14])} scope={scope} />
    </DialogContext>,
    { columns: 100, rows: 14 },
  );
  return { rig, asked };
};

/** The groups on the screen, as value, count and share. */
const groupsOf = (rig: Rig): readonly (readonly string[])[] =>
  rig
    .lines()
    .slice(2)
    .map((line) => cells(line.replace('▸', ' ').replaceAll(/[▰▱]/gu, ' ')))
    .filter((parts) => parts.length === 3 && parts[2]?.endsWith('%'));

describe('groups of clients', () => {
  test.each(sizes)('fill %i by %i', (width, height) => {
    const lines = show(clients(), groupsBy('username'), [width, height]).lines();
    expect(lines).toHaveLength(linesWithoutPanels(width, height));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('Clients › by username');
    expect(cells(lines[1]).slice(0, 3)).toEqual(['USERNAME', 'COUNT ▼', 'SHARE']);
  });

  test('have recent events below them where they leave room', () => {
    const events = [eventOf({ text: 'Hello' })];
    const shown = (size: readonly [number, number]): string =>
      showWhole(
        createFakeMonitor(readingsOf({ timelineEvents: events, clientScan: scanOf(rows) })),
        groupsBy('username'),
        size,
      )
        .lines()
        .join('\n');
    expect(shown([200, 40])).toContain('Hello');
    expect(shown([200, 14])).not.toContain('Hello');
  });

  test('have counts and shares, largest first', () => {
    const rig = show(clients(), groupsBy('username'));
    expect(groupsOf(rig)).toEqual([
      ['factory', '2', '40 %'],
      ['Factory', '1', '20 %'],
      [String.raw`u\x1b[2J`, '1', '20 %'],
      ['(none)', '1', '20 %'],
    ]);
    expect(rig.raw()).not.toContain('\u001B[2J');
    expect(rig.lines().at(-1)).toContain('showing 4 of 4 · 5 clients · sorted by count, largest first');
  });

  test('have a bar of their share', () => {
    const bars = show(clients(), groupsBy('username'))
      .lines()
      .slice(2, 4)
      .map((line) => /%  (?<full>▰+)(?<rest>▱+) *$/u.exec(line)?.groups);
    for (const [at, share] of [0.4, 0.2].entries()) {
      const { full = '', rest = '' } = bars[at] ?? {};
      expect(full.length + rest.length).toBeGreaterThan(20);
      expect(Math.abs(full.length - share * (full.length + rest.length))).toBeLessThan(1);
    }
  });

  test('beside a wide list, the group under the cursor lists its first clients', () => {
    const many = Array.from({ length: 30 }, (_, at) => clientOf(`sensor-${at + 1}`, { username: 'factory' }));
    const panel = showWhole(clients([...many.toReversed(), ...rows]), groupsBy('username'), [200, 20])
      .lines()
      .map((line) => line.slice(tableWidthOf(200)));
    expect(panel.join('\n')).toMatch(
      /╭ factory ─+╮[^]*username +factory[^]*clients +32 \(91 % of 35\)[^]*Clients[^]*sensor-1 +broker1@127\.0\.0\.1 │/u,
    );
    expect(panel.join('\n')).toContain('and 20 more (Enter)');
    const named = [...panel.join('\n').matchAll(/sensor-(\d+)/gu)].map(([, number]) => Number(number));
    expect(named).toEqual(named.toSorted((a, b) => a - b));
  });

  test('of found clients count those that are away, as they were last seen', () => {
    const monitor = clients(rows.slice(0, 1));
    const known = new Map(rows.map((row) => [row.clientId, row]));
    const state = monitor.store.getState();
    const readings = withReading(state, triageView, { ...reading(state, triageView), reconnectedRows: known });
    const knowing = { ...monitor, store: { ...monitor.store, getState: () => ({ ...state, ...readings }) } };
    const found = {
      kind: 'found',
      name: 'reconnected',
      atMs: 7,
      clientIds: new Set(['sensor-1', 'pump-1', 'app', 'never-seen']),
    } as const;
    expect(groupsOf(show(knowing, groupsBy('username', found)))).toEqual([
      ['factory', '2', '67 %'],
      [String.raw`u\x1b[2J`, '1', '33 %'],
    ]);
  });

  test('with equal beginnings look different even when cut', () => {
    const names = ['1', '2'].map((end) => `user-${'x'.repeat(120)}${end}`);
    const shown = groupsOf(
      show(clients(names.map((username) => clientOf(username, { username }))), groupsBy('username')),
    ).map(([value = '']) => value.replaceAll(/x+/gu, 'x'));
    expect(shown).toEqual(['user-x…x1', 'user-x…x2']);
  });

  test.each<[GroupingId, readonly string[]]>([
    ['node', ['broker1@127.0.0.1 4', 'broker2@127.0.0.1 1']],
    ['address', ['10.1.1.1 1', '10.1.1.2 1', '10.1.2.1 1', '– (unknown) 1', '::1 1']],
    ['network', ['10.1.1.0/24 2', '10.1.2.0/24 1', '– (unknown) 1', '0:0:0:0::/64 1']],
    ['proto', ['3.1.1 3', '3.1 1', '– (unknown) 1']],
    ['prefix', ['sensor- 2', 'pump- 2', 'app 1']],
  ])('by %s', (by, expected) => {
    const found = groupsOf(show(clients(), groupsBy(by))).map(([value, count]) => `${value} ${count}`);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test('o says so where there is nothing to group', async () => {
    const monitor = clients([]);
    const { rig, asked } = showAsking(monitor);
    rig.type('o');
    await expect.poll(() => monitor.notices).toEqual(['Nothing to group: no clients listed']);
    expect(asked).toEqual([]);
  });

  test('o asks by what to group, with the number of groups of each, of the rows of the scope', async () => {
    const ask = async (
      scope?: ListScope,
    ): Promise<{
      readonly notes: readonly string[];
      readonly selectedId: string | undefined;
      readonly place: unknown;
    }> => {
      const monitor = clients();
      const { rig, asked } = showAsking(monitor, scope);
      rig.type('o');
      await expect.poll(() => asked.length).toBe(1);
      const [request] = asked;
      if (request?.kind !== 'choose') throw new Error('no menu');
      request.onChoose('network');
      return {
        notes: request.choices.map(({ id, note }) => `${id}: ${runAtOnce(note())}`),
        selectedId: request.selectedId,
        place: monitor.places[0],
      };
    };
    const node: ListScope = { kind: 'node', node: 'broker1@127.0.0.1' };
    expect(await ask()).toEqual({
      notes: [
        'node: 2 groups',
        'username: 4 groups',
        'address: 5 groups',
        'network: 4 groups',
        'proto: 3 groups',
        'prefix: 3 groups',
      ],
      selectedId: undefined,
      place: { screen: 'clients', scope: groupsBy('network') },
    });
    const inNode = await ask(groupsBy('prefix', node));
    expect(inNode.notes.slice(0, 2)).toEqual(['node: 1 group', 'username: 3 groups']);
    expect([inNode.selectedId, inNode.place]).toEqual([
      'prefix',
      { screen: 'clients', scope: groupsBy('network', node) },
    ]);
    expect((await ask(node)).notes).toEqual([
      'node: 1 group',
      'username: 3 groups',
      'address: 4 groups',
      'network: 4 groups',
      'proto: 3 groups',
      'prefix: 3 groups',
    ]);
  });

  test('K asks to disconnect exactly the clients that are in the group at that moment', async () => {
    const monitor = clients();
    const { rig, asked } = showAsking(monitor, groupsBy('username', { kind: 'node', node: 'broker1@127.0.0.1' }));
    await rig.until((text) => text.includes('▸factory'));
    // One leaves the group, one joins it, and one on another node is in a group of the same name.
    const now = [
      ...rows.filter(({ clientId }) => clientId !== 'pump-1'),
      clientOf('new', { username: 'factory' }),
      clientOf('far', { username: 'factory', node: 'broker2@127.0.0.1' }),
    ];
    monitor.set(
      readingsOf({ clientScan: scanOf(now, { gone: rows.filter(({ clientId }) => clientId === 'pump-1') }) }),
    );
    await rig.until((text) => text.includes('· 5 clients ·') || text.includes('· 4 clients ·'));
    rig.type('K');
    await expect.poll(() => asked.length).toBe(1);
    const [request] = asked;
    if (request?.kind !== 'bulk') throw new Error('no preview');
    expect(request.targets).toEqual(
      ['sensor-1', 'new'].map((id) => ({ kind: 'client', client: now.find(({ clientId }) => clientId === id) })),
    );
    expect([String(request.group?.text), request.changedIds.size, request.shownCount]).toEqual([
      String('with username factory'),
      0,
      2,
    ]);
    // What comes later is not a target.
    monitor.set(readingsOf({ clientScan: scanOf([...now, clientOf('later', { username: 'factory' })]) }));
    await rig.until((text) => /▸factory +3 /.test(text));
    expect(request.targets).toHaveLength(2);
    // What was not reached is marked in the list, and the groups say so.
    request.onEnd?.(new Set([0, 1]));
    await rig.until((text) => text.includes('2 marked in the list (Esc)'));
    // A later end leaves only what it did not reach.
    request.onEnd?.(new Set([1]));
    await rig.until((text) => text.includes('1 marked in the list (Esc)'));
  });

  const filtered: ListScope = { kind: 'groups', by: 'username', of: undefined, filter: 'node:broker1' };

  test('count only the rows that the filter of the list leaves, and K takes only these', async () => {
    const monitor = clients([...rows, clientOf('far', { username: 'factory', node: 'broker2@127.0.0.1' })]);
    const { rig, asked } = showAsking(monitor, filtered);
    const lines = await rig.until((text) => text.includes('▸factory'));
    expect(groupsOf(rig).map(([value, count]) => `${value} ${count}`)).toEqual([
      'factory 2',
      String.raw`u\x1b[2J 1`,
      '(none) 1',
    ]);
    expect(lines.at(-1)).toContain('/ node:broker1');
    expect(lines.at(-1)).toContain('Esc clears  4 of 6');
    rig.type('K');
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toMatchObject({
      kind: 'bulk',
      targets: [{ client: { clientId: 'sensor-1' } }, { client: { clientId: 'pump-1' } }],
    });
    rig.type('\u001B');
    await rig.until(() => monitor.places.length === 1);
    expect(monitor.places[0]).toEqual({ screen: 'clients', scope: groupsBy('username') });
  });

  test('have no rows for a filter that cannot be applied', async () => {
    const { rig, asked } = showAsking(clients(), {
      kind: 'groups',
      by: 'username',
      of: undefined,
      filter: 'nowhere:x',
    });
    await rig.until((text) => text.includes('No column "nowhere"'));
    rig.type('K');
    expect([groupsOf(rig), asked]).toEqual([[], []]);
  });

  test.each([
    ['clients', ClientsScreen, clients(), 'sensor', 'node: 2 groups'],
    [
      'sessions',
      SessionsScreen,
      createFakeMonitor(readingsOf({ sessionScan: scanOf(['a-1', 'a-2', 'b-1'].map((id) => sessionOf(id))) })),
      'a-',
      'prefix: 1 group',
    ],
  ] as const)('of filtered %s keep the filter', async (screen, Screen, monitor, filter, note) => {
    const { rig, asked } = showAsking(monitor, undefined, Screen);
    rig.type(`/${filter}\r`);
    await rig.until((text) => text.includes('Esc clears'));
    rig.type('o');
    await expect.poll(() => asked.length).toBe(1);
    const [request] = asked;
    if (request?.kind !== 'choose') throw new Error('no menu');
    expect(request.choices.map((choice) => `${choice.id}: ${runAtOnce(choice.note())}`)).toContain(note);
    request.onChoose('node');
    expect(monitor.places).toEqual([{ screen, scope: { kind: 'groups', by: 'node', of: undefined, filter } }]);
  });

  test('of sessions are filtered by what their rows show', async () => {
    const sessions = ['a-1', 'a-2', 'b-1'].map((id, place) => sessionOf(id, { queueLength: place }));
    const rig = createRig(
      <SessionsScreen
        {...propsOf(createFakeMonitor(readingsOf({ sessionScan: scanOf(sessions) })), [100, 14])}
        scope={{ kind: 'groups', by: 'prefix', of: undefined, filter: 'queue:>0' }}
      />,
      { columns: 100, rows: 14 },
    );
    await rig.until((text) => text.includes('/ queue:>0'));
    expect(
      groupsOf(rig)
        .map(([value, count]) => `${value} ${count}`)
        .toSorted(),
    ).toEqual(['a- 1', 'b- 1']);
  });

  test('K on the group of unknown values, and with a hostile value', async () => {
    const { rig, asked } = showAsking(clients(), groupsBy('username'));
    await rig.until((text) => text.includes('▸factory'));
    rig.type('j');
    await rig.until((text) => !text.includes('▸factory'));
    rig.type('j');
    await rig.until((text) => text.includes('▸u'));
    rig.type('K');
    await expect.poll(() => asked.length).toBe(1);
    rig.type('j');
    await rig.until((text) => new RegExp(`▸${unknownGroup}`, 'u').test(text));
    rig.type('K');
    await expect.poll(() => asked.length).toBe(2);
    const ids = asked.map((request) =>
      request.kind === 'bulk'
        ? request.targets.map((target) => (target.kind === 'client' ? target.client.clientId : ''))
        : [],
    );
    expect(ids).toEqual([['app'], ['pump-2']]);
    expect(asked.map((request) => (request.kind === 'bulk' ? String(request.group?.text) : ''))).toEqual([
      String.raw`with ${groupingNames.username} u\x1b[2J`,
      String('without a username'),
    ]);
  });

  test('Enter opens exactly the rows of a group', async () => {
    const monitor = clients();
    const rig = show(monitor, groupsBy('username'));
    rig.type('\r');
    await rig.until(() => monitor.places.length === 1);
    const scope: ListScope = { kind: 'group', by: 'username', value: 'factory', of: undefined };
    expect(monitor.places).toEqual([{ screen: 'clients', scope }]);
    const lines = show(clients(), scope).lines();
    expect(lines[0]).toContain('Clients › username factory');
    expect(lines.join('\n')).toContain('showing 2 of 2');
    expect(lines.slice(2, 4).map((line) => cells(line)[0])).toEqual(['▸pump-1', 'sensor-1']);
  });

  test('opens the group of unknown values, and a group within a group', () => {
    const unknown: ListScope = { kind: 'group', by: 'username', value: undefined, of: undefined };
    expect(show(clients(), unknown).lines().join('\n')).toMatch(
      new RegExp(`username ${unknownGroup}[^]*▸pump-2[^]*showing 1 of 1`, 'u'),
    );
    const inner: ListScope = {
      kind: 'group',
      by: 'prefix',
      value: 'sensor-',
      of: { kind: 'node', node: 'broker2@127.0.0.1' },
    };
    expect(show(clients(), inner).lines().join('\n')).toMatch(
      /Clients › broker2@127.0.0.1 › ID prefix sensor-[^]*▸sensor-2[^]*showing 1 of 1/u,
    );
    expect(groupsOf(show(clients(), groupsBy('prefix', { kind: 'node', node: 'broker2@127.0.0.1' })))).toEqual([
      ['sensor-', '1', '100 %'],
    ]);
  });

  test('keep their state', async () => {
    const monitor = clients();
    const screen = (scope: ListScope | undefined) => (
      <ListMemoryProvider>
        <ClientsScreen key={placeKey({ screen: 'clients', scope })} {...propsOf(monitor, [100, 14])} scope={scope} />
      </ListMemoryProvider>
    );
    const rig = createRig(screen(groupsBy('prefix')), { columns: 100, rows: 14 });
    rig.type('<');
    await rig.until((text) => text.includes('ID PREFIX ▲'));
    rig.type('G');
    await rig.until((text) => text.includes('▸sensor-'));
    rig.rerender(screen(undefined));
    await rig.until((text) => text.includes('CLIENT ID ▲'));
    rig.rerender(screen(groupsBy('prefix')));
    const lines = await rig.until((text) => text.includes('ID PREFIX'));
    expect(cells(lines[1])[0]).toBe('ID PREFIX ▲');
    expect(lines.join('\n')).toContain('▸sensor-');
  });

  test('of a hundred thousand clients', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => clientOf(`sensor-${index}`, { node: `n${index % 4}` }));
    expect(groupsOf(show(clients(many), groupsBy('node')))).toEqual(
      ['n0', 'n1', 'n2', 'n3'].map((name) => [name, '25,000', '25 %']),
    );
  });

  test('loading and empty look different', () => {
    expect(show(createFakeMonitor(), groupsBy('node')).lines().join('\n')).toContain('··· loading the clients');
    expect(show(clients([]), groupsBy('node')).lines().join('\n')).toContain('No clients are connected.');
  });
});

describe('groups of sessions', () => {
  const sessions = ['dev-1', 'dev-2', 'app-1'].map((id) => sessionOf(id, { node: id === 'app-1' ? 'n2' : 'n1' }));

  test.each<[GroupingId, readonly string[]]>([
    ['node', ['n1 2', 'n2 1']],
    ['prefix', ['dev- 2', 'app- 1']],
  ])('by %s', async (by, expected) => {
    const { rig } = showAsking(
      createFakeMonitor(readingsOf({ sessionScan: scanOf(sessions) })),
      groupsBy(by),
      SessionsScreen,
    );
    await rig.until((text) => text.includes('· 3 sessions'));
    expect(groupsOf(rig).map(([value, count]) => `${value} ${count}`)).toEqual(expected);
  });

  test('K asks to disconnect those of the group, and Enter opens them', async () => {
    const monitor = createFakeMonitor(readingsOf({ sessionScan: scanOf(sessions) }));
    const { rig, asked } = showAsking(monitor, groupsBy('prefix'), SessionsScreen);
    await rig.until((text) => text.includes('▸dev-'));
    rig.type('K');
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toMatchObject({
      kind: 'bulk',
      targets: [sessions[0], sessions[1]].map((session) => ({ kind: 'session', session })),
    });
    const lines = createRig(
      <SessionsScreen
        {...propsOf(monitor, [100, 12])}
        scope={{ kind: 'group', by: 'prefix', value: 'dev-', of: undefined }}
      />,
      { columns: 100, rows: 12 },
    ).lines();
    expect(lines.join('\n')).toContain('showing 2 of 2');
  });
});

describe('groups of subscriptions', () => {
  const subscriptions = [
    { clientId: 'a', topic: 'plant/1', qos: 1, node: 'n1' },
    { clientId: 'a', topic: 'plant/#', qos: 0, node: 'n1' },
    { clientId: 'b', topic: '/x/y', qos: undefined, node: undefined },
  ];
  const open = (
    scope?: ListScope,
    monitor = createFakeMonitor(readingsOf({ subscriptionScan: scanOf(subscriptions) })),
  ): Rig =>
    createRig(<SubscriptionsScreen {...propsOf(monitor, [100, 12])} scope={scope} />, { columns: 100, rows: 12 });

  test.each<[GroupingId, readonly string[]]>([
    ['topic', ['plant 2', '/x 1']],
    ['client', ['a 2', 'b 1']],
    ['qos', ['1 1', '0 1', '– (unknown) 1']],
    ['node', ['n1 2', '– (unknown) 1']],
  ])('by %s', (by, expected) => {
    const found = groupsOf(open(groupsBy(by))).map(([value, count]) => `${value} ${count}`);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test('o offers the topic prefix first, and a group opens; K does nothing', async () => {
    const monitor = createFakeMonitor(readingsOf({ subscriptionScan: scanOf(subscriptions) }));
    const { rig, asked } = showAsking(monitor, groupsBy('topic'), SubscriptionsScreen);
    rig.type('Ko');
    await expect.poll(() => asked.length).toBe(1);
    expect(asked).toMatchObject([
      { kind: 'choose', choices: ['filter', 'topic', 'client', 'qos', 'node'].map((id) => ({ id })) },
    ]);
    const lines = open({ kind: 'group', by: 'topic', value: 'plant', of: undefined }).lines().join('\n');
    expect(lines).toContain('topic prefix plant');
    expect(lines).toContain('showing 2 of 2');
  });
});

describe('the way back', () => {
  const go = (state: typeof startNavigation, scope?: ListScope) =>
    navigate(state, { type: 'go', place: { screen: 'clients', scope } });

  test('leads from a group to its groups and from any groups to the list', () => {
    const opened = go(go(go(go(startNavigation), groupsBy('node')), groupsBy('username')), {
      kind: 'group',
      by: 'username',
      value: 'x',
      of: undefined,
    });
    const groups = navigate(opened, { type: 'back' });
    expect(currentPlace(groups)).toEqual({ screen: 'clients', scope: groupsBy('username') });
    expect(currentPlace(navigate(groups, { type: 'back' }))).toEqual({ screen: 'clients', scope: undefined });
  });

  test('the hint of K and the palette count the clients of the group under the cursor, marked ones or not', async () => {
    const monitor = createTriagedMonitor({
      api: { ...createSampleApi().api, capabilities: undefined },
      intervalSeconds: 60,
    });
    onTestFinished(() => {
      monitor.stop();
    });
    const session = {
      url: 'http://127.0.0.1',
      isReadOnly: false,
      isInsecure: false,
      readPayload: async () => '',
      describeApi: () => '',
    };
    const rig = createRig(
      <SelectionProvider>
        <ListMemoryProvider>
          <Frame
            monitor={monitor}
            session={session}
            signIn={{ source: undefined, readAgain: async () => '', takePassword: () => {} }}
          />
        </ListMemoryProvider>
      </SelectionProvider>,
      { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly: false }) },
    );
    const press = async (key: string, shown: RegExp): Promise<void> => {
      rig.type(key);
      await rig.until((text) => shown.test(text));
    };
    await press('4', /▸id-00/u);
    await press(' ', /K disconnect 1 /u);
    await press('o', /▸ node +\d groups?/u);
    await press('j\r', new RegExp(`▸${unknownGroup} +45 [^]*K disconnect 45 `, 'u'));
    // The palette names them, too.
    await press(':', /Commands/u);
    await press('disc', /▸ Disconnect 45 clients; asks first +K/u);
    await press('\u001B', /K disconnect 45 /u);
    await press('\u001B', /K disconnect 1 /u);
    expect(rig.lines().join('\n')).not.toContain('Clients ›');
  });

  test('by keys: list, groups, other groups, one group, and back', async () => {
    const monitor = createTriagedMonitor({
      api: { ...createSampleApi().api, capabilities: undefined },
      intervalSeconds: 60,
    });
    onTestFinished(() => {
      monitor.stop();
    });
    const session = {
      url: 'http://127.0.0.1',
      isReadOnly: true,
      isInsecure: false,
      readPayload: async () => '',
      describeApi: () => '',
    };
    const rig = createRig(
      <ListMemoryProvider>
        <Frame
          monitor={monitor}
          session={session}
          signIn={{ source: undefined, readAgain: async () => '', takePassword: () => {} }}
        />
      </ListMemoryProvider>,
      { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly: true }) },
    );
    const press = async (key: string, shown: RegExp): Promise<void> => {
      rig.type(key);
      await rig.until((text) => shown.test(text));
    };
    await press('4', /▸id-00/);
    await press('s', /NODE ▲/);
    await press('o', /Group clients by[^]*▸ node +\d groups?[^]*protocol version +\d+ group/u);
    await press('\r', /Clients › by node[^]*▸(?:one|two) /);
    await press('o', /▸ node +\d groups?/);
    await press('j', /▸ username +1 group/);
    await press('\r', new RegExp(`Clients › by username[^]*▸${unknownGroup} +45 +100 %`, 'u'));
    // A filter of the list is one of its groups and of their rows.
    await press('\u001B', /▸id-00/);
    await press('/id-1\r', /Esc clears/);
    await press('o', /▸ username +\d groups?/);
    // Letters choose what begins with them, one letter again and again each in turn.
    await press('n', /▸ network/);
    await press('n', /▸ node/);
    await press('network', /▸ network/);
    await press('a', /▸ address/);
    await press('\r', /Clients › by [^]*\/ id-1 /u);
    await press('\r', /Clients › address[^]*NODE ▲[^]*\/ id-1 +/u);
    await press('\u001B', /Clients › address(?![^]*\/ id-1 )/u);
    await press('\u001B', /Clients › by [^]*\/ id-1 /u);
    await press('\u001B', /Clients › by (?![^]*\/ id-1 )/u);
    await press('\u001B', /▸id-1[^]*\/ id-1 +/u);
    await press('\u001B', /▸id-(?![^]*\/ id-1 )/u);
    // The menu begins at the last one.
    await press('o', /▸ address +\d+ groups?/);
    await press('username', /▸ username +1 group/);
    await press('\r', new RegExp(`Clients › by username[^]*▸${unknownGroup} +45 +100 %`, 'u'));
    // Sorted as the list was.
    await press('\r', new RegExp(`Clients › username ${unknownGroup}[^]*NODE ▲[^]*showing 45 of 45`, 'u'));
    await press('\u001B', /Clients › by username/);
    await press('\u001B', /^ CLIENT ID  [^]*NODE ▲[^]*showing 45 of 45/mu);
    expect(rig.lines().join('\n')).not.toContain('Clients ›');
  });

  test('keys of groups differ', () => {
    const keys = [
      groupsBy('node'),
      groupsBy('username'),
      groupsBy('node', { kind: 'node', node: 'n' }),
      ...[undefined, '', 'x'].map((value): ListScope => ({ kind: 'group', by: 'node', value, of: undefined })),
    ].map((scope) => placeKey({ screen: 'clients', scope }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
