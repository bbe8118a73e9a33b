import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { withChild } from './child.ts';
import { median, result, type Result } from './measure.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';

/** Many short rounds, so that a busy machine affects both brokers. */
const rounds = 8;
const warmUpRounds = 2;
const settlingMs = 200;
const roundMs = 500;
const listings = 5;
const idleMs = 1200;
const manyClients = 5_000;
const manySessions = 100_000;
const pageSizes = [5_000, manySessions];
/** Maximum stall of MQTT by a list request. */
const longestStallMs = 50;

/** Minimum throughput relative to aedes. */
const minShare = 0.9;

const shapes: readonly (Shape & { readonly name: string })[] = ([0, 1] as const).flatMap((qos) => [
  { name: `1 → 1, QoS ${qos}`, publishers: 1, subscribersEach: 1, qos, isWild: false, window: 256 },
  { name: `10 → 10, QoS ${qos}`, publishers: 10, subscribersEach: 1, qos, isWild: true, window: 64 },
  { name: `1 → 100, QoS ${qos}`, publishers: 1, subscribersEach: 100, qos, isWild: true, window: 16 },
]);

/** Subscribers with persistent sessions: each message is acknowledged once it is on disk, with `--data`. */
const keptShapes: readonly (Shape & { readonly name: string })[] = [
  {
    name: '1 → 1, QoS 1, persistent session',
    publishers: 1,
    subscribersEach: 1,
    qos: 1,
    isWild: false,
    window: 256,
    isPersistent: true,
  },
  {
    name: '10 → 10, QoS 1, persistent sessions',
    publishers: 10,
    subscribersEach: 1,
    qos: 1,
    isWild: true,
    window: 64,
    isPersistent: true,
  },
];

interface Speed {
  readonly perSecond: number;
  /** Per second of processor time. */
  readonly perCpuSecond: number;
}

/**
 * Compares the embedded broker, with all its counters, to plain aedes: messages delivered per second. Then many clients
 * at once, and long lists while messages flow.
 */
export async function measureBroker(): Promise<Result[]> {
  const results = await withTarget({ kind: 'embedded' }, (embedded) =>
    withTarget({ kind: 'aedes' }, (aedes) => withLoad((load) => compare(load, embedded, aedes))),
  );
  for (const kind of ['embedded', 'aedes'] as const)
    results.push(...(await withTarget({ kind }, (target) => connectMany(target, kind))));
  results.push(
    ...(await withTarget({ kind: 'embedded', sessions: manySessions }, (target) =>
      withLoad((load) => listSessions(target, load)),
    )),
  );
  return results;
}

/** Measures both alternately. */
async function measurePairs(
  load: Load,
  tested: Target,
  reference: Target,
  shape: Shape,
): Promise<readonly { readonly tested: Speed; readonly reference: Speed }[]> {
  const pairs: { readonly tested: Speed; readonly reference: Speed }[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    // The first one has the leftovers of the other, so the order changes.
    const isFirst = round % 2 === 0;
    const [one, other] = [
      await measure(load, isFirst ? tested : reference, shape),
      await measure(load, isFirst ? reference : tested, shape),
    ];
    if (round >= warmUpRounds)
      pairs.push(isFirst ? { tested: one, reference: other } : { tested: other, reference: one });
  }
  return pairs;
}

/** The cost of storing messages on disk: the embedded broker with and without `--data`, alternately. */
export function measureKept(): Promise<Result[]> {
  return withTarget({ kind: 'embedded' }, (plain) =>
    withTarget({ kind: 'embedded', isKept: true }, (kept) => withLoad((load) => compareKept(load, plain, kept))),
  );
}

async function compareKept(load: Load, plain: Target, kept: Target): Promise<Result[]> {
  const results: Result[] = [];
  for (const shape of keptShapes) {
    const pairs = await measurePairs(load, kept, plain, shape);
    results.push(
      result(`${shape.name}: messages per second`, median(pairs.map(({ reference }) => reference.perSecond)), ''),
      result(`${shape.name}: messages per second with --data`, median(pairs.map(({ tested }) => tested.perSecond)), ''),
      result(
        `${shape.name}: messages per CPU second with --data, relative to without`,
        median(pairs.map(({ tested, reference }) => tested.perCpuSecond / reference.perCpuSecond)),
        'times',
      ),
    );
  }
  return results;
}

async function compare(load: Load, embedded: Target, aedes: Target): Promise<Result[]> {
  const results: Result[] = [];
  for (const shape of shapes) {
    const pairs = await measurePairs(load, embedded, aedes, shape);
    const share = (pick: (speed: Speed) => number): number =>
      median(pairs.map(({ tested, reference }) => pick(tested) / pick(reference)));
    results.push(
      result(`${shape.name}: messages per second`, median(pairs.map(({ tested }) => tested.perSecond)), '', {
        isDetail: true,
      }),
      result(`${shape.name}: messages per CPU second`, median(pairs.map(({ tested }) => tested.perCpuSecond)), '', {
        isDetail: true,
      }),
      result(
        `${shape.name}: messages per second, relative to aedes`,
        share(({ perSecond }) => perSecond),
        'times',
        { atLeast: minShare },
      ),
      result(
        `${shape.name}: messages per CPU second, relative to aedes`,
        share(({ perCpuSecond }) => perCpuSecond),
        'times',
        { atLeast: minShare },
      ),
    );
  }
  return results;
}

async function measure(load: Load, target: Target, shape: Shape): Promise<Speed> {
  await load.ask({ ask: 'start', port: target.port, shape });
  await pass(settlingMs);
  const [startMs, startCpu, startCount] = [performance.now(), cpuSeconds(target.pid), await load.ask({ ask: 'count' })];
  await pass(roundMs);
  const messages = (await load.ask({ ask: 'count' })) - startCount;
  const [seconds, cpu] = [(performance.now() - startMs) / 1000, cpuSeconds(target.pid) - startCpu];
  await load.ask({ ask: 'stop' });
  return { perSecond: messages / seconds, perCpuSecond: messages / cpu };
}

function connectMany(target: Target, kind: string): Promise<Result[]> {
  return withLoad(async (load) => {
    const [startMs, startMegabytes, startCpu] = [
      performance.now(),
      residentMegabytes(target.pid),
      cpuSeconds(target.pid),
    ];
    const connected = await load.ask({ ask: 'connect', port: target.port, clients: manyClients });
    const seconds = (performance.now() - startMs) / 1000;
    const many = `${connected.toLocaleString('en-US')} clients`;
    return [
      result(`${many}, ${kind}: connects and subscribes per second`, connected / seconds, '', {
        isDetail: kind === 'aedes',
      }),
      result(`${many}, ${kind}: CPU time`, cpuSeconds(target.pid) - startCpu, 's', { isDetail: true }),
      result(`${many}, ${kind}: memory`, residentMegabytes(target.pid) - startMegabytes, 'MB', {
        isDetail: kind === 'aedes',
      }),
    ];
  });
}

/** The longest stall while all sessions are listed in pages of several sizes, and without a list. */
async function listSessions(target: Target, load: Load): Promise<Result[]> {
  await load.ask({ ask: 'probe', port: target.port });
  const pool = new Pool(target.url, { connections: 1 });
  const results: Result[] = [];
  try {
    results.push(
      ...(await longestStalls(target, load, 'nothing listed', undefined, async () => {
        await pass(idleMs);
      })),
    );
    for (const pageSize of pageSizes) {
      const what = `${manySessions.toLocaleString('en-US')} sessions listed, ${pageSize.toLocaleString('en-US')} per page`;
      results.push(
        ...(await longestStalls(target, load, what, longestStallMs, () => readSessions(pool, target.node, pageSize))),
      );
    }
  } finally {
    await pool.destroy();
  }
  return results;
}

async function longestStalls(
  target: Target,
  load: Load,
  what: string,
  budgetMs: number | undefined,
  work: () => Promise<void>,
): Promise<Result[]> {
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
    result(`${what}: MQTT stall, wall clock`, median(stalls.map(({ ms }) => ms)), 'ms', { atMost: budgetMs, isDetail }),
    result(`${what}: MQTT stall, CPU time`, median(stalls.map(({ processorMs }) => processorMs)), 'ms', {
      atMost: budgetMs,
      isDetail,
    }),
    result(`${what}: max message latency`, median(trips), 'ms', { isDetail: true }),
    ...(budgetMs === undefined ? [] : [result(`${what}: time`, median(times), 'ms', { isDetail: true })]),
  ];
}

async function readSessions(pool: Pool, node: string, pageSize: number): Promise<void> {
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  for (let page = 1, rows = 0; rows < manySessions; page += 1) {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/api/v2/nodes/${node}/sessions?curr_page=${page}&page_size=${pageSize}`,
      headers: { authorization },
    });
    const text = await body.text();
    const count = text.split('"client_id"').length - 1;
    if (statusCode !== 200 || count === 0) throw new Error(`a page with ${count} sessions, status ${statusCode}`);
    rows += count;
  }
}

/** Publishers, each with its own subject and subscribers. */
export interface Shape {
  readonly publishers: number;
  readonly subscribersEach: number;
  readonly qos: 0 | 1;
  /** Subscribe to each topic of a subject, or with one wildcard. */
  readonly isWild: boolean;
  /** Maximum messages in flight per publisher. */
  readonly window: number;
  /** The subscribers have persistent sessions. */
  readonly isPersistent?: boolean;
}

/** A question to the process; each is answered with one message. */
export type LoadQuestion =
  /** Publishes until `stop`; answered when the first messages have arrived. */
  | { readonly ask: 'start'; readonly port: number; readonly shape: Shape }
  /** Messages delivered since the start. */
  | { readonly ask: 'count' }
  | { readonly ask: 'stop' }
  /** Connects clients, each with one subscription, until `stop`. */
  | { readonly ask: 'connect'; readonly port: number; readonly clients: number }
  /** Sends one message at a time until `stop`. */
  | { readonly ask: 'probe'; readonly port: number }
  /** The longest round trip since the last question, in milliseconds. */
  | { readonly ask: 'longest' };

export interface Load {
  ask(question: LoadQuestion): Promise<number>;
}

/** Runs a load generator in its own process while `use` runs. */
export function withLoad<T>(use: (load: Load) => Promise<T>): Promise<T> {
  return withChild<string, LoadQuestion, number, T>('broker-load-process.ts', undefined, use);
}

/** The broker to measure. */
export interface TargetOptions {
  readonly kind: 'embedded' | 'aedes';
  /** Offline sessions, each with a subscription; embedded broker only. */
  readonly sessions?: number;
  /** Keeps data as `--data` does, in a folder of its own. */
  readonly isKept?: boolean;
}

export interface TargetReady {
  readonly port: number;
  /** URL of the management API; empty for aedes. */
  readonly url: string;
  /** The name of its node. */
  readonly node: string;
}

/** The longest stall of the event loop, in milliseconds. */
export interface Stall {
  /** Elapsed time, which includes other programs on a busy machine. */
  readonly ms: number;
  /** Processor time of the thread. */
  readonly processorMs: number;
}

export type TargetQuestion = 'watch' | 'stall';

export interface Target extends TargetReady {
  readonly pid: number;
  /** Starts measuring stalls. */
  watch(): Promise<void>;
  /** The longest stall since `watch`. */
  longestStall(): Promise<Stall>;
}

/** Runs a broker in its own process while `use` runs. */
export function withTarget<T>(options: TargetOptions, use: (target: Target) => Promise<T>): Promise<T> {
  return withChild<TargetReady, TargetQuestion, Stall, T>('broker-target-process.ts', options, ({ pid, ready, ask }) =>
    use({
      ...ready,
      pid,
      watch: async () => {
        await ask('watch');
      },
      longestStall: () => ask('stall'),
    }),
  );
}
