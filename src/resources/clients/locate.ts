import { ApiError } from '../../api/errors.ts';
import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { Client, Session } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { ClientDetail } from './client-detail.ts';

/** Limits the nodes asked: each costs a request. */
const maxNodesAsked = 8;
/** A node is looked for so often: one that cannot be found is not looked for at each reading. */
const maxAttempts = 3;

/** Sends one request. */
export type ReadOne = <T>(request: (api: ReadingApi, options: CallOptions) => Promise<T>) => Promise<T>;

const isSameClient = (a: Client, b: Client): boolean =>
  a.clientId === b.clientId && a.ipAddress === b.ipAddress && a.port === b.port && a.connectedAt === b.connectedAt;
const isSameSession = (a: Session, b: Session): boolean => a.clientId === b.clientId && a.createdAt === b.createdAt;

/**
 * Returns the node of a connection that was read by id, which does not name it. `undefined` if no node lists it. @param
 * likely asked first
 */
export const findClientNode = (read: ReadOne, client: Client, likely?: NodeName): Promise<NodeName | undefined> =>
  findNode(read, likely, async (node) =>
    (await read((api, options) => api.getNodeClient(node, client.clientId, options))).some((each) =>
      isSameClient(each, client),
    ),
  );

const findSessionNode = (read: ReadOne, session: Session, likely?: NodeName): Promise<NodeName | undefined> =>
  findNode(read, likely, async (node) =>
    (await read((api, options) => api.getNodeSession(node, session.clientId, options))).some((each) =>
      isSameSession(each, session),
    ),
  );

async function findNode(
  read: ReadOne,
  likely: NodeName | undefined,
  isHere: (node: NodeName) => Promise<boolean>,
): Promise<NodeName | undefined> {
  if (likely !== undefined && (await orElse(isHere(likely), false))) return likely;
  const stats = await orElse(
    read((api, options) => api.listNodeStats(options)),
    [],
  );
  const others = stats.filter(({ name, status }) => status === 'running' && name !== likely).map(({ name }) => name);
  for (const node of others.slice(0, maxNodesAsked)) if (await orElse(isHere(node), false)) return node;
  return undefined;
}

async function orElse<T>(request: Promise<T>, fallback: T): Promise<T> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof ApiError) return fallback;
    throw thrown;
  }
}

/** A client as lists show it. */
export interface ListedClient {
  readonly client: Client | undefined;
  readonly session: Session | undefined;
}

/** Adds the nodes to a client that was read by id: from the lists, else by asking the nodes, once for each connection and session. */
export type Locator = (detail: ClientDetail, listed: ListedClient, read: ReadOne) => Promise<ClientDetail>;

export function createLocator(): Locator {
  const locateClient = createMemory(isSameClient, findClientNode);
  const locateSession = createMemory(isSameSession, findSessionNode);
  return async (detail, listed, read) => {
    const clients =
      detail.clients instanceof ApiError
        ? detail.clients
        : await Promise.all(
            detail.clients.map((client) => locateClient(client, listed.client, read, listed.session?.node)),
          );
    const near = clients instanceof ApiError ? undefined : clients[0]?.node;
    const sessions =
      detail.sessions instanceof ApiError
        ? detail.sessions
        : await Promise.all(
            detail.sessions.map((session) => locateSession(session, listed.session, read, near ?? listed.client?.node)),
          );
    return { ...detail, clients, sessions };
  };
}

type Located = Client | Session;

function createMemory<Row extends Located>(
  isSame: (a: Row, b: Row) => boolean,
  find: (read: ReadOne, row: Row, likely?: NodeName) => Promise<NodeName | undefined>,
) {
  let known: { readonly row: Row; readonly node: NodeName | undefined; readonly attempts: number } | undefined;
  return async (row: Row, listed: Row | undefined, read: ReadOne, likely: NodeName | undefined): Promise<Row> => {
    if (row.node !== undefined) return row;
    if (listed?.node !== undefined && isSame(listed, row)) return { ...row, node: listed.node };
    const before = known !== undefined && isSame(known.row, row) ? known : undefined;
    if (before?.node === undefined && (before?.attempts ?? 0) < maxAttempts)
      known = { row, node: await find(read, row, likely), attempts: (before?.attempts ?? 0) + 1 };
    return { ...row, node: known !== undefined && isSame(known.row, row) ? known.node : undefined };
  };
}
