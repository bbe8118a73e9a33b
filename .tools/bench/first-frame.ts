import { withMonitor } from './monitor.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';

/** From the start of the process to its first whole frame, before any answer: nobody listens at the address. */
export async function measureFirstFrame(): Promise<Result[]> {
  const times: number[] = [];
  for (let run = 0; run < 11; run += 1) {
    let arrivedMs = 0;
    const startedMs = performance.now();
    const onOutput = (): void => { arrivedMs = performance.now(); };
    await withMonitor({ url: 'http://127.0.0.1:9', cols: 100, rows: 30, intervalSeconds: 2, onOutput }, async (terminal) => {
      await terminal.waitFor('Overview');
      if (run > 0) times.push(arrivedMs - startedMs);
      // The cache of compiled code, which the first run fills, is written at an orderly end only.
      terminal.press('q');
      await terminal.exited;
    });
  }
  return [result('first frame', percentile(times, 50), 'ms', 200)];
}
