import type { Read } from '../../actions/action.ts';
import { defineAction } from '../../actions/define-action.ts';
import type { ConfirmRequest } from '../../actions/requests.ts';
import { asWanted, notAsWanted, orUnsupported } from '../../actions/verification.ts';
import { type Alarm, alarmName } from '../../domain/administration.ts';
import type { Effects } from '../../monitor/state.ts';
import { endedAlarms, readEndedAlarms } from './resource.ts';
import { alarmSentences, alarmTexts, alarmWords } from './texts.ts';

/** The rows that the action of the alarm history acts on. */
export interface ShownAlarmHistory {
  /** The number of ended alarms that are shown. */
  readonly ended: number;
}

const identity = (alarm: Alarm): string => `${alarmName(alarm)} ${alarm.occurredAt ?? ''} ${alarm.endedAt ?? ''}`;

const readNames = async (read: Read): Promise<readonly string[]> => (await read(readEndedAlarms)).map(identity);

/** Forgets the ended alarms of all nodes. `count`: as shown. Alarms that end in between may remain. */
export const clearAlarmHistory = defineAction({
  id: 'clear-alarm-history',
  label: 'clear the alarm history',
  danger: 'destroys',
  capability: 'alarmHistory',
  where: 'Alarms (history)',
  key: {
    id: 'clearHistory',
    keys: ['D'],
    label: 'clear',
    aliases: ['clear alarms'],
    help: 'Clear the alarm history on all nodes; asks you to type "alarm history"',
    scope: 'alarms',
  },
  ask: (_, { ended }: ShownAlarmHistory) => (ended === 0 ? undefined : () => ({ request: clearHistoryRequest(ended) })),
  operations: ['clearEndedAlarms'],
  confirmation: 'type `alarm history`',
  auditFields: ['count'],
  create(count: number) {
    return {
      target: { count },
      ...alarmWords.clearHistory(),
      async recheck(read) {
        const before = new Set(await readNames(read));
        if (before.size === 0) return { already: alarmSentences.noneEnded };
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
              return [left === 0 ? asWanted : notAsWanted(alarmSentences.remain(left))];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: [endedAlarms] }),
    };
  },
});

/** @param count ended alarms on the screen */
export const clearHistoryRequest = (count: number): ConfirmRequest => ({
  kind: 'confirm',
  question: alarmTexts.clear.question,
  target: alarmTexts.clear.target,
  details: [alarmTexts.clear.count(count)],
  verb: alarmTexts.clear.verb,
  mustType: alarmTexts.clear.target,
  action: clearAlarmHistory.create(count),
});

export const alarmActions = [clearAlarmHistory] as const;
