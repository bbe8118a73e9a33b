import type { Client } from '../../domain/client.ts';
import { comparedBy, comparedFields, defineNoun, scanRows } from '../noun.ts';
import { clientDetail } from './detail.ts';
import { clientFields } from './fields.ts';
import { clientScan } from './resource.ts';
import { clientSearch } from './search.ts';

export const clientNoun = defineNoun({
  watches: () => [clientScan],
  onDemand: [clientDetail, clientSearch],
  recorded: 'everyMinute',
  compared: comparedBy<Client>({
    noun: { one: 'client', many: 'clients' },
    nameOf: ({ clientId }) => clientId,
    identity: clientScan.identity,
    fields: comparedFields(clientFields),
    clientId: ({ clientId }) => clientId,
    node: ({ node }) => node,
    read: scanRows(clientScan),
  }),
});
