import { expect, test } from 'vitest';
import { NotAvailableError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import type { RetainedMessage, SessionMessage } from '../../src/domain/messages.ts';
import { createMonitor } from '../../src/resources/cluster.ts';
import { maxMessages } from '../../src/resources/messages.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeApi } from '../monitor/fake-api.ts';
import { readRetained } from '../../src/resources/retained/resource.ts';
import { readSessionMessages } from '../../src/resources/sessions/messages.ts';
import { readSlowSubscriptions } from '../../src/resources/slow-subscriptions/resource.ts';
import { readings, watchOf } from '../../src/monitor/query/part.ts';
import { sessionMessages } from '../../src/resources/sessions/messages.ts';
import { retainedContent } from '../../src/resources/retained/resource.ts';

const retained = (topic: string): RetainedMessage => ({
  topic,
  qos: 1,
  publishedAt: 1,
  fromClientId: undefined,
  fromUsername: undefined,
});
const message = (topic: string): SessionMessage => ({
  topic,
  qos: 1,
  publishedAt: 1,
  fromClientId: undefined,
  fromUsername: undefined,
  payload: undefined,
});

const retainedApi = (count: number, asked: number[] = []): ManagementApi =>
  createFakeApi({
    listRetained: async (_, { page, pageSize }) => {
      asked.push(page);
      const items = Array.from(
        { length: Math.max(0, Math.min(pageSize, count - (page - 1) * pageSize)) },
        (_each, at) => retained(`t/${(page - 1) * pageSize + at}`),
      );
      return { page, pageSize, items, totalItems: undefined, totalPages: undefined, hasNext: page * pageSize < count };
    },
  });

const sessionApi = (count: number): ManagementApi =>
  createFakeApi({
    listSessionMessages: async (_, __, from = '0') => {
      const items = Array.from({ length: Math.min(100, count - Number(from)) }, (_each, at) =>
        message(`t/${Number(from) + at}`),
      );
      return { items, next: Number(from) + items.length < count ? String(Number(from) + items.length) : undefined };
    },
  });

test.each([
  [0, 0, false],
  [450, 450, false],
  [maxMessages, maxMessages, false],
  [maxMessages + 1, maxMessages, true],
])('of %i retained messages %i are read', async (count, read, hasMore) => {
  const list = await readRetained(retainedApi(count), {});
  expect([list.items.length, new Set(list.items.map(({ topic }) => topic)).size, list.hasMore]).toEqual([
    read,
    read,
    hasMore,
  ]);
});

test.each([
  [0, 0, false],
  [250, 250, false],
  [maxMessages, maxMessages, false],
  [maxMessages + 1, maxMessages, true],
])('of %i messages of a session %i are read', async (count, read, hasMore) => {
  const list = await readSessionMessages(sessionApi(count), 'c', 'queue', {});
  expect([list.items.length, list.hasMore]).toEqual([read, hasMore]);
});

test('a page that leads to itself ends the reading', async () => {
  const api = createFakeApi({ listSessionMessages: async () => ({ items: [message('t')], next: 'same' }) });
  expect((await readSessionMessages(api, 'c', 'queue', {})).items).toHaveLength(2);
});

test('what the API lacks is not available', async () => {
  const api = createFakeApi({});
  for (const reading of [
    readSlowSubscriptions(api, {}),
    readRetained(api, {}),
    readSessionMessages(api, 'c', 'queue', {}),
  ])
    await expect(reading).rejects.toBeInstanceOf(NotAvailableError);
});

test('only what is watched is read, and is kept by client and kind', async () => {
  const clock = createFakeClock();
  const asked: string[] = [];
  const monitor = createMonitor({
    clock,
    intervalSeconds: 2,
    api: createFakeApi({
      listSessionMessages: async (clientId, which) => {
        asked.push(`${which} ${clientId}`);
        return { items: [message(which)], next: undefined };
      },
      getRetained: async (topic) =>
        topic === 'none' ? undefined : { ...retained(topic), payload: new Uint8Array([1]) },
    }),
  });
  await clock.advance(100);
  const release = monitor.watch(watchOf(sessionMessages, 'c', 'queue'));
  monitor.watch(watchOf(sessionMessages, 'c', 'inflight'));
  monitor.watch(watchOf(retainedContent, 'none'));
  monitor.watch(watchOf(retainedContent, 'a'));
  await clock.advance(100);
  const state = monitor.store.getState();
  expect(readings(state, sessionMessages).get(sessionMessages.textOf('c', 'queue'))?.data?.items).toEqual([
    message('queue'),
  ]);
  expect(readings(state, sessionMessages).get(sessionMessages.textOf('c', 'inflight'))?.data?.items).toEqual([
    message('inflight'),
  ]);
  expect([
    readings(state, retainedContent).get('none')?.data,
    readings(state, retainedContent).get('a')?.data,
  ]).toMatchObject(['none', { topic: 'a' }]);
  expect(asked.toSorted()).toEqual(['inflight c', 'queue c']);
  release();
  await clock.advance(60_000);
  expect(asked.filter((each) => each === 'queue c')).toHaveLength(1);
  expect(asked.filter((each) => each === 'inflight c').length).toBeGreaterThan(1);
  monitor.stop();
});
