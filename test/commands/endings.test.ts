import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { watchForEndings } from '../../src/commands/endings.ts';

test('a terminal that takes nothing any more is an ending, and its later errors are no others', async () => {
  const stdout = new PassThrough();
  const { ended, unwatch } = watchForEndings(stdout);
  stdout.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }));
  expect(await ended).toEqual({ kind: 'gone' });
  unwatch();
  // It would end the process if nobody heard it.
  expect(stdout.emit('error', new Error('write EIO'))).toBe(true);
});
