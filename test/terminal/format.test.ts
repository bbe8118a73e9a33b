import { describe, expect, test } from 'vitest';
import * as format from '../../src/terminal/format.ts';
import { asciiGlyphs } from '../../src/terminal/glyphs.ts';

const every = [
  format.formatCount,
  format.formatDelta,
  format.formatShort,
  format.formatRate,
  format.formatBytes,
  format.formatBytesRate,
  format.formatPercent,
  format.formatMinShare,
  format.formatLoad,
  format.formatDuration,
  format.formatAge,
  format.formatElapsed,
  format.formatSeconds,
  format.formatClock,
  format.formatBrokerTime,
  format.formatProtocolVersion,
];

test('an unknown value is a dash everywhere, unlike 0 and loading', () => {
  for (const formatValue of every) {
    expect(formatValue(undefined)).toBe('–');
    expect(formatValue(Number.NaN)).toBe('–');
    expect(formatValue(Number.POSITIVE_INFINITY)).toBe('–');
    expect(formatValue(0)).not.toBe('–');
  }
  expect(format.formatYesNo(undefined)).toBe('–');
  expect(new Set([format.unknownText, format.loadingText, format.formatCount(0)]).size).toBe(3);
  expect(asciiGlyphs(format.unknownText)).toBe('-');
  expect(asciiGlyphs(format.loadingText)).toBe('...');
});

describe.each<[string, (value: number) => string, [number, string][]]>([
  [
    'formatCount',
    format.formatCount,
    [
      [0, '0'],
      [999, '999'],
      [1204, '1,204'],
      [1_234_567, '1,234,567'],
      [-1204, '-1,204'],
      [2 ** 60, '1,152,921,504,606,846,976'],
    ],
  ],
  [
    'formatChange',
    format.formatChange,
    [
      [97, '+97'],
      [-9, '−9'],
      [1_234, '+1.2k'],
    ],
  ],
  [
    'formatDelta',
    format.formatDelta,
    [
      [3, '+3'],
      [-12, '-12'],
      [0, '0'],
      [0.2, '0'],
    ],
  ],
  [
    'formatShort',
    format.formatShort,
    [
      [0, '0'],
      [0.4, '0.4'],
      [812, '812'],
      [999.4, '999'],
      [999.6, '1.0k'],
      [4200, '4.2k'],
      [99_949, '99.9k'],
      [99_951, '100k'],
      [999_600, '1.0M'],
      [1_300_000, '1.3M'],
    ],
  ],
  [
    'formatRate',
    format.formatRate,
    [
      [0, '0/s'],
      [0.01, '<0.1/s'],
      [0.4, '0.4/s'],
      [4200, '4.2k/s'],
      [12_900, '12.9k/s'],
    ],
  ],
  [
    'formatBytes',
    format.formatBytes,
    [
      [0, '0 B'],
      [812, '812 B'],
      [1023.6, '1.0 kB'],
      [1024, '1.0 kB'],
      [51_138_003, '48.8 MB'],
      [1024 ** 3 - 1, '1.0 GB'],
      [1.2 * 1024 ** 3, '1.2 GB'],
    ],
  ],
  [
    'formatBytesRate',
    format.formatBytesRate,
    [
      [0, '0 B/s'],
      [0.01, '<0.1 B/s'],
      [1_258_291, '1.2 MB/s'],
    ],
  ],
  [
    'formatLeastShare',
    format.formatMinShare,
    [
      [0, '≥0 %'],
      [0.0004, '>0 %'],
      [0.00735, '≥0.7 %'],
      [0.0999, '≥9.9 %'],
      [0.29, '≥29 %'],
      [0.999, '≥99 %'],
      [1, '≥100 %'],
    ],
  ],
  [
    'formatPercent',
    format.formatPercent,
    [
      [0, '0 %'],
      [0.001, '<1 %'],
      [0.12, '12 %'],
      [0.999, '99 %'],
      [1, '100 %'],
      [1.2, '120 %'],
    ],
  ],
  [
    'formatLoad',
    format.formatLoad,
    [
      [0, '0.00'],
      [0.42, '0.42'],
      [12.345, '12.35'],
    ],
  ],
  [
    'formatDuration',
    format.formatDuration,
    [
      [0, '0 s'],
      [12.9, '12 s'],
      [59.99, '59 s'],
      [60, '1m 00s'],
      [245, '4m 05s'],
      [8040, '2h 14m'],
      [86_400, '1d 0h'],
      [3 * 86_400 + 4 * 3600, '3d 4h'],
      [-5, '-5 s'],
    ],
  ],
  [
    'formatAge',
    format.formatAge,
    [
      [0, '0 s ago'],
      [-0.4, '0 s ago'],
      [12, '12 s ago'],
      [8040, '2h 14m ago'],
      [-3, 'in 3 s'],
    ],
  ],
  [
    'formatElapsed',
    format.formatElapsed,
    [
      [0, '0 ms'],
      [48, '48 ms'],
      [400, '0.4 s'],
      [1100, '1.1 s'],
      [59_940, '59.9 s'],
      [61_000, '1m 01s'],
    ],
  ],
  [
    'formatSeconds',
    format.formatSeconds,
    [
      [0, '0 s'],
      [60, '60 s'],
      [0.5, '0.5 s'],
      [1.25, '1.25 s'],
      [86_400, '86,400 s'],
    ],
  ],
  [
    'formatBrokerTime',
    format.formatBrokerTime,
    [
      [0, '1970-01-01 00:00:00'],
      [1_772_373_789, '2026-03-01 14:03:09'],
      [1e15, '–'],
    ],
  ],
  [
    'formatProtocolVersion',
    format.formatProtocolVersion,
    [
      [3, '3.1'],
      [4, '3.1.1'],
      [5, '5'],
      [9, 'level 9'],
    ],
  ],
])('%s', (_name, formatValue, cases) => {
  test.each(cases)('%d is %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});

test('a share needs both values and a whole above 0', () => {
  expect(format.formatShare(1, 4)).toBe('25 %');
  expect(format.formatShare(undefined, 4)).toBe('–');
  expect(format.formatShare(0, 0)).toBe('–');
});

test.each([
  [1_234, 6, undefined, '1,234'],
  [999_999, 6, undefined, '1.0M'],
  [12_345_678, 6, undefined, '12.3M'],
  [12_345_678, 10, undefined, '12,345,678'],
  [undefined, 3, 'max', '–'],
  [37_037_034, 8, 'max', '≤37.1M'],
  [37_099_999, 8, 'min', '≥37.0M'],
  [123_456_789, 8, 'max', '≤124M'],
  [123_999_999, 8, 'min', '≥123M'],
  [999_960, 6, 'max', '≤1.0M'],
  [1_204, 9, 'min', '≥1,204'],
] as const)('%s in %i columns, bound %s, is %s', (value, width, bound, text) => {
  expect(format.formatCountIn(value, width, bound)).toBe(text);
});

test('formatClock shows local time', () => {
  expect(format.formatClock(new Date(2026, 2, 1, 14, 3, 9).getTime())).toBe('14:03:09');
});
