import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const testFolder = path.join(import.meta.dirname, '..');
const readme = readFileSync(path.join(testFolder, 'README.md'), 'utf8');
const [, section = ''] = readme.split('\n## Guarantees, and the tests behind them\n');
/** Rows of the tables, without headings and rules. */
const guarantees = [...section.matchAll(/^\| (?<text>.+) \| (?<tests>.+) \|$/gmu)].map(({ groups }) => groups ?? {}).filter(({ tests }) => tests !== 'tests');
const testsOf = ({ tests = '' }: Readonly<Record<string, string>>): readonly string[] => [...tests.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name);
const isTest = (name: string): boolean => ['.test.ts', '.test.tsx'].some((extension) => existsSync(path.join(testFolder, name + extension)));

test('every guarantee in test/README.md names its tests, and they exist', () => {
  expect(guarantees.length).toBeGreaterThan(25);
  expect(guarantees.filter((guarantee) => testsOf(guarantee).length === 0)).toEqual([]);
  expect(guarantees.flatMap(testsOf).filter((name) => !isTest(name))).toEqual([]);
});
