import { setTimeout } from 'node:timers/promises';
import type { DialectServer, ManagementServer, ServedApi, ServedClock, ServedFaults } from '../api/dialect.ts';
import type { Listener } from '../domain/administration.ts';
import { errorCodeOf } from '../domain/error-code.ts';
import { hostPort } from '../domain/text.ts';
import { BrokerCluster, type ClusterOptions } from './cluster.ts';
import { type BrokerData, openBrokerData } from './data/broker-data.ts';
import type { DataError } from './data/files.ts';
import { ListenError } from './engine/listener.ts';
import { createIntegrations } from './integrations/integrations.ts';
import type { IntegrationSetup } from './integrations/setup.ts';
import { createAlarms } from './management/alarms.ts';
import { type ApiKeys, createApiKeys } from './management/api-keys.ts';
import { createBans } from './management/bans.ts';
import { createBrokerApi } from './management/broker-api.ts';
import { createMessageApi } from './management/message-api.ts';
import { stoppedListenerKey } from './management/changes.ts';
import { createOperatorControls, type OperatorControls, type OperatorOptions } from './management/operator-controls.ts';
import { withReportedFigures } from './management/reported-figures.ts';
import { StoredMap } from './management/stored-map.ts';
import { createSlowSubscriptions } from './management/slow-subscriptions.ts';
import { createTraces } from './management/traces.ts';
import { createAdminUsers } from './management/users.ts';
import { viewOfNode } from './management/view-of-node.ts';
import type { BrokerNode } from './node.ts';

export interface EmbeddedBrokerOptions extends ClusterOptions, Omit<OperatorOptions, 'extraPlugins'> {
  readonly host: string;
  /** The API to serve, and its variant where it has some. */
  readonly dialect: DialectServer;
  readonly variant?: string | undefined;
  /** The port of the management API; 0 takes a free one. */
  readonly port: number;
  /** The first administrator; ignored when the data folder has administrators. */
  readonly user: string;
  readonly password: string;
  /** Called with internal errors of the management API. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Rules, and the services that their messages go to; of API v5. */
  readonly integrations?: IntegrationSetup | undefined;
  /** The interval at which these services are looked for. */
  readonly integrationHealthMs?: number | undefined;
  readonly data?: string | undefined;
  /** Called when the folder cannot be written, and with `undefined` when it can again. */
  readonly onDataFailure?: ((error: DataError | undefined) => void) | undefined;
  /** The release of a real broker that is imitated; absent: the API as specified. */
  readonly profile?: string | undefined;
  /** The profile's clock; absent: the real time. */
  readonly clock?: ServedClock | undefined;
}

type EmbeddedApi = ServedApi & ApiKeys['api'];

export interface EmbeddedBroker {
  readonly cluster: BrokerCluster;
  /** The API of the first node, or of the cluster. */
  readonly server: ManagementServer;
  /** The API of the cluster, or with some profiles one for each node. */
  readonly servers: readonly ManagementServer[];
  readonly faults: ServedFaults;
  /** The served API, without HTTP. */
  readonly api: EmbeddedApi;
  readonly operator: OperatorControls;
  /** `undefined` when everything is in memory only. */
  readonly dataPath: string | undefined;
  readonly hasStoredUsers: boolean;
  /** Closes the broker, the management API first. @throws DataError when the last changes cannot be written. */
  close(): Promise<void>;
}

/**
 * Starts the broker. When a part fails, those started before are closed. @throws ListenError, DataError or StateError
 */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const undo: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let undoLast = undo.pop(); undoLast !== undefined; undoLast = undo.pop()) await undoLast();
  };
  try {
    const data =
      options.data === undefined
        ? undefined
        : await openBrokerData(options.data, { onWriteFailure: options.onDataFailure });
    if (data !== undefined) undo.push(() => data.close());
    return await start(options, data, undo, close);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

async function start(
  options: EmbeddedBrokerOptions,
  data: BrokerData | undefined,
  undo: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<EmbeddedBroker> {
  const { host, dialect, variant, profile, onError, clock = realClock } = options;
  const meaning = dialect.meaning(profile);
  const storedUsers = data?.takeUsers() ?? [];
  const administrator = { username: options.user, password: options.password, tags: 'administrator' };
  const users = await createAdminUsers(administrator, storedUsers, data?.recorder);
  const cluster = new BrokerCluster({ ...options, recorder: data?.recorder });
  const operator = createOperatorControls(cluster, {
    ...options,
    extraPlugins: dialect.extraPlugins(variant),
    state: data?.takeSettings() ?? options.state,
  });
  undo.push(async () => operator.close());
  data?.restoreCluster(cluster);
  const bans = createBans(cluster, { ...meaning, stored: data?.takeBans() });
  const apiKeys = createApiKeys({ stored: data?.takeApiKeys(), recorder: data?.recorder });
  const stoppedListeners = new StoredMap(data?.takeStoppedListeners() ?? [], stoppedListenerKey, data?.recorder);
  for (const { node, protocol } of stoppedListeners.values()) await cluster.node(node)?.stopListener(protocol);
  // Before clients can connect, so that no change is missed.
  await data?.follow({
    cluster,
    users,
    settings: operator.state,
    bans: bans.table,
    apiKeys: apiKeys.table,
    stoppedListeners,
  });
  await cluster.start();
  undo.push(() => cluster.close());

  const { authenticate, exportUser: _, onUserChange: __, ...userOperations } = users;
  const alarms = createAlarms(cluster, {
    ...meaning,
    ...(profile !== undefined && { everySecond: clock.everySecond }),
  });
  undo.push(async () => alarms.close());
  const integrations = createIntegrations(cluster, options.integrations ?? noIntegrations, {
    alarms,
    healthMs: options.integrationHealthMs,
  });
  undo.push(async () => integrations.close());
  const current = createBrokerApi(cluster, meaning, stoppedListeners);
  const reported =
    meaning.figures === undefined ? undefined : withReportedFigures(current, cluster, meaning.figures, clock);
  undo.push(async () => reported?.close());
  const api: EmbeddedApi = {
    ...(reported?.api ?? current),
    ...operator.api,
    ...userOperations,
    ...bans.api,
    ...alarms.api,
    ...createMessageApi(cluster),
    ...createSlowSubscriptions(cluster),
    ...integrations.api,
    ...createTraces(cluster),
    ...apiKeys.api,
  };
  const faults: ServedFaults = { frozen: undefined, busyEvery: 0, lostSettings: [], forbidden: [] };
  const serve = async (port: number, node: BrokerNode | undefined): Promise<ManagementServer> => {
    try {
      const server = await dialect.start({
        api: node === undefined || meaning.isServedByEachNode !== true ? api : viewOfNode(api, cluster, node.name),
        variant,
        profile,
        self: meaning.isServedByEachNode === true ? node : undefined,
        faults,
        clock,
        authenticate,
        authenticateKey: apiKeys.authenticate,
        host,
        port,
        onError,
      });
      undo.push(() => server.close());
      node?.addListener(() => describeListener(host, server));
      return server;
    } catch (cause) {
      const code = errorCodeOf(cause);
      throw code === undefined ? cause : new ListenError('mqtt:api', host, port, code, cause);
    }
  };
  const [first, ...others] = cluster.nodes;
  const server = await serve(options.port, first);
  const servers = [server];
  if (meaning.isServedByEachNode === true)
    for (const node of others) servers.push(await serve(options.port === 0 ? 0 : options.port + servers.length, node));
  return {
    cluster,
    server,
    servers,
    faults,
    api,
    operator,
    dataPath: data?.path,
    hasStoredUsers: storedUsers.length > 0,
    close,
  };
}

const noIntegrations: IntegrationSetup = { connectors: [], actions: [], rules: [] };

const realClock: ServedClock = {
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal });
  },
  everySecond: (run) => {
    const timer = setInterval(run, 1000).unref();
    return () => clearInterval(timer);
  },
};

/** Describes the management API's own listener, which the first node lists. */
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
