import { afterEach, describe, expect, test } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { UsersScreen } from '../../../src/ui/screens/users/users.tsx';
import { endRigs } from '../support/rig.tsx';
import { type AskingRig, confirmed, confirmOf, createAskingRig, createCluster, fill, formOf } from './administration-fixtures.tsx';
import { type FakeMonitor, propsOf, ready, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const cells = (line = ''): readonly string[] => line.trim().split(/\s{2,}/);
const hostile = 'z\u001B[2J\u202E';
const users = [{ username: 'admin', tags: 'administrator' }, { username: 'me', tags: 'administrator' }, { username: 'op1', tags: 'viewer' }, { username: hostile, tags: hostile }];
const cluster = (): FakeMonitor => createCluster({ users: ready(users) });

const open = (monitor: FakeMonitor, size: readonly [number, number] = [100, 12], options?: { readonly isReadOnly: boolean }): AskingRig =>
  createAskingRig(<UsersScreen {...propsOf(monitor, size)} ownUser="me" />, size, options);

const choose = async (rig: AskingRig, username: string): Promise<void> => {
  rig.type(`/${username}\r`);
  await rig.until((text) => text.includes(`▸${username}`) && text.includes('Esc clears'));
};

describe('the list of users', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain('▸admin');
  });

  test('shows names and tags, escaped, and who this program is', () => {
    const rig = open(cluster());
    const lines = rig.lines();
    expect(cells(lines[0])).toEqual(['NAME ▲', 'TAGS', 'WHO']);
    expect(cells(lines[2])).toEqual(['me', 'administrator', 'this program']);
    expect(cells(lines[4])).toEqual([String.raw`z\x1b[2J\u202e`, String.raw`z\x1b[2J\u202e`]);
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('of several addresses it says whose users these are, and those are changed, whichever serves by now', async () => {
    const [a, b] = ['http://a:8080', 'http://b:8080'] as const;
    const monitor = createCluster({ urls: [a, b], users: ready(users.map((user) => ({ ...user, url: a }))), takeover: { url: b, insteadOf: a, because: 'It is gone.', atMs: 0 } });
    const rig = open(monitor);
    expect(rig.lines()[0]).toMatch(/^ Users at http:\/\/a:8080 {2}some brokers keep users per node/);
    rig.type('j');
    await rig.until((text) => text.includes('▸me'));
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    expect(confirmed(formOf(rig.asked[0]), { tags: 'x' }).action).toMatchObject({ url: a, target: { username: 'me' } });
    expect(open(createCluster({ urls: [a], users: ready(users) })).lines()[0]).toContain('NAME');
  });

  test('loading, empty, failed and stale look different', () => {
    const show = (patch: Parameters<typeof createCluster>[0]): string => open(createCluster(patch), [140, 12]).lines().join('\n');
    expect(show({})).toContain('··· reading the users');
    expect(show({ users: ready([]) })).toContain('The broker names no user');
    expect(show({ users: { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: Date.now() + 9_000 } })).toMatch(/! the users: not read, tried again in \d+ s/);
    expect(show({ users: ready(users, 200_000) })).toMatch(/users: as read 3m/);
    expect(show({ users: { ...ready(users), unusable: { count: 2, example: 'username: number' } } })).toContain('! users: 2 rows not understood and left out (L: log)');
  });
});

describe('acting on users', () => {
  const ask = async (key: string, username?: string): Promise<AskingRig> => {
    const rig = open(cluster());
    if (username !== undefined) await choose(rig, username);
    rig.type(key);
    await rig.until(() => rig.asked.length === 1);
    return rig;
  };

  test('adds one, with a password typed hidden and twice', async () => {
    const form = formOf((await ask('n')).asked[0]);
    expect(form.fields.map(({ id, kind }) => `${id} ${kind ?? 'text'}`)).toEqual(['username text', 'password hidden', 'again hidden', 'tags text']);
    const whole = { username: 'op2', tags: 'viewer', password: 'hunter2', again: 'hunter2' };
    expect(fill(form, { ...whole, username: '' })).toBe('The name is empty.');
    expect(fill(form, { ...whole, username: 'op1' })).toBe('A user of this name exists already.');
    expect(fill(form, { ...whole, tags: '' })).toBe('The tags are empty.');
    expect(fill(form, { ...whole, password: '', again: '' })).toBe('The password is empty.');
    expect(fill(form, { ...whole, again: 'hunter3' })).toBe('The two passwords differ.');
    const question = fill(form, whole);
    expect(question).toMatchObject({ question: 'Add this user?', target: 'op2', action: { name: 'add-user', target: { username: 'op2', tags: 'viewer' } } });
    expect(JSON.stringify(question)).not.toContain('hunter');
  });

  test('changes tags, before and after shown; those of its own user with a warning', async () => {
    const form = formOf((await ask('e', 'op1')).asked[0]);
    expect(form.fields).toMatchObject([{ initial: 'viewer' }]);
    expect(fill(form, {})).toBe('Nothing would change.');
    expect(fill(form, { tags: '' })).toBe('The tags are empty.');
    expect(fill(form, { tags: 'administrator' })).toMatchObject({ target: 'op1', details: ['viewer → administrator'], warning: undefined });
    expect(fill(formOf((await ask('e', 'me')).asked[0]), { tags: 'viewer' })).toMatchObject({ target: 'me', warning: expect.stringContaining('may refuse it what it may now') });
  });

  test('changes a password; that of this program warns', async () => {
    for (const [username, warning] of [['op1', undefined], ['me', expect.stringContaining('goes on with the new password')]] as const) {
      const form = formOf((await ask('w', username)).asked[0]);
      expect(form.fields.map(({ kind }) => kind)).toEqual(['hidden', 'hidden', 'hidden']);
      expect(fill(form, { password: 'b', again: 'b' })).toBe('The old password is empty.');
      expect(fill(form, { old: 'a', password: '', again: '' })).toBe('The password is empty.');
      expect(fill(form, { old: 'a', password: 'a', again: 'a' })).toBe('The new password is the old one.');
      expect(fill(form, { old: 'a', password: 'b', again: 'b' })).toMatchObject({ target: username, warning });
    }
  });

  test('deletes one when the name is typed; its own user warns, admin is refused', async () => {
    expect(confirmOf((await ask('D', 'op1')).asked[0])).toMatchObject({ target: 'op1', mustType: 'op1', warning: undefined });
    expect(confirmOf((await ask('D', 'me')).asked[0])).toMatchObject({ mustType: 'me', warning: expect.stringContaining('locked out') });
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('D');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices).toEqual(['not asked: no broker deletes the user admin']);
    expect(rig.asked).toEqual([]);
  });

  test('checks a name and password', async () => {
    const form = formOf((await ask('c', 'op1')).asked[0]);
    expect(form.fields).toMatchObject([{ id: 'username', initial: 'op1' }, { id: 'password', kind: 'hidden' }]);
    expect(fill(form, { username: '', password: 'x' })).toBe('The name is empty.');
    expect(fill(form, {})).toBe('The password is empty.');
    expect(fill(form, { password: 'x' })).toMatchObject({ target: 'op1', action: { name: 'check-credentials' } });
  });

  test('does not exist in read-only mode', async () => {
    const rig = open(cluster(), [100, 12], { isReadOnly: true });
    for (const key of ['n', 'e', 'w', 'D', 'c', 'j']) rig.type(key);
    await rig.until((text) => text.includes('▸me'));
    expect(rig.asked).toEqual([]);
  });
});
