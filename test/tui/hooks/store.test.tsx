import { Text } from 'ink';
import { type ReactNode, useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { useStore, useWatch } from '../../../src/tui/hooks/use-store.ts';
import { isTooSmall, useTerminalSize } from '../../../src/tui/hooks/use-terminal.ts';
import { useKeys } from '../../../src/tui/keys/use-keys.ts';
import { usePreviousRows } from '../../../src/tui/list/use-rows.ts';
import { createRig, endRigs } from '../support/rig.tsx';
import { type Watchable, watchKey, watchOf } from '../../../src/monitor/query/part.ts';
import { nodeMetrics } from '../../../src/resources/metrics/resource.ts';

afterEach(endRigs);

test('useStore renders again only when the selected part changed', async () => {
  const store = createStore(() => ({ shown: 1, hidden: 1 }));
  let renders = 0;
  const select = ({ shown }: { readonly shown: number }): number => shown * 2;
  const Part = (): ReactNode => {
    renders += 1;
    return <Text>{`double ${useStore(store, select)}`}</Text>;
  };
  const rig = createRig(<Part />);
  await rig.until((text) => text === 'double 2');
  const before = renders;
  store.setState({ hidden: 2 });
  store.setState({ hidden: 3 });
  expect(renders).toBe(before);
  store.setState({ shown: 4 });
  await rig.until((text) => text === 'double 8');
  expect(renders).toBe(before + 1);
});

test('useWatch watches while mounted, and an equal object is not a new watch', async () => {
  const events: string[] = [];
  const monitor = {
    watch: (watched: Watchable): (() => void) => {
      const name = watchKey(watched);
      events.push(`watch ${name}`);
      return () => events.push(`end ${name}`);
    },
  };
  const Watcher = ({ node }: { readonly node: string | undefined }): ReactNode => {
    useWatch(monitor, node === undefined ? undefined : watchOf(nodeMetrics, node));
    return <Text>{`on ${node ?? 'nothing'}`}</Text>;
  };
  const rig = createRig(<Watcher node="a" />);
  await rig.until((text) => text === 'on a');
  rig.rerender(<Watcher node="a" />);
  rig.rerender(<Watcher node="b" />);
  await rig.until((text) => text === 'on b');
  rig.rerender(<Watcher node={undefined} />);
  await rig.until((text) => text === 'on nothing');
  expect(events).toEqual(['watch nodeMetrics a', 'end nodeMetrics a', 'watch nodeMetrics b', 'end nodeMetrics b']);
  rig.rerender(<Watcher node="c" />);
  await rig.until((text) => text === 'on c');
  rig.unmount();
  expect(events.slice(4)).toEqual(['watch nodeMetrics c', 'end nodeMetrics c']);
});

test('usePreviousRows remembers the rows shown at the previous refresh', async () => {
  const Changes = (): ReactNode => {
    const [at, setAt] = useState(0);
    useKeys('global', {
      refresh: () => {
        setAt((value) => value + 1);
      },
    });
    const rows = [{ id: 'a', value: at }];
    const { getPrevious: previous } = usePreviousRows(rows, (row) => row.id, at);
    return <Text>{`now ${at} before ${previous('a')?.value ?? 'none'} other ${previous('b')?.value ?? 'none'}`}</Text>;
  };
  const rig = createRig(<Changes />);
  await rig.until((text) => text === 'now 0 before none other none');
  rig.type('\u0012');
  await rig.until((text) => text === 'now 1 before 0 other none');
  rig.type('\u0012');
  expect(await rig.until((text) => text.startsWith('now 2'))).toEqual(['now 2 before 1 other none']);
});

test('useTerminalSize follows the terminal', async () => {
  const Size = (): ReactNode => {
    const size = useTerminalSize();
    return <Text>{`${size.columns}x${size.rows} ${isTooSmall(size) ? 'too small' : 'fine'}`}</Text>;
  };
  const rig = createRig(<Size />, { columns: 80, rows: 24 });
  await rig.until((text) => text === '80x24 fine');
  rig.resize(59, 24);
  await rig.until((text) => text === '59x24 too small');
  rig.resize(60, 15);
  expect(await rig.until((text) => text.startsWith('60x15'))).toEqual(['60x15 fine']);
});
