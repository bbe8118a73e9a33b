import { accessBackendNoun } from './access-backends/noun.ts';
import { alarmNoun, endedAlarmNoun } from './alarms/noun.ts';
import { apiKeyNoun } from './api-keys/noun.ts';
import { banNoun } from './bans/noun.ts';
import { clientNoun } from './clients/noun.ts';
import { integrationNoun } from './integrations/noun.ts';
import { clusterViewNoun } from './cluster-views/noun.ts';
import type { lists } from './lists.ts';
import { listenerNoun } from './listeners/noun.ts';
import { metricNoun, nodeMetricNoun } from './metrics/noun.ts';
import { nodeNoun } from './nodes/noun.ts';
import type { Noun, WholeList } from './noun.ts';
import { pluginNoun } from './plugins/noun.ts';
import { retainedNoun } from './retained/noun.ts';
import { routeNoun } from './routes/noun.ts';
import { sessionNoun } from './sessions/noun.ts';
import { settingNoun } from './settings/noun.ts';
import { slowSubscriptionNoun } from './slow-subscriptions/noun.ts';
import { statisticNoun } from './statistics/noun.ts';
import { subscriptionNoun } from './subscriptions/noun.ts';
import { traceNoun } from './traces/noun.ts';
import { userNoun } from './users/noun.ts';

/**
 * All nouns by their ids: their names in `lists` and comparisons, in the order in which those show them. What is
 * compared, recorded and printed is derived from it.
 */
export const nouns = {
  nodes: nodeNoun,
  listeners: listenerNoun,
  clients: clientNoun,
  sessions: sessionNoun,
  subscriptions: subscriptionNoun,
  routes: routeNoun,
  plugins: pluginNoun,
  settings: settingNoun,
  bans: banNoun,
  users: userNoun,
  'api-keys': apiKeyNoun,
  alarms: alarmNoun,
  'ended-alarms': endedAlarmNoun,
  retained: retainedNoun,
  'slow-subscriptions': slowSubscriptionNoun,
  integrations: integrationNoun,
  'access-backends': accessBackendNoun,
  traces: traceNoun,
  statistics: statisticNoun,
  'cluster-views': clusterViewNoun,
  metrics: metricNoun,
  'node-metrics': nodeMetricNoun,
} as const satisfies Readonly<Record<keyof typeof lists, Noun>>;

type Nouns = typeof nouns;

export const allNouns = Object.entries(nouns) as readonly (readonly [id: keyof Nouns, noun: Noun])[];

/** The names of the lists that one reading of a resource has. */
export type WholeListName = {
  [Name in keyof Nouns]: Nouns[Name] extends { readonly whole: unknown } ? Name : never;
}[keyof Nouns];

export type RowOf<Name extends WholeListName> =
  Nouns[Name]['whole'] extends WholeList<unknown, infer Row> ? Row : never;

export const isWholeList = (name: string): name is WholeListName =>
  allNouns.some(([id, { whole }]) => id === name && whole !== undefined);
