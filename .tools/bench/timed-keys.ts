import type { TerminalSession } from '../../test/support/terminal.ts';
import { withMonitor } from './monitor.ts';

/** A monitor at 200×60 that refreshes once a minute. */
export interface TimedMonitor {
  readonly terminal: TerminalSession;
  /** Time of the last output, by `performance.now()`. */
  arrivedMs(): number;
  /** Types a text and returns the milliseconds to the output that changes `sign`. */
  timeKey(text: string, sign: (terminal: TerminalSession) => string | undefined): Promise<number>;
}

/** Uncounted keys at the start. */
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

/** Milliseconds from each cursor key to the output that shows the cursor moved. */
export async function timeMoves({ timeKey }: TimedMonitor): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < warmUpKeys + movesCounted; run += 1) times.push(await timeKey('j', cursorLine));
  return times.slice(warmUpKeys);
}

/** The text of the row under the cursor, which changes with every move. */
function cursorLine(terminal: TerminalSession): string | undefined {
  return terminal.lines().find((line) => line.startsWith('▸'));
}

/** The start of that row: its later columns may change by themselves. */
export function cursorId(terminal: TerminalSession): string | undefined {
  return cursorLine(terminal)?.slice(0, 40);
}
