import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-import-'));
const metafile = path.join(folder, 'meta.json');
beforeAll(async () => {
  const build = path.join(root, '.tools', 'build.mjs');
  await run(process.execPath, [build, '--quiet', '--out', path.join(folder, 'dist'), '--metafile', metafile]);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The modules that the built program evaluates when it is run with `args`. */
async function modulesOf(...args: readonly string[]): Promise<ReadonlySet<string>> {
  const coverage = mkdtempSync(path.join(folder, 'coverage-'));
  await run(process.execPath, [path.join(folder, 'dist', 'brokertop.cjs'), ...args], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage, XDG_CACHE_HOME: path.join(folder, 'cache') },
  });
  const [file = ''] = readdirSync(coverage);
  const { result }: { readonly result: readonly ScriptCoverage[] } = JSON.parse(
    readFileSync(path.join(coverage, file), 'utf8'),
  );
  const { inputs }: { readonly inputs: Readonly<Record<string, BundledModule>> } = JSON.parse(
    readFileSync(metafile, 'utf8'),
  );
  const modules = new Set(
    result
      .flatMap(({ functions }) => functions)
      // The bundler wraps a module that may not be needed into a function of its name.
      .filter(({ functionName, ranges }) => Object.hasOwn(inputs, functionName) && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName),
  );
  const addImported = (name: string): void => {
    if (modules.has(name)) return;
    modules.add(name);
    for (const { path: imported, kind, external } of inputs[name]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) addImported(imported);
  };
  addImported('src/main.ts');
  return modules;
}

interface ScriptCoverage {
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

interface BundledModule {
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

test('a command loads what it needs', async () => {
  expect(await modulesOf('man')).toContain('src/cli/shell/man-page.ts');
}, 30_000);

test('--version loads no screens, HTTP or broker', async () => {
  const modules = [...(await modulesOf('--version'))];
  expect(modules).toContain('src/version.ts');
  expect(
    modules.filter((name) =>
      /^node_modules\/(?!zod)|^src\/(?:api\/(?!dialects\/(?:registry|[^/]+\/(?:about|base-path))\.ts)|monitor|broker|screens|tui)\//u.test(
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
