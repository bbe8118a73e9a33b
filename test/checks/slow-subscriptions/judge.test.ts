import { describe, expect, it } from 'vitest';
import type { SlowSubscriptions } from '../../../src/domain/messages.ts';
import { emptyResource } from '../../../src/monitor/state.ts';
import { readingsOf } from '../../support/readings.ts';
import { loaded, resultOf, found } from '../scene.ts';

describe('slow subscriptions', () => {
  const slowest = { clientId: 'x', topic: 'a/#', node: 'a', latencyMs: 900, updatedAt: 1 };
  const ranked = (data: SlowSubscriptions | undefined) =>
    resultOf('slowSubscriptions', {
      state: readingsOf({ slowSubscriptions: data === undefined ? emptyResource() : loaded(data) }),
    });

  it('are one finding with the slowest', () => {
    expect(
      found(
        ranked({ isEnabled: true, thresholdMs: 500, items: [slowest, { ...slowest, clientId: 'y', latencyMs: 600 }] }),
      ),
    ).toEqual([['slow-subscriptions', { count: 2, clientId: 'x', topic: 'a/#', latencyMs: 900, thresholdMs: 500 }]]);
  });

  it('are not checked until they are read, and not offered where the broker does not measure them', () => {
    expect(ranked(undefined).unchecked).toEqual([{ code: 'slow-unread' }]);
    expect(ranked({ isEnabled: false, setting: 'delays.on', thresholdMs: 500, items: [slowest] })).toMatchObject({
      isNotOffered: true,
      findings: [],
      unchecked: [{ code: 'slow-disabled', setting: 'delays.on' }],
    });
  });
});
