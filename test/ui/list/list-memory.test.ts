import { expect, test } from 'vitest';
import { createListMemory, createListState, reduceList } from '../../../src/ui/list/list-state.ts';

const sort = { columnId: 'id', isReversed: false };

test('lists are remembered apart, and the one left longest ago is forgotten first', () => {
  const memory = createListMemory();
  const states = Array.from({ length: 65 }, (_, index) => ({ ...createListState(sort), filter: `filter ${index}` }));
  for (const [index, state] of states.entries()) {
    memory.set(`client ${index}`, state);
    memory.set('clients', createListState(sort));
  }
  expect(memory.get('clients')).toBeDefined();
  expect(memory.get('client 0')).toBeUndefined();
  expect(memory.get('client 1')).toBeUndefined();
  expect(memory.get('client 2')).toBe(states[2]);
  expect(memory.get('client 64')).toBe(states[64]);
});

test('a list that is found again stands on the same identity among other rows', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const left = reduceList(reduceList(createListState(sort), { type: 'sync', ids, height: 2 }), { type: 'goTo', id: 'c' });
  const restored = reduceList(createListState(sort), { type: 'restore', state: left });
  const again = reduceList(restored, { type: 'sync', ids: ['0', '1', ...ids], height: 2 });
  expect(again).toMatchObject({ cursorId: 'c', cursorIndex: 4, isAnchored: true });
});
