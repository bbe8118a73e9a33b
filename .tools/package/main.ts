/**
 * Makes what is published: the npm package and a single executable for each platform, with their SBOMs and checksums.
 *
 *   npm run package -- [--out FOLDER] [--platform linux-x64 …]
 *
 * An executable is Node with the program embedded. It needs no Node, and no files but the C library and libstdc++. Node comes from
 * the npm package that the lock file names. Equal sources make equal files.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { LockFile } from '../lock-file.ts';
import { sbomOf } from './sbom.ts';

/** Platforms of the executables. Those of others lack a signature, which macOS and Windows ask for. */
const platforms = ['linux-x64', 'linux-arm64'];
const root = path.join(import.meta.dirname, '..', '..');
const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(root, 'out') },
    platform: { type: 'string', multiple: true, default: platforms },
  },
});
const unknown = flags.platform.find((platform) => !platforms.includes(platform));
if (unknown !== undefined) throw new Error(`Unknown platform ${unknown}. Known: ${platforms.join(', ')}`);

const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js');
/** Marks in Node's file whether a program is embedded. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string };
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as LockFile;
const work = mkdtempSync(path.join(tmpdir(), 'brokertop-package-'));

/** The Node of a platform: the installed one, or that of its npm package with the checksum of the lock file. */
function nodeOf(platform: string): { readonly file: string; readonly version: string } {
  const name = `node-${platform}`;
  const entry = lock.packages[`node_modules/${name}`];
  if (entry?.version === undefined) throw new Error(`${name} is not in package-lock.json`);
  const installed = path.join(root, 'node_modules', name, 'bin', 'node');
  if (existsSync(installed)) return { file: installed, version: entry.version };
  const packed = execFileSync(
    'npm',
    ['pack', `${name}@${entry.version}`, '--loglevel=error', '--pack-destination', work],
    { encoding: 'utf8' },
  ).trim();
  const tarball = path.join(work, packed);
  const integrity = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`;
  if (integrity !== entry.integrity) throw new Error(`The checksum of ${packed} is not that of package-lock.json`);
  const folder = path.join(work, platform);
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  return { file: path.join(folder, 'package', 'bin', 'node'), version: entry.version };
}

/** Returns what Node embeds: the launcher, and the program. */
function embedded(dist: string): string {
  const config = path.join(work, 'sea-config.json');
  const output = path.join(work, 'embedded');
  // Node embeds its path too, which must not be that of a folder of this machine.
  const main = 'brokertop.cjs';
  copyFileSync(path.join(dist, main), path.join(work, main));
  const program = 'brokertop-program.cjs';
  writeFileSync(
    config,
    JSON.stringify({
      main,
      output,
      disableExperimentalSEAWarning: true,
      // Both would be of one platform only.
      useSnapshot: false,
      useCodeCache: false,
      assets: { [program]: path.join(dist, program) },
    }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { cwd: work, stdio: 'pipe' });
  return output;
}

try {
  const dist = path.join(work, 'dist');
  const metafile = path.join(work, 'meta.json');
  execFileSync(
    process.execPath,
    [path.join(root, '.tools', 'build.mjs'), '--quiet', '--out', dist, '--metafile', metafile],
    { stdio: 'inherit' },
  );
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as {
    readonly inputs: Readonly<Record<string, unknown>>;
  };
  const sbomInput = { root, inputs: Object.keys(inputs), lock };
  rmSync(flags.out, { recursive: true, force: true });
  mkdirSync(flags.out, { recursive: true });
  const put = (name: string, content: string | Buffer, mode = 0o644): void => {
    writeFileSync(path.join(flags.out, name), content);
    chmodSync(path.join(flags.out, name), mode);
  };

  execFileSync('npm', ['pack', dist, '--loglevel=error', '--pack-destination', flags.out], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  put(`brokertop-${version}.sbom.json`, sbomOf(sbomInput));
  const blob = embedded(dist);
  for (const platform of flags.platform) {
    const node = nodeOf(platform);
    const name = `brokertop-${version}-${platform}`;
    put(name, readFileSync(node.file), 0o755);
    // Its warnings are about notes of Node's file, which it keeps.
    execFileSync(
      process.execPath,
      [postject, path.join(flags.out, name), 'NODE_SEA_BLOB', blob, '--sentinel-fuse', sentinelFuse],
      { stdio: 'pipe' },
    );
    put(`${name}.sbom.json`, sbomOf({ ...sbomInput, runtime: { platform, version: node.version } }));
  }
  put('LICENSES.txt', readFileSync(path.join(dist, 'LICENSES.txt')));
  put(
    'LICENSES-node.txt',
    readFileSync(path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'LICENSE')),
  );
  const names = readdirSync(flags.out).toSorted();
  put(
    'SHA256SUMS',
    names.map((name) => `${hash('sha256', readFileSync(path.join(flags.out, name)))}  ${name}\n`).join(''),
  );
  console.log(`${path.relative(process.cwd(), flags.out)}: ${names.join(', ')}, SHA256SUMS`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
