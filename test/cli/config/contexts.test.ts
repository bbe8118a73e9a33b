import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { printContext } from './run-context.ts';

test('contexts are added, listed and removed, and the rest of the file stays', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-contexts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'config.toml');
  const context = (
    ...given: readonly [Parameters<typeof printContext>[1], string?, Parameters<typeof printContext>[3]?]
  ) => printContext(file, ...given);
  const url = ['http://127.0.0.1:1883'];

  expect(await context('list')).toBe('No contexts.\n');
  await writeFile(file, '# mine\n[defaults]\npassword-file = "~/password" # shared');
  expect(await context('list')).toBe('No contexts.\n');
  expect(await context('add', 'plant', { url, color: 'red' })).toBe(
    'Added plant. Try it with: brokertop context test plant\n',
  );
  await context('add', 'gone', { url: ['http://127.0.0.1:1'], user: 'ops', api: 'v5' });
  await expect(context('add', 'plant', { url })).rejects.toThrow(
    'Context plant already exists. Remove it first, or change it in the file.',
  );
  expect(await context('use', 'plant')).toBe('plant is now the default context.\n');
  expect(await context('names')).toBe('plant\ngone\n');
  expect((await context('list')).split('\n').map((line) => line.split(/\s{2,}/u))).toEqual([
    ['', 'NAME', 'URL', 'API', 'USER'],
    ['*', 'plant', 'http://127.0.0.1:1883', 'auto'],
    ['', 'gone', 'http://127.0.0.1:1', 'v5', 'ops'],
    [''],
  ]);
  await expect(context('remove', 'plant')).rejects.toThrow(
    'plant is the context to start with. Choose another first, with brokertop context use NAME.',
  );
  expect(await context('remove', 'gone')).toBe('Removed gone.\n');
  await expect(context('test', 'gone')).rejects.toThrow('Context "gone" does not exist. Contexts: plant.');
  await expect(context('add', 'bad name', { url })).rejects.toThrow('"bad name" ');
  await expect(context('add', 'new', { url: ['http://a:b@127.0.0.1'] })).rejects.toThrow(
    'must not contain a username or password (use user and password-file)',
  );
  expect(await readFile(file, 'utf8')).toContain('# mine\n[defaults]\npassword-file = "~/password" # shared');
});
