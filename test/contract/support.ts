import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { expect } from 'vitest';
import type { Variant } from '../../src/api/dialects/emq-v2/variants.ts';
import { clientOf, createHttpApi, type HttpApi } from '../../src/api/dialects/index.ts';
import {
  type ApiName,
  type DialectId,
  dialectOfApi,
  dialectOfVariant,
  dialects,
  firstDialect,
  type VariantName,
  variantsOf,
} from '../../src/api/dialects/registry.ts';
import type { ListResource } from '../../src/cli/list/resources.ts';
import type { ApiErrorKind } from '../../src/api/errors.ts';
import type { MetricName } from '../../src/domain/metrics.ts';
import { basicAuth } from '../../src/api/login.ts';
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from '../../src/broker/embedded-broker.ts';
import { smallDialect } from '../support/small-dialect/dialect.ts';
import { startSmallServer } from '../support/small-dialect/server.ts';

export const variants = ['a', 'b'] as const satisfies readonly Variant[];
/** A variant of a registered dialect, or the API of one without variants, or a dialect that shares nothing with them. */
export type Speaker = VariantName | Exclude<ApiName, 'v2'> | 'small';
const withoutVariants = (api: ApiName): api is Exclude<ApiName, 'v2'> => variantsOf(dialectOfApi(api)).length === 0;
export const registeredSpeakers: readonly Exclude<Speaker, 'small'>[] = dialects.flatMap(
  (dialect): readonly Exclude<Speaker, 'small'>[] => [
    ...variantsOf(dialect),
    ...[dialect.api].filter((api) => withoutVariants(api)),
  ],
);
export const speakers: readonly Speaker[] = [...registeredSpeakers, 'small'];
export const isEmq = (speaker: Speaker): speaker is Variant => speaker === 'a' || speaker === 'b';
export const isDotId = (id: string): boolean => id === '.' || id === '..';

const dialectOf = (speaker: Exclude<Speaker, 'small'>) =>
  isEmq(speaker) ? (dialectOfVariant(speaker) ?? firstDialect) : dialectOfApi(speaker);

export const clientOfSpeaker = (speaker: Exclude<Speaker, 'small'>) => clientOf(dialectOf(speaker));

/** What the port leaves open, and APIs do differently. */
interface Traits {
  readonly hasSessions: boolean;
  /** What `list` cannot list. */
  readonly lacksLists: readonly ListResource[];
  readonly hasUsers: boolean;
  /** Clients that are read by ID name their node, and have traffic. */
  readonly namesNode: boolean;
  /** A message has a sender. */
  readonly hasSender: boolean;
  /** A path may have the IDs `.` and `..`. */
  readonly sendsDotIds: boolean;
  /** Disconnecting an unknown client is refused. */
  readonly refusesUnknown: boolean;
  readonly subscribesNobody: ApiErrorKind;
  /** An ID that cannot be sent to clear an ACL cache. */
  readonly idWithoutAclCache: string | undefined;
  readonly clearsAclCache: 'not-done' | 'accepted' | 'done';
  readonly hasEnqueued: boolean;
  /** The totals that pages of sessions, subscriptions and routes have, and those of clients. */
  readonly totals: { readonly clients: PageTotals; readonly others: PageTotals };
  readonly emptyPage: ApiErrorKind;
  readonly stoppedNode: ApiErrorKind;
  /** How a stopped node is listed; `undefined`: not at all. */
  readonly stoppedText: string | undefined;
  readonly unknownNode: (node: string) => ApiErrorKind;
  /** A client is looked for on a node by the node that its row names. */
  readonly findsOnUnknownNode: boolean;
  readonly release: string;
  readonly statusText: string;
  readonly hasUtcClock: boolean;
  readonly missingMetrics: readonly MetricName[];
  readonly wrongPasswordCode: number | string | undefined;
}
type PageTotals = 'items and pages' | 'items' | 'none';

const laterLists = ['api-keys', 'retained', 'slow-subscriptions', 'integrations', 'access-backends', 'traces'] as const;

const emq: Traits = {
  hasSessions: true,
  lacksLists: ['alarms', 'ended-alarms', 'bans', ...laterLists],
  hasUsers: true,
  namesNode: false,
  hasSender: true,
  sendsDotIds: true,
  refusesUnknown: true,
  subscribesNobody: 'failed',
  idWithoutAclCache: 'a/b',
  clearsAclCache: 'accepted',
  hasEnqueued: true,
  totals: { clients: 'items and pages', others: 'items and pages' },
  emptyPage: 'not-found',
  stoppedNode: 'not-found',
  stoppedText: 'Stopped',
  unknownNode: () => 'not-found',
  findsOnUnknownNode: false,
  release: '1.2.3',
  statusText: 'Running',
  hasUtcClock: false,
  missingMetrics: [],
  wrongPasswordCode: 103,
};

const traits: Readonly<Record<DialectId | 'small', Traits>> = {
  'emq-v2': emq,
  'emqx-v4': {
    ...emq,
    lacksLists: laterLists,
    namesNode: true,
    refusesUnknown: false,
    subscribesNobody: 'not-connected',
    idWithoutAclCache: undefined,
    clearsAclCache: 'done',
    hasEnqueued: false,
    totals: { clients: 'none', others: 'items' },
    emptyPage: 'refused',
    stoppedNode: 'node-unreachable',
    stoppedText: undefined,
    release: '4.4+1.2.3',
    missingMetrics: ['messages.qos2.dropped'],
    wrongPasswordCode: undefined,
  },
  'emqx-v5': {
    ...emq,
    lacksLists: [],
    namesNode: true,
    hasSender: false,
    sendsDotIds: false,
    subscribesNobody: 'not-connected',
    idWithoutAclCache: '..',
    clearsAclCache: 'done',
    hasEnqueued: false,
    totals: { clients: 'items', others: 'items' },
    emptyPage: 'invalid',
    stoppedNode: 'node-unreachable',
    stoppedText: 'stopped',
    unknownNode: (node) => (isDotId(node) ? 'unusable-id' : 'node-unreachable'),
    findsOnUnknownNode: true,
    release: '5.8+1.2.3',
    statusText: 'running',
    hasUtcClock: true,
    missingMetrics: ['messages.retained', 'messages.qos2.dropped'],
    wrongPasswordCode: 'BAD_USERNAME_OR_PWD',
  },
  small: {
    ...emq,
    hasSessions: false,
    hasUsers: false,
    clearsAclCache: 'not-done',
    totals: { clients: 'none', others: 'none' },
    stoppedText: 'gone',
    statusText: 'alive',
  },
};

export const traitsOf = (speaker: Speaker): Traits => traits[speaker === 'small' ? 'small' : dialectOf(speaker).id];

/** Returns what a page has besides its rows. */
export const totalsOf = (has: PageTotals, totalItems: number, totalPages: number) =>
  has === 'none' ? {} : has === 'items' ? { totalItems } : { totalItems, totalPages };

export const password = 'only for tests';
export const nodeNames = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'] as const;
export type NodeIndex = 0 | 1 | 2;

/** Client ids that are hard to put into a path, or look like something else. */
export const awkwardIds = [
  'a/b',
  '/',
  '..',
  '.',
  'a+b',
  'a%2Fb',
  '%',
  '%zz',
  'é',
  'a b',
  ' ',
  'a\nb',
  'a\u001b[31mb',
  'a?b#c',
  'clients',
  'sessions',
  'subscriptions',
  'plugins',
  '__proto__',
  'constructor',
  'undefined',
  '💩',
  '\'"\\',
  'clean_acl_cache',
  'x'.repeat(1000),
] as const;

/** The whole chain: API client, HTTP, server, engine, and MQTT clients. */
export interface Chain {
  readonly broker: EmbeddedBroker;
  /** The API over HTTP, with a known variant. */
  readonly api: HttpApi;
  /** Creates another API client, by default with an unknown variant. */
  makeApi(options?: {
    readonly user?: string;
    readonly password?: string;
    readonly variant?: Variant | 'auto';
  }): HttpApi;
  /** Connects an MQTT client to a node. `prepare` gets it before its first packet arrives. */
  connect(
    clientId: string,
    node?: NodeIndex,
    options?: IClientOptions,
    prepare?: (client: MqttClient) => void,
  ): Promise<MqttClient>;
  close(): Promise<void>;
}

export async function startChain(speaker: Speaker, options: Partial<EmbeddedBrokerOptions> = {}): Promise<Chain> {
  const host = '127.0.0.1';
  // The small dialect stands before a broker of another one.
  const served = speaker === 'small' ? 'b' : speaker;
  const variant = isEmq(served) ? served : undefined;
  const dialect = dialectOf(served);
  const errors: unknown[] = [];
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 3,
    host,
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    user: 'admin',
    password,
    dialect: await dialect.loadServer(),
    variant,
    onError: (error) => errors.push(error),
    ...options,
  });
  const apis: HttpApi[] = [];
  const clients: MqttClient[] = [];
  const makeEmqApi: Chain['makeApi'] = (options = {}) => {
    const api = createHttpApi({
      url: broker.server.url,
      user: 'admin',
      password,
      ...options,
      dialect: clientOf(dialect),
    });
    apis.push(api);
    return api;
  };
  const small =
    speaker === 'small'
      ? await startSmallServer(makeEmqApi({ variant: 'b' }), basicAuth('admin', password))
      : undefined;
  const makeApi: Chain['makeApi'] = (options = {}) => {
    if (small === undefined) return makeEmqApi(options);
    const api = createHttpApi({ user: 'admin', password, ...options, url: small.url, dialect: smallDialect });
    apis.push(api);
    return api;
  };
  const api = makeApi(variant === undefined ? {} : { variant });
  // Signs in: without a token, users and API keys are out of reach, and some APIs are asked what they offer.
  if (variant === undefined) await api.listRoutes({ page: 1, pageSize: 1 });
  return {
    broker,
    api,
    makeApi,
    connect: async (clientId, node = 0, options = {}, prepare = () => undefined) => {
      const ports = broker.cluster.nodes[node]?.ports;
      if (ports === undefined) throw new Error('no such node');
      const port = options.protocol === 'ws' ? ports.ws : ports.tcp;
      const client = connect({ host, port, protocol: 'mqtt', clientId, reconnectPeriod: 0, ...options });
      clients.push(client);
      prepare(client);
      await new Promise<void>((resolve, reject) => {
        client.once('connect', () => resolve());
        client.once('error', reject);
      });
      return client;
    },
    close: async () => {
      for (const client of clients) client.end(true);
      await Promise.all(apis.map((api) => api.close()));
      await small?.close();
      await broker.close();
      if (errors.length > 0) throw new AggregateError(errors, 'the service failed inside');
    },
  };
}

/** Resolves once the client has lost its connection. */
export function untilClosed(client: MqttClient): Promise<void> {
  return new Promise((resolve) => {
    if (client.connected) client.once('close', () => resolve());
    else resolve();
  });
}

export interface Arrived {
  readonly topic: string;
  readonly payload: string;
  readonly packet: IPublishPacket;
}

/** Resolves with the next messages for the client. */
export function nextMessages(client: MqttClient, count: number): Promise<readonly Arrived[]> {
  return new Promise((resolve) => {
    const arrived: Arrived[] = [];
    const onMessage = (topic: string, payload: Buffer, packet: IPublishPacket): void => {
      arrived.push({ topic, payload: payload.toString(), packet });
      if (arrived.length < count) return;
      client.off('message', onMessage);
      resolve(arrived);
    };
    client.on('message', onMessage);
  });
}

/** Matches an error for `rejects.toEqual`. */
export function errorOfKind(kind: ApiErrorKind): unknown {
  return expect.objectContaining({ kind });
}

/** Returns what each of the calls rejected with; `undefined` for one that did not. */
export async function failuresOf(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((call) => (call.status === 'rejected' ? (call.reason as unknown) : undefined));
}
