import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { withLoad, type Load, type Shape } from './broker-load.ts';
import { withTarget, type Stall, type Target } from './broker-target.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';

const rounds = 5;
const warmUpMs = 300;
const roundMs = 1200;
const manyClients = 5_000;
const manySessions = 100_000;
const pageSizes = [5_000, manySessions];
/** Longest time that a list may hold up MQTT. */
const longestStallMs = 50;

/** The least share of what aedes does that the embedded broker is to do, with all its counters. */
const leastShare = 0.9;

const shapes: readonly (Shape & { readonly name: string })[] = ([0, 1] as const).flatMap((qos) => [
  { name: `1 → 1, QoS ${qos}`, publishers: 1, subscribersEach: 1, qos, isWild: false, window: 256 },
  { name: `10 → 10, QoS ${qos}`, publishers: 10, subscribersEach: 1, qos, isWild: true, window: 64 },
  { name: `1 → 100, QoS ${qos}`, publishers: 1, subscribersEach: 100, qos, isWild: true, window: 16 },
]);

interface Speed {
  readonly perSecond: number;
  /** By second of processor time, which a busy machine leaves alone. */
  readonly perCpuSecond: number;
}

/**
 * The embedded broker with all that the management interface counts, beside a plain aedes, which
 * counts nothing: messages delivered in a second, in turns, by a generator in a process of its own.
 * Then many clients at once, and long lists while messages flow.
 */
export async function measureBroker(): Promise<Result[]> {
  const results = await withTarget({ kind: 'embedded' }, (embedded) => (
    withTarget({ kind: 'aedes' }, (aedes) => withLoad((load) => compare(load, embedded, aedes)))
  ));
  for (const kind of ['embedded', 'aedes'] as const) results.push(...await withTarget({ kind }, (target) => connectMany(target, kind)));
  results.push(...await withTarget({ kind: 'embedded', sessions: manySessions }, (target) => withLoad((load) => listSessions(target, load))));
  return results;
}

async function compare(load: Load, embedded: Target, aedes: Target): Promise<Result[]> {
  const results: Result[] = [];
  for (const shape of shapes) {
    const ours: Speed[] = [];
    const theirs: Speed[] = [];
    // The first round compiles the code.
    for (let round = 0; round <= rounds; round += 1) {
      const [one, other] = [await measure(load, embedded, shape), await measure(load, aedes, shape)];
      if (round === 0) continue;
      ours.push(one);
      theirs.push(other);
    }
    const share = (pick: (speed: Speed) => number): number =>
      percentile(ours.map((speed, round) => pick(speed) / pick(theirs[round] ?? speed)), 50);
    const shareOfCpu = share((speed) => speed.perCpuSecond);
    const median = (speeds: readonly Speed[], pick: (speed: Speed) => number): number => percentile(speeds.map(pick), 50);
    results.push(
      result(`messages a second, ${shape.name}`, median(ours, (speed) => speed.perSecond), 'messages'),
      result(`messages a second of processor, ${shape.name}`, median(ours, (speed) => speed.perCpuSecond), 'messages'),
      result(`of aedes by the clock, ${shape.name}`, share((speed) => speed.perSecond), 'times'),
      { ...result(`of aedes by processor time, ${shape.name}`, shareOfCpu, 'times'), budget: `at least ${leastShare} times`, isWithin: shareOfCpu >= leastShare },
    );
  }
  return results;
}

async function measure(load: Load, target: Target, shape: Shape): Promise<Speed> {
  await load.ask({ ask: 'start', port: target.port, shape });
  await pass(warmUpMs);
  const [startMs, startCpu, startCount] = [performance.now(), cpuSeconds(target.pid), await load.ask({ ask: 'count' })];
  await pass(roundMs);
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
    return [
      result(`clients connected and subscribed a second, ${kind}`, connected / seconds, 'clients'),
      result(`processor time of ${connected} clients, ${kind}`, cpuSeconds(target.pid) - startCpu, 's'),
      result(`memory of ${connected} clients, ${kind}`, residentMegabytes(target.pid) - startMegabytes, 'MB'),
    ];
  });
}

/** The longest that the broker was held up while all its sessions were listed, in pages of several sizes; before that, while nothing was. */
async function listSessions(target: Target, load: Load): Promise<Result[]> {
  await load.ask({ ask: 'probe', port: target.port });
  const pool = new Pool(target.url, { connections: 1 });
  const results: Result[] = [];
  try {
    results.push(...await longestStalls(target, load, 'while nothing is listed', undefined, async () => { await pass(roundMs); }));
    for (const pageSize of pageSizes) {
      const what = `while ${manySessions} sessions are listed ${pageSize} a page`;
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
  for (let round = 0; round < rounds; round += 1) {
    await load.ask({ ask: 'longest' });
    await target.watch();
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
    stalls.push(await target.longestStall());
    trips.push(await load.ask({ ask: 'longest' }));
  }
  return [
    result(`event loop held up ${what}, by the clock`, percentile(stalls.map(({ ms }) => ms), 50), 'ms'),
    result(`event loop held up ${what}, by processor time`, percentile(stalls.map(({ processorMs }) => processorMs), 50), 'ms', budgetMs),
    result(`longest way of a message ${what}`, percentile(trips, 50), 'ms'),
    ...(budgetMs === undefined ? [] : [result(`time ${what}`, percentile(times, 50), 'ms')]),
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
