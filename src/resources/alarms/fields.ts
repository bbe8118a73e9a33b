import type { Alarm } from '../../domain/administration.ts';
import type { BrokerClocks } from '../../domain/node.ts';
import { defineFields } from '../../table/field.ts';

/** Returns how long an alarm has lasted, until it ended or until now on the clock of its node. */
const durationOf = ({ occurredAt, endedAt, node }: Alarm, { clockOf }: BrokerClocks): number | undefined => {
  const end = endedAt ?? clockOf(node);
  return occurredAt === undefined || end === undefined ? undefined : Math.max(0, end - occurredAt);
};

export const alarmFields = defineFields<Alarm, BrokerClocks>()({
  alarm: { label: 'ALARM', type: 'name', get: ({ id }) => id },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  since: { label: 'SINCE', type: 'time', get: ({ occurredAt }) => occurredAt },
  ended: { label: 'ENDED', type: 'time', get: ({ endedAt }) => endedAt },
  duration: {
    label: 'DURATION',
    type: 'seconds',
    get: ({ occurredAt, endedAt }) =>
      occurredAt === undefined || endedAt === undefined ? undefined : endedAt - occurredAt,
    // An active alarm is longer the earlier it began.
    order: ({ occurredAt, endedAt }) => (occurredAt === undefined ? undefined : (endedAt ?? 0) - occurredAt),
    age: durationOf,
  },
  message: { label: 'MESSAGE', type: 'text', get: ({ summary, title }) => summary ?? title },
});

const { ended: _, ...activeFields } = alarmFields;
export const activeAlarmFields = activeFields;
