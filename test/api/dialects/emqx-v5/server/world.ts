import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { emqxV5Server } from '../../../../../src/api/dialects/emqx-v5/server/server.ts';
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from '../../../../../src/broker/embedded-broker.ts';

export const password = 'only for tests';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface V5World {
  readonly broker: EmbeddedBroker;
  readonly key: { readonly key: string; readonly secret: string };
  readonly errors: readonly unknown[];
  /** Sends a request, by default with the API key. `path` is below `/api/v5`. */
  send(method: string, path: string, body?: unknown, authorization?: string, type?: string): Promise<Reply>;
  connect(clientId: string, options?: IClientOptions, node?: number): Promise<MqttClient>;
  close(): Promise<void>;
}

export const basic = (user: string, secret: string): string =>
  `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

/** The embedded broker with API v5, as curl sees it. */
export async function startV5World(options: Partial<EmbeddedBrokerOptions> = {}): Promise<V5World> {
  const errors: unknown[] = [];
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 2,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqxV5Server,
    user: 'admin',
    password,
    onError: (error) => errors.push(error),
    ...options,
  });
  const key = await broker.api.addApiKey({ name: 'test' });
  const clients: MqttClient[] = [];
  return {
    broker,
    key,
    errors,
    async send(method, path, body, authorization = basic(key.key, key.secret), type = 'application/json') {
      const response = await fetch(`${broker.server.url}/api/v5${path}`, {
        method,
        headers: {
          ...(authorization !== '' && { authorization }),
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type') === 'application/json';
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson ? (JSON.parse(text) as unknown) : undefined,
      };
    },
    async connect(clientId, clientOptions = {}, node = 0) {
      const ports = broker.cluster.nodes[node]?.ports;
      const url =
        clientOptions.protocol === 'ws' ? `ws://127.0.0.1:${ports?.ws}/mqtt` : `mqtt://127.0.0.1:${ports?.tcp}`;
      const client = await mqtt.connectAsync(url, { clientId, reconnectPeriod: 0, ...clientOptions }, false);
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.end(true);
      await broker.close();
    },
  };
}
