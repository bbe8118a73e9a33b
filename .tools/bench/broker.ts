import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Load, type Shape, withLoad } from './broker-load.ts';
import { type Stall, type Target, withTarget } from './broker-target.ts';
import { median, result, type Result } from './measure.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';

/** Many short turns, so that a busy machine affects both brokers. */
const turns = 8;
const warmUpTurns = 2;
const settlingMs = 200;
const turnMs = 500;
const listings = 5;
const idleMs = 1200;
const manyClients = 5_000;
const manySessions = 100_000;
const pageSizes = [5_000, manySessions];
/** Maximum stall of MQTT by a list request. */
const longestStallMs = 50;

/** Minimum throughput relative to aedes. */
const leastShare = 0.9;

const shapes: readonly (Shape & { readonly name: string })[] = ([0, 1] as const).flatMap((qos) => [
  { name: `1 → 1, QoS ${qos}`, publishers: 1, subscribersEach: 1, qos, isWild: false, window: 256 },
  { name: `10 → 10, QoS ${qos}`, publishers: 10, subscribersEach: 1, qos, isWild: true, window: 64 },
  { name: `1 → 100, QoS ${qos}`, publishers: 1, subscribersEach: 100, qos, isWild: true, window: 16 },
]);

/** Subscribers with persistent sessions: each message is acknowledged once it is on disk, with `--data`. */
const keptShapes: readonly (Shape & { readonly name: string })[] = [
  { name: '1 → 1, QoS 1, persistent session', publishers: 1, subscribersEach: 1, qos: 1, isWild: false, window: 256, isPersistent: true },
  { name: '10 → 10, QoS 1, persistent sessions', publishers: 10, subscribersEach: 1, qos: 1, isWild: true, window: 64, isPersistent: true },
];

interface Speed {
  readonly perSecond: number;
  /** Per second of processor time. */
  readonly perCpuSecond: number;
}

/**
 * Compares the embedded broker, with all its counters, to plain aedes: messages delivered per second. Then many clients at
 * once, and long lists while messages flow.
 */
export async function measureBroker(): Promise<Result[]> {
  const results = await withTarget({ kind: 'embedded' }, (embedded) => (
    withTarget({ kind: 'aedes' }, (aedes) => withLoad((load) => compare(load, embedded, aedes)))
  ));
  for (const kind of ['embedded', 'aedes'] as const) results.push(...await withTarget({ kind }, (target) => connectMany(target, kind)));
  results.push(...await withTarget({ kind: 'embedded', sessions: manySessions }, (target) => withLoad((load) => listSessions(target, load))));
  return results;
}

/** Both in turns. */
async function measurePairs(load: Load, ours: Target, theirs: Target, shape: Shape): Promise<readonly { readonly ours: Speed; readonly theirs: Speed }[]> {
  const pairs: { readonly ours: Speed; readonly theirs: Speed }[] = [];
  for (let turn = 0; turn < warmUpTurns + turns; turn += 1) {
    // Who goes first has what the other left behind, so that changes too.
    const isFirst = turn % 2 === 0;
    const [one, other] = [await measure(load, isFirst ? ours : theirs, shape), await measure(load, isFirst ? theirs : ours, shape)];
    if (turn >= warmUpTurns) pairs.push(isFirst ? { ours: one, theirs: other } : { ours: other, theirs: one });
  }
  return pairs;
}

/** What it costs to keep messages on disk: the embedded broker with `--data` and without, in turns. */
export function measureKept(): Promise<Result[]> {
  return withTarget({ kind: 'embedded' }, (plain) => (
    withTarget({ kind: 'embedded', isKept: true }, (kept) => withLoad((load) => compareKept(load, plain, kept)))
  ));
}

async function compareKept(load: Load, plain: Target, kept: Target): Promise<Result[]> {
  const results: Result[] = [];
  for (const shape of keptShapes) {
    const pairs = await measurePairs(load, kept, plain, shape);
    results.push(
      result(`${shape.name}: messages a second`, median(pairs.map(({ theirs }) => theirs.perSecond)), ''),
      result(`${shape.name}: messages a second with --data`, median(pairs.map(({ ours }) => ours.perSecond)), ''),
      result(`${shape.name}: the share with --data of a second of the processor`, median(pairs.map(({ ours, theirs }) => ours.perCpuSecond / theirs.perCpuSecond)), 'times'),
    );
  }
  return results;
}

async function compare(load: Load, embedded: Target, aedes: Target): Promise<Result[]> {
  const results: Result[] = [];
  for (const shape of shapes) {
    const pairs = await measurePairs(load, embedded, aedes, shape);
    const share = (pick: (speed: Speed) => number): number => median(pairs.map(({ ours, theirs }) => pick(ours) / pick(theirs)));
    results.push(
      result(`${shape.name}: messages a second`, median(pairs.map(({ ours }) => ours.perSecond)), '', { isDetail: true }),
      result(`${shape.name}: messages a second of processor`, median(pairs.map(({ ours }) => ours.perCpuSecond)), '', { isDetail: true }),
      result(`${shape.name}: messages a second against aedes`, share(({ perSecond }) => perSecond), 'times', { atLeast: leastShare }),
      result(`${shape.name}: the same for a second of the processor`, share(({ perCpuSecond }) => perCpuSecond), 'times', { atLeast: leastShare }),
    );
  }
  return results;
}

async function measure(load: Load, target: Target, shape: Shape): Promise<Speed> {
  await load.ask({ ask: 'start', port: target.port, shape });
  await pass(settlingMs);
  const [startMs, startCpu, startCount] = [performance.now(), cpuSeconds(target.pid), await load.ask({ ask: 'count' })];
  await pass(turnMs);
  const messages = await load.ask({ ask: 'count' }) - startCount;
  const [seconds, cpu] = [(performance.now() - startMs) / 1000, cpuSeconds(target.pid) - startCpu];
  await load.ask({ ask: 'stop' });
  return { perSecond: messages / seconds, perCpuSecond: messages / cpu };
}

function connectMany(target: Target, kind: string): Promise<Result[]> {
  return withLoad(async (load) => {
    const [startMs, startMegabytes, startCpu] = [performance.now(), residentMegabytes(target.pid), cpuSeconds(target.pid)];
    const connected = await load.ask({ ask: 'connect', port: target.port, clients: manyClients });
    const seconds = (performance.now() - startMs) / 1000;
    const many = `${connected.toLocaleString('en-US')} clients`;
    return [
      result(`${many}, ${kind}: connected and subscribed a second`, connected / seconds, '', { isDetail: kind === 'aedes' }),
      result(`${many}, ${kind}: processor time`, cpuSeconds(target.pid) - startCpu, 's', { isDetail: true }),
      result(`${many}, ${kind}: memory`, residentMegabytes(target.pid) - startMegabytes, 'MB', { isDetail: kind === 'aedes' }),
    ];
  });
}

/** The longest stall while all sessions are listed in pages of several sizes, and without a list. */
async function listSessions(target: Target, load: Load): Promise<Result[]> {
  await load.ask({ ask: 'probe', port: target.port });
  const pool = new Pool(target.url, { connections: 1 });
  const results: Result[] = [];
  try {
    results.push(...await longestStalls(target, load, 'nothing listed', undefined, async () => { await pass(idleMs); }));
    for (const pageSize of pageSizes) {
      const what = `${manySessions.toLocaleString('en-US')} sessions listed, ${pageSize.toLocaleString('en-US')} a page`;
      results.push(...await longestStalls(target, load, what, longestStallMs, () => readSessions(pool, target.node, pageSize)));
    }
  } finally {
    await pool.destroy();
  }
  return results;
}

async function longestStalls(target: Target, load: Load, what: string, budgetMs: number | undefined, work: () => Promise<void>): Promise<Result[]> {
  const stalls: Stall[] = [];
  const trips: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < listings; round += 1) {
    await load.ask({ ask: 'longest' });
    await target.watch();
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
    stalls.push(await target.longestStall());
    trips.push(await load.ask({ ask: 'longest' }));
  }
  const isDetail = budgetMs === undefined;
  return [
    result(`${what}: MQTT held up, by the clock`, median(stalls.map(({ ms }) => ms)), 'ms', { atMost: budgetMs, isDetail }),
    result(`${what}: MQTT held up, by processor time`, median(stalls.map(({ processorMs }) => processorMs)), 'ms', { atMost: budgetMs, isDetail }),
    result(`${what}: longest way of a message`, median(trips), 'ms', { isDetail: true }),
    ...(budgetMs === undefined ? [] : [result(`${what}: time`, median(times), 'ms', { isDetail: true })]),
  ];
}

async function readSessions(pool: Pool, node: string, pageSize: number): Promise<void> {
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  for (let page = 1, rows = 0; rows < manySessions; page += 1) {
    const { statusCode, body } = await pool.request({
      method: 'GET', path: `/api/v2/nodes/${node}/sessions?curr_page=${page}&page_size=${pageSize}`, headers: { authorization },
    });
    const text = await body.text();
    const count = text.split('"client_id"').length - 1;
    if (statusCode !== 200 || count === 0) throw new Error(`a page with ${count} sessions, status ${statusCode}`);
    rows += count;
  }
}
