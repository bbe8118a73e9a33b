import { describe, expect, test } from 'vitest';
import { disconnectClient } from '../../src/actions/clients.ts';
import { describeResult } from '../../src/actions/describe.ts';
import type { RunnerOptions } from '../../src/actions/runner.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/codes.ts';
import { type ApiError, BadAnswerError, HttpStatusError, NoAnswerError, NotFoundError, RateLimitedError, TimeoutError, UnauthorizedError, UnreachableError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import type { Client, Session } from '../../src/domain/client.ts';
import type { NodeStatus } from '../../src/domain/node.ts';
import { client, deferred, nodeStats } from '../monitor/fake-api.ts';
import { type Fate, fine, meet, setUpRunner, timesCalled } from './support.ts';

const shown = client('c1', 'a', 100);

/** A broker with the client on it, which disconnects it as `fate` says. */
function setUp(fate: Fate = fine, options: Partial<RunnerOptions> = {}, parts: Partial<ManagementApi> = {}) {
  const broker: { clients: readonly Client[]; status: NodeStatus; readError: ApiError | undefined; back: Client | undefined } = {
    clients: [shown], status: 'running', readError: undefined, back: undefined,
  };
  const read = async <T>(value: () => T): Promise<T> => {
    if (broker.readError !== undefined) throw broker.readError;
    return value();
  };
  const rig = setUpRunner({
    getNodeClient: (node, id) => read(() => broker.clients.filter((each) => each.node === node && each.clientId === id)),
    getClient: (id) => read(() => broker.clients.filter((each) => each.clientId === id).map((each) => ({ ...each, node: undefined }))),
    listNodeStats: () => read(() => [nodeStats('a', broker.status)]),
    disconnectClient: () => meet(fate, () => { broker.clients = broker.back === undefined ? [] : [broker.back]; }),
    ...parts,
  }, options);
  return { ...rig, broker };
}

const session: Session = {
  clientId: 'c1', cleanSession: false, createdAt: 90, node: 'a', maxInflight: undefined, inflight: undefined, queueLength: undefined, dropped: undefined,
  awaitingRel: undefined, awaitingAck: undefined, awaitingComp: undefined, subscriptions: undefined, delivered: undefined, enqueued: undefined, unparsed: {},
};

describe('disconnecting whoever is connected to a session', () => {
  const setUpSession = (now: readonly Session[] = [session]) => {
    const rig = setUp(fine, {}, { getNodeSession: async (node, id) => now.filter((each) => each.node === node && each.clientId === id) });
    return rig;
  };

  test('reads the session and its connection again, then ends that one', async () => {
    const { run, calls, written } = setUpSession();
    expect(await run(disconnectClient.create({ kind: 'session', session }))).toMatchObject({ outcome: 'done', wasSent: true });
    expect(calls).toEqual(['getNodeSession', 'getClient', 'getNodeClient', 'audit intent', 'disconnectClient', 'getClient', 'audit outcome']);
    expect(written[0]?.target).toEqual({ clientId: 'c1', node: 'a', createdAt: 90 });
  });

  const refused: readonly (readonly [string, readonly Session[], readonly Client[], RegExp])[] = [
    ['another session of the id', [{ ...session, createdAt: 91 }], [shown], /another session of the same id/u],
    ['no session', [], [shown], /no such session on a/u],
    ['nobody connected', [session], [], /It is not connected/u],
    ['two connections', [session], [shown, client('c1', 'b', 100)], /Two connections/u],
    ['a connection to another node', [session], [client('c1', 'b', 100)], /not connected to a/u],
    ['a connection that cannot be told from the next one', [session], [{ ...shown, port: undefined, connectedAt: undefined }], /Neither its port/u],
  ];
  test.each(refused)('is refused when reading finds %s', async (_, sessions, clients, why) => {
    const rig = setUpSession(sessions);
    rig.broker.clients = clients;
    const result = await rig.run(disconnectClient.create({ kind: 'session', session }));
    // Where nobody is connected nothing has changed: it may have been so when it was listed.
    expect(result).toMatchObject({ outcome: 'not-done', reason: sessions.length === 1 && clients.length === 0 ? 'absent' : 'changed', wasSent: false });
    expect(result.why).toMatch(why);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });
});

describe('disconnecting a client', () => {
  test('reads it again, records the intent, asks once, reads what came of it and records that, in this order', async () => {
    const { run, calls, written } = setUp();
    const result = await run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'done', reason: 'reading', wasSent: true, error: undefined });
    expect(calls).toEqual(['getNodeClient', 'getClient', 'audit intent', 'disconnectClient', 'getClient', 'audit outcome']);
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
    expect(result.why).toMatch(/^Changed since listed: /u);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
    expect(rig.calls.at(-1)).toBe('audit outcome');
  });

  test('acts on what was shown when it was made, whatever becomes of the row', async () => {
    const row = { ...shown };
    const action = disconnectClient.create({ kind: 'client', client: row });
    row.clientId = 'c2';
    row.port = 1;
    expect(action.target).toMatchObject({ clientId: 'c1', port: 4_000 });
    expect(Object.isFrozen(action.target)).toBe(true);
    expect((await setUp().run(action)).outcome).toBe('done');
  });

  test('is refused when nothing tells this connection from a later one', async () => {
    const unknown = { ...client('c1', 'a'), port: undefined };
    const rig = setUp();
    rig.broker.clients = [unknown];
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: unknown }))).toMatchObject({ outcome: 'not-done', wasSent: false });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('counts as done when the client is back with a new connection, and says so', async () => {
    const rig = setUp();
    rig.broker.back = client('c1', 'a', 105);
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'done', why: 'It has connected anew meanwhile.' });
  });

  const lost: readonly ApiError[] = [
    new NotFoundError(), new NoAnswerError(), new TimeoutError(5_000), new UnreachableError('ECONNRESET'), new HttpStatusError(500), new HttpStatusError(502), errorOfCode(101),
    new HttpStatusError(202), new HttpStatusError(204), new HttpStatusError(301), new BadAnswerError('HTML, not JSON'),
  ];
  test.each(lost)('without a usable answer ($name) is what reading says: done when it is gone', async (error) => {
    const rig = setUp({ takesEffect: true, error });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({ outcome: 'done', reason: 'reading', error });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test.each(lost)('without a usable answer ($name) and still connected is unknown, or not done when the broker is through with it', async (error) => {
    const rig = setUp({ takesEffect: false, error });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result.outcome).toBe(error.kind === 'not-found' || (error instanceof HttpStatusError && error.status === 500) ? 'not-done' : 'unknown');
    expect(result.wasSent).toBe(true);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test.each(lost)('without a usable answer ($name) is unknown when its node does not run: it looks as if it were gone', async (error) => {
    const rig = setUp({ takesEffect: true, error });
    rig.broker.status = 'stopped';
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result.outcome).toBe('unknown');
    expect(result.why).toContain('node a');
  });

  test('without an answer and without a reading is unknown, after at most five readings in 5 s', async () => {
    const rig = setUp({ takesEffect: true, error: new NoAnswerError() });
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), { onPhase: (phase) => { if (phase === 'sending') rig.broker.readError = new NoAnswerError(); } });
    const startedMs = rig.clock.monotonicMs();
    let endedMs = Number.NaN;
    void running.then(() => { endedMs = rig.clock.monotonicMs(); });
    await rig.clock.advance(60_000);
    expect((await running).outcome).toBe('unknown');
    expect(endedMs - startedMs).toBeLessThanOrEqual(5_000);
    expect(timesCalled(rig.calls, 'getClient')).toBe(6);
    expect(rig.clock.pendingTimers()).toBe(0);
  });

  test('a reading that never answers is given up after 5 s', async () => {
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
    rig.clock.setTimer(1_500, () => { rig.broker.clients = []; });
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('done');
  });

  test('yes, and nothing happens: not done', async () => {
    const result = await setUp({ takesEffect: false, error: undefined }).run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', wasSent: true, why: 'The broker said yes, but nothing changed.' });
  });

  test('112 with the client gone and its node running: it had left by itself', async () => {
    const result = await setUp({ takesEffect: true, error: errorOfCode(112) }).run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', wasSent: true, why: 'The broker refused: client is offline (code 112). It had left by itself.' });
  });

  const offline = { takesEffect: true, error: errorOfCode(112) };
  const withStopped = async () => [nodeStats('a'), nodeStats('b', 'stopped'), nodeStats('c')];

  test('112 while another node is stopped names that node: whoever is on it looks the same', async () => {
    const result = await setUp(offline, {}, { listNodeStats: withStopped }).run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result.why).toBe('The broker refused: client is offline (code 112). It had left by itself. b does not run: a client on it looks the same as one that is not connected.');
  });

  test('112 while a node is stopped, and on which node the client is is not known: unknown, with the name of that node', async () => {
    const rig = setUp(offline, {}, { listNodeStats: withStopped });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: { ...shown, node: undefined } }));
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 112 } });
    expect(result.why).toContain('(code 112). Its node is not known, and b does not run: a client on it');
  });

  test('a node that the broker does not mention any more is named from what was seen of it', async () => {
    const rig = setUp(offline, { seenStopped: () => ['z'] });
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).why).toContain('z does not run: a client on it looks the same');
    rig.broker.clients = [];
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: { ...shown } }))).toMatchObject({ reason: 'changed', why: 'Changed since listed: it is no longer connected to a. z does not run: a client on it looks the same as one that is not connected.' });
  });

  test('nobody is connected to a session while nodes are stopped: they are named', async () => {
    const rig = setUp(fine, { seenStopped: () => ['z'] }, { listNodeStats: withStopped, getNodeSession: async () => [session] });
    rig.broker.clients = [];
    expect(await rig.run(disconnectClient.create({ kind: 'session', session }))).toMatchObject({
      reason: 'absent', why: 'It is not connected: there is nothing to disconnect. b, z do not run: a client on one of them looks the same as one that is not connected.',
    });
  });

  test('112 with its node down: unknown, the client may still be connected', async () => {
    const rig = setUp({ takesEffect: true, error: errorOfCode(112) });
    rig.broker.status = 'stopped';
    expect((await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('unknown');
  });

  test('112 with the client still listed: not done', async () => {
    expect((await setUp({ takesEffect: false, error: errorOfCode(112) }).run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('not-done');
  });

  const refusals: readonly ApiError[] = [errorOfCode(102, 'no \u001B[2J'), new UnauthorizedError(), new RateLimitedError(1), new HttpStatusError(403)];
  test.each(refusals)('refused ($name) is not done, without a reading', async (error) => {
    const rig = setUp({ takesEffect: false, error });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({ outcome: 'not-done', wasSent: true, reason: 'answer', error });
    expect(timesCalled(rig.calls, 'getClient')).toBe(1);
  });

  test('gone although no answer came is done, and says how that is known', async () => {
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const error = new NoAnswerError();
    const phases: string[] = [];
    const result = await setUp({ takesEffect: true, error }).run(action, { onPhase: (phase) => { phases.push(phase); } });
    expect(describeResult(action, result)).toBe(`Done: disconnect client c1. It was read back and is done, although the broker did not say yes. ${error.message}`);
    expect(phases).toEqual(['checking', 'recording', 'sending', 'finding-out']);
  });

  test('a connection that never came about sent nothing', async () => {
    const result = await setUp({ takesEffect: false, error: new UnreachableError('ECONNREFUSED') }).run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', wasSent: false, reason: 'not-sent' });
  });

  test('says the code and the words of the broker', async () => {
    const error = errorOfCode(102, 'no \u001B[2J');
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const result = await setUp({ takesEffect: false, error }).run(action);
    expect(describeResult(action, result)).toBe(
      `Not done: disconnect client c1. ${error.message} It says: no \u001B[2J`,
    );
  });
});

describe('any action', () => {
  test('that cannot be read again is not sent', async () => {
    const rig = setUp();
    rig.broker.readError = new TimeoutError(5_000);
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({ outcome: 'not-done', reason: 'unreadable', wasSent: false, error: rig.broker.readError });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('is refused when its intent cannot be recorded', async () => {
    const rig = setUp(fine, { audit: { write: () => Promise.reject(new Error('The disk is full.')) } });
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }));
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'not-recorded', wasSent: false });
    expect(result.why).toContain('The disk is full.');
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('tells the truth when only its outcome cannot be recorded', async () => {
    const rig = setUp(fine, { audit: { write: ({ kind }) => (kind === 'intent' ? Promise.resolve() : Promise.reject(new Error('The disk is full.'))) } });
    const action = disconnectClient.create({ kind: 'client', client: shown });
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', auditError: 'The disk is full.' });
    expect(describeResult(action, result)).toContain('could not be recorded');
  });

  test('runs without an audit when that is switched off', async () => {
    expect((await setUp(fine, { audit: undefined }).run(disconnectClient.create({ kind: 'client', client: shown }))).outcome).toBe('done');
  });

  test('asks nothing at all when the program is only to look', async () => {
    const rig = setUp(fine, { isReadOnly: true });
    expect(await rig.run(disconnectClient.create({ kind: 'client', client: shown }))).toMatchObject({ outcome: 'not-done', reason: 'read-only', wasSent: false });
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

  test('made twice from the same row does not run while the other does', async () => {
    const rig = setUp();
    const [first, second] = [rig.runner.run(disconnectClient.create({ kind: 'client', client: shown })), rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }))];
    await rig.clock.advance(10_000);
    expect([(await first).outcome, (await second).reason]).toEqual(['done', 'repeated']);
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
  });

  test('ended before the request sends nothing', async () => {
    const rig = setUp();
    const abortController = new AbortController();
    const result = await rig.run(disconnectClient.create({ kind: 'client', client: shown }), { signal: abortController.signal, onPhase: (phase) => { if (phase === 'recording') abortController.abort(); } });
    expect(result).toMatchObject({ outcome: 'not-done', reason: 'aborted', wasSent: false });
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
    expect(rig.calls.slice(-2)).toEqual(['audit intent', 'audit outcome']);
  });

  test('ended while its request is on its way is unknown, at once, and recorded as that', async () => {
    const answer = deferred<void>();
    const rig = setUpRunner({ getNodeClient: async () => [shown], getClient: async () => [shown], disconnectClient: () => answer.promise });
    const abortController = new AbortController();
    const running = rig.runner.run(disconnectClient.create({ kind: 'client', client: shown }), { signal: abortController.signal });
    await rig.clock.settle();
    expect(rig.calls.at(-1)).toBe('disconnectClient');
    abortController.abort();
    await rig.clock.settle();
    expect(await running).toMatchObject({ outcome: 'unknown', wasSent: true });
    expect(rig.written.at(-1)).toMatchObject({ kind: 'outcome', result: { outcome: 'unknown' } });
    expect(rig.clock.pendingTimers()).toBe(0);
  });
});
