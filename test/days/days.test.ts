import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const refreshes = 6_500;
/** The first measurement. By then all that is bounded is full: nodes that left, events, the log. */
const measuredFirst = 4_000;
/** Bytes. */
const maxKeptPerRefresh = 220;
const root = path.join(import.meta.dirname, '..', '..');

/** The size of what the process holds after some refreshes. */
interface Measurement {
  readonly done: number;
  /** The file of a snapshot of the heap. */
  readonly snapshot: string;
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

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  readonly nodes: readonly number[];
}

/** Returns the bytes of what the program keeps. What the engine adds for itself, such as compiled code, comes and goes. */
async function keptBytes(file: string): Promise<number> {
  const { snapshot, nodes }: HeapSnapshot = JSON.parse(await readFile(file, 'utf8'));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const isOfEngine = types[0].map((type) => ['code', 'hidden', 'object shape'].includes(type));
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (isOfEngine[nodes[at + typeAt] ?? 0] !== true) bytes += nodes[at + sizeAt] ?? 0;
  return bytes;
}

/** Runs `days-process.tsx` in its own process, with the production build of React. */
async function runDays(folder: string): Promise<readonly Measurement[]> {
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
    ['--expose-gc', outfile, folder, String(measuredFirst), String(refreshes)],
    { env: { ...process.env, NODE_ENV: 'production' } },
  );
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Measurement => JSON.parse(line));
}

test(`after ${refreshes} refreshes the program holds what it held after ${measuredFirst}`, async () => {
  // Inside node_modules, so that the bundle finds the packages.
  const folder = await mkdtemp(path.join(root, 'node_modules', '.days-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [first, last] = await runDays(folder);
  if (first === undefined || last === undefined) throw new Error('The process measured nothing.');
  expect([first.done, last.done]).toEqual([measuredFirst, refreshes]);
  // The program was busy in between.
  expect(last.calls - first.calls).toBeGreaterThan(3 * (last.done - first.done));
  expect(last.written - first.written).toBeGreaterThan(150_000);
  expect(last.actions).toBeGreaterThan(first.actions);
  expect(last.log).toBe(2_000);

  const [before, after] = [await keptBytes(first.snapshot), await keptBytes(last.snapshot)];
  expect((after + last.external - before - first.external) / (refreshes - measuredFirst)).toBeLessThan(
    maxKeptPerRefresh,
  );
  // A frame or a pause of Ink may be pending.
  expect(last.resources.length).toBeLessThanOrEqual(first.resources.length + 2);
  expect(last.timers).toBeLessThanOrEqual(first.timers + 8);
  expect(last.storeListeners).toBe(first.storeListeners);
  expect(last.streamListeners).toEqual(first.streamListeners);
  expect(last.performanceEntries).toBe(first.performanceEntries);
}, 900_000);
