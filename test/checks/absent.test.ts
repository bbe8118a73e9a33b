import { expect, test } from 'vitest';
import { BrokerError, NotSupportedError } from '../../src/api/errors.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { uncheckedText } from '../../src/checks/words.ts';
import { metrics } from '../../src/resources/metrics/resource.ts';
import { emptyResource, type ResourceState } from '../../src/monitor/state.ts';
import { listeners } from '../../src/resources/listeners/resource.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { slowSubscriptions } from '../../src/resources/slow-subscriptions/resource.ts';
import { readingsOf } from '../support/readings.ts';
import { check, found, resultOf, type Scene } from './scene.ts';

/** A reading that this login may not make. */
const refused = <T>(): ResourceState<T> => ({ ...emptyResource<T>(), error: new BrokerError('not-allowed') });

const limited: Scene = {
  state: { watched: [slowSubscriptions, listeners], ...readingsOf({ slowSubscriptions: refused() }) },
  resources: { listeners: refused() },
};

test('a check whose reading the login may not make is absent with the reason', () => {
  expect(resultOf('slowSubscriptions', limited)).toMatchObject({
    isNotOffered: true,
    findings: [],
    unchecked: [{ code: 'not-allowed', what: ['slow subscriptions'] }],
  });
  expect(resultOf('listeners', limited)).toMatchObject({
    isNotOffered: true,
    unchecked: [{ code: 'not-allowed', what: ['listeners'] }],
  });
});

test('what may not be read is no failed reading, and the cluster can be calm without it', () => {
  expect(check(limited).findings.map(({ code }) => code)).toEqual([]);
  expect(check(limited).isAllClear).toBe(true);
});

test('without the nodes nothing is known', () => {
  const blind: Scene = { state: { watched: [nodeStats] }, resources: { nodeStats: refused() } };
  expect(found(resultOf('readings', blind))).toMatchObject([['read-failed', { resources: ['nodeStats'] }]]);
});

/** A reading that the API does not have. */
const lacking = <T>(task: string): ResourceState<T> => ({ ...emptyResource<T>(), error: new NotSupportedError(task) });

test('what the broker does not have is absent, too, and no failed reading', () => {
  const small: Scene = {
    state: { watched: [listeners, metrics] },
    resources: {
      listeners: lacking('list listeners'),
      metrics: lacking('read metrics'),
      stats: lacking('read statistics'),
    },
  };
  expect(resultOf('listeners', small)).toMatchObject({
    isNotOffered: true,
    findings: [],
    unchecked: [{ code: 'not-offered', what: ['listeners'] }],
  });
  expect(resultOf('listeners', small).unchecked.map((reason) => plainText(uncheckedText(reason)))).toEqual([
    "this broker's API has no listeners",
  ]);
  expect(check(small).findings.map(({ code }) => code)).toEqual([]);
});
