import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import {
  readPassword,
  readPasswordCommand,
  readPasswordFile,
  rereadPassword,
  takePasswordVariable,
} from '../../../src/cli/options/password.ts';
import { isProcessThere } from '../../support/processes.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brokertop-password-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sourceOf = (path: string): string => `The password file "${path}"`;

async function file(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

describe('readPasswordFile', () => {
  it('returns the line, including spaces', async () => {
    expect(await readPasswordFile(await file('good', ' se cret é \n'))).toBe(' se cret é ');
    expect(await readPasswordFile(await file('bare', 'secret'))).toBe('secret');
  });

  it('leaves out a byte order mark, in a file and in the output of a command', async () => {
    expect(await readPasswordFile(await file('marked', '\uFEFFsecret\r\n'))).toBe('secret');
    expect(await readPasswordCommand(String.raw`printf '\357\273\277secret\n'`)).toBe('secret');
  });

  it('follows a link to a private file', async () => {
    const path = join(folder, 'link');
    await symlink(await file('target', 'secret\n'), path);
    expect(await readPasswordFile(path)).toBe('secret');
  });

  it.each([
    [
      'group',
      'canary-7\n',
      0o640,
      (source: string) => `${source} is accessible to other users. Run: chmod 600 "${join(folder, 'group')}"`,
    ],
    ['empty', '\n', 0o600, (source: string) => `${source} is empty.`],
    [
      'two',
      'canary-7\nmore\n',
      0o600,
      (source: string) => `${source} has more than one line. It must contain only the password.`,
    ],
    ['binary', 'canary-7\0\n', 0o600, (source: string) => `${source} contains a NUL character.`],
    ['huge', 'canary-7'.repeat(1000), 0o600, (source: string) => `${source} is too large for a password.`],
  ])('refuses a file that is %s, without its content', async (name, text, mode, textOf) => {
    const path = await file(name, text, mode);
    const error = await readPasswordFile(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(textOf(sourceOf(path)));
    expect(inspect(error)).not.toContain('canary-7');
  });

  it('rejects bytes that are not UTF-8, without quoting them', async () => {
    const path = await file('latin', '');
    await writeFile(path, Buffer.from('canary-7 caf\u00E9\n', 'latin1'));
    const error = await readPasswordFile(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`${sourceOf(path)} is not UTF-8 text.`);
    expect(inspect(error)).not.toContain('canary-7');
    await expect(readPasswordCommand(`printf 'caf\\351'`)).rejects.toThrow(
      'The output of the password command is not UTF-8 text.',
    );
  });

  it('rejects a file of another user', async () => {
    const path = await file('foreign', 'canary-7\n');
    const user = vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
    await expect(readPasswordFile(path)).rejects.toThrow(
      `${sourceOf(path)} belongs to another user. Use your own copy with mode 600.`,
    );
    user.mockRestore();
  });

  it('does not wait for the writer of a pipe', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path]);
    await expect(readPasswordFile(path)).rejects.toThrow(`${sourceOf(path)} is not a regular file.`);
  });

  it('rejects what is not a file', async () => {
    await expect(readPasswordFile(folder)).rejects.toThrow(`${sourceOf(folder)} is not a regular file.`);
    await expect(readPasswordFile(join(folder, 'absent'))).rejects.toThrow(
      `${sourceOf(join(folder, 'absent'))} cannot be opened (no such file or folder).`,
    );
  });
});

describe('readPasswordCommand', () => {
  it('returns the line that it prints', async () => {
    expect(await readPasswordCommand('printf "se cret\\n"')).toBe('se cret');
  });

  it.each([
    ['exit 3', 'failed (exit code 3)'],
    ['no-such-command-here 2>/dev/null', 'failed (exit code 127)'],
    ['true', 'The output of the password command is empty.'],
    [
      'printf "canary-7\\nmore\\n"',
      'The output of the password command has more than one line. It must contain only the password.',
    ],
    ['yes canary-7', 'printed too much output'],
    ['head -c 1048576 /dev/zero | tr "\\0" 7', 'printed too much output'],
    ['printf "canary-7\\n"; exit 1', 'failed (exit code 1)'],
    ['printf "canary-7\\n"; kill -9 $$', 'was killed by SIGKILL'],
  ])('refuses %s', async (command, message) => {
    const error = await readPasswordCommand(command).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(inspect(error)).not.toContain('canary-7');
  });

  it.runIf(process.platform === 'linux')('has no access to the terminal while a screen is shown', async () => {
    const command = 'readlink /proc/$$/fd/0 /proc/$$/fd/2 | tr "\\n" " "';
    expect(await readPasswordCommand(command, { hasTerminal: false })).toBe('/dev/null /dev/null ');
  });

  it('does not wait for a background process of the command', async () => {
    const path = join(folder, 'left-behind');
    try {
      expect(await readPasswordCommand(`sleep 300 & echo $! >'${path}'; printf "se cret\\n"`)).toBe('se cret');
      await expect(
        readPasswordCommand(`sleep 300 & echo $! >>'${path}'; printf "canary-7\\n"; exit 3`),
      ).rejects.toThrow('failed (exit code 3)');
    } finally {
      // Neither was ended: it may be an agent.
      const left = (await readFile(path, 'utf8')).trim().split('\n');
      expect(left).toHaveLength(2);
      for (const pid of left) process.kill(Number(pid));
    }
  });

  describe('ends it, with what it started,', () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each([
      ['hangs', 'wait', 'did not finish within 30 s', 30_000],
      ['prints too much', 'head -c 5000 /dev/zero; wait', 'printed too much output', 0],
    ])('when it %s', async (name, rest, message, waitMs) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const path = join(folder, name);
      const refusal = readPasswordCommand(`sleep 300 & echo $$ $! >'${path}'; ${rest}`).catch(String);
      const written = (): Promise<string> => readFile(path, 'utf8').catch(() => '');
      await expect.poll(written, { timeout: 30_000 }).toMatch(/^\d+ \d+\n$/u);
      vi.advanceTimersByTime(waitMs);
      expect(await refusal).toContain(message);
      for (const pid of (await written()).split(' '))
        await expect.poll(() => isProcessThere(Number(pid)), { timeout: 30_000 }).toBe(false);
    });
  });
});

describe('rereadPassword', () => {
  it('reads a file or a command again', async () => {
    const path = join(folder, 'again');
    await writeFile(path, 'first\n', { mode: 0o600 });
    const again = rereadPassword({ kind: 'file', path });
    await writeFile(path, 'second\n');
    expect(again?.source).toBe('file');
    expect(await again?.read()).toBe('second');
    expect(await rereadPassword({ kind: 'command', command: `cat ${path}` })?.read()).toBe('second');
  });

  it.each(['prompt', 'environment'] as const)('is undefined for a %s', (kind) => {
    expect(rereadPassword({ kind })).toBeUndefined();
  });
});

describe('takePasswordVariable', () => {
  it('removes it from the environment', () => {
    const environment = { BROKERTOP_PASSWORD: 'secret', HOME: '/' };
    expect(takePasswordVariable(environment)).toBe('secret');
    expect(environment).toEqual({ HOME: '/' });
    expect(takePasswordVariable(environment)).toBeUndefined();
  });
});

it('removes the line end of the variable, and rejects a second line and an empty one', async () => {
  const read = (fromEnvironment: string): Promise<string> =>
    readPassword({ kind: 'environment' }, { user: 'u', url: 'http://h', fromEnvironment, exposure: [] });
  expect(await read('secret\n')).toBe('secret');
  await expect(read('canary-7\nmore')).rejects.toThrow(
    'BROKERTOP_PASSWORD has more than one line. It must contain only the password.',
  );
  await expect(read('\n')).rejects.toThrow('BROKERTOP_PASSWORD is empty.');
});
