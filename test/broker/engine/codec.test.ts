import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { expect, it } from 'vitest';
import { encodePublish } from '../../../src/broker/engine/codec.ts';

it('encodes a PUBLISH of any length like mqtt-packet', () => {
  // Around the lengths at which the length itself takes another byte.
  const size = fc.oneof(
    { weight: 10, arbitrary: fc.nat(300) },
    { weight: 10, arbitrary: fc.integer({ min: 16_300, max: 16_400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 2_097_000, max: 2_097_200 }) },
  );
  const parts = fc.record({
    topic: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    size,
    qos: fc.constantFrom(0, 1, 2),
    dup: fc.boolean(),
    retain: fc.boolean(),
    packetId: fc.integer({ min: 1, max: 65_535 }),
  });
  fc.assert(
    fc.property(parts, ({ size, dup, qos, packetId, ...rest }) => {
      const packet = { ...rest, qos, dup: dup && qos > 0, payload: Buffer.alloc(size, 'x') };
      const expected = generate({ cmd: 'publish', ...packet, ...(qos > 0 ? { messageId: packetId } : {}) });
      expect(encodePublish({ ...packet, packetId }).equals(expected)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
