import type { TerminalSession } from '../../test/support/terminal.ts';
import type { LoadServer } from './load-server.ts';
import { openList, withMonitor } from './monitor.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';
import { residentMegabytes } from './process-figures.ts';

const keys = 300;

/** From a key that moves the cursor to the output that shows it moved; and the memory that the loaded list takes. */
export async function measureKeys(server: LoadServer, clients: number): Promise<Result[]> {
  let arrivedMs = 0;
  const onOutput = (): void => { arrivedMs = performance.now(); };
  return withMonitor({ url: server.url, cols: 200, rows: 60, intervalSeconds: 60, onOutput }, async (terminal) => {
    await terminal.waitFor('Clients');
    const startMegabytes = residentMegabytes(terminal.pid);
    await openList(terminal, '4', clients);
    const loadedMegabytes = residentMegabytes(terminal.pid);

    const times = await timeMoves(terminal, () => arrivedMs);
    return [
      result('key to paint, median, 200×60', percentile(times, 50), 'ms'),
      result('key to paint, p99, 200×60', percentile(times, 99), 'ms', 16),
      result('memory after start', startMegabytes, 'MB', 110),
      result(`memory with ${clients} clients`, loadedMegabytes, 'MB', 160),
    ];
  });
}

/** Milliseconds from each of many keys that move the cursor to the output that shows it moved; `arrivedMs` tells when the last output came. */
export async function timeMoves(terminal: TerminalSession, arrivedMs: () => number): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < keys; run += 1) {
    const before = cursorLine(terminal);
    const startedMs = performance.now();
    terminal.press('j');
    await terminal.waitFor(() => cursorLine(terminal) !== before);
    times.push(arrivedMs() - startedMs);
  }
  return times;
}

/** The text of the row under the cursor: it changes with every move, also when the list scrolls and the cursor stays. */
function cursorLine(terminal: TerminalSession): string | undefined {
  return terminal.lines().find((line) => line.startsWith('▸'));
}
