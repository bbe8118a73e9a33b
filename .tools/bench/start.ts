import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTerminal } from '../../test/support/terminal.ts';
import { bareProgram, hasBareRows } from './bare-ink.ts';
import { withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { hasFigures, keepCode, withMonitor } from './monitor.ts';
import { cpuSeconds, peakMegabytes, residentMegabytes } from './process-figures.ts';

const runs = 11;
const size = { cols: 100, rows: 30 };

interface Start {
  /** Milliseconds from the start of the process to the output that completes the first frame, and the first figures. */
  readonly frameMs: number;
  readonly figuresMs: number;
  readonly cpuMs: number;
  readonly megabytes: number;
  readonly peakMegabytes: number;
}

/** Measures the start, in turns with the bare Ink program's. */
export async function measureStart(): Promise<Result[]> {
  const cacheFolder = await mkdtemp(path.join(tmpdir(), 'brokertop-bench-'));
  try {
    return await withLoadServer({ clients: 1_000, changing: 0 }, async ({ url }) => {
      await keepCode(url, cacheFolder);
      const own: Start[] = [];
      const bare: Start[] = [];
      for (let run = 0; run < runs; run += 1) {
        own.push(await startMonitor(url, cacheFolder));
        bare.push(await startBare(url));
      }
      const [figuresMs, bareMs] = [own, bare].map((starts) => median(starts.map((start) => start.figuresMs)));
      const [cpuMs, bareCpuMs] = [own, bare].map((starts) => median(starts.map((start) => start.cpuMs)));
      const relative = (one: number | undefined, other: number | undefined): number => (one ?? NaN) / (other ?? NaN);
      return [
        result('first frame', median(own.map(({ frameMs }) => frameMs)), 'ms'),
        result('first figures', figuresMs ?? NaN, 'ms'),
        result('first figures, relative to the bare Ink program', relative(figuresMs, bareMs), 'times', {
          atMost: 0.5,
        }),
        result('processor time until then, relative to the bare Ink program', relative(cpuMs, bareCpuMs), 'times', {
          atMost: 0.5,
        }),
        result('memory when Overview has loaded', median(own.map(({ megabytes }) => megabytes)), 'MB', { atMost: 100 }),
        result('memory until then, max', median(own.map((start) => start.peakMegabytes)), 'MB', { atMost: 100 }),
      ];
    });
  } finally {
    await rm(cacheFolder, { recursive: true });
  }
}

const figuresOf = (pid: number): Pick<Start, 'cpuMs' | 'megabytes' | 'peakMegabytes'> => ({
  cpuMs: cpuSeconds(pid) * 1_000,
  megabytes: residentMegabytes(pid),
  peakMegabytes: peakMegabytes(pid),
});

function startMonitor(url: string, cacheFolder: string): Promise<Start> {
  let arrivedMs = 0;
  const startedMs = performance.now();
  const onOutput = (): void => {
    arrivedMs = performance.now();
  };
  return withMonitor({ url, ...size, intervalSeconds: 2, cacheFolder, onOutput }, async (terminal) => {
    await terminal.waitFor('Overview');
    const frameMs = arrivedMs - startedMs;
    await terminal.waitFor(hasFigures);
    return { frameMs, figuresMs: arrivedMs - startedMs, ...figuresOf(terminal.pid) };
  });
}

async function startBare(url: string): Promise<Start> {
  let arrivedMs = 0;
  const startedMs = performance.now();
  const terminal = openTerminal({
    ...bareProgram(url),
    ...size,
    onOutput: () => {
      arrivedMs = performance.now();
    },
  });
  try {
    await terminal.waitFor(hasBareRows);
    return { frameMs: arrivedMs - startedMs, figuresMs: arrivedMs - startedMs, ...figuresOf(terminal.pid) };
  } finally {
    await terminal.close();
  }
}
