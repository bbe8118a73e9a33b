import type { Client } from '../../domain/client.ts';
import { defineScan } from '../../monitor/query/query.ts';
import { selectNodes } from '../nodes/select.ts';

/** Connected clients. One that is listed by two nodes is on the one where it connected last. */
export const clientScan = defineScan<Client>({
  name: 'clientScan',
  noun: 'clients',
  expected: (state, node) => selectNodes(state).find(({ name }) => name === node)?.stats?.clients,
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
});
