import { describe, expect, test } from 'vitest';
import {
  type ApiError,
  HttpStatusError,
  NoAnswerError,
  RateLimitedError,
  TimeoutError,
  TooLargeError,
  UnauthorizedError,
  UnreachableError,
} from '../../../src/api/errors.ts';
import type { Page, PageRequest } from '../../../src/api/management-api.ts';
import type { Client } from '../../../src/domain/client.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client, createFakeApi } from '../fake-api.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { createScanTask } from '../../../src/monitor/scan/scan.ts';

type Lister = (node: string, page: PageRequest) => Page<Client> | ApiError;

/** One page of a list as a broker gives it. */
function pageOf(rows: readonly Client[], { page, pageSize }: PageRequest): Page<Client> {
  return {
    page,
    pageSize,
    items: rows.slice((page - 1) * pageSize, page * pageSize),
    totalItems: rows.length,
    totalPages: Math.ceil(rows.length / pageSize),
  };
}

interface ScanSetUp {
  readonly pageMs?: number;
  readonly intervalMs?: number;
  /** How long a page of the node takes; by default `pageMs`. */
  readonly waitMs?: (node: string) => number;
  readonly random?: () => number;
}

function setUp(
  nodes: readonly string[],
  list: Lister,
  { pageMs = 10, intervalMs = 2_000, waitMs = (): number => pageMs, random = (): number => 0 }: ScanSetUp = {},
) {
  const clock = createFakeClock();
  const states: ScanState<Client>[] = [];
  const asked: string[] = [];
  const askedAtMs: number[] = [];
  const errors: [string | undefined, ApiError][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  let known: readonly string[] | ApiError = nodes;
  const api = createFakeApi({
    listClients: async (node, page) => {
      asked.push(`${node} ${page.page}/${page.pageSize}`);
      askedAtMs.push(clock.monotonicMs());
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await new Promise<void>((resolve) => {
        clock.setTimer(waitMs(node), resolve);
      });
      inFlight -= 1;
      const answer = list(node, page);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const scan = createScanTask({
    api,
    clock,
    scan: clientScan,
    random,
    schedule: (request) => request(),
    intervalMs: () => intervalMs,
    listNodes: () =>
      Array.isArray(known)
        ? Promise.resolve(known.map((name: string) => ({ name, expected: undefined })))
        : Promise.reject(known),
    onState: (state) => states.push(state),
    onError: (error, node) => errors.push([node, error]),
  });
  const state = (): ScanState<Client> => {
    const last = states.at(-1);
    if (last === undefined) throw new Error('no state was given out');
    return last;
  };
  const ids = (): string[] => state().rows.map((row) => row.clientId);
  return {
    clock,
    scan,
    states,
    state,
    ids,
    asked,
    askedAtMs,
    errors,
    mostInFlight: () => mostInFlight,
    setNodes: (next: readonly string[] | ApiError) => {
      known = next;
    },
  };
}

const many = (node: string, count: number, prefix = node): Client[] =>
  Array.from({ length: count }, (_, index) => client(`${prefix}-${index}`, node));

describe('a scan', () => {
  test('reads node after node, one request at a time, and publishes the first rows at once', async () => {
    const lists = new Map([
      ['a', many('a', 12_000)],
      ['b', many('b', 3)],
    ]);
    const rig = setUp(['a', 'b'], (node, page) => pageOf(lists.get(node) ?? [], page));
    rig.scan.start();
    await rig.clock.advance(10);
    expect(rig.state()).toMatchObject({ phase: 'running', nextScanAtMs: undefined });
    expect(rig.state().rows).toHaveLength(5_000);
    expect(rig.state().coverage.get('a')).toEqual({
      read: 5_000,
      expected: 12_000,
      isComplete: false,
      error: undefined,
    });
    await rig.clock.advance(1_000);
    expect(rig.asked).toEqual(['a 1/5000', 'a 2/5000', 'a 3/5000', 'b 1/5000']);
    expect(rig.mostInFlight()).toBe(1);
    expect(rig.state()).toMatchObject({ phase: 'complete', requests: 4 });
    expect(rig.state().rows).toHaveLength(12_003);
    expect(rig.state().added.size).toBe(0);
    rig.scan.stop();
    expect(rig.clock.pendingTimers()).toBe(0);
  });

  test('pauses for as long as the last page took', async () => {
    const rig = setUp(['a', 'b'], (node, page) => pageOf(many(node, 6_000), page), { pageMs: 100 });
    rig.scan.start();
    await rig.clock.advance(1_000);
    const [first = 0] = rig.askedAtMs;
    expect(rig.askedAtMs.slice(0, 4).map((atMs) => atMs - first)).toEqual([0, 200, 400, 600]);
    rig.scan.stop();
  });

  test('restarts after the interval, or ten times the duration', async () => {
    const quick = setUp(['a'], (_, page) => pageOf(many('a', 3), page));
    quick.scan.start();
    await quick.clock.advance(10 + 1_999);
    expect(quick.asked).toHaveLength(1);
    await quick.clock.advance(1);
    expect(quick.asked).toHaveLength(2);
    quick.scan.stop();

    const slow = setUp(['a'], (_, page) => pageOf(many('a', 3), page), { pageMs: 1_000 });
    slow.scan.start();
    await slow.clock.advance(1_000 + 9_999);
    expect(slow.asked).toHaveLength(1);
    expect(slow.state().nextScanAtMs).toBe(slow.clock.nowMs() + 1);
    await slow.clock.advance(1);
    expect(slow.asked).toHaveLength(2);
    slow.scan.stop();
  });

  test('restarts soon after the first one, however long that took', async () => {
    const slow = setUp(['a'], (_, page) => pageOf(many('a', 3), page), { pageMs: 4_000 });
    slow.scan.start();
    await slow.clock.advance(4_000 + 11_999);
    expect(slow.asked).toHaveLength(1);
    await slow.clock.advance(1);
    expect(slow.asked).toHaveLength(2);
    await slow.clock.advance(4_000 + 39_999);
    expect(slow.asked).toHaveLength(2);
    await slow.clock.advance(1);
    expect(slow.asked).toHaveLength(3);
    slow.scan.stop();
  });

  test('reports added and gone rows, the latter for one interval', async () => {
    let rows = [client('x', 'a'), client('y', 'a')];
    const rig = setUp(['a'], (_, page) => pageOf(rows, page), { pageMs: 1_000 });
    rig.scan.start();
    await rig.clock.advance(1_000);
    const kept = rig.state().rows[1];
    rows = [client('y', 'a'), client('z', 'a')];
    await rig.clock.advance(11_000);
    expect(rig.ids()).toEqual(['y', 'z']);
    expect(rig.state().rows[0]).toBe(kept);
    expect([...rig.state().added]).toEqual(['z']);
    expect(rig.state().gone.map((row) => row.clientId)).toEqual(['x']);
    await rig.clock.advance(2_250);
    expect(rig.state().gone).toEqual([]);
    rig.scan.stop();
  });

  test('publishes the same rows when nothing changed', async () => {
    const rig = setUp(['a'], (_, page) => pageOf(many('a', 50), page));
    rig.scan.start();
    await rig.clock.advance(10);
    const before = rig.state();
    await rig.clock.advance(2_010);
    expect(rig.state().finishedAtMs).not.toBe(before.finishedAtMs);
    expect(rig.state().rows).toBe(before.rows);
    expect(rig.state().gone).toBe(before.gone);
    expect(rig.state().added).toBe(before.added);
    rig.scan.stop();
  });

  test.each([
    ['later on the second node', 10, 20, 'b'],
    ['later on the first node', 20, 10, 'a'],
    ['at the same moment', 10, 10, 'a'],
  ])('shows a client of two nodes once: %s', async (_, onA, onB, expected) => {
    const rig = setUp(['a', 'b'], (node, page) => pageOf([client('twin', node, node === 'a' ? onA : onB)], page));
    rig.scan.start();
    await rig.clock.advance(5_000);
    expect(rig.state().rows.map((row) => row.node)).toEqual([expected]);
    expect(rig.state().added.size).toBe(0);
    expect(rig.states.flatMap((state) => state.gone)).toEqual([]);
    rig.scan.stop();
  });

  test('follows a client that moves to a node that was read earlier', async () => {
    let onA: Client[] = [];
    let onB = [client('m', 'b', 20)];
    const rig = setUp(['a', 'b'], (node, page) => pageOf(node === 'a' ? onA : onB, page));
    rig.scan.start();
    await rig.clock.advance(30);
    expect(rig.state().rows.map((row) => row.node)).toEqual(['b']);
    // Its clock on the other node may lie behind: once the old node no longer has it, that does not count.
    onA = [client('m', 'a', 5)];
    onB = [];
    await rig.clock.advance(2_100);
    expect(rig.state().rows.map((row) => [row.clientId, row.node])).toEqual([['m', 'a']]);
    expect(rig.state().gone).toEqual([]);
    expect(rig.state().added.size).toBe(0);
    rig.scan.stop();
  });

  test('counts repeated rows of shifted pages once, and accepts more rows than requested', async () => {
    const rows = many('a', 6_000);
    const rig = setUp(['a'], (_, { page, pageSize }) => ({
      page,
      pageSize,
      totalItems: 6_000,
      totalPages: 2,
      items: page === 1 ? rows.slice(0, 5_200) : rows.slice(4_900),
    }));
    rig.scan.start();
    await rig.clock.advance(100);
    expect(rig.state().coverage.get('a')).toMatchObject({ read: 6_000, expected: 6_000, isComplete: true });
    expect(new Set(rig.ids()).size).toBe(rig.ids().length);
    rig.scan.stop();
  });

  test('has the time at which each list was complete, also during the next scan', async () => {
    const rig = setUp(['a', 'b'], (node, page) => pageOf(many(node, 6_000), page));
    rig.scan.start();
    await rig.clock.advance(100);
    const first = rig.state().coverage.get('a')?.readAtMs ?? Number.NaN;
    expect(rig.state().coverage.get('b')?.readAtMs).toBeGreaterThanOrEqual(first);
    await rig.clock.advance(2_500);
    expect(rig.state().coverage.get('a')?.readAtMs).toBeGreaterThanOrEqual(first + 2_000);
    rig.scan.stop();
  });

  test('does not report a row as gone after one gap', async () => {
    const rows = many('a', 6_000);
    let missing: ReadonlySet<string> = new Set();
    const rig = setUp(['a'], (_, page) => {
      const answer = pageOf(rows, page);
      return { ...answer, items: answer.items.filter((row) => !missing.has(row.clientId)) };
    });
    rig.scan.start();
    await rig.clock.advance(100);
    missing = new Set(['a-5000']);
    await rig.clock.advance(2_100);
    expect(rig.state().coverage.get('a')).toMatchObject({ read: 5_999, expected: 6_000, isComplete: true });
    expect(rig.ids()).toContain('a-5000');
    await rig.clock.advance(2_100);
    expect(rig.ids()).not.toContain('a-5000');
    expect(rig.state().gone.map((row) => row.clientId)).toEqual(['a-5000']);
    rig.scan.stop();
  });

  test('repeats a page that failed once, and nothing is missing', async () => {
    let failures = 0;
    const rig = setUp(['a', 'b'], (node, page) => {
      if (node !== 'b' || failures > 0) return pageOf(many(node, 2), page);
      failures += 1;
      return new HttpStatusError(503);
    });
    rig.scan.start();
    await rig.clock.advance(1_100);
    expect(failures).toBe(1);
    expect(rig.state()).toMatchObject({ phase: 'complete' });
    expect(rig.ids()).toEqual(['a-0', 'a-1', 'b-0', 'b-1']);
    rig.scan.stop();
  });

  test('continues after a dead node, whose old rows stay', async () => {
    let isDead = false;
    const rig = setUp(['a', 'b', 'c'], (node, page) =>
      node === 'b' && isDead ? new NoAnswerError() : pageOf(many(node, 2), page),
    );
    rig.scan.start();
    await rig.clock.advance(100);
    isDead = true;
    await rig.clock.advance(4_900);
    expect(rig.state()).toMatchObject({ phase: 'partial' });
    expect(rig.ids()).toEqual(['a-0', 'a-1', 'b-0', 'b-1', 'c-0', 'c-1']);
    expect(rig.state().coverage.get('b')?.error).toBeInstanceOf(NoAnswerError);
    expect(rig.state().coverage.get('c')).toMatchObject({ isComplete: true, error: undefined });
    rig.scan.stop();
  });

  test.each([
    ['soon when it is known that the broker can be reached again', new UnreachableError('ECONNREFUSED'), 1],
    ['soon when it is known that the broker answers again', new TimeoutError(5_000), 1],
    ['not before the time that the broker asked for', new RateLimitedError(20), 0],
  ] as const)('is tried again %s', async (_, error, more) => {
    let isDown = true;
    // The longest back-off.
    const { clock, scan, asked } = setUp(['n1'], (node, page) => (isDown ? error : pageOf(many(node, 3), page)), {
      random: () => 1,
    });
    scan.start();
    await clock.advance(120_000);
    // Right after one that failed, and the interval.
    for (const count = asked.length; asked.length === count;) await clock.advance(10);
    await clock.advance(3_100);
    isDown = false;
    const before = asked.length;
    scan.retryConnection();
    await clock.advance(10);
    expect(asked.length - before).toBe(more);
    await clock.advance(31_000);
    expect(asked.length).toBeGreaterThan(before);
  });

  test('does not rest because of the time in which the API was away, and reads at once what it missed', async () => {
    let isAway = false;
    const { clock, scan, state, askedAtMs } = setUp(
      ['a', 'b', 'c'],
      (node, page) => (isAway && node === 'a' ? new TimeoutError(15_000) : pageOf(many(node, 2), page)),
      { waitMs: () => (isAway ? 15_000 : 10), random: () => 1 },
    );
    scan.start();
    await clock.advance(1_000);
    isAway = true;
    // A page times out, with the pause after it, and the next one is answered at last.
    await clock.advance(2_000 + 15_000 + 15_000 + 14_000);
    isAway = false;
    scan.retryConnection();
    await clock.advance(1_500);
    const backMs = clock.monotonicMs();
    await clock.advance(2_000);
    expect(state().phase).toBe('complete');
    expect([...state().coverage.values()].every(({ readAtMs = 0 }) => readAtMs > backMs - 2_000)).toBe(true);
    const asked = askedAtMs.length;
    await clock.advance(12_000);
    expect(askedAtMs.length).toBeGreaterThan(asked);
    scan.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('is not kept from reading by a rest that the time without the API has made long', async () => {
    let isAway = true;
    const { clock, scan, asked } = setUp(['a'], (node, page) => pageOf(many(node, 2), page), {
      waitMs: () => (isAway ? 4_000 : 10),
    });
    scan.start();
    await clock.advance(4_000 + 12_000);
    // The second scan rests for forty seconds.
    await clock.advance(4_000 + 5_000);
    expect(asked).toHaveLength(2);
    isAway = false;
    scan.retryConnection();
    await clock.advance(100);
    expect(asked).toHaveLength(3);
    scan.stop();
  });

  test('says of a node that was last read more than two intervals ago that there is a gap', async () => {
    let isAway = false;
    const { clock, scan, state } = setUp(['a', 'b'], (node, page) =>
      isAway && node === 'a' ? new TimeoutError(5_000) : pageOf(many(node, 2), page),
    );
    const gaps = () => [...state().coverage].flatMap(([node, { isAfterGap }]) => (isAfterGap === true ? [node] : []));
    scan.start();
    await clock.advance(20_000);
    expect(gaps()).toEqual([]);
    isAway = true;
    await clock.advance(20_000);
    expect(gaps()).toEqual([]);
    isAway = false;
    while (state().phase !== 'complete') await clock.advance(10);
    expect(gaps()).toEqual(['a']);
    await clock.advance(3_000);
    expect(gaps()).toEqual([]);
    scan.stop();
  });

  test('is retried after a failure like any poller', async () => {
    const { clock, scan, states } = setUp(['a'], () => new TimeoutError(5_000), { pageMs: 40_000 });
    scan.start();
    await clock.advance(200_000);
    const rests = states.flatMap(({ nextScanAtMs, finishedAtMs }) =>
      nextScanAtMs === undefined || finishedAtMs === undefined ? [] : [nextScanAtMs - finishedAtMs],
    );
    expect(rests.length).toBeGreaterThan(0);
    expect(Math.max(...rests)).toBeLessThanOrEqual(30_000);
  });

  test('does not count unanswered requests as load, and retries sooner', async () => {
    const hung = new Set<string>();
    const rig = setUp(
      ['a', 'b', 'c'],
      (node, page) => (hung.has(node) ? new TimeoutError(5_000) : pageOf(many(node, 2), page)),
      { waitMs: (node) => (hung.has(node) ? 5_000 : 10) },
    );
    rig.scan.start();
    await rig.clock.advance(1_000);
    hung.add('a');
    // A request and the pause after it.
    await rig.clock.advance(11_500);
    expect(rig.state()).toMatchObject({ phase: 'partial' });
    const restMs = (rig.state().nextScanAtMs ?? 0) - (rig.state().finishedAtMs ?? 0);
    expect(restMs).toBeGreaterThanOrEqual(1_000);
    expect(restMs).toBeLessThanOrEqual(2_000);
    hung.clear();
    await rig.clock.advance(restMs + 500);
    expect(rig.state()).toMatchObject({ phase: 'complete' });
    rig.scan.stop();
  });

  test('retries a hanging node less and less often, and pauses for the load of the others', async () => {
    const withHungNode = (pageMs: number) =>
      setUp(['a', 'b'], (node, page) => (node === 'a' ? new TimeoutError(5_000) : pageOf(many(node, 2), page)), {
        waitMs: (node) => (node === 'a' ? 5_000 : pageMs),
        random: () => 1,
      });
    const light = withHungNode(10);
    light.scan.start();
    await light.clock.advance(200_000);
    const rests = [
      ...new Set(
        light.states.flatMap(({ nextScanAtMs, finishedAtMs }) =>
          nextScanAtMs === undefined || finishedAtMs === undefined ? [] : [nextScanAtMs - finishedAtMs],
        ),
      ),
    ];
    expect(rests).toEqual([2_000, 4_000, 8_000, 16_000, 30_000]);
    light.scan.stop();
    const heavy = withHungNode(900);
    heavy.scan.start();
    await heavy.clock.advance(12_000);
    expect((heavy.state().nextScanAtMs ?? 0) - (heavy.state().finishedAtMs ?? 0)).toBe(9_000);
    heavy.scan.stop();
  });

  test('drops the rows of a node that is no longer listed', async () => {
    const rig = setUp(['a', 'b'], (node, page) => pageOf(many(node, 1), page));
    rig.scan.start();
    await rig.clock.advance(100);
    rig.setNodes(['a']);
    await rig.clock.advance(2_100);
    expect(rig.ids()).toEqual(['a-0']);
    expect(rig.state().gone.map((row) => row.clientId)).toEqual(['b-0']);
    rig.scan.stop();
  });

  test('requests smaller pages after a timeout, continuing at the same row', async () => {
    const rows = many('a', 11_000);
    const rig = setUp(['a'], (_, page) =>
      page.page === 2 && page.pageSize === 5_000 ? new TimeoutError(5_000) : pageOf(rows, page),
    );
    rig.scan.start();
    await rig.clock.advance(1_000);
    expect(rig.asked.slice(0, 8)).toEqual([
      'a 1/5000',
      'a 2/5000',
      'a 6/1000',
      'a 7/1000',
      'a 8/1000',
      'a 9/1000',
      'a 10/1000',
      'a 11/1000',
    ]);
    expect(rig.state()).toMatchObject({ phase: 'complete', requests: 8 });
    expect(rig.state().rows).toHaveLength(11_000);
    rig.scan.stop();
  });

  test('requests smaller pages after one that is too large, also before the length is known', async () => {
    const rows = many('a', 1_500);
    const rig = setUp(['a'], (_, page) =>
      page.pageSize > 1_000 ? new TooLargeError('over 8 MB') : pageOf(rows, page),
    );
    rig.scan.start();
    await rig.clock.advance(1_000);
    expect(rig.asked.slice(0, 3)).toEqual(['a 1/5000', 'a 1/1000', 'a 2/1000']);
    expect(rig.state().rows).toHaveLength(1_500);
    rig.scan.stop();
  });

  test("adopts the broker's page size", async () => {
    const rows = many('a', 250);
    const rig = setUp(['a'], (_, { page }) => pageOf(rows, { page, pageSize: 100 }));
    rig.scan.start();
    await rig.clock.advance(1_000);
    expect(rig.state().rows).toHaveLength(250);
    expect(rig.asked).toEqual(['a 1/5000', 'a 2/100', 'a 3/100']);
    rig.scan.stop();
  });

  test('ends on a broker that repeats one page forever', async () => {
    const rig = setUp(['a'], (_, { page, pageSize }) => ({
      page,
      pageSize,
      items: many('a', 2),
      totalItems: undefined,
      totalPages: 1_000_000,
    }));
    rig.scan.start();
    await rig.clock.advance(1_000);
    expect(rig.asked).toHaveLength(3);
    expect(rig.state()).toMatchObject({ phase: 'partial' });
    expect(rig.state().rows).toHaveLength(2);
    rig.scan.stop();
  });

  test('can be stopped; its rows stay and late ones are dropped', async () => {
    const rig = setUp(['a'], (_, page) => pageOf(many('a', 20_000), page), { pageMs: 100 });
    rig.scan.start();
    await rig.clock.advance(150);
    expect(rig.scan.abort()).toBe(true);
    expect(rig.scan.abort()).toBe(false);
    expect(rig.state()).toMatchObject({ phase: 'aborted' });
    expect(rig.state().rows).toHaveLength(5_000);
    await rig.clock.advance(59_000);
    expect(rig.asked).toHaveLength(1);
    rig.scan.refresh();
    await rig.clock.advance(100);
    expect(rig.asked).toHaveLength(2);
    rig.scan.stop();
    await rig.clock.advance(100_000);
    expect(rig.asked).toHaveLength(2);
    expect(rig.clock.pendingTimers()).toBe(0);
  });

  test('is followed by one more scan after a change during the scan', async () => {
    const rig = setUp(['a'], (_, page) => pageOf(many('a', 3), page), { pageMs: 100, intervalMs: 60_000 });
    rig.scan.start();
    await rig.clock.advance(50);
    rig.scan.refreshAfterChange();
    rig.scan.refreshAfterChange();
    expect(rig.asked).toHaveLength(1);
    await rig.clock.advance(60);
    expect(rig.asked).toHaveLength(2);
    expect(rig.states.some(({ phase }) => phase === 'complete')).toBe(true);
    await rig.clock.advance(10_000);
    expect(rig.asked).toHaveLength(2);
    rig.scan.stop();
  });

  test('is not repeated at once when it took long, was stopped, or must wait', async () => {
    const long = setUp(['a'], (_, page) => pageOf(many('a', 3), page), { pageMs: 1_200 });
    long.scan.start();
    await long.clock.advance(600);
    long.scan.refreshAfterChange();
    await long.clock.advance(12_000);
    expect(long.asked).toHaveLength(1);
    await long.clock.advance(1_000);
    expect(long.asked).toHaveLength(2);
    long.scan.stop();

    const aborted = setUp(['a'], (_, page) => pageOf(many('a', 3), page), { pageMs: 100 });
    aborted.scan.start();
    await aborted.clock.advance(50);
    aborted.scan.refreshAfterChange();
    aborted.scan.abort();
    await aborted.clock.advance(59_000);
    expect(aborted.asked).toHaveLength(1);
    aborted.scan.stop();

    const limited = setUp(['a'], () => new RateLimitedError(5), { pageMs: 100 });
    limited.scan.start();
    await limited.clock.advance(50);
    limited.scan.refreshAfterChange();
    await limited.clock.advance(4_900);
    expect(limited.asked).toHaveLength(1);
    limited.scan.stop();
  });

  test('does not restore a row dropped while its page was in flight, until it is listed again', async () => {
    const rows = [client('x', 'a'), client('y', 'a')];
    const rig = setUp(['a', 'b'], (node, page) => pageOf(node === 'a' ? rows : [], page), { pageMs: 100 });
    rig.scan.start();
    await rig.clock.advance(50);
    rig.scan.drop('y');
    await rig.clock.advance(100);
    expect(rig.ids()).toEqual(['x']);
    expect(rig.state().coverage.get('a')).toMatchObject({ read: 2, isComplete: true });
    await rig.clock.advance(2_900);
    expect(rig.ids()).toEqual(['x']);
    rig.scan.refresh();
    await rig.clock.advance(50);
    rig.scan.drop('x');
    expect(rig.ids()).toEqual([]);
    await rig.clock.advance(600);
    expect(rig.ids()).toEqual(['y']);
    await rig.clock.advance(4_000);
    expect(rig.ids().toSorted()).toEqual(['x', 'y']);
    rig.scan.stop();
  });

  test('ends on a 401 and a 429, and waits for the Retry-After', async () => {
    const refused = setUp(['a', 'b'], () => new UnauthorizedError());
    refused.scan.start();
    await refused.clock.advance(500);
    expect(refused.asked).toEqual(['a 1/5000']);
    expect(refused.errors[0]?.[1]).toBeInstanceOf(UnauthorizedError);
    refused.scan.stop();

    const limited = setUp(['a', 'b'], () => new RateLimitedError(60));
    limited.scan.start();
    await limited.clock.advance(59_000);
    limited.scan.refresh();
    expect(limited.asked).toEqual(['a 1/5000']);
    await limited.clock.advance(1_010);
    expect(limited.asked).toHaveLength(2);
    limited.scan.stop();
  });

  test('reports why it cannot start, backs off, and recovers', async () => {
    const rig = setUp([], (node, page) => pageOf(many(node, 1), page), { intervalMs: 500 });
    rig.setNodes(new NoAnswerError());
    rig.scan.start();
    await rig.clock.advance(1_000);
    expect(rig.state()).toMatchObject({ phase: 'idle', nextScanAtMs: rig.clock.nowMs() + 1_000 });
    expect(rig.state().error).toBeInstanceOf(NoAnswerError);
    rig.setNodes(['a']);
    await rig.clock.advance(1_010);
    expect(rig.state()).toMatchObject({ phase: 'complete', error: undefined });
    rig.scan.stop();
  });

  test('publishes 100,000 rows at most four times a second', async () => {
    const lists = new Map(['a', 'b', 'c', 'd'].map((node) => [node, many(node, 25_000)]));
    const rig = setUp([...lists.keys()], (node, page) => pageOf(lists.get(node) ?? [], page), { pageMs: 50 });
    rig.scan.start();
    await rig.clock.advance(20 * 100);
    expect(rig.state().phase).toBe('complete');
    expect(rig.state().rows).toHaveLength(100_000);
    // The start, the first rows, four a second, the end, and the date of the next.
    expect(rig.states.length).toBeLessThanOrEqual(2 + 8 + 2);
    expect(rig.state().requests).toBe(20);
    rig.scan.stop();
  });
});
