import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';
import { BrokerCluster, type ClusterOptions } from '../../src/broker/cluster.ts';
import type { Transport, TransportEvents } from '../../src/broker/engine/transport.ts';

/** A running cluster on free ports; it ends with the test. */
export async function startTestCluster(options: Partial<ClusterOptions> = {}): Promise<BrokerCluster> {
  const cluster = new BrokerCluster({ version: '1.2.3', nodes: 1, mqttPort: 0, wsPort: 0, ...options });
  await cluster.start();
  onTestFinished(() => cluster.close());
  return cluster;
}

export function nodeAt(cluster: BrokerCluster, index: number) {
  const node = cluster.nodes[index];
  if (node === undefined) throw new Error(`no node ${index}`);
  return node;
}

export function urlOf(cluster: BrokerCluster, index = 0, transport: 'tcp' | 'ws' = 'tcp'): string {
  const { tcp, ws } = nodeAt(cluster, index).ports;
  return transport === 'tcp' ? `mqtt://127.0.0.1:${tcp}` : `ws://127.0.0.1:${ws}/mqtt`;
}

export interface Received {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly retain: boolean;
  readonly dup: boolean;
}

/** A real MQTT client that remembers what it received. */
export class TestClient {
  readonly mqtt: MqttClient;
  readonly received: Received[] = [];
  readonly closed: Promise<void>;
  #wake: (() => void) | undefined;

  constructor(client: MqttClient) {
    this.mqtt = client;
    this.closed = new Promise((resolve) => {
      client.once('close', () => resolve());
    });
    client.on('message', (topic: string, payload: Buffer, packet: IPublishPacket) => {
      this.received.push({
        topic,
        payload: payload.toString(),
        qos: packet.qos,
        retain: packet.retain,
        dup: packet.dup,
      });
      this.#wake?.();
    });
  }

  /** The first `count` messages, once they are there. */
  async messages(count: number): Promise<readonly Received[]> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.received.slice(0, count);
  }

  payloads(): readonly string[] {
    return this.received.map(({ payload }) => payload);
  }
}

export async function connectClient(url: string, options: IClientOptions = {}): Promise<TestClient> {
  const raw = mqtt.connect(url, { reconnectPeriod: 0, ...options });
  const client = new TestClient(raw);
  onTestFinished(async () => {
    await raw.endAsync(true);
  });
  await new Promise<void>((resolve, reject) => {
    raw.once('connect', () => resolve());
    raw.once('error', reject);
  });
  raw.on('error', () => undefined);
  return client;
}

/** A socket under the test's own control: it acknowledges nothing by itself. */
export class RawClient {
  readonly socket: Socket;
  readonly packets: Packet[] = [];
  readonly closed: Promise<void>;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    const decoder = parser({ protocolVersion: 4 });
    decoder.on('packet', (packet) => {
      this.packets.push(packet);
      this.#wake?.();
    });
    socket.on('data', (chunk: Buffer) => decoder.parse(chunk));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      });
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connectSocket(port, '127.0.0.1');
    const client = new RawClient(socket);
    onTestFinished(() => {
      socket.destroy();
    });
    await once(socket, 'connect');
    return client;
  }

  /** Connects and takes the CONNACK. */
  static async connect(port: number, options: Partial<IConnectPacket> & { clientId: string }): Promise<RawClient> {
    const client = await RawClient.open(port);
    client.send(connectPacket(options));
    await client.take('connack');
    return client;
  }

  send(...packets: Packet[]): void {
    this.socket.write(Buffer.concat(packets.map((packet) => generate(packet))));
  }

  /** The next packet, which must be of that kind. */
  async take<C extends Packet['cmd']>(cmd: C): Promise<Extract<Packet, { cmd: C }>> {
    while (this.packets.length === 0) {
      if (this.#isClosed) throw new Error(`the socket closed before ${cmd}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const packet = this.packets.shift();
    if (packet === undefined || !isCommand(packet, cmd)) throw new Error(`${packet?.cmd} instead of ${cmd}`);
    return packet;
  }

  /** All that was sent before has been handled when this resolves. */
  async ping(): Promise<void> {
    this.send({ cmd: 'pingreq' });
    await this.take('pingresp');
  }
}

function isCommand<C extends Packet['cmd']>(packet: Packet, cmd: C): packet is Extract<Packet, { cmd: C }> {
  return packet.cmd === cmd;
}

/** A transport whose peer takes nothing until told to. */
export class StuckTransport implements Transport {
  readonly ipAddress = '127.0.0.1';
  readonly port = 1;
  unsentBytes = 0;
  isPaused = false;
  events: TransportEvents | undefined;

  listen(events: TransportEvents): void {
    this.events = events;
  }

  write(bytes: Buffer): void {
    this.unsentBytes += bytes.length;
  }

  drain(): void {
    this.unsentBytes = 0;
    this.events?.drain();
  }

  allowLargePackets(): void {}
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    this.events?.close('closed');
  }
}

export function connectPacket(options: Partial<IConnectPacket> & { clientId: string }): IConnectPacket {
  return { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 0, ...options };
}

/** Resolves when the connection of that client is over for the broker. */
export function disconnection(cluster: BrokerCluster, clientId: string): Promise<string> {
  return new Promise((resolve) => {
    const listen = (client: { clientId: string }, reason: string): void => {
      if (client.clientId !== clientId) return;
      cluster.events.off('disconnected', listen);
      resolve(reason);
    };
    cluster.events.on('disconnected', listen);
  });
}
