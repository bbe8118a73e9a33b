import { expect, test } from 'vitest';
import type { Integration } from '../../../src/domain/integrations.ts';
import { createIntegrationRates } from '../../../src/resources/integrations/rates.ts';

const action = (
  byNode: Readonly<Record<string, readonly [matched: number, expired: number]>>,
): readonly Integration[] => [
  {
    kind: 'action',
    id: 'http:a',
    isEnabled: true,
    nodes: new Map(
      Object.entries(byNode).map(([node, [matched, expired]]) => [
        node,
        { counters: { matched, succeeded: matched - expired, lost: { expired } } },
      ]),
    ),
  },
];

const perSecond = (rates: ReturnType<ReturnType<typeof createIntegrationRates>['record']>, node: string): unknown => {
  const found = rates.get('action http:a')?.get(node);
  return found === undefined ? undefined : [found.matched, found.lost];
};

test('rates are steps between readings: unknown at the first, never negative', () => {
  const { record } = createIntegrationRates();
  expect(perSecond(record(action({ x: [100, 50], y: [9, 9] }), 0), 'x')).toBeUndefined();
  const second = record(action({ x: [140, 70], y: [9, 9] }), 10_000);
  expect([perSecond(second, 'x'), perSecond(second, 'y')]).toEqual([
    [4, 2],
    [0, 0],
  ]);
  // The node began again; the other one goes on.
  const third = record(action({ x: [3, 1], y: [29, 19] }), 20_000);
  expect([perSecond(third, 'x'), perSecond(third, 'y')]).toEqual([undefined, [1, 0.5]]);
  expect(perSecond(record(action({ x: [13, 1], y: [29, 19] }), 30_000), 'x')).toEqual([1, 0]);
});

test('rates are averages of the last minute', () => {
  const { record } = createIntegrationRates();
  for (let step = 0; step <= 12; step += 1) record(action({ x: [step < 6 ? 0 : (step - 6) * 10, 0] }), step * 10_000);
  expect(perSecond(record(action({ x: [70, 0] }), 130_000), 'x')).toEqual([1, 0]);
});

test('a node that was away has no rate at first, as its counters may be others', () => {
  const { record } = createIntegrationRates();
  record(action({ x: [1, 0], y: [1, 0] }), 0);
  record(action({ y: [2, 0] }), 10_000);
  expect(perSecond(record(action({ x: [50, 0], y: [3, 0] }), 20_000), 'x')).toBeUndefined();
});

test('after a jump of the clock nothing is compared with what was before', () => {
  const { record, breakRates } = createIntegrationRates();
  record(action({ x: [1, 0] }), 0);
  breakRates();
  expect(perSecond(record(action({ x: [9, 0] }), 10_000), 'x')).toBeUndefined();
});
