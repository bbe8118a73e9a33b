import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { baseFolder, homeFolder } from '../../../src/cli/files/ownership.ts';

const unknownUser = (): string => { throw new Error('ENOENT'); };

test('the home folder is that of the environment, or else that of the user database', () => {
  expect(homeFolder({ HOME: '/home/ann' }, unknownUser)).toBe('/home/ann');
  for (const none of [{}, { HOME: '' }, { HOME: 'relative' }]) {
    expect(homeFolder(none)).toBe(userInfo().homedir);
    expect(homeFolder(none, unknownUser)).toBeUndefined();
    expect(homeFolder(none, () => '')).toBeUndefined();
  }
});

test('a base folder that is empty or relative does not count', () => {
  expect(baseFolder('/var/cache', undefined, '.cache')).toBe('/var/cache');
  for (const none of [undefined, '', 'relative', './relative']) {
    expect(baseFolder(none, '/home/ann', '.cache')).toBe('/home/ann/.cache');
    expect(baseFolder(none, undefined, '.cache')).toBeUndefined();
  }
});
