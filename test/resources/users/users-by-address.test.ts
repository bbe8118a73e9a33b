import {
  addUser,
  atEachUrl,
  changePassword,
  changeUserTags,
  deleteUser,
  skipAction,
} from '../../../src/resources/users/actions.ts';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { formatAuditLine } from '../../../src/actions/audit.ts';
import { describeResult } from '../../../src/actions/describe.ts';
import { Secret } from '../../../src/actions/secret.ts';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { TimeoutError, UnauthorizedError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { AdminUser } from '../../../src/domain/administration.ts';
import { createFakeApi } from '../../monitor/fake-api.ts';
import { setUpRunner, titled } from '../../actions/support.ts';

type Users = Map<string, { tags: string; password: string }>;
const [a, b, c] = ['http://a:8080', 'http://b:8080', 'http://c:8080'] as const;
const usersOf = (): Users =>
  new Map([
    ['admin', { tags: 'administrator', password: 'public' }],
    ['ann', { tags: 'viewer', password: 'old' }],
  ]);

/** One address: who signs in there with which password, what it keeps, and what it was asked for. */
function siteOf(users: Users, trouble: { error?: Error; at?: 'read' | 'write' } = {}) {
  const sent: string[] = [];
  const login = { password: 'public' };
  const enter = (what: string, kind: 'read' | 'write'): void => {
    if (kind === 'write') sent.push(what);
    if (trouble.error !== undefined && (trouble.at === undefined || trouble.at === kind)) throw trouble.error;
    if (users.get('admin')?.password !== login.password) throw new UnauthorizedError();
  };
  const api = createFakeApi({
    setPassword: (password) => {
      login.password = password;
    },
    listUsers: async () => {
      enter('list', 'read');
      return [...users].map(([username, { tags }]): AdminUser => ({ username, tags }));
    },
    addUser: async ({ username, password, tags }) => {
      enter('add', 'write');
      if (users.has(username)) throw errorOfCode(113);
      users.set(username, { password, tags });
    },
    changeUserTags: async (username, tags) => {
      enter('tags', 'write');
      users.set(username, { password: users.get(username)?.password ?? '', tags });
    },
    deleteUser: async (username) => {
      enter('delete', 'write');
      users.delete(username);
    },
    changePassword: async (username, oldPassword, newPassword) => {
      enter('password', 'write');
      const user = users.get(username);
      if (user?.password !== oldPassword) throw errorOfCode(114);
      users.set(username, { ...user, password: newPassword });
    },
    checkCredentials: async (username, password) => {
      enter('auth', 'read');
      if (users.get(username)?.password !== password) throw errorOfCode(103);
    },
  });
  return { users, sent, login, api };
}

/** A broker with several addresses. */
function setUp(sites: Readonly<Record<string, ReturnType<typeof siteOf>>>) {
  const forbidden = (): never => {
    throw new Error('asked without an address');
  };
  const at = (url: string): ManagementApi => sites[url]?.api ?? forbidden();
  return setUpRunner({
    urls: Object.keys(sites),
    at,
    listUsers: forbidden,
    addUser: forbidden,
    changeUserTags: forbidden,
    deleteUser: forbidden,
    changePassword: forbidden,
    checkCredentials: forbidden,
  });
}

const addEverywhere = titled('add user op at all URLs');
const op = (url: string, isOneOfSeveral = false): Action =>
  addUser.create({ username: 'op', tags: 'viewer', password: new Secret('p'), url, isOneOfSeveral });

test('an action at one address is checked, sent, verified and recorded there', async () => {
  const [first, second] = [siteOf(usersOf()), siteOf(usersOf())];
  const rig = setUp({ [a]: first, [b]: second });
  const result = await rig.run(op(b));
  expect(result).toMatchObject({ outcome: 'done', reason: 'reading' });
  expect([first.users.has('op'), second.users.has('op')]).toEqual([false, true]);
  expect(first.sent).toEqual([]);
  const origin = { operator: 'me', url: a, brokerUser: 'admin' };
  const lines = rig.written.map((entry): unknown => JSON.parse(formatAuditLine(origin, entry)));
  expect(lines).toMatchObject([
    { kind: 'intent', url: `${b}/` },
    { kind: 'outcome', url: `${b}/`, outcome: 'done' },
  ]);
});

test('an unreachable address is not replaced by another', async () => {
  const second = siteOf(usersOf());
  const rig = setUp({ [a]: siteOf(usersOf(), { error: new TimeoutError(5_000) }), [b]: second });
  expect(
    await rig.run(deleteUser.create({ username: 'ann', tags: 'viewer', url: a }, { isSignedInUser: false })),
  ).toMatchObject({ outcome: 'not-done', wasSent: false });
  expect(second.users.has('ann')).toBe(true);
});

describe('at each address', () => {
  const eachOp = (...urls: readonly [string, ...string[]]): Action => {
    const [url, ...others] = urls;
    return atEachUrl(addEverywhere, [op(url, true), ...others.map((each) => op(each, true))]);
  };

  test('a refusal and a timeout do not affect the others; each has its line, and the counts add up', async () => {
    const sites = {
      [a]: siteOf(usersOf()),
      [b]: siteOf(usersOf(), { error: errorOfCode(102, 'disk full'), at: 'write' }),
      [c]: siteOf(usersOf(), { error: new TimeoutError(5_000) }),
      'http://d:8080': siteOf(usersOf()),
    };
    const rig = setUp(sites);
    const action = eachOp(a, b, c, 'http://d:8080');
    const result = await rig.run(action);
    expect(Object.values(sites).map(({ users }) => users.has('op'))).toEqual([true, false, false, true]);
    expect(result.parts.map(({ node, outcome }) => [node, outcome])).toEqual([
      [a, 'done'],
      [b, 'not-done'],
      [c, 'not-done'],
      ['http://d:8080', 'done'],
    ]);
    const said = describeResult(action, result);
    expect(said).toContain(`${outcomeTexts['not-done'](addEverywhere)} 4 URLs: 2 done, 2 not done.`);
    expect(said).toContain(`${b}: Not done. The broker refused (code 102). The broker says: disk full`);
    expect(said).toContain(`${c}: Not done. Nothing was sent. The target could not be checked.`);
    expect(rig.written.map(({ kind, url }) => `${kind} ${url}`)).toEqual([
      `intent ${a}`,
      `outcome ${a}`,
      `intent ${b}`,
      `outcome ${b}`,
      `outcome ${c}`,
      'intent http://d:8080',
      'outcome http://d:8080',
    ]);
  });

  test('addresses with the same users: the second one is already done', async () => {
    const users = usersOf();
    const sites = { [a]: siteOf(users), [b]: siteOf(users) };
    const rig = setUp(sites);
    const added = eachOp(a, b);
    const result = await rig.run(added);
    expect(describeResult(added, result)).toBe(
      [
        outcomeTexts.done(addEverywhere),
        '2 URLs: 1 done, 1 unchanged.',
        `${a}: Done. The user is listed with the tags viewer, and the password is accepted.`,
        `${b}: Unchanged. The user already exists with these tags and this password.`,
      ].join(' '),
    );
    expect(sites[b].sent).toEqual([]);
    const ann = (url: string): AdminUser => ({ username: 'ann', tags: 'viewer', url });
    const [tagsA, tagsB] = [a, b].map((url) =>
      changeUserTags.create(ann(url), 'auditor', { isOneOfSeveral: true }),
    ) as [Action, Action];
    expect(await rig.run(atEachUrl(titled('t'), [tagsA, tagsB]))).toMatchObject({
      outcome: 'done',
      parts: [{ wasAlready: false }, { wasAlready: true }],
    });
    const change = (url: string): Action =>
      changePassword.create({
        username: 'admin',
        oldPassword: new Secret('public'),
        newPassword: new Secret('new'),
        isSignedInUser: true,
        url,
        isOneOfSeveral: true,
      });
    expect(await rig.run(atEachUrl(titled('p'), [change(a), change(b)]))).toMatchObject({
      outcome: 'done',
      parts: [{ wasAlready: false }, { wasAlready: true }],
    });
    expect(Object.values(sites).map(({ login }) => login.password)).toEqual(['new', 'new']);
    const gone = (url: string): Action =>
      deleteUser.create({ ...ann(url), tags: 'auditor' }, { isSignedInUser: false, isOneOfSeveral: true });
    expect(await rig.run(atEachUrl(titled('d'), [gone(a), gone(b)]))).toMatchObject({
      outcome: 'done',
      parts: [{ wasAlready: false }, { wasAlready: true }],
    });
    expect(sites[b].sent).toEqual([]);
  });

  test('addresses where the user has changed or that are skipped get no request, and that is recorded', async () => {
    const other = siteOf(new Map([...usersOf(), ['ann', { tags: 'administrator', password: 'x' }]]));
    const rig = setUp({ [a]: siteOf(usersOf()), [b]: other, [c]: siteOf(usersOf()) });
    const gone = (url: string): Action =>
      deleteUser.create({ username: 'ann', tags: 'viewer', url }, { isSignedInUser: false, isOneOfSeveral: true });
    const result = await rig.run(
      atEachUrl(titled('d'), [gone(a), gone(b), skipAction(gone(c), 'its users could not be read. ')]),
    );
    expect(result.parts.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['done', undefined],
      ['not-done', 'Skipped: the tags are now administrator.'],
      ['not-done', 'Skipped: its users could not be read. '],
    ]);
    expect(other.users.has('ann')).toBe(true);
    expect(rig.written.filter(({ kind }) => kind === 'outcome').map(({ url }) => url)).toEqual([a, b, c]);
  });

  test("the program's own password is changed at the given address only", async () => {
    const sites = { [a]: siteOf(usersOf()), [b]: siteOf(usersOf()) };
    const rig = setUp(sites);
    const change = changePassword.create({
      username: 'admin',
      oldPassword: new Secret('public'),
      newPassword: new Secret('new'),
      isSignedInUser: true,
      url: b,
    });
    expect(await rig.run(change)).toMatchObject({ outcome: 'done', why: 'brokertop now uses the new password.' });
    expect(Object.values(sites).map(({ login }) => login.password)).toEqual(['public', 'new']);
  });
});
