import { expect, test } from 'vitest';
import { NotRecordedError } from '../../../src/api/errors.ts';
import type { Subscription } from '../../../src/domain/client.ts';
import { initialState } from '../../../src/monitor/store.ts';
import { detailOfLists } from '../../../src/resources/clients/recorded-detail.ts';
import { clientOf, scanOf, sessionOf } from '../../screens/list-fixtures.ts';
import { patched, readingsOf } from '../../support/readings.ts';

const subscriptionOf = (clientId: string, topic: string): Subscription => ({
  clientId,
  topic,
  qos: 1,
  node: undefined,
});

const [client, session] = [clientOf('c1'), sessionOf('c1')];

test('a client of a recording has what the lists had of it', () => {
  const state = patched(
    initialState(2),
    readingsOf({
      clientScan: { ...scanOf([client, clientOf('c2')]), finishedAtMs: 5_000 },
      sessionScan: { ...scanOf([session]), finishedAtMs: 4_000 },
      subscriptionScan: { ...scanOf([subscriptionOf('c1', 'a/b'), subscriptionOf('c2', 'c')]), finishedAtMs: 6_000 },
    }),
  );
  expect(detailOfLists(state, 'c1')).toMatchObject({
    data: { clients: [client], sessions: [session], subscriptions: [{ topic: 'a/b' }] },
    updatedAtMs: 4_000,
  });
  // The lists are complete: it had no session.
  expect(detailOfLists(state, 'c2')?.data?.sessions).toEqual([]);
  expect(detailOfLists(state, 'unknown')).toBeUndefined();
});

test('what no list has is not recorded, which is not none', () => {
  const state = patched(
    initialState(2),
    readingsOf({ clientScan: { ...scanOf([client]), phase: 'running', finishedAtMs: undefined } }),
  );
  expect(detailOfLists(state, 'c1')).toMatchObject({
    data: {
      clients: [client],
      sessions: expect.any(NotRecordedError),
      subscriptions: expect.any(NotRecordedError),
    },
    updatedAtMs: undefined,
  });
});
