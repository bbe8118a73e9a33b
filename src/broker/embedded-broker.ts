import { createManagementServer, type ManagementServer } from '../api/dialects/emq-v2/server/server.ts';
import type { Variant } from '../api/dialects/emq-v2/variants.ts';
import type { Listener } from '../domain/administration.ts';
import { errorCodeOf } from '../domain/error-code.ts';
import { hostPort } from '../domain/text.ts';
import { BrokerCluster, type ClusterOptions } from './cluster.ts';
import { type BrokerData, openBrokerData } from './data/broker-data.ts';
import type { DataError } from './data/data-error.ts';
import { ListenError } from './engine/listener.ts';
import { createBrokerApi } from './management/broker-api.ts';
import { createOperatorControls, type OperatorControls, type OperatorOptions } from './management/operator-controls.ts';
import { createAdminUsers } from './management/users.ts';

export interface EmbeddedBrokerOptions extends ClusterOptions, OperatorOptions {
  readonly host: string;
  readonly variant: Variant;
  /** Port of the management API; 0 takes a free one. */
  readonly port: number;
  /** The first administrator; ignored when the data folder has administrators. */
  readonly user: string;
  readonly password: string;
  /** Called with internal errors of the management API; the client got code 102. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Data folder; without it everything is in memory only. */
  readonly data?: string | undefined;
  /** Called when the folder cannot be written, and with `undefined` when it can again. */
  readonly onDataTrouble?: ((error: DataError | undefined) => void) | undefined;
}

/** A cluster with its management API. */
export interface EmbeddedBroker {
  readonly cluster: BrokerCluster;
  readonly server: ManagementServer;
  readonly operator: OperatorControls;
  /** The data folder; `undefined` when everything is in memory only. */
  readonly dataPath: string | undefined;
  /** Administrators came from the data folder; the given user and password were not used. */
  readonly hasKeptUsers: boolean;
  /** Closes the management API first. @throws DataError when the last changes cannot be written. */
  close(): Promise<void>;
}

/**
 * Starts the cluster and its management API; when one part fails, those started before are closed.
 * @throws ListenError when a port cannot be bound
 * @throws DataError when the data folder cannot be used
 * @throws StateError when stored settings or plugins cannot be restored
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const undo: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const data = options.data === undefined ? undefined : await openBrokerData(options.data, { onWriteFailure: options.onDataTrouble });
    if (data !== undefined) undo.push(() => data.close());
    return await start(options, data, undo, close);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Pushes to `undo` how to close each part that it started. */
async function start(
  options: EmbeddedBrokerOptions,
  data: BrokerData | undefined,
  undo: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<EmbeddedBroker> {
  const { host, port, variant, onError } = options;
  const keptUsers = data?.takeUsers() ?? [];
  const first = { username: options.user, password: options.password, tags: 'administrator' };
  const users = await createAdminUsers(first, keptUsers, data?.recorder);
  const cluster = new BrokerCluster({ ...options, recorder: data?.recorder });
  const operator = createOperatorControls(cluster, { ...options, state: data?.takeSettings() ?? options.state });
  undo.push(async () => operator.close());
  data?.restoreCluster(cluster);
  // Before clients can connect, so that no change is missed.
  await data?.follow({ cluster, users, settings: operator.state });
  await cluster.start();
  undo.push(() => cluster.close());

  const { authenticate, exportUser: _, onUserChange: __, ...userOperations } = users;
  let server: ManagementServer;
  try {
    server = await createManagementServer({
      api: { ...createBrokerApi(cluster), ...operator.api, ...userOperations }, variant, authenticate, host, port, onError,
    });
  } catch (cause) {
    const code = errorCodeOf(cause);
    throw code === undefined ? cause : new ListenError('mqtt:api', host, port, code, cause);
  }
  undo.push(() => server.close());
  cluster.nodes[0]?.addListener(() => describeListener(host, server));
  return { cluster, server, operator, dataPath: data?.path, hasKeptUsers: keptUsers.length > 0, close };
}

/** The management API as a listener of the first node (§2.9). */
function describeListener(host: string, { port, connectionLimit, connectionCount }: ManagementServer): Listener {
  return {
    protocol: 'mqtt:api',
    listen: hostPort(host, port),
    address: host,
    port,
    acceptors: 1,
    maxClients: connectionLimit,
    currentClients: connectionCount(),
    shutdownCount: {},
    shutdownCountRaw: undefined,
  };
}
