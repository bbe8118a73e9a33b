import { describe, expect, test } from 'vitest';
import { describeResult } from '../../../src/actions/describe.ts';
import { BrokerError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { Session } from '../../../src/domain/client.ts';
import { endSession } from '../../../src/resources/clients/actions.ts';
import { capabilitiesOfB, timesCalled } from '../../actions/support.ts';
import { client } from '../../monitor/fake-api.ts';
import { sessionOf } from '../../screens/list-fixtures.ts';
import { now, setUp } from '../support.ts';

describe('the session of an offline client', () => {
  const shown = sessionOf('pump-1', { node: 'a', createdAt: now - 600, queueLength: 3, subscriptions: 2 });
  /** Offers a session, which `disconnectClient` ends. */
  const withSession = (more: (end: () => void) => Partial<ManagementApi> = () => ({})) => {
    let rows: readonly Session[] = [shown];
    return setUp(() => ({
      capabilities: { ...capabilitiesOfB, disconnectEndsSession: true, sessionCountersSeconds: 15 },
      getClient: async () => [],
      getSession: async () => rows,
      getNodeSession: async () => rows,
      async disconnectClient() {
        rows = [];
      },
      ...more(() => {
        rows = [];
      }),
    }));
  };

  test('is ended, with what was in its queue', async () => {
    const rig = withSession();
    const action = endSession.create(shown);
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', before: { queued: 3, subscriptions: 2 } });
    expect(describeResult(action, result)).toBe(
      'Ended the session of client pump-1. It had 3 messages queued (counted up to 15 s earlier).',
    );
    expect(timesCalled(rig.calls, 'disconnectClient')).toBe(1);
    expect(rig.written[0]).toMatchObject({
      action: 'end-session',
      target: { clientId: 'pump-1', node: 'a', createdAt: now - 600 },
    });
  });

  test('is not ended if its client is connected, or it is another session by now', async () => {
    const connected = withSession(() => ({ getClient: async () => [client('pump-1', 'a')] }));
    const action = endSession.create(shown);
    expect(describeResult(action, await connected.run(action))).toBe(
      'Skipped the session of client pump-1: its client is connected now.',
    );
    const replaced = withSession(() => ({ getNodeSession: async () => [{ ...shown, createdAt: now }] }));
    expect(await replaced.run(endSession.create(shown))).toMatchObject({
      reason: 'changed',
      why: 'another session has this client ID now.',
    });
    for (const rig of [connected, replaced]) expect(timesCalled(rig.calls, 'disconnectClient')).toBe(0);
  });

  test('that remains is not done, and one that had ended is said to have', async () => {
    expect(await withSession(() => ({ disconnectClient: async () => {} })).run(endSession.create(shown))).toMatchObject(
      { outcome: 'not-done', why: 'The session is still listed.' },
    );
    const late = withSession((end) => ({
      disconnectClient: async () => {
        end();
        throw new BrokerError('not-connected');
      },
    }));
    expect(await late.run(endSession.create(shown))).toMatchObject({
      outcome: 'not-done',
      why: expect.stringContaining('The session had already ended.'),
    });
  });

  test('cannot be ended elsewhere', async () => {
    const rig = withSession(() => ({ capabilities: capabilitiesOfB }));
    expect(await rig.run(endSession.create(shown))).toMatchObject({ reason: 'unsupported', wasSent: false });
  });
});
