import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { expect } from 'vitest';
import type { Variant } from '../../src/api/dialects/emq-v2/variants.ts';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { emqxV5 } from '../../src/api/dialects/emqx-v5/dialect.ts';
import { emqxV5Server } from '../../src/api/dialects/emqx-v5/server/server.ts';
import { createHttpApi, type HttpApi } from '../../src/api/dialects/index.ts';
import type { ApiErrorKind } from '../../src/api/errors.ts';
import { basicAuth } from '../../src/api/login.ts';
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from '../../src/broker/embedded-broker.ts';
import { smallDialect } from '../support/small-dialect/dialect.ts';
import { startSmallServer } from '../support/small-dialect/server.ts';

export const variants = ['a', 'b'] as const satisfies readonly Variant[];
/** The variants of emq-v2, emqx-v5, and a dialect that shares nothing with them. */
export const speakers = [...variants, 'v5', 'small'] as const;
export type Speaker = (typeof speakers)[number];
/** The small dialect has no sessions, listeners, plugins, settings and users. */
export const isEmq = (speaker: Speaker): speaker is Variant => speaker === 'a' || speaker === 'b';
/** A path of v5 cannot have them. */
export const isDotId = (id: string): boolean => id === '.' || id === '..';

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
  const variant = isEmq(speaker) ? speaker : 'b';
  const isV5 = speaker === 'v5';
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
    dialect: isV5 ? emqxV5Server : emqV2Server,
    ...(!isV5 && { variant }),
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
      ...(isV5 && { dialect: emqxV5 }),
    });
    apis.push(api);
    return api;
  };
  const small =
    speaker === 'small' ? await startSmallServer(makeEmqApi({ variant }), basicAuth('admin', password)) : undefined;
  const makeApi: Chain['makeApi'] = (options = {}) => {
    if (small === undefined) return makeEmqApi(options);
    const api = createHttpApi({ user: 'admin', password, ...options, url: small.url, dialect: smallDialect });
    apis.push(api);
    return api;
  };
  const api = makeApi(isV5 ? {} : { variant });
  // Signs in: without a token, users and API keys are out of reach.
  if (isV5) await api.listRoutes({ page: 1, pageSize: 1 });
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
