export const logLevels = ['debug', 'info', 'warning', 'error', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Settings of a node, read at each use, so that a change applies from the next packet on. */
export interface BrokerSettings {
  /** Counts characters; longer ids get CONNACK 2. */
  maxClientIdLength: number;
  /** Counts bytes, with the fixed header. A larger packet closes the connection before its body is read. */
  maxPacketSize: number;
  /** A topic with more levels closes the connection, a filter is refused (0x80). */
  maxTopicLevels: number;
  /** CONNECT may take so long to arrive and be authenticated. */
  connectTimeoutMs: number;
  /** `authorize` may take so long before it refuses. `authenticate` has `connectTimeoutMs`. */
  authorizeTimeoutMs: number;
  /** A silent client is closed after keepalive × 2 × this; 0.75 gives the 1.5 of the specification. */
  keepaliveBackoff: number;
  /** Clients may connect when no `authenticate` hook decides. */
  allowAnonymous: boolean;
  aclNoMatch: 'allow' | 'deny';
  aclCache: boolean;
  /** Limits decisions per client; 0 turns the cache off. */
  aclCacheSize: number;
  /** The inflight window: unacknowledged QoS 1 and 2 messages per client; 0 is unlimited. */
  maxInflight: number;
  /** Limits QoS 2 messages of a client without PUBREL; beyond it the client is disconnected. 0 is unlimited. */
  maxAwaitingRel: number;
  /** Limits queued messages per session; 0 is unlimited. */
  maxQueueLength: number;
  /**
   * Limits how long publishers wait for one client whose queue is over half full, and one publisher for all such
   * clients.
   */
  maxBackpressureMs: number;
  storeQos0: boolean;
  /** The socket of a slow client may have so many unsent bytes before its messages go to the queue. */
  maxSocketBufferBytes: number;
  retainAvailable: boolean;
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
