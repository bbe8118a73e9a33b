import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const section = /^## What you can rely on\n(?<text>[^]*?)^## /mu.exec(readme)?.groups?.['text'] ?? '';
const promises = section.split(/^- /mu).slice(1).map((promise) => promise.replaceAll(/\s+/gu, ' '));
const testsOf = (promise: string): readonly string[] => [...promise.matchAll(/`((?:[a-z0-9-]+\/)+[a-z0-9-]+)`/gu)].map(([, name = '']) => name);
const isTest = (name: string): boolean => ['.test.ts', '.test.tsx'].some((end) => existsSync(path.join(root, 'test', name + end)));

test('every promise of the README names a test, and every test that it names is there', () => {
  expect(promises.length).toBeGreaterThan(20);
  expect(promises.filter((promise) => testsOf(promise).length === 0)).toEqual([]);
  expect(promises.flatMap(testsOf).filter((name) => !isTest(name))).toEqual([]);
});
