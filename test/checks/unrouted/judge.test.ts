import { describe, expect, it } from 'vitest';
import { readingsOf } from '../../support/readings.ts';
import { history, resultOf, found, verdict } from '../scene.ts';

describe('traffic', () => {
  it('can be unrouted', () => {
    expect(
      found(
        resultOf('unrouted', {
          state: readingsOf({ metricHistory: history({ 'messages.dropped': 5, 'messages.received': 20 }) }),
        }),
      ),
    ).toEqual([['unrouted-messages', { perSecond: 5, seconds: 18, share: 0.25 }]]);
    expect(verdict('unrouted', { state: readingsOf({ metricHistory: history({ 'messages.dropped': 0.1 }) }) })).toBe(
      'ok',
    );
    // A few of very many.
    expect(
      verdict('unrouted', {
        state: readingsOf({ metricHistory: history({ 'messages.dropped': 1, 'messages.received': 200 }) }),
      }),
    ).toBe('ok');
    expect(verdict('unrouted', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });
});
