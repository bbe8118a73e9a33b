import { describe, expect, test } from 'vitest';
import { safe } from '../../src/terminal/safe-text.ts';
import { areaGraph, niceMax } from '../../src/terminal/area-graph.ts';

const shared = { max: 8, rows: 2, direction: 'up', charset: 'unicode' } as const;

describe('an area of braille dots', () => {
  test('shows two values a column, from the axis upwards', () => {
    expect(areaGraph({ ...shared, values: [1, 4, 5, 8], width: 2 })).toEqual([' ⣸', '⣸⣿']);
  });

  test('is mirrored below the axis', () => {
    expect(areaGraph({ ...shared, values: [1, 4, 5, 8], width: 2, direction: 'down' })).toEqual(['⢹⣿', ' ⢹']);
  });

  test('keeps the newest values at the right end and leaves the rest blank', () => {
    expect(areaGraph({ ...shared, rows: 1, values: [8], width: 3 })).toEqual(['  ⢸']);
    expect(areaGraph({ ...shared, rows: 1, values: [8, 8, 0, 8], width: 1 })).toEqual(['⢸']);
  });

  test('tells little from nothing, and nothing from unknown only by its width', () => {
    expect(areaGraph({ ...shared, values: [0.01, 0], width: 1 })).toEqual([' ', '⡀']);
    expect(areaGraph({ ...shared, values: [undefined, Number.NaN], width: 1 })).toEqual([' ', ' ']);
  });

  test('never leaves its rows', () => {
    expect(areaGraph({ ...shared, values: [1e9, -5], width: 1 })).toEqual(['⡇', '⡇']);
    expect(areaGraph({ ...shared, values: [1], width: 0 })).toEqual(['', '']);
  });

  test('marks on its axis where nothing is known, if asked to', () => {
    expect(areaGraph({ ...shared, values: [undefined, undefined, undefined, 4, 0, 0], width: 4, unknown: safe`?` })[1]?.slice(1)).toMatch(/^\?[^?] $/u);
    expect(areaGraph({ ...shared, values: [undefined, undefined], width: 1 })[1]).toBe(' ');
  });

  test('is made of # on an ASCII terminal, one value a column', () => {
    expect(areaGraph({ ...shared, values: [4, 8, 0.1], width: 4, charset: 'ascii' })).toEqual(['  # ', ' ###']);
  });
});

test.each([[0, 1], [0.03, 0.03], [0.07, 0.07], [1, 1], [1.2, 1.2], [84, 90], [109, 110], [538, 550], [10_000, 10_000], [Number.NaN, 1]])('the scale of %d ends at %d', (value, max) => {
  expect(niceMax(value)).toBeCloseTo(max, 10);
});
