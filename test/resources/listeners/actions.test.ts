import { describe, expect, test } from 'vitest';
import { type ShownListener, startListener, stopListener } from '../../../src/resources/listeners/actions.ts';
import { timesCalled } from '../../actions/support.ts';
import { listenerOf } from '../../screens/list-fixtures.ts';
import { setUp } from '../support.ts';

describe('a listener', () => {
  const shown = (running: 'yes' | 'no' | 'partly'): ShownListener => ({
    id: 'tcp:default',
    nodes: [
      { node: 'a', running },
      { node: 'b', running },
    ],
  });
  const cluster = (running: 'yes' | 'no', change?: Parameters<typeof setUp>[0]): ReturnType<typeof setUp> => {
    const rig = setUp(change);
    rig.broker.listeners = new Map(
      ['a', 'b'].map((node) => [
        node,
        [listenerOf({ id: 'tcp:default', running }), listenerOf({ id: 'ws:default', running })],
      ]),
    );
    return rig;
  };
  const states = ({ broker }: ReturnType<typeof setUp>): readonly unknown[] =>
    [...broker.listeners.values()].flat().map(({ running }) => running);

  test('is stopped and started on all nodes by one request, and read back', async () => {
    const rig = cluster('yes');
    expect(await rig.run(stopListener.create(shown('yes')))).toMatchObject({
      outcome: 'done',
      before: { a: 'yes', b: 'yes' },
      after: { a: 'no', b: 'no' },
    });
    expect(states(rig)).toEqual(['no', 'yes', 'no', 'yes']);
    expect(timesCalled(rig.calls, 'stopListener')).toBe(1);
    expect(await rig.run(startListener.create(shown('no')))).toMatchObject({ outcome: 'done' });
    expect(states(rig)).toEqual(['yes', 'yes', 'yes', 'yes']);
  });

  test('is not touched if it is gone, has changed or is as wanted', async () => {
    const rig = cluster('no');
    expect(await rig.run(stopListener.create(shown('yes')))).toMatchObject({
      outcome: 'done',
      reason: 'already',
      why: 'It is already stopped on all nodes.',
    });
    expect(await rig.run(startListener.create(shown('yes')))).toMatchObject({
      reason: 'changed',
      why: 'it is now stopped on a.',
    });
    expect(await rig.run(startListener.create({ ...shown('no'), id: 'x' }))).toMatchObject({
      reason: 'changed',
      why: 'it is no longer listed.',
    });
    expect(rig.calls.filter((call) => /^(?:start|stop)/u.test(call))).toEqual([]);
  });

  test('that stays as it was on a node is not done there', async () => {
    const rig: ReturnType<typeof setUp> = cluster('yes', () => ({
      stopListener: async () => {
        rig.broker.listeners = new Map(
          [...rig.broker.listeners].map(([node, list]) => [
            node,
            node === 'b' ? list : list.map((listener) => ({ ...listener, running: 'no' as const })),
          ]),
        );
      },
    }));
    const result = await rig.run(stopListener.create(shown('yes')));
    expect(result).toMatchObject({
      outcome: 'not-done',
      parts: [
        { node: 'a', outcome: 'done' },
        { node: 'b', outcome: 'not-done', text: 'It is running.' },
      ],
    });
  });
});
