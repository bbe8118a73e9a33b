import type { BrokerHooks } from './engine/hooks.ts';
import type { ListenerOptions } from './engine/listener.ts';
import type { Recorder } from './data/recorder.ts';
import type { RetainedState } from './sessions/retained.ts';
import type { SessionState } from './sessions/session.ts';
import type { BrokerSettings } from './management/settings.ts';

export interface ClusterOptions {
  /** What the nodes report as their version: that of the package. */
  readonly version: string;
  /** Number of nodes; 3 unless given. They are named `broker1@127.0.0.1`, `broker2@…`. */
  readonly nodes?: number | undefined;
  /** Address to listen on; loopback unless given. */
  readonly host?: string | undefined;
  /** Node n listens on the given port + n − 1; 0 takes free ports. 1883 and 8083 unless given. */
  readonly mqttPort?: number | undefined;
  readonly wsPort?: number | undefined;
  /** Bounds of each listener; 102,400 unless given. */
  readonly maxTcpClients?: number | undefined;
  readonly maxWsClients?: number | undefined;
  /** Each node gets its own copy. */
  readonly settings?: Partial<BrokerSettings> | undefined;
  readonly hooks?: BrokerHooks | undefined;
  /** Keeps what outlives the cluster; without one it is in memory only. */
  readonly recorder?: Recorder | undefined;
}

/** What clients left behind that outlives the cluster. */
export interface ClusterState {
  readonly retained: readonly RetainedState[];
  readonly sessions: readonly SessionState[];
}

/** Listeners of the node of that index, from 0. */
export function listenersOf(options: ClusterOptions, index: number): readonly ListenerOptions[] {
  const address = options.host ?? '127.0.0.1';
  return [
    { protocol: 'mqtt:tcp', address, port: portOf(options.mqttPort ?? 1883, index), maxClients: options.maxTcpClients ?? 102_400 },
    { protocol: 'mqtt:ws', address, port: portOf(options.wsPort ?? 8083, index), maxClients: options.maxWsClients ?? 102_400 },
  ];
}

function portOf(first: number, index: number): number {
  return first === 0 ? 0 : first + index;
}
