import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

test('npm start says that it builds, then runs the demo with its flags', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, '.tools', 'start.cjs'), '--help'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'Building brokertop…\n' });
  expect(stdout).toContain('Usage: brokertop demo [flags]');
});
