import { expect, test } from 'vitest';
import { scanLimits } from '../../../src/monitor/scan/missing-rows.ts';
import { beginTiming, readNode } from '../../../src/monitor/scan/scan-node.ts';
import { createRowTable } from '../../../src/monitor/scan/scan-rows.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client } from '../fake-api.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';

test('merges a page in slices of 4 ms, during the pause after it', async () => {
  const rowMs = 0.01;
  const pageMs = 100;
  const fake = createFakeClock();
  let busyMs = 0;
  let turns = 0;
  const clock = {
    ...fake,
    monotonicMs: () => fake.monotonicMs() + busyMs,
    setTimer: (delayMs: number, fire: () => void) => {
      if (delayMs === 0) turns += 1;
      return fake.setTimer(delayMs, fire);
    },
  };
  const table = createRowTable({
    ...clientScan,
    identity: (row) => {
      busyMs += rowMs;
      return row.clientId;
    },
  });
  const rows = Array.from({ length: 6_000 }, (_, index) => client(`c-${index}`, 'a'));
  const askedAtMs: number[] = [];
  table.begin(['a']);
  const reading = readNode(
    {
      clock,
      table,
      signal: new AbortController().signal,
      sizes: new Map(),
      limits: scanLimits,
      list: async (_, { page, pageSize }) => {
        askedAtMs.push(clock.monotonicMs());
        await new Promise<void>((resolve) => {
          fake.setTimer(pageMs, resolve);
        });
        return {
          page,
          pageSize,
          items: rows.slice((page - 1) * pageSize, page * pageSize),
          totalItems: rows.length,
          totalPages: 2,
        };
      },
      onRequest: () => {},
      onProgress: () => {},
    },
    { name: 'a', expected: undefined },
    beginTiming(0),
  );
  await fake.advance(1_000);
  await reading;
  expect(table.rows()).toHaveLength(6_000);
  // 7 portions of 64 rows take more than 4 ms: 11 turns for 5,000 rows, 2 for 1,000.
  expect(turns).toBe(13);
  const [first = 0, second = 0] = askedAtMs;
  expect(second - first).toBeCloseTo(2 * pageMs);
});
