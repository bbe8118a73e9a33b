import { expect, test } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { definePart, reading, withReading } from '../../src/monitor/query/part.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeApi, nodeStats as statsOf } from './fake-api.ts';

const seen = definePart<{ readonly nodes: number | undefined; readonly atMs: number }>('seen', {
  nodes: undefined,
  atMs: 0,
});

test('what follows from a reading is published with it, and what follows from the time every three seconds', async () => {
  const clock = createFakeClock();
  const monitor = createMonitor({
    api: createFakeApi({ listNodeStats: () => Promise.resolve([statsOf('a'), statsOf('b')]) }),
    clock,
    intervalSeconds: 20,
    derive: (state) => ({
      ...state,
      ...withReading(state, seen, { nodes: reading(state, nodeStats).data?.length, atMs: clock.nowMs() }),
    }),
  });
  const published: (readonly [number | undefined, number | undefined])[] = [];
  monitor.store.subscribe((state) => {
    published.push([reading(state, nodeStats).data?.length, reading(state, seen).nodes]);
  });
  const startMs = clock.nowMs();
  monitor.watch(nodeStats);
  await clock.advance(500);
  expect(published.at(-1)).toEqual([2, 2]);
  expect(published.every(([read, derived]) => read === derived)).toBe(true);
  await clock.advance(9_000);
  const times = reading(monitor.store.getState(), seen);
  expect(times.atMs).toBeGreaterThan(startMs + 6_000);
  monitor.stop();
  await clock.settle();
  const count = published.length;
  await clock.advance(10_000);
  expect(published).toHaveLength(count);
  expect(clock.pendingTimers()).toBe(0);
});
