import type { Qos } from '../../domain/client.ts';
import { type MetricName, metricNames, type Metrics, type StatName, statNames, type Stats } from '../../domain/metrics.ts';

type Figures = Record<MetricName, number>;

function zeroes(): Figures {
  return Object.fromEntries(metricNames.map((name) => [name, 0])) as Figures;
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
} as const satisfies Record<string, MetricName>;

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
} as const satisfies Record<string, MetricName>;

const messagesReceived = ['messages.qos0.received', 'messages.qos1.received', 'messages.qos2.received'] as const;
const messagesSent = ['messages.qos0.sent', 'messages.qos1.sent', 'messages.qos2.sent'] as const;

/** Packets that a client may send. */
type ReceivedCommand = keyof typeof receivedNames;
/** Packets that the broker sends. */
export type SentCommand = keyof typeof sentNames;

/**
 * The counters of one node (§2.10) since it started.
 *
 * Bytes are those of MQTT packets, without WebSocket framing. Malformed packets count as bytes only. Every
 * PUBLISH on the wire counts as a message, including redeliveries; will messages and messages of the
 * management API do not. `messages.retained` comes from the retained store.
 */
export class Counters {
  readonly #figures: Figures = zeroes();

  add(name: MetricName, amount = 1): void {
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

  /** A copy of all 38 counters. */
  read(retained: number): Metrics {
    return { ...this.#figures, 'messages.retained': retained };
  }
}

export function isReceivedCommand(command: string): command is ReceivedCommand {
  return Object.hasOwn(receivedNames, command);
}

/** Sums the counters of several nodes (Variant B, §4.1). A counter that one node lacks is absent. */
export function sumMetrics(all: Iterable<Metrics>): Metrics {
  const total: Partial<Record<MetricName, number>> = zeroes();
  for (const metrics of all) {
    for (const name of metricNames) {
      const sum = total[name];
      const value = metrics[name];
      if (sum === undefined || value === undefined) delete total[name];
      else total[name] = sum + value;
    }
  }
  return total;
}
/** The statistics of one node (§2.11): present values and their maxima since it started. */
export class NodeStats {
  readonly #count: (name: StatName) => number;
  readonly #max = new Map<StatName, number>();

  constructor(count: (name: StatName) => number) {
    this.#count = count;
    this.updateMax(statNames);
  }

  /** Updates the maxima of statistics that may have grown. */
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
