import type { TerminalSession } from '../../test/support/terminal.ts';
import { type Load, withLoadServer } from './load-server.ts';
import { result, type Result } from './measure.ts';
import { hasFigures, openList } from './monitor.ts';
import { cpuSeconds, peakMegabytes, residentMegabytes } from './process-figures.ts';
import { keyResults, type KeyTime, type TimedMonitor, timeMoves, timeSorts, withTimedMonitor } from './timed-keys.ts';
import { groupingNames } from '../../src/resources/view/texts.ts';

interface LongList {
  readonly name: 'clients' | 'sessions' | 'subscriptions' | 'routes';
  /** Key of its screen. */
  readonly key: string;
  readonly rows: number;
  /** Whether the screen of the list can group. */
  readonly hasGroups: boolean;
}

const lists: readonly LongList[] = [
  { name: 'clients', key: '4', rows: 100_000, hasGroups: true },
  { name: 'sessions', key: '5', rows: 100_000, hasGroups: true },
  { name: 'subscriptions', key: '6', rows: 300_000, hasGroups: true },
  { name: 'routes', key: '7', rows: 100_000, hasGroups: false },
];
const groupings = 5;

/** Measures each long list in a new monitor. */
export async function measureLists(): Promise<Result[]> {
  const results: Result[] = [];
  for (const list of lists) results.push(...(await measureList(list)));
  return results;
}

/** Must work, but need not be fast. */
export function measureMillion(): Promise<Result[]> {
  return measureList({ name: 'clients', key: '4', rows: 1_000_000, hasGroups: true });
}

function measureList({ name, key, rows, hasGroups }: LongList): Promise<Result[]> {
  const load: Load = { clients: 3, changing: 0, [name]: rows };
  return withLoadServer(load, ({ url }) =>
    withTimedMonitor(url, async (monitor) => {
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
      const sorted = await timeSorts(monitor);
      return [
        result(`${what}: scan, with pauses`, readMs / 1000, 's'),
        result(`${what}: CPU time of the scan`, readCpu, 's', { isDetail: true }),
        ...keyResults(`${what}: cursor`, moves, 50, { isDetail: true }),
        ...keyResults(`${what}: cursor`, moves, 99, { atMost: 5 }),
        ...keyResults(`${what}: sorted by the next column`, sorted, 50, rows > 100_000 ? {} : { atMost: 50 }),
        result(`${what}: memory`, megabytes, 'MB'),
        result(`${what}: memory, max`, peak, 'MB', { isDetail: true }),
        ...(hasGroups ? keyResults(`${what}: grouped`, await timeGrouping(monitor), 50) : []),
      ];
    }),
  );
}

/** Times opening the menu of groupings and choosing one, with the first grouping each time. */
async function timeGrouping({ terminal, timeKey }: TimedMonitor): Promise<KeyTime[]> {
  const times: KeyTime[] = [];
  while (times.length < groupings) {
    terminal.press('o');
    await terminal.waitFor(groupingNames.node);
    times.push(await timeKey('\r', grouping));
    terminal.press('esc');
    await terminal.waitFor(() => grouping(terminal) === undefined);
  }
  return times;
}

const grouping = (terminal: TerminalSession): string | undefined => /› by [^│\n]{1,30}/u.exec(terminal.text())?.[0];
