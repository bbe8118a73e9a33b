import { defineAction } from './define-action.ts';
import { type Alarm, alarmName } from '../domain/administration.ts';
import { readEndedAlarms } from '../monitor/polling/administration.ts';
import type { Effects } from '../monitor/state.ts';
import { type Read } from './action.ts';
import { actionWords, skipTexts, verificationTexts } from './texts.ts';
import { asWanted, notAsWanted, orUnsupported } from './verification.ts';

const identity = (alarm: Alarm): string => `${alarmName(alarm)} ${alarm.occurredAt ?? ''} ${alarm.endedAt ?? ''}`;

const readNames = async (read: Read): Promise<readonly string[]> => (await read(readEndedAlarms)).map(identity);

/** Forgets the ended alarms of all nodes. `count`: as shown. Alarms that end in between may remain. */
export const clearAlarmHistory = defineAction({
  id: 'clear-alarm-history',
  label: 'clear the alarm history',
  danger: 'destroys',
  capability: 'alarmHistory',
  where: 'Alarms (history)',
  key: 'clearHistory',
  operations: ['clearEndedAlarms'],
  confirmation: 'type `alarm history`',
  auditFields: ['count'],
  create(count: number) {
    return {
      target: { count },
      ...actionWords.clearAlarmHistory(),
      async recheck(read) {
        const before = new Set(await readNames(read));
        if (before.size === 0) return { already: skipTexts.noEndedAlarms };
        return {
          plan: {
            before: { ended: before.size },
            after: { ended: 0 },
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('clear the alarm history', api.clearEndedAlarms?.(options)),
              },
            ],
            async verify(readAgain) {
              const left = (await readNames(readAgain)).filter((name) => before.has(name)).length;
              return [left === 0 ? asWanted : notAsWanted(verificationTexts.endedAlarmsRemain(left))];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: [{ kind: 'endedAlarms' }] }),
    };
  },
});
