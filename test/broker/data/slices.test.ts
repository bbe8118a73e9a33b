import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonPieces, lazily } from '../../../src/api/json.ts';
import { RecordFile } from '../../../src/broker/data/record-file.ts';
import { makeFolder, readStored } from './support.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const logged = async (): Promise<void> => undefined;

/** A file of records that are lists of three numbers. */
async function makeFile(
  beforeItem: (item: number) => void,
): Promise<{ file: RecordFile<string>; read: () => Promise<string> }> {
  const folder = await makeFolder();
  const file = new RecordFile<string>(folder, {
    name: 'slow',
    version: 1,
    keyOf: (key) => key,
    decode: String,
    encode: (key) => ({
      key,
      items: lazily([1, 2, 3], (item) => {
        beforeItem(item);
        return item;
      }),
    }),
  });
  file.follow({ export: (key) => key });
  return { file, read: () => readStored(folder, 'slow') };
}

it('does not block the event loop while it encodes a long record', async () => {
  const order: string[] = [];
  const { file, read } = await makeFile((item) => {
    order.push(`item ${item}`);
    setImmediate(() => order.push(`turn ${item}`));
    work(10);
  });
  file.mark('a');
  await file.write(logged);
  expect(order).toEqual(['item 1', 'turn 1', 'item 2', 'turn 2', 'item 3', 'turn 3']);
  expect(await read()).toBe('{"brokertop":"slow","version":1,"records":1}\n{"key":"a","items":[1,2,3]}\n');
});

it('neither loses changes during a write nor writes forever because of them', async () => {
  let isMarking = true;
  const { file } = await makeFile(() => {
    work(5);
    if (isMarking) file.mark('a');
  });
  file.mark('a');
  await file.write(logged);
  expect(file.isDirty).toBe(true);
  isMarking = false;
  await file.write(logged);
  expect(file.isDirty).toBe(false);
});

it('writes the same text as at once', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), (record, list) => {
      expect([...jsonPieces({ ...record, list: lazily(list, (item) => item), none: undefined })].join('')).toBe(
        JSON.stringify({ ...record, list, none: undefined }),
      );
    }),
  );
});
