import type { AccessBackend } from '../domain/access.ts';
import type {
  AdminUser,
  Alarm,
  ApiKey,
  Ban,
  BanTarget,
  Listener,
  NewApiKey,
  NewBan,
  Plugin,
  PluginSetting,
  Setting,
} from '../domain/administration.ts';
import type { AclDecision, Client, Qos, Route, Session, Subscription } from '../domain/client.ts';
import type { Integration, StartableKind } from '../domain/integrations.ts';
import type {
  RetainedContent,
  RetainedMessage,
  SessionMessageKind,
  SessionMessages,
  SlowSubscriptions,
} from '../domain/messages.ts';
import type { NewTrace, Trace, TraceText } from '../domain/traces.ts';
import type { LoadSample, Metrics, Stats } from '../domain/metrics.ts';
import type { ClusterView, ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../domain/node.ts';

/** Pages count from 1. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** One page of a list. `items` may hold more than `pageSize` rows. */
export interface Page<T> extends PageRequest {
  readonly items: readonly T[];
  readonly totalItems: number | undefined;
  readonly totalPages: number | undefined;
  /** Whether another page follows; `undefined` where `totalPages` says so. */
  readonly hasNext?: boolean | undefined;
}

export interface UnusableRows {
  readonly count: number;
  /** Fields and JSON types of one such row, without values. Untrusted text. */
  readonly example: string;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Called if rows were left out. Without any usable row the call rejects with `BadAnswerError`. */
  readonly onUnusable?: ((rows: UnusableRows) => void) | undefined;
}

export interface PublishOptions extends CallOptions {
  /** Called if the broker says that no session is subscribed to the topic. */
  readonly onNoReceiver?: (() => void) | undefined;
}

export interface PublishRequest {
  readonly topic: string;
  readonly payload?: string | undefined;
  readonly qos?: Qos | undefined;
  readonly retain?: boolean | undefined;
  /** The sender; the broker's default is `http`. */
  readonly clientId?: string | undefined;
}

export interface SubscribeRequest {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: Qos;
}

export interface UnsubscribeRequest {
  readonly clientId: string;
  readonly topic: string;
}

export interface NewAdminUser extends AdminUser {
  readonly password: string;
}

export interface Capabilities {
  readonly unsubscribe: boolean;
  readonly settings: boolean;
  readonly nodeSubscriptionsOfClient: boolean;
  /** The broker raises an alarm for each node that it has lost touch with. */
  readonly partitionAlarms?: boolean | undefined;
  /** Plugins are started and stopped on one node; otherwise without naming a node. */
  readonly pluginPerNode: boolean;
  readonly sessionTotals: boolean;
  /** Metrics are listed by node; otherwise as one total. */
  readonly metricsByNode: boolean;
  readonly queueLimitSetting?: string | undefined;
  /** How often the broker refreshes the counters of a session; absent if they are always current. */
  readonly sessionCountersSeconds?: number | undefined;
  /** The broker may also refresh the counters sooner. */
  readonly sessionCountersVary?: boolean | undefined;
  /** `false` where the API has no list of users. */
  readonly users?: boolean | undefined;
  /** The nodes have the same users; otherwise they may differ. */
  readonly clusterUsers?: boolean | undefined;
  /** The login is an API key, which may not read users and API keys. */
  readonly isApiKey?: boolean | undefined;
  /** `clearAclCache` ignores the topic, and clears the cache of the client. */
  readonly clearsWholeAclCache?: boolean | undefined;
  /** `disconnectClient` also drops the session, with its subscriptions and queue. */
  readonly disconnectEndsSession?: boolean | undefined;
  /** A ban by client ID also disconnects the client, and drops its session with its subscriptions and queue. */
  readonly banEndsSession?: boolean | undefined;
  readonly alarmHistory?: boolean | undefined;
  readonly bans?: boolean | undefined;
  readonly apiKeys?: boolean | undefined;
  readonly listenerControl?: boolean | undefined;
  readonly retainedMessages?: boolean | undefined;
  readonly sessionMessages?: boolean | undefined;
  readonly traces?: boolean | undefined;
  readonly slowSubscriptions?: boolean | undefined;
  /** The broker tells what decides about access. */
  readonly accessBackends?: boolean | undefined;
  /** The broker has connectors, actions, sources and rules. */
  readonly integrations?: boolean | undefined;
  /** Metrics count losses by reason, and refused connections. */
  readonly reasonCounters?: boolean | undefined;
  readonly clientTraffic?: boolean | undefined;
  readonly clientSearch?: boolean | undefined;
  readonly apiName?: string | undefined;
}

/** Finds clients that match all parts. Texts match anywhere unless they are whole, and case counts. */
export interface ClientSearch {
  readonly clientId?: string | undefined;
  readonly username?: string | undefined;
  readonly wholeUsername?: string | undefined;
  /** Matches the whole address. */
  readonly ipAddress?: string | undefined;
  readonly node?: NodeName | undefined;
}

/**
 * The calls of the port. They reject with an `ApiError`; `NotSupportedError` means nothing was sent. Reading an unknown
 * id returns an empty array.
 */
export interface ApiOperations {
  /** Lists running nodes. */
  listNodes(options?: CallOptions): Promise<readonly NodeInfo[]>;
  getNode(node: NodeName, options?: CallOptions): Promise<NodeInfo>;
  /** Lists all nodes, including stopped ones. */
  listNodeStats(options?: CallOptions): Promise<readonly NodeStats[]>;
  getNodeStats(node: NodeName, options?: CallOptions): Promise<NodeStats>;
  /** Asks the node at this address which nodes it sees, and no other: a node that hangs does not delay the answer. */
  getClusterView?(options?: CallOptions): Promise<ClusterView>;
  listListeners(options?: CallOptions): Promise<ByNode<readonly Listener[]>>;
  getListeners(node: NodeName, options?: CallOptions): Promise<readonly Listener[]>;
  listMetrics(options?: CallOptions): Promise<ClusterFigures<Metrics>>;
  getMetrics(node: NodeName, options?: CallOptions): Promise<Metrics>;
  listStats(options?: CallOptions): Promise<ByNode<Stats>>;
  getStats(node: NodeName, options?: CallOptions): Promise<Stats>;
  /** Lists what the broker has kept of the cluster's traffic in the last seconds, oldest first. */
  listLoadHistory?(seconds: number, options?: CallOptions): Promise<readonly LoadSample[]>;

  listClients(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Client>>;
  getNodeClient(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Client[]>;
  /** Returns no client, one, or two while a session is taken over. */
  getClient(clientId: string, options?: CallOptions): Promise<readonly Client[]>;
  /** @throws BrokerError `not-connected` when no running node knows the client */
  disconnectClient(clientId: string, options?: CallOptions): Promise<void>;
  /** `topic` is required unless `capabilities.clearsWholeAclCache`. */
  clearAclCache(clientId: string, topic: string | undefined, options?: CallOptions): Promise<void>;
  /** Lists decisions in the cache. Absent where it cannot be read. */
  listAclCache?(clientId: string, options?: CallOptions): Promise<readonly AclDecision[]>;

  listSessions(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Session>>;
  getNodeSession(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Session[]>;
  getSession(clientId: string, options?: CallOptions): Promise<readonly Session[]>;

  listSubscriptions(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Subscription>>;
  getNodeSubscriptions(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Subscription[]>;
  getSubscriptions(clientId: string, options?: CallOptions): Promise<readonly Subscription[]>;
  subscribe(request: SubscribeRequest, options?: CallOptions): Promise<void>;
  unsubscribe(request: UnsubscribeRequest, options?: CallOptions): Promise<void>;
  publish(request: PublishRequest, options?: PublishOptions): Promise<void>;

  listRoutes(page: PageRequest, options?: CallOptions): Promise<Page<Route>>;
  getRoutes(topic: string, options?: CallOptions): Promise<readonly Route[]>;

  listPlugins(node: NodeName, options?: CallOptions): Promise<readonly Plugin[]>;
  /** `node` is required with `capabilities.pluginPerNode`, and not sent otherwise. */
  startPlugin(node: NodeName | undefined, plugin: string, options?: CallOptions): Promise<void>;
  stopPlugin(node: NodeName | undefined, plugin: string, options?: CallOptions): Promise<void>;

  listSettings(options?: CallOptions): Promise<ByNode<readonly Setting[]>>;
  getSettings(node: NodeName, options?: CallOptions): Promise<readonly Setting[]>;
  /**
   * Changes a setting, on all nodes when `node` is `undefined`. Success means that at least one node took it: read it
   * back.
   */
  changeSetting(
    node: NodeName | undefined,
    setting: { readonly app: string; readonly key: string; readonly value: string },
    options?: CallOptions,
  ): Promise<void>;
  getPluginSettings(node: NodeName, plugin: string, options?: CallOptions): Promise<readonly PluginSetting[]>;
  /** Replaces the whole set: keys left out become empty. */
  replacePluginSettings(
    node: NodeName,
    plugin: string,
    settings: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<void>;

  /** Lists active alarms. Absent, or rejects with `NotAvailableError`, where the API has no such list. */
  listAlarms?(node: NodeName, options?: CallOptions): Promise<readonly Alarm[]>;

  /**
   * Lists ended alarms of all nodes, newest first. Present with `capabilities.alarmHistory`; the calls below with
   * theirs.
   */
  listEndedAlarms?(page: PageRequest, options?: CallOptions): Promise<Page<Alarm>>;
  clearEndedAlarms?(options?: CallOptions): Promise<void>;
  /** Finds connected clients at the broker, for lists too long to read. */
  searchClients?(search: ClientSearch, page: PageRequest, options?: CallOptions): Promise<Page<Client>>;

  startListener?(id: string, options?: CallOptions): Promise<void>;
  stopListener?(id: string, options?: CallOptions): Promise<void>;

  listBans?(page: PageRequest, options?: CallOptions): Promise<Page<Ban>>;
  /** @throws BrokerError `exists` */
  addBan?(ban: NewBan, options?: CallOptions): Promise<void>;
  liftBan?(target: BanTarget, options?: CallOptions): Promise<void>;

  /** Lists what decides who may connect, publish and subscribe. */
  listAccessBackends?(options?: CallOptions): Promise<readonly AccessBackend[]>;

  /** Lists connectors, actions, sources and rules, with what they counted. */
  listIntegrations?(options?: CallOptions): Promise<readonly Integration[]>;
  /** Connects again at once. @throws BrokerError for a part that is disabled, or that still cannot connect */
  startIntegration?(kind: StartableKind, id: string, options?: CallOptions): Promise<void>;
  setRuleEnabled?(id: string, isEnabled: boolean, options?: CallOptions): Promise<void>;

  listSlowSubscriptions?(options?: CallOptions): Promise<SlowSubscriptions>;
  /** Lists retained messages. `topic` is a filter, which may hold wildcards. */
  listRetained?(topic: string | undefined, page: PageRequest, options?: CallOptions): Promise<Page<RetainedMessage>>;
  /** Returns `undefined` if nothing is retained for the topic. */
  getRetained?(topic: string, options?: CallOptions): Promise<RetainedContent | undefined>;
  deleteRetained?(topic: string, options?: CallOptions): Promise<void>;
  /** Lists messages of a session. @param from `next` of the page before */
  listSessionMessages?(
    clientId: string,
    which: SessionMessageKind,
    from?: string,
    options?: CallOptions,
  ): Promise<SessionMessages>;

  /** Lists the traces of all nodes. Present with `capabilities.traces`, like the next four. */
  listTraces?(options?: CallOptions): Promise<readonly Trace[]>;
  /**
   * Reads the log of a trace on a node, at most `maxBytes` from byte `from` on. Empty at its end.
   * @throws BrokerError `does-not-exist`
   */
  readTrace?(
    name: string,
    node: NodeName,
    range: { readonly from: number; readonly maxBytes: number },
    options?: CallOptions,
  ): Promise<TraceText>;
  /** @throws BrokerError `exists` */
  startTrace?(trace: NewTrace, options?: CallOptions): Promise<void>;
  stopTrace?(name: string, options?: CallOptions): Promise<void>;
  /** Removes a trace with its log, also one that runs. */
  deleteTrace?(name: string, options?: CallOptions): Promise<void>;

  listApiKeys?(options?: CallOptions): Promise<readonly ApiKey[]>;
  /** Adds a key and returns its secret, which cannot be read again. */
  addApiKey?(key: NewApiKey, options?: CallOptions): Promise<{ readonly key: string; readonly secret: string }>;
  setApiKeyEnabled?(name: string, isEnabled: boolean, options?: CallOptions): Promise<void>;
  deleteApiKey?(name: string, options?: CallOptions): Promise<void>;

  listUsers(options?: CallOptions): Promise<readonly AdminUser[]>;
  addUser(user: NewAdminUser, options?: CallOptions): Promise<void>;
  changeUserTags(username: string, tags: string, options?: CallOptions): Promise<void>;
  deleteUser(username: string, options?: CallOptions): Promise<void>;
  /** @throws BrokerError `wrong-credentials`, `empty-credentials` or `unknown-user` if it is rejected */
  checkCredentials(username: string, password: string, options?: CallOptions): Promise<void>;
  changePassword(username: string, oldPassword: string, newPassword: string, options?: CallOptions): Promise<void>;
}

type OperationClass = 'read' | { readonly write: string };

/** A class for each call, optional ones included: one left out does not compile. */
export type OperationClasses<Calls> = { readonly [Name in keyof Calls]-?: OperationClass };

/**
 * Says of each call whether it reads or writes, and what a write does. Reads may be repeated and shared, and move to
 * the next address when one fails. A write is sent once; read-only mode refuses it.
 */
export const operations = {
  listNodes: 'read',
  getNode: 'read',
  listNodeStats: 'read',
  getNodeStats: 'read',
  getClusterView: 'read',
  listListeners: 'read',
  getListeners: 'read',
  listMetrics: 'read',
  getMetrics: 'read',
  listStats: 'read',
  getStats: 'read',
  listLoadHistory: 'read',
  listClients: 'read',
  getNodeClient: 'read',
  getClient: 'read',
  disconnectClient: { write: 'disconnect a client' },
  clearAclCache: { write: 'clear an ACL cache' },
  listAclCache: 'read',
  listSessions: 'read',
  getNodeSession: 'read',
  getSession: 'read',
  listSubscriptions: 'read',
  getNodeSubscriptions: 'read',
  getSubscriptions: 'read',
  subscribe: { write: 'subscribe for a client' },
  unsubscribe: { write: 'unsubscribe for a client' },
  publish: { write: 'publish a message' },
  listRoutes: 'read',
  getRoutes: 'read',
  listPlugins: 'read',
  startPlugin: { write: 'start a plugin' },
  stopPlugin: { write: 'stop a plugin' },
  listSettings: 'read',
  getSettings: 'read',
  changeSetting: { write: 'change a setting' },
  getPluginSettings: 'read',
  replacePluginSettings: { write: 'change the settings of a plugin' },
  listAlarms: 'read',
  listEndedAlarms: 'read',
  clearEndedAlarms: { write: 'clear the alarm history' },
  searchClients: 'read',
  startListener: { write: 'start a listener' },
  stopListener: { write: 'stop a listener' },
  listBans: 'read',
  addBan: { write: 'add a ban' },
  liftBan: { write: 'lift a ban' },
  listAccessBackends: 'read',
  listIntegrations: 'read',
  startIntegration: { write: 'start a connector, action or source' },
  setRuleEnabled: { write: 'enable or disable a rule' },
  listSlowSubscriptions: 'read',
  listRetained: 'read',
  getRetained: 'read',
  deleteRetained: { write: 'delete a retained message' },
  listSessionMessages: 'read',
  listTraces: 'read',
  readTrace: 'read',
  startTrace: { write: 'start a trace' },
  stopTrace: { write: 'stop a trace' },
  deleteTrace: { write: 'delete a trace' },
  listApiKeys: 'read',
  addApiKey: { write: 'add an API key' },
  setApiKeyEnabled: { write: 'enable or disable an API key' },
  deleteApiKey: { write: 'delete an API key' },
  listUsers: 'read',
  addUser: { write: 'add a user' },
  changeUserTags: { write: 'change the tags of a user' },
  deleteUser: { write: 'delete a user' },
  // Sends a password, by POST.
  checkCredentials: { write: 'check a password' },
  changePassword: { write: 'change a password' },
} as const satisfies OperationClasses<ApiOperations>;

export type OperationName = keyof typeof operations;
type NamesOf<Class> = {
  [Name in OperationName]: (typeof operations)[Name] extends Class ? Name : never;
}[OperationName];
export type ReadName = NamesOf<'read'>;
export type WriteName = Exclude<OperationName, ReadName>;
export type ReadApi = Pick<ApiOperations, ReadName>;
export type WriteApi = Pick<ApiOperations, WriteName>;

export const operationNames = Object.keys(operations) as readonly OperationName[];

type Operation = (...values: readonly unknown[]) => Promise<unknown>;

/** Makes each call with `make`, which returns `undefined` for a call that stays absent. */
export const makeOperations = (make: (name: OperationName) => Operation | undefined): ApiOperations =>
  Object.fromEntries(
    operationNames.flatMap((name) => {
      const call = make(name);
      return call === undefined ? [] : [[name, call]];
    }),
  ) as unknown as ApiOperations;

/** Returns a call of another API; `undefined` where the API lacks it. */
export function operationOf(api: ApiOperations, name: OperationName): Operation | undefined {
  const call: unknown = api[name];
  return typeof call === 'function' ? (...values) => Reflect.apply(call, api, values) : undefined;
}

/** The port: what every dialect offers. */
export interface ManagementApi extends ApiOperations {
  /** `undefined` until the version of the API has been detected. */
  readonly capabilities: Capabilities | undefined;
  /** Why the version given by the operator is probably wrong, as a sentence. */
  readonly apiDoubt?: string | undefined;
  /** The size of all answer bodies so far. Absent without HTTP, like the next three. */
  readonly receivedBytes?: number | undefined;
  /** Connections to all addresses, also through a proxy. */
  readonly openConnections?: number | undefined;
  readonly urls?: readonly string[] | undefined;
  /** The address that answered last; initially the first. */
  readonly servingUrl?: string | undefined;
  /**
   * Returns the API at one of `urls`, without failover and with its own password. @throws RefusedError for another URL
   */
  at?(url: string): ManagementApi;
  /** Makes the API sign in with another password from now on. Absent without sign-in. */
  setPassword?(password: string): void;
}

/** The port without its writes: code that is given only this cannot change a broker. */
export interface ReadingApi extends Omit<ManagementApi, WriteName | 'at' | 'setPassword'> {
  at?(url: string): ReadingApi;
}
