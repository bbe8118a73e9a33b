import {
  addUser,
  changePassword,
  changeUserTags,
  checkCredentials,
  deleteUser,
} from '../../../src/resources/users/actions.ts';
import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ShownValue } from '../../../src/actions/action.ts';
import { describeResult } from '../../../src/actions/describe.ts';
import { Secret } from '../../../src/actions/secret.ts';
import { disclose, isSecretSetting } from '../../../src/domain/secret-keys.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { type ApiError, BrokerError, NoAnswerError, TimeoutError, UnauthorizedError } from '../../../src/api/errors.ts';
import type { AdminUser } from '../../../src/domain/administration.ts';
import { type Fate, fine, meet, setUpRunner, timesCalled } from '../../actions/support.ts';

/** Users with passwords. `own` is the one that asks: once its password changes, everything is 401. */
function setUp(fate: Fate = fine) {
  const users = new Map<string, { tags: string; password: string }>([
    ['admin', { tags: 'administrator', password: 'public' }],
    ['ann', { tags: 'user', password: 'old' }],
  ]);
  const broker = { users, own: 'admin', ownPassword: 'public' };
  const enter = (): void => {
    if (users.get(broker.own)?.password !== broker.ownPassword) throw new UnauthorizedError();
  };
  const rig = setUpRunner({
    listUsers: async () => {
      enter();
      return [...users].map(([username, { tags }]): AdminUser => ({ username, tags }));
    },
    addUser: ({ username, password, tags }) =>
      meet(fate, () => {
        users.set(username, { password, tags });
      }),
    changeUserTags: (username, tags) =>
      meet(fate, () => {
        users.set(username, { password: users.get(username)?.password ?? '', tags });
      }),
    deleteUser: (username) =>
      meet(fate, () => {
        users.delete(username);
      }),
    changePassword: (username, oldPassword, newPassword) =>
      meet(fate, () => {
        const user = users.get(username);
        if (user?.password !== oldPassword) throw errorOfCode(114);
        users.set(username, { ...user, password: newPassword });
      }),
    checkCredentials: async (username, password) => {
      enter();
      if (users.get(username)?.password !== password) throw errorOfCode(103);
    },
  });
  return { ...rig, broker };
}

const ann: AdminUser = { username: 'ann', tags: 'user' };
const lost: Fate = { takesEffect: true, error: new NoAnswerError() };
const nothing: Fate = { takesEffect: false, error: undefined };

describe('a secret', () => {
  test('cannot be shown or recorded, and prints as hidden', () => {
    const secret = new Secret('hunter2');
    expectTypeOf<Secret>().not.toExtend<ShownValue>();
    expect(
      [String(secret), JSON.stringify({ secret }), inspect(secret), inspect({ deep: { secret } })].join(' '),
    ).not.toContain('hunter2');
    expect(secret.reveal()).toBe('hunter2');
    expect(['wrong: hunter2', 'wrong', ''].map((text) => secret.isIn(text))).toEqual([true, false, false]);
    const strange = new Secret('a"b/\u{1F600}');
    expect(
      ['a"b/\u{1F600}', 'a\\"b/\u{1F600}', 'a%22b%2F%F0%9F%98%80', 'a b'].map((text) => strange.isIn(text)),
    ).toEqual([true, true, true, false]);
    expect(new Secret('').isIn('')).toBe(false);
  });

  test('secret settings are recognised by their keys', () => {
    const secret = [
      'auth.mysql.password',
      'auth.redis.passwd',
      'auth.jwt.secret',
      'web.hook.token',
      'db.pwd',
      'api_key',
    ];
    expect(secret.filter((key) => !isSecretSetting(key, 'x'))).toEqual([]);
    expect(
      ['mqtt.max_packet', 'log.console.level', 'passive.mode', 'auth.http.auth_req.method'].filter((key) =>
        isSecretSetting(key, 'x'),
      ),
    ).toEqual([]);
    // What is about a password is none: the name of its algorithm, the column that it is in, how long it holds.
    const about = {
      'auth.mysql.password_hash': 'sha256',
      'auth.pgsql.password_hash': 'salt,sha256',
      'auth.ldap.password_hash': 'pbkdf2,sha256,1000,20',
      'auth.mongo.auth_query.password_field': 'password',
      'auth.mongo.password_hash': '',
      'api.token_ttl': '1h',
      'auth.password.min_length': '8',
    };
    expect(Object.entries(about).filter(([key, value]) => isSecretSetting(key, value))).toEqual([]);
    const real = {
      'auth.user.1.password': 'x',
      'admin.password_hash': '5f4dcc3b5aa765d61d8327deb882cf99',
      'admin.passwd-hash': '$2b$10$abcdefghijk',
      'pin.password_hash': '123456',
      'auth.jwt.secret_key': 'x',
      'token_hash.secret': 'x',
    };
    expect(Object.entries(real).filter(([key, value]) => !isSecretSetting(key, value))).toEqual([]);
    expect(disclose('auth.mysql.password_hash', 'bcrypt')).toBe('bcrypt');
    const params = (value: string): boolean => isSecretSetting('auth.http.auth_req.params', value);
    expect(['clientid=%c,username=%u,password=%P', 'password=%P', '', 'access=%A,topic=%t'].filter(params)).toEqual([]);
    const held = [
      'clientid=%c,password=hunter2',
      'token=abc',
      'password=',
      'username=%u, api_key = x',
      'password=%P%P',
    ];
    expect(held.filter((value) => !params(value))).toEqual([]);
    expect([
      disclose('a.password', 'x'),
      disclose('a.password', ''),
      disclose('a.password', undefined),
      disclose('a.level', 'x'),
    ]).toEqual(['(hidden)', '', undefined, 'x']);
  });
});

describe('users', () => {
  test('adding one verifies the list, the tags and the password', async () => {
    const rig = setUp();
    expect(await rig.run(addUser.create({ username: 'bob', tags: 'user', password: new Secret('p') }))).toMatchObject({
      outcome: 'done',
      after: { tags: 'user' },
      why: 'The user is listed with the tags user, and the password is accepted.',
    });
    expect(rig.calls).toEqual([
      'listUsers',
      'audit intent',
      'addUser',
      'listUsers',
      'checkCredentials',
      'audit outcome',
    ]);
  });

  test('adding one that exists is refused', async () => {
    const rig = setUp();
    expect(await rig.run(addUser.create({ username: 'ann', tags: 'user', password: new Secret('p') }))).toMatchObject({
      reason: 'changed',
      wasSent: false,
    });
    expect(timesCalled(rig.calls, 'addUser')).toBe(0);
  });

  test('changing tags, also when they have changed', async () => {
    expect(await setUp().run(changeUserTags.create(ann, 'administrator'))).toMatchObject({
      outcome: 'done',
      before: { tags: 'user' },
      after: { tags: 'administrator' },
      why: 'user → administrator.',
    });
    expect(await setUp(nothing).run(changeUserTags.create(ann, 'administrator'))).toMatchObject({
      outcome: 'not-done',
      why: 'The tags are user.',
    });
    expect(
      await setUp(nothing).run(changeUserTags.create({ ...ann, attribute: 'description' }, 'night shift')),
    ).toMatchObject({ outcome: 'not-done', why: 'The description is user.' });
    const rig = setUp();
    rig.broker.users.set('ann', { tags: 'viewer', password: 'old' });
    expect(await rig.run(changeUserTags.create(ann, 'administrator'))).toMatchObject({ reason: 'changed' });
    expect(await rig.run(changeUserTags.create(ann, 'user'))).toMatchObject({ reason: 'invalid' });
  });

  test('changing a password is verified by using it', async () => {
    const change = (isSignedInUser = false) =>
      changePassword.create({
        username: 'ann',
        oldPassword: new Secret('old'),
        newPassword: new Secret('new'),
        isSignedInUser,
      });
    expect(await setUp().run(change())).toMatchObject({ outcome: 'done', reason: 'reading' });
    expect(await setUp(lost).run(change())).toMatchObject({ outcome: 'done', reason: 'reading' });
  });

  test('a password is checked once, because a broker may count wrong logins and lock the user', async () => {
    const change = changePassword.create({
      username: 'ann',
      oldPassword: new Secret('old'),
      newPassword: new Secret('new'),
      isSignedInUser: false,
    });
    const unchanged = setUp(nothing);
    expect(await unchanged.run(change)).toMatchObject({
      outcome: 'unknown',
      why: 'The broker rejected the new password at the first check. Check it again later.',
    });
    expect(timesCalled(unchanged.calls, 'checkCredentials')).toBe(1);

    const silent = setUp();
    silent.api.checkCredentials = async () => {
      silent.calls.push('checkCredentials');
      throw new TimeoutError(5_000);
    };
    const bob = addUser.create({ username: 'bob', tags: 'user', password: new Secret('p') });
    expect(await silent.run(bob)).toMatchObject({ outcome: 'unknown', isAccepted: true });
    expect(timesCalled(silent.calls, 'checkCredentials')).toBe(1);

    const other = setUp();
    other.api.checkCredentials = async () => {
      other.calls.push('checkCredentials');
      throw new BrokerError('wrong-credentials', undefined, { code: 103 });
    };
    const eve = addUser.create({ username: 'eve', tags: 'user', password: new Secret('p') });
    expect(await other.run(eve)).toMatchObject({
      outcome: 'unknown',
      why: 'The user is listed, but the broker rejected the password at the first check. Check it again later.',
    });
    expect(timesCalled(other.calls, 'checkCredentials')).toBe(1);
  });

  test('a rejected login ends the verification', async () => {
    const rig = setUp();
    const { listUsers } = rig.api;
    rig.api.addUser = async () => {
      rig.calls.push('addUser');
      rig.api.listUsers = async () => {
        rig.calls.push('listUsers again');
        throw new UnauthorizedError();
      };
    };
    expect(await rig.run(addUser.create({ username: 'bob', tags: 'user', password: new Secret('p') }))).toMatchObject({
      outcome: 'unknown',
    });
    expect(timesCalled(rig.calls, 'listUsers again')).toBe(1);
    rig.api.listUsers = listUsers;
  });

  test('the wrong old password is 114, without a guess at the new one', async () => {
    const rig = setUp();
    const result = await rig.run(
      changePassword.create({
        username: 'ann',
        oldPassword: new Secret('bad'),
        newPassword: new Secret('new'),
        isSignedInUser: false,
      }),
    );
    expect(result).toMatchObject({ outcome: 'not-done', error: { code: 114 } });
    expect(timesCalled(rig.calls, 'checkCredentials')).toBe(0);
  });

  test("after changing the program's own user, a 401 means success", async () => {
    const own = { username: 'admin', oldPassword: new Secret('public'), newPassword: new Secret('new') };
    expect(await setUp().run(changePassword.create({ ...own, isSignedInUser: true }))).toMatchObject({
      outcome: 'done',
      why: expect.stringContaining('brokertop is now locked out. Restart it with another user.'),
    });
    for (const fate of [fine, lost]) {
      const going = setUp(fate);
      const signedIn: string[] = [];
      going.api.setPassword = (password) => {
        signedIn.push(password);
        going.broker.ownPassword = password;
      };
      const done = await going.run(changePassword.create({ ...own, isSignedInUser: true }));
      expect(done).toMatchObject({
        outcome: 'done',
        why: expect.stringContaining('brokertop now uses the new password.'),
      });
      expect(signedIn).toEqual(['new']);
    }
    const rig = setUp();
    rig.broker.own = 'ann';
    rig.broker.ownPassword = 'old';
    const result = await rig.run(
      changePassword.create({
        username: 'ann',
        oldPassword: new Secret('old'),
        newPassword: new Secret('new'),
        isSignedInUser: false,
      }),
    );
    expect(result.outcome).toBe('unknown');
  });

  test("deleting one, also the program's own; never admin", async () => {
    expect(await setUp().run(deleteUser.create(ann, { isSignedInUser: false }))).toMatchObject({ outcome: 'done' });
    expect(await setUp(nothing).run(deleteUser.create(ann, { isSignedInUser: false }))).toMatchObject({
      outcome: 'not-done',
      why: 'The user is still listed.',
    });
    const rig = setUp();
    rig.broker.own = 'ann';
    rig.broker.ownPassword = 'old';
    expect(await rig.run(deleteUser.create(ann, { isSignedInUser: true }))).toMatchObject({ outcome: 'done' });
    const other = setUp();
    expect(
      await other.run(deleteUser.create({ username: 'admin', tags: 'administrator' }, { isSignedInUser: false })),
    ).toMatchObject({ reason: 'invalid', wasSent: false });
    expect(other.calls).toEqual([]);
  });

  test('an empty password or name is refused before anything is sent', async () => {
    const rig = setUp();
    const empty = new Secret('');
    const actions = [
      addUser.create({ username: 'bob', tags: '', password: empty }),
      addUser.create({ username: '', tags: '', password: new Secret('p') }),
      changePassword.create({
        username: 'ann',
        oldPassword: new Secret('old'),
        newPassword: empty,
        isSignedInUser: false,
      }),
      changePassword.create({
        username: 'ann',
        oldPassword: new Secret('old'),
        newPassword: new Secret('old'),
        isSignedInUser: false,
      }),
      checkCredentials.create('ann', empty),
      checkCredentials.create('', new Secret('p')),
    ];
    for (const action of actions)
      expect(await rig.run(action)).toMatchObject({ outcome: 'not-done', reason: 'invalid', wasSent: false });
    expect(rig.calls).toEqual([]);
  });

  test('checking a password is done with either answer', async () => {
    const rig = setUp();
    const right = checkCredentials.create('ann', new Secret('old'));
    const wrong = checkCredentials.create('ann', new Secret('bad'));
    const results = [await rig.run(right), await rig.run(wrong)] as const;
    expect(results).toMatchObject([
      { outcome: 'done', reason: 'answer', isAccepted: true },
      { outcome: 'done', reason: 'answer', isAccepted: false, error: { code: 103 } },
    ]);
    const checked = 'Checked the password of user ann.';
    expect(describeResult(right, results[0])).toBe(`${checked} The broker accepts this username and password.`);
    expect(describeResult(wrong, results[1])).toBe(`${checked} The username or password is wrong (code 103).`);
  });

  test("the broker's words are shown unless they may contain the password", async () => {
    const said = async (password: string): Promise<string> => {
      const rig = setUpRunner({
        listUsers: async () => [],
        addUser: () => Promise.reject(errorOfCode(102, 'wrong user name')),
      });
      const action = addUser.create({ username: 'bob', tags: 'user', password: new Secret(password) });
      return describeResult(action, await rig.run(action));
    };
    const refused = (words?: string): string => `Failed to add user bob. ${errorOfCode(102, words).message}`;
    expect(await said('hunter2')).toBe(`${refused('wrong user name')} The broker says: wrong user name`);
    expect(await said('e')).toBe(refused());
  });

  const failures: readonly (ApiError | undefined)[] = [
    undefined,
    errorOfCode(102, 'bad request: {"password":"hunter2"}'),
    new NoAnswerError(),
  ];
  test.each(failures)('no password is shown or recorded, not even from the words of the broker (%s)', async (error) => {
    const rig = setUp({ takesEffect: true, error });
    const action = addUser.create({ username: 'bob', tags: 'user', password: new Secret('hunter2') });
    const result = await rig.run(action);
    const told = [
      JSON.stringify(rig.written),
      inspect([action, result], { depth: 9 }),
      describeResult(action, result),
    ].join('\n');
    expect(told).not.toContain('hunter2');
    expect(rig.broker.users.get('bob')?.password).toBe('hunter2');
  });
});
