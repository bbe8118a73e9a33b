import { Text } from 'ink';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { selectCursorId } from '../../../src/ui/hooks/list-state.ts';
import { useListState, useListSync } from '../../../src/ui/hooks/use-list-state.ts';
import { createRig, endRigs } from '../support/rig.tsx';

afterEach(endRigs);

const initialSort = { columnId: 'id', isReversed: false };

test('the same identities in another array have nothing drawn a second time; others have', () => {
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
  expect(after(['b', 'a'])).toBe(2);
  expect(rig.lines().join('\n')).toContain('first b of 2');
  expect(after(['b'])).toBe(2);
  expect(rig.lines().join('\n')).toContain('first b of 1');
  expect(after(['b'])).toBe(1);
});
