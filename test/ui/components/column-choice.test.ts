import { describe, expect, test } from 'vitest';
import { type ChoiceAction, type ColumnChoice, noChoice, orderColumns, reduceChoice } from '../../../src/ui/components/column.ts';

const apply = (...actions: readonly ChoiceAction[]): ColumnChoice => actions.reduce(reduceChoice, noChoice);
const columns = ['id', 'a', 'b', 'c'].map((id) => ({ id, isSticky: id === 'id' }));
const ordered = (order: readonly string[], of = columns): readonly string[] => orderColumns(of, order).map(({ id }) => id);

describe('reduceChoice', () => {
  test('hides and shows, and what is shown by hand is wanted', () => {
    expect(apply({ type: 'hide', id: 'a' })).toMatchObject({ hidden: new Set(['a']), wanted: new Set() });
    expect(apply({ type: 'hide', id: 'a' }, { type: 'show', id: 'a' })).toMatchObject({ hidden: new Set(), wanted: new Set(['a']) });
    expect(apply({ type: 'show', id: 'a' }, { type: 'hide', id: 'a' })).toMatchObject({ hidden: new Set(['a']), wanted: new Set() });
  });

  test('moves a column past its neighbour, and not past an end', () => {
    const ids = ['a', 'b', 'c'];
    expect(apply({ type: 'move', id: 'b', by: 1, ids }).order).toEqual(['a', 'c', 'b']);
    expect(apply({ type: 'move', id: 'b', by: -1, ids }).order).toEqual(['b', 'a', 'c']);
    expect(apply({ type: 'move', id: 'c', by: 1, ids })).toBe(noChoice);
    expect(apply({ type: 'move', id: 'a', by: -1, ids })).toBe(noChoice);
    expect(apply({ type: 'move', id: 'no such column', by: 1, ids })).toBe(noChoice);
  });

  test('keeps widths within bounds', () => {
    expect(apply({ type: 'width', id: 'a', width: 1 }).widths.get('a')).toBe(4);
    expect(apply({ type: 'width', id: 'a', width: 999 }).widths.get('a')).toBe(200);
    const before = apply({ type: 'width', id: 'a', width: 4 });
    expect(reduceChoice(before, { type: 'width', id: 'a', width: 3 })).toBe(before);
  });

  test('forgets everything', () => {
    expect(apply({ type: 'hide', id: 'a' }, { type: 'width', id: 'b', width: 9 }, { type: 'reset' })).toBe(noChoice);
  });
});

describe('orderColumns', () => {
  test('puts what stays at the left first, whatever the order says', () => {
    expect(ordered([])).toEqual(['id', 'a', 'b', 'c']);
    expect(ordered(['c', 'id', 'b', 'a'])).toEqual(['id', 'c', 'b', 'a']);
  });

  test('puts a column that came later behind the one before it, and forgets one that went', () => {
    const later = ['id', 'z', 'a', 'b', 'n', 'c'].map((id) => ({ id, isSticky: id === 'id' }));
    expect(ordered(['c', 'b', 'a'], later)).toEqual(['id', 'z', 'c', 'b', 'n', 'a']);
    expect(ordered(['gone', 'b'])).toEqual(['id', 'a', 'b', 'c']);
  });
});
