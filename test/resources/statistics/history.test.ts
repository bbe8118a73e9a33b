import { expect, test } from 'vitest';
import {
  appendTotals,
  knownTotals,
  totalsChange,
  type TotalsSample,
} from '../../../src/resources/statistics/history.ts';
import { statNames } from '../../../src/domain/metrics.ts';

const samplesOf = (seconds: number, every = 2): readonly TotalsSample[] => {
  let samples: readonly TotalsSample[] = [];
  for (let at = 0; at <= seconds; at += every)
    samples = appendTotals(samples, { atMs: at * 1_000, values: { clients: 1_000 + at } });
  return samples;
};

test('samples are bounded, whatever the interval', () => {
  for (const every of [1, 2, 10, 60]) {
    const samples = samplesOf(86_400, every);
    expect(samples.length).toBeLessThanOrEqual(61);
    expect(totalsChange(samples).seconds).toBeGreaterThanOrEqual(240);
    expect(totalsChange(samples).seconds).toBeLessThanOrEqual(300);
  }
});

test('a change is that of the last five minutes, or of less while they are younger', () => {
  expect(totalsChange([]).seconds).toBeUndefined();
  expect(totalsChange(samplesOf(4)).seconds).toBeUndefined();
  const young = totalsChange(samplesOf(60, 5));
  expect([young.seconds, young.of('clients', 1_050)]).toEqual([60, 50]);
  const old = totalsChange(samplesOf(1_000, 5));
  expect([old.seconds, old.of('clients', 1_690)]).toEqual([300, -10]);
});

test('what is counted while the broker starts is no baseline', () => {
  const samples = samplesOf(60, 5).map((sample): TotalsSample =>
    sample.atMs <= 30_000 ? { ...sample, isWarmingUp: true } : sample,
  );
  expect(totalsChange(samples).seconds).toBe(25);
  expect(totalsChange(samples.slice(0, 7)).seconds).toBeUndefined();
});

test('a change is unknown where either total is', () => {
  const change = totalsChange(samplesOf(60));
  expect(change.of('sessions', 5)).toBeUndefined();
  expect(change.of('clients', undefined)).toBeUndefined();
});

test('a total that lacks a node is no baseline', () => {
  const totals = Object.fromEntries(
    statNames.map((name) => [name, { value: 5, missingNodes: name === 'clients' ? ['a'] : [] }]),
  ) as never;
  expect(knownTotals(totals)).toEqual(
    Object.fromEntries(statNames.filter((name) => name !== 'clients').map((name) => [name, 5])),
  );
});
