import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingPackages, platformEntry } from '../../.tools/lock-file.ts';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface LockEntry {
  readonly version?: string;
  readonly os?: string[];
  readonly cpu?: string[];
  readonly optionalDependencies?: Record<string, string>;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Record<string, LockEntry> };
const entries = Object.entries(lock.packages).filter(([name]) => name !== '');

describe('the installed packages', () => {
  test('installing runs no script', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/mu);
    expect(read('.ci/run')).toMatch(/^step 'install' npm ci --ignore-scripts$/mu);
    // esbuild's script only checks the installation and is not needed.
    expect(entries.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name)).toEqual([
      'node_modules/esbuild',
    ]);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(pre|post|prepare|install)/u.test(name))).toEqual([]);
  });

  test('all come from the registry, in exact versions', () => {
    expect(
      entries
        .filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
        .map(([name]) => name),
    ).toEqual([]);
    const { devDependencies, optionalDependencies, dependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string> | undefined
    >;
    expect(dependencies).toBeUndefined();
    for (const version of Object.values({ ...devDependencies, ...optionalDependencies }))
      expect(version).toMatch(/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(?:-alpha\.\d+)?$/u);
  });

  // Node itself, once per platform. Everything else is bundled (see test/package/package.test.ts) or a tool.
  test('without development tools there is only Node', () => {
    expect(
      entries
        .filter(([, { dev }]) => dev !== true)
        .map(([name]) => name)
        .filter((name) => !/^node_modules\/node-(bin-)?(linux|darwin|win)-(x64|arm64)$/u.test(name)),
    ).toEqual([]);
  });

  test('all have a hash, except tools for platforms other than that of the lock file', () => {
    const unchecked = entries.filter(([, { integrity }]) => integrity === undefined);
    expect(
      unchecked.filter(([, { dev, optional }]) => dev !== true || optional !== true).map(([name]) => name),
    ).toEqual([]);
  });
});

describe('the lock file', () => {
  test('holds every package for every platform, or npm ci refuses it (npm run lock adds them)', () => {
    expect(missingPackages(lock)).toEqual([]);
  });

  test('has Node for the common platforms, in one version', () => {
    const nodes = Object.entries(lock.packages).filter(([name]) =>
      /^node_modules\/node-(bin-)?(linux|darwin|win)-/.test(name),
    );
    expect(nodes.map(([, { os, cpu }]) => `${os} ${cpu}`).toSorted()).toEqual([
      'darwin arm64',
      'darwin x64',
      'linux arm64',
      'linux x64',
      'win32 arm64',
      'win32 x64',
    ]);
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
  });

  test('a missing package is found wherever it is required', () => {
    const packages = {
      '': {},
      'node_modules/a': { dev: true, optionalDependencies: { '@a/linux-x64-musl': '1.2.3', b: '^1.0.0' } },
      'node_modules/b': {},
      'node_modules/c/node_modules/d': { optionalDependencies: { e: '1.0.0', f: '1.0.0' } },
      'node_modules/c/node_modules/e': {},
    };
    expect(missingPackages({ packages })).toEqual([
      { name: '@a/linux-x64-musl', version: '1.2.3', isDevelopment: true },
      { name: 'f', version: '1.0.0', isDevelopment: false },
    ]);
  });

  test.each([
    ['@oxlint/binding-linux-arm-musleabihf', { os: ['linux'], cpu: ['arm'], libc: ['musl'] }],
    ['@oxlint/binding-linux-x64-gnu', { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
    ['@oxc-parser/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@oxc-parser/binding-android-arm-eabi', { os: ['android'], cpu: ['arm'] }],
  ])('derives the platform of %s from its name', (name, platform) => {
    expect(platformEntry({ name, version: '1.2.3', isDevelopment: true })).toEqual({
      version: '1.2.3',
      dev: true,
      optional: true,
      ...platform,
    });
    expect(() => platformEntry({ name, version: '^1.2.3', isDevelopment: true })).toThrow(name);
    expect(() => platformEntry({ name: 'fsevents', version: '1.2.3', isDevelopment: true })).toThrow('fsevents');
  });
});
