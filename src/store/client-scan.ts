import type { Client } from '../domain/client.ts';
import type { ScanDescription } from './scan.ts';

const comparedFields = [
  'node', 'connectedAt', 'port', 'ipAddress', 'username', 'cleanSession', 'protocolVersion', 'keepaliveSeconds',
] as const satisfies readonly (keyof Client)[];

/** The clients of all nodes (§4.2). A client that is listed by two nodes is on the one where it connected later. */
export const clientScan: ScanDescription<Client> = {
  list: (api, node, page, options) => api.listClients(node, page, options),
  identity: (client) => client.clientId,
  isSame: (a, b) => comparedFields.every((field) => a[field] === b[field]) && sameTexts(a.unparsed, b.unparsed),
  isPreferred: (candidate, over) =>
    candidate.connectedAt !== undefined && (over.connectedAt === undefined || candidate.connectedAt > over.connectedAt),
};

function sameTexts(a: Client['unparsed'], b: Client['unparsed']): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
