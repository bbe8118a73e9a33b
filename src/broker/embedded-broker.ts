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
  /** Of the management interface; 0 takes a free port. */
  readonly port: number;
  /** The first administrator; not used when administrators were kept. */
  readonly user: string;
  readonly password: string;
  /** Called with what went wrong inside the management service; its caller got code 102. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Folder that everything which outlives a restart is kept in; without it, it is in memory alone. */
  readonly data?: string | undefined;
  /** Called when changes cannot be written to the folder, and with `undefined` once they are written again. */
  readonly onDataTrouble?: ((error: DataError | undefined) => void) | undefined;
}

/** A cluster with its management interface. */
export interface EmbeddedBroker {
  readonly cluster: BrokerCluster;
  readonly server: ManagementServer;
  /** Settings and plugins that an operator changed, and the access rules. */
  readonly operator: OperatorControls;
  /** Where its data is kept; `undefined` when in memory alone. */
  readonly dataPath: string | undefined;
  /** The administrators were kept, so that the user and password given were not used. */
  readonly hasKeptUsers: boolean;
  /** Ends the management interface first, so that nobody is told half of a shutdown. @throws DataError when the last changes cannot be written. */
  close(): Promise<void>;
}

/**
 * @throws ListenError when one of the ports cannot be bound; then nothing listens.
 * @throws DataError when the data folder is of no use or cannot be written.
 * @throws StateError when kept settings or plugins cannot be brought back.
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

/** Pushes to `undo` how to end each part that it started. */
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
  // Before anybody can connect: no change may be missed.
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

/** The management interface among the listeners of the node that it is shown at (§2.9). */
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
