import {
  deletionRequest,
  newUserRequest,
  passwordRequest,
  tagsRequest,
  checkRequest,
} from '../../../src/resources/users/actions.ts';
import { userTexts } from '../../../src/resources/users/texts.ts';
import type { FormRequest } from '../../../src/actions/requests.ts';
import { afterEach, expect, test } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { AdminUser } from '../../../src/domain/administration.ts';
import { createFakeApi } from '../../monitor/fake-api.ts';
import { confirmed, fill, formOf } from '../../screens/administration-fixtures.tsx';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { createAskedRig, endMonitors, flat } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

const urls = ['http://a:8080', 'http://b:8080', 'http://c:8080', 'http://d:8080'] as const;
const [a] = urls;
const several = { shown: a, all: urls };
const ann: AdminUser = { username: 'ann', tags: 'viewer', url: a };

/** Addresses that keep their users each for itself. */
function setUp() {
  const sites = new Map(
    urls.map((url) => [
      url as string,
      new Map([
        ['admin', 'administrator'],
        ['ann', 'viewer'],
      ]),
    ]),
  );
  sites.get(urls[1])?.set('ann', 'auditor');
  const failures = new Map<string, Error>([[urls[2], new TimeoutError(5_000)]]);
  const at = (url: string): ManagementApi => {
    const users = sites.get(url) ?? new Map<string, string>();
    const asked = async <T,>(what: () => T): Promise<T> => {
      const failure = failures.get(url);
      if (failure !== undefined) throw failure;
      return what();
    };
    return createFakeApi({
      listUsers: () => asked(() => [...users].map(([username, tags]): AdminUser => ({ username, tags }))),
      deleteUser: (username) =>
        asked(() => {
          if (url === urls[3]) throw errorOfCode(102, 'not now');
          users.delete(username);
        }),
    });
  };
  return { sites, parts: { urls, servingUrl: a, at } };
}

test('deleting at all addresses reads each first, and each has its line before and after', async () => {
  const { sites, parts } = setUp();
  const asked = deletionRequest(plainTheme, ann, 'me', several);
  if (!('request' in asked)) throw new Error('refused');
  const rig = createAskedRig(asked.request, parts, { size: [100, 24] });
  rig.type('P');
  await rig.until((text) => text.includes('Where'));
  expect(rig.text()).toContain(a);
  rig.type(' ');
  await rig.until((text) => text.includes('all 4 URLs'));
  rig.type('\u0013');
  await rig.until((text) => text.includes('one after the other'));
  const question = flat(rig.text());
  expect(question).toContain('http://a:8080: delete, tags viewer');
  expect(question).toContain('http://b:8080: delete, tags auditor');
  expect(question).toContain('http://c:8080: not read, will be skipped:');
  rig.type('ann');
  await rig.until((text) => text.includes('to delete: ann'));
  rig.type('\r');
  await rig.until((text) => text.includes('4 URLs:'));
  const said = flat(rig.text());
  expect(said).toContain('delete user ann at all 4 URLs. 4 URLs: 2 done, 2 not done.');
  const told = said.slice(said.indexOf('http://a:8080')).split(/ (?=http:|Enter)/u);
  expect(told.slice(0, 4)).toEqual([
    'http://a:8080: Done.',
    'http://b:8080: Done.',
    expect.stringContaining('http://c:8080: Not done. Skipped: its users could not be read.'),
    'http://d:8080: Not done. The broker refused (code 102). The broker says: not now',
  ]);
  expect(urls.map((url) => sites.get(url)?.has('ann'))).toEqual([false, false, true, true]);
});

test('the address is in the question, and with several also in the action', () => {
  const forms: readonly (readonly [FormRequest, Readonly<Record<string, string>>])[] = [
    [formOf(newUserRequest(plainTheme, [ann], several)), { username: 'op', tags: 't', password: 'p', again: 'p' }],
    [formOf(tagsRequest(plainTheme, ann, undefined, several)), { tags: 't' }],
    [formOf(passwordRequest(plainTheme, ann, undefined, several)), { old: 'o', password: 'p', again: 'p' }],
    [formOf(checkRequest(plainTheme, 'ann', several)), { password: 'p' }],
  ];
  for (const [form, typed] of forms) {
    const question = confirmed(form, typed);
    expect(question.details).toContain(`at ${a} only; some brokers keep users per node`);
    expect(question.action).toMatchObject({ url: a, title: expect.stringContaining(` at ${a}`) });
  }
  const alone = confirmed(formOf(newUserRequest(plainTheme, [], { shown: a, all: [a] })), {
    username: 'op',
    tags: 't',
    password: 'p',
    again: 'p',
  });
  expect(alone.details).toContain(`at ${a} only; some brokers keep users per node`);
  expect(alone.action.url).toBeUndefined();
});

test('a name that already exists may still be added elsewhere', () => {
  const form = formOf(newUserRequest(plainTheme, [ann], several));
  const typed = { username: 'ann', tags: 't', password: 'p', again: 'p' };
  expect(fill(form, typed)).toBe('A user with this name already exists.');
  expect(form.build({ ...typed, where: 'all 4 URLs' })).toMatchObject({
    next: { kind: 'read', waiting: userTexts.readingAt(urls.length) },
  });
});
