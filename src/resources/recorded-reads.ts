import { type Watchable, watchOf } from '../monitor/query/part.ts';
import type { Scan } from '../monitor/query/query.ts';
import type { MonitorState } from '../monitor/state.ts';
import { alarms, endedAlarms } from './alarms/resource.ts';
import { apiKeys } from './api-keys/resource.ts';
import { bans } from './bans/resource.ts';
import { listeners } from './listeners/resource.ts';
import { metrics, nodeMetrics } from './metrics/resource.ts';
import { selectBackgroundNodes } from './metrics/rates.ts';
import { nodes, nodeStats } from './nodes/resource.ts';
import { selectNodes } from './nodes/select.ts';
import { plugins } from './plugins/resource.ts';
import { retained } from './retained/resource.ts';
import { scans } from './scans.ts';
import { settings } from './settings/resource.ts';
import { slowSubscriptions } from './slow-subscriptions/resource.ts';
import { stats } from './statistics/resource.ts';
import { users } from './users/resource.ts';

/** How often lists are read for a recording, in seconds: what is compared later is as old as that. */
const listSeconds = 60;
/** Lists with more rows are read less often. */
const maxOftenRows = 20_000;
const longListSeconds = 900;

interface RecordedRead {
  readonly watched: Watchable;
  /** `undefined`: with every refresh. */
  readonly everySeconds: number | undefined;
}

/** Lists what is read while everything is recorded, whatever the checks need. */
export function recordedReads(state: MonitorState): readonly RecordedRead[] {
  const running = selectNodes(state).filter(({ status }) => status === 'running');
  const names = running.map(({ name }) => name);
  const expected = (scan: Scan<unknown>): number =>
    (scan.isOfCluster ? names.slice(0, 1) : names).reduce((sum, node) => sum + (scan.expected(state, node) ?? 0), 0);
  const lists = [settings, bans, users, apiKeys, alarms, endedAlarms, retained, slowSubscriptions];
  return [
    ...[nodes, nodeStats, stats, metrics, listeners].map((watched) => ({ watched, everySeconds: undefined })),
    ...(names.length === 0
      ? []
      : (Object.values(scans) as readonly Scan<unknown>[]).map((scan) => ({
          watched: scan,
          everySeconds: expected(scan) > maxOftenRows ? longListSeconds : listSeconds,
        }))),
    ...lists.map((watched) => ({ watched, everySeconds: listSeconds })),
    ...names.map((node) => ({ watched: watchOf(plugins, node), everySeconds: listSeconds })),
    ...selectBackgroundNodes(state).map((node) => ({ watched: watchOf(nodeMetrics, node), everySeconds: listSeconds })),
  ];
}
