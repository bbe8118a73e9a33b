import { randomBytes } from 'node:crypto';
import type { IConnectPacket } from 'mqtt-packet';
import type { Client, ClientTraffic } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { Access } from './access.ts';
import { ProtocolError } from './codec.ts';
import type { AuthenticateResult, BrokerHooks, ClientIdentity, ConnectRequest } from './hooks.ts';
import { Message } from './message.ts';
import type { BrokerSettings } from './settings.ts';
import { isValidTopic } from '../../domain/topics.ts';
import type { Transport } from './transport.ts';

export interface AcceptedClient {
  readonly identity: ClientIdentity;
  readonly access: Access;
  readonly will: Message | undefined;
  readonly keepaliveSeconds: number;
  readonly connectedAt: BrokerSeconds;
}

export function describeClient(
  { identity, keepaliveSeconds, connectedAt }: AcceptedClient,
  traffic: ClientTraffic,
): Client {
  return { ...identity, keepaliveSeconds, connectedAt, traffic: { ...traffic }, unparsed: {} };
}

/** CONNACK return codes (MQTT 3.1.1, table 3.1). */
export const connackCodes = {
  accepted: 0,
  badProtocol: 1,
  badClientId: 2,
  unavailable: 3,
  badCredentials: 4,
  notAuthorized: 5,
} as const;

const levels: Readonly<Record<string, number>> = { MQIsdp: 3, MQTT: 4 };

/** Whether this protocol level is supported; `undefined` when the name is not MQTT's. */
export function isKnownProtocol(name: string, level: number): boolean | undefined {
  const known = levels[name];
  return known === undefined ? undefined : known === level;
}

export function maxConnectBytes({ maxClientIdLength, maxPacketSize }: BrokerSettings): number {
  // A UTF-16 code unit is at most three bytes.
  return Math.min(maxPacketSize, 16 * 1024 + 3 * maxClientIdLength);
}

/**
 * Identifies a client, or returns the CONNACK code that refuses it. Generates an id for an empty one if MQTT allows
 * that.
 */
export function identify(
  packet: IConnectPacket,
  transport: Transport,
  node: NodeName,
  settings: BrokerSettings,
): ConnectRequest | typeof connackCodes.badClientId {
  const protocolVersion = packet.protocolVersion ?? 4;
  const cleanSession = packet.clean ?? true;
  let { clientId } = packet;
  if (clientId === '') {
    if (!cleanSession || protocolVersion < 4) return connackCodes.badClientId;
    clientId = `auto-${randomBytes(8).toString('hex')}`;
  }
  if (clientId.length > settings.maxClientIdLength) return connackCodes.badClientId;
  const { ipAddress, port } = transport;
  return {
    clientId,
    username: packet.username,
    password: packet.password,
    ipAddress,
    port,
    protocolVersion,
    cleanSession,
    node,
  };
}

/** @throws ProtocolError for an invalid topic. */
export function readWill(packet: IConnectPacket, settings: BrokerSettings): Message | undefined {
  const { will, clientId } = packet;
  if (will === undefined) return undefined;
  if (!isValidTopic(will.topic, settings.maxTopicLevels))
    throw new ProtocolError('malformed', 'will with an invalid topic');
  return new Message({
    topic: will.topic,
    payload: Buffer.from(will.payload),
    qos: will.qos ?? 0,
    retain: will.retain ?? false,
    publisher: clientId,
  });
}

export function authenticate(
  request: ConnectRequest,
  hooks: BrokerHooks,
  settings: BrokerSettings,
): number | Promise<number> {
  const decide = (result: AuthenticateResult): number => {
    if (result === 'accept') return connackCodes.accepted;
    if (result === 'bad-credentials') return connackCodes.badCredentials;
    if (result === 'not-authorized') return connackCodes.notAuthorized;
    if (settings.allowAnonymous) return connackCodes.accepted;
    return request.username === undefined ? connackCodes.notAuthorized : connackCodes.badCredentials;
  };
  if (hooks.authenticate === undefined) return decide('ignore');
  try {
    const result = hooks.authenticate(request);
    if (!(result instanceof Promise)) return decide(result);
    return result.then(decide, () => connackCodes.notAuthorized);
  } catch {
    return connackCodes.notAuthorized;
  }
}

export function withoutPassword(request: ConnectRequest): ClientIdentity {
  const { clientId, username, ipAddress, port, protocolVersion, cleanSession, node } = request;
  return { clientId, username, ipAddress, port, protocolVersion, cleanSession, node };
}
