import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const refreshes = 22_000;
/** The first measurement. With 8 s a refresh, that is more than the 24 hours for which samples are kept. */
const measuredFirst = 11_000;
/** A single measurement can be 2 MB too high, by what the engine frees later: the smallest of three counts. */
const early = [measuredFirst, 12_000, 13_000] as const;
const late = [20_000, 21_000, refreshes] as const;
const root = path.join(import.meta.dirname, '..', '..');

/** The size of what the process holds after some refreshes. */
interface Measurement {
  readonly done: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Bytes written to the terminal so far. */
  readonly written: number;
  readonly calls: number;
  readonly resources: readonly string[];
  readonly timers: number;
  readonly storeListeners: number;
  readonly streamListeners: readonly number[];
  readonly performanceEntries: number;
  readonly log: number;
  readonly actions: number;
}

/** Runs `days-process.tsx` in its own process, with the production build of React. */
async function runDays(): Promise<readonly Measurement[]> {
  // Inside node_modules, so that the bundle finds the packages.
  const folder = await mkdtemp(path.join(root, 'node_modules', '.days-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outfile = path.join(folder, 'days.mjs');
  await build({
    entryPoints: [new URL('days-process.tsx', import.meta.url).pathname],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
  });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', outfile, ...[...early, ...late].map(String)],
    { env: { ...process.env, NODE_ENV: 'production' } },
  );
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Measurement => JSON.parse(line));
}

test(`after ${refreshes} refreshes the program holds what it held after ${measuredFirst}`, async () => {
  const measured = await runDays();
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The process measured nothing.');
  expect(measured.map(({ done }) => done)).toEqual([...early, ...late]);
  // The program was busy in between.
  expect(last.calls - first.calls).toBeGreaterThan(3 * (last.done - first.done));
  expect(last.written - first.written).toBeGreaterThan(500_000);
  expect(last.actions).toBeGreaterThan(0);
  expect(last.log).toBe(500);

  const megabytes = ({ heapUsed, external }: Measurement): number => (heapUsed + external) / 1e6;
  const smallest = (measurements: readonly Measurement[]): number => Math.min(...measurements.map(megabytes));
  // 220 bytes kept per refresh would be 2 MB.
  expect(smallest(measured.slice(early.length)) - smallest(measured.slice(0, early.length))).toBeLessThan(2);
  // A frame or a pause of Ink may be pending.
  expect(last.resources.length).toBeLessThanOrEqual(first.resources.length + 2);
  expect(last.timers).toBeLessThanOrEqual(first.timers + 8);
  expect(last.storeListeners).toBe(first.storeListeners);
  expect(last.streamListeners).toEqual(first.streamListeners);
  expect(last.performanceEntries).toBe(first.performanceEntries);
}, 600_000);
