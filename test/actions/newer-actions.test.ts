import { endSession } from '../../src/resources/clients/actions.ts';
import { clientSentences } from '../../src/resources/clients/texts.ts';
import { startListener, stopListener, type ShownListener } from '../../src/resources/listeners/actions.ts';
import { clearAlarmHistory } from '../../src/resources/alarms/actions.ts';
import { deleteRetained } from '../../src/resources/retained/actions.ts';
import { addApiKey, deleteApiKey, disableApiKey, enableApiKey } from '../../src/resources/api-keys/actions.ts';
import { listenerSentences } from '../../src/resources/listeners/texts.ts';
import { alarmSentences, alarmWords } from '../../src/resources/alarms/texts.ts';
import { retainedSentences } from '../../src/resources/retained/texts.ts';
import { apiKeySentences } from '../../src/resources/api-keys/texts.ts';
import { banSentences, banWords } from '../../src/resources/bans/texts.ts';
import { addBan, liftBan } from '../../src/resources/bans/actions.ts';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Action, ActionResult } from '../../src/actions/action.ts';
import { describeResult } from '../../src/actions/describe.ts';
import { brokerTimeText, invalidTexts, outcomeTexts, skipTexts } from '../../src/actions/texts.ts';
import { BrokerError, NoAnswerError, UnusableIdError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import type { Alarm, ApiKey, Ban, BanKind } from '../../src/domain/administration.ts';
import type { Client, Session } from '../../src/domain/client.ts';
import { client, nodeInfo } from '../monitor/fake-api.ts';
import { createFullBroker, fullCapabilities, newSecret } from '../support/full-broker.ts';
import { listenerOf, sessionOf } from '../ui/screens/list-fixtures.ts';
import { capabilitiesOfB, setUpRunner, timesCalled } from './support.ts';

const now = 1_772_374_000;

/** A broker whose clock stands still. `change` replaces calls. */
function setUp(change: (parts: ReturnType<typeof createFullBroker>['parts']) => Partial<ManagementApi> = () => ({})) {
  const broker = createFullBroker(() => now);
  const rig = setUpRunner({
    capabilities: { ...capabilitiesOfB, ...fullCapabilities },
    listNodes: async () => [nodeInfo('a'), nodeInfo('b', { clock: now })],
    ...broker.parts,
    ...change(broker.parts),
  });
  return { ...rig, broker };
}

/** The outcome, and what it led to. */
async function follow(
  rig: ReturnType<typeof setUp>,
  action: Action,
): Promise<{ readonly result: ActionResult; readonly followUp: string | undefined }> {
  let followUp: string | undefined;
  const result = await rig.run(action, {
    onFollow: (follow) => {
      void follow((text) => {
        followUp = text;
      });
    },
  });
  await rig.clock.advance(10_000);
  return { result, followUp };
}

/** Takes effect, and its answer is lost. */
const lost = async (effect: Promise<unknown>): Promise<never> => {
  await effect;
  throw new NoAnswerError();
};

const banned: Ban = { kind: 'username', value: 'eve', reason: 'noisy', by: 'ann', since: now - 60, until: now + 60 };

describe('the alarm history', () => {
  const ended = (id: string, endedAt: number): Alarm => ({
    id,
    severity: undefined,
    title: undefined,
    summary: undefined,
    occurredAt: now - 900,
    endedAt,
    node: 'a',
  });

  test('is cleared, also if an alarm ends meanwhile', async () => {
    const rig = setUp((parts) => ({
      async clearEndedAlarms() {
        await parts.clearEndedAlarms();
        rig.broker.endedAlarms = [ended('cpu', now)];
      },
    }));
    rig.broker.endedAlarms = [ended('cpu', now - 60), ended('memory', now - 60)];
    const action = clearAlarmHistory.create(2);
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', before: { ended: 2 } });
    expect(describeResult(action, result)).toBe(outcomeTexts.done(alarmWords.clearHistory()));
    expect(rig.written).toHaveLength(2);
  });

  test('is not sent if it is empty, and not done if alarms remain', async () => {
    const empty = setUp();
    expect(await empty.run(clearAlarmHistory.create(2))).toMatchObject({ reason: 'already', wasSent: false });
    const stays = setUp(() => ({ clearEndedAlarms: async () => {} }));
    stays.broker.endedAlarms = [ended('cpu', now - 60)];
    expect(await stays.run(clearAlarmHistory.create(1))).toMatchObject({
      outcome: 'not-done',
      why: alarmSentences.remain(1),
    });
  });
});

describe('the session of an offline client', () => {
  const shown = sessionOf('pump-1', { node: 'a', createdAt: now - 600, queueLength: 3, subscriptions: 2 });
  /** Offers a session, which `disconnectClient` ends. */
  const withSession = (more: (end: () => void) => Partial<ManagementApi> = () => ({})) => {
    let rows: readonly Session[] = [shown];
    return setUp(() => ({
      capabilities: { ...capabilitiesOfB, disconnectEndsSession: true, sessionCountersSeconds: 15 },
      getClient: async () => [],
      getSession: async () => rows,
      getNodeSession: async () => rows,
      async disconnectClient() {
        rows = [];
      },
      ...more(() => {
        rows = [];
      }),
    }));
  };

  test('is ended, with what was in its queue', async () => {
    const rig = withSession();
    const action = endSession.create(shown);
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', before: { queued: 3, subscriptions: 2 } });
    expect(describeResult(action, result)).toBe(
      'Ended the session of client pump-1. It had 3 messages queued (counted up to 15 s earlier).',
    );
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
    expect(rig.written[0]).toMatchObject({
      action: 'end-session',
      target: { clientId: 'pump-1', node: 'a', createdAt: now - 600 },
    });
  });

  test('is not ended if its client is connected, or it is another session by now', async () => {
    const connected = withSession(() => ({ getClient: async () => [client('pump-1', 'a')] }));
    const action = endSession.create(shown);
    expect(describeResult(action, await connected.run(action))).toBe(
      'Skipped the session of client pump-1: its client is connected now.',
    );
    const replaced = withSession(() => ({ getNodeSession: async () => [{ ...shown, createdAt: now }] }));
    expect(await replaced.run(endSession.create(shown))).toMatchObject({
      reason: 'changed',
      why: clientSentences.sessionReplaced,
    });
    for (const rig of [connected, replaced]) expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('that remains is not done, and one that had ended is said to have', async () => {
    expect(await withSession(() => ({ disconnectClient: async () => {} })).run(endSession.create(shown))).toMatchObject(
      { outcome: 'not-done', why: 'The session is still listed.' },
    );
    const late = withSession((end) => ({
      disconnectClient: async () => {
        end();
        throw new BrokerError('not-connected');
      },
    }));
    expect(await late.run(endSession.create(shown))).toMatchObject({
      outcome: 'not-done',
      why: expect.stringContaining('The session had already ended.'),
    });
  });

  test('cannot be ended elsewhere', async () => {
    const rig = withSession(() => ({ capabilities: capabilitiesOfB }));
    expect(await rig.run(endSession.create(shown))).toMatchObject({ reason: 'unsupported', wasSent: false });
  });
});

describe('a ban', () => {
  test('lasts from when it is sent, by the clock of the broker, and is read back', async () => {
    const rig = setUp(() => ({ getClient: async () => [] }));
    const result = await rig.run(
      addBan.create({ kind: 'client-id', value: 'bad/1', reason: 'floods', seconds: 3_600 }),
    );
    const until = brokerTimeText(now + 3_600);
    expect(result).toMatchObject({ outcome: 'done', after: { until }, why: banSentences.expires(until) });
    expect(rig.broker.bans).toMatchObject([
      { kind: 'client-id', value: 'bad/1', reason: 'floods', until: now + 3_600 },
    ]);
    expect(rig.calls.filter((call) => call !== 'listNodes')).toEqual([
      'listBans',
      'audit intent',
      'addBan',
      'listBans',
      'audit outcome',
    ]);
    expect(rig.written[0]).toMatchObject({
      action: 'add-ban',
      target: { kind: 'client-id', value: 'bad/1', reason: 'floods', seconds: 3_600 },
    });
  });

  test('that never ends needs no clock, any other does', async () => {
    const withoutClock = (): ReturnType<typeof setUp> => setUp(() => ({ listNodes: async () => [nodeInfo('a')] }));
    const forever = withoutClock();
    expect(await forever.run(addBan.create({ kind: 'client-id', value: 'x' }))).toMatchObject({
      outcome: 'done',
      why: banSentences.expires('never'),
    });
    const rig = withoutClock();
    const timed = addBan.create({ kind: 'client-id', value: 'x', seconds: 60 });
    expect(describeResult(timed, await rig.run(timed))).toBe(outcomeTexts.skipped(timed, skipTexts.noClock));
    expect(rig.broker.bans).toEqual([]);
  });

  test('of what is banned already is not sent', async () => {
    const rig = setUp();
    rig.broker.bans = [banned];
    expect(await rig.run(addBan.create({ kind: 'username', value: 'eve', seconds: 60 }))).toMatchObject({
      reason: 'changed',
      why: banSentences.exists,
    });
    expect(timesCalled(rig.calls, 'addBan')).toBe(0);
  });

  test.each<[BanKind, string, string]>([
    ['client-id', '', banSentences.empty],
    ['address', 'host.example', banSentences.address],
    ['network', '10.0.0.0', banSentences.network],
    ['network', '10.0.0.0/33', banSentences.network],
    ['username', '\uD800', invalidTexts.unicode('text')],
  ])('of the %s %j is refused', async (kind, value, why) => {
    const rig = setUp();
    expect(await rig.run(addBan.create({ kind, value }))).toMatchObject({ reason: 'invalid', why });
    expect(rig.calls).toEqual([]);
  });

  test.each<[BanKind, string]>([
    ['address', '10.2.4.17'],
    ['address', '::1'],
    ['network', '10.2.0.0/16'],
    ['network', 'fe80::/64'],
    ['client-id-pattern', '^a'],
    ['username', 'a b'],
  ])('of the %s %j is valid', (kind, value) => {
    expect(addBan.create({ kind, value }).invalid).toBeUndefined();
  });

  test('that the broker did not keep, or ends otherwise, is not done', async () => {
    expect(
      await setUp(() => ({ addBan: async () => {} })).run(addBan.create({ kind: 'client-id', value: 'x' })),
    ).toMatchObject({ outcome: 'not-done', why: banSentences.missing });
    const shortened = await setUp((parts) => ({ addBan: (ban) => parts.addBan({ ...ban, until: now + 5 }) })).run(
      addBan.create({ kind: 'client-id', value: 'x', seconds: 60 }),
    );
    expect(shortened).toMatchObject({
      outcome: 'not-done',
      why: banSentences.expiresOtherwise(brokerTimeText(now + 5)),
    });
  });

  test('takes effect although its answer is lost', async () => {
    expect(
      await setUp((parts) => ({ addBan: (ban) => lost(parts.addBan(ban)) })).run(
        addBan.create({ kind: 'client-id', value: 'x' }),
      ),
    ).toMatchObject({ outcome: 'done' });
  });

  test('says what became of the client and its session', async () => {
    const rows = [client('x', 'a')];
    const queueing = [sessionOf('x', { queueLength: 12 })];
    /** Returns what an action led to. @param before what is read before it */
    const followUp = async (
      before: readonly [readonly Client[], readonly Session[]],
      after: readonly [readonly Client[], readonly Session[]],
    ): Promise<string | undefined> => {
      let [clients, sessions] = before;
      const rig = setUp((parts) => ({
        capabilities: { ...capabilitiesOfB, ...fullCapabilities, sessionCountersSeconds: 15 },
        getClient: async () => clients,
        getSession: async () => sessions,
        addBan: async (ban) => {
          await parts.addBan(ban);
          [clients, sessions] = after;
        },
      }));
      return (await follow(rig, addBan.create({ kind: 'client-id', value: 'x' }))).followUp;
    };
    expect(await followUp([rows, queueing], [[], []])).toBe(
      'It was disconnected, and its session was deleted with 12 messages queued (counted up to 15 s earlier).',
    );
    expect(await followUp([[], queueing], [[], []])).toBe(
      'It was not connected, and its session was deleted with 12 messages queued (counted up to 15 s earlier).',
    );
    expect(await followUp([[], []], [[], []])).toBe('It was not connected, and had no session.');
    expect(await followUp([[], queueing], [[], queueing])).toBe('It was not connected. Its session is kept.');
    expect(await followUp([rows, queueing], [rows, queueing])).toBe(
      'The client is still connected. To disconnect it, press K in Clients.',
    );
  });

  test('of a username or address counts the clients that match exactly', async () => {
    const rows = [
      { ...client('x', 'a'), username: 'eve' },
      { ...client('y', 'a'), username: 'evelyn' },
      { ...client('z', 'a'), username: 'eve' },
    ];
    const searching = (): ReturnType<typeof setUp> =>
      setUp(() => ({
        searchClients: async (search, page) => ({
          ...page,
          items: rows.filter(
            ({ username, ipAddress }) =>
              username?.includes(search.wholeUsername ?? '') === true &&
              ipAddress?.includes(search.ipAddress ?? '') === true,
          ),
          totalItems: undefined,
          totalPages: undefined,
          hasNext: false,
        }),
      }));
    expect((await follow(searching(), addBan.create({ kind: 'username', value: 'eve' }))).followUp).toBe(
      '2 clients are still connected: this ban does not disconnect them.',
    );
    expect((await follow(searching(), addBan.create({ kind: 'address', value: '10.0.0.1' }))).followUp).toBe(
      banSentences.stillConnected(3, false),
    );
    expect((await follow(setUp(), addBan.create({ kind: 'username', value: 'eve' }))).followUp).toBe(
      banSentences.othersStay,
    );
    expect((await follow(searching(), addBan.create({ kind: 'network', value: '10.0.0.0/8' }))).followUp).toBe(
      banSentences.othersStay,
    );
  });

  test('is lifted, unless it is another one by now', async () => {
    const rig = setUp();
    rig.broker.bans = [banned, { ...banned, kind: 'client-id' }];
    expect(await rig.run(liftBan.create(banned))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.bans).toEqual([{ ...banned, kind: 'client-id' }]);
    expect(await rig.run(liftBan.create(banned))).toMatchObject({ reason: 'changed', why: banSentences.gone });
    rig.broker.bans = [{ ...banned, until: undefined }];
    expect(await rig.run(liftBan.create(banned))).toMatchObject({
      reason: 'changed',
      why: banSentences.changed('never'),
    });
    const stays = setUp(() => ({ liftBan: async () => {} }));
    stays.broker.bans = [banned];
    expect(await stays.run(liftBan.create(banned))).toMatchObject({
      outcome: 'not-done',
      why: banSentences.remains,
    });
    const unusable = setUp(() => ({ liftBan: () => Promise.reject(new UnusableIdError('dots')) }));
    unusable.broker.bans = [banned];
    expect(await unusable.run(liftBan.create(banned))).toMatchObject({ outcome: 'not-done', wasSent: false });
  });

  test('is found on any page', async () => {
    const rig = setUp();
    rig.broker.bans = [...Array.from({ length: 2_500 }, (_, at): Ban => ({ ...banned, value: `eve${at}` })), banned];
    expect(await rig.run(addBan.create({ kind: 'username', value: 'eve' }))).toMatchObject({ reason: 'changed' });
  });
});

describe('a listener', () => {
  const shown = (running: 'yes' | 'no' | 'partly'): ShownListener => ({
    id: 'tcp:default',
    nodes: [
      { node: 'a', running },
      { node: 'b', running },
    ],
  });
  const cluster = (running: 'yes' | 'no', change?: Parameters<typeof setUp>[0]): ReturnType<typeof setUp> => {
    const rig = setUp(change);
    rig.broker.listeners = new Map(
      ['a', 'b'].map((node) => [
        node,
        [listenerOf({ id: 'tcp:default', running }), listenerOf({ id: 'ws:default', running })],
      ]),
    );
    return rig;
  };
  const states = ({ broker }: ReturnType<typeof setUp>): readonly unknown[] =>
    [...broker.listeners.values()].flat().map(({ running }) => running);

  test('is stopped and started on all nodes by one request, and read back', async () => {
    const rig = cluster('yes');
    expect(await rig.run(stopListener.create(shown('yes')))).toMatchObject({
      outcome: 'done',
      before: { a: 'yes', b: 'yes' },
      after: { a: 'no', b: 'no' },
    });
    expect(states(rig)).toEqual(['no', 'yes', 'no', 'yes']);
    expect(timesCalled(rig.calls, 'stopListener')).toBe(1);
    expect(await rig.run(startListener.create(shown('no')))).toMatchObject({ outcome: 'done' });
    expect(states(rig)).toEqual(['yes', 'yes', 'yes', 'yes']);
  });

  test('is not touched if it is gone, has changed or is as wanted', async () => {
    const rig = cluster('no');
    expect(await rig.run(stopListener.create(shown('yes')))).toMatchObject({
      outcome: 'done',
      reason: 'already',
      why: listenerSentences.already(false),
    });
    expect(await rig.run(startListener.create(shown('yes')))).toMatchObject({
      reason: 'changed',
      why: listenerSentences.changed('a', 'no'),
    });
    expect(await rig.run(startListener.create({ ...shown('no'), id: 'x' }))).toMatchObject({
      reason: 'changed',
      why: listenerSentences.gone,
    });
    expect(rig.calls.filter((call) => /^(?:start|stop)/u.test(call))).toEqual([]);
  });

  test('that stays as it was on a node is not done there', async () => {
    const rig: ReturnType<typeof setUp> = cluster('yes', () => ({
      stopListener: async () => {
        rig.broker.listeners = new Map(
          [...rig.broker.listeners].map(([node, list]) => [
            node,
            node === 'b' ? list : list.map((listener) => ({ ...listener, running: 'no' as const })),
          ]),
        );
      },
    }));
    const result = await rig.run(stopListener.create(shown('yes')));
    expect(result).toMatchObject({
      outcome: 'not-done',
      parts: [
        { node: 'a', outcome: 'done' },
        { node: 'b', outcome: 'not-done', text: listenerSentences.isNow('yes') },
      ],
    });
  });
});

describe('an API key', () => {
  const key: ApiKey = {
    name: 'ci',
    key: 'key-of-ci',
    description: undefined,
    isEnabled: true,
    createdAt: now,
    expiresAt: undefined,
  };

  test('is added, and its secret is nowhere but in the disclosure', async () => {
    const rig = setUp();
    const action = addApiKey.create({ name: 'ci', description: 'for CI', seconds: 86_400 });
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', after: { expires: brokerTimeText(now + 86_400) } });
    expect(rig.broker.apiKeys).toMatchObject([{ name: 'ci', description: 'for CI', expiresAt: now + 86_400 }]);
    expect(action.disclosure?.value).toMatchObject({ key: 'key-of-ci' });
    expect(action.disclosure?.value?.secret.reveal()).toBe(newSecret);
    expect(
      [
        JSON.stringify([rig.written, action, result]),
        inspect([action, result, rig.written], { depth: 9 }),
        describeResult(action, result),
      ].join('\n'),
    ).not.toContain(newSecret);
  });

  test('whose answer is lost is there without its secret', async () => {
    const action = addApiKey.create({ name: 'ci' });
    expect(await setUp((parts) => ({ addApiKey: (made) => lost(parts.addApiKey(made)) })).run(action)).toMatchObject({
      outcome: 'done',
      why: expect.stringContaining(apiKeySentences.secretLost),
    });
    expect(action.disclosure?.value).toBeUndefined();
  });

  test('of an existing name, or without one, is not sent', async () => {
    const rig = setUp();
    rig.broker.apiKeys = [key];
    expect(await rig.run(addApiKey.create({ name: 'ci' }))).toMatchObject({
      reason: 'changed',
      why: apiKeySentences.exists,
    });
    expect(await rig.run(addApiKey.create({ name: '' }))).toMatchObject({
      reason: 'invalid',
      why: apiKeySentences.emptyName,
    });
    expect(timesCalled(rig.calls, 'addApiKey')).toBe(0);
  });

  test('is disabled, enabled and deleted, unless it is another one by now', async () => {
    const rig = setUp();
    rig.broker.apiKeys = [key, { ...key, name: 'other' }];
    expect(await rig.run(disableApiKey.create(key))).toMatchObject({
      outcome: 'done',
      before: { enabled: true },
      after: { enabled: false },
    });
    expect(await rig.run(disableApiKey.create(key))).toMatchObject({
      reason: 'already',
      why: apiKeySentences.already(false),
    });
    expect(await rig.run(enableApiKey.create(key))).toMatchObject({ outcome: 'done' });
    expect(await rig.run(deleteApiKey.create({ ...key, key: 'older' }))).toMatchObject({
      reason: 'changed',
      why: apiKeySentences.replaced,
    });
    expect(await rig.run(deleteApiKey.create(key))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.apiKeys.map(({ name }) => name)).toEqual(['other']);
    expect(await rig.run(deleteApiKey.create(key))).toMatchObject({ reason: 'changed', why: apiKeySentences.gone });
  });

  test('that the broker leaves as it is, is not done', async () => {
    const stuck = (): ReturnType<typeof setUp> => {
      const rig = setUp(() => ({ setApiKeyEnabled: async () => {}, deleteApiKey: async () => {} }));
      rig.broker.apiKeys = [key];
      return rig;
    };
    expect(await stuck().run(disableApiKey.create(key))).toMatchObject({
      outcome: 'not-done',
      why: apiKeySentences.isEnabled(true),
    });
    expect(await stuck().run(deleteApiKey.create(key))).toMatchObject({
      outcome: 'not-done',
      why: apiKeySentences.remains,
    });
  });
});

test('a broker without them is not asked', async () => {
  const rig = setUpRunner({ capabilities: capabilitiesOfB });
  const actions = [
    addBan.create({ kind: 'client-id', value: 'x' }),
    liftBan.create(banned),
    stopListener.create({ id: 'x', nodes: [] }),
    addApiKey.create({ name: 'x' }),
  ];
  for (const action of actions) expect(await rig.run(action)).toMatchObject({ reason: 'unsupported', wasSent: false });
  expect(rig.calls).toEqual([]);
});

test('a refusal of the broker is told in its words', async () => {
  const rig = setUp(() => ({ addBan: () => Promise.reject(new BrokerError('invalid', 'bad regular expression')) }));
  const action = addBan.create({ kind: 'client-id-pattern', value: '(' });
  const said = describeResult(action, await rig.run(action));
  expect(said).toContain(outcomeTexts['not-done'](banWords.add('client-id-pattern', '(')));
  expect(said).toContain(outcomeTexts.brokerSays('bad regular expression'));
});

describe('deleting a retained message', () => {
  const shown = { topic: 'plant/state', qos: 1, publishedAt: now - 5.25, fromClientId: 'plc', fromUsername: undefined };
  /** `kept`: what the broker has. */
  const retainedRig = (kept: { message: typeof shown | undefined }, change: Partial<ManagementApi> = {}) =>
    setUp(() => ({
      getRetained: async () => kept.message && { ...kept.message, payload: new Uint8Array() },
      deleteRetained: async () => {
        kept.message = undefined;
      },
      ...change,
    }));

  test('is verified, unless another message has taken its place', async () => {
    const kept: { message: typeof shown | undefined } = { message: shown };
    const rig = retainedRig(kept);
    expect(await rig.run(deleteRetained.create(shown))).toMatchObject({ outcome: 'done' });
    expect(rig.written[0]).toMatchObject({
      action: 'delete-retained',
      target: { topic: 'plant/state', fromClientId: 'plc' },
    });
    expect(await rig.run(deleteRetained.create(shown))).toMatchObject({
      reason: 'changed',
      why: retainedSentences.gone,
    });
    for (const other of [
      { ...shown, publishedAt: now - 5.24 },
      { ...shown, fromClientId: 'other' },
    ]) {
      kept.message = other;
      expect(await rig.run(deleteRetained.create(shown))).toMatchObject({
        reason: 'changed',
        why: retainedSentences.changed,
      });
      expect(kept.message).toBe(other);
    }
  });

  test('is not done if a message remains, and not sent for a topic filter', async () => {
    const stays = retainedRig({ message: shown }, { deleteRetained: async () => {} });
    expect(await stays.run(deleteRetained.create(shown))).toMatchObject({
      outcome: 'not-done',
      why: retainedSentences.remains,
    });
    const rig = retainedRig({ message: shown });
    expect(await rig.run(deleteRetained.create({ ...shown, topic: 'plant/#' }))).toMatchObject({
      reason: 'invalid',
      why: retainedSentences.wildcards,
    });
    expect(rig.calls).toEqual([]);
  });
});
