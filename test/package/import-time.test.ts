import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-import-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('--version loads no screens, HTTP or broker', async () => {
  const metafile = path.join(folder, 'meta.json');
  await run(process.execPath, [
    path.join(root, '.tools', 'build.mjs'),
    '--quiet',
    '--out',
    path.join(folder, 'dist'),
    '--metafile',
    metafile,
  ]);
  const { stdout } = await run(process.execPath, [path.join(folder, 'dist', 'brokertop.cjs'), '--version'], {
    env: { ...process.env, NODE_V8_COVERAGE: path.join(folder, 'coverage') },
  });
  expect(stdout).toMatch(/^brokertop \d/);
  const [file = ''] = readdirSync(path.join(folder, 'coverage'));
  const { result }: { readonly result: readonly { readonly url: string }[] } = JSON.parse(
    readFileSync(path.join(folder, 'coverage', file), 'utf8'),
  );
  const loaded = new Set(result.map(({ url }) => path.basename(url)));
  const { outputs }: { readonly outputs: Readonly<Record<string, { readonly inputs: object }>> } = JSON.parse(
    readFileSync(metafile, 'utf8'),
  );
  const modules = Object.entries(outputs)
    .filter(([output]) => loaded.has(path.basename(output)))
    .flatMap(([, { inputs }]) => Object.keys(inputs));
  expect(modules).toContain('src/version.ts');
  expect(
    modules.filter((name) =>
      /^node_modules\/(?!zod)|^src\/(?:api\/(?!dialects\/(?:registry|[^/]+\/(?:about|base-path))\.ts)|monitor|broker|ui)\//u.test(
        name,
      ),
    ),
  ).toEqual([]);
}, 30_000);

test('importing a module prints nothing and keeps nothing open', async () => {
  // Node cannot read TSX, and the root module runs the program.
  const modules = globSync('src/**/*.ts', { cwd: root })
    .filter((name) => name !== 'src/main.ts')
    .map((name) => path.join(root, name));
  const script = `
    let imported = 0;
    for (const module of ${JSON.stringify(modules)}) {
      try { await import(module); imported += 1; } catch (error) { if (error.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error; }
    }
    process.once('exit', () => console.log(JSON.stringify({ imported, open: process.getActiveResourcesInfo().filter((name) => !/^(?:PipeWrap|TTYWrap)$/u.test(name)) })));
  `;
  const { stdout, stderr } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(stderr).toBe('');
  const { imported, open }: { imported: number; open: readonly string[] } = JSON.parse(stdout);
  expect(imported).toBeGreaterThan(modules.length / 2);
  expect(open).toEqual([]);
}, 30_000);
