import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValidFilter, isValidTopic, topicMatcher } from '../../../src/domain/topics.ts';
import { SubscriptionTable } from '../../../src/broker/sessions/subscription-table.ts';
import type { Qos } from '../../../src/domain/client.ts';

/** Section 4.7 of MQTT 3.1.1 word for word, slowly. */
function matchesByTheBook(filter: string, topic: string): boolean {
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  const walk = (filters: readonly string[], topics: readonly string[]): boolean => {
    const [first, ...rest] = filters;
    if (first === undefined) return topics.length === 0;
    if (first === '#') return true;
    const [level, ...deeper] = topics;
    return level !== undefined && (first === '+' || first === level) && walk(rest, deeper);
  };
  return walk(filter.split('/'), topic.split('/'));
}

/** Who gets a message, found so many steps at a time. */
function receivers<S extends { nodeName: string }>(
  table: SubscriptionTable<S>,
  published: string,
  maxSteps = 1000,
): ReadonlyMap<S, Qos> | undefined {
  const match = table.match(published);
  while (!match.advance(maxSteps));
  return match.receivers;
}

const level = fc.constantFrom('a', 'b', '', '$SYS', 'é');
const topic = fc
  .array(level, { minLength: 1, maxLength: 5 })
  .map((levels) => levels.join('/'))
  .filter((text) => text !== '');
const filter = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { maxLength: 4 }), fc.boolean())
  .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'))
  .filter((text) => text !== '');

describe('matching', () => {
  it.each([
    ['sport/tennis/#', 'sport/tennis', true],
    ['sport/tennis/#', 'sport/tennis/a/b', true],
    ['#', 'a/b', true],
    ['#', '$SYS/a', false],
    ['+/a', '$SYS/a', false],
    ['$SYS/#', '$SYS/a', true],
    ['+', '/a', false],
    ['/+', '/a', true],
    ['+/+', '/a', true],
    ['+/+', '/', true],
    ['a/+', 'a', false],
    ['a/+', 'a/', true],
    ['a/#', 'ab', false],
    ['a//b', 'a//b', true],
    ['a/+/b', 'a//b', true],
  ])('%s and %s: %s', (subscribed, published, expected) => {
    const table = new SubscriptionTable<{ nodeName: string }>();
    table.set({ nodeName: 'n' }, subscribed, 0);
    expect(receivers(table, published) !== undefined).toBe(expected);
    expect(topicMatcher(subscribed)(published)).toBe(expected);
    expect(matchesByTheBook(subscribed, published)).toBe(expected);
  });

  it('finds every subscriber once at the highest of its QoS, after any sequence of changes', () => {
    const change = fc.record({
      subscriber: fc.nat(3),
      filter,
      qos: fc.constantFrom<Qos>(0, 1, 2),
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), topic, (changes, published) => {
        const table = new SubscriptionTable<{ nodeName: string }>();
        const subscribers = ['n1', 'n1', 'n2', 'n2'].map((nodeName) => ({ nodeName }));
        const held = new Map(subscribers.map((subscriber) => [subscriber, new Map<string, Qos>()]));
        for (const { subscriber: index, filter: text, qos, remove } of changes) {
          const subscriber = subscribers[index];
          if (subscriber === undefined) continue;
          if (remove) {
            table.delete(subscriber, text);
            held.get(subscriber)?.delete(text);
          } else {
            table.set(subscriber, text, qos);
            held.get(subscriber)?.set(text, qos);
          }
        }
        const expected = new Map<object, number>();
        const filters = new Set<string>();
        const routes = new Set<string>();
        for (const [subscriber, subscriptions] of held) {
          for (const [text, qos] of subscriptions) {
            filters.add(text);
            routes.add(`${text} ${subscriber.nodeName}`);
            if (matchesByTheBook(text, published))
              expected.set(subscriber, Math.max(qos, expected.get(subscriber) ?? 0));
          }
        }
        expect(receivers(table, published) ?? new Map()).toEqual(expected);
        expect(receivers(table, published, 1) ?? new Map()).toEqual(expected);
        expect(table.topicCount).toBe(filters.size);
        expect(table.routeCount).toBe(routes.size);
        const listed = [...table.walkRoutes(0, 1000)].map((route) => `${route.topic} ${route.node}`);
        expect(new Set(listed)).toEqual(routes);
        expect(listed).toHaveLength(routes.size);
      }),
    );
  });

  it('agrees with the store of retained messages about every filter and topic', () => {
    fc.assert(
      fc.property(filter, topic, (text, published) => {
        expect(topicMatcher(text)(published)).toBe(matchesByTheBook(text, published));
      }),
    );
  });
});

describe('validity', () => {
  it.each(['a', '/', 'a/b', '+', '#', '+/#', 'a/+/b', '/#', '$SYS/#', ' '])('takes the filter %j', (text) => {
    expect(isValidFilter(text, 128)).toBe(true);
  });
  it.each(['', 'a#', '#/a', 'a/#/b', 'a+', '+a/b', 'a\0b', '##', '/'.repeat(128), 'x'.repeat(65_536)])(
    'refuses a filter',
    (text) => {
      expect(isValidFilter(text, 128)).toBe(false);
    },
  );
  it.each(['a', '/', '$x', 'a//b', '/'.repeat(127)])('takes the topic %j', (text) => {
    expect(isValidTopic(text, 128)).toBe(true);
  });
  it.each(['', 'a/+', '#', 'a\0', '/'.repeat(128)])('refuses a topic', (text) => {
    expect(isValidTopic(text, 128)).toBe(false);
  });
});
