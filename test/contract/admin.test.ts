import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Chain, errorOfKind, isEmq, password, speakers, startChain, variants } from './support.ts';

it.each(speakers)('wrong credentials are rejected, %s', async (speaker) => {
  const chain = await startChain(speaker);
  onTestFinished(() => chain.close());
  for (const pair of [{ password: 'wrong' }, { user: 'nobody' }, { user: 'Admin' }, { password: '' }]) {
    const api = chain.makeApi(pair);
    for (const call of [
      api.listNodes(),
      api.disconnectClient('x'),
      ...(isEmq(speaker) ? [api.checkCredentials('admin', password)] : []),
    ]) {
      await expect(call).rejects.toEqual(errorOfKind('unauthorized'));
    }
  }
});

describe.each(variants)('admin users, variant %s', (variant) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(variant);
  });
  afterAll(() => chain.close());

  it('checks credentials', async () => {
    await chain.api.checkCredentials('admin', password);
    await expect(chain.api.checkCredentials('admin', 'wrong')).rejects.toEqual(errorOfKind('wrong-credentials'));
    await expect(chain.api.checkCredentials('nobody', 'x')).rejects.toEqual(errorOfKind('wrong-credentials'));
    await expect(chain.api.checkCredentials('', 'x')).rejects.toEqual(errorOfKind('empty-credentials'));
    await expect(chain.api.checkCredentials('admin', '')).rejects.toEqual(errorOfKind('empty-credentials'));
  });

  it('adds, changes and deletes a user', async () => {
    const { api } = chain;
    await api.addUser({ username: 'op', password: 'pass', tags: 'user' });
    await expect(api.addUser({ username: 'op', password: 'other', tags: 'x' })).rejects.toEqual(errorOfKind('exists'));
    await api.checkCredentials('op', 'pass');
    await expect(api.changePassword('op', 'wrong', 'next')).rejects.toEqual(errorOfKind('wrong-old-password'));
    await api.changePassword('op', 'pass', 'next');
    await expect(api.checkCredentials('op', 'pass')).rejects.toEqual(errorOfKind('wrong-credentials'));
    await api.checkCredentials('op', 'next');
    await api.deleteUser('op');
    await expect(api.checkCredentials('op', 'next')).rejects.toEqual(errorOfKind('wrong-credentials'));
    await expect(api.changePassword('op', 'next', 'third')).rejects.toEqual(errorOfKind('unknown-user'));
  });

  it.each(['a/b', '..', '.', 'a+b', 'a%2Fb', 'é', ' ', '__proto__', 'users'])(
    'takes the user name %j',
    async (username) => {
      const { api } = chain;
      await api.addUser({ username, password: 'pass', tags: 'user' });
      await api.changeUserTags(username, 'administrator');
      expect(await api.listUsers()).toEqual([
        { username: 'admin', tags: 'administrator' },
        { username, tags: 'administrator' },
      ]);
      await api.deleteUser(username);
      await expect(api.deleteUser(username)).rejects.toEqual(errorOfKind('unknown-user'));
      await expect(api.changeUserTags(username, 'x')).rejects.toEqual(errorOfKind('unknown-user'));
      expect(await api.listUsers()).toEqual([{ username: 'admin', tags: 'administrator' }]);
    },
  );

  it.each(['a:b', 'a\nb', '\u0000', 'x'.repeat(257)])('refuses the user name %j', async (username) => {
    await expect(chain.api.addUser({ username, password: 'pass', tags: 'user' })).rejects.toEqual(
      errorOfKind('invalid'),
    );
    expect(await chain.api.listUsers()).toHaveLength(1);
  });

  it('gets no request for a name that cannot be sent unchanged', async () => {
    await expect(chain.api.addUser({ username: '\ud800', password: 'pass', tags: 'user' })).rejects.toEqual(
      errorOfKind('refused'),
    );
    expect(await chain.api.listUsers()).toHaveLength(1);
  });

  it('keeps admin', async () => {
    await expect(chain.api.deleteUser('admin')).rejects.toEqual(errorOfKind('protected-user'));
    expect(await chain.api.listUsers()).toHaveLength(1);
  });

  it('lets another user in, until it is deleted', async () => {
    await chain.api.addUser({ username: 'second', password: 'p:ä', tags: 'user' });
    const second = chain.makeApi({ variant, user: 'second', password: 'p:ä' });
    expect(await second.listNodes()).toHaveLength(3);
    await chain.api.deleteUser('second');
    await expect(second.listNodes()).rejects.toEqual(errorOfKind('unauthorized'));
  });

  // Runs last: from here on the chain's own client is rejected.
  it('requires the new password at once, even from clients that were already accepted', async () => {
    await chain.api.listNodes();
    await chain.api.changePassword('admin', password, 'changed');
    await expect(chain.api.listNodes()).rejects.toEqual(errorOfKind('unauthorized'));
    expect(await chain.makeApi({ variant, password: 'changed' }).listNodes()).toHaveLength(3);
  });
});
