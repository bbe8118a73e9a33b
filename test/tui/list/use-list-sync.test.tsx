import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import {
  CoveredContext,
  type ListMemory,
  ListMemoryProvider,
  selectCursorId,
  useListMemory,
} from '../../../src/tui/list/list-state.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { useListKeys, useListState, useListSync } from '../../../src/tui/list/use-list-state.ts';
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

test('a list returns to its row, and stores no identities while away', async () => {
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
  expect(memory.now?.get('letters')).toMatchObject({
    ids: [],
    cursorId: 'c',
    cursorIndex: 2,
    top: 1,
    isAnchored: true,
  });
  rig.rerender(tree(<List ids={['a', 'b', 'x', 'c', 'd']} />));
  expect(rig.lines().join('\n')).toContain('on c, first x');
  rig.rerender(tree(<Text>elsewhere</Text>));
  rig.rerender(tree(<List ids={['a', 'b']} />));
  expect(rig.lines().join('\n')).toContain('on b, first a');
});

test('below a dialog the cursor stays on the row that the dialog is about', () => {
  const List = ({ ids }: { readonly ids: readonly string[] }): ReactNode => {
    const list = useListState(initialSort);
    const state = useListSync(list, ids, 5);
    return <Text>{`on ${selectCursorId(state) ?? 'none'} in row ${state.cursorIndex}`}</Text>;
  };
  const tree = (ids: readonly string[], isCovered: boolean): ReactNode => (
    <CoveredContext value={isCovered}>
      <List ids={ids} />
    </CoveredContext>
  );
  const rig = createRig(tree(['a', 'b', 'c'], false));
  const shows = (ids: readonly string[], isCovered: boolean): string => {
    rig.rerender(tree(ids, isCovered));
    return rig.lines().join('').trim();
  };
  // Nobody has moved: the cursor is on the first row, whichever that is.
  expect(shows(['b', 'a', 'c'], false)).toBe('on b in row 0');
  // Also where the rows change as the dialog opens.
  expect(shows(['a', 'b', 'c'], true)).toBe('on b in row 1');
  expect(shows(['c', 'a', 'b'], true)).toBe('on b in row 2');
  expect(shows(['b', 'c', 'a'], false)).toBe('on b in row 0');
  expect(shows(['c', 'a', 'b'], false)).toBe('on b in row 2');
});

test('a list opens with the sort that was chosen for its table last, in whatever place', async () => {
  const changes: unknown[] = [];
  const preferences = {
    tables: { letters: { sort: { columnId: 'node', isReversed: true } } },
    onChange: (change: unknown) => {
      changes.push(change);
    },
  };
  const List = ({ listKey }: { readonly listKey: string }): ReactNode => {
    const list = useListState(initialSort, listKey, undefined, 'letters');
    useListSync(list, ['a', 'b'], 2);
    useListKeys(list, {
      sorts: [
        { ...initialSort, command: safe`id` },
        { columnId: 'node', isReversed: false, command: safe`node` },
      ],
    });
    return <Text>{`${list.state.sort.columnId} ${list.state.sort.isReversed ? 'down' : 'up'}`}</Text>;
  };
  const tree = (listKey: string): ReactNode => (
    <ListMemoryProvider preferences={preferences}>
      <List key={listKey} listKey={listKey} />
    </ListMemoryProvider>
  );
  const rig = createRig(tree('one'));
  await rig.until((text) => text.includes('node down'));
  rig.type('jG');
  rig.type('r');
  await rig.until((text) => text.includes('node up'));
  expect(changes).toEqual([{ tables: { letters: { sort: { columnId: 'node', isReversed: false } } } }]);
  rig.rerender(tree('two'));
  await rig.until((text) => text.includes('node up'));
});
