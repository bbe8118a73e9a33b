import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessRule, AccessRules, covers, overlaps } from '../../../src/broker/engine/access.ts';
import type { AclAction, ClientIdentity } from '../../../src/broker/engine/hooks.ts';
import { isValidFilter, topicMatcher } from '../../../src/domain/topics.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { one, portOf, publish, startOperated, subscribe } from '../operator-support.ts';
import { RawClient } from '../support.ts';

const client = (options: Partial<ClientIdentity> = {}): ClientIdentity => ({
  clientId: 'c',
  username: 'u',
  ipAddress: '10.1.2.3',
  port: 5000,
  protocolVersion: 4,
  cleanSession: true,
  node: one,
  ...options,
});

const allow = (who: AccessRule['who'], action: AccessRule['action'], ...topics: string[]): AccessRule => ({
  permission: 'allow',
  who,
  action,
  topics,
});
const deny = (who: AccessRule['who'], action: AccessRule['action'], ...topics: string[]): AccessRule => ({
  permission: 'deny',
  who,
  action,
  topics,
});

describe('relations of filters', () => {
  const names = ['a', 'b', '', '$s'];
  const level = fc.constantFrom(...names, '+', '#');
  const filter = fc
    .array(level, { minLength: 1, maxLength: 3 })
    .map((levels) => levels.join('/'))
    .filter((text) => isValidFilter(text, 9));
  /** All topics of up to four levels (and the empty one, which no client can name): one more than a filter has, so that every `#` has something to match. */
  const topics = ((): string[] => {
    let last = names;
    const all = [...last];
    for (let depth = 1; depth < 4; depth += 1) {
      last = last.flatMap((topic) => names.map((name) => `${topic}/${name}`));
      all.push(...last);
    }
    return all;
  })();
  const matched = (text: string): readonly string[] => topics.filter(topicMatcher(text));

  it('are those of the topics that they match', () => {
    fc.assert(
      fc.property(filter, filter, (a, b) => {
        const [ofA, ofB] = [new Set(matched(a)), matched(b)];
        expect(overlaps(a, b)).toBe(ofB.some((topic) => ofA.has(topic)));
        expect(overlaps(b, a)).toBe(overlaps(a, b));
        expect(covers(a, b) && ofB.some((topic) => !ofA.has(topic))).toBe(false);
        expect(covers(a, a)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['#', 'a/b', true],
    ['#', '#', true],
    ['a/#', 'a', true],
    ['a/+', 'a/b', true],
    ['a/+', 'a/+', true],
    ['a/#', 'a/+/b', true],
    ['a/+', 'a/#', false],
    ['a', 'a/b', false],
    ['a/b', 'a/+', false],
    ['#', '$SYS/a', false],
    ['+/a', '$SYS/a', false],
    ['$SYS/#', '#', false],
  ])('%s covers %s: %s', (wide, narrow, expected) => {
    expect(covers(wide, narrow)).toBe(expected);
  });
});

describe('rules', () => {
  const decide = (
    rules: readonly AccessRule[],
    action: AclAction,
    topic: string,
    who: Partial<ClientIdentity> = {},
  ): boolean | undefined => new AccessRules(rules).decide(client(who), action, topic);

  it('are checked in order, and the first match decides', () => {
    const rules = [
      deny({ clientId: 'c' }, 'publish', 'a/b'),
      allow('all', 'pubsub', 'a/#'),
      deny('all', 'pubsub', '#'),
    ];
    expect(decide(rules, 'publish', 'a/b')).toBe(false);
    expect(decide(rules, 'subscribe', 'a/b')).toBe(true);
    expect(decide(rules, 'publish', 'a/c')).toBe(true);
    expect(decide(rules, 'publish', 'b')).toBe(false);
    expect(decide(rules, 'publish', 'a/b', { clientId: 'd' })).toBe(true);
    expect(decide([allow('all', 'publish', 'x')], 'publish', 'y')).toBeUndefined();
    expect(decide([allow('all', 'publish', 'x')], 'subscribe', 'x')).toBeUndefined();
  });

  it('for a user name do not match clients without one', () => {
    const rules = [allow({ username: 'u' }, 'pubsub', 'a')];
    expect(decide(rules, 'publish', 'a')).toBe(true);
    expect(decide(rules, 'publish', 'a', { username: 'v' })).toBeUndefined();
    expect(decide(rules, 'publish', 'a', { username: undefined })).toBeUndefined();
  });

  it.each([
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['10.0.0.0/8', '10.200.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['::1', '::1', true],
    ['fe80::/10', 'fe80::7', true],
    ['::1', '127.0.0.1', false],
    ['10.0.0.0/8', undefined, false],
  ])('about the address %s and a client at %s', (address, ipAddress, isMeant) => {
    expect(decide([deny({ address }, 'pubsub', 'a')], 'publish', 'a', { ipAddress })).toBe(isMeant ? false : undefined);
  });

  it('are not bypassed by wildcards and allow no more than their topics', () => {
    const rules = [deny('all', 'subscribe', 'secret/plans'), allow('all', 'subscribe', 'open/+', 'secret/#')];
    for (const filter of ['secret/plans', 'secret/+', 'secret/#', '+/plans', '#', '+/#'])
      expect(decide(rules, 'subscribe', filter)).toBe(false);
    expect(decide(rules, 'subscribe', 'secret/other')).toBe(true);
    expect(decide(rules, 'subscribe', 'open/+')).toBe(true);
    expect(decide(rules, 'subscribe', 'open/#')).toBeUndefined();
  });

  it('fill in the client id and the user name', () => {
    const rules = [allow('all', 'pubsub', 'of/%c/%u/#')];
    expect(decide(rules, 'publish', 'of/c/u/x')).toBe(true);
    expect(decide(rules, 'publish', 'of/other/u/x')).toBeUndefined();
    expect(decide(rules, 'publish', 'of/c//x', { username: undefined })).toBeUndefined();
    expect(decide([allow('all', 'pubsub', 'pre-%c')], 'publish', 'pre-c')).toBe(true);
  });

  it.each(['+', '#', 'a/b', 'a+', '%u', '$1'])('match the client id %j literally', (clientId) => {
    const allowing = [allow('all', 'pubsub', 'of/%c/x')];
    for (const topic of ['of/other/x', 'of/u/x', 'of/#', 'of/+/x'])
      expect(decide(allowing, 'subscribe', topic, { clientId })).toBeUndefined();
    const denying = [deny('all', 'pubsub', 'of/%c/x')];
    const own = `of/${clientId}/x`;
    expect(decide(denying, 'subscribe', isValidFilter(own, 9) ? own : 'of/#', { clientId })).toBe(false);
  });

  it.each<[string, AccessRule]>([
    ['a filter that is none', allow('all', 'publish', 'a/#/b')],
    ['an empty filter', allow('all', 'publish', '')],
    ['an address that is none', allow({ address: 'localhost' }, 'publish', 'a')],
    ['a network that is none', allow({ address: '10.0.0.0/33' }, 'publish', 'a')],
    ['a network without its size', allow({ address: '10.0.0.0/' }, 'publish', 'a')],
    ['too much', allow({ address: '::1/3/4' }, 'publish', 'a')],
  ])('with %s are refused, and the old ones stay', (_, rule) => {
    expect(() => new AccessRules([rule])).toThrow(RangeError);
    const rules = new AccessRules([deny('all', 'publish', 'kept')]);
    expect(() => rules.replace([rule])).toThrow(RangeError);
    expect(rules.decide(client(), 'publish', 'kept')).toBe(false);
  });

  it('let only this machine subscribe to $SYS, and no client publish to it', () => {
    const rules = new AccessRules();
    for (const ipAddress of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect(rules.decide(client({ ipAddress }), 'subscribe', '$SYS/#')).toBe(true);
      expect(rules.decide(client({ ipAddress }), 'publish', '$SYS/a')).toBe(false);
    }
    for (const filter of ['$SYS/#', '$SYS/brokers/+/clients/#', '$SYS/a'])
      expect(rules.decide(client(), 'subscribe', filter)).toBe(false);
    expect(rules.decide(client(), 'subscribe', '#')).toBeUndefined();
    expect(rules.decide(client(), 'publish', 'a')).toBeUndefined();
    rules.replace([allow('all', 'pubsub', '$SYS/#')]);
    expect(rules.decide(client(), 'subscribe', '$SYS/#')).toBe(true);
    expect(rules.decide(client(), 'publish', '$SYS/a')).toBe(false);
  });
});

describe('for MQTT clients', () => {
  it('decide on publish, subscribe and will', async () => {
    const { cluster } = await startOperated({ accessRules: [deny({ clientId: 'guest' }, 'pubsub', 'secret/#')] });
    const watcher = await RawClient.connect(portOf(cluster), { clientId: 'watcher' });
    expect(await subscribe(watcher, '#', 0)).toBe(0);
    const guest = await RawClient.connect(portOf(cluster), {
      clientId: 'guest',
      will: { topic: 'secret/will', payload: Buffer.from('w'), qos: 0, retain: false },
    });
    expect(await subscribe(guest, 'secret/+')).toBe(128);
    expect(await subscribe(guest, 'open')).toBe(1);
    await publish(guest, 'secret/a');
    await publish(guest, '$SYS/a');
    guest.socket.destroy();
    await guest.closed;
    await publish(await RawClient.connect(portOf(cluster), { clientId: 'other' }), 'secret/end');
    expect((await watcher.take('publish')).topic).toBe('secret/end');
  });

  it('let no client publish below $SYS', async () => {
    const { cluster } = await startOperated();
    const listener = await RawClient.connect(portOf(cluster), { clientId: 'listener' });
    expect(await subscribe(listener, '$SYS/+/forged', 0)).toBe(0);
    expect(await subscribe(listener, 'end', 0)).toBe(0);
    const liar = await RawClient.connect(portOf(cluster), { clientId: 'liar' });
    await publish(liar, '$SYS/brokers/forged');
    await publish(liar, 'end');
    expect((await listener.take('publish')).topic).toBe('end');
  });

  it('do not affect cached decisions until the cache is cleared', async () => {
    const { cluster, accessRules } = await startOperated({ accessRules: [] });
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'x' });
    expect(await subscribe(raw, 'a')).toBe(1);
    accessRules.replace([deny('all', 'pubsub', '#')]);
    expect(await subscribe(raw, 'a')).toBe(1);
    expect(await subscribe(raw, 'b')).toBe(128);
    await createBrokerApi(cluster).clearAclCache('x', 'a');
    expect(await subscribe(raw, 'a')).toBe(128);
  });
});
