import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { describeEnding, watchForEndings } from '../../../src/cli/process/endings.ts';

test('a failing terminal is an ending, and its later errors are ignored', async () => {
  const stdout = new PassThrough();
  const { ended, unwatch } = watchForEndings(stdout);
  stdout.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }));
  expect(await ended).toEqual({ kind: 'gone' });
  unwatch();
  // It would end the process if nobody heard it.
  expect(stdout.emit('error', new Error('write EIO'))).toBe(true);
});

test('each ending has its text', () => {
  const endings = [
    { kind: 'signal', signal: 'SIGTERM' },
    { kind: 'signal', signal: 'SIGHUP' },
    { kind: 'error', error: undefined },
    { kind: 'gone' },
    { kind: 'quit' },
  ] as const;
  expect(endings.map((ending) => describeEnding(ending))).toEqual([
    'brokertop was stopped by SIGTERM.',
    'brokertop was stopped by SIGHUP.',
    'brokertop stopped after an internal error.',
    'brokertop stopped because its terminal was closed.',
    'brokertop was quit.',
  ]);
});
