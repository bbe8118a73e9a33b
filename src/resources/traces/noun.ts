import type { Trace } from '../../domain/traces.ts';
import { comparedBy, comparedFields, defineNoun, resourceRows, wholeList } from '../noun.ts';
import { traceFields } from './fields.ts';
import { traceLog, traces } from './resource.ts';

export const traceNoun = defineNoun({
  watches: () => [traces],
  onDemand: [traceLog],
  recorded: 'everyMinute',
  capability: 'traces',
  compared: comparedBy<Trace>({
    noun: { one: 'trace', many: 'traces' },
    nameOf: ({ name }) => name,
    identity: ({ name }) => name,
    fields: comparedFields(traceFields),
    read: resourceRows(traces),
  }),
  whole: wholeList(traces),
});
