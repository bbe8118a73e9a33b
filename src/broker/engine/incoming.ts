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

/** What the packets of a client act on. */
export interface IncomingContext {
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  readonly settings: BrokerSettings;
  /** False when the message would have to be kept, and cannot be. */
  accepts(message: Message): boolean;
  /** As the host's `publish`. A promise when it takes more than one turn of the event loop. */
  publish(message: Message, receive: () => boolean): void | Promise<void>;
  /** False when the subscription would have to be kept, and cannot be. */
  maySubscribe(): boolean;
  subscribe(filter: string, qos: Qos): void;
  /** Tells that a filter is one too many. */
  subscriptionRefused(filter: string): void;
  unsubscribe(filter: string): void;
  /** Sends the retained messages of a new subscription. */
  deliverRetained(filter: string, qos: Qos): void;
  send(packet: SentPacket): void;
  /** Ends the connection of a client whose message cannot be kept: MQTT 3 has no answer that says so. */
  disconnectUnstored(): void;
  disconnect(): void;
}

/**
 * Handles one packet of a client that is connected. A promise is returned only when a hook has to be
 * waited for, or when there is more to do than in one go; the caller then holds back the next packet,
 * so that packets keep their order.
 * Throws `ProtocolError`.
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
      // Sent again because our PUBREC was lost: it has been passed on already.
      context.send({ cmd: 'pubrec', messageId: packetId });
      return undefined;
    }
    const { maxAwaitingRel } = context.settings;
    if (maxAwaitingRel > 0 && awaitingRel.size >= maxAwaitingRel) {
      context.counters.add('messages.qos2.dropped');
      // Without an answer the client would wait for ever, and MQTT 3 has none that refuses (4.3.3).
      throw new ProtocolError('protocol-violation', 'more QoS 2 messages unreleased than are allowed');
    }
  }
  const acknowledge = (): void => {
    if (qos === 1) context.send({ cmd: 'puback', messageId: packetId });
    else if (qos === 2) context.send({ cmd: 'pubrec', messageId: packetId });
  };
  /** False when it has been received before: another connection of the client may have sent it while a hook or the delivery was waited for. */
  const receive = (): boolean => {
    if (qos < 2) return true;
    const { session } = context;
    if (session.awaitingRel.has(packetId)) return false;
    session.awaitingRel.add(packetId);
    session.record({ op: 'receive', packetId });
    return true;
  };
  const pass = (allowed: boolean): void | Promise<void> => {
    if (!allowed) {
      receive();
      // A refused message is acknowledged as well: MQTT 3 has no other answer that keeps the connection (3.3.5).
      return acknowledge();
    }
    // Copied, because the payload is a slice of what was read, and a queued message would hold all of it.
    const payload = Buffer.from(packet.payload);
    const message = new Message({ topic, payload, qos, retain, publisher: context.session.clientId });
    if (!context.accepts(message)) return context.disconnectUnstored();
    const published = context.publish(message, receive);
    return published instanceof Promise ? published.then(acknowledge) : acknowledge();
  };
  const allowed = context.access.allows('publish', topic);
  return typeof allowed === 'boolean' ? pass(allowed) : allowed.then(pass);
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
    // Answered in any case: without PUBREL the client would keep the message for ever.
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

/** Subscriptions that a client may have; it is refused more. Its operator may make it more. */
export const maxSubscriptions = 32_768;
/** Max sum of `filterCost` over the filters of a client: 32,768 levels of filters with several wildcards, or 8 times as many with one. */
export const maxFilterCost = 8 * maxSubscriptions;

/** What a SUBACK says of a filter that is refused (3.9.3). */
const refused = 0x80;
/** Filters that are subscribed to, or let go of, in one go. A packet can hold thousands, which would hold everybody else up. */
export const filtersPerBatch = 256;

interface RequestedSubscription {
  readonly topic: string;
  readonly qos: Qos;
}

/** Subscribes, answers, and sends what is retained. A promise when hooks have to be waited for, or others come in between. */
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

/** Subscribes to those that are allowed; answers with what a SUBACK says of each. */
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

/** Whether the session may have this filter, too. One that it has may be changed. */
function hasRoom({ subscriptions, filterCost: cost }: Session, filter: string): boolean {
  return subscriptions.has(filter) || (subscriptions.size < maxSubscriptions && cost + filterCost(filter) <= maxFilterCost);
}

function deliverRetained(context: IncomingContext, asked: readonly RequestedSubscription[], granted: readonly number[]): void {
  for (const [index, { topic, qos }] of asked.entries()) if (granted[index] !== refused) context.deliverRetained(topic, qos);
}
