/** The process behind `withLoad`: MQTT clients that publish as fast as the messages come back. */
import { generate } from 'mqtt-packet';
import type { LoadQuestion, Shape } from './broker.ts';
import { MqttSocket } from './mqtt-socket.ts';

const topicsEach = 32;
const payload = Buffer.alloc(100, 'x');
const connectingAtOnce = 64;

let clients: MqttSocket[] = [];
let delivered = 0;
let opened = 0;
let longestMs = 0;

async function open(port: number, clean = true): Promise<MqttSocket> {
  opened += 1;
  const client = await MqttSocket.open(port, `bench-${process.pid}-${opened}`, clean);
  clients.push(client);
  return client;
}

/** Publishes with at most `window` messages in flight per publisher. */
class Subject {
  readonly #publisher: MqttSocket;
  readonly #shape: Shape;
  /** Encoded PUBLISH packets. */
  readonly #frames: readonly Buffer[];
  #sent = 0;
  #acknowledged = 0;
  #delivered = 0;

  constructor(publisher: MqttSocket, topics: readonly string[], shape: Shape) {
    this.#publisher = publisher;
    this.#shape = shape;
    // By the time a packet id is reused it has been acknowledged.
    const count = Math.ceil((4 * shape.window) / topics.length) * topics.length;
    this.#frames = Array.from({ length: count }, (_, index) =>
      generate({
        cmd: 'publish',
        topic: topics[index % topics.length] ?? '',
        payload,
        qos: shape.qos,
        dup: false,
        retain: false,
        ...(shape.qos > 0 ? { messageId: index + 1 } : {}),
      }),
    );
    publisher.acknowledged = (messages) => {
      this.#acknowledged += messages;
      this.pump();
    };
  }

  took(messages: number): void {
    this.#delivered += messages;
    delivered += messages;
    this.pump();
  }

  pump(): void {
    const { window, subscribersEach, qos } = this.#shape;
    const done = Math.min(this.#delivered / subscribersEach, qos > 0 ? this.#acknowledged : Infinity);
    const room = Math.floor(window - (this.#sent - done));
    // Half a window per write: single packets would measure the kernel.
    if (room < window / 2) return;
    const batch = Array.from({ length: room }, () => {
      const frame = this.#frames[this.#sent % this.#frames.length] ?? Buffer.alloc(0);
      this.#sent += 1;
      return frame;
    });
    this.#publisher.socket.write(Buffer.concat(batch));
  }
}

async function start(port: number, shape: Shape): Promise<number> {
  delivered = 0;
  const subjects: Subject[] = [];
  for (let index = 0; index < shape.publishers; index += 1) {
    // Of their own: persistent sessions of an earlier load are still subscribed.
    const prefix = `factory-${opened}/line-${index}/sensor`;
    const topics = Array.from({ length: topicsEach }, (_, topic) => `${prefix}/${topic}`);
    const subject = new Subject(await open(port), topics, shape);
    subjects.push(subject);
    for (let subscriber = 0; subscriber < shape.subscribersEach; subscriber += 1) {
      const client = await open(port, shape.isPersistent !== true);
      for (const filter of shape.isWild ? [`${prefix}/+`] : topics) await client.subscribe(filter, shape.qos);
      client.received = (messages) => subject.took(messages);
    }
  }
  for (const subject of subjects) subject.pump();
  return 0;
}

async function connectMany(port: number, count: number): Promise<number> {
  let left = count;
  await Promise.all(
    Array.from({ length: connectingAtOnce }, async () => {
      while (left > 0) {
        left -= 1;
        const client = await open(port);
        await client.subscribe(`inbox/${opened}`, 1);
      }
    }),
  );
  return clients.length;
}

async function probe(port: number): Promise<number> {
  const client = await open(port);
  await client.subscribe('probe', 0);
  const frame = generate({ cmd: 'publish', topic: 'probe', payload, qos: 0, dup: false, retain: false });
  let sentMs = performance.now();
  client.received = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - sentMs);
    sentMs = nowMs;
    client.socket.write(frame);
  };
  client.socket.write(frame);
  return 0;
}

function takeLongest(): number {
  const longest = longestMs;
  longestMs = 0;
  return longest;
}

async function answer(question: LoadQuestion): Promise<number> {
  switch (question.ask) {
    case 'start':
      return start(question.port, question.shape);
    case 'connect':
      return connectMany(question.port, question.clients);
    case 'probe':
      return probe(question.port);
    case 'longest':
      return takeLongest();
    case 'count':
      return delivered;
    case 'stop':
      for (const { socket } of clients) socket.destroy();
      clients = [];
      return delivered;
  }
}

process.on('message', (question: LoadQuestion) => void answer(question).then((figure) => process.send?.(figure)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
