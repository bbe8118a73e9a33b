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

  test('is a line in a low graph that asks for it, closed where it is steep', () => {
    expect(areaGraph({ ...shared, rows: 2, values: [8, 8, 8, 8], width: 2, isLine: true })).toEqual(['⠉⠉', '  ']);
    expect(areaGraph({ ...shared, rows: 2, values: [8, 8, 4, 4], width: 2, isLine: true })).toEqual(['⢹ ', ' ⠉']);
    expect(
      areaGraph({
        ...shared,
        rows: 2,
        values: [undefined, undefined, 8, 0],
        width: 2,
        isLine: true,
        hasBaseline: true,
      }),
    ).toEqual([' ⡇', ' ⢇']);
    expect(areaGraph({ ...shared, rows: 3, values: [8, 8], width: 1, isLine: true })).toEqual(['⠉', ' ', ' ']);
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
    expect(
      areaGraph({
        ...shared,
        values: [undefined, undefined, undefined, 4, 0, 0],
        width: 4,
        unknown: safe`?`,
      })[1]?.slice(1),
    ).toMatch(/^\?[^?] $/u);
    expect(areaGraph({ ...shared, values: [undefined, undefined], width: 1 })[1]).toBe(' ');
  });

  test('draws zero as a line and more above it, if it has no axis of its own', () => {
    expect(
      areaGraph({ ...shared, values: [0, 0, 0.01, 8, undefined, undefined], width: 3, hasBaseline: true }),
    ).toEqual([' ⢸ ', '⣀⣼ ']);
    expect(areaGraph({ ...shared, values: [0, 8, undefined], width: 3, charset: 'ascii', hasBaseline: true })).toEqual([
      ' # ',
      '_# ',
    ]);
  });

  test('only the maximum reaches the top', () => {
    expect(areaGraph({ ...shared, values: [7.99, 8], width: 1 })).toEqual(['⣾', '⣿']);
  });

  test('is made of # on an ASCII terminal, one value a column', () => {
    expect(areaGraph({ ...shared, values: [4, 8, 0.1], width: 4, charset: 'ascii' })).toEqual(['  # ', ' ###']);
  });
});

test.each([
  [0, 1],
  [0.03, 0.035],
  [1, 1.2],
  [84, 100],
  [109, 120],
  [538, 600],
  [1_000, 1_200],
  [10_000, 12_000],
  [Number.NaN, 1],
])('the scale of a peak of %d ends at %d', (peak, max) => {
  expect(niceMax(peak)).toBeCloseTo(max, 10);
});

test('a peak leaves a row of dots above it, and fills most of the scale', () => {
  for (let peak = 0.01; peak < 1e7; peak *= 1.013) {
    expect(peak / niceMax(peak)).toBeGreaterThan(0.65);
    expect(
      areaGraph({
        values: [peak, peak],
        max: niceMax(peak),
        width: 1,
        rows: 2,
        direction: 'up',
        charset: 'unicode',
      })[0],
    ).toMatch(/[⣤⣶⣀]/u);
  }
});
