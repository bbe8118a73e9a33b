import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingPackages, platformEntry } from '../../.tools/lock-file.ts';

interface LockFile {
  readonly packages: Record<string, { version?: string; os?: string[]; cpu?: string[]; optionalDependencies?: Record<string, string> }>;
}

const lock = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8')) as LockFile;

describe('the lock file', () => {
  test('holds every package for every platform, or npm ci refuses it (npm run lock adds them)', () => {
    expect(missingPackages(lock)).toEqual([]);
  });

  test('has the bundled Node for the usual platforms, in one version', () => {
    const nodes = Object.entries(lock.packages).filter(([name]) => /^node_modules\/node-(bin-)?(linux|darwin|win)-/.test(name));
    expect(nodes.map(([, { os, cpu }]) => `${os} ${cpu}`).toSorted()).toEqual([
      'darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 arm64', 'win32 x64',
    ]);
    expect(new Set(nodes.map(([, { version }]) => version)).size).toBe(1);
  });

  test('a missing package is found wherever it is required', () => {
    const packages = {
      '': {},
      'node_modules/a': { dev: true, optionalDependencies: { '@a/linux-x64-musl': '1.2.3', 'b': '^1.0.0' } },
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
  ])('knows from its name what %s is for', (name, platform) => {
    expect(platformEntry({ name, version: '1.2.3', isDevelopment: true })).toEqual({ version: '1.2.3', dev: true, optional: true, ...platform });
    expect(() => platformEntry({ name, version: '^1.2.3', isDevelopment: true })).toThrow(name);
    expect(() => platformEntry({ name: 'fsevents', version: '1.2.3', isDevelopment: true })).toThrow('fsevents');
  });
});
