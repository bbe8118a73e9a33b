import { reading } from '../monitor/query/part.ts';
import {
  type ActingKnowledge,
  type ActingMonitor,
  createActingMonitor,
  type MonitorOptions,
} from '../actions/acting-monitor.ts';
import { accessFollower } from './access-backends/follow.ts';
import { alarmLog } from './alarms/follow.ts';
import { integrationFollower } from './integrations/follow.ts';
import { loadHistoryFollower, metricFollower, nodeMetricFollower } from './metrics/follow.ts';
import { isStarting, nodeFollowers } from './nodes/follow.ts';
import { nodeStats, seenNodes } from './nodes/resource.ts';
import { selectNodes, stoppedNodesOf } from './nodes/select.ts';
import { clusterViews } from './cluster-views/resource.ts';
import { queueFollower } from './sessions/follow.ts';
import { totalsFollower } from './statistics/follow.ts';
import { users } from './users/resource.ts';

/** Everything that the monitor must know of an MQTT cluster, and what follows from its readings. */
export const mqttCluster: ActingKnowledge = {
  nodes: nodeStats,
  followers: [
    ...nodeFollowers,
    metricFollower,
    nodeMetricFollower,
    loadHistoryFollower,
    totalsFollower,
    queueFollower,
    alarmLog,
    integrationFollower,
    accessFollower,
  ],
  ownOfAddress: [users, clusterViews],
  isStarting,
  isStopped: (state, node) => reading(state, seenNodes).get(node)?.status === 'stopped',
  stoppedNodes: (state) => stoppedNodesOf(reading(state, seenNodes)),
  hasSilentNode: (state) => selectNodes(state).some(({ isSilent }) => isSilent === true),
};

/** The options of a monitor of an MQTT cluster. */
export type ClusterMonitorOptions = Omit<MonitorOptions, 'cluster'>;

/** Creates a monitor of an MQTT cluster, without its checks. */
export const createMonitor = (options: ClusterMonitorOptions): ActingMonitor =>
  createActingMonitor({ ...options, cluster: mqttCluster });
