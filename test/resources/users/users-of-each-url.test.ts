import { addUser, changePassword, deleteUser } from '../../../src/resources/users/actions.ts';
import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { Secret } from '../../../src/actions/secret.ts';
import { UnauthorizedError } from '../../../src/api/errors.ts';
import { createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { readUsersAt, users } from '../../../src/resources/users/resource.ts';
import { nodeStats as nodeStatsPart } from '../../../src/resources/nodes/resource.ts';

const [a, b] = ['http://a:8080', 'http://b:8080'] as const;

/** Two addresses, each with its own users; `serving` is the one that answers what names none. */
function setUp() {
  const clock = createFakeClock();
  const sites = {
    [a]: { users: ['admin', 'ann'], password: 'old', used: 'old' },
    [b]: { users: ['admin'], password: 'old', used: 'old' },
  };
  const asked: string[] = [];
  let serving: keyof typeof sites = a;
  const enter = (url: keyof typeof sites, what: string): void => {
    asked.push(`${what} ${url}`);
    if (sites[url].used !== sites[url].password) throw new UnauthorizedError();
  };
  const portOf = (urlNow: () => keyof typeof sites) =>
    createFakeApi({
      setPassword: (password) => {
        sites[urlNow()].used = password;
      },
      listNodeStats: async () => {
        enter(urlNow(), 'nodes');
        return [nodeStats('n')];
      },
      listUsers: async () => {
        enter(urlNow(), 'users');
        return sites[urlNow()].users.map((username) => ({ username, tags: 't' }));
      },
      addUser: async ({ username }) => {
        enter(urlNow(), 'add');
        sites[urlNow()].users.push(username);
      },
      deleteUser: async (username) => {
        enter(urlNow(), 'delete');
        sites[urlNow()].users = sites[urlNow()].users.filter((each) => each !== username);
      },
      checkCredentials: async () => {
        enter(urlNow(), 'auth');
      },
      changePassword: async (_, __, password) => {
        enter(urlNow(), 'password');
        sites[urlNow()].password = password;
      },
    });
  const ports = { [a]: portOf(() => a), [b]: portOf(() => b) };
  const whole = portOf(() => serving);
  const api = {
    ...whole,
    urls: [a, b],
    get servingUrl() {
      return serving;
    },
    at: (url: string) => ports[url === b ? b : a],
    setPassword: (password: string) => {
      for (const site of Object.values(sites)) site.used = password;
    },
  };
  const monitor = createMonitor({ api, clock, intervalSeconds: 2, random: () => 0 });
  monitor.watch(nodeStatsPart);
  monitor.watch(users);
  return {
    clock,
    monitor,
    sites,
    asked,
    state: () => monitor.store.getState(),
    failOver(): void {
      serving = b;
      monitor.noteFailover({ url: b, insteadOf: a, because: 'It is gone.' });
    },
  };
}

test('the list of users has its address, and is read again after a failover', async () => {
  const { clock, state, failOver, monitor } = setUp();
  await clock.advance(1_000);
  expect(state().urls).toEqual([a, b]);
  expect(reading(state(), users).data).toEqual([
    { username: 'admin', tags: 't', url: a },
    { username: 'ann', tags: 't', url: a },
  ]);
  failOver();
  await clock.advance(100);
  expect(reading(state(), users).data).toEqual([{ username: 'admin', tags: 't', url: b }]);
  expect(await readUsersAt(monitor, a)).toHaveLength(2);
  monitor.stop();
});

test('an action confirmed before a failover goes to the confirmed address, or nowhere', async () => {
  const { clock, state, sites, failOver, monitor, asked } = setUp();
  sites[b].users.push('ann');
  await clock.advance(1_000);
  const ann = reading(state(), users).data?.find(({ username }) => username === 'ann');
  const pending = deleteUser.create(ann ?? { username: '', tags: '' }, { isSignedInUser: false });
  failOver();
  const running = monitor.runAction(pending);
  await clock.advance(20_000);
  expect((await running).outcome).toBe('done');
  expect([sites[a].users, sites[b].users]).toEqual([['admin'], ['admin', 'ann']]);
  expect(asked.filter((each) => each.startsWith('delete'))).toEqual([`delete ${a}`]);
  monitor.stop();
});

test('another address that rejects the login does not sign this program out', async () => {
  const { clock, state, sites, monitor } = setUp();
  sites[b].password = 'theirs';
  await clock.advance(1_000);
  const running = monitor.runAction(addUser.create({ username: 'op', tags: 't', password: new Secret('p'), url: b }));
  await clock.advance(20_000);
  expect(await running).toMatchObject({ outcome: 'not-done', wasSent: false, error: { kind: 'unauthorized' } });
  await expect(readUsersAt(monitor, b)).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(state().isUnauthorized).toBe(false);
  const fetchedAt = reading(state(), nodeStatsPart).updatedAtMs ?? 0;
  await clock.advance(5_000);
  expect(reading(state(), nodeStatsPart).updatedAtMs).toBeGreaterThan(fetchedAt);
  monitor.stop();
});

test('a password changed at one address is tried at another when the old one is rejected there, once', async () => {
  const { clock, state, sites, monitor, failOver } = setUp();
  await clock.advance(1_000);
  const running = monitor.runAction(
    changePassword.create({
      username: 'admin',
      oldPassword: new Secret('old'),
      newPassword: new Secret('new'),
      isSignedInUser: true,
      url: a,
    }),
  );
  await clock.advance(20_000);
  expect((await running).outcome).toBe('done');
  expect([sites[a].used, sites[b].used]).toEqual(['new', 'old']);
  // The users are the cluster's after all.
  sites[b].password = 'new';
  failOver();
  await clock.advance(5_000);
  expect(state().isUnauthorized).toBe(false);
  expect(sites[b].used).toBe('new');
  monitor.stop();
});
