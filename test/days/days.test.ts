import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const refreshes = 100_000;
const root = path.join(import.meta.dirname, '..', '..');

interface Held {
  readonly done: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Bytes to the terminal so far. */
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

/** Runs `days-process.tsx` in a process of its own, with React as it is built into the program. */
async function live(): Promise<readonly Held[]> {
  // Beside the packages, so that it finds them.
  const folder = await mkdtemp(path.join(root, 'node_modules', '.days-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outfile = path.join(folder, 'days.mjs');
  await build({ entryPoints: [new URL('days-process.tsx', import.meta.url).pathname], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm', jsx: 'automatic', logLevel: 'error' });
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', outfile, String(refreshes)], { env: { ...process.env, NODE_ENV: 'production' } });
  return stdout.split('\n').filter((line) => line.startsWith('{')).map((line): Held => JSON.parse(line));
}

// Every fiftieth refresh is drawn, and what each of a thousand keys brings: to draw all of them takes many minutes.
test(`holds after ${refreshes} refreshes what it held after a tenth of them`, async () => {
  const [early, late] = await live();
  if (early === undefined || late === undefined) throw new Error('The process measured nothing.');
  expect(late.done).toBe(refreshes);
  // It was no idle life.
  expect(late.calls - early.calls).toBeGreaterThan(3 * (late.done - early.done));
  expect(late.written - early.written).toBeGreaterThan(1_000_000);
  expect(late.actions).toBeGreaterThan(0);
  expect(late.log).toBe(500);

  const megabytes = (held: Held): number => (held.heapUsed + held.external) / 1e6;
  // A hundred bytes kept of every refresh would be 9 MB.
  expect(megabytes(late) - megabytes(early)).toBeLessThan(8);
  // Frames and pauses of Ink may be under way; neither grows in number.
  expect(late.resources.length).toBeLessThanOrEqual(early.resources.length + 2);
  expect(late.timers).toBeLessThanOrEqual(early.timers + 8);
  expect(late.storeListeners).toBe(early.storeListeners);
  expect(late.streamListeners).toEqual(early.streamListeners);
  expect(late.performanceEntries).toBe(early.performanceEntries);
}, 300_000);
