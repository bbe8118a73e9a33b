import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  always,
  atAnyTime,
  elapsedBetween,
  firstTime,
  measureStep,
  refreshOf,
  type Refresh,
} from '../../src/monitor/steps.ts';

const every15 = refreshOf({ sessionCountersSeconds: 15 });

/** Messages/s of a counter in `readings` (seconds and value), and `undefined` while unknown. */
function ratesOf(readings: readonly (readonly [number, number])[], refresh: Refresh): readonly (number | undefined)[] {
  let base: { readonly value: number; readonly time: ReturnType<typeof firstTime> } | undefined;
  let [beforeMs, before] = [0, 0];
  let rate: number | undefined;
  return readings.map(([seconds, value]) => {
    const atMs = seconds * 1_000;
    if (base === undefined) base = { value, time: firstTime(atMs, refresh) };
    else {
      const step = measureStep(
        base.time,
        { atMs, beforeMs, isBase: base.value === value, isMoved: before !== value },
        refresh,
      );
      if (step.kind === 'whole') rate = ((value - base.value) * 1_000) / step.elapsedMs;
      if (step.kind === 'still') rate = 0;
      if (step.base !== undefined) base = { value, time: step.base };
    }
    [beforeMs, before] = [atMs, value];
    return rate;
  });
}

test('where every reading is current, rates are those between two readings', () => {
  expect(
    ratesOf(
      [
        [0, 10],
        [2, 30],
        [4, 30],
        [9, 40],
      ],
      always,
    ),
  ).toEqual([undefined, 10, 0, 2]);
  expect(refreshOf({})).toBe(always);
  expect(refreshOf({ sessionCountersSeconds: 15 })).toBe(every15);
});

test('the change of the figures is the clock: there is no rate before a whole step, and the rate holds until the next', () => {
  // 7 messages a second, refreshed 1, 16, 31 and 46 s after the first reading, which is repeated every 2 s.
  const value = (seconds: number): number => 105 * Math.floor((seconds + 14) / 15);
  const rates = ratesOf(
    Array.from({ length: 25 }, (_, index) => [2 * index, value(2 * index)]),
    every15,
  );
  expect(rates.slice(0, 8).every((rate) => rate === undefined)).toBe(true);
  expect(new Set(rates.slice(8))).toEqual(new Set([7]));
});

test('zero needs two steps without a change, and the first change after it is no whole step', () => {
  const readings = [
    [0, 10],
    [5, 10],
    [15, 10],
    [29, 10],
    [30, 10],
    [35, 40],
    [40, 40],
    [50, 145],
  ] as const;
  expect(ratesOf(readings, every15)).toEqual([undefined, undefined, undefined, undefined, 0, 0, 0, 7]);
});

test('readings that are far apart are whole steps apart', () => {
  // Refreshed every 15 s, at 1 s, 16 s, 31 s, ...; read at 0, 5, 10, 15, 16, and then every 30 s and a little.
  const value = (seconds: number): number => 150 * Math.floor((seconds + 14) / 15);
  const at = [0, 5, 10, 15, 16, 46.2, 76.4, 106.6];
  expect(
    ratesOf(
      at.map((seconds) => [seconds, value(seconds)]),
      every15,
    ).slice(5),
  ).toEqual([10, 10, 10]);
});

test('a refresh out of turn is no step: it is counted with the next one', () => {
  expect(
    ratesOf(
      [
        [0, 0],
        [2, 10],
        [4, 12],
        [16, 12],
        [17, 115],
      ],
      every15,
    ),
  ).toEqual([undefined, undefined, undefined, undefined, 7]);
  expect(
    ratesOf(
      [
        [0, 0],
        [2, 10],
        [4, 12],
        [46, 12],
        [47, 12],
      ],
      every15,
    ),
  ).toEqual([undefined, undefined, undefined, undefined, 0]);
});

test('where a refresh may come sooner, a rate needs a time between two that is known well enough', () => {
  const sooner = refreshOf({ sessionCountersSeconds: 20, sessionCountersVary: true });
  // 25 a second, refreshed at 7, 27 and 47 s.
  const value = (seconds: number): number => 500 * Math.floor((seconds + 13) / 20);
  expect(
    ratesOf(
      Array.from({ length: 11 }, (_, index) => [5 * index, value(5 * index)]),
      sooner,
    ),
  ).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, 25, 25, 25, 25, 25]);
  // Always current.
  expect(
    ratesOf(
      [
        [0, 0],
        [5, 125],
        [10, 250],
        [15, 375],
        [20, 500],
        [25, 625],
      ],
      sooner,
    ),
  ).toEqual([undefined, undefined, undefined, 25, 25, 25]);
});

test('figures that move at any time tell nothing by one jump, nor by standing still', () => {
  expect(
    ratesOf(
      [
        [0, 0],
        [5, 440],
        [10, 440],
        [1_000, 440],
      ],
      atAnyTime,
    ),
  ).toEqual([undefined, undefined, undefined, undefined]);
  // 4 a second, which show after 110 s.
  expect(
    ratesOf(
      [
        [0, 0],
        [5, 440],
        [60, 440],
        [110, 440],
        [115, 880],
      ],
      atAnyTime,
    ).at(-1),
  ).toBe(4);
  // Two jumps in a row: the time between them is anything up to 10 s.
  expect(
    ratesOf(
      [
        [0, 0],
        [5, 440],
        [10, 450],
      ],
      atAnyTime,
    ).at(-1),
  ).toBeUndefined();
});

test('time between two refreshes is unknown after a first reading', () => {
  expect(elapsedBetween(firstTime(0, every15), { afterMs: 5_000, seenMs: 7_000 }, every15)).toBeUndefined();
  expect(elapsedBetween({ afterMs: 0, seenMs: 2_000 }, { afterMs: 67_000, seenMs: 69_000 }, every15)).toBe(67_000);
});

test('a recorded client of EMQX 5.8.9 that was read every 2 s is never idle, nor has it a burst', () => {
  const text = readFileSync(
    new URL('../fixtures/recordings/v5-live/client-app-01-every-2s.http', import.meta.url),
    'utf8',
  );
  const readings = [...text.matchAll(/^(?<h>\d\d):(?<m>\d\d):(?<s>[\d.]+)$[^{]*(?<body>\{.*\})$/gmu)].map(
    ({ groups = {} }) => {
      const body: unknown = JSON.parse(groups['body'] ?? '');
      return [
        Number(groups['h']) * 3_600 + Number(groups['m']) * 60 + Number(groups['s']),
        typeof body === 'object' && body !== null && 'send_msg' in body ? Number(body.send_msg) : Number.NaN,
      ] as const;
    },
  );
  expect(readings.map(([, messages]) => messages)).toEqual([
    5_808, 5_808, 5_808, 5_808, 5_916, 5_916, 5_916, 5_916, 5_916, 5_916,
  ]);
  expect(ratesOf(readings, every15).every((rate) => rate === undefined)).toBe(true);
  // It goes on for another step.
  const [lastSeconds = 0] = readings.at(-1) ?? [];
  expect(
    ratesOf(
      [...readings, [lastSeconds + 2.2, 5_916], [lastSeconds + 4.4, 6_024], [lastSeconds + 6.6, 6_024]],
      every15,
    ).slice(-3),
  ).toEqual([undefined, 7.2, 7.2]);
});
