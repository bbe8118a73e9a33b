/**
 * Builds the package into dist/: the launcher, the program in one file, package.json, the JSON Schemas, the man page, completion
 * scripts and the licences.
 *
 *   node .tools/build.mjs [--quiet] [--entry FILE] [--out FOLDER] [--metafile FILE]
 *
 * `--metafile` writes esbuild's report as JSON. Builds are reproducible. Files are replaced atomically, because a program may be
 * running from dist/.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { listSchemas } from '../src/cli/list/schemas.ts';
import { shellNames } from '../src/cli/options/commands.ts';
import { completionScript } from '../src/cli/shell/completion.ts';
import { manPage } from '../src/cli/shell/man-page.ts';
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

const bundledFolder = path.join(import.meta.dirname, 'bundled');
const rootPackage = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/**
 * The file that the launcher runs. It is one file of CommonJS, because only V8's cache of a script can hold functions that
 * were compiled after it was loaded.
 */
const programName = 'brokertop-program.cjs';

/** The published package.json: no dependencies, no scripts. */
const publishedPackage = {
  name: rootPackage.name,
  version: rootPackage.version,
  description: rootPackage.description,
  license: rootPackage.license,
  type: 'module',
  bin: { brokertop: 'brokertop.cjs' },
  man: 'man/brokertop.1',
  files: ['brokertop.cjs', programName, 'schemas', 'man', 'completions', 'LICENSES.txt'],
  engines: rootPackage.engines,
};

/** Leaves out HTTP/2, and a package that `debug` would look for at run time. */
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

/** Leaves out Ink's developer tools, for which it waits while it is loaded. */
function withoutDevtools() {
  return {
    name: 'without-devtools',
    setup(build) {
      build.onLoad({ filter: /ink\/build\/reconciler\.js$/ }, async ({ path: file }) => {
        const [before, ...parts] = (await readFile(file, 'utf8')).split(
          /^if \(process\.env\['DEV'\] === 'true'\) \{$[^]*?^\}$/m,
        );
        if (parts.length !== 2) throw new Error('This version of Ink loads its developer tools differently.');
        return { contents: before + parts.join('') };
      });
    },
  };
}

/** Has Yoga make its embedded WebAssembly at once: CommonJS cannot wait for it. */
function synchronousWasm() {
  const replaced = async (file, ...pairs) => {
    let contents = await readFile(file, 'utf8');
    for (const [old, put] of pairs) {
      if (contents.split(old).length !== 2)
        throw new Error('This version of yoga-layout loads its WebAssembly differently.');
      contents = contents.replace(old, () => put);
    }
    return { contents };
  };
  const instance =
    "new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(H.slice(H.indexOf(',')+1),'base64')),d)";
  return {
    name: 'synchronous-wasm',
    setup(build) {
      build.onLoad({ filter: /yoga-layout\/dist\/src\/index\.js$/ }, ({ path: file }) =>
        replaced(file, ['await loadYoga()', 'loadYoga()']),
      );
      build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path: file }) =>
        replaced(
          file,
          ['import.meta.url', "''"],
          ['if(h.instantiateWasm)try{return h.instantiateWasm(d,\na)}', `try{a(${instance});return{}}`],
          ['return loadYoga.ready', 'return loadYoga'],
        ),
      );
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
          import Dispatcher from './lib/dispatcher/dispatcher';
          import request from './lib/api/api-request';
          export { default as Pool } from './lib/dispatcher/pool';
          export { default as Client } from './lib/dispatcher/client';
          export { default as buildConnector } from './lib/core/connect';
          Dispatcher.prototype.request = request;
        `,
      }));
    },
  };
}

/** Replaces modules that a start should not load: see the files. */
function whenNeeded() {
  const replacement = path.join(bundledFolder, 'string-width.cjs');
  return {
    name: 'when-needed',
    setup(build) {
      build.onResolve({ filter: /^string-width$/ }, ({ importer }) =>
        importer === replacement ? undefined : { path: replacement },
      );
    },
  };
}

/** Bundles only the version from package.json. */
function shortPackageFile() {
  return {
    name: 'short-package-file',
    setup(build) {
      build.onLoad({ filter: /package\.json$/ }, ({ path: file }) =>
        file === path.join(root, 'package.json')
          ? { contents: JSON.stringify({ version: rootPackage.version }), loader: 'json' }
          : undefined,
      );
    },
  };
}

const result = await esbuild
  .build({
    absWorkingDir: root,
    entryPoints: [{ in: flags.entry, out: 'brokertop-program' }],
    outdir: path.join(root, 'dist'),
    outExtension: { '.js': '.cjs' },
    write: false,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    supported: {
      // Node supports them; as calls of RegExp they would be compiled at start.
      'regexp-unicode-property-escapes': true,
      'regexp-set-notation': true,
      // In a script, Node warns that its support is experimental.
      'dynamic-import': false,
    },
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
      'Intl.Segmenter': 'LazySegmenter',
      // Leaves out undici's second HTTP parser, which is experimental, as in Node's own bundle.
      esbuildDetection: '1',
    },
    inject: [path.join(bundledFolder, 'lazy-segmenter.ts')],
    // The launcher calls what the script is.
    banner: { js: '(function(require,module,exports,__filename,__dirname){' },
    footer: { js: '})' },
    // Optional native helpers of ws.
    external: ['bufferutil', 'utf-8-validate'],
    plugins: [
      emptyModules(/undici\/lib\/dispatcher\/client-h2\.js$/, /^supports-color$/),
      withoutDevtools(),
      whenNeeded(),
      synchronousWasm(),
      undiciPoolAlone(),
      shortPackageFile(),
    ],
    logLevel: 'warning',
  })
  .catch((error) => {
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
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(draft, bytes, { mode });
  await rename(draft, file);
}

/**
 * Escapes the non-ASCII characters that esbuild leaves in regular expressions and templates. With a single one V8 keeps
 * the whole source in two bytes per character, 3 MB more.
 */
function escapeRest(source) {
  if (/\\[^\0-\x7F]/.test(source)) throw new Error('A non-ASCII character after a backslash cannot be escaped.');
  return source.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

if (flags.metafile !== undefined) await writeFile(flags.metafile, JSON.stringify(result.metafile));
await mkdir(flags.out, { recursive: true });
const bundle = result.outputFiles.map(({ path: file, text }) => [
  path.relative(path.join(root, 'dist'), file),
  escapeRest(text),
]);
const files = new Map([
  ...bundle,
  ['brokertop.cjs', launcher.outputFiles[0].contents],
  ['package.json', `${JSON.stringify(publishedPackage, null, 2)}\n`],
  [publishedPackage.man, await manPage(rootPackage.version)],
  ...shellNames.map((shell) => [`completions/brokertop.${shell}`, completionScript(shell)]),
  ['LICENSES.txt', await collectLicences(root, Object.keys(result.metafile.inputs))],
]);
for (const name of ['README.md', 'LICENSE']) {
  if (existsSync(path.join(root, name))) files.set(name, await readFile(path.join(root, name)));
}
for (const [name, schema] of listSchemas()) files.set(path.join('schemas', name), schema);
for (const name of await readdir(path.join(root, 'schemas')))
  files.set(path.join('schemas', name), await readFile(path.join(root, 'schemas', name)));
for (const [name, content] of files) await put(name, content, name === 'brokertop.cjs' ? 0o755 : 0o644);

for (const name of await readdir(flags.out, { recursive: true })) {
  const isNeeded = [...files.keys()].some((file) => file === name || file.startsWith(`${name}${path.sep}`));
  if (!isNeeded && !name.endsWith('.draft')) await rm(path.join(flags.out, name), { recursive: true, force: true });
}

if (!flags.quiet) {
  const kilobytes = Math.round(bundle.reduce((sum, [, text]) => sum + text.length, 0) / 1024);
  console.log(`${path.relative(process.cwd(), flags.out)}: ${kilobytes} KiB`);
}
