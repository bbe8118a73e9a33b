import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMonitor } from '../../../src/actions/acting-monitor.ts';
import type { Client } from '../../../src/domain/client.ts';
import { Frame } from '../../../src/ui/frame/frame.tsx';
import { createKeymap } from '../../../src/ui/keys/keymap.ts';
import { ListMemoryProvider } from '../../../src/ui/list/list-state.ts';
import { currentPlace, type GroupingId, type ListScope, navigate, placeKey, startNavigation } from '../../../src/ui/navigation.ts';
import { ClientsScreen } from '../../../src/ui/screens/clients/clients.tsx';
import { SubscriptionsScreen } from '../../../src/ui/screens/subscriptions/subscriptions.tsx';
import { createSampleApi } from '../../api/dialects/emq-v2/server/sample-api.ts';
import { clientOf, createFakeMonitor, type FakeMonitor, propsOf, scanOf, sizes } from '../screens/list-fixtures.ts';
import { createRig, endRigs, type Rig } from '../support/rig.tsx';

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
const clients = (list: readonly Client[] = rows): FakeMonitor => createFakeMonitor({ clientScan: scanOf(list) });

const show = (monitor: FakeMonitor, scope?: ListScope, size: readonly [number, number] = [100, 14]): Rig =>
  createRig(<ClientsScreen {...propsOf(monitor, size)} scope={scope} />, { columns: size[0], rows: size[1] });

/** The groups on the screen, as value, count and share. */
const groupsOf = (rig: Rig): readonly (readonly string[])[] =>
  rig.lines().slice(2).map((line) => cells(line.replace('▸', ' '))).filter((parts) => parts.length === 3 && parts[2]?.endsWith('%'));

describe('groups of clients', () => {
  test.each(sizes)('fill %i by %i', (width, height) => {
    const lines = show(clients(), groupsBy('username'), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('Clients › by user name');
    expect(cells(lines[1])).toEqual(['USER NAME', 'COUNT ▼', 'SHARE']);
  });

  test('have counts and shares, largest first', () => {
    const rig = show(clients(), groupsBy('username'));
    expect(groupsOf(rig)).toEqual([['factory', '2', '40 %'], ['Factory', '1', '20 %'], ['– (not known)', '1', '20 %'], [String.raw`u\x1b[2J`, '1', '20 %']]);
    expect(rig.raw()).not.toContain('\u001B[2J');
    expect(rig.lines().at(-1)).toContain('showing 4 of 4 · of 5 clients · sorted by count, largest first');
  });

  test('that differ at their end alone look different where they do not fit', () => {
    const names = ['1', '2'].map((end) => `user-${'x'.repeat(120)}${end}`);
    const shown = groupsOf(show(clients(names.map((username) => clientOf(username, { username }))), groupsBy('username'))).map(([value = '']) => value.replaceAll(/x+/gu, 'x'));
    expect(shown).toEqual(['user-x…x1', 'user-x…x2']);
  });

  test.each<[GroupingId, readonly string[]]>([
    ['node', ['broker1@127.0.0.1 4', 'broker2@127.0.0.1 1']],
    ['address', ['10.1.1.1 1', '10.1.1.2 1', '10.1.2.1 1', '– (not known) 1', '::1 1']],
    ['network', ['10.1.1.0/24 2', '10.1.2.0/24 1', '– (not known) 1', '0:0:0:0::/64 1']],
    ['proto', ['3.1.1 3', '3.1 1', '– (not known) 1']],
    ['prefix', ['sensor- 2', 'pump- 2', 'app 1']],
  ])('by %s', (by, expected) => {
    const found = groupsOf(show(clients(), groupsBy(by))).map(([value, count]) => `${value} ${count}`);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test('o groups the list, and again by something else; O goes the other way', async () => {
    const press = async (key: string, scope?: ListScope): Promise<unknown> => {
      const monitor = clients();
      const rig = show(monitor, scope);
      rig.type(key);
      await rig.until(() => monitor.places.length === 1);
      return monitor.places[0];
    };
    const node: ListScope = { kind: 'node', node: 'broker1@127.0.0.1' };
    expect(await press('o')).toEqual({ screen: 'clients', scope: groupsBy('node') });
    expect(await press('O')).toEqual({ screen: 'clients', scope: groupsBy('prefix') });
    expect(await press('o', node)).toEqual({ screen: 'clients', scope: groupsBy('node', node) });
    expect(await press('o', groupsBy('node', node))).toEqual({ screen: 'clients', scope: groupsBy('username', node) });
    expect(await press('o', groupsBy('prefix'))).toEqual({ screen: 'clients', scope: groupsBy('node') });
    expect(await press('O', groupsBy('node'))).toEqual({ screen: 'clients', scope: groupsBy('prefix') });
  });

  test('Enter opens exactly the rows of a group', async () => {
    const monitor = clients();
    const rig = show(monitor, groupsBy('username'));
    rig.type('\r');
    await rig.until(() => monitor.places.length === 1);
    const scope: ListScope = { kind: 'group', by: 'username', value: 'factory', of: undefined };
    expect(monitor.places).toEqual([{ screen: 'clients', scope }]);
    const lines = show(clients(), scope).lines();
    expect(lines[0]).toContain('Clients › user name factory');
    expect(lines.join('\n')).toContain('showing 2 of 2');
    expect(lines.slice(2, 4).map((line) => cells(line)[0])).toEqual(['▸pump-1', 'sensor-1']);
  });

  test('the group of what is not known opens, and a group in a group', () => {
    const unknown: ListScope = { kind: 'group', by: 'username', value: undefined, of: undefined };
    expect(show(clients(), unknown).lines().join('\n')).toMatch(/user name – \(not known\)[^]*▸pump-2[^]*showing 1 of 1/);
    const inner: ListScope = { kind: 'group', by: 'prefix', value: 'sensor-', of: { kind: 'node', node: 'broker2@127.0.0.1' } };
    expect(show(clients(), inner).lines().join('\n')).toMatch(/Clients › broker2@127.0.0.1 › id prefix sensor-[^]*▸sensor-2[^]*showing 1 of 1/);
    expect(groupsOf(show(clients(), groupsBy('prefix', { kind: 'node', node: 'broker2@127.0.0.1' })))).toEqual([['sensor-', '1', '100 %']]);
  });

  test('are found again as they were left', async () => {
    const monitor = clients();
    const screen = (scope: ListScope | undefined) => (
      <ListMemoryProvider><ClientsScreen key={placeKey({ screen: 'clients', scope })} {...propsOf(monitor, [100, 14])} scope={scope} /></ListMemoryProvider>
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
    expect(groupsOf(show(clients(many), groupsBy('node')))).toEqual(['n0', 'n1', 'n2', 'n3'].map((name) => [name, '25,000', '25 %']));
  });

  test('loading and empty look different', () => {
    expect(show(createFakeMonitor(), groupsBy('node')).lines().join('\n')).toContain('reading the clients');
    expect(show(clients([]), groupsBy('node')).lines().join('\n')).toContain('No client is connected.');
  });
});

describe('groups of subscriptions', () => {
  const subscriptions = [
    { clientId: 'a', topic: 'plant/1', qos: 1, node: 'n1' }, { clientId: 'a', topic: 'plant/#', qos: 0, node: 'n1' }, { clientId: 'b', topic: '/x/y', qos: undefined, node: undefined },
  ];
  const open = (scope?: ListScope, monitor = createFakeMonitor({ subscriptionScan: scanOf(subscriptions) })): Rig =>
    createRig(<SubscriptionsScreen {...propsOf(monitor, [100, 12])} scope={scope} />, { columns: 100, rows: 12 });

  test.each<[GroupingId, readonly string[]]>([
    ['topic', ['plant 2', '/x 1']], ['client', ['a 2', 'b 1']], ['qos', ['1 1', '0 1', '– (not known) 1']], ['node', ['n1 2', '– (not known) 1']],
  ])('by %s', (by, expected) => {
    const found = groupsOf(open(groupsBy(by))).map(([value, count]) => `${value} ${count}`);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test('o begins with the topic prefix, and a group opens', async () => {
    const monitor = createFakeMonitor({ subscriptionScan: scanOf(subscriptions) });
    const rig = open(undefined, monitor);
    rig.type('o');
    await rig.until(() => monitor.places.length === 1);
    expect(monitor.places).toEqual([{ screen: 'subscriptions', scope: groupsBy('topic') }]);
    const lines = open({ kind: 'group', by: 'topic', value: 'plant', of: undefined }).lines().join('\n');
    expect(lines).toContain('topic prefix plant');
    expect(lines).toContain('showing 2 of 2');
  });
});

describe('the way back', () => {
  const go = (state: typeof startNavigation, scope?: ListScope) => navigate(state, { type: 'go', place: { screen: 'clients', scope } });

  test('leads from a group to its groups and from any groups to the list', () => {
    const opened = go(go(go(go(startNavigation), groupsBy('node')), groupsBy('username')), { kind: 'group', by: 'username', value: 'x', of: undefined });
    const groups = navigate(opened, { type: 'back' });
    expect(currentPlace(groups)).toEqual({ screen: 'clients', scope: groupsBy('username') });
    expect(currentPlace(navigate(groups, { type: 'back' }))).toEqual({ screen: 'clients', scope: undefined });
  });

  test('by keys: list, groups, other groups, one group, and back', async () => {
    const monitor = createMonitor({ api: { ...createSampleApi().api, capabilities: undefined }, intervalSeconds: 60 });
    onTestFinished(() => { monitor.stop(); });
    const session = { url: 'http://127.0.0.1', isReadOnly: true, isInsecure: false, readPayload: async () => '', describeVariant: () => '' };
    const rig = createRig(<ListMemoryProvider><Frame monitor={monitor} session={session} signIn={{ source: undefined, readAgain: async () => '', takePassword: () => {} }} /></ListMemoryProvider>, { columns: 100, rows: 24, keymap: createKeymap({ isReadOnly: true }) });
    const press = async (key: string, shown: RegExp): Promise<void> => {
      rig.type(key);
      await rig.until((text) => shown.test(text));
    };
    await press('4', /▸id-00/);
    await press('s', /NODE ▲/);
    await press('o', /Clients › by node[^]*▸(?:one|two)@127/);
    await press('o', /Clients › by user name[^]*▸– \(not known\) +45 +100 %/);
    // Sorted as the list was.
    await press('\r', /Clients › user name – \(not known\)[^]*NODE ▲[^]*showing 45 of 45/);
    await press('\u001B', /Clients › by user name/);
    await press('\u001B', /^ CLIENT ID  [^]*NODE ▲[^]*showing 45 of 45/mu);
    expect(rig.lines().join('\n')).not.toContain('Clients ›');
  });

  test('tells groups apart', () => {
    const keys = [groupsBy('node'), groupsBy('username'), groupsBy('node', { kind: 'node', node: 'n' }), ...[undefined, '', 'x'].map((value): ListScope => ({ kind: 'group', by: 'node', value, of: undefined }))]
      .map((scope) => placeKey({ screen: 'clients', scope }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
