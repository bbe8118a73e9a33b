import { readdir, type rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { lockFolder } from '../../../src/broker/data/folder.ts';
import { makeFolder } from './support.ts';

/** `next` happens right after a file was removed. */
const removed = vi.hoisted(() => ({ next: async (_file: unknown): Promise<void> => undefined }));

vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    rm: async (...args: Parameters<typeof rm>) => {
      await original.rm(...args);
      await removed.next(args[0]);
    },
  };
});

it.each([
  ['names the one', JSON.stringify({ pid: process.ppid, started: '' }), `in use by process ${process.ppid}`],
  ['says that another one', '', 'in use by another process'],
])('%s that takes the folder while the lock of one that is gone is replaced', async (_, text, message) => {
  const folder = await makeFolder();
  const lock = path.join(folder, 'lock');
  await writeFile(lock, JSON.stringify({ pid: 4_194_304, started: '' }));
  removed.next = async (file) => {
    if (file === lock) await writeFile(lock, text);
  };
  await expect(lockFolder(folder)).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual(['lock']);
});
