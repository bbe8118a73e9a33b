import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const refreshes = 42_500;
/** Of 4 s: more than the 24 hours for which samples are kept. */
const measuredFirst = 22_500;
const root = path.join(import.meta.dirname, '..', '..');

/** What the process holds after some refreshes. */
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
  await build({ entryPoints: [new URL('days-process.tsx', import.meta.url).pathname], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm', jsx: 'automatic', logLevel: 'error' });
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', outfile, String(measuredFirst), String(refreshes)], { env: { ...process.env, NODE_ENV: 'production' } });
  return stdout.split('\n').filter((line) => line.startsWith('{')).map((line): Measurement => JSON.parse(line));
}

test(`after ${refreshes} refreshes the program holds what it held after ${measuredFirst}`, async () => {
  const [early, late] = await runDays();
  if (early === undefined || late === undefined) throw new Error('The process measured nothing.');
  expect(late.done).toBe(refreshes);
  // The program was busy in between.
  expect(late.calls - early.calls).toBeGreaterThan(3 * (late.done - early.done));
  expect(late.written - early.written).toBeGreaterThan(500_000);
  expect(late.actions).toBeGreaterThan(0);
  expect(late.log).toBe(500);

  const megabytes = ({ heapUsed, external }: Measurement): number => (heapUsed + external) / 1e6;
  // 100 bytes kept per refresh would be 2 MB.
  expect(megabytes(late) - megabytes(early)).toBeLessThan(2);
  // A frame or a pause of Ink may be pending.
  expect(late.resources.length).toBeLessThanOrEqual(early.resources.length + 2);
  expect(late.timers).toBeLessThanOrEqual(early.timers + 8);
  expect(late.storeListeners).toBe(early.storeListeners);
  expect(late.streamListeners).toEqual(early.streamListeners);
  expect(late.performanceEntries).toBe(early.performanceEntries);
}, 300_000);
