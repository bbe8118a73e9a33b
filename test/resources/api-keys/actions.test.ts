import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeResult } from '../../../src/actions/describe.ts';
import { brokerTimeText } from '../../../src/actions/texts.ts';
import type { ApiKey } from '../../../src/domain/administration.ts';
import { addApiKey, deleteApiKey, disableApiKey, enableApiKey } from '../../../src/resources/api-keys/actions.ts';
import { timesCalled } from '../../actions/support.ts';
import { newSecret } from '../../support/full-broker.ts';
import { lost, now, setUp } from '../support.ts';

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
      why: expect.stringContaining('Its secret was lost with the response. Delete the key and add another.'),
    });
    expect(action.disclosure?.value).toBeUndefined();
  });

  test('of an existing name, or without one, is not sent', async () => {
    const rig = setUp();
    rig.broker.apiKeys = [key];
    expect(await rig.run(addApiKey.create({ name: 'ci' }))).toMatchObject({
      reason: 'changed',
      why: 'an API key with this name already exists.',
    });
    expect(await rig.run(addApiKey.create({ name: '' }))).toMatchObject({
      reason: 'invalid',
      why: 'The name is empty.',
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
      why: 'It is already disabled.',
    });
    expect(await rig.run(enableApiKey.create(key))).toMatchObject({ outcome: 'done' });
    expect(await rig.run(deleteApiKey.create({ ...key, key: 'older' }))).toMatchObject({
      reason: 'changed',
      why: 'another key has this name now.',
    });
    expect(await rig.run(deleteApiKey.create(key))).toMatchObject({ outcome: 'done' });
    expect(rig.broker.apiKeys.map(({ name }) => name)).toEqual(['other']);
    expect(await rig.run(deleteApiKey.create(key))).toMatchObject({ reason: 'changed', why: 'it no longer exists.' });
  });

  test('that the broker leaves as it is, is not done', async () => {
    const stuck = (): ReturnType<typeof setUp> => {
      const rig = setUp(() => ({ setApiKeyEnabled: async () => {}, deleteApiKey: async () => {} }));
      rig.broker.apiKeys = [key];
      return rig;
    };
    expect(await stuck().run(disableApiKey.create(key))).toMatchObject({
      outcome: 'not-done',
      why: 'The API key is enabled.',
    });
    expect(await stuck().run(deleteApiKey.create(key))).toMatchObject({
      outcome: 'not-done',
      why: 'The API key is still listed.',
    });
  });
});
