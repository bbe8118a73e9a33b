import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bulkReport } from '../../src/commands/bulk-report.ts';
import { readPayloadFile } from '../../src/commands/payload-file.ts';
import type { BulkProgress } from '../../src/store/actions/bulk.ts';

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

test('a payload is the text of the file, byte order mark and all', async () => {
  expect(await readPayloadFile(await file('text', '\uFEFFüber\r\n'))).toBe('\uFEFFüber\r\n');
  expect(await readPayloadFile(await file('empty', ''))).toBe('');
});

test('what cannot be a payload is refused in one sentence', async () => {
  await expect(readPayloadFile(path.join(folder, 'none'))).rejects.toThrow('The file cannot be read (ENOENT).');
  await expect(readPayloadFile(folder)).rejects.toThrow('That is no file.');
  await expect(readPayloadFile('/dev/zero')).rejects.toThrow('That is no file.');
  await expect(readPayloadFile(await file('bytes', Uint8Array.of(0xff, 0xfe)))).rejects.toThrow('The file is no UTF-8 text');
  await expect(readPayloadFile(await file('large', 'x'.repeat(1_048_577)))).rejects.toThrow('larger than the 1 MiB');
});

const bulk: BulkProgress = {
  id: 'x', title: 'disconnect 3 marked clients', phase: 'finished', total: 3, done: 1, notDone: 1, unknown: 0, skipped: 1, changed: 1, running: 0, waiting: 0,
  failures: [{ target: {}, outcome: 'not-done', text: 'a\u001B[2J' }, { target: {}, outcome: 'skipped', text: 'b' }], endedBecause: undefined, startedAtMs: 0, finishedAtMs: 1,
};

test('a bulk that was done in part is reported with each failure, made harmless', () => {
  expect(bulkReport(bulk)).toBe([
    'brokertop: disconnect 3 marked clients: 1 done, 1 not done, 0 unknown, 1 skipped (1 changed since listed), 3 in all.',
    String.raw`  a\x1b[2J`,
    '  b',
    '',
  ].join('\n'));
  expect(bulkReport(undefined)).toBeUndefined();
  expect(bulkReport({ ...bulk, done: 3, notDone: 0, skipped: 0, changed: 0, failures: [] })).toBeUndefined();
});
