import type { ApiKey } from '../../domain/administration.ts';
import { comparedBy, comparedFields, defineNoun, resourceRows, wholeList } from '../noun.ts';
import { apiKeyFields } from './fields.ts';
import { apiKeys } from './resource.ts';

export const apiKeyNoun = defineNoun({
  watches: () => [apiKeys],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'apiKeys',
  compared: comparedBy<ApiKey>({
    noun: { one: 'API key', many: 'API keys' },
    nameOf: ({ name }) => name,
    identity: ({ name, key }) => JSON.stringify([name, key]),
    idOnScreen: ({ name }) => name,
    fields: comparedFields(apiKeyFields),
    administered: { screen: 'apiKeys', changedAt: ({ createdAt }) => createdAt },
    read: resourceRows(apiKeys),
  }),
  whole: wholeList(apiKeys),
});
