import { setTimeout as pass } from 'node:timers/promises';
import { type Load, withLoadServer } from './load-server.ts';
import { median, percentile, result, type Result } from './measure.ts';
import { hasFigures, openList } from './monitor.ts';
import { cpuSeconds, peakMegabytes, residentMegabytes } from './process-figures.ts';
import { type TimedMonitor, timeMoves, withTimedMonitor } from './timed-keys.ts';

interface LongList {
  readonly name: 'clients' | 'sessions' | 'subscriptions' | 'routes';
  /** Key of its screen. */
  readonly key: string;
  readonly rows: number;
  /** Whether its screen can group. */
  readonly hasGroups: boolean;
}

const lists: readonly LongList[] = [
  { name: 'clients', key: '4', rows: 100_000, hasGroups: true },
  { name: 'sessions', key: '5', rows: 100_000, hasGroups: false },
  { name: 'subscriptions', key: '6', rows: 300_000, hasGroups: true },
  { name: 'routes', key: '7', rows: 100_000, hasGroups: false },
];
const groupings = 5;

/** Measures each long list in a new monitor. */
export async function measureLists(): Promise<Result[]> {
  const results: Result[] = [];
  for (const list of lists) results.push(...await measureList(list));
  return results;
}

/** Must work, but need not be fast. */
export function measureMillion(): Promise<Result[]> {
  return measureList({ name: 'clients', key: '4', rows: 1_000_000, hasGroups: true });
}

function measureList({ name, key, rows, hasGroups }: LongList): Promise<Result[]> {
  const load: Load = { clients: 3, changing: 0, [name]: rows };
  return withLoadServer(load, ({ url }) => withTimedMonitor(url, async (monitor) => {
    const { terminal } = monitor;
    const what = `${rows.toLocaleString('en-US')} ${name}`;
    await terminal.waitFor(hasFigures);
    const [startedMs, startedCpu] = [performance.now(), cpuSeconds(terminal.pid)];
    await openList(terminal, key, rows);
    const readMs = monitor.arrivedMs() - startedMs;
    const readCpu = cpuSeconds(terminal.pid) - startedCpu;
    const megabytes = residentMegabytes(terminal.pid);
    const peak = peakMegabytes(terminal.pid);
    const moves = await timeMoves(monitor);
    return [
      result(`${what}: read, with the rests left to the broker`, readMs / 1000, 's'),
      result(`${what}: processor time of reading`, readCpu, 's', { isDetail: true }),
      result(`${what}: cursor, median`, median(moves), 'ms', { isDetail: true }),
      result(`${what}: cursor, p99`, percentile(moves, 99), 'ms', { atMost: 5 }),
      result(`${what}: memory`, megabytes, 'MB'),
      result(`${what}: memory, at most`, peak, 'MB', { isDetail: true }),
      ...(hasGroups ? [result(`${what}: grouped`, await timeGrouping(monitor), 'ms')] : []),
    ];
  }));
}

/** Median milliseconds from the key to the output that shows the groups. */
async function timeGrouping({ terminal, timeKey }: TimedMonitor): Promise<number> {
  const times: number[] = [];
  const grouping = (): string | undefined => /› by [^│\n]{1,30}/u.exec(terminal.text())?.[0];
  while (times.length < groupings) {
    const ms = await timeKey('o', grouping);
    // Back at the plain list there is nothing to group.
    if (grouping() !== undefined) times.push(ms);
    await pass(50);
  }
  return median(times);
}
