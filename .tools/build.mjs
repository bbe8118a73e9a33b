/**
 * Builds what is published into dist/: one ESM file with everything in it, the launcher, the
 * package file and the licences of all that was bundled.
 *
 *   node .tools/build.mjs [--quiet] [--entry FILE] [--out FOLDER]
 *
 * The same sources give the same bytes. Files are replaced in one step, so that a program running
 * from dist/ never reads half of one.
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
  },
});

const rootPackage = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/** What a published package says of itself: nothing to install, nothing to run. */
const publishedPackage = {
  name: rootPackage.name,
  version: rootPackage.version,
  description: rootPackage.description,
  license: rootPackage.license,
  type: 'module',
  bin: { brokertop: 'brokertop.cjs' },
  files: ['brokertop.cjs', 'brokertop.mjs', 'LICENSES.txt'],
  engines: rootPackage.engines,
};

/**
 * Leaves modules out: Ink's door to its developer tools, a package that is not installed, and one
 * that `debug` would otherwise look for beside the installed program.
 */
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

/**
 * Node's own modules are fetched when the code that uses them runs. As imports of the one big file
 * they would all be loaded before its first line, also what only the broker needs, and wrapping
 * each for `import` is slow by itself.
 */
function builtinsWhenNeeded() {
  return {
    name: 'builtins-when-needed',
    setup(build) {
      build.onResolve({ filter: /^[a-z:_/0-9]+$/, namespace: 'file' }, ({ path: name, kind }) => (
        kind === 'import-statement' && isBuiltin(name) ? { path: name, namespace: 'builtin' } : undefined
      ));
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => (
        { contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});` }
      ));
    },
  };
}

/**
 * Yoga, the layout engine, would get its WebAssembly, which is in its own source, through `fetch`:
 * that loads the whole of Node's HTTP client before the first frame. Its other way is direct.
 */
function wasmWithoutFetch() {
  return {
    name: 'wasm-without-fetch',
    setup(build) {
      build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path: file }) => {
        const parts = (await readFile(file, 'utf8')).split('"function"!=typeof fetch');
        if (parts.length !== 3) throw new Error('This version of yoga-layout loads its WebAssembly in another way.');
        return { contents: parts.join('true') };
      });
    },
  };
}

/**
 * Libraries make a segmenter of graphemes as they load, and the first one of a process costs 20 ms. The first
 * frame holds nothing that has to be segmented, so they make it when they use it.
 */
function segmentersWhenUsed() {
  const made = /^const (\w+) = (new Intl\.Segmenter\(.*\));$/gmu;
  return {
    name: 'segmenters-when-used',
    setup(build) {
      build.onLoad({ filter: /(string-width|wrap-ansi)\/index\.js$|line-update\.js$|tokenize-ansi\.js$/ }, async ({ path: file }) => {
        const source = await readFile(file, 'utf8');
        const contents = source.replace(made, 'let $1Made; const $1 = { segment: (text) => ($1Made ??= $2).segment(text) };');
        if (contents === source && source.includes('Intl.Segmenter')) throw new Error(`${file} makes its segmenter in another way.`);
        return { contents };
      });
    },
  };
}

/** The program asks the package file for its version; the rest of it has no business in the bundle. */
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
  outfile: path.join(root, 'dist', 'brokertop.mjs'),
  write: false,
  bundle: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // Node has them. As calls of RegExp, into which they would be turned, they are worked out at once: 20 ms of tables of emoji.
  supported: { 'regexp-unicode-property-escapes': true, 'regexp-set-notation': true },
  jsx: 'automatic',
  charset: 'ascii',
  legalComments: 'none',
  // Identifiers stay as written: a stack trace from an operator's machine has to be readable.
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  mainFields: ['module', 'main'],
  define: {
    // Without it React keeps something of every render.
    'process.env.NODE_ENV': '"production"',
  },
  // Optional native helpers of ws; it does without.
  external: ['bufferutil', 'utf-8-validate'],
  plugins: [emptyModules(/ink\/build\/devtools\.js$/, /^supports-color$/), builtinsWhenNeeded(), wasmWithoutFetch(), segmentersWhenUsed(), shortPackageFile()],
  // CommonJS packages inside the bundle call `require` for Node's own modules.
  banner: { js: "import{createRequire as brokertopCreateRequire}from'node:module';const require=brokertopCreateRequire(import.meta.url);" },
  logLevel: 'warning',
}).catch((error) => {
  // What is wrong has been printed, with the place; a stack of esbuild's own adds nothing.
  if (error instanceof Error && 'errors' in error) process.exit(1);
  throw error;
});

/** Writes through a neighbour and a rename, and not at all when nothing changed. */
async function put(name, content, mode = 0o644) {
  const file = path.join(flags.out, name);
  const bytes = Buffer.from(content);
  if (existsSync(file) && bytes.equals(await readFile(file))) return;
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, bytes, { mode });
  await rename(draft, file);
}

/**
 * Escapes what esbuild leaves of characters beyond ASCII, in regular expressions and templates. A single one
 * of them makes the engine hold the whole source in two bytes a character: 3 MB more, for as long as it runs.
 */
function escapeRest(source) {
  if (/\\[^\0-\x7F]/.test(source)) throw new Error('A character beyond ASCII stands behind a backslash and cannot be escaped.');
  return source.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

await mkdir(flags.out, { recursive: true });
const bundle = Buffer.from(escapeRest(result.outputFiles[0].text));
const files = new Map([
  ['brokertop.mjs', bundle],
  ['brokertop.cjs', await readFile(path.join(import.meta.dirname, 'launcher.cjs'))],
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
  console.log(`${path.relative(process.cwd(), path.join(flags.out, 'brokertop.mjs'))}: ${Math.round(bundle.length / 1024)} KiB`);
}
