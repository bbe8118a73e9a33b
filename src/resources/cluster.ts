import { reading } from '../monitor/query/part.ts';
import type { ClusterKnowledge } from '../monitor/query/cache.ts';
import { alarmLog } from './alarms/follow.ts';
import { loadHistoryFollower, metricFollower, nodeMetricFollower } from './metrics/follow.ts';
import { isStarting, nodeFollowers } from './nodes/follow.ts';
import { nodeStats, seenNodes } from './nodes/resource.ts';
import { selectNodes } from './nodes/select.ts';
import { queueFollower } from './sessions/follow.ts';
import { totalsFollower } from './statistics/follow.ts';
import { users } from './users/resource.ts';

/** Everything that the monitor must know of an MQTT cluster, and what follows from its readings. */
export const mqttCluster: ClusterKnowledge = {
  nodes: nodeStats,
  followers: [
    ...nodeFollowers,
    metricFollower,
    nodeMetricFollower,
    loadHistoryFollower,
    totalsFollower,
    queueFollower,
    alarmLog,
  ],
  ownOfAddress: [users],
  isStarting,
  isStopped: (state, node) => reading(state, seenNodes).get(node)?.status === 'stopped',
  hasSilentNode: (state) => selectNodes(state).some(({ isSilent }) => isSilent === true),
};
