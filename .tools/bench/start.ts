import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { hasFigures, withMonitor } from './monitor.ts';
import { peakMegabytes, residentMegabytes } from './process-figures.ts';

const runs = 11;
const memoryRuns = 3;

/** Measures the first frame, and memory once the overview has figures. */
export async function measureStart(): Promise<Result[]> {
  const memory = await measureMemory();
  return [
    result('first frame, before any answer', median(await timeFirstFrames()), 'ms', { atMost: 150 }),
    result('memory when Overview has loaded', median(memory.map(({ now }) => now)), 'MB', { atMost: 100 }),
    result('memory until then, max', median(memory.map(({ peak }) => peak)), 'MB', { atMost: 100 }),
  ];
}

/**
 * Milliseconds from the start of the process to the output that completes its first frame. Nothing listens at the
 * address.
 */
async function timeFirstFrames(): Promise<number[]> {
  const times: number[] = [];
  // The start checks each file of the cache: those of other builds would count, too.
  const cacheFolder = await mkdtemp(path.join(tmpdir(), 'brokertop-bench-'));
  // The first run fills the compile cache.
  for (let run = 0; run <= runs; run += 1) {
    let arrivedMs = 0;
    const startedMs = performance.now();
    const onOutput = (): void => {
      arrivedMs = performance.now();
    };
    await withMonitor(
      { url: 'http://127.0.0.1:9', cols: 100, rows: 30, intervalSeconds: 2, cacheFolder, onOutput },
      async (terminal) => {
        await terminal.waitFor('Overview');
        if (run > 0) times.push(arrivedMs - startedMs);
        // Node writes the compile cache at exit.
        terminal.press('q');
        await terminal.exited;
      },
    );
  }
  await rm(cacheFolder, { recursive: true });
  return times;
}

function measureMemory(): Promise<{ readonly now: number; readonly peak: number }[]> {
  return withLoadServer({ clients: 1_000, changing: 0 }, async ({ url }) => {
    const measured = [];
    for (let run = 0; run < memoryRuns; run += 1) {
      measured.push(
        await withMonitor({ url, cols: 200, rows: 60, intervalSeconds: 2 }, async (terminal) => {
          await terminal.waitFor(hasFigures);
          return { now: residentMegabytes(terminal.pid), peak: peakMegabytes(terminal.pid) };
        }),
      );
    }
    return measured;
  });
}
