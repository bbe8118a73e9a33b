/**
 * Builds what is published into dist/: one file with everything in it, the launcher, the
 * package file and the licences of all that was bundled.
 *
 *   node .tools/build.mjs [--quiet] [--entry FILE] [--out FOLDER] [--metafile FILE]
 *
 * `--metafile` writes esbuild's report as JSON. Builds are reproducible. Files are replaced atomically, because a program may be
 * running from dist/.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { collectLicences } from './licences.mjs';

const root = path.join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: {
    quiet: { type: 'boolean', default: false },
    entry: { type: 'string', default: path.join(root, 'src', 'main.ts') },
    out: { type: 'string', default: path.join(root, 'dist') },
    metafile: { type: 'string' },
  },
});

const rootPackage = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/** CommonJS, as the launcher that loads it. */
const programName = 'brokertop-program.cjs';

/** The published package.json: no dependencies, no scripts. */
const publishedPackage = {
  name: rootPackage.name,
  version: rootPackage.version,
  description: rootPackage.description,
  license: rootPackage.license,
  type: 'module',
  bin: { brokertop: 'brokertop.cjs' },
  files: ['brokertop.cjs', programName, 'LICENSES.txt'],
  engines: rootPackage.engines,
};

/** Leaves out Ink's developer tools, HTTP/2, and a package that `debug` would look for at run time. */
function emptyModules(fileToEmpty, packageToEmpty) {
  return {
    name: 'empty-modules',
    setup(build) {
      build.onLoad({ filter: fileToEmpty }, () => ({ contents: '' }));
      build.onResolve({ filter: packageToEmpty }, () => ({ path: 'empty', namespace: 'empty' }));
      build.onLoad({ filter: /^empty$/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
}

/** Loads Node's modules when the code that uses them runs, not all of them at start. */
function builtinsWhenNeeded() {
  return {
    name: 'builtins-when-needed',
    setup(build) {
      build.onResolve({ filter: /^[a-z:_/0-9]+$/, namespace: 'file' }, async ({ path: name, kind, importer }) => {
        if (!isBuiltin(name) || (kind !== 'import-statement' && kind !== 'dynamic-import')) return undefined;
        const names = kind === 'import-statement' ? namesImported(await readFile(importer, 'utf8'), name) : undefined;
        return { path: [name, ...(names ?? ['*'])].join(' '), namespace: 'builtin' };
      });
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: request }) => {
        const [name, ...names] = request.split(' ');
        const whole = `process.getBuiltinModule(${JSON.stringify(name)})`;
        if (names.includes('*')) return { contents: `module.exports = ${whole};` };
        return { contents: `const whole = ${whole}; export default whole; ${names.map((each) => `export const ${each} = whole.${each};`).join(' ')}` };
      });
    },
  };
}

/** The names that a source imports from a module, `undefined` for all: reading every property makes Node load its lazy parts. */
function namesImported(source, name) {
  const clauses = [...source.matchAll(new RegExp(`^import\\s+([^;'"]*?)\\s+from\\s*['"]${name}['"]`, 'gmu'))].map(([, clause]) => clause);
  if (clauses.length === 0 || clauses.some((clause) => clause.includes('*'))) return undefined;
  const inBraces = clauses.flatMap((clause) => /\{([^}]*)\}/u.exec(clause)?.[1]?.split(',') ?? []);
  return [...new Set(inBraces.map((part) => part.trim().split(/\s+as\s+/u)[0]).filter((part) => /^\w+$/u.test(part) && part !== 'default'))].toSorted();
}

/** Has Yoga decode its embedded WebAssembly directly. With `fetch` it would load Node's HTTP client before the first frame. */
function wasmWithoutFetch() {
  return {
    name: 'wasm-without-fetch',
    setup(build) {
      build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path: file }) => {
        const parts = (await readFile(file, 'utf8')).split('"function"!=typeof fetch');
        if (parts.length !== 3) throw new Error('This version of yoga-layout loads its WebAssembly differently.');
        return { contents: parts.join('true') };
      });
    },
  };
}

/** Bundles only undici's HTTP/1 pool. `fetch`, HTTP/2, caches and mocks are two thirds of it. */
function undiciPoolAlone() {
  return {
    name: 'undici-pool-alone',
    setup(build) {
      build.onLoad({ filter: /undici\/index\.js$/ }, () => ({
        contents: `
          require('./lib/dispatcher/dispatcher').prototype.request = require('./lib/api/api-request');
          exports.Pool = require('./lib/dispatcher/pool');
          exports.Client = require('./lib/dispatcher/client');
          exports.buildConnector = require('./lib/core/connect');
        `,
      }));
    },
  };
}

/** Bundles only the version from package.json. */
function shortPackageFile() {
  return {
    name: 'short-package-file',
    setup(build) {
      build.onLoad({ filter: /package\.json$/ }, ({ path: file }) => (
        file === path.join(root, 'package.json')
          ? { contents: JSON.stringify({ version: rootPackage.version }), loader: 'json' }
          : undefined
      ));
    },
  };
}

const result = await esbuild.build({
  absWorkingDir: root,
  entryPoints: [flags.entry],
  outfile: path.join(root, 'dist', programName),
  write: false,
  bundle: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // Node supports them; as calls of RegExp they would be compiled at start.
  supported: { 'regexp-unicode-property-escapes': true, 'regexp-set-notation': true },
  jsx: 'automatic',
  charset: 'ascii',
  legalComments: 'none',
  // Identifiers are not minified, so that stack traces stay readable.
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  mainFields: ['module', 'main'],
  define: {
    // In development mode React keeps data of every render.
    'process.env.NODE_ENV': '"production"',
    // Used by Ink and Yoga; not available in a script.
    'import.meta.url': 'programUrl',
    'import.meta.resolve': 'undefined',
  },
  // Optional native helpers of ws.
  external: ['bufferutil', 'utf-8-validate'],
  plugins: [emptyModules(/ink\/build\/devtools\.js$|undici\/lib\/dispatcher\/client-h2\.js$/, /^supports-color$/), builtinsWhenNeeded(), wasmWithoutFetch(), undiciPoolAlone(), shortPackageFile()],
  logLevel: 'warning',
}).catch((error) => {
  // esbuild has printed the errors.
  if (error instanceof Error && 'errors' in error) process.exit(1);
  throw error;
});

/** The launcher, with the rule for files of its own that it shares with the program. */
const launcher = await esbuild.build({
  absWorkingDir: root,
  entryPoints: [path.join(import.meta.dirname, 'launcher.cjs')],
  write: false,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'es5',
  charset: 'ascii',
  logLevel: 'warning',
});

/** Replaces a file atomically, unless nothing changed. */
async function put(name, content, mode = 0o644) {
  const file = path.join(flags.out, name);
  const bytes = Buffer.from(content);
  if (existsSync(file) && bytes.equals(await readFile(file))) return;
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, bytes, { mode });
  await rename(draft, file);
}

/**
 * Escapes the non-ASCII characters that esbuild leaves in regular expressions and templates. With a single one V8 keeps the whole
 * source in two bytes per character, 3 MB more.
 */
function escapeRest(source) {
  if (/\\[^\0-\x7F]/.test(source)) throw new Error('A character beyond ASCII stands behind a backslash and cannot be escaped.');
  return source.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Wraps a module without imports in an async function, which allows its top-level `await` in a script. */
function toScript(source) {
  if (/^(import|export)\b|\bimport\.meta\b|[^.\w]import\(/mu.test(source)) throw new Error('What is bundled still needs to be a module.');
  return `"use strict";const programUrl=require("node:url").pathToFileURL(__filename).href;(async()=>{${source}})();\n`;
}

if (flags.metafile !== undefined) await writeFile(flags.metafile, JSON.stringify(result.metafile));
await mkdir(flags.out, { recursive: true });
const bundle = Buffer.from(toScript(escapeRest(result.outputFiles[0].text)));
const files = new Map([
  [programName, bundle],
  ['brokertop.cjs', launcher.outputFiles[0].contents],
  ['package.json', `${JSON.stringify(publishedPackage, null, 2)}\n`],
  ['LICENSES.txt', await collectLicences(root, Object.keys(result.metafile.inputs))],
]);
for (const name of ['README.md', 'LICENSE']) {
  if (existsSync(path.join(root, name))) files.set(name, await readFile(path.join(root, name)));
}
for (const [name, content] of files) await put(name, content, name === 'brokertop.cjs' ? 0o755 : 0o644);

for (const name of await readdir(flags.out)) {
  if (!files.has(name) && !name.endsWith('.draft')) await rm(path.join(flags.out, name), { recursive: true });
}

if (!flags.quiet) {
  console.log(`${path.relative(process.cwd(), path.join(flags.out, programName))}: ${Math.round(bundle.length / 1024)} KiB`);
}
