import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Qos } from '../../domain/client.ts';
import {
  type CommonMetricName,
  type MetricName,
  metricNames,
  type Metrics,
  type StatName,
  statNames,
  type Stats,
} from '../../domain/metrics.ts';
import type { BrokerSeconds } from '../../domain/node.ts';

/** Counters that not all brokers have. */
const otherNames = [
  'delivery.dropped',
  'delivery.dropped.queue_full',
  'client.connected',
  'client.disconnected',
  'session.takenover',
  'authentication.success',
  'authentication.failure',
  'packets.connack.auth_error',
  'authorization.allow',
  'authorization.deny',
] as const satisfies readonly MetricName[];

type CounterName = CommonMetricName | (typeof otherNames)[number];
type Figures = Record<CounterName, number>;

function zeroes(): Figures {
  return Object.fromEntries([...metricNames, ...otherNames].map((name) => [name, 0])) as Figures;
}

const receivedNames = {
  connect: 'packets.connect',
  publish: 'packets.publish.received',
  puback: 'packets.puback.received',
  pubrec: 'packets.pubrec.received',
  pubrel: 'packets.pubrel.received',
  pubcomp: 'packets.pubcomp.received',
  subscribe: 'packets.subscribe',
  unsubscribe: 'packets.unsubscribe',
  pingreq: 'packets.pingreq',
  disconnect: 'packets.disconnect',
} as const satisfies Record<string, CommonMetricName>;

const sentNames = {
  connack: 'packets.connack',
  publish: 'packets.publish.sent',
  puback: 'packets.puback.sent',
  pubrec: 'packets.pubrec.sent',
  pubrel: 'packets.pubrel.sent',
  pubcomp: 'packets.pubcomp.sent',
  suback: 'packets.suback',
  unsuback: 'packets.unsuback',
  pingresp: 'packets.pingresp',
} as const satisfies Record<string, CommonMetricName>;

const messagesReceived = ['messages.qos0.received', 'messages.qos1.received', 'messages.qos2.received'] as const;
const messagesSent = ['messages.qos0.sent', 'messages.qos1.sent', 'messages.qos2.sent'] as const;

type ReceivedCommand = keyof typeof receivedNames;
export type SentCommand = keyof typeof sentNames;

/**
 * Counters of a node. Malformed packets count as bytes only, redeliveries as messages; wills and the API's messages are
 * not counted.
 */
export class Counters {
  readonly #figures: Figures = zeroes();

  add(name: CounterName, amount = 1): void {
    this.#figures[name] += amount;
  }

  packetReceived(command: ReceivedCommand): void {
    this.#figures['packets.received'] += 1;
    this.#figures[receivedNames[command]] += 1;
  }

  publishReceived(qos: Qos): void {
    this.packetReceived('publish');
    this.#figures['messages.received'] += 1;
    this.#figures[messagesReceived[qos]] += 1;
  }

  packetSent(command: SentCommand): void {
    this.#figures['packets.sent'] += 1;
    this.#figures[sentNames[command]] += 1;
  }

  publishSent(qos: Qos): void {
    this.packetSent('publish');
    this.#figures['messages.sent'] += 1;
    this.#figures[messagesSent[qos]] += 1;
  }

  read(retained: number): Metrics {
    return { ...this.#figures, 'messages.retained': retained };
  }
}

export function isReceivedCommand(command: string): command is ReceivedCommand {
  return Object.hasOwn(receivedNames, command);
}

/** Current values and their maxima since the start. */
export class NodeStats {
  readonly #count: (name: StatName) => number;
  readonly #max = new Map<StatName, number>();

  constructor(count: (name: StatName) => number) {
    this.#count = count;
    this.updateMax(statNames);
  }

  updateMax(names: readonly StatName[]): void {
    for (const name of names) {
      const count = this.#count(name);
      if (count > (this.#max.get(name) ?? 0)) this.#max.set(name, count);
    }
  }

  read(): Stats {
    const stat = (name: StatName) => ({ count: this.#count(name), max: this.#max.get(name) ?? 0 });
    return {
      clients: stat('clients'),
      sessions: stat('sessions'),
      subscribers: stat('subscribers'),
      subscriptions: stat('subscriptions'),
      topics: stat('topics'),
      routes: stat('routes'),
      retained: stat('retained'),
    };
  }
}

interface SystemFigures {
  readonly memoryTotalBytes: number;
  readonly memoryUsedBytes: number;
  readonly load1: number | undefined;
  readonly load5: number | undefined;
  readonly load15: number | undefined;
  /** The soft limit of open files; `undefined` when unknown. */
  readonly maxFileDescriptors: number | undefined;
}

export function readSystemFigures(): SystemFigures {
  const { rss, heapUsed } = process.memoryUsage();
  const [load1, load5, load15] = loadavg();
  return {
    memoryTotalBytes: rss,
    memoryUsedBytes: heapUsed,
    load1,
    load5,
    load15,
    maxFileDescriptors: readFileLimit(),
  };
}

function readFileLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Converts to seconds of the local wall clock. */
export function toBrokerSeconds(epochMs: number): BrokerSeconds {
  return Math.floor(epochMs / 1000) - new Date(epochMs).getTimezoneOffset() * 60;
}
