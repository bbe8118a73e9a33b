import { createHash, timingSafeEqual } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { connack, portOf, startOperated } from '../operator-support.ts';

vi.mock(import('node:crypto'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    createHash: vi.fn<typeof original.createHash>(original.createHash),
    timingSafeEqual: vi.fn<typeof original.timingSafeEqual>(original.timingSafeEqual),
  };
});

it('does the same work for known and unknown names', async () => {
  const { cluster, startPlugin } = await startOperated();
  await startPlugin('broker_auth_username', { 'auth.user.1.username': 'ann', 'auth.user.1.password': 'secret' });
  const workFor = async (username: string): Promise<readonly number[]> => {
    const before = [vi.mocked(createHash).mock.calls.length, vi.mocked(timingSafeEqual).mock.calls.length];
    expect(await connack(portOf(cluster), { clientId: 'some', username, password: 'wrong' })).toBe(4);
    return [vi.mocked(createHash).mock.calls.length, vi.mocked(timingSafeEqual).mock.calls.length].map(
      (count, index) => count - (before[index] ?? 0),
    );
  };
  expect(await workFor('ann')).toEqual([1, 1]);
  expect(await workFor('bob')).toEqual([1, 1]);
});
