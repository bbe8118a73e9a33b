import type { Session } from '../../src/domain/client.ts';
import type { NodeStats } from '../../src/domain/node.ts';

/** Figures of a session that no API has said. */
export const unknownSession = {
  maxInflight: undefined,
  inflight: undefined,
  queueLength: undefined,
  dropped: undefined,
  awaitingRel: undefined,
  awaitingAck: undefined,
  awaitingComp: undefined,
  subscriptions: undefined,
  delivered: undefined,
  enqueued: undefined,
  unparsed: {},
} as const satisfies Partial<Session>;

/** The session of client `x` on node `a`, in which nothing happens. */
export const idleSession = (patch: Partial<Session> = {}): Session => ({
  clientId: 'x',
  cleanSession: false,
  createdAt: 1,
  node: 'a',
  maxInflight: 32,
  inflight: 0,
  queueLength: 0,
  dropped: 0,
  awaitingRel: 0,
  awaitingAck: undefined,
  awaitingComp: undefined,
  subscriptions: 1,
  delivered: 0,
  enqueued: 0,
  unparsed: {},
  ...patch,
});

/** What is known of a node that is stopped. */
export const stoppedStats = (name: string): NodeStats => ({
  name,
  otpRelease: undefined,
  memoryTotalBytes: undefined,
  memoryUsedBytes: undefined,
  processLimit: undefined,
  processesUsed: undefined,
  maxFileDescriptors: undefined,
  clients: undefined,
  load1: undefined,
  load5: undefined,
  load15: undefined,
  status: 'stopped',
  statusText: 'Stopped',
  unparsed: {},
});
