import { setImmediate } from 'node:timers/promises';
import type { IPublishPacket, ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet';
import type { Qos } from '../../domain/client.ts';
import type { Session } from '../sessions/session.ts';
import type { Access } from './access.ts';
import { ProtocolError } from './codec.ts';
import type { Counters, SentCommand } from './counters.ts';
import type { AclAction } from './hooks.ts';
import { Message } from './message.ts';
import type { BrokerSettings } from './settings.ts';
import { filterCost, isValidFilter, isValidTopic } from '../../domain/topics.ts';

export type SentPacket = Extract<Packet, { cmd: Exclude<SentCommand, 'publish'> }>;

export interface IncomingContext {
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  readonly settings: BrokerSettings;
  accepts(message: Message): boolean;
  publish(message: Message, receive: (() => boolean) | undefined): void | Promise<void>;
  maySubscribe(): boolean;
  subscribe(filter: string, qos: Qos): void;
  denied(action: AclAction, topic: string): void;
  subscriptionRefused(filter: string): void;
  unsubscribe(filter: string): void;
  deliverRetained(filter: string, qos: Qos): void;
  send(packet: SentPacket): void;
  /** Closes the connection of a client whose message cannot be stored: MQTT 3 has no negative acknowledgement. */
  disconnectUnstored(): void;
  disconnect(): void;
}

/** Handles a packet. Returns a promise only when a hook or a long operation is pending. @throws ProtocolError */
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
  if (!isValidTopic(topic, context.settings.maxTopicLevels))
    throw new ProtocolError('malformed', 'PUBLISH to an invalid topic');
  const packetId = packet.messageId ?? 0;
  if (qos === 2) {
    const { awaitingRel } = context.session;
    if (awaitingRel.has(packetId)) {
      // Sent again because PUBREC was lost; already delivered.
      context.send({ cmd: 'pubrec', messageId: packetId });
      return undefined;
    }
    const { maxAwaitingRel } = context.settings;
    if (maxAwaitingRel > 0 && awaitingRel.size >= maxAwaitingRel) {
      context.counters.add('messages.qos2.dropped');
      // MQTT 3 has no negative acknowledgement (4.3.3); without any answer the client would wait forever.
      throw new ProtocolError('protocol-violation', 'too many unreleased QoS 2 messages');
    }
  }
  const acknowledge = (): void => {
    if (qos === 1) context.send({ cmd: 'puback', messageId: packetId });
    else if (qos === 2) context.send({ cmd: 'pubrec', messageId: packetId });
  };
  /** Returns `false` when the client sent the message on another connection in between. */
  const receive =
    qos < 2
      ? undefined
      : (): boolean => {
          const { session } = context;
          if (session.awaitingRel.has(packetId)) return false;
          session.awaitingRel.add(packetId);
          session.record({ op: 'receive', packetId });
          return true;
        };
  const deliver = (allowed: boolean): void | Promise<void> => {
    countDecision(context, 'publish', topic, allowed);
    if (!allowed) {
      receive?.();
      // Acknowledged although refused: the only alternative is to close the connection (3.3.5).
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

function countDecision(context: IncomingContext, action: AclAction, topic: string, allowed: boolean): void {
  context.counters.add(allowed ? 'authorization.allow' : 'authorization.deny');
  if (!allowed) context.denied(action, topic);
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

function handleUnsubscribe(
  context: IncomingContext,
  { messageId = 0, unsubscriptions }: IUnsubscribePacket,
): void | Promise<void> {
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

export const maxSubscriptions = 32_768;
export const maxFilterCost = 8 * maxSubscriptions;

/** The SUBACK return code of a refused filter (MQTT 3.1.1, 3.9.3). */
const refused = 0x80;
export const filtersPerBatch = 256;

interface RequestedSubscription {
  readonly topic: string;
  readonly qos: Qos;
}

function handleSubscribe(
  context: IncomingContext,
  { messageId = 0, subscriptions }: ISubscribePacket,
): void | Promise<void> {
  if (subscriptions.length > filtersPerBatch) return subscribeInBatches(context, messageId, subscriptions);
  const answer = (granted: readonly number[]): void => {
    context.send({ cmd: 'suback', messageId, granted: [...granted] });
    deliverRetained(context, subscriptions, granted);
  };
  const granted = subscribe(context, subscriptions);
  return granted instanceof Promise ? granted.then(answer) : answer(granted);
}

async function subscribeInBatches(
  context: IncomingContext,
  messageId: number,
  subscriptions: readonly RequestedSubscription[],
): Promise<void> {
  const granted: number[] = [];
  for (const slice of batches(subscriptions)) {
    granted.push(...(await subscribe(context, slice)));
    await setImmediate();
  }
  context.send({ cmd: 'suback', messageId, granted });
  for (const [index, slice] of batches(subscriptions).entries()) {
    deliverRetained(context, slice, granted.slice(index * filtersPerBatch));
    await setImmediate();
  }
}

function batches<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / filtersPerBatch) }, (_, index) =>
    items.slice(index * filtersPerBatch, (index + 1) * filtersPerBatch),
  );
}

function subscribe(
  context: IncomingContext,
  requested: readonly RequestedSubscription[],
): readonly number[] | Promise<readonly number[]> {
  const answers = requested.map(
    ({ topic }) => isValidFilter(topic, context.settings.maxTopicLevels) && context.access.allows('subscribe', topic),
  );
  const grant = (allowed: readonly boolean[]): readonly number[] =>
    requested.map(({ topic, qos }, index) => {
      if (isValidFilter(topic, context.settings.maxTopicLevels))
        countDecision(context, 'subscribe', topic, allowed[index] === true);
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

function hasRoom({ subscriptions, filterCost: cost }: Session, filter: string): boolean {
  return (
    subscriptions.has(filter) || (subscriptions.size < maxSubscriptions && cost + filterCost(filter) <= maxFilterCost)
  );
}

function deliverRetained(
  context: IncomingContext,
  requested: readonly RequestedSubscription[],
  granted: readonly number[],
): void {
  for (const [index, { topic, qos }] of requested.entries())
    if (granted[index] !== refused) context.deliverRetained(topic, qos);
}
