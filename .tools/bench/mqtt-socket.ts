import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { generate } from 'mqtt-packet';

const types = { connack: 2, publish: 3, puback: 4, suback: 9 } as const;

/**
 * A minimal MQTT client that reads only type, length and packet id, so that it costs less than the broker.
 */
export class MqttSocket {
  readonly socket: Socket;
  /** Called with the number of PUBLISH packets in a chunk. */
  received: (messages: number) => void = () => undefined;
  /** Called with the number of PUBACK packets in a chunk. */
  acknowledged: (messages: number) => void = () => undefined;
  #rest: Buffer = Buffer.alloc(0);
  #answered: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
  }

  /** Connects and resolves on CONNACK. Rejects without one. */
  static async open(port: number, clientId: string, clean = true): Promise<MqttSocket> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    const client = new MqttSocket(socket);
    await client.#ask(
      generate({ cmd: 'connect', clientId, clean, keepalive: 0, protocolId: 'MQTT', protocolVersion: 4 }),
    );
    return client;
  }

  subscribe(topic: string, qos: 0 | 1): Promise<void> {
    return this.#ask(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos }] }));
  }

  #ask(packet: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(new Error('the broker closed the connection'));
      this.socket.once('close', lost);
      this.#answered = () => {
        this.socket.off('close', lost);
        resolve();
      };
      this.socket.write(packet);
    });
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    let messages = 0;
    let acknowledged = 0;
    const pubacks: number[] = [];
    while (at + 2 <= bytes.length) {
      let length = 0;
      let body = at + 1;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[body] ?? 0x80;
        body += 1;
        length |= (byte & 0x7f) << shift;
        if (byte < 0x80 || body > bytes.length) break;
      }
      if (body + length > bytes.length) break;
      const first = bytes[at] ?? 0;
      const type = first >> 4;
      if (type === types.publish) {
        messages += 1;
        if ((first & 0x06) !== 0) {
          const idAt = body + 2 + bytes.readUInt16BE(body);
          pubacks.push(types.puback << 4, 2, bytes[idAt] ?? 0, bytes[idAt + 1] ?? 0);
        }
      } else if (type === types.puback) {
        acknowledged += 1;
      } else if (type === types.connack || type === types.suback) {
        this.#answered?.();
      }
      at = body + length;
    }
    this.#rest = bytes.subarray(at);
    if (pubacks.length > 0) this.socket.write(Buffer.from(pubacks));
    if (messages > 0) this.received(messages);
    if (acknowledged > 0) this.acknowledged(acknowledged);
  }
}
