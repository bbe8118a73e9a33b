import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { keep } from '../data/keep.ts';
import type { LogLevel } from '../log.ts';
import type { BrokerNode } from '../node.ts';
import { prepareHotSetting, readHotSettings, settingsApp } from './hot-settings.ts';
import { requireActing, requireRunning, runningNodes } from './plugin-api.ts';

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
  burstPatienceMs: number;
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
  connectTimeoutMs: 15_000,
  authorizeTimeoutMs: 30_000,
  keepaliveBackoff: 0.75,
  allowAnonymous: true,
  aclNoMatch: 'allow',
  aclCache: true,
  aclCacheSize: 32,
  maxInflight: 32,
  maxAwaitingRel: 0,
  maxQueueLength: 1000,
  burstPatienceMs: 2000,
  storeQos0: true,
  maxSocketBufferBytes: 1024 * 1024,
  retainAvailable: true,
  logLevel: 'error',
};

/** The part of the port that is about hot settings (§4.7). */
export type SettingsApi = Pick<ManagementApi, 'listSettings' | 'getSettings' | 'changeSetting'>;

/** Hot settings of the cluster, and which of them were changed since it was made. */
export interface HotSettingsOfCluster {
  readonly api: SettingsApi;
  /** Values that were changed, by key. */
  changedOn(node: NodeName): Readonly<Record<string, string>>;
  /** Changes settings of one node, running or not. Answers with what could not be, one sentence each. */
  restore(node: BrokerNode, values: Readonly<Record<string, string>>): readonly string[];
}

/** `changed` is called after each change of an operator. */
export function createHotSettings(cluster: BrokerCluster, changed: () => void): HotSettingsOfCluster {
  const changes = new Map<NodeName, Map<string, string>>();
  const note = (node: BrokerNode, key: string, value: string | undefined): void => {
    const known = changes.get(node.name) ?? new Map<string, string>();
    changes.set(node.name, known);
    if (value === undefined) known.delete(key);
    else known.set(key, value);
  };

  return {
    api: {
      async listSettings() {
        return new Map(runningNodes(cluster).map((node) => [node.name, readHotSettings(node)]));
      },
      async getSettings(name) {
        return readHotSettings(requireRunning(cluster, name));
      },
      async changeSetting(name, { app, key, value }) {
        const apply = prepareHotSetting(app, key, value);
        const nodes = name === undefined ? runningNodes(cluster) : [requireActing(cluster, name)];
        // Kept before it acts: queues that a smaller bound has cut could not be made whole again.
        await keep(cluster.recorder, () => {
          const before = nodes.map((node) => changes.get(node.name)?.get(key));
          for (const node of nodes) note(node, key, value);
          changed();
          return () => {
            for (const [index, node] of nodes.entries()) {
              if (changes.get(node.name)?.get(key) === value) note(node, key, before[index]);
            }
            changed();
          };
        });
        for (const node of nodes) apply(node);
      },
    },
    changedOn: (node) => Object.fromEntries(changes.get(node) ?? []),
    restore: (node, values) => Object.entries(values).flatMap(([key, value]) => {
      try {
        prepareHotSetting(settingsApp, key, value)(node);
        note(node, key, value);
        return [];
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        return [`${node.name}: ${error.brokerMessage ?? error.message}`];
      }
    }),
  };
}
