import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Message } from './message.ts';

export interface ClientIdentity {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** 3 is MQTT 3.1, 4 is MQTT 3.1.1. */
  readonly protocolVersion: number;
  readonly cleanSession: boolean;
  readonly node: NodeName;
}

export interface ConnectRequest extends ClientIdentity {
  readonly password: Buffer | undefined;
}

/**
 * The answer to a CONNECT. `bad-credentials` answers CONNACK 4, `not-authorized` CONNACK 5; `ignore` leaves it to
 * `allowAnonymous`.
 */
export type AuthenticateResult = 'accept' | 'bad-credentials' | 'not-authorized' | 'ignore';

export type AclAction = 'publish' | 'subscribe';

/** Decisions of plugins. A hook that throws, rejects or times out refuses. */
export interface BrokerHooks {
  /** Refuses the client before it is authenticated. */
  isBanned?: ((client: ClientIdentity) => boolean) | undefined;
  authenticate?: ((request: ConnectRequest) => AuthenticateResult | Promise<AuthenticateResult>) | undefined;
  /** Decides about a topic; `undefined` leaves it to the setting `aclNoMatch`. Results are cached per client. */
  authorize?:
    | ((client: ClientIdentity, action: AclAction, topic: string) => boolean | undefined | Promise<boolean | undefined>)
    | undefined;
  /** Whether to store a message. If not, it is still delivered. */
  retain?: ((message: Message, node: NodeName) => boolean) | undefined;
}

/** The reason why a connection ended. Only `client-disconnect` suppresses the will. */
export type CloseReason =
  | 'client-disconnect'
  | 'closed'
  | 'socket-error'
  | 'keepalive-timeout'
  | 'connect-timeout'
  | 'taken-over'
  | 'kicked'
  | 'malformed'
  | 'packet-too-large'
  | 'protocol-violation'
  | 'refused'
  | 'node-stopped'
  | 'listener-stopped'
  // The listener was full, and this connection was the oldest without a CONNECT.
  | 'crowded-out'
  | 'not-stored';

/** A connection that ended before its client was accepted. */
export interface RejectedPeer {
  readonly node: NodeName;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** `undefined` when no CONNECT with an id was received. */
  readonly clientId: string | undefined;
  /** The CONNACK return code; `undefined` when none was sent. */
  readonly returnCode: number | undefined;
}

/** Events of the broker. `node` is that of the session or message; `undefined` when no node runs. */
export interface BrokerEvents {
  connected: [client: ClientIdentity];
  disconnected: [client: ClientIdentity, reason: CloseReason];
  rejected: [peer: RejectedPeer, reason: CloseReason];
  subscribed: [clientId: string, filter: string, qos: Qos, node: NodeName];
  /** A client may not publish to a topic or subscribe to a filter. */
  denied: [clientId: string, action: AclAction, topic: string, node: NodeName];
  subscriptionRefused: [clientId: string, filter: string, node: NodeName];
  unsubscribed: [clientId: string, filter: string, node: NodeName];
  published: [message: Message, node: NodeName | undefined];
  slowDelivery: [clientId: string, topic: string, ms: number, node: NodeName];
  queueFull: [clientId: string, node: NodeName];
}
