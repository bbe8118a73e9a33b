import { expect, test } from 'vitest';
import type { Page, PageRequest } from '../../../src/api/management-api.ts';
import type { Client } from '../../../src/domain/client.ts';
import { scanLimits, type ScanLimits } from '../../../src/monitor/scan/missing-rows.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client, createFakeApi } from '../fake-api.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { createScanTask } from '../../../src/monitor/scan/scan.ts';

type Lister = (node: string, page: PageRequest, request: number) => Page<Client>;

/** A page takes 2 ms, as from a broker that answers at once. */
function setUp(nodes: readonly string[], list: Lister, limits: Partial<ScanLimits> = {}) {
  const clock = createFakeClock();
  let requests = 0;
  let state: ScanState<Client> | undefined;
  const api = createFakeApi({
    listClients: async (node, page) => {
      await new Promise<void>((resolve) => {
        clock.setTimer(2, resolve);
      });
      requests += 1;
      return list(node, page, requests);
    },
  });
  const scan = createScanTask({
    api,
    clock,
    scan: clientScan,
    limits: { ...scanLimits, ...limits },
    random: () => 1,
    schedule: (request) => request(),
    intervalMs: () => 2_000,
    listNodes: async () => nodes.map((name) => ({ name, expected: undefined })),
    onState: (next) => {
      state = next;
    },
    onError: () => {},
  });
  scan.start();
  return {
    clock,
    scan,
    requests: () => requests,
    state: (): ScanState<Client> => {
      if (state === undefined) throw new Error('no state was given out');
      return state;
    },
  };
}

const named = (node: string, first: number, count: number): Client[] =>
  Array.from({ length: count }, (_, index) => client(`${node}-${first + index}`, node));

/** A page of a list of that many rows. */
const pageOf = (node: string, count: number, { page, pageSize }: PageRequest): Page<Client> => ({
  page,
  pageSize,
  totalItems: count,
  totalPages: Math.ceil(count / pageSize),
  items: named(node, (page - 1) * pageSize, Math.max(0, Math.min(pageSize, count - (page - 1) * pageSize))),
});

/** There is always one page more, with new rows. */
const endless: Lister = (node, { page, pageSize }, request) => ({
  page,
  pageSize,
  totalItems: page * pageSize + 1,
  totalPages: page + 1,
  items: named(node, request * pageSize, pageSize),
});

const afterFirstScan = async ({ clock, state }: ReturnType<typeof setUp>, ms: number): Promise<ScanState<Client>> => {
  await clock.advance(ms);
  expect(state().phase).not.toBe('running');
  return state();
};

test('a list that grows by more than half during the scan is abandoned; its rows stay', async () => {
  const rig = setUp(['a', 'b'], (node, page, request) =>
    node === 'a' ? endless(node, page, request) : pageOf(node, 3, page),
  );
  const state = await afterFirstScan(rig, 200);
  expect(state.phase).toBe('partial');
  expect(state.coverage.get('a')).toMatchObject({ cut: 'growth', isComplete: false, read: 15_000 });
  expect(state.coverage.get('b')).toMatchObject({ isComplete: true, read: 3 });
  expect(state.rows).toHaveLength(15_003);
  expect([...state.leftOut.keys()]).toEqual(['a']);
  rig.scan.stop();
});

test('a list that grows a little during the scan is read to its end', async () => {
  const rig = setUp(['a'], (node, page) => pageOf(node, 10_000 + 2_000 * page.page, page));
  const state = await afterFirstScan(rig, 200);
  expect(state.coverage.get('a')).toMatchObject({ isComplete: true, read: 18_000 });
  expect(state).toMatchObject({ phase: 'complete', leftOut: new Map() });
  rig.scan.stop();
});

test('the row limit applies to all nodes together, over many scans', async () => {
  const rig = setUp(
    ['a', 'b', 'c'],
    (node, page, request) => ({
      ...pageOf(node, 6_000, page),
      items: named(node, request * 10_000, page.page === 1 ? 5_000 : 1_000),
    }),
    { maxRows: 7_000 },
  );
  const first = await afterFirstScan(rig, 200);
  expect(first.rows).toHaveLength(7_000);
  expect([...first.coverage.values()].map(({ read, isComplete, cut }) => [read, isComplete, cut])).toEqual([
    [6_000, true, undefined],
    [1_000, false, 'rows'],
    [0, false, 'rows'],
  ]);
  expect(rig.requests()).toBe(3);
  for (let scans = 0; scans < 5; scans += 1) {
    await rig.clock.advance(2_200);
    expect(rig.state().rows.length).toBeLessThanOrEqual(2 * 7_000);
  }
  await rig.clock.advance(200);
  expect(rig.state().phase).toBe('partial');
  expect(rig.state().rows).toHaveLength(7_000);
  // What is beyond the bound is not known to be gone.
  expect(rig.state().gone.every(({ node }) => node === 'a')).toBe(true);
  rig.scan.stop();
});

test('a list of exactly max rows is complete', async () => {
  const rig = setUp(['a'], (node, page) => pageOf(node, 7_000, page), { maxRows: 7_000 });
  expect(await afterFirstScan(rig, 200)).toMatchObject({ phase: 'complete', leftOut: new Map() });
  rig.scan.stop();
});

test('a scan stops at the text limit', async () => {
  const rig = setUp(
    ['a'],
    (node, page) => {
      const answer = pageOf(node, 20_000, page);
      return { ...answer, items: answer.items.map((row) => ({ ...row, username: 'u'.repeat(100) })) };
    },
    { maxTextLength: 1_000_000 },
  );
  const state = await afterFirstScan(rig, 200);
  expect(state.coverage.get('a')).toMatchObject({ cut: 'text', isComplete: false });
  expect(state.rows.length).toBeGreaterThan(5_000);
  expect(state.rows.length).toBeLessThan(10_000);
  rig.scan.stop();
});

test('a scan stops at the time limit', async () => {
  const rig = setUp(['a', 'b'], (node, page) => pageOf(node, 1_000_000, page), { maxMs: 30 });
  const state = await afterFirstScan(rig, 500);
  expect([...state.coverage.values()].map(({ cut }) => cut)).toEqual(['time', 'time']);
  expect(state.rows.length).toBeGreaterThan(5_000);
  rig.scan.stop();
});

const lyingTotal = 10 ** 15;

test.each([
  ['on one node', ['a']],
  ['that another node has as well', ['a', 'b']],
])(
  'pages that bring nothing new end the reading, which is tried again ever more rarely: the same rows on every page, %s',
  async (_, nodes) => {
    const same = named('x', 0, 200);
    const rig = setUp(nodes, (node, { page, pageSize }) => ({
      page,
      pageSize,
      totalItems: lyingTotal,
      totalPages: lyingTotal / pageSize,
      items: same.map((row) => ({ ...row, node })),
    }));
    await rig.clock.advance(60_000);
    // Six scans at 2, 4, 8, 16 and 30 s, of three pages each.
    expect(rig.requests()).toBeLessThanOrEqual(3 * nodes.length * 6);
    expect(rig.state().leftOut.get('a')).toMatchObject({
      cut: 'repeats',
      read: 200,
      expected: lyingTotal,
      isComplete: false,
    });
    expect(rig.state().phase).not.toBe('complete');
    expect(rig.state().rows).toHaveLength(200);
    rig.scan.stop();
  },
);

test('pages with few new rows are requested at most a few times a second', async () => {
  const rig = setUp(['a'], (node, { page, pageSize }) => ({
    page,
    pageSize,
    totalItems: lyingTotal,
    totalPages: lyingTotal,
    items: named(node, page, 1),
  }));
  await rig.clock.advance(60_000);
  expect(rig.requests()).toBeLessThanOrEqual(60 * 5);
  rig.scan.stop();
});
