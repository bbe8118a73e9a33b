import { createHook } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { errorOfCode } from '../../../../../src/api/dialects/emq-v2/envelope.ts';
import { RateLimitedError } from '../../../../../src/api/errors.ts';
import { createAdminUsers } from '../../../../../src/broker/management/users.ts';

const first = { username: 'admin', password: 'first secret', tags: 'administrator' };

const code = (code: number): unknown => expect.objectContaining({ kind: errorOfCode(code).kind });

describe('admin users', () => {
  it('knows the first user by name and password', async () => {
    const users = await createAdminUsers(first);
    expect(await users.authenticate('admin', 'first secret')).toBe(true);
    expect(await users.authenticate('admin', 'first secre')).toBe(false);
    expect(await users.authenticate('Admin', 'first secret')).toBe(false);
    expect(await users.authenticate('admin', '')).toBe(false);
    expect(await users.listUsers()).toEqual([{ username: 'admin', tags: 'administrator' }]);
  });

  it('never takes the dummy of unknown users for a password', async () => {
    const users = await createAdminUsers(first);
    expect(await users.authenticate('nobody', '')).toBe(false);
    await expect(users.checkCredentials('nobody', 'x')).rejects.toEqual(code(103));
  });

  it('answers with the codes of section 7', async () => {
    const users = await createAdminUsers(first);
    await expect(users.checkCredentials('admin', 'wrong')).rejects.toEqual(code(103));
    await expect(users.checkCredentials('', 'x')).rejects.toEqual(code(104));
    await expect(users.checkCredentials('admin', '')).rejects.toEqual(code(104));
    await expect(users.addUser(first)).rejects.toEqual(code(113));
    await expect(users.addUser({ username: 'x', password: '', tags: '' })).rejects.toEqual(code(104));
    await expect(users.addUser({ username: '', password: 'x', tags: '' })).rejects.toEqual(code(104));
    await expect(users.changeUserTags('nobody', 'user')).rejects.toEqual(code(105));
    await expect(users.deleteUser('admin')).rejects.toEqual(code(106));
    await expect(users.deleteUser('nobody')).rejects.toEqual(code(105));
    await expect(users.changePassword('admin', 'wrong', 'next')).rejects.toEqual(code(114));
    await expect(users.changePassword('nobody', 'wrong', 'next')).rejects.toEqual(code(105));
    await expect(users.changePassword('admin', 'first secret', '')).rejects.toEqual(code(104));
  });

  it('forgets a pair that it knew when the password changes', async () => {
    const users = await createAdminUsers(first);
    await users.checkCredentials('admin', 'first secret');
    await users.changePassword('admin', 'first secret', 'second secret');
    expect(await users.authenticate('admin', 'first secret')).toBe(false);
    expect(await users.authenticate('admin', 'second secret')).toBe(true);
  });

  it('forgets a pair that it knew when the user is deleted, also when it is added again', async () => {
    const users = await createAdminUsers(first);
    await users.addUser({ username: 'op', password: 'a', tags: 'user' });
    expect(await users.authenticate('op', 'a')).toBe(true);
    await users.deleteUser('op');
    expect(await users.authenticate('op', 'a')).toBe(false);
    await users.addUser({ username: 'op', password: 'b', tags: 'user' });
    expect(await users.authenticate('op', 'a')).toBe(false);
  });

  it('lets only one of two changes from the same old password win', async () => {
    const users = await createAdminUsers(first);
    const results = await Promise.allSettled([
      users.changePassword('admin', 'first secret', 'one'),
      users.changePassword('admin', 'first secret', 'two'),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const winner = results[0]?.status === 'fulfilled' ? 'one' : 'two';
    expect(await users.authenticate('admin', winner)).toBe(true);
    expect(await users.authenticate('admin', winner === 'one' ? 'two' : 'one')).toBe(false);
  });

  it('does not vouch for a password that changed while it was checked', async () => {
    const users = await createAdminUsers(first);
    await users.authenticate('admin', 'first secret');
    const changing = users.changePassword('admin', 'first secret', 'next');
    const checks = Promise.all(Array.from({ length: 3 }, () => users.authenticate('admin', 'first secret')));
    await changing;
    await checks;
    expect(await users.authenticate('admin', 'first secret')).toBe(false);
  });

  it('changes tags and password independently', async () => {
    const users = await createAdminUsers(first);
    await users.changeUserTags('admin', 'user');
    expect(await users.listUsers()).toEqual([{ username: 'admin', tags: 'user' }]);
    expect(await users.authenticate('admin', 'first secret')).toBe(true);
  });

  it.each(['__proto__', 'constructor', 'toString', 'a/b', 'é', ' '])(
    'takes %j as a name like any other',
    async (username) => {
      const users = await createAdminUsers(first);
      expect(await users.authenticate(username, 'p')).toBe(false);
      await users.addUser({ username, password: 'p', tags: 't' });
      expect(await users.authenticate(username, 'p')).toBe(true);
      expect(await users.listUsers()).toContainEqual({ username, tags: 't' });
      await users.deleteUser(username);
      await expect(users.deleteUser(username)).rejects.toEqual(code(105));
    },
  );

  it.each(['a:b', 'tab\t', '\u0085', 'x'.repeat(257), 'a\udc00'])(
    'refuses the name %j and says why',
    async (username) => {
      const users = await createAdminUsers(first);
      await expect(users.addUser({ username, password: 'p', tags: '' })).rejects.toMatchObject({
        kind: 'invalid',
        brokerMessage: expect.stringMatching(/^The username .+\.$/u),
      });
      expect(await users.listUsers()).toHaveLength(1);
      await users.addUser({ username: 'x'.repeat(256), password: 'p', tags: '' });
    },
  );

  it('does not delete the last administrator', async () => {
    const users = await createAdminUsers({ ...first, username: 'root' });
    await expect(users.deleteUser('root')).rejects.toMatchObject({
      kind: 'protected-user',
      brokerMessage: expect.stringContaining('last'),
    });
    await users.addUser({ username: 'op', password: 'p', tags: '' });
    await users.deleteUser('root');
    await expect(users.deleteUser('op')).rejects.toEqual(code(106));
  });

  it('distinguishes passwords that differ only in zeros or invalid characters', async () => {
    const users = await createAdminUsers({ ...first, password: 'secret\ufffd' });
    for (const password of ['secret', 'secret\ufffd\0', 'secret\ufffd\0\0', 'secret\ud800', 'secret\udfff']) {
      expect(await users.authenticate('admin', password)).toBe(false);
    }
    expect(await Promise.all(['\ufffd', '\ud800'].map((last) => users.authenticate('admin', `secret${last}`)))).toEqual(
      [true, false],
    );
    for (const password of ['x\0', '\ud800']) {
      await expect(users.addUser({ username: 'op', password, tags: '' })).rejects.toEqual(code(108));
      await expect(users.changePassword('admin', 'secret\ufffd', password)).rejects.toEqual(code(108));
    }
  });

  it('does not mix up pairs whose texts run together', async () => {
    const users = await createAdminUsers(first);
    await users.addUser({ username: 'ab', password: 'c', tags: '' });
    await users.addUser({ username: 'a', password: 'x', tags: '' });
    const [right, wrong] = await Promise.all([users.authenticate('ab', 'c'), users.authenticate('a', 'bc')]);
    expect([right, wrong]).toEqual([true, false]);
  });

  it('rejects a flood of wrong passwords, and still accepts checked logins', async () => {
    const users = await createAdminUsers(first);
    await users.checkCredentials('admin', 'first secret');
    const flood = Array.from({ length: 80 }, (_, index) => users.authenticate('admin', `wrong ${index}`));
    expect(await users.authenticate('admin', 'first secret')).toBe(true);
    const results = await Promise.allSettled(flood);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(RateLimitedError);
    expect(results.some((result) => result.status === 'fulfilled' && result.value)).toBe(false);
  });

  it('hashes at most two passwords at a time', async () => {
    const users = await createAdminUsers(first);
    const active = new Set<number>();
    let most = 0;
    const hook = createHook({
      init: (id, type) => {
        if (type !== 'SCRYPTREQUEST') return;
        active.add(id);
        most = Math.max(most, active.size);
      },
      before: (id) => active.delete(id),
    }).enable();
    try {
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => users.authenticate(index < 4 ? 'admin' : 'nobody', `wrong ${index}`)),
      );
    } finally {
      hook.disable();
    }
    expect(most).toBe(2);
  });

  it('hashes for an unknown user as for a wrong password, and not at all for a pair that it knows', async () => {
    const users = await createAdminUsers(first);
    await users.authenticate('admin', 'first secret');
    let hashes = 0;
    const hook = createHook({
      init: (_, type) => {
        if (type === 'SCRYPTREQUEST') hashes += 1;
      },
    }).enable();
    const count = async (username: string, password: string): Promise<number> => {
      hashes = 0;
      await users.authenticate(username, password);
      return hashes;
    };
    try {
      expect([await count('nobody', 'x'), await count('admin', 'x'), await count('admin', 'first secret')]).toEqual([
        1, 1, 0,
      ]);
    } finally {
      hook.disable();
    }
  });
});
