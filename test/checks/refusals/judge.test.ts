import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../../src/triage/check.ts';
import { readingsOf } from '../../support/readings.ts';
import { history, resultOf, found, verdict } from '../scene.ts';

describe('connections and access', () => {
  const refusing = (rates: Parameters<typeof history>[0]) =>
    resultOf('refusals', { state: readingsOf({ metricHistory: history(rates) }) });

  it('that are refused are counted, with those that have a wrong login', () => {
    expect(found(refusing({ 'packets.connack.error': 3, 'packets.connack.auth_error': 1 }))).toEqual([
      ['connections-refused', { perSecond: 3, seconds: 18, loginPerSecond: 1 }],
    ]);
    expect(found(refusing({ 'authorization.deny': 4 }))).toEqual([['access-denied', { perSecond: 4, seconds: 18 }]]);
    expect(refusing({ 'packets.connack.error': 60 }).findings[0]?.severity).toBe('critical');
    expect(verdictOf(refusing({ 'packets.connack.error': 0.1, 'authorization.deny': 0.1 }))).toBe('ok');
    expect(verdict('refusals', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });
});
