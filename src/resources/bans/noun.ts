import type { Ban } from '../../domain/administration.ts';
import { comparedBy, comparedFields, defineNoun, pagedList, resourceRows } from '../noun.ts';
import { banFields } from './fields.ts';
import { bans } from './resource.ts';

const nameOf = ({ kind, value }: Ban): string => `${kind} ${value}`;

export const banNoun = defineNoun({
  watches: () => [bans],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'bans',
  compared: comparedBy<Ban>({
    noun: { one: 'ban', many: 'bans' },
    nameOf,
    identity: nameOf,
    fields: comparedFields(banFields),
    administered: { screen: 'bans', changedAt: ({ since }) => since },
    read: resourceRows(bans),
  }),
  whole: pagedList(bans),
});
