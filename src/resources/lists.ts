import type { Fields } from '../table/field.ts';
import { accessBackendFields } from './access-backends/fields.ts';
import { activeAlarmFields, alarmFields } from './alarms/fields.ts';
import { apiKeyFields } from './api-keys/fields.ts';
import { banFields } from './bans/fields.ts';
import { clientFields } from './clients/fields.ts';
import { integrationFields } from './integrations/fields.ts';
import { listenerFields } from './listeners/fields.ts';
import { nodeFields } from './nodes/fields.ts';
import { pluginFields } from './plugins/fields.ts';
import { retainedFields } from './retained/fields.ts';
import { routeFields } from './routes/fields.ts';
import { sessionFields } from './sessions/fields.ts';
import { slowSubscriptionFields } from './slow-subscriptions/fields.ts';
import { subscriptionFields } from './subscriptions/fields.ts';
import { traceFields } from './traces/fields.ts';
import { userFields } from './users/fields.ts';

/**
 * The fields of each noun's list by its name in `list` and the configuration, in the order in which those show them;
 * `none` has no list. Without what reads them: the command line knows the lists at every start.
 */
export const lists = {
  nodes: nodeFields,
  listeners: listenerFields,
  clients: clientFields,
  sessions: sessionFields,
  subscriptions: subscriptionFields,
  routes: routeFields,
  plugins: pluginFields,
  settings: 'none',
  bans: banFields,
  users: userFields,
  'api-keys': apiKeyFields,
  alarms: activeAlarmFields,
  'ended-alarms': alarmFields,
  retained: retainedFields,
  'slow-subscriptions': slowSubscriptionFields,
  integrations: integrationFields,
  'access-backends': accessBackendFields,
  traces: traceFields,
  statistics: 'none',
  'cluster-views': 'none',
  metrics: 'none',
  'node-metrics': 'none',
} as const;

type Lists = typeof lists;

/** The names of the lists that are printed and arranged. */
export type ListName = { [Name in keyof Lists]: Lists[Name] extends 'none' ? never : Name }[keyof Lists];

export const listNames = Object.entries(lists).flatMap(([name, fields]) =>
  fields === 'none' ? [] : [name],
) as readonly ListName[];

export const listedFields = (list: ListName): Fields<never, never> => lists[list];

export const fieldNames = (list: ListName): readonly string[] => Object.keys(lists[list]);
