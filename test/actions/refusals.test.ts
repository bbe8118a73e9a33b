import { expect, test } from 'vitest';
import { describeResult } from '../../src/actions/describe.ts';
import { BrokerError } from '../../src/api/errors.ts';
import type { Ban } from '../../src/domain/administration.ts';
import { addApiKey } from '../../src/resources/api-keys/actions.ts';
import { addBan, liftBan } from '../../src/resources/bans/actions.ts';
import { stopListener } from '../../src/resources/listeners/actions.ts';
import { now, setUp } from '../resources/support.ts';
import { capabilitiesOfB, setUpRunner } from './support.ts';

const banned: Ban = { kind: 'username', value: 'eve', reason: 'noisy', by: 'ann', since: now - 60, until: now + 60 };

test('a broker without them is not asked', async () => {
  const rig = setUpRunner({ capabilities: capabilitiesOfB });
  const actions = [
    addBan.create({ kind: 'client-id', value: 'x' }),
    liftBan.create(banned),
    stopListener.create({ id: 'x', nodes: [] }),
    addApiKey.create({ name: 'x' }),
  ];
  for (const action of actions) expect(await rig.run(action)).toMatchObject({ reason: 'unsupported', wasSent: false });
  expect(rig.calls).toEqual([]);
});

test('a refusal of the broker is told in its words', async () => {
  const rig = setUp(() => ({ addBan: () => Promise.reject(new BrokerError('invalid', 'bad regular expression')) }));
  const action = addBan.create({ kind: 'client-id-pattern', value: '(' });
  const said = describeResult(action, await rig.run(action));
  expect(said).toContain('Failed to ban client ID pattern "(".');
  expect(said).toContain('The broker says: bad regular expression');
});
