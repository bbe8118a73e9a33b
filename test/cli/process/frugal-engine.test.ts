import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Keeps 40 MB of new objects, as reading a large list does, and says how large the space for new ones became. */
const script = (isFrugal: boolean): string => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { makeEngineFrugal } from '${new URL('../../../src/cli/process/frugal-engine.ts', import.meta.url).href}';
  if (${isFrugal}) makeEngineFrugal();
  const kept = [];
  for (let index = 0; index < 500_000; index += 1) kept.push({ index, next: [index] });
  console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size, kept.length);
`;

function newSpaceMegabytes(isFrugal: boolean): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script(isFrugal)], { encoding: 'utf8' });
  // An engine that does not know a flag says so here.
  expect(stderr).toBe('');
  return Number.parseInt(stdout, 10) / 2 ** 20;
}

it('keeps the space for new objects as small as it is, without a word from the engine', () => {
  expect(newSpaceMegabytes(true)).toBeLessThan(12);
  expect(newSpaceMegabytes(false)).toBeGreaterThan(24);
});
