import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runConfig } from '../../../src/cli/commands/config.ts';
import { loadConfig } from '../../../src/cli/config/context.ts';
import { printContext } from './run-context.ts';
import type { ContextAction } from '../../../src/cli/options/commands.ts';
import { parseArguments } from '../../../src/cli/options/flags.ts';

const text =
  '[contexts.a]\nurl = "http://127.0.0.1:1"\npassword-command = "touch owned"\n\n[contexts.b]\nurl = "http://127.0.0.1:2"\n';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  file = path.join(folder, 'config.toml');
  await writeFile(file, text, { mode: 0o644 });
});

const load = (given = file) => loadConfig({ config: given }, {});

const context = (action: ContextAction, name?: string, flags?: Parameters<typeof printContext>[3]): Promise<string> =>
  printContext(file, action, name, flags);

const source = (): string => `The configuration file ${JSON.stringify(file)}`;

describe('a configuration that others can change is refused', () => {
  test('others can read it', async () => {
    expect(Object.keys((await load())?.contexts ?? {})).toEqual(['a', 'b']);
  });

  test.each([0o666, 0o664, 0o646])('mode %o', async (mode) => {
    await chmod(file, mode);
    const message = `${source()} is writable by other users. Run: chmod go-w ${JSON.stringify(file)}`;
    await expect(load()).rejects.toThrow(message);
    // Every command that reads it.
    for (const [action, name] of [['list'], ['names'], ['use', 'b'], ['remove', 'b'], ['add', 'c'], ['test']] as const)
      await expect(context(action, name)).rejects.toThrow(message);
    await expect(runConfig('check', { config: file }, { stdout: { write: () => {} }, env: {} })).rejects.toThrow(
      message,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('a folder that others can write to, except one such as /tmp', async () => {
    await chmod(folder, 0o777);
    await expect(load()).rejects.toThrow(
      `${source()} is in a folder that other users can write to. Run: chmod go-w ${JSON.stringify(folder)}`,
    );
    await chmod(folder, 0o1777);
    expect(await load()).toBeDefined();
  });

  test('a link, if others can change the link or the file', async () => {
    const links = path.join(folder, 'links');
    await mkdir(links);
    const link = path.join(links, 'config.toml');
    await symlink(file, link);
    expect(await load(link)).toBeDefined();
    await chmod(links, 0o777);
    await expect(load(link)).rejects.toThrow(
      `is in a folder that other users can write to. Run: chmod go-w ${JSON.stringify(links)}`,
    );
    await chmod(links, 0o755);
    await chmod(folder, 0o777);
    await expect(load(link)).rejects.toThrow(
      `is in a folder that other users can write to. Run: chmod go-w ${JSON.stringify(folder)}`,
    );
  });

  test.runIf(process.getuid?.() === 0)('another user owns it, or its folder', async () => {
    await chown(file, 12_345, 12_345);
    await expect(load()).rejects.toThrow(`${source()} belongs to another user. Use your own copy with mode 600.`);
    await chown(file, 0, 0);
    await chown(folder, 12_345, 12_345);
    await expect(load()).rejects.toThrow(
      `${source()} is in a folder of another user. Use your own copy in your own folder.`,
    );
  });
});

describe('a byte order mark', () => {
  beforeEach(() => writeFile(file, `\uFEFFcontext = "a"\n${text}`));

  test('is no obstacle to changes', async () => {
    expect(await context('use', 'b')).toBe('b is now the default context.\n');
    expect(await context('remove', 'a')).toBe('Removed a.\n');
    expect(await context('add', 'c', { url: ['http://127.0.0.1:3'] })).toContain('Added c.');
    expect(Object.keys((await load())?.contexts ?? {})).toEqual(['b', 'c']);
  });

  test('does not hide where a mistake is', async () => {
    await writeFile(file, '\uFEFFinterval = 3\n');
    await expect(load()).rejects.toThrow(`${file}:1:1: "interval" is not a setting.`);
    await writeFile(file, '\uFEFF[defaults]\nintervall = 3\n');
    await expect(load()).rejects.toThrow(`${file}:2:1: "intervall" is not a setting. Did you mean interval?`);
  });
});

describe('a file that cannot be used', () => {
  test.runIf(process.platform === 'linux')('an I/O error is said', async () => {
    // Its first page is not mapped.
    await expect(load('/proc/self/mem')).rejects.toThrow(
      /^The configuration file "\/proc\/self\/mem" (?:cannot be read \(I\/O error\)|is in a folder of another user)/u,
    );
  });

  test('a pipe does not hang any command', async () => {
    await rm(file);
    execFileSync('mkfifo', ['-m', '600', file]);
    for (const [action, name] of [['list'], ['names'], ['use', 'b'], ['remove', 'b'], ['add', 'c'], ['test']] as const)
      await expect(context(action, name)).rejects.toThrow(`${source()} is not a regular file.`);
  });
});

test('a context named __proto__ is refused, in the file and by context add', async () => {
  await writeFile(file, '[contexts.__proto__]\nurl = "http://127.0.0.1:1"\n\n[keys]\n__proto__ = "Alt-k"\n');
  const error: unknown = await load().catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(`${file}:1:2: "__proto__" is not a valid name`);
  expect(String(error)).toContain(`${file}:5:1: "__proto__" is not a command.`);
  await writeFile(file, text);
  await expect(context('add', '__proto__', { url: ['http://127.0.0.1:1'] })).rejects.toThrow(
    '"__proto__" is not a valid name',
  );
});

test('config check and path print the path without its control characters to a terminal', async () => {
  const odd = path.join(folder, 'a\u001B[31mb.toml');
  await writeFile(odd, text);
  const run = async (action: 'check' | 'path', isTTY: boolean): Promise<string> => {
    let printed = '';
    await runConfig(
      action,
      { config: odd },
      {
        stdout: {
          isTTY,
          write: (more) => {
            printed += more;
          },
        },
        env: {},
      },
    );
    return printed;
  };
  expect(await run('check', false)).toBe(
    `${folder}/a${String.raw`\x1b`}[31mb.toml: no problems found. Contexts: a, b.\n`,
  );
  expect(await run('path', true)).toBe(`${folder}/a${String.raw`\x1b`}[31mb.toml\n`);
  // A script needs the exact one.
  expect(await run('path', false)).toBe(`${odd}\n`);
});

test('a file with thousands of mistakes is refused with the first of them, in a second or two', async () => {
  const forms = [
    Array.from({ length: 20_000 }, (_, index) => `defaults.key${index}.more = 1`),
    Array.from({ length: 20_000 }, (_, index) => `[contexts.a${index}]\nurll = 1`),
    Array.from({ length: 30_000 }, (_, index) => `[table${index}]`),
  ];
  for (const lines of forms) {
    await writeFile(file, lines.join('\n'));
    const error: unknown = await load().catch((thrown: unknown) => thrown);
    expect(String(error).split('\n')).toHaveLength(50);
  }
});

test('~ in the name of a file is the home folder, also after =', () => {
  const home = process.env['HOME'];
  onTestFinished(() => {
    process.env['HOME'] = home;
  });
  process.env['HOME'] = '/home/ops';
  expect({
    ...parseArguments(['--password-file=~/pw', '--ca=~', '--cert', '~other/c', '--user=~/x', '--config=./~/x']).flags,
  }).toEqual({ 'password-file': '/home/ops/pw', ca: '/home/ops', cert: '~other/c', user: '~/x', config: './~/x' });
  expect(parseArguments(['broker', '--data=~/data']).flags['data']).toBe('/home/ops/data');
});
