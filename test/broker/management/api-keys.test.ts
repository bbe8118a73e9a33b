import { expect, it } from 'vitest';
import { toBrokerSeconds } from '../../../src/broker/engine/counters.ts';
import { createApiKeys } from '../../../src/broker/management/api-keys.ts';

it('a key is a login until it is disabled, deleted or expired', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const { api, authenticate } = createApiKeys({ now: () => nowMs });
  const { key, secret } = await api.addApiKey({
    name: 'one',
    description: 'for tests',
    expiresAt: toBrokerSeconds(nowMs) + 60,
  });
  expect([
    authenticate(key, secret),
    authenticate(key, `${secret}x`),
    authenticate('one', secret),
    authenticate('', ''),
  ]).toEqual([true, false, false, false]);
  await api.setApiKeyEnabled('one', false);
  expect(authenticate(key, secret)).toBe(false);
  await api.setApiKeyEnabled('one', true);
  expect(authenticate(key, secret)).toBe(true);
  nowMs += 60_000;
  expect(authenticate(key, secret)).toBe(false);
  nowMs -= 1_000;
  expect(authenticate(key, secret)).toBe(true);
  await api.deleteApiKey('one');
  expect(authenticate(key, secret)).toBe(false);
});

it('is listed without its secret', async () => {
  const { api } = createApiKeys();
  const { key, secret } = await api.addApiKey({ name: 'one' });
  const listed = await api.listApiKeys();
  expect(listed).toMatchObject([{ name: 'one', key, isEnabled: true, expiresAt: undefined }]);
  expect(JSON.stringify(listed)).not.toContain(secret);
});

it('has a name of its own', async () => {
  const { api } = createApiKeys();
  await api.addApiKey({ name: 'one' });
  await expect(api.addApiKey({ name: 'one' })).rejects.toMatchObject({ kind: 'exists' });
  for (const name of ['', 'a b', '../x', 'x'.repeat(300)])
    await expect(api.addApiKey({ name })).rejects.toMatchObject({ kind: 'invalid' });
  await expect(api.deleteApiKey('two')).rejects.toMatchObject({ kind: 'does-not-exist' });
  await expect(api.setApiKeyEnabled('two', true)).rejects.toMatchObject({ kind: 'does-not-exist' });
});
