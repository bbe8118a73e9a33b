import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../domain/administration.ts';
import type { Client, Qos, Route, Session, Subscription } from '../domain/client.ts';
import type { Metrics, Stats } from '../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../domain/node.ts';

/** A part of a list. Pages count from 1. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** One page of a list. `items` may hold more than `pageSize` rows (field notes, "Lists"). */
export interface Page<T> extends PageRequest {
  readonly items: readonly T[];
  /** `undefined` when the broker did not say. */
  readonly totalItems: number | undefined;
  readonly totalPages: number | undefined;
}

/** Rows of an answer that were left out because they could not be decoded. */
export interface UnusableRows {
  readonly count: number;
  /** The fields of one of them with their JSON types, without values: hostile text. */
  readonly example: string;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the call resolves if rows were left out. An answer without a usable row is a `BadAnswerError` instead. */
  readonly onUnusable?: ((rows: UnusableRows) => void) | undefined;
}

export interface PublishRequest {
  readonly topic: string;
  readonly payload?: string | undefined;
  readonly qos?: Qos | undefined;
  readonly retain?: boolean | undefined;
  /** In whose name; the broker's default is `http`. */
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

/** What differs between management APIs, as questions that a screen may ask. */
export interface Capabilities {
  /** A subscription can be removed on behalf of a client. */
  readonly unsubscribe: boolean;
  /** Hot settings and plugin settings can be read and changed. */
  readonly settings: boolean;
  /** The subscriptions of one client can be read on one node. */
  readonly nodeSubscriptionsOfClient: boolean;
  /** Plugins are started and stopped on one node; otherwise the request names no node. */
  readonly pluginPerNode: boolean;
  /** Sessions carry `subscriptions`, `delivered` and `enqueued`. */
  readonly sessionTotals: boolean;
  /** Cluster metrics come by node; otherwise as one total. */
  readonly metricsByNode: boolean;
  /** What the API calls itself where a screen says what it lacks, as the subject of a sentence: `variant A of the interface`. */
  readonly apiName?: string | undefined;
  /** The same in two words or three. */
  readonly apiShortName?: string | undefined;
}

/**
 * Everything that a management API can do, in the nouns of the domain. A dialect speaks it over HTTP, the embedded broker
 * implements it. Every call may reject with an `ApiError`; one that the API does not have rejects with `UnsupportedError`
 * and sends nothing. Reading by id something that does not exist returns an empty array.
 */
export interface ManagementApi {
  /** `undefined` until answers have shown which version of its API the broker speaks. */
  readonly capabilities: Capabilities | undefined;
  /** A sentence on why the broker does not speak the version that the operator gave; `undefined` while nothing contradicts it. */
  readonly variantDoubt?: string | undefined;
  /** Bytes of all answer bodies so far; absent where nothing is transferred. */
  readonly receivedBytes?: number | undefined;
  /** Sum of the durations of all finished requests, without waiting for their turn; absent where nothing is transferred. */
  readonly waitedMs?: number | undefined;
  /** Addresses of the API in the order of preference; absent where nothing is transferred. */
  readonly urls?: readonly string[] | undefined;
  /** The address that answered last, the first one before that. */
  readonly servingUrl?: string | undefined;
  /**
   * The port at one of `urls`, without failover and with a password of its own.
   * @throws RefusedError for another URL
   */
  at?(url: string): ManagementApi;

  /** Nodes that run and answer. Stopped ones are absent (§2.2). */
  listNodes(options?: CallOptions): Promise<readonly NodeInfo[]>;
  getNode(node: NodeName, options?: CallOptions): Promise<NodeInfo>;
  /** All nodes that the cluster knows, stopped ones too (§2.3). */
  listNodeStats(options?: CallOptions): Promise<readonly NodeStats[]>;
  getNodeStats(node: NodeName, options?: CallOptions): Promise<NodeStats>;
  listListeners(options?: CallOptions): Promise<ByNode<readonly Listener[]>>;
  getListeners(node: NodeName, options?: CallOptions): Promise<readonly Listener[]>;
  listMetrics(options?: CallOptions): Promise<ClusterFigures<Metrics>>;
  getMetrics(node: NodeName, options?: CallOptions): Promise<Metrics>;
  listStats(options?: CallOptions): Promise<ByNode<Stats>>;
  getStats(node: NodeName, options?: CallOptions): Promise<Stats>;

  listClients(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Client>>;
  /** The client of this id on that node: none or one. */
  getNodeClient(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Client[]>;
  /** The clients of this id on all nodes: none, one, or two while a session is taken over. */
  getClient(clientId: string, options?: CallOptions): Promise<readonly Client[]>;
  /** @throws BrokerError `not-connected` when no running node knows the client */
  disconnectClient(clientId: string, options?: CallOptions): Promise<void>;
  clearAclCache(clientId: string, topic: string, options?: CallOptions): Promise<void>;

  listSessions(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Session>>;
  getNodeSession(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Session[]>;
  getSession(clientId: string, options?: CallOptions): Promise<readonly Session[]>;

  listSubscriptions(node: NodeName, page: PageRequest, options?: CallOptions): Promise<Page<Subscription>>;
  getNodeSubscriptions(node: NodeName, clientId: string, options?: CallOptions): Promise<readonly Subscription[]>;
  getSubscriptions(clientId: string, options?: CallOptions): Promise<readonly Subscription[]>;
  subscribe(request: SubscribeRequest, options?: CallOptions): Promise<void>;
  unsubscribe(request: UnsubscribeRequest, options?: CallOptions): Promise<void>;
  publish(request: PublishRequest, options?: CallOptions): Promise<void>;

  listRoutes(page: PageRequest, options?: CallOptions): Promise<Page<Route>>;
  getRoutes(topic: string, options?: CallOptions): Promise<readonly Route[]>;

  listPlugins(node: NodeName, options?: CallOptions): Promise<readonly Plugin[]>;
  /** `node` is needed where `capabilities.pluginPerNode`, and not sent elsewhere. */
  startPlugin(node: NodeName | undefined, plugin: string, options?: CallOptions): Promise<void>;
  stopPlugin(node: NodeName | undefined, plugin: string, options?: CallOptions): Promise<void>;

  listSettings(options?: CallOptions): Promise<ByNode<readonly Setting[]>>;
  getSettings(node: NodeName, options?: CallOptions): Promise<readonly Setting[]>;
  /** On all nodes when `node` is `undefined`. Success means that at least one node took it: read it back. */
  changeSetting(
    node: NodeName | undefined,
    setting: { readonly app: string; readonly key: string; readonly value: string },
    options?: CallOptions,
  ): Promise<void>;
  getPluginSettings(node: NodeName, plugin: string, options?: CallOptions): Promise<readonly PluginSetting[]>;
  /** Replaces the whole set: keys left out become empty (field notes, "Actions"). */
  replacePluginSettings(
    node: NodeName,
    plugin: string,
    settings: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<void>;

  /** The broker's own warnings. Absent, or rejecting with `NotAvailableError` without another request, where there is no such list. */
  listAlarms?(node: NodeName, options?: CallOptions): Promise<readonly Alarm[]>;

  listUsers(options?: CallOptions): Promise<readonly AdminUser[]>;
  addUser(user: NewAdminUser, options?: CallOptions): Promise<void>;
  changeUserTags(username: string, tags: string, options?: CallOptions): Promise<void>;
  deleteUser(username: string, options?: CallOptions): Promise<void>;
  /** @throws BrokerError `wrong-credentials`, `empty-credentials` or `unknown-user` when the pair is not right */
  checkCredentials(username: string, password: string, options?: CallOptions): Promise<void>;
  changePassword(username: string, oldPassword: string, newPassword: string, options?: CallOptions): Promise<void>;
  /** Signs in with this password from now on. `undefined` where nobody signs in. */
  setPassword?(password: string): void;
}

/** The calls of the port, without what it says about itself and its connection. */
export type ApiOperations = Omit<ManagementApi, 'capabilities' | 'variantDoubt' | 'receivedBytes' | 'waitedMs' | 'urls' | 'servingUrl' | 'at' | 'setPassword'>;

