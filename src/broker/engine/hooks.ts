import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Message } from './message.ts';

/** What a connection tells about its client, once CONNECT has been read. */
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

/** A CONNECT to be decided on. */
export interface ConnectRequest extends ClientIdentity {
  readonly password: Buffer | undefined;
}

/** `bad-credentials` answers CONNACK 4, `not-authorized` CONNACK 5; `ignore` leaves it to `allowAnonymous`. */
export type AuthenticateResult = 'accept' | 'bad-credentials' | 'not-authorized' | 'ignore';

export type AclAction = 'publish' | 'subscribe';

/** Decisions that something outside the engine takes. A hook that throws, rejects or does not answer in time counts as a refusal. */
export interface BrokerHooks {
  authenticate?: ((request: ConnectRequest) => AuthenticateResult | Promise<AuthenticateResult>) | undefined;
  /** `undefined` leaves it to the setting `aclNoMatch`. Answers are kept in the client's ACL cache. */
  authorize?:
    | ((client: ClientIdentity, action: AclAction, topic: string) => boolean | undefined | Promise<boolean | undefined>)
    | undefined;
  /** Whether this message, which came in through that node and asks to be retained, may be stored; it is delivered all the same. */
  retain?: ((message: Message, node: NodeName) => boolean) | undefined;
}

/** Why a connection ended. `client-disconnect` is the only one that suppresses the will. */
export type CloseReason =
  | 'client-disconnect' | 'closed' | 'socket-error' | 'keepalive-timeout' | 'connect-timeout'
  | 'taken-over' | 'kicked' | 'malformed' | 'packet-too-large' | 'protocol-violation' | 'refused' | 'node-stopped'
  // The listener was full, and it was the one that had sent no CONNECT for longest.
  | 'crowded-out'
  // What it sent cannot be written to the data folder.
  | 'not-stored';

/** A connection that ended before its client was let in. */
export interface RejectedPeer {
  readonly node: NodeName;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  /** `undefined` when no CONNECT with an id came. */
  readonly clientId: string | undefined;
  /** The answer to its CONNECT (3.1.1, table 3.1); `undefined` when it got none. */
  readonly returnCode: number | undefined;
}

/** What happens in the cluster, for plugins, the log and tests. `node` is where a session or message is at home; `undefined` when nothing runs. */
export interface BrokerEvents {
  connected: [client: ClientIdentity];
  disconnected: [client: ClientIdentity, reason: CloseReason];
  rejected: [peer: RejectedPeer, reason: CloseReason];
  subscribed: [clientId: string, filter: string, qos: Qos, node: NodeName];
  /** The client has as many filters as it may have. Told once a connection. */
  subscriptionRefused: [clientId: string, filter: string, node: NodeName];
  unsubscribed: [clientId: string, filter: string, node: NodeName];
  published: [message: Message, node: NodeName | undefined];
}
