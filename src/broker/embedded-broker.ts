import { createManagementServer, type ManagementServer } from '../api/v2/server.ts';
import type { Variant } from '../api/v2/variants.ts';
import type { Listener } from '../domain/listener.ts';
import { createBrokerApi } from './broker-api.ts';
import { startCluster, type BrokerCluster, type ClusterOptions } from './cluster.ts';
import { ListenError } from './listener.ts';
import { createAdminUsers } from './users.ts';

export interface EmbeddedBrokerOptions extends ClusterOptions {
  readonly host: string;
  readonly variant: Variant;
  /** Of the management interface; 0 takes a free port. */
  readonly port: number;
  /** The first administrator. */
  readonly user: string;
  readonly password: string;
  /** Called with what went wrong inside the management service; its caller got code 102. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A cluster with its management interface. */
export interface EmbeddedBroker {
  readonly cluster: BrokerCluster;
  readonly server: ManagementServer;
  /** Ends the management interface first, so that nobody is told half of a shutdown. */
  close(): Promise<void>;
}

/** @throws ListenError when one of the ports cannot be bound; then nothing listens. */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { host, port, variant, onError } = options;
  const { authenticate, ...users } = await createAdminUsers({ username: options.user, password: options.password, tags: 'administrator' });
  const cluster = await startCluster(options);
  let server: ManagementServer;
  try {
    server = await createManagementServer({
      api: { ...createBrokerApi(cluster), ...users }, variant, authenticate, host, port, onError,
    });
  } catch (cause) {
    await cluster.close();
    if (cause instanceof Error && 'code' in cause) throw new ListenError('mqtt:api', host, port, String(cause.code), cause);
    throw cause;
  }
  cluster.nodes[0]?.addListener(() => describeListener(host, server));
  return {
    cluster,
    server,
    close: async () => {
      await server.close();
      await cluster.close();
    },
  };
}

/** The management interface among the listeners of the node that it is shown at (§2.9). */
function describeListener(host: string, { port, connectionLimit, connectionCount }: ManagementServer): Listener {
  return {
    protocol: 'mqtt:api',
    listen: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    address: host,
    port,
    acceptors: 1,
    maxClients: connectionLimit,
    currentClients: connectionCount(),
    shutdownCount: {},
    shutdownCountRaw: undefined,
  };
}
