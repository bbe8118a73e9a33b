import type { AdminUser } from '../../domain/administration.ts';
import { comparedBy, defineNoun, resourceRows } from '../noun.ts';
import { userFields } from './fields.ts';
import { users } from './resource.ts';

export const userNoun = defineNoun({
  watches: () => [users],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'users',
  compared: comparedBy<AdminUser>({
    noun: { one: 'user', many: 'users' },
    nameOf: ({ username, url }) => (url === undefined ? username : `${username} at ${url}`),
    identity: ({ username, url = '' }) => JSON.stringify([username, url]),
    idOnScreen: ({ username }) => username,
    fields: [{ name: 'tags', label: userFields.tags.label, get: ({ tags }) => tags }],
    administered: { screen: 'users' },
    read: resourceRows(users),
  }),
});
