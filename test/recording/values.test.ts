import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  BrokerError,
  HttpStatusError,
  RateLimitedError,
  SilentNodeError,
  TimeoutError,
  TlsError,
  UnauthorizedError,
  UnreachableError,
} from '../../src/api/errors.ts';
import { ByteReader } from '../../src/recording/bytes.ts';
import { readDifference, writeDifference } from '../../src/recording/differences.ts';
import { ValueReader, ValueWriter } from '../../src/recording/values.ts';
import { bans } from '../../src/resources/bans/resource.ts';
import { clusterTotal } from '../../src/resources/metrics/resource.ts';

function written(value: unknown): unknown {
  const writer = new ValueWriter();
  writer.value(value);
  const reader = new ValueReader();
  reader.bytes = new ByteReader(writer.take());
  const read = reader.value();
  expect(reader.bytes.isAtEnd).toBe(true);
  return read;
}

/** Writes a first value and the differences to the next ones, and reads them all. */
function replayed([first, ...rest]: readonly unknown[]): readonly unknown[] {
  const writer = new ValueWriter();
  writer.value(first);
  let before = first;
  for (const value of rest) {
    writeDifference(writer, before, value);
    before = value;
  }
  const reader = new ValueReader();
  reader.bytes = new ByteReader(writer.take());
  let state = reader.value();
  const states = [state];
  for (const _ of rest) {
    state = readDifference(reader, state);
    states.push(state);
  }
  expect(reader.bytes.isAtEnd).toBe(true);
  return states;
}

/** The bytes of a difference alone. */
function differenceBytes(before: unknown, after: unknown): number {
  const writer = new ValueWriter();
  writer.value(before);
  const { length } = writer;
  writeDifference(writer, before, after);
  return writer.length - length;
}

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', 'Ā', '', '__proto__'));

const primitive = fc.oneof(
  text,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(
    0,
    -0,
    NaN,
    Infinity,
    -Infinity,
    2 ** 51,
    -(2 ** 51),
    2 ** 53,
    undefined,
    null,
    true,
    false,
    clusterTotal,
  ),
  fc.bigInt(),
);

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    primitive,
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b', 'c')), tie('value'), { maxKeys: 8 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { noNullPrototype: false }),
    fc.array(fc.record({ id: text, count: fc.nat(), rest: tie('value') }, { requiredKeys: ['id'] }), { maxLength: 20 }),
    fc.array(fc.option(fc.nat(), { nil: undefined }), { maxLength: 20 }),
    fc.array(fc.constantFrom('node1', 'node2'), { maxLength: 20 }),
    fc.array(fc.tuple(primitive, tie('value')), { maxLength: 10 }).map((entries) => new Map(entries)),
    fc.array(primitive, { maxLength: 10 }).map((items) => new Set(items)),
  ),
}));

it('reads what it wrote', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(written(value)).toStrictEqual(value);
    }),
    { numRuns: 500 },
  );
});

interface Row {
  readonly id: string;
  readonly queue: number;
  readonly note?: string;
  readonly unparsed: Readonly<Record<string, string>>;
}
interface Whole {
  readonly rows: readonly Row[];
  readonly byNode: ReadonlyMap<string, readonly number[]>;
  readonly added: ReadonlySet<string>;
  readonly rest: unknown;
}

const row = (id: number, queue: number): Row => ({ id: `client-${id}`, queue, unparsed: {} });

/** Edits as the monitor makes them: all that stays is the same object. */
const edit = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), at: fc.nat(200), queue: fc.nat(1_000_000) }),
  fc.record({ kind: fc.constant('changeAll' as const), queue: fc.nat(100) }),
  fc.record({ kind: fc.constant('reshape' as const), at: fc.nat(200), note: text }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(200), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(200), count: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant('move' as const), from: fc.nat(200), to: fc.nat(200) }),
  fc.record({ kind: fc.constant('copy' as const) }),
  fc.record({ kind: fc.constant('sample' as const), node: fc.constantFrom('a', 'b', 'c'), value: fc.nat() }),
  fc.record({ kind: fc.constant('forget' as const), node: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('other' as const), rest: anyValue }),
);

let nextId = 0;

function edited(whole: Whole, change: typeof edit extends fc.Arbitrary<infer Edit> ? Edit : never): Whole {
  const { rows } = whole;
  switch (change.kind) {
    case 'change':
      return {
        ...whole,
        rows: rows.map((each, index) => (index === change.at ? { ...each, queue: change.queue } : each)),
      };
    case 'changeAll':
      return { ...whole, rows: rows.map((each) => ({ ...each, queue: each.queue + change.queue })) };
    case 'reshape':
      return {
        ...whole,
        rows: rows.map((each, index) => (index === change.at ? { ...each, note: change.note } : each)),
      };
    case 'insert': {
      const added = Array.from({ length: change.count }, () => row((nextId += 1), 0));
      return {
        ...whole,
        rows: [...rows.slice(0, change.at), ...added, ...rows.slice(change.at)],
        added: new Set(added.map(({ id }) => id)),
      };
    }
    case 'remove':
      return { ...whole, rows: rows.toSpliced(change.at, change.count) };
    case 'move': {
      const moved = rows.slice(change.from, change.from + 3);
      return { ...whole, rows: rows.toSpliced(change.from, 3).toSpliced(change.to, 0, ...moved) };
    }
    case 'copy':
      return { ...whole, rows: rows.map((each) => ({ ...each, unparsed: {} })), byNode: new Map(whole.byNode) };
    case 'sample':
      return {
        ...whole,
        byNode: new Map(whole.byNode).set(
          change.node,
          [...(whole.byNode.get(change.node) ?? []), change.value].slice(-5),
        ),
      };
    case 'forget': {
      const byNode = new Map(whole.byNode);
      byNode.delete(change.node);
      return { ...whole, byNode };
    }
    case 'other':
      return { ...whole, rest: change.rest };
  }
}

it('makes each state of a run of edits from the one before and the difference', () => {
  fc.assert(
    fc.property(fc.nat(120), fc.array(edit, { maxLength: 12 }), (length, edits) => {
      const states: Whole[] = [
        { rows: Array.from({ length }, (_, index) => row(index, index)), byNode: new Map(), added: new Set(), rest: 0 },
      ];
      for (const change of edits) states.push(edited(states.at(-1) as Whole, change));
      expect(replayed(states)).toStrictEqual(states);
    }),
    { numRuns: 300 },
  );
});

it('makes any value from any other and the difference', () => {
  fc.assert(
    fc.property(anyValue, anyValue, (before, after) => {
      expect(replayed([before, after])).toStrictEqual([before, after]);
    }),
    { numRuns: 500 },
  );
});

it('keeps the objects that did not change, also where the monitor read them again', () => {
  const rows = [row(1, 1), row(2, 2)];
  const [first, second, third] = replayed([
    { rows, other: { a: 1 } },
    { rows: [rows[0], row(2, 3)], other: { a: 1 } },
    structuredClone({ rows: [rows[0], row(2, 3)], other: { a: 1 } }),
  ]) as { rows: Row[]; other: object }[];
  expect(second?.other).toBe(first?.other);
  expect(second?.rows[0]).toBe(first?.rows[0]);
  expect(second?.rows[1]).not.toBe(first?.rows[1]);
  expect(third).toBe(second);
});

it('writes an object once that is in several places, and reads one object', () => {
  const session = row(1, 1);
  const changed = { ...session, queue: 2_000 };
  const [, second] = replayed([
    { rows: [session], trend: new Map([['client-1', { session }]]), last: undefined },
    { rows: [changed], trend: new Map([['client-1', { session: changed }]]), last: changed },
  ]) as { rows: Row[]; trend: Map<string, { session: Row }>; last: Row }[];
  expect(second?.rows[0]).toStrictEqual(changed);
  expect(second?.trend.get('client-1')?.session).toBe(second?.rows[0]);
  expect(second?.last).toBe(second?.rows[0]);
});

it('writes only what changed', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => row(index, 1_000));
  expect(differenceBytes(rows, rows)).toBe(1);
  const changed = rows.map((each, index) => (index % 1_000 === 500 ? { ...each, queue: each.queue + 1 } : each));
  expect(differenceBytes(rows, changed)).toBeLessThan(110);
  // A row that came, one that went, and one more sample of a history.
  expect(differenceBytes(rows, [...rows.slice(0, 500), row(-1, 0), ...rows.slice(500)])).toBeLessThan(40);
  expect(differenceBytes(rows, rows.toSpliced(500, 1))).toBeLessThan(10);
  expect(differenceBytes(rows, [...rows.slice(1), row(10_000, 1_001)])).toBeLessThan(30);
});

it('keeps errors of the API with their class, kind and words', () => {
  const request = { method: 'GET', path: '/api/v2/nodes' };
  const errors = [
    new UnauthorizedError({ request }),
    new TimeoutError(5_000, { request }),
    new RateLimitedError(7),
    new HttpStatusError(500),
    new SilentNodeError(['broker2']),
    new BrokerError('failed', 'no \x1b[31m way', { code: 'X' }),
    new UnreachableError('ECONNREFUSED', { cause: new Error('the stack of the process') }),
    new TlsError('CERT_HAS_EXPIRED', { brief: 'certificate has expired', advice: 'Renew it.' }),
  ];
  for (const error of errors) {
    const read = written(error) as typeof error;
    expect(read).toBeInstanceOf(error.constructor);
    expect(read.kind).toBe(error.kind);
    expect(read.brief).toBe(error.brief);
    expect(read.message).toBe(error.message);
    expect(read.name).toBe(error.name);
    expect(read.request).toStrictEqual(error.request);
    expect(read.hint).toBe(error.hint);
    expect(read.cause).toBeUndefined();
  }
  expect((written(errors[1]) as TimeoutError).deadlineMs).toBe(5_000);
  expect((written(errors[4]) as SilentNodeError).nodes).toStrictEqual(['broker2']);
  expect((written(errors[5]) as BrokerError).brokerMessage).toBe('no \x1b[31m way');
});

/** An error of a class that another program may not know. */
class LaterError extends UnauthorizedError {}

it('keeps an error of an unknown class as one of the closest known class', () => {
  const read = written(new LaterError()) as UnauthorizedError;
  expect(read).toBeInstanceOf(UnauthorizedError);
  expect(read.kind).toBe('unauthorized');
  expect(written(new TypeError('of the program'))).toBeInstanceOf(Error);
});

it('leaves out functions and binary data, and finds definitions by their name', () => {
  expect(written({ make: () => 1, payload: Buffer.from('secret'), part: bans, kept: 1 })).toStrictEqual({
    make: undefined,
    payload: undefined,
    part: bans,
    kept: 1,
  });
  expect((written([{ query: bans, key: [] }, bans]) as readonly unknown[])[1]).toBe(bans);
});

it('refuses damaged bytes instead of reading something else', () => {
  const writer = new ValueWriter();
  writer.value(Array.from({ length: 50 }, (_, index) => row(index, index)));
  const whole = writer.take();
  for (let end = 0; end < whole.length; end += 1) {
    const reader = new ValueReader();
    reader.bytes = new ByteReader(whole.subarray(0, end));
    expect(() => reader.value()).toThrow('the recorded bytes are damaged');
  }
});

it('writes a few decimals in fewer bytes than a double, exactly', () => {
  expect(differenceBytes({ load: 18.2 }, { load: 20.97 })).toBeLessThan(8);
  expect(differenceBytes({ load: 18.2 }, { load: Math.PI })).toBeGreaterThan(8);
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.integer({ min: 0, max: 4 }), (digits, places) => {
      const value = digits / 10 ** places;
      expect(written([value, value + 0.1])).toStrictEqual([value, value + 0.1]);
    }),
  );
});
