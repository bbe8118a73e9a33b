import type { TerminalSession } from '../../test/support/terminal.ts';
import { withMonitor } from './monitor.ts';

/** A monitor at 200×60 that refreshes once a minute, and whose keys are timed. */
export interface TimedMonitor {
  readonly terminal: TerminalSession;
  /** When the last output came, milliseconds of `performance.now()`. */
  arrivedMs(): number;
  /** Types the text, and gives the milliseconds from there to the output by which the screen shows another sign. */
  timeKey(text: string, sign: (terminal: TerminalSession) => string | undefined): Promise<number>;
}

/** Keys that are pressed first and do not count: the code that they run is still being compiled. */
const warmUpKeys = 30;
const movesCounted = 300;

export function withTimedMonitor<T>(url: string, use: (monitor: TimedMonitor) => Promise<T>): Promise<T> {
  let arrivedMs = 0;
  const onOutput = (): void => { arrivedMs = performance.now(); };
  return withMonitor({ url, cols: 200, rows: 60, intervalSeconds: 60, onOutput }, (terminal) => use({
    terminal,
    arrivedMs: () => arrivedMs,
    async timeKey(text, sign) {
      const before = sign(terminal);
      const startedMs = performance.now();
      terminal.type(text);
      await terminal.waitFor(() => sign(terminal) !== before, { timeoutMs: 20_000 });
      return arrivedMs - startedMs;
    },
  }));
}

/** Milliseconds from each of many keys that move the cursor to the output that shows it moved. */
export async function timeMoves({ timeKey }: TimedMonitor): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < warmUpKeys + movesCounted; run += 1) times.push(await timeKey('j', cursorLine));
  return times.slice(warmUpKeys);
}

/** The row under the cursor: its text changes with every move, also when the list scrolls and the cursor stays. */
function cursorLine(terminal: TerminalSession): string | undefined {
  return terminal.lines().find((line) => line.startsWith('▸'));
}

/** The beginning of that row, which tells what it is of: the figures behind it may change by themselves. */
export function cursorId(terminal: TerminalSession): string | undefined {
  return cursorLine(terminal)?.slice(0, 40);
}
