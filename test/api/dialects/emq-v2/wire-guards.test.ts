import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeClients, decodeRoutes } from '../../../../src/api/dialects/emq-v2/decode.ts';
import * as guards from '../../../../src/api/dialects/emq-v2/wire.ts';
import * as wire from '../../../../src/api/dialects/emq-v2/wire.ts';

const pairs = {
  clients: { schema: wire.clientSchema, accepts: guards.isWireClient },
  sessions: { schema: wire.sessionSchema, accepts: guards.isWireSession },
  subscriptions: { schema: wire.subscriptionSchema, accepts: guards.isWireSubscription },
  routes: { schema: wire.routeSchema, accepts: guards.isWireRoute },
};

/** Values that JSON may bring; `undefined` is a field that is missing. */
const anything = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom('undefined', '', '0'),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.dictionary(fc.string({ maxLength: 2 }), fc.integer(), { maxKeys: 2 }),
);

/** Values that brokers send. */
const usual = ['sensor-1', 'undefined', '2026-11-21 12:19:31', 4, 0, true, false, null, undefined];

describe.each(Object.entries(pairs))('%s', (_, { schema, accepts }) => {
  const fields = Object.keys(schema.shape);
  const right = fc.record(
    Object.fromEntries(
      Object.entries(schema.shape).map(([field, kind]) => [
        field,
        fc.constantFrom(...usual.filter((value) => kind.safeParse(value).success)),
      ]),
    ),
  );
  const wrong = fc.dictionary(fc.constantFrom(...fields), anything, { maxKeys: 2 });
  const foreign = fc.record({ __proto__: fc.constant({ client_id: 'x', topic: 'x', node: 'x' }), other: anything });
  const records = fc.tuple(foreign, right, wrong).map((parts) => {
    // By way of JSON, as on the wire: what is undefined is missing then.
    const raw: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(Object.assign({}, ...parts)));
    return raw;
  });

  test('are accepted exactly if the schema accepts them, with the same result', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(records, (raw) => {
        const parsed = schema.safeParse(raw);
        expect(accepts(raw)).toBe(parsed.success);
        if (parsed.success) accepted += 1;
        else refused += 1;
        const own = Object.fromEntries(
          fields.filter((field) => Object.hasOwn(raw, field)).map((field) => [field, raw[field]]),
        );
        expect(parsed.data ?? own).toEqual(own);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(50);
  });

  test.each(fields)('a wrong %s alone is refused', (field) => {
    const good = Object.fromEntries(['client_id', 'topic', 'node'].map((name) => [name, 'x']));
    expect(accepts(good)).toBe(true);
    for (const bad of [[], {}]) {
      expect(accepts({ ...good, [field]: bad })).toBe(false);
      expect(schema.safeParse({ ...good, [field]: bad }).success).toBe(false);
    }
  });
});

test('unknown fields of a record are dropped', () => {
  const list: unknown = JSON.parse('[{"topic":"t","node":"n","__proto__":{"polluted":true},"more":1}]');
  expect(decodeRoutes(list)).toEqual([{ topic: 't', node: 'n' }]);
  const [client] = decodeClients(JSON.parse('[{"client_id":"c","__proto__":{"port":1883,"username":"u"}}]'), undefined);
  expect(client).toMatchObject({ clientId: 'c', port: undefined, username: undefined });
});
