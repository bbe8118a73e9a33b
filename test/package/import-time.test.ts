import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-import-'));
afterAll(() => { rmSync(folder, { recursive: true, force: true }); });

/** Node's coverage of a function: how often it was called. */
interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { readonly count: number }[] }[] }[];
}

test('--version loads no screens, HTTP or broker', async () => {
  const bundle = path.join(path.dirname(builtProgram), 'brokertop-program.cjs');
  const { stdout } = await run(process.execPath, [bundle, '--version'], { env: { ...process.env, NODE_V8_COVERAGE: folder } });
  expect(stdout).toMatch(/^brokertop \d/);
  const [file = ''] = readdirSync(folder);
  const coverage: Coverage = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const functions = coverage.result.find(({ url }) => url.endsWith('brokertop-program.cjs'))?.functions ?? [];
  // Each module of the bundle is a function with the module's name.
  const modules = functions.filter(({ functionName, ranges }) => /^(?:src|node_modules)\//u.test(functionName) && (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName);
  expect(modules).toContain('src/version.ts');
  expect(modules.filter((name) => /^node_modules\/(?!zod|cac|env-paths)|^src\/(?:api|store|broker|ui\/(?:screens|widgets|hooks))\//u.test(name))).toEqual([]);
});

test('importing a module prints nothing and keeps nothing open', async () => {
  // Node cannot read TSX, and the root module runs the program.
  const modules = globSync('src/**/*.ts', { cwd: root }).filter((name) => name !== 'src/main.ts').map((name) => path.join(root, name));
  const script = `
    let imported = 0;
    for (const module of ${JSON.stringify(modules)}) {
      try { await import(module); imported += 1; } catch (error) { if (error.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error; }
    }
    process.once('exit', () => console.log(JSON.stringify({ imported, open: process.getActiveResourcesInfo().filter((name) => !/^(?:PipeWrap|TTYWrap)$/u.test(name)) })));
  `;
  const { stdout, stderr } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]);
  expect(stderr).toBe('');
  const { imported, open }: { imported: number; open: readonly string[] } = JSON.parse(stdout);
  expect(imported).toBeGreaterThan(modules.length / 2);
  expect(open).toEqual([]);
}, 30_000);
