import { afterEach, describe, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { UsersScreen } from '../../src/resources/users/screen.tsx';
import { readingsOf } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { endRigs } from '../tui/support/rig.tsx';
import {
  type AskingRig,
  capabilitiesB,
  cellsOf,
  confirmed,
  confirmOf,
  createCluster,
  fill,
  formOf,
  hostile,
  openersOf,
} from './administration-fixtures.tsx';
import { type FakeMonitor, ready, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const users = [
  { username: 'admin', tags: 'administrator' },
  { username: 'me', tags: 'administrator' },
  { username: 'op1', tags: 'viewer' },
  { username: hostile, tags: hostile },
];
const cluster = (): FakeMonitor => createCluster(readingsOf({ users: ready(users) }));

const { openWhole: open } = openersOf((props) => <UsersScreen {...props} ownUser="me" />, [100, 12]);

const choose = async (rig: AskingRig, username: string): Promise<void> => {
  rig.type(`/${username}\r`);
  await rig.until((text) => text.includes(`▸${username}`) && text.includes('Esc clears'));
};

describe('the Users screen', () => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const lines = open(cluster(), [width, height]).lines();
    expect(lines).toHaveLength(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain('▸admin');
  });

  test('shows names and tags escaped, and marks its own user', () => {
    const rig = open(cluster());
    const lines = rig.lines();
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({ NAME: 'me', TAGS: 'administrator', WHO: 'you' });
    expect(cellsByHeader(lines[0], lines[4])).toMatchObject({
      NAME: String.raw`z\x1b[2J\u202e`,
      TAGS: String.raw`z\x1b[2J\u202e`,
    });
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('with several addresses shows and changes the users of one of them', async () => {
    const [a, b] = ['http://a:8080', 'http://b:8080'] as const;
    const monitor = createCluster({
      urls: [a, b],
      failover: { url: b, insteadOf: a, because: 'It is gone.', atMs: 0 },
      ...readingsOf({ users: ready(users.map((user) => ({ ...user, url: a }))) }),
    });
    const rig = open(monitor);
    expect(rig.lines()[0]).toContain(' Users at http://a:8080  some brokers keep users per node');
    rig.type('j');
    await rig.until((text) => text.includes('▸me'));
    rig.type('e');
    await rig.until(() => rig.asked.length === 1);
    expect(confirmed(formOf(rig.asked[0]), { tags: 'x' }).action).toMatchObject({ url: a, target: { username: 'me' } });
    expect(open(createCluster({ urls: [a], ...readingsOf({ users: ready(users) }) })).lines()[0]).toContain('NAME');
  });

  test('of a cluster have a description or a role, where the broker has that, and no address', async () => {
    const described = users.map(
      (user) => ({ ...user, tags: user.username === 'op1' ? '' : user.tags, attribute: 'description' }) as const,
    );
    const monitor = createCluster({
      capabilities: { ...capabilitiesB, clusterUsers: true },
      urls: ['http://a', 'http://b'],
      ...readingsOf({ users: ready(described) }),
    });
    const rig = open(monitor);
    expect(cellsOf(rig.lines()[0])).toContain('DESCRIPTION');
    rig.type('n');
    await rig.until(() => rig.asked.length === 1);
    const form = formOf(rig.asked[0]);
    expect(form.fields.map(({ label }) => label)).toEqual(['Name', 'Password', 'Repeat', 'Description']);
    const typed = { username: 'bob', password: 'p', again: 'p' };
    expect(confirmed(form, { ...typed, tags: 'night shift' })).toMatchObject({
      details: ['description night shift, with the typed password'],
    });
    expect(confirmed(form, { ...typed, tags: '' })).toMatchObject({
      details: ['description (empty), with the typed password'],
    });
    rig.type('j');
    await rig.until((text) => text.includes('▸me'));
    rig.type('e');
    await rig.until(() => rig.asked.length === 2);
    const change = formOf(rig.asked[1]);
    expect(change.title).toBe('Description of user me');
    expect(confirmed(change, { tags: 'x' })).toMatchObject({
      question: 'Change the description of this user?',
      warning: undefined,
      action: { title: 'change the description of user me to x' },
    });
    expect(
      cellsOf(
        open(
          createCluster(readingsOf({ users: ready([{ username: 'ann', tags: 'viewer', attribute: 'role' }]) })),
        ).lines()[0],
      ),
    ).toContain('ROLE');
  });

  test('shows loading, empty, failed and stale differently', () => {
    const show = (patch: Parameters<typeof createCluster>[0]): string =>
      open(createCluster(patch), [140, 12]).lines().join('\n');
    expect(show({})).toContain('··· loading the users');
    expect(show(readingsOf({ users: ready([]) }))).toContain('No users.');
    expect(
      show(
        readingsOf({
          users: { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: steadyNowMs() + 9_000 },
        }),
      ),
    ).toMatch(/! Cannot load the users, retry in .*\. .*/u);
    expect(show(readingsOf({ users: ready(users, 200_000) }))).toMatch(/users: last read 3m/u);
    expect(
      show(readingsOf({ users: { ...ready(users), unusable: { count: 2, example: 'username: number' } } })),
    ).toContain('! users: 2 invalid rows, not listed (L: log)');
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

  test('adds a user, with a password typed hidden and twice', async () => {
    const form = formOf((await ask('n')).asked[0]);
    expect(form.fields.map(({ id, kind }) => `${id} ${kind ?? 'text'}`)).toEqual([
      'username text',
      'password hidden',
      'again hidden',
      'tags text',
    ]);
    const whole = { username: 'op2', tags: 'viewer', password: 'hunter2', again: 'hunter2' };
    expect(fill(form, { ...whole, username: '' })).toBe('The name is empty.');
    expect(fill(form, { ...whole, username: 'op1' })).toBe('A user with this name already exists.');
    expect(fill(form, { ...whole, tags: '' })).toBe('The tags are empty.');
    expect(fill(form, { ...whole, password: '', again: '' })).toBe('The password is empty.');
    expect(fill(form, { ...whole, again: 'hunter3' })).toBe('The passwords do not match.');
    const question = fill(form, whole);
    expect(question).toMatchObject({
      question: 'Add this user?',
      target: 'op2',
      action: { name: 'add-user', target: { username: 'op2', tags: 'viewer' } },
    });
    expect(JSON.stringify(question)).not.toContain('hunter');
  });

  test('changes tags, showing before and after, with a warning for its own user', async () => {
    const form = formOf((await ask('e', 'op1')).asked[0]);
    expect(form.fields).toMatchObject([{ initial: 'viewer' }]);
    expect(fill(form, {})).toBe('Nothing to change.');
    expect(fill(form, { tags: '' })).toBe('The tags are empty.');
    expect(fill(form, { tags: 'administrator' })).toMatchObject({
      target: 'op1',
      details: ['viewer → administrator'],
      warning: undefined,
    });
    expect(fill(formOf((await ask('e', 'me')).asked[0]), { tags: 'viewer' })).toMatchObject({
      target: 'me',
      warning: 'brokertop signs in as this user. It may lose permissions, even to change this back.',
    });
  });

  test('changes a password; that of this program warns', async () => {
    for (const [username, warning] of [
      ['op1', undefined],
      [
        'me',
        'brokertop signs in as this user and will use the new password. Update the password that you start it with.',
      ],
    ] as const) {
      const form = formOf((await ask('w', username)).asked[0]);
      expect(form.fields.map(({ kind }) => kind)).toEqual(['hidden', 'hidden', 'hidden']);
      expect(fill(form, { password: 'b', again: 'b' })).toBe('The old password is empty.');
      expect(fill(form, { old: 'a', password: '', again: '' })).toBe('The password is empty.');
      expect(fill(form, { old: 'a', password: 'a', again: 'a' })).toBe('The new password is the same as the old one.');
      expect(fill(form, { old: 'a', password: 'b', again: 'b' })).toMatchObject({ target: username, warning });
    }
  });

  test('deletes a user after the name is typed, warns for its own user, and refuses admin', async () => {
    expect(confirmOf((await ask('D', 'op1')).asked[0])).toMatchObject({
      target: 'op1',
      mustType: 'op1',
      warning: undefined,
    });
    expect(confirmOf((await ask('D', 'me')).asked[0])).toMatchObject({
      mustType: 'me',
      warning: 'brokertop signs in as this user. It will be locked out and must be restarted.',
    });
    const monitor = cluster();
    const rig = open(monitor);
    rig.type('D');
    await rig.until(() => monitor.notices.length === 1);
    expect(monitor.notices).toEqual(['User admin cannot be deleted']);
    expect(rig.asked).toEqual([]);
  });

  test('checks a name and password', async () => {
    const form = formOf((await ask('c', 'op1')).asked[0]);
    expect(form.fields).toMatchObject([
      { id: 'username', initial: 'op1' },
      { id: 'password', kind: 'hidden' },
    ]);
    expect(fill(form, { username: '', password: 'x' })).toBe('The name is empty.');
    expect(fill(form, {})).toBe('The password is empty.');
    expect(fill(form, { password: 'x' })).toMatchObject({ target: 'op1', action: { name: 'check-credentials' } });
  });

  test('is unavailable in read-only mode', async () => {
    const rig = open(cluster(), [100, 12], { isReadOnly: true });
    for (const key of ['n', 'e', 'w', 'D', 'c', 'j']) rig.type(key);
    await rig.until((text) => text.includes('▸me'));
    expect(rig.asked).toEqual([]);
  });
});
