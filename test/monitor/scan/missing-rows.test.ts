import { afterEach, describe, expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import type { CallOptions, ManagementApi, Page, PageRequest } from '../../../src/api/management-api.ts';
import { createTriage } from '../../../src/checks/triage.ts';
import type { Client } from '../../../src/domain/client.ts';
import { reading, watchOf } from '../../../src/monitor/query/part.ts';
import type { MonitorState } from '../../../src/monitor/state.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { nodeStats as nodeStatsPart } from '../../../src/resources/nodes/resource.ts';
import { plugins } from '../../../src/resources/plugins/resource.ts';
import { users } from '../../../src/resources/users/resource.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client, createFakeApi, nodeStats } from '../fake-api.ts';
import { eventsIn } from '../../support/events.ts';

const stopping: (() => void)[] = [];
afterEach(() => {
  for (const stop of stopping.splice(0)) stop();
});

const example = 'client_id: number, topic: string';

/** A page of a list of which some rows were not understood. */
const pageOf =
  (rows: readonly Client[], unusable: number) =>
  async (_: string, { page, pageSize }: PageRequest, { onUnusable }: CallOptions = {}): Promise<Page<Client>> => {
    if (unusable > 0) onUnusable?.({ count: unusable, example });
    return { page, pageSize, items: rows, totalItems: rows.length + unusable, totalPages: 1 };
  };

function setUp(parts: Partial<ManagementApi>, maxRows?: number) {
  const clock = createFakeClock();
  const monitor = createMonitor({
    api: createFakeApi({ listNodeStats: async () => [nodeStats('a')], ...parts }),
    clock,
    intervalSeconds: 2,
    random: () => 0,
    maxRows,
  });
  stopping.push(() => {
    monitor.stop();
  });
  const triage = createTriage();
  const state = (): MonitorState => monitor.store.getState();
  return {
    clock,
    monitor,
    state,
    findings: () =>
      triage
        .update(state(), clock.nowMs())
        .findings.map(({ check, severity, seenMs, code, evidence }) => ({ check, severity, seenMs, code, evidence })),
    log: () => eventsIn(state()).map(({ severity, text }) => `${severity} ${text}`),
  };
}

describe('rows that were not understood', () => {
  test('of a scanned list are counted, found and logged once, with an example', async () => {
    const { clock, monitor, state, findings, log } = setUp({
      listClients: pageOf([client('x', 'a'), client('y', 'a'), client('z', 'a')], 6),
    });
    const release = monitor.watch(clientScan);
    await clock.advance(30_000);
    expect(reading(state(), clientScan).leftOut.get('a')).toMatchObject({ read: 3, unusable: { count: 6, example } });
    expect(findings()).toContainEqual({
      check: 'readings',
      severity: 'warning',
      seenMs: undefined,
      code: 'rows-unusable',
      evidence: { list: 'clientScan', nodes: ['a'], count: 6, read: 3 },
    });
    expect(log()).toEqual([`warning clients of a: 6 of 9 rows invalid, skipped. Example: ${example}`]);
    release();
    const { finishedAtMs } = reading(state(), clientScan);
    await clock.advance(60_000);
    expect(findings()).toContainEqual(expect.objectContaining({ check: 'readings', seenMs: finishedAtMs }));
  });

  test('are cleared once all are understood again', async () => {
    let unusable = 2;
    const { clock, monitor, state, findings } = setUp({
      listClients: (node, page, options) => pageOf([client('x', 'a')], unusable)(node, page, options),
    });
    monitor.watch(clientScan);
    await clock.advance(1_000);
    expect(reading(state(), clientScan).leftOut.size).toBe(1);
    unusable = 0;
    await clock.advance(10_000);
    expect(reading(state(), clientScan)).toMatchObject({ phase: 'complete', leftOut: new Map() });
    expect(findings().filter(({ code }) => code === 'rows-unusable')).toEqual([]);
  });

  test('do not report a row as gone that may be one of them', async () => {
    let [rows, unusable] = [[client('x', 'a'), client('y', 'a')], 0];
    const { clock, monitor, state } = setUp({
      listClients: (node, page, options) => pageOf(rows, unusable)(node, page, options),
    });
    monitor.watch(clientScan);
    await clock.advance(1_000);
    [rows, unusable] = [[client('x', 'a')], 1];
    await clock.advance(2_000);
    expect(reading(state(), clientScan).leftOut.size).toBe(1);
    expect(reading(state(), clientScan).rows.map(({ clientId }) => clientId)).toEqual(['x', 'y']);
  });

  test.each([
    ['users', users, { list: 'users', nodes: [] }],
    ['plugins of a', watchOf(plugins, 'a'), { list: 'nodePlugins', nodes: ['a'] }],
    ['node statistics', nodeStatsPart, { list: 'nodeStats', nodes: [] }],
  ] as const)('%s: found and logged, also where one answer holds all', async (source, watched, where) => {
    const told =
      <T>(rows: readonly T[]) =>
      async ({ onUnusable }: CallOptions = {}): Promise<readonly T[]> => {
        onUnusable?.({ count: 2, example });
        return rows;
      };
    const { clock, monitor, findings, log } = setUp({
      listUsers: told([{ username: 'admin', tags: '' }]),
      listPlugins: (_, options) =>
        told([{ name: 'p', version: undefined, description: undefined, active: true }])(options),
      listNodeStats: told([nodeStats('a')]),
    });
    monitor.watch(watched);
    await clock.advance(30_000);
    expect(findings()).toContainEqual({
      check: 'readings',
      severity: 'warning',
      seenMs: undefined,
      code: 'rows-unusable',
      evidence: { ...where, count: 2, read: undefined },
    });
    expect(log()).toEqual([`warning ${source}: 2 invalid rows, skipped. Example: ${example}`]);
  });
});

const cut = 'only 1,200 of 3,000 rows read (limit: --max-rows)';

test('a partly read list is found and logged, with its share', async () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => client(`c${index}`, 'a'));
  const { clock, monitor, state, findings, log } = setUp({ listClients: pageOf(rows, 0) }, 1_200);
  monitor.watch(clientScan);
  await clock.advance(30_000);
  expect(reading(state(), clientScan).rows).toHaveLength(1_200);
  expect(findings()).toContainEqual({
    check: 'readings',
    severity: 'warning',
    seenMs: undefined,
    code: 'list-cut',
    evidence: { list: 'clientScan', nodes: ['a'], read: 1_200, expected: 3_000, cut: 'rows' },
  });
  expect(log()).toEqual([`warning clients of a: ${cut}`]);
});
