import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { type Asked, type LoadServer, withLoadServer } from './load-server.ts';
import { median, percentile, result, type Result } from './measure.ts';
import { hasFigures, openList } from './monitor.ts';
import { peakMegabytes, residentMegabytes } from './process-figures.ts';
import { cursorId, type TimedMonitor, timeMoves, withTimedMonitor } from './timed-keys.ts';

const clients = 100_000;
/** Typed before each filter. In a whole row not every letter would reduce the rows. */
const filterColumn = 'client-id:';
/** Typed letter by letter; each reduces the rows. The first is not counted. */
const filters = ['1207', '3145', '4518', '5886', '6923', '7301'];
const sortKeys = 16;
const scansWatched = 6;
/** Requests of a scan: pages of 5,000 of each of three nodes. */
const pages = 3 * Math.ceil(clients / 3 / 5_000);
/** Time for the last page to arrive and the end of the scan to show. */
const keysAfterLastPage = 8;
/** Fails rather than press keys forever. */
const mostKeysOfScan = 2_000;

/** Times keys on a long list: cursor (also during a scan), filter and sort. Measures memory too. */
export function measureKeys(): Promise<Result[]> {
  // With changing rows every scan has something to draw.
  return withLoadServer({ clients, changing: 0.5 }, async (server) => {
    const quiet = await withTimedMonitor(server.url, measureAtRest);
    const scanning = await withTimedMonitor(server.url, (monitor) => timeDuringScans(monitor, server));
    return [
      ...quiet,
      result('cursor while the list is read, median', median(scanning), 'ms'),
      result('cursor while the list is read, p99', percentile(scanning, 99), 'ms', { atMost: 16 }),
      result('cursor while the list is read, keys timed', scanning.length, '', { isDetail: true }),
    ];
  });
}

async function measureAtRest(monitor: TimedMonitor): Promise<Result[]> {
  const { terminal } = monitor;
  await openList(terminal, '4', clients);
  const megabytes = residentMegabytes(terminal.pid);
  const moves = await timeMoves(monitor);
  const typed = await timeFilters(monitor);
  const sorted = await timeSorts(monitor);
  return [
    result('cursor, median', median(moves), 'ms'),
    result('cursor, p99', percentile(moves, 99), 'ms', { atMost: 5 }),
    result('a letter of a filter, median', median(typed), 'ms', { atMost: 16 }),
    result('a letter of a filter, longest', Math.max(...typed), 'ms', { isDetail: true }),
    result('sort by the next column, median', median(sorted), 'ms', { atMost: 50 }),
    result('sort by the next column, longest', Math.max(...sorted), 'ms', { isDetail: true }),
    result('memory with the list loaded', megabytes, 'MB', { atMost: 160 }),
    result('memory with filters and sorts, at most', peakMegabytes(terminal.pid), 'MB'),
  ];
}

const hasPrompt = (terminal: TerminalSession): boolean => terminal.text().includes('Enter take');

/** The prompt's count of matching rows; empty before the first letter. */
const rowsLeft = (terminal: TerminalSession): string | undefined => /^ \/.*?([\d,]+ of [\d,]+)\s*$/mu.exec(terminal.text())?.[1];

async function timeFilters({ terminal, timeKey }: TimedMonitor): Promise<number[]> {
  const times: number[] = [];
  terminal.press('/');
  await terminal.waitFor(hasPrompt);
  // An operator's finger is slower: what a search needs is made ready while nobody types yet.
  await pass(500);
  for (const [index, filter] of filters.entries()) {
    terminal.type(filterColumn);
    await terminal.waitFor(`/ ${filterColumn}`);
    for (const letter of filter) {
      const ms = await timeKey(letter, rowsLeft);
      if (index > 0) times.push(ms);
    }
    terminal.press('ctrl-u');
    await terminal.waitFor(() => !terminal.text().includes(filterColumn));
  }
  terminal.press('esc');
  await terminal.waitFor(() => !hasPrompt(terminal));
  return times;
}

const sortedBy = (terminal: TerminalSession): string | undefined => /sorted by [^·]*/u.exec(terminal.text())?.[0];

async function timeSorts({ timeKey }: TimedMonitor): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < 2 * sortKeys; run += 1) {
    const ms = await timeKey('>', sortedBy);
    // Warm-up.
    if (run >= sortKeys) times.push(ms);
  }
  return times;
}

/** Times cursor keys during the first and later scans. */
async function timeDuringScans({ terminal, timeKey }: TimedMonitor, server: LoadServer): Promise<number[]> {
  const times: number[] = [];
  await terminal.waitFor(hasFigures);
  for (let scan = 0; scan < scansWatched; scan += 1) {
    await server.asked();
    terminal.press(scan === 0 ? '4' : 'ctrl-r');
    await terminal.waitFor(() => cursorId(terminal) !== undefined, { timeoutMs: 60_000 });
    let asked = 0;
    for (let keys = 0, last = Infinity; keys < last; keys += 1) {
      if (keys === mostKeysOfScan) throw new Error(`${asked} of ${pages} pages were asked for.`);
      times.push(await timeKey('j', cursorId));
      // Without pauses the keys would delay the scan.
      await pass(20);
      asked += pagesOf(await server.asked());
      if (asked >= pages && last === Infinity) last = keys + keysAfterLastPage;
    }
    await pass(1_000);
  }
  return times;
}

const pagesOf = ({ byPath }: Asked): number => Object.entries(byPath).reduce((count, [path, times]) => (path.endsWith('/clients') ? count + times : count), 0);
