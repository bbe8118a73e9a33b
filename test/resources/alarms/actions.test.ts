import { describe, expect, test } from 'vitest';
import { describeResult } from '../../../src/actions/describe.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import { clearAlarmHistory } from '../../../src/resources/alarms/actions.ts';
import { now, setUp } from '../support.ts';

describe('the alarm history', () => {
  const ended = (id: string, endedAt: number): Alarm => ({
    id,
    severity: undefined,
    title: undefined,
    summary: undefined,
    occurredAt: now - 900,
    endedAt,
    node: 'a',
  });

  test('is cleared, also if an alarm ends meanwhile', async () => {
    const rig = setUp((parts) => ({
      async clearEndedAlarms() {
        await parts.clearEndedAlarms();
        rig.broker.endedAlarms = [ended('cpu', now)];
      },
    }));
    rig.broker.endedAlarms = [ended('cpu', now - 60), ended('memory', now - 60)];
    const action = clearAlarmHistory.create(2);
    const result = await rig.run(action);
    expect(result).toMatchObject({ outcome: 'done', before: { ended: 2 } });
    expect(describeResult(action, result)).toBe('Cleared the alarm history on all nodes.');
    expect(rig.written).toHaveLength(2);
  });

  test('is not sent if it is empty, and not done if alarms remain', async () => {
    const empty = setUp();
    expect(await empty.run(clearAlarmHistory.create(2))).toMatchObject({ reason: 'already', wasSent: false });
    const stays = setUp(() => ({ clearEndedAlarms: async () => {} }));
    stays.broker.endedAlarms = [ended('cpu', now - 60)];
    expect(await stays.run(clearAlarmHistory.create(1))).toMatchObject({
      outcome: 'not-done',
      why: '1 earlier alarm is still listed.',
    });
  });
});
