import { expect, test } from 'vitest';
import type { Page, PageRequest } from '../../../src/api/management-api.ts';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { maxListed, pageSize, readPages } from '../../../src/monitor/polling/pages.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFullBroker } from '../../support/full-broker.ts';
import { createFakeApi } from '../fake-api.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { endedAlarms } from '../../../src/resources/alarms/resource.ts';
import { bans } from '../../../src/resources/bans/resource.ts';
import { apiKeys } from '../../../src/resources/api-keys/resource.ts';
import type { ResourceState } from '../../../src/monitor/state.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** A list of so many numbers, which says in one way or another whether a page follows. */
function listOf(count: number, says: 'hasNext' | 'totalPages' | 'nothing') {
  const asked: number[] = [];
  const list = async ({ page, pageSize: size }: PageRequest): Promise<Page<number>> => {
    asked.push(page);
    return {
      page,
      pageSize: size,
      items: numbers(count).slice((page - 1) * size, page * size),
      totalItems: undefined,
      totalPages: says === 'totalPages' ? Math.ceil(count / size) : undefined,
      ...(says === 'hasNext' && { hasNext: count > page * size }),
    };
  };
  return { asked, list };
}

test.each(['hasNext', 'totalPages'] as const)('reads all pages, as told by %s', async (says) => {
  const { asked, list } = listOf(2 * pageSize + 1, says);
  expect(await readPages(list)).toEqual(numbers(2 * pageSize + 1));
  expect(asked).toEqual([1, 2, 3]);
});

test('reads no further than is told, needed or allowed', async () => {
  const untold = listOf(3 * pageSize, 'nothing');
  expect(await readPages(untold.list)).toHaveLength(pageSize);
  const enough = listOf(3 * pageSize, 'hasNext');
  expect(await readPages(enough.list, (rows) => rows.includes(pageSize))).toHaveLength(2 * pageSize);
  const long = listOf(3 * maxListed, 'hasNext');
  expect(await readPages(long.list)).toHaveLength(maxListed);
});

test('bans, API keys and ended alarms are read while watched, and not available without them', async () => {
  const clock = createFakeClock();
  const { parts } = createFullBroker(() => 1);
  const lists = [endedAlarms, bans, apiKeys] as const;
  const states = async (api: Parameters<typeof createFakeApi>[0]): Promise<readonly unknown[]> => {
    const monitor = createMonitor({ clock, intervalSeconds: 2, api: createFakeApi(api) });
    for (const list of lists) monitor.watch(list);
    await clock.advance(100);
    monitor.stop();
    return lists.map((list) => {
      const { error, data } = reading<ResourceState<unknown>, []>(monitor.store.getState(), list);
      return error?.kind ?? data;
    });
  };
  expect(await states(parts)).toEqual([[], [], []]);
  expect(await states({})).toEqual(['not-available', 'not-available', 'not-available']);
});
