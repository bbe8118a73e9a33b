import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { type LoadServer, type ServerLoad, withLoadServer } from './load-server.ts';
import { filterTexts } from '../../src/tui/list/texts.ts';
import { result, type Result } from './measure.ts';
import { hasFigures, openList } from './monitor.ts';
import { peakMegabytes, residentMegabytes } from './process-figures.ts';
import {
  cursorId,
  keyResults,
  type KeyTime,
  type TimedMonitor,
  timeMoves,
  timeSorts,
  withTimedMonitor,
} from './timed-keys.ts';

const clients = 100_000;
/** Typed before each filter. In a whole row not every letter would reduce the rows. */
const filterColumn = 'client-id:';
/** Typed letter by letter; each reduces the rows. The first is not counted. */
const filters = ['1207', '3145', '4518', '5886', '6923', '7301'];
const scansWatched = 6;
/** Requests of a scan: pages of 5,000 of each of three nodes. */
const pages = 3 * Math.ceil(clients / 3 / 5_000);
/** Time for the last page to arrive and the end of the scan to show. */
const keysAfterLastPage = 8;
/** Fails rather than press keys forever. */
const maxKeysOfScan = 2_000;

/** Times keys on a long list: cursor (also during a scan), filter and sort. Measures memory too. */
export function measureKeys(): Promise<Result[]> {
  // With changing rows every scan has something to draw.
  return withLoadServer({ clients, changing: 0.5 }, async (server) => {
    const quiet = await withTimedMonitor(server.url, measureAtRest);
    const scanning = await withTimedMonitor(server.url, (monitor) => timeDuringScans(monitor, server));
    return [
      ...quiet,
      ...keyResults('cursor during a scan', scanning, 50),
      ...keyResults('cursor during a scan', scanning, 99, { atMost: 10 }),
      result('cursor during a scan, keys timed', scanning.length, '', { isDetail: true }),
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
    ...keyResults('cursor', moves, 50),
    ...keyResults('cursor', moves, 99, { atMost: 5 }),
    ...keyResults('filter, per letter', typed, 50, { atMost: 16 }),
    ...keyResults('filter, per letter', typed, 100, { isDetail: true }),
    ...keyResults('sort by the next column', sorted, 50, { atMost: 50 }),
    ...keyResults('sort by the next column', sorted, 100, { isDetail: true }),
    result('memory with the list loaded', megabytes, 'MB', { atMost: 150 }),
    result('memory with filters and sorts, max', peakMegabytes(terminal.pid), 'MB'),
  ];
}

const hasPrompt = (terminal: TerminalSession): boolean => terminal.text().includes(filterTexts.syntax);

/** The prompt's count of matching rows; empty before the first letter. */
const rowsLeft = (terminal: TerminalSession): string | undefined =>
  /^ \/.*?([\d,]+ of [\d,]+)\s*$/mu.exec(terminal.text())?.[1];

async function timeFilters({ terminal, timeKey }: TimedMonitor): Promise<KeyTime[]> {
  const times: KeyTime[] = [];
  terminal.press('/');
  await terminal.waitFor(hasPrompt);
  // Operators are slower: the search index is built before they type.
  await pass(500);
  for (const [index, filter] of filters.entries()) {
    terminal.type(filterColumn);
    await terminal.waitFor(`/ ${filterColumn}`);
    for (const letter of filter) {
      const time = await timeKey(letter, rowsLeft);
      if (index > 0) times.push(time);
    }
    terminal.press('ctrl-u');
    await terminal.waitFor(() => !terminal.text().includes(filterColumn));
  }
  terminal.press('esc');
  await terminal.waitFor(() => !hasPrompt(terminal));
  return times;
}

/** Times cursor keys during the first and later scans. */
async function timeDuringScans({ terminal, timeKey }: TimedMonitor, server: LoadServer): Promise<KeyTime[]> {
  const times: KeyTime[] = [];
  await terminal.waitFor(hasFigures);
  for (let scan = 0; scan < scansWatched; scan += 1) {
    await server.takeLoad();
    terminal.press(scan === 0 ? '4' : 'ctrl-r');
    await terminal.waitFor(() => cursorId(terminal) !== undefined, { timeoutMs: 60_000 });
    let pagesRead = 0;
    for (let keys = 0, last = Infinity; keys < last; keys += 1) {
      if (keys === maxKeysOfScan) throw new Error(`${pagesRead} of ${pages} pages were read.`);
      times.push(await timeKey('j', cursorId));
      // Without pauses the keys would delay the scan.
      await pass(20);
      pagesRead += pagesOf(await server.takeLoad());
      if (pagesRead >= pages && last === Infinity) last = keys + keysAfterLastPage;
    }
    await pass(1_000);
  }
  return times;
}

const pagesOf = ({ byPath }: ServerLoad): number =>
  Object.entries(byPath).reduce((count, [path, times]) => (path.endsWith('/clients') ? count + times : count), 0);
