import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { describeEnding, watchForEndings } from '../../../src/cli/process/endings.ts';

test('a terminal that takes nothing any more is an ending, and its later errors are no others', async () => {
  const stdout = new PassThrough();
  const { ended, unwatch } = watchForEndings(stdout);
  stdout.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }));
  expect(await ended).toEqual({ kind: 'gone' });
  unwatch();
  // It would end the process if nobody heard it.
  expect(stdout.emit('error', new Error('write EIO'))).toBe(true);
});

test('each way to end is said by its name', () => {
  const endings = [{ kind: 'signal', signal: 'SIGTERM' }, { kind: 'signal', signal: 'SIGHUP' }, { kind: 'error', error: undefined }, { kind: 'gone' }, { kind: 'quit' }] as const;
  expect(endings.map((ending) => describeEnding(ending))).toEqual([
    'The program was ended by SIGTERM.', 'The program was ended by SIGHUP.', 'The program was ended by an error of its own.', 'The program ended because its terminal was gone.', 'The program was quit.',
  ]);
});
