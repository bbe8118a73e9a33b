import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { MetricsScreen } from '../../../src/resources/metrics/screen.tsx';
import { PluginsScreen } from '../../../src/resources/plugins/screen.tsx';
import { SettingsScreen } from '../../../src/resources/settings/screen.tsx';
import { ListMemoryProvider } from '../../../src/tui/list/list-state.ts';
import { readingsOf } from '../../support/readings.ts';
import { createCluster, node2, pluginOf, settingOf } from '../../screens/administration-fixtures.tsx';
import { type FakeMonitor, propsOf, ready } from '../../screens/list-fixtures.ts';
import { createRig, endRigs, type Rig } from '../../tui/support/rig.tsx';
import type { ListScope } from '../../../src/resources/view/scope.ts';

afterEach(endRigs);

const size = [140, 12] as const;

interface Visited {
  readonly screen: 'plugins' | 'metrics' | 'settings';
  readonly scope?: ListScope | undefined;
}

const screenOf = (monitor: FakeMonitor, place: Visited | undefined): ReactNode => {
  const props = propsOf(monitor, size);
  switch (place?.screen) {
    case 'plugins':
      return <PluginsScreen {...props} scope={place.scope} />;
    case 'metrics':
      return <MetricsScreen {...props} scope={place.scope} />;
    case 'settings':
      return <SettingsScreen {...props} />;
    default:
      return <Text>elsewhere</Text>;
  }
};

const show = (monitor: FakeMonitor, place: Visited | undefined): ReactNode => (
  <ListMemoryProvider>{screenOf(monitor, place)}</ListMemoryProvider>
);

const cluster = (): FakeMonitor => {
  const nodes = ['broker1@127.0.0.1', node2];
  return createCluster(
    readingsOf({
      plugins: new Map(nodes.map((node) => [node, ready([pluginOf('retainer', true)])])),
      settings: ready(new Map(nodes.map((node) => [node, [settingOf('mqtt.x', '1')]]))),
    }),
  );
};

const goAndComeBack = async (rig: Rig, monitor: FakeMonitor, place: Visited | undefined): Promise<void> => {
  rig.rerender(show(monitor, undefined));
  await rig.until((text) => text.includes('elsewhere'));
  rig.rerender(show(monitor, place));
};

test.each<readonly [Visited, string, string]>([
  [{ screen: 'plugins' }, 'target: all nodes', `target: ${node2}`],
  [{ screen: 'settings' }, 'target: all nodes', `target: ${node2}`],
  [{ screen: 'metrics' }, 'v next node', node2],
])('the chosen node is remembered: %o', async (place, before, chosen) => {
  const monitor = cluster();
  const rig = createRig(show(monitor, place), { columns: size[0], rows: size[1] });
  await rig.until((text) => text.includes(before) && !text.includes(chosen));
  rig.type('v');
  await rig.until((text) => !text.includes('target: all nodes') && text.includes('broker1'));
  rig.type('v');
  await rig.until((text) => text.includes(chosen));
  await goAndComeBack(rig, monitor, place);
  expect(await rig.until((text) => text.includes(before.slice(0, 2)))).toEqual(
    expect.arrayContaining([expect.stringContaining(chosen)]),
  );
});

test('opened from a node it starts on that node, and remembers its choice separately', async () => {
  const monitor = cluster();
  const narrowed: Visited = { screen: 'plugins', scope: { kind: 'node', node: node2 } };
  const rig = createRig(show(monitor, narrowed), { columns: size[0], rows: size[1] });
  await rig.until((text) => text.includes(`target: ${node2}`));
  rig.type('V');
  await rig.until((text) => text.includes('target: broker1@127.0.0.1'));
  await goAndComeBack(rig, monitor, { screen: 'plugins' });
  await rig.until((text) => text.includes('target: all nodes'));
  await goAndComeBack(rig, monitor, narrowed);
  expect((await rig.until((text) => text.includes('target: '))).at(-1)).toContain('target: broker1@127.0.0.1');
});
