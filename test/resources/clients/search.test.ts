import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { NotAvailableError } from '../../../src/api/errors.ts';
import type { ClientSearch, ManagementApi } from '../../../src/api/management-api.ts';
import { maxFound, readClientSearch } from '../../../src/resources/clients/search.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client, createFakeApi } from '../../monitor/fake-api.ts';
import { readings, watchOf } from '../../../src/monitor/query/part.ts';
import { clientSearch } from '../../../src/resources/clients/search.ts';

/** A broker that finds so many clients by id and by username, the first ones the same. */
const searching = (byId: number, byUsername: number, asked: ClientSearch[] = []): ManagementApi =>
  createFakeApi({
    searchClients: async (search, { page, pageSize }) => {
      asked.push(search);
      const count = search.clientId === undefined ? byUsername : byId;
      const items = Array.from({ length: Math.min(pageSize, count) }, (_each, at) => client(`c${at}`, 'n1'));
      return { page, pageSize, items, totalItems: undefined, totalPages: undefined, hasNext: count > pageSize };
    },
  });

const both = [{ clientId: 'c' }, { username: 'c' }];

test.each([
  [0, 0, 0, false],
  [2, 3, 3, false],
  [maxFound, 1, maxFound, false],
  [1, maxFound + 1, maxFound, true],
])('found %i by id and %i by username, each client once', async (byId, byUsername, count, hasMore) => {
  const { items, ...rest } = await readClientSearch(searching(byId, byUsername), both, {});
  expect([items.length, new Set(items.map(({ clientId }) => clientId)).size, rest]).toEqual([
    count,
    count,
    { hasMore },
  ]);
});

test('not available where the API cannot search', async () => {
  await expect(readClientSearch(createFakeApi({}), both, {})).rejects.toBeInstanceOf(NotAvailableError);
});

test('asks only for what is watched, slowly', async () => {
  const clock = createFakeClock();
  const asked: ClientSearch[] = [];
  const monitor = createMonitor({ clock, intervalSeconds: 2, api: searching(2, 0, asked) });
  await clock.advance(100);
  expect(asked).toEqual([]);
  const searches = [{ clientId: 'C', node: 'n1' }];
  const release = monitor.watch(watchOf(clientSearch, searches));
  await clock.advance(5_000);
  expect(asked).toEqual(searches);
  expect(
    readings(monitor.store.getState(), clientSearch)
      .get(clientSearch.textOf(searches))
      ?.data?.items.map(({ clientId }) => clientId),
  ).toEqual(['c0', 'c1']);
  await clock.advance(20_000);
  expect(asked.length).toBeGreaterThan(1);
  const before = asked.length;
  release();
  await clock.advance(60_000);
  expect(asked).toHaveLength(before);
  monitor.stop();
});
