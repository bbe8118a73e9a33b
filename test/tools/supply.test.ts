import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockEntry> };
const entries = Object.entries(packages).filter(([name]) => name !== '');

describe('what is installed', () => {
  test('runs nothing while it is installed', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/mu);
    expect(read('.ci/run')).toMatch(/^step 'install' npm ci --ignore-scripts$/mu);
    // esbuild's script only checks the installation and is not needed.
    expect(entries.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name)).toEqual(['node_modules/esbuild']);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(pre|post|prepare|install)/u.test(name))).toEqual([]);
  });

  test('comes from the registry, in the versions of the lock file', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')).map(([name]) => name)).toEqual([]);
    const { devDependencies, optionalDependencies, dependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string> | undefined>;
    expect(dependencies).toBeUndefined();
    for (const version of Object.values({ ...devDependencies, ...optionalDependencies })) expect(version).toMatch(/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/u);
  });

  // Node itself, once per platform. Everything else is bundled (see test/package/package.test.ts) or a tool.
  test('without the tools is one package: Node', () => {
    expect(entries.filter(([, { dev }]) => dev !== true).map(([name]) => name).filter((name) => !/^node_modules\/node-(bin-)?(linux|darwin|win)-(x64|arm64)$/u.test(name))).toEqual([]);
  });

  test('is checked by its hash, but for tools of platforms that the lock file was not made on', () => {
    const unchecked = entries.filter(([, { integrity }]) => integrity === undefined);
    expect(unchecked.filter(([, { dev, optional }]) => dev !== true || optional !== true).map(([name]) => name)).toEqual([]);
  });
});
