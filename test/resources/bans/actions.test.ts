import { describe, expect, test } from 'vitest';
import { describeResult } from '../../../src/actions/describe.ts';
import { brokerTimeText, outcomeTexts } from '../../../src/actions/texts.ts';
import { BrokerError, UnusableIdError } from '../../../src/api/errors.ts';
import type { Ban, BanKind } from '../../../src/domain/administration.ts';
import type { Client, Session } from '../../../src/domain/client.ts';
import { addBan, liftBan } from '../../../src/resources/bans/actions.ts';
import { banSentences } from '../../../src/resources/bans/texts.ts';
import { capabilitiesOfB, timesCalled } from '../../actions/support.ts';
import { client, nodeInfo } from '../../monitor/fake-api.ts';
import { fullCapabilities } from '../../support/full-broker.ts';
import { sessionOf } from '../../screens/list-fixtures.ts';
import { follow, lost, now, setUp } from '../support.ts';

const banned: Ban = { kind: 'username', value: 'eve', reason: 'noisy', by: 'ann', since: now - 60, until: now + 60 };

describe('a ban', () => {
  test('lasts from when it is sent, by the clock of the broker, and is read back', async () => {
    const rig = setUp(() => ({ getClient: async () => [] }));
    const result = await rig.run(
      addBan.create({ kind: 'client-id', value: 'bad/1', reason: 'floods', seconds: 3_600 }),
    );
    const until = brokerTimeText(now + 3_600);
    expect(result).toMatchObject({
      outcome: 'done',
      after: { until },
      why: `The ban expires at ${until} (broker time).`,
    });
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
      why: 'The ban is permanent.',
    });
    const rig = withoutClock();
    const timed = addBan.create({ kind: 'client-id', value: 'x', seconds: 60 });
    expect(describeResult(timed, await rig.run(timed))).toBe(
      outcomeTexts.skipped(timed, 'no node reports its clock, so the expiry time cannot be set.'),
    );
    expect(rig.broker.bans).toEqual([]);
  });

  test('of what is banned already is not sent', async () => {
    const rig = setUp();
    rig.broker.bans = [banned];
    expect(await rig.run(addBan.create({ kind: 'username', value: 'eve', seconds: 60 }))).toMatchObject({
      reason: 'changed',
      why: 'it is already banned. Lift that ban first.',
    });
    expect(timesCalled(rig.calls, 'addBan')).toBe(0);
  });

  test.each<[BanKind, string, string]>([
    ['client-id', '', 'Enter what to ban.'],
    ['address', 'host.example', 'The address must be an IP address, such as 10.2.4.17.'],
    ['network', '10.0.0.0', 'The network must be an address and a prefix length, such as 10.2.0.0/16.'],
    ['network', '10.0.0.0/33', 'The network must be an address and a prefix length, such as 10.2.0.0/16.'],
    ['username', '\uD800', 'The text is not valid Unicode.'],
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
    ).toMatchObject({ outcome: 'not-done', why: 'The ban is not listed.' });
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
        capabilities: { ...capabilitiesOfB, ...fullCapabilities, banEndsSession: true, sessionCountersSeconds: 15 },
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

  describe('of a client ID, where the broker leaves the client connected,', () => {
    const rigOf = (kick: (id: string) => void, addBan?: () => Promise<void>): ReturnType<typeof setUp> => {
      let clients = [client('x', 'a')];
      return setUp(() => ({
        capabilities: { ...capabilitiesOfB, ...fullCapabilities },
        getClient: async () => clients,
        getSession: async () => [],
        ...(addBan === undefined ? {} : { addBan }),
        disconnectClient: async (id) => {
          kick(id);
          clients = [];
        },
      }));
    };

    test('also disconnects it, and says so', async () => {
      const kicked: string[] = [];
      const rig = rigOf((id) => kicked.push(id));
      const { result, followUp } = await follow(rig, addBan.create({ kind: 'client-id', value: 'x' }));
      expect(result).toMatchObject({ outcome: 'done', why: 'The ban is permanent.' });
      expect(kicked).toEqual(['x']);
      expect(followUp).toBe('It was disconnected.');
    });

    test('disconnects nobody when the ban is refused', async () => {
      const kicked: string[] = [];
      const rig = rigOf(
        (id) => kicked.push(id),
        () => Promise.reject(new BrokerError('invalid')),
      );
      expect(await rig.run(addBan.create({ kind: 'client-id', value: 'x' }))).toMatchObject({ outcome: 'not-done' });
      expect(kicked).toEqual([]);
    });

    test('is not done while it stays connected', async () => {
      const rig = setUp(() => ({
        capabilities: { ...capabilitiesOfB, ...fullCapabilities },
        getClient: async () => [client('x', 'a')],
        getSession: async () => [],
        disconnectClient: () => Promise.reject(new BrokerError('failed')),
      }));
      expect(await rig.run(addBan.create({ kind: 'client-id', value: 'x' }))).toMatchObject({
        outcome: 'not-done',
        why: 'The ban is listed, but the client is still connected. To disconnect it, press K in Clients.',
      });
    });
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
      '3 clients are still connected: this ban does not disconnect them.',
    );
    expect((await follow(setUp(), addBan.create({ kind: 'username', value: 'eve' }))).followUp).toBe(
      'Connected clients stay connected: this ban does not disconnect them.',
    );
    expect((await follow(searching(), addBan.create({ kind: 'network', value: '10.0.0.0/8' }))).followUp).toBe(
      'Connected clients stay connected: this ban does not disconnect them.',
    );
  });

  test('is lifted, unless it is another one by now', async () => {
    const rig = setUp();
    rig.broker.bans = [banned, { ...banned, kind: 'client-id' }];
    expect(await rig.run(liftBan.create(banned))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.bans).toEqual([{ ...banned, kind: 'client-id' }]);
    expect(await rig.run(liftBan.create(banned))).toMatchObject({ reason: 'changed', why: 'it no longer exists.' });
    rig.broker.bans = [{ ...banned, until: undefined }];
    expect(await rig.run(liftBan.create(banned))).toMatchObject({
      reason: 'changed',
      why: 'the ban was changed; it now never expires.',
    });
    const stays = setUp(() => ({ liftBan: async () => {} }));
    stays.broker.bans = [banned];
    expect(await stays.run(liftBan.create(banned))).toMatchObject({
      outcome: 'not-done',
      why: 'The ban is still listed.',
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
