import { publishMessage } from '../../../src/resources/messages/actions.ts';
import { subscribeClient, unsubscribeClient } from '../../../src/resources/subscriptions/actions.ts';
import { clearAclCache } from '../../../src/resources/clients/actions.ts';
import { messageSentences } from '../../../src/resources/messages/texts.ts';
import { describe, expect, test } from 'vitest';
import type { AclDecision } from '../../../src/domain/client.ts';
import type { Action } from '../../../src/actions/action.ts';
import { describeResult } from '../../../src/actions/describe.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { type ApiError, HttpStatusError, NoAnswerError, NotFoundError } from '../../../src/api/errors.ts';
import type { PublishRequest } from '../../../src/api/management-api.ts';
import type { Session, Subscription } from '../../../src/domain/client.ts';
import { client } from '../../monitor/fake-api.ts';
import {
  capabilitiesOfA,
  capabilitiesOfB,
  type Fate,
  fine,
  meet,
  setUpRunner,
  timesCalled,
} from '../../actions/support.ts';
import { unknownSession } from '../../support/records.ts';

const session = (clientId: string, node: string, createdAt: number): Session => ({
  clientId,
  node,
  createdAt,
  cleanSession: false,
  ...unknownSession,
});
const subscription = (topic: string, qos: number): Subscription => ({ clientId: 'c1', topic, qos, node: 'a' });

function setUp(fate: Fate = fine) {
  const broker: { subscriptions: readonly Subscription[]; sessions: readonly Session[] } = {
    subscriptions: [subscription('old', 1)],
    sessions: [session('c1', 'a', 50)],
  };
  const rig = setUpRunner({
    capabilities: capabilitiesOfB,
    getNodeClient: async () => [client('c1', 'a', 100)],
    getClient: async () => [client('c1', 'a', 100)],
    getNodeSession: async (node) => broker.sessions.filter((each) => each.node === node),
    getSession: async () => broker.sessions,
    getSubscriptions: async () => broker.subscriptions,
    subscribe: ({ topic, qos }) =>
      meet(fate, () => {
        broker.subscriptions = [
          ...broker.subscriptions.filter((each) => each.topic !== topic),
          subscription(topic.replace(/^\$share\/g\//u, ''), qos),
        ];
      }),
    unsubscribe: ({ topic }) =>
      meet(fate, () => {
        broker.subscriptions = broker.subscriptions.filter((each) => each.topic !== topic);
      }),
    publish: () => meet(fate, () => {}),
    clearAclCache: () => meet(fate, () => {}),
  });
  return { ...rig, broker };
}

const byId = { kind: 'id', clientId: 'c1' } as const;
const noAnswer: Fate = { takesEffect: true, error: new NoAnswerError() };

test('clearing the ACL cache of an offline client while a node is down names that node', async () => {
  const rig = setUpRunner(
    {
      getClient: async () => [client('c1', 'a', 100)],
      getNodeClient: async () => [client('c1', 'a', 100)],
      clearAclCache: () => Promise.reject(errorOfCode(112)),
    },
    { seenStopped: () => ['b'] },
  );
  expect(await rig.run(clearAclCache.create(client('c1', 'a', 100), 't'))).toMatchObject({
    outcome: 'not-done',
    why: 'The broker refused: client is offline (code 112). b is not running, so its clients look disconnected.',
  });
});

describe('subscribing for a client', () => {
  test('is verified, and the previous value is recorded', async () => {
    expect(await setUp().run(subscribeClient.create(byId, 'a/+', 2))).toMatchObject({
      outcome: 'done',
      before: { qos: undefined },
      after: { qos: 2 },
      why: 'It is listed with QoS 2.',
    });
    expect(await setUp().run(subscribeClient.create(byId, 'old', 2))).toMatchObject({
      outcome: 'done',
      before: { qos: 1 },
      why: 'QoS 1 → 2.',
    });
    expect(await setUp().run(subscribeClient.create(byId, 'old', 1))).toMatchObject({
      outcome: 'done',
      why: 'It is listed with QoS 1, as before.',
    });
    expect(await setUp().run(subscribeClient.create(byId, '$share/g/t', 0))).toMatchObject({ outcome: 'done' });
    expect(
      await setUp({ takesEffect: false, error: undefined }).run(subscribeClient.create(byId, 'a', 0)),
    ).toMatchObject({ outcome: 'not-done', why: 'The subscription is not listed.' });
  });

  test('without an answer is decided by reading, unless it was already so before', async () => {
    expect(await setUp(noAnswer).run(subscribeClient.create(byId, 'a', 1))).toMatchObject({ outcome: 'done' });
    expect(await setUp(noAnswer).run(subscribeClient.create(byId, 'old', 1))).toMatchObject({ outcome: 'unknown' });
    expect(
      await setUp({ takesEffect: false, error: new NotFoundError() }).run(subscribeClient.create(byId, 'a', 1)),
    ).toMatchObject({ outcome: 'not-done' });
  });

  test('that is not done says what the broker answered, and what was read', async () => {
    const why = async (error: ApiError): Promise<string | undefined> => {
      const action = subscribeClient.create(byId, 'a', 1);
      return describeResult(action, await setUp({ takesEffect: false, error }).run(action));
    };
    const title = 'Failed to subscribe client c1 to a with QoS 1.';
    expect(await why(new NotFoundError({ hint: 'It may be a plugin.' }))).toBe(
      `${title} ${new NotFoundError().message} It may be a plugin. The subscription is not listed.`,
    );
    expect(await why(errorOfCode(102, 'bad topic: a/+'))).toBe(
      `${title} The broker refused (code 102). The broker says: bad topic: a/+`,
    );
    expect(await why(new HttpStatusError(500))).toBe(
      `${title} ${new HttpStatusError(500).message} The subscription is not listed.`,
    );
  });

  test('is refused for another connection, another session or an unknown id', async () => {
    const rig = setUp();
    expect(
      await rig.run(subscribeClient.create({ kind: 'client', client: client('c1', 'a', 99) }, 'a', 0)),
    ).toMatchObject({ reason: 'changed' });
    expect(
      await rig.run(subscribeClient.create({ kind: 'session', session: session('c1', 'a', 49) }, 'a', 0)),
    ).toMatchObject({ reason: 'changed' });
    expect(
      await rig.run(subscribeClient.create({ kind: 'session', session: session('c1', 'b', 50) }, 'a', 0)),
    ).toMatchObject({ reason: 'changed' });
    rig.broker.sessions = [];
    expect(await rig.run(subscribeClient.create(byId, 'a', 0))).toMatchObject({
      reason: 'changed',
      why: 'no session has this client ID.',
    });
    expect(timesCalled(rig.calls, 'subscribe')).toBe(0);
  });

  test('acts for the connection or session that was shown', async () => {
    expect(
      await setUp().run(subscribeClient.create({ kind: 'client', client: client('c1', 'a', 100) }, 'a', 0)),
    ).toMatchObject({ outcome: 'done' });
    expect(
      await setUp().run(subscribeClient.create({ kind: 'session', session: session('c1', 'a', 50) }, 'a', 0)),
    ).toMatchObject({ outcome: 'done' });
  });

  test('is refused when the current subscription is not the one that was shown', async () => {
    const rig = setUp();
    expect(await rig.run(subscribeClient.create(byId, 'old', 2, { before: undefined }))).toMatchObject({
      reason: 'changed',
      why: 'it is now subscribed with QoS 1.',
    });
    expect(await rig.run(subscribeClient.create(byId, 'old', 2, { before: subscription('old', 0) }))).toMatchObject({
      reason: 'changed',
    });
    expect(await rig.run(subscribeClient.create(byId, 'new', 2, { before: subscription('new', 0) }))).toMatchObject({
      reason: 'changed',
      why: 'the subscription no longer exists.',
    });
    expect(timesCalled(rig.calls, 'subscribe')).toBe(0);
    expect(await rig.run(subscribeClient.create(byId, 'old', 2, { before: subscription('old', 1) }))).toMatchObject({
      outcome: 'done',
    });
    expect(await rig.run(subscribeClient.create(byId, 'new', 2, { before: undefined }))).toMatchObject({
      outcome: 'done',
    });
  });

  test.each(['', 'a/#/b', 'a+/b', 'a/b#', 'a\0', 'x'.repeat(65_536), '\uD800'])(
    'refuses the filter %j before anything is sent',
    async (filter) => {
      const rig = setUp();
      expect(await rig.run(subscribeClient.create(byId, filter, 0))).toMatchObject({
        reason: 'invalid',
        wasSent: false,
      });
      expect(rig.calls).toEqual([]);
    },
  );
});

describe('unsubscribing for a client', () => {
  test('is verified', async () => {
    expect(await setUp().run(unsubscribeClient.create(subscription('old', 1)))).toMatchObject({
      outcome: 'done',
      before: { qos: 1 },
      why: 'It has no subscriptions left.',
    });
    const several = setUp();
    several.broker.subscriptions = [
      ...several.broker.subscriptions,
      subscription('kept', 0),
      { ...subscription('old', 1), clientId: 'another' },
    ];
    expect(await several.run(unsubscribeClient.create(subscription('old', 1)))).toMatchObject({
      outcome: 'done',
      why: 'It has 1 subscription left.',
    });
    expect(
      await setUp({ takesEffect: false, error: undefined }).run(unsubscribeClient.create(subscription('old', 1))),
    ).toMatchObject({ outcome: 'not-done' });
  });

  test('is refused when the subscription is gone or has changed, and without the capability', async () => {
    const rig = setUp();
    expect(await rig.run(unsubscribeClient.create(subscription('gone', 1)))).toMatchObject({ reason: 'changed' });
    expect(await rig.run(unsubscribeClient.create(subscription('old', 2)))).toMatchObject({ reason: 'changed' });
    expect(
      await setUpRunner({ capabilities: capabilitiesOfA }).run(unsubscribeClient.create(subscription('old', 1))),
    ).toMatchObject({ reason: 'unsupported' });
    expect(timesCalled(rig.calls, 'unsubscribe')).toBe(0);
  });
});

describe('publishing', () => {
  test('is accepted, never done: delivery cannot be read', async () => {
    for (const retain of [false, true]) {
      const action = publishMessage.create({ topic: 't', payload: 'secret words', qos: 1, retain });
      const rig = setUp();
      const result = await rig.run(action);
      expect(result).toMatchObject({ outcome: 'accepted', reason: 'answer' });
      expect(describeResult(action, result)).toBe(
        `Published to t. The API doesn't report delivery. ${messageSentences.delivery(retain)}`,
      );
      expect(rig.calls).toEqual(['audit intent', 'publish', 'audit outcome']);
      expect(JSON.stringify(rig.written)).not.toContain('secret words');
    }
  });

  test('says that nobody is subscribed to the topic, if the broker says so', async () => {
    const action = publishMessage.create({ topic: 'unheard' });
    const rig = setUpRunner({
      publish: async (_request, options) => {
        options?.onNoReceiver?.();
      },
    });
    const result = await rig.run(action);
    expect(describeResult(action, result)).toBe('Published to unheard. Nobody is subscribed to this topic.');
  });

  test("without an answer is unknown; refused is not done, with the broker's words", async () => {
    expect(await setUp(noAnswer).run(publishMessage.create({ topic: 't' }))).toMatchObject({
      outcome: 'unknown',
      wasSent: true,
    });
    const error = errorOfCode(102, 'validate topic');
    expect(await setUp({ takesEffect: false, error }).run(publishMessage.create({ topic: 't' }))).toMatchObject({
      outcome: 'not-done',
      error,
    });
  });

  // As a form or a file might deliver it, whatever the types say.
  const odd = (patch: Record<string, unknown>): PublishRequest =>
    Object.assign<PublishRequest, Record<string, unknown>>({ topic: 't' }, patch);
  test.each([
    { topic: '' },
    { topic: 'a/+' },
    { topic: '#' },
    { topic: 'a\0b' },
    { topic: 'x'.repeat(65_536) },
    { qos: 3 },
    { qos: -1 },
    { qos: 0.5 },
    { qos: '1' },
    { retain: 'yes' },
    { payload: '\uDC00' },
  ])('refuses %# before anything is sent', async (patch) => {
    const rig = setUp();
    expect(await rig.run(publishMessage.create(odd(patch)))).toMatchObject({
      outcome: 'not-done',
      reason: 'invalid',
      wasSent: false,
    });
    expect(rig.calls).toEqual([]);
  });
});

describe('clearing an ACL cache', () => {
  test('is accepted: whether it is clear cannot be read', async () => {
    const action = clearAclCache.create(client('c1', 'a', 100), 't');
    const result = await setUp().run(action);
    expect(describeResult(action, result)).toBe(
      'Accepted: clear the ACL cache of client c1 for topic t. The API cannot show whether the cache is clear.',
    );
  });

  test('as a whole takes no topic, and is verified by reading it', async () => {
    const decided = (topic: string, decidedAt: number): AclDecision => ({
      action: 'publish',
      topic,
      isAllowed: true,
      decidedAt,
    });
    /** @param after what the cache has once it was cleared */
    const whole = (before: readonly AclDecision[], after: readonly AclDecision[]) => {
      let cache = before;
      const sent: (readonly unknown[])[] = [];
      const rig = setUpRunner({
        getClient: async () => [client('c1/x', 'a', 100)],
        getNodeClient: async () => [client('c1/x', 'a', 100)],
        listAclCache: async () => cache,
        async clearAclCache(id, topic) {
          sent.push([id, topic]);
          cache = after;
        },
      });
      return { ...rig, sent };
    };
    const action = (): Action => clearAclCache.create(client('c1/x', 'a', 100));
    const outcome = async (rig: ReturnType<typeof whole>): Promise<string> => {
      const clearing = action();
      return describeResult(clearing, await rig.run(clearing));
    };
    const done = whole([decided('a', 1), decided('b', 2)], [decided('a', 9)]);
    expect(await outcome(done)).toBe('Cleared the ACL cache of client c1/x. It had 2 decisions.');
    expect(done.sent).toEqual([['c1/x', undefined]]);
    expect(done.written[0]?.target).not.toHaveProperty('topic', expect.anything());
    expect(await outcome(whole([decided('a', 1), decided('b', 2)], [decided('b', 2)]))).toBe(
      'Failed to clear the ACL cache of client c1/x. 1 decision is still cached.',
    );
    const empty = whole([], []);
    expect(await outcome(empty)).toBe('Nothing to do: clear the ACL cache of client c1/x. Its cache is empty.');
    expect(empty.sent).toEqual([]);
  });

  test('is refused for another connection, and for an id that the broker would cut', async () => {
    const rig = setUp();
    expect(await rig.run(clearAclCache.create(client('c1', 'a', 99), 't'))).toMatchObject({ reason: 'changed' });
    expect(await rig.run(clearAclCache.create(client('c1/x', 'a', 100), 't'))).toMatchObject({ reason: 'invalid' });
    expect(await rig.run(clearAclCache.create(client('c1', 'a', 100), ''))).toMatchObject({ reason: 'invalid' });
    expect(timesCalled(rig.calls, 'clearAclCache')).toBe(0);
  });
});
