import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isProcessThere } from '../../support/processes.ts';
import { startProgram } from '../commands/program.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-command-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a running password command too', async (signal) => {
  const file = path.join(folder, signal);
  const { child, exited } = startProgram(
    '--once',
    '--password-command',
    `sleep 300 & echo $! >'${file}.draft'; mv '${file}.draft' '${file}'; wait`,
  );
  await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
  const pid = Number(readFileSync(file, 'utf8'));
  expect(isProcessThere(pid)).toBe(true);
  child.kill(signal);
  expect(await exited).toEqual({ code: null, signal });
  await expect.poll(() => isProcessThere(pid), { timeout: 30_000 }).toBe(false);
});

test('a program that ends while the command runs again kills the command', async () => {
  const file = path.join(folder, 'exit');
  const command = `sleep 300 & echo $! >'${file}.draft'; mv '${file}.draft' '${file}'; wait`;
  const module = new URL('../../../src/cli/options/password.ts', import.meta.url).href;
  const program = `import { readPasswordCommand } from ${JSON.stringify(module)};
    process.stdin.once('data', () => process.exit(0));
    await readPasswordCommand(${JSON.stringify(command)}, { hasTerminal: false });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
  const pid = Number(readFileSync(file, 'utf8'));
  expect(isProcessThere(pid)).toBe(true);
  child.stdin.write('q');
  expect(await exited).toEqual([0, null]);
  await expect.poll(() => isProcessThere(pid), { timeout: 30_000 }).toBe(false);
});
