import { afterEach, expect, test } from 'vitest';
import { ClientScreen } from '../../src/resources/clients/page.tsx';
import { ClientsScreen } from '../../src/resources/clients/screen.tsx';
import { ListenersScreen } from '../../src/resources/listeners/screen.tsx';
import { NodeScreen } from '../../src/resources/nodes/page.tsx';
import { SessionsScreen } from '../../src/resources/sessions/screen.tsx';
import { SubscriptionsScreen } from '../../src/resources/subscriptions/screen.tsx';
import { readingsOf } from '../support/readings.ts';
import { createRig, endRigs } from '../tui/support/rig.tsx';
import {
  clientOf,
  createFakeMonitor,
  figuresOf,
  infoOf,
  listenerOf,
  propsOf,
  ready,
  scanOf,
  sessionOf,
} from './list-fixtures.ts';

afterEach(endRigs);

const node = 'broker1@127.0.0.1';
const size = [100, 12] as const;
const terminal = { columns: 100, rows: 12 };

test('from a node to its clients, sessions, subscriptions, routes and listeners', async () => {
  const monitor = createFakeMonitor();
  monitor.setResources({ nodes: ready([infoOf(node)]), nodeStats: ready([figuresOf(node)]) });
  const rig = createRig(<NodeScreen {...propsOf(monitor, size)} node={node} />, terminal);
  rig.type('ciuRl');
  const scope = { kind: 'node', node };
  await expect
    .poll(() => monitor.places)
    .toEqual(['clients', 'sessions', 'subscriptions', 'routes', 'listeners'].map((screen) => ({ screen, scope })));
});

test('from a client to its session and its subscriptions', async () => {
  const monitor = createFakeMonitor();
  const rig = createRig(<ClientScreen {...propsOf(monitor, size)} clientId="pump/1" />, terminal);
  rig.type('iucRl');
  const scope = { kind: 'client', clientId: 'pump/1' };
  await expect.poll(() => monitor.places).toEqual(['sessions', 'subscriptions'].map((screen) => ({ screen, scope })));
});

test('from the row of a client as from its page', async () => {
  const monitor = createFakeMonitor(
    readingsOf({
      clientScan: scanOf([clientOf('pump/1', { node })]),
      sessionScan: scanOf([sessionOf('pump/1', { node })]),
      subscriptionScan: scanOf([{ clientId: 'pump/1', topic: 't', qos: 0 as const, node }]),
    }),
  );
  const places = (): unknown => monitor.places.splice(0);
  const scope = { kind: 'client', clientId: 'pump/1' };
  const [session, subscriptions] = ['sessions', 'subscriptions'].map((screen) => ({ screen, scope }));
  for (const [screen, expected] of [
    [ClientsScreen, [session, subscriptions]],
    [SessionsScreen, [subscriptions]],
    [SubscriptionsScreen, [session, subscriptions]],
  ] as const) {
    const Screen = screen;
    const rig = createRig(<Screen {...propsOf(monitor, size)} />, terminal);
    await rig.until((text) => text.includes('pump/1'));
    rig.type('iu');
    await expect.poll(() => monitor.places.length).toBe(expected.length);
    expect(places()).toEqual(expected);
  }
});

test('lists only the clients of the node, and filters them', async () => {
  const clients = [
    clientOf('a', { node }),
    clientOf('b', { node: `${node}1` }),
    clientOf('c', { node }),
    clientOf('d', { node: undefined }),
  ];
  const monitor = createFakeMonitor(readingsOf({ clientScan: scanOf(clients, { added: new Set(['b']) }) }));
  const rig = createRig(<ClientsScreen {...propsOf(monitor, size)} scope={{ kind: 'node', node }} />, terminal);
  const lines = await rig.until((text) => text.includes('showing 2 of 2'));
  expect(lines[0]).toMatch(/^ Clients › broker1@127\.0\.0\.1 +Esc back $/);
  expect(lines).toHaveLength(12);
  // A new client on another node.
  expect(lines.at(-1)).not.toContain('new');
  rig.type('/');
  await rig.until((text) => text.includes('/regex/'));
  rig.type('id:c');
  await rig.until((text) => text.includes('1 of 2'));
  expect(rig.lines()).toHaveLength(12);
});

test('the listeners of a node', async () => {
  const monitor = createFakeMonitor();
  monitor.setResources({
    listeners: ready(
      new Map([
        [node, [listenerOf()]],
        [`${node}1`, [listenerOf({ protocol: 'mqtt:ws' })]],
      ]),
    ),
  });
  const rig = createRig(<ListenersScreen {...propsOf(monitor, size)} scope={{ kind: 'node', node }} />, terminal);
  const lines = await rig.until((text) => text.includes('mqtt:tcp'));
  expect(lines[0]).toContain(' Listeners › broker1@127.0.0.1 ');
  expect(lines.join('\n')).not.toContain('mqtt:ws');
  const other = createRig(
    <ListenersScreen {...propsOf(monitor, size)} scope={{ kind: 'node', node: 'nobody' }} />,
    terminal,
  );
  expect(other.lines()[2]).toContain('No listeners on this node.');
});
