import {
  asWatch,
  type Part,
  type Query,
  type QueryKey,
  type Readings,
  type Watchable,
} from '../../src/monitor/query/part.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { accessBackends, accessRates } from '../../src/resources/access-backends/resource.ts';
import { alarms, endedAlarms } from '../../src/resources/alarms/resource.ts';
import { apiKeys } from '../../src/resources/api-keys/resource.ts';
import { bans } from '../../src/resources/bans/resource.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { clientSearch } from '../../src/resources/clients/search.ts';
import { integrationRates, integrations } from '../../src/resources/integrations/resource.ts';
import { clusterViews } from '../../src/resources/cluster-views/resource.ts';
import { listeners } from '../../src/resources/listeners/resource.ts';
import { metricHistory, metricPast, metrics, nodeMetrics, reportedLoad } from '../../src/resources/metrics/resource.ts';
import { lastKnownNodes, nodes, nodeStats, seenNodes } from '../../src/resources/nodes/resource.ts';
import { plugins, pluginSettings } from '../../src/resources/plugins/resource.ts';
import { retained, retainedContent } from '../../src/resources/retained/resource.ts';
import { routeScan, topicRoutes } from '../../src/resources/routes/resource.ts';
import { sessionMessages } from '../../src/resources/sessions/messages.ts';
import { queueTrends } from '../../src/resources/sessions/queues.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { nodeSettings, settings } from '../../src/resources/settings/resource.ts';
import { slowSubscriptions } from '../../src/resources/slow-subscriptions/resource.ts';
import { stats, totalsHistory } from '../../src/resources/statistics/resource.ts';
import { subscriptionScan } from '../../src/resources/subscriptions/resource.ts';
import { users } from '../../src/resources/users/resource.ts';

const single = {
  nodes,
  nodeStats,
  seenNodes,
  lastKnownNodes,
  listeners,
  metrics,
  metricHistory,
  metricPast,
  reportedLoad,
  stats,
  totalsHistory,
  alarms,
  clusterViews,
  endedAlarms,
  bans,
  apiKeys,
  users,
  slowSubscriptions,
  integrations,
  integrationRates,
  accessBackends,
  accessRates,
  retained,
  settings,
  clientScan,
  sessionScan,
  queueTrends,
  subscriptionScan,
  routeScan,
  timelineEvents,
} as const;

const keyed = {
  nodeMetrics,
  clientDetail,
  clientSearch,
  topicRoutes,
  plugins,
  pluginSettings,
  nodeSettings,
  retainedContent,
  sessionMessages,
} as const;

type StateOf<P> = P extends Part<infer State, infer _ extends QueryKey> ? State : never;

/** Values of parts by their names; those with a key as maps, by the text of the key. */
export type PartValues = {
  readonly [Name in keyof typeof single]?: StateOf<(typeof single)[Name]> | undefined;
} & {
  readonly [Name in keyof typeof keyed]?: ReadonlyMap<string, StateOf<(typeof keyed)[Name]>> | undefined;
};

/** The readings of a state that has these values, and no others. */
export const readingsOf = (values: PartValues = {}): Readings => ({
  readings: Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name in single ? single[name as keyof typeof single].name : keyed[name as keyof typeof keyed].name,
        name in single ? new Map([['', value]]) : (value as ReadonlyMap<string, unknown>),
      ]),
  ),
});

/** A state with changes: their readings are added to its own. */
export const patched = <State extends Partial<Readings>>(
  state: State | undefined,
  ...patches: readonly (Partial<State> | undefined)[]
): State =>
  [state, ...patches].reduce<State>(
    (before, patch = {}) => ({ ...before, ...patch, readings: { ...before.readings, ...patch.readings } }),
    {} as State,
  );

/** The keys with which a query is watched, as texts. */
export const watchedKeys = (watching: Iterable<Watchable>, { name, textOf }: Query): readonly string[] =>
  [...watching]
    .map(asWatch)
    .filter(({ query }) => query.name === name)
    .map(({ key }) => textOf(...(key as never)));
