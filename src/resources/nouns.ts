import type { Fields } from '../table/field.ts';
import { accessBackendNoun } from './access-backends/noun.ts';
import { alarmNoun, endedAlarmNoun } from './alarms/noun.ts';
import { apiKeyNoun } from './api-keys/noun.ts';
import { banNoun } from './bans/noun.ts';
import { clientNoun } from './clients/noun.ts';
import { integrationNoun } from './integrations/noun.ts';
import { clusterViewNoun } from './cluster-views/noun.ts';
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
 * All nouns by their ids: their names in `list`, the configuration and comparisons, in the order in which those show
 * them. What is compared, recorded, printed and arranged is derived from it.
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
} as const;

type Nouns = typeof nouns;

export const allNouns = Object.entries(nouns) as readonly (readonly [id: keyof Nouns, noun: Noun])[];

/** The names of the lists that are printed and arranged. */
export type ListName = {
  [Name in keyof Nouns]: Nouns[Name]['listed'] extends 'no' ? never : Name;
}[keyof Nouns];

export const listNames = allNouns.flatMap(([id, { listed }]) => (listed === 'no' ? [] : [id])) as readonly ListName[];

export const listedFields = (list: ListName): Fields<never, never> => nouns[list].listed.fields;

export const fieldNames = (list: ListName): readonly string[] => Object.keys(listedFields(list));

/** The names of the lists that one reading of a resource has. */
export type WholeListName = {
  [Name in ListName]: Nouns[Name]['listed'] extends { readonly whole: unknown } ? Name : never;
}[ListName];

export type RowOf<Name extends WholeListName> =
  Nouns[Name]['listed']['whole'] extends WholeList<never, infer Row> ? Row : never;

export const isWholeList = (name: string): name is WholeListName =>
  allNouns.some(([id, { listed }]) => id === name && listed !== 'no' && 'whole' in listed);
