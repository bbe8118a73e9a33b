import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { IConnectPacket } from 'mqtt-packet';
import { onTestFinished } from 'vitest';
import { BrokerCluster, type ClusterOptions } from '../../src/broker/cluster.ts';
import {
  createOperatorControls,
  type OperatorControls,
  type OperatorOptions,
} from '../../src/broker/management/operator-controls.ts';
import { connectPacket, nodeAt, RawClient } from './support.ts';

export const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'] as const;

/** A running cluster that an operator can change, and the lines that it logged. */
export interface Operated extends OperatorControls {
  readonly cluster: BrokerCluster;
  readonly lines: readonly string[];
  /** The first line that matches, once it is there. */
  line(pattern: RegExp): Promise<string>;
  set(key: string, value: string, node?: string): Promise<void>;
  /** Gives a plugin its settings and starts it. */
  startPlugin(name: string, settings?: Readonly<Record<string, string>>, node?: string): Promise<void>;
}

export async function startOperated(options: Partial<ClusterOptions & OperatorOptions> = {}): Promise<Operated> {
  const cluster = new BrokerCluster({ version: '1.2.3', nodes: 1, mqttPort: 0, wsPort: 0, ...options });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const parts = createOperatorControls(cluster, {
    log: (line) => {
      lines.push(line);
      for (const look of waiting) look();
    },
    ...options,
  });
  onTestFinished(async () => {
    await cluster.close();
    parts.close();
  });
  await cluster.start();
  return {
    ...parts,
    cluster,
    lines,
    line: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    set: (key, value, node) => parts.api.changeSetting(node, { app: 'broker', key, value }),
    startPlugin: async (name, settings, node = one) => {
      if (settings !== undefined) await parts.api.replacePluginSettings(node, name, settings);
      await parts.api.startPlugin(node, name);
    },
  };
}

export function portOf(cluster: BrokerCluster, node = 0): number {
  return nodeAt(cluster, node).ports.tcp;
}

export type Credentials = Partial<Omit<IConnectPacket, 'password'>> & { readonly password?: string };

/** The answer to a CONNECT. The connection goes on when it is 0. */
export async function connack(port: number, { password, ...options }: Credentials = {}): Promise<number | undefined> {
  const client = await RawClient.open(port);
  client.send(
    connectPacket({
      clientId: 'x',
      ...options,
      ...(password === undefined ? {} : { password: Buffer.from(password) }),
    }),
  );
  return (await client.take('connack')).returnCode;
}

/** Publishes with QoS 1 and waits for the acknowledgement. */
export async function publish(client: RawClient, topic: string, payload = 'x', retain = false): Promise<void> {
  client.send({ cmd: 'publish', topic, payload, qos: 1, messageId: 1, retain, dup: false });
  await client.take('puback');
}

/** Subscribes and returns what was granted: 128 is a refusal. */
export async function subscribe(client: RawClient, topic: string, qos: 0 | 1 | 2 = 1): Promise<unknown> {
  client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic, qos }] });
  return (await client.take('suback')).granted[0];
}

export interface Asked {
  readonly method: string | undefined;
  readonly url: string;
  readonly type: string | undefined;
  readonly body: string;
}

/** An HTTP service on loopback that keeps what it was asked. */
export interface Service {
  readonly url: string;
  readonly asked: Asked[];
  /** The first `count` requests, once they are there. */
  requests(count: number): Promise<readonly Asked[]>;
}

/** `answer` gives the status, or takes the response into its own hands. */
export async function startService(
  answer: (asked: Asked, response: ServerResponse) => number | undefined,
): Promise<Service> {
  const asked: Asked[] = [];
  let wake: () => void = () => undefined;
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const one: Asked = {
        method: request.method,
        url: request.url ?? '',
        type: request.headers['content-type'],
        body,
      };
      const status = answer(one, response);
      if (status !== undefined) response.writeHead(status).end('whatever');
      asked.push(one);
      wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    requests: async (count) => {
      while (asked.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return asked.slice(0, count);
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
