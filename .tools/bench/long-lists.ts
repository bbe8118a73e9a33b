import type { TerminalSession } from '../../test/support/terminal.ts';
import { timeMoves } from './key-to-paint.ts';
import { withLoadServer } from './load-server.ts';
import type { Load } from './load-server.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';
import { openList, withMonitor } from './monitor.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';

interface LongList {
  readonly name: 'clients' | 'sessions' | 'subscriptions' | 'routes';
  /** Opens its screen. */
  readonly key: string;
  readonly rows: number;
  /** Its screen can group. */
  readonly hasGroups: boolean;
}

const lists: readonly LongList[] = [
  { name: 'clients', key: '4', rows: 100_000, hasGroups: true },
  { name: 'sessions', key: '5', rows: 100_000, hasGroups: false },
  { name: 'subscriptions', key: '6', rows: 300_000, hasGroups: true },
  { name: 'routes', key: '7', rows: 100_000, hasGroups: false },
];

/** The long lists, each in a monitor of its own. */
export async function measureLists(): Promise<Result[]> {
  const results: Result[] = [];
  for (const list of lists) results.push(...await measureList(list));
  return results;
}

/** More than any cluster here has; it need not be quick, but has to work. */
export function measureMillion(): Promise<Result[]> {
  return measureList({ name: 'clients', key: '4', rows: 1_000_000, hasGroups: true });
}

function measureList({ name, key, rows, hasGroups }: LongList): Promise<Result[]> {
  const load: Load = { clients: 3, changing: 0, [name]: rows };
  let arrivedMs = 0;
  const onOutput = (): void => { arrivedMs = performance.now(); };
  return withLoadServer(load, ({ url }) => withMonitor({ url, cols: 200, rows: 60, intervalSeconds: 60, onOutput }, async (terminal) => {
    const what = `${rows} ${name}`;
    await terminal.waitFor('Overview');
    const [startedMs, startedCpu] = [performance.now(), cpuSeconds(terminal.pid)];
    await openList(terminal, key, rows);
    const readMs = arrivedMs - startedMs;
    const readCpu = cpuSeconds(terminal.pid) - startedCpu;
    const moves = await timeMoves(terminal, () => arrivedMs);
    const megabytes = residentMegabytes(terminal.pid);
    return [
      result(`${what}: read, with the rests left to the broker`, readMs, 'ms'),
      result(`${what}: processor time of reading`, readCpu * 1000, 'ms'),
      result(`${what}: key to paint, median`, percentile(moves, 50), 'ms'),
      result(`${what}: key to paint, p99`, percentile(moves, 99), 'ms', 16),
      result(`${what}: memory`, megabytes, 'MB'),
      ...(hasGroups ? [result(`${what}: grouped`, await timeGrouping(terminal, () => arrivedMs), 'ms')] : []),
    ];
  }));
}

/** From the key to the output that shows the groups, milliseconds. */
async function timeGrouping(terminal: TerminalSession, arrivedMs: () => number): Promise<number> {
  const startedMs = performance.now();
  terminal.press('o');
  await terminal.waitFor('› by ', { timeoutMs: 60_000 });
  return arrivedMs() - startedMs;
}
