import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { saveFile } from '../../../src/cli/files/saved-file.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'saved-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a saved file', () => {
  test('holds all pieces, and only its owner can read it', async () => {
    const file = path.join(folder, 'a.csv');
    const pieces = Array.from({ length: 50_000 }, (_, index) => `line ${index} ü\r\n`);
    const { path: written, bytes } = await saveFile(file, pieces, false);
    expect(written).toBe(file);
    expect(readFileSync(file, 'utf8')).toBe(pieces.join(''));
    expect({ size: bytes, mode: statSync(file).mode & 0o777 }).toEqual({ size: statSync(file).size, mode: 0o600 });
  });

  test('never replaces another one unasked', async () => {
    const file = path.join(folder, 'a.csv');
    writeFileSync(file, 'before');
    await expect(saveFile(file, ['after'], false)).rejects.toThrow(
      'This file already exists. Choose another name, or set Replace to yes.',
    );
    expect(readFileSync(file, 'utf8')).toBe('before');
    await saveFile(file, ['after'], true);
    expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777, names: readdirSync(folder) }).toEqual(
      { text: 'after', mode: 0o600, names: ['a.csv'] },
    );
  });

  test.each([false, true])(
    'leaves nothing of one that fails, and the one before as it was (replace: %s)',
    async (mayReplace) => {
      const file = path.join(folder, 'a.csv');
      if (mayReplace) writeFileSync(file, 'before');
      const failing = function* (): Iterable<string> {
        yield 'x'.repeat(300_000);
        throw new Error('no more');
      };
      await expect(saveFile(file, failing(), mayReplace)).rejects.toThrow('The file cannot be written');
      expect(readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))).toEqual(
        mayReplace ? ['before'] : [],
      );
    },
  );

  test('says in one sentence what is wrong with its name', async () => {
    mkdirSync(path.join(folder, 'sub'));
    symlinkSync('/dev/null', path.join(folder, 'link'));
    await expect(saveFile(path.join(folder, 'sub'), [], true)).rejects.toThrow('This is a folder. Add a file name.');
    await expect(saveFile(`${folder}/new/`, [], true)).rejects.toThrow('This is a folder. Add a file name.');
    await expect(saveFile(path.join(folder, 'link'), [], true)).rejects.toThrow(
      'This is not a regular file. Choose another name.',
    );
    await expect(saveFile(path.join(folder, 'none', 'a.csv'), [], false)).rejects.toThrow(
      'The file cannot be written (no such file or folder).',
    );
    await expect(saveFile(path.join(folder, 'n'.repeat(300)), [], false)).rejects.toThrow(
      'The file cannot be written (ENAMETOOLONG).',
    );
  });

  test.skipIf(process.getuid?.() === 0)('needs the right to write', async () => {
    chmodSync(folder, 0o500);
    await expect(saveFile(path.join(folder, 'a.csv'), [], false)).rejects.toThrow(
      'The file cannot be written (permission denied).',
    );
  });
});
