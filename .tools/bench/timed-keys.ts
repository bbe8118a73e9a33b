import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { percentile, result, type Result } from './measure.ts';
import { withMonitor } from './monitor.ts';
import { mainThreadMs } from './process-figures.ts';

/** The time from a key to the output that completes its answer. */
export interface KeyTime {
  readonly ms: number;
  /** Processor time of the main thread until then; does not depend on the machine's load. */
  readonly cpuMs: number;
}

/** A monitor at 200×60 that refreshes once a minute. */
export interface TimedMonitor {
  readonly terminal: TerminalSession;
  /** Time of the last output, by `performance.now()`. */
  arrivedMs(): number;
  /** Types a text and times the output that changes `sign`. */
  timeKey(text: string, sign: (terminal: TerminalSession) => string | undefined): Promise<KeyTime>;
}

/** Uncounted keys at the start. */
const warmUpKeys = 30;
const movesCounted = 300;

export function withTimedMonitor<T>(url: string, use: (monitor: TimedMonitor) => Promise<T>): Promise<T> {
  let [arrivedMs, arrivedCpuMs] = [0, 0];
  // Only while a key is timed: at its end the process is gone.
  let timedPid: number | undefined;
  const onOutput = (): void => {
    arrivedMs = performance.now();
    if (timedPid !== undefined) arrivedCpuMs = mainThreadMs(timedPid);
  };
  return withMonitor({ url, cols: 200, rows: 60, intervalSeconds: 60, onOutput }, (terminal) =>
    use({
      terminal,
      arrivedMs: () => arrivedMs,
      async timeKey(text, sign) {
        const before = sign(terminal);
        const [startedMs, startedCpuMs] = [performance.now(), mainThreadMs(terminal.pid)];
        timedPid = terminal.pid;
        terminal.type(text);
        await terminal.waitFor(() => sign(terminal) !== before, { timeoutMs: 20_000 });
        timedPid = undefined;
        return { ms: arrivedMs - startedMs, cpuMs: arrivedCpuMs - startedCpuMs };
      },
    }),
  );
}

/** The p-th percentile by the clock, with its budget, and of the processor time. */
export function keyResults(
  name: string,
  times: readonly KeyTime[],
  p: number,
  budget: { readonly atMost?: number; readonly isDetail?: boolean } = {},
): Result[] {
  const what = `${name}, ${p === 50 ? 'median' : p === 100 ? 'longest' : `p${p}`}`;
  return [
    result(
      what,
      percentile(
        times.map(({ ms }) => ms),
        p,
      ),
      'ms',
      budget,
    ),
    result(
      `${what}, processor time`,
      percentile(
        times.map(({ cpuMs }) => cpuMs),
        p,
      ),
      'ms',
      { ...budget, isDetail: true },
    ),
  ];
}

/** Times each of many cursor keys. */
export async function timeMoves({ timeKey }: TimedMonitor): Promise<KeyTime[]> {
  const times: KeyTime[] = [];
  for (let run = 0; run < warmUpKeys + movesCounted; run += 1) times.push(await timeKey('j', cursorLine));
  return times.slice(warmUpKeys);
}

/** The text of the row under the cursor, which changes with every move. */
function cursorLine(terminal: TerminalSession): string | undefined {
  return terminal.lines().find((line) => /^│?▸/u.test(line));
}

/** The start of that row: its later columns may change by themselves. */
export function cursorId(terminal: TerminalSession): string | undefined {
  return cursorLine(terminal)?.slice(0, 40);
}

/** Pause between keys, so that each gets its own frame. */
const restMs = 30;
/** Time after a refresh in which no other is due, at one refresh a second. */
const quietMs = 600;

/**
 * Times a key, in milliseconds, to the output that changes `sign`. Without a sign the key is pressed right after a
 * refresh, and the next output counts.
 */
export function createKeyTimer(
  terminal: TerminalSession,
  sign: ((terminal: TerminalSession) => string | undefined) | undefined,
  arrivedMs: () => number,
): (key: string) => Promise<number> {
  let refreshedMs = Number.NEGATIVE_INFINITY;
  async function whenQuiet(): Promise<void> {
    if (performance.now() - refreshedMs < quietMs) return;
    await terminal.nextOutput();
    refreshedMs = performance.now();
    await pass(restMs);
  }
  return async (key) => {
    if (sign === undefined) await whenQuiet();
    const before = sign?.(terminal);
    const pressedMs = performance.now();
    terminal.type(key);
    if (sign === undefined) await terminal.nextOutput();
    else await terminal.waitFor(() => sign(terminal) !== before);
    const ms = arrivedMs() - pressedMs;
    await pass(restMs);
    return ms;
  };
}

const sortKeys = 16;
const sortedBy = (terminal: TerminalSession): string | undefined => /sorted [^·]*/u.exec(terminal.text())?.[0];

/** Times sorting by the next column. */
export async function timeSorts({ timeKey }: TimedMonitor): Promise<KeyTime[]> {
  const times: KeyTime[] = [];
  for (let run = 0; run < 2 * sortKeys; run += 1) {
    const time = await timeKey('>', sortedBy);
    // Warm-up.
    if (run >= sortKeys) times.push(time);
  }
  return times;
}
