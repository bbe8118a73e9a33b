import { disconnectClient } from '../../../src/resources/clients/actions.ts';
import { clientWords } from '../../../src/resources/clients/texts.ts';
import { describe, expect, test } from 'vitest';
import { describeResult } from '../../../src/actions/describe.ts';
import { followUpMs, watchMs } from '../../../src/actions/follow-up.ts';
import type { Follow, RunnerOptions } from '../../../src/actions/runner.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { outcomeTexts } from '../../../src/actions/texts.ts';
import {
  type ApiError,
  BadAnswerError,
  HttpStatusError,
  NoAnswerError,
  NotFoundError,
  RateLimitedError,
  RefusedError,
  TimeoutError,
  UnauthorizedError,
  UnreachableError,
} from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { Client, Session } from '../../../src/domain/client.ts';
import type { NodeStatus } from '../../../src/domain/node.ts';
import { client, deferred, nodeStats } from '../../monitor/fake-api.ts';
import { type Fate, fine, meet, setUpRunner, timesCalled } from '../../actions/support.ts';
import { unknownSession } from '../../support/records.ts';

const shown = client('c1', 'a', 100);
const words = clientWords.disconnect('c1');

/** A broker with the client on it, which disconnects it as `fate` says. */
function setUp(fate: Fate = fine, options: Partial<RunnerOptions> = {}, parts: Partial<ManagementApi> = {}) {
  const broker: {
    clients: readonly Client[];
    status: NodeStatus;
    readError: ApiError | undefined;
    back: Client | undefined;
  } = {
    clients: [shown],
    status: 'running',
    readError: undefined,
    back: undefined,
  };
  const read = async <T>(value: () => T): Promise<T> => {
    if (broker.readError !== undefined) throw broker.readError;
    return value();
  };
  const rig = setUpRunner(
    {
      getNodeClient: (node, id) =>
        read(() => broker.clients.filter((each) => each.node === node && each.clientId === id)),
      getClient: (id) =>
        read(() => broker.clients.filter((each) => each.clientId === id).map((each) => ({ ...each, node: undefined }))),
      listNodeStats: () => read(() => [nodeStats('a', broker.status)]),
      disconnectClient: () =>
        meet(fate, () => {
          broker.clients = broker.back === undefined ? [] : [broker.back];
        }),
      ...parts,
    },
    options,
  );
  return { ...rig, broker };
}

const session: Session = {
  clientId: 'c1',
  cleanSession: false,
  createdAt: 90,
  node: 'a',
  ...unknownSession,
};

describe('disconnecting the client of a session', () => {
  const setUpSession = (now: readonly Session[] = [session]) => {
    const rig = setUp(
      fine,
      {},
      { getNodeSession: async (node, id) => now.filter((each) => each.node === node && each.clientId === id) },
    );
    return rig;
  };

  test('checks the session and its connection, then ends that connection', async () => {
    const { run, calls, written } = setUpSession();
    expect(await run(disconnectClient.create({ kind: 'session', session }))).toMatchObject({
      outcome: 'done',
      wasSent: true,
    });
    expect(calls).toEqual([
      'getNodeSession',
      'getClient',
      'getNodeClient',
      'audit intent',
      'disconnectClient',
      'getClient',
      'audit outcome',
    ]);
    expect(written[0]?.target).toEqual({ clientId: 'c1', node: 'a', createdAt: 90 });
  });

  const refused: readonly (readonly [string, readonly Session[], readonly Client[], string])[] = [
    ['another session of the id', [{ ...session, createdAt: 91 }], [shown], 'another session has this client ID now.'],
    ['no session', [], [shown], 'the session no longer exists on a.'],
    ['nobody connected', [session], [], 'it is not connected.'],
    [
      'two connections',
      [session],
      [shown, client('c1', 'b', 100)],
      'two connections have this client ID (takeover in progress).',
    ],
    ['a connection to another node', [session], [client('c1', 'b', 100)], 'it is no longer connected to a.'],
    [
      'a connection that cannot be told from the next one',
      [session],
      [{ ...shown, port: undefined, connectedAt: undefined }],
      'its port and connection time are unknown, so a reconnect could not be detected.',
    ],
  ];
  test.each(refused)('is refused when reading finds %s', async (_, sessions, clients, why) => {
    const rig = setUpSession(sessions);
    rig.broker.clients = clients;
    const result = await rig.run(disconnectClient.create({ kind: 'session', session }));
    // Where nobody is connected nothing has changed: it may have been so when it was listed.
    expect(result).toMatchObject({
      outcome: 'not-done',
      reason: sessions.length === 1 && clients.length === 0 ? 'absent' : 'changed',
      wasSent: false,
    });
    expect(result.why).toBe(why);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });
});

describe('disconnecting a client', () => {
  test('checks the target, records the intent, sends once, verifies and records the outcome, in this order', async () => {
    const { run, calls, written } = setUp();
    const result = await run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'done', reason: 'reading', wasSent: true, error: undefined });
    expect(calls).toEqual([
      'getNodeClient',
      'getClient',
      'audit intent',
      'disconnectClient',
      'getClient',
      'audit outcome',
    ]);
    expect(written.map(({ id }) => id)).toEqual(['id-1', 'id-1']);
  });

  const others: readonly (readonly [string, readonly Client[]])[] = [
    ['another port', [{ ...shown, port: 4_001 }]],
    ['another address', [{ ...shown, ipAddress: '10.0.0.2' }]],
    ['another time of connection', [client('c1', 'a', 101)]],
    ['another node', [client('c1', 'b', 100)]],
    ['a second connection on another node', [shown, client('c1', 'b', 100)]],
    ['nothing', []],
  ];
  test.each(others)('is refused when re-reading finds %s', async (_, clients) => {
    const rig = setUp();
    rig.broker.clients = clients;
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'changed', wasSent: false });
    expect(result.reason).toBe('changed');
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
    expect(rig.calls.at(-1)).toBe('audit outcome');
  });

  test('acts on the frozen target, whatever happens to the row', async () => {
    const row = { ...shown };
    const action = disconnectClient.create({ kind: 'client', client: row });
    row.clientId = 'c2';
    row.port = 1;
    expect(action.target).toMatchObject({ clientId: 'c1', port: 4_000 });
    expect(Object.isFrozen(action.target)).toBe(true);
    expect((await setUp().run(action)).outcome).toBe('done');
  });

  test('is refused when a later connection would look the same', async () => {
    const unknown = { ...client('c1', 'a'), port: undefined };
    const rig = setUp();
    rig.broker.clients = [unknown];
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: unknown }))).toMatchObject({
      outcome: 'not-done',
      wasSent: false,
    });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('counts as done when the client has reconnected', async () => {
    const rig = setUp();
    rig.broker.back = client('c1', 'a', 105);
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'done',
      why: undefined,
    });
  });

  test('112 with the client connected again says so', async () => {
    const rig = setUp({ takesEffect: true, error: errorOfCode(112) });
    rig.broker.back = client('c1', 'a', 105);
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({
      outcome: 'not-done',
      why: 'The broker refused: client is offline (code 112). It had already disconnected. It has reconnected.',
    });
  });

  const lost: readonly ApiError[] = [
    new NotFoundError(),
    new NoAnswerError(),
    new TimeoutError(5_000),
    new UnreachableError('ECONNRESET'),
    new HttpStatusError(500),
    new HttpStatusError(502),
    errorOfCode(101),
    new HttpStatusError(202),
    new HttpStatusError(204),
    new HttpStatusError(301),
    new BadAnswerError('HTML, not JSON'),
  ];
  test.each(lost)('without a usable answer ($name) is done when reading shows that it is gone', async (error) => {
    const rig = setUp({ takesEffect: true, error });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'done',
      reason: 'reading',
      error,
    });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test.each(lost)(
    'without a usable answer ($name) and still connected is unknown, or not done when the broker has finished',
    async (error) => {
      const rig = setUp({ takesEffect: false, error });
      const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
      expect(result.outcome).toBe(
        error.kind === 'not-found' || (error instanceof HttpStatusError && error.status === 500)
          ? 'not-done'
          : 'unknown',
      );
      expect(result.wasSent).toBe(true);
      expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
    },
  );

  test.each(lost)('without a usable answer ($name) is unknown when its node is down', async (error) => {
    const rig = setUp({ takesEffect: true, error });
    rig.broker.status = 'stopped';
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result.outcome).toBe('unknown');
    expect(result.why).toContain('Its node a is down. The client may still be connected there.');
  });

  test('without an answer and a reading is unknown, after max five readings in 5 s', async () => {
    const rig = setUp({ takesEffect: true, error: new NoAnswerError() });
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), {
      onPhase: (phase) => {
        if (phase === 'sending') rig.broker.readError = new NoAnswerError();
      },
    });
    const startedMs = rig.clock.monotonicMs();
    let endedMs = Number.NaN;
    void running.then(() => {
      endedMs = rig.clock.monotonicMs();
    });
    await rig.clock.advance(60_000);
    expect((await running).outcome).toBe('unknown');
    expect(endedMs - startedMs).toBeLessThanOrEqual(5_000);
    expect(timesCalled(rig.calls, 'getClient')).toBe(6);
    expect(rig.clock.pendingTimers()).toBe(0);
  });

  test('a reading that never answers times out after 5 s', async () => {
    const rig = setUpRunner({
      getNodeClient: async () => [shown],
      getClient: (() => {
        let readings = 0;
        return async () => ((readings += 1) === 1 ? [shown] : new Promise<never>(() => {}));
      })(),
      disconnectClient: async () => {},
    });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'unknown', reason: 'no-reading' });
    expect(result.finishedAtMs - result.startedAtMs).toBe(5_000);
  });

  test('an effect that shows late is waited for', async () => {
    const rig = setUp({ takesEffect: false, error: undefined });
    rig.clock.setTimer(1_500, () => {
      rig.broker.clients = [];
    });
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('done');
  });

  test('accepted without effect is not done', async () => {
    const result = await setUp({ takesEffect: false, error: undefined }).run(
      disconnectClient.create({ kind: 'client', client: shown }),
    );
    expect(result).toMatchObject({
      outcome: 'not-done',
      wasSent: true,
      why: 'The broker accepted it, but nothing changed.',
    });
  });

  test('112 with the client gone and its node running: it had already disconnected', async () => {
    const result = await setUp({ takesEffect: true, error: errorOfCode(112) }).run(
      disconnectClient.create({ kind: 'client', client: shown }),
    );
    expect(result).toMatchObject({
      outcome: 'not-done',
      wasSent: true,
      why: 'The broker refused: client is offline (code 112). It had already disconnected.',
    });
  });

  const offline = { takesEffect: true, error: errorOfCode(112) };
  const withStopped = async () => [nodeStats('a'), nodeStats('b', 'stopped'), nodeStats('c')];

  test('112 while another node is stopped names that node', async () => {
    const result = await setUp(offline, {}, { listNodeStats: withStopped }).run(
      disconnectClient.create({ kind: 'client', client: shown }),
    );
    expect(result.why).toBe(
      'The broker refused: client is offline (code 112). It had already disconnected. b is not running, so its clients look disconnected.',
    );
  });

  test('112 while a node is stopped and the node of the client is unknown: unknown, naming the stopped node', async () => {
    const rig = setUp(offline, {}, { listNodeStats: withStopped });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: { ...shown, node: undefined } }));
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 112 } });
    expect(result.why).toContain('Its node is unknown. b is not running, so its clients look disconnected.');
  });

  test('a stopped node that the broker no longer lists is named, too', async () => {
    const rig = setUp(offline, { seenStopped: () => ['z'] });
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).why).toContain(
      'z is not running, so its clients look disconnected.',
    );
    rig.broker.clients = [];
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: { ...shown } }))).toMatchObject({
      reason: 'changed',
      why: 'it is no longer connected to a. z is not running, so its clients look disconnected.',
    });
  });

  test('a session without a connection while nodes are stopped names them', async () => {
    const rig = setUp(
      fine,
      { seenStopped: () => ['z'] },
      { listNodeStats: withStopped, getNodeSession: async () => [session] },
    );
    rig.broker.clients = [];
    expect(await rig.run(disconnectClient.create({ kind: 'session', session }))).toMatchObject({
      reason: 'absent',
      why: 'it is not connected. b, z are not running, so their clients look disconnected.',
    });
  });

  test('112 with its node down: unknown, the client may still be connected', async () => {
    const rig = setUp({ takesEffect: true, error: errorOfCode(112) });
    rig.broker.status = 'stopped';
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('unknown');
  });

  test('112 with the client still listed: not done', async () => {
    expect(
      (
        await setUp({ takesEffect: false, error: errorOfCode(112) }).run(
          disconnectClient.create({ kind: 'client', client: shown }),
        )
      ).outcome,
    ).toBe('not-done');
  });

  const refusals: readonly ApiError[] = [
    errorOfCode(102, 'no \u001B[2J'),
    new UnauthorizedError(),
    new RateLimitedError(1),
    new HttpStatusError(403),
  ];
  test.each(refusals)('refused ($name) is not done, without a reading', async (error) => {
    const rig = setUp({ takesEffect: false, error });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'not-done',
      wasSent: true,
      reason: 'answer',
      error,
    });
    expect(timesCalled(rig.calls, 'getClient')).toBe(1);
  });

  test('gone without an answer is done, and says that it was verified', async () => {
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const error = new NoAnswerError();
    const phases: string[] = [];
    const result = await setUp({ takesEffect: true, error }).run(action, {
      onPhase: (phase) => {
        phases.push(phase);
      },
    });
    expect(describeResult(action, result)).toBe(
      `${outcomeTexts.done(words)} It took effect, although the broker did not confirm it. ${error.message}`,
    );
    expect(phases).toEqual(['checking', 'recording', 'sending', 'finding-out']);
  });

  test('a connection that was never made sent nothing', async () => {
    const result = await setUp({ takesEffect: false, error: new UnreachableError('ECONNREFUSED') }).run(
      disconnectClient.create({ kind: 'client', client: shown }),
    );
    expect(result).toMatchObject({ outcome: 'not-done', wasSent: false, reason: 'not-sent' });
  });

  test.each([
    ['an ID that cannot be asked for', new RefusedError('it is empty'), 'It is empty.'],
    [
      'words of the broker that are its meaning',
      errorOfCode(105, 'user does not exist'),
      'The target could not be checked. The broker refused: user does not exist (code 105).',
    ],
    [
      'other words of the broker',
      errorOfCode(105, 'no such client'),
      'The target could not be checked. The broker refused: user does not exist (code 105). The broker says: no such client',
    ],
  ])('a check that fails says once why: %s', async (_, error, why) => {
    const rig = setUp();
    rig.broker.readError = error;
    const action = disconnectClient.create({ kind: 'client', client: shown });
    expect(describeResult(action, await rig.run(action))).toBe(`${outcomeTexts.notSent(words)} ${why}`);
  });

  test('says the code and the words of the broker', async () => {
    const error = errorOfCode(102, 'no \u001B[2J');
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const result = await setUp({ takesEffect: false, error }).run(action);
    expect(describeResult(action, result)).toBe(
      `${outcomeTexts['not-done'](words)} ${error.message} The broker says: no \u001B[2J`,
    );
  });
});

describe('what a disconnect led to', () => {
  const kept: Session = { ...session, queueLength: 1_000 };
  const back: Client = { ...shown, node: 'b', ipAddress: '10.2.4.17', port: 51_220, connectedAt: 105 };

  /** Disconnects at 0 ms, and lets the client come back on node b after `backAfterMs`. */
  async function watchDisconnect(
    backAfterMs: number | undefined,
    sessionAfter: readonly Session[] = [kept],
    parts: Partial<ManagementApi> = {},
    { isOpen = false, ...options }: Partial<RunnerOptions> & { readonly isOpen?: boolean } = {},
  ) {
    let sessions: readonly Session[] = [kept];
    const rig = setUp(fine, options, {
      getSession: async () => sessions.map((each) => ({ ...each, node: undefined })),
      listNodeStats: async () => [nodeStats('a'), nodeStats('b')],
      disconnectClient: async () => {
        rig.broker.clients = [];
        sessions = sessionAfter;
        if (backAfterMs !== undefined)
          rig.clock.setTimer(backAfterMs, () => {
            rig.broker.clients = [back];
          });
      },
      ...parts,
    });
    const abortController = new AbortController();
    let followIt: Follow | undefined;
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), {
      signal: abortController.signal,
      onFollow: (follow) => {
        followIt = follow;
      },
    });
    await rig.clock.settle();
    const result = await running;
    const readings: string[] = [];
    const closing = new AbortController();
    const following = followIt?.(
      (text) => {
        readings.push(text);
      },
      isOpen ? closing.signal : undefined,
    );
    return { ...rig, result, following, readings, abortController, closing };
  }

  test('names the time at most, the node, the address and the queue of a client that comes back', async () => {
    const { clock, following, readings, calls, written, result } = await watchDisconnect(900);
    await clock.advance(60_000);
    // Read at 0, 250 and 1,000 ms.
    const text = 'Reconnected within 1.0 s on b from 10.2.4.17:51220; session kept, 1,000 queued.';
    expect(await following).toBe(text);
    expect(text).toBe('Reconnected within 1.0 s on b from 10.2.4.17:51220; session kept, 1,000 queued.');
    expect(readings).toEqual([
      ...Array.from({ length: 2 }, () => 'It has not reconnected yet; session kept, 1,000 queued.'),
      text,
    ]);
    expect(result.outcome).toBe('done');
    expect(timesCalled(calls, 'disconnectClient')).toBe(1);
    expect(written.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'follow-up']);
    expect(written.at(-1)).toMatchObject({ id: 'id-1', action: 'disconnect-client', text });
  });

  test('says for how long it watched a client that stays away, after max six readings', async () => {
    const { clock, following, calls } = await watchDisconnect(undefined);
    const before = timesCalled(calls, 'getClient');
    await clock.advance(60_000);
    expect(await following).toBe('It has not reconnected (watched for 5 s); session kept, 1,000 queued.');
    expect(await following).toContain('(watched for 5 s)');
    expect(timesCalled(calls, 'getClient') - before).toBe(5);
    expect(clock.pendingTimers()).toBe(0);
  });

  const open = { isOpen: true } as const;

  test('while the outcome is open, a client that comes back later is told, and recorded once', async () => {
    const { clock, following, readings, written } = await watchDisconnect(41_200, [kept], {}, open);
    await clock.advance(44_000);
    expect(readings.at(-1)).toBe('It has not reconnected (watched for 40 s); session kept, 1,000 queued.');
    expect(written.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
    await clock.advance(60_000);
    const text = 'Reconnected within 45 s on b from 10.2.4.17:51220; session kept, 1,000 queued.';
    expect(await following).toBe(text);
    expect(text).toMatch(/^Reconnected within 45 s on b/u);
    expect(readings.at(-1)).toBe(text);
    expect(written.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'follow-up']);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('watching ends when the outcome is closed, but not in its first 5 s, and after 2 minutes', async () => {
    const late = await watchDisconnect(undefined, [kept], {}, open);
    const before = timesCalled(late.calls, 'getClient');
    await late.clock.advance(300_000);
    expect(await late.following).toBe('It has not reconnected (watched for 120 s); session kept, 1,000 queued.');
    expect(timesCalled(late.calls, 'getClient') - before).toBe(5 + (watchMs - followUpMs) / 5_000);
    const early = await watchDisconnect(undefined, [kept], {}, open);
    await early.clock.advance(1_500);
    early.closing.abort();
    await early.clock.advance(60_000);
    expect(await early.following).toBe('It has not reconnected (watched for 5 s); session kept, 1,000 queued.');
    const closed = await watchDisconnect(undefined, [kept], {}, open);
    await closed.clock.advance(17_000);
    closed.closing.abort();
    await closed.clock.settle();
    expect(await closed.following).toBe('It has not reconnected (watched for 15 s); session kept, 1,000 queued.');
    expect([late, early, closed].map(({ clock }) => clock.pendingTimers())).toEqual([0, 0, 0]);
  });

  test('while it is away, the messages that its session loses are told as far as they were read', async () => {
    let dropped: number | undefined = 500;
    const { clock, readings, closing, following } = await watchDisconnect(
      undefined,
      [kept],
      { getSession: async () => [{ ...kept, node: undefined, dropped }] },
      open,
    );
    const kept1000 = 'session kept, 1,000 queued';
    await clock.advance(5_000);
    expect(readings.at(-1)).toBe(`It has not reconnected (watched for 5 s); ${kept1000}.`);
    dropped += 780;
    await clock.advance(5_000);
    expect(readings.at(-1)).toMatch(
      /^It has not reconnected \(watched for 10 s\); session kept, 1,000 queued, still losing \d+ msg\/s\.$/u,
    );
    // Reset, then unknown, then at rest.
    for (const next of [3, undefined, 3, 3]) {
      dropped = next;
      await clock.advance(5_000);
      expect(readings.at(-1)).toContain(kept1000);
      expect(readings.at(-1)).not.toContain('msg/s');
    }
    closing.abort();
    await following;
  });

  test('a reading that fails later is told beside the last one', async () => {
    let fails = false;
    const { clock, readings, following, closing } = await watchDisconnect(
      undefined,
      [kept],
      { getSession: () => (fails ? Promise.reject(new NoAnswerError()) : Promise.resolve([kept])) },
      open,
    );
    await clock.advance(5_000);
    const away = 'It has not reconnected (watched for 5 s); session kept, 1,000 queued.';
    expect(readings.at(-1)).toBe(away);
    fails = true;
    await clock.advance(5_000);
    expect(readings.at(-1)).toBe('It has not reconnected (watched for 10 s); session unknown.');
    fails = false;
    await clock.advance(5_000);
    expect(readings.at(-1)).toBe('It has not reconnected (watched for 15 s); session kept, 1,000 queued.');
    closing.abort();
    await clock.settle();
    expect(await following).toBe(readings.at(-1));
  });

  test('a client that cannot be read later is told to be unread', async () => {
    const readError = new NoAnswerError();
    const { clock, readings, following, broker, closing } = await watchDisconnect(undefined, [kept], {}, open);
    await clock.advance(5_000);
    const away = readings.at(-1) ?? '';
    broker.readError = readError;
    await clock.advance(5_000);
    expect(readings.at(-1)).toBe(`${away} The last attempt to read it failed.`);
    broker.readError = undefined;
    await clock.advance(5_000);
    expect(readings.at(-1)).toBe('It has not reconnected (watched for 15 s); session kept, 1,000 queued.');
    closing.abort();
    await clock.settle();
    expect(await following).toBe(readings.at(-1));
  });

  const clean = { ...kept, cleanSession: true };
  const verdicts: readonly (readonly [string, number | undefined, readonly Session[], string])[] = [
    ['a session that is gone', undefined, [], 'session ended with 1,000 messages queued'],
    ['another session, begun later', 0, [{ ...kept, createdAt: 106 }], 'session ended with 1,000 messages queued'],
    ['a clean session of the same second', 0, [clean], 'session ended with 1,000 messages queued'],
    ['a clean session that is still listed', undefined, [clean], 'session unknown'],
    ['a session without a start', 0, [{ ...kept, createdAt: undefined }], 'session unknown'],
    ['two sessions', 0, [kept, { ...kept, node: 'b' }], 'session unknown'],
    ['an empty queue', 0, [{ ...kept, queueLength: 0 }], 'session kept, its queue is empty'],
    ['a queue that no node reports', 0, [{ ...kept, queueLength: undefined }], 'session kept, queue unknown'],
  ];
  test.each(verdicts)('tells what became of the session: %s', async (_, backAfterMs, sessionAfter, verdict) => {
    const { clock, following } = await watchDisconnect(backAfterMs, sessionAfter);
    await clock.advance(60_000);
    expect((await following)?.endsWith(`; ${verdict}.`)).toBe(true);
  });

  test('a session that could not be read before or after is unknown', async () => {
    const { clock, following } = await watchDisconnect(0, [], {
      getSession: () => Promise.reject(new NoAnswerError()),
    });
    await clock.advance(60_000);
    expect(await following).toBe('Reconnected within 0.3 s on b from 10.2.4.17:51220; session unknown.');
  });

  test('a session that does not answer holds up the request for max 1 s', async () => {
    const rig = setUp(fine, {}, { getSession: () => new Promise<never>(() => {}) });
    let followIt: Follow | undefined;
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), {
      onFollow: (follow) => {
        followIt = follow;
      },
    });
    await rig.clock.advance(1_000);
    expect(await running).toMatchObject({ outcome: 'done' });
    const following = followIt?.(() => {});
    await rig.clock.advance(60_000);
    expect(await following).toBe('Could not check what happened next.');
    expect(rig.clock.pendingTimers()).toBe(0);
  });

  test('the queue is read from the node of the session where only that node knows it', async () => {
    const { clock, following } = await watchDisconnect(0, [{ ...kept, queueLength: undefined }], {
      getNodeSession: async (node) => (node === 'b' ? [{ ...kept, node, queueLength: 7 }] : []),
    });
    await clock.advance(60_000);
    expect(await following).toContain('session kept, 7 queued');
  });

  test('no node is named that does not list the connection', async () => {
    const { clock, following } = await watchDisconnect(0, [kept], {
      listNodeStats: () => Promise.reject(new NoAnswerError()),
    });
    await clock.advance(60_000);
    expect(await following).toBe('Reconnected within 0.3 s from 10.2.4.17:51220; session kept, 1,000 queued.');
  });

  test('says so when nothing could be read', async () => {
    // Checked once, verified once.
    const answers: (readonly Client[])[] = [[shown], []];
    const { clock, following, readings } = await watchDisconnect(undefined, [kept], {
      getClient: async () => answers.shift() ?? Promise.reject(new NoAnswerError()),
    });
    await clock.advance(60_000);
    expect(await following).toBe('Could not check what happened next.');
    expect(readings).toEqual([]);
  });

  test('ends with what is known when the program ends', async () => {
    const { clock, following, abortController, written } = await watchDisconnect(undefined);
    await clock.advance(2_100);
    abortController.abort();
    await clock.settle();
    expect(await following).toBe('It has not reconnected (watched for 2 s); session kept, 1,000 queued.');
    expect(written.at(-1)?.kind).toBe('follow-up');
    expect(clock.pendingTimers()).toBe(0);
  });

  test('is not read unless the action is done', async () => {
    const { clock, following, result, calls } = await watchDisconnect(undefined, [kept], {
      disconnectClient: () => Promise.reject(errorOfCode(102)),
    });
    await clock.advance(60_000);
    expect(result.outcome).toBe('not-done');
    expect(following).toBeUndefined();
    expect(timesCalled(calls, 'getSession')).toBe(1);
  });
});

describe('any action', () => {
  test('that cannot be checked is not sent', async () => {
    const rig = setUp();
    rig.broker.readError = new TimeoutError(5_000);
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'not-done',
      reason: 'unreadable',
      wasSent: false,
      error: rig.broker.readError,
    });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('is refused when its intent cannot be recorded', async () => {
    const rig = setUp(fine, { audit: { write: () => Promise.reject(new Error('The disk is full.')) } });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'not-recorded', wasSent: false });
    expect(result.why).toContain('The disk is full.');
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('reports the true outcome when only that cannot be recorded', async () => {
    const rig = setUp(fine, {
      audit: {
        write: ({ kind }) => (kind === 'intent' ? Promise.resolve() : Promise.reject(new Error('The disk is full.'))),
      },
    });
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', auditError: 'The disk is full.' });
    expect(describeResult(action, result)).toContain('The outcome was not written to the audit log: The disk is full.');
  });

  test('runs without an audit if it is off', async () => {
    expect(
      (await setUp(fine, { audit: undefined }).run(disconnectClient.create({ kind: 'client', client: shown }))).outcome,
    ).toBe('done');
  });

  test('sends nothing in read-only mode', async () => {
    const rig = setUp(fine, { isReadOnly: true });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({
      outcome: 'not-done',
      reason: 'read-only',
      wasSent: false,
    });
    expect(rig.calls).toEqual([]);
  });

  test('confirmed twice runs once, also with the second key while it runs', async () => {
    const rig = setUp();
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const [first, second] = [rig.runner.run(action), rig.runner.run(action)];
    await rig.clock.advance(10_000);
    expect((await first).outcome).toBe('done');
    expect(await second).toMatchObject({ outcome: 'not-done', reason: 'repeated', wasSent: false });
    expect(await rig.run(action)).toMatchObject({ reason: 'repeated' });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test('made twice from the same row runs once at a time', async () => {
    const rig = setUp();
    const [first, second] = [
      rig.runner.run(disconnectClient.create({ kind: 'client', client: shown })),
      rig.runner.run(disconnectClient.create({ kind: 'client', client: shown })),
    ];
    await rig.clock.advance(10_000);
    expect([(await first).outcome, (await second).reason]).toEqual(['done', 'repeated']);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test('aborted before the request sends nothing', async () => {
    const rig = setUp();
    const abortController = new AbortController();
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }), {
      signal: abortController.signal,
      onPhase: (phase) => {
        if (phase === 'recording') abortController.abort();
      },
    });
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'aborted', wasSent: false });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
    expect(rig.calls.slice(-2)).toEqual(['audit intent', 'audit outcome']);
  });

  test('aborted after sending is unknown at once, and recorded so', async () => {
    const answer = deferred<void>();
    const rig = setUpRunner({
      getNodeClient: async () => [shown],
      getClient: async () => [shown],
      disconnectClient: () => answer.promise,
    });
    const abortController = new AbortController();
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), {
      signal: abortController.signal,
    });
    await rig.clock.settle();
    expect(rig.calls.at(-1)).toBe('disconnectClient');
    abortController.abort();
    await rig.clock.settle();
    expect(await running).toMatchObject({ outcome: 'unknown', wasSent: true });
    expect(rig.written.at(-1)).toMatchObject({ kind: 'outcome', result: { outcome: 'unknown' } });
    expect(rig.clock.pendingTimers()).toBe(0);
  });
});
