import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createListState, type ListState, reduceList } from '../../../src/tui/list/list-state.ts';
import { ListCell } from '../../../src/tui/list/use-list-state.ts';

const down = { type: 'move', by: 1 } as const;
const synced = reduceList(createListState({ columnId: 'id', isReversed: false }), {
  type: 'sync',
  ids: ['a', 'b', 'c'],
  height: 2,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const createCell = () => {
  const changed = vi.fn<(state: ListState) => void>();
  const told = vi.fn<() => void>();
  const cell = new ListCell(synced, changed);
  cell.subscribe(told);
  return { cell, changed, told };
};

test('a move drawn directly notifies when no other follows', () => {
  const { cell, changed, told } = createCell();
  const show = vi.fn<(state: ListState) => boolean>(() => true);
  cell.showMovesBy(show);
  cell.move(down);
  vi.advanceTimersByTime(99);
  cell.move(down);
  vi.advanceTimersByTime(99);
  expect(show.mock.calls).toEqual([
    [expect.objectContaining({ cursorId: 'b' })],
    [expect.objectContaining({ cursorId: 'c', top: 1 })],
  ]);
  expect(changed).toHaveBeenCalledTimes(2);
  expect(cell.state.cursorId).toBe('c');
  expect(told).not.toHaveBeenCalled();
  expect(cell.version()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(told).toHaveBeenCalledTimes(1);
  expect(cell.version()).toBe(1);
});

test('a move that cannot be drawn directly notifies at once', () => {
  const { cell, told } = createCell();
  cell.move(down);
  expect(told).toHaveBeenCalledTimes(1);
  cell.showMovesBy(() => false);
  cell.move(down);
  expect(told).toHaveBeenCalledTimes(2);
  cell.dispatch({ type: 'filter', filter: 'x' });
  expect(told).toHaveBeenCalledTimes(3);
  vi.runAllTimers();
  expect(told).toHaveBeenCalledTimes(3);
});

test('pending moves notify on demand, once', () => {
  const { cell, told } = createCell();
  cell.showMovesBy(() => true);
  cell.catchUp();
  expect(told).not.toHaveBeenCalled();
  cell.move(down);
  cell.catchUp();
  cell.catchUp();
  vi.runAllTimers();
  expect(told).toHaveBeenCalledTimes(1);
});

test('an unmounted list does not notify', () => {
  const { cell, told } = createCell();
  const end = cell.showMovesBy(() => true);
  cell.move(down);
  end();
  vi.runAllTimers();
  expect(told).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a move at the end of the list changes nothing', () => {
  const { cell, changed } = createCell();
  const show = vi.fn<(state: ListState) => boolean>(() => true);
  cell.showMovesBy(show);
  for (let count = 0; count < 9; count += 1) {
    cell.move(down);
  }
  expect(show).toHaveBeenCalledTimes(2);
  expect(changed).toHaveBeenCalledTimes(2);
});

test('the drawn state is adopted unless the list has changed', () => {
  const { cell, told } = createCell();
  const drawn = reduceList(synced, { type: 'sync', ids: ['b', 'c'], height: 2 });
  cell.adopt(synced, drawn);
  expect(cell.state).toBe(drawn);
  cell.dispatch({ type: 'filter', filter: 'x' });
  cell.adopt(drawn, synced);
  expect(cell.state.filter).toBe('x');
  expect(told).toHaveBeenCalledTimes(1);
});

test.each(['move', 'dispatch'] as const)('rows keep their places for half a second after a %s', (act) => {
  const { cell } = createCell();
  expect(cell.isKeyRecent()).toBe(false);
  cell[act](down);
  vi.advanceTimersByTime(499);
  expect(cell.isKeyRecent()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(cell.isKeyRecent()).toBe(false);
});
