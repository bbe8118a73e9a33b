import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listSchemas } from '../../src/cli/list/schemas.ts';

const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
const dist = path.join(folder, 'dist');
const metafile = path.join(folder, 'meta.json');
const home = path.join(folder, 'home');
const modules = path.join(home, 'node_modules');
let packed: { filename: string; files: { path: string; mode: number }[] };

function build(out: string, ...more: readonly string[]): void {
  execFileSync(process.execPath, [path.join(root, '.tools', 'build.mjs'), '--quiet', '--out', out, ...more]);
}

function digests(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .toSorted();
  return Object.fromEntries(names.map((name) => [name, hash('sha256', readFileSync(path.join(directory, name)))]));
}

/** Uses an empty cache and no network, so that only the tarball can be installed. */
function npm(...args: string[]): string {
  return execFileSync(
    'npm',
    [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error', '--cache', path.join(folder, 'cache')],
    {
      cwd: home,
      encoding: 'utf8',
    },
  );
}

function brokertop(...args: string[]) {
  return spawnSync(process.execPath, [path.join(modules, '.bin', 'brokertop'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: path.join(folder, 'compiled') },
  });
}

beforeAll(() => {
  mkdirSync(home);
  writeFileSync(path.join(home, 'package.json'), '{"private":true}');
  build(dist, '--metafile', metafile);
  [packed] = JSON.parse(npm('pack', dist, '--json')) as [typeof packed];
  npm('install', path.join(home, packed.filename));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the published package', () => {
  test('holds the program, its licences and what npm adds, and nothing else', () => {
    expect(packed.files.map((file) => file.path).toSorted()).toEqual([
      'LICENSE',
      'LICENSES.txt',
      'README.md',
      'brokertop-program.cjs',
      'brokertop.cjs',
      'completions/brokertop.bash',
      'completions/brokertop.fish',
      'completions/brokertop.zsh',
      'man/brokertop.1',
      'package.json',
      ...[...listSchemas().keys(), 'once.json'].map((name) => `schemas/${name}`).toSorted(),
    ]);
  });

  test('installs as one package without dependencies or install scripts', () => {
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['brokertop']);
    const installed = JSON.parse(readFileSync(path.join(modules, 'brokertop', 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const source = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(installed).toSorted()).toEqual([
      'bin',
      'description',
      'engines',
      'files',
      'license',
      'man',
      'name',
      'type',
      'version',
    ]);
    expect(installed).toMatchObject({ name: 'brokertop', version: source['version'], engines: source['engines'] });
  });

  test('starts', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    expect(brokertop('--version')).toMatchObject({ status: 0, stdout: `brokertop ${version}\n`, stderr: '' });
    const help = brokertop('--help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain('--url');
    expect(help.stdout).toContain('demo');
  });

  test.each([
    [['man'], 'man/brokertop.1'],
    ...['bash', 'zsh', 'fish'].map((shell): [string[], string] => [
      ['completion', shell],
      `completions/brokertop.${shell}`,
    ]),
  ])('prints with %j what it has as %s', (args, file) => {
    expect(brokertop(...args)).toMatchObject({
      status: 0,
      stdout: readFileSync(path.join(modules, 'brokertop', file), 'utf8'),
      stderr: '',
    });
  });

  test('imports only modules of Node', () => {
    const bundle = readFileSync(path.join(dist, 'brokertop-program.cjs'), 'utf8');
    const { builtinModules } = process.getBuiltinModule('node:module');
    const sources = [
      ...bundle.matchAll(
        /(?:\bfrom|\bimport)\s*["']([@\w.][\w@./:-]*)["']|\b(?:require|import|getBuiltinModule)\("([@\w.][\w@./:-]*)"\)/g,
      ),
    ].map((match) => match[1] ?? match[2] ?? '');
    const optional = ['bufferutil', 'utf-8-validate'];
    const foreign = sources.filter(
      (source) => !source.startsWith('node:') && !builtinModules.includes(source) && !optional.includes(source),
    );
    expect(sources.length).toBeGreaterThan(10);
    expect([...new Set(foreign)]).toEqual([]);
    expect(bundle).not.toContain('process.env.NODE_ENV');
    expect(bundle).not.toContain(root);
  });

  test('carries the licence of every package that was bundled, with its text', () => {
    const licences = readFileSync(path.join(dist, 'LICENSES.txt'), 'utf8');
    const [, ...parts] = licences.split(/^={80}\n(?=\S+ \d)/mu);
    const titles = parts.map((part) => part.split('\n')[0] ?? '');
    // From the bundler's report about the file, independent of how the list was made.
    const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as {
      outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
    };
    const inside = Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    const folders = new Set(
      inside.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(file)?.[0] ?? []),
    );
    const named = [...folders].map(
      (each) =>
        JSON.parse(readFileSync(path.join(root, each, 'package.json'), 'utf8')) as { name: string; version: string },
    );
    expect(named.length).toBeGreaterThan(20);
    expect(
      named
        .map(({ name, version }) => `${name} ${version}`)
        .filter((name) => !titles.some((title) => title.startsWith(`${name} (`))),
    ).toEqual([]);
    for (const part of parts) {
      expect(part).toMatch(/^\S+ \d\S* \((MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0)\)\n={80}\n/u);
      expect(part).toMatch(/copyright|\(c\)|©/iu);
      expect(part).toMatch(
        /Permission (is hereby granted|to use, copy, modify)|Redistribution and use|Apache License/u,
      );
    }
  });

  // All of them run with the operator's password. Review new packages before raising the limit.
  test('bundles at most 84 packages', () => {
    const licences = readFileSync(path.join(dist, 'LICENSES.txt'), 'utf8');
    const bundled = licences.match(/^\S+ \d\S* \([^)]*\)$/gmu) ?? [];
    expect(bundled.length).toBeGreaterThan(20);
    expect(bundled.length).toBeLessThanOrEqual(84);
  });

  test('the same sources give the same bytes', () => {
    const again = path.join(folder, 'again');
    build(again);
    expect(digests(again)).toEqual(digests(dist));
  });
});

describe('the launcher', () => {
  let launcher: string;

  beforeAll(() => {
    launcher = readFileSync(path.join(dist, 'brokertop.cjs'), 'utf8');
  });

  test.each(['20.20.2', '22.18.0', '4.9.1', '0.10.48'])(
    'prints one sentence on Node %s and exits with 2',
    (version) => {
      const pretended = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });\n${launcher.replace(/^#!.*/, '')}`;
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', pretended], {
        encoding: 'utf8',
      });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toBe(`brokertop needs Node 22.19 or newer, and this is Node ${version}.\n`);
    },
  );

  test('has no syntax that is unknown to old Node versions', async () => {
    const { transform } = await import('esbuild');
    const { code } = await transform(launcher, { target: 'es5', minifyWhitespace: true });
    const asWritten = await transform(launcher, { target: 'esnext', minifyWhitespace: true });
    expect(code).toBe(asWritten.code);
  });

  describe('the cache of compiled code', () => {
    const installed = path.join(folder, 'launcher');
    const cache = path.join(folder, 'kept', 'brokertop');
    const codeFile = path.join(cache, `monitor-${process.version}-${process.arch}.code`);

    /** Changes when the code is written again. */
    const inodeOfCode = (): number => statSync(codeFile).ino;

    /** Output of the program that the launcher started. */
    function start(caches = path.dirname(cache), ...args: readonly string[]): string {
      const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(installed, 'brokertop.cjs'), ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: caches, LOCALAPPDATA: caches },
        cwd: installed,
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    }

    /** A program that writes `name` from a function, and keeps its code. */
    function install(name: string): void {
      const program = `(function (require, module) {
        const late = () => { process.stdout.write('${name}'); };
        module.exports.launcher = {};
        setImmediate(() => { late(); module.exports.launcher.keepCode(!/list|help|once/.test(process.argv.join())); });
      })`;
      writeFileSync(path.join(installed, 'brokertop-program.cjs'), program);
    }

    /** Whether a start uses the code that is kept: otherwise it writes new code. */
    function isUsed(): boolean {
      const inode = inodeOfCode();
      expect(start()).toBe('one');
      return inodeOfCode() === inode;
    }

    beforeEach(() => {
      for (const each of [installed, path.dirname(cache)]) rmSync(each, { recursive: true, force: true });
      mkdirSync(installed);
      writeFileSync(path.join(installed, 'brokertop.cjs'), launcher);
      install('one');
    });

    test('is in a folder that only its user can enter, and is used', () => {
      expect(start()).toBe('one');
      expect(statSync(cache).mode & 0o777).toBe(0o700);
      expect(statSync(codeFile).mode & 0o777).toBe(0o600);
      expect(isUsed()).toBe(true);
      expect(readdirSync(cache)).toEqual([path.basename(codeFile)]);
    });

    test('holds functions that were compiled after the program was loaded', () => {
      const isLazy = (): boolean => {
        const code = readFileSync(codeFile);
        return code.includes('compiled late');
      };
      const withLate = (call: string): string => `(function (require, module) {
        function late() { const text = 'compiled ' + 'late'; return [text, 'compiled late'].length; }
        module.exports.launcher = {};
        setImmediate(() => { ${call}; module.exports.launcher.keepCode(true); });
      })`;
      writeFileSync(path.join(installed, 'brokertop-program.cjs'), withLate('0'));
      start();
      expect(isLazy()).toBe(false);
      writeFileSync(path.join(installed, 'brokertop-program.cjs'), withLate('late()'));
      start();
      expect(isLazy()).toBe(true);
    });

    test('is of each kind of run', () => {
      for (const args of [[], ['--url', 'x'], ['list', 'clients'], ['list', '--help'], ['--once'], ['../x']])
        start(undefined, ...args);
      expect(readdirSync(cache).map((name) => name.split('-')[0])).toEqual(['help', 'list', 'monitor', 'once']);
    });

    test('does not take a command after its flags for the monitor', () => {
      start(undefined, '--url', 'x', 'list', 'clients');
      expect(existsSync(cache)).toBe(false);
    });

    test('creates its folders, or does nothing if it cannot', () => {
      const deep = path.join(path.dirname(cache), 'not', 'there', 'yet');
      expect(start(deep)).toBe('one');
      expect(readdirSync(path.join(deep, 'brokertop'))).toHaveLength(1);
      writeFileSync(path.join(folder, 'file'), '');
      // In /proc a folder cannot be created, and the error wrongly says that its parent is missing.
      for (const nowhere of ['/proc/nowhere', '/proc/1/nowhere', path.join(folder, 'file')])
        expect(start(nowhere)).toBe('one');
    });

    test('is not used for another program of the same length', () => {
      start();
      install('two');
      expect(start()).toBe('two');
    });

    test('is not used when it is damaged', () => {
      start();
      const code = readFileSync(codeFile);
      for (const at of [0, 258, 300, code.length - 40]) {
        const damaged = Buffer.from(code);
        damaged.writeUInt8(damaged.readUInt8(at) ^ 0x41, at);
        writeFileSync(codeFile, damaged);
        expect(isUsed()).toBe(false);
      }
      writeFileSync(codeFile, code.subarray(0, code.length / 2));
      expect(isUsed()).toBe(false);
      expect(isUsed()).toBe(true);
    });

    test('is neither used nor written where others may write', () => {
      start();
      for (const mode of [0o777, 0o770]) {
        chmodSync(cache, mode);
        const written = statSync(codeFile).mtimeMs;
        expect(start()).toBe('one');
        expect(statSync(codeFile).mtimeMs).toBe(written);
      }
      chmodSync(cache, 0o700);
      expect(isUsed()).toBe(true);
      chmodSync(codeFile, 0o660);
      expect(isUsed()).toBe(false);
    });

    test.skipIf(process.platform === 'win32')('is closed to others, whatever the umask', () => {
      spawnSync('/bin/sh', ['-c', 'umask 000; "$0" "$1"', process.execPath, path.join(installed, 'brokertop.cjs')], {
        encoding: 'utf8',
        env: { HOME: home, XDG_CACHE_HOME: path.dirname(cache) },
      });
      expect(statSync(cache).mode & 0o077).toBe(0);
      expect(statSync(codeFile).mode & 0o077).toBe(0);
    });

    test('is not used through a link', () => {
      const elsewhere = path.join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(path.dirname(cache));
      symlinkSync(elsewhere, cache);
      expect(start()).toBe('one');
      expect(readdirSync(elsewhere)).toEqual([]);
    });

    test('is not read from a link or a hard-linked file', () => {
      for (const alias of [symlinkSync, linkSync]) {
        rmSync(cache, { recursive: true, force: true });
        start();
        const outside = path.join(folder, 'outside.code');
        renameSync(codeFile, outside);
        alias(outside, codeFile);
        const before = readFileSync(outside);
        expect(isUsed()).toBe(false);
        expect(readFileSync(outside)).toEqual(before);
        expect(isUsed()).toBe(true);
      }
    });

    test.runIf(process.getuid?.() === 0)('is not used in a folder or from a file of another user', () => {
      start();
      chownSync(codeFile, 12_345, 12_345);
      expect(isUsed()).toBe(false);
      chownSync(cache, 12_345, 12_345);
      const written = statSync(codeFile).mtimeMs;
      expect(start()).toBe('one');
      expect(statSync(codeFile).mtimeMs).toBe(written);
    });

    test('is in the home folder if XDG_CACHE_HOME is empty or relative', () => {
      for (const none of ['', 'relative']) {
        rmSync(path.join(home, '.cache'), { recursive: true, force: true });
        expect(start(none)).toBe('one');
        expect(readdirSync(path.join(home, '.cache', 'brokertop'))).toHaveLength(1);
        expect(existsSync(path.join(installed, 'relative'))).toBe(false);
      }
    });
  });
});
