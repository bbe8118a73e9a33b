/** From most to least verbose. */

export const logLevels = ['debug', 'info', 'warning', 'error', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];
/** Settings of a node. The engine reads each value when it needs it, so that a change applies from the next packet on. */
export interface BrokerSettings {
  /** In characters; a longer client id is refused with CONNACK 2. */
  maxClientIdLength: number;
  /** In bytes, including the fixed header. A larger packet closes the connection before its body is read. */
  maxPacketSize: number;
  /** A topic with more levels closes the connection, a filter is refused (0x80). */
  maxTopicLevels: number;
  /** Time for CONNECT to arrive and be authenticated. */
  connectTimeoutMs: number;
  /** Time for an `authorize` hook to answer; then it refuses. `authenticate` has `connectTimeoutMs`. */
  authorizeTimeoutMs: number;
  /** A silent client is closed after keepalive × 2 × this; 0.75 gives the 1.5 of the specification. */
  keepaliveBackoff: number;
  /** Clients may connect when no `authenticate` hook decides. */
  allowAnonymous: boolean;
  /** For publish and subscribe when no `authorize` hook decides. */
  aclNoMatch: 'allow' | 'deny';
  /** Whether authorization decisions are cached per client. */
  aclCache: boolean;
  /** Decisions that each client's ACL cache holds; 0 turns the cache off. */
  aclCacheSize: number;
  /** Inflight window: unacknowledged QoS 1 and 2 messages per client; 0 is unlimited. */
  maxInflight: number;
  /** QoS 2 messages of a client without PUBREL; beyond it the client is disconnected. 0 is unlimited. */
  maxAwaitingRel: number;
  /** Queued messages per session; 0 is unlimited. */
  maxQueueLength: number;
  /**
   * Backpressure: total time for which publishers wait for one connected client whose queue is over half full,
   * until it has been empty again; and for which one publisher waits for all such clients, before it waits for
   * a tenth of the time at most. Then messages are dropped.
   */
  maxBackpressureMs: number;
  /** Whether QoS 0 messages are queued for offline persistent sessions. */
  storeQos0: boolean;
  /** Unsent bytes of a slow client's socket before its messages go to the queue. */
  maxSocketBufferBytes: number;
  /** Whether retained messages are stored and sent to new subscribers. */
  retainAvailable: boolean;
  /** Less severe lines are not logged. */
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
