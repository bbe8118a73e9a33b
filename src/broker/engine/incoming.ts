import { setImmediate } from 'node:timers/promises';
import type { IPublishPacket, ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet';
import type { Qos } from '../../domain/client.ts';
import type { Session } from '../sessions/session.ts';
import type { Access } from './access.ts';
import { ProtocolError } from './codec.ts';
import type { Counters, SentCommand } from './counters.ts';
import { Message } from './message.ts';
import type { BrokerSettings } from './settings.ts';
import { filterCost, isValidFilter, isValidTopic } from './topics.ts';

/** A packet that the broker sends, other than PUBLISH, which goes through the session's outbox. */
export type SentPacket = Extract<Packet, { cmd: Exclude<SentCommand, 'publish'> }>;

/** What handling a client's packets needs. */
export interface IncomingContext {
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  readonly settings: BrokerSettings;
  /** False when the message would have to be stored and cannot be. */
  accepts(message: Message): boolean;
  /** Like `ConnectionHost.publish`. */
  publish(message: Message, receive: () => boolean): void | Promise<void>;
  /** False when the subscription would have to be stored and cannot be. */
  maySubscribe(): boolean;
  subscribe(filter: string, qos: Qos): void;
  /** Reports a filter beyond the client's limit. */
  subscriptionRefused(filter: string): void;
  unsubscribe(filter: string): void;
  /** Sends the retained messages of a new subscription. */
  deliverRetained(filter: string, qos: Qos): void;
  send(packet: SentPacket): void;
  /** Closes the connection of a client whose message cannot be stored: MQTT 3 has no negative acknowledgement. */
  disconnectUnstored(): void;
  disconnect(): void;
}

/**
 * Handles one packet of a connected client. Returns a promise only when a hook or a long operation has to
 * be waited for; the caller holds back the next packet to keep the order.
 * @throws ProtocolError
 */
export function handlePacket(context: IncomingContext, packet: Packet): void | Promise<void> {
  switch (packet.cmd) {
    case 'publish':
      return handlePublish(context, packet);
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp':
      return handleAcknowledgement(context, packet.cmd, packet.messageId ?? 0);
    case 'subscribe':
      return handleSubscribe(context, packet);
    case 'unsubscribe':
      return handleUnsubscribe(context, packet);
    case 'pingreq':
      return context.send({ cmd: 'pingresp' });
    case 'disconnect':
      return context.disconnect();
    default:
      throw new ProtocolError('protocol-violation', `a second ${packet.cmd}`);
  }
}

function handlePublish(context: IncomingContext, packet: IPublishPacket): void | Promise<void> {
  const { topic, qos, retain } = packet;
  if (!isValidTopic(topic, context.settings.maxTopicLevels)) throw new ProtocolError('malformed', 'PUBLISH to an invalid topic');
  const packetId = packet.messageId ?? 0;
  if (qos === 2) {
    const { awaitingRel } = context.session;
    if (awaitingRel.has(packetId)) {
      // Sent again because PUBREC was lost; it has been delivered already.
      context.send({ cmd: 'pubrec', messageId: packetId });
      return undefined;
    }
    const { maxAwaitingRel } = context.settings;
    if (maxAwaitingRel > 0 && awaitingRel.size >= maxAwaitingRel) {
      context.counters.add('messages.qos2.dropped');
      // MQTT 3 has no answer that refuses (4.3.3), and without one the client would wait forever.
      throw new ProtocolError('protocol-violation', 'more QoS 2 messages unreleased than are allowed');
    }
  }
  const acknowledge = (): void => {
    if (qos === 1) context.send({ cmd: 'puback', messageId: packetId });
    else if (qos === 2) context.send({ cmd: 'pubrec', messageId: packetId });
  };
  /** False when the client sent it on another connection meanwhile. */
  const receive = (): boolean => {
    if (qos < 2) return true;
    const { session } = context;
    if (session.awaitingRel.has(packetId)) return false;
    session.awaitingRel.add(packetId);
    session.record({ op: 'receive', packetId });
    return true;
  };
  const deliver = (allowed: boolean): void | Promise<void> => {
    if (!allowed) {
      receive();
      // Acknowledged although refused: nothing else keeps the connection (3.3.5).
      return acknowledge();
    }
    // Copied: a slice would keep the whole read buffer in memory.
    const payload = Buffer.from(packet.payload);
    const message = new Message({ topic, payload, qos, retain, publisher: context.session.clientId });
    if (!context.accepts(message)) return context.disconnectUnstored();
    const published = context.publish(message, receive);
    return published instanceof Promise ? published.then(acknowledge) : acknowledge();
  };
  const allowed = context.access.allows('publish', topic);
  return typeof allowed === 'boolean' ? deliver(allowed) : allowed.then(deliver);
}

function handleAcknowledgement(
  { session, counters, send }: IncomingContext,
  command: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp',
  messageId: number,
): void {
  if (command === 'pubrel') {
    if (session.awaitingRel.delete(messageId)) session.record({ op: 'release', packetId: messageId });
    else counters.add('packets.pubrel.missed');
    send({ cmd: 'pubcomp', messageId });
  } else if (command === 'pubrec') {
    if (!session.outbox.receivePubrec(messageId)) counters.add('packets.pubrec.missed');
    // Always answered: without PUBREL the client would keep the message forever.
    send({ cmd: 'pubrel', messageId });
  } else if (!session.outbox.acknowledge(messageId, command)) {
    counters.add(command === 'puback' ? 'packets.puback.missed' : 'packets.pubcomp.missed');
  }
}

function handleUnsubscribe(context: IncomingContext, { messageId = 0, unsubscriptions }: IUnsubscribePacket): void | Promise<void> {
  const answer = (): void => context.send({ cmd: 'unsuback', messageId, granted: [] });
  if (unsubscriptions.length > filtersPerBatch) return unsubscribeInBatches(context, unsubscriptions).then(answer);
  for (const filter of unsubscriptions) context.unsubscribe(filter);
  answer();
}

async function unsubscribeInBatches(context: IncomingContext, filters: readonly string[]): Promise<void> {
  for (const [index, filter] of filters.entries()) {
    context.unsubscribe(filter);
    if (index % filtersPerBatch === filtersPerBatch - 1) await setImmediate();
  }
}

/** Subscriptions that a client may make; an operator may add more. */
export const maxSubscriptions = 32_768;
/** Max sum of `filterCost` over the filters of a client: 32,768 levels of filters with several wildcards, or 8 times as many with one. */
export const maxFilterCost = 8 * maxSubscriptions;

/** SUBACK return code of a refused filter (3.9.3). */
const refused = 0x80;
/** Filters handled in one event loop iteration: a packet can hold thousands. */
export const filtersPerBatch = 256;

interface RequestedSubscription {
  readonly topic: string;
  readonly qos: Qos;
}

/** Subscribes, sends SUBACK and then the retained messages. */
export function handleSubscribe(context: IncomingContext, { messageId = 0, subscriptions }: ISubscribePacket): void | Promise<void> {
  if (subscriptions.length > filtersPerBatch) return subscribeInBatches(context, messageId, subscriptions);
  const answer = (granted: readonly number[]): void => {
    context.send({ cmd: 'suback', messageId, granted: [...granted] });
    deliverRetained(context, subscriptions, granted);
  };
  const granted = subscribe(context, subscriptions);
  return granted instanceof Promise ? granted.then(answer) : answer(granted);
}

async function subscribeInBatches(context: IncomingContext, messageId: number, subscriptions: readonly RequestedSubscription[]): Promise<void> {
  const granted: number[] = [];
  for (const slice of batches(subscriptions)) {
    granted.push(...await subscribe(context, slice));
    await setImmediate();
  }
  context.send({ cmd: 'suback', messageId, granted });
  for (const [index, slice] of batches(subscriptions).entries()) {
    deliverRetained(context, slice, granted.slice(index * filtersPerBatch));
    await setImmediate();
  }
}

function batches<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / filtersPerBatch) }, (_, index) => items.slice(index * filtersPerBatch, (index + 1) * filtersPerBatch));
}

/** Subscribes to the allowed filters. Returns the SUBACK return codes. */
function subscribe(context: IncomingContext, asked: readonly RequestedSubscription[]): readonly number[] | Promise<readonly number[]> {
  const answers = asked.map(({ topic }) =>
    isValidFilter(topic, context.settings.maxTopicLevels) && context.access.allows('subscribe', topic));
  const grant = (allowed: readonly boolean[]): readonly number[] => asked.map(({ topic, qos }, index) => {
    if (allowed[index] !== true || !context.maySubscribe()) return refused;
    if (!hasRoom(context.session, topic)) {
      context.subscriptionRefused(topic);
      return refused;
    }
    context.subscribe(topic, qos);
    return qos;
  });
  return answers.every((answer) => typeof answer === 'boolean') ? grant(answers) : Promise.all(answers).then(grant);
}

/** Whether the session may have this filter; changing an existing one is always allowed. */
function hasRoom({ subscriptions, filterCost: cost }: Session, filter: string): boolean {
  return subscriptions.has(filter) || (subscriptions.size < maxSubscriptions && cost + filterCost(filter) <= maxFilterCost);
}

function deliverRetained(context: IncomingContext, asked: readonly RequestedSubscription[], granted: readonly number[]): void {
  for (const [index, { topic, qos }] of asked.entries()) if (granted[index] !== refused) context.deliverRetained(topic, qos);
}
