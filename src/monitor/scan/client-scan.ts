import type { Client } from '../../domain/client.ts';
import { lengthOfTexts, sameTexts } from './same-texts.ts';
import type { ScanDescription } from './scan-description.ts';

/** The clients of all nodes (§4.2). A client that is listed by two nodes is on the one where it connected later. */
export const clientScan: ScanDescription<Client> = {
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  // Field by field: a loop over their names takes several times as long, for every row of every scan.
  isSame: (a, b) => a.node === b.node
    && a.connectedAt === b.connectedAt
    && a.port === b.port
    && a.ipAddress === b.ipAddress
    && a.username === b.username
    && a.cleanSession === b.cleanSession
    && a.protocolVersion === b.protocolVersion
    && a.keepaliveSeconds === b.keepaliveSeconds
    && sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
  textLength: ({ clientId, username, ipAddress, unparsed }) => clientId.length + (username?.length ?? 0) + (ipAddress?.length ?? 0) + lengthOfTexts(unparsed),
};
