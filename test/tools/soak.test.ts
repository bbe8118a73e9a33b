import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { afterWarmUp, readProcess, slopePerHour } from '../../.tools/soak/figures.ts';

const points = (values: readonly number[]) => values.map((value, index) => ({ hours: index / 60, value }));

test('growth per hour is the slope of a linear fit', () => {
  expect(slopePerHour(points([10, 11, 12, 13]))).toBeCloseTo(60);
  expect(slopePerHour(points([10, 12, 10, 12, 10]))).toBeCloseTo(0);
  expect(slopePerHour(points([5]))).toBe(0);
  expect(slopePerHour([])).toBe(0);
});

test('the first quarter, in which a program reaches its size, does not count', () => {
  expect(slopePerHour(afterWarmUp(points([0, 50, 100, 100, 100, 100, 100, 100])))).toBe(0);
});

test.runIf(process.platform === 'linux')('a process has figures until it ends, which is not an error', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  const { pid = 0 } = child;
  expect(readProcess(pid)).toMatchObject({
    residentMegabytes: expect.any(Number),
    descriptors: expect.any(Number),
    cpuSeconds: expect.any(Number),
  });
  child.stdin.end();
  await exited;
  expect(readProcess(pid)).toBeUndefined();
});
