import { type Alarm, alarmName } from '../../domain/administration.ts';
import { comparedBy, comparedFields, defineNoun, pagedList, resourceRows } from '../noun.ts';
import { alarmFields } from './fields.ts';
import { alarms, endedAlarms } from './resource.ts';
import { alarmWatches } from './select.ts';

export const alarmNoun = defineNoun({
  watches: alarmWatches,
  onDemand: [],
  recorded: 'everyMinute',
  compared: comparedBy<Alarm>({
    noun: { one: 'alarm', many: 'alarms' },
    nameOf: ({ id, node }) => (node === undefined ? id : `${id} on ${node}`),
    identity: ({ id, node = '' }) => JSON.stringify([id, node]),
    idOnScreen: alarmName,
    fields: comparedFields(alarmFields),
    node: ({ node }) => node,
    read: resourceRows(alarms),
  }),
  whole: pagedList(alarms),
});

export const endedAlarmNoun = defineNoun({
  watches: () => [endedAlarms],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'alarmHistory',
  // Each ended between two moments; the timeline has them.
  compared: 'no',
  whole: pagedList(endedAlarms),
});
