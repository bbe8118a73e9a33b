import { describe, expect, test } from 'vitest';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import { deleteRetained } from '../../../src/resources/retained/actions.ts';
import { now, setUp } from '../support.ts';

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
      why: 'there is no retained message on this topic.',
    });
    for (const other of [
      { ...shown, publishedAt: now - 5.24 },
      { ...shown, fromClientId: 'other' },
    ]) {
      kept.message = other;
      expect(await rig.run(deleteRetained.create(shown))).toMatchObject({
        reason: 'changed',
        why: 'another message has been retained since.',
      });
      expect(kept.message).toBe(other);
    }
  });

  test('is not done if a message remains, and not sent for a topic filter', async () => {
    const stays = retainedRig({ message: shown }, { deleteRetained: async () => {} });
    expect(await stays.run(deleteRetained.create(shown))).toMatchObject({
      outcome: 'not-done',
      why: 'A message is still retained.',
    });
    const rig = retainedRig({ message: shown });
    expect(await rig.run(deleteRetained.create({ ...shown, topic: 'plant/#' }))).toMatchObject({
      reason: 'invalid',
      why: 'A topic with + or # has no retained message.',
    });
    expect(rig.calls).toEqual([]);
  });
});
