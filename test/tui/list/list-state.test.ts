import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createListMemory,
  createListState,
  idsOf,
  type ListAction,
  type ListState,
  reduceList,
  selectCursorId,
} from '../../../src/tui/list/list-state.ts';

const sort = { columnId: 'id', isReversed: false };
const run = (state: ListState, ...actions: readonly ListAction[]): ListState => actions.reduce(reduceList, state);
const show = (ids: readonly string[], height = 3): ListAction => ({ type: 'sync', ids, height });
const down: ListAction = { type: 'move', by: 1 };
const start = createListState(sort);

describe('the cursor', () => {
  test('stays at the first row until the operator moves', () => {
    const before = run(start, show(['m', 'n']));
    expect(selectCursorId(before)).toBe('m');
    expect(selectCursorId(run(before, show(['a', 'm', 'n'])))).toBe('a');
  });

  test('then stays on its identity and its screen row', () => {
    const on = run(start, show(['a', 'b', 'c', 'd', 'e']), down, down, down);
    expect([selectCursorId(on), on.top]).toEqual(['d', 1]);
    const resorted = run(on, show(['e', 'd', 'x', 'y', 'z', 'c', 'b', 'a']));
    expect([selectCursorId(resorted), resorted.top]).toEqual(['d', 0]);
    const pushed = run(on, show(['1', '2', '3', 'a', 'b', 'c', 'd', 'e']));
    expect([selectCursorId(pushed), pushed.cursorIndex - pushed.top]).toEqual(['d', on.cursorIndex - on.top]);
  });

  test('goes to the nearest remaining row when its own vanishes, the one below first', () => {
    const on = run(start, show(['a', 'b', 'c', 'd', 'e']), down, down);
    expect(selectCursorId(run(on, show(['a', 'b', 'd', 'e'])))).toBe('d');
    expect(selectCursorId(run(on, show(['a', 'b'])))).toBe('b');
    expect(selectCursorId(run(on, show(['e', 'a'])))).toBe('e');
    expect(selectCursorId(run(on, show(['x', 'y', 'z'])))).toBe('z');
  });

  test('goes to the nearest remaining row at any distance, above where there is none below', () => {
    const all = Array.from({ length: 2_000 }, (_, index) => `c${index}`);
    const on = run(start, show(all), { type: 'goTo', id: 'c1000' });
    expect(selectCursorId(run(on, show(['c1999', 'c10', 'c0'])))).toBe('c10');
    expect(selectCursorId(run(on, show(['c0', 'c700', 'c1300', 'c1301'])))).toBe('c1300');
    expect(selectCursorId(run(on, show(['c970', 'c1031', 'c969'])))).toBe('c970');
  });

  test('finds its row where identities are computed', () => {
    const rows = (ids: string) =>
      idsOf(
        [...ids].map((id) => ({ id })),
        ({ id }) => id,
      );
    const sync = (ids: string): ListAction => ({ type: 'sync', ids: rows(ids), height: 3 });
    const on = run(start, sync('abcde'), { type: 'goTo', id: 'd' });
    expect([selectCursorId(on), on.cursorIndex]).toEqual(['d', 3]);
    expect(run(on, sync('edcba'))).toMatchObject({ cursorId: 'd', cursorIndex: 1 });
    expect(run(on, sync('abc'), sync('xbc'))).toMatchObject({ cursorId: 'c', cursorIndex: 2 });
    expect(selectCursorId(run(on, sync('')))).toBeUndefined();
  });

  test('goes back when its vanished row returns, unless the operator moved or acted', () => {
    const away = run(start, show(['a', 'b', 'c', 'd']), down, show(['a', 'c', 'd']));
    expect(selectCursorId(run(away, show(['c', 'd']), show(['a', 'b', 'c', 'd'])))).toBe('b');
    expect(selectCursorId(run(away, down, show(['a', 'b', 'c', 'd'])))).toBe('d');
    expect(selectCursorId(run(away, { type: 'anchor' }, show(['a', 'b', 'c', 'd'])))).toBe('c');
  });

  test('is nowhere in an empty list, and back on its row when the filter is cleared', () => {
    const on = run(start, show(['a', 'b', 'c']), down, show([]));
    expect(selectCursorId(on)).toBeUndefined();
    expect(selectCursorId(run(on, show(['a', 'b', 'c'])))).toBe('b');
  });

  test('follows the first row once the operator has acted on it', () => {
    const on = run(start, show(['m']), { type: 'anchor' }, show(['a', 'm']));
    expect(selectCursorId(on)).toBe('m');
  });

  test('starts on a given row once it is listed', () => {
    const sort = { columnId: 'id', isReversed: false };
    const empty = reduceList(createListState(sort, 'c'), { type: 'sync', ids: [], height: 3 });
    expect(selectCursorId(reduceList(empty, { type: 'sync', ids: ['a', 'b', 'c', 'd'], height: 3 }))).toBe('c');
    expect(selectCursorId(reduceList(empty, { type: 'sync', ids: ['a', 'b'], height: 3 }))).toBe('a');
  });

  test('moves by pages and to the ends', () => {
    const ids = Array.from({ length: 10 }, (_, index) => String(index));
    const at = (...actions: readonly ListAction[]): readonly unknown[] => {
      const state = run(run(start, show(ids, 4)), ...actions);
      return [selectCursorId(state), state.top];
    };
    expect(at({ type: 'page', by: 1 })).toEqual(['3', 3]);
    expect(
      at({ type: 'page', by: 1 }, { type: 'page', by: 1 }, { type: 'page', by: 1 }, { type: 'page', by: 1 }),
    ).toEqual(['9', 6]);
    expect(at({ type: 'last' })).toEqual(['9', 6]);
    expect(at({ type: 'last' }, { type: 'page', by: -1 })).toEqual(['6', 3]);
    expect(at({ type: 'last' }, { type: 'first' })).toEqual(['0', 0]);
    expect(at({ type: 'goTo', id: '5' })).toEqual(['5', 2]);
    expect(at({ type: 'goTo', id: 'none' })).toEqual(['0', 0]);
  });
});

describe('sort, filter, columns', () => {
  test('steps through the columns in a ring', () => {
    const sorts = [
      { columnId: 'id', isReversed: false },
      { columnId: 'node', isReversed: false },
      { columnId: 'age', isReversed: true },
    ];
    const step = (by: number): ListAction => ({ type: 'sortStep', by, sorts });
    expect(run(start, step(1)).sort.columnId).toBe('node');
    // Each begins its own way round, whichever way round the last one was.
    expect(run(start, step(-1)).sort).toEqual({ columnId: 'age', isReversed: true });
    expect(run(start, step(-1), step(-1)).sort).toEqual({ columnId: 'node', isReversed: false });
    expect(run(start, step(1), step(1), step(1)).sort.columnId).toBe('id');
    expect(run(start, { type: 'sortReverse' }).sort.isReversed).toBe(true);
    expect(run(start, { type: 'sortStep', by: 1, sorts: [] }).sort).toEqual(sort);
  });

  test('stops scrolling where the remaining columns fit', () => {
    const right: ListAction = { type: 'scrollColumns', by: 1, maxOffset: 2 };
    expect(run(start, right, right, right).columnOffset).toBe(2);
    expect(run(start, { type: 'scrollColumns', by: -1, maxOffset: 2 })).toBe(start);
  });

  test('scrolls back at once after the terminal got wider, and to the first columns', () => {
    const scrolled = run(start, { type: 'scrollColumns', by: 5, maxOffset: 5 });
    expect(run(scrolled, { type: 'scrollColumns', by: -1, maxOffset: 2 }).columnOffset).toBe(1);
    expect(run(scrolled, { type: 'firstColumns' }).columnOffset).toBe(0);
    expect(run(start, { type: 'firstColumns' })).toBe(start);
  });

  test('scrolls to the sorted column at each step', () => {
    const asked: unknown[] = [];
    const step: ListAction = {
      type: 'sortStep',
      by: 1,
      sorts: ['id', 'node', 'age'].map((columnId) => ({ columnId, isReversed: false })),
      reveal: (columnId, offset) => {
        asked.push([columnId, offset]);
        return offset + 2;
      },
    };
    expect(run(start, step, step)).toMatchObject({ sort: { columnId: 'age' }, columnOffset: 4 });
    expect(asked).toEqual([
      ['node', 0],
      ['age', 2],
    ]);
  });
});

test('the cursor is always a visible row, and a refresh keeps its identity if possible', () => {
  const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 16 });
  const action = fc.oneof<fc.Arbitrary<ListAction>[]>(
    fc.record({ type: fc.constant('sync'), ids, height: fc.nat(6) }),
    fc.record({ type: fc.constant('move'), by: fc.integer({ min: -5, max: 5 }) }),
    fc.record({ type: fc.constant('page'), by: fc.constantFrom(-1, 1) }),
    fc.constantFrom<ListAction>({ type: 'first' }, { type: 'last' }, { type: 'anchor' }),
    fc.record({ type: fc.constant('goTo'), id: fc.constantFrom(...'abcxyz') }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      let state = start;
      for (const step of actions) {
        const next = reduceList(state, step);
        const cursor = selectCursorId(next);
        expect(cursor === undefined).toBe(next.ids.length === 0);
        expect(next.top).toBeGreaterThanOrEqual(0);
        expect(next.top).toBeLessThanOrEqual(Math.max(0, next.ids.length - next.height));
        const place = next.cursorIndex - next.top;
        expect(next.height === 0 || cursor === undefined || (place >= 0 && place < next.height)).toBe(true);
        const old = selectCursorId(state);
        const wanted = [state.lostId, old].find(
          (id) => step.type === 'sync' && state.isAnchored && id !== undefined && step.ids.indexOf(id) !== -1,
        );
        expect(cursor).toBe(wanted ?? cursor);
        state = next;
      }
    }),
    { numRuns: 2000 },
  );
});

test('lists are stored separately, and the least recently used is dropped first', () => {
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

test('a restored list stays on its identity among other rows', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const left = reduceList(reduceList(createListState(sort), { type: 'sync', ids, height: 2 }), {
    type: 'goTo',
    id: 'c',
  });
  const restored = reduceList(createListState(sort), { type: 'restore', state: left });
  const again = reduceList(restored, { type: 'sync', ids: ['0', '1', ...ids], height: 2 });
  expect(again).toMatchObject({ cursorId: 'c', cursorIndex: 4, isAnchored: true });
});
