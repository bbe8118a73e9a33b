import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../../src/domain/client.ts';
import { emptyScan } from '../../../src/monitor/state.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { readingsOf } from '../../support/readings.ts';
import { history, unusable, resultOf, found, verdict } from '../scene.ts';

describe('traffic', () => {
  it('can have a high fan-out, with a suspected topic', () => {
    const subscriptionScan = {
      ...emptyScan<Subscription>(),
      rows: ['x', 'y'].map((clientId) => ({ clientId, topic: 't/1', qos: 0, node: 'a' })),
    };
    const metricHistory = history({ 'messages.received': 10, 'messages.sent': 500 });
    const result = resultOf('fanOut', { state: readingsOf({ metricHistory, subscriptionScan }) });
    expect(found(result)).toEqual([
      [
        'fan-out',
        {
          ratio: 50,
          sentPerSecond: 500,
          receivedPerSecond: 10,
          suspect: { topic: 't/1', subscribers: 2, isMin: false },
          hasTalkers: false,
        },
      ],
    ]);
    expect(
      found(
        resultOf('fanOut', {
          state: {
            capabilities: { ...capabilitiesOfB, clientTraffic: true },
            ...readingsOf({ metricHistory, subscriptionScan }),
          },
        }),
      ),
    ).toMatchObject([['fan-out', { hasTalkers: true }]]);
    expect(result.findings[0]?.jump).toEqual({ screen: 'subscriptions', topic: 't/1' });
    const leftOut = (cut: 'rows' | undefined) =>
      new Map([
        [
          'a',
          {
            read: 2,
            expected: 9,
            isComplete: cut === undefined,
            error: undefined,
            cut,
            unusable: cut === undefined ? unusable : undefined,
          },
        ],
      ]);
    expect(
      found(
        resultOf('fanOut', {
          state: readingsOf({ metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut(undefined) } }),
        }),
      ),
    ).toMatchObject([['fan-out', { suspect: { topic: 't/1', isMin: true } }]]);
    expect(
      found(
        resultOf('fanOut', {
          state: readingsOf({ metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut('rows') } }),
        }),
      ),
    ).toMatchObject([['fan-out', { suspect: 'list-cut' }]]);
    expect(
      verdict('fanOut', {
        state: readingsOf({ metricHistory: history({ 'messages.received': 10, 'messages.sent': 100 }) }),
      }),
    ).toBe('ok');
    expect(verdict('fanOut', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });
});
