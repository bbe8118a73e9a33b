import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { type ListMemory, ListMemoryProvider, selectCursorId, useListMemory } from '../../../src/ui/list/list-state.ts';
import { useListKeys, useListState, useListSync } from '../../../src/ui/list/use-list-state.ts';
import { createRig, endRigs } from '../support/rig.tsx';

afterEach(endRigs);

const initialSort = { columnId: 'id', isReversed: false };

test('new identities are drawn once', () => {
  let renders = 0;
  const List = ({ ids }: { readonly ids: readonly string[] }): ReactNode => {
    renders += 1;
    const list = useListState(initialSort);
    const state = useListSync(list, ids, 5);
    return <Text>{`first ${selectCursorId(state) ?? 'none'} of ${state.ids.length}`}</Text>;
  };
  const rig = createRig(<List ids={['a', 'b']} />);
  const after = (ids: readonly string[]): number => {
    renders = 0;
    rig.rerender(<List ids={ids} />);
    return renders;
  };
  expect(after(['a', 'b'])).toBe(1);
  expect(after(['b', 'a'])).toBe(1);
  expect(rig.lines().join('\n')).toContain('first b of 2');
  expect(after(['b'])).toBe(1);
  expect(rig.lines().join('\n')).toContain('first b of 1');
  expect(after(['b'])).toBe(1);
});

test('a list that is left is found again on its row, and keeps no identities meanwhile', async () => {
  const memory: { now: ListMemory | undefined } = { now: undefined };
  const List = ({ ids }: { readonly ids: readonly string[] }): ReactNode => {
    memory.now = useListMemory();
    const list = useListState(initialSort, 'letters');
    const state = useListSync(list, ids, 2);
    useListKeys(list);
    return <Text>{`on ${selectCursorId(state) ?? 'none'}, first ${state.ids.at(state.top) ?? 'none'}`}</Text>;
  };
  const tree = (list: ReactNode): ReactNode => <ListMemoryProvider>{list}</ListMemoryProvider>;
  const rig = createRig(tree(<List ids={['a', 'b', 'c', 'd']} />));
  rig.type('jj');
  await rig.until((text) => text.includes('on c, first b'));
  expect(memory.now?.get('letters')?.ids).toEqual(['a', 'b', 'c', 'd']);
  rig.rerender(tree(<Text>elsewhere</Text>));
  expect(memory.now?.get('letters')).toMatchObject({ ids: [], cursorId: 'c', cursorIndex: 2, top: 1, isAnchored: true });
  rig.rerender(tree(<List ids={['a', 'b', 'x', 'c', 'd']} />));
  expect(rig.lines().join('\n')).toContain('on c, first x');
  rig.rerender(tree(<Text>elsewhere</Text>));
  rig.rerender(tree(<List ids={['a', 'b']} />));
  expect(rig.lines().join('\n')).toContain('on b, first a');
});
