import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayloadFile } from '../../../src/cli/files/text-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'payload-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const file = async (name: string, bytes: Uint8Array | string): Promise<string> => {
  const place = path.join(folder, name);
  await writeFile(place, bytes);
  return place;
};

test('a payload is the text of the file, including a byte order mark', async () => {
  expect(await readPayloadFile(await file('text', '\uFEFFüber\r\n'))).toBe('\uFEFFüber\r\n');
  expect(await readPayloadFile(await file('empty', ''))).toBe('');
});

test('invalid payload files are rejected with one sentence', async () => {
  await expect(readPayloadFile(path.join(folder, 'none'))).rejects.toThrow(
    'The file cannot be read (no such file or folder).',
  );
  await expect(readPayloadFile(folder)).rejects.toThrow('Not a file.');
  await expect(readPayloadFile('/dev/zero')).rejects.toThrow('Not a file.');
  await expect(readPayloadFile(await file('bytes', Uint8Array.of(0xff, 0xfe)))).rejects.toThrow(
    'The file is not UTF-8 text. The API accepts text only.',
  );
  await expect(readPayloadFile(await file('large', 'x'.repeat(1_048_577)))).rejects.toThrow(
    'The file is larger than the limit of 1 MiB.',
  );
});
