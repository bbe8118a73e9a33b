/** From the most to the least that is said; `none` says nothing at all. */

export const logLevels = ['debug', 'info', 'warning', 'error', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];
/**
 * What an operator may change about a node. The engine reads each value when it needs it and keeps
 * no copy, so that a changed value acts from the next packet on.
 */
export interface BrokerSettings {
  /** Longest client id in characters; a longer one is refused with CONNACK 2. */
  maxClientIdLength: number;
  /** Largest packet in bytes, fixed header included. A larger one closes the socket before its body is read. */
  maxPacketSize: number;
  /** Most levels of a topic or filter. A deeper topic closes the socket, a deeper filter is refused (0x80). */
  maxTopicLevels: number;
  /** Time for the CONNECT to arrive, in milliseconds. */
  connectTimeoutMs: number;
  /** Time for an `authorize` hook to answer, in milliseconds; then it has refused. That of `authenticate` is `connectTimeoutMs`. */
  authorizeTimeoutMs: number;
  /** A silent client is closed after keepalive × 2 × this; 0.75 gives the 1.5 of the MQTT standard. */
  keepaliveBackoff: number;
  /** Clients may connect when no `authenticate` hook decides. */
  allowAnonymous: boolean;
  /** What happens to a publish or subscribe about which no `authorize` hook decides. */
  aclNoMatch: 'allow' | 'deny';
  /** Decisions about a client are kept; otherwise every packet asks again. */
  aclCache: boolean;
  /** Decisions that each client's ACL cache holds; 0 turns the cache off. */
  aclCacheSize: number;
  /** Most QoS 1 and 2 messages on their way to a client unacknowledged; 0 is no bound. */
  maxInflight: number;
  /**
   * Most QoS 2 messages of a client whose PUBREL is outstanding; 0 is no bound but that of the packet
   * ids. Whoever sends more is disconnected.
   */
  maxAwaitingRel: number;
  /** Most messages that wait in a session; 0 is no bound. */
  maxQueueLength: number;
  /**
   * Milliseconds for which publishers wait in all while the queue of a connected client is over half full,
   * until it has been empty again; and for which one publisher waits in all for any number of such clients,
   * before it waits for a tenth of the time at most. Then messages are dropped.
   */
  maxBackpressureMs: number;
  /** QoS 0 messages are kept for offline persistent sessions. */
  storeQos0: boolean;
  /** Bytes that may wait for a slow client's socket before its messages go to the session's queue. */
  maxSocketBufferBytes: number;
  /** Retained messages are stored and sent to new subscribers. */
  retainAvailable: boolean;
  /** What is less important than this is not logged. */
  logLevel: LogLevel;
}
export const defaultSettings: Readonly<BrokerSettings> = {
  maxClientIdLength: 1024,
  maxPacketSize: 64 * 1024,
  maxTopicLevels: 128,
  connectTimeoutMs: 15000,
  authorizeTimeoutMs: 30000,
  keepaliveBackoff: 0.75,
  allowAnonymous: true,
  aclNoMatch: 'allow',
  aclCache: true,
  aclCacheSize: 32,
  maxInflight: 32,
  maxAwaitingRel: 0,
  maxQueueLength: 1000,
  maxBackpressureMs: 2000,
  storeQos0: true,
  maxSocketBufferBytes: 1024 * 1024,
  retainAvailable: true,
  logLevel: 'error',
};
