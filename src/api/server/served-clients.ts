import type { Client, Session } from '../../domain/client.ts';
import type { ServedApi } from '../dialect.ts';
import type { CallOptions, PageRequest } from '../management-api.ts';
import { rowsOf } from './rows.ts';

/** A client and its session are one row. */
export interface ServedClient {
  readonly session: Session;
  /** `undefined` while the session is offline. */
  readonly client: Client | undefined;
}

export interface ServedClients {
  find(clientId: string, options: CallOptions): Promise<ServedClient | undefined>;
  /** Yields the rows of nodes. `isConnected` leaves offline sessions out. */
  rows(
    nodes: readonly string[],
    isConnected: boolean | undefined,
    options: CallOptions,
    skip: number,
  ): AsyncGenerator<ServedClient, void>;
}

/** Joins the clients and sessions of an implementation, for APIs that list them as one. */
export function createServedClients(api: ServedApi): ServedClients {
  return {
    async find(clientId, options) {
      const [[session], [client]] = await Promise.all([
        api.getSession(clientId, options),
        api.getClient(clientId, options),
      ]);
      return session === undefined ? undefined : { session, client };
    },
    async *rows(nodes, isConnected, options, skip) {
      if (isConnected === true) {
        const list = (node: string, page: PageRequest) => api.listClients(node, page, options);
        for await (const client of rowsOf(nodes, list, skip)) {
          const [session] = await api.getSession(client.clientId, options);
          if (session !== undefined) yield { session, client };
        }
        return;
      }
      const list = (node: string, page: PageRequest) => api.listSessions(node, page, options);
      for await (const session of rowsOf(nodes, list, skip)) {
        const [client] = await api.getClient(session.clientId, options);
        yield { session, client };
      }
    },
  };
}
