import type { ScanName } from '../resources/scans.ts';
import type { VitalName } from '../resources/vital.ts';

export type ReadingName = VitalName | ScanName | 'nodePlugins' | 'settings' | 'nodeSettings' | 'users';

/** The names of the lists in a sentence. */
export const readingNames: Readonly<Record<ReadingName, string>> = {
  nodes: 'node list',
  nodeStats: 'node statistics',
  listeners: 'listeners',
  metrics: 'metrics',
  stats: 'statistics',
  clientScan: 'clients',
  sessionScan: 'sessions',
  subscriptionScan: 'subscriptions',
  routeScan: 'routes',
  nodePlugins: 'plugins',
  settings: 'settings',
  nodeSettings: 'settings',
  users: 'users',
};
