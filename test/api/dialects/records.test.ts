import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseDateTime,
  parseDecimal,
  parseListen,
  parseSizeBytes,
  parseUptimeSeconds,
} from '../../../src/api/dialects/records.ts';

test.each<[string | number, number | undefined]>([
  ['48.77M', 51_139_052],
  ['1.20G', 1_288_490_189],
  ['0.03K', 31],
  ['512', 512],
  ['0', 0],
  ['2T', 2_199_023_255_552],
  [700, 700],
  [0.5, 0.5],
  ['', undefined],
  ['M', undefined],
  ['12X', undefined],
  ['-3M', undefined],
  ['1e3', undefined],
  ['1,5M', undefined],
  [-1, undefined],
  ['unknown', undefined],
])('size %j', (size, bytes) => {
  expect(parseSizeBytes(size)).toBe(bytes);
});

test.each<[string | number, number | undefined]>([
  ['0.87', 0.87],
  ['2', 2],
  [1.5, 1.5],
  ['', undefined],
  ['x', undefined],
  ['0x10', undefined],
  ['1.2.3', undefined],
])('load %j', (load, number) => {
  expect(parseDecimal(load)).toBe(number);
});

test.each<[string, number | undefined]>([
  ['10 seconds', 10],
  ['1 second', 1],
  ['3 minutes, 4 seconds', 184],
  ['2 hours, 3 minutes, 4 seconds', 7384],
  ['1 days,2 hours, 3 minutes, 4 seconds', 93_784],
  ['12 days, 0 hours, 0 minutes, 0 seconds', 1_036_800],
  ['5 minutes', 300],
  ['2 days', 172_800],
  ['', undefined],
  ['seconds', undefined],
  ['1.5 hours', undefined],
  ['3 weeks', undefined],
  ['4 seconds, 3 minutes', undefined],
  [', 3 minutes', undefined],
  ['-1 seconds', undefined],
])('uptime %j', (uptime, seconds) => {
  expect(parseUptimeSeconds(uptime)).toBe(seconds);
});

describe('date and time', () => {
  test.each<[string, number | undefined]>([
    ['1970-01-01 00:00:00', 0],
    ['2026-11-21 12:19:31', 1_795_263_571],
    ['2024-02-29 23:59:59', 1_709_251_199],
    ['2000-02-29 00:00:00', 951_782_400],
    ['2026-12-31 23:59:59', 1_798_761_599],
    ['1900-02-29 00:00:00', undefined],
    ['2026-02-29 00:00:00', undefined],
    ['2026-11-31 00:00:00', undefined],
    ['2026-11-00 00:00:00', undefined],
    ['2026-00-01 00:00:00', undefined],
    ['2026-11-2  12:19:31', undefined],
    ['2026/11/21 12:19:31', undefined],
    ['+026-11-21 12:19:31', undefined],
    ['2026-11-21 12:19:60', undefined],
    ['2026-13-01 00:00:00', undefined],
    ['2026-11-21 24:00:00', undefined],
    ['2026-11-21 12:60:00', undefined],
    ['2026-11-21 1a:19:31', undefined],
    ['2026-11-21 12:-1:31', undefined],
    ['2026-11-21 12:19: 1', undefined],
    ['20a6-11-21 12:19:31', undefined],
    ['a026-11-21 12:19:31', undefined],
    ['2026-1:-21 12:19:31', undefined],
    ['2026-11-21T12:19:31', undefined],
    ['2026-11-21', undefined],
    ['', undefined],
    ['never', undefined],
  ])('%j', (text, seconds) => {
    expect(parseDateTime(text)).toBe(seconds);
  });

  test('any second of ten thousand years survives', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        expect(parseDateTime(new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '))).toBe(seconds);
      }),
    );
  });
});

test.each<[string, string | undefined, number | undefined]>([
  ['8083', undefined, 8083],
  ['0.0.0.0:1883', '0.0.0.0', 1883],
  ['[::]:1883', '::', 1883],
  [':::1883', '::', 1883],
  ['fe80::1:8883', 'fe80::1', 8883],
  ['0:0:0:0:0:0:0:1:80', '0:0:0:0:0:0:0:1', 80],
  ['broker.example:80', 'broker.example', 80],
  [':80', undefined, 80],
  ['0', undefined, 0],
  ['', undefined, undefined],
  ['::1', undefined, undefined],
  ['0.0.0.0:99999', undefined, undefined],
  ['0.0.0.0', undefined, undefined],
  ['/run/mqtt.sock', undefined, undefined],
])('listen %j', (listen, address, port) => {
  expect(parseListen(listen)).toEqual({ address, port });
});
