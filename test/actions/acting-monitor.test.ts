import { publishMessage } from '../../src/resources/messages/actions.ts';
import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { addUser, changePassword } from '../../src/resources/users/actions.ts';
import { describe, expect, test } from 'vitest';
import { createMonitor, type ClusterMonitorOptions } from '../../src/resources/cluster.ts';
import type { AuditEntry } from '../../src/actions/audit.ts';
import { reconnectsText } from '../../src/actions/bulk.ts';
import { Secret } from '../../src/actions/secret.ts';
import {
  NoAnswerError,
  NotAvailableError,
  NotFoundError,
  TimeoutError,
  UnauthorizedError,
} from '../../src/api/errors.ts';
import type { CallOptions, ManagementApi } from '../../src/api/management-api.ts';
import type { Client } from '../../src/domain/client.ts';
import { client, createFakeApi, deferred, nodeStats } from '../monitor/fake-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { reading, readings, watchOf } from '../../src/monitor/query/part.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { users } from '../../src/resources/users/resource.ts';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { plugins, pluginSettings } from '../../src/resources/plugins/resource.ts';
import { nodeSettings, settings } from '../../src/resources/settings/resource.ts';
import { readClient } from '../../src/resources/clients/detail.ts';
import { eventTextsIn, eventsIn } from '../support/events.ts';
import { setupNotes } from '../../src/monitor/events.ts';

/** A monitor of one node with clients, on a clock; each answer takes `answerMs`. */
function setUp(parts: Partial<ManagementApi> = {}, options: Partial<ClusterMonitorOptions> = {}, answerMs = 10) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const written: AuditEntry[] = [];
  const broker: { clients: readonly Client[]; users: readonly string[] } = {
    clients: ['c1', 'c2', 'c3'].map((id) => client(id, 'a', 1)),
    users: ['admin'],
  };
  let inFlight = 0;
  let mostInFlight = 0;

  function answering<T>(what: string, value: () => T, callOptions?: CallOptions): Promise<T> {
    asked.push(what);
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        inFlight -= 1;
        try {
          resolve(value());
        } catch (error) {
          reject(error);
        }
      };
      const cancel = clock.setTimer(answerMs, end);
      callOptions?.signal?.addEventListener('abort', () => {
        cancel();
        end();
      });
    });
  }

  const find = (id: string) => broker.clients.filter(({ clientId }) => clientId === id);
  const api = createFakeApi({
    listNodeStats: (o) =>
      answering('nodeStats', () => [nodeStats('a', 'running', { clients: broker.clients.length })], o),
    listClients: (_, page, o) =>
      answering(
        'clients',
        () => ({ ...page, items: broker.clients, totalItems: broker.clients.length, totalPages: 1 }),
        o,
      ),
    getClient: (id, o) => answering('client', () => find(id), o),
    getNodeClient: (_, id, o) => answering('node client', () => find(id), o),
    disconnectClient: (id, o) =>
      answering(
        `disconnect ${id}`,
        () => {
          broker.clients = broker.clients.filter(({ clientId }) => clientId !== id);
        },
        o,
      ),
    listUsers: (o) => answering('users', () => broker.users.map((username) => ({ username, tags: '' })), o),
    addUser: ({ username }, o) =>
      answering(
        'add user',
        () => {
          broker.users = [...broker.users, username];
        },
        o,
      ),
    checkCredentials: (_, __, o) => answering('auth', () => {}, o),
    publish: (_, o) => answering('publish', () => {}, o),
    ...parts,
  });
  const monitor = createMonitor({
    api,
    clock,
    intervalSeconds: 10,
    random: () => 0,
    audit: {
      write: async (entry) => {
        written.push(entry);
      },
    },
    ...options,
  });
  return {
    clock,
    monitor,
    broker,
    asked,
    written,
    state: () => monitor.store.getState(),
    count: (what: string) => asked.filter((each) => each === what).length,
    mostInFlight: () => mostInFlight,
  };
}

describe('a monitor that acts', () => {
  test('shows the action and its outcome, logs it, and drops the row at once', async () => {
    const { clock, monitor, state, count, broker } = setUp();
    monitor.watch(clientScan);
    await clock.advance(1_000);
    const scans = count('clients');
    const [row] = reading(state(), clientScan).rows;
    const running = monitor.runAction(disconnectClient.create({ kind: 'client', client: row ?? client('none', 'a') }));
    await clock.advance(15);
    expect(state().actions).toMatchObject([
      { name: 'disconnect-client', title: 'disconnect client c1', phase: 'checking', result: undefined },
    ]);
    await clock.advance(26);
    const result = await running;
    expect(result.outcome).toBe('done');
    expect(state().actions).toMatchObject([{ phase: 'finished', result: { outcome: 'done' } }]);
    expect(reading(state(), clientScan).rows.map(({ clientId }) => clientId)).toEqual(['c2', 'c3']);
    expect(reading(state(), clientScan).gone.map(({ clientId }) => clientId)).toEqual(['c1']);
    expect(eventsIn(state()).at(-1)).toMatchObject({
      severity: 'info',
      text: 'Disconnected client c1.',
    });
    await clock.advance(50);
    expect(count('clients')).toBe(scans + 1);
    expect(broker.clients).toHaveLength(2);
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('shows and logs what a disconnect led to, with no second disconnect, and reads the lists again', async () => {
    const { clock, monitor, state, count, broker, written } = setUp();
    monitor.watch(clientScan);
    await clock.advance(1_000);
    const [row] = reading(state(), clientScan).rows;
    void monitor.runAction(disconnectClient.create({ kind: 'client', client: row ?? client('none', 'a') }));
    await clock.advance(200);
    const away = 'It has not reconnected yet; session unknown.';
    expect(state().actions).toMatchObject([
      { phase: 'finished', result: { outcome: 'done' }, followUp: away, isFollowed: true },
    ]);
    broker.clients = [...broker.clients, { ...client('c1', 'a', 9), port: 5_000 }];
    await clock.advance(1_000);
    const back = state().actions[0]?.followUp ?? '';
    expect(back).toMatch(/^Reconnected within 0\.\d s on a from 10\.0\.0\.1:5000; session unknown\.$/);
    expect(state().actions).toMatchObject([{ isFollowed: false }]);
    expect(eventTextsIn(state()).slice(-2)).toEqual(['Disconnected client c1.', `Client c1: r${back.slice(1)}`]);
    expect(
      reading(state(), clientScan)
        .rows.map(({ clientId }) => clientId)
        .toSorted(),
    ).toEqual(['c1', 'c2', 'c3']);
    expect(count('disconnect c1')).toBe(1);
    expect(written.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'follow-up']);
    monitor.stop();
  });

  test('logs what is known of a disconnect when the program ends at once', async () => {
    const { clock, monitor, state } = setUp();
    const running = monitor.runAction(disconnectClient.create({ kind: 'client', client: client('c1', 'a', 1) }));
    await clock.advance(1_500);
    await running;
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(eventsIn(state()).at(-1)?.text).toBe(
      'Client c1: it has not reconnected (watched for 1 s); session unknown.',
    );
    expect(clock.pendingTimers()).toBe(0);
  });

  test('a client that is not found while a node is down names the stopped nodes', async () => {
    let names = ['a', 'b'];
    const { clock, monitor, broker } = setUp({ listNodeStats: async () => names.map((name) => nodeStats(name)) });
    monitor.watch(nodeStatsPart);
    await clock.advance(1_000);
    names = ['a'];
    await clock.advance(12_000);
    broker.clients = [];
    const running = monitor.runAction(disconnectClient.create({ kind: 'client', client: client('c1', 'a', 1) }));
    await clock.advance(5_000);
    expect((await running).why).toBe(
      'it is no longer connected to a. b is not running, so its clients look disconnected.',
    );
    monitor.stop();
  });

  test('does not repeat a long scan: only the row goes', async () => {
    const { clock, monitor, state, count } = setUp({}, {}, 1_200);
    monitor.watch(clientScan);
    await clock.advance(5_000);
    const scans = count('clients');
    const [row] = reading(state(), clientScan).rows;
    const running = monitor.runAction(disconnectClient.create({ kind: 'client', client: row ?? client('none', 'a') }));
    await clock.advance(4_900);
    expect((await running).outcome).toBe('done');
    expect(reading(state(), clientScan).rows).toHaveLength(2);
    expect(count('clients')).toBe(scans);
    monitor.stop();
  });

  test('reads again what is watched and changed, ignoring answers to earlier requests', async () => {
    const { clock, monitor, state, count } = setUp();
    monitor.watch(users);
    await clock.advance(1_000);
    const running = monitor.runAction(addUser.create({ username: 'ann', tags: '', password: new Secret('p') }));
    await clock.advance(35);
    // Asked after the action began and answered after it ended.
    monitor.refresh();
    await clock.advance(100);
    expect((await running).outcome).toBe('done');
    expect(reading(state(), users).data?.map(({ username }) => username)).toEqual(['admin', 'ann']);
    expect(count('users')).toBe(5);
    monitor.stop();
  });

  test('in read-only mode refuses every action and only reads', async () => {
    const { clock, monitor, state, asked, written } = setUp({}, { isReadOnly: true });
    const result = await monitor.runAction(publishMessage.create({ topic: 't' }));
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'read-only', wasSent: false });
    expect(state().isReadOnly).toBe(true);
    const bulk = monitor.startBulk([disconnectClient.create({ kind: 'client', client: client('c1', 'a', 1) })], {
      title: 'disconnect 1 client',
    });
    await clock.advance(1_000);
    expect(await bulk?.finished).toMatchObject({ skipped: 1, done: 0 });
    expect([...asked, ...written]).toEqual([]);
    monitor.stop();
  });

  test('stops for good when an action is answered with 401', async () => {
    const { monitor, clock, state } = setUp({ publish: () => Promise.reject(new UnauthorizedError()) });
    await monitor.runAction(publishMessage.create({ topic: 't' }));
    await clock.settle();
    expect(state().isUnauthorized).toBe(true);
    expect(eventsIn(state()).map(({ severity }) => severity)).toEqual(['warning', 'critical']);
    monitor.stop();
  });

  test('continues after a change of its own password, whatever was rejected in between', async () => {
    let [wanted, used] = ['old', 'old'];
    const answer = deferred<void>();
    const check = <T>(value: T): Promise<T> =>
      used === wanted ? Promise.resolve(value) : Promise.reject(new UnauthorizedError());
    const { monitor, clock, state } = setUp({
      listNodeStats: () => check([nodeStats('a', 'running', { clients: 3 })]),
      listUsers: () => check([{ username: 'admin', tags: '' }]),
      checkCredentials: () => check(undefined),
      changePassword: async (_, __, password) => {
        wanted = password;
        await answer.promise;
      },
      setPassword: (password) => {
        used = password;
      },
    });
    monitor.watch(nodeStatsPart);
    await clock.settle();
    const running = monitor.runAction(
      changePassword.create({
        username: 'admin',
        oldPassword: new Secret('old'),
        newPassword: new Secret('new'),
        isSignedInUser: true,
      }),
    );
    await clock.settle();
    monitor.refresh();
    await clock.settle();
    expect(state().isUnauthorized).toBe(true);
    answer.resolve();
    await clock.advance(100);
    expect(await running).toMatchObject({ outcome: 'done', why: 'brokertop now uses the new password.' });
    expect([state().isUnauthorized, used]).toEqual([false, 'new']);
    monitor.stop();
  });

  describe('a change of its own password whose answers are lost', () => {
    const setUpLost = (changesTo: string, parts: Partial<ManagementApi> = {}) => {
      const broker = { wanted: 'old', isHung: false };
      const asked: string[] = [];
      let used = 'old';
      const check = async <T>(value: T): Promise<T> => {
        asked.push(used);
        if (broker.isHung) throw new TimeoutError(5_000);
        if (used !== broker.wanted) throw new UnauthorizedError();
        return value;
      };
      const rig = setUp({
        listNodeStats: () => check([nodeStats('a', 'running', { clients: 3 })]),
        listUsers: () => check([{ username: 'admin', tags: '' }]),
        checkCredentials: () => check(undefined),
        changePassword: async () => {
          Object.assign(broker, { wanted: changesTo, isHung: true });
          throw new NoAnswerError();
        },
        setPassword: (password) => {
          used = password;
        },
        ...parts,
      });
      return { ...rig, broker, asked };
    };
    const change = () =>
      changePassword.create({
        username: 'admin',
        oldPassword: new Secret('old'),
        newPassword: new Secret('hunter2'),
        isSignedInUser: true,
      });

    test('is noticed at the next 401: the new one is tried once, and polling continues', async () => {
      const { monitor, clock, state, broker, asked } = setUpLost('hunter2');
      monitor.watch(nodeStatsPart);
      await clock.settle();
      const running = monitor.runAction(change());
      await clock.advance(10_000);
      expect(await running).toMatchObject({ outcome: 'unknown' });
      expect(new Set(asked)).toEqual(new Set(['old']));
      broker.isHung = false;
      await clock.advance(40_000);
      expect(state().isUnauthorized).toBe(false);
      expect(reading(state(), nodeStatsPart).error).toBeUndefined();
      expect(eventTextsIn(state())).toEqual(
        expect.arrayContaining([
          'The password change may have taken effect. Trying the new password once.',
          'Signed in again. Polling resumed.',
        ]),
      );
      expect(JSON.stringify(state())).not.toContain('hunter2');
      monitor.stop();
    });

    test('costs one more request if the new one is wrong, too', async () => {
      const { monitor, clock, state, broker, asked } = setUpLost('something else');
      monitor.watch(nodeStatsPart);
      await clock.settle();
      const running = monitor.runAction(change());
      await clock.advance(10_000);
      expect(await running).toMatchObject({ outcome: 'unknown' });
      broker.isHung = false;
      await clock.advance(600_000);
      expect(state().isUnauthorized).toBe(true);
      expect(asked.filter((password) => password === 'hunter2')).toHaveLength(1);
      expect(eventsIn(state()).at(-1)?.text).toBe('The broker rejected the new password too.');
      monitor.stop();
    });

    test('is followed at once if the old one was rejected before it ended', async () => {
      const { monitor, clock, state, broker } = setUpLost('hunter2', {
        checkCredentials: () => new Promise<never>(() => {}),
      });
      monitor.watch(nodeStatsPart);
      await clock.settle();
      const running = monitor.runAction(change());
      await clock.settle();
      broker.isHung = false;
      monitor.refresh();
      await clock.settle();
      expect(state().isUnauthorized).toBe(true);
      broker.isHung = true;
      await clock.advance(10_000);
      expect(await running).toMatchObject({ outcome: 'unknown' });
      broker.isHung = false;
      await clock.advance(40_000);
      expect(state().isUnauthorized).toBe(false);
      expect(reading(state(), nodeStatsPart).error).toBeUndefined();
      monitor.stop();
    });
  });

  test('stopped during an action records it as unknown and starts no other', async () => {
    const answer = deferred<void>();
    const { monitor, clock, written, state } = setUp({ publish: () => answer.promise });
    const running = monitor.runAction(publishMessage.create({ topic: 't' }));
    await clock.settle();
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(await running).toMatchObject({ outcome: 'unknown', wasSent: true });
    expect(written.map((entry) => (entry.kind === 'outcome' ? entry.result.outcome : entry.kind))).toEqual([
      'intent',
      'unknown',
    ]);
    expect(await monitor.runAction(publishMessage.create({ topic: 't' }))).toMatchObject({
      outcome: 'not-done',
      wasSent: false,
    });
    expect(monitor.startBulk([], { title: '' })).toBeUndefined();
    expect(state().actions.map(({ phase }) => phase)).toEqual(['finished', 'finished']);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('an action stopped after it was sent is reported at the end of the program', async () => {
    // Nothing gives out what is held back after the end.
    const { monitor, clock, state } = setUp({ publish: () => new Promise<never>(() => {}) }, { holdMs: 50 });
    void monitor.runAction(publishMessage.create({ topic: 't' }));
    await clock.settle();
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(state().partlyDone).toEqual([
      {
        text: expect.stringContaining('Outcome unknown: publish to t. '),
        failures: [],
        moreFailures: 0,
      },
    ]);
  });

  test('an audit that never answers refuses an action, and does not keep the program from ending', async () => {
    const { monitor, clock, asked } = setUp({}, { audit: { write: () => new Promise<never>(() => {}) } });
    const running = monitor.runAction(publishMessage.create({ topic: 't' }));
    await clock.advance(4_000);
    monitor.stop();
    const ended = monitor.whenActionsEnd();
    await clock.advance(2_000);
    await ended;
    expect(await running).toMatchObject({
      outcome: 'not-done',
      reason: 'not-recorded',
      wasSent: false,
      why: 'Cannot write the audit log: Writing took longer than 5 s.',
    });
    expect(asked).not.toContain('publish');
    expect(clock.pendingTimers()).toBe(0);
  });

  test('its log begins with the given note', async () => {
    const { monitor, state, clock } = setUp({}, { firstNotes: ['Actions are recorded in /x.'] });
    await clock.settle();
    expect(reading(state(), setupNotes)).toMatchObject([{ severity: 'info', text: 'Actions are recorded in /x.' }]);
    expect(eventsIn(state())).toEqual([]);
    monitor.stop();
  });

  test('stopped while an action waits for its turn sends nothing', async () => {
    const never = new Promise<never>(() => {});
    const { monitor, clock } = setUp({ publish: () => never });
    // The login is known to be taken: until then one request is made at a time.
    monitor.watch(nodeStatsPart);
    await clock.advance(10);
    const running = Array.from({ length: 8 }, (_, index) =>
      monitor.runAction(publishMessage.create({ topic: `t${index}` })),
    );
    await clock.settle();
    monitor.stop();
    await monitor.whenActionsEnd();
    const results = await Promise.all(running);
    expect(results.map(({ wasSent }) => wasSent)).toEqual([true, true, true, true, true, true, false, false]);
  });

  test('runs a bulk: rows go one by one, the list is read once at the end, failures are in the log', async () => {
    const { clock, monitor, state, count, broker, written, mostInFlight } = setUp();
    monitor.watch(clientScan);
    await clock.advance(1_000);
    const rows = reading(state(), clientScan).rows;
    broker.clients = broker.clients.map((each) => (each.clientId === 'c2' ? { ...each, port: 9 } : each));
    const scans = count('clients');
    const bulk = monitor.startBulk(
      rows.map((each) => disconnectClient.create({ kind: 'client', client: each })),
      { title: 'disconnect 3 clients', perSecond: 10 },
    );
    expect(monitor.startBulk([], { title: 'another' })).toBeUndefined();
    await clock.advance(60);
    expect(state().bulk).toMatchObject({ done: 1, waiting: 2, phase: 'running' });
    expect(reading(state(), clientScan).rows.map(({ clientId }) => clientId)).toEqual(['c2', 'c3']);
    expect(count('clients')).toBe(scans);
    await clock.advance(500);
    expect(await bulk?.finished).toMatchObject({ done: 2, skipped: 1, skips: { changed: 1 } });
    expect(state().bulk).toMatchObject({ phase: 'finished', done: 2, skipped: 1 });
    expect(count('clients')).toBe(scans + 1);
    expect(count('disconnect c2')).toBe(0);
    expect(eventTextsIn(state()).slice(-2)).toEqual([
      'Skipped client c2: it reconnected after you selected it.',
      'disconnect 3 clients: 2 of 3 disconnected, 1 skipped (reconnected or gone).',
    ]);
    expect(new Set(written.map((entry) => ('bulkId' in entry ? entry.bulkId : undefined))).size).toBe(1);
    expect(written.at(0)).toMatchObject({
      kind: 'bulk-begin',
      title: 'disconnect 3 clients',
      chosen: 3,
      perSecond: 10,
    });
    expect(written.at(-1)).toMatchObject({
      kind: 'bulk-end',
      progress: { total: 3, done: 2, skipped: 1, skips: { changed: 1, notReached: 0 } },
    });
    expect(state().actions).toEqual([]);
    expect(mostInFlight()).toBeLessThanOrEqual(6);
    // A later one that is done wholly does not take back what this one left.
    const another = monitor.startBulk([disconnectClient.create({ kind: 'client', client: client('c3', 'a', 1) })], {
      title: 'another',
    });
    await clock.advance(500);
    expect(await another?.finished).toMatchObject({ skipped: 1 });
    const whole = monitor.startBulk([], { title: 'a third' });
    await whole?.finished;
    expect(state().partlyDone.map(({ text, failures }) => [text.split(':')[0], failures.length])).toEqual([
      ['disconnect 3 clients', 1],
      ['another', 1],
    ]);
    monitor.stop();
  });

  test('counts the requests of a bulk that are sent but not answered, and says that it was stopped', async () => {
    const { clock, monitor, state, broker } = setUp({ disconnectClient: () => new Promise<never>(() => {}) });
    monitor.watch(clientScan);
    await clock.advance(1_000);
    const [first, second] = reading(state(), clientScan).rows;
    if (first === undefined || second === undefined) throw new Error('no rows');
    const bulk = monitor.startBulk(
      [first, second, client('late', 'a', 1)].map((each) => disconnectClient.create({ kind: 'client', client: each })),
      { title: 'disconnect 3 clients', perSecond: 2 },
    );
    await clock.advance(600);
    expect(state().bulk).toMatchObject({ done: 0, running: 2, sent: 2, waiting: 1 });
    monitor.abortBulk();
    await clock.settle();
    expect(state().bulk).toMatchObject({ phase: 'ending', running: 2, sent: 2, waiting: 1 });
    monitor.stop();
    expect(await bulk?.finished).toMatchObject({ unknown: 2, skipped: 1, skips: { notReached: 1 }, sent: 0 });
    await monitor.whenActionsEnd();
    // The log is shown newest first: what came of it as a whole stands above each.
    expect(eventsIn(state()).at(-1)?.text).toBe(
      'disconnect 3 clients: 0 of 3 disconnected, 2 unknown, 1 left. Stopped by the operator.',
    );
    expect(broker.clients).toHaveLength(3);
  });

  const bulkOf = (ids: readonly string[]) =>
    ids.map((id) => disconnectClient.create({ kind: 'client', client: client(id, 'a', 1) }));

  test('counts after a bulk how many reconnect, of those that it disconnected', async () => {
    const { clock, monitor, state, broker, count } = setUp();
    broker.clients = broker.clients.map((each) => (each.clientId === 'c2' ? { ...each, port: 9 } : each));
    const bulk = monitor.startBulk(bulkOf(['c1', 'c2', 'c3']), { title: 'Disconnect 3 marked clients' });
    await clock.advance(1_000);
    expect(await bulk?.finished).toMatchObject({ done: 2, skipped: 1 });
    expect(state().bulk?.reconnects).toEqual({
      total: 2,
      reconnected: 0,
      away: 0,
      unreadable: 0,
      unchecked: 2,
      awayIds: [],
      isFinished: false,
    });
    broker.clients = [...broker.clients, client('c3', 'a', 9)];
    await clock.advance(10_000);
    const reconnects = {
      total: 2,
      reconnected: 1,
      away: 1,
      unreadable: 0,
      unchecked: 0,
      awayIds: ['c1'],
      isFinished: true,
    };
    expect(state().bulk).toMatchObject({ phase: 'finished', done: 2, reconnects });
    expect(eventsIn(state()).at(-1)?.text).toBe(`Disconnecting marked clients: ${reconnectsText(reconnects)}`);
    expect([count('disconnect c1'), count('disconnect c2'), count('disconnect c3')]).toEqual([1, 0, 1]);
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('counts no longer when the next bulk begins, or the program ends', async () => {
    const { clock, monitor, state } = setUp();
    const first = monitor.startBulk(bulkOf(['c1']), { title: 'the first' });
    await clock.advance(1_000);
    await first?.finished;
    const second = monitor.startBulk(bulkOf(['c2']), { title: 'the second' });
    await clock.advance(1_000);
    await second?.finished;
    expect(state().bulk).toMatchObject({ title: 'the second', reconnects: { unchecked: 1 } });
    monitor.stop();
    await monitor.whenActionsEnd();
    expect(eventTextsIn(state()).join(' ')).not.toContain(
      reconnectsText({ total: 1, reconnected: 0, away: 0, unreadable: 0, unchecked: 1, awayIds: [], isFinished: true }),
    );
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each([
    ['while some wait', 3],
    ['when all have begun', 1],
  ] as const)('says of a bulk what ended the program %s', async (_, count) => {
    const { clock, monitor, state } = setUp({ disconnectClient: () => new Promise<never>(() => {}) });
    const bulk = monitor.startBulk(
      ['c1', 'c2', 'c3']
        .slice(0, count)
        .map((id) => disconnectClient.create({ kind: 'client', client: client(id, 'a', 1) })),
      { title: 'disconnect them', perSecond: 1 },
    );
    await clock.advance(100);
    monitor.stop('The program was ended by SIGTERM.');
    await bulk?.finished;
    await monitor.whenActionsEnd();
    expect(eventsIn(state()).at(-1)?.text).toMatch(/^disconnect them: .*\. The program was ended by SIGTERM\.$/u);
    expect(state().partlyDone.map(({ text }) => text)).toEqual([expect.stringContaining('ended by SIGTERM.')]);
  });
});

describe('while the screen is frozen', () => {
  test('an action reads what it has to, and the rows go', async () => {
    const { clock, monitor, state, count } = setUp();
    monitor.watch(clientScan);
    await clock.advance(1_000);
    const [shown] = reading(state(), clientScan).rows;
    monitor.setFrozen(true);
    await clock.advance(30_000);
    const scans = count('clients');
    const detail = readClient(monitor, 'c1', new AbortController().signal);
    await clock.advance(100);
    expect((await detail).clients).toEqual([expect.objectContaining({ clientId: 'c1' })]);
    if (shown === undefined) throw new Error('no row');
    const result = monitor.runAction(disconnectClient.create({ kind: 'client', client: shown }));
    await clock.advance(100);
    expect(await result).toMatchObject({ outcome: 'done' });
    expect(reading(state(), clientScan).rows.map(({ clientId }) => clientId)).toEqual(['c2', 'c3']);
    await clock.advance(30_000);
    expect(count('clients')).toBe(scans);
    monitor.stop();
  });

  test('a read that is answered with 401 ends all fetching, as any other', async () => {
    const { clock, monitor, state } = setUp({ getClient: () => Promise.reject(new UnauthorizedError()) });
    monitor.setFrozen(true);
    const failed = readClient(monitor, 'c1', new AbortController().signal).catch((thrown: unknown) => thrown);
    await clock.advance(100);
    expect(await failed).toBeInstanceOf(UnauthorizedError);
    expect(state().isUnauthorized).toBe(true);
    monitor.stop();
  });
});

describe('administration', () => {
  const answers: Partial<ManagementApi> = {
    listPlugins: async (node) => [
      { name: `plugin of ${node}`, version: undefined, description: undefined, active: true },
    ],
    getSettings: async (node) => [{ key: `of ${node}`, value: '1', app: 'x', dataType: undefined }],
    getPluginSettings: async (node, plugin) => [
      { key: `${plugin} on ${node}`, value: '1', description: '', required: false },
    ],
    listSettings: () => Promise.reject(new NotFoundError()),
  };

  test('is read by node, and only while watched', async () => {
    const { clock, monitor, state, count } = setUp(answers);
    const leave = [
      monitor.watch(users),
      monitor.watch(watchOf(plugins, 'a')),
      monitor.watch(watchOf(plugins, 'b')),
      monitor.watch(watchOf(nodeSettings, 'a')),
      monitor.watch(watchOf(pluginSettings, 'a b', 'c')),
      monitor.watch(watchOf(pluginSettings, 'a', 'b c')),
    ];
    await clock.advance(100);
    expect(reading(state(), users).data).toEqual([{ username: 'admin', tags: '' }]);
    expect([...readings(state(), plugins)].map(([node, { data }]) => [node, data?.[0]?.name])).toEqual([
      ['a', 'plugin of a'],
      ['b', 'plugin of b'],
    ]);
    expect(readings(state(), nodeSettings).get('a')?.data?.[0]?.key).toBe('of a');
    expect(readings(state(), pluginSettings).get(pluginSettings.textOf('a b', 'c'))?.data?.[0]?.key).toBe('c on a b');
    expect(readings(state(), pluginSettings).get(pluginSettings.textOf('a', 'b c'))?.data?.[0]?.key).toBe('b c on a');
    for (const end of leave) end();
    await clock.advance(600_000);
    expect(count('users')).toBe(1);
    expect(clock.pendingTimers()).toBe(0);
    monitor.stop();
  });

  test('a 404 for the settings of all nodes means that the broker lacks them; those of one node are still read', async () => {
    const { clock, monitor, state } = setUp(answers);
    monitor.watch(settings);
    monitor.watch(watchOf(nodeSettings, 'a'));
    await clock.advance(100);
    expect(reading(state(), settings)).toMatchObject({
      data: undefined,
      error: { kind: 'not-available', message: new NotAvailableError('the settings of all nodes at once').message },
    });
    expect(readings(state(), nodeSettings).get('a')).toMatchObject({ error: undefined });
    monitor.stop();
  });

  test('another failure stays what it is', async () => {
    const { clock, monitor, state } = setUp({ getSettings: () => Promise.reject(new NoAnswerError()) });
    monitor.watch(watchOf(nodeSettings, 'a'));
    // A failed read is repeated first.
    await clock.advance(5_000);
    expect(readings(state(), nodeSettings).get('a')?.error?.kind).toBe('unreachable');
    monitor.stop();
  });
});
