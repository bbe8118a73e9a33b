import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { baseFolder, homeFolder } from '../../../src/cli/files/ownership.ts';

const unknownUser = (): string => {
  throw new Error('ENOENT');
};

test('the home folder comes from the environment, else from the user database', () => {
  expect(homeFolder({ HOME: '/home/ann' }, unknownUser)).toBe('/home/ann');
  for (const none of [{}, { HOME: '' }, { HOME: 'relative' }]) {
    expect(homeFolder(none)).toBe(userInfo().homedir);
    expect(homeFolder(none, unknownUser)).toBeUndefined();
    expect(homeFolder(none, () => '')).toBeUndefined();
  }
});

test('an empty or relative base folder is ignored', () => {
  expect(baseFolder('/var/cache', undefined, '.cache')).toBe('/var/cache');
  for (const none of [undefined, '', 'relative', './relative']) {
    expect(baseFolder(none, '/home/ann', '.cache')).toBe('/home/ann/.cache');
    expect(baseFolder(none, undefined, '.cache')).toBeUndefined();
  }
});
