import { describe, expect, it } from 'vitest';
import { clusterTotal } from '../../../src/resources/metrics/resource.ts';
import { readingsOf } from '../../support/readings.ts';
import { history, check, resultOf, found, verdict } from '../scene.ts';

describe('traffic', () => {
  it('can be dropped, each reason a finding of its own', () => {
    const dropping = (rates: Parameters<typeof history>[0]) =>
      resultOf('drops', { state: readingsOf({ metricHistory: history(rates) }) });
    expect(
      found(
        dropping({
          'delivery.dropped.too_large': 2,
          'delivery.dropped.expired': 0.1,
          'delivery.dropped.queue_full': 120,
        }),
      ),
    ).toEqual([
      ['messages-dropped', { reason: 'queue_full', perSecond: 120, seconds: 18 }],
      ['messages-dropped', { reason: 'too_large', perSecond: 2, seconds: 18 }],
    ]);
    const { capabilities } = check().state;
    if (capabilities === undefined) throw new Error('no capabilities');
    const refreshed = resultOf('drops', {
      state: {
        capabilities: { ...capabilities, sessionCountersSeconds: 15 },
        ...readingsOf({ metricHistory: history({ 'delivery.dropped.queue_full': 120 }) }),
      },
    });
    expect(refreshed.findings).toMatchObject([{ evidence: { countersSeconds: 15 } }]);
    // They are a part of the problem of the session that loses most, unless its losses are much fewer.
    const causeOf = (rate: number): string | undefined =>
      resultOf('drops', {
        state: readingsOf({ metricHistory: history({ 'delivery.dropped.queue_full': 120 }) }),
        history: {
          losing: new Map([
            ['x', rate],
            ['y', 1],
          ]),
        },
      }).findings[0]?.partOf;
    expect([causeOf(100), causeOf(2)]).toEqual(['slow x', undefined]);
    expect(verdict('drops', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
    const older: ReturnType<typeof history> = new Map([
      [
        clusterTotal as typeof clusterTotal,
        (history({}).get(clusterTotal) ?? []).map((sample) => ({ ...sample, metrics: { 'messages.received': 1 } })),
      ],
    ]);
    expect(resultOf('drops', { state: readingsOf({ metricHistory: older }) })).toMatchObject({
      isNotOffered: true,
      unchecked: [{ code: 'reasons-uncounted' }],
    });
  });
});
