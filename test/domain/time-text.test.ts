import { describe, expect, test } from 'vitest';
import { dateText, momentText, parseTime } from '../../src/domain/time-text.ts';

const at = (year: number, month: number, day: number, hours = 0, minutes = 0, seconds = 0): number =>
  new Date(year, month - 1, day, hours, minutes, seconds).getTime();
const nowMs = at(2026, 11, 27, 17, 5, 40);

describe('a time that somebody types', () => {
  test.each([
    ['now', nowMs],
    ['14:02', at(2026, 11, 27, 14, 2)],
    ['14:02:31', at(2026, 11, 27, 14, 2, 31)],
    [' 9:30 ', at(2026, 11, 27, 9, 30)],
    ['17:05:40', nowMs],
    ['17:06', at(2026, 11, 26, 17, 6)],
    ['27 Nov 14:02', at(2026, 11, 27, 14, 2)],
    ['Nov 27 14:02:31', at(2026, 11, 27, 14, 2, 31)],
    ['27 november', at(2026, 11, 27)],
    ['28 Nov', at(2025, 11, 28)],
    ['31 Dec 23:59', at(2025, 12, 31, 23, 59)],
    ['3 Jan 2024 8:00', at(2024, 1, 3, 8)],
    ['today 8:00', at(2026, 11, 27, 8)],
    ['yesterday 8:00', at(2026, 11, 26, 8)],
    ['2026-11-27', at(2026, 11, 27)],
    ['2026-11-27 14:02', at(2026, 11, 27, 14, 2)],
    ['2026-11-27T14:02:31', at(2026, 11, 27, 14, 2, 31)],
    ['2026-11-27T14:02:31Z', Date.UTC(2026, 10, 27, 14, 2, 31)],
    ['2026-11-27T14:02:31.250Z', Date.UTC(2026, 10, 27, 14, 2, 31, 250)],
    ['2026-11-27T14:02:31+02:00', Date.UTC(2026, 10, 27, 12, 2, 31)],
    ['10m', nowMs - 600_000],
    ['-90s', nowMs - 90_000],
    ['1h30m ago', nowMs - 5_400_000],
    ['2d', nowMs - 172_800_000],
  ])('%s', (typed, expected) => {
    expect(parseTime(typed, nowMs)).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '25:00',
    '14:60',
    '14',
    '30 Feb 2024',
    '2026-02-30',
    '2026-13-01',
    '5 Foo',
    'clients',
    '10',
    '-',
  ])('%j is none', (typed) => {
    expect(parseTime(typed, nowMs)).toBeUndefined();
  });
});

test('dates have no year, and moments have seconds', () => {
  expect(dateText(nowMs)).toBe('27 Nov');
  expect(momentText(at(2026, 3, 5, 4, 2, 1))).toBe('5 Mar 04:02:01');
});
