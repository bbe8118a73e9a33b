import type { Client, ClientTraffic } from '../../domain/client.ts';
import { defineScan } from '../../monitor/query/query.ts';
import { selectNodes } from '../nodes/select.ts';
import { lengthOfTexts, sameTexts } from '../unparsed.ts';

/** Connected clients. One that is listed by two nodes is on the one where it connected last. */
export const clientScan = defineScan<Client>({
  name: 'clientScan',
  noun: 'clients',
  expected: (state, node) => selectNodes(state).find(({ name }) => name === node)?.stats?.clients,
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  // Field by field: a loop over the keys takes several times as long.
  isSame: (a, b) =>
    a.node === b.node &&
    a.connectedAt === b.connectedAt &&
    a.port === b.port &&
    a.ipAddress === b.ipAddress &&
    a.username === b.username &&
    a.cleanSession === b.cleanSession &&
    a.protocolVersion === b.protocolVersion &&
    a.keepaliveSeconds === b.keepaliveSeconds &&
    sameTraffic(a.traffic, b.traffic) &&
    sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
  textLength: ({ clientId, username, ipAddress, unparsed }) =>
    clientId.length + (username?.length ?? 0) + (ipAddress?.length ?? 0) + lengthOfTexts(unparsed),
});

function sameTraffic(a: ClientTraffic | undefined, b: ClientTraffic | undefined): boolean {
  return (
    a === b ||
    (a !== undefined &&
      b !== undefined &&
      a.receivedMessages === b.receivedMessages &&
      a.sentMessages === b.sentMessages &&
      a.receivedBytes === b.receivedBytes &&
      a.sentBytes === b.sentBytes)
  );
}
